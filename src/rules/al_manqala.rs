//! The engine of al-manqala: one lap, captures of two and four backwards along
//! the track, the duty to feed, and its endings in their order.

use crate::board::{Board, Cell};
use crate::outcome::{Reason, Winner};
use crate::parameters::{AlManqalaRules, Feeding};
use crate::ply::{Counts, Ply};
use crate::seat::{Seat, Spot};
use crate::state::{Stage, State};
use crate::trace::{Recorder, Step};

/// The houses a seat may choose. If the other row is empty only those that
/// feed it; if none does, none.
pub(crate) fn legal(
    board: &Board,
    rules: AlManqalaRules,
    seat: Seat,
) -> impl Iterator<Item = u8> + '_ {
    let duty = board.row_is_empty(seat.other());
    board
        .filled(seat)
        .iter()
        .filter(move |&house| !duty || feeds(board, rules, seat, house))
}

/// Whether this house feeds the other row, which is empty.
fn feeds(board: &Board, rules: AlManqalaRules, seat: Seat, house: u8) -> bool {
    let from = board.cell(seat, house);
    // House n is the last of the row: a pearl more than the houses before the
    // border crosses it. Later pearls of a long lap change nothing in that.
    let crosses = board.seeds(from) > u16::from(rules.houses - house);
    match rules.feeding {
        Feeding::Deposit => crosses,
        Feeding::Leaves => {
            let mut after = board.clone();
            let to = sow(&mut after, from);
            capture(&mut after, to);
            !after.row_is_empty(seat.other())
        }
    }
}

/// Lifts a house and sows it. Gives back where the last pearl fell. The origin
/// is not left out.
fn sow(board: &mut Board, from: Cell) -> Cell {
    let mut at = from;
    for _ in 0..board.lift(from) {
        at = board.down(at);
        *board.seeds_mut(at) += 1;
    }
    at
}

/// Empties the last house if it holds exactly two or four, then the one before
/// it on the track, and so on without a gap, on either side. Gives back how
/// many houses and how many pearls.
fn capture(board: &mut Board, last: Cell) -> (u8, u16) {
    let (mut houses, mut pearls) = (0, 0);
    let mut at = last;
    // Ends: an emptied house holds neither two nor four.
    while matches!(board.seeds(at), 2 | 4) {
        pearls += board.lift(at);
        houses += 1;
        at = board.back(at);
    }
    (houses, pearls)
}

/// Plays a legal choice, to the end of everything that follows from it.
pub(crate) fn ply<R: Recorder>(
    state: &mut State,
    rules: AlManqalaRules,
    seat: Seat,
    house: u8,
    recorder: &mut R,
) -> Ply {
    let board = &mut state.board;
    let from = board.cell(seat, house);
    let seeds = board.seeds(from);
    let to = sow(board, from);
    recorder.record(|| Step::Lap {
        seat,
        from: board.spot(from),
        seeds,
        to: board.spot(to),
    });
    let (houses, captured) = capture(board, to);
    board.bank(seat, captured);
    if captured > 0 {
        recorder.record(|| Step::Capture {
            seat,
            tick: None,
            at: board.spot(to),
            from: backwards(board, to, houses),
            seeds: captured,
        });
    }
    let (turn, round) = (state.turn, state.round);
    let passed = end_of_turn(state, rules, seat, captured > 0, recorder);
    Ply {
        seat,
        house,
        turn,
        round,
        counts: Counts {
            seeds_sown: u32::from(seeds),
            lap_count: 1,
            captured: u32::from(captured),
            banked: u32::from(captured),
        },
        extra_turn: false,
        passed,
        other: None,
        trace: Vec::new(),
    }
}

/// The last house and those before it on the track.
fn backwards(board: &Board, last: Cell, houses: u8) -> Vec<Spot> {
    let mut at = last;
    let mut spots = Vec::with_capacity(usize::from(houses));
    for _ in 0..houses {
        spots.push(board.spot(at));
        at = board.back(at);
    }
    spots
}

/// The endings in their order: majority, empty board, pass, starvation,
/// repetition. Gives back whether the opponent had to pass.
fn end_of_turn<R: Recorder>(
    state: &mut State,
    rules: AlManqalaRules,
    seat: Seat,
    captured: bool,
    recorder: &mut R,
) -> bool {
    let opponent = seat.other();
    let majority = u16::from(rules.houses) * u16::from(rules.seeds) + 1;
    if state.board.store(seat) >= majority {
        state.finish(seat.into(), Reason::Majority, None, recorder);
        return false;
    }
    let opponent_empty = state.board.row_is_empty(opponent);
    if opponent_empty && state.board.row_is_empty(seat) {
        let winner = Winner::by_seeds(state.score());
        state.finish(winner, Reason::MostSeeds, None, recorder);
        return false;
    }
    let mover = if opponent_empty { seat } else { opponent };
    if opponent_empty {
        recorder.record(|| Step::Pass { seat: opponent });
    }
    if legal(&state.board, rules, mover).next().is_none() {
        starve(state, mover.other(), recorder);
        return opponent_empty;
    }
    if captured {
        state.seen.clear();
    }
    state.seen.push((state.board.clone(), mover));
    if rules
        .loop_repeat
        .is_some_and(|limit| state.repetition() >= u32::from(limit))
    {
        halve(state, recorder);
        return opponent_empty;
    }
    state.stage = Stage::Playing(mover);
    state.turn += 1;
    opponent_empty
}

/// Nobody can feed this seat: it takes everything left on the board.
fn starve<R: Recorder>(state: &mut State, hungry: Seat, recorder: &mut R) {
    let seeds = state.board.clear_row(Seat::South) + state.board.clear_row(Seat::North);
    state.board.bank(hungry, seeds);
    recorder.record(|| Step::Sweep {
        seat: hungry,
        seeds,
    });
    let winner = Winner::by_seeds(state.score());
    state.finish(winner, Reason::Starvation, None, recorder);
}

/// What only circles is halved. The rest is always even: captures are even,
/// and a start's stores are.
pub(crate) fn halve<R: Recorder>(state: &mut State, recorder: &mut R) {
    let each = (state.board.clear_row(Seat::South) + state.board.clear_row(Seat::North)) / 2;
    for seat in Seat::ALL {
        state.board.bank(seat, each);
    }
    recorder.record(|| Step::Halve { each });
    let winner = Winner::by_seeds(state.score());
    state.finish(winner, Reason::Loop, None, recorder);
}
