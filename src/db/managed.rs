//! Rows of `players` whom a bot plays for.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

/// The player whom this bot knows by that reference.
pub async fn find(
    db: &mut PgConnection,
    owner_id: Uuid,
    external_ref: &str,
) -> sqlx::Result<Option<Uuid>> {
    sqlx::query_scalar("select player_id from players where owner_id = $1 and external_ref = $2")
        .bind(owner_id)
        .bind(external_ref)
        .fetch_optional(db)
        .await
}

/// A new one, unless the handle or the reference is taken.
pub async fn insert(
    db: &mut PgConnection,
    player_id: Uuid,
    owner_id: Uuid,
    external_ref: &str,
    handle: &str,
    created_at: DateTime<Utc>,
) -> sqlx::Result<bool> {
    sqlx::query(
        "insert into players (player_id, owner_id, external_ref, handle, kind, created_at) \
         values ($1, $2, $3, $4, 'human', $5) on conflict do nothing",
    )
    .bind(player_id)
    .bind(owner_id)
    .bind(external_ref)
    .bind(handle)
    .bind(created_at)
    .execute(db)
    .await
    .map(|done| done.rows_affected() == 1)
}

/// Another handle, unless somebody else has it.
pub async fn rename(db: &mut PgConnection, player_id: Uuid, handle: &str) -> sqlx::Result<bool> {
    let renamed = sqlx::query("update players set handle = $2 where player_id = $1")
        .bind(player_id)
        .bind(handle)
        .execute(db)
        .await;
    match renamed {
        Ok(_) => Ok(true),
        Err(sqlx::Error::Database(cause)) if cause.constraint() == Some("players_handle") => {
            Ok(false)
        }
        Err(other) => Err(other),
    }
}

/// Somebody whom this bot plays for.
pub async fn of_owner(
    db: &mut PgConnection,
    owner_id: Uuid,
) -> sqlx::Result<Option<(Uuid, String)>> {
    sqlx::query_as(
        "select player_id, external_ref from players \
         where owner_id = $1 and external_ref is not null limit 1",
    )
    .bind(owner_id)
    .fetch_optional(db)
    .await
}
