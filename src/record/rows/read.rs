//! Rows out of JSON, in one pass: an enum whose kind stands among its fields would be
//! put aside first and read after that, which takes thrice as long.

use std::borrow::Cow;

use mancala_rules::{Counts, Seat};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::{EndRow, Row, SowRow, TakebackRow};
use crate::record::time::Time;
use crate::record::{EndReason, Source};

/// The fields of all kinds of rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Flat {
    kind: Kind,
    ply: i32,
    after_ply: i32,
    turn: u32,
    round: u16,
    position: Option<String>,
    elapsed_ms: Option<u64>,
    played_at: Option<Time>,
    source: Source,
    seat: Option<Seat>,
    taken_back: Option<bool>,
    house: Option<u8>,
    seeds_sown: Option<u32>,
    lap_count: Option<u32>,
    captured: Option<u32>,
    banked: Option<u32>,
    extra_turn: Option<bool>,
    passed: Option<bool>,
    other: Option<Counts>,
    to_ply: Option<u32>,
    reason: Option<EndReason>,
    by: Option<Seat>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Sow,
    Takeback,
    End,
}

impl<'de> Deserialize<'de> for Row<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let flat = Flat::deserialize(deserializer)?;
        row(flat).map_err(|wrong| match wrong {
            Wrong::Missing(name) => D::Error::missing_field(name),
            Wrong::Foreign(kind) => {
                D::Error::custom(format!("a row of kind {kind} has a field of another kind"))
            }
        })
    }
}

enum Wrong {
    Missing(&'static str),
    Foreign(&'static str),
}

fn row(flat: Flat) -> Result<Row<'static>, Wrong> {
    fn need<T>(value: Option<T>, name: &'static str) -> Result<T, Wrong> {
        value.ok_or(Wrong::Missing(name))
    }
    let sown = flat.house.is_some()
        || flat.seeds_sown.is_some()
        || flat.lap_count.is_some()
        || flat.captured.is_some()
        || flat.banked.is_some()
        || flat.extra_turn.is_some()
        || flat.passed.is_some()
        || flat.other.is_some();
    let ended = flat.reason.is_some() || flat.by.is_some();
    let Flat {
        ply,
        after_ply,
        turn,
        round,
        elapsed_ms,
        played_at,
        source,
        ..
    } = flat;
    let position = flat.position.map(Cow::Owned);
    match flat.kind {
        Kind::Sow if ended || flat.to_ply.is_some() => Err(Wrong::Foreign("sow")),
        Kind::Takeback if ended || sown => Err(Wrong::Foreign("takeback")),
        Kind::End
            if sown
                || flat.to_ply.is_some()
                || flat.seat.is_some()
                || flat.taken_back.is_some() =>
        {
            Err(Wrong::Foreign("end"))
        }
        Kind::Sow => Ok(Row::Sow(SowRow {
            ply,
            seat: need(flat.seat, "seat")?,
            after_ply,
            house: need(flat.house, "house")?,
            turn,
            round,
            seeds_sown: need(flat.seeds_sown, "seeds_sown")?,
            lap_count: need(flat.lap_count, "lap_count")?,
            captured: need(flat.captured, "captured")?,
            banked: need(flat.banked, "banked")?,
            extra_turn: need(flat.extra_turn, "extra_turn")?,
            passed: need(flat.passed, "passed")?,
            other: flat.other,
            position,
            elapsed_ms,
            played_at,
            source,
            taken_back: need(flat.taken_back, "taken_back")?,
        })),
        Kind::Takeback => Ok(Row::Takeback(TakebackRow {
            ply,
            seat: need(flat.seat, "seat")?,
            to_ply: need(flat.to_ply, "to_ply")?,
            after_ply,
            turn,
            round,
            position: need(position, "position")?,
            elapsed_ms,
            played_at,
            source,
            taken_back: need(flat.taken_back, "taken_back")?,
        })),
        Kind::End => Ok(Row::End(EndRow {
            ply,
            reason: need(flat.reason, "reason")?,
            by: flat.by,
            after_ply,
            turn,
            round,
            position: need(position, "position")?,
            elapsed_ms,
            played_at,
            source,
        })),
    }
}
