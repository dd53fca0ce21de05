// Three wires: to the mancala server, to Discord, and to the file that outlives the bot.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const { MANCALA_URL = "http://127.0.0.1:8080", DISCORD_TOKEN, STATE = "state.json" } = process.env;
const { DISCORD_API = "https://discord.com/api/v10", PATIENCE_MS = 10_000 } = process.env;

// The server's token, the cursor of its events, and which message shows which game.
export const state = existsSync(STATE) ? JSON.parse(readFileSync(STATE))
  : { key: randomUUID(), cursor: "0", games: {} };
export function save() { // the whole file or the one before, whenever the power fails
  writeFileSync(`${STATE}.new`, JSON.stringify(state), { mode: 0o600, flush: true });
  renameSync(`${STATE}.new`, STATE);
}

// Whoever is away or busy is asked again. A refusal is thrown with its `status` and `data`.
async function request(url, method, headers, body, patience = Number(PATIENCE_MS)) {
  for (const until = Date.now() + patience; ;) {
    const signal = AbortSignal.timeout(Math.max(1, Math.min(until - Date.now(), 70_000)));
    const answer = await fetch(url, { method, headers, body, signal }).catch(() => null);
    const bytes = await answer?.arrayBuffer().then(Buffer.from, () => null);
    const json = bytes && /\/(problem\+)?json/.test(answer.headers.get("Content-Type"));
    const data = json ? JSON.parse(bytes) : bytes, { status } = answer ?? {};
    if (bytes && answer.ok) return data;
    const again = !bytes || status === 429 || status >= 500 || data.code === "key_running";
    const pause = data?.retry_after ?? (Number(answer?.headers.get("Retry-After")) || 0.5);
    if (!again || Date.now() + pause * 1000 >= until) {
      // The long part of a path is an interaction's token: not for the log.
      const what = `${method} ${url.replace(/[^/]{40,}/, "…")}: ${status} ${data?.code}`;
      throw Object.assign(new Error(what), { status, data });
    }
    await sleep(pause * 1000);
  }
}

// All that this bot sends may be sent twice: what creates has a key, a choice names its ply.
export function mancala(method, path, { body, as, lang = "en", key, accept, patience } = {}) {
  const headers = { Accept: accept ?? "*/*", "Accept-Language": lang };
  if (state.token) headers.Authorization = `Bearer ${state.token}`;
  if (body) headers["Content-Type"] = "application/json";
  if (as) headers["Mancala-Act-As"] = as;
  if (key) headers["Idempotency-Key"] = key;
  return request(MANCALA_URL + path, method, headers, body && JSON.stringify(body), patience);
}

export function discord(method, path, message, picture) {
  const headers = { Authorization: `Bot ${DISCORD_TOKEN}`, "User-Agent": "DiscordBot (any, 1)" };
  const text = JSON.stringify(message), form = new FormData();
  if (!picture) headers["Content-Type"] = "application/json";
  form.set("payload_json", text);
  if (picture) form.set("files[0]", new Blob([picture], { type: "image/png" }), "board.png");
  return request(DISCORD_API + path, method, headers, picture ? form : text);
}
