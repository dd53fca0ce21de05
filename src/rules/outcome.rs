//! How a game or a round came out, as data.

use serde::{Deserialize, Serialize};

use crate::seat::{Seat, Sides};

/// Who won.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Winner {
    /// South won.
    South,
    /// North won.
    North,
    /// Nobody did.
    Draw,
}

impl Winner {
    /// The seat with more seeds; a draw when they are equal.
    pub(crate) fn by_seeds(score: Sides<u16>) -> Winner {
        match score.south.cmp(&score.north) {
            std::cmp::Ordering::Greater => Winner::South,
            std::cmp::Ordering::Less => Winner::North,
            std::cmp::Ordering::Equal => Winner::Draw,
        }
    }

    /// The seat that won, if one did.
    #[must_use]
    pub const fn seat(self) -> Option<Seat> {
        match self {
            Winner::South => Some(Seat::South),
            Winner::North => Some(Seat::North),
            Winner::Draw => None,
        }
    }

    /// `south`, `north` or `draw`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Winner::South => "south",
            Winner::North => "north",
            Winner::Draw => "draw",
        }
    }
}

impl From<Seat> for Winner {
    fn from(seat: Seat) -> Winner {
        match seat {
            Seat::South => Winner::South,
            Seat::North => Winner::North,
        }
    }
}

/// Why a game is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Reason {
    /// The last round is over, or no pearl is left: the stores were compared.
    MostSeeds,
    /// Al-manqala: more than half of all pearls.
    Majority,
    /// Al-manqala: a row is empty and nobody can feed it.
    Starvation,
    /// Al-manqala: the rest only circles and was halved.
    Loop,
    /// Congkak in rounds: a seat cannot fill its row any more.
    CannotRefill,
    /// A seat gave up.
    Resignation,
    /// A seat's time ran out.
    Timeout,
    /// Both agreed on a draw.
    Agreement,
}

impl Reason {
    /// The word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::MostSeeds => "most_seeds",
            Reason::Majority => "majority",
            Reason::Starvation => "starvation",
            Reason::Loop => "loop",
            Reason::CannotRefill => "cannot_refill",
            Reason::Resignation => "resignation",
            Reason::Timeout => "timeout",
            Reason::Agreement => "agreement",
        }
    }
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Outcome {
    /// Who won.
    pub winner: Winner,
    /// Why it is over.
    pub reason: Reason,
    /// The stores. Seeds still on the board count for nobody.
    pub score: Sides<u16>,
    /// The seat that resigned or ran out of time.
    pub ended_by: Option<Seat>,
}

/// One round: its totals once it is finished, null before.
///
/// A game that ended by another way than its round's end (a resignation, a
/// majority …) leaves its last round without totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RoundTotals {
    /// Counted from 1.
    pub round: u16,
    /// Who moved first; null until a simultaneous opening is over.
    pub starter: Option<Seat>,
    /// South's store when the round was over.
    pub south: Option<u16>,
    /// North's store when the round was over.
    pub north: Option<u16>,
}
