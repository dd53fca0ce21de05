// The bot against a real mancala-post server and a stand-in for Discord.
import assert from "node:assert/strict";
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
});

after(async () => {
  await bot?.end();
  await road?.stop();
  await discord?.stop();
  await mancala.end();
});

const shown = (message) => message.embeds[0].description;
/** Whose turn a board shows, of these. */
const toMove = (message, ...people) => people.find(({ user }) => shown(message).includes(`It is ${user.username.replace(".", "-")}'s turn`));
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
const called = (channel, person, pattern = /./) => discord.until(
  () => channel.messages.find((one) => one.byBot && one.pinged.includes(person.id) && pattern.test(one.content)),
  `${person.user.username} called with ${pattern}`,
);

describe("the bot", () => {
  test("a whole game by presses", async () => {
    const channel = discord.channel();
    const message = await started(channel);
    assert.match(message.embeds[0].title, /congkak: (siti 0 : 0 budi-99|budi-99 0 : 0 siti)/);
    let mover = toMove(message, siti, budi);
    for (let turns = 0; houses(message).length > 0; turns++) {
      assert.ok(turns < 60);
      const { type } = await mover.press(message, houses(message).at(-1));
      assert.equal(type, 7);
      mover = toMove(message, siti, budi);
    }
    assert.equal(message.attachments[0].filename, "board.png");
    await discord.until(() => channel.messages.some(({ content }) => /wins|draw/.test(content ?? "")), "the end is told");
    console.log(discord.dump());
  });
});
