//! Rows of `seats`, the tokens that let their people in, and the secret
//! choices of a simultaneous opening.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// Whose seat a token opens.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct TokenSeat {
    pub game_id: Uuid,
    pub slot: i16,
    pub seat: Option<String>,
}

/// A choice that waits for the other seat's. `Debug` hides the choice, so that
/// no log line can show it.
#[derive(Clone, FromRow)]
#[allow(missing_docs)]
pub struct Commit {
    pub seat: String,
    pub after_ply: i32,
    pub house: i16,
    pub message: Option<String>,
    pub elapsed_ms: i64,
    pub committed_at: DateTime<Utc>,
}

impl std::fmt::Debug for Commit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Commit")
            .field("seat", &self.seat)
            .finish_non_exhaustive()
    }
}

/// A seat of a new game.
pub async fn insert(
    db: &mut PgConnection,
    game_id: Uuid,
    slot: i16,
    seat: &str,
) -> sqlx::Result<()> {
    sqlx::query("insert into seats (game_id, slot, seat) values ($1, $2, $3)")
        .bind(game_id)
        .bind(slot)
        .bind(seat)
        .execute(db)
        .await
        .map(drop)
}

/// A seat token, by the SHA-256 of its text.
pub async fn insert_token(
    db: &mut PgConnection,
    token_hash: &[u8],
    game_id: Uuid,
    slot: i16,
    created_at: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into tokens (token_hash, game_id, slot, created_at) values ($1, $2, $3, $4)",
    )
    .bind(token_hash)
    .bind(game_id)
    .bind(slot)
    .bind(created_at)
    .execute(db)
    .await
    .map(drop)
}

/// The seat that a token opens, if it opens one.
pub async fn by_token(db: &mut PgConnection, token_hash: &[u8]) -> sqlx::Result<Option<TokenSeat>> {
    sqlx::query_as(
        "select t.game_id, t.slot, s.seat from tokens t join seats s using (game_id, slot) \
         where t.token_hash = $1",
    )
    .bind(token_hash)
    .fetch_optional(db)
    .await
}

/// A secret choice.
pub async fn insert_commit(
    db: &mut PgConnection,
    game_id: Uuid,
    commit: &Commit,
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into commits (game_id, seat, after_ply, house, message, elapsed_ms, committed_at) \
         values ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(game_id)
    .bind(&commit.seat)
    .bind(commit.after_ply)
    .bind(commit.house)
    .bind(&commit.message)
    .bind(commit.elapsed_ms)
    .bind(commit.committed_at)
    .execute(db)
    .await
    .map(drop)
}

/// The choices that wait in a game: for `play` alone, never for an answer.
pub async fn commits(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<Vec<Commit>> {
    sqlx::query_as(
        "select seat, after_ply, house, message, elapsed_ms, committed_at \
         from commits where game_id = $1",
    )
    .bind(game_id)
    .fetch_all(db)
    .await
}

/// The seats that have committed a choice, without the choice.
pub async fn committed_seats(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("select seat from commits where game_id = $1")
        .bind(game_id)
        .fetch_all(db)
        .await
}

/// Revealed, or the game ended before that: the secret choices go.
pub async fn delete_commits(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<()> {
    sqlx::query("delete from commits where game_id = $1")
        .bind(game_id)
        .execute(db)
        .await
        .map(drop)
}
