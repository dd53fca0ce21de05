// Stands in for Discord in tests. It sends signed interactions to a bot's endpoint, serves the
// REST methods that bots of this kind use, and refuses what Discord refuses, with its errors.
// Written after Discord's reference (API v10); what it does not know it answers with 404.
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { EventEmitter } from "node:events";
import { createServer } from "node:http";

const PING = 1,
  COMMAND = 2,
  COMPONENT = 3;
const EPHEMERAL = 64;
// What may answer what at first.
const ANSWERS = { [COMMAND]: [4, 5], [COMPONENT]: [4, 5, 6, 7] };

/** An error as Discord words it. */
class Refused extends Error {
  constructor(status, code, message, rest = {}) {
    super(message);
    this.status = status;
    this.body = { message, code, ...rest };
  }
}
const unknown = (what, code) => new Refused(404, code, `Unknown ${what}`);

/** Collects what is wrong with a form, by the path of the field. */
class Form {
  errors = {};
  wrong(path, code, message) {
    let at = this.errors;
    for (const key of path.split(".")) at = at[key] ??= {};
    (at._errors ??= []).push({ code, message });
  }
  text(value, path, least, most, required = false) {
    if (value === undefined || value === null) {
      if (required) this.wrong(path, "BASE_TYPE_REQUIRED", "This field is required");
    } else if (typeof value !== "string") {
      this.wrong(path, "STRING_TYPE_CONVERT", "Could not interpret the value as string.");
    } else if ([...value].length > most || [...value].length < least) {
      this.wrong(path, "BASE_TYPE_BAD_LENGTH", `Must be between ${least} and ${most} in length.`);
    }
  }
  list(value, path, least, most) {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value) && value.length >= least && value.length <= most) return value;
    this.wrong(path, "BASE_TYPE_BAD_LENGTH", `Must be between ${least} and ${most} in length.`);
    return [];
  }
  choice(value, path, choices) {
    if (!choices.includes(value)) {
      this.wrong(path, "BASE_TYPE_CHOICES", `Value must be one of {${choices.join(", ")}}.`);
    }
  }
  done() {
    if (Object.keys(this.errors).length > 0) {
      throw new Refused(400, 50035, "Invalid Form Body", { errors: this.errors });
    }
  }
}

function checkComponents(form, components) {
  const ids = new Set();
  form.list(components, "components", 0, 5).forEach((row, r) => {
    const path = `components.${r}`;
    form.choice(row.type, `${path}.type`, [1]);
    if (!row.components)
      form.wrong(`${path}.components`, "BASE_TYPE_REQUIRED", "This field is required");
    form.list(row.components, `${path}.components`, 1, 5).forEach((button, b) => {
      const at = `${path}.components.${b}`;
      form.choice(button.type, `${at}.type`, [2]);
      form.choice(button.style, `${at}.style`, [1, 2, 3, 4]);
      form.text(button.label, `${at}.label`, 1, 80, true);
      form.text(button.custom_id, `${at}.custom_id`, 1, 100, true);
      if (ids.has(button.custom_id)) {
        form.wrong(
          `${at}.custom_id`,
          "COMPONENT_CUSTOM_ID_DUPLICATED",
          "Component custom id cannot be duplicated",
        );
      }
      ids.add(button.custom_id);
    });
  });
}

function checkEmbeds(form, embeds, names) {
  let total = 0;
  form.list(embeds, "embeds", 0, 10).forEach((embed, e) => {
    const at = `embeds.${e}`;
    form.text(embed.title, `${at}.title`, 0, 256);
    form.text(embed.description, `${at}.description`, 0, 4096);
    form.text(embed.footer?.text, `${at}.footer.text`, 0, 2048);
    form.list(embed.fields, `${at}.fields`, 0, 25).forEach((field, f) => {
      form.text(field.name, `${at}.fields.${f}.name`, 1, 256, true);
      form.text(field.value, `${at}.fields.${f}.value`, 1, 1024, true);
    });
    const texts = [embed.title, embed.description, embed.footer?.text];
    for (const { name, value } of embed.fields ?? []) texts.push(name, value);
    for (const text of texts) total += [...(text ?? "")].length;
    const url = embed.image?.url;
    if (
      url?.startsWith("attachment://")
        ? !names.includes(url.slice(13))
        : url && !/^https?:/.test(url)
    ) {
      form.wrong(`${at}.image.url`, "URL_TYPE_INVALID_URL", `Nothing is attached as ${url}`);
    }
  });
  if (total > 6000)
    form.wrong("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000");
}

/** What is the same in everything that becomes a message. */
function checkMessage(message, files, { before, edit = false } = {}) {
  const form = new Form();
  form.text(message.content, "content", 0, 2000);
  form.text(message.nonce === undefined ? undefined : `${message.nonce}`, "nonce", 0, 25);
  const kept = new Map((before?.attachments ?? []).map((one) => [one.id, one]));
  const named = form.list(message.attachments, "attachments", 0, 10);
  const attachments = named.flatMap((one, a) => {
    if (kept.has(`${one.id}`)) return [kept.get(`${one.id}`)];
    form.text(one.description, `attachments.${a}.description`, 0, 1024);
    const file = files[`files[${one.id}]`];
    if (file)
      return [
        {
          id: `new${one.id}`,
          filename: one.filename ?? file.name,
          description: one.description,
          file,
        },
      ];
    form.wrong(`attachments.${a}.id`, "ATTACHMENT_NOT_FOUND", `There is no files[${one.id}]`);
    return [];
  });
  for (const [field, file] of Object.entries(files)) {
    if (file.size > 10 * 1024 * 1024) throw new Refused(413, 40005, "Request entity too large");
    const told = named.some((one) => field === `files[${one.id}]`);
    if (!told) attachments.push({ id: `new${field}`, filename: file.name, file });
  }
  // An edit that does not mention them keeps the attachments of before.
  if (edit && message.attachments === undefined) attachments.push(...kept.values());
  checkEmbeds(
    form,
    message.embeds,
    attachments.map((one) => one.filename),
  );
  checkComponents(form, message.components);
  const mentions = message.allowed_mentions;
  const users = form.list(mentions?.users, "allowed_mentions.users", 0, 100);
  if (users.length > 0 && mentions.parse?.includes("users")) {
    form.wrong(
      "allowed_mentions",
      "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
      'parse:["users"] and users: [ids...] are mutually exclusive.',
    );
  }
  if (edit && message.flags & ~4)
    form.wrong("flags", "INVALID_BITWISE_FLAG", "An edit cannot set these flags.");
  form.done();
  const whole = edit ? { ...before, ...message } : message;
  if (
    !whole.content &&
    !whole.embeds?.length &&
    attachments.length === 0 &&
    !whole.components?.length
  ) {
    throw new Refused(400, 50006, "Cannot send an empty message");
  }
  return attachments;
}

const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES = (
  "id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th " +
  "zh-CN ja zh-TW ko"
).split(" ");

function checkCommands(commands) {
  const form = new Form();
  if (!Array.isArray(commands) || commands.length > 100)
    throw new Refused(400, 30032, "Maximum number of application commands reached (100)");
  const described = (one, at) => {
    if (!NAME.test(one.name) || one.name !== one.name.toLowerCase()) {
      form.wrong(`${at}.name`, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
    }
    form.text(one.description, `${at}.description`, 1, 100, true);
    for (const [locale, text] of Object.entries(one.description_localizations ?? {})) {
      form.choice(locale, `${at}.description_localizations`, LOCALES);
      form.text(text, `${at}.description_localizations.${locale}`, 1, 100);
    }
  };
  const names = new Set();
  commands.forEach((command, c) => {
    described(command, `${c}`);
    if (names.has(command.name))
      form.wrong(
        `${c}.name`,
        "APPLICATION_COMMANDS_DUPLICATE_NAME",
        "Application command names must be unique",
      );
    names.add(command.name);
    form.list(command.options, `${c}.options`, 0, 25).forEach((option, o) => {
      const at = `${c}.options.${o}`;
      form.choice(option.type, `${at}.type`, [3, 4, 5, 6, 7, 8, 9, 10, 11]);
      described(option, at);
      form
        .list(option.choices, `${at}.choices`, 0, 25)
        .forEach((choice, n) => form.text(choice.name, `${at}.choices.${n}.name`, 1, 100, true));
    });
  });
  form.done();
}

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
      if (left <= 0) throw new Error(`in vain: ${what ?? look}\n${this.dump()}`);
      await new Promise((woken) => {
        const timer = setTimeout(woken, Math.min(left, 200));
        this.once("change", () => (clearTimeout(timer), woken()));
      });
    }
  }

  dump() {
    const shown = (message) =>
      `  ${message.id}${message.flags & EPHEMERAL ? " (only for one)" : ""} ${message.content ?? ""} ` +
      (message.embeds ?? []).map((embed) => `[${embed.title}: ${embed.description}]`).join(" ");
    const channels = [...this.channels.values()].map((channel) =>
      [channel.id, ...channel.messages.map(shown)].join("\n"),
    );
    return [
      ...channels,
      "refused:",
      ...this.refusals.map((refusal) => JSON.stringify(refusal)),
    ].join("\n");
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

  async #read(request, bytes) {
    const type = request.headers["content-type"] ?? "";
    if (bytes.length > 25 * 1024 * 1024) throw new Refused(413, 40005, "Request entity too large");
    if (bytes.length === 0) return [{}, {}];
    if (type.startsWith("multipart/form-data")) {
      const form = await new Response(bytes, { headers: { "Content-Type": type } }).formData();
      const files = Object.fromEntries([...form].filter(([name]) => name.startsWith("files[")));
      return [JSON.parse(form.get("payload_json") ?? "{}"), files];
    }
    if (!type.startsWith("application/json")) throw new Refused(400, 50035, "Invalid Form Body");
    try {
      return [JSON.parse(bytes), {}];
    } catch {
      throw new Refused(400, 50109, "The request body contains invalid JSON.");
    }
  }

  async #route(request, line, bytes) {
    const [fields, files] = await this.#read(request, bytes);
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

/** Somebody at a keyboard. */
class Person {
  constructor(discord, user) {
    this.discord = discord;
    this.user = user;
    this.id = user.id;
  }

  get mention() {
    return `<@${this.id}>`;
  }

  /** Enters a slash command; Discord itself refuses what was not registered so. */
  command(channel, name, options = {}) {
    const registered = this.discord.commands.find((one) => one.name === name);
    if (!registered) throw new Error(`no such command: /${name}`);
    const given = Object.entries(options).map(([key, value]) => {
      const option = registered.options?.find((one) => one.name === key);
      if (!option || value < option.min_value || value > option.max_value)
        throw new Error(`/${name} does not take ${key}: ${value}`);
      return { name: key, type: option.type, value };
    });
    const data = { id: registered.id, name, type: 1, options: given };
    return this.discord.interact(COMMAND, this.user, channel, data);
  }

  /** The messages of a channel that this one sees. */
  sees(channel) {
    return channel.messages.filter(({ only }) => !only || only === this.id);
  }

  /** Presses the button with that label, or id, of a message that they see. */
  press(message, which) {
    const channel = this.discord.channels.get(message.channel_id);
    if (!this.sees(channel).includes(message))
      throw new Error("that message is not there for them");
    const button = buttons(message).find(
      ({ label, custom_id }) => label === which || custom_id === which,
    );
    if (!button)
      throw new Error(
        `no button ${which}, but ${buttons(message)
          .map(({ label }) => label)
          .join(", ")}`,
      );
    return this.pressId(message, button.custom_id);
  }

  /** Presses a button that a device which is behind still shows. */
  pressId(message, custom_id) {
    const channel = this.discord.channels.get(message.channel_id);
    return this.discord.interact(
      COMPONENT,
      this.user,
      channel,
      { custom_id, component_type: 2 },
      message,
    );
  }
}

export const buttons = (message) => (message.components ?? []).flatMap((row) => row.components);
export const labels = (message) => buttons(message).map(({ label }) => label);
