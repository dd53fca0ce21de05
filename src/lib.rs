//! A map of the house, in reading order.
//!
//! * [`rules`]: the games, pure (a crate of its own)
//! * [`db`]: the only SQL, and the private PostgreSQL
//! * [`record`]: a game as a record for research, pure too
//! * [`play`]: the only place where rules and database meet
//! * [`export`]: games and rows written out for research
//! * [`render`]: what a person reads
//! * [`notify`]: from written events to those who wait for them
//! * [`http`]: one file per resource
//! * [`config`], [`app`] and [`command`]: settings, what puts it all together, and
//!   what the subcommands do

pub use mancala_rules as rules;

pub mod app;
pub mod command;
pub mod config;
pub mod db;
pub mod export;
pub mod http;
pub mod notify;
pub mod play;
pub mod record;
pub mod render;
