//! What a person reads: boards as text, SVG and PNG; one line for an event or a
//! row of the log; and all other texts, by language. Pure; knows neither database
//! nor HTTP.

pub mod png;
pub mod rows;
pub mod scene;
pub mod summary;
pub mod svg;
pub mod text;
pub mod words;
