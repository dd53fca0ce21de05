//! Conditional moves: secret lines of coming plies, for their own seat alone.

use actix_web::{HttpResponse, delete, get, put, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Context;
use super::asking::{Known, KnownReading};
use super::error::{ApiError, Problem};
use super::params::{self, Body, GameId};
use crate::db::pool;
use crate::play::conditionals::{self, Lines, MOST_PLIES};

/// Lines of coming plies.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "after_ply": 12, "lines": [[3, 5, 2], [4, 1]] }))]
pub struct ConditionalsRequest {
    /// The `ply` of the state that the sender saw.
    #[schema(minimum = 0)]
    after_ply: i32,
    /// Each line lists the houses of all coming plies, those of both seats: the
    /// rules say whose each is. At most 200 plies in all; no lines: none.
    #[schema(value_type = Vec<Vec<House>>, max_items = 200)]
    lines: Vec<Vec<u32>>,
}

/// A house, counted from its seat's left hand.
#[derive(ToSchema)]
#[schema(minimum = 1, maximum = 15)]
#[allow(dead_code)]
struct House(u32);

/// What waits of the caller's lines.
#[derive(Serialize, ToSchema)]
pub struct ConditionalsState {
    /// The log's length that the lines begin after: that of now.
    #[schema(minimum = 0)]
    after_ply: i32,
    /// Houses of both seats, in the order of play.
    lines: Vec<Vec<u8>>,
}

fn answer(lines: Lines) -> HttpResponse {
    HttpResponse::Ok().json(ConditionalsState {
        after_ply: lines.after_ply,
        lines: lines.lines,
    })
}

/// Lay down what I play next, if the game comes to it
///
/// Takes the place of the caller's lines. Lines may share their beginnings and
/// part where the other seat chooses; where the choice is the caller's, they must
/// go on alike. When a ply is played, lines that begin otherwise are dropped, the
/// others follow it, and if they say what the caller plays now, that is played at
/// once: whole chains, of both seats, up to 50 plies. Nothing is played with a choice
/// that brings an offer, in a pause, and while the other seat's offer about the
/// position (any but a pause) waits for the caller: then the caller sends the ply.
/// A takeback drops all lines. Nobody else learns of them.
#[utoipa::path(tag = "games", operation_id = "putConditionals", request_body = ConditionalsRequest,
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 200, description = "The lines that wait", body = ConditionalsState),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`, `game_over`, `in_opening`, `stale_ply`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`illegal_move`, `lines_part`: `parameter` names the place, such as `lines[1][2]`",
         body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[put("/v1/games/{id}/conditionals")]
pub(crate) async fn lay_down(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
    Body(body): Body<ConditionalsRequest>,
) -> Result<HttpResponse, ApiError> {
    let after_ply = params::ply("after_ply", body.after_ply)?;
    let lines = body.lines.len();
    if lines > MOST_PLIES {
        let why = format!("are {lines}, {MOST_PLIES} are allowed");
        return Err(params::bad("lines", &why));
    }
    let plies: usize = body.lines.iter().map(Vec::len).sum();
    if plies > MOST_PLIES {
        let why = format!("have {plies} plies in all, {MOST_PLIES} are allowed");
        return Err(params::bad("lines", &why));
    }
    let lines = conditionals::lay_down(&context.pool, &caller, id, after_ply, &body.lines);
    Ok(answer(lines.await?))
}

/// What waits of my conditional moves
#[utoipa::path(tag = "games", operation_id = "getConditionals",
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 200, description = "The lines that wait; none once the game is over", body = ConditionalsState),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[get("/v1/games/{id}/conditionals")]
pub(crate) async fn show(
    context: web::Data<Context>,
    KnownReading(caller): KnownReading,
    GameId(id): GameId,
) -> Result<HttpResponse, ApiError> {
    let mut db = pool::snapshot(&context.pool).await?;
    Ok(answer(conditionals::show(&mut db, &caller, id).await?))
}

/// Drop my conditional moves
#[utoipa::path(tag = "games", operation_id = "deleteConditionals",
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 204, description = "None waits"),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[delete("/v1/games/{id}/conditionals")]
pub(crate) async fn drop_all(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
) -> Result<HttpResponse, ApiError> {
    conditionals::drop_all(&context.pool, &caller, id).await?;
    Ok(HttpResponse::NoContent().finish())
}
