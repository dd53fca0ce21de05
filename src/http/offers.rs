//! Offers between the two seats.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, post, web};
use mancala_rules::Seat;
use serde::de::value::MapAccessDeserializer;
use serde::de::{IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::Context;
use super::asking::Known;
use super::error::{ApiError, Problem};
use super::forms::{self, Field, given};
use super::moves::answer;
use super::once::{Created, IdempotencyKey, Once};
use super::params::{self, GameId, OfferNumber};
use super::state::GameState;
use super::time::Time;
use crate::db::offers::Offer;
use crate::play::offers::{self, Offered, Proposal};

/// What an offer proposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// The game ends in a draw.
    Draw,
    /// Al-manqala: the rest only circles; halve what lies on the board.
    Split,
    /// Play goes on after an earlier row of the log, `to_ply`.
    Takeback,
    /// When the game is over: another one, with seats swapped.
    Rematch,
}

/// An offer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfferRequest {
    kind: OfferKind,
    #[serde(default, deserialize_with = "given")]
    to_ply: Option<i32>,
    #[serde(default, deserialize_with = "given")]
    after_ply: Option<i32>,
}

/// An offer that comes with a choice: its kind alone, or an object.
#[derive(Debug)]
pub struct OfferInput {
    kind: OfferKind,
    to_ply: Option<i32>,
}

/// The forms of an offer; `further` fields may stand beside each.
fn proposals(further: impl Fn() -> Vec<Field>) -> Vec<RefOr<Schema>> {
    let form = |kind: &str, meaning, fields: Vec<Field>| {
        let kind = [("kind", forms::only(Type::String, kind))];
        forms::form(meaning, kind.into_iter().chain(fields).collect(), further())
    };
    let to_ply = forms::count("The row that play is to go on after; 0: the start.", 0);
    vec![
        form("draw", "The game ends in a draw.", vec![]),
        form(
            "split",
            "Al-manqala: the rest only circles; halve what lies on the board.",
            vec![],
        ),
        form(
            "takeback",
            "Play goes on after an earlier row of the log, within the round and after the opening.",
            vec![("to_ply", to_ply)],
        ),
        form(
            "rematch",
            "When the game is over: another one, with seats swapped.",
            vec![],
        ),
    ]
}

impl PartialSchema for OfferRequest {
    fn schema() -> RefOr<Schema> {
        let meaning = "The `ply` of the state that the sender saw; the present one if left out.";
        let after_ply = || vec![("after_ply", forms::count(meaning, 0))];
        forms::one_of("An offer.", proposals(after_ply))
    }
}

impl ToSchema for OfferRequest {}

impl PartialSchema for OfferInput {
    fn schema() -> RefOr<Schema> {
        let mut forms = proposals(Vec::new);
        forms.push(forms::words(&["draw", "split", "rematch"]));
        forms::one_of(
            "An offer that comes with a choice: a word, or an object.",
            forms,
        )
    }
}

impl ToSchema for OfferInput {}

impl<'de> Deserialize<'de> for OfferInput {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        /// The object.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            kind: OfferKind,
            #[serde(default, deserialize_with = "given")]
            to_ply: Option<i32>,
        }

        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = OfferInput;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a kind of offer or an object")
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<OfferInput, E> {
                let kind = OfferKind::deserialize(word.into_deserializer())?;
                Ok(OfferInput { kind, to_ply: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OfferInput, A::Error> {
                let Fields { kind, to_ply } = Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(OfferInput { kind, to_ply })
            }
        }

        json.deserialize_any(Either)
    }
}

impl OfferInput {
    pub(super) fn read(self) -> Result<Proposal, ApiError> {
        proposal(self.kind, self.to_ply, "offer.")
    }
}

/// What is proposed; `place`: where its fields stand in the body.
fn proposal(kind: OfferKind, to_ply: Option<i32>, place: &str) -> Result<Proposal, ApiError> {
    let field = format!("{place}to_ply");
    match (kind, to_ply) {
        (OfferKind::Takeback, Some(to_ply)) => Ok(Proposal::Takeback {
            to_ply: params::ply(&field, to_ply)?,
        }),
        (OfferKind::Takeback, None) => Err(params::bad(&field, "a takeback must name it")),
        (_, Some(_)) => Err(params::bad(&field, "belongs to a takeback")),
        (OfferKind::Draw, None) => Ok(Proposal::Draw),
        (OfferKind::Split, None) => Ok(Proposal::Split),
        (OfferKind::Rematch, None) => Ok(Proposal::Rematch),
    }
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
    /// A takeback: the row that play is to go on after.
    #[schema(minimum = 0)]
    to_ply: Option<i32>,
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
/// void; a `draw` stands until the other seat plies, which declines it.
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
    let proposal = proposal(body.kind, body.to_ply, "")?;
    let after_ply = body.after_ply.map(|ply| params::ply("after_ply", ply));
    let after_ply = after_ply.transpose()?;
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
        let offered = offers::accept(db, &caller, id, number, after_ply).await?;
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
    let offered = offers::decline(&context.pool, &caller, id, number).await?;
    let created = created(StatusCode::OK, offered, &context);
    Ok(answer(created.status, created.replayed).json(created.body))
}
