// Stands in for Discord in tests. It sends signed interactions to a bot's endpoint, serves the
// REST methods that bots of this kind use, and refuses what Discord refuses, with its errors.
// Written after Discord's reference (API v10); what it does not know it answers with 404.
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import { checkCommands, checkMessage, Form, read, Refused, unknown } from "./checks.js";
import { COMMAND, COMPONENT, dump, EPHEMERAL, Person } from "./people.js";

export { buttons, labels } from "./people.js";

const PING = 1;
// What may answer what at first.
const ANSWERS = { [COMMAND]: [4, 5], [COMPONENT]: [4, 5, 6, 7] };

/** The platform: channels with messages, people, and one application with its bot. */
export class Discord extends EventEmitter {
  applicationId = "1111111111111111111";
  botToken = `MTExMQ.${randomBytes(20).toString("base64url")}`;
  guild = "9000000000000000001";
  commands = [];
  channels = new Map();
  interactions = new Map(); // by token
  refusals = []; // every request that was refused
  requests = []; // every request: method and path
  limited = []; // 429 for the next requests that match
  down = false;
  #last = 2_000_000_000_000_000_000n;

  /** `within`: milliseconds for an answer; `lifetime`: those of an interaction's token. */
  constructor({ within = 3000, lifetime = 15 * 60_000 } = {}) {
    super();
    this.setMaxListeners(0);
    Object.assign(this, { within, lifetime });
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    this.publicKey = publicKey
      .export({ type: "spki", format: "der" })
      .subarray(-32)
      .toString("hex");
    this.privateKey = privateKey;
  }

  async start() {
    this.server = createServer((request, response) => this.#serve(request, response));
    await new Promise((ready) => this.server.listen(0, "127.0.0.1", ready));
    this.url = `http://127.0.0.1:${this.server.address().port}/api`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(closed));
  }

  #snowflake() {
    return `${++this.#last}`;
  }

  // --- what a test does and sees

  channel(state = "open") {
    const channel = { id: this.#snowflake(), state, messages: [] };
    this.channels.set(channel.id, channel);
    return channel;
  }

  person(username, locale = "en-US") {
    return new Person(this, { id: this.#snowflake(), username, global_name: username, locale });
  }

  /** Resolves with the first truthy `look()`; asked whenever anything happens here. */
  async until(look, what, patience = 15_000) {
    const end = Date.now() + patience;
    for (;;) {
      const found = look();
      if (found) return found;
      const left = end - Date.now();
      if (left <= 0) throw new Error(`in vain: ${what ?? look}\n${dump(this)}`);
      await new Promise((woken) => {
        const timer = setTimeout(woken, Math.min(left, 200));
        this.once("change", () => (clearTimeout(timer), woken()));
      });
    }
  }

  /** Answers the next `times` requests whose "METHOD path" matches with 429. */
  limit(pattern, times = 1, retry_after = 0.2) {
    for (let n = 0; n < times; n++) this.limited.push({ pattern, retry_after });
  }

  /** The endpoint as one enters it in the portal: refused unless it passes both probes. */
  async setEndpoint(url) {
    this.endpoint = url;
    const ping = {
      id: this.#snowflake(),
      application_id: this.applicationId,
      type: PING,
      token: "ping",
      version: 1,
    };
    const good = await this.send(ping);
    const bad = await this.send(ping, { signature: randomBytes(64).toString("hex") });
    const pong = good.status === 200 && JSON.parse(good.text || "null")?.type === 1;
    if (!pong || bad.status !== 401) {
      this.endpoint = undefined;
      throw new Error(
        `interactions_endpoint_url: not verified (${good.status} ${good.text}; ${bad.status})`,
      );
    }
  }

  /** One signed request to the endpoint, with a part of it spoilt if asked for. */
  async send(
    payload,
    { signature, timestamp = `${Math.floor(Date.now() / 1000)}`, body, headers } = {},
  ) {
    const text = JSON.stringify(payload);
    const signed = sign(null, Buffer.from(timestamp + text), this.privateKey).toString("hex");
    const response = await fetch(this.endpoint, {
      method: "POST",
      headers: headers ?? {
        "Content-Type": "application/json",
        "X-Signature-Ed25519": signature ?? signed,
        "X-Signature-Timestamp": timestamp,
      },
      body: body ?? text,
    });
    return { status: response.status, text: await response.text() };
  }

  /**
   * Sends an interaction and sees how Discord would take the answer: resolves with
   * `{ type, message, after }`, or fails as "This interaction failed" does.
   */
  async interact(type, user, channel, data, message) {
    const interaction = {
      id: this.#snowflake(),
      application_id: this.applicationId,
      type,
      data,
      version: 1,
      token: randomBytes(60).toString("base64url"),
      guild_id: this.guild,
      channel_id: channel.id,
      locale: user.locale,
      guild_locale: "en-US",
      context: 0,
      member: { user, roles: [], permissions: "0" },
    };
    if (message) interaction.message = this.#show(message);
    const record = { interaction, channel, source: message, began: Date.now(), followUps: [] };
    this.interactions.set(interaction.token, record);
    const answered = new Promise((done, fail) => Object.assign(record, { done, fail }));
    const timer = setTimeout(() => {
      record.failed = true;
      record.fail(new Error(`This interaction failed: no answer within ${this.within} ms`));
    }, this.within);
    this.send(interaction)
      .then(({ status, text }) => {
        if (status === 202 && text === "") return; // by the callback, then
        if (status !== 200) throw new Error(`This interaction failed: ${status}`);
        // Inline: JSON only. (Discord's own way with files there is not to be relied on.)
        this.#callback(record, JSON.parse(text), {});
      })
      .catch((error) => record.fail(error));
    try {
      return await answered;
    } finally {
      clearTimeout(timer);
    }
  }

  // --- messages

  #show({ author, only, pinged, interaction, ...message }) {
    const attachments = (message.attachments ?? []).map(({ file, ...one }) => ({
      ...one,
      size: file.size,
      url: `https://cdn.invalid/${one.id}/${one.filename}`,
    }));
    return { ...message, attachments, type: 0, author: { id: this.applicationId, bot: true } };
  }

  #fill(message, fields, attachments) {
    const { attachments: _, nonce, enforce_nonce, allowed_mentions, ...rest } = fields;
    if (rest.flags === undefined) delete rest.flags;
    Object.assign(message, rest);
    message.attachments = attachments.map((one) => ({
      ...one,
      id: one.id.startsWith("new") ? this.#snowflake() : one.id,
    }));
    const allowed = (id) =>
      allowed_mentions === undefined ||
      allowed_mentions.parse?.includes("users") ||
      allowed_mentions.users?.includes(id);
    message.pinged = [...(message.content ?? "").matchAll(/<@(\d+)>/g)]
      .map(([, id]) => id)
      .filter(allowed);
    this.emit("change");
    return message;
  }

  #post(channel, fields, attachments, more = {}) {
    const message = {
      id: this.#snowflake(),
      channel_id: channel.id,
      edits: 0,
      at: Date.now(),
      flags: 0,
      ...more,
    };
    channel.messages.push(message);
    return this.#fill(message, fields, attachments);
  }

  #edit(message, fields, files) {
    const attachments = checkMessage(fields, files, { before: message, edit: true });
    message.edits++;
    delete message.loading;
    return this.#fill(message, fields, attachments);
  }

  // --- the answer to an interaction

  #callback(record, { type, data = {} }, files) {
    const { interaction, channel, source } = record;
    if (record.failed || Date.now() - record.began > this.within)
      throw unknown("interaction", 10062);
    if (record.type) throw new Refused(400, 40060, "Interaction has already been acknowledged.");
    const form = new Form();
    form.choice(type, "type", ANSWERS[interaction.type]);
    form.done();
    const only = (flags) => (flags & EPHEMERAL ? { only: interaction.member.user.id } : {});
    if (type === 5 && data.flags & ~EPHEMERAL)
      throw new Refused(400, 50035, "Invalid Form Body", { errors: { flags: {} } });
    if (type === 4) {
      record.original = this.#post(channel, data, checkMessage(data, files), only(data.flags));
    } else if (type === 5) {
      record.original = {
        id: this.#snowflake(),
        channel_id: channel.id,
        edits: 0,
        flags: data.flags ?? 0,
        loading: true,
        ...only(data.flags),
      };
      channel.messages.push(record.original);
    } else {
      record.original = source;
      if (type === 7) {
        const { flags, ...rest } = data;
        this.#edit(source, rest, files);
      }
    }
    record.type = type;
    this.emit("change");
    record.done({ type, message: record.original, followUps: record.followUps });
    return record.original;
  }

  #webhook(record, method, id, fields, files) {
    if (!record?.type || Date.now() - record.began > this.lifetime) throw unknown("Webhook", 10015);
    const { channel } = record;
    if (method === "POST" && id === undefined) {
      // As Discord still does it: after a deferral this edits what is loading.
      if (record.original.loading)
        return this.#edit(record.original, { ...fields, flags: undefined }, files);
      const attachments = checkMessage(fields, files);
      const only = fields.flags & EPHEMERAL ? { only: record.interaction.member.user.id } : {};
      const message = this.#post(channel, fields, attachments, only);
      record.followUps.push(message);
      this.emit("change");
      return message;
    }
    const message =
      id === "@original" ? record.original : record.followUps.find((one) => one.id === id);
    if (!message || !channel.messages.includes(message)) throw unknown("Message", 10008);
    if (method === "GET") return message;
    if (method === "PATCH") return this.#edit(message, fields, files);
    channel.messages.splice(channel.messages.indexOf(message), 1);
    return undefined;
  }

  // --- REST

  async #serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = new URL(request.url, "http://discord").pathname.replace("/api/v10", "");
    const line = `${request.method} ${path}`;
    this.requests.push(line);
    let status = 200,
      body;
    try {
      if (this.down) throw new Refused(503, 0, "Service Unavailable");
      const hit = this.limited.findIndex(({ pattern }) => pattern.test(line));
      if (hit >= 0) {
        const [{ retry_after }] = this.limited.splice(hit, 1);
        throw new Refused(429, 0, "You are being rate limited.", { retry_after, global: false });
      }
      // Without a name that says so, Discord's gate does not let a bot in.
      if (!/^DiscordBot \(.+, .+\)/.test(request.headers["user-agent"]))
        throw new Refused(403, 40333, "internal network error");
      body = await this.#route(request, line, Buffer.concat(chunks));
    } catch (error) {
      if (!(error instanceof Refused)) console.error(error);
      status = error.status ?? 500;
      body = error.body ?? { message: "500: Internal Server Error", code: 0 };
      this.refusals.push({ line, status, ...body });
      this.emit("change");
    }
    const headers = { "Content-Type": "application/json" };
    if (status === 429)
      Object.assign(headers, {
        "Retry-After": `${Math.ceil(body.retry_after)}`,
        "X-RateLimit-Scope": "user",
      });
    if (body === undefined) response.writeHead(204).end();
    else response.writeHead(status, headers).end(JSON.stringify(body));
  }

  async #route(request, line, bytes) {
    const [fields, files] = await read(request, bytes);
    let found;
    if ((found = line.match(/^POST \/interactions\/(\d+)\/([^/]+)\/callback$/))) {
      const record = this.interactions.get(found[2]);
      if (record?.interaction.id !== found[1]) throw unknown("interaction", 10062);
      const message = this.#callback(record, fields, files);
      const wanted = new URL(request.url, "http://discord").searchParams.get("with_response");
      if (wanted !== "true") return undefined;
      const resource = {
        type: fields.type,
        message: [4, 7].includes(fields.type) ? this.#show(message) : undefined,
      };
      return {
        interaction: {
          id: found[1],
          type: record.interaction.type,
          response_message_id: message.id,
        },
        resource,
      };
    }
    if (
      (found = line.match(
        /^(POST|GET|PATCH|DELETE) \/webhooks\/(\d+)\/([^/]+)(?:\/messages\/(@original|\d+))?$/,
      ))
    ) {
      if (found[2] !== this.applicationId) throw unknown("Webhook", 10015);
      const message = this.#webhook(
        this.interactions.get(found[3]),
        found[1],
        found[4],
        fields,
        files,
      );
      return message && this.#show(message);
    }
    if (request.headers.authorization !== `Bot ${this.botToken}`)
      throw new Refused(401, 0, "401: Unauthorized");
    if ((found = line.match(/^PUT \/applications\/(\d+)\/commands$/))) {
      if (found[1] !== this.applicationId) throw unknown("Application", 10002);
      checkCommands(fields);
      this.commands = fields.map((command) => ({ id: this.#snowflake(), ...command }));
      return this.commands;
    }
    if ((found = line.match(/^(POST|PATCH) \/channels\/(\d+)\/messages(?:\/(\d+))?$/))) {
      const channel = this.channels.get(found[2]);
      if (!channel || channel.state === "gone") throw unknown("Channel", 10003);
      if (channel.state === "closed") throw new Refused(403, 50001, "Missing Access");
      if (found[1] === "PATCH") {
        const message = channel.messages.find((one) => one.id === found[3] && !one.only);
        if (!message) throw unknown("Message", 10008);
        return this.#show(this.#edit(message, fields, files));
      }
      const attachments = checkMessage(fields, files);
      if (fields.flags & EPHEMERAL)
        throw new Refused(400, 50035, "Invalid Form Body", { errors: { flags: {} } });
      const again =
        fields.enforce_nonce && channel.messages.find((one) => one.nonce === fields.nonce);
      if (again) return this.#show(again);
      const { message_id, fail_if_not_exists = true } = fields.message_reference ?? {};
      if (
        fields.message_reference &&
        fail_if_not_exists &&
        !channel.messages.some((one) => one.id === message_id)
      ) {
        const form = new Form();
        form.wrong("message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message");
        form.done();
      }
      return this.#show(
        this.#post(channel, fields, attachments, { nonce: fields.nonce, byBot: true }),
      );
    }
    throw new Refused(404, 0, "404: Not Found");
  }
}
