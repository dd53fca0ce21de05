//! A new game.

use mancala_rules::{Position, Preset, Seat};
use serde_json::{Map, Value};
use sqlx::{Connection, PgPool};
use uuid::Uuid;

use super::who::{hash, new_token};
use super::{Caller, PlayError, View, simulate, stored, view};
use crate::db;
use crate::db::games::Game;

/// What a creator asks for.
#[derive(Debug)]
pub struct NewGame {
    /// The ruleset it starts from.
    pub preset: &'static Preset,
    /// Parameters that differ from it.
    pub overrides: Map<String, Value>,
    /// A start other than the usual one.
    pub start: Option<Position>,
    /// Whether only its seats may see it.
    pub private: bool,
    /// A name of the creator's choice.
    pub label: Option<String>,
}

/// A new game, and the tokens of its seats: shown once, kept as hashes only.
#[derive(Debug)]
pub struct Created {
    /// The game.
    pub view: View,
    /// South's token, then north's.
    pub tokens: [String; 2],
}

/// Makes a game that two people without accounts play.
pub async fn create(pool: &PgPool, new: NewGame) -> Result<Created, PlayError> {
    let rules = new.preset.rules(&new.overrides)?;
    let state = simulate::start(rules, new.start.as_ref())?;
    let tokens = [new_token()?, new_token()?];

    let mut db = pool.acquire().await?;
    let mut db = db.begin().await?;
    let now = db::now(&mut db).await?;
    let game = Game {
        game_id: Uuid::now_v7(),
        ruleset: new.preset.name.into(),
        revision: i32::try_from(new.preset.revision).map_err(stored::corrupt)?,
        rules: rules.to_json(),
        start_position: state.position_text(),
        custom_start: new.start.is_some(),
        visibility: if new.private { "private" } else { "public" }.into(),
        label: new.label,
        created_at: now,
        started_at: Some(now),
        progress: stored::progress(&state, 0, now)?,
    };
    db::games::insert(&mut db, &game).await?;
    for (seat, token) in Seat::ALL.into_iter().zip(&tokens) {
        let slot = if seat == Seat::South { 1 } else { 2 };
        db::seats::insert(&mut db, game.game_id, slot, seat.as_str()).await?;
        db::seats::insert_token(&mut db, &hash(token), game.game_id, slot, now).await?;
    }
    let game_id = game.game_id;
    let seen_by = Caller::Seat {
        game_id,
        seat: Some(Seat::South),
    };
    let view = view::present(&mut db, &seen_by, game_id).await?;
    db.commit().await?;
    Ok(Created { view, tokens })
}
