//! Where everything is, in units of which a house is 100 wide.

use mancala_rules::Seat;

use super::super::scene::Scene;

/// Around everything.
const MARGIN: f32 = 20.0;
/// The height of a seat's bar with the name, on a board of 7 houses.
const BAR: f32 = 74.0;
/// A house with its share of the wood.
const HOUSE: f32 = 100.0;
/// A store with its share of the wood.
const STORE: f32 = 124.0;
/// Wood at the ends of the board.
const END: f32 = 18.0;
/// How much smaller than the counts the houses' numbers are, and how much of the
/// wood's edge they take.
const NUMBER: f32 = 0.44;
const EDGE: f32 = 0.64;

/// The places of a board.
pub(super) struct Layout {
    pub(super) width: f32,
    pub(super) height: f32,
    /// Left, top, width, height.
    pub(super) board: (f32, f32, f32, f32),
    /// The height of the counts' numerals.
    pub(super) digits: f32,
    /// Half the width and height of a store.
    pub(super) store_radii: (f32, f32),
    /// The height of a seat's bar.
    bar: f32,
    pov: Seat,
    houses: f32,
    /// The left end of the rows.
    left: f32,
}

impl Layout {
    pub(super) fn new(scene: &Scene) -> Layout {
        let houses = f32::from(scene.houses());
        let stores = if scene.stores { STORE } else { 0.0 };
        // On a long board a house is small in the picture: its numerals grow.
        let digits = 50.0 + (houses - 7.0).max(0.0) * 3.0;
        let width = houses * HOUSE + 2.0 * (stores + END + MARGIN);
        let wood = 2.0 * ((1.0 + EDGE) * digits + 4.0 + HOUSE);
        let bar = BAR * (width / 1000.0).max(1.0);
        Layout {
            width,
            height: wood + 2.0 * bar,
            board: (MARGIN, bar, width - 2.0 * MARGIN, wood),
            bar,
            digits,
            store_radii: (48.0, 92.0),
            pov: scene.pov,
            houses,
            left: MARGIN + END + stores,
        }
    }

    /// Half the way across.
    fn middle(&self) -> f32 {
        self.height / 2.0
    }

    /// The middle of a house.
    pub(super) fn house(&self, seat: Seat, house: u8) -> (f32, f32) {
        let from_left = f32::from(house) - 0.5;
        match seat == self.pov {
            true => (self.left + from_left * HOUSE, self.middle() + HOUSE / 2.0),
            false => (
                self.left + (self.houses - from_left) * HOUSE,
                self.middle() - HOUSE / 2.0,
            ),
        }
    }

    /// The middle of a store, at its owner's left.
    pub(super) fn store(&self, seat: Seat) -> (f32, f32) {
        let from_end = MARGIN + END + STORE / 2.0 - 4.0;
        match seat == self.pov {
            true => (from_end, self.middle()),
            false => (self.width - from_end, self.middle()),
        }
    }

    /// The base line of a row's counts. A numeral is 0.7 of its font's size high.
    pub(super) fn count(&self, seat: Seat) -> f32 {
        match seat == self.pov {
            true => self.middle() + HOUSE + 3.0 + self.digits * 0.705,
            false => self.middle() - HOUSE - 4.0,
        }
    }

    /// The height of the numbers of the houses.
    pub(super) fn number_size(&self) -> f32 {
        self.digits * NUMBER
    }

    /// The base line of the numbers of a row's houses.
    pub(super) fn number(&self, seat: Seat) -> f32 {
        match seat == self.pov {
            true => self.middle() + HOUSE + self.digits * (1.0 + 0.705 * NUMBER) + 4.5,
            false => self.middle() - HOUSE - self.digits - 4.0,
        }
    }

    pub(super) fn bar(&self, seat: Seat) -> Bar {
        let (half, inward) = (self.bar / 2.0, 3.0);
        Bar {
            left: MARGIN,
            right: self.width - MARGIN - 12.0,
            middle: match seat == self.pov {
                true => self.height - half + inward,
                false => half,
            },
            scale: self.bar / BAR,
        }
    }
}

/// Where a seat's name stands.
pub(super) struct Bar {
    pub(super) left: f32,
    pub(super) right: f32,
    /// Half the way up.
    pub(super) middle: f32,
    /// How much larger it is than on a board of 7 houses.
    pub(super) scale: f32,
}

/// About how wide a text is in the bold font of size 1.
pub(super) fn advance(text: &str) -> f32 {
    let width = |letter: char| match letter {
        'W' => 1.12,
        'm' | 'w' | 'M' => 0.89,
        'i' | 'í' | 'j' | 'l' | 'I' | ' ' | ':' | '.' | ',' | '·' => 0.3,
        'f' | 'r' | 't' | '-' => 0.43,
        'A'..='Z' => 0.77,
        _ => 0.61,
    };
    text.chars().map(width).sum()
}
