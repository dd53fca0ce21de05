//! Sowing a hand of the congkak family: where the next seed falls, what a drop
//! does, where a lap ends, and the captures. Used by a normal ply, which is
//! played here to its end, and by the opening, which goes seed by seed.

use crate::board::{Board, Cell};
use crate::parameters::{BurntRule, CongkakRules, EmptyOpposite};
use crate::ply::Counts;
use crate::seat::Seat;
use crate::trace::{Recorder, Step};

/// What the last seed of a lap met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Landing {
    /// The own store.
    Store,
    /// A burnt house: the seed was confiscated.
    Burnt,
    /// A house that holds more than this seed, on either side.
    Occupied,
    /// An empty house of the other seat.
    Away,
    /// An empty house of the own row.
    Home,
}

/// Where the hand drops its next seed. The origin of a lap is not left out.
/// Ends because the own store is never burnt.
pub(super) fn next(board: &Board, burnt: BurntRule, seat: Seat, at: Cell) -> Cell {
    let mut cell = board.up(seat, at);
    while burnt == BurntRule::Skip && board.is_burnt(cell) {
        cell = board.up(seat, cell);
    }
    cell
}

/// Drops one seed. In a burnt house it goes at once to the sower's opponent,
/// whoever owns the house.
pub(super) fn drop_seed(board: &mut Board, seat: Seat, at: Cell) {
    if board.is_burnt(at) {
        board.bank(seat.other(), 1);
    } else {
        *board.seeds_mut(at) += 1;
    }
}

/// What the last seed, just dropped here, has met.
pub(super) fn landing(board: &Board, seat: Seat, at: Cell) -> Landing {
    if at == board.store_cell(seat) {
        Landing::Store
    } else if board.is_burnt(at) {
        Landing::Burnt
    } else if board.seeds(at) > 1 {
        Landing::Occupied
    } else if board.is_house_of(at, seat) {
        Landing::Home
    } else {
        Landing::Away
    }
}

/// Lifts a house and sows it with all its relays. True: an extra turn.
pub(super) fn sow<R: Recorder>(
    board: &mut Board,
    rules: CongkakRules,
    seat: Seat,
    house: u8,
    counts: &mut Counts,
    recorder: &mut R,
) -> bool {
    let mut from = board.cell(seat, house);
    loop {
        let to = lap(board, rules, seat, from, counts, recorder);
        match landing(board, seat, to) {
            Landing::Store => {
                recorder.record(|| Step::ExtraTurn { seat, tick: None });
                return true;
            }
            Landing::Occupied => from = to,
            Landing::Burnt | Landing::Away => {
                let at = board.spot(to);
                recorder.record(|| Step::Mati {
                    seat,
                    tick: None,
                    at,
                });
                return false;
            }
            Landing::Home => {
                die_at_home(board, rules, seat, to, None, false, counts, recorder);
                return false;
            }
        }
    }
}

/// One lap: lifts `from` and sows it. Gives back where the last seed fell.
fn lap<R: Recorder>(
    board: &mut Board,
    rules: CongkakRules,
    seat: Seat,
    from: Cell,
    counts: &mut Counts,
    recorder: &mut R,
) -> Cell {
    let others = board.store(seat.other());
    let hand = board.seeds(from);
    let at = match board.burnt_count() {
        0 => board.lap(seat, from),
        _ => seed_by_seed(board, rules, seat, from),
    };
    counts.lap_count += 1;
    counts.seeds_sown += u32::from(hand);
    recorder.record(|| Step::Lap {
        seat,
        from: board.spot(from),
        seeds: hand,
        to: board.spot(at),
    });
    let confiscated = board.store(seat.other()) - others;
    if confiscated > 0 {
        recorder.record(|| Step::Confiscate {
            seat,
            tick: None,
            at: burnt_on_the_way(board, rules, seat, from, hand),
            seeds: confiscated,
        });
    }
    at
}

/// Lifts `from` and drops its seeds, one after another: where the last one fell.
fn seed_by_seed(board: &mut Board, rules: CongkakRules, seat: Seat, from: Cell) -> Cell {
    let mut at = from;
    for _ in 0..board.lift(from) {
        at = next(board, rules.burnt, seat, at);
        drop_seed(board, seat, at);
    }
    at
}

/// The burnt houses a lap dropped a seed into, by walking it again.
fn burnt_on_the_way(
    board: &Board,
    rules: CongkakRules,
    seat: Seat,
    from: Cell,
    hand: u16,
) -> Vec<crate::Spot> {
    let mut at = from;
    let mut spots = Vec::new();
    for _ in 0..hand {
        at = next(board, rules.burnt, seat, at);
        if board.is_burnt(at) {
            spots.push(board.spot(at));
        }
    }
    spots
}

/// The lap died in an empty own house: mati bela if the house across holds
/// seeds, else as `empty_opposite` says. A burnt house across holds none.
///
/// `facing`: in an opening the other hand died in the house across in the same
/// tick; neither takes the other's seed.
#[expect(
    clippy::too_many_arguments,
    reason = "one step of one hand, spelled out"
)]
pub(super) fn die_at_home<R: Recorder>(
    board: &mut Board,
    rules: CongkakRules,
    seat: Seat,
    at: Cell,
    tick: Option<u32>,
    facing: bool,
    counts: &mut Counts,
    recorder: &mut R,
) {
    let across = board.opposite(at);
    let spot = board.spot(at);
    let taken = if facing { 0 } else { board.lift(across) };
    if taken > 0 {
        counts.captured += u32::from(taken);
        recorder.record(|| Step::Capture {
            seat,
            tick,
            at: spot,
            from: vec![board.spot(across)],
            seeds: taken,
        });
    } else if rules.empty_opposite == EmptyOpposite::Stay {
        recorder.record(|| Step::Mati {
            seat,
            tick,
            at: spot,
        });
        return;
    }
    let last = board.lift(at);
    board.bank(seat, taken + last);
    counts.banked += u32::from(taken + last);
    recorder.record(|| Step::Bank {
        seat,
        tick,
        at: spot,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::preset;
    use crate::{MAX_HOUSES, Rules};

    /// Every way to lap around boards of every size with nothing burnt.
    #[test]
    fn a_lap_at_once_is_the_lap_seed_by_seed() {
        let preset = preset("congkak").map(|preset| preset.rules(&serde_json::Map::new()));
        let Some(Ok(Rules::Congkak(rules))) = preset else {
            unreachable!("the preset is of the family");
        };
        let mut laps = 0;
        for houses in 3..=MAX_HOUSES {
            for (seat, house, hand) in Seat::ALL.into_iter().flat_map(|seat| {
                (1..=houses)
                    .flat_map(move |house| (0..=4 * 31 + 2).map(move |hand| (seat, house, hand)))
            }) {
                for row in Seat::ALL {
                    let mut board = Board::empty(houses);
                    for cell in 0..usize::from(2 * houses + 2) {
                        *board.seeds_mut(cell) = 100 + 7 * cell as u16;
                    }
                    // A hand lifts houses of either row.
                    let from = board.cell(row, house);
                    *board.seeds_mut(from) = hand;
                    let mut slow = board.clone();
                    let last = seed_by_seed(&mut slow, rules, seat, from);
                    assert_eq!(board.lap(seat, from), last, "{seat:?} {house} {hand}");
                    assert_eq!(board, slow, "{seat:?} {house} {hand}");
                    laps += 1;
                }
            }
        }
        assert_eq!(laps, 59_436);
    }
}
