//! The engine of the congkak family, in the order of the game: a choice is
//! sown (`sow`), then the turn and perhaps the round end (`round`). A
//! simultaneous opening has its own course (`opening`).

mod opening;
mod round;
mod sow;

pub(crate) use opening::{Opening, Progress, commit};

use crate::parameters::CongkakRules;
use crate::ply::{Counts, Ply};
use crate::seat::Seat;
use crate::state::{Stage, State};
use crate::trace::Recorder;

/// Plays a legal choice outside an opening, to the end of everything that
/// follows from it.
pub(crate) fn ply<R: Recorder>(
    state: &mut State,
    rules: CongkakRules,
    seat: Seat,
    house: u8,
    recorder: &mut R,
) -> Ply {
    let mut counts = Counts::default();
    let extra_turn = sow::sow(&mut state.board, rules, seat, house, &mut counts, recorder);
    let (turn, round) = (state.turn, state.round);
    let mover = if extra_turn { seat } else { seat.other() };
    let goes_on = end_of_turn(state, rules, mover, extra_turn, recorder);
    Ply {
        seat,
        house,
        turn,
        round,
        counts,
        extra_turn: extra_turn && goes_on,
        passed: false,
        other: None,
        trace: Vec::new(),
    }
}

/// Ends the ply: the round's end is tested with no seed in hand, for the seat
/// that would be to move. Whether the round goes on.
fn end_of_turn<R: Recorder>(
    state: &mut State,
    rules: CongkakRules,
    mover: Seat,
    same_turn: bool,
    recorder: &mut R,
) -> bool {
    if round::is_over(&state.board, rules, mover) {
        round::finish(state, rules, recorder);
        return false;
    }
    state.stage = Stage::Playing(mover);
    state.turn += u32::from(!same_turn);
    true
}
