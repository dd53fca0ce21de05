//! The codes of all problems, each with its status and a page that explains it.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, get, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::Context;
use super::error::ApiError;

/// A kind of problem.
#[derive(Debug)]
pub struct Code {
    /// The stable word clients test for.
    pub code: &'static str,
    /// Its status.
    pub status: StatusCode,
    /// One line.
    pub title: &'static str,
    /// What it means and what to do.
    pub explanation: &'static str,
}

macro_rules! codes {
    ($($name:ident $status:ident $code:literal $title:literal $explanation:literal;)*) => {
        $(
            #[doc = $title]
            pub static $name: Code = Code {
                code: $code,
                status: StatusCode::$status,
                title: $title,
                explanation: $explanation,
            };
        )*
        /// All of them.
        pub static ALL: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    BAD_REQUEST BAD_REQUEST "bad_request" "The request is malformed"
        "The body, the path or the query does not have the documented form. `parameter` names the \
         part that is wrong, `detail` says how.";
    UNAUTHORIZED UNAUTHORIZED "unauthorized" "A valid token is needed"
        "Send `Authorization: Bearer mp_…` with the token of a player or a seat. It is missing here, \
         unknown, revoked, expired, or not in that form. A token that is sent must be valid even where none is needed.";
    NOT_SEATED FORBIDDEN "not_seated" "The token opens no seat of this game"
        "Only the two seats of a game can do this, each with its own token.";
    MISSING_SCOPE FORBIDDEN "missing_scope" "The token is not good for this"
        "A player's token has scopes; this request needs one that it lacks. `GET /v1/me` shows them.";
    SEAT_TOKEN FORBIDDEN "seat_token" "A seat's token has no account"
        "Tokens of single seats are good for their game alone. Sign up with `POST /v1/players`.";
    NOT_MANAGED FORBIDDEN "not_managed" "The bot does not play for that player"
        "`Mancala-Act-As` names somebody whom this bot made with `PUT /v1/managed-players/{external_ref}`; \
         another bot's people are not there for it.";
    ACTING FORBIDDEN "acting" "This is the bot's own matter"
        "Tokens, and the people a bot plays for, are the bot's: send the request without `Mancala-Act-As`.";
    NOT_INVITED FORBIDDEN "not_invited" "The seat is kept for somebody else"
        "The free seat of this game is for the player who was invited by name, or for whoever \
         brings its invite token.";
    UNKNOWN_PLAYER NOT_FOUND "unknown_player" "There is no such player"
        "Nobody has this handle. Upper and lower case do not matter.";
    UNKNOWN_TOKEN NOT_FOUND "unknown_token" "There is no such token"
        "The player has no token with this id; it may have been revoked.";
    UNKNOWN_WEBHOOK NOT_FOUND "unknown_webhook" "There is no such webhook"
        "The player has no webhook with this id. `GET /v1/webhooks` lists them.";
    UNKNOWN_DELIVERY NOT_FOUND "unknown_delivery" "The webhook has no such delivery"
        "A delivery is named by its event's id and kept for 30 days. What is older, or was never \
         sent, can be replayed from a cursor.";
    NOT_FOUND NOT_FOUND "not_found" "There is nothing here"
        "No such path, or no such game, or a private game that this caller may not see.";
    UNKNOWN_PLY NOT_FOUND "unknown_ply" "The log has no such row"
        "`at_ply`, or a board's `ply`, lies beyond the end of the log or below 0, or names a row that \
         was taken back.";
    UNKNOWN_OFFER NOT_FOUND "unknown_offer" "The game has no such offer"
        "Offers are counted from 1 within a game.";
    UNKNOWN_RULESET NOT_FOUND "unknown_ruleset" "There is no such ruleset"
        "`GET /v1/rulesets` lists them.";
    METHOD_NOT_ALLOWED METHOD_NOT_ALLOWED "method_not_allowed" "This path does not take this method"
        "The header `Allow` lists the methods it takes.";
    NOT_ACCEPTABLE NOT_ACCEPTABLE "not_acceptable" "None of the formats asked for can be given"
        "The header `Accept` names no format that this path answers in; `detail` lists those it has.";
    REQUEST_TIMEOUT REQUEST_TIMEOUT "request_timeout" "The request did not come in time"
        "The body had not come to its end when the request's time was up. Nothing was done; the \
         connection is closed. Send it again on another one.";
    TOO_LARGE PAYLOAD_TOO_LARGE "payload_too_large" "The body is too large"
        "A body may have 64 KiB.";
    UNSUPPORTED_MEDIA_TYPE UNSUPPORTED_MEDIA_TYPE "unsupported_media_type" "The body is not JSON"
        "Send the body as JSON with `Content-Type: application/json`.";
    NOT_STARTED CONFLICT "not_started" "The game has not started"
        "A seat is still free. The game starts when both are taken.";
    GAME_OVER CONFLICT "game_over" "The game is over"
        "Nothing can be played any more. `game` is its last state.";
    STALE_PLY CONFLICT "stale_ply" "The game has moved on"
        "`after_ply` must be the number of rows in the log, `current_ply`. `game` is the current \
         state: look at it and choose anew. The same choice that was played before with the same \
         `after_ply` is answered with its stored row instead.";
    ALREADY_COMMITTED CONFLICT "already_committed" "A committed choice cannot be changed"
        "This seat's secret choice of the opening waits for the other seat's.";
    NOT_YOUR_TURN CONFLICT "not_your_turn" "It is the other seat's turn"
        "`to_move` in the game's state names the seats that owe a choice.";
    HANDLE_TAKEN CONFLICT "handle_taken" "The handle is taken"
        "Handles are unique without regard to upper and lower case.";
    TOO_MANY_TOKENS CONFLICT "too_many_tokens" "The player has too many tokens"
        "A player may have 100 tokens that have not expired. Revoke one: `GET /v1/me/tokens` lists \
         them.";
    TOO_MANY_WEBHOOKS CONFLICT "too_many_webhooks" "The player has too many webhooks"
        "A player may have 50. One without `game_id` covers all of the player's games.";
    SEAT_TAKEN CONFLICT "seat_taken" "The seat is not free any more"
        "Somebody else joined first, or the game never had a free seat.";
    OWN_GAME CONFLICT "own_game" "Nobody plays against themselves"
        "The free seat of a game is for somebody other than its creator.";
    CANNOT_ABORT CONFLICT "cannot_abort" "The game has gone too far to be aborted"
        "A game can be aborted until both seats have made their first choice; after that, resign.";
    CURSOR_RESET CONFLICT "cursor_reset" "The cursor points into another log"
        "The database was set back in time since the cursor was given. Read the log from the start \
         (`after=0`) or from now on (without `after`).";
    KEY_RUNNING CONFLICT "key_running" "The first request with this key is still running"
        "Try again in a moment: the same key and body get the first request's answer.";
    OFFER_IMPOSSIBLE CONFLICT "offer_impossible" "The offer cannot be made or accepted here"
        "The rules or the position do not allow it; `detail` says why.";
    OFFER_OPEN CONFLICT "offer_open" "Such an offer is open already"
        "One offer of a kind can be open in a game. Answer that one, or wait for its answer.";
    OWN_OFFER CONFLICT "own_offer" "An offer is answered by the other seat"
        "The seat that made an offer can neither accept nor decline it.";
    OFFER_CLOSED CONFLICT "offer_closed" "The offer does not wait for an answer any more"
        "It was answered before, or a later row of the log made it void.";
    IN_OPENING CONFLICT "in_opening" "The opening is not over"
        "Conditional moves can be laid down when both seats' openings are over: until then each \
         choice is a secret.";
    LINES_PART UNPROCESSABLE_ENTITY "lines_part" "Two lines part at a choice of your own"
        "Lines may part where the other seat chooses. Where the choice is yours, all lines that \
         come to the same place must go on alike; `parameter` names the one that does not.";
    ILLEGAL_MOVE UNPROCESSABLE_ENTITY "illegal_move" "The rules do not allow this choice"
        "`legal_moves` lists what they allow; `index` or `parameter` says which of several choices it is.";
    KEY_REUSED UNPROCESSABLE_ENTITY "key_reused" "The Idempotency-Key belongs to another request"
        "A key stands for one request, the body included, for a day. Use a new one.";
    BAD_INVITATION UNPROCESSABLE_ENTITY "bad_invitation" "Nobody can be invited like this"
        "The opponent does not exist, is the creator, or a private game was to be open to anyone.";
    BAD_WEBHOOK_URL UNPROCESSABLE_ENTITY "bad_webhook_url" "Messages cannot be sent to this URL"
        "A webhook's URL begins with `https://`, holds no user and no fragment, and leads to an \
         address of the public internet; `detail` says what is wrong.";
    BAD_RULES UNPROCESSABLE_ENTITY "bad_rules" "The rules cannot be played"
        "`parameter` names the parameter that is unknown, meaningless for the ruleset or out of \
         range. `GET /v1/rulesets/{name}` lists the parameters.";
    BAD_START UNPROCESSABLE_ENTITY "bad_start" "The custom start cannot be played"
        "The start does not read as a position, or breaks a condition that `detail` names.";
    VACATION_BUDGET UNPROCESSABLE_ENTITY "vacation_budget" "The holiday is longer than what is left"
        "A player has 30 days of holidays in each calendar year (UTC), of which the time really spent \
         counts. One over New Year takes from both years. `detail` says how much is left; `GET /v1/me` \
         shows what is left of this year.";
    RATE_LIMITED TOO_MANY_REQUESTS "rate_limited" "Too many requests in a short time"
        "A token, or an address without one, may send so many requests a minute as the header \
         `RateLimit-Policy` says. Try again after the seconds of `Retry-After`.";
    UNAVAILABLE SERVICE_UNAVAILABLE "unavailable" "The server cannot answer just now"
        "The database is away or overloaded. Try again after the seconds of `Retry-After`; sending \
         the same move again is safe.";
    INTERNAL INTERNAL_SERVER_ERROR "internal" "Something is wrong in the server"
        "The server's log has the cause under this `request_id`.";
}

/// A kind of problem as the API lists it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProblemPage {
    /// The URL that stands in a problem's `type`.
    #[serde(rename = "type")]
    kind: String,
    /// The stable word that stands in a problem's `code`.
    code: &'static str,
    /// The status it comes with.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// One line.
    title: &'static str,
    /// What it means and what to do.
    explanation: &'static str,
}

/// All kinds of problems.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProblemList {
    items: Vec<ProblemPage>,
}

fn page(context: &Context, code: &Code) -> ProblemPage {
    ProblemPage {
        kind: format!("{}/problems/{}", context.public_url, code.code),
        code: code.code,
        status: code.status.as_u16(),
        title: code.title,
        explanation: code.explanation,
    }
}

/// Every kind of problem there is
#[utoipa::path(tag = "about", operation_id = "listProblems",
    responses((status = 200, description = "All of them", body = ProblemList)))]
#[get("/problems")]
pub(crate) async fn list(context: web::Data<Context>) -> HttpResponse {
    let items = ALL.iter().map(|code| page(&context, code)).collect();
    HttpResponse::Ok().json(ProblemList { items })
}

/// What a problem means and what to do
#[utoipa::path(tag = "about", operation_id = "getProblem",
    params(("code" = String, Path, description = "A problem's `code`", example = "stale_ply")),
    responses((status = 200, description = "The explanation", body = ProblemPage)))]
#[get("/problems/{code}")]
pub(crate) async fn show(
    context: web::Data<Context>,
    code: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let found = ALL
        .iter()
        .find(|found| found.code == *code)
        .ok_or(ApiError::NotFound)?;
    Ok(HttpResponse::Ok().json(page(&context, found)))
}
