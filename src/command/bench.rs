//! `bench`: what this machine does in a second.

use std::process::ExitCode;
use std::time::Instant;

use super::Outcome;
use crate::config::Benchmark;
use crate::play::bulk::Ready;
use crate::record::generate::Plan;

/// Measures.
pub fn bench(benchmark: &Benchmark) -> Outcome {
    match benchmark {
        Benchmark::Replay { games } => replay(*games),
    }
}

/// Random games of congkak played by the rules alone, and the same games as `verify`
/// plays them again: from their packed logs, compared with what is stored. One core.
fn replay(games: u64) -> Outcome {
    let plan = Plan::new("congkak", None, 0, u32::MAX)?;
    let stored: Result<Vec<_>, String> = (0..games)
        .map(|number| Ok(Ready::new(plan.game(number))?.stored()))
        .collect();
    let stored = stored?;
    // Both in turns, the best of each: what else the machine does counts for neither.
    let (mut playouts, mut replays, mut plies) = (0f64, 0f64, 0);
    for _ in 0..5 {
        let begin = Instant::now();
        plies = (0..games).map(|number| plan.playout(number)).sum();
        playouts = playouts.max(games as f64 / begin.elapsed().as_secs_f64());
        let begin = Instant::now();
        for game in &stored {
            if !game.compare()?.differences.is_empty() {
                return Err("a game that was just made differs from its log".into());
            }
        }
        replays = replays.max(games as f64 / begin.elapsed().as_secs_f64());
    }
    println!(
        "congkak, {games} games of {:.1} plies on average, one core\n\
         playouts {playouts:9.0} games/s\n\
         replays  {replays:9.0} games/s\n\
         ratio    {:9.2}",
        plies as f64 / games as f64,
        replays / playouts
    );
    Ok(ExitCode::SUCCESS)
}
