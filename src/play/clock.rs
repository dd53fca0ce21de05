//! Clocks: whose time runs, what a choice leaves of it, who is late.
//!
//! `move_by` belongs to a turn; an extra turn keeps it, moved out so that a
//! quarter of the time for a move is left. Past `move_by` the reserve runs;
//! past both the seat is late. In a pause, and while its player is on holiday,
//! a clock is frozen: it keeps what is left to `move_by` and goes on from there,
//! so that standing still neither takes time nor gives any.

use chrono::{DateTime, Duration, Utc};
use mancala_rules::{Phase, Seat, State};
use sqlx::PgConnection;

use super::PlayError;
use super::stored::corrupt;
use super::table::Table;
use crate::db;
use crate::db::deadlines::Deadline;

/// The shortest time for a move, in seconds.
pub const SHORTEST: i32 = 60;
/// The longest: 30 days.
pub const LONGEST: i32 = 30 * 24 * 3600;
/// The largest reserve: a year.
pub const LARGEST_RESERVE: i32 = 365 * 24 * 3600;

/// Both seats are there: whoever owes a choice has its time.
pub(super) async fn start(
    db: &mut PgConnection,
    table: &mut Table,
    state: &State,
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    let game = &table.game;
    let Some(per_move) = game.clock_per_move else {
        return Ok(());
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
            left_us: None,
            frozen: table.is_away(seat.as_str(), now),
        };
        if state.to_move().contains(&seat) {
            owe(&mut clock, now);
        }
        db::deadlines::put(db, &clock).await?;
        clocks.push(clock);
    }
    table.clocks = clocks;
    Ok(())
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

/// Whether a deadline or an invitation has passed and waits to be settled.
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

/// The clock stands still from `at` on, with what is left to it.
pub(super) fn freeze(clock: &mut Deadline, at: DateTime<Utc>) {
    clock.frozen = true;
    if let Some(move_by) = clock.move_by {
        stand(clock, move_by - at);
    }
}

/// The clock goes on at `at` with exactly what was left to it.
pub(super) fn thaw(clock: &mut Deadline, at: DateTime<Utc>) {
    clock.frozen = false;
    if let Some(left) = left(clock) {
        set(clock, at + left);
        clock.left_us = None;
        if left <= quarter(clock) {
            // That was told before it stood still.
            clock.near_at = None;
        }
    }
}

/// What is left to `move_by` of a clock that stands still while a choice is owed.
fn left(clock: &Deadline) -> Option<Duration> {
    clock.left_us.map(Duration::microseconds)
}

fn stand(clock: &mut Deadline, left: Duration) {
    stop(clock);
    clock.left_us = left.num_microseconds();
}

/// A choice is owed from now on.
fn owe(clock: &mut Deadline, now: DateTime<Utc>) {
    let whole = Duration::seconds(clock.per_move.into());
    match clock.frozen {
        true => stand(clock, whole),
        false => set(clock, now + whole),
    }
}

/// The turn goes on: at least a quarter is left.
fn extend(clock: &mut Deadline, now: DateTime<Utc>) {
    if let Some(left) = left(clock) {
        return stand(clock, left.max(quarter(clock)));
    }
    let least = now + quarter(clock);
    let (told, move_by) = (clock.near_at.is_none(), clock.move_by);
    set(clock, move_by.map_or(least, |move_by| move_by.max(least)));
    if told || clock.near_at <= Some(now) {
        clock.near_at = None;
    }
}

fn stop(clock: &mut Deadline) {
    (clock.move_by, clock.deadline, clock.near_at) = (None, None, None);
    clock.left_us = None;
}

/// What a choice after `move_by` takes from the reserve.
fn use_reserve(clock: &mut Deadline, now: DateTime<Utc>) {
    let left = left(clock).or(clock.move_by.map(|move_by| move_by - now));
    if let Some(left) = left {
        let excess = (-left).num_milliseconds().max(0);
        clock.reserve_ms = (clock.reserve_ms - excess).max(0);
    }
}

fn quarter(clock: &Deadline) -> Duration {
    Duration::milliseconds(i64::from(clock.per_move) * 250)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many seconds after a moment that all tests count from.
    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::seconds(1_800_000_000 + seconds)
    }

    /// A clock of 400 seconds a move and 1000 beyond, owed since 0.
    fn running() -> Deadline {
        let mut clock = Deadline {
            game_id: uuid::Uuid::nil(),
            seat: "south".into(),
            per_move: 400,
            reserve_ms: 1_000_000,
            move_by: None,
            deadline: None,
            near_at: None,
            left_us: None,
            frozen: false,
        };
        owe(&mut clock, at(0));
        clock
    }

    fn frozen_at(seconds: i64) -> Deadline {
        let mut clock = running();
        freeze(&mut clock, at(seconds));
        clock
    }

    /// What runs of it: `move_by`, `deadline`, `near_at`, in seconds.
    fn shown(clock: &Deadline) -> [Option<i64>; 3] {
        [clock.move_by, clock.deadline, clock.near_at]
            .map(|time| time.map(|time| (time - at(0)).num_seconds()))
    }

    #[test]
    fn what_is_left_is_given_back_exactly() {
        let mut clock = frozen_at(150);
        assert_eq!(shown(&clock), [None; 3]);
        assert_eq!(clock.left_us, Some(250_000_000));
        // A second freeze takes nothing and gives nothing.
        freeze(&mut clock, at(5000));
        assert_eq!(clock.left_us, Some(250_000_000));
        thaw(&mut clock, at(10_000));
        assert_eq!(shown(&clock), [Some(10_250), Some(11_250), Some(10_150)]);
        assert_eq!(clock.left_us, None);
        // Nor does a second thaw.
        let thawed = clock.clone();
        thaw(&mut clock, at(20_000));
        assert_eq!(clock, thawed);
    }

    #[test]
    fn again_and_again_it_gives_no_time() {
        let mut clock = running();
        for pause in 0..300 {
            // A second of each round runs.
            freeze(&mut clock, at(pause * 100));
            thaw(&mut clock, at(pause * 100 + 99));
        }
        assert_eq!(clock.move_by, Some(at(299 * 100 + 99 + 400 - 299)));
    }

    #[test]
    fn microseconds_count() {
        let (odd, later) = (Duration::microseconds(1), Duration::microseconds(333_333));
        let mut clock = running();
        freeze(&mut clock, at(7) + odd);
        thaw(&mut clock, at(70) + odd + later);
        assert_eq!(clock.move_by, Some(at(70 + 393) + later));
    }

    #[test]
    fn a_running_reserve_stands_still() {
        let mut clock = frozen_at(700);
        assert_eq!(clock.left_us, Some(-300_000_000));
        assert_eq!(clock.reserve_ms, 1_000_000, "nothing is used up yet");
        thaw(&mut clock, at(9000));
        assert_eq!(shown(&clock), [Some(8700), Some(9700), None]);
        // A choice meanwhile uses what had run, and no more.
        let mut clock = frozen_at(700);
        use_reserve(&mut clock, at(9000));
        assert_eq!(clock.reserve_ms, 700_000);
        let mut clock = frozen_at(200);
        use_reserve(&mut clock, at(9000));
        assert_eq!(clock.reserve_ms, 1_000_000);
    }

    #[test]
    fn a_quarter_is_told_once() {
        let mut clock = frozen_at(299);
        thaw(&mut clock, at(500));
        assert_eq!(clock.near_at, Some(at(501)));
        let mut clock = frozen_at(300);
        thaw(&mut clock, at(500));
        assert_eq!(clock.near_at, None, "told when it was frozen");
    }

    #[test]
    fn choices_while_it_stands_still() {
        // A choice that comes to be owed has all its time.
        let mut clock = frozen_at(350);
        stop(&mut clock);
        assert_eq!(clock.left_us, None);
        owe(&mut clock, at(1000));
        assert_eq!(
            (shown(&clock), clock.left_us),
            ([None; 3], Some(400_000_000))
        );
        // An extra turn keeps what is left, but for the quarter.
        for (frozen, left) in [(100, 300), (350, 100), (399, 100), (900, 100)] {
            let mut clock = frozen_at(frozen);
            extend(&mut clock, at(5000));
            assert_eq!(clock.left_us, Some(left * 1_000_000), "{frozen}");
        }
    }
}
