// A game as a Discord message: the picture, the last row, whose turn it is, the buttons.
import { mancala } from "./wires.js";
import { say } from "./words.js";

export const button = (custom_id, label, style = 2) => ({ type: 2, custom_id, label, style });
export const rows = (buttons) => Array.from({ length: Math.ceil(buttons.length / 5) }, (_, row) =>
  ({ type: 1, components: buttons.slice(row * 5, row * 5 + 5) }));
const name = (game, seat) => game.seats[seat]?.player ?? "?";
export const turn = (game, lang) => game.to_move.length === 0 ? ""
  : say(lang, "turn", game.to_move.map((seat) => name(game, seat)).join(", "));
export const title = (game) => `${game.ruleset}: ${name(game, "south")} ${game.board.south.store}`
  + ` : ${game.board.north.store} ${name(game, "north")}`;
// What a message shows of its game: where this differs, the message is an old one.
export const face = ({ ply, status, to_move, offers }) =>
  [ply, status, to_move, offers.map(({ id }) => id)].join();

export async function board(game, lang) {
  const { id, actions, status } = game, embed = { title: title(game) }, others = [];
  const message = { embeds: [embed], attachments: [], allowed_mentions: { parse: [] } };
  const add = (action, word, style) => others.push(button(action, word, style));
  if (status === "open") {
    embed.description = say(lang, "wanted", game.invitation.from.player);
    add(`join:${id}`, say(lang, "join"), 3);
    add(`abort:${id}`, say(lang, "abort"));
    return { game, message: { ...message, components: rows(others) } };
  }
  const get = (path, accept) => mancala("GET", `/v1/games/${id}/${path}`, { lang, accept });
  const [picture, log] = await Promise.all([
    get("board.png?size=600"), get("moves", "application/x-ndjson")]);
  const last = `${log}`.trim().split("\n").at(-1);
  const due = game.to_move.map((seat) => game.clock?.seats?.[seat].deadline).find(Boolean);
  embed.description = [last && JSON.parse(last).summary, turn(game, lang),
    due && `<t:${Math.floor(Date.parse(due) / 1000)}:R>`].filter(Boolean).join("\n");
  embed.image = { url: "attachment://board.png" };
  message.attachments.push({ id: 0, filename: "board.png", description: game.position });
  for (const { id: number, accept, decline } of actions.offers) {
    const what = say(lang, game.offers.find((offer) => offer.id === number).kind);
    add(accept, `${say(lang, "accept")}: ${what}`, 3);
    add(decline, `${say(lang, "decline")}: ${what}`);
  }
  const kind = { playing: "draw", finished: "rematch" }[status];
  const asked = game.next_game || game.offers.some((offer) => offer.kind === kind);
  if (kind && !asked) add(`offer:${id}:${kind}`, say(lang, kind));
  if (actions.resign) add(actions.resign, say(lang, "resign"), 4);
  const houses = game.legal_moves.map(({ action, house }) => button(action, `${house}`, 1));
  message.components = [...rows(houses), ...rows(others)];
  return { game, message, picture };
}
