//! One listening connection a process wakes all of its readers: streams and
//! long polls cost the database nothing while nothing happens for them.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::sync::{Notify, broadcast};
use tokio_util::sync::CancellationToken;

use super::{LOG, PAUSE, QUEUE};
use crate::db::event_pages::Audience;
use crate::db::events::{self, Placed};

/// Batches that a slow reader may be behind before it looks for itself.
const BEHIND: usize = 256;
/// How long a lost notification goes unnoticed.
const PATIENCE: Duration = Duration::from_secs(3);
/// Entries that are read at a time.
const BATCH: i64 = 1000;

/// Where readers wait, and where writers ring.
#[derive(Clone)]
pub struct Feed {
    news: broadcast::Sender<Arc<Vec<Placed>>>,
    /// Rung by what this process has written.
    written: Arc<Notify>,
    /// Rung by what another process says it has written.
    queued: Arc<Notify>,
}

/// Somebody who waits.
pub struct Waiter {
    news: broadcast::Receiver<Arc<Vec<Placed>>>,
    /// None: everybody's events.
    audience: Option<Audience>,
}

impl Default for Feed {
    fn default() -> Self {
        Feed {
            news: broadcast::channel(BEHIND).0,
            written: Arc::default(),
            queued: Arc::default(),
        }
    }
}

impl Feed {
    /// Says that something was written.
    pub fn ring(&self) {
        self.written.notify_one();
    }

    /// Until this process has written something.
    pub(super) async fn written(&self) {
        self.written.notified().await;
    }

    /// Until any process has: for the sequencer alone, or what one process passes
    /// on would come back to it and be passed on again.
    pub(super) async fn written_anywhere(&self) {
        tokio::select! {
            () = self.written.notified() => {}
            () = self.queued.notified() => {}
        }
    }

    /// Waits from now on: subscribe first, then look, so that nothing is missed.
    pub fn wait_for(&self, audience: Audience) -> Waiter {
        Waiter {
            news: self.news.subscribe(),
            audience: Some(audience),
        }
    }

    /// The same, for whatever happens.
    pub(super) fn wait_for_anything(&self) -> Waiter {
        Waiter {
            news: self.news.subscribe(),
            audience: None,
        }
    }

    /// Listens until `end`.
    pub async fn run(self, pool: PgPool, end: CancellationToken) {
        let mut last = None;
        let work = async {
            loop {
                if let Err(cause) = self.listen(&pool, &mut last).await {
                    // At a shutdown the pool may be closed first.
                    if pool.is_closed() {
                        return;
                    }
                    tracing::warn!(%cause, "the event feed lost its connection");
                }
                tokio::time::sleep(PAUSE).await;
            }
        };
        tokio::select! {
            () = end.cancelled() => {}
            () = work => {}
        }
    }

    async fn listen(&self, pool: &PgPool, last: &mut Option<i64>) -> sqlx::Result<()> {
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen_all([LOG, QUEUE]).await?;
        loop {
            self.tell(pool, last).await?;
            match tokio::time::timeout(PATIENCE, listener.recv()).await {
                Ok(Ok(notification)) if notification.channel() == QUEUE => self.queued.notify_one(),
                Ok(Ok(_)) | Err(_) => {}
                Ok(Err(cause)) => return Err(cause),
            }
        }
    }

    /// Passes on what has got a position since the last time.
    async fn tell(&self, pool: &PgPool, last: &mut Option<i64>) -> sqlx::Result<()> {
        let mut db = pool.acquire().await?;
        let mut after = match *last {
            Some(after) => after,
            None => {
                // Somebody may have looked before this: let them look again.
                self.news.send(Arc::default()).ok();
                events::head(&mut db).await?.position
            }
        };
        loop {
            let placed = events::placed_after(&mut db, after, BATCH).await?;
            let Some(newest) = placed.last() else { break };
            after = newest.position;
            // Nobody waits: nothing to tell.
            self.news.send(Arc::new(placed)).ok();
        }
        *last = Some(after);
        Ok(())
    }
}

impl Waiter {
    fn concerns(&self, placed: &[Placed]) -> bool {
        let Some(audience) = self.audience else {
            return true;
        };
        placed.iter().any(|placed| match audience {
            Audience::Player(player) | Audience::Bot(player) => placed.players.contains(&player),
            Audience::Game(game) => placed.game_id == game,
        })
    }

    /// Until there may be something for this audience.
    pub async fn news(&mut self) {
        loop {
            match self.news.recv().await {
                Ok(placed) if placed.is_empty() => return,
                Ok(placed) if self.concerns(&placed) => return,
                Ok(_) => {}
                // Too far behind to know: look.
                Err(broadcast::error::RecvError::Lagged(_)) => return,
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}
