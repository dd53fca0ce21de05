// Congkak and al-manqala in a Discord channel. Commands and presses come in over HTTP and go on
// to a mancala-post server; its events say what else happens there, and the channel is told.
import { setTimeout as sleep } from "node:timers/promises";
import { verifyKeyMiddleware } from "discord-interactions";
import express from "express";
import { board, button, face, rows, title, turn } from "./board.js";
import { discord, mancala, save, state } from "./wires.js";
import { languageOf, say } from "./words.js";

const { DISCORD_PUBLIC_KEY, HOST = "127.0.0.1", PORT = 3000 } = process.env;
const { DEFER_MS = 1500, NOTES_LANG = "en" } = process.env;
const COMMAND = 2, HIDDEN = 64 /* for one person */, log = (error) => console.error(error.message);
const NEWS = /^(turn.started|deadline.near|offer.*|game.created|game.finished|game.aborted)$/;
const whisper = (content, buttons = []) => // in a message of its own
  ({ aside: true, message: { content, components: rows(buttons), flags: HIDDEN } });

async function act(it, user, lang) {
  const as = `discord:${user.id}`, { name, options = [], custom_id = "" } = it.data;
  const ask = (how, path, body) => mancala(how, `/v1/${path}`, { as, lang, body, key: it.id });
  const handle = user.username.replace(/[^\w-]/g, "-").slice(0, 24).padEnd(2, "-");
  const put = (name) => mancala("PUT", `/v1/managed-players/${as}`, { body: { name } });
  await put(handle).catch((error) => // 409: somebody else has that handle
    error.status === 409 ? put(`${handle}-${user.id.slice(-5)}`) : Promise.reject(error));
  if (name === "help")
    return whisper((await ask("GET", "rulesets/congkak")).rules_in_words.slice(0, 2000));
  if (name === "games") {
    const { items: games } = await ask("GET", "me/games?status=playing&limit=10");
    const list = games.map((game, at) => `${at + 1}. ${title(game)}. ${turn(game, lang)}`);
    const buttons = games.map(({ id }, at) => button(`show:${id}`, `${at + 1}`));
    return whisper(list.join("\n") || say(lang, "none"), buttons);
  }
  if (it.type === COMMAND) {
    const { days = 3, ...rules } = Object.fromEntries(options.map((one) => [one.name, one.value]));
    const { game } = await ask("POST", "games", {
      ruleset: name === "manqala" ? "al-manqala" : name, rules, opponent: { open: true },
      clock: { per_move: days * 86_400 }, external_ref: it.channel_id }); // known after a crash
    return board(game, lang);
  }
  const [verb, id, kind] = custom_id.split(":"), body = kind && { kind };
  try {
    const done = await (verb === "show" ? ask("GET", `games/${id}`)
      : ["join", "abort", "offers"].includes(verb) ? ask("POST", `games/${id}/${verb}`, body)
      : ask("POST", "actions", { action: custom_id }));
    if (!done.confirm) return await board(done.game ?? done, lang);
    return whisper(say(lang, "sure"), [button(done.confirm, say(lang, "resign"), 4)]);
  } catch (error) {
    if (![403, 409, 422].includes(error.status)) throw error;
    const { code, title: why, game = await ask("GET", `games/${id}`) } = error.data;
    // An old button, unless it is somebody else's: show the game as it is now.
    if (!/^(not_|already_|own_)/.test(code)) return { ...(await board(game, lang)), note: why };
    return whisper(`${code === "not_seated" ? say(lang, "stranger") : why}. ${turn(game, lang)}`);
  }
}

// An answer within the three seconds that Discord gives: the right one, or that it will come.
// Not in the response to Discord's request: that takes no picture, the callback does.
async function respond(it) {
  const { id, type, token, data, channel_id: channel, user = it.member.user } = it;
  const lang = languageOf(it.locale), press = type !== COMMAND;
  const hook = `/webhooks/${it.application_id}/${token}`;
  const first = (type, data, picture) => discord("POST", `/interactions/${id}/${token}/callback`,
    { type, data }, picture, new URLSearchParams({ with_response: true }));
  const work = act(it, user, lang).catch((error) =>
    log(error) ?? whisper(error.data?.title ?? say(lang, "away")));
  let sent, answer = await Promise.race([work, sleep(Number(DEFER_MS))]);
  if (answer) {
    const kind = press && !answer.aside ? 7 : 4;
    sent = (await first(kind, answer.message, answer.picture)).resource.message;
  } else {
    await first(press ? 6 : 5, { flags: /games|help/.test(data.name) ? HIDDEN : 0 });
    answer = await work;
    const { flags, ...edit } = answer.message; // what is there keeps its flags
    sent = press && answer.aside ? await discord("POST", hook, answer.message)
      : await discord("PATCH", `${hook}/messages/@original`, edit, answer.picture);
  }
  const { game, note } = answer;
  if (game) {
    const record = (state.games[game.id] ??= { channel });
    const shown = sent.flags & HIDDEN ? {} : { channel, message: sent.id, face: face(game) };
    Object.assign(record, shown, press && { by: `discord:${user.id}`, ply: game.ply });
    save();
  }
  if (note) await discord("POST", hook, whisper(`${note}.`).message);
}

// Calls whoever has to know what no press has shown them; a board that moved on comes along.
async function tell({ id, for: seats, game_id, ply, type, data }) {
  const refs = seats.map((seat) => seat.external_ref);
  const game = await mancala("GET", `/v1/games/${game_id}`, { as: refs[0] });
  const { channel } = state.games[game.previous_game] ?? { channel: game.external_ref };
  const record = (state.games[game_id] ??= { channel }), seen = record.ply ?? -1;
  const users = refs.filter((ref) => ref !== record.by || seen < ply).map((ref) => ref.slice(8));
  const old = record.face === face(game), known = old && type === "game.created";
  if (!record.channel || !users.length || seen > ply || record.told === id || known) return;
  const reply = { message_reference: { message_id: record.message, fail_if_not_exists: false } };
  const { message, picture } = old ? { message: reply } : await board(game, NOTES_LANG);
  const sent = await discord("POST", `/channels/${record.channel}/messages`, {
    ...message, content: `${users.map((user) => `<@${user}>`).join(" ")} ${data.summary}`,
    allowed_mentions: { users }, nonce: id, enforce_nonce: true, // once, even after a crash
  }, picture);
  Object.assign(record, { told: id }, !old && { message: sent.id, face: face(game) });
}

save(); // the key first: with it a lost answer to the signing up comes again
state.token ??= (await mancala("POST", "/v1/players", { key: state.key, patience: Infinity,
  body: { name: `discord-${state.key.slice(0, 8)}`, kind: "bot" } })).secret;
const app = express(), whole = express.raw({ type: () => true, limit: "1mb" });
const recent = ({ headers: { "x-signature-timestamp": at } }, res, next) => // no recordings
  Math.abs(Date.now() / 1000 - at) < 300 ? next() : res.sendStatus(401);
let pressed = Promise.resolve(); // once all that was pressed is answered
app.post("/interactions", recent, whole, verifyKeyMiddleware(DISCORD_PUBLIC_KEY), (req, res) => {
  res.status(202).end();
  pressed = Promise.all([pressed, respond(req.body).catch(log)]).then(() => {});
});
app.listen(PORT, HOST, () => console.log(`listening on http://${HOST}:${PORT}/interactions`));
const patient = { lang: NOTES_LANG, patience: Infinity };
while (true) try {
  save();
  const page = await mancala("GET", `/v1/events?wait=50&after=${state.cursor}`, patient);
  await pressed; // what a press shows is not told again
  const news = page.items.filter((event) => NEWS.test(event.type) && event.for.length > 0);
  // Of each game the last: what came before is no news any more.
  for (const event of new Map(news.map((one) => [one.game_id, one])).values())
    await tell(event).catch((error) => {
      log(error); // a channel that is gone or closed to the bot; else the page comes again
      if (!(error.status >= 400 && error.status < 500)) throw error;
    });
  state.cursor = page.next_cursor;
} catch (error) {
  log(error);
  if (error.data?.code === "cursor_reset") // the server's past was undone: from now on
    state.cursor = (await mancala("GET", "/v1/events", patient)).next_cursor;
  await sleep(1000);
}
