//! From a log back to states: what past states, traces, `verify`, exports and
//! imports rest on. The log alone is read, never a stored state.

use std::collections::{HashMap, HashSet};

use mancala_rules::{Choice, Ply, Seat, State};

use super::{EndReason, What};

/// One row as the rules play it again.
pub struct Step<'a> {
    /// Its place among the rows, from 0.
    pub index: usize,
    /// What the rules say of a choice; none for any other row.
    pub ply: Option<Ply>,
    /// The state after the row; none after the first of a pair of opening choices.
    pub state: Option<&'a State>,
    /// The length of the log before the row was chosen, and where the game stood.
    pub before: Before,
}

/// Where a game stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before {
    /// Rows in the log.
    pub ply: i32,
    /// The turn.
    pub turn: u32,
    /// The round.
    pub round: u16,
}

/// A log that cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("ply {ply}: {cause}")]
pub struct BadLog {
    /// The row where it breaks off.
    pub ply: i32,
    /// Why.
    pub cause: String,
}

/// Whether the choices come with their sowing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traces {
    /// With the sowing, step by step.
    Kept,
    /// With what was counted alone, which is faster.
    Left,
}

/// Plays `rows`, numbered and all of them up to some row, from `start` and shows
/// each one to `see`.
///
/// # Errors
/// [`BadLog`] at the first row that cannot follow on those before.
pub fn run(
    start: State,
    rows: &[(i32, What)],
    traces: Traces,
    mut see: impl FnMut(Step<'_>),
) -> Result<State, BadLog> {
    let mut state = start;
    let mut waiting: Option<usize> = None;
    // The states that takebacks go back to.
    let targets: HashSet<i32> = rows.iter().filter_map(|(_, what)| target(*what)).collect();
    let mut kept: HashMap<i32, State> = HashMap::new();
    if targets.contains(&0) {
        kept.insert(0, state.clone());
    }
    let stands = |ply, state: &State| Before {
        ply,
        turn: state.turn(),
        round: state.round(),
    };
    let mut before = stands(0, &state);
    for (index, &(ply, what)) in rows.iter().enumerate() {
        let at = |cause: &dyn std::fmt::Display| BadLog {
            ply,
            cause: cause.to_string(),
        };
        let What::Sow { seat, house } = what else {
            match what {
                What::Takeback { .. } => {
                    let to_ply = target(what).unwrap_or_default();
                    kept.retain(|ply, _| *ply <= to_ply);
                    let target = kept.get(&to_ply).cloned();
                    state = target.ok_or_else(|| at(&"goes back to no state"))?;
                }
                What::End { reason, by } => {
                    end(&mut state, reason, by).map_err(|cause| at(&cause))?;
                }
                What::Sow { .. } => {}
            }
            if targets.contains(&ply) {
                kept.insert(ply, state.clone());
            }
            see(Step {
                index,
                ply: None,
                state: Some(&state),
                before,
            });
            before = stands(ply, &state);
            continue;
        };
        let choice = match traces {
            Traces::Kept => state.choose(seat, house),
            Traces::Left => state.choose_untraced(seat, house),
        };
        match (choice.map_err(|cause| at(&cause))?, waiting.take()) {
            (Choice::Committed, None) => waiting = Some(index),
            (Choice::Committed, Some(_)) => return Err(at(&"a third choice of a pair")),
            (Choice::Plies(plies), first) => {
                if first.map_or(1, |first| index - first + 1) != plies.len() {
                    return Err(at(&"a pair is not whole"));
                }
                if targets.contains(&ply) {
                    kept.insert(ply, state.clone());
                }
                let last = plies.len() - 1;
                for (i, ply) in plies.into_iter().enumerate() {
                    see(Step {
                        index: index - last + i,
                        ply: Some(ply),
                        state: (i == last).then_some(&state),
                        before,
                    });
                }
                before = stands(ply, &state);
            }
        }
    }
    match waiting {
        Some(index) => Err(BadLog {
            ply: rows[index].0,
            cause: "the other choice of the pair is missing".into(),
        }),
        None => Ok(state),
    }
}

/// As [`run`], for a log that comes from elsewhere: the choices of a pair stand in
/// the order in which they are played, south's first.
///
/// # Errors
/// [`BadLog`] as there, and where a pair stands the other way round.
pub fn strict(
    start: State,
    rows: &[(i32, What)],
    mut see: impl FnMut(Step<'_>),
) -> Result<State, BadLog> {
    let mut wrong = None;
    let end = run(start, rows, Traces::Left, |step| {
        let (number, what) = rows[step.index];
        if let Some(Ply { seat, house, .. }) = step.ply
            && what != (What::Sow { seat, house })
        {
            wrong.get_or_insert(number);
        }
        see(step);
    })?;
    match wrong {
        None => Ok(end),
        Some(ply) => Err(BadLog {
            ply,
            cause: "of a pair of opening choices south's stands first".into(),
        }),
    }
}

/// Which rows are taken back by a later one.
#[must_use]
pub fn taken_back(rows: &[(i32, What)]) -> Vec<bool> {
    // The furthest that a later row goes back.
    let mut furthest = i32::MAX;
    let mut marks = vec![false; rows.len()];
    for (mark, &(ply, what)) in marks.iter_mut().zip(rows).rev() {
        *mark = furthest < ply;
        furthest = target(what).map_or(furthest, |to_ply| furthest.min(to_ply));
    }
    marks
}

/// The row that a takeback goes back to. None is that far.
fn target(what: What) -> Option<i32> {
    match what {
        What::Takeback { to_ply, .. } => Some(i32::try_from(to_ply).unwrap_or(i32::MAX)),
        _ => None,
    }
}

/// An end that a seat or the server brought about.
fn end(state: &mut State, reason: EndReason, by: Option<Seat>) -> Result<(), String> {
    let seat = || by.ok_or_else(|| String::from("has no seat"));
    let nobody = |cause| match by {
        None => Ok(()),
        Some(_) => Err(String::from(cause)),
    };
    match reason {
        EndReason::Resignation => state.resign(seat()?).map(drop).map_err(said),
        EndReason::Timeout => state.time_out(seat()?).map(drop).map_err(said),
        EndReason::Agreement => {
            nobody("both agree, not one seat")?;
            state.agree_draw().map(drop).map_err(said)
        }
        EndReason::Loop => {
            nobody("both agree, not one seat")?;
            state.split().map(drop).map_err(said)
        }
        EndReason::Aborted => state.abort().map_err(said),
    }
}

fn said(cause: impl std::fmt::Display) -> String {
    cause.to_string()
}
