//! Rows of `deadlines`, and the heartbeat that tells downtimes.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// What a seat has left. Column meanings stand in the migration.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[allow(missing_docs)]
pub struct Deadline {
    pub game_id: Uuid,
    pub seat: String,
    pub per_move: i32,
    pub reserve_ms: i64,
    pub move_by: Option<DateTime<Utc>>,
    pub deadline: Option<DateTime<Utc>>,
    pub near_at: Option<DateTime<Utc>>,
    pub left_us: Option<i64>,
    /// Whether it stands still; not a column: who knows the table says so.
    #[sqlx(default)]
    pub frozen: bool,
}

/// The clocks of these games. As in `seats::with_games`, one plan for however many.
pub async fn of_games(db: &mut PgConnection, games: &[Uuid]) -> sqlx::Result<Vec<Deadline>> {
    sqlx::query_as(
        "select game_id, seat, per_move, reserve_ms, move_by, deadline, near_at, left_us \
         from deadlines where game_id = any((select $1)::uuid[])",
    )
    .bind(games)
    .fetch_all(db)
    .await
}

/// Writes a seat's clock.
pub async fn put(db: &mut PgConnection, row: &Deadline) -> sqlx::Result<()> {
    sqlx::query(
        "insert into deadlines (game_id, seat, per_move, reserve_ms, move_by, deadline, near_at, left_us) \
         values ($1, $2, $3, $4, $5, $6, $7, $8) \
         on conflict (game_id, seat) do update set reserve_ms = excluded.reserve_ms, \
             move_by = excluded.move_by, deadline = excluded.deadline, near_at = excluded.near_at, \
             left_us = excluded.left_us",
    )
    .bind(row.game_id)
    .bind(&row.seat)
    .bind(row.per_move)
    .bind(row.reserve_ms)
    .bind(row.move_by)
    .bind(row.deadline)
    .bind(row.near_at)
    .bind(row.left_us)
    .execute(db)
    .await
    .map(drop)
}

/// Games whose time has passed: a deadline, or an open game's expiry.
pub async fn due(db: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "(select game_id from deadlines where deadline < (select app_now()) order by deadline limit $1) \
         union \
         (select game_id from invitations where expires_at < (select app_now()) order by expires_at limit $1)",
    )
    .bind(limit)
    .fetch_all(db)
    .await
}

/// Games in which a seat has a quarter of its time left and was not told.
pub async fn near(db: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "select distinct game_id from \
         (select game_id from deadlines where near_at <= (select app_now()) order by near_at limit $1) near",
    )
    .bind(limit)
    .fetch_all(db)
    .await
}

/// When a server was last alive, and now.
pub async fn alive_at(db: &mut PgConnection) -> sqlx::Result<(DateTime<Utc>, DateTime<Utc>)> {
    sqlx::query_as("select alive_at, app_now() from heartbeat")
        .fetch_one(db)
        .await
}

/// The same, with the row locked.
pub async fn lock_alive_at(db: &mut PgConnection) -> sqlx::Result<(DateTime<Utc>, DateTime<Utc>)> {
    sqlx::query("select from heartbeat for update")
        .execute(&mut *db)
        .await?;
    alive_at(db).await
}

/// A server is alive.
pub async fn beat(db: &mut PgConnection, at: DateTime<Utc>) -> sqlx::Result<()> {
    sqlx::query("update heartbeat set alive_at = greatest(alive_at, $1)")
        .bind(at)
        .execute(db)
        .await
        .map(drop)
}

/// What follows may take longer than a request.
pub async fn take_time(db: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("select set_config('statement_timeout', '0', true)")
        .execute(&mut *db)
        .await?;
    sqlx::query("select set_config('lock_timeout', '0', true)")
        .execute(db)
        .await
        .map(drop)
}

/// Locks the games in which a clock runs out in a downtime, or within the
/// smaller of an hour and the time for a move after it, or ran on its reserve
/// when it began.
pub async fn lock_hit(
    db: &mut PgConnection,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "select game_id from games where game_id in ( \
             select game_id from deadlines \
             where deadline > $1 \
               and move_by <= $2 + least(3600, per_move) * interval '1 second') \
         order by game_id for no key update",
    )
    .bind(from)
    .bind(until)
    .fetch_all(db)
    .await
}

/// Moves the hit clocks of these games, whose locks are held; which. A time for
/// a move that fell into the downtime, or soon after it, becomes its end and the
/// larger of its length and an hour, but no more than the time for a move; one
/// that was past already stands still.
pub async fn move_out(
    db: &mut PgConnection,
    games: &[Uuid],
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> sqlx::Result<Vec<Deadline>> {
    sqlx::query_as(
        "with moved as ( \
             select game_id, seat, case \
                 when move_by > $2 then $3 + interval '1 second' * \
                     least(greatest(extract(epoch from $3 - $2), 3600), per_move) \
                 else move_by + ($3 - $2) end as move_by \
             from deadlines \
             where game_id = any($1) and deadline > $2 \
               and move_by <= $3 + least(3600, per_move) * interval '1 second'), \
         versions as ( \
             update games set version = version + 1 \
             where game_id in (select game_id from moved)) \
         update deadlines d set move_by = m.move_by, \
             deadline = m.move_by + d.reserve_ms * interval '1 millisecond', \
             near_at = case when m.move_by > $3 \
                       then m.move_by - d.per_move * interval '250 milliseconds' end \
         from moved m where d.game_id = m.game_id and d.seat = m.seat \
         returning d.*",
    )
    .bind(games)
    .bind(from)
    .bind(until)
    .fetch_all(db)
    .await
}
