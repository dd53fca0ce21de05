//! The rows of a game's log as clients see them.

use mancala_rules::{Counts, Seat, Step};
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ApiError;
use super::time::Time;
use crate::play::{PlayError, log};
use crate::record::{EndReason, Source};
use crate::render::rows::{self, Sown};
use crate::render::words::Lang;

/// A row of a game's log; its `kind` says which.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LogRow {
    /// A choice of a house and what followed from it.
    Sow(SowRow),
    /// Both seats agreed to take plies back.
    Takeback(TakebackRow),
    /// An end that no choice of a house brought about.
    End(EndRow),
}

/// A choice of a house and what followed from it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SowRow {
    /// The row's number, from 1.
    #[schema(minimum = 1)]
    ply: i32,
    /// Who chose.
    seat: Seat,
    /// The log's length that the chooser had seen.
    #[schema(minimum = 0)]
    after_ply: i32,
    /// What was chosen, counted from the seat's left hand.
    #[schema(minimum = 1, maximum = 15)]
    house: i16,
    /// The turn it belongs to.
    #[schema(minimum = 1)]
    turn: i32,
    /// The round it was played in.
    #[schema(minimum = 1)]
    round: i32,
    /// Seeds that the seat's hand dropped, over all laps.
    seeds_sown: i32,
    /// Laps: the first and every relay.
    lap_count: i32,
    /// Seeds captured from houses, without the own last seed.
    captured: i32,
    /// Seeds that came into the own store at the end of a lap: captures and a
    /// banked last seed, not those dropped there in passing.
    banked: i32,
    /// Whether the seat chooses again.
    extra_turn: bool,
    /// Al-manqala: the other seat had nothing to move and passed.
    passed: bool,
    /// An opening's other hand that went on with a lone choice.
    other: Option<Counts>,
    /// The position after it; null on the first of the two rows of a pair of
    /// opening choices.
    position: Option<String>,
    /// Milliseconds since the choice was owed; null in an imported game that does
    /// not say.
    #[schema(minimum = 0)]
    elapsed_ms: Option<i64>,
    /// When it became a row; null in an imported game that does not say.
    played_at: Option<Time>,
    /// Who brought it about.
    source: Source,
    /// Whether a later row takes it back; only with `rows=all`.
    taken_back: bool,
    /// The row in words, one line, in the language asked for.
    summary: String,
    /// The sowing, with `trace=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    trace: Option<Vec<Step>>,
    /// What the seat said; only for the two seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message: Option<String>,
}

/// Both seats agreed to take plies back: those after row `to_ply` stay in the
/// log, marked. Only with `rows=all`.
#[derive(Debug, Serialize, ToSchema)]
pub struct TakebackRow {
    /// The row's number, from 1.
    #[schema(minimum = 2)]
    ply: i32,
    /// Who asked for it.
    seat: Seat,
    /// The row that play goes on after; 0: the start.
    #[schema(minimum = 0)]
    to_ply: i32,
    /// The log's length before it.
    #[schema(minimum = 1)]
    after_ply: i32,
    /// The turn that goes on.
    #[schema(minimum = 1)]
    turn: i32,
    /// The round.
    #[schema(minimum = 1)]
    round: i32,
    /// The position that play goes on from.
    position: String,
    /// Milliseconds since the choice was owed; null in an imported game that does
    /// not say.
    #[schema(minimum = 0)]
    elapsed_ms: Option<i64>,
    /// When the other seat agreed.
    played_at: Option<Time>,
    /// Who brought it about.
    source: Source,
    /// Whether a later row takes it back.
    taken_back: bool,
    /// The row in words, one line, in the language asked for.
    summary: String,
}

/// An end that no choice of a house brought about.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndRow {
    /// The row's number, from 1.
    #[schema(minimum = 1)]
    ply: i32,
    /// By what it ended.
    reason: EndReason,
    /// The seat that brought it about; null for an agreement.
    by: Option<Seat>,
    /// The log's length before it.
    #[schema(minimum = 0)]
    after_ply: i32,
    /// The turn it ended.
    #[schema(minimum = 1)]
    turn: i32,
    /// The round it ended.
    #[schema(minimum = 1)]
    round: i32,
    /// The position after it.
    position: String,
    /// Milliseconds since the choice was owed; null in an imported game that does
    /// not say.
    #[schema(minimum = 0)]
    elapsed_ms: Option<i64>,
    /// When it ended.
    played_at: Option<Time>,
    /// Who brought it about.
    source: Source,
    /// The row in words, one line, in the language asked for.
    summary: String,
}

/// A word of the database as one of ours.
fn word<T: serde::de::DeserializeOwned>(word: &str) -> Result<T, ApiError> {
    serde_json::from_value(word.into()).map_err(|cause| ApiError::Internal(cause.to_string()))
}

impl LogRow {
    pub(super) fn new(row: log::LogRow, lang: Lang) -> Result<LogRow, ApiError> {
        let log::LogRow {
            row,
            trace,
            message,
        } = row;
        let seat: Option<Seat> = row.seat.as_deref().map(word).transpose()?;
        let missing = || PlayError::Corrupt(format!("ply {} lacks a value", row.ply));
        if row.kind == "end" {
            let reason = row.reason.as_deref().ok_or_else(missing)?;
            return Ok(LogRow::End(EndRow {
                ply: row.ply,
                reason: word(reason)?,
                by: seat,
                after_ply: row.after_ply,
                turn: row.turn,
                round: row.round,
                position: row.position.clone().ok_or_else(missing)?,
                elapsed_ms: row.elapsed_ms,
                played_at: row.played_at.map(Time),
                source: word(&row.source)?,
                summary: rows::end(lang, reason, seat),
            }));
        }
        if row.kind == "takeback" {
            let seat = seat.ok_or_else(missing)?;
            let to_ply = row.to_ply.ok_or_else(missing)?;
            return Ok(LogRow::Takeback(TakebackRow {
                ply: row.ply,
                seat,
                to_ply,
                after_ply: row.after_ply,
                turn: row.turn,
                round: row.round,
                position: row.position.clone().ok_or_else(missing)?,
                elapsed_ms: row.elapsed_ms,
                played_at: row.played_at.map(Time),
                source: word(&row.source)?,
                taken_back: row.taken_back,
                summary: rows::takeback(lang, seat, to_ply),
            }));
        }
        let other = row.other.clone().map(serde_json::from_value).transpose();
        let other: Option<Counts> = other.map_err(|_| missing())?;
        let seat = seat.ok_or_else(missing)?;
        let house = row.house.ok_or_else(missing)?;
        let lap_count = row.lap_count.ok_or_else(missing)?;
        let captured = row.captured.ok_or_else(missing)?;
        let extra_turn = row.extra_turn.ok_or_else(missing)?;
        let passed = row.passed.ok_or_else(missing)?;
        let sown = Sown {
            house: house.into(),
            laps: lap_count.into(),
            captured: captured.into(),
            extra_turn,
            passed,
        };
        Ok(LogRow::Sow(SowRow {
            ply: row.ply,
            seat,
            after_ply: row.after_ply,
            house,
            turn: row.turn,
            round: row.round,
            seeds_sown: row.seeds_sown.ok_or_else(missing)?,
            lap_count,
            captured,
            banked: row.banked.ok_or_else(missing)?,
            extra_turn,
            passed,
            summary: sown.row(lang, seat, other.as_ref()),
            other,
            position: row.position.clone(),
            elapsed_ms: row.elapsed_ms,
            played_at: row.played_at.map(Time),
            source: word(&row.source)?,
            taken_back: row.taken_back,
            trace,
            message,
        }))
    }
}
