// The bot where things go on elsewhere, come late, are lost, or fall.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import {
  asBot,
  bot,
  budi,
  called,
  discord,
  gameOf,
  houses,
  mancala,
  moveElsewhere,
  notes,
  only,
  opened,
  other,
  passTurn,
  ply,
  refOf,
  road,
  shown,
  siti,
  SMALL,
  started,
  toMove,
} from "./room.js";
import { buttons, Discord, labels } from "./stand-in.js";

opened(startLate);

// A game with the shortest clock there is, otherwise as the bot makes them: its time runs out
// while the other tests are at it.
let late;
async function startLate() {
  late = discord.channel();
  const body = {
    ruleset: "congkak",
    rules: SMALL,
    seat: "south",
    opponent: { open: true },
    clock: { per_move: 60 },
    external_ref: late.id,
  };
  await mancala.ask("POST", "/v1/games", { ...asBot(), as: refOf(siti), body });
  const challenge = await discord.until(() => notes(late)[0], "the challenge");
  await budi.press(challenge, "Join");
}

describe("elsewhere", () => {
  test("/games shows a board in another channel, and the game's own is told", async () => {
    const home = discord.channel(),
      away = discord.channel(),
      message = await started(home);
    const mover = toMove(message, siti, budi);
    const list = await mover.command(away, "games");
    assert.equal(list.message.only, mover.id);
    const line = list.message.content.split("\n").findIndex((text) => text.includes("congkak"));
    const wanted = buttons(list.message).find(({ custom_id }) =>
      custom_id.endsWith(gameOf(message)),
    );
    assert.ok(line >= 0 && wanted);
    await mover.press(list.message, wanted.label);
    while (toMove(list.message, siti, budi) === mover)
      await mover.press(list.message, houses(list.message)[0]);
    const note = await called(home, other(mover), /turn/);
    assert.deepEqual(labels(note), labels(list.message), "with the new board");
    assert.equal(notes(away).length, 0);
    const late = await mover.press(message, "1"); // the board of before
    assert.equal(late.type, 7);
    assert.deepEqual(labels(message), labels(note));
  });

  test("nobody has a game at first", async () => {
    const { message } = await discord.person("baru").command(discord.channel(), "games");
    assert.match(message.content, /No games/);
    assert.deepEqual(labels(message), []);
  });

  test("/help has the rules", async () => {
    const { message } = await discord.person("eva3", "es-ES").command(discord.channel(), "help");
    assert.ok(message.only);
    assert.match(message.content, /semillas/);
  });

  test("a stranger joins from the lobby and plays: the channel is told", async () => {
    const channel = discord.channel();
    const { message } = await siti.command(channel, "congkak", SMALL);
    const { secret: token } = await mancala.ask("POST", "/v1/players", {
      body: { name: "far-away" },
    });
    const path = `/v1/games/${gameOf(message)}`;
    const { game } = await mancala.ask("POST", `${path}/join`, { token });
    let state = game;
    const far = state.seats.south.player === "far-away" ? "south" : "north";
    while (state.to_move[0] === far) {
      const body = { action: state.legal_moves[0].action };
      ({ game: state } = await mancala.ask("POST", "/v1/actions", { token, body }));
    }
    const note = await called(channel, siti, /It is siti's turn/);
    assert.match(note.embeds[0].title, /far-away/);
    assert.equal((await siti.press(note, houses(note)[0])).type, 7);
  });

  test("a move by another way comes to the channel with its board, once", async () => {
    const channel = discord.channel(),
      message = await started(channel);
    const mover = toMove(message, siti, budi);
    let game = await mancala.ask("GET", `/v1/games/${gameOf(message)}`);
    const { to_move } = game;
    while (game.to_move[0] === to_move[0]) ({ game } = await moveElsewhere(message, mover));
    const note = await called(channel, other(mover), /turn/);
    assert.equal(note.embeds.length, 1);
    assert.deepEqual(
      notes(channel).filter(({ pinged }) => pinged.includes(other(mover).id)),
      [note],
    );
  });
});

describe("in time", () => {
  test("a slow server: the press is deferred, and answered in place", async () => {
    const channel = discord.channel(),
      message = await started(channel);
    const mover = toMove(message, siti, budi);
    road.delay = (method, path) => (path === "/v1/actions" ? 4000 : 0);
    const began = Date.now(),
      { type } = await mover.press(message, "2");
    assert.equal(type, 6);
    assert.ok(Date.now() - began < 3000);
    await discord.until(() => /sowed 2/.test(shown(message)), "the answer");
    assert.ok(Date.now() - began >= 4000);
    // The wrong one, late: still for nobody else's eyes.
    const wrong = await other(toMove(message, siti, budi)).press(message, houses(message)[0]);
    assert.equal(wrong.type, 6);
    const note = await discord.until(() => wrong.followUps[0], "the answer to the wrong one");
    assert.equal(note.only, other(toMove(message, siti, budi)).id);
    road.delay = () => 0;
  });

  test("a slow server: commands are deferred too, open or for one", async () => {
    const channel = discord.channel();
    road.delay = (method, path) => (/games$|status=playing/.test(path) ? 2500 : 0);
    const [challenge, list] = await Promise.all([
      siti.command(channel, "congkak", SMALL),
      siti.command(channel, "games"),
    ]);
    assert.deepEqual([challenge.type, list.type], [5, 5]);
    assert.equal(list.message.only, siti.id);
    await discord.until(() => labels(challenge.message)[0] === "Join", "the challenge");
    await discord.until(() => list.message.content, "the list");
    road.delay = () => 0;
    await budi.press(challenge.message, "Join");
    assert.ok(toMove(challenge.message, siti, budi));
  });

  test("Discord's own limits are waited for", async () => {
    const channel = discord.channel();
    discord.limit(/callback$/, 2, 0.1);
    const message = await started(channel);
    discord.limit(/^POST \/channels/, 3, 0.3);
    const next = await passTurn(message);
    await called(channel, next, /turn/);
    assert.equal(discord.limited.length, 0);
  });
});

describe("a channel that is lost", () => {
  for (const state of ["gone", "closed"]) {
    test(`${state}: others go on`, async () => {
      const lost = discord.channel(),
        channel = discord.channel();
      const [one, two] = [await started(lost), await started(channel)];
      lost.state = state;
      await passTurn(one);
      const next = await passTurn(two);
      await called(channel, next, /turn/);
      assert.ok(discord.refusals.some(({ line }) => line === `POST /channels/${lost.id}/messages`));
    });
  }
});

describe("time", () => {
  test("who lets it run out is called before, and the other after", async () => {
    const told = (pattern) =>
      discord.until(
        () => notes(late).find(({ content }) => pattern.test(content)),
        `${pattern}`,
        70_000,
      );
    await told(/siti has a quarter of the time left/);
    const end = await told(/siti made no first choice in time/);
    assert.ok(end.pinged.includes(budi.id));
    assert.deepEqual(labels(end), []);
  });
});

describe("after a fall", () => {
  test("the mancala server is killed and started again under a press", async () => {
    const channel = discord.channel(),
      message = await started(channel);
    const mover = toMove(message, siti, budi);
    await mancala.stop("SIGKILL");
    const pressed = mover.press(message, "1");
    assert.equal((await pressed).type, 6, "deferred, for nobody answers");
    await mancala.start();
    await discord.until(() => /sowed 1/.test(shown(message)), "the move");
    assert.equal(await ply(gameOf(message)), 1);
    const next = await passTurn(message);
    await called(channel, next, /turn/);
  });

  test("a server that stays away: an apology for one, and later all goes on", async () => {
    await bot.stop();
    bot.environment.PATIENCE_MS = "900";
    await bot.start();
    const channel = discord.channel(),
      message = await started(channel);
    const mover = toMove(message, siti, budi),
      [first] = buttons(message);
    await mancala.stop();
    const sorry = await mover.press(message, "1");
    assert.equal(sorry.message.only, mover.id);
    assert.match(sorry.message.content, /Out of reach: try again/);
    assert.match(
      (await siti.command(channel, "congkak", SMALL)).message.content,
      /Out of reach: try again/,
    );
    await mancala.start();
    // The server may be slow at first: pressed again, it moves once all the same.
    for (let times = 0; !/sowed 1/.test(shown(message)) && times < 9; times++) {
      await mover.pressId(message, first.custom_id);
    }
    assert.equal(await ply(gameOf(message)), 1);
    await bot.stop();
    delete bot.environment.PATIENCE_MS;
    await bot.start();
  });

  test("the bot is killed under a press: no move twice, and the channel gets to know", async () => {
    const channel = discord.channel(),
      message = await started(channel);
    const mover = toMove(message, siti, budi),
      [button] = buttons(message);
    // The server has it, the bot never hears of it.
    road.delay = (method, path) => (/board\.png/.test(path) ? 60_000 : 0);
    discord.within = 300;
    const failed = assert.rejects(
      mover.pressId(message, button.custom_id),
      /This interaction failed/,
    );
    await discord.until(
      () => road.passed.some((line) => /board\.png/.test(line) && line.includes(gameOf(message))),
      "the press",
    );
    await failed;
    await bot.stop("SIGKILL");
    discord.within = 3000;
    road.delay = () => 0;
    await bot.start();
    assert.equal((await mover.pressId(message, button.custom_id)).type, 7, "pressed again");
    assert.equal(await ply(gameOf(message)), 1);
    const next = await passTurn(message);
    const note = await called(channel, next, /turn/);
    assert.equal(notes(channel).filter(({ nonce }) => nonce === note.nonce).length, 1);
  });

  test("the bot is killed having made a game: the challenge comes by itself", async () => {
    const channel = discord.channel();
    discord.limit(/callback$/, 9, 5);
    discord.within = 400;
    const began = road.passed.length;
    await assert.rejects(siti.command(channel, "congkak", SMALL), /This interaction failed/);
    await discord.until(
      () => road.passed.slice(began).some((line) => line === "POST /v1/games"),
      "the game",
    );
    await bot.stop("SIGKILL");
    discord.limited = [];
    discord.within = 3000;
    await bot.start();
    const challenge = await discord.until(
      () => notes(channel).find((one) => labels(one)[0] === "Join"),
      "the challenge",
    );
    await budi.press(challenge, "Join");
    assert.ok(toMove(challenge, siti, budi));
  });

  test("events of the time when the bot was away are told once, as they are by then", async () => {
    const channel = discord.channel(),
      message = await started(channel);
    const mover = toMove(message, siti, budi);
    const before = notes(channel).length;
    await bot.stop("SIGKILL");
    const kept = bot.state,
      { cursor } = kept;
    let game = await mancala.ask("GET", `/v1/games/${gameOf(message)}`);
    const [seat] = game.to_move;
    while (game.to_move[0] === seat) ({ game } = await moveElsewhere(message, mover));
    await bot.start();
    const note = await called(channel, other(mover), /turn/);
    await discord.until(() => bot.state.cursor !== cursor, "the cursor");
    assert.equal(notes(channel).length, before + 1);
    // Told, but killed before that was kept: Discord knows the nonce.
    await bot.stop("SIGKILL");
    writeFileSync(bot.environment.STATE, JSON.stringify(kept));
    const asked = discord.requests.length;
    await bot.start();
    await discord.until(() => bot.state.cursor !== cursor, "the cursor again");
    assert.ok(discord.requests.slice(asked).includes(`POST /channels/${channel.id}/messages`));
    assert.equal(notes(channel).length, before + 1);
    assert.equal((await other(mover).press(note, houses(note)[0])).type, 7);
  });

  test("Discord is away when a turn passes: told when it is back", async () => {
    const channel = discord.channel(),
      message = await started(channel);
    const mover = toMove(message, siti, budi);
    discord.down = true;
    let game = await mancala.ask("GET", `/v1/games/${gameOf(message)}`);
    const [seat] = game.to_move;
    while (game.to_move[0] === seat) ({ game } = await moveElsewhere(message, mover));
    await discord.until(
      () =>
        discord.refusals.some(({ line, status }) => status === 503 && line.includes(channel.id)),
      "an attempt",
    );
    discord.down = false;
    await called(channel, other(mover), /turn/);
  });

  test("a server whose past was undone: from now on", async () => {
    await bot.stop();
    writeFileSync(bot.environment.STATE, JSON.stringify({ ...bot.state, cursor: "7.1" }));
    await bot.start();
    await discord.until(() => bot.state.cursor !== "7.1", "a new cursor");
    const channel = discord.channel(),
      message = await started(channel);
    await called(channel, await passTurn(message), /turn/);
  });

  test("its file has no leftovers, and its log no secrets", () => {
    assert.ok(bot.state.token && bot.state.cursor);
    for (const token of discord.interactions.keys()) assert.ok(!bot.process.log.includes(token));
    assert.ok(
      !bot.process.log.includes(discord.botToken) && !bot.process.log.includes(bot.state.token),
    );
  });
});
