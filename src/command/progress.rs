//! How far a long command is: a bar on standard error where that is a terminal, and
//! nothing anywhere else.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How far a command is.
#[derive(Clone)]
pub(super) struct Progress {
    bar: ProgressBar,
}

const GAMES: &str = "{wide_bar} {human_pos} of {human_len} games, {per_sec}, {eta} left";
const BYTES: &str = "{wide_bar} {bytes} of {total_bytes}, {msg}, {eta} left";
const SO_FAR: &str = "{spinner} {bytes}, {msg}, {elapsed}";

impl Progress {
    /// Counts games.
    pub(super) fn of_games(games: Option<u64>) -> Progress {
        Progress::new(games, GAMES)
    }

    /// Counts bytes, as far as it is known how many there are.
    pub(super) fn of_bytes(bytes: Option<u64>) -> Progress {
        Progress::new(bytes, if bytes.is_some() { BYTES } else { SO_FAR })
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

    /// Says something beside the bar.
    pub(super) fn say(&self, words: &str) {
        if !self.bar.is_hidden() {
            self.bar.set_message(words.to_owned());
        }
    }

    /// Writes lines without the bar between them.
    pub(super) fn apart<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Everything is: the bar goes.
    pub(super) fn done(&self) {
        self.bar.finish_and_clear();
    }
}
