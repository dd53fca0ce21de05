//! From a log back to states: what `at_ply`, traces and `verify` rest on. The
//! log alone is read, never the stored state.
//!
//! A series of rounds is long to replay: whoever answers requests lets it be done
//! [`aside`], where it keeps no other request waiting; plain reads give their
//! connection back before.

use std::collections::{HashMap, HashSet};

use mancala_rules::{Choice, Ply, Seat, State};

use super::PlayError;
use super::stored::{corrupt, rules, start};
use crate::db::games::Game;
use crate::db::plies::Ply as Row;

/// What a game had become after some of its rows.
pub(super) struct Replayed {
    pub(super) state: State,
    pub(super) ply: i32,
}

/// One row as the rules play it again.
pub(super) struct Step<'a> {
    pub(super) row: &'a Row,
    /// What the rules say of a sow row; none for any other.
    pub(super) ply: Option<Ply>,
    /// The state after the row; none after the first of a pair.
    pub(super) state: Option<&'a State>,
}

/// Does `work` on a thread of its own.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PlayError> + Send + 'static,
) -> Result<T, PlayError> {
    tokio::task::spawn_blocking(work).await.map_err(corrupt)?
}

/// Plays `rows`, the whole log up to some row, from the start and shows each one
/// to `see`.
pub(super) fn run(
    game: &Game,
    rows: &[Row],
    mut see: impl FnMut(Step<'_>),
) -> Result<State, PlayError> {
    let mut state = start(game, rules(game)?)?;
    let mut waiting: Option<&Row> = None;
    // The states that takebacks go back to.
    let targets: HashSet<i32> = rows.iter().filter_map(|row| row.to_ply).collect();
    let mut kept: HashMap<i32, State> = HashMap::new();
    if targets.contains(&0) {
        kept.insert(0, state.clone());
    }
    for row in rows {
        if row.kind != "sow" {
            match row.to_ply {
                Some(to_ply) => {
                    kept.retain(|ply, _| *ply <= to_ply);
                    let target = kept.get(&to_ply).cloned();
                    state = target.ok_or_else(|| at(row, "goes back to no state"))?;
                }
                None => end(&mut state, row)?,
            }
            if targets.contains(&row.ply) {
                kept.insert(row.ply, state.clone());
            }
            see(Step {
                row,
                ply: None,
                state: Some(&state),
            });
            continue;
        }
        let seat = seat_of(row)?;
        let house = row.house.and_then(|house| u8::try_from(house).ok());
        let house = house.ok_or_else(|| at(row, "has no house"))?;
        let choice = state.choose(seat, house).map_err(|cause| at(row, cause))?;
        match (choice, waiting.take()) {
            (Choice::Committed, None) => waiting = Some(row),
            (Choice::Committed, Some(_)) => return Err(at(row, "a third choice of a pair")),
            (Choice::Plies(plies), first) => {
                let rows: Vec<&Row> = first.into_iter().chain([row]).collect();
                if rows.len() != plies.len() {
                    return Err(at(row, "a pair is not whole"));
                }
                if targets.contains(&row.ply) {
                    kept.insert(row.ply, state.clone());
                }
                let last = plies.len() - 1;
                for (i, (row, ply)) in rows.into_iter().zip(plies).enumerate() {
                    let state = (i == last).then_some(&state);
                    see(Step {
                        row,
                        ply: Some(ply),
                        state,
                    });
                }
            }
        }
    }
    match waiting {
        Some(row) => Err(at(row, "the other choice of the pair is missing")),
        None => Ok(state),
    }
}

/// The state after row `at_ply`. `rows` are those up to `at_ply + 1`, for the
/// first row of a pair shows the state after the second.
pub(super) fn until(game: &Game, rows: &[Row], at_ply: i32) -> Result<Replayed, PlayError> {
    let pair = |row: &&Row| row.ply == at_ply && row.position.is_none();
    let ply = if rows.iter().any(|row| pair(&row)) {
        at_ply + 1
    } else {
        at_ply
    };
    let rows: Vec<Row> = rows.iter().filter(|row| row.ply <= ply).cloned().collect();
    Ok(Replayed {
        state: run(game, &rows, |_| {})?,
        ply,
    })
}

/// An end that a seat or the server brought about.
fn end(state: &mut State, row: &Row) -> Result<(), PlayError> {
    match row.reason.as_deref() {
        Some("resignation") => state
            .resign(seat_of(row)?)
            .map(drop)
            .map_err(|cause| at(row, cause)),
        Some("timeout") => state
            .time_out(seat_of(row)?)
            .map(drop)
            .map_err(|cause| at(row, cause)),
        Some("agreement") => state.agree_draw().map(drop).map_err(|cause| at(row, cause)),
        Some("loop") => state.split().map(drop).map_err(|cause| at(row, cause)),
        Some("aborted") => state.abort().map_err(|cause| at(row, cause)),
        other => Err(at(row, format!("unknown reason {other:?}"))),
    }
}

fn seat_of(row: &Row) -> Result<Seat, PlayError> {
    let seat = row.seat.as_deref().ok_or_else(|| at(row, "has no seat"))?;
    seat.parse().map_err(|_| at(row, "has an unknown seat"))
}

fn at(row: &Row, cause: impl std::fmt::Display) -> PlayError {
    corrupt(format!("ply {}: {cause}", row.ply))
}
