// The stand-in refuses what Discord refuses.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Discord } from "./stand-in.js";

let discord, person, channel, endpoint, answer;

/** A request to the stand-in, as the bot unless `headers` say otherwise. */
async function ask(method, path, body, headers = {}) {
  const multipart = body instanceof FormData;
  const response = await fetch(`${discord.url}/v10${path}`, {
    method,
    headers: {
      Authorization: `Bot ${discord.botToken}`,
      "User-Agent": "DiscordBot (test, 1)",
      ...(multipart ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    body: multipart ? body : body && JSON.stringify(body),
  });
  return { status: response.status, body: await response.json().catch(() => null) };
}
const post = (body, headers) => ask("POST", `/channels/${channel.id}/messages`, body, headers);
const button = (custom_id, label = "x") => ({ type: 2, style: 1, custom_id, label });
const row = (...components) => ({ type: 1, components });

before(async () => {
  discord = await new Discord({ within: 400, lifetime: 900 }).start();
  person = discord.person("siti");
  channel = discord.channel();
  // An endpoint that answers as each test wants.
  endpoint = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => answer(JSON.parse(Buffer.concat(chunks)), response, request));
  });
  await new Promise((ready) => endpoint.listen(0, "127.0.0.1", ready));
  discord.endpoint = `http://127.0.0.1:${endpoint.address().port}/`;
  await ask("PUT", `/applications/${discord.applicationId}/commands`, [
    { name: "play", description: "Plays" },
  ]);
});
after(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  await discord.stop();
});

const inline =
  (body, status = 200) =>
  (interaction, response) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
const byCallback = (body) => (interaction, response) => {
  response.writeHead(202).end();
  answer.sent = ask("POST", `/interactions/${interaction.id}/${interaction.token}/callback`, body);
};

test("what a message may hold", async () => {
  const wrong = {
    content: { content: "x".repeat(2001) },
    "embeds.0.title": { embeds: [{ title: "x".repeat(257) }] },
    "embeds.0.description": { embeds: [{ description: "x".repeat(4097) }] },
    embeds: { embeds: [{ description: "x".repeat(4000) }, { description: "x".repeat(2001) }] },
    "embeds.0.image.url": { embeds: [{ image: { url: "attachment://none.png" } }] },
    components: {
      content: "x",
      components: Array.from({ length: 6 }, (_, n) => row(button(`${n}`))),
    },
    "components.0.components": {
      content: "x",
      components: [row(...[1, 2, 3, 4, 5, 6].map((n) => button(`${n}`)))],
    },
    "components.0.components.0.label": {
      content: "x",
      components: [row(button("a", "x".repeat(81)))],
    },
    "components.0.components.0.custom_id": {
      content: "x",
      components: [row(button("x".repeat(101)))],
    },
    "components.0.components.1.custom_id": {
      content: "x",
      components: [row(button("a"), button("a"))],
    },
    "components.0.type": { content: "x", components: [button("a")] },
    nonce: { content: "x", nonce: "x".repeat(26) },
    allowed_mentions: { content: "x", allowed_mentions: { parse: ["users"], users: ["1"] } },
    "attachments.0.id": { content: "x", attachments: [{ id: 0, filename: "a.png" }] },
    message_reference: { content: "x", message_reference: { message_id: "1" } },
  };
  for (const [path, message] of Object.entries(wrong)) {
    const { status, body } = await post(message);
    assert.equal(status, 400, path);
    assert.equal(body.code, 50035, path);
    assert.equal(body.message, "Invalid Form Body");
    const at = path.split(".").reduce((errors, key) => errors?.[key], body.errors);
    assert.ok(at?._errors[0].code && at._errors[0].message, `${path}: ${JSON.stringify(body)}`);
  }
  assert.equal((await post({ embeds: Array(11).fill({ title: "x" }) })).body.code, 50035);
  assert.equal((await post({})).body.code, 50006);
  const five = Array.from({ length: 5 }, (_, r) =>
    row(...[1, 2, 3, 4, 5].map((b) => button(`${r}${b}`))),
  );
  assert.equal((await post({ content: "x".repeat(2000), components: five })).status, 200);
});

test("files", async () => {
  const form = (message, size) => {
    const data = new FormData();
    data.set("payload_json", JSON.stringify(message));
    data.set("files[0]", new Blob([new Uint8Array(size)]), "a.png");
    return data;
  };
  const message = {
    embeds: [{ image: { url: "attachment://a.png" } }],
    attachments: [{ id: 0, filename: "a.png" }],
  };
  assert.equal((await post(form(message, 10))).body.attachments[0].size, 10);
  const large = await post(form(message, 10 * 1024 * 1024 + 1));
  assert.deepEqual([large.status, large.body.code], [413, 40005]);
});

test("who may", async () => {
  const none = await post({ content: "x" }, { Authorization: "Bot wrong" });
  assert.deepEqual([none.status, none.body], [401, { message: "401: Unauthorized", code: 0 }]);
  assert.equal((await post({ content: "x" }, { "User-Agent": "curl/8" })).status, 403);
  const unknown = await ask("POST", "/channels/1/messages", { content: "x" });
  assert.deepEqual([unknown.status, unknown.body.code], [404, 10003]);
  const closed = discord.channel("closed");
  const missing = await ask("POST", `/channels/${closed.id}/messages`, { content: "x" });
  assert.deepEqual([missing.status, missing.body.code], [403, 50001]);
  discord.limit(/channels/, 1, 0.5);
  const limited = await post({ content: "x" });
  assert.deepEqual([limited.status, limited.body.retry_after], [429, 0.5]);
  assert.equal((await ask("GET", "/guilds/1")).status, 404);
});

test("a nonce that is enforced posts once; mentions call whom they may", async () => {
  const message = {
    content: `<@${person.id}> <@5>`,
    nonce: "1.1",
    enforce_nonce: true,
    allowed_mentions: { users: [person.id] },
  };
  const [one, two] = [await post(message), await post(message)];
  assert.equal(one.body.id, two.body.id);
  assert.deepEqual(channel.messages.find(({ id }) => id === one.body.id).pinged, [person.id]);
});

test("commands", async () => {
  const put = (commands) => ask("PUT", `/applications/${discord.applicationId}/commands`, commands);
  const good = { name: "play", description: "Plays" };
  for (const wrong of [
    { ...good, name: "Play" },
    { ...good, name: "two words" },
    { ...good, name: "" },
    { ...good, description: "" },
    { ...good, description: "x".repeat(101) },
    { ...good, options: [{ type: 4, name: "A b", description: "x" }] },
    { ...good, description_localizations: { ms: "Main" } },
    { ...good, options: Array(26).fill({ type: 4, name: "a", description: "x" }) },
  ]) {
    assert.equal((await put([wrong])).body.code, 50035, JSON.stringify(wrong));
  }
  assert.equal((await put([good, good])).status, 400);
  assert.equal((await put([good])).status, 200);
  assert.throws(() => person.command(channel, "other"), /no such command/);
  assert.throws(() => person.command(channel, "play", { more: 1 }), /does not take/);
});

test("an endpoint that does not check signatures is not taken", async () => {
  const { endpoint: url } = discord;
  answer = inline({ type: 1 });
  await assert.rejects(discord.setEndpoint(url), /not verified/);
  answer = inline({ type: 4 }, 401);
  await assert.rejects(discord.setEndpoint(url), /not verified/);
  discord.endpoint = url;
});

test("an answer that is late, of the wrong kind, or the second", async () => {
  answer = () => {};
  await assert.rejects(person.command(channel, "play"), /failed: no answer within 400 ms/);
  answer = inline({}, 500);
  await assert.rejects(person.command(channel, "play"), /failed: 500/);
  answer = inline({ type: 7, data: { content: "x" } });
  await assert.rejects(person.command(channel, "play"), /Invalid Form Body/);
  answer = inline({ type: 4, data: { content: "x".repeat(2001) } });
  await assert.rejects(person.command(channel, "play"), /Invalid Form Body/);

  let late;
  answer = (interaction, response) => {
    response.writeHead(202).end();
    late = interaction;
  };
  await assert.rejects(person.command(channel, "play"), /no answer/);
  const path = ({ id, token }) => `/interactions/${id}/${token}/callback`;
  assert.equal(
    (await ask("POST", path(late), { type: 4, data: { content: "x" } })).body.code,
    10062,
  );
  assert.equal(
    (await ask("POST", "/interactions/1/nothing/callback", { type: 4 })).body.code,
    10062,
  );

  let taken;
  answer = (interaction, response) => {
    taken = interaction;
    inline({ type: 4, data: { content: "x" } })(interaction, response);
  };
  assert.equal((await person.command(channel, "play")).type, 4);
  assert.equal(
    (await ask("POST", path(taken), { type: 4, data: { content: "y" } })).body.code,
    40060,
  );
});

test("what comes later: in its place, for one alone, while the token lives", async () => {
  let now;
  answer = (interaction, response) => {
    now = interaction;
    byCallback({ type: 5, data: { flags: 64 } })(interaction, response);
  };
  const { message } = await person.command(channel, "play");
  assert.equal(message.only, person.id);
  const hook = `/webhooks/${discord.applicationId}/${now.token}`;
  assert.equal(
    (await ask("PATCH", `${hook}/messages/@original`, { flags: 64, content: "x" })).body.code,
    50035,
  );
  assert.equal(
    (await ask("PATCH", `${hook}/messages/@original`, { content: "there" })).status,
    200,
  );
  assert.equal(message.content, "there");
  assert.equal((await ask("POST", hook, { content: "more", flags: 64 })).status, 200);
  assert.equal((await ask("PATCH", `${hook}/messages/1`, { content: "x" })).body.code, 10008);
  assert.throws(() => discord.person("budi").press(message, "x"), /not there for them/);
  assert.equal((await ask("POST", "/webhooks/1/x", { content: "x" })).body.code, 10015);
  const { began } = discord.interactions.get(now.token);
  await discord.until(() => Date.now() - began > discord.lifetime, "the token's end");
  assert.equal((await ask("POST", hook, { content: "late" })).body.code, 10015);
});
