//! Taking a seat, and calling a game off.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, post, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Context;
use super::asking::{Known, Playing};
use super::error::{ApiError, Problem};
use super::once::{Created, IdempotencyKey, Once};
use super::params::GameId;
use super::state::GameState;
use crate::play::{endings, join};

/// How to join.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinRequest {
    /// The invite token, where the seat is for whoever brings it.
    invite_token: Option<String>,
}

/// A seat that was taken.
#[derive(Debug, Serialize, ToSchema)]
pub struct JoinedGame {
    /// The game, which has started.
    game: GameState,
    /// The seat's secret token, for somebody without an account: shown this once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    seat_token: Option<String>,
}

/// Take the free seat of a game, which starts it
///
/// Exactly one of any number who try gets it. Without a token the answer holds
/// one for the seat; the same player joining again gets 200 too.
#[utoipa::path(tag = "games", operation_id = "joinGame", request_body = JoinRequest,
    params(("id" = Uuid, Path, description = "The game"), IdempotencyKey),
    responses(
        (status = 200, description = "The seat is taken", body = JoinedGame),
        (status = 403, description = "`not_invited`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`seat_taken`, `own_game`, `key_running`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`key_reused`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[post("/v1/games/{id}/join")]
pub(crate) async fn take(
    context: web::Data<Context>,
    Playing(caller): Playing,
    GameId(id): GameId,
    once: Once<JoinRequest>,
) -> Result<HttpResponse, ApiError> {
    let (body, once) = once.split();
    once.answer_settled(&context, async |db| {
        let joined = join::join(db, &caller, id, body.invite_token.as_deref()).await?;
        Ok(Created {
            status: StatusCode::OK,
            location: None,
            replayed: false,
            body: JoinedGame {
                game: GameState::new(&joined.view, &context.public_url),
                seat_token: joined.seat_token,
            },
        })
    })
    .await
}

/// Turn an invitation by name down: the game never starts
#[utoipa::path(tag = "games", operation_id = "declineGame",
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 200, description = "It is aborted, now or before", body = GameState),
        (status = 403, description = "`not_invited`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`game_over`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/games/{id}/decline")]
pub(crate) async fn decline(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
) -> Result<HttpResponse, ApiError> {
    let view = endings::decline(&context.pool, &caller, id).await?;
    Ok(HttpResponse::Ok().json(GameState::new(&view, &context.public_url)))
}

/// Call a game off, until both seats have made their first choice
#[utoipa::path(tag = "games", operation_id = "abortGame",
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 200, description = "It is aborted, now or before", body = GameState),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`cannot_abort`, `game_over`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/games/{id}/abort")]
pub(crate) async fn abort(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
) -> Result<HttpResponse, ApiError> {
    let view = endings::abort(&context.pool, &caller, id).await?;
    Ok(HttpResponse::Ok().json(GameState::new(&view, &context.public_url)))
}
