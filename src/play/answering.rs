//! Answers to offers: accepted, declined. What an accepted one brings about lives with
//! the noun it is about: `endings`, `takebacks`, `pause`, `rematch`.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::endings::End;
use super::moves::{current, running, touch};
use super::offers::{Offered, Possible, Proposal, check};
use super::table::Table;
use super::{Caller, PlayError, endings, events, pause, rematch, settle, takebacks, view};
use crate::db;
use crate::db::events::Kind;
use crate::db::offers::Offer;
use crate::db::seats::Around;

/// The other seat agrees. Accepting twice is one acceptance.
pub async fn accept(
    db: &mut PgConnection,
    caller: &Caller,
    game_id: Uuid,
    offer_no: i64,
    after_ply: i32,
) -> Result<Offered, PlayError> {
    let (table, Around { now, .. }) = settle::settled(db, caller, game_id).await?;
    accept_on(db, caller, table, offer_no, after_ply, now).await
}

async fn accept_on(
    db: &mut PgConnection,
    caller: &Caller,
    table: Table,
    offer_no: i64,
    after_ply: i32,
    now: DateTime<Utc>,
) -> Result<Offered, PlayError> {
    let (table, offer) = match answerable(db, caller, table, offer_no, "accepted").await? {
        Answerable::Open(table, offer) => (*table, offer),
        Answerable::Done(offered) => return Ok(*offered),
    };
    let mut table = current(db, caller, table, after_ply).await?;
    let game_id = table.game.game_id;
    let possible = check(db, &table, Proposal::of(&offer)?, now).await?;
    let offer = db::offers::answer(db, game_id, offer.offer_no, "accepted", now).await?;
    let mut seat_token = None;
    match possible {
        Possible::End(state, reason) => {
            events::offer(db, &table, Kind::OfferAnswered, &offer, now).await?;
            let end = End {
                reason,
                by: None,
                source: "player",
                abort: None,
            };
            endings::append(db, &mut table, &state, end, now).await?;
        }
        Possible::Back(state) => {
            takebacks::take_back(db, &mut table, &state, &offer, now).await?;
        }
        Possible::Pause(until) => {
            events::offer(db, &table, Kind::OfferAnswered, &offer, now).await?;
            pause::begin(db, &mut table, until, now).await?;
        }
        Possible::Rematch => {
            seat_token = rematch::begin(db, &mut table, &offer, now).await?;
            events::offer(db, &table, Kind::OfferAnswered, &offer, now).await?;
        }
    }
    let view = view::of_table(db, caller, table).await?;
    Ok(Offered {
        offer,
        view,
        replayed: false,
        seat_token,
    })
}

/// The same in a transaction of its own.
pub async fn accept_alone(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    offer_no: i64,
    after_ply: i32,
) -> Result<Offered, PlayError> {
    settle::on_table(
        pool,
        caller,
        game_id,
        async |db, table, Around { now, .. }| {
            accept_on(db, caller, table, offer_no, after_ply, now).await
        },
    )
    .await
}

/// The other seat does not agree; the game stays as it is.
pub async fn decline(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    offer_no: i64,
) -> Result<Offered, PlayError> {
    settle::on_table(
        pool,
        caller,
        game_id,
        async |db, table, Around { now, .. }| {
            let (mut table, offer) =
                match answerable(db, caller, table, offer_no, "declined").await? {
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
                seat_token: None,
            })
        },
    )
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
            seat_token: None,
        })));
    }
    let table = match offer.kind.as_str() {
        "rematch" => table,
        _ => running(db, caller, table).await?,
    };
    match offer.status.as_str() {
        "open" => Ok(Answerable::Open(Box::new(table), offer)),
        "accepted" => Err(PlayError::OfferClosed("accepted")),
        "declined" => Err(PlayError::OfferClosed("declined")),
        _ => Err(PlayError::OfferClosed("made void by a later row")),
    }
}
