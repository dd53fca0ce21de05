// People in front of the stand-in for Discord.
export const COMMAND = 2,
  COMPONENT = 3;
// For one person alone.
export const EPHEMERAL = 64;

/** Somebody at a keyboard. */
export class Person {
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

export function dump(discord) {
  const shown = (message) =>
    `  ${message.id}${message.flags & EPHEMERAL ? " (only for one)" : ""} ${message.content ?? ""} ` +
    (message.embeds ?? []).map((embed) => `[${embed.title}: ${embed.description}]`).join(" ");
  const channels = [...discord.channels.values()].map((channel) =>
    [channel.id, ...channel.messages.map(shown)].join("\n"),
  );
  return [
    ...channels,
    "refused:",
    ...discord.refusals.map((refusal) => JSON.stringify(refusal)),
  ].join("\n");
}
