//! A game as a record for research: what was chosen, by whom and when, and
//! nothing that the rules cannot tell from that. Pure, like the rules.
//!
//! In reading order: [`Record`] and its rows ([`Entry`]), playing them again
//! ([`replay`], [`rows`]), the few bytes they are stored in ([`packed`]), a line of
//! JSON ([`json`]), a text ([`text`]), what a record from elsewhere must be
//! ([`check`]), the key of a position ([`key`]), what the search looks for
//! ([`index`]), and games that nobody played ([`generate`]).

pub mod check;
pub mod generate;
pub mod index;
pub mod json;
pub mod key;
pub mod packed;
pub mod replay;
pub mod rows;
pub mod stream;
pub mod text;
pub mod time;
pub mod trial;

use chrono::{DateTime, Utc};
use mancala_rules::{Position, Rules, Seat, Sides, State};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A game that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The game.
    pub id: Uuid,
    /// The preset it was made from.
    pub ruleset: String,
    /// Of the preset.
    pub revision: u32,
    /// All parameters, as played.
    pub rules: Rules,
    /// Where it began, if not at the ruleset's own start.
    pub start: Option<Position>,
    /// Who sat where.
    pub seats: Sides<Party>,
    /// How long a choice could take.
    pub clock: Option<Clock>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When both seats were taken.
    pub started_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
    /// Where it comes from.
    pub source: Origin,
    /// When it came here, if it was not played here.
    pub imported_at: Option<DateTime<Utc>>,
    /// The whole log, also what was taken back.
    pub rows: Vec<Entry>,
}

impl Record {
    /// The state before the first row.
    ///
    /// # Errors
    /// When the game cannot begin there.
    pub fn first(&self) -> Result<State, mancala_rules::BadStart> {
        match &self.start {
            None => Ok(State::start(self.rules)),
            Some(position) => State::custom(self.rules, position),
        }
    }
}

/// Whoever had a seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RecordSeat)]
pub struct Party {
    /// The pseudonym of a player of this server, or the name that an imported
    /// record gives; none without either.
    pub player: Option<String>,
    /// What it was.
    pub kind: Kind,
}

/// How long a choice could take, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RecordClock)]
pub struct Clock {
    /// For each choice.
    pub per_move: u32,
    /// Beyond that, for the whole game.
    pub reserve: Option<u32>,
}

/// One row of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What happened.
    pub what: What,
    /// Who brought it about.
    pub source: Source,
    /// Milliseconds since the choice was owed, where they are known.
    pub elapsed_ms: Option<u64>,
    /// When, to the millisecond, where it is known.
    pub played_at: Option<DateTime<Utc>>,
}

/// What a row of the log says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A choice.
    Sow {
        /// Who chose.
        seat: Seat,
        /// What was chosen.
        house: u8,
    },
    /// Both seats went back.
    Takeback {
        /// Who asked for it.
        seat: Seat,
        /// The row that play goes on after.
        to_ply: u32,
    },
    /// An end without a choice.
    End {
        /// Why.
        reason: EndReason,
        /// The seat that brought it about, if one did.
        by: Option<Seat>,
    },
}

/// Declares an enum of words, with the way to and from a word.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$word_doc])* $variant),+
        }

        impl $name {
            /// Every one.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word in JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word),+
                }
            }

            /// The one of that word.
            #[must_use]
            pub fn of_word(word: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|one| one.as_str() == word)
            }
        }
    };
}

words! {
    /// Where a game comes from.
    Origin {
        /// It was played on this server.
        Played = "played",
        /// It was played elsewhere.
        Imported = "imported",
        /// A program chose at random.
        Generated = "generated",
    }
}

words! {
    /// What had a seat.
    Kind {
        /// A person.
        Human = "human",
        /// A program.
        Bot = "bot",
        /// Whoever held the seat's token.
        Anonymous = "anonymous",
    }
}

words! {
    /// Why a game ended without a choice.
    EndReason {
        /// A seat gave up.
        Resignation = "resignation",
        /// A seat was late.
        Timeout = "timeout",
        /// Both agreed on a draw.
        Agreement = "agreement",
        /// Both agreed to halve the board.
        Loop = "loop",
        /// It was called off.
        Aborted = "aborted",
    }
}

words! {
    /// Who brought a row about.
    Source {
        /// A seat, at that moment.
        Player = "player",
        /// The server, when a time had passed.
        Server = "server",
        /// A seat, in a line of conditional moves that it had laid down.
        Conditional = "conditional",
    }
}

#[cfg(test)]
mod tests;
