//! What the search and the explorer look for in a record: the effective line, as
//! letters and as keys of its positions, and its extremes.

use mancala_rules::State;

use super::key::Keys;
use super::replay::{self, BadLog};
use super::{Record, What};

/// A record as the search sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexed {
    /// Choices of the effective line.
    pub plies: i32,
    /// The most laps of one of them.
    pub longest_relay: i32,
    /// The most houses that were burnt at a time.
    pub burnt: i16,
    /// Rounds that were begun.
    pub rounds: i32,
    /// A letter a choice: `a` is house 1.
    pub line: String,
    /// The key of the position of each choice, the same for both of a pair of
    /// opening choices; of the position in which the game was ended without one; of
    /// the last position.
    pub keys: Vec<i64>,
    /// Those of them in which both seats owed a choice, each once.
    pub pairs: Vec<i64>,
    /// How the game ended.
    pub end: State,
}

impl Indexed {
    /// Plays the record's effective line.
    ///
    /// # Errors
    /// [`BadLog`] when it cannot be played.
    pub fn of(record: &Record) -> Result<Indexed, BadLog> {
        let first = record.first().map_err(|cause| BadLog {
            ply: 0,
            cause: cause.to_string(),
        })?;
        let keys = Keys::new(&record.ruleset, record.revision, &record.rules);
        let rows = effective(record);
        let mut key = keys.of(&first);
        let both = |state: &State| state.to_move().len() == 2;
        let mut found = Indexed {
            plies: 0,
            longest_relay: 0,
            burnt: i16::try_from(first.burnt()).unwrap_or(i16::MAX),
            rounds: 0,
            line: String::new(),
            keys: Vec::with_capacity(rows.len() + 1),
            pairs: both(&first).then_some(key).into_iter().collect(),
            end: first.clone(),
        };
        found.end = replay::strict(first, &rows, |step| {
            if let Some(ply) = step.ply {
                let laps = ply.other.map_or(0, |other| other.lap_count);
                let laps = i32::try_from(ply.counts.lap_count.max(laps)).unwrap_or(i32::MAX);
                found.longest_relay = found.longest_relay.max(laps);
                found.line.push(char::from(b'a' + (ply.house - 1)));
            }
            // An end without a choice has a position of its own.
            found.keys.push(key);
            if let Some(state) = step.state {
                key = keys.of(state);
                if both(state) && !found.pairs.contains(&key) {
                    found.pairs.push(key);
                }
                let burnt = i16::try_from(state.burnt()).unwrap_or(i16::MAX);
                found.burnt = found.burnt.max(burnt);
            }
        })?;
        found.keys.push(key);
        found.plies = i32::try_from(found.line.len()).unwrap_or(i32::MAX);
        found.rounds = i32::try_from(found.end.rounds().len()).unwrap_or(i32::MAX);
        Ok(found)
    }
}

/// The rows that led to the end, numbered as in the log.
fn effective(record: &Record) -> Vec<(i32, What)> {
    let rows = numbered(record);
    let taken_back = replay::taken_back(&rows);
    let line = rows.into_iter().zip(taken_back);
    line.filter(|((_, what), taken_back)| !taken_back && !matches!(what, What::Takeback { .. }))
        .map(|(row, _)| row)
        .collect()
}

/// The whole log, numbered from 1.
#[must_use]
pub fn numbered(record: &Record) -> Vec<(i32, What)> {
    (1..).zip(record.rows.iter().map(|row| row.what)).collect()
}
