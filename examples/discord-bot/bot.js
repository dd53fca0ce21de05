// Congkak and al-manqala in a Discord channel. Commands and presses come in over HTTP and go on
// to a mancala-post server; its events say what else happens there, and the channel is told.
import { setTimeout as sleep } from "node:timers/promises";
import { verifyKeyMiddleware } from "discord-interactions";
import express from "express";
import { board, button, face, rows, title, turn } from "./board.js";
import { discord, mancala, save, state } from "./wires.js";
import { languageOf, say } from "./words.js";

const { DISCORD_PUBLIC_KEY, HOST = "127.0.0.1", PORT = 3000, DEFER_MS = 1500 } = process.env;
const COMMAND = 2, EPHEMERAL = 64, known = new Set(), running = new Set();
const NOT_YOURS = /^(not_seated|not_your_turn|already_committed|own_)/;
const NEWS = /^(turn.started|deadline.near|offer.made|offer.answered|game.finished|game.aborted)$/;
const whisper = (content, components = []) => // in a message of its own, for one person
  ({ aside: true, message: { content, components, flags: EPHEMERAL } });

async function act(it, user, lang) {
  const as = `discord:${user.id}`, { name, options = [], custom_id } = it.data;
  const ask = (method, path, body, who = as) =>
    mancala(method, `/v1/${path}`, { as: who, lang, body, key: it.id });
  if (!known.has(as)) { // the Discord name, as far as it makes a handle, if nobody else has it
    const handle = user.username.replace(/[^\w-]/g, "-").slice(0, 24).padEnd(2, "-");
    const put = (name) => ask("PUT", `managed-players/${as}`, { name }, null);
    await put(handle).catch(() => put(`${handle}-${user.id.slice(-5)}`));
    known.add(as);
  }
  if (name === "help")
    return whisper((await ask("GET", "rulesets/congkak")).rules_in_words.slice(0, 2000));
  if (name === "games") {
    const games = (await ask("GET", "me/games?limit=200")).items
      .filter(({ status }) => !/finished|aborted/.test(status)).slice(0, 10);
    const list = games.map((game, at) => `${at + 1}. ${title(game)}. ${turn(game, lang)}`);
    return whisper(list.join("\n") || say(lang, "none"),
      rows(games.map(({ id }, at) => button(`show:${id}`, `${at + 1}`))));
  }
  if (it.type === COMMAND) {
    const given = options.map(({ name, value }) => [name, value]);
    const { days = 3, ...rules } = Object.fromEntries(given);
    const { game } = await ask("POST", "games", {
      ruleset: name === "manqala" ? "al-manqala" : "congkak", rules,
      clock: { per_move: days * 86_400 }, opponent: { open: true },
      external_ref: `${it.channel_id} ${lang}`, // a crash right here does not lose it
    });
    return board(game, lang);
  }
  const [verb, id, kind] = custom_id.split(":");
  try {
    const done = verb === "show" ? await ask("GET", `games/${id}`)
      : verb === "offer" ? await ask("POST", `games/${id}/offers`, { kind })
      : verb === "join" || verb === "abort" ? await ask("POST", `games/${id}/${verb}`)
      : await ask("POST", "actions", { action: custom_id });
    if (!done.confirm) return await board(done.game ?? done, lang);
    return whisper(say(lang, "sure"), rows([button(done.confirm, say(lang, "resign"), 4)]));
  } catch (error) {
    if (![403, 409, 422].includes(error.status)) throw error;
    const { code, title: why, game = await ask("GET", `games/${id}`) } = error.data;
    if (!NOT_YOURS.test(code)) return { ...(await board(game, lang)), note: why }; // an old button
    const no = code === "not_seated" ? say(lang, "stranger") : `${why}.`;
    return whisper(`${no} ${turn(game, lang)}`);
  }
}

// An answer within the three seconds that Discord gives: the right one, or that it will come.
// Not in the response to Discord's request: that takes no picture, the callback does.
async function respond(it) {
  const { id, type, token, data, channel_id: channel, user = it.member.user } = it;
  const lang = languageOf(it.locale), press = type !== COMMAND;
  const hook = `/webhooks/${it.application_id}/${token}`;
  const first = (type, data, picture) => discord("POST",
    `/interactions/${id}/${token}/callback?with_response=true`, { type, data }, picture);
  const work = act(it, user, lang).catch((error) => {
    console.error(error.message);
    return whisper(error.data?.title ?? say(lang, "away"));
  });
  let sent, answer = await Promise.race([work, sleep(Number(DEFER_MS))]);
  if (answer) {
    const kind = press && !answer.aside ? 7 : 4;
    sent = (await first(kind, answer.message, answer.picture)).resource.message;
  } else {
    await first(press ? 6 : 5, { flags: /games|help/.test(data.name) ? EPHEMERAL : 0 });
    answer = await work;
    const { flags, ...edit } = answer.message; // what is there keeps its flags
    sent = press && answer.aside ? await discord("POST", hook, answer.message)
      : await discord("PATCH", `${hook}/messages/@original`, edit, answer.picture);
  }
  const { game, note } = answer;
  if (game) {
    const record = (state.games[game.id] ??= { channel, lang });
    record.by = `discord:${user.id} ${game.ply}`; // who need not be told
    if (!(sent.flags & EPHEMERAL))
      Object.assign(record, { channel, lang, message: sent.id, face: face(game) });
    save();
  }
  if (note) await discord("POST", hook, whisper(`${note}.`).message);
}

// Tells a channel what no press there has shown: who has to know is called, and if the board
// has moved on elsewhere, it comes along.
async function tell(id, page) {
  const events = page.items.filter((event) => event.game_id === id && NEWS.test(event.type));
  if (events.length === 0) return;
  const event = events.at(-1), refs = event.for.map((one) => one.external_ref);
  const game = await mancala("GET", `/v1/games/${id}`, { as: refs[0] });
  const [channel, lang] = game.external_ref?.split(" ") ?? []; // of a challenge before a crash
  const { message: _, face: __, ...before } = state.games[game.previous_game] ?? { channel, lang };
  const record = (state.games[id] ??= before);
  const users = refs.filter((ref) => record.by !== `${ref} ${event.ply}`).map((ref) => ref.slice(8));
  if (!record.channel || users.length === 0) return;
  const after = page.items[page.items.indexOf(event) - 1]?.id ?? state.cursor;
  const query = `/v1/events?limit=1&after=${after}`; // once more, in the game's language
  const { items: [said] } = await mancala("GET", query, { lang: record.lang });
  const old = record.face === face(game);
  const shown = old ? { message: { message_reference: { message_id: record.message,
    fail_if_not_exists: false } } } : await board(game, record.lang);
  const sent = await discord("POST", `/channels/${record.channel}/messages`, {
    ...shown.message, content: `${users.map((user) => `<@${user}>`).join(" ")} ${said.data.summary}`,
    allowed_mentions: { users }, nonce: event.id, enforce_nonce: true, // once, even after a crash
  }, shown.picture);
  if (!old) Object.assign(record, { message: sent.id, face: face(game) });
}

async function follow() {
  const query = `/v1/events?wait=50${state.cursor ? `&after=${state.cursor}` : ""}`;
  const page = await mancala("GET", query, { patience: Infinity });
  await Promise.allSettled(running); // what the presses at hand show is not told again
  for (const id of new Set(page.items.map((event) => event.game_id)))
    await tell(id, page).catch((error) => {
      console.error(error.message);
      // A channel that is gone or closed is its own loss; else the page comes again.
      if (!(error.status >= 400 && error.status < 500)) throw error;
    });
  state.cursor = page.next_cursor;
  save();
}

save(); // the key first: with it a lost answer to the signing up comes again
state.token ??= (await mancala("POST", "/v1/players", { key: state.key, patience: Infinity,
  body: { name: `discord-${state.key.slice(0, 8)}`, kind: "bot" } })).secret;
const recent = (req, res, next) => // what somebody has recorded is not taken again
  Math.abs(Date.now() / 1000 - req.get("X-Signature-Timestamp")) < 300 ? next()
    : res.status(401).end();
const app = express(), whole = express.raw({ type: () => true, limit: "1mb" });
app.post("/interactions", recent, whole, verifyKeyMiddleware(DISCORD_PUBLIC_KEY), (req, res) => {
  res.status(202).end();
  const job = respond(req.body).catch((error) => console.error(error.message))
    .finally(() => running.delete(job));
  running.add(job);
});
app.listen(PORT, HOST, () => console.log(`listening on http://${HOST}:${PORT}/interactions`));
while (true) await follow().catch((error) => {
  if (error.data?.code === "cursor_reset") delete state.cursor; // the server's past was undone
  return sleep(1000);
});
