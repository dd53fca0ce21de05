//! Any bytes as a game: see `mancala_post::rules::trial`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mancala_post::rules::trial::of_choices(bytes));
