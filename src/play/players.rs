//! Players: signing up, their tokens, leaving.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::endings::{Why, abort_as, decline_as};
use super::who::{Identity, hash, new_token};
use super::{Caller, PlayError, endings, managed};
use crate::db;
use crate::db::players::Player;
use crate::db::tokens::Token;

/// Tokens that a player may have at a time, not counting the expired ones.
pub const MOST_TOKENS: i64 = 100;

/// A player and the first token, shown once.
#[derive(Debug)]
pub struct SignedUp {
    /// The player.
    pub player: Player,
    /// The token's facts.
    pub token: Token,
    /// Its secret.
    pub secret: String,
}

/// A new player under a handle that nobody has, in whatever case.
pub async fn sign_up(
    db: &mut PgConnection,
    handle: &str,
    bot: bool,
) -> Result<SignedUp, PlayError> {
    let created_at = db::now(db).await?;
    let player_id = Uuid::now_v7();
    let kind = if bot { "bot" } else { "human" };
    if !db::players::insert(db, player_id, handle, kind, created_at).await? {
        return Err(PlayError::HandleTaken(handle.to_owned()));
    }
    let scopes: &[&str] = if bot {
        &["read", "play", "webhooks", "act"]
    } else {
        &["read", "play", "webhooks"]
    };
    let scopes = scopes.iter().map(ToString::to_string).collect();
    let (token, secret) = issue(db, player_id, scopes, None, None).await?;
    let player = Player {
        player_id,
        handle: Some(handle.to_owned()),
        kind: kind.into(),
        created_at,
        vacation_until: None,
    };
    Ok(SignedUp {
        player,
        token,
        secret,
    })
}

/// A further token: never good for more, nor for longer, than the caller's.
pub async fn new_player_token(
    db: &mut PgConnection,
    identity: &Identity,
    scopes: Vec<String>,
    label: Option<String>,
    expires_at: Option<DateTime<Utc>>,
) -> Result<(Token, String), PlayError> {
    // One after another, or several at once would go past the limit.
    db::players::lock_tokens(db, identity.player_id).await?;
    if db::tokens::count_live(db, identity.player_id).await? >= MOST_TOKENS {
        return Err(PlayError::TooManyTokens(MOST_TOKENS));
    }
    let expires_at = match (expires_at, identity.expires_at) {
        (Some(asked), Some(own)) => Some(asked.min(own)),
        (asked, own) => asked.or(own),
    };
    issue(db, identity.player_id, scopes, label, expires_at).await
}

async fn issue(
    db: &mut PgConnection,
    player_id: Uuid,
    scopes: Vec<String>,
    label: Option<String>,
    expires_at: Option<DateTime<Utc>>,
) -> Result<(Token, String), PlayError> {
    if !db::players::hold(db, player_id).await? {
        return Err(PlayError::PlayerLeft);
    }
    let secret = new_token()?;
    let token = Token {
        token_id: Uuid::now_v7(),
        player_id: Some(player_id),
        game_id: None,
        slot: None,
        scopes,
        label,
        created_at: db::now(db).await?,
        expires_at,
    };
    db::tokens::insert(db, &hash(&secret), &token).await?;
    Ok((token, secret))
}

/// Takes one of the player's tokens away; whether it was there.
pub async fn revoke(
    db: &mut PgConnection,
    identity: &Identity,
    token_id: Uuid,
) -> Result<bool, PlayError> {
    Ok(db::tokens::delete(db, identity.player_id, token_id).await?)
}

/// Whether a text can be somebody's handle.
pub fn is_handle(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (2..=30).contains(&text.len()) && text.chars().all(fits)
}

/// The player of that handle.
pub async fn by_handle(db: &mut PgConnection, handle: &str) -> Result<Player, PlayError> {
    let found = match is_handle(handle) {
        true => db::players::by_handle(db, handle).await?,
        false => None,
    };
    found.ok_or_else(|| PlayError::NoSuchPlayer(handle.to_owned()))
}

/// The player leaves: running games are resigned, those in which not both have
/// chosen are called off; handle, tokens, messages and holidays go, the games stay.
pub async fn leave(pool: &PgPool, identity: &Identity) -> Result<(), PlayError> {
    let caller = Caller::Player(identity.clone());
    let player_id = identity.player_id;
    if identity.bot.is_none() {
        managed::leave_all(pool, identity).await?;
    }
    loop {
        let mut db = pool.acquire().await?;
        let live = db::players::live_game(&mut db, player_id).await?;
        if let Some(game_id) = live {
            drop(db);
            leave_game(pool, &caller, game_id).await?;
            continue;
        }
        drop(db);
        let mut db = db::pool::begin(pool).await?;
        // Before any row, as whoever stores a delivery's outcome does.
        db::deliveries::change_lines(&mut db).await?;
        // Games before players, as a rematch and a holiday take them.
        db::players::touch_games(&mut db, player_id).await?;
        db::players::lock(&mut db, player_id).await?;
        // Nobody can seat this player now; somebody may have, just before.
        if db::players::live_game(&mut db, player_id).await?.is_some() {
            db.rollback().await?;
            continue;
        }
        if db::managed::of_owner(&mut db, player_id).await?.is_some() {
            db.rollback().await?;
            managed::leave_all(pool, identity).await?;
            continue;
        }
        let now = db::now(&mut db).await?;
        db::players::delete_messages(&mut db, player_id).await?;
        db::webhooks::delete_of_player(&mut db, player_id).await?;
        db::players::delete_tokens(&mut db, player_id).await?;
        db::offers::void_rematches(&mut db, player_id, now).await?;
        db::vacations::forget(&mut db, player_id).await?;
        db::players::forget(&mut db, player_id, now).await?;
        db.commit().await?;
        return Ok(());
    }
}

/// Leaves one game in the way that it can be left.
async fn leave_game(pool: &PgPool, caller: &Caller, game_id: Uuid) -> Result<(), PlayError> {
    match abort_as(pool, caller, game_id, Why::Left).await {
        Ok(_) | Err(PlayError::GameOver(_)) => Ok(()),
        Err(PlayError::NotSeated) => match decline_as(pool, caller, game_id, Why::Left).await {
            // Joined, or called off, just before: the next look tells.
            Ok(_) | Err(PlayError::NotInvited(_) | PlayError::GameOver(_)) => Ok(()),
            Err(other) => Err(other),
        },
        Err(PlayError::CannotAbort) => match endings::resign(pool, caller, game_id, None).await {
            Ok(_) | Err(PlayError::GameOver(_)) => Ok(()),
            Err(other) => Err(other),
        },
        Err(other) => Err(other),
    }
}
