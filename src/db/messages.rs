//! Rows of `messages`: what a seat said with a ply, for the two seats only.

use sqlx::PgConnection;
use uuid::Uuid;

/// A message that came with a ply.
pub async fn insert(
    db: &mut PgConnection,
    game_id: Uuid,
    ply: i32,
    text: &str,
) -> sqlx::Result<()> {
    sqlx::query("insert into messages (game_id, ply, text) values ($1, $2, $3)")
        .bind(game_id)
        .bind(ply)
        .bind(text)
        .execute(db)
        .await
        .map(drop)
}

/// The messages of the rows `first..=last` with their plies, for a viewer who sits
/// in the game.
pub async fn between(
    db: &mut PgConnection,
    game_id: Uuid,
    first: i32,
    last: i32,
) -> sqlx::Result<Vec<(i32, String)>> {
    sqlx::query_as(
        "select ply, text from messages where game_id = $1 and ply between $2 and $3 order by ply",
    )
    .bind(game_id)
    .bind(first)
    .bind(last)
    .fetch_all(db)
    .await
}
