// The commands of docs/chat-bots.md, taken at their word: from nothing to a bot that plays.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { freePort, here, Mancala, Process, scratch } from "./harness.js";
import { Discord, labels } from "./stand-in.js";

test("the guide's commands lead to a game", async (t) => {
  const guide = readFileSync(join(here, "chat-bots.md"), "utf8").split(
    "\n## A bot for Discord\n",
  )[1];
  const [install, register, start, ...more] = [...guide.matchAll(/^```console\n(.*?)^```$/gms)].map(
    ([, block]) => block,
  );
  assert.ok(start && more.length === 0);

  const directory = scratch(),
    place = join(directory, "examples/discord-bot");
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(place, { recursive: true });
  cpSync(here, place, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
  const mancala = await new Mancala().start();
  t.after(() => mancala.end());
  const discord = await new Discord().start();
  t.after(() => discord.stop());

  // Nothing of this test's own surroundings.
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    npm_config_cache: process.env.npm_config_cache,
  };
  const run = (block, cwd) => promisify(execFile)("bash", ["--norc", "-euc", block], { cwd, env });
  await run(install, directory);

  // What one fills in, and what a test has to add.
  const values = {
    DISCORD_APPLICATION_ID: discord.applicationId,
    DISCORD_PUBLIC_KEY: discord.publicKey,
    DISCORD_TOKEN: discord.botToken,
    MANCALA_URL: mancala.url,
    PORT: await freePort(),
  };
  let file = readFileSync(join(place, ".env"), "utf8");
  for (const [name, value] of Object.entries(values)) {
    assert.match(file, new RegExp(`^${name}=`, "m"));
    file = file.replace(new RegExp(`^${name}=.*`, "m"), `${name}=${value}`);
  }
  writeFileSync(join(place, ".env"), `${file}DISCORD_API=${discord.url}\n`);

  const said = (await run(register, place)).stdout.trim().split("\n").at(-1);
  assert.ok(guide.includes(`\`${said}\``), said);
  const bot = new Process("bash", ["--norc", "-euc", start], { cwd: place, env, detached: true });
  t.after(() => process.kill(-bot.child.pid, "SIGTERM"));
  const [, url] = await bot.start(/listening on (\S+)/);
  await discord.setEndpoint(url);

  const channel = discord.channel(),
    siti = discord.person("siti"),
    budi = discord.person("budi");
  const { message } = await siti.command(channel, "congkak");
  await budi.press(message, "Join");
  assert.deepEqual(labels(message).slice(0, 7), ["1", "2", "3", "4", "5", "6", "7"]);
  const note = await discord.until(
    () =>
      channel.messages.find(({ content }) => /It is siti's turn/.test(content ?? "")) ??
      (/It is budi's turn/.test(message.embeds[0].description) && message),
    "whose turn it is",
  );
  assert.ok(note);
});
