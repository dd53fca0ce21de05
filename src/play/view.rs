//! A game as somebody sees it: its stored facts, the rules' state, who owes a
//! choice. Secret commits are never part of it.

use chrono::{DateTime, Utc};
use mancala_rules::{Seat, State};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Caller, PlayError, replay, stored};
use crate::db;
use crate::db::games::Game;
use crate::db::offers::Offer;

/// A game at some ply, for one viewer.
#[derive(Debug, Clone)]
pub struct View {
    /// What is stored of the game itself.
    pub game: Game,
    /// The state at `ply`, without secret commits.
    pub state: State,
    /// The rows of the log that led here.
    pub ply: i32,
    /// Seats that owe a choice and have not committed one.
    pub to_move: Vec<Seat>,
    /// Offers that wait for an answer; none in a past state.
    pub offers: Vec<Offer>,
    /// When a finished state ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Whether this is the present state.
    pub present: bool,
    /// The database's clock when it was read.
    pub server_time: DateTime<Utc>,
}

impl View {
    /// Legal choices of the seats that owe one.
    pub fn legal_moves(&self) -> Vec<(Seat, u8)> {
        self.to_move
            .iter()
            .flat_map(|&seat| {
                self.state
                    .legal_houses(seat)
                    .into_iter()
                    .map(move |h| (seat, h))
            })
            .collect()
    }

    /// The word for where the game stands.
    pub fn status(&self) -> &str {
        if self.present {
            &self.game.progress.status
        } else {
            stored::status(&self.state)
        }
    }
}

/// The game for `caller`, as it is now.
pub async fn present(
    db: &mut PgConnection,
    caller: &Caller,
    game_id: Uuid,
) -> Result<View, PlayError> {
    let game = visible(db, caller, game_id).await?;
    of_game(db, game).await
}

/// The game for `caller`, as it was after row `at_ply` of its log.
pub async fn past(
    db: &mut PgConnection,
    caller: &Caller,
    game_id: Uuid,
    at_ply: i64,
) -> Result<View, PlayError> {
    let game = visible(db, caller, game_id).await?;
    if at_ply == i64::from(game.progress.ply) {
        return of_game(db, game).await;
    }
    let unknown = || PlayError::UnknownPly(at_ply);
    let at_ply = i32::try_from(at_ply).map_err(|_| unknown())?;
    if !(0..game.progress.ply).contains(&at_ply) {
        return Err(unknown());
    }
    // The first row of a pair shows the state after the pair.
    let rows = db::plies::between(db, game_id, 0, at_ply + 1, i64::MAX).await?;
    let server_time = db::now(db).await?;
    let replayed = replay::until(&game, &rows, at_ply)?;
    Ok(View {
        to_move: replayed.state.to_move(),
        ended_at: None,
        ply: replayed.ply,
        state: replayed.state,
        offers: Vec::new(),
        present: false,
        server_time,
        game,
    })
}

/// The present view of a game that was read already.
pub(super) async fn of_game(db: &mut PgConnection, game: Game) -> Result<View, PlayError> {
    let state = stored::state(db, &game, &[]).await?;
    let mut to_move = state.to_move();
    if game.progress.status == "opening" {
        let committed = db::seats::committed_seats(db, game.game_id).await?;
        to_move.retain(|seat| !committed.iter().any(|name| name == seat.as_str()));
    }
    if game.progress.status == "open" {
        to_move.clear();
    }
    Ok(View {
        to_move,
        offers: db::offers::open(db, game.game_id).await?,
        ply: game.progress.ply,
        ended_at: game.progress.ended_at,
        present: true,
        server_time: db::now(db).await?,
        state,
        game,
    })
}

/// The game's row, if this caller may see it.
pub(super) async fn visible(
    db: &mut PgConnection,
    caller: &Caller,
    game_id: Uuid,
) -> Result<Game, PlayError> {
    let game = db::games::find(db, game_id).await?;
    game.filter(|game| caller.sees(game))
        .ok_or(PlayError::NoSuchGame)
}
