//! Who is asking, and how tokens are made and recognised.

use chrono::{DateTime, Utc};
use rand::TryRng;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{PlayError, stored};
use crate::db::together::Reads;
use crate::db::tokens::Token;

/// What every token begins with, so that a leaked one is recognised.
pub const TOKEN_PREFIX: &str = "mp_";

/// What a token may be good for.
pub const SCOPES: [&str; 4] = ["read", "play", "webhooks", "act"];

/// Who is asking.
#[derive(Debug, Clone)]
pub enum Caller {
    /// No token came with the request.
    Nobody,
    /// A seat token: good for one slot of one game.
    Seat {
        /// The game it opens.
        game_id: Uuid,
        /// The slot, whatever seat it has or will have.
        slot: i16,
    },
    /// A player's token.
    Player(Identity),
}

/// A player as a token shows them.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The player.
    pub player_id: Uuid,
    /// The token they came with.
    pub token_id: Uuid,
    /// What that token is good for.
    pub scopes: Vec<String>,
    /// When it ends.
    pub expires_at: Option<DateTime<Utc>>,
    /// The bot that acts for the player, with its own token.
    pub bot: Option<Uuid>,
}

impl Caller {
    /// The player behind the token, if it is a player's.
    pub fn player_id(&self) -> Option<Uuid> {
        match self {
            Caller::Player(identity) => Some(identity.player_id),
            Caller::Nobody | Caller::Seat { .. } => None,
        }
    }

    /// Whether the token is good for `scope`. A seat's token reads and plays;
    /// without one there is nothing to lack.
    pub fn has(&self, scope: &str) -> bool {
        match self {
            Caller::Nobody => true,
            Caller::Seat { .. } => scope == "read" || scope == "play",
            Caller::Player(identity) => identity.scopes.iter().any(|has| has == scope),
        }
    }
}

/// The caller behind a token, or none when the token opens nothing.
pub async fn by_token(reads: &Reads, token: &str) -> Result<Option<Caller>, PlayError> {
    let Some(token) = reads.tokens.of(hash(token).to_vec()).await? else {
        return Ok(None);
    };
    match token {
        Token {
            player_id: Some(player_id),
            token_id,
            scopes,
            expires_at,
            ..
        } => Ok(Some(Caller::Player(Identity {
            player_id,
            token_id,
            scopes,
            expires_at,
            bot: None,
        }))),
        Token {
            game_id: Some(game_id),
            slot: Some(slot),
            ..
        } => Ok(Some(Caller::Seat { game_id, slot })),
        _ => Err(stored::corrupt("a token without an owner")),
    }
}

/// A new token: 192 random bits. Only its hash is ever stored.
pub fn new_token() -> Result<String, PlayError> {
    use base64::Engine;
    let bits: [u8; 24] = random()?;
    Ok(format!(
        "{TOKEN_PREFIX}{}",
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bits)
    ))
}

/// Random bytes from the system.
pub(super) fn random<const N: usize>() -> Result<[u8; N], PlayError> {
    let mut bytes = [0u8; N];
    rand::rngs::SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(|cause| PlayError::Corrupt(format!("no random numbers: {cause}")))?;
    Ok(bytes)
}

/// What is stored of a token.
pub fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The row of a seat's new token.
pub(super) fn seat_token(game_id: Uuid, slot: i16, created_at: DateTime<Utc>) -> Token {
    Token {
        token_id: Uuid::now_v7(),
        player_id: None,
        game_id: Some(game_id),
        slot: Some(slot),
        scopes: vec!["read".into(), "play".into()],
        label: None,
        created_at,
        expires_at: None,
    }
}
