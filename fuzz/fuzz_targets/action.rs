//! Any bytes as the id of a button: see `mancala_post::http::trial`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mancala_post::http::trial::of_action(bytes));
