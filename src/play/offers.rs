//! Offers between the two seats. One so far: al-manqala's `split`, when both
//! agree that the rest only circles and halve what lies on the board.

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::endings::End;
use super::moves::{current, running, touch};
use super::table::Table;
use super::{Caller, PlayError, View, endings, events, settle, stored, view};
use crate::db;
use crate::db::events::Kind;
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
    settle::on_table(pool, caller, game_id, async |db, table, now| {
        let seat = table.acting_seat(caller)?.ok_or(PlayError::NotStarted)?;
        let table = running(db, caller, table).await?;
        let after_ply = after_ply.unwrap_or(table.game.progress.ply);
        let open = db::offers::open(db, &[game_id]).await?;
        if let Some(offer) = open.into_iter().find(|offer| offer.kind == "split") {
            // The same seat proposing the same thing again is a retry.
            if offer.seat != seat.as_str() || offer.ply != after_ply {
                return Err(PlayError::OfferOpen(offer.offer_no));
            }
            let view = view::of_table(db, caller, table).await?;
            return Ok(Offered {
                offer,
                view,
                replayed: true,
            });
        }
        let mut table = current(db, caller, table, after_ply).await?;
        stored::state(&table.game, &[], &[])?.split()?;
        let ply = table.game.progress.ply;
        let offer = db::offers::insert(db, game_id, "split", seat.as_str(), ply, now).await?;
        touch(db, &mut table.game).await?;
        events::offer(db, &table, Kind::OfferMade, &offer, now).await?;
        let view = view::of_table(db, caller, table).await?;
        Ok(Offered {
            offer,
            view,
            replayed: false,
        })
    })
    .await
}

/// The other seat agrees: the game ends.
pub async fn accept(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    offer_no: i64,
    after_ply: i32,
) -> Result<Offered, PlayError> {
    settle::on_table(pool, caller, game_id, async |db, table, now| {
        let (table, offer) = match answerable(db, caller, table, offer_no, "accepted").await? {
            Answerable::Open(table, offer) => (*table, offer),
            Answerable::Done(offered) => return Ok(*offered),
        };
        let mut table = current(db, caller, table, after_ply).await?;
        let mut state = stored::state(&table.game, &[], &[])?;
        state.split()?;
        let offer = db::offers::answer(db, game_id, offer.offer_no, "accepted", now).await?;
        events::offer(db, &table, Kind::OfferAnswered, &offer, now).await?;
        let end = End {
            reason: "loop",
            by: None,
            source: "player",
            abort: None,
        };
        endings::append(db, &mut table, &state, end, now).await?;
        let view = view::of_table(db, caller, table).await?;
        Ok(Offered {
            offer,
            view,
            replayed: false,
        })
    })
    .await
}

/// The other seat does not agree; the game goes on.
pub async fn decline(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    offer_no: i64,
) -> Result<Offered, PlayError> {
    settle::on_table(pool, caller, game_id, async |db, table, now| {
        let (mut table, offer) = match answerable(db, caller, table, offer_no, "declined").await? {
            Answerable::Open(table, offer) => (*table, offer),
            Answerable::Done(offered) => return Ok(*offered),
        };
        let offer = db::offers::answer(db, game_id, offer.offer_no, "declined", now).await?;
        touch(db, &mut table.game).await?;
        events::offer(db, &table, Kind::OfferAnswered, &offer, now).await?;
        let view = view::of_table(db, caller, table).await?;
        Ok(Offered {
            offer,
            view,
            replayed: false,
        })
    })
    .await
}

/// What stands before an answer.
enum Answerable {
    /// The offer waits.
    Open(Box<Table>, Offer),
    /// It had this very answer before.
    Done(Box<Offered>),
}

/// Finds the offer for the seat that may give it the answer `status`.
async fn answerable(
    db: &mut PgConnection,
    caller: &Caller,
    table: Table,
    offer_no: i64,
    status: &str,
) -> Result<Answerable, PlayError> {
    let seat = table.acting_seat(caller)?.ok_or(PlayError::NotStarted)?;
    let number = i32::try_from(offer_no).map_err(|_| PlayError::NoSuchOffer(offer_no))?;
    let offer = db::offers::find(db, table.game.game_id, number).await?;
    let offer = offer.ok_or(PlayError::NoSuchOffer(offer_no))?;
    if offer.seat == seat.as_str() {
        return Err(PlayError::OwnOffer);
    }
    if offer.status == status {
        let view = view::of_table(db, caller, table).await?;
        return Ok(Answerable::Done(Box::new(Offered {
            offer,
            view,
            replayed: true,
        })));
    }
    let table = running(db, caller, table).await?;
    match offer.status.as_str() {
        "open" => Ok(Answerable::Open(Box::new(table), offer)),
        "accepted" => Err(PlayError::OfferClosed("accepted")),
        "declined" => Err(PlayError::OfferClosed("declined")),
        _ => Err(PlayError::OfferClosed("made void by a later ply")),
    }
}
