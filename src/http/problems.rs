//! The codes of all problems, each with its status and a page that explains it. Its
//! title and explanation stand in the catalogues, as `problem-` and the code.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, get, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::Context;
use super::error::ApiError;
use super::language::{self, Language};
use crate::render::words::Lang;

/// A kind of problem.
#[derive(Debug)]
pub struct Code {
    /// The stable word clients test for.
    pub code: &'static str,
    /// Its status.
    pub status: StatusCode,
}

impl Code {
    /// One line.
    pub fn title(&self, lang: Lang) -> String {
        lang.text(&format!("problem-{}", self.code))
    }

    /// What it means and what to do.
    pub fn explanation(&self, lang: Lang) -> String {
        lang.text(&format!("problem-{}.explanation", self.code))
    }
}

macro_rules! codes {
    ($($name:ident $status:ident $code:literal;)*) => {
        $(
            #[doc = concat!("`", $code, "`")]
            pub static $name: Code = Code {
                code: $code,
                status: StatusCode::$status,
            };
        )*
        /// All of them.
        pub static ALL: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    BAD_REQUEST BAD_REQUEST "bad_request";
    UNAUTHORIZED UNAUTHORIZED "unauthorized";
    NOT_SEATED FORBIDDEN "not_seated";
    MISSING_SCOPE FORBIDDEN "missing_scope";
    SEAT_TOKEN FORBIDDEN "seat_token";
    NOT_MANAGED FORBIDDEN "not_managed";
    ACTING FORBIDDEN "acting";
    NOT_INVITED FORBIDDEN "not_invited";
    UNKNOWN_PLAYER NOT_FOUND "unknown_player";
    UNKNOWN_TOKEN NOT_FOUND "unknown_token";
    UNKNOWN_WEBHOOK NOT_FOUND "unknown_webhook";
    UNKNOWN_DELIVERY NOT_FOUND "unknown_delivery";
    NOT_FOUND NOT_FOUND "not_found";
    UNKNOWN_PLY NOT_FOUND "unknown_ply";
    UNKNOWN_OFFER NOT_FOUND "unknown_offer";
    UNKNOWN_RULESET NOT_FOUND "unknown_ruleset";
    METHOD_NOT_ALLOWED METHOD_NOT_ALLOWED "method_not_allowed";
    NOT_ACCEPTABLE NOT_ACCEPTABLE "not_acceptable";
    REQUEST_TIMEOUT REQUEST_TIMEOUT "request_timeout";
    TOO_LARGE PAYLOAD_TOO_LARGE "payload_too_large";
    UNSUPPORTED_MEDIA_TYPE UNSUPPORTED_MEDIA_TYPE "unsupported_media_type";
    RANGE_NOT_SATISFIABLE RANGE_NOT_SATISFIABLE "range_not_satisfiable";
    NOT_STARTED CONFLICT "not_started";
    GAME_OVER CONFLICT "game_over";
    STALE_PLY CONFLICT "stale_ply";
    ALREADY_COMMITTED CONFLICT "already_committed";
    NOT_YOUR_TURN CONFLICT "not_your_turn";
    HANDLE_TAKEN CONFLICT "handle_taken";
    TOO_MANY_TOKENS CONFLICT "too_many_tokens";
    TOO_MANY_WEBHOOKS CONFLICT "too_many_webhooks";
    SEAT_TAKEN CONFLICT "seat_taken";
    OWN_GAME CONFLICT "own_game";
    CANNOT_ABORT CONFLICT "cannot_abort";
    CURSOR_RESET CONFLICT "cursor_reset";
    KEY_RUNNING CONFLICT "key_running";
    OFFER_IMPOSSIBLE CONFLICT "offer_impossible";
    OFFER_OPEN CONFLICT "offer_open";
    OWN_OFFER CONFLICT "own_offer";
    OFFER_CLOSED CONFLICT "offer_closed";
    IN_OPENING CONFLICT "in_opening";
    LINES_PART UNPROCESSABLE_ENTITY "lines_part";
    ILLEGAL_MOVE UNPROCESSABLE_ENTITY "illegal_move";
    KEY_REUSED UNPROCESSABLE_ENTITY "key_reused";
    BAD_INVITATION UNPROCESSABLE_ENTITY "bad_invitation";
    BAD_WEBHOOK_URL UNPROCESSABLE_ENTITY "bad_webhook_url";
    BAD_RULES UNPROCESSABLE_ENTITY "bad_rules";
    BAD_START UNPROCESSABLE_ENTITY "bad_start";
    VACATION_BUDGET UNPROCESSABLE_ENTITY "vacation_budget";
    RATE_LIMITED TOO_MANY_REQUESTS "rate_limited";
    UNAVAILABLE SERVICE_UNAVAILABLE "unavailable";
    INTERNAL INTERNAL_SERVER_ERROR "internal";
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
    title: String,
    /// What it means and what to do.
    explanation: String,
}

/// All kinds of problems.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProblemList {
    items: Vec<ProblemPage>,
}

fn page(context: &Context, code: &Code, lang: Lang) -> ProblemPage {
    ProblemPage {
        kind: format!("{}/problems/{}", context.public_url, code.code),
        code: code.code,
        status: code.status.as_u16(),
        title: code.title(lang),
        explanation: code.explanation(lang),
    }
}

/// Every kind of problem there is
#[utoipa::path(tag = "about", operation_id = "listProblems",
    responses((status = 200, description = "All of them", body = ProblemList)))]
#[get("/problems")]
pub(crate) async fn list(context: web::Data<Context>, Language(lang): Language) -> HttpResponse {
    let items = ALL.iter().map(|code| page(&context, code, lang)).collect();
    HttpResponse::Ok()
        .insert_header(language::header(lang))
        .json(ProblemList { items })
}

/// What a problem means and what to do
#[utoipa::path(tag = "about", operation_id = "getProblem",
    params(("code" = String, Path, description = "A problem's `code`", example = "stale_ply")),
    responses((status = 200, description = "The explanation", body = ProblemPage)))]
#[get("/problems/{code}")]
pub(crate) async fn show(
    context: web::Data<Context>,
    Language(lang): Language,
    code: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let found = ALL
        .iter()
        .find(|found| found.code == *code)
        .ok_or(ApiError::NotFound)?;
    let page = page(&context, found, lang);
    Ok(HttpResponse::Ok()
        .insert_header(language::header(lang))
        .json(page))
}
