//! The rows of a game's log, wherever they are kept: one by one while the game
//! runs, packed some time after its end.

use mancala_rules::State;
use sqlx::PgConnection;

use super::replay::{Traces, aside};
use super::stored::{self, corrupt};
use super::{PlayError, plies};
use crate::db;
use crate::db::games::Game;
use crate::db::plies::{Line, Ply as Row};
use crate::record::{self, Entry, What, packed};

/// The whole log up to row `until`.
pub(super) async fn all(
    db: &mut PgConnection,
    game: &Game,
    until: i32,
) -> Result<Vec<Row>, PlayError> {
    between(db, game, 0, until, Line::All, i64::MAX).await
}

/// The rows `after < ply <= until` of a line, in order, at most `limit`.
pub(super) async fn between(
    db: &mut PgConnection,
    game: &Game,
    after: i32,
    until: i32,
    line: Line,
    limit: i64,
) -> Result<Vec<Row>, PlayError> {
    let Some(mut rows) = unpacked(db, game).await? else {
        return Ok(db::plies::between(db, game.game_id, after, until, line, limit).await?);
    };
    rows.retain(|row| {
        after < row.ply && row.ply <= until && (line == Line::All || is_effective(row))
    });
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(rows)
}

/// The rows `ply < before` of a line, the last ones first, at most `limit`.
pub(super) async fn newest(
    db: &mut PgConnection,
    game: &Game,
    before: i32,
    line: Line,
    limit: i64,
) -> Result<Vec<Row>, PlayError> {
    let Some(mut rows) = unpacked(db, game).await? else {
        return Ok(db::plies::newest(db, game.game_id, before, line, limit).await?);
    };
    rows.retain(|row| row.ply < before && (line == Line::All || is_effective(row)));
    rows.reverse();
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(rows)
}

/// The last two choices of the effective line up to `until`, the later one first.
pub(super) async fn last_sown(
    db: &mut PgConnection,
    game: &Game,
    until: i32,
) -> Result<Vec<Row>, PlayError> {
    let Some(mut rows) = unpacked(db, game).await? else {
        return Ok(db::plies::last_sown(db, game.game_id, until).await?);
    };
    rows.retain(|row| row.ply <= until && row.kind == "sow" && !row.taken_back);
    Ok(rows.into_iter().rev().take(2).collect())
}

/// The sow row that this seat's choice after `after_ply` became, if it became one.
pub(super) async fn answered(
    db: &mut PgConnection,
    game: &Game,
    seat: &str,
    after_ply: i32,
) -> Result<Option<Row>, PlayError> {
    let Some(rows) = unpacked(db, game).await? else {
        return Ok(db::plies::answered(db, game.game_id, seat, after_ply).await?);
    };
    Ok(rows.into_iter().find(|row| {
        row.after_ply == after_ply && row.seat.as_deref() == Some(seat) && row.kind == "sow"
    }))
}

fn is_effective(row: &Row) -> bool {
    !row.taken_back && row.kind != "takeback"
}

/// The rows of a log that is packed; none of one that is not.
async fn unpacked(db: &mut PgConnection, game: &Game) -> Result<Option<Vec<Row>>, PlayError> {
    if !game.packed {
        return Ok(None);
    }
    let bytes = db::games::packed_log(db, game.game_id).await?;
    let bytes = bytes.ok_or_else(|| corrupt("a packed log is gone"))?;
    let game = game.clone();
    aside(move || {
        let entries = packed::unpack(game.game_id, began(&game), &bytes).map_err(corrupt)?;
        of_entries(&game, &entries).map(Some)
    })
    .await
}

/// The moment that the times of a packed log count from.
pub(super) fn began(game: &Game) -> chrono::DateTime<chrono::Utc> {
    game.started_at.unwrap_or(game.created_at)
}

/// The rows as they were stored one by one, by playing them again.
pub(super) fn of_entries(game: &Game, entries: &[Entry]) -> Result<Vec<Row>, PlayError> {
    let start = stored::start(game, stored::rules(game)?)?;
    let whats: Vec<_> = (1..).zip(entries.iter().map(|entry| entry.what)).collect();
    let marks = record::replay::taken_back(&whats);
    let mut rows = Vec::with_capacity(entries.len());
    let mut failed = None;
    record::replay::run(start, &whats, Traces::Left, |step| {
        let entry = &entries[step.index];
        let number = whats[step.index].0;
        match row(number, entry, &step) {
            Ok(row) => rows.push(Row {
                taken_back: marks[step.index],
                ..row
            }),
            Err(cause) => failed = Some(cause),
        }
    })
    .map_err(corrupt)?;
    failed.map_or(Ok(rows), Err)
}

fn row(number: i32, entry: &Entry, step: &record::replay::Step<'_>) -> Result<Row, PlayError> {
    let before = step.before;
    let turn = |turn: u32| i32::try_from(turn).map_err(corrupt);
    let row = match &step.ply {
        Some(ply) => plies::sow_row(ply, number, before.ply)?,
        None => Row {
            ply: number,
            after_ply: before.ply,
            turn: turn(before.turn)?,
            round: before.round.into(),
            ..Row::default()
        },
    };
    let row = match (entry.what, step.state) {
        (What::Takeback { seat, to_ply }, Some(state)) => Row {
            kind: "takeback".into(),
            seat: Some(seat.as_str().into()),
            to_ply: Some(i32::try_from(to_ply).map_err(corrupt)?),
            turn: turn(state.turn())?,
            round: state.round().into(),
            ..row
        },
        (What::End { reason, by }, _) => Row {
            kind: "end".into(),
            seat: by.map(|seat| seat.as_str().into()),
            reason: Some(reason.as_str().into()),
            ..row
        },
        _ => row,
    };
    Ok(Row {
        position: step.state.map(State::position_text),
        elapsed_ms: entry
            .elapsed_ms
            .map(i64::try_from)
            .transpose()
            .map_err(corrupt)?,
        played_at: entry.played_at,
        source: entry.source.as_str().into(),
        ..row
    })
}
