// Three wires: to the mancala server, to Discord, and to the file that outlives the bot.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { REST } from "@discordjs/rest";

const { MANCALA_URL, DISCORD_TOKEN, STATE = "state.json", PATIENCE_MS = 10_000 } = process.env;
const { DISCORD_API = "https://discord.com/api" } = process.env;
const rest = new REST({ api: DISCORD_API }).setToken(DISCORD_TOKEN); // it knows rate limits
export const discord = (method, fullRoute, body, picture, query) => rest.request(
  { method, fullRoute, body, query, files: picture && [{ name: "board.png", data: picture }] });

// The server's token, the cursor of its events, and which message shows which game.
export const state = existsSync(STATE) ? JSON.parse(readFileSync(STATE))
  : { key: randomUUID(), cursor: "0", games: {} };
export function save() { // the whole file or the one before, whenever the power fails
  writeFileSync(`${STATE}.new`, JSON.stringify(state), { mode: 0o600, flush: true });
  renameSync(`${STATE}.new`, STATE);
}

// All that this bot sends may be sent twice (what creates has a key, a choice names its ply): a
// server that is away or busy is asked again, as long as there is patience.
export async function mancala(method, path, options = {}) {
  const { as, body, key, lang = "en", accept = "*/*", patience = Number(PATIENCE_MS) } = options;
  const headers = { Accept: accept, "Accept-Language": lang, "Content-Type": "application/json" };
  if (state.token) headers.Authorization = `Bearer ${state.token}`;
  if (as) headers["Mancala-Act-As"] = as;
  if (key) headers["Idempotency-Key"] = key;
  for (const until = Date.now() + patience; ;) {
    const signal = AbortSignal.timeout(Math.max(1, Math.min(until - Date.now(), 70_000)));
    const request = { method, headers, body: body && JSON.stringify(body), signal };
    const answer = await fetch(MANCALA_URL + path, request).catch(() => null);
    const bytes = await answer?.arrayBuffer().then(Buffer.from, () => null);
    const json = bytes && /\/(problem\+)?json/.test(answer.headers.get("Content-Type"));
    const data = json ? JSON.parse(bytes) : bytes, { status } = answer ?? {};
    if (bytes && answer.ok) return data;
    const again = !bytes || status === 429 || status >= 500 || data.code === "key_running";
    const pause = 1000 * (Number(answer?.headers.get("Retry-After")) || 0.5);
    if (!again || Date.now() + pause >= until)
      throw Object.assign(new Error(`${method} ${path}: ${data?.code}`), { status, data });
    await sleep(pause);
  }
}
