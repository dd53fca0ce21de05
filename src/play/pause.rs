//! A pause by agreement: all clocks of the game stand still, until a date or
//! until one of the seats resumes.

use chrono::{DateTime, Duration, Utc};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::moves::running;
use super::table::Table;
use super::{Caller, PlayError, View, clock, events, settle, view};
use crate::db;
use crate::db::seats::Around;

/// The longest pause with an end.
const LONGEST: Duration = Duration::days(365);

/// Whether the game can be paused until then; none: until one resumes.
pub fn check(
    table: &Table,
    until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    let refused = if table.clocks.is_empty() {
        "no clock runs in this game"
    } else if table.game.paused_at.is_some() {
        "the game is paused already"
    } else if until.is_some_and(|until| until <= now) {
        "the pause would end in the past"
    } else if until.is_some_and(|until| until > now + LONGEST) {
        "a pause may end a year from now at the latest; without an end it lasts until one resumes"
    } else {
        return Ok(());
    };
    Err(PlayError::OfferImpossible(refused.into()))
}

/// Both seats agree: the clocks stand still from now on.
pub async fn begin(
    db: &mut PgConnection,
    table: &mut Table,
    until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    let before = table.clocks.clone();
    let game = &mut table.game;
    for clock in &mut table.clocks {
        if clock.near_at.is_some_and(|at| at <= now) {
            // Due to be told; afterwards it counts as told.
            events::near(db, game, clock, now).await?;
        }
        clock::freeze(clock, now);
    }
    clock::store(db, &before, &table.clocks).await?;
    game.progress.version = db::games::pause(db, game.game_id, Some(now), until).await?;
    (game.paused_at, game.paused_until) = (Some(now), until);
    for (old, clock) in before.iter().zip(&table.clocks) {
        if old.move_by != clock.move_by {
            events::moved(db, game, clock, "pause", until, now).await?;
        }
    }
    Ok(())
}

/// The game goes on as of `at`, with exactly what was left. A clock whose player
/// is on holiday then stands still as before.
///
/// `away_since`: the servers were away since then, until now. A reserve that was
/// running stands still in a downtime, so that it goes on from its beginning: the
/// downtime itself then moves it to its end, as any other that it found running.
async fn end(
    db: &mut PgConnection,
    table: &mut Table,
    at: DateTime<Utc>,
    away_since: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    let before = table.clocks.clone();
    let away = |seat: &str| table.is_away(seat, at);
    let still: Vec<bool> = before.iter().map(|clock| away(&clock.seat)).collect();
    for (clock, still) in table.clocks.iter_mut().zip(still) {
        let in_reserve = clock.left_us.is_some_and(|left| left < 0);
        match still {
            true => {}
            false if in_reserve => clock::thaw(clock, away_since.map_or(at, |since| since.min(at))),
            false => clock::thaw(clock, at),
        }
    }
    clock::store(db, &before, &table.clocks).await?;
    let game = &mut table.game;
    game.progress.version = db::games::pause(db, game.game_id, None, None).await?;
    (game.paused_at, game.paused_until) = (None, None);
    for (old, clock) in before.iter().zip(&table.clocks) {
        if old.move_by != clock.move_by {
            events::moved(db, game, clock, "pause", None, now).await?;
        }
    }
    Ok(())
}

/// One of the seats ends the pause. Without one the game stays as it is.
pub async fn resume(pool: &PgPool, caller: &Caller, game_id: Uuid) -> Result<View, PlayError> {
    settle::on_table(
        pool,
        caller,
        game_id,
        async |db, table, Around { now, .. }| {
            table.acting_seat(caller)?.ok_or(PlayError::NotStarted)?;
            let mut table = running(db, caller, table).await?;
            if table.game.paused_at.is_some() {
                end(db, &mut table, now, None, now).await?;
            }
            view::of_table(db, caller, table).await
        },
    )
    .await
}

/// Ends a pause whose end has passed, as of that end; whether there was one.
/// `wait`: also when somebody has the game just now.
///
/// The heartbeat is locked before the game, as a downtime does: a pause ends
/// before a downtime is dealt with, or after it, and not in the midst of it.
pub(super) async fn end_passed(
    pool: &PgPool,
    game_id: Uuid,
    wait: bool,
) -> Result<bool, PlayError> {
    let mut db = db::pool::begin(pool).await?;
    let (alive_at, _) = db::deadlines::lock_alive_at(&mut db).await?;
    let game = match wait {
        true => db::games::lock(&mut db, game_id).await?,
        false => db::games::try_lock(&mut db, game_id).await?,
    };
    let Some(game) = game else {
        return Ok(false);
    };
    let mut table = Table::of(&mut db, game).await?;
    let now = db::now(&mut db).await?;
    let Some(until) = table.game.paused_until.filter(|&until| until <= now) else {
        return Ok(false);
    };
    let away_since = settle::is_silence(alive_at, now).then_some(alive_at);
    end(&mut db, &mut table, until, away_since, now).await?;
    db.commit().await?;
    Ok(true)
}
