//! A replica: how far behind it is, and whether it is one of this database.

use chrono::{DateTime, Utc};
use sqlx::{Connection, PgConnection};

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

/// An end of the primary's log that a replica can get to, after all that was committed so
/// far. Some of that may not have waited for the disk, and a replica is sent only what is
/// on it; so this waits for both.
pub async fn log_end(db: &mut PgConnection) -> sqlx::Result<String> {
    let mut kept = db.begin().await?;
    sqlx::query("set local synchronous_commit = local")
        .execute(&mut *kept)
        .await?;
    let message = "select pg_logical_emit_message(true, 'mancala-post', '')::text";
    let end = sqlx::query_scalar(message).fetch_one(&mut *kept).await?;
    kept.commit().await?;
    Ok(end)
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
