//! The board: a ring of cells in the congkak sowing order, and where a house
//! lies on it. Nothing here knows a rule of play beyond that order.
//!
//! The ring runs clockwise on the drawing: south n … 1, south's store, north
//! n … 1, north's store. A congkak hand walks it upwards and leaves out the
//! other seat's store; an al-manqala hand walks it downwards and leaves out
//! both. The house across from cell `i` is cell `2n − i`.
//!
//! A lap of a congkak hand is one addition to all cells at once ([`Board::lap`])
//! where no house is burnt, and goes from cell to cell ([`Board::up`]) where one is.

use crate::houses::Houses;
use crate::seat::{Seat, Spot};
use crate::{MAX_HOUSES, Rules};

/// Two rows of houses and two stores.
const CELLS: usize = 2 * (MAX_HOUSES as usize + 1);

/// A cell's place on the ring.
pub(crate) type Cell = usize;

/// All seeds that are not in a hand, and which houses are burnt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Board {
    n: usize,
    cells: [u16; CELLS],
    /// One bit a cell.
    burnt: u32,
}

impl Board {
    /// A board without a seed.
    pub(crate) fn empty(houses: u8) -> Board {
        Board {
            n: usize::from(houses),
            cells: [0; CELLS],
            burnt: 0,
        }
    }

    /// The usual start: every house full, the stores empty.
    pub(crate) fn full(rules: Rules) -> Board {
        let mut board = Board::empty(rules.houses());
        for seat in Seat::ALL {
            for house in 1..=rules.houses() {
                let cell = board.cell(seat, house);
                board.cells[cell] = u16::from(rules.seeds());
            }
        }
        board
    }

    /// Houses a row.
    pub(crate) fn houses(&self) -> u8 {
        self.n as u8
    }

    /// Where a house lies. `house` must be one of the row.
    pub(crate) fn cell(&self, seat: Seat, house: u8) -> Cell {
        debug_assert!(house >= 1 && usize::from(house) <= self.n);
        let first = if seat == Seat::South { 0 } else { self.n + 1 };
        first + self.n - usize::from(house)
    }

    /// Where a seat's store lies.
    pub(crate) fn store_cell(&self, seat: Seat) -> Cell {
        if seat == Seat::South {
            self.n
        } else {
            2 * self.n + 1
        }
    }

    /// Whether this cell is a house of that seat.
    pub(crate) fn is_house_of(&self, cell: Cell, seat: Seat) -> bool {
        if seat == Seat::South {
            cell < self.n
        } else {
            cell > self.n && cell <= 2 * self.n
        }
    }

    /// The name of a cell. Both stores are just "the own store".
    pub(crate) fn spot(&self, cell: Cell) -> Spot {
        let n = self.n;
        if cell < n {
            Spot::House(Seat::South, (n - cell) as u8)
        } else if cell > n && cell <= 2 * n {
            Spot::House(Seat::North, (2 * n + 1 - cell) as u8)
        } else {
            Spot::Store
        }
    }

    /// The house across the board. Not for a store.
    pub(crate) fn opposite(&self, cell: Cell) -> Cell {
        2 * self.n - cell
    }

    pub(crate) fn seeds(&self, cell: Cell) -> u16 {
        self.cells[cell]
    }

    pub(crate) fn seeds_mut(&mut self, cell: Cell) -> &mut u16 {
        &mut self.cells[cell]
    }

    /// Takes everything out of a cell.
    pub(crate) fn lift(&mut self, cell: Cell) -> u16 {
        std::mem::take(&mut self.cells[cell])
    }

    pub(crate) fn store(&self, seat: Seat) -> u16 {
        self.cells[self.store_cell(seat)]
    }

    /// Adds to a seat's store.
    pub(crate) fn bank(&mut self, seat: Seat, seeds: u16) {
        let cell = self.store_cell(seat);
        self.cells[cell] += seeds;
    }

    pub(crate) fn is_burnt(&self, cell: Cell) -> bool {
        self.burnt >> cell & 1 == 1
    }

    pub(crate) fn burnt_count(&self) -> u32 {
        self.burnt.count_ones()
    }

    pub(crate) fn set_burnt(&mut self, cell: Cell, burnt: bool) {
        self.burnt = self.burnt & !(1 << cell) | u32::from(burnt) << cell;
    }

    /// Where a congkak hand of `seat` goes next, burnt houses not yet thought of.
    pub(crate) fn up(&self, seat: Seat, cell: Cell) -> Cell {
        let last = 2 * self.n + 1;
        // The other seat's store is never sown into: step past it.
        if seat == Seat::South {
            if cell + 1 >= last { 0 } else { cell + 1 }
        } else if cell >= last {
            0
        } else if cell + 1 == self.n {
            self.n + 1
        } else {
            cell + 1
        }
    }

    /// Lifts the house `from` and drops its seeds one by one on the way of a congkak hand
    /// of `seat`, with no house burnt: where the last one fell.
    ///
    /// Every cell on the way gets one for each time the hand comes all around, and the
    /// first ones after `from` one more. No branch depends on how many there are.
    #[inline]
    pub(crate) fn lap(&mut self, seat: Seat, from: Cell) -> Cell {
        let n = self.n;
        let way = 2 * n + 1;
        let north = seat == Seat::North;
        // On its way the cells are numbered without the other seat's store.
        let at = from - usize::from(north && from > n);
        let with_store = |cells: u64| {
            let low = (1 << n) - 1;
            match north {
                true => (cells & low | (cells & !low) << 1) as u32,
                false => cells as u32,
            }
        };
        let whole = (1_u64 << way) - 1;
        let hand = usize::from(self.cells[from]);
        let (around, rest) = match hand < way {
            true => (0, hand),
            false => (hand / way, hand % way),
        };
        let span = ((1_u64 << rest) - 1) << (at + 1);
        self.replace(1 << from, with_store((span | span >> way) & whole), 1);
        if around > 0 {
            self.replace(0, with_store(whole), around as u16);
        }
        let last = at + rest - if at + rest >= way { way } else { 0 };
        last + usize::from(north && last >= n)
    }

    /// Empties some cells, then adds so many seeds to each of others; one bit a cell. All
    /// at once: a single cell that has just been written would have to be waited for.
    #[inline]
    fn replace(&mut self, empty: u32, fill: u32, seeds: u16) {
        /// All ones where the bit of `place` is set: written so that it takes no branch.
        fn lane(cells: u16, place: usize) -> u16 {
            u16::from(cells & 1 << place == 1 << place).wrapping_neg()
        }
        let halves = if self.n < 8 { 1 } else { 2 };
        for (half, row) in self.cells.chunks_exact_mut(16).take(halves).enumerate() {
            let (empty, fill) = ((empty >> (16 * half)) as u16, (fill >> (16 * half)) as u16);
            for (place, cell) in row.iter_mut().enumerate() {
                *cell = (*cell & !lane(empty, place)) + (seeds & lane(fill, place));
            }
        }
    }

    /// Where an al-manqala hand goes next: no store is on its way.
    pub(crate) fn down(&self, cell: Cell) -> Cell {
        if cell == 0 {
            2 * self.n
        } else if cell == self.n + 1 {
            self.n - 1
        } else {
            cell - 1
        }
    }

    /// The house an al-manqala hand was at before this one.
    pub(crate) fn back(&self, cell: Cell) -> Cell {
        if cell == 2 * self.n {
            0
        } else if cell + 1 == self.n {
            self.n + 1
        } else {
            cell + 1
        }
    }

    fn row(&self, seat: Seat) -> &[u16] {
        let first = if seat == Seat::South { 0 } else { self.n + 1 };
        &self.cells[first..first + self.n]
    }

    /// The seeds in a seat's houses.
    pub(crate) fn row_total(&self, seat: Seat) -> u16 {
        self.row(seat).iter().sum()
    }

    pub(crate) fn row_is_empty(&self, seat: Seat) -> bool {
        self.row(seat).iter().all(|&seeds| seeds == 0)
    }

    /// Takes everything out of a seat's houses.
    pub(crate) fn clear_row(&mut self, seat: Seat) -> u16 {
        let total = self.row_total(seat);
        let first = if seat == Seat::South { 0 } else { self.n + 1 };
        self.cells[first..first + self.n].fill(0);
        total
    }

    /// The seeds of a seat's houses 1..n.
    pub(crate) fn row_houses(&self, seat: Seat) -> Vec<u16> {
        self.row(seat).iter().rev().copied().collect()
    }

    /// The burnt houses of a seat, in order.
    pub(crate) fn row_burnt(&self, seat: Seat) -> Vec<u8> {
        (1..=self.houses())
            .filter(|&house| self.is_burnt(self.cell(seat, house)))
            .collect()
    }

    /// The houses of a seat that hold a seed. A burnt one never does.
    pub(crate) fn filled(&self, seat: Seat) -> Houses {
        let row = self.row(seat).iter().rev().zip(1..);
        row.fold(Houses::default(), |filled, (&seeds, house)| {
            filled.with(house, seeds > 0)
        })
    }
}
