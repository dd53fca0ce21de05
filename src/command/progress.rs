//! How far a long command is: a bar on standard error where that is a terminal, and
//! nothing anywhere else.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How far a command is.
pub(super) struct Progress {
    bar: ProgressBar,
}

const GAMES: &str = "{wide_bar} {human_pos} of {human_len} games, {per_sec}, {eta} left";
const SO_FAR: &str = "{spinner} {human_pos} games, {per_sec}, {elapsed}";

impl Progress {
    /// Counts games; without their number it says how many were done so far.
    pub(super) fn of_games(games: Option<u64>) -> Progress {
        Progress::new(games, if games.is_some() { GAMES } else { SO_FAR })
    }

    fn new(length: Option<u64>, style: &str) -> Progress {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Progress { bar }
    }

    /// This much is done.
    pub(super) fn at(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// Everything is: the bar goes.
    pub(super) fn done(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done();
    }
}
