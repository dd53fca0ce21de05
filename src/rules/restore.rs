//! Bringing back a stored state, so that it plays on as if it had never been
//! put away.

use crate::congkak::Progress;
use crate::outcome::{Outcome, RoundTotals};
use crate::parameters::Rules;
use crate::position::{BadPosition, Position};
use crate::seat::{Seat, Sides};
use crate::start::{board, fits};
use crate::state::{Stage, State};

/// A state as it is stored: its position text and what that leaves out.
#[derive(Debug, Clone)]
pub struct Saved<'a> {
    /// The position text.
    pub position: &'a str,
    /// The turn.
    pub turn: u32,
    /// The rounds so far, the present one last. Empty: only the present one.
    pub rounds: &'a [RoundTotals],
    /// Al-manqala: the texts of all positions since the last capture, the
    /// present one last. Empty: only the present one.
    pub seen: &'a [&'a str],
    /// How the game ended.
    pub result: Option<Outcome>,
    /// The secret choices that wait for the other seat.
    pub committed: Sides<Option<u8>>,
}

impl State {
    /// A state that was stored before. What it says is trusted to have come
    /// from a game under these rules; what could make the engine stumble is
    /// checked all the same.
    ///
    /// # Errors
    /// [`BadPosition`] when a text is no position or does not fit the rules.
    pub fn restore(rules: Rules, saved: Saved<'_>) -> Result<State, BadPosition> {
        let position = parse(rules, saved.position)?;
        let mut state = State::at(rules, &position);
        state.turn = saved.turn;
        if !saved.rounds.is_empty() {
            state.rounds = saved.rounds.to_vec();
        }
        if matches!(rules, Rules::AlManqala(_)) && !saved.seen.is_empty() {
            state.seen = seen(rules, saved.seen)?;
        }
        if saved.result.is_some() {
            state.stage = match state.stage {
                Stage::Opening(opening) => Stage::Finished(Some(opening)),
                Stage::Playing(_) => Stage::Finished(None),
                finished => finished,
            };
            state.result = saved.result;
        }
        commit(&mut state, saved.committed)?;
        Ok(state)
    }
}

fn parse(rules: Rules, text: &str) -> Result<Position, BadPosition> {
    let position: Position = text.parse()?;
    fits(rules, &position)?;
    Ok(position)
}

fn seen(rules: Rules, texts: &[&str]) -> Result<Vec<(crate::board::Board, Seat)>, BadPosition> {
    let mut seen = Vec::with_capacity(texts.len());
    for text in texts {
        let position = parse(rules, text)?;
        // A finished position never comes again.
        if let Some(&mover) = position.to_move.first() {
            seen.push((board(rules.houses(), &position), mover));
        }
    }
    Ok(seen)
}

/// Puts secret choices back. Two at once would have been played.
fn commit(state: &mut State, committed: Sides<Option<u8>>) -> Result<(), BadPosition> {
    for seat in Seat::ALL {
        let Some(house) = committed[seat] else {
            continue;
        };
        let alone = committed[seat.other()].is_none();
        let waits_for = state.to_move().contains(&seat.other());
        if !(alone && waits_for && state.legal_houses(seat).contains(&house)) {
            return Err(BadPosition::Committed(seat));
        }
        if let Stage::Opening(opening) = &mut state.stage {
            opening.seats[seat] = Progress::Owes {
                chosen: Some(house),
            };
        }
    }
    Ok(())
}
