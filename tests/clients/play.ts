/**
 * Plays through openapi-fetch with the types that openapi-typescript makes of the
 * document.
 *
 *     node play.js URL CALLS   a server that may send webhooks to this machine; CALLS is
 *                              a file that gets a line for every answer
 *
 * Neither `any` nor a cast: what the document says must be enough. `tests/clients/run`
 * makes the types, compiles this and starts all of it.
 */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { research } from "./research.js";
import type { paths } from "./schema.js";
import { anyone, at, client, good, one, refused, signUp, there } from "./table.js";
import type { Client, Game, Player, Schemas, Seat } from "./table.js";
import { verified } from "./webhook_receiver.js";

async function sow(client: Client, game: Game, house: number) {
  const body = { after_ply: game.ply, house };
  const answer = await good(client.POST("/v1/games/{id}/moves", { ...at(game.id), body }));
  assert("row" in answer);
  return answer;
}

/** A game of two seat tokens, to its end and back through its log. */
async function wholeGame(ruleset: Schemas["Ruleset"]) {
  // Between programs a series may go on for ever.
  const rules: Schemas["CreateGame"]["rules"] = "max_rounds" in ruleset.defaults ? { max_rounds: 2 } : {};
  const body = { ruleset: ruleset.name, rules, label: "by a TypeScript client" };
  const made = await good(anyone.POST("/v1/games", { body }));
  const tokens = there(made.seat_tokens);
  const seats: Record<Seat, Client> = { south: client(tokens.south), north: client(tokens.north) };
  let game: Game = made.game;
  let commits = 0;
  while (game.to_move.length > 0) {
    if (game.to_move.length === 2) assert(game.status === "opening" && game.opening);
    const move = one(game.legal_moves, Math.floor(Math.random() * game.legal_moves.length));
    const body = { after_ply: game.ply, house: move.house };
    const asked = seats[move.seat].POST("/v1/games/{id}/moves", { ...at(game.id), body });
    const answer = await good(asked);
    if ("committed" in answer) {
      assert.equal((await asked).response.status, 202);
      assert.deepEqual(answer.game.to_move, game.to_move.filter((seat) => seat !== move.seat));
      commits += 1;
    } else {
      const { row } = answer;
      assert(row.kind === "sow" && row.seat === move.seat && row.house === move.house && row.trace);
    }
    game = answer.game;
  }
  assert(game.status === "finished" && game.result);
  const isSecret = ["congkak-traditional", "congkak-arena"].includes(ruleset.name);
  assert.equal(commits > 0, isSecret);

  const plies: number[] = [];
  for (let cursor: string | undefined = undefined; ; ) {
    const query: paths["/v1/games/{id}/moves"]["get"]["parameters"]["query"] = { limit: 50, trace: true };
    if (cursor !== undefined) query.cursor = cursor;
    const asked = anyone.GET("/v1/games/{id}/moves", { params: { path: { id: game.id }, query } });
    const page: Schemas["LogPage"] = await good(asked);
    for (const row of page.items) {
      assert(row.kind === "sow");
      if (ruleset.name === "congkak") assert.equal(one(there(row.trace)).step, "lap");
      plies.push(row.ply);
    }
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  assert.deepEqual(plies, plies.map((_, index) => index + 1));
  assert.equal(plies.length, game.ply);
  const verdict = await good(anyone.GET("/v1/games/{id}/verify", at(game.id)));
  assert(verdict.ok && verdict.plies === game.ply);
  const query = { at_ply: 0 };
  const start = await good(anyone.GET("/v1/games/{id}", { params: { path: { id: game.id }, query } }));
  assert.equal(start.position, made.game.position);
  const { south, north } = game.result.score;
  console.log(`${ruleset.name}: ${game.ply} rows, ${south} to ${north}, ${commits} commits`);
}

/** What is refused, as the types of a problem have it; nothing twice. */
async function refusals() {
  const header = { "Idempotency-Key": randomUUID() };
  const body: Schemas["CreateGame"] = { ruleset: "congkak", rules: { houses: 5 } };
  const made = await good(anyone.POST("/v1/games", { params: { header }, body }));
  assert.deepEqual(await good(anyone.POST("/v1/games", { params: { header }, body })), made);
  const tokens = there(made.seat_tokens);
  const seats: Record<Seat, Client> = { south: client(tokens.south), north: client(tokens.north) };
  const first = await sow(seats.south, made.game, 2);
  const path = at(made.game.id);
  const same = await seats.south.POST("/v1/games/{id}/moves", { ...path, body: { after_ply: 0, house: 2 } });
  assert.equal(same.response.headers.get("idempotent-replayed"), "true");
  assert.equal(same.response.status, 200);

  const stale = seats.south.POST("/v1/games/{id}/moves", { ...path, body: { after_ply: 0, house: 1 } });
  let problem = await refused(stale, 409, "stale_ply");
  assert.equal(problem.current_ply, first.game.ply);
  const game = there(problem.game);
  const mover = one(game.to_move);
  const house = game.board[mover].houses.indexOf(0) + 1;
  const illegal = seats[mover].POST("/v1/games/{id}/moves", { ...path, body: { after_ply: game.ply, house } });
  problem = await refused(illegal, 422, "illegal_move");
  const houses = (moves: Schemas["LegalMove"][]) => moves.map((move) => move.house);
  assert.deepEqual(houses(there(problem.legal_moves)), houses(game.legal_moves));
  await refused(anyone.GET("/v1/games/{id}", at(randomUUID())), 404, "not_found");
  const many = { ruleset: "congkak", rules: { houses: "many" } };
  await refused(anyone.POST("/v1/games", { body: many }), 422, "bad_rules");
  await refused(client("mp_" + "a".repeat(32)).GET("/v1/me"), 401, "unauthorized");
}

/** Boards, in words and as pictures. */
async function lookAt(id: string) {
  const path = { id };
  const words = { path, query: { pov: "north", lang: "ms" } } as const;
  const text = await good(anyone.GET("/v1/games/{id}/board.txt", { params: words, parseAs: "text" }));
  assert.match(text, /Giliran/);
  const svg = await good(anyone.GET("/v1/games/{id}/board.svg", { params: { path }, parseAs: "text" }));
  assert.match(svg, /^<svg/);
  const query = { theme: "dark", size: 240 } as const;
  const asked = anyone.GET("/v1/games/{id}/board.png", { params: { path, query }, parseAs: "arrayBuffer" });
  assert.equal(Buffer.from(await good(asked)).subarray(1, 4).toString(), "PNG");
}

/** A game of two players, by invitation. */
async function between(south: Player, north: Player): Promise<Game> {
  const body: Schemas["CreateGame"] = {
    ruleset: "al-manqala", seat: "south", opponent: { player: north.name },
    clock: { per_move: 86_400 }, visibility: "private",
  };
  const { game } = await good(south.api.POST("/v1/games", { body }));
  const query = { turn: "mine" } as const;
  const waiting = await good(north.api.GET("/v1/me/games", { params: { query } }));
  assert(waiting.items.some((item) => item.id === game.id));
  return (await good(north.api.POST("/v1/games/{id}/join", at(game.id)))).game;
}

async function offer(client: Client, game: Game, body: Schemas["OfferRequest"]) {
  return await good(client.POST("/v1/games/{id}/offers", { ...at(game.id), body }));
}

async function accept(client: Client, { game, offer }: Schemas["OfferAnswer"]) {
  const params = { path: { id: game.id, oid: offer.id } };
  const body = { after_ply: game.ply };
  const done = await good(client.POST("/v1/games/{id}/offers/{oid}/accept", { params, body }));
  assert.equal(done.offer.status, "accepted");
  return done;
}

/** A takeback, a pause, a declined and an accepted draw, a rematch. */
async function offers(siti: Player, tariq: Player) {
  let { game } = await sow(siti.api, await between(siti, tariq), 2);
  const id = game.id;
  const taken = await accept(tariq.api, await offer(siti.api, game, { kind: "takeback", to_ply: 0 }));
  assert.deepEqual(taken.game.to_move, ["south"]);
  const params = { path: { id }, query: { rows: "all" } } as const;
  const log = await good(siti.api.GET("/v1/games/{id}/moves", { params }));
  const [sown, back] = log.items;
  assert(sown?.kind === "sow" && sown.taken_back && back?.kind === "takeback" && back.to_ply === 0);

  const until = new Date(Date.now() + 86_400_000).toISOString();
  const paused = await accept(siti.api, await offer(tariq.api, taken.game, { kind: "pause", until }));
  assert(paused.game.paused?.by === "agreement" && there(paused.game.clock?.seats).south.left);
  game = await good(siti.api.POST("/v1/games/{id}/resume", at(id)));
  assert.equal(game.paused, null);

  const body: Schemas["MoveRequest"] = { after_ply: game.ply, house: 1, offer: "draw" };
  const moved = await good(siti.api.POST("/v1/games/{id}/moves", { ...at(id), body }));
  const made = one(moved.game.offers);
  const declining = { params: { path: { id, oid: made.id } } };
  const declined = await good(tariq.api.POST("/v1/games/{id}/offers/{oid}/decline", declining));
  assert.equal(declined.offer.status, "declined");
  const drawn = await accept(siti.api, await offer(tariq.api, declined.game, { kind: "draw" }));
  assert.equal(drawn.game.result?.reason, "agreement");
  const again = await accept(tariq.api, await offer(siti.api, drawn.game, { kind: "rematch" }));
  const next = await good(siti.api.GET("/v1/games/{id}", at(there(again.game.next_game))));
  assert(next.previous_game === id && next.seats.north?.player === siti.name);
}

/** A line that is laid down and played; then the button that resigns. */
async function conditionals(siti: Player, tariq: Player) {
  const game = await between(siti, tariq);
  const body = { after_ply: game.ply, lines: [[3, 5, 1], [4, 1]] };
  await good(tariq.api.PUT("/v1/games/{id}/conditionals", { ...at(game.id), body }));
  const move = there(game.legal_moves.find((move) => move.house === 3));
  const press = (action: string) => good(siti.api.POST("/v1/actions", { body: { action } }));
  const pressed = await press(there(move.action));
  assert(pressed.done === "played" && pressed.row?.kind === "sow" && pressed.row.house === 3);
  const log = await good(tariq.api.GET("/v1/games/{id}/moves", at(game.id)));
  assert.equal(one(log.items, 1).source, "conditional");
  const rest = await good(tariq.api.GET("/v1/games/{id}/conditionals", at(game.id)));
  assert.deepEqual(rest.lines, [[1]]);
  const dropped = await tariq.api.DELETE("/v1/games/{id}/conditionals", at(game.id));
  assert.equal(dropped.response.status, 204);

  const asked = await press(there(pressed.game.actions?.resign));
  assert.equal(asked.done, "asked");
  const resigned = await press(there(asked.confirm));
  assert(resigned.done === "resigned" && resigned.game.result?.reason === "resignation");
  const end = one((await good(tariq.api.GET("/v1/games/{id}/moves", at(game.id)))).items, -1);
  assert(end.kind === "end" && end.by === "south");
}

/** Who gets a seat and who does not; lists page by page. */
async function seatsAndLists(siti: Player, tariq: Player) {
  const make = (client: Client, opponent: Schemas["OpponentInput"]) =>
    good(client.POST("/v1/games", { body: { ruleset: "congkak", opponent } }));
  let made = await make(anyone, { invite: true });
  const body = { invite_token: there(made.invite_token) };
  const joined = await good(anyone.POST("/v1/games/{id}/join", { ...at(made.game.id), body }));
  const seat = client(there(joined.seat_token));
  const over = await good(seat.POST("/v1/games/{id}/resign", at(made.game.id)));
  assert.equal(over.status, "finished");
  made = await make(siti.api, { open: true });
  const open = await good(anyone.GET("/v1/games", { params: { query: { status: "open" } } }));
  assert(open.items.some((game) => game.id === made.game.id));
  assert.equal((await good(siti.api.POST("/v1/games/{id}/abort", at(made.game.id)))).status, "aborted");
  made = await make(siti.api, { player: tariq.name });
  assert.equal((await good(tariq.api.POST("/v1/games/{id}/decline", at(made.game.id)))).status, "aborted");

  const first = await good(anyone.GET("/v1/games", { params: { query: { limit: 2 } } }));
  const query = { limit: 2, cursor: there(first.next_cursor) };
  const second = await good(anyone.GET("/v1/games", { params: { query } }));
  assert.equal(new Set([...first.items, ...second.items].map((game) => game.id)).size, 4);
  const path = { handle: tariq.name };
  const profile = await good(anyone.GET("/v1/players/{handle}", { params: { path } }));
  assert.equal(profile.player.handle, tariq.name);
  assert.equal(profile.player.kind, "human");
  const public_ = await good(anyone.GET("/v1/players/{handle}/games", { params: { path } }));
  assert(public_.items.every((game) => game.visibility === "public"));
}

/** Tokens, a holiday, and what the player is told of themselves. */
async function account({ api }: Player) {
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const body: Schemas["TokenRequest"] = { scopes: ["read"], label: "the hall", expires_at: until };
  const made = await good(api.POST("/v1/me/tokens", { body }));
  assert.deepEqual((await good(client(made.secret).GET("/v1/me"))).scopes, ["read"]);
  assert.equal((await good(api.GET("/v1/me/tokens"))).items.length, 2);
  const params = { path: { token_id: made.token.id } };
  assert.equal((await api.DELETE("/v1/me/tokens/{token_id}", { params })).response.status, 204);
  assert.equal((await good(api.PUT("/v1/me/vacation", { body: { until } }))).until, until);
  assert.equal((await good(api.DELETE("/v1/me/vacation"))).until, null);
}

/** A webhook through its whole life, with messages that are taken if they are signed. */
async function webhooks(siti: Player, tariq: Player) {
  let secret = "";
  const seen: string[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const genuine = verified(secret, request.headers, body);
    assert(!verified(secret, request.headers, Buffer.concat([body, Buffer.from(" ")])));
    response.writeHead(genuine ? 204 : 400).end();
    seen.push(genuine ? String(request.headers["webhook-id"]) : "forged");
    receiver.emit("message");
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = receiver.address();
  assert(address !== null && typeof address === "object");
  const body: Schemas["WebhookRequest"] = {
    url: `http://127.0.0.1:${address.port}/`, events: ["turn.started"], language: "es",
  };
  const made = await good(siti.api.POST("/v1/webhooks", { body }));
  const hook = at(made.webhook.id);
  const rotated = await good(siti.api.POST("/v1/webhooks/{id}/secrets", hook));
  assert.equal(rotated.webhook.secrets.length, 2);
  // Two signatures: the receiver still has the old secret, then the new one.
  for (secret of [made.secret, rotated.secret]) {
    const outcome = await good(siti.api.POST("/v1/webhooks/{id}/test", hook));
    assert(outcome.delivered && outcome.status === 204, JSON.stringify(outcome));
    assert.match(one(seen, -1), /^test_/);
  }

  const message = once(receiver, "message");
  const game = await between(siti, tariq);
  await message;
  const delivery_id = one(seen, -1);
  const query = { after: "0", wait: 10 };
  const events = await good(siti.api.GET("/v1/games/{id}/events", { params: { ...at(game.id).params, query } }));
  assert(events.items.some((event) => event.id === delivery_id && event.type === "turn.started"));
  const one_ = { params: { path: { id: made.webhook.id, delivery_id } } };
  const replayed = await good(siti.api.POST("/v1/webhooks/{id}/deliveries/{delivery_id}/replay", one_));
  assert(replayed.id === delivery_id && replayed.game_id === game.id);
  const after = { ...hook, body: { after: "0" } };
  assert((await good(siti.api.POST("/v1/webhooks/{id}/replay", after))).queued >= 1);
  const log = await good(siti.api.GET("/v1/webhooks/{id}/deliveries", hook));
  assert(log.items.some((delivery) => delivery.id === delivery_id));
  const change = { ...hook, body: { events: null, enabled: false } };
  const state = await good(siti.api.PATCH("/v1/webhooks/{id}", change));
  assert(state.events === null && !state.enabled && state.disabled_reason === "owner");
  assert.deepEqual(await good(siti.api.GET("/v1/webhooks/{id}", hook)), state);
  assert.deepEqual((await good(siti.api.GET("/v1/webhooks"))).items, [state]);
  assert.equal((await siti.api.DELETE("/v1/webhooks/{id}", hook)).response.status, 204);
  await refused(siti.api.GET("/v1/webhooks/{id}", hook), 404, "unknown_webhook");
  receiver.close();
}

/** What the server says of itself. */
async function about() {
  assert.equal((await good(anyone.GET("/healthz"))).status, "ok");
  assert.equal((await good(anyone.GET("/readyz"))).status, "ok");
  assert.match(await good(anyone.GET("/metrics", { parseAs: "text" })), /mancala_/);
  assert.equal((await good(anyone.GET("/openapi.json")))["openapi"], "3.1.0");
  for (const { code, status } of (await good(anyone.GET("/problems"))).items) {
    const page = await good(anyone.GET("/problems/{code}", { params: { path: { code } } }));
    assert.equal(page.status, status);
  }
}

const rulesets = (await good(anyone.GET("/v1/rulesets"))).items;
for (const ruleset of rulesets) {
  const path = { name: ruleset.name };
  assert.deepEqual(await good(anyone.GET("/v1/rulesets/{name}", { params: { path } })), ruleset);
  await wholeGame(ruleset);
}
const body: Schemas["SimulateRequest"] = { choices: [{ seat: "south", house: 2 }] };
const simulation = { params: { path: { name: "congkak" } }, body };
const { states } = await good(anyone.POST("/v1/rulesets/{name}/simulate", simulation));
assert.equal(states.length, 2);
assert.equal(there(one(states, 1).trace)[0]?.step, "lap");
await refusals();
await research();

const siti = await signUp("siti");
const tariq = await signUp("tariq");
const after = (await good(siti.api.GET("/v1/events"))).next_cursor;
await offers(siti, tariq);
await conditionals(siti, tariq);
await seatsAndLists(siti, tariq);
await lookAt((await good(anyone.POST("/v1/games", { body: { ruleset: "congkak" } }))).game.id);
await account(siti);
const told = await good(siti.api.GET("/v1/events", { params: { query: { after, wait: 10 } } }));
assert.equal(one(told.items).type, "game.created");
assert.equal(one(told.items).data.facts["invitation"], "player");
await webhooks(siti, tariq);

const robot = await signUp("robot", "bot");
const ref = { params: { path: { external_ref: "channel:ana" } } };
const managed = await good(robot.api.PUT("/v1/managed-players/{external_ref}", ref));
assert.equal(managed.external_ref, "channel:ana");
assert.equal((await tariq.api.DELETE("/v1/me")).response.status, 204);
await refused(anyone.GET("/v1/players/{handle}", { params: { path: { handle: tariq.name } } }), 404, "unknown_player");
await about();
