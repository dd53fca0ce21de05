//! Who sits where: the two seats, a pair of something for both, and the name
//! of a spot on the board. Nothing here knows how many houses there are.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One of the two sides of the board. South moves first in an alternating game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Seat {
    /// The lower row of the drawing.
    South,
    /// The upper row of the drawing.
    North,
}

impl Seat {
    /// Both seats, south first.
    pub const ALL: [Seat; 2] = [Seat::South, Seat::North];

    /// The seat across the board.
    #[must_use]
    pub const fn other(self) -> Seat {
        match self {
            Seat::South => Seat::North,
            Seat::North => Seat::South,
        }
    }

    /// 0 for south, 1 for north.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `south` or `north`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Seat::South => "south",
            Seat::North => "north",
        }
    }

    /// The capital that stands for the seat in position text.
    pub(crate) const fn letter(self) -> char {
        match self {
            Seat::South => 'S',
            Seat::North => 'N',
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text that names no seat.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no seat: south or north")]
pub struct BadSeat(String);

impl FromStr for Seat {
    type Err = BadSeat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "south" => Ok(Seat::South),
            "north" => Ok(Seat::North),
            other => Err(BadSeat(other.chars().take(20).collect())),
        }
    }
}

/// A house, or the store of the seat that is spoken of. Written `s3`, `n4`, `st`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
    /// A seat's house, counted from 1 at that seat's left hand.
    House(Seat, u8),
    /// The own store of the seat that sows.
    Store,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spot::House(Seat::South, house) => write!(f, "s{house}"),
            Spot::House(Seat::North, house) => write!(f, "n{house}"),
            Spot::Store => f.write_str("st"),
        }
    }
}

/// A text that names no spot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no spot: s1, s2 … for south's houses, n1, n2 … for north's, st for the own store"
)]
pub struct BadSpot(String);

impl FromStr for Spot {
    type Err = BadSpot;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "st" {
            return Ok(Spot::Store);
        }
        let bad = || BadSpot(text.chars().take(20).collect());
        let seat = match text.as_bytes().first() {
            Some(b's') => Seat::South,
            Some(b'n') => Seat::North,
            _ => return Err(bad()),
        };
        let digits = &text[1..];
        let plain = !digits.is_empty()
            && !digits.starts_with('0')
            && digits.bytes().all(|b| b.is_ascii_digit());
        if !plain {
            return Err(bad());
        }
        digits
            .parse()
            .map(|house| Spot::House(seat, house))
            .map_err(|_| bad())
    }
}

impl Serialize for Spot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Spot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Spot {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .description(Some(
                "A house, `s3` or `n4`, or the own store of the seat that sows, `st`.",
            ))
            .pattern(Some("^([sn][1-9][0-9]?|st)$"))
            .examples(["n4"])
            .into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for Spot {}

/// One thing for each seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Sides<T> {
    /// South's.
    pub south: T,
    /// North's.
    pub north: T,
}

impl<T> Sides<T> {
    /// Asks `make` once for each seat, south first.
    pub fn from_fn(mut make: impl FnMut(Seat) -> T) -> Self {
        let south = make(Seat::South);
        let north = make(Seat::North);
        Sides { south, north }
    }
}

impl<T> Index<Seat> for Sides<T> {
    type Output = T;

    fn index(&self, seat: Seat) -> &T {
        match seat {
            Seat::South => &self.south,
            Seat::North => &self.north,
        }
    }
}

impl<T> IndexMut<Seat> for Sides<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        match seat {
            Seat::South => &mut self.south,
            Seat::North => &mut self.north,
        }
    }
}
