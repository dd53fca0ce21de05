//! What the tests stand on: a PostgreSQL, a database per test, the server (in this
//! process or as the real program), a client that checks every answer against the
//! served document, and games to play.

pub(crate) mod backstage;
pub(crate) mod chance;
pub(crate) mod channel;
pub(crate) mod client;
pub(crate) mod clock;
pub(crate) mod cluster;
mod contract;
pub(crate) mod database;
pub(crate) mod drawing;
pub(crate) mod explored;
pub(crate) mod exports;
pub(crate) mod fates;
pub(crate) mod follow;
pub(crate) mod games;
pub(crate) mod glimpse;
pub(crate) mod gzip;
pub(crate) mod holidays;
pub(crate) mod languages;
pub(crate) mod lines;
pub(crate) mod offers;
pub(crate) mod people;
pub(crate) mod process;
pub(crate) mod provoking;
pub(crate) mod proxy;
pub(crate) mod raw;
pub(crate) mod reading;
pub(crate) mod receiver;
pub(crate) mod replica;
pub(crate) mod server;
pub(crate) mod snapshots;
mod strict;
pub(crate) mod vectors;

pub(crate) use client::{Answer, Api, Ask};
pub(crate) use clock::Clock;
pub(crate) use games::Game;
pub(crate) use people::{Made, Person};
pub(crate) use server::Server;
