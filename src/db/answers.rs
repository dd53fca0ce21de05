//! Rows of `answers`: the first answer to a request that creates, by its
//! Idempotency-Key.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};

/// A kept answer.
#[derive(Debug, FromRow)]
#[allow(missing_docs)]
pub struct Answer {
    pub request_hash: Vec<u8>,
    pub sealed: Vec<u8>,
}

/// Takes the key for this transaction; false while another holds it.
pub async fn try_lock(db: &mut PgConnection, key_hash: &[u8]) -> sqlx::Result<bool> {
    let number = key_hash
        .iter()
        .take(8)
        .fold(0i64, |n, byte| n << 8 | i64::from(*byte));
    sqlx::query_scalar("select pg_try_advisory_xact_lock($1)")
        .bind(number)
        .fetch_one(db)
        .await
}

/// The answer kept under a key for less than a day.
pub async fn find(db: &mut PgConnection, key_hash: &[u8]) -> sqlx::Result<Option<Answer>> {
    sqlx::query_as(
        "select request_hash, sealed from answers \
         where key_hash = $1 and answered_at > app_now() - interval '24 hours'",
    )
    .bind(key_hash)
    .fetch_optional(db)
    .await
}

/// Keeps an answer; one that was kept for more than a day gives way.
pub async fn keep(
    db: &mut PgConnection,
    key_hash: &[u8],
    request_hash: &[u8],
    sealed: &[u8],
    at: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into answers (key_hash, request_hash, sealed, answered_at) \
         values ($1, $2, $3, $4) \
         on conflict (key_hash) do update set request_hash = excluded.request_hash, \
             sealed = excluded.sealed, answered_at = excluded.answered_at",
    )
    .bind(key_hash)
    .bind(request_hash)
    .bind(sealed)
    .bind(at)
    .execute(db)
    .await
    .map(drop)
}

/// Throws answers away that were kept for a day.
pub async fn sweep(db: &mut PgConnection) -> sqlx::Result<u64> {
    sqlx::query("delete from answers where answered_at <= (select app_now()) - interval '24 hours'")
        .execute(db)
        .await
        .map(|done| done.rows_affected())
}
