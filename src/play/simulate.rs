//! Choices on a board that is stored nowhere.

use mancala_rules::{Choice, IllegalMove, Position, Rules, Seat, State, Step, merge_traces};

use super::{PlayError, replay};

/// One thing to try.
#[derive(Debug, Clone, Copy)]
pub enum Action {
    /// A choice of a house.
    Sow {
        /// Whose choice.
        seat: Seat,
        /// Which house, 1..n from the seat's left hand.
        house: u32,
    },
    /// A seat gives up.
    Resign(Seat),
    /// Both agree to halve the board.
    Split,
}

/// A state and how it came about.
#[derive(Debug)]
pub struct Simulated {
    /// The state.
    pub state: State,
    /// The sowing that led to it; none for the first.
    pub trace: Option<Vec<Step>>,
}

/// Why the choice at `index` cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("choice {index}: {reason}")]
pub struct Refused {
    /// Counted from 0.
    pub index: usize,
    /// What the rules say.
    pub reason: String,
    /// What would have been legal there.
    pub legal: Vec<(Seat, u8)>,
}

/// The state a simulation begins with.
pub fn start(rules: Rules, start: Option<&Position>) -> Result<State, PlayError> {
    Ok(match start {
        Some(position) => State::custom(rules, position)?,
        None => State::start(rules),
    })
}

/// Every state from `state` on, found where it keeps no other request waiting.
pub async fn run(
    state: State,
    actions: Vec<Action>,
) -> Result<Result<Vec<Simulated>, Refused>, PlayError> {
    replay::aside(move || Ok(every_state(state, &actions))).await
}

fn every_state(mut state: State, actions: &[Action]) -> Result<Vec<Simulated>, Refused> {
    let mut states = vec![Simulated {
        state: state.clone(),
        trace: None,
    }];
    for (index, action) in actions.iter().enumerate() {
        let trace = step(&mut state, *action).map_err(|reason| Refused {
            index,
            reason,
            legal: state.legal_moves(),
        })?;
        states.push(Simulated {
            state: state.clone(),
            trace: Some(trace),
        });
    }
    Ok(states)
}

fn step(state: &mut State, action: Action) -> Result<Vec<Step>, String> {
    match action {
        Action::Sow { seat, house } => {
            let house = u8::try_from(house).unwrap_or(u8::MAX);
            match state
                .choose(seat, house)
                .map_err(|e: IllegalMove| e.to_string())?
            {
                Choice::Committed => Ok(Vec::new()),
                Choice::Plies(plies) => Ok(merge_traces(&plies)),
            }
        }
        Action::Resign(seat) => state.resign(seat).map_err(|cause| cause.to_string()),
        Action::Split => state.split().map_err(|cause| cause.to_string()),
    }
}
