//! Choices become rows of the log, and the game the state after them.

use chrono::{DateTime, Utc};
use mancala_rules::{Ply, Seat, State};
use sqlx::PgConnection;

use super::log::LogRow;
use super::stored::{self, corrupt};
use super::{PlayError, clock, offers};
use crate::db;
use crate::db::deadlines::Deadline;
use crate::db::games::Game;
use crate::db::plies::Ply as Row;
use crate::db::seats::Commit;

/// What only the sender of the deciding choice brings.
pub(super) struct Own {
    pub(super) seat: Seat,
    pub(super) elapsed_ms: i64,
    pub(super) message: Option<String>,
}

/// What one ply, or the two of an opening, come to in the log.
pub(super) struct Rows {
    /// Each with what its seat says.
    said: Vec<(Row, Option<String>)>,
    /// The sender's own row, with its trace.
    own: LogRow,
}

impl Rows {
    /// The row of a choice with which nothing is said.
    pub(super) fn plain(mut self) -> Option<(Row, LogRow)> {
        match (self.said.pop(), self.said.is_empty()) {
            (Some((row, None)), true) => Some((row, self.own)),
            _ => None,
        }
    }
}

/// The rows of what was chosen, which led to `state`.
pub(super) fn rows(
    game: &Game,
    state: &State,
    plies: Vec<Ply>,
    mut own: Own,
    commits: &[Commit],
    now: DateTime<Utc>,
) -> Result<Rows, PlayError> {
    let after_ply = game.progress.ply;
    let pair = plies.len() > 1;
    let position = state.position_text();
    let mut ply = after_ply;
    let mut own_row = None;
    let mut said = Vec::new();
    for played in plies {
        ply += 1;
        let commit = commits
            .iter()
            .find(|commit| commit.seat == played.seat.as_str());
        let (elapsed_ms, message) = match commit {
            Some(commit) => (commit.elapsed_ms, commit.message.clone()),
            None => (own.elapsed_ms, own.message.take()),
        };
        let row = Row {
            position: (!pair || ply == after_ply + 2).then(|| position.clone()),
            elapsed_ms: Some(elapsed_ms),
            played_at: Some(now),
            source: "player".into(),
            ..sow_row(&played, ply, after_ply)?
        };
        said.push((row.clone(), message.clone()));
        if played.seat == own.seat {
            own_row = Some(LogRow {
                row,
                trace: Some(played.trace),
                message,
            });
        }
    }
    let own = own_row.ok_or_else(|| corrupt("a choice without a row"))?;
    Ok(Rows { said, own })
}

/// Writes the rows of what was chosen; they, and the sender's own one.
pub(super) async fn append(
    db: &mut PgConnection,
    game: &Game,
    state: &State,
    plies: Vec<Ply>,
    own: Own,
    commits: &[Commit],
    now: DateTime<Utc>,
) -> Result<(Vec<Row>, LogRow), PlayError> {
    let Rows { said, own } = rows(game, state, plies, own, commits, now)?;
    for (row, message) in &said {
        db::plies::append(db, game.game_id, row).await?;
        if let Some(message) = message {
            db::messages::insert(db, game.game_id, row.ply, message).await?;
        }
    }
    if !commits.is_empty() {
        db::seats::delete_commits(db, game.game_id).await?;
    }
    Ok((said.into_iter().map(|(row, _)| row).collect(), own))
}

/// A ply's row, without what the caller knows better: `position`, when and how it
/// came about, and how long the choice took.
pub(super) fn sow_row(played: &Ply, ply: i32, after_ply: i32) -> Result<Row, PlayError> {
    let count = |n: u32| i32::try_from(n).map_err(corrupt);
    Ok(Row {
        ply,
        kind: "sow".into(),
        seat: Some(played.seat.as_str().into()),
        after_ply,
        turn: count(played.turn)?,
        round: played.round.into(),
        house: Some(played.house.into()),
        seeds_sown: Some(count(played.counts.seeds_sown)?),
        lap_count: Some(count(played.counts.lap_count)?),
        captured: Some(count(played.counts.captured)?),
        banked: Some(count(played.counts.banked)?),
        extra_turn: Some(played.extra_turn),
        passed: Some(played.passed),
        other: played
            .other
            .map(serde_json::to_value)
            .transpose()
            .map_err(corrupt)?,
        ..Row::default()
    })
}

/// Stores the state after the log has grown to `ply` rows, and the clocks that
/// are not as they were `before`. What a game that is over keeps for nobody goes.
pub(super) async fn advance(
    db: &mut PgConnection,
    game: &mut Game,
    state: &State,
    ply: i32,
    clocks: (&[Deadline], &[Deadline]),
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    game.progress = stored::progress(state, ply, now)?;
    game.progress.version = db::games::advance(db, game.game_id, &game.progress).await?;
    clock::store(db, clocks.0, clocks.1).await?;
    if game.progress.ended_at.is_some() {
        db::seats::retire(db, game.game_id).await?;
        db::conditionals::delete_all(db, game.game_id).await?;
        db::offers::void(db, game.game_id, &offers::KINDS, now).await?;
    }
    if game.progress.status == "finished" && game.visibility == "public" {
        db::records::enqueue(db, game.game_id).await?;
    }
    Ok(())
}
