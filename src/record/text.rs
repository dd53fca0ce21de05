//! A record as text, in the manner of PGN: headers, then the moves, a turn a line.
//! The grammar with examples is in `docs/notation.md`. Reading is strict, so that a
//! record has exactly one text.

mod read;

use std::fmt::Write;

use mancala_rules::{Rules, Seat, State, preset};
use serde_json::Value;

pub use read::{BadText, read};

use super::check::Unsound;
use super::index::numbered;
use super::time::Time;
use super::{EndReason, Entry, Kind, Party, Record, Source, What, replay};

/// What every record begins with.
pub const FIRST: &str = "[Game \"";

/// Appends the record of a game that has a result.
///
/// # Errors
/// When it cannot be played, or has no result.
pub fn write(record: &Record, text: &mut String) -> Result<(), Unsound> {
    let end = put(record, text)?;
    match end.result() {
        Some(_) => Ok(()),
        None => Err(unfinished()),
    }
}

/// Appends the log of any game: of one without a result the result is `*`, and
/// nothing reads it back.
///
/// # Errors
/// When it cannot be played.
pub fn write_any(record: &Record, text: &mut String) -> Result<(), Unsound> {
    put(record, text).map(drop)
}

fn unfinished() -> Unsound {
    Unsound {
        ply: 0,
        cause: "the game is not over".into(),
    }
}

fn put(record: &Record, text: &mut String) -> Result<State, Unsound> {
    let mut moves = String::with_capacity(record.rows.len() * 4);
    let end = movetext(record, &mut moves)?;
    // Writing to a string does not fail.
    let _ = headers(record, &end, text);
    text.push('\n');
    text.push_str(&moves);
    Ok(end)
}

fn headers(record: &Record, end: &State, text: &mut String) -> std::fmt::Result {
    writeln!(text, "{FIRST}{}\"]", record.id)?;
    writeln!(text, "[Ruleset \"{} {}\"]", record.ruleset, record.revision)?;
    let differing = differing(&record.ruleset, &record.rules);
    if !differing.is_empty() {
        text.push_str("[Rules \"");
        for (index, (name, value)) in differing.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            match value {
                Value::String(word) => write!(text, "{space}{name}={word}")?,
                other => write!(text, "{space}{name}={other}")?,
            }
        }
        text.push_str("\"]\n");
    }
    if let Some(start) = &record.start {
        writeln!(text, "[Start \"{start}\"]")?;
    }
    for (name, party) in [
        ("South", &record.seats.south),
        ("North", &record.seats.north),
    ] {
        match party {
            Party {
                player: None,
                kind: Kind::Anonymous,
            } => {}
            Party { player: None, kind } => writeln!(text, "[{name} \"{}\"]", kind.as_str())?,
            Party {
                player: Some(player),
                kind,
            } => {
                let player = player.replace('\\', "\\\\").replace('"', "\\\"");
                writeln!(text, "[{name} \"{} {player}\"]", kind.as_str())?;
            }
        }
    }
    if let Some(clock) = record.clock {
        write!(text, "[Clock \"{}", clock.per_move)?;
        if let Some(reserve) = clock.reserve {
            write!(text, "+{reserve}")?;
        }
        text.push_str("\"]\n");
    }
    writeln!(text, "[Created \"{}\"]", Moment(record.created_at.into()))?;
    if record.started_at != record.created_at {
        writeln!(text, "[Started \"{}\"]", Moment(record.started_at.into()))?;
    }
    let Some(result) = end.result() else {
        return writeln!(text, "[Result \"*\"]");
    };
    if record.ended_at != record.started_at {
        writeln!(text, "[Ended \"{}\"]", Moment(record.ended_at.into()))?;
    }
    let (winner, reason) = (result.winner.as_str(), result.reason.as_str());
    let (south, north) = (result.score.south, result.score.north);
    writeln!(text, "[Result \"{winner} {south}-{north} {reason}\"]")
}

/// A time, or just the day where it is the day's beginning.
struct Moment(Time);

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0
            .with_text(|text| f.write_str(text.strip_suffix("T00:00:00.000Z").unwrap_or(text)))
    }
}

/// What has to be said of parameters: those that are not the ruleset's own, in their
/// order. `seeds` follows `houses` where only these differ.
fn differing(ruleset: &str, rules: &Rules) -> Vec<(&'static str, Value)> {
    let Some(preset) = preset(ruleset) else {
        return Vec::new();
    };
    if *rules == preset.defaults {
        return Vec::new();
    }
    let all = rules.to_json();
    let other_houses = rules.houses() != preset.defaults.houses();
    let value = |name: &'static str| (name, all[name].clone());
    preset
        .parameters()
        .iter()
        .map(|parameter| value(parameter.name))
        .filter(|(name, value)| match *name {
            "seeds" if other_houses => rules.seeds() != rules.houses(),
            name => *value != preset.default_of(name),
        })
        .collect()
}

/// The letter of a seat.
fn letter(seat: Seat) -> char {
    match seat {
        Seat::South => 'S',
        Seat::North => 'N',
    }
}

fn movetext(record: &Record, text: &mut String) -> Result<State, Unsound> {
    let first = record.first().map_err(|cause| Unsound {
        ply: 0,
        cause: cause.to_string(),
    })?;
    let rows = numbered(record);
    // The turn of the line that choices may still be added to, and the round.
    let (mut line, mut round) = (None, 1);
    let end = replay::strict(first, &rows, |step| {
        let entry = &record.rows[step.index];
        let before = step.before;
        let (turn, of_round) = match (&step.ply, entry.what, step.state) {
            (Some(ply), ..) => (ply.turn, ply.round),
            (None, What::Takeback { .. }, Some(state)) => (state.turn(), state.round()),
            _ => (before.turn, before.round),
        };
        let whole = matches!(entry.what, What::Sow { .. });
        let joins = line == Some(turn) && whole && of_round == round;
        // The second of a pair.
        let pair = joins && text.ends_with('+');
        if !joins && line.is_some() {
            text.push('\n');
        }
        // Writing to a string does not fail.
        if of_round != round {
            let _ = writeln!(text, "round {of_round}");
            round = of_round;
        }
        if !joins && whole {
            let _ = write!(text, "{turn}.");
        }
        if whole && !pair {
            text.push(' ');
        }
        let _ = put_row(text, entry);
        if whole {
            if step.state.is_none() {
                text.push('+');
            }
            line = Some(turn);
        } else {
            text.push('\n');
            line = None;
        }
    })?;
    if line.is_some() {
        text.push('\n');
    }
    Ok(end)
}

fn put_row(text: &mut String, entry: &Entry) -> std::fmt::Result {
    match entry.what {
        What::Sow { seat, house } => write!(text, "{}{house}", letter(seat))?,
        What::Takeback { seat, to_ply } => write!(text, "{} takeback {to_ply}", letter(seat))?,
        What::End { reason, by } => {
            if let Some(seat) = by {
                write!(text, "{} ", letter(seat))?;
            }
            text.push_str(reason.as_str());
        }
    }
    let source = (entry.source != usual_source(entry.what)).then_some(entry.source);
    if entry.elapsed_ms.is_none() && entry.played_at.is_none() && source.is_none() {
        return Ok(());
    }
    let mut before = '{';
    if let Some(elapsed) = entry.elapsed_ms {
        write!(text, "{before}{elapsed}ms")?;
        before = ' ';
    }
    if let Some(at) = entry.played_at {
        text.push(before);
        Time(at).with_text(|at| text.push_str(at));
        before = ' ';
    }
    if let Some(source) = source {
        write!(text, "{before}{}", source.as_str())?;
    }
    text.push('}');
    Ok(())
}

/// Who brings such a row about where nothing else is said.
pub(super) fn usual_source(what: What) -> Source {
    match what {
        What::End {
            reason: EndReason::Timeout,
            ..
        } => Source::Server,
        _ => Source::Player,
    }
}
