//! The tests of the rules, in one binary.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod al_manqala;
mod chance;
mod congkak;
mod endings;
mod opening;
mod parameters;
mod perft;
mod positions;
mod properties;
mod replay;
mod starts;
mod support;
mod vectors;
