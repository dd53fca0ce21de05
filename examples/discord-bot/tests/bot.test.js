// The bot against a real mancala-post server and a stand-in for Discord: its endpoint, games,
// languages.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  asBot,
  budi,
  called,
  discord,
  gameOf,
  houses,
  mancala,
  notes,
  only,
  opened,
  other,
  passTurn,
  ply,
  refOf,
  shown,
  siti,
  SMALL,
  started,
  toMove,
} from "./room.js";
import { buttons, labels } from "./stand-in.js";

opened();

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
