// What Discord refuses, with its errors: messages, components, commands, requests. After its
// reference (API v10).
/** An error as Discord words it. */
export class Refused extends Error {
  constructor(status, code, message, rest = {}) {
    super(message);
    this.status = status;
    this.body = { message, code, ...rest };
  }
}
export const unknown = (what, code) => new Refused(404, code, `Unknown ${what}`);

/** Collects what is wrong with a form, by the path of the field. */
export class Form {
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
export function checkMessage(message, files, { before, edit = false } = {}) {
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

export function checkCommands(commands) {
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

/** What a request says: its fields, and the files beside them. */
export async function read(request, bytes) {
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
