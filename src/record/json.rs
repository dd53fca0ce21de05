//! A record as JSON: a game that is over with its result, and, where it is asked
//! for, its log. Names, shapes and values are those of the API; what concerns
//! accounts, words and private notes is not there.

use std::borrow::Cow;

use mancala_rules::{
    BadPosition, OpeningView, Outcome, Reason, RoundTotals, Row as BoardRow, Rules, Seat, Sides,
    State, Winner,
};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::rows::Row;
use super::time::Time;
use super::{Clock, Origin, Party, Record, What, check, replay};

/// A game that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RecordGame)]
pub struct Game<'a> {
    /// A UUID, most often of version 7.
    pub id: Uuid,
    /// The preset it was started from.
    #[serde(borrow)]
    #[schema(value_type = String, example = "congkak")]
    pub ruleset: Cow<'a, str>,
    /// The revision of the rules it is played under.
    #[schema(minimum = 1)]
    pub revision: u32,
    /// Every parameter it is played under.
    #[schema(value_type = Object)]
    pub rules: Parameters,
    /// It has a result.
    pub status: Status,
    /// Rows in the log, also those that were taken back.
    #[schema(minimum = 0)]
    pub ply: i32,
    /// The turn it ended in, from 1.
    #[schema(minimum = 1)]
    pub turn: u32,
    /// The round it ended in, from 1.
    #[schema(minimum = 1)]
    pub round: u16,
    /// Nobody.
    #[schema(max_items = 0)]
    pub to_move: Vec<Seat>,
    /// Houses, stores, burnt houses and frozen hands at its end.
    pub board: Sides<BoardRow>,
    /// The simultaneous opening, if the game ended in it.
    pub opening: Option<OpeningView>,
    /// The last position as text.
    #[serde(borrow)]
    #[schema(value_type = String)]
    pub position: Cow<'a, str>,
    /// Who sat where: pseudonyms, or the names that an imported record gives.
    #[schema(value_type = Sides<Party>)]
    pub seats: Sides<Cow<'a, Party>>,
    /// Totals of the finished rounds and the starter of the last one.
    #[schema(value_type = Vec<RoundTotals>)]
    pub rounds: Cow<'a, [RoundTotals]>,
    /// How long a choice could take; null: as long as it liked.
    pub clock: Option<Clock>,
    /// How it ended.
    pub result: GameResult,
    /// Where it comes from.
    pub source: Origin,
    /// When it was created.
    pub created_at: Time,
    /// When both seats were taken.
    pub started_at: Time,
    /// The position it began at as text; null: the usual start.
    #[serde(borrow)]
    #[schema(value_type = Option<String>)]
    pub start: Option<Cow<'a, str>>,
    /// Choices that led to the end, without those that were taken back.
    #[schema(minimum = 0)]
    pub plies: i32,
    /// When it came here; null: it was played here.
    pub imported_at: Option<Time>,
    /// The whole log; only in a record, not in a list of games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Vec<Row>>)]
    pub moves: Option<Cow<'a, [Row<'a>]>>,
}

/// Every record is of a game that has ended with a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RecordStatus)]
pub enum Status {
    /// It has a result.
    Finished,
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RecordResult)]
pub struct GameResult {
    /// Who won.
    pub winner: Winner,
    /// By what.
    pub reason: Reason,
    /// The stores.
    pub score: Sides<u16>,
    /// The seat that resigned or was late.
    pub ended_by: Option<Seat>,
    /// When.
    pub ended_at: Time,
}

/// The parameters of a game: those of its ruleset, or what a file gives as such.
#[derive(Debug, Clone, PartialEq)]
pub enum Parameters {
    /// Those of a ruleset.
    Known(Rules),
    /// As read, whatever it is.
    Given(Value),
}

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Parameters::Known(rules) => rules.serialize(serializer),
            Parameters::Given(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Parameters::Given)
    }
}

impl<'a> Game<'a> {
    /// A record that ended in `end`, without its log. None: it has no result.
    #[must_use]
    pub fn of(record: &'a Record, end: &'a State) -> Option<Game<'a>> {
        let Outcome {
            winner,
            reason,
            score,
            ended_by,
        } = *end.result()?;
        let position = end.position();
        Some(Game {
            id: record.id,
            ruleset: Cow::Borrowed(&record.ruleset),
            revision: record.revision,
            rules: Parameters::Known(record.rules),
            status: Status::Finished,
            ply: i32::try_from(record.rows.len()).unwrap_or(i32::MAX),
            turn: end.turn(),
            round: end.round(),
            to_move: Vec::new(),
            position: Cow::Owned(position.to_string()),
            board: position.board,
            opening: position.opening,
            seats: Sides {
                south: Cow::Borrowed(&record.seats.south),
                north: Cow::Borrowed(&record.seats.north),
            },
            rounds: Cow::Borrowed(end.rounds()),
            clock: record.clock,
            result: GameResult {
                winner,
                reason,
                score,
                ended_by,
                ended_at: Time(record.ended_at),
            },
            source: record.source,
            created_at: Time(record.created_at),
            started_at: Time(record.started_at),
            start: record
                .start
                .as_ref()
                .map(|start| Cow::Owned(start.to_string())),
            plies: plies(record),
            imported_at: record.imported_at.map(Time),
            moves: None,
        })
    }

    /// The same with its log.
    #[must_use]
    pub fn with_moves(self, rows: &'a [Row<'a>]) -> Game<'a> {
        Game {
            moves: Some(Cow::Borrowed(rows)),
            ..self
        }
    }
}

/// Choices of the effective line.
fn plies(record: &Record) -> i32 {
    let rows = super::index::numbered(record);
    let taken_back = replay::taken_back(&rows);
    let sown = rows
        .iter()
        .zip(taken_back)
        .filter(|((_, what), taken_back)| matches!(what, What::Sow { .. }) && !taken_back);
    i32::try_from(sown.count()).unwrap_or(i32::MAX)
}

/// A record with its log as one line of JSON, without the line's end, appended to
/// `line`.
///
/// # Errors
/// When the record cannot be played, or has no result.
pub fn write(record: &Record, line: &mut Vec<u8>) -> Result<(), String> {
    let (rows, end) = super::rows::played(record).map_err(|cause| cause.to_string())?;
    let game = Game::of(record, &end).ok_or("the game has no result")?;
    serde_json::to_writer(line, &game.with_moves(&rows)).map_err(|cause| cause.to_string())
}

/// Reads a line of [`write`]. What the rules tell must be as they tell it; where it
/// came from and when is left aside.
///
/// # Errors
/// The first thing that is wrong.
pub fn read(line: &str) -> Result<Record, String> {
    let mut given: Game<'_> =
        serde_json::from_str(line).map_err(|cause| format!("no record as JSON: {cause}"))?;
    let moves = given.moves.as_deref().ok_or("`moves` is missing")?;
    let rules = match &given.rules {
        Parameters::Known(rules) => *rules,
        Parameters::Given(value) => Rules::stored(&given.ruleset, given.revision, value)
            .map_err(|cause| cause.to_string())?,
    };
    let start = given.start.as_deref().map(str::parse).transpose();
    let record = Record {
        id: given.id,
        ruleset: given.ruleset.to_string(),
        revision: given.revision,
        rules,
        start: start.map_err(|cause: BadPosition| format!("`start`: {cause}"))?,
        seats: Sides {
            south: given.seats.south.clone().into_owned(),
            north: given.seats.north.clone().into_owned(),
        },
        clock: given.clock,
        created_at: given.created_at.0,
        started_at: given.started_at.0,
        ended_at: given.result.ended_at.0,
        source: given.source,
        imported_at: given.imported_at.map(|Time(at)| at),
        rows: moves.iter().map(Row::entry).collect(),
    };
    check::facts(&record).map_err(|cause| cause.to_string())?;
    let (rows, end) = super::rows::played(&record).map_err(|cause| cause.to_string())?;
    let right = Game::of(&record, &end).ok_or("the game is not over")?;
    let right = right.with_moves(&rows);
    given.rules = Parameters::Known(rules);
    if given == right {
        return Ok(record);
    }
    let values = (serde_json::to_value(&given), serde_json::to_value(&right));
    Err(match values {
        (Ok(given), Ok(right)) => difference(String::new(), &given, &right),
        _ => None,
    }
    .unwrap_or_else(|| "it is not what its moves make of it".into()))
}

/// The first place where two values part.
fn difference(at: String, given: &Value, right: &Value) -> Option<String> {
    match (given, right) {
        (Value::Object(given), Value::Object(right)) => right.iter().find_map(|(name, right)| {
            let dot = if at.is_empty() { "" } else { "." };
            let value = given.get(name).unwrap_or(&Value::Null);
            difference(format!("{at}{dot}{name}"), value, right)
        }),
        (Value::Array(given), Value::Array(right)) if given.len() == right.len() => {
            let mut pairs = given.iter().zip(right).enumerate();
            pairs.find_map(|(i, (given, right))| difference(format!("{at}[{i}]"), given, right))
        }
        (given, right) if given != right => {
            Some(format!("`{at}` is {given}, and its moves make it {right}"))
        }
        _ => None,
    }
}
