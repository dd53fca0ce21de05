//! A choice of a house: of any number of simultaneous ones exactly one wins,
//! and the same one sent again finds what it did the first time.

use mancala_rules::{Choice, Ply, Seat, State};
use sqlx::PgConnection;
use sqlx::PgPool;
use sqlx::types::chrono::{DateTime, Utc};
use uuid::Uuid;

use super::log::{self, LogRow};
use super::stored::{self, corrupt};
use super::table::Table;
use super::{Caller, PlayError, View, clock, events, settle, view};
use crate::db;
use crate::db::games::Game;
use crate::db::plies::Ply as Row;
use crate::db::seats::Commit;

/// What a seat sends. `Debug` is left out: a choice may be secret.
pub struct Move {
    /// The log's length that the sender has seen.
    pub after_ply: i32,
    /// The house, 1..n from the seat's left hand.
    pub house: u32,
    /// A few words for the other seat.
    pub message: Option<String>,
}

/// What became of it.
#[derive(Debug)]
pub enum Moved {
    /// It is a row of the log.
    Played {
        /// The seat's own row.
        row: Box<LogRow>,
        /// The game after it.
        view: Box<View>,
        /// Whether it had been played before.
        replayed: bool,
    },
    /// It waits, in secret, for the other seat's choice.
    Committed {
        /// The game, which shows only that this seat owes no choice now.
        view: Box<View>,
        /// Whether it had been committed before.
        replayed: bool,
    },
}

/// Plays `sent` for `caller`.
pub async fn submit(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    sent: Move,
) -> Result<Moved, PlayError> {
    settle::on_table(pool, caller, game_id, async |db, table, now| {
        choose(db, caller, table, sent, now).await
    })
    .await
}

async fn choose(
    db: &mut PgConnection,
    caller: &Caller,
    table: Table,
    sent: Move,
    now: DateTime<Utc>,
) -> Result<Moved, PlayError> {
    let game_id = table.game.game_id;
    let seat = table.acting_seat(caller)?.ok_or(PlayError::NotStarted)?;
    let commits = match table.game.progress.status.as_str() {
        "opening" => db::seats::commits(db, game_id).await?,
        _ => Vec::new(),
    };
    let asked = Asked {
        caller,
        seat,
        commits: &commits,
        sent: &sent,
    };
    if let Some(moved) = replay(db, &table, &asked).await? {
        return Ok(moved);
    }
    let table = running(db, caller, table).await?;
    let mut table = current(db, caller, table, sent.after_ply).await?;
    let seen = stored::positions_seen(db, &table.game).await?;
    let mut state = stored::state(&table.game, &commits, &seen)?;
    if state.committed()[seat].is_some() {
        return Err(PlayError::AlreadyCommitted(seat));
    }
    if !state.to_move().contains(&seat) {
        return Err(PlayError::NotYourTurn(seat));
    }

    let before = state.clone();
    let house = u8::try_from(sent.house).unwrap_or(u8::MAX);
    let choice = state
        .choose(seat, house)
        .map_err(|reason| PlayError::Illegal {
            reason,
            legal: state
                .legal_houses(seat)
                .into_iter()
                .map(|house| (seat, house))
                .collect(),
        })?;
    let elapsed_ms = elapsed_ms(&table.game, now);
    let clocks = table.clocks.clone();
    clock::after_choice(&mut table.clocks, seat, &before, &state, now)?;
    clock::store(db, &clocks, &table.clocks).await?;
    match choice {
        Choice::Committed => {
            let commit = Commit {
                seat: seat.as_str().into(),
                after_ply: sent.after_ply,
                house: house.into(),
                message: sent.message,
                elapsed_ms,
                committed_at: now,
            };
            db::seats::insert_commit(db, game_id, &commit).await?;
            table.game.progress.to_move = stored::to_move_word(&state.to_move()).into();
            touch(db, &mut table.game).await?;
            let view = Box::new(view::of_table(db, caller, table).await?);
            Ok(Moved::Committed {
                view,
                replayed: false,
            })
        }
        Choice::Plies(plies) => {
            let own = Own {
                seat,
                elapsed_ms,
                message: sent.message,
            };
            let appended = append(db, &mut table.game, &state, plies, own, &commits, now).await?;
            let Appended { own: row, rows } = appended;
            events::played(db, &table, &rows, &before, &state, now).await?;
            let view = Box::new(view::of_table(db, caller, table).await?);
            Ok(Moved::Played {
                row: Box::new(row),
                view,
                replayed: false,
            })
        }
    }
}

/// A choice and who sent it.
struct Asked<'a> {
    caller: &'a Caller,
    seat: Seat,
    commits: &'a [Commit],
    sent: &'a Move,
}

/// What this very choice did before, if it was sent before.
async fn replay(
    db: &mut PgConnection,
    table: &Table,
    asked: &Asked<'_>,
) -> Result<Option<Moved>, PlayError> {
    let Asked {
        caller,
        seat,
        commits,
        sent,
    } = *asked;
    let game = &table.game;
    let same = |after_ply: i32, house: i16| {
        after_ply == sent.after_ply && u32::try_from(house) == Ok(sent.house)
    };
    if commits
        .iter()
        .any(|c| c.seat == seat.as_str() && same(c.after_ply, c.house))
    {
        let view = Box::new(view::of_table(db, caller, table.clone()).await?);
        return Ok(Some(Moved::Committed {
            view,
            replayed: true,
        }));
    }
    if sent.after_ply >= game.progress.ply {
        return Ok(None);
    }
    let row = db::plies::answered(db, game.game_id, seat.as_str(), sent.after_ply).await?;
    match row.filter(|row| row.house.is_some_and(|house| same(row.after_ply, house))) {
        None => Ok(None),
        Some(row) => {
            let row = Box::new(log::row(db, game, seat, row).await?);
            let view = Box::new(view::of_table(db, caller, table.clone()).await?);
            Ok(Some(Moved::Played {
                row,
                view,
                replayed: true,
            }))
        }
    }
}

/// The table, if its game has started and is not over.
pub(super) async fn running(
    db: &mut PgConnection,
    caller: &Caller,
    table: Table,
) -> Result<Table, PlayError> {
    match table.game.progress.status.as_str() {
        "open" => Err(PlayError::NotStarted),
        "finished" | "aborted" => Err(PlayError::GameOver(Box::new(
            view::of_table(db, caller, table).await?,
        ))),
        _ => Ok(table),
    }
}

/// The table, if its game's log is as long as the sender has seen.
pub(super) async fn current(
    db: &mut PgConnection,
    caller: &Caller,
    table: Table,
    after_ply: i32,
) -> Result<Table, PlayError> {
    if after_ply == table.game.progress.ply {
        return Ok(table);
    }
    let view = Box::new(view::of_table(db, caller, table).await?);
    Err(PlayError::StalePly { after_ply, view })
}

/// Stores a change that the game's log does not show.
pub(super) async fn touch(db: &mut PgConnection, game: &mut Game) -> Result<(), PlayError> {
    let to_move = &game.progress.to_move;
    game.progress.version = db::games::touch(db, game.game_id, to_move).await?;
    Ok(())
}

/// Since when the present choice was owed, in milliseconds.
pub(super) fn elapsed_ms(game: &Game, now: DateTime<Utc>) -> i64 {
    game.progress
        .owed_since
        .map_or(0, |since| (now - since).num_milliseconds().max(0))
}

/// What only the sender of the deciding choice brings.
struct Own {
    seat: Seat,
    elapsed_ms: i64,
    message: Option<String>,
}

/// What was written.
struct Appended {
    /// The sender's own row.
    own: LogRow,
    /// All of them.
    rows: Vec<Row>,
}

/// Writes one ply, or the two of an opening, and the game after them.
async fn append(
    db: &mut PgConnection,
    game: &mut Game,
    state: &State,
    plies: Vec<Ply>,
    mut own: Own,
    commits: &[Commit],
    now: DateTime<Utc>,
) -> Result<Appended, PlayError> {
    let after_ply = game.progress.ply;
    let pair = plies.len() > 1;
    let position = state.position_text();
    let mut ply = after_ply;
    let mut own_row = None;
    let mut rows = Vec::new();
    for played in plies {
        ply += 1;
        let commit = commits
            .iter()
            .find(|commit| commit.seat == played.seat.as_str());
        let (elapsed_ms, message) = match commit {
            Some(commit) => (commit.elapsed_ms, commit.message.clone()),
            None => (own.elapsed_ms, own.message.take()),
        };
        let shown = (!pair || ply == after_ply + 2).then(|| position.clone());
        let row = sow_row(&played, ply, after_ply, shown, elapsed_ms, now)?;
        db::plies::append(db, game.game_id, &row).await?;
        if let Some(message) = &message {
            db::messages::insert(db, game.game_id, ply, message).await?;
        }
        rows.push(row.clone());
        if played.seat == own.seat {
            own_row = Some(LogRow {
                row,
                trace: Some(played.trace),
                message,
            });
        }
    }
    if !commits.is_empty() {
        db::seats::delete_commits(db, game.game_id).await?;
    }
    // Every offer there is so far proposes something of the position it saw.
    db::offers::void_open(db, game.game_id, now).await?;
    advance(db, game, state, ply, now).await?;
    let own = own_row.ok_or_else(|| corrupt("a choice without a row"))?;
    Ok(Appended { own, rows })
}

/// Stores the state after the log has grown to `ply` rows.
pub(super) async fn advance(
    db: &mut PgConnection,
    game: &mut Game,
    state: &State,
    ply: i32,
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    game.progress = stored::progress(state, ply, now)?;
    game.progress.version = db::games::advance(db, game.game_id, &game.progress).await?;
    if game.progress.ended_at.is_some() {
        db::seats::retire(db, game.game_id).await?;
    }
    Ok(())
}

fn sow_row(
    played: &Ply,
    ply: i32,
    after_ply: i32,
    position: Option<String>,
    elapsed_ms: i64,
    now: DateTime<Utc>,
) -> Result<Row, PlayError> {
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
        reason: None,
        position,
        elapsed_ms: Some(elapsed_ms),
        played_at: now,
        source: "player".into(),
    })
}
