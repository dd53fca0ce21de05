//! What a ruleset fixes: one small struct of named choices per family. Which
//! values a preset has is in `presets`, how overrides are checked in
//! `overrides`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The two kinds of game. Each has its own engine and its own parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Family {
    /// Relay sowing with stores.
    Congkak,
    /// Single laps, captures of two and four.
    AlManqala,
}

impl Family {
    /// `congkak` or `al-manqala`, as a person would write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Family::Congkak => "congkak",
            Family::AlManqala => "al-manqala",
        }
    }
}

/// Declares an enum that is one word in JSON, with the list of its words. They are
/// `tt`, not `literal`: the schema's derive does not see through the latter.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $variant:ident = $word:tt),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        pub enum $name {
            $($(#[$word_doc])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// Every word this parameter may be.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
        }
    };
}

words! {
    /// How the first round begins.
    OpeningRule {
        /// South moves first, the seats take turns.
        Alternating = "alternating",
        /// Both choose in secret and sow together.
        Simultaneous = "simultaneous",
    }
}

words! {
    /// What becomes of a last seed in an empty own house that faces an empty one.
    EmptyOpposite {
        /// It stays where it fell.
        Stay = "stay",
        /// It goes to the own store.
        Bank = "bank",
    }
}

words! {
    /// When a round is over.
    RoundEnd {
        /// The seat to move has no seed in its row.
        MoverEmpty = "mover_empty",
        /// Either row is empty.
        SideEmpty = "side_empty",
    }
}

words! {
    /// How a seat fills its row for the next round.
    Refill {
        /// House by house, each in full, while the store lasts.
        LeftToRight = "left_to_right",
        /// One seed at a time, round and round.
        Even = "even",
    }
}

words! {
    /// What a hand does at a burnt house.
    BurntRule {
        /// Passes over it without a drop.
        Skip = "skip",
        /// Drops a seed, which goes to the store of the sower's opponent.
        Confiscate = "confiscate",
    }
}

words! {
    /// What counts as feeding an empty row.
    Feeding {
        /// A pearl is dropped there, even if it is captured again.
        Deposit = "deposit",
        /// A pearl is still there when the ply is over.
        Leaves = "leaves",
    }
}

/// The parameters of the congkak family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CongkakRules {
    /// Houses a row, 5 to 15.
    pub houses: u8,
    /// Seeds a house at the start, 1 to 15.
    pub seeds: u8,
    /// How the first round begins.
    pub opening: OpeningRule,
    /// A last seed in an empty own house that faces an empty one.
    pub empty_opposite: EmptyOpposite,
    /// When a round is over.
    pub round_end: RoundEnd,
    /// How many rounds at most, 1 to 100; null: to the end of the series.
    pub max_rounds: Option<u8>,
    /// How a row is filled for the next round.
    pub refill: Refill,
    /// What a hand does at a burnt house.
    pub burnt: BurntRule,
    /// Whether a burnt house may open again in a later round.
    pub burnt_recoverable: bool,
}

/// The parameters of al-manqala.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AlManqalaRules {
    /// Houses a row, 5 to 15.
    pub houses: u8,
    /// Pearls a house at the start, 1 to 15.
    pub seeds: u8,
    /// What counts as feeding an empty row.
    pub feeding: Feeding,
    /// At which occurrence of a position the pearls are halved, 2 to 10; null: only by agreement.
    pub loop_repeat: Option<u8>,
}

/// The full parameters of one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Rules {
    /// A game of the congkak family.
    Congkak(CongkakRules),
    /// A game of al-manqala.
    AlManqala(AlManqalaRules),
}

impl Rules {
    /// Houses a row.
    #[must_use]
    pub const fn houses(&self) -> u8 {
        match self {
            Rules::Congkak(rules) => rules.houses,
            Rules::AlManqala(rules) => rules.houses,
        }
    }

    /// Seeds a house at the start.
    #[must_use]
    pub const fn seeds(&self) -> u8 {
        match self {
            Rules::Congkak(rules) => rules.seeds,
            Rules::AlManqala(rules) => rules.seeds,
        }
    }

    /// All the seeds of the game: 2 · houses · seeds, at most 450.
    #[must_use]
    pub const fn total_seeds(&self) -> u16 {
        2 * self.houses() as u16 * self.seeds() as u16
    }

    /// Which engine plays it.
    #[must_use]
    pub const fn family(&self) -> Family {
        match self {
            Rules::Congkak(_) => Family::Congkak,
            Rules::AlManqala(_) => Family::AlManqala,
        }
    }

    /// The full parameters as a flat JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        // A struct of numbers and words has no way to fail here.
        serde_json::to_value(self).unwrap_or_default()
    }
}
