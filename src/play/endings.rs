//! Ends that no choice of a house brings about: an `end` row each.

use mancala_rules::{Seat, State};
use sqlx::types::chrono::{DateTime, Utc};
use sqlx::{Connection, PgConnection, PgPool};
use uuid::Uuid;

use super::moves::{advanced, elapsed_ms, running};
use super::stored::{self, corrupt};
use super::{Caller, PlayError, View, view};
use crate::db;
use crate::db::games::Game;
use crate::db::plies::Ply as Row;

/// `caller` gives the game up, on either seat's turn. Doing so again, once it
/// ended by that, changes nothing.
pub async fn resign(pool: &PgPool, caller: &Caller, game_id: Uuid) -> Result<View, PlayError> {
    let mut db = pool.acquire().await?;
    let mut db = db.begin().await?;
    let game = db::games::lock(&mut db, game_id)
        .await?
        .ok_or(PlayError::NoSuchGame)?;
    let seat = caller.acting_seat(&game)?;
    let now = db::now(&mut db).await?;
    let by_this_seat = game.progress.reason.as_deref() == Some("resignation")
        && game.progress.ended_by.as_deref() == Some(seat.as_str());
    if by_this_seat {
        return view::of_game(&mut db, game).await;
    }
    let game = running(&mut db, game).await?;
    let mut state = stored::state(&mut db, &game, &[]).await?;
    state.resign(seat).map_err(corrupt)?;
    let game = append(
        &mut db,
        game,
        &state,
        "resignation",
        Some(seat),
        "player",
        now,
    )
    .await?;
    let view = view::of_game(&mut db, game).await?;
    db.commit().await?;
    Ok(view)
}

/// Writes an `end` row and the ended game; secret choices and offers go.
pub(super) async fn append(
    db: &mut PgConnection,
    game: Game,
    state: &State,
    reason: &str,
    by: Option<Seat>,
    source: &str,
    now: DateTime<Utc>,
) -> Result<Game, PlayError> {
    let ply = game.progress.ply + 1;
    let row = Row {
        ply,
        kind: "end".into(),
        seat: by.map(|seat| seat.as_str().into()),
        after_ply: game.progress.ply,
        turn: game.progress.turn,
        round: game.progress.round,
        house: None,
        seeds_sown: None,
        lap_count: None,
        captured: None,
        banked: None,
        extra_turn: None,
        passed: None,
        other: None,
        reason: Some(reason.into()),
        position: Some(state.position_text()),
        elapsed_ms: Some(elapsed_ms(&game, now)),
        played_at: now,
        source: source.into(),
    };
    db::plies::append(db, game.game_id, &row).await?;
    db::seats::delete_commits(db, game.game_id).await?;
    db::offers::void_open(db, game.game_id, now).await?;
    advanced(db, game, state, ply, now).await
}
