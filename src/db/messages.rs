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

/// The messages of a game with their plies, for a viewer who sits in it.
pub async fn of_game(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<Vec<(i32, String)>> {
    sqlx::query_as("select ply, text from messages where game_id = $1 order by ply")
        .bind(game_id)
        .fetch_all(db)
        .await
}
