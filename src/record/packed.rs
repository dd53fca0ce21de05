//! The log of a game that is over in a few bytes: what the rules cannot tell, and
//! nothing else.
//!
//! ```text
//! log   = version row … sum      version 1; sum: the first 8 bytes of the SHA-256
//!                                of the game's id and all before
//! row   = head body [elapsed] [played]
//! head  = bits 0–1 kind (0 sow, 1 takeback, 2 end), 2 north, 3 it has a seat,
//!         4–5 source (player, server, conditional), 6 elapsed, 7 played
//! body  = house | to_ply | reason
//! ```
//! `elapsed` is in milliseconds, `played` what the time is later than that of the
//! row before (the game's start) and `elapsed` would give. Numbers are LEB128, the
//! last one zigzag: in a game played over days most rows take 7 bytes, without
//! times 2. What is written never changes its meaning.

use chrono::{DateTime, TimeDelta, Utc};
use mancala_rules::Seat;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{EndReason, Entry, Source, What};

const VERSION: u8 = 1;
const SUM: usize = 8;

const NORTH: u8 = 1 << 2;
const SEATED: u8 = 1 << 3;
const ELAPSED: u8 = 1 << 6;
const PLAYED: u8 = 1 << 7;

/// Bytes that are no log of this game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the packed log is damaged: {0}")]
pub struct Damaged(&'static str);

/// Packs the log of a game that started at `started_at`.
#[must_use]
pub fn pack(id: Uuid, started_at: DateTime<Utc>, rows: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 + SUM + rows.len() * 2);
    bytes.push(VERSION);
    let mut clock = started_at.timestamp_millis();
    for row in rows {
        let (kind, seat) = match row.what {
            What::Sow { seat, .. } => (0, Some(seat)),
            What::Takeback { seat, .. } => (1, Some(seat)),
            What::End { by, .. } => (2, by),
        };
        let mut head = kind | place(Source::ALL, row.source) << 4;
        head |= seat.map_or(0, |seat| {
            SEATED | if seat == Seat::North { NORTH } else { 0 }
        });
        head |= row.elapsed_ms.map_or(0, |_| ELAPSED);
        head |= row.played_at.map_or(0, |_| PLAYED);
        bytes.push(head);
        match row.what {
            What::Sow { house, .. } => bytes.push(house),
            What::Takeback { to_ply, .. } => number(&mut bytes, to_ply.into()),
            What::End { reason, .. } => bytes.push(place(EndReason::ALL, reason)),
        }
        if let Some(elapsed) = row.elapsed_ms {
            number(&mut bytes, elapsed);
        }
        if let Some(at) = row.played_at {
            let at = at.timestamp_millis();
            let rest = at.wrapping_sub(expected(clock, row.elapsed_ms));
            number(&mut bytes, (rest << 1 ^ rest >> 63).cast_unsigned());
            clock = at;
        }
    }
    with_sum(id, &bytes)
}

/// Bytes with the checksum that belongs to them.
pub(super) fn with_sum(id: Uuid, bytes: &[u8]) -> Vec<u8> {
    [bytes, &sum(id, bytes)].concat()
}

/// The log that [`pack`] made bytes of.
///
/// # Errors
/// [`Damaged`] when it did not.
pub fn unpack(id: Uuid, started_at: DateTime<Utc>, bytes: &[u8]) -> Result<Vec<Entry>, Damaged> {
    let Some((bytes, given)) = bytes.split_last_chunk::<SUM>() else {
        return Err(Damaged("it is too short"));
    };
    if sum(id, bytes) != *given {
        return Err(Damaged("its checksum is another"));
    }
    let (&version, mut rest) = bytes.split_first().ok_or(Damaged("it is empty"))?;
    if version != VERSION {
        return Err(Damaged("its version is unknown"));
    }
    let mut rows = Vec::new();
    let mut clock = started_at.timestamp_millis();
    while !rest.is_empty() {
        rows.push(row(&mut rest, &mut clock)?);
    }
    Ok(rows)
}

fn row(bytes: &mut &[u8], clock: &mut i64) -> Result<Entry, Damaged> {
    let head = byte(bytes)?;
    let seat = if head & NORTH == 0 {
        Seat::South
    } else {
        Seat::North
    };
    let what = match head & 3 {
        0 => What::Sow {
            seat,
            house: byte(bytes)?,
        },
        1 => What::Takeback {
            seat,
            to_ply: u32::try_from(read(bytes)?).map_err(|_| Damaged("a row is out of range"))?,
        },
        2 => What::End {
            by: (head & SEATED != 0).then_some(seat),
            reason: at_place(EndReason::ALL, byte(bytes)?)?,
        },
        _ => return Err(Damaged("a row is of no kind")),
    };
    let elapsed_ms = (head & ELAPSED != 0).then(|| read(bytes)).transpose()?;
    let played_at = if head & PLAYED == 0 {
        None
    } else {
        let rest = read(bytes)?;
        let rest = (rest >> 1).cast_signed() ^ -(rest & 1).cast_signed();
        *clock = expected(*clock, elapsed_ms).wrapping_add(rest);
        let at = DateTime::from_timestamp_millis(*clock);
        Some(at.ok_or(Damaged("a time is out of range"))?)
    };
    Ok(Entry {
        what,
        source: at_place(Source::ALL, head >> 4 & 3)?,
        elapsed_ms,
        played_at,
    })
}

/// When a row would have been played that took `elapsed` after the one before.
fn expected(clock: i64, elapsed: Option<u64>) -> i64 {
    clock.wrapping_add(elapsed.unwrap_or_default().cast_signed())
}

fn sum(id: Uuid, bytes: &[u8]) -> [u8; SUM] {
    let digest = Sha256::new()
        .chain_update(id.as_bytes())
        .chain_update(bytes)
        .finalize();
    let mut sum = [0; SUM];
    sum.copy_from_slice(&digest[..SUM]);
    sum
}

fn place<T: PartialEq>(all: &[T], one: T) -> u8 {
    // There are a handful of each.
    all.iter().position(|each| *each == one).unwrap_or_default() as u8
}

fn at_place<T: Copy>(all: &[T], place: u8) -> Result<T, Damaged> {
    let one = all.get(usize::from(place)).copied();
    one.ok_or(Damaged("a word is unknown"))
}

fn number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn byte(bytes: &mut &[u8]) -> Result<u8, Damaged> {
    let (&first, rest) = bytes.split_first().ok_or(Damaged("it breaks off"))?;
    *bytes = rest;
    Ok(first)
}

fn read(bytes: &mut &[u8]) -> Result<u64, Damaged> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let part = byte(bytes)?;
        number |= u64::from(part & 0x7f) << shift;
        if part & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Damaged("a number is out of range"))
}

/// A time as records keep it: to the millisecond.
#[must_use]
pub fn to_the_millisecond(at: DateTime<Utc>) -> DateTime<Utc> {
    let extra = at.timestamp_subsec_micros() % 1000;
    at - TimeDelta::microseconds(extra.into())
}

#[cfg(test)]
mod tests;
