//! Position text: one line that holds a whole position, both ways. The grammar
//! with examples is in `docs/position.md`. Reading is strict, so that a
//! position has exactly one text.

use std::fmt;
use std::str::FromStr;

use crate::MAX_HOUSES;
use crate::position::{BadPosition, Hand, OpeningView, Position, Row};
use crate::seat::{Seat, Sides, Spot};

/// Longer than any position of the largest board.
const MAX_TEXT: usize = 400;

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_row(f, &self.board.south)?;
        f.write_str("/")?;
        write_row(f, &self.board.north)?;
        write!(f, " {}-{} ", self.board.south.store, self.board.north.store)?;
        if self.to_move.is_empty() {
            f.write_str("-")?;
        }
        for seat in &self.to_move {
            write!(f, "{}", seat.letter())?;
        }
        write!(
            f,
            " r{}:{}",
            self.round,
            self.starter.map_or('-', Seat::letter)
        )?;
        if let Some(view) = self.opening {
            f.write_str(" ")?;
            write_field(f, self, view, Seat::South)?;
            f.write_str("|")?;
            write_field(f, self, view, Seat::North)?;
            write!(f, " t{}", view.tick)?;
        }
        Ok(())
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, row: &Row) -> fmt::Result {
    for (index, seeds) in row.houses.iter().enumerate() {
        if index > 0 {
            f.write_str(",")?;
        }
        if row
            .burnt
            .iter()
            .any(|&house| usize::from(house) == index + 1)
        {
            f.write_str("x")?;
        } else {
            write!(f, "{seeds}")?;
        }
    }
    Ok(())
}

fn write_field(
    f: &mut fmt::Formatter<'_>,
    position: &Position,
    view: OpeningView,
    seat: Seat,
) -> fmt::Result {
    match (position.board[seat].hand, view.done[seat]) {
        (Some(hand), _) => write!(f, "{}@{}", hand.seeds, hand.over),
        (None, Some(tick)) => write!(f, ".{tick}"),
        (None, None) => f.write_str("?"),
    }
}

impl FromStr for Position {
    type Err = BadPosition;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_TEXT {
            return Err(BadPosition::TooLong(text.len()));
        }
        let mut reader = Reader {
            text: text.as_bytes(),
            at: 0,
        };
        let mut position = reader.position()?;
        position.normalise()?;
        Ok(position)
    }
}

/// What one seat's part of an opening says.
enum Field {
    Owes,
    Done(u32),
    Holds(Hand),
}

/// Walks the text byte by byte; every token of the grammar is ASCII.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn position(&mut self) -> Result<Position, BadPosition> {
        let mut south = self.row()?;
        self.expect(b'/', "`,` or `/`")?;
        let mut north = self.row()?;
        self.expect(b' ', "`,` or a space")?;
        south.store = self.number("a store's seeds")?;
        self.expect(b'-', "`-` between the stores")?;
        north.store = self.number("a store's seeds")?;
        self.expect(b' ', "a space")?;
        let to_move = self.movers()?;
        self.expect(b' ', "a space")?;
        self.expect(b'r', "`r` and the round")?;
        let round = self.positive("the round, from 1")?;
        self.expect(b':', "`:` and the starter")?;
        let starter = self.starter()?;
        let mut board = Sides { south, north };
        let opening = if self.at < self.text.len() {
            Some(self.opening(&mut board)?)
        } else {
            None
        };
        Ok(Position {
            board,
            to_move,
            round,
            starter,
            opening,
        })
    }

    fn bad<T>(&self, expected: &'static str) -> Result<T, BadPosition> {
        Err(BadPosition::Syntax {
            at: self.at + 1,
            expected,
        })
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), BadPosition> {
        if self.take(byte) {
            Ok(())
        } else {
            self.bad(expected)
        }
    }

    /// `0`, or digits without a leading zero, as far as the type reaches.
    fn number<N: TryFrom<u64>>(&mut self, expected: &'static str) -> Result<N, BadPosition> {
        let digits = self.text[self.at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let token = &self.text[self.at..self.at + digits];
        let plain = !token.is_empty() && digits <= 10 && (token[0] != b'0' || digits == 1);
        if !plain {
            return self.bad(expected);
        }
        let value = token
            .iter()
            .fold(0u64, |value, digit| value * 10 + u64::from(digit - b'0'));
        match N::try_from(value) {
            Ok(number) => {
                self.at += digits;
                Ok(number)
            }
            Err(_) => self.bad(expected),
        }
    }

    fn positive<N: TryFrom<u64>>(&mut self, expected: &'static str) -> Result<N, BadPosition> {
        if self.peek() == Some(b'0') {
            return self.bad(expected);
        }
        self.number(expected)
    }

    fn row(&mut self) -> Result<Row, BadPosition> {
        let mut houses = Vec::new();
        let mut burnt = Vec::new();
        loop {
            if houses.len() == usize::from(MAX_HOUSES) {
                return self.bad("at most 15 houses a row");
            }
            if self.take(b'x') {
                houses.push(0);
                burnt.push(houses.len() as u8);
            } else {
                houses.push(self.number("a house: its seeds, or `x` for a burnt one")?);
            }
            if !self.take(b',') {
                break;
            }
        }
        Ok(Row {
            houses,
            store: 0,
            burnt,
            hand: None,
        })
    }

    fn movers(&mut self) -> Result<Vec<Seat>, BadPosition> {
        if self.take(b'S') {
            let both = self.take(b'N');
            Ok(if both {
                vec![Seat::South, Seat::North]
            } else {
                vec![Seat::South]
            })
        } else if self.take(b'N') {
            Ok(vec![Seat::North])
        } else if self.take(b'-') {
            Ok(Vec::new())
        } else {
            self.bad("who is to move: `SN`, `S`, `N` or `-`")
        }
    }

    fn starter(&mut self) -> Result<Option<Seat>, BadPosition> {
        if self.take(b'S') {
            Ok(Some(Seat::South))
        } else if self.take(b'N') {
            Ok(Some(Seat::North))
        } else if self.take(b'-') {
            Ok(None)
        } else {
            self.bad("the starter: `S`, `N` or `-`")
        }
    }

    fn opening(&mut self, board: &mut Sides<Row>) -> Result<OpeningView, BadPosition> {
        self.expect(b' ', "the end, or a space and the opening")?;
        let south = self.field()?;
        self.expect(b'|', "`|`")?;
        let north = self.field()?;
        self.expect(b' ', "a space")?;
        self.expect(b't', "`t` and the tick")?;
        let tick = self.number("the tick")?;
        if self.at < self.text.len() {
            return self.bad("the end");
        }
        let mut done = Sides::default();
        for (seat, field) in [(Seat::South, south), (Seat::North, north)] {
            match field {
                Field::Owes => {}
                Field::Done(tick) => done[seat] = Some(tick),
                Field::Holds(hand) => board[seat].hand = Some(hand),
            }
        }
        Ok(OpeningView { tick, done })
    }

    fn field(&mut self) -> Result<Field, BadPosition> {
        const EXPECTED: &str = "`?`, `.` and a tick, or a hand such as `5@n4`";
        if self.take(b'?') {
            return Ok(Field::Owes);
        }
        if self.take(b'.') {
            return Ok(Field::Done(self.positive("a tick, from 1")?));
        }
        let seeds = self.positive(EXPECTED)?;
        self.expect(b'@', "`@` and where the hand is")?;
        let seat = if self.take(b's') {
            if self.take(b't') {
                return Ok(Field::Holds(Hand {
                    seeds,
                    over: Spot::Store,
                }));
            }
            Seat::South
        } else if self.take(b'n') {
            Seat::North
        } else {
            return self.bad("a spot: `s` or `n` and a house, or `st`");
        };
        let house = self.positive("a house's number, from 1")?;
        Ok(Field::Holds(Hand {
            seeds,
            over: Spot::House(seat, house),
        }))
    }
}
