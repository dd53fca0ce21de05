// The ruleset `congkak` of docs/rules.md as a game of boardgame.io: one round,
// `empty_opposite` stay, `round_end` mover_empty.

// One ring in the order of sowing: south's houses 7 to 1, south's store, north's
// houses 7 to 1, north's store. A house and the one across add up to 14.
const STORES = [7, 15];
const house = (seat, number) => STORES[seat] - number;
const row = (cells, seat) => cells.slice(STORES[seat] - 7, STORES[seat]);
const isEmpty = (cells, seat) => row(cells, seat).every((seeds) => seeds === 0);

// Sows a house with all its relays. True: an extra turn.
function sow(cells, seat, from) {
  for (;;) {
    let hand = cells[from];
    cells[from] = 0;
    let at = from;
    while (hand > 0) {
      at = (at + 1) % 16;
      if (at === STORES[1 - seat]) continue;
      cells[at] += 1;
      hand -= 1;
    }
    if (at === STORES[seat]) return true;
    if (cells[at] > 1) {
      from = at;
      continue;
    }
    const isHome = at < STORES[seat] && at >= STORES[seat] - 7;
    const across = 14 - at;
    if (isHome && cells[across] > 0) {
      cells[STORES[seat]] += cells[across] + 1;
      cells[across] = 0;
      cells[at] = 0;
    }
    return false;
  }
}

function sweep(cells) {
  for (const seat of [0, 1]) {
    cells[STORES[seat]] += row(cells, seat).reduce((sum, seeds) => sum + seeds, 0);
    cells.fill(0, STORES[seat] - 7, STORES[seat]);
  }
}

exports.view = (cells) => ({
  houses: [0, 1].map((seat) => row(cells, seat).reverse()),
  stores: STORES.map((store) => cells[store]),
});

exports.Congkak = {
  name: 'congkak',
  minPlayers: 2,
  maxPlayers: 2,
  // Without copies of earlier states, which it would read and write with each move.
  disableUndo: true,
  setup: () => ({ cells: Array.from({ length: 16 }, (_, at) => (STORES.includes(at) ? 0 : 7)), over: false }),
  moves: {
    sow: ({ G, playerID, events }, number) => {
      const seat = Number(playerID);
      if (!(number >= 1 && number <= 7) || !G.cells[house(seat, number)]) return 'INVALID_MOVE';
      // A copy, for sowing in what Immer watches is slow.
      const cells = [...G.cells];
      const again = sow(cells, seat, house(seat, number));
      if (isEmpty(cells, again ? seat : 1 - seat)) {
        sweep(cells);
        G.over = true;
      } else if (!again) {
        events.endTurn();
      }
      G.cells = cells;
    },
  },
  endIf: ({ G }) => {
    if (!G.over) return undefined;
    const [south, north] = STORES.map((store) => G.cells[store]);
    return { winner: south > north ? 'south' : north > south ? 'north' : 'draw' };
  },
};
