//! Any bytes as a webhook's URL: see `mancala_post::notify::webhooks::trial`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mancala_post::notify::webhooks::trial::of_url(bytes));
