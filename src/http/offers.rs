//! Offers between the two seats: made, accepted, declined.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, post, web};
use mancala_rules::Seat;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Context;
use super::asking::Known;
use super::error::{ApiError, Problem};
use super::moves::answer;
use super::once::{Created, IdempotencyKey, Once};
use super::params::{self, GameId, OfferNumber};
use super::proposals::{OfferKind, OfferRequest};
use super::state::GameState;
use super::time::Time;
use crate::db::offers::Offer;
use crate::play::answering;
use crate::play::offers::{self, Offered};

/// An answer to an offer.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptRequest {
    /// The `ply` of the state that the sender saw.
    #[schema(minimum = 0)]
    after_ply: i32,
}

/// An offer as it is now.
#[derive(Debug, Serialize, ToSchema)]
pub struct OfferState {
    /// Counted from 1 within the game.
    #[schema(minimum = 1)]
    id: i32,
    /// What is proposed.
    kind: OfferKind,
    /// Who proposes it.
    seat: Seat,
    /// The `ply` it was made at.
    #[schema(minimum = 0)]
    ply: i32,
    /// A takeback: the row that play is to go on after.
    #[schema(minimum = 0)]
    to_ply: Option<i32>,
    /// A pause: when it ends by itself.
    until: Option<Time>,
    /// Where it stands.
    status: OfferStatus,
    /// When it was made.
    made_at: Time,
    /// When it was answered or made void.
    answered_at: Option<Time>,
}

/// Where an offer stands.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OfferStatus {
    /// It waits for an answer.
    Open,
    /// The other seat agreed.
    Accepted,
    /// The other seat did not.
    Declined,
    /// The game went on before it was answered.
    Void,
}

impl OfferState {
    pub(super) fn new(offer: &Offer) -> OfferState {
        OfferState {
            id: offer.offer_no,
            kind: match offer.kind.as_str() {
                "draw" => OfferKind::Draw,
                "takeback" => OfferKind::Takeback,
                "pause" => OfferKind::Pause,
                "rematch" => OfferKind::Rematch,
                _ => OfferKind::Split,
            },
            seat: if offer.seat == Seat::South.as_str() {
                Seat::South
            } else {
                Seat::North
            },
            ply: offer.ply,
            to_ply: offer.to_ply,
            until: offer.until.map(Time),
            status: match offer.status.as_str() {
                "open" => OfferStatus::Open,
                "accepted" => OfferStatus::Accepted,
                "declined" => OfferStatus::Declined,
                _ => OfferStatus::Void,
            },
            made_at: Time(offer.made_at),
            answered_at: offer.answered_at.map(Time),
        }
    }
}

/// An offer and its game.
#[derive(Debug, Serialize, ToSchema)]
pub struct OfferAnswer {
    /// The offer as it is now.
    offer: OfferState,
    /// The game as it is now.
    game: GameState,
    /// The caller's secret token in the rematch, for somebody without an account:
    /// shown this once. Whoever offers gets it with the offer; it opens the next
    /// game once that is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    seat_token: Option<String>,
}

fn created(fresh: StatusCode, offered: Offered, context: &Context) -> Created<OfferAnswer> {
    Created {
        status: if offered.replayed {
            StatusCode::OK
        } else {
            fresh
        },
        location: None,
        replayed: offered.replayed,
        body: OfferAnswer {
            offer: OfferState::new(&offered.offer),
            game: GameState::new(&offered.view, &context.public_url),
            seat_token: offered.seat_token,
        },
    }
}

/// Propose something to the other seat
///
/// One offer of a kind can be open. Any ply makes a `split` and a `takeback`
/// void; a `draw` stands until the other seat plies, which declines it; a `pause`
/// stands until it is answered.
#[utoipa::path(tag = "offers", operation_id = "makeOffer", request_body = OfferRequest,
    params(("id" = Uuid, Path, description = "The game"), IdempotencyKey),
    responses(
        (status = 201, description = "The offer waits for the other seat", body = OfferAnswer),
        (status = 200, description = "The same seat had made it before", body = OfferAnswer,
         headers(("Idempotent-Replayed" = bool, description = "`true`"))),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`, `game_over`, `stale_ply`, `offer_open`, `offer_impossible`, `key_running`",
         body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`key_reused`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/games/{id}/offers")]
pub(crate) async fn make(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
    once: Once<OfferRequest>,
) -> Result<HttpResponse, ApiError> {
    let (body, once) = once.split();
    let (proposal, after_ply) = body.read()?;
    once.answer_settled(&context, async |db| {
        let offered = offers::make(db, &caller, id, proposal, after_ply).await?;
        Ok(created(StatusCode::CREATED, offered, &context))
    })
    .await
}

/// Agree to the other seat's offer
///
/// Accepting it again is the same 200. An accepted rematch is the game
/// `next_game`; without an account, send an `Idempotency-Key`: the answer holds
/// a token that is shown this once.
#[utoipa::path(tag = "offers", operation_id = "acceptOffer", request_body = AcceptRequest,
    params(("id" = Uuid, Path, description = "The game"),
           ("oid" = i64, Path, description = "The offer's `id`", minimum = 1), IdempotencyKey),
    responses(
        (status = 200, description = "It is accepted, now or before", body = OfferAnswer),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`, `unknown_offer`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`, `own_offer`, `game_over`, `offer_closed`, `stale_ply`, `offer_impossible`, `key_running`",
         body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`key_reused`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/games/{id}/offers/{oid}/accept")]
pub(crate) async fn accept(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
    OfferNumber(number): OfferNumber,
    once: Once<AcceptRequest>,
) -> Result<HttpResponse, ApiError> {
    let (body, once) = once.split();
    let after_ply = params::ply("after_ply", body.after_ply)?;
    once.answer_settled(&context, async |db| {
        let offered = answering::accept(db, &caller, id, number, after_ply).await?;
        Ok(created(StatusCode::OK, offered, &context))
    })
    .await
}

/// Turn the other seat's offer down
#[utoipa::path(tag = "offers", operation_id = "declineOffer",
    params(("id" = Uuid, Path, description = "The game"),
           ("oid" = i64, Path, description = "The offer's `id`", minimum = 1)),
    responses(
        (status = 200, description = "It is declined, now or before", body = OfferAnswer),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`, `unknown_offer`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`, `own_offer`, `game_over`, `offer_closed`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/games/{id}/offers/{oid}/decline")]
pub(crate) async fn decline(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
    OfferNumber(number): OfferNumber,
) -> Result<HttpResponse, ApiError> {
    let offered = answering::decline(&context.pool, &caller, id, number).await?;
    let created = created(StatusCode::OK, offered, &context);
    Ok(answer(created.status, created.replayed).json(created.body))
}
