// Tells Discord the slash commands: run it once, and after each change of them.
import { discord } from "./wires.js";
import { say } from "./words.js";

const number = (name, description, min_value, max_value) =>
  ({ type: 4, name, description, min_value, max_value });
const size = [number("houses", "of a row", 5, 15), number("seeds", "of a house", 1, 15),
  number("days", "for a turn, 3 unless given", 1, 30)];
const commands = ["congkak", "manqala", "games", "help"].map((name) => ({
  name, description: say("en", name), options: /games|help/.test(name) ? [] : size,
  description_localizations: { id: say("ms", name), "es-ES": say("es", name) },
  contexts: [0], // in servers: a game takes two
}));
await discord("PUT", `/applications/${process.env.DISCORD_APPLICATION_ID}/commands`, commands);
console.log("registered: /congkak /manqala /games /help");
