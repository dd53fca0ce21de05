//! What happens by itself when a time has passed: timeouts, open games that
//! nobody joined, downtimes. Each is settled once, under the game's lock, by
//! whoever looks first.

use chrono::{DateTime, Duration, Utc};
use mancala_rules::Seat;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::endings::{Abort, End, Why};
use super::stored::{self, corrupt};
use super::table::Table;
use super::{Caller, PlayError, clock, endings, events, pause, vacations};
use crate::db;
use crate::db::games::Game;
use crate::db::seats::Around;

/// A longer time without any server was a downtime.
pub const LONGEST_SILENCE: Duration = Duration::seconds(60);
/// Games that one sweep settles.
const BATCH: i64 = 200;

/// Does `work` on a game under its lock, with nothing that has passed left to
/// settle, in one transaction: committed if it comes out well, else rolled back
/// before the caller hears of it.
pub(super) async fn on_table<T>(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    work: impl AsyncFnOnce(&mut PgConnection, Table, Around) -> Result<T, PlayError>,
) -> Result<T, PlayError> {
    loop {
        let mut db = db::pool::begin(pool).await?;
        match settled(&mut db, caller, game_id).await {
            Ok((table, around)) => {
                let outcome = work(&mut db, table, around).await;
                match &outcome {
                    Ok(_) => db.commit().await?,
                    Err(_) => db.rollback().await.ok().unwrap_or_default(),
                }
                return outcome;
            }
            Err(PlayError::Waiting(_)) => {
                db.rollback().await?;
                settle(pool, game_id).await?;
            }
            Err(cause) => {
                db.rollback().await.ok();
                return Err(cause);
            }
        }
    }
}

/// The game under its lock, if `caller` may see it, with nothing left to settle, and
/// what is around it.
///
/// # Errors
/// [`PlayError::Waiting`] when there is: roll back, [`settle`], try again.
pub(super) async fn settled(
    db: &mut PgConnection,
    caller: &Caller,
    game_id: Uuid,
) -> Result<(Table, Around), PlayError> {
    let (table, around) = Table::lock(db, caller, game_id).await?;
    match is_waiting(db, &table, around.now).await? {
        true => Err(PlayError::Waiting(game_id)),
        false => Ok((table, around)),
    }
}

/// Whether no server was there for too long.
pub(super) fn is_silence(alive_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    now - alive_at > LONGEST_SILENCE
}

/// Whether something has passed, or a downtime may have hit a clock: both are
/// dealt with before the game is shown or changed.
pub(super) async fn is_waiting(
    db: &mut PgConnection,
    table: &Table,
    now: DateTime<Utc>,
) -> Result<bool, PlayError> {
    if clock::is_due(table, now) || table.has_stood_still(now) {
        return Ok(true);
    }
    if table.clocks.is_empty() {
        return Ok(false);
    }
    let (alive_at, _) = db::deadlines::alive_at(db).await?;
    Ok(is_silence(alive_at, now))
}

/// Settles what has passed in one game; whether there was something.
pub async fn settle(pool: &PgPool, game_id: Uuid) -> Result<bool, PlayError> {
    // Nobody is late for a time in which no server was there.
    beat(pool).await?;
    let over = db::vacations::ending_in(&mut *pool.acquire().await?, game_id).await?;
    let (players, paused) = over;
    let mut touched = false;
    for player_id in players {
        touched |= vacations::end_passed(pool, player_id, true).await?;
    }
    if paused {
        touched |= pause::end_passed(pool, game_id, true).await?;
    }
    let mut db = db::pool::begin(pool).await?;
    match db::games::lock(&mut db, game_id).await? {
        Some(game) => Ok(settle_locked(db, game).await? || touched),
        None => Ok(false),
    }
}

/// The same for a sweep, which leaves a game to whoever has it just now: they
/// look at the time as well.
async fn settle_free(pool: &PgPool, game_id: Uuid) -> Result<bool, PlayError> {
    let mut db = db::pool::begin(pool).await?;
    match db::games::try_lock(&mut db, game_id).await? {
        Some(game) => settle_locked(db, game).await,
        None => Ok(false),
    }
}

async fn settle_locked(
    mut db: sqlx::Transaction<'_, sqlx::Postgres>,
    game: Game,
) -> Result<bool, PlayError> {
    let game_id = game.game_id;
    let mut table = Table::of(&mut db, game).await?;
    let now = db::now(&mut db).await?;
    if !clock::is_due(&table, now) {
        return Ok(false);
    }
    let late: Vec<Seat> = clock::late(&table, now)
        .into_iter()
        .map(|seat| seat.parse().map_err(corrupt))
        .collect::<Result<_, _>>()?;
    let mut state = stored::state(&table.game, &[], &[])?;
    let timeout = match late.as_slice() {
        [seat] if db::plies::has_chosen(&mut db, game_id, seat.as_str()).await? => Some(*seat),
        _ => None,
    };
    match timeout {
        Some(seat) => state.time_out(seat).map(drop).map_err(corrupt)?,
        None => state.abort().map_err(corrupt)?,
    }
    let reason = if timeout.is_some() {
        "timeout"
    } else {
        "aborted"
    };
    let abort = match (timeout, late.as_slice()) {
        (Some(_), _) => None,
        (None, []) => Some(Abort {
            why: Why::NobodyJoined,
            seat: None,
        }),
        (None, late) => Some(Abort {
            why: Why::Late,
            seat: late.first().copied().filter(|_| late.len() == 1),
        }),
    };
    let end = End {
        reason,
        by: timeout,
        source: "server",
        abort,
    };
    endings::append(&mut db, &mut table, &state, end, now).await?;
    db.commit().await?;
    Ok(true)
}

/// Settles every game whose time has passed, and says where it is near; the
/// next ones while one is locked or cannot be settled. How many were touched.
pub async fn sweep(pool: &PgPool) -> Result<usize, PlayError> {
    beat(pool).await?;
    let mut touched = end_standstills(pool, false).await?;
    loop {
        let due = db::deadlines::due(&mut *pool.acquire().await?, BATCH).await?;
        let mut settled = 0;
        for &game_id in &due {
            settled += done(game_id, settle_free(pool, game_id).await)?;
        }
        touched += settled;
        if settled == 0 || (due.len() as i64) < BATCH {
            break;
        }
    }
    for game_id in db::deadlines::near(&mut *pool.acquire().await?, BATCH).await? {
        touched += done(game_id, tell_near(pool, game_id).await)?;
    }
    Ok(touched)
}

/// Ends every holiday and every pause whose end has passed, as of that end, in
/// whatever order; how many. `wait`: also where somebody has the game just now.
async fn end_standstills(pool: &PgPool, wait: bool) -> Result<usize, PlayError> {
    let mut ended = 0;
    loop {
        let over = db::vacations::ending(&mut *pool.acquire().await?, BATCH).await?;
        let before = ended;
        for &player_id in &over {
            ended += usize::from(vacations::end_passed(pool, player_id, wait).await?);
        }
        if ended == before || (over.len() as i64) < BATCH {
            break;
        }
    }
    loop {
        let passed = db::games::resuming(&mut *pool.acquire().await?, BATCH).await?;
        let before = ended;
        for &game_id in &passed {
            ended += done(game_id, pause::end_passed(pool, game_id, wait).await)?;
        }
        if ended == before || (passed.len() as i64) < BATCH {
            return Ok(ended);
        }
    }
}

/// Counts a game. One that cannot be settled must not hold up the others; a
/// database that is away holds up all of them.
fn done(game_id: Uuid, outcome: Result<bool, PlayError>) -> Result<usize, PlayError> {
    match outcome {
        Ok(touched) => Ok(usize::from(touched)),
        Err(PlayError::Corrupt(cause)) => {
            tracing::error!(%game_id, cause, "the game could not be settled");
            Ok(0)
        }
        Err(other) => Err(other),
    }
}

/// Says, once, that a quarter of a seat's time is left.
async fn tell_near(pool: &PgPool, game_id: Uuid) -> Result<bool, PlayError> {
    let mut db = db::pool::begin(pool).await?;
    let Some(game) = db::games::try_lock(&mut db, game_id).await? else {
        return Ok(false);
    };
    let mut table = Table::of(&mut db, game).await?;
    let now = db::now(&mut db).await?;
    let mut told = false;
    for clock in &mut table.clocks {
        if clock.near_at.is_some_and(|at| at <= now) {
            clock.near_at = None;
            db::deadlines::put(&mut db, clock).await?;
            events::near(&mut db, &table.game, clock, now).await?;
            told = true;
        }
    }
    db.commit().await?;
    Ok(told)
}

/// A server is alive. After a downtime the times that fell into it, or soon
/// after it, are moved out first; nobody loses a game to it.
pub async fn beat(pool: &PgPool) -> Result<(), PlayError> {
    let mut db = pool.acquire().await?;
    let (alive_at, now) = db::deadlines::alive_at(&mut db).await?;
    drop(db);
    if is_silence(alive_at, now) {
        // In a task of its own: it goes on when the request that found the gap
        // is given up.
        let task = tokio::spawn(end_downtime(pool.clone()));
        return task.await.map_err(corrupt)?;
    }
    if now - alive_at > LONGEST_SILENCE / 6 {
        db::deadlines::beat(&mut *pool.acquire().await?, now).await?;
    }
    Ok(())
}

/// Moves out the times that a downtime hit, in statements for all games at once.
/// Holidays and pauses that ended in it end first: what then falls due is moved
/// with the rest.
async fn end_downtime(pool: PgPool) -> Result<(), PlayError> {
    end_standstills(&pool, true).await?;
    let mut db = db::pool::begin(&pool).await?;
    db::deadlines::take_time(&mut db).await?;
    let (from, until) = db::deadlines::lock_alive_at(&mut db).await?;
    if is_silence(from, until) {
        let games = db::deadlines::lock_hit(&mut db, from, until).await?;
        let moved = db::deadlines::move_out(&mut db, &games, from, until).await?;
        events::all_moved_out(&mut db, &moved, until).await?;
        db::seats::extend_invitations(&mut db, from, until).await?;
        db::deadlines::beat(&mut db, until).await?;
        if !moved.is_empty() {
            let (seconds, moved) = ((until - from).num_seconds(), moved.len());
            tracing::warn!(seconds, moved, "no server was alive; deadlines were moved");
        }
    }
    db.commit().await?;
    Ok(())
}
