//! The simultaneous opening of the congkak family. It runs in ticks, so that
//! it depends neither on a clock nor on who answered first: both hands drop
//! one seed a tick, and hands that became empty are settled together on the
//! board as it is after all drops of the tick.

use super::sow::{self, Landing, landing};
use crate::board::{Board, Cell};
use crate::parameters::CongkakRules;
use crate::ply::{Counts, Ply};
use crate::seat::{Seat, Sides};
use crate::state::{Played, Stage, State};
use crate::trace::{Recorder, Step};

/// How far both seats are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opening {
    /// Ticks so far.
    pub(crate) tick: u32,
    pub(crate) seats: Sides<Progress>,
}

/// How far a seat is in its opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has to choose; `chosen` is its secret until the other has chosen too.
    Owes { chosen: Option<u8> },
    /// Its hand is in mid-air. `at`: its last drop, or where it was lifted.
    Sows { seeds: u16, at: Cell },
    /// Its lap died at this tick.
    Done { tick: u32 },
}

impl Opening {
    pub(crate) fn new() -> Opening {
        Opening {
            tick: 0,
            seats: Sides::from_fn(|_| Progress::Owes { chosen: None }),
        }
    }

    /// Deletes the secret choices.
    pub(crate) fn forget(&mut self) {
        for seat in Seat::ALL {
            if let Progress::Owes { chosen } = &mut self.seats[seat] {
                *chosen = None;
            }
        }
    }

    fn owes(&self, seat: Seat) -> bool {
        matches!(self.seats[seat], Progress::Owes { .. })
    }

    /// When both are over: who moves first. The earlier one; at the same tick south.
    fn first(&self) -> Option<Seat> {
        match (self.seats.south, self.seats.north) {
            (Progress::Done { tick: south }, Progress::Done { tick: north }) => {
                Some(if north < south {
                    Seat::North
                } else {
                    Seat::South
                })
            }
            _ => None,
        }
    }
}

/// Keeps a legal choice; when no other is outstanding, lifts all of them and
/// runs the opening to its next pause or its end.
pub(crate) fn commit<R: Recorder>(
    state: &mut State,
    rules: CongkakRules,
    seat: Seat,
    house: u8,
    recorder: &mut R,
) -> Played {
    let Stage::Opening(opening) = &mut state.stage else {
        // Only ever called in an opening.
        return Played::Committed;
    };
    opening.seats[seat] = Progress::Owes {
        chosen: Some(house),
    };
    let other = seat.other();
    if opening.seats[other] == (Progress::Owes { chosen: None }) {
        return Played::Committed;
    }

    let before = opening.clone();
    let mut counts = Sides::<Counts>::default();
    let mut hands = Hands {
        board: &mut state.board,
        rules,
        opening,
        counts: &mut counts,
        recorder: &mut *recorder,
    };
    hands.lift_choices();
    hands.run();

    let opening = opening.clone();
    let (turn, round) = (state.turn, state.round);
    let row = |seat: Seat| {
        let Progress::Owes {
            chosen: Some(house),
        } = before.seats[seat]
        else {
            return None;
        };
        Some(Ply {
            seat,
            house,
            turn,
            round,
            counts: counts[seat],
            extra_turn: opening.owes(seat),
            passed: false,
            other: matches!(before.seats[seat.other()], Progress::Sows { .. })
                .then(|| counts[seat.other()]),
            trace: Vec::new(),
        })
    };
    let rows = (row(Seat::South), row(Seat::North));
    if let Some(first) = opening.first() {
        recorder.record(|| Step::OpeningEnd {
            tick: opening.tick,
            first,
        });
        state.starter = Some(first);
        if let Some(present) = state.rounds.last_mut() {
            present.starter = Some(first);
        }
        state.stage = Stage::Playing(first);
        // The seat that moves first counts as the one to move; only now may
        // the round be over.
        super::end_of_turn(state, rules, first, false, recorder);
    }
    match rows {
        (Some(south), Some(north)) => Played::Two(Box::new((south, north))),
        (Some(ply), None) | (None, Some(ply)) => Played::One(ply),
        (None, None) => Played::Committed,
    }
}

/// Everything the two hands touch.
struct Hands<'a, R> {
    board: &'a mut Board,
    rules: CongkakRules,
    opening: &'a mut Opening,
    counts: &'a mut Sides<Counts>,
    recorder: &'a mut R,
}

impl<R: Recorder> Hands<'_, R> {
    /// All chosen houses are lifted together. This takes no tick.
    fn lift_choices(&mut self) {
        for seat in Seat::ALL {
            if let Progress::Owes {
                chosen: Some(house),
            } = self.opening.seats[seat]
            {
                let cell = self.board.cell(seat, house);
                self.lift(seat, cell);
            }
        }
    }

    /// A new lap begins here.
    fn lift(&mut self, seat: Seat, at: Cell) {
        let seeds = self.board.lift(at);
        self.counts[seat].lap_count += 1;
        self.opening.seats[seat] = Progress::Sows { seeds, at };
        let (tick, from) = (self.opening.tick, self.board.spot(at));
        self.recorder.record(|| Step::Lift {
            seat,
            tick,
            from,
            seeds,
        });
    }

    /// Ticks until a seat has to choose or no hand is left. Ends because every
    /// cycle of a hand leaves a seed in its store.
    fn run(&mut self) {
        while Seat::ALL
            .iter()
            .any(|&seat| matches!(self.opening.seats[seat], Progress::Sows { .. }))
        {
            if Seat::ALL.iter().any(|&seat| self.opening.owes(seat)) {
                self.hold();
                return;
            }
            self.tick();
        }
    }

    /// A pause: a hand in mid-air is frozen.
    fn hold(&mut self) {
        for seat in Seat::ALL {
            if let Progress::Sows { seeds, at } = self.opening.seats[seat] {
                let (tick, over) = (self.opening.tick, self.board.spot(at));
                self.recorder.record(|| Step::Hold {
                    seat,
                    tick,
                    over,
                    seeds,
                });
            }
        }
    }

    /// Each hand drops one seed; then the empty ones are settled.
    fn tick(&mut self) {
        // A start may name a late tick, so the counter must not overflow.
        self.opening.tick = self.opening.tick.saturating_add(1);
        let mut ended = Sides::<Option<Cell>>::default();
        for seat in Seat::ALL {
            if let Progress::Sows { seeds, at } = self.opening.seats[seat] {
                let to = sow::next(self.board, self.rules.burnt, seat, at);
                self.drop_seed(seat, to, seeds == 1);
                self.opening.seats[seat] = Progress::Sows {
                    seeds: seeds - 1,
                    at: to,
                };
                if seeds == 1 {
                    ended[seat] = Some(to);
                }
            }
        }
        self.settle(ended);
    }

    fn drop_seed(&mut self, seat: Seat, at: Cell, last: bool) {
        sow::drop_seed(self.board, seat, at);
        self.counts[seat].seeds_sown += 1;
        let (tick, to) = (self.opening.tick, self.board.spot(at));
        if last {
            self.recorder.record(|| Step::Land { seat, tick, to });
        }
        if self.board.is_burnt(at) {
            self.recorder.record(|| Step::Confiscate {
                seat,
                tick: Some(tick),
                at: vec![to],
                seeds: 1,
            });
        }
    }

    /// The hands that became empty in this tick, on the board after all drops.
    fn settle(&mut self, ended: Sides<Option<Cell>>) {
        let landed =
            Sides::from_fn(|seat| ended[seat].map(|at| (at, landing(self.board, seat, at))));
        match (landed.south, landed.north) {
            // Both in one house: its owner goes on with everything there. (In
            // a burnt one there is nothing: both are dead.)
            (Some((south, Landing::Occupied)), Some((north, _))) if south == north => {
                let owner = if self.board.is_house_of(south, Seat::South) {
                    Seat::South
                } else {
                    Seat::North
                };
                self.lift(owner, south);
                self.mati(owner.other(), south);
            }
            _ => self.settle_apart(landed),
        }
        self.choose_again(landed);
    }

    /// Hands that ended in different houses: all relays, then all deaths, then
    /// all captures.
    fn settle_apart(&mut self, landed: Sides<Option<(Cell, Landing)>>) {
        for seat in Seat::ALL {
            if let Some((at, Landing::Occupied)) = landed[seat] {
                self.lift(seat, at);
            }
        }
        for seat in Seat::ALL {
            if let Some((at, Landing::Away | Landing::Burnt)) = landed[seat] {
                self.mati(seat, at);
            }
        }
        let facing = match (landed.south, landed.north) {
            (Some((south, Landing::Home)), Some((north, Landing::Home))) => {
                self.board.opposite(south) == north
            }
            _ => false,
        };
        for seat in Seat::ALL {
            if let Some((at, Landing::Home)) = landed[seat] {
                let tick = self.opening.tick;
                sow::die_at_home(
                    self.board,
                    self.rules,
                    seat,
                    at,
                    Some(tick),
                    facing,
                    &mut self.counts[seat],
                    self.recorder,
                );
                self.opening.seats[seat] = Progress::Done { tick };
            }
        }
    }

    fn mati(&mut self, seat: Seat, at: Cell) {
        let (tick, at) = (self.opening.tick, self.board.spot(at));
        self.opening.seats[seat] = Progress::Done { tick };
        self.recorder.record(|| Step::Mati {
            seat,
            tick: Some(tick),
            at,
        });
    }

    /// A hand that ended in its store: the seat chooses again, or is done when
    /// its row is empty once everything else of this tick is settled.
    fn choose_again(&mut self, landed: Sides<Option<(Cell, Landing)>>) {
        let tick = self.opening.tick;
        for seat in Seat::ALL {
            if let Some((_, Landing::Store)) = landed[seat] {
                if self.board.row_is_empty(seat) {
                    self.opening.seats[seat] = Progress::Done { tick };
                } else {
                    self.opening.seats[seat] = Progress::Owes { chosen: None };
                    self.recorder.record(|| Step::ExtraTurn {
                        seat,
                        tick: Some(tick),
                    });
                }
            }
        }
    }
}
