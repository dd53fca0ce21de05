//! Whether a stored game is what its log makes of it.

use actix_web::{HttpResponse, get, web};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Context;
use super::asking::Reading;
use super::error::{ApiError, Problem};
use super::params::GameId;
use crate::play::verify;

/// What a replay found.
#[derive(Debug, Serialize, ToSchema)]
pub struct Verdict {
    /// The game.
    game_id: Uuid,
    /// Whether every stored value is what the rules make of the log.
    ok: bool,
    /// Rows that were played again.
    #[schema(minimum = 0)]
    plies: usize,
    /// Where they part; empty when `ok`.
    differences: Vec<Difference>,
}

/// A stored value that the rules do not lead to.
#[derive(Debug, Serialize, ToSchema)]
pub struct Difference {
    /// The row; null: the game's own state.
    ply: Option<i32>,
    /// What differs.
    field: String,
    /// As stored.
    stored: Value,
    /// As the rules have it.
    replayed: Value,
}

/// Replay a game's log under its recorded rules and compare
#[utoipa::path(tag = "games", operation_id = "verifyGame",
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 200, description = "What the replay found", body = Verdict),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/games/{id}/verify")]
pub(crate) async fn run(
    context: web::Data<Context>,
    Reading(caller): Reading,
    GameId(id): GameId,
) -> Result<HttpResponse, ApiError> {
    let verdict = verify::verify(&context.pool, &caller, id).await?;
    let differences = verdict
        .differences
        .into_iter()
        .map(|difference| Difference {
            ply: difference.ply,
            field: difference.field,
            stored: difference.stored,
            replayed: difference.replayed,
        });
    let differences: Vec<_> = differences.collect();
    Ok(HttpResponse::Ok().json(Verdict {
        game_id: verdict.game_id,
        ok: differences.is_empty(),
        plies: verdict.plies,
        differences,
    }))
}
