//! Rows of `plies`, the move log of a game until it is packed.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// The columns of [`Ply`].
macro_rules! columns {
    () => {
        "ply, kind, seat, after_ply, turn, round, house, seeds_sown, lap_count, captured, \
                banked, extra_turn, passed, other, reason, to_ply, position, elapsed_ms, played_at, \
                source, taken_back"
    };
}

/// One row of a log. Column meanings stand in the migration.
#[derive(Debug, Clone, Default, PartialEq, FromRow)]
#[allow(missing_docs)]
pub struct Ply {
    pub ply: i32,
    pub kind: String,
    pub seat: Option<String>,
    pub after_ply: i32,
    pub turn: i32,
    pub round: i32,
    pub house: Option<i16>,
    pub seeds_sown: Option<i32>,
    pub lap_count: Option<i32>,
    pub captured: Option<i32>,
    pub banked: Option<i32>,
    pub extra_turn: Option<bool>,
    pub passed: Option<bool>,
    pub other: Option<Value>,
    pub reason: Option<String>,
    pub to_ply: Option<i32>,
    pub position: Option<String>,
    pub elapsed_ms: Option<i64>,
    pub played_at: Option<DateTime<Utc>>,
    pub source: String,
    pub taken_back: bool,
}

/// Appends one row, which nobody has taken back.
pub async fn append(db: &mut PgConnection, game_id: Uuid, row: &Ply) -> sqlx::Result<()> {
    sqlx::query(
        "insert into plies (game_id, ply, kind, seat, after_ply, turn, round, house, seeds_sown, \
                            lap_count, captured, banked, extra_turn, passed, other, reason, \
                            to_ply, position, elapsed_ms, played_at, source) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, \
                 $18, $19, $20, $21)",
    )
    .bind(game_id)
    .bind(row.ply)
    .bind(&row.kind)
    .bind(&row.seat)
    .bind(row.after_ply)
    .bind(row.turn)
    .bind(row.round)
    .bind(row.house)
    .bind(row.seeds_sown)
    .bind(row.lap_count)
    .bind(row.captured)
    .bind(row.banked)
    .bind(row.extra_turn)
    .bind(row.passed)
    .bind(&row.other)
    .bind(&row.reason)
    .bind(row.to_ply)
    .bind(&row.position)
    .bind(row.elapsed_ms)
    .bind(row.played_at)
    .bind(&row.source)
    .execute(db)
    .await
    .map(drop)
}

/// Marks the rows `to_ply < ply < by` as taken back by row `by`.
pub async fn take_back(
    db: &mut PgConnection,
    game_id: Uuid,
    to_ply: i32,
    by: i32,
) -> sqlx::Result<()> {
    sqlx::query(
        "update plies set taken_back = true \
         where game_id = $1 and ply > $2 and ply < $3 and not taken_back",
    )
    .bind(game_id)
    .bind(to_ply)
    .bind(by)
    .execute(db)
    .await
    .map(drop)
}

/// Which rows of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// All, also what was taken back and the takebacks.
    All,
    /// The effective line: what led to the present state.
    Effective,
}

/// The rows `after < ply <= until` of a line, in order, at most `limit`.
pub async fn between(
    db: &mut PgConnection,
    game_id: Uuid,
    after: i32,
    until: i32,
    line: Line,
    limit: i64,
) -> sqlx::Result<Vec<Ply>> {
    sqlx::query_as(concat!(
        "select ",
        columns!(),
        " from plies where game_id = $1 and ply > $2 and ply <= $3 \
              and ($5 or not taken_back and kind <> 'takeback') order by ply limit $4"
    ))
    .bind(game_id)
    .bind(after)
    .bind(until)
    .bind(limit)
    .bind(line == Line::All)
    .fetch_all(db)
    .await
}

/// The rows `ply < before` of a line, the last ones first, at most `limit`.
pub async fn newest(
    db: &mut PgConnection,
    game_id: Uuid,
    before: i32,
    line: Line,
    limit: i64,
) -> sqlx::Result<Vec<Ply>> {
    sqlx::query_as(concat!(
        "select ",
        columns!(),
        " from plies where game_id = $1 and ply < $2 \
              and ($4 or not taken_back and kind <> 'takeback') order by ply desc limit $3"
    ))
    .bind(game_id)
    .bind(before)
    .bind(limit)
    .bind(line == Line::All)
    .fetch_all(db)
    .await
}

/// The last two choices of the effective line up to `until`, the later one first.
pub async fn last_sown(db: &mut PgConnection, game_id: Uuid, until: i32) -> sqlx::Result<Vec<Ply>> {
    sqlx::query_as(concat!(
        "select ",
        columns!(),
        " from plies where game_id = $1 and ply <= $2 and kind = 'sow' and not taken_back \
             order by ply desc limit 2"
    ))
    .bind(game_id)
    .bind(until)
    .fetch_all(db)
    .await
}

/// The sow row that this seat's choice after `after_ply` became, if it became
/// one: a pair of opening choices takes two rows, every other choice one.
pub async fn answered(
    db: &mut PgConnection,
    game_id: Uuid,
    seat: &str,
    after_ply: i32,
) -> sqlx::Result<Option<Ply>> {
    sqlx::query_as(concat!(
        "select ",
        columns!(),
        " from plies where game_id = $1 and ply between $3 + 1 and $3 + 2 \
              and after_ply = $3 and seat = $2 and kind = 'sow'"
    ))
    .bind(game_id)
    .bind(seat)
    .bind(after_ply)
    .fetch_optional(db)
    .await
}

/// `(ply, captured, position)` of the effective rows since the last capture, its
/// own row first and the present one last: what a rule of repetition counts. The
/// start is not among them.
pub async fn positions_since_capture(
    db: &mut PgConnection,
    game_id: Uuid,
) -> sqlx::Result<Vec<(i32, i32, String)>> {
    sqlx::query_as(
        "select ply, captured, position from plies \
         where game_id = $1 and kind = 'sow' and position is not null and not taken_back \
           and ply >= coalesce((select max(ply) from plies \
                                where game_id = $1 and kind = 'sow' and captured > 0 \
                                  and not taken_back), 0) \
         order by ply",
    )
    .bind(game_id)
    .fetch_all(db)
    .await
}

/// Whether either seat has a choice in the log.
pub async fn both_have_chosen(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select count(distinct seat) = 2 from plies where game_id = $1 and kind = 'sow'",
    )
    .bind(game_id)
    .fetch_one(db)
    .await
}

/// Whether a seat has a choice in the log.
pub async fn has_chosen(db: &mut PgConnection, game_id: Uuid, seat: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from plies where game_id = $1 and kind = 'sow' and seat = $2)",
    )
    .bind(game_id)
    .bind(seat)
    .fetch_one(db)
    .await
}
