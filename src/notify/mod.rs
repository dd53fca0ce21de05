//! From written events to those who wait for them: the sequencer gives each its
//! position in the log, the feed wakes whoever reads, and webhooks are sent to
//! whoever would rather be told. Nothing here is inside a game's transaction.

pub mod feed;
pub mod sequencer;
pub mod webhooks;

pub use feed::Feed;

use std::time::Duration;

/// The channel that wakes the sequencer.
const QUEUE: &str = "mancala_queue";
/// The channel that wakes the feeds.
const LOG: &str = "mancala_log";

/// How long to wait after a failure of the database.
const PAUSE: Duration = Duration::from_secs(1);
