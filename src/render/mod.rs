//! What a person reads: boards as text, SVG and PNG; one line for an event, in
//! words. Pure; knows neither database nor HTTP.

pub mod png;
pub mod scene;
pub mod summary;
pub mod svg;
pub mod text;
