// What the tests of the bot share: a real mancala-post server, a stand-in for Discord, the bot
// between them, two people, and ways to look at what they see.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { Bot, Mancala, Road } from "./harness.js";
import { buttons, Discord, labels } from "./stand-in.js";

export const SMALL = { houses: 5, seeds: 1 };
export const mancala = new Mancala();
export let discord, road, bot, siti, budi;

/** Opens it before the tests of a file and closes it after them. */
export function opened(further = () => {}) {
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
    await further();
  });

  after(async () => {
    await bot?.end();
    await road?.stop();
    await discord?.stop();
    await mancala.end();
  });
}


export const shown = (message) => message.embeds[0].description;
/** Whose turn a board shows, of these. */
export const toMove = (message, ...people) =>
  people.find(({ user }) =>
    shown(message).includes(`It is ${user.username.replace(".", "-")}'s turn`),
  );
export const houses = (message) => labels(message).filter((label) => /^\d+$/.test(label));

/** A game in a channel, joined: its board. */
export async function started(channel, first = siti, second = budi, options = SMALL, name = "congkak") {
  const { message } = await first.command(channel, name, options);
  const joined = await second.press(message, labels(message)[0]);
  assert.equal(joined.type, 7);
  assert.equal(joined.message, message);
  return message;
}
/** The game's id, from its buttons. */
export const gameOf = (message) => buttons(message)[0].custom_id.split(":")[1];
export const called = (channel, person, pattern = /./) =>
  discord.until(
    () =>
      channel.messages.find(
        (one) => one.byBot && one.pinged.includes(person.id) && pattern.test(one.content),
      ),
    `${person.user.username} called with ${pattern}`,
  );

export const notes = (channel) => channel.messages.filter((one) => one.byBot);
export const only = (channel, person) => channel.messages.filter((one) => one.only === person.id);
export const ply = async (id) => (await mancala.ask("GET", `/v1/games/${id}`)).ply;
export const asBot = () => ({ token: bot.state.token });
export const refOf = (person) => `discord:${person.id}`;

/** Somebody moves by another way than this channel. */
export async function moveElsewhere(message, person) {
  const game = await mancala.ask("GET", `/v1/games/${gameOf(message)}`);
  const body = { action: game.legal_moves.at(-1).action };
  return mancala.ask("POST", "/v1/actions", { ...asBot(), as: refOf(person), body });
}
/** Presses until the turn has passed; the one whose turn it is then. */
export async function passTurn(message) {
  const mover = toMove(message, siti, budi);
  while (toMove(message, siti, budi) === mover) await mover.press(message, houses(message)[0]);
  return toMove(message, siti, budi);
}
export const other = (person) => (person === siti ? budi : siti);
