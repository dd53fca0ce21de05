//! Rows of `conditionals`: secret lines of coming plies.

use sqlx::types::Json;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// The lines of a seat. `Debug` hides them, so that no log line can show them.
#[derive(Clone, FromRow)]
#[allow(missing_docs)]
pub struct Conditionals {
    pub seat: String,
    pub lines: Json<Vec<Vec<u8>>>,
}

impl std::fmt::Debug for Conditionals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conditionals")
            .field("seat", &self.seat)
            .finish_non_exhaustive()
    }
}

/// The lines of both seats: for `play` alone.
pub async fn of_game(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<Vec<Conditionals>> {
    sqlx::query_as("select seat, lines from conditionals where game_id = $1")
        .bind(game_id)
        .fetch_all(db)
        .await
}

/// Writes a seat's lines.
pub async fn put(
    db: &mut PgConnection,
    game_id: Uuid,
    seat: &str,
    lines: &[Vec<u8>],
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into conditionals (game_id, seat, lines) values ($1, $2, $3) \
         on conflict (game_id, seat) do update set lines = excluded.lines",
    )
    .bind(game_id)
    .bind(seat)
    .bind(Json(lines))
    .execute(db)
    .await
    .map(drop)
}

/// Drops a seat's lines.
pub async fn delete(db: &mut PgConnection, game_id: Uuid, seat: &str) -> sqlx::Result<()> {
    sqlx::query("delete from conditionals where game_id = $1 and seat = $2")
        .bind(game_id)
        .bind(seat)
        .execute(db)
        .await
        .map(drop)
}

/// Drops the lines of both seats.
pub async fn delete_all(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<()> {
    sqlx::query("delete from conditionals where game_id = $1")
        .bind(game_id)
        .execute(db)
        .await
        .map(drop)
}
