//! Exactly one server at a time gives events their positions: the one whose
//! connection holds the lock. When it dies another takes over.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::{Feed, LOG, PAUSE, QUEUE};
use crate::db::events;

/// Events that get their positions in one transaction.
const BATCH: i64 = 1000;
/// Between two batches, so that a busy queue is emptied in few of them.
const BREATH: Duration = Duration::from_millis(20);
/// How long a lost wake-up goes unnoticed.
const PATIENCE: Duration = Duration::from_secs(1);

/// Works until `end`.
pub async fn run(options: PgConnectOptions, feed: Feed, end: CancellationToken) {
    let work = async {
        loop {
            if let Err(cause) = on_one_connection(&options, &feed).await {
                tracing::warn!(%cause, "the sequencer lost its connection");
            }
            sleep(PAUSE).await;
        }
    };
    tokio::select! {
        () = end.cancelled() => {}
        () = work => {}
    }
}

async fn on_one_connection(options: &PgConnectOptions, feed: &Feed) -> sqlx::Result<()> {
    // The lock lives as long as the server's side of the connection: it must notice
    // soon that this side is gone.
    let options = options.clone().options([
        ("idle_session_timeout", "15s"),
        ("tcp_keepalives_idle", "5"),
        ("tcp_keepalives_interval", "5"),
        ("tcp_keepalives_count", "3"),
    ]);
    let mut db = PgConnection::connect_with(&options).await?;
    while !events::try_become_sequencer(&mut db).await? {
        // Another server does the work: pass the wake-ups on to it.
        if timeout(PATIENCE, feed.written()).await.is_ok() {
            events::wake(&mut db, QUEUE).await?;
            sleep(BREATH).await;
        }
    }
    tracing::debug!("this server gives the events their positions");
    let mut next = Instant::now();
    loop {
        // After a rest at once.
        sleep_until(next).await;
        next = Instant::now() + BREATH;
        if place(&mut db).await? == 0 {
            timeout(PATIENCE, feed.written_anywhere()).await.ok();
        }
    }
}

/// One batch. The connection must hold the sequencer's lock.
pub async fn place(db: &mut PgConnection) -> sqlx::Result<u64> {
    let placed = events::place(db, BATCH).await?;
    if placed > 0 {
        events::wake(db, LOG).await?;
    }
    Ok(placed)
}
