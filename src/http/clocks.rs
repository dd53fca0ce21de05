//! Clocks: what a creator asks for, and what the seats have.

use mancala_rules::{Seat, Sides};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::error::ApiError;
use super::params;
use super::time::Time;
use crate::play::View;
use crate::play::clock::{LARGEST_RESERVE, LONGEST, SHORTEST};
use crate::play::create::Clock;

/// How long choices may take.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockInput {
    /// Seconds for the choices of a turn: a minute to 30 days.
    #[schema(minimum = 60, maximum = 2592000, example = 259200)]
    per_move: i32,
    /// Seconds beyond that, in the whole game.
    #[schema(minimum = 0, maximum = 31536000)]
    reserve: Option<i32>,
}

/// What a creator asks for, if it can be had.
pub(super) fn read(input: Option<ClockInput>) -> Result<Option<Clock>, ApiError> {
    let Some(ClockInput { per_move, reserve }) = input else {
        return Ok(None);
    };
    let whole = |name, value, least, most| match (least..=most).contains(&value) {
        true => Ok(value),
        false => Err(params::bad(
            name,
            &format!("must lie between {least} and {most} seconds"),
        )),
    };
    let reserve = reserve.map(|reserve| whole("clock.reserve", reserve, 0, LARGEST_RESERVE));
    let per_move = whole("clock.per_move", per_move, SHORTEST, LONGEST)?;
    Ok(Some(Clock {
        per_move,
        reserve: reserve.transpose()?,
    }))
}

/// What time the seats have.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClockState {
    /// Seconds for the choices of a turn.
    per_move: i32,
    /// Seconds beyond that, in the whole game, that each seat had at the start.
    reserve: i32,
    /// What each seat has now; null before the game starts and in past states.
    seats: Option<Sides<SeatClock>>,
}

/// What time a seat has.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeatClock {
    /// Until when its choice is due before the reserve runs; null: it owes none.
    move_by: Option<Time>,
    /// When it loses: `move_by` and the reserve that is left.
    deadline: Option<Time>,
    /// Seconds that are left to `move_by` while the clock stands still and a choice
    /// is owed: in a pause, or while the player is on holiday. Below zero the
    /// reserve was running. Else null.
    left: Option<i64>,
    /// Seconds of the reserve that are left, not counting what runs just now.
    reserve_left: i64,
}

impl ClockState {
    pub(super) fn new(view: &View) -> Option<ClockState> {
        let game = &view.table.game;
        let seat = |seat: Seat| {
            let clock = view
                .table
                .clocks
                .iter()
                .find(|clock| clock.seat == seat.as_str())?;
            Some(SeatClock {
                move_by: clock.move_by.map(Time),
                deadline: clock.deadline.map(Time),
                left: clock.left_us.map(|left| left.div_euclid(1_000_000)),
                reserve_left: clock.reserve_ms / 1000,
            })
        };
        let seats = seat(Seat::South)
            .zip(seat(Seat::North))
            .filter(|_| view.present);
        Some(ClockState {
            per_move: game.clock_per_move?,
            reserve: game.clock_reserve.unwrap_or(0),
            seats: seats.map(|(south, north)| Sides { south, north }),
        })
    }
}
