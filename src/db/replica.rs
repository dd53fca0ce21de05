//! A replica: how far behind it is, and whether it is one of this database.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

/// The moment that answers are as of: whatever was committed before it is there. On a
/// primary that is now. After a replica's start it is when a server was last known to
/// be alive, until the next change comes.
pub async fn as_of(db: &mut PgConnection) -> sqlx::Result<DateTime<Utc>> {
    sqlx::query_scalar(
        "select case when pg_is_in_recovery() \
                     then coalesce(pg_last_xact_replay_timestamp(), (select alive_at from heartbeat)) \
                     else app_now() end",
    )
    .fetch_one(db)
    .await
}

/// How far the primary's log is kept: a replica can get as far.
pub async fn log_end(db: &mut PgConnection) -> sqlx::Result<String> {
    sqlx::query_scalar("select pg_current_wal_flush_lsn()::text")
        .fetch_one(db)
        .await
}

/// Whether the replica has everything up to there. A primary has everything.
pub async fn has(db: &mut PgConnection, place: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select not pg_is_in_recovery() or coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false)",
    )
    .bind(place)
    .fetch_one(db)
    .await
}

/// What tells this database from all others, and is the same in its copies.
pub async fn identity(db: &mut PgConnection) -> sqlx::Result<Vec<u8>> {
    sqlx::query_scalar("select sha256(secret) from pseudonyms")
        .fetch_one(db)
        .await
}
