//! The only place where rules and database meet: every change of a game comes
//! through here, in one transaction under the game's lock (a choice that is nothing but
//! that in one statement, see [`plain`]), and is acknowledged after the commit. Knows
//! nothing of HTTP.

pub mod answering;
pub mod archive;
pub mod budget;
pub mod bulk;
pub mod clock;
pub mod conditionals;
pub mod create;
pub mod endings;
pub mod error;
mod events;
pub mod explorer;
pub mod export;
pub mod frequent;
pub mod join;
pub mod lists;
pub mod log;
pub mod managed;
pub mod moves;
pub mod offers;
pub mod once;
pub mod pause;
mod plain;
pub mod players;
mod plies;
mod rematch;
mod replay;
mod rows;
pub mod search;
pub mod settle;
pub mod simulate;
pub mod table;
mod takebacks;
pub mod vacations;
pub mod verify;
pub mod view;
pub mod webhooks;
pub mod who;

pub use error::PlayError;
pub use view::View;
pub use who::Caller;

mod stored;
