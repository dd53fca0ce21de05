//! Who is asking, and which seat of a game that gives them.

use std::str::FromStr;

use mancala_rules::Seat;
use rand::TryRng;
use sha2::{Digest, Sha256};
use sqlx::PgConnection;
use uuid::Uuid;

use super::PlayError;
use crate::db;
use crate::db::games::Game;

/// What every token begins with, so that a leaked one is recognised.
pub const TOKEN_PREFIX: &str = "mp_";

/// Who is asking.
#[derive(Debug, Clone)]
pub enum Caller {
    /// No token came with the request.
    Nobody,
    /// A seat token: good for one seat of one game.
    Seat {
        /// The game it opens.
        game_id: Uuid,
        /// The seat, once it is drawn.
        seat: Option<Seat>,
    },
}

impl Caller {
    /// The seat this caller has in `game`.
    pub fn seat_in(&self, game: &Game) -> Option<Seat> {
        match self {
            Caller::Seat { game_id, seat } if *game_id == game.game_id => *seat,
            _ => None,
        }
    }

    /// Whether this caller may see `game` at all.
    pub fn sees(&self, game: &Game) -> bool {
        game.visibility == "public"
            || matches!(self, Caller::Seat { game_id, .. } if *game_id == game.game_id)
    }

    /// The seat to act for. A private game is not there for others.
    pub fn acting_seat(&self, game: &Game) -> Result<Seat, PlayError> {
        if !self.sees(game) {
            return Err(PlayError::NoSuchGame);
        }
        self.seat_in(game).ok_or(PlayError::NotSeated)
    }
}

/// The caller behind a token, or none when the token opens nothing.
pub async fn by_token(db: &mut PgConnection, token: &str) -> Result<Option<Caller>, PlayError> {
    let found = db::seats::by_token(db, &hash(token)).await?;
    found
        .map(|found| {
            let seat = found.seat.as_deref().map(Seat::from_str).transpose();
            let seat = seat.map_err(|_| PlayError::Corrupt("a seat's name".into()))?;
            Ok(Caller::Seat {
                game_id: found.game_id,
                seat,
            })
        })
        .transpose()
}

/// A new token: 192 random bits. Only its hash is ever stored.
pub fn new_token() -> Result<String, PlayError> {
    use base64::Engine;
    let mut bits = [0u8; 24];
    rand::rngs::SysRng
        .try_fill_bytes(&mut bits)
        .map_err(|cause| PlayError::Corrupt(format!("no random numbers: {cause}")))?;
    Ok(format!(
        "{TOKEN_PREFIX}{}",
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bits)
    ))
}

/// What is stored of a token.
pub fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
