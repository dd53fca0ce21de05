//! Any bytes as filters: see `mancala_post::http::trial`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mancala_post::http::trial::of_filters(bytes));
