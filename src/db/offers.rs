//! Rows of `offers`: proposals between the two seats of a game.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// The columns of [`Offer`].
macro_rules! columns {
    () => {
        "game_id, offer_no, kind, seat, ply, to_ply, until, token_hash, status, made_at, \
                answered_at"
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
    pub to_ply: Option<i32>,
    pub until: Option<DateTime<Utc>>,
    pub token_hash: Option<Vec<u8>>,
    pub status: String,
    pub made_at: DateTime<Utc>,
    pub answered_at: Option<DateTime<Utc>>,
}

/// Writes a new offer under the game's next number; `offer_no` is ignored.
pub async fn insert(db: &mut PgConnection, offer: &Offer) -> sqlx::Result<Offer> {
    sqlx::query_as(concat!(
        "insert into offers (game_id, offer_no, kind, seat, ply, to_ply, until, token_hash, \
                             status, made_at) \
             select $1, coalesce(max(offer_no), 0) + 1, $2, $3, $4, $5, $6, $7, 'open', $8 \
             from offers where game_id = $1 returning ",
        columns!()
    ))
    .bind(offer.game_id)
    .bind(&offer.kind)
    .bind(&offer.seat)
    .bind(offer.ply)
    .bind(offer.to_ply)
    .bind(offer.until)
    .bind(&offer.token_hash)
    .bind(offer.made_at)
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
        " from offers where game_id = any((select $1)::uuid[]) and status = 'open' order by game_id, offer_no"
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

/// Another token is to open the offering seat of the rematch.
pub async fn set_token(
    db: &mut PgConnection,
    game_id: Uuid,
    offer_no: i32,
    token_hash: &[u8],
) -> sqlx::Result<()> {
    sqlx::query(
        "update offers set token_hash = $3 \
         where game_id = $1 and offer_no = $2 and status = 'open'",
    )
    .bind(game_id)
    .bind(offer_no)
    .bind(token_hash)
    .execute(db)
    .await
    .map(drop)
}

/// What plies of these seats do to the open offers: a draw that the other seat
/// offered is declined, what proposes something of the position is void. Those
/// that were declined.
pub async fn pass_by(
    db: &mut PgConnection,
    game_id: Uuid,
    plied: &[&str],
    at: DateTime<Utc>,
) -> sqlx::Result<Vec<Offer>> {
    sqlx::query_as(concat!(
        "with passed as ( \
             update offers set answered_at = $3, \
                 status = case kind when 'draw' then 'declined' else 'void' end \
             where game_id = $1 and status = 'open' \
               and (kind in ('split', 'takeback') \
                    or kind = 'draw' and array[seat] <> $2::text[]) \
             returning ",
        columns!(),
        ") select * from passed where status = 'declined'"
    ))
    .bind(game_id)
    .bind(plied)
    .bind(at)
    .fetch_all(db)
    .await
}

/// The open offers of these kinds lapse.
pub async fn void(
    db: &mut PgConnection,
    game_id: Uuid,
    kinds: &[&str],
    at: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query(
        "update offers set status = 'void', answered_at = $3 \
         where game_id = $1 and status = 'open' and kind = any($2)",
    )
    .bind(game_id)
    .bind(kinds)
    .bind(at)
    .execute(db)
    .await
    .map(drop)
}

/// Rematches that are offered in a player's games lapse.
pub async fn void_rematches(
    db: &mut PgConnection,
    player_id: Uuid,
    at: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query(
        "update offers set status = 'void', answered_at = $2 \
         where kind = 'rematch' and status = 'open' \
           and game_id in (select game_id from seats where player_id = $1)",
    )
    .bind(player_id)
    .bind(at)
    .execute(db)
    .await
    .map(drop)
}
