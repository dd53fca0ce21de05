//! A takeback that both seats want: a row of its own. What it takes back stays
//! in the log, marked; play goes on from the state after an earlier row.

use chrono::{DateTime, Utc};
use mancala_rules::{Phase, State};
use sqlx::PgConnection;

use super::moves::elapsed_ms;
use super::stored::corrupt;
use super::table::Table;
use super::{PlayError, clock, events, plies, replay};
use crate::db;
use crate::db::events::Kind;
use crate::db::games::Game;
use crate::db::offers::Offer;
use crate::db::plies::{Line, Ply as Row};

/// The state after row `to_ply`, if play can go on from there: within the
/// round and after the opening.
pub(super) async fn target(
    db: &mut PgConnection,
    game: &Game,
    present: &State,
    to_ply: i32,
) -> Result<State, PlayError> {
    let impossible = |why: String| Err(PlayError::OfferImpossible(format!("`to_ply`: {why}")));
    if present.phase() == Phase::Opening {
        return impossible("nothing is taken back in an opening".into());
    }
    let rows = db::plies::between(db, game.game_id, 0, game.progress.ply, Line::All, i64::MAX);
    let rows = rows.await?;
    let row = rows.iter().find(|row| row.ply == to_ply);
    match row {
        None if to_ply != 0 => return impossible(format!("the log has no row {to_ply}")),
        Some(row) if row.taken_back => {
            return impossible(format!("row {to_ply} was taken back itself"));
        }
        _ => {}
    }
    let played = |row: &Row| row.kind == "sow" && !row.taken_back && row.ply > to_ply;
    if !rows.iter().any(played) {
        return impossible(format!("nothing was played after row {to_ply}"));
    }
    if row.is_some_and(|row| row.position.is_none()) {
        return impossible("the opening stands".into());
    }
    // Its ply may have ended a round: then the state after it is in the next one.
    if row.is_some_and(|row| row.round + 1 < i32::from(present.round())) {
        return impossible("an earlier round stands".into());
    }
    let game = game.clone();
    let state = replay::aside(move || Ok(replay::until(&game, &rows, to_ply)?.state)).await?;
    if state.phase() == Phase::Opening {
        return impossible("the opening stands".into());
    }
    if state.round() != present.round() {
        return impossible("an earlier round stands".into());
    }
    Ok(state)
}

/// Play goes on from `state`, to which the accepted `offer` goes back.
pub(super) async fn take_back(
    db: &mut PgConnection,
    table: &mut Table,
    state: &State,
    offer: &Offer,
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    let game = &mut table.game;
    let game_id = game.game_id;
    let to_ply = offer
        .to_ply
        .ok_or_else(|| corrupt("a takeback to no row"))?;
    let ply = game.progress.ply + 1;
    let row = Row {
        ply,
        kind: "takeback".into(),
        seat: Some(offer.seat.clone()),
        after_ply: game.progress.ply,
        turn: i32::try_from(state.turn()).map_err(corrupt)?,
        round: state.round().into(),
        to_ply: Some(to_ply),
        position: Some(state.position_text()),
        elapsed_ms: Some(elapsed_ms(game, now)),
        played_at: Some(now),
        source: "player".into(),
        ..Row::default()
    };
    db::plies::append(db, game_id, &row).await?;
    db::plies::take_back(db, game_id, to_ply, ply).await?;
    // They were about a position that is gone.
    db::conditionals::delete_all(db, game_id).await?;
    db::offers::void(db, game_id, &["draw", "split", "takeback"], now).await?;
    let before = table.clocks.clone();
    clock::anew(&mut table.clocks, state, now)?;
    plies::advance(db, game, state, ply, (&before, &table.clocks), now).await?;
    events::offer(db, table, Kind::OfferAnswered, offer, now).await?;
    events::owed(db, table, state, now).await
}
