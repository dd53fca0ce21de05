// The bot against a real mancala-post server and a stand-in for Discord.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Bot, Mancala, Road } from "./harness.js";
import { buttons, Discord, labels } from "./stand-in.js";

const SMALL = { houses: 5, seeds: 1 };
const mancala = new Mancala();
let discord, road, bot, siti, budi;

before(async () => {
  await mancala.start();
  discord = await new Discord().start();
  road = await new Road().start(() => mancala.url);
  bot = new Bot(discord, road.url, { DEFER_MS: 1500 });
  await bot.register();
  await bot.start();
  siti = discord.person("siti");
  budi = discord.person("budi.99");
  await siti.command(discord.channel(), "games"); // so that the server knows her
  await startLate();
});

after(async () => {
  await bot?.end();
  await road?.stop();
  await discord?.stop();
  await mancala.end();
});

const shown = (message) => message.embeds[0].description;
/** Whose turn a board shows, of these. */
const toMove = (message, ...people) =>
  people.find(({ user }) =>
    shown(message).includes(`It is ${user.username.replace(".", "-")}'s turn`),
  );
const houses = (message) => labels(message).filter((label) => /^\d+$/.test(label));

/** A game in a channel, joined: its board. */
async function started(channel, first = siti, second = budi, options = SMALL, name = "congkak") {
  const { message } = await first.command(channel, name, options);
  const joined = await second.press(message, labels(message)[0]);
  assert.equal(joined.type, 7);
  assert.equal(joined.message, message);
  return message;
}
/** The game's id, from its buttons. */
const gameOf = (message) => buttons(message)[0].custom_id.split(":")[1];
const called = (channel, person, pattern = /./) =>
  discord.until(
    () =>
      channel.messages.find(
        (one) => one.byBot && one.pinged.includes(person.id) && pattern.test(one.content),
      ),
    `${person.user.username} called with ${pattern}`,
  );

const notes = (channel) => channel.messages.filter((one) => one.byBot);
const only = (channel, person) => channel.messages.filter((one) => one.only === person.id);
const ply = async (id) => (await mancala.ask("GET", `/v1/games/${id}`)).ply;
const asBot = () => ({ token: bot.state.token });
const refOf = (person) => `discord:${person.id}`;

/** Somebody moves by another way than this channel. */
async function moveElsewhere(message, person) {
  const game = await mancala.ask("GET", `/v1/games/${gameOf(message)}`);
  const body = { action: game.legal_moves.at(-1).action };
  return mancala.ask("POST", "/v1/actions", { ...asBot(), as: refOf(person), body });
}
/** Presses until the turn has passed; the one whose turn it is then. */
async function passTurn(message) {
  const mover = toMove(message, siti, budi);
  while (toMove(message, siti, budi) === mover) await mover.press(message, houses(message)[0]);
  return toMove(message, siti, budi);
}
const other = (person) => (person === siti ? budi : siti);

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

describe("the endpoint", () => {
  const ping = { type: 1, id: "1", token: "t", application_id: "1" };
  const now = () => Math.floor(Date.now() / 1000);

  test("a good signature is answered", async () => {
    assert.deepEqual(await discord.send(ping), { status: 200, text: '{"type":1}' });
  });
  test("a bad one, a short one and none are 401", async () => {
    const stamp = `${now()}`;
    for (const signature of ["00".repeat(64), "ab", "zz".repeat(64)]) {
      assert.equal((await discord.send(ping, { signature })).status, 401);
    }
    for (const headers of [
      {},
      { "X-Signature-Timestamp": stamp },
      { "X-Signature-Ed25519": "00".repeat(64) },
    ]) {
      assert.equal((await discord.send(ping, { headers })).status, 401);
    }
  });
  test("a body that was tampered with is 401", async () => {
    const body = JSON.stringify({ ...ping, id: "2" });
    assert.equal((await discord.send(ping, { body })).status, 401);
    assert.equal((await discord.send(ping, { body: "" })).status, 401);
  });
  test("an old timestamp is 401, however well signed, and so is none", async () => {
    for (const timestamp of [`${now() - 400}`, `${now() + 400}`, "soon"]) {
      assert.equal((await discord.send(ping, { timestamp })).status, 401);
    }
  });
  test("a body without end is refused", async () => {
    assert.equal((await discord.send(ping, { body: "x".repeat(2_000_000) })).status, 413);
  });
});

describe("a game", () => {
  test("from the challenge to the end, by presses", async () => {
    const channel = discord.channel();
    const { type, message } = await siti.command(channel, "congkak", SMALL);
    assert.equal(type, 4);
    assert.match(shown(message), /siti is looking for an opponent/);
    assert.deepEqual(labels(message), ["Join", "Call off"]);
    const own = await siti.press(message, "Join");
    assert.equal(own.message.only, siti.id);
    assert.match(own.message.content, /Nobody plays against themselves/);

    const joined = await budi.press(message, "Join");
    assert.equal(joined.type, 7);
    assert.match(message.embeds[0].title, /^congkak: (siti 0 – 0 budi-99|budi-99 0 – 0 siti)$/);
    assert.match(shown(message), /<t:\d+:R>/);
    const [picture] = message.attachments;
    assert.equal(message.embeds[0].image.url, `attachment://${picture.filename}`);
    const bytes = Buffer.from(await picture.file.arrayBuffer());
    assert.equal(bytes.subarray(1, 4).toString(), "PNG");

    const id = gameOf(message);
    let presses = 0;
    for (let mover; (mover = toMove(message, siti, budi)); presses++) {
      assert.ok(presses < 60);
      assert.equal((await mover.press(message, houses(message).at(-1))).type, 7);
      assert.match(shown(message), /sowed \d/);
      assert.equal(message.attachments.length, 1);
    }
    assert.equal(await ply(id), presses);
    assert.deepEqual(labels(message), ["rematch"]);
    const end = await discord.until(
      () => notes(channel).find(({ content }) => /wins|draw/.test(content)),
      "the end",
    );
    assert.equal(end.pinged.length, 1, "who pressed knows");
    assert.equal(end.message_reference.message_id, message.id);
    // Whoever is to move was called, once a turn, and nobody else.
    const { items } = await mancala.ask("GET", `/v1/games/${id}/events?after=0&limit=200`);
    const turns = items.filter((event) => event.type === "turn.started");
    const told = notes(channel).filter(({ content }) => /turn/.test(content));
    assert.ok(told.length <= turns.length && told.length >= turns.length - 1);
    assert.equal(new Set(told.map(({ nonce }) => nonce)).size, told.length);
  });

  test("al-manqala on the largest board fits a message", async () => {
    const channel = discord.channel();
    const message = await started(channel, siti, budi, { houses: 15, seeds: 15 }, "manqala");
    assert.match(message.embeds[0].title, /^al-manqala/);
    assert.equal(houses(message).length, 15);
    assert.equal(await passTurn(message), toMove(message, siti, budi));
  });

  test("two games at once in a channel", async () => {
    const channel = discord.channel(),
      ali = discord.person("ali"),
      bo = discord.person("bo");
    const [one, two] = await Promise.all([started(channel), started(channel, ali, bo)]);
    assert.notEqual(gameOf(one), gameOf(two));
    const movers = [toMove(one, siti, budi), toMove(two, ali, bo)];
    await Promise.all([movers[0].press(one, "3"), movers[1].press(two, "4")]);
    assert.match(shown(one), /sowed 3/);
    assert.match(shown(two), /sowed 4/);
    assert.deepEqual([await ply(gameOf(one)), await ply(gameOf(two))], [1, 1]);
  });

  test("a simultaneous opening: both choose in secret, by the same buttons", async () => {
    const channel = discord.channel();
    const body = {
      ruleset: "congkak-traditional",
      opponent: { open: true },
      external_ref: channel.id,
    };
    await mancala.ask("POST", "/v1/games", { ...asBot(), as: refOf(siti), body });
    const message = await discord.until(() => notes(channel)[0], "the challenge");
    await budi.press(message, "Join");
    assert.match(shown(message), /It is (siti, budi-99|budi-99, siti)'s turn/);
    assert.equal(houses(message).length, 7);
    assert.equal((await siti.press(message, "3")).type, 7);
    assert.match(shown(message), /It is budi-99's turn/);
    assert.match((await siti.press(message, "4")).message.content, /It is budi-99's turn/);
    await budi.press(message, "2");
    assert.match(shown(message), /sowed/);
  });

  test("a double press moves once", async () => {
    const message = await started(discord.channel());
    const mover = toMove(message, siti, budi),
      [button] = buttons(message);
    const both = await Promise.all([1, 2].map(() => mover.pressId(message, button.custom_id)));
    assert.deepEqual(
      both.map(({ type }) => type),
      [7, 7],
    );
    assert.equal(await ply(gameOf(message)), 1);
  });

  test("the wrong one who presses is told so, alone", async () => {
    const channel = discord.channel(),
      message = await started(channel);
    const mover = toMove(message, siti, budi),
      before = shown(message);
    const wrong = await other(mover).press(message, "1");
    assert.equal(wrong.message.only, other(mover).id);
    assert.match(
      wrong.message.content,
      new RegExp(`It is ${mover.user.username.slice(0, 4)}.*'s turn`),
    );
    const stranger = await discord.person("tamu").press(message, "1");
    assert.match(stranger.message.content, /You do not play here\. It is/);
    assert.equal(shown(message), before);
    assert.equal(await ply(gameOf(message)), 0);
  });

  test("an old button puts the board right and says why", async () => {
    const channel = discord.channel(),
      message = await started(channel);
    const mover = toMove(message, siti, budi),
      [, button] = buttons(message);
    await mover.press(message, "1");
    const late = await mover.pressId(message, button.custom_id);
    assert.equal(late.type, 7);
    const note = await discord.until(() => late.followUps[0], "the reason");
    assert.equal(note.only, mover.id);
    assert.match(note.content, /The game has moved on/);
    assert.equal(await ply(gameOf(message)), 1);
  });

  test("a challenge is called off by who made it, and by nobody else", async () => {
    const channel = discord.channel();
    const { message } = await siti.command(channel, "congkak", SMALL);
    const no = await budi.press(message, "Call off");
    assert.equal(no.message.only, budi.id);
    assert.equal((await siti.press(message, "Call off")).type, 7);
    assert.deepEqual(labels(message), []);
  });

  test("of two who join one plays", async () => {
    const channel = discord.channel(),
      ali = discord.person("ali2"),
      bo = discord.person("bo2");
    const { message } = await siti.command(channel, "congkak", SMALL);
    const answers = await Promise.all([ali.press(message, "Join"), bo.press(message, "Join")]);
    const late = await discord.until(
      () => answers.flatMap(({ followUps }) => followUps)[0],
      "the late one is told",
    );
    assert.match(late.content, /The seat is not free any more/);
    assert.ok(toMove(message, siti, ali, bo));
  });

  test("resigning asks first, and only whoever was asked", async () => {
    const channel = discord.channel(),
      message = await started(channel);
    const asked = await budi.press(message, "Resign");
    assert.equal(asked.message.only, budi.id);
    assert.equal(asked.message.content, "Really resign?");
    const [sure] = buttons(asked.message);
    await assert.rejects(async () => siti.press(asked.message, "Resign"), /not there for them/);
    const forged = await siti.pressId(message, sure.custom_id);
    assert.equal(forged.message.only, siti.id);
    assert.notEqual((await mancala.ask("GET", `/v1/games/${gameOf(message)}`)).status, "finished");

    const done = await budi.press(asked.message, "Resign");
    assert.equal(done.type, 7);
    assert.match(shown(asked.message), /resigned/);
    const end = await called(channel, siti, /siti wins by resignation/);
    assert.ok(!end.pinged.includes(budi.id));
    assert.deepEqual(labels(end), ["rematch"], "the board comes along");
  });

  test("offers: a draw declined and accepted, a rematch", async () => {
    const channel = discord.channel(),
      message = await started(channel);
    await siti.press(message, "draw");
    await called(channel, budi, /siti offers a draw/);
    assert.match((await siti.press(message, "Accept: draw")).message.content, /./);
    await budi.press(message, "Decline: draw");
    await called(channel, siti, /declined/);
    await budi.press(message, "draw");
    await siti.press(message, "Accept: draw");
    await called(channel, budi, /accepted|draw, 0:0/i);
    const first = gameOf(message);
    await siti.press(message, "rematch");
    await called(channel, budi, /rematch/);
    await budi.press(message, "Accept: rematch");
    const next = await discord.until(
      () => notes(channel).find((one) => houses(one).length > 0),
      "the next game",
    );
    assert.notEqual(gameOf(next), first);
    assert.ok(next.pinged.length > 0);
    assert.equal((await toMove(next, siti, budi).press(next, "5")).type, 7);
  });

  test("a name that is taken, and one that is no handle", async () => {
    const channel = discord.channel(),
      twin = discord.person("siti"),
      dots = discord.person("...");
    const message = await started(channel, twin, dots);
    assert.match(message.embeds[0].title, /siti-\d{5}/);
    assert.match(message.embeds[0].title, /---/);
  });
});

describe("languages", () => {
  test("Spanish, Malay for Indonesian, and English for others", async () => {
    const channel = discord.channel();
    const people = [
      ["eva", "es-ES", /eva busca rival/, "Unirse"],
      ["ina", "id", /ina mencari lawan/, "Sertai"],
      ["jan", "pl", /jan is looking/, "Join"],
    ];
    for (const [name, locale, wanted, join] of people) {
      const { message } = await discord.person(name, locale).command(channel, "congkak", SMALL);
      assert.match(shown(message), wanted);
      assert.equal(labels(message)[0], join);
    }
  });
  test("each answer in the language of who presses", async () => {
    const channel = discord.channel(),
      eva = discord.person("eva2", "es-419"),
      ina = discord.person("ina2", "id");
    const message = await started(channel, eva, ina);
    assert.match(shown(message), /Sekarang giliran/);
    const mover = shown(message).includes("eva2") ? eva : ina,
      waits = mover === eva ? ina : eva;
    const wrong = await waits.press(message, "1");
    assert.match(
      wrong.message.content,
      mover === eva ? /Sekarang giliran eva2/ : /Es el turno de ina2/,
    );
    await mover.press(message, "4");
    assert.match(shown(message), mover === eva ? /sembró 4/ : /menabur 4/);
  });
});

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
