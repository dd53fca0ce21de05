//! The end of a congkak round, and the next one: sweep, totals, the end of the
//! series, refill, who starts.

use crate::board::Board;
use crate::outcome::{Reason, Winner};
use crate::parameters::{CongkakRules, Refill, RoundEnd};
use crate::seat::{Seat, Sides};
use crate::state::{Stage, State};
use crate::trace::{Recorder, Step};

/// Whether the round is over when this seat would be to move.
pub(super) fn is_over(board: &Board, rules: CongkakRules, mover: Seat) -> bool {
    board.row_is_empty(mover)
        || rules.round_end == RoundEnd::SideEmpty && board.row_is_empty(mover.other())
}

/// Ends the round, and with it either the game or the wait for the next round,
/// which is set up at once: nobody has to send anything.
pub(super) fn finish<R: Recorder>(state: &mut State, rules: CongkakRules, recorder: &mut R) {
    sweep(&mut state.board, recorder);
    let totals = state.score();
    let winner = Winner::by_seeds(totals);
    let round = state.round;
    if let Some(present) = state.rounds.last_mut() {
        present.south = Some(totals.south);
        present.north = Some(totals.north);
    }
    recorder.record(|| Step::RoundEnd {
        round,
        south: totals.south,
        north: totals.north,
        winner,
    });

    // The limit is tested before the refill, so that what would be held back
    // counts too.
    if rules.max_rounds.is_some_and(|max| round >= u16::from(max)) {
        state.finish(winner, Reason::MostSeeds, None, recorder);
        return;
    }
    let able = Sides::from_fn(|seat| can_fill(&state.board, rules, seat));
    match (able.south, able.north) {
        (true, true) => next_round(state, rules, winner, recorder),
        (true, false) => {
            state.finish(Winner::South, Reason::CannotRefill, None, recorder);
        }
        (false, true) => {
            state.finish(Winner::North, Reason::CannotRefill, None, recorder);
        }
        // Only from a custom start that burns every house for good.
        (false, false) => state.finish(winner, Reason::CannotRefill, None, recorder),
    }
}

/// The seeds still on the board lie in one row and go to its owner.
fn sweep<R: Recorder>(board: &mut Board, recorder: &mut R) {
    for seat in Seat::ALL {
        let seeds = board.clear_row(seat);
        if seeds > 0 {
            board.bank(seat, seeds);
            recorder.record(|| Step::Sweep { seat, seeds });
        }
    }
}

/// The houses a seat may fill: all, or those that are not burnt for good.
fn open_houses(board: &Board, rules: CongkakRules, seat: Seat) -> impl Iterator<Item = u8> {
    (1..=rules.houses)
        .filter(move |&house| rules.burnt_recoverable || !board.is_burnt(board.cell(seat, house)))
}

/// A seat that cannot fill has lost the series.
fn can_fill(board: &Board, rules: CongkakRules, seat: Seat) -> bool {
    let needed = match rules.refill {
        Refill::LeftToRight => u16::from(rules.seeds),
        Refill::Even => 1,
    };
    board.store(seat) >= needed && open_houses(board, rules, seat).next().is_some()
}

fn next_round<R: Recorder>(
    state: &mut State,
    rules: CongkakRules,
    winner: Winner,
    recorder: &mut R,
) {
    for seat in Seat::ALL {
        fill(&mut state.board, rules, seat);
        let board = &state.board;
        recorder.record(|| Step::Refill {
            seat,
            houses: board.row_houses(seat),
            burnt: board.row_burnt(seat),
            store: board.store(seat),
        });
    }
    // The loser starts; after an equal round the seat that did not start this
    // one.
    let starter = match winner.seat() {
        Some(seat) => seat.other(),
        None => state.starter.unwrap_or(Seat::South).other(),
    };
    // A series without a limit could outlast the counter: it then stands still.
    state.round = state.round.saturating_add(1);
    state.turn += 1;
    state.starter = Some(starter);
    state.stage = Stage::Playing(starter);
    state.open_round();
    let round = state.round;
    recorder.record(|| Step::RoundStart { round, starter });
}

/// Fills a row from its owner's store, house 1 first, at most the starting
/// number a house. A house that gets nothing is burnt for the round.
fn fill(board: &mut Board, rules: CongkakRules, seat: Seat) {
    let full = u16::from(rules.seeds);
    let open: Vec<u8> = open_houses(board, rules, seat).collect();
    let count = open.len() as u16;
    let store = board.store(seat);
    // Dealt one at a time, round and round: everyone gets the quotient, the
    // first ones one more.
    let dealt = store.min(full * count);
    let mut left = store;
    for (house, place) in (1..=rules.houses).map(|house| {
        let place = open.iter().position(|&open| open == house);
        (house, place)
    }) {
        let share = match (place, rules.refill) {
            (None, _) => 0,
            (Some(_), Refill::LeftToRight) if left >= full => full,
            (Some(_), Refill::LeftToRight) => 0,
            (Some(place), Refill::Even) => {
                dealt / count + u16::from((place as u16) < dealt % count)
            }
        };
        let cell = board.cell(seat, house);
        *board.seeds_mut(cell) = share;
        board.set_burnt(cell, share == 0);
        left -= share;
    }
    *board.seeds_mut(board.store_cell(seat)) = left;
}
