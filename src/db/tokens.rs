//! Rows of `tokens`: what lets somebody in, by SHA-256.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// A token without its secret. Column meanings stand in the migration.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Token {
    pub token_id: Uuid,
    pub player_id: Option<Uuid>,
    pub game_id: Option<Uuid>,
    pub slot: Option<i16>,
    pub scopes: Vec<String>,
    pub label: Option<String>,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// A new token under the hash of its text.
pub async fn insert(db: &mut PgConnection, hash: &[u8], token: &Token) -> sqlx::Result<()> {
    sqlx::query(
        "insert into tokens (token_hash, token_id, player_id, game_id, slot, scopes, label, \
                             created_at, expires_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(hash)
    .bind(token.token_id)
    .bind(token.player_id)
    .bind(token.game_id)
    .bind(token.slot)
    .bind(&token.scopes)
    .bind(&token.label)
    .bind(token.created_at)
    .bind(token.expires_at)
    .execute(db)
    .await
    .map(drop)
}

/// A token by its hash.
#[derive(FromRow)]
struct Hashed {
    token_hash: Vec<u8>,
    #[sqlx(flatten)]
    token: Token,
}

/// The tokens of these hashes that have not expired. A lookup by hash tells nothing of a
/// secret by the time it takes.
pub async fn by_hashes(
    db: &mut PgConnection,
    hashes: &[Vec<u8>],
) -> sqlx::Result<HashMap<Vec<u8>, Token>> {
    // As in `seats::with_games`, one plan for however many.
    let found: Vec<Hashed> = sqlx::query_as(
        "select token_hash, token_id, player_id, game_id, slot, scopes, label, created_at, \
                expires_at \
         from tokens where token_hash = any((select $1)::bytea[]) \
                       and (expires_at is null or expires_at > app_now())",
    )
    .bind(hashes)
    .fetch_all(db)
    .await?;
    let keyed = |found: Hashed| (found.token_hash, found.token);
    Ok(found.into_iter().map(keyed).collect())
}

/// Those of these tokens that still open something.
pub async fn live(db: &mut PgConnection, token_ids: &[Uuid]) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "select token_id from tokens where token_id = any((select $1)::uuid[]) \
                                      and (expires_at is null or expires_at > app_now())",
    )
    .bind(token_ids)
    .fetch_all(db)
    .await
}

/// How many of a player's tokens still open something.
pub async fn count_live(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "select count(*) from tokens where player_id = $1 \
         and (expires_at is null or expires_at > app_now())",
    )
    .bind(player_id)
    .fetch_one(db)
    .await
}

/// A player's tokens, oldest first, the expired ones too.
pub async fn of_player(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<Vec<Token>> {
    sqlx::query_as(
        "select token_id, player_id, game_id, slot, scopes, label, created_at, expires_at \
         from tokens where player_id = $1 order by token_id",
    )
    .bind(player_id)
    .fetch_all(db)
    .await
}

/// Takes one of a player's tokens away; whether it was there.
pub async fn delete(db: &mut PgConnection, player_id: Uuid, token_id: Uuid) -> sqlx::Result<bool> {
    sqlx::query("delete from tokens where player_id = $1 and token_id = $2")
        .bind(player_id)
        .bind(token_id)
        .execute(db)
        .await
        .map(|done| done.rows_affected() == 1)
}
