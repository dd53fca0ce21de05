//! The board: a ring of cells in the congkak sowing order, and where a house
//! lies on it. Nothing here knows a rule of play beyond that order.
//!
//! The ring runs clockwise on the drawing: south n … 1, south's store, north
//! n … 1, north's store. A congkak hand walks it upwards and leaves out the
//! other seat's store; an al-manqala hand walks it downwards and leaves out
//! both. The house across from cell `i` is cell `2n − i`.
//!
//! A packed board (mover-relative, one addition per lap) could later stand
//! beside this one: everything that sows goes through [`Board::up`],
//! [`Board::down`] and plain cell access, in `congkak::sow` and `al_manqala`.

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

    /// The houses of a seat that hold a seed, in order. A burnt one never does.
    pub(crate) fn filled(&self, seat: Seat) -> impl Iterator<Item = u8> + '_ {
        (1..=self.houses()).filter(move |&house| self.cells[self.cell(seat, house)] > 0)
    }
}
