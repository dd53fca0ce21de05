//! Rows of `players`.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// A player. Column meanings stand in the migration.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Player {
    pub player_id: Uuid,
    pub handle: Option<String>,
    pub kind: String,
    pub created_at: DateTime<Utc>,
    /// Until when they are on holiday, if they are.
    pub vacation_until: Option<DateTime<Utc>>,
}

macro_rules! columns {
    () => {
        "player_id, handle, kind, created_at, \
         case when vacation_until > app_now() then vacation_until end as vacation_until"
    };
}

/// A new player, unless the handle is taken.
pub async fn insert(
    db: &mut PgConnection,
    player_id: Uuid,
    handle: &str,
    kind: &str,
    created_at: DateTime<Utc>,
) -> sqlx::Result<bool> {
    sqlx::query(
        "insert into players (player_id, handle, kind, created_at) values ($1, $2, $3, $4) \
         on conflict (lower(handle)) do nothing",
    )
    .bind(player_id)
    .bind(handle)
    .bind(kind)
    .bind(created_at)
    .execute(db)
    .await
    .map(|done| done.rows_affected() == 1)
}

/// The player of that handle, in whatever case.
pub async fn by_handle(db: &mut PgConnection, handle: &str) -> sqlx::Result<Option<Player>> {
    sqlx::query_as(concat!(
        "select ",
        columns!(),
        " from players where lower(handle) = lower($1)"
    ))
    .bind(handle)
    .fetch_optional(db)
    .await
}

/// The player of that id.
pub async fn find(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<Option<Player>> {
    sqlx::query_as(concat!(
        "select ",
        columns!(),
        " from players where player_id = $1"
    ))
    .bind(player_id)
    .fetch_optional(db)
    .await
}

/// Keeps the player from leaving until the transaction ends; false when they
/// have left. Before whatever names the player: a foreign key alone does not see
/// that they have.
pub async fn hold(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<bool> {
    sqlx::query("select from players where player_id = $1 and deleted_at is null for key share")
        .bind(player_id)
        .fetch_optional(db)
        .await
        .map(|row| row.is_some())
}

/// Keeps others from making a token for the player until the transaction ends.
pub async fn lock_tokens(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<()> {
    sqlx::query("select from players where player_id = $1 for no key update")
        .bind(player_id)
        .execute(db)
        .await
        .map(drop)
}

/// Keeps the player from taking a seat until the transaction ends.
pub async fn lock(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<()> {
    sqlx::query("select from players where player_id = $1 for update")
        .bind(player_id)
        .execute(db)
        .await
        .map(drop)
}

/// A live game the player has a seat in or is invited to.
pub async fn live_game(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<Option<Uuid>> {
    sqlx::query_scalar("select game_id from seats where player_id = $1 and live limit 1")
        .bind(player_id)
        .fetch_optional(db)
        .await
}

/// Takes the player's messages away.
pub async fn delete_messages(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<()> {
    sqlx::query(
        "delete from messages m using seats s, plies p \
         where s.player_id = $1 and m.game_id = s.game_id \
           and p.game_id = m.game_id and p.ply = m.ply and p.seat = s.seat",
    )
    .bind(player_id)
    .execute(db)
    .await
    .map(drop)
}

/// Takes the player's tokens away.
pub async fn delete_tokens(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<()> {
    sqlx::query("delete from tokens where player_id = $1")
        .bind(player_id)
        .execute(db)
        .await
        .map(drop)
}

/// The player's games show it when the handle goes. They are locked in the order
/// of their ids.
pub async fn touch_games(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<()> {
    sqlx::query(
        "with held as ( \
             select game_id from games \
             where game_id in (select game_id from seats where player_id = $1) \
             order by game_id for no key update) \
         update games g set version = version + 1 from held where g.game_id = held.game_id",
    )
    .bind(player_id)
    .execute(db)
    .await
    .map(drop)
}

/// Takes the handle away: the games stay under an id that names nobody.
pub async fn forget(db: &mut PgConnection, player_id: Uuid, at: DateTime<Utc>) -> sqlx::Result<()> {
    sqlx::query(
        "update players set handle = null, external_ref = null, deleted_at = $2 \
         where player_id = $1",
    )
    .bind(player_id)
    .bind(at)
    .execute(db)
    .await
    .map(drop)
}
