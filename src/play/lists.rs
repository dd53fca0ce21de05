//! Lists of games as their viewers may have them.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use super::table::Table;
use super::view::of_tables;
use super::{Caller, PlayError, View};
use crate::db;
use crate::db::games::Game;
use crate::db::lists::WaitingPlace;

/// A page of a list.
#[derive(Debug)]
pub struct Page {
    /// Its games.
    pub views: Vec<View>,
    /// Where the last one stands, if the list goes on.
    pub next: Option<Place>,
}

/// A place in a list.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// In a list by urgency: when the game is lost, where a clock runs.
    pub due_at: Option<DateTime<Utc>>,
    /// In a list by urgency: since when the game waits.
    pub since: Option<DateTime<Utc>>,
    /// The game.
    pub game_id: Uuid,
}

/// A player's games, newest first: to others the public ones.
pub async fn of_player(
    db: &mut PgConnection,
    caller: &Caller,
    player_id: Uuid,
    status: Option<&str>,
    after: Option<Place>,
    limit: u32,
) -> Result<Page, PlayError> {
    let all = caller.player_id() == Some(player_id);
    let before = after.map(|place| place.game_id);
    let more = i64::from(limit) + 1;
    let games = db::lists::of_player(db, player_id, all, status, before, more).await?;
    page(db, caller, games, limit).await
}

/// The games that wait for a player, most urgent first.
pub async fn waiting_for(
    db: &mut PgConnection,
    caller: &Caller,
    player_id: Uuid,
    after: Option<Place>,
    limit: u32,
) -> Result<Page, PlayError> {
    let after = after.and_then(|place| {
        Some(WaitingPlace {
            due_at: place.due_at,
            since: place.since?,
            game_id: place.game_id,
        })
    });
    let mut waiting = db::lists::waiting_for(db, player_id, after, i64::from(limit) + 1).await?;
    let more = waiting.len() > limit as usize;
    waiting.truncate(limit as usize);
    let next = waiting.last().filter(|_| more).map(|last| Place {
        due_at: last.due_at,
        since: Some(last.waiting_since),
        game_id: last.game.game_id,
    });
    let games = waiting.into_iter().map(|waiting| waiting.game).collect();
    let tables = Table::all(db, games).await?;
    Ok(Page {
        views: of_tables(db, caller, tables).await?,
        next,
    })
}

pub(super) async fn page(
    db: &mut PgConnection,
    caller: &Caller,
    mut games: Vec<Game>,
    limit: u32,
) -> Result<Page, PlayError> {
    let more = games.len() > limit as usize;
    games.truncate(limit as usize);
    let next = games.last().filter(|_| more).map(|last| Place {
        due_at: None,
        since: None,
        game_id: last.game_id,
    });
    let tables = Table::all(db, games).await?;
    Ok(Page {
        views: of_tables(db, caller, tables).await?,
        next,
    })
}
