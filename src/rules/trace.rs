//! The sowing as a list of steps, for a person or a program that wants to
//! watch the hand move. The engines report to a [`Recorder`]; one that keeps
//! nothing costs nothing.

use serde::{Deserialize, Serialize};

use crate::outcome::{Reason, Winner};
use crate::ply::Ply;
use crate::seat::{Seat, Spot};

/// One step of a sowing. In a simultaneous opening a step has a `tick`.
///
/// In a normal ply a whole lap is one step. In the opening two hands move at
/// once, so a lap is a `lift` and a `land`, with a `hold` wherever the hand is
/// frozen by a pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Step {
    /// A whole lap: lifted at `from`, the last seed dropped at `to`.
    Lap {
        /// Who sows.
        seat: Seat,
        /// The house the hand was lifted from.
        from: Spot,
        /// The seeds in the hand.
        seeds: u16,
        /// Where the last seed fell.
        to: Spot,
    },
    /// Opening: a hand is lifted, at a choice or a relay.
    Lift {
        /// Whose hand.
        seat: Seat,
        /// The tick after whose drops it was lifted.
        tick: u32,
        /// The house.
        from: Spot,
        /// The seeds in the hand.
        seeds: u16,
    },
    /// Opening: the last seed of a hand falls.
    Land {
        /// Whose hand.
        seat: Seat,
        /// When it fell.
        tick: u32,
        /// Where it fell.
        to: Spot,
    },
    /// Opening: a hand is frozen while a seat chooses.
    Hold {
        /// Whose hand.
        seat: Seat,
        /// The tick of the pause.
        tick: u32,
        /// Where its last drop or lift was.
        over: Spot,
        /// The seeds still in it.
        seeds: u16,
    },
    /// Seeds dropped into burnt houses go to the store of the sower's opponent.
    Confiscate {
        /// Who dropped them.
        seat: Seat,
        /// When, in an opening.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schema(nullable = false))]
        tick: Option<u32>,
        /// The burnt houses, one entry a seed, in the order of the drops.
        at: Vec<Spot>,
        /// How many seeds.
        seeds: u16,
    },
    /// The lap dies: nothing more happens to its last seed.
    Mati {
        /// Whose lap.
        seat: Seat,
        /// When, in an opening.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schema(nullable = false))]
        tick: Option<u32>,
        /// Where.
        at: Spot,
    },
    /// Seeds are taken from houses into the seat's store.
    Capture {
        /// Who captures.
        seat: Seat,
        /// When, in an opening.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schema(nullable = false))]
        tick: Option<u32>,
        /// Where the last seed fell.
        at: Spot,
        /// The houses that are emptied, in order.
        from: Vec<Spot>,
        /// All their seeds. A mati bela's own last seed is a `bank` step.
        seeds: u16,
    },
    /// The last seed alone goes to the seat's store.
    Bank {
        /// Whose seed.
        seat: Seat,
        /// When, in an opening.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schema(nullable = false))]
        tick: Option<u32>,
        /// Where it lay.
        at: Spot,
    },
    /// The last seed fell into the own store: the seat moves or chooses again.
    ExtraTurn {
        /// Who moves again.
        seat: Seat,
        /// When, in an opening.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schema(nullable = false))]
        tick: Option<u32>,
    },
    /// Both openings are over.
    OpeningEnd {
        /// The tick of the later one.
        tick: u32,
        /// Who moves first.
        first: Seat,
    },
    /// Al-manqala: a seat without a pearl in its row has no move.
    Pass {
        /// Who passes.
        seat: Seat,
    },
    /// Seeds left on the board go to a seat's store.
    Sweep {
        /// Who gets them.
        seat: Seat,
        /// How many.
        seeds: u16,
    },
    /// Al-manqala: what only circles is halved.
    Halve {
        /// What each seat gets.
        each: u16,
    },
    /// A congkak round is over.
    RoundEnd {
        /// Which round.
        round: u16,
        /// South's total.
        south: u16,
        /// North's total.
        north: u16,
        /// Who won the round.
        winner: Winner,
    },
    /// A seat fills its row for the next round.
    Refill {
        /// Whose row.
        seat: Seat,
        /// What houses 1..n hold now.
        houses: Vec<u16>,
        /// The houses that are burnt in this round.
        burnt: Vec<u8>,
        /// What stays in the store.
        store: u16,
    },
    /// The next round begins.
    RoundStart {
        /// Which round.
        round: u16,
        /// Who moves first.
        starter: Seat,
    },
    /// The game is over.
    GameEnd {
        /// Who won.
        winner: Winner,
        /// Why.
        reason: Reason,
    },
}

impl Step {
    /// The seat whose hand this is; none for what concerns both.
    #[must_use]
    pub const fn hand(&self) -> Option<Seat> {
        match self {
            Step::Lap { seat, .. }
            | Step::Lift { seat, .. }
            | Step::Land { seat, .. }
            | Step::Hold { seat, .. }
            | Step::Confiscate { seat, .. }
            | Step::Mati { seat, .. }
            | Step::Capture { seat, .. }
            | Step::Bank { seat, .. }
            | Step::ExtraTurn { seat, .. } => Some(*seat),
            _ => None,
        }
    }

    /// When and in which part of its tick a step happens: the drops, then the
    /// relays, the deaths, the captures, the new choices. What has no tick
    /// comes after the opening.
    const fn order(&self) -> (u32, u8) {
        match self {
            Step::Land { tick, .. } => (*tick, 0),
            Step::Confiscate {
                tick: Some(tick), ..
            } => (*tick, 1),
            Step::Lift { tick, .. } => (*tick, 2),
            Step::Mati {
                tick: Some(tick), ..
            } => (*tick, 3),
            Step::Capture {
                tick: Some(tick), ..
            }
            | Step::Bank {
                tick: Some(tick), ..
            } => (*tick, 4),
            Step::ExtraTurn {
                tick: Some(tick), ..
            } => (*tick, 5),
            Step::Hold { tick, .. } => (*tick, 6),
            Step::OpeningEnd { tick, .. } => (*tick, 7),
            _ => (u32::MAX, 0),
        }
    }
}

/// The steps of several plies of one opening as one trace, in the order of the
/// ticks. For a single ply, or plies of normal play, this is their traces one
/// after the other.
#[must_use]
pub fn merge_traces(plies: &[Ply]) -> Vec<Step> {
    let mut steps: Vec<Step> = plies.iter().flat_map(|ply| ply.trace.clone()).collect();
    steps.sort_by_key(Step::order);
    steps
}

/// Who listens to an engine.
pub(crate) trait Recorder {
    /// One more step. `make` is only called by a recorder that keeps steps.
    fn record(&mut self, make: impl FnOnce() -> Step);
}

/// Keeps every step.
impl Recorder for Vec<Step> {
    fn record(&mut self, make: impl FnOnce() -> Step) {
        self.push(make());
    }
}

/// Keeps nothing: for playouts.
impl Recorder for () {
    #[inline]
    fn record(&mut self, _: impl FnOnce() -> Step) {}
}
