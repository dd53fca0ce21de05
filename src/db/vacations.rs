//! Rows of `vacations`, the holiday a player is on, and what it does to the
//! player's clocks, in statements for all games at once.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::deadlines::Deadline;

/// A holiday. Column meanings stand in the migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
#[allow(missing_docs)]
pub struct Vacation {
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
}

/// The holiday the player is on, or was on until it is ended.
pub async fn present(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<Option<Vacation>> {
    sqlx::query_as(
        "select vacation_from as starts_at, vacation_until as ends_at from players \
         where player_id = $1 and vacation_until is not null",
    )
    .bind(player_id)
    .fetch_optional(db)
    .await
}

/// The player's holidays that end after `since`, the present one too.
pub async fn of_player(
    db: &mut PgConnection,
    player_id: Uuid,
    since: DateTime<Utc>,
) -> sqlx::Result<Vec<Vacation>> {
    sqlx::query_as(
        "select starts_at, ends_at from vacations where player_id = $1 and ends_at > $2 \
         order by starts_at",
    )
    .bind(player_id)
    .bind(since)
    .fetch_all(db)
    .await
}

/// The player is on this holiday from now on, or has moved its end.
pub async fn put(db: &mut PgConnection, player_id: Uuid, vacation: Vacation) -> sqlx::Result<()> {
    sqlx::query(
        "with present as ( \
             update players set vacation_from = $2, vacation_until = $3 where player_id = $1) \
         insert into vacations (player_id, starts_at, ends_at) values ($1, $2, $3) \
         on conflict (player_id, starts_at) do update set ends_at = excluded.ends_at",
    )
    .bind(player_id)
    .bind(vacation.starts_at)
    .bind(vacation.ends_at)
    .execute(db)
    .await
    .map(drop)
}

/// The player is back: the holiday took the time until `at`.
pub async fn end(db: &mut PgConnection, player_id: Uuid, at: DateTime<Utc>) -> sqlx::Result<()> {
    sqlx::query(
        "with ended as ( \
             update vacations v set ends_at = $2 from players p \
             where v.player_id = $1 and p.player_id = $1 and v.starts_at = p.vacation_from) \
         update players set vacation_from = null, vacation_until = null where player_id = $1",
    )
    .bind(player_id)
    .bind(at)
    .execute(db)
    .await
    .map(drop)
}

/// The player has left: nobody counts the holidays any more.
pub async fn forget(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<()> {
    sqlx::query(
        "with present as ( \
             update players set vacation_from = null, vacation_until = null where player_id = $1) \
         delete from vacations where player_id = $1",
    )
    .bind(player_id)
    .execute(db)
    .await
    .map(drop)
}

/// Players whose holiday is over and was not ended yet.
pub async fn ending(db: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "select player_id from players where vacation_until <= (select app_now()) \
         order by vacation_until limit $1",
    )
    .bind(limit)
    .fetch_all(db)
    .await
}

/// The same among those who sit in a game, and whether its pause is over.
pub async fn ending_in(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<(Vec<Uuid>, bool)> {
    sqlx::query_as(
        "select array(select player_id from seats join players using (player_id) \
                      where game_id = $1 and live and vacation_until <= (select app_now())), \
                exists (select from games \
                        where game_id = $1 and paused_until <= (select app_now()))",
    )
    .bind(game_id)
    .fetch_one(db)
    .await
}

/// The live games in which the player has taken a seat, in order.
pub async fn games(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "select game_id from seats where player_id = $1 and live and joined_at is not null \
         order by game_id",
    )
    .bind(player_id)
    .fetch_all(db)
    .await
}

macro_rules! lock_live_games {
    () => {
        "select game_id from games where game_id in ( \
             select game_id from seats where player_id = $1 and live and joined_at is not null) \
         order by game_id for no key update"
    };
}

/// Locks those games in their order, and tells which they are; without `wait`
/// those only that nobody has just now.
pub async fn lock_games(
    db: &mut PgConnection,
    player_id: Uuid,
    wait: bool,
) -> sqlx::Result<Vec<Uuid>> {
    let lock = match wait {
        true => sqlx::query_scalar(concat!(lock_live_games!())),
        false => sqlx::query_scalar(concat!(lock_live_games!(), " skip locked")),
    };
    lock.bind(player_id).fetch_all(db).await
}

/// Those of these games in which a deadline or the end of a pause has passed.
pub async fn passed(
    db: &mut PgConnection,
    games: &[Uuid],
    now: DateTime<Utc>,
) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "select game_id from deadlines where game_id = any($1) and deadline < $2 \
         union select game_id from games where game_id = any($1) and paused_until <= $2",
    )
    .bind(games)
    .bind(now)
    .fetch_all(db)
    .await
}

/// These games show who is on holiday.
pub async fn touch(db: &mut PgConnection, games: &[Uuid]) -> sqlx::Result<()> {
    sqlx::query("update games set version = version + 1 where game_id = any($1)")
        .bind(games)
        .execute(db)
        .await
        .map(drop)
}

/// The player's clocks of which it is to be told that a quarter is left; they
/// count as told now.
pub async fn take_near(
    db: &mut PgConnection,
    player_id: Uuid,
    games: &[Uuid],
    now: DateTime<Utc>,
) -> sqlx::Result<Vec<Deadline>> {
    sqlx::query_as(
        "update deadlines d set near_at = null from seats s join games g using (game_id) \
         where s.player_id = $1 and d.game_id = any($2) and d.near_at <= $3 \
           and s.game_id = d.game_id and s.seat = d.seat and g.allow_vacation \
         returning d.*",
    )
    .bind(player_id)
    .bind(games)
    .bind(now)
    .fetch_all(db)
    .await
}

/// The player's clocks that run in these games stand still as of `at`. Which.
pub async fn freeze(
    db: &mut PgConnection,
    player_id: Uuid,
    games: &[Uuid],
    at: DateTime<Utc>,
) -> sqlx::Result<Vec<Deadline>> {
    sqlx::query_as(
        "update deadlines d set move_by = null, deadline = null, near_at = null, \
             left_us = (extract(epoch from d.move_by - $3) * 1000000)::bigint \
         from seats s join games g using (game_id) \
         where s.player_id = $1 and d.game_id = any($2) and d.move_by is not null \
           and s.game_id = d.game_id and s.seat = d.seat and g.allow_vacation \
         returning d.*",
    )
    .bind(player_id)
    .bind(games)
    .bind(at)
    .fetch_all(db)
    .await
}

/// The player's clocks that stand still in these games because of the holiday.
pub async fn standing(
    db: &mut PgConnection,
    player_id: Uuid,
    games: &[Uuid],
) -> sqlx::Result<Vec<Deadline>> {
    sqlx::query_as(
        "select d.* from deadlines d join seats s using (game_id, seat) join games g using (game_id) \
         where s.player_id = $1 and d.game_id = any($2) and d.left_us is not null \
           and g.allow_vacation and g.paused_at is null",
    )
    .bind(player_id)
    .bind(games)
    .fetch_all(db)
    .await
}

/// Those of them that no pause holds at `at` go on as of then, with exactly what
/// was left; one whose reserve was running, as of `reserve_at`. Which.
pub async fn thaw(
    db: &mut PgConnection,
    player_id: Uuid,
    games: &[Uuid],
    at: DateTime<Utc>,
    reserve_at: DateTime<Utc>,
) -> sqlx::Result<Vec<Deadline>> {
    sqlx::query_as(
        "with thawed as ( \
             select d.game_id, d.seat, d.left_us > d.per_move * 250000::bigint as untold, \
                 case when d.left_us < 0 then $4 else $3 end \
                     + d.left_us * interval '1 microsecond' as move_by \
             from deadlines d join seats s using (game_id, seat) join games g using (game_id) \
             where s.player_id = $1 and d.game_id = any($2) and d.left_us is not null \
               and g.allow_vacation and (g.paused_at is null or g.paused_until <= $3)) \
         update deadlines d set left_us = null, move_by = t.move_by, \
             deadline = t.move_by + d.reserve_ms * interval '1 millisecond', \
             near_at = case when t.untold \
                       then t.move_by - d.per_move * interval '250 milliseconds' end \
         from thawed t where d.game_id = t.game_id and d.seat = t.seat \
         returning d.*",
    )
    .bind(player_id)
    .bind(games)
    .bind(at)
    .bind(reserve_at)
    .fetch_all(db)
    .await
}
