// A game as a Discord message: the picture, the last row, whose turn it is, the buttons.
import { mancala } from "./wires.js";
import { say } from "./words.js";

export const button = (custom_id, label, style = 2) => ({ type: 2, custom_id, label, style });
export const rows = (buttons) => Array.from({ length: Math.ceil(buttons.length / 5) }, (_, row) =>
  ({ type: 1, components: buttons.slice(row * 5, row * 5 + 5) }));
const name = (game, seat) => game.seats[seat]?.player ?? "?";
export const turn = (game, lang) => game.to_move.length === 0 ? ""
  : say(lang, "turn", game.to_move.map((seat) => name(game, seat)).join(", "));
export const title = (game) => game.ruleset + (game.started_at ? `: ${name(game, "south")} ${
  game.board.south.store} – ${game.board.north.store} ${name(game, "north")}` : "");
// What a message shows of its game: where this differs, the message is an old one.
export const face = ({ ply, status, to_move, offers }) =>
  [ply, status, to_move, offers.map(({ id }) => id)].join();

export async function board(game, lang) {
  const { id, actions, clock, invitation, legal_moves, offers, status, to_move } = game;
  const get = (path, accept) => mancala("GET", `/v1/games/${id}/${path}`, { lang, accept });
  const [picture, log] = await Promise.all([
    get("board.png?size=600"), get("moves", "application/x-ndjson")]);
  const last = `${log}`.trim().split("\n").at(-1);
  const due = to_move.map((seat) => clock?.seats?.[seat].deadline).find(Boolean);
  const lines = [last && JSON.parse(last).summary, turn(game, lang),
    due && `<t:${Math.floor(Date.parse(due) / 1000)}:R>`, // Discord says it in each one's words
    invitation && say(lang, "wanted", invitation.from.player)];
  const others = [], add = (...one) => others.push(button(...one));
  if (invitation) for (const verb of ["join", "abort"]) add(`${verb}:${id}`, say(lang, verb));
  for (const answers of actions.offers) {
    const what = say(lang, offers.find((offer) => offer.id === answers.id).kind);
    for (const verb of ["accept", "decline"]) add(answers[verb], `${say(lang, verb)}: ${what}`);
  }
  const kind = { playing: "draw", finished: !game.next_game && "rematch" }[status];
  if (kind && !actions.offers.length) add(`offers:${id}:${kind}`, say(lang, kind));
  if (actions.resign) add(actions.resign, say(lang, "resign"), 4);
  // In a simultaneous opening a house is a choice of both seats, under one id.
  const houses = new Map(legal_moves.map(({ action, house }) => [action, `${house}`]));
  const embed = { title: title(game), description: lines.filter(Boolean).join("\n"),
    image: { url: "attachment://board.png" } };
  return { game, picture, message: { content: "", embeds: [embed], allowed_mentions: { parse: [] },
    attachments: [{ id: 0, filename: "board.png", description: game.position }],
    components: [...rows([...houses].map((house) => button(...house, 1))), ...rows(others)] } };
}
