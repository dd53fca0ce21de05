//! What a record from elsewhere must be, beyond what a replay finds.

use std::fmt;

use super::replay::BadLog;
use super::{EndReason, Record, What};

/// The longest name of a seat, in characters.
pub const LONGEST_NAME: usize = 100;

/// Seconds that a clock may give for a choice, and beyond that for the game.
const PER_MOVE: std::ops::RangeInclusive<u32> = 60..=2_592_000;
const LARGEST_RESERVE: u32 = 31_536_000;

/// Why something is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsound {
    /// The row; 0: the game itself.
    pub ply: i32,
    /// What is wrong.
    pub cause: String,
}

impl fmt::Display for Unsound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ply {
            0 => f.write_str(&self.cause),
            ply => write!(f, "ply {ply}: {}", self.cause),
        }
    }
}

impl std::error::Error for Unsound {}

impl From<BadLog> for Unsound {
    fn from(BadLog { ply, cause }: BadLog) -> Unsound {
        Unsound { ply, cause }
    }
}

fn unsound(ply: usize, cause: impl Into<String>) -> Unsound {
    Unsound {
        ply: i32::try_from(ply).unwrap_or(i32::MAX),
        cause: cause.into(),
    }
}

/// Checks whatever can be told without playing the record.
///
/// # Errors
/// The first thing that is wrong.
pub fn facts(record: &Record) -> Result<(), Unsound> {
    // Lists stand in the order of ids, the newest first, which others would spoil.
    if record.id.get_version_num() != 7 {
        let cause = "the id is a UUID of another version than 7, which begins with its time";
        return Err(unsound(0, cause));
    }
    if !(record.created_at <= record.started_at && record.started_at <= record.ended_at) {
        let cause = "a game is made, then started, then ended: its times say otherwise";
        return Err(unsound(0, cause));
    }
    for (seat, party) in [
        ("south", &record.seats.south),
        ("north", &record.seats.north),
    ] {
        let Some(name) = &party.player else { continue };
        let length = name.chars().count();
        if !(1..=LONGEST_NAME).contains(&length) {
            let cause = format!("{seat}'s name has {length} characters: 1 to {LONGEST_NAME}");
            return Err(unsound(0, cause));
        }
        if name.chars().any(char::is_control) {
            return Err(unsound(0, format!("{seat}'s name has a control character")));
        }
    }
    if let Some(clock) = record.clock {
        if !PER_MOVE.contains(&clock.per_move) {
            let cause = format!("a clock gives {PER_MOVE:?} seconds for a choice");
            return Err(unsound(0, cause.replace("..=", " to ")));
        }
        if clock.reserve.is_some_and(|most| most > LARGEST_RESERVE) {
            let cause = format!("a clock's reserve is at most {LARGEST_RESERVE} seconds");
            return Err(unsound(0, cause));
        }
    }
    if let Some(start) = &record.start {
        let state = record
            .first()
            .map_err(|cause| unsound(0, cause.to_string()))?;
        let position = state.position();
        if position != *start {
            return Err(unsound(0, format!("the start is written {position}")));
        }
    }
    rows(record)
}

fn rows(record: &Record) -> Result<(), Unsound> {
    let most = i32::MAX as usize;
    if record.rows.len() > most {
        return Err(unsound(0, format!("a game has at most {most} rows")));
    }
    let mut over = false;
    for (ply, row) in (1..).zip(&record.rows) {
        if over {
            return Err(unsound(ply, "the game is over"));
        }
        if row
            .elapsed_ms
            .is_some_and(|elapsed| i64::try_from(elapsed).is_err())
        {
            return Err(unsound(ply, "it took longer than can be stored"));
        }
        match row.what {
            What::End {
                reason: EndReason::Timeout,
                ..
            } if record.clock.is_none() => {
                return Err(unsound(ply, "nobody is late in a game without a clock"));
            }
            What::Takeback { to_ply, .. } if to_ply as usize + 1 >= ply => {
                return Err(unsound(ply, "takes nothing back"));
            }
            What::End {
                reason: EndReason::Aborted,
                ..
            } => return Err(unsound(ply, "the game was called off, so it has no result")),
            What::End { .. } => over = true,
            _ => {}
        }
    }
    Ok(())
}
