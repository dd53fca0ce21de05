//! Offers between the two seats. One so far: al-manqala's `split`, when both
//! agree that the rest only circles and halve what lies on the board.

use mancala_rules::Seat;
use sqlx::{Connection, PgConnection, PgPool};
use uuid::Uuid;

use super::moves::{current, running, touched};
use super::{Caller, PlayError, View, endings, stored, view};
use crate::db;
use crate::db::games::Game;
use crate::db::offers::Offer;

/// An offer and the game it stands in.
#[derive(Debug)]
pub struct Offered {
    /// The offer as it is now.
    pub offer: Offer,
    /// The game as it is now.
    pub view: View,
    /// Whether this call found its work done before.
    pub replayed: bool,
}

/// Offers to halve the board. An offer is about a position: `after_ply`, where
/// it is given, must be the log's length.
pub async fn offer_split(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    after_ply: Option<i32>,
) -> Result<Offered, PlayError> {
    let mut db = pool.acquire().await?;
    let mut db = db.begin().await?;
    let (game, seat) = locked(&mut db, caller, game_id).await?;
    let now = db::now(&mut db).await?;
    let game = running(&mut db, game).await?;
    let after_ply = after_ply.unwrap_or(game.progress.ply);
    let open = db::offers::open(&mut db, game_id).await?;
    if let Some(offer) = open.into_iter().find(|offer| offer.kind == "split") {
        // The same seat proposing the same thing again is a retry.
        if offer.seat != seat.as_str() || offer.ply != after_ply {
            return Err(PlayError::OfferOpen(offer.offer_no));
        }
        let view = view::of_game(&mut db, game).await?;
        return Ok(Offered {
            offer,
            view,
            replayed: true,
        });
    }
    let game = current(&mut db, game, after_ply).await?;
    stored::state(&mut db, &game, &[]).await?.split()?;
    let ply = game.progress.ply;
    let offer = db::offers::insert(&mut db, game_id, "split", seat.as_str(), ply, now).await?;
    let game = touched(&mut db, game).await?;
    let view = view::of_game(&mut db, game).await?;
    db.commit().await?;
    Ok(Offered {
        offer,
        view,
        replayed: false,
    })
}

/// The other seat agrees: the game ends.
pub async fn accept(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    offer_no: i64,
    after_ply: i32,
) -> Result<Offered, PlayError> {
    let mut db = pool.acquire().await?;
    let mut db = db.begin().await?;
    let (game, offer) = match answerable(&mut db, caller, game_id, offer_no, "accepted").await? {
        Answerable::Open(game, offer) => (*game, offer),
        Answerable::Done(offered) => return Ok(*offered),
    };
    let game = current(&mut db, game, after_ply).await?;
    let now = db::now(&mut db).await?;
    let mut state = stored::state(&mut db, &game, &[]).await?;
    state.split()?;
    let offer = db::offers::answer(&mut db, game_id, offer.offer_no, "accepted", now).await?;
    let game = endings::append(&mut db, game, &state, "loop", None, "player", now).await?;
    let view = view::of_game(&mut db, game).await?;
    db.commit().await?;
    Ok(Offered {
        offer,
        view,
        replayed: false,
    })
}

/// The other seat does not agree; the game goes on.
pub async fn decline(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    offer_no: i64,
) -> Result<Offered, PlayError> {
    let mut db = pool.acquire().await?;
    let mut db = db.begin().await?;
    let (game, offer) = match answerable(&mut db, caller, game_id, offer_no, "declined").await? {
        Answerable::Open(game, offer) => (*game, offer),
        Answerable::Done(offered) => return Ok(*offered),
    };
    let now = db::now(&mut db).await?;
    let offer = db::offers::answer(&mut db, game_id, offer.offer_no, "declined", now).await?;
    let game = touched(&mut db, game).await?;
    let view = view::of_game(&mut db, game).await?;
    db.commit().await?;
    Ok(Offered {
        offer,
        view,
        replayed: false,
    })
}

/// What stands before an answer.
enum Answerable {
    /// The offer waits.
    Open(Box<Game>, Offer),
    /// It had this very answer before.
    Done(Box<Offered>),
}

/// Finds the offer for the seat that may give it the answer `status`.
async fn answerable(
    db: &mut PgConnection,
    caller: &Caller,
    game_id: Uuid,
    offer_no: i64,
    status: &str,
) -> Result<Answerable, PlayError> {
    let (game, seat) = locked(db, caller, game_id).await?;
    let number = i32::try_from(offer_no).map_err(|_| PlayError::NoSuchOffer(offer_no))?;
    let offer = db::offers::find(db, game_id, number).await?;
    let offer = offer.ok_or(PlayError::NoSuchOffer(offer_no))?;
    if offer.seat == seat.as_str() {
        return Err(PlayError::OwnOffer);
    }
    if offer.status == status {
        let view = view::of_game(db, game).await?;
        return Ok(Answerable::Done(Box::new(Offered {
            offer,
            view,
            replayed: true,
        })));
    }
    let game = running(db, game).await?;
    match offer.status.as_str() {
        "open" => Ok(Answerable::Open(Box::new(game), offer)),
        "accepted" => Err(PlayError::OfferClosed("accepted")),
        "declined" => Err(PlayError::OfferClosed("declined")),
        _ => Err(PlayError::OfferClosed("made void by a later ply")),
    }
}

async fn locked(
    db: &mut PgConnection,
    caller: &Caller,
    game_id: Uuid,
) -> Result<(Game, Seat), PlayError> {
    let game = db::games::lock(db, game_id)
        .await?
        .ok_or(PlayError::NoSuchGame)?;
    let seat = caller.acting_seat(&game)?;
    Ok((game, seat))
}
