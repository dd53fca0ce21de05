//! Another game of the same two, under the same rules, with seats swapped.

use chrono::{DateTime, Utc};
use mancala_rules::Seat;
use sqlx::PgConnection;
use uuid::Uuid;

use super::create::{hold, new_seat_token};
use super::stored::corrupt;
use super::table::Table;
use super::who::seat_token;
use super::{PlayError, clock, events, stored};
use crate::db;
use crate::db::games::Game;
use crate::db::offers::Offer;

/// Whether a game that is over can have a rematch.
pub(super) async fn check(db: &mut PgConnection, table: &Table) -> Result<(), PlayError> {
    let impossible = |why: &str| Err(PlayError::OfferImpossible(why.into()));
    match table.game.progress.status.as_str() {
        "finished" => {}
        "aborted" => return impossible("an aborted game has no rematch: make a new game"),
        _ => return impossible("a rematch can be offered when the game is over"),
    }
    if table.game.next_game.is_some() {
        return impossible("the rematch was made before: `next_game` is its id");
    }
    for seat in &table.seats {
        match hold(db, seat.player_id).await {
            Err(PlayError::PlayerLeft) => return impossible("a player of this game has left"),
            other => other?,
        }
    }
    Ok(())
}

/// Whether whoever has `seat` has no account, and needs a token for the next
/// game.
pub(super) fn is_anonymous(table: &Table, seat: Seat) -> bool {
    let mut seats = table.seats.iter();
    let row = seats.find(|row| row.seat.as_deref() == Some(seat.as_str()));
    row.is_some_and(|row| row.player_id.is_none())
}

/// Makes the game that both want, which starts at once; the token of the seat
/// that accepted `offer`, if it has no account.
pub(super) async fn begin(
    db: &mut PgConnection,
    table: &mut Table,
    offer: &Offer,
    now: DateTime<Utc>,
) -> Result<Option<String>, PlayError> {
    let last = &table.game;
    let state = stored::start(last, stored::rules(last)?)?;
    let game = Game {
        game_id: Uuid::now_v7(),
        previous_game: Some(last.game_id),
        next_game: None,
        external_ref: None,
        paused_at: None,
        paused_until: None,
        created_at: now,
        started_at: Some(now),
        progress: stored::progress(&state, 0, now)?,
        ..last.clone()
    };
    let game_id = game.game_id;
    db::games::insert(db, &game).await?;
    let mut token = None;
    for row in &table.seats {
        let seat = row
            .seat
            .as_deref()
            .ok_or_else(|| corrupt("a seat not drawn"))?;
        let seat: Seat = seat.parse().map_err(corrupt)?;
        let (slot, swapped) = (row.slot, seat.other().as_str());
        db::seats::insert(db, game_id, slot, Some(swapped), row.player_id, Some(now)).await?;
        if row.player_id.is_some() {
            continue;
        }
        if seat.as_str() == offer.seat {
            let hash = offer.token_hash.as_deref();
            let hash = hash.ok_or_else(|| corrupt("a rematch without its token"))?;
            db::tokens::insert(db, hash, &seat_token(game_id, slot, now)).await?;
        } else {
            token = Some(new_seat_token(db, game_id, slot, now).await?);
        }
    }
    let mut next = Table::of(db, game).await?;
    clock::start(db, &mut next, &state, now).await?;
    events::created(db, &next, now).await?;
    events::started(db, &next, &state, now).await?;
    table.game.next_game = Some(game_id);
    let version = db::games::link(db, table.game.game_id, game_id).await?;
    table.game.progress.version = version;
    Ok(token)
}
