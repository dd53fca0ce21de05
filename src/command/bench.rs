//! `bench`: what this machine does, as figures and ratios. Everything that a database
//! is needed for happens in a private PostgreSQL of its own, which is removed at the
//! end.

mod client;
mod exports;
mod pgbench;
mod place;
mod play;
mod players;
mod questions;
mod replay;
mod research;
mod sizes;
mod statements;
mod streams;

use std::process::ExitCode;

use super::Outcome;
use crate::config::{Benchmark, Database};

/// Measures.
pub async fn bench(database: &Database, benchmark: &Benchmark) -> Outcome {
    match benchmark {
        Benchmark::Replay { games } => print_replay(*games)?,
        Benchmark::Play(wanted) => play::measure(database, wanted).await?,
        Benchmark::Research(wanted) => research::measure(database, wanted).await?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print_replay(games: u64) -> Result<(), Box<dyn std::error::Error>> {
    let found = replay::replay(games)?;
    println!(
        "congkak, {games} games of {:.1} plies on average, one core\n\
         playouts {:9.0} games/s\n\
         replays  {:9.0} games/s\n\
         ratio    {:9.2}",
        found.plies,
        found.playouts,
        found.replays,
        found.replays / found.playouts
    );
    Ok(())
}

/// The middle of `figures`, which it sorts; of none 0.
fn median(figures: &mut [f64]) -> f64 {
    quantile(figures, 0.5)
}

/// What that part of `figures`, which it sorts, does not exceed; of none 0.
fn quantile(figures: &mut [f64], part: f64) -> f64 {
    figures.sort_by(f64::total_cmp);
    let place = (figures.len().saturating_sub(1) as f64 * part).round() as usize;
    figures.get(place).copied().unwrap_or_default()
}
