//! The rules alone, and the replays of `verify`.

use std::time::Instant;

use crate::play::bulk::Ready;
use crate::record::generate::Plan;

/// Games a second on one core, in the best of five turns.
pub(super) struct Replayed {
    /// Choices a game, on average.
    pub plies: f64,
    /// Played by the rules alone.
    pub playouts: f64,
    /// Played again as `verify` does: from packed logs, compared with what is stored.
    pub replays: f64,
}

/// Random games of congkak both ways.
pub(super) fn replay(games: u64) -> Result<Replayed, Box<dyn std::error::Error>> {
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
    Ok(Replayed {
        plies: plies as f64 / games as f64,
        playouts,
        replays,
    })
}
