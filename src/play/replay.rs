//! Stored rows of a log, played again: what `at_ply`, traces and `verify` rest on.
//!
//! A series of rounds is long to replay: whoever answers requests lets it be done
//! [`aside`], where it keeps no other request waiting; plain reads give their
//! connection back before.

use mancala_rules::{Ply, Seat, State};

use super::PlayError;
use super::stored::{corrupt, rules, start};
use crate::db::games::Game;
use crate::db::plies::Ply as Row;
pub(super) use crate::record::replay::{Before, Traces};
use crate::record::{self, EndReason, What};

/// What a game had become after some of its rows.
pub(super) struct Replayed {
    pub(super) state: State,
    pub(super) ply: i32,
}

/// One row as the rules play it again.
pub(super) struct Step<'a> {
    pub(super) row: &'a Row,
    /// What the rules say of a sow row; none for any other.
    pub(super) ply: Option<Ply>,
    /// The state after the row; none after the first of a pair.
    pub(super) state: Option<&'a State>,
    /// Where the game stood before.
    pub(super) before: Before,
}

/// Does `work` on a thread of its own.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PlayError> + Send + 'static,
) -> Result<T, PlayError> {
    tokio::task::spawn_blocking(work).await.map_err(corrupt)?
}

/// Plays `rows`, the whole log up to some row, from the start and shows each one
/// to `see`.
pub(super) fn run(
    game: &Game,
    rows: &[Row],
    traces: Traces,
    mut see: impl FnMut(Step<'_>),
) -> Result<State, PlayError> {
    let start = start(game, rules(game)?)?;
    let whats: Vec<_> = rows
        .iter()
        .map(|row| Ok((row.ply, what(row)?)))
        .collect::<Result<_, PlayError>>()?;
    record::replay::run(start, &whats, traces, |step| {
        see(Step {
            row: &rows[step.index],
            ply: step.ply,
            state: step.state,
            before: step.before,
        });
    })
    .map_err(corrupt)
}

/// The state after row `at_ply`. `rows` are those up to `at_ply + 1`, for the
/// first row of a pair shows the state after the second.
pub(super) fn until(game: &Game, rows: &[Row], at_ply: i32) -> Result<Replayed, PlayError> {
    let pair = |row: &&Row| row.ply == at_ply && row.position.is_none();
    let ply = if rows.iter().any(|row| pair(&row)) {
        at_ply + 1
    } else {
        at_ply
    };
    let rows: Vec<Row> = rows.iter().filter(|row| row.ply <= ply).cloned().collect();
    Ok(Replayed {
        state: run(game, &rows, Traces::Left, |_| {})?,
        ply,
    })
}

/// What a stored row says.
pub(super) fn what(row: &Row) -> Result<What, PlayError> {
    let at = |cause: &str| corrupt(format!("ply {}: {cause}", row.ply));
    let seat = row.seat.as_deref().map(str::parse::<Seat>).transpose();
    let seat = seat.map_err(|_| at("has an unknown seat"))?;
    let own = || seat.ok_or_else(|| at("has no seat"));
    Ok(match row.kind.as_str() {
        "sow" => What::Sow {
            seat: own()?,
            house: row
                .house
                .and_then(|house| u8::try_from(house).ok())
                .ok_or_else(|| at("has no house"))?,
        },
        "takeback" => What::Takeback {
            seat: own()?,
            to_ply: row
                .to_ply
                .and_then(|ply| u32::try_from(ply).ok())
                .ok_or_else(|| at("goes back to no row"))?,
        },
        _ => What::End {
            reason: row
                .reason
                .as_deref()
                .and_then(EndReason::of_word)
                .ok_or_else(|| at("has an unknown reason"))?,
            by: seat,
        },
    })
}
