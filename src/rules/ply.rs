//! What a choice leaves behind: the ply with its counts and its trace.

use serde::{Deserialize, Serialize};

use crate::seat::Seat;
use crate::trace::Step;

/// What one hand did in one ply.
///
/// All four leave out the sweep at a round's end, what a starved seat takes,
/// a halved board and what a burnt house confiscates for the other seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Counts {
    /// Seeds dropped by this seat's hand in this ply, over all its laps.
    pub seeds_sown: u32,
    /// Laps that began in this ply: the chosen house and every relay. A hand
    /// frozen by a pause of the opening goes on with a lap that was counted
    /// when it began.
    pub lap_count: u32,
    /// Seeds captured from houses: what lay opposite a mati bela (without the
    /// own last seed), or every captured pearl.
    pub captured: u32,
    /// Seeds that came into this seat's own store at the end of a lap: captures
    /// and a last seed that was banked, not the seeds dropped there in passing.
    pub banked: u32,
}

/// One choice of a house with everything that followed from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// Who chose.
    pub seat: Seat,
    /// What was chosen.
    pub house: u8,
    /// The turn the ply belongs to, from 1.
    pub turn: u32,
    /// The round the ply was played in, from 1.
    pub round: u16,
    /// What the seat's hand did.
    pub counts: Counts,
    /// The last seed fell into the own store and the seat chooses again; not
    /// when the round or the game ended with it.
    pub extra_turn: bool,
    /// Al-manqala: the capture emptied the opponent's row, and neither a
    /// majority nor an empty board ended the game.
    pub passed: bool,
    /// In the opening, when one seat alone chose: what the other seat's frozen
    /// hand did as it went on.
    pub other: Option<Counts>,
    /// The sowing in the order a hand on the board would make it. Empty when
    /// it was not asked for.
    pub trace: Vec<Step>,
}

/// What became of a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// It is kept secret until the other seat has chosen too.
    Committed,
    /// It was played: one ply, or two when both seats' secret choices were
    /// lifted together, south's first.
    Plies(Vec<Ply>),
}
