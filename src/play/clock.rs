//! Clocks: whose time runs, what a choice leaves of it, who is late.
//!
//! `move_by` belongs to a turn; an extra turn keeps it, moved out so that a
//! quarter of the time for a move is left. Past `move_by` the reserve runs;
//! past both the seat is late.

use chrono::{DateTime, Duration, Utc};
use mancala_rules::{Phase, Seat, State};
use sqlx::PgConnection;

use super::PlayError;
use super::stored::corrupt;
use super::table::Table;
use crate::db;
use crate::db::deadlines::Deadline;
use crate::db::games::Game;

/// The shortest time for a move, in seconds.
pub const SHORTEST: i32 = 60;
/// The longest: 30 days.
pub const LONGEST: i32 = 30 * 24 * 3600;
/// The largest reserve: a year.
pub const LARGEST_RESERVE: i32 = 365 * 24 * 3600;

/// Both seats are there: whoever owes a choice has its time.
pub(super) async fn start(
    db: &mut PgConnection,
    game: &Game,
    state: &State,
    now: DateTime<Utc>,
) -> Result<Vec<Deadline>, PlayError> {
    let Some(per_move) = game.clock_per_move else {
        return Ok(Vec::new());
    };
    let mut clocks = Vec::new();
    for seat in Seat::ALL {
        let mut clock = Deadline {
            game_id: game.game_id,
            seat: seat.as_str().into(),
            per_move,
            reserve_ms: i64::from(game.clock_reserve.unwrap_or(0)) * 1000,
            move_by: None,
            deadline: None,
            near_at: None,
        };
        if state.to_move().contains(&seat) {
            owe(&mut clock, now);
        }
        db::deadlines::put(db, &clock).await?;
        clocks.push(clock);
    }
    Ok(clocks)
}

/// What the choices of `chosen` leave, the state having gone from `before` to
/// `after`. A secret commit only stops its own seat's clock. [`store`] keeps it.
pub(super) fn after_choice(
    clocks: &mut [Deadline],
    chosen: Seat,
    before: &State,
    after: &State,
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    let owing = after.to_move();
    let committed = after.committed()[chosen].is_some();
    for clock in clocks {
        let seat: Seat = clock.seat.parse().map_err(corrupt)?;
        if seat == chosen {
            use_reserve(clock, now);
        }
        let same_turn = before.phase() == Phase::Playing
            && before.turn() == after.turn()
            && before.to_move().contains(&seat);
        if !owing.contains(&seat) {
            stop(clock);
        } else if same_turn {
            extend(clock, now);
        } else if !committed {
            owe(clock, now);
        }
    }
    Ok(())
}

/// A choice is owed anew: whoever owes one has its whole time.
pub(super) fn anew(
    clocks: &mut [Deadline],
    state: &State,
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    for clock in clocks {
        let seat: Seat = clock.seat.parse().map_err(corrupt)?;
        use_reserve(clock, now);
        match state.to_move().contains(&seat) {
            true => owe(clock, now),
            false => stop(clock),
        }
    }
    Ok(())
}

/// The game is over: no time runs.
pub(super) fn stop_all(clocks: &mut [Deadline]) {
    clocks.iter_mut().for_each(stop);
}

/// Writes the clocks that are not as they were `before`.
pub(super) async fn store(
    db: &mut PgConnection,
    before: &[Deadline],
    clocks: &[Deadline],
) -> Result<(), PlayError> {
    let changed = |clock: &&Deadline| !before.contains(clock);
    for clock in clocks.iter().filter(changed) {
        db::deadlines::put(db, clock).await?;
    }
    Ok(())
}

/// The seats whose time has passed.
pub(super) fn late(table: &Table, now: DateTime<Utc>) -> Vec<&str> {
    let late = |clock: &&Deadline| clock.deadline.is_some_and(|deadline| deadline < now);
    table
        .clocks
        .iter()
        .filter(late)
        .map(|clock| clock.seat.as_str())
        .collect()
}

/// Whether something of the game has passed and waits to be settled.
pub(super) fn is_due(table: &Table, now: DateTime<Utc>) -> bool {
    let expired = table
        .invitation
        .as_ref()
        .is_some_and(|invited| invited.expires_at < now);
    expired || !late(table, now).is_empty()
}

/// Gives a seat `move_by`, with whatever reserve it has.
fn set(clock: &mut Deadline, move_by: DateTime<Utc>) {
    clock.move_by = Some(move_by);
    clock.deadline = Some(move_by + Duration::milliseconds(clock.reserve_ms));
    clock.near_at = Some(move_by - quarter(clock));
}

/// A choice is owed from now on.
fn owe(clock: &mut Deadline, now: DateTime<Utc>) {
    set(clock, now + Duration::seconds(clock.per_move.into()));
}

/// The turn goes on: at least a quarter is left.
fn extend(clock: &mut Deadline, now: DateTime<Utc>) {
    let least = now + quarter(clock);
    let (told, move_by) = (clock.near_at.is_none(), clock.move_by);
    set(clock, move_by.map_or(least, |move_by| move_by.max(least)));
    if told || clock.near_at <= Some(now) {
        clock.near_at = None;
    }
}

fn stop(clock: &mut Deadline) {
    (clock.move_by, clock.deadline, clock.near_at) = (None, None, None);
}

/// What a choice after `move_by` takes from the reserve.
fn use_reserve(clock: &mut Deadline, now: DateTime<Utc>) {
    if let Some(move_by) = clock.move_by {
        let excess = (now - move_by).num_milliseconds().max(0);
        clock.reserve_ms = (clock.reserve_ms - excess).max(0);
    }
}

fn quarter(clock: &Deadline) -> Duration {
    Duration::milliseconds(i64::from(clock.per_move) * 250)
}
