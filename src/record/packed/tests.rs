//! Packing and back, and bytes that nobody packed.

use chrono::{DateTime, TimeDelta, Utc};
use mancala_rules::Seat;
use uuid::Uuid;

use super::{EndReason, Entry, Source, What, pack, unpack};

fn start() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_800_000_000_123).expect("a time")
}

fn rows() -> Vec<Entry> {
    let row = |what, source, elapsed_ms, later: Option<i64>| Entry {
        what,
        source,
        elapsed_ms,
        played_at: later.map(|ms| start() + TimeDelta::milliseconds(ms)),
    };
    let sow = |seat, house| What::Sow { seat, house };
    vec![
        row(sow(Seat::South, 1), Source::Player, Some(512), Some(513)),
        row(
            sow(Seat::North, 15),
            Source::Player,
            Some(86_400_000),
            Some(86_400_513),
        ),
        row(
            sow(Seat::South, 7),
            Source::Conditional,
            Some(0),
            Some(86_400_513),
        ),
        row(sow(Seat::South, 2), Source::Player, None, None),
        row(
            What::Takeback {
                seat: Seat::North,
                to_ply: 300,
            },
            Source::Player,
            Some(7),
            // A clock that was set back.
            Some(-5),
        ),
        row(
            What::End {
                reason: EndReason::Timeout,
                by: Some(Seat::South),
            },
            Source::Server,
            Some(u64::MAX),
            Some(9),
        ),
        row(
            What::End {
                reason: EndReason::Loop,
                by: None,
            },
            Source::Player,
            None,
            Some(10),
        ),
    ]
}

#[test]
fn comes_out_as_it_went_in() {
    let id = Uuid::from_u128(7);
    let bytes = pack(id, start(), &rows());
    assert_eq!(unpack(id, start(), &bytes), Ok(rows()));
    assert_eq!(unpack(id, start(), &pack(id, start(), &[])), Ok(Vec::new()));
}

/// What is stored is read by every later program: these bytes never change.
#[test]
fn the_bytes_are_these() {
    let id = Uuid::from_u128(7);
    let bytes = pack(id, start(), &rows()[..2]);
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(text, "01c801800402cc0f80b8992900a677563e3b116436");
}

#[test]
fn every_damage_is_noticed() {
    let id = Uuid::from_u128(7);
    let bytes = pack(id, start(), &rows());
    assert!(unpack(Uuid::from_u128(8), start(), &bytes).is_err());
    for at in 0..bytes.len() {
        assert!(unpack(id, start(), &bytes[..at]).is_err(), "cut at {at}");
        for bit in 0..8 {
            let mut other = bytes.clone();
            other[at] ^= 1 << bit;
            assert!(unpack(id, start(), &other).is_err(), "byte {at}, bit {bit}");
        }
    }
}
