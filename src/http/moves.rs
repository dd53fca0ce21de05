//! A seat's choice of a house.

use actix_web::{HttpResponse, HttpResponseBuilder, http::StatusCode, post, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::asking::Known;
use super::error::{ApiError, Problem};
use super::language::{self, Language};
use super::params::{self, Body, GameId};
use super::proposals::OfferInput;
use super::rows::LogRow;
use super::state::GameState;
use super::{Context, metrics};
use crate::play::View;
use crate::play::moves::{self, Move, Moved};

/// Marks an answer to something that was done before.
pub(super) const REPLAYED: (&str, &str) = ("Idempotent-Replayed", "true");

/// A choice.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "after_ply": 0, "house": 2 }))]
pub struct MoveRequest {
    /// The `ply` of the state that the sender saw.
    #[schema(minimum = 0)]
    after_ply: i32,
    /// The house, counted from the seat's left hand.
    #[schema(minimum = 1, maximum = 15)]
    house: u32,
    /// A few words, for the two seats only.
    #[schema(
        min_length = 1,
        max_length = 500,
        pattern = r"^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$"
    )]
    message: Option<String>,
    /// What is offered with it, at the position after it: both are done or none. A
    /// rematch, which only the last choice can bring, takes an account here: without
    /// one offer it by itself, since that answer shows a token.
    offer: Option<OfferInput>,
}

/// A choice that was played.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlayedMove {
    /// The seat's row of the log, with its sowing.
    row: LogRow,
    /// The game as it is now.
    game: GameState,
}

/// A choice that waits, in secret, for the other seat's.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommittedMove {
    /// Always true.
    committed: bool,
    /// The game as it is now; nothing in it tells the choice.
    game: GameState,
}

/// Choose a house
///
/// The same choice with the same `after_ply`, sent again by the same seat, makes
/// no second move: it is answered with the stored row and the current state
/// (200, or 202 for a choice that still waits) and `Idempotent-Replayed: true`.
/// Where a seat has laid down what it plays next, that is played at once as well:
/// then `game.ply` is larger than `row.ply`, and the log has the rows.
#[utoipa::path(tag = "games", operation_id = "submitMove", request_body = MoveRequest,
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 201, description = "It was played", body = PlayedMove),
        (status = 200, description = "It had been played before", body = PlayedMove,
         headers(("Idempotent-Replayed" = bool, description = "`true`"))),
        (status = 202, description = "It waits for the other seat's choice", body = CommittedMove,
         headers(("Idempotent-Replayed" = bool, description = "`true` when it had been committed before"))),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`, `game_over`, `stale_ply`, `already_committed`, `not_your_turn`, `offer_open`, `offer_impossible`",
         body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`illegal_move`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/games/{id}/moves")]
pub(crate) async fn submit(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
    Language(lang): Language,
    Body(body): Body<MoveRequest>,
) -> Result<HttpResponse, ApiError> {
    let sent = Move {
        after_ply: params::ply("after_ply", body.after_ply)?,
        house: body.house,
        message: params::text("message", body.message, 500)?,
        offer: body.offer.map(OfferInput::read).transpose()?,
    };
    let state = |view: &View| GameState::new(view, &context.public_url);
    let moved = moves::submit(&context.reads, &caller, id, sent).await?;
    count(&moved);
    match moved {
        Moved::Played {
            row,
            view,
            replayed,
        } => {
            let (row, game) = (LogRow::new(*row, lang)?, state(&view));
            Ok(answer(StatusCode::CREATED, replayed)
                .insert_header(language::header(lang))
                .json(PlayedMove { row, game }))
        }
        Moved::Committed { view, replayed } => {
            let mut answer = HttpResponse::Accepted();
            if replayed {
                answer.insert_header(REPLAYED);
            }
            Ok(answer.json(CommittedMove {
                committed: true,
                game: state(&view),
            }))
        }
    }
}

/// Counts what became of a choice.
pub(super) fn count(moved: &Moved) {
    let (view, outcome) = match moved {
        Moved::Played {
            view,
            replayed: true,
            ..
        }
        | Moved::Committed {
            view,
            replayed: true,
        } => (view, "replayed"),
        Moved::Played { view, .. } => (view, "played"),
        Moved::Committed { view, .. } => (view, "committed"),
    };
    metrics::choice(&view.table.game.ruleset, outcome);
}

/// `fresh` for something new; 200 with the mark for a replay.
pub(super) fn answer(fresh: StatusCode, replayed: bool) -> HttpResponseBuilder {
    if !replayed {
        return HttpResponseBuilder::new(fresh);
    }
    let mut answer = HttpResponse::Ok();
    answer.insert_header(REPLAYED);
    answer
}
