//! Holidays: while a player is away, the player's clocks stand still in every
//! game that allows it, out of a budget for each year.
//!
//! A holiday begins, changes and ends in one transaction, under the locks of all
//! the player's live games in the order of their ids, and then of the player. So
//! it sees every game and every game sees it: one that starts meanwhile, or
//! that the player makes or joins, needs the player (`db::players::hold`); when
//! the games under the locks are not all there are by then, it begins anew.
//!
//! Nobody waits for each other in a circle: all take games before players. A
//! change of a game takes that one game, then the players it seats. A holiday
//! waits for no game once it has the player. Who leaves has no live game left
//! by then. And the heartbeat, where it is needed, comes before the games.

use chrono::{DateTime, Datelike, SubsecRound, Utc};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::budget::{self, Budget, Exceeded};
use super::who::Identity;
use super::{PlayError, events, settle};
use crate::db;
use crate::db::vacations::Vacation;

/// The holiday somebody is on, and what is left for others.
#[derive(Debug)]
pub struct Holiday {
    /// Until when; none: they are not away.
    pub until: Option<DateTime<Utc>>,
    /// What is left of this year after the planned part in it.
    pub budget: Budget,
}

/// A player with all live games, under their locks, and nothing that has passed.
struct Locked {
    games: Vec<Uuid>,
    present: Option<Vacation>,
    now: DateTime<Utc>,
}

/// What a look under the locks found.
enum Look {
    Ready(Locked),
    /// The player has got another game meanwhile, or no server was there.
    Again,
    /// Something has passed: the holiday itself, or something in these games.
    Passed(Vec<Uuid>),
}

/// The player's holiday as of now.
pub async fn show(db: &mut PgConnection, player_id: Uuid) -> Result<Holiday, PlayError> {
    let now = db::now(db).await?;
    let present = db::vacations::present(db, player_id).await?;
    let since = budget::beginning(now.year());
    let vacations = db::vacations::of_player(db, player_id, since).await?;
    Ok(Holiday {
        until: present
            .map(|vacation| vacation.ends_at)
            .filter(|&until| until > now),
        budget: budget::left(&vacations, now.year()),
    })
}

/// The player is on holiday from now on until then; or, being away already, until
/// then instead.
pub async fn set(
    pool: &PgPool,
    identity: &Identity,
    until: DateTime<Utc>,
) -> Result<Holiday, PlayError> {
    let player_id = identity.player_id;
    // As it is shown.
    let ends_at = until.trunc_subsecs(3);
    locked(
        pool,
        player_id,
        async |db,
               Locked {
                   games,
                   present,
                   now,
               }| {
            if ends_at <= now {
                return Err(PlayError::BadUntil("lies in the past"));
            }
            let starts_at = present.map_or(now, |vacation| vacation.starts_at);
            let vacation = Vacation { starts_at, ends_at };
            let since = budget::beginning(starts_at.year());
            let mut others = db::vacations::of_player(db, player_id, since).await?;
            others.retain(|other| other.starts_at != starts_at);
            budget::check(&others, &vacation).map_err(|Exceeded { budget, asked }| {
                PlayError::VacationBudget {
                    year: budget.year,
                    left: budget.left.num_seconds(),
                    asked: asked.num_seconds(),
                }
            })?;
            if present == Some(vacation) {
                return show(db, player_id).await;
            }
            db::vacations::put(db, player_id, vacation).await?;
            db::vacations::touch(db, &games).await?;
            let clocks = match present {
                Some(_) => db::vacations::standing(db, player_id, &games).await?,
                None => {
                    // What is due to be told counts as told once the clock stands.
                    let near = db::vacations::take_near(db, player_id, &games, now).await?;
                    events::all_near(db, &near, now).await?;
                    db::vacations::freeze(db, player_id, &games, now).await?
                }
            };
            events::all_moved(db, &clocks, "vacation", Some(ends_at), now).await?;
            show(db, player_id).await
        },
    )
    .await
}

/// The player is back.
pub async fn end(pool: &PgPool, identity: &Identity) -> Result<Holiday, PlayError> {
    let player_id = identity.player_id;
    locked(
        pool,
        player_id,
        async |db,
               Locked {
                   games,
                   present,
                   now,
               }| {
            if present.is_some() {
                come_back(db, player_id, &games, now, now).await?;
            }
            show(db, player_id).await
        },
    )
    .await
}

/// Ends the holiday as of `at`; a reserve that was running goes on as of
/// `reserve_at`.
async fn come_back(
    db: &mut PgConnection,
    player_id: Uuid,
    games: &[Uuid],
    at: DateTime<Utc>,
    reserve_at: DateTime<Utc>,
) -> Result<(), PlayError> {
    let now = db::now(db).await?;
    db::vacations::end(db, player_id, at).await?;
    db::vacations::touch(db, games).await?;
    let clocks = db::vacations::thaw(db, player_id, games, at, reserve_at).await?;
    events::all_moved(db, &clocks, "vacation", None, now).await
}

/// Ends a holiday that is over, as of its end; whether there was one. `wait`:
/// also when somebody has one of the games just now.
///
/// In a downtime a reserve stands still. One that was running when the holiday
/// began therefore goes on as of the downtime's beginning: what moves the
/// deadlines then takes it to its end, like any other that it found running.
pub(super) async fn end_passed(
    pool: &PgPool,
    player_id: Uuid,
    wait: bool,
) -> Result<bool, PlayError> {
    loop {
        let mut db = db::pool::begin(pool).await?;
        let (alive_at, _) = db::deadlines::lock_alive_at(&mut db).await?;
        let Some(games) = lock(&mut db, player_id, wait).await? else {
            db.rollback().await?;
            match wait {
                true => continue,
                false => return Ok(false),
            }
        };
        let now = db::now(&mut db).await?;
        let present = db::vacations::present(&mut db, player_id).await?;
        let Some(over) = present.filter(|vacation| vacation.ends_at <= now) else {
            return Ok(false);
        };
        let reserve_at = match settle::is_silence(alive_at, now) {
            true => over.ends_at.min(alive_at),
            false => over.ends_at,
        };
        come_back(&mut db, player_id, &games, over.ends_at, reserve_at).await?;
        db.commit().await?;
        return Ok(true);
    }
}

/// Locks the player's live games and the player; none when those are not all
/// games by then, or, without `wait`, when somebody has one of them.
async fn lock(
    db: &mut PgConnection,
    player_id: Uuid,
    wait: bool,
) -> Result<Option<Vec<Uuid>>, PlayError> {
    let games = db::vacations::lock_games(db, player_id, wait).await?;
    db::players::lock(db, player_id).await?;
    let all = db::vacations::games(db, player_id).await?;
    Ok((games == all).then_some(games))
}

async fn look(db: &mut PgConnection, player_id: Uuid) -> Result<Look, PlayError> {
    let Some(games) = lock(db, player_id, true).await? else {
        return Ok(Look::Again);
    };
    if !db::players::hold(db, player_id).await? {
        return Err(PlayError::PlayerLeft);
    }
    let (alive_at, now) = db::deadlines::alive_at(db).await?;
    if settle::is_silence(alive_at, now) {
        return Ok(Look::Again);
    }
    let present = db::vacations::present(db, player_id).await?;
    let over = present.is_some_and(|vacation| vacation.ends_at <= now);
    let passed = db::vacations::passed(db, &games, now).await?;
    if over || !passed.is_empty() {
        return Ok(Look::Passed(passed));
    }
    Ok(Look::Ready(Locked {
        games,
        present,
        now,
    }))
}

/// Does `work` under the locks, when nothing that has passed is left to settle:
/// a clock that had run out is not stopped any more. In one transaction,
/// committed if it comes out well, else rolled back before the caller hears.
async fn locked<T>(
    pool: &PgPool,
    player_id: Uuid,
    work: impl AsyncFnOnce(&mut PgConnection, Locked) -> Result<T, PlayError>,
) -> Result<T, PlayError> {
    loop {
        settle::beat(pool).await?;
        let mut db = db::pool::begin(pool).await?;
        let ready = match look(&mut db, player_id).await {
            Ok(Look::Ready(ready)) => ready,
            Ok(Look::Again) => {
                db.rollback().await?;
                continue;
            }
            Ok(Look::Passed(games)) => {
                db.rollback().await?;
                end_passed(pool, player_id, true).await?;
                for game_id in games {
                    settle::settle(pool, game_id).await?;
                }
                continue;
            }
            Err(cause) => {
                db.rollback().await.ok();
                return Err(cause);
            }
        };
        let outcome = work(&mut db, ready).await;
        match &outcome {
            Ok(_) => db.commit().await?,
            Err(_) => db.rollback().await.ok().unwrap_or_default(),
        }
        return outcome;
    }
}
