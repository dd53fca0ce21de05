// First plays the same games on both sides and compares the boards, then measures both
// in turns. node measure.js PORT-OF-MANCALA-POST PORT-OF-BOARDGAME.IO SECONDS ROUNDS
const assert = require('node:assert');
const { Post, Boardgame } = require('./sides.js');

const [post, boardgame, seconds, rounds] = process.argv.slice(2).map(Number);
const SIDES = [new Post(post), new Boardgame(boardgame)];
const CLIENTS = [1, 8, 32];
const COMPARED = 8;
// A random game has 36 moves on average.
const MOVES_A_GAME = 36;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Numbers of a seed (mulberry32): both sides get the same choices.
function generator(seed) {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function choose({ houses, mover }, random) {
  const legal = houses[mover].flatMap((seeds, at) => (seeds > 0 ? [at + 1] : []));
  return legal[Math.floor(random() * legal.length)];
}

const quantile = (values, part) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * part)];
};
const median = (values) => quantile(values, 0.5);

async function compare() {
  let moves = 0;
  for (let seed = 0; seed < COMPARED; seed++) {
    const lines = SIDES.map((side) => side.line());
    const games = await Promise.all(SIDES.map((side, at) => side.make(lines[at])));
    const random = generator(seed);
    for (;;) {
      assert.deepStrictEqual(games[0].state, games[1].state, `game ${seed}, move ${moves}`);
      if (games[0].state.mover === null) break;
      const house = choose(games[0].state, random);
      await Promise.all(SIDES.map((side, at) => side.move(lines[at], games[at], house)));
      moves += 1;
    }
    SIDES.forEach((side, at) => {
      side.drop(games[at]);
      lines[at].close();
    });
  }
  console.log(`the same boards, seats to move and winners in ${COMPARED} whole games of ${moves} moves`);
}

// Games are made before the time is taken: it is moves that are compared.
async function prepare(side, count) {
  const games = [];
  const make = async () => {
    const line = side.line();
    while (count-- > 0) games.push(await side.make(line));
    line.close();
  };
  await Promise.all(Array.from({ length: 8 }, make));
  return games;
}

async function round(side, clients, expected) {
  const games = await prepare(side, clients + Math.ceil((1.5 * expected) / MOVES_A_GAME));
  const waiting = [...games];
  await sleep(300);
  const took = [];
  const cpu = process.cpuUsage();
  const began = performance.now();
  const until = began + seconds * 1000;
  const hung = setTimeout(() => {
    throw new Error(`${side.name} has not answered for 30 s`);
  }, seconds * 1000 + 30000);
  const play = async (_, client) => {
    const line = side.line();
    const random = generator(1000 + client);
    let game = waiting.pop();
    while (performance.now() < until) {
      if (game.state.mover === null) {
        // One that has to be made while the time runs is rare.
        game = waiting.pop() ?? games[games.push(await side.make(line)) - 1];
      }
      const house = choose(game.state, random);
      const sent = performance.now();
      await side.move(line, game, house);
      took.push(performance.now() - sent);
    }
    line.close();
  };
  await Promise.all(Array.from({ length: clients }, play));
  const elapsed = (performance.now() - began) / 1000;
  clearTimeout(hung);
  const { user, system } = process.cpuUsage(cpu);
  games.forEach((game) => side.drop(game));
  // What it still has to write is written before the other side has its turn.
  await sleep(700);
  const load = (user + system) / 1e6 / elapsed;
  return { rate: took.length / elapsed, p50: median(took), p99: quantile(took, 0.99), load };
}

const COLUMNS = { rate: 'moves/s', p50: 'p50, ms', p99: 'p99, ms', load: 'load, cores' };

async function main() {
  await compare();
  const expected = [];
  // Not counted: it warms both up, and says how many games the rounds need.
  for (const side of SIDES) expected.push((await round(side, 8, 400 * seconds)).rate * seconds);
  const heads = Object.values(COLUMNS).map((head) => head.padStart(12));
  console.log(`\nmedians of ${rounds} rounds of ${seconds} s, in turns\n${'games'.padEnd(22)}${heads.join('')}`);
  for (const clients of CLIENTS) {
    const found = SIDES.map(() => []);
    for (let turn = 0; turn < rounds; turn++) {
      for (const [at, side] of SIDES.entries()) {
        const figures = await round(side, clients, expected[at]);
        expected[at] = Math.max(expected[at], figures.rate * seconds);
        found[at].push(figures);
      }
    }
    const medians = found.map((all) =>
      Object.fromEntries(Object.keys(COLUMNS).map((key) => [key, median(all.map((one) => one[key]))])),
    );
    SIDES.forEach((side, at) => {
      const figures = Object.keys(COLUMNS).map((key) => medians[at][key].toFixed(key === 'rate' ? 0 : 2).padStart(12));
      console.log(`${String(clients).padStart(4)} ${side.name.padEnd(17)}${figures.join('')}`);
    });
    const [ours, theirs] = medians;
    const ratio = (theirs.p99 / ours.p99).toFixed(1);
    console.log(`     ratio${(ours.rate / theirs.rate).toFixed(1).padStart(24)}${`1/${ratio}`.padStart(24)}`);
  }
}

main().then(() => process.exit(0));
