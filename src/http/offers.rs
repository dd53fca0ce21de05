//! Offers between the two seats.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, post, web};
use mancala_rules::Seat;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Context;
use super::asking::Known;
use super::error::{ApiError, Problem};
use super::moves::answer;
use super::params::{self, Body, GameId, OfferNumber};
use super::state::GameState;
use super::time::Time;
use crate::db::offers::Offer;
use crate::play::offers::{self, Offered};

/// What an offer proposes.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// Al-manqala: the rest only circles; halve what lies on the board.
    Split,
}

/// An offer.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OfferRequest {
    /// What is proposed.
    kind: OfferKind,
    /// The `ply` of the state that the sender saw; the present one if left out.
    #[schema(minimum = 0)]
    after_ply: Option<i32>,
}

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
            kind: OfferKind::Split,
            seat: if offer.seat == Seat::South.as_str() {
                Seat::South
            } else {
                Seat::North
            },
            ply: offer.ply,
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
}

fn body(offered: &Offered, context: &Context) -> OfferAnswer {
    OfferAnswer {
        offer: OfferState::new(&offered.offer),
        game: GameState::new(&offered.view, &context.public_url),
    }
}

/// Propose something to the other seat
///
/// `split` (al-manqala): the rest only circles, what lies on the board is halved
/// and the game ends. One offer of a kind can be open; any ply makes it void.
#[utoipa::path(tag = "offers", operation_id = "makeOffer", request_body = OfferRequest,
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 201, description = "The offer waits for the other seat", body = OfferAnswer),
        (status = 200, description = "The same seat had made it before", body = OfferAnswer,
         headers(("Idempotent-Replayed" = bool, description = "`true`"))),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`, `game_over`, `stale_ply`, `offer_open`, `offer_impossible`",
         body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/games/{id}/offers")]
pub(crate) async fn make(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
    Body(request): Body<OfferRequest>,
) -> Result<HttpResponse, ApiError> {
    let OfferKind::Split = request.kind;
    let after_ply = request
        .after_ply
        .map(|ply| params::ply("after_ply", ply))
        .transpose()?;
    let offered = offers::offer_split(&context.pool, &caller, id, after_ply).await?;
    Ok(answer(StatusCode::CREATED, offered.replayed).json(body(&offered, &context)))
}

/// Agree to the other seat's offer
#[utoipa::path(tag = "offers", operation_id = "acceptOffer", request_body = AcceptRequest,
    params(("id" = Uuid, Path, description = "The game"),
           ("oid" = i64, Path, description = "The offer's `id`", minimum = 1)),
    responses(
        (status = 200, description = "It is accepted, now or before", body = OfferAnswer),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`, `unknown_offer`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`, `own_offer`, `game_over`, `offer_closed`, `stale_ply`, `offer_impossible`",
         body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/games/{id}/offers/{oid}/accept")]
pub(crate) async fn accept(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
    OfferNumber(number): OfferNumber,
    Body(request): Body<AcceptRequest>,
) -> Result<HttpResponse, ApiError> {
    let after_ply = params::ply("after_ply", request.after_ply)?;
    let offered = offers::accept(&context.pool, &caller, id, number, after_ply).await?;
    Ok(answer(StatusCode::OK, offered.replayed).json(body(&offered, &context)))
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
    let offered = offers::decline(&context.pool, &caller, id, number).await?;
    Ok(answer(StatusCode::OK, offered.replayed).json(body(&offered, &context)))
}
