//! A choice of a house: of any number of simultaneous ones exactly one wins,
//! and the same one sent again finds what it did the first time.

use mancala_rules::{Choice, Ply, Seat, State};
use sqlx::PgConnection;
use sqlx::types::chrono::{DateTime, Utc};
use sqlx::{Connection, PgPool};
use uuid::Uuid;

use super::log::{self, LogRow};
use super::stored::{self, corrupt};
use super::{Caller, PlayError, View, view};
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
    let mut db = pool.acquire().await?;
    let mut db = db.begin().await?;
    let game = db::games::lock(&mut db, game_id)
        .await?
        .ok_or(PlayError::NoSuchGame)?;
    let seat = caller.acting_seat(&game)?;
    let now = db::now(&mut db).await?;
    let commits = match game.progress.status.as_str() {
        "opening" => db::seats::commits(&mut db, game_id).await?,
        _ => Vec::new(),
    };
    if let Some(moved) = replay(&mut db, &game, seat, &commits, &sent).await? {
        return Ok(moved);
    }
    let game = running(&mut db, game).await?;
    let game = current(&mut db, game, sent.after_ply).await?;
    let mut state = stored::state(&mut db, &game, &commits).await?;
    if state.committed()[seat].is_some() {
        return Err(PlayError::AlreadyCommitted(seat));
    }
    if !state.to_move().contains(&seat) {
        return Err(PlayError::NotYourTurn(seat));
    }

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
    let elapsed_ms = elapsed_ms(&game, now);
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
            db::seats::insert_commit(&mut db, game_id, &commit).await?;
            let game = touched(&mut db, game).await?;
            let view = Box::new(view::of_game(&mut db, game).await?);
            db.commit().await?;
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
            let (game, row) = append(&mut db, game, &state, plies, own, &commits, now).await?;
            let view = Box::new(view::of_game(&mut db, game).await?);
            db.commit().await?;
            Ok(Moved::Played {
                row: Box::new(row),
                view,
                replayed: false,
            })
        }
    }
}

/// What this very choice did before, if it was sent before.
async fn replay(
    db: &mut PgConnection,
    game: &Game,
    seat: Seat,
    commits: &[Commit],
    sent: &Move,
) -> Result<Option<Moved>, PlayError> {
    let same = |after_ply: i32, house: i16| {
        after_ply == sent.after_ply && u32::try_from(house) == Ok(sent.house)
    };
    if commits
        .iter()
        .any(|c| c.seat == seat.as_str() && same(c.after_ply, c.house))
    {
        let view = Box::new(view::of_game(db, game.clone()).await?);
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
            let view = Box::new(view::of_game(db, game.clone()).await?);
            Ok(Some(Moved::Played {
                row,
                view,
                replayed: true,
            }))
        }
    }
}

/// The game, if it has started and is not over.
pub(super) async fn running(db: &mut PgConnection, game: Game) -> Result<Game, PlayError> {
    match game.progress.status.as_str() {
        "open" => Err(PlayError::NotStarted),
        "finished" | "aborted" => Err(PlayError::GameOver(Box::new(
            view::of_game(db, game).await?,
        ))),
        _ => Ok(game),
    }
}

/// The game, if its log is as long as the sender has seen.
pub(super) async fn current(
    db: &mut PgConnection,
    game: Game,
    after_ply: i32,
) -> Result<Game, PlayError> {
    if after_ply == game.progress.ply {
        return Ok(game);
    }
    Err(PlayError::StalePly {
        after_ply,
        view: Box::new(view::of_game(db, game).await?),
    })
}

/// The game after a change that its log does not show.
pub(super) async fn touched(db: &mut PgConnection, mut game: Game) -> Result<Game, PlayError> {
    game.progress.version = db::games::touch(db, game.game_id).await?;
    Ok(game)
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

/// Writes one ply, or the two of an opening, and the game after them.
async fn append(
    db: &mut PgConnection,
    game: Game,
    state: &State,
    plies: Vec<Ply>,
    mut own: Own,
    commits: &[Commit],
    now: DateTime<Utc>,
) -> Result<(Game, LogRow), PlayError> {
    let after_ply = game.progress.ply;
    let pair = plies.len() > 1;
    let position = state.position_text();
    let mut ply = after_ply;
    let mut own_row = None;
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
    let game = advanced(db, game, state, ply, now).await?;
    let row = own_row.ok_or_else(|| corrupt("a choice without a row"))?;
    Ok((game, row))
}

/// Stores the state after the log has grown to `ply` rows.
pub(super) async fn advanced(
    db: &mut PgConnection,
    mut game: Game,
    state: &State,
    ply: i32,
    now: DateTime<Utc>,
) -> Result<Game, PlayError> {
    game.progress = stored::progress(state, ply, now)?;
    game.progress.version = db::games::advance(db, game.game_id, &game.progress).await?;
    Ok(game)
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
