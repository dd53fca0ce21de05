//! Buttons of a chat that were pressed; their ids are in `buttons`.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, HttpResponseBuilder, post, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::asking::Known;
use super::buttons::Action;
use super::error::{ApiError, Problem};
use super::language::{self, Language};
use super::moves::{REPLAYED, count};
use super::offers::OfferState;
use super::params::{Body, bad};
use super::rows::LogRow;
use super::state::GameState;
use super::{Context, boards};
use crate::play::moves::{self, Move, Moved};
use crate::play::{Caller, PlayError, View, answering, endings, log, view};
use crate::render::words::Lang;

/// A button that was pressed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionRequest {
    /// Its id, from a game's state or from the answer to another press.
    #[schema(
        pattern = "^([am]:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:(0|[1-9][0-9]{0,8})|[dr]:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}):(0|[1-9][0-9]{0,8})$|^R:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:(0|[1-9][0-9]{0,8}):(south|north)$",
        example = "m:01935f3e-7b2a-7000-8000-000000000000:0:1"
    )]
    action: String,
}

/// What a press brought about.
#[derive(Debug, Serialize, ToSchema)]
pub struct ActionAnswer {
    /// What it was.
    done: Done,
    /// The row of the log that it made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    row: Option<LogRow>,
    /// The offer that it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    offer: Option<OfferState>,
    /// The id of the button that does what this one only asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 64)]
    confirm: Option<String>,
    /// The presser's secret token in an accepted rematch, for somebody without an
    /// account: shown this once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    seat_token: Option<String>,
    /// The game as it is now.
    game: GameState,
}

/// What a press brought about.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Done {
    /// A choice became a row of the log.
    Played,
    /// A choice waits, in secret, for the other seat's.
    Committed,
    /// An offer was accepted.
    Accepted,
    /// An offer was declined.
    Declined,
    /// Nothing yet: `confirm` names the button that does it.
    Asked,
    /// The game was given up.
    Resigned,
}

/// Press a button
///
/// Its id is the `action` of a legal move, or stands in a game's `actions`. A choice pressed twice moves once: the answer
/// is its stored row (200, `Idempotent-Replayed: true`). `resign` only asks, and
/// answers with the id of the button that resigns. An old button is 409 with the
/// game as it is now, and its board as text.
#[utoipa::path(tag = "games", operation_id = "pressButton", request_body = ActionRequest,
    responses(
        (status = 201, description = "A choice was played", body = ActionAnswer),
        (status = 200, description = "It is done, now or before; or `confirm` is asked for", body = ActionAnswer,
         headers(("Idempotent-Replayed" = bool, description = "`true` when it had been done before"))),
        (status = 202, description = "A choice waits for the other seat's", body = ActionAnswer,
         headers(("Idempotent-Replayed" = bool, description = "`true` when it had been committed before"))),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`, `unknown_offer`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`, `game_over`, `stale_ply`, `already_committed`, `not_your_turn`, \
                                      `own_offer`, `offer_closed`, `offer_impossible`; with `game` and `board`",
         body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`illegal_move`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/actions")]
pub(crate) async fn press(
    context: web::Data<Context>,
    Known(caller): Known,
    Language(lang): Language,
    Body(request): Body<ActionRequest>,
) -> Result<HttpResponse, ApiError> {
    let read = Action::read(&request.action);
    let (game, action) = read.ok_or_else(|| bad("action", "is not the id of a button"))?;
    match act(&context, &caller, game, action).await {
        Ok(pressed) => pressed.answer(&context, lang),
        Err(ApiError::Play(cause)) => Err(old_button(&context, &caller, game, lang, cause).await),
        Err(other) => Err(other),
    }
}

/// What came of a press.
struct Pressed {
    status: StatusCode,
    replayed: bool,
    done: Done,
    row: Option<log::LogRow>,
    offer: Option<OfferState>,
    confirm: Option<String>,
    seat_token: Option<String>,
    view: View,
}

impl Pressed {
    fn new(done: Done, view: View) -> Pressed {
        Pressed {
            status: StatusCode::OK,
            replayed: false,
            done,
            row: None,
            offer: None,
            confirm: None,
            seat_token: None,
            view,
        }
    }

    fn answer(self, context: &Context, lang: Lang) -> Result<HttpResponse, ApiError> {
        let mut answer = HttpResponseBuilder::new(self.status);
        if self.replayed {
            answer.insert_header(REPLAYED);
        }
        answer.insert_header(language::header(lang));
        let row = self.row.map(|row| LogRow::new(row, lang)).transpose()?;
        Ok(answer.json(ActionAnswer {
            done: self.done,
            row,
            offer: self.offer,
            confirm: self.confirm,
            seat_token: self.seat_token,
            game: GameState::new(&self.view, &context.public_url),
        }))
    }
}

async fn act(
    context: &Context,
    caller: &Caller,
    game: Uuid,
    action: Action,
) -> Result<Pressed, ApiError> {
    let pool = &context.pool;
    Ok(match action {
        Action::Move { after_ply, house } => {
            let sent = Move {
                after_ply,
                house,
                message: None,
                offer: None,
            };
            let moved = moves::submit(&context.reads, caller, game, sent).await?;
            count(&moved);
            match moved {
                Moved::Played {
                    row,
                    view,
                    replayed,
                } => Pressed {
                    status: if replayed {
                        StatusCode::OK
                    } else {
                        StatusCode::CREATED
                    },
                    replayed,
                    row: Some(*row),
                    ..Pressed::new(Done::Played, *view)
                },
                Moved::Committed { view, replayed } => Pressed {
                    status: StatusCode::ACCEPTED,
                    replayed,
                    ..Pressed::new(Done::Committed, *view)
                },
            }
        }
        Action::Accept { offer, after_ply } => {
            let offered =
                answering::accept_alone(pool, caller, game, offer.into(), after_ply).await?;
            Pressed {
                replayed: offered.replayed,
                offer: Some(OfferState::new(&offered.offer)),
                seat_token: offered.seat_token,
                ..Pressed::new(Done::Accepted, offered.view)
            }
        }
        Action::Decline { offer } => {
            let offered = answering::decline(pool, caller, game, offer.into()).await?;
            Pressed {
                replayed: offered.replayed,
                offer: Some(OfferState::new(&offered.offer)),
                ..Pressed::new(Done::Declined, offered.view)
            }
        }
        Action::Resign { after_ply } => {
            let view = endings::may_resign(pool, caller, game, after_ply).await?;
            let seat = view.table.seat_of(caller).ok_or(PlayError::NotSeated)?;
            Pressed {
                confirm: Some(Action::Resigned { after_ply, seat }.id(game)),
                ..Pressed::new(Done::Asked, view)
            }
        }
        Action::Resigned { after_ply, seat } => {
            // In a chat others see the button as well: it is the asked seat's alone.
            let before = view::present(&context.reads, caller, game).await?;
            if before.table.seat_of(caller) != Some(seat) {
                return Err(PlayError::NotSeated.into());
            }
            let view = endings::resign(pool, caller, game, Some(after_ply)).await?;
            Pressed {
                replayed: before.status() == "finished",
                ..Pressed::new(Done::Resigned, view)
            }
        }
    })
}

/// A button whose time has passed comes with the game as it is now: that is what
/// its message is to show instead.
async fn old_button(
    context: &Context,
    caller: &Caller,
    game: Uuid,
    lang: Lang,
    cause: PlayError,
) -> ApiError {
    let cause = ApiError::Play(cause);
    if cause.code().status != StatusCode::CONFLICT {
        return cause;
    }
    let shown = async {
        let view = view::present(&context.reads, caller, game).await?;
        let board = boards::drawn(context, caller, &view, lang).await?;
        Ok::<_, ApiError>((view, board))
    };
    match shown.await {
        Ok((view, board)) => ApiError::OldButton {
            cause: Box::new(cause),
            view: Box::new(view),
            board,
        },
        Err(other) => other,
    }
}
