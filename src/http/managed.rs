//! The people a bot plays for.

use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use actix_web::{HttpResponse, HttpResponseBuilder, put, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Context;
use super::asking::Bot;
use super::error::{ApiError, Problem};
use super::params::{Body, bad};
use super::players::{PlayerState, handle};
use crate::play::managed;

/// Somebody to play for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "siti" }))]
pub struct ManagedRequest {
    /// The handle; left out: one is made up for somebody new, and kept by somebody
    /// known.
    #[schema(min_length = 2, max_length = 30, pattern = "^[A-Za-z0-9_-]{2,30}$")]
    name: Option<String>,
}

/// Somebody a bot plays for.
#[derive(Debug, Serialize, ToSchema)]
pub struct ManagedPlayer {
    /// As everybody sees them.
    player: PlayerState,
    /// The bot's reference, shown to nobody else: send it as `Mancala-Act-As`.
    external_ref: String,
}

/// Make somebody to play for, or find them again
///
/// Further requests with `Mancala-Act-As: {external_ref}` are that player's. A
/// name that they do not have yet becomes theirs. Two bots may use the same
/// reference for two players.
#[utoipa::path(tag = "players", operation_id = "putManagedPlayer", request_body = ManagedRequest,
    params(("external_ref" = String, Path, description = "The bot's own reference: up to 100 visible ASCII characters",
            min_length = 1, max_length = 100, pattern = "^[!-~]{1,100}$", example = "telegram:12345")),
    responses(
        (status = 201, description = "Somebody new", body = ManagedPlayer,
         headers(("Location" = String, description = "The player's URL"))),
        (status = 200, description = "Somebody known", body = ManagedPlayer),
        (status = 403, description = "`seat_token`, `missing_scope`, `acting`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`handle_taken`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[put("/v1/managed-players/{external_ref}")]
pub(crate) async fn put(
    context: web::Data<Context>,
    Bot(bot): Bot,
    external_ref: web::Path<String>,
    Body(body): Body<ManagedRequest>,
) -> Result<HttpResponse, ApiError> {
    if !managed::is_reference(&external_ref) {
        return Err(bad(
            "external_ref",
            "must have 1 to 100 visible ASCII characters",
        ));
    }
    body.name.as_deref().map(handle).transpose()?;
    let name = body.name.as_deref();
    let (player, made) = managed::put(&context.pool, &bot, &external_ref, name).await?;
    let status = if made {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let mut answer = HttpResponseBuilder::new(status);
    if let (true, Some(handle)) = (made, &player.handle) {
        let url = format!("{}/v1/players/{handle}", context.public_url);
        answer.insert_header((LOCATION, url));
    }
    Ok(answer.json(ManagedPlayer {
        player: PlayerState::new(&player, &context),
        external_ref: external_ref.into_inner(),
    }))
}
