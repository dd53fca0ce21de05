//! A game's log for a viewer: rows, with their sowing and messages on request.

use std::collections::HashMap;

use mancala_rules::{Seat, Step};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::archive::Pseudonyms;
use super::replay::Traces;
use super::table::Table;
use super::{Caller, PlayError, archive, replay, rows};
use crate::db;
use crate::db::games::Game;
use crate::db::plies::{Line, Ply};
use crate::record::Record;

/// A row of the log with what a viewer may have beside it.
#[derive(Debug, Clone)]
pub struct LogRow {
    /// The stored row.
    pub row: Ply,
    /// The sowing, in the order a hand on the board would make it.
    pub trace: Option<Vec<Step>>,
    /// What the seat said with it; for the two seats only.
    pub message: Option<String>,
}

/// Writes something of a record, where it keeps no other request waiting.
pub async fn written(
    record: Record,
    write: impl FnOnce(&Record) -> Result<String, String> + Send + 'static,
) -> Result<String, PlayError> {
    replay::aside(move || write(&record).map_err(PlayError::Corrupt)).await
}

/// Part of a game's log.
#[derive(Debug)]
pub struct Page {
    /// The game's version.
    pub version: i64,
    /// Rows after the given ply, in order.
    pub rows: Vec<LogRow>,
    /// Whether the log goes on after them.
    pub more: bool,
}

/// The rows of a line after `after`, at most `limit`, as `caller` may see them.
pub async fn page(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    line: Line,
    after: i32,
    limit: Option<u32>,
    trace: bool,
) -> Result<Page, PlayError> {
    let mut db = db::pool::snapshot(pool).await?;
    let table = Table::find(&mut db, caller, game_id).await?;
    let seat = table.seat_of(caller);
    let game = table.game;
    let until = game.progress.ply;
    let limit = limit.map_or(i64::MAX - 1, i64::from);
    let mut rows = rows::between(&mut db, &game, after, until, line, limit + 1).await?;
    let more = rows.len() as u64 > limit.unsigned_abs();
    if more {
        rows.pop();
    }
    let played = match (trace, rows.last()) {
        (true, Some(last)) => Some(up_to(&mut db, &game, last).await?),
        _ => None,
    };
    let mut messages = messages(&mut db, &game, seat, &rows).await?;
    db.rollback().await?;
    let version = game.progress.version;
    let mut traces = match played {
        Some(played) => traces(game, played).await?,
        None => HashMap::new(),
    };
    let rows = rows
        .into_iter()
        .map(|row| LogRow {
            trace: traces.remove(&row.ply),
            message: messages.remove(&row.ply),
            row,
        })
        .collect();
    Ok(Page {
        version,
        rows,
        more,
    })
}

/// The whole game as a record, with its version, as `caller` may see it: also one that
/// is not over.
pub async fn record(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
) -> Result<(i64, Record), PlayError> {
    let mut db = db::pool::snapshot(pool).await?;
    let table = Table::find(&mut db, caller, game_id).await?;
    let pseudonyms = Pseudonyms::of(&mut db).await?;
    let found = archive::read(&mut db, &pseudonyms, &[game_id]).await?.pop();
    db.rollback().await?;
    let (_, record) = found.ok_or(PlayError::NoSuchGame)?;
    Ok((table.game.progress.version, record))
}

/// The houses of the last choice in the log up to row `ply`: two where the two
/// secret choices of an opening were lifted together, none before the first.
pub async fn last_choices(
    db: &mut PgConnection,
    game: &Game,
    ply: i32,
) -> Result<Vec<(Seat, u8)>, PlayError> {
    let last = match rows::last_sown(db, game, ply).await?.as_slice() {
        [second, first] if first.position.is_none() => vec![first.clone(), second.clone()],
        [last, ..] => vec![last.clone()],
        [] => Vec::new(),
    };
    let choice = |row: Ply| {
        let seat = row.seat.as_deref()?.parse().ok()?;
        Some((seat, row.house.and_then(|house| house.try_into().ok())?))
    };
    let choices: Option<Vec<_>> = last.into_iter().map(choice).collect();
    choices.ok_or_else(|| PlayError::Corrupt(format!("ply {ply}: no choice in a sow row")))
}

/// One stored row as its own seat gets it: with trace and message.
pub(super) async fn row(
    db: &mut PgConnection,
    game: &Game,
    seat: Seat,
    row: Ply,
) -> Result<LogRow, PlayError> {
    let played = up_to(db, game, &row).await?;
    let mut traces = traces(game.clone(), played).await?;
    let mut messages = messages(db, game, Some(seat), std::slice::from_ref(&row)).await?;
    Ok(LogRow {
        trace: traces.remove(&row.ply),
        message: messages.remove(&row.ply),
        row,
    })
}

/// The rows that have to be played for the sowing of `last`.
async fn up_to(db: &mut PgConnection, game: &Game, last: &Ply) -> Result<Vec<Ply>, PlayError> {
    // A pair of opening choices is played as one: a page may end between them.
    let until = if last.position.is_none() {
        last.ply + 1
    } else {
        last.ply
    };
    rows::all(db, game, until).await
}

/// The sowing of every one of these rows, by playing them again.
async fn traces(game: Game, rows: Vec<Ply>) -> Result<HashMap<i32, Vec<Step>>, PlayError> {
    replay::aside(move || {
        let mut traces = HashMap::new();
        replay::run(&game, &rows, Traces::Kept, |step| {
            if let Some(ply) = step.ply {
                traces.insert(step.row.ply, ply.trace);
            }
        })?;
        Ok(traces)
    })
    .await
}

/// What was said with these rows, for one of the seats.
async fn messages(
    db: &mut PgConnection,
    game: &Game,
    seat: Option<Seat>,
    rows: &[Ply],
) -> Result<HashMap<i32, String>, PlayError> {
    let (Some(_), Some(first), Some(last)) = (seat, rows.first(), rows.last()) else {
        return Ok(HashMap::new());
    };
    let messages = db::messages::between(db, game.game_id, first.ply, last.ply).await?;
    Ok(messages.into_iter().collect())
}
