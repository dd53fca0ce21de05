//! The rules of Congkak and Al-manqala: pure, without input, output, clock or chance.
//!
//! In reading order: who sits where ([`seat`](Seat)), the board, what a ruleset
//! fixes ([`Rules`], [`Preset`]), a position as data and as text ([`Position`]),
//! a custom start, a game in progress ([`State`]) with its two engines (the
//! congkak family, al-manqala), and what a choice leaves behind ([`Ply`],
//! [`Step`], [`Outcome`]). The rules in words are in `docs/rules.md`, the text
//! of a position in `docs/position.md`.
//!
//! What does not live here: players, time, storage, drawing.

mod al_manqala;
mod board;
mod congkak;
mod ends;
mod houses;
mod illegal;
mod key;
mod notation;
mod outcome;
mod overrides;
mod parameters;
mod ply;
mod position;
mod presets;
mod restore;
mod seat;
mod start;
mod state;
mod trace;
pub mod trial;

pub use houses::Houses;
pub use illegal::{AlreadyOver, CannotSplit, IllegalMove};
pub use outcome::{Outcome, Reason, RoundTotals, Winner};
pub use overrides::{BadRules, BadStored, Parameter, ParameterKind, Problem};
pub use parameters::{
    AlManqalaRules, BurntRule, CongkakRules, EmptyOpposite, Family, Feeding, OpeningRule, Refill,
    RoundEnd, Rules,
};
pub use ply::{Choice, Counts, Ply};
pub use position::{BadPosition, Hand, OpeningView, Position, Row};
pub use presets::{Preset, preset, presets};
pub use restore::Saved;
pub use seat::{BadSeat, BadSpot, Seat, Sides, Spot};
pub use start::BadStart;
pub use state::{Phase, State};
pub use trace::{Step, merge_traces};

/// The most houses a row may have. A ruleset's own range lies within it.
pub const MAX_HOUSES: u8 = 15;
