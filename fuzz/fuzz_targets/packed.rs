//! Any bytes as a record: see `mancala_post::record::trial`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mancala_post::record::trial::of_packed(bytes));
