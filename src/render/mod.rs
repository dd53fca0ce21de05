//! What a person reads: one line for an event, in words. Pure; knows neither
//! database nor HTTP.

pub mod summary;
