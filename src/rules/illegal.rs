//! Why a choice, or another way to end a game, is refused.

use crate::seat::Seat;

/// Why a choice cannot be made. The state is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum IllegalMove {
    /// Nobody moves any more.
    #[error("the game is over")]
    Over,
    /// The other seat is to move, or this one has nothing to choose in the opening.
    #[error("{0} is not to move")]
    NotToMove(Seat),
    /// The seat's secret choice is already in.
    #[error("{0} has already chosen")]
    AlreadyCommitted(Seat),
    /// The row has no house of that number.
    #[error("there is no house {house}: houses are numbered 1 to {houses}")]
    NoSuchHouse {
        /// The number given.
        house: u8,
        /// How many there are.
        houses: u8,
    },
    /// A burnt house is out of play.
    #[error("{0}'s house {1} is burnt")]
    Burnt(Seat, u8),
    /// An empty house cannot be sown.
    #[error("{0}'s house {1} is empty")]
    Empty(Seat, u8),
    /// Al-manqala: the opponent's row is empty, and this house does not feed it.
    #[error("{0}'s house {1} does not feed the other row, which is empty")]
    MustFeed(Seat, u8),
}

/// Nothing can end a game that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the game is over")]
pub struct AlreadyOver;

/// Why the rest of the board cannot be halved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum CannotSplit {
    /// Only al-manqala has this ending.
    #[error("only in al-manqala may both seats agree to halve what circles")]
    NotAlManqala,
    /// The game is over.
    #[error("the game is over")]
    Over,
}
