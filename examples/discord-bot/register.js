// Tells Discord the slash commands: run it once, and after each change of them.
import { discord } from "./wires.js";

const options = [["houses", "of a row", 5, 15], ["seeds", "of a house", 1, 15],
  ["days", "for a turn; 3 unless given", 1, 30]].map(([name, description, min_value, max_value]) =>
  ({ type: 4, name, description, min_value, max_value }));
const commands = { congkak: "Offer a game of congkak", manqala: "Offer a game of al-manqala",
  games: "Your games", help: "The rules" };
await discord("PUT", `/applications/${process.env.DISCORD_APPLICATION_ID}/commands`,
  Object.entries(commands).map(([name, description], at) =>
    ({ name, description, options: at < 2 ? options : [], contexts: [0] }))); // 0: in servers
console.log("registered: /congkak /manqala /games /help");
