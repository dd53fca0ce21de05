//! Rows of `offers`: proposals between the two seats of a game.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// The columns of [`Offer`].
macro_rules! columns {
    () => {
        "game_id, offer_no, kind, seat, ply, status, made_at, answered_at"
    };
}

/// One offer. Column meanings stand in the migration.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Offer {
    pub game_id: Uuid,
    pub offer_no: i32,
    pub kind: String,
    pub seat: String,
    pub ply: i32,
    pub status: String,
    pub made_at: DateTime<Utc>,
    pub answered_at: Option<DateTime<Utc>>,
}

/// A new offer under the game's next number.
pub async fn insert(
    db: &mut PgConnection,
    game_id: Uuid,
    kind: &str,
    seat: &str,
    ply: i32,
    made_at: DateTime<Utc>,
) -> sqlx::Result<Offer> {
    sqlx::query_as(concat!(
        "insert into offers (game_id, offer_no, kind, seat, ply, status, made_at) \
             select $1, coalesce(max(offer_no), 0) + 1, $2, $3, $4, 'open', $5 \
             from offers where game_id = $1 returning ",
        columns!()
    ))
    .bind(game_id)
    .bind(kind)
    .bind(seat)
    .bind(ply)
    .bind(made_at)
    .fetch_one(db)
    .await
}

/// One offer of a game.
pub async fn find(
    db: &mut PgConnection,
    game_id: Uuid,
    offer_no: i32,
) -> sqlx::Result<Option<Offer>> {
    sqlx::query_as(concat!(
        "select ",
        columns!(),
        " from offers where game_id = $1 and offer_no = $2"
    ))
    .bind(game_id)
    .bind(offer_no)
    .fetch_optional(db)
    .await
}

/// The offers of these games that wait for an answer.
pub async fn open(db: &mut PgConnection, games: &[Uuid]) -> sqlx::Result<Vec<Offer>> {
    sqlx::query_as(concat!(
        "select ",
        columns!(),
        " from offers where game_id = any($1) and status = 'open' order by game_id, offer_no"
    ))
    .bind(games)
    .fetch_all(db)
    .await
}

/// Answers an open offer.
pub async fn answer(
    db: &mut PgConnection,
    game_id: Uuid,
    offer_no: i32,
    status: &str,
    at: DateTime<Utc>,
) -> sqlx::Result<Offer> {
    sqlx::query_as(concat!(
        "update offers set status = $3, answered_at = $4 \
             where game_id = $1 and offer_no = $2 and status = 'open' returning ",
        columns!()
    ))
    .bind(game_id)
    .bind(offer_no)
    .bind(status)
    .bind(at)
    .fetch_one(db)
    .await
}

/// The game moved on: its open offers lapse.
pub async fn void_open(
    db: &mut PgConnection,
    game_id: Uuid,
    at: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query(
        "update offers set status = 'void', answered_at = $2 \
         where game_id = $1 and status = 'open'",
    )
    .bind(game_id)
    .bind(at)
    .execute(db)
    .await
    .map(drop)
}
