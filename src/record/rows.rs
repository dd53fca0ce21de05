//! The rows of a record with what the rules say of them, and how the game ended:
//! one replay for whatever is exported.

mod read;

use std::borrow::Cow;

use mancala_rules::{Counts, Seat, State};
use serde::Serialize;
use utoipa::ToSchema;

use super::index::numbered;
use super::replay::{self, BadLog, Step};
use super::time::Time;
use super::{EndReason, Entry, Record, Source, What};

/// A row of a game's log, as the API gives it without words and sowing.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schema(as = RecordRow)]
pub enum Row<'a> {
    /// A choice of a house and what followed from it.
    Sow(SowRow<'a>),
    /// Both seats agreed to take plies back.
    Takeback(TakebackRow<'a>),
    /// An end that no choice of a house brought about.
    End(EndRow<'a>),
}

/// A choice of a house and what followed from it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = RecordSowRow)]
pub struct SowRow<'a> {
    /// The row's number, from 1.
    #[schema(minimum = 1)]
    pub ply: i32,
    /// Who chose.
    pub seat: Seat,
    /// The log's length that the chooser had seen.
    #[schema(minimum = 0)]
    pub after_ply: i32,
    /// What was chosen, counted from the seat's left hand.
    #[schema(minimum = 1, maximum = 15)]
    pub house: u8,
    /// The turn it belongs to.
    #[schema(minimum = 1)]
    pub turn: u32,
    /// The round it was played in.
    #[schema(minimum = 1)]
    pub round: u16,
    /// Seeds that the seat's hand dropped, over all laps.
    pub seeds_sown: u32,
    /// Laps: the first and every relay.
    pub lap_count: u32,
    /// Seeds captured from houses, without the own last seed.
    pub captured: u32,
    /// Seeds that came into the own store at the end of a lap.
    pub banked: u32,
    /// Whether the seat chooses again.
    pub extra_turn: bool,
    /// Al-manqala: the other seat had nothing to move and passed.
    pub passed: bool,
    /// An opening's other hand that went on with a lone choice.
    pub other: Option<Counts>,
    /// The position after it; null on the first of the two rows of a pair of
    /// opening choices.
    #[schema(value_type = Option<String>)]
    pub position: Option<Cow<'a, str>>,
    /// Milliseconds since the choice was owed, where they are known.
    #[schema(minimum = 0)]
    pub elapsed_ms: Option<u64>,
    /// When it became a row, where that is known.
    pub played_at: Option<Time>,
    /// Who brought it about.
    pub source: Source,
    /// Whether a later row takes it back.
    pub taken_back: bool,
}

/// Both seats agreed to take plies back: those after row `to_ply` stay in the log.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = RecordTakebackRow)]
pub struct TakebackRow<'a> {
    /// The row's number, from 1.
    #[schema(minimum = 2)]
    pub ply: i32,
    /// Who asked for it.
    pub seat: Seat,
    /// The row that play goes on after; 0: the start.
    #[schema(minimum = 0)]
    pub to_ply: u32,
    /// The log's length before it.
    #[schema(minimum = 1)]
    pub after_ply: i32,
    /// The turn that goes on.
    #[schema(minimum = 1)]
    pub turn: u32,
    /// The round.
    #[schema(minimum = 1)]
    pub round: u16,
    /// The position that play goes on from.
    #[schema(value_type = String)]
    pub position: Cow<'a, str>,
    /// Milliseconds since the choice was owed, where they are known.
    #[schema(minimum = 0)]
    pub elapsed_ms: Option<u64>,
    /// When the other seat agreed, where that is known.
    pub played_at: Option<Time>,
    /// Who brought it about.
    pub source: Source,
    /// Whether a later row takes it back.
    pub taken_back: bool,
}

/// An end that no choice of a house brought about.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = RecordEndRow)]
pub struct EndRow<'a> {
    /// The row's number, from 1.
    #[schema(minimum = 1)]
    pub ply: i32,
    /// By what it ended.
    pub reason: EndReason,
    /// The seat that brought it about; null for an agreement.
    pub by: Option<Seat>,
    /// The log's length before it.
    #[schema(minimum = 0)]
    pub after_ply: i32,
    /// The turn it ended.
    #[schema(minimum = 1)]
    pub turn: u32,
    /// The round it ended.
    #[schema(minimum = 1)]
    pub round: u16,
    /// The position after it.
    #[schema(value_type = String)]
    pub position: Cow<'a, str>,
    /// Milliseconds since the choice was owed, where they are known.
    #[schema(minimum = 0)]
    pub elapsed_ms: Option<u64>,
    /// When it ended, where that is known.
    pub played_at: Option<Time>,
    /// Who brought it about.
    pub source: Source,
}

impl Row<'_> {
    /// What the rules cannot tell of it.
    #[must_use]
    pub fn entry(&self) -> Entry {
        let (what, source, elapsed_ms, played_at) = match self {
            Row::Sow(row) => (
                What::Sow {
                    seat: row.seat,
                    house: row.house,
                },
                row.source,
                row.elapsed_ms,
                row.played_at,
            ),
            Row::Takeback(row) => (
                What::Takeback {
                    seat: row.seat,
                    to_ply: row.to_ply,
                },
                row.source,
                row.elapsed_ms,
                row.played_at,
            ),
            Row::End(row) => (
                What::End {
                    reason: row.reason,
                    by: row.by,
                },
                row.source,
                row.elapsed_ms,
                row.played_at,
            ),
        };
        Entry {
            what,
            source,
            elapsed_ms,
            played_at: played_at.map(|Time(at)| at),
        }
    }
}

/// Plays a record once: its rows, and the state after the last one.
///
/// # Errors
/// [`BadLog`] when it cannot be played.
pub fn played(record: &Record) -> Result<(Vec<Row<'static>>, State), BadLog> {
    let mut rows = Vec::with_capacity(record.rows.len());
    let first = record.first().map_err(|cause| BadLog {
        ply: 0,
        cause: cause.to_string(),
    })?;
    let numbered = numbered(record);
    let taken_back = replay::taken_back(&numbered);
    let end = replay::strict(first, &numbered, |step| {
        let index = step.index;
        let (ply, entry) = (numbered[index].0, &record.rows[index]);
        rows.push(row(ply, entry, &step, taken_back[index]));
    })?;
    Ok((rows, end))
}

fn row(ply: i32, entry: &Entry, step: &Step<'_>, taken_back: bool) -> Row<'static> {
    let position = step.state.map(|state| Cow::Owned(state.position_text()));
    let (before, after) = (step.before, step.state);
    let (elapsed_ms, played_at, source) =
        (entry.elapsed_ms, entry.played_at.map(Time), entry.source);
    match (entry.what, &step.ply) {
        (What::Sow { seat, house }, ply_played) => {
            let counts = ply_played.as_ref().map(|ply| ply.counts);
            let counts = counts.unwrap_or_default();
            let said = ply_played.as_ref();
            Row::Sow(SowRow {
                ply,
                seat,
                after_ply: before.ply,
                house,
                turn: said.map_or(before.turn, |ply| ply.turn),
                round: said.map_or(before.round, |ply| ply.round),
                seeds_sown: counts.seeds_sown,
                lap_count: counts.lap_count,
                captured: counts.captured,
                banked: counts.banked,
                extra_turn: said.is_some_and(|ply| ply.extra_turn),
                passed: said.is_some_and(|ply| ply.passed),
                other: said.and_then(|ply| ply.other),
                position,
                elapsed_ms,
                played_at,
                source,
                taken_back,
            })
        }
        (What::Takeback { seat, to_ply }, _) => Row::Takeback(TakebackRow {
            ply,
            seat,
            to_ply,
            after_ply: before.ply,
            turn: after.map_or(before.turn, State::turn),
            round: after.map_or(before.round, State::round),
            position: position.unwrap_or_default(),
            elapsed_ms,
            played_at,
            source,
            taken_back,
        }),
        (What::End { reason, by }, _) => Row::End(EndRow {
            ply,
            reason,
            by,
            after_ply: before.ply,
            turn: before.turn,
            round: before.round,
            position: position.unwrap_or_default(),
            elapsed_ms,
            played_at,
            source,
        }),
    }
}
