//! A position as data: the board of a state, who owes a choice, the round, and
//! an opening's hands. What makes one consistent in itself is checked here;
//! its text is in `notation`, whether it fits a ruleset in `start`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::MAX_HOUSES;
use crate::seat::{Seat, Sides, Spot};

/// A position, as it stands in a state's JSON and in position text.
///
/// It does not hold the result, the turn, finished rounds and how often it has
/// occurred, nor any secret choice.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Position {
    /// Both rows.
    pub board: Sides<Row>,
    /// The seats that owe a choice, a secret one already made or not. Empty
    /// when the game is over.
    pub to_move: Vec<Seat>,
    /// From 1.
    pub round: u16,
    /// Who moved first in this round; null until an opening is over.
    #[serde(default)]
    pub starter: Option<Seat>,
    /// Stands exactly in an unfinished simultaneous opening.
    #[serde(default)]
    pub opening: Option<OpeningView>,
}

/// A seat's side of the board.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Row {
    /// The seeds of houses 1..n; `houses[0]` is house 1.
    pub houses: Vec<u16>,
    /// The seeds in the store.
    pub store: u16,
    /// The numbers of the burnt houses, in order.
    #[serde(default)]
    pub burnt: Vec<u8>,
    /// A hand in mid-air while an opening pauses.
    #[serde(default)]
    pub hand: Option<Hand>,
}

/// A hand in mid-air.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Hand {
    /// What is still held.
    pub seeds: u16,
    /// Where its last drop was, or where it was lifted.
    pub over: Spot,
}

/// How far a simultaneous opening is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OpeningView {
    /// Ticks so far.
    pub tick: u32,
    /// The tick at which a seat's opening ended, null while it has not.
    pub done: Sides<Option<u32>>,
}

/// Why something is no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPosition {
    /// No position text is that long.
    #[error("the position has {0} characters, more than any position can have")]
    TooLong(usize),
    /// The text breaks the grammar.
    #[error("the position breaks off at character {at}: expected {expected}")]
    Syntax {
        /// Counted from 1.
        at: usize,
        /// What should stand there.
        expected: &'static str,
    },
    /// The JSON has another shape.
    #[error("{0}")]
    Json(String),
    /// A row is too short or too long for any game.
    #[error("a row has 1 to 15 houses, not {0}")]
    RowLength(usize),
    /// The two rows differ.
    #[error("south's row has {south} houses, north's {north}")]
    UnequalRows {
        /// Houses in south's row.
        south: usize,
        /// Houses in north's row.
        north: usize,
    },
    /// A burnt house that is not there, or is named twice.
    #[error("{0}'s burnt house {1} is no house of its row, or is named twice")]
    BurntHouse(Seat, u8),
    /// A burnt house that holds seeds.
    #[error("{0}'s house {1} is burnt and can hold no seed")]
    BurntHolds(Seat, u8),
    /// A hand outside an opening.
    #[error("{0} has a hand in mid-air, which there is in a simultaneous opening only")]
    HandInPlay(Seat),
    /// A hand without a seed.
    #[error("{0}'s hand is empty")]
    EmptyHand(Seat),
    /// A hand over a house that is not there.
    #[error("{0}'s hand is over {1}, which is not on the board")]
    HandOver(Seat, Spot),
    /// More than one way for a seat to be in an opening.
    #[error("in an opening {0} either owes a choice, or has a hand, or is done: exactly one")]
    OpeningSeat(Seat),
    /// Nobody owes a choice in an unfinished opening.
    #[error("an unfinished opening waits for a choice, but neither seat owes one")]
    OpeningWithoutChoice,
    /// The seats to move are not those that owe a choice.
    #[error("in an opening the seats to move are those that owe a choice")]
    OpeningMovers,
    /// An opening after the first round.
    #[error("a simultaneous opening is in round 1, not {0}")]
    OpeningRound(u16),
    /// A starter before anyone has started.
    #[error("in an unfinished opening the round has no starter")]
    OpeningStarter,
    /// Rounds are counted from 1.
    #[error("rounds are counted from 1")]
    RoundZero,
    /// Two movers, or the same one twice, in normal play.
    #[error("outside an opening one seat is to move")]
    Movers,
    /// Nobody started the round.
    #[error("outside an opening the round has a starter")]
    NoStarter,
    /// The rows do not have the game's number of houses.
    #[error("the rows have {given} houses, the rules ask for {expected}")]
    Houses {
        /// In the position.
        given: usize,
        /// By the rules.
        expected: u8,
    },
    /// Seeds are missing, or there are too many.
    #[error(
        "there are {given} seeds on the board, in stores and in hands, the rules ask for {expected}"
    )]
    TotalSeeds {
        /// In the position.
        given: u32,
        /// By the rules.
        expected: u16,
    },
    /// A stored secret choice that nobody owes, or both at once.
    #[error("{0} holds a secret choice that it cannot have made")]
    Committed(Seat),
}

impl Position {
    /// All seeds: houses, stores and hands.
    pub(crate) fn total_seeds(&self) -> u32 {
        Seat::ALL
            .iter()
            .map(|&seat| {
                let row = &self.board[seat];
                let houses: u32 = row.houses.iter().map(|&seeds| u32::from(seeds)).sum();
                houses + u32::from(row.store) + row.hand.map_or(0, |hand| u32::from(hand.seeds))
            })
            .sum()
    }

    /// The seats that have neither a hand nor a finished opening.
    pub(crate) fn owing(&self) -> Vec<Seat> {
        let done = self.opening.map_or(Sides::default(), |view| view.done);
        Seat::ALL
            .into_iter()
            .filter(|&seat| self.board[seat].hand.is_none() && done[seat].is_none())
            .collect()
    }

    /// Whether the parts fit each other. Brings lists into their order.
    ///
    /// # Errors
    /// The first contradiction.
    pub(crate) fn normalise(&mut self) -> Result<(), BadPosition> {
        for seat in Seat::ALL {
            check_row(&mut self.board[seat], seat)?;
        }
        let (south, north) = (self.board.south.houses.len(), self.board.north.houses.len());
        if south != north {
            return Err(BadPosition::UnequalRows { south, north });
        }
        if self.round == 0 {
            return Err(BadPosition::RoundZero);
        }
        self.to_move.sort_unstable();
        match self.opening {
            Some(view) => self.check_opening(view),
            None => self.check_play(),
        }
    }

    fn check_play(&self) -> Result<(), BadPosition> {
        for seat in Seat::ALL {
            if self.board[seat].hand.is_some() {
                return Err(BadPosition::HandInPlay(seat));
            }
        }
        if self.to_move.len() > 1 {
            return Err(BadPosition::Movers);
        }
        if self.starter.is_none() {
            return Err(BadPosition::NoStarter);
        }
        Ok(())
    }

    fn check_opening(&self, view: OpeningView) -> Result<(), BadPosition> {
        for seat in Seat::ALL {
            let Some(hand) = self.board[seat].hand else {
                continue;
            };
            if view.done[seat].is_some() {
                return Err(BadPosition::OpeningSeat(seat));
            }
            if hand.seeds == 0 {
                return Err(BadPosition::EmptyHand(seat));
            }
            if let Spot::House(_, house) = hand.over
                && (house == 0 || usize::from(house) > self.board[seat].houses.len())
            {
                return Err(BadPosition::HandOver(seat, hand.over));
            }
        }
        let owing = self.owing();
        if owing.is_empty() {
            return Err(BadPosition::OpeningWithoutChoice);
        }
        // A stopped opening keeps its hands, but nobody is to move.
        if !self.to_move.is_empty() && self.to_move != owing {
            return Err(BadPosition::OpeningMovers);
        }
        if self.round != 1 {
            return Err(BadPosition::OpeningRound(self.round));
        }
        if self.starter.is_some() {
            return Err(BadPosition::OpeningStarter);
        }
        Ok(())
    }

    /// Reads a start: position text, or JSON as in a state, where `round` is 1
    /// and `starter` the mover unless given, and `opening` is null.
    ///
    /// # Errors
    /// [`BadPosition`] says what is wrong and where.
    pub fn from_json_start(value: &Value) -> Result<Position, BadPosition> {
        let fields = match value {
            Value::String(text) => return text.parse(),
            Value::Object(fields) => fields,
            _ => return Err(json("a start is position text or an object")),
        };
        known(
            fields,
            "start",
            &["board", "to_move", "round", "starter", "opening"],
        )?;
        let board: Map<String, Value> = needed(fields, "start", "board")?;
        known(&board, "board", &["south", "north"])?;
        let to_move: Vec<Seat> = needed(fields, "start", "to_move")?;
        let opening: Option<OpeningView> = given(fields, "start", "opening")?;
        let starter = match given(fields, "start", "starter")? {
            None if opening.is_none() => to_move.first().copied(),
            starter => starter,
        };
        let mut position = Position {
            board: Sides {
                south: row(&board, "south")?,
                north: row(&board, "north")?,
            },
            to_move,
            round: given(fields, "start", "round")?.unwrap_or(1),
            starter,
            opening,
        };
        position.normalise()?;
        Ok(position)
    }
}

fn check_row(row: &mut Row, seat: Seat) -> Result<(), BadPosition> {
    let houses = row.houses.len();
    if houses == 0 || houses > usize::from(MAX_HOUSES) {
        return Err(BadPosition::RowLength(houses));
    }
    row.burnt.sort_unstable();
    let mut before = 0;
    for &house in &row.burnt {
        if house == before || usize::from(house) > houses {
            return Err(BadPosition::BurntHouse(seat, house));
        }
        if row.houses[usize::from(house) - 1] > 0 {
            return Err(BadPosition::BurntHolds(seat, house));
        }
        before = house;
    }
    Ok(())
}

fn json(message: impl Into<String>) -> BadPosition {
    BadPosition::Json(message.into())
}

fn known(fields: &Map<String, Value>, of: &str, names: &[&str]) -> Result<(), BadPosition> {
    match fields.keys().find(|key| !names.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let key: String = key.chars().take(40).collect();
            Err(json(format!(
                "`{key}` is no part of `{of}`: it has {}",
                names.join(", ")
            )))
        }
    }
}

/// A field that may be missing or null.
fn given<T: DeserializeOwned>(
    fields: &Map<String, Value>,
    of: &str,
    name: &str,
) -> Result<Option<T>, BadPosition> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => serde_json::from_value(value.clone())
            .map(Some)
            .map_err(|error| {
                // The error may quote a stranger's text at any length.
                let error: String = error.to_string().chars().take(200).collect();
                json(format!("`{of}.{name}`: {error}"))
            }),
    }
}

fn needed<T: DeserializeOwned>(
    fields: &Map<String, Value>,
    of: &str,
    name: &str,
) -> Result<T, BadPosition> {
    given(fields, of, name)?.ok_or_else(|| json(format!("`{of}.{name}` is missing")))
}

fn row(board: &Map<String, Value>, name: &str) -> Result<Row, BadPosition> {
    let fields: Map<String, Value> = needed(board, "board", name)?;
    let of = format!("board.{name}");
    known(&fields, &of, &["houses", "store", "burnt", "hand"])?;
    let houses: Vec<Value> = needed(&fields, &of, "houses")?;
    if houses.len() > usize::from(MAX_HOUSES) {
        return Err(BadPosition::RowLength(houses.len()));
    }
    Ok(Row {
        houses: needed(&fields, &of, "houses")?,
        store: needed(&fields, &of, "store")?,
        burnt: given(&fields, &of, "burnt")?.unwrap_or_default(),
        hand: given(&fields, &of, "hand")?,
    })
}
