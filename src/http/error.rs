//! The one door of errors: what can go wrong, the code each becomes, and the
//! `application/problem+json` (RFC 9457) it is answered with.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use mancala_rules::Seat;
use serde::Serialize;
use utoipa::ToSchema;

use super::language;
use super::problems::{self, Code};
use super::state::{GameState, LegalMove};
use crate::play::simulate::Refused;
use crate::play::{PlayError, View};
use crate::render::words::Lang;

/// Seconds after which a client may try again.
const RETRY_AFTER: &str = "1";

/// Whatever a request can be refused for.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ApiError {
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error("{detail}")]
    BadRequest {
        detail: String,
        parameter: Option<String>,
    },
    #[error("{0}")]
    Unauthorized(&'static str),
    #[error("the token is not good for `{0}`")]
    MissingScope(&'static str),
    #[error("a seat's token has no account: this is for players")]
    SeatToken,
    #[error("this is the bot's own matter: send it without `Mancala-Act-As`")]
    Acting,
    #[error("there is nothing under this path")]
    NotFound,
    #[error("there is no ruleset {0:?}")]
    UnknownRuleset(String),
    #[error("`ruleset`: there is no ruleset {name:?}; there are {known}")]
    BadRuleset { name: String, known: String },
    #[error("this path takes {allow}")]
    MethodNotAllowed { allow: String },
    #[error("this path answers in {0}")]
    NotAcceptable(String),
    #[error("a body may have {0} bytes")]
    TooLarge(usize),
    #[error("{0}")]
    UnsupportedMediaType(&'static str),
    /// A body that is compressed.
    #[error("the body must come as it is, without `Content-Encoding`")]
    PackedBody,
    #[error("{0}")]
    Refused(#[from] Refused),
    #[error("the event log was set back in time: read it from the start, or from now on")]
    CursorReset,
    #[error("`url` {0}")]
    BadWebhookUrl(&'static str),
    #[error("the file has {0} bytes")]
    RangeNotSatisfiable(u64),
    #[error("too many requests in a short time")]
    RateLimited,
    #[error("the request's body did not come to its end in time")]
    RequestTimeout,
    #[error("the request was not answered in time")]
    Unavailable,
    #[error(
        "the replica that research reads from does not answer just now; games go on: try again"
    )]
    ReplicaAway,
    #[error("{cause}")]
    OldButton {
        cause: Box<ApiError>,
        view: Box<View>,
        board: String,
    },
    #[error("{0}")]
    Internal(String),
}

impl From<sqlx::Error> for ApiError {
    fn from(cause: sqlx::Error) -> Self {
        ApiError::Play(PlayError::Database(cause))
    }
}

/// An error of HTTP's own, such as RFC 9457 describes it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Problem {
    /// A URL that explains this kind of problem.
    #[serde(rename = "type")]
    #[schema(format = "uri", example = "http://127.0.0.1:8080/problems/stale_ply")]
    kind: String,
    /// One line about the kind, in the language asked for.
    title: String,
    /// The response's status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What is wrong with this request, in English.
    detail: String,
    /// The path that was asked for.
    instance: String,
    /// The kind as a stable word.
    #[schema(example = "stale_ply")]
    code: &'static str,
    /// Names this request in the server's log.
    request_id: String,
    /// The part of the request, or the parameter of the rules, that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    parameter: Option<String>,
    /// In `simulate`, which of the choices is illegal, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    index: Option<usize>,
    /// What the rules would allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    legal_moves: Option<Vec<LegalMove>>,
    /// The number of rows that the game's log has by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0)]
    current_ply: Option<i32>,
    /// The game's current state.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    game: Option<Box<GameState>>,
    /// To an old button: the game's board as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    board: Option<String>,
}

impl ApiError {
    /// The one place where an error gets its code, and by that its status.
    pub fn code(&self) -> &'static Code {
        use PlayError as P;
        match self {
            ApiError::OldButton { cause, .. } => cause.code(),
            ApiError::BadRequest { .. } | ApiError::Play(P::BadUntil(_)) => &problems::BAD_REQUEST,
            ApiError::Play(P::VacationBudget { .. }) => &problems::VACATION_BUDGET,
            ApiError::Unauthorized(_) | ApiError::Play(P::PlayerLeft) => &problems::UNAUTHORIZED,
            ApiError::MissingScope(_) | ApiError::Play(P::LacksScope(_)) => {
                &problems::MISSING_SCOPE
            }
            ApiError::SeatToken => &problems::SEAT_TOKEN,
            ApiError::Acting => &problems::ACTING,
            ApiError::Play(P::NotManaged(_)) => &problems::NOT_MANAGED,
            ApiError::Play(P::HandleTaken(_)) => &problems::HANDLE_TAKEN,
            ApiError::Play(P::TooManyTokens(_)) => &problems::TOO_MANY_TOKENS,
            ApiError::Play(P::TooManyWebhooks(_)) => &problems::TOO_MANY_WEBHOOKS,
            ApiError::Play(P::NoSuchWebhook) => &problems::UNKNOWN_WEBHOOK,
            ApiError::Play(P::NoSuchDelivery) => &problems::UNKNOWN_DELIVERY,
            ApiError::BadWebhookUrl(_) => &problems::BAD_WEBHOOK_URL,
            ApiError::Play(P::NoSuchPlayer(_)) => &problems::UNKNOWN_PLAYER,
            ApiError::Play(P::NoSuchToken) => &problems::UNKNOWN_TOKEN,
            ApiError::Play(P::BadInvitation(_)) => &problems::BAD_INVITATION,
            ApiError::Play(P::SeatTaken) => &problems::SEAT_TAKEN,
            ApiError::Play(P::OwnGame) => &problems::OWN_GAME,
            ApiError::Play(P::NotInvited(_)) => &problems::NOT_INVITED,
            ApiError::Play(P::CannotAbort) => &problems::CANNOT_ABORT,
            ApiError::Play(P::KeyRunning) => &problems::KEY_RUNNING,
            ApiError::Play(P::KeyReused) => &problems::KEY_REUSED,
            ApiError::NotFound | ApiError::Play(P::NoSuchGame) => &problems::NOT_FOUND,
            ApiError::UnknownRuleset(_) => &problems::UNKNOWN_RULESET,
            ApiError::MethodNotAllowed { .. } => &problems::METHOD_NOT_ALLOWED,
            ApiError::NotAcceptable(_) => &problems::NOT_ACCEPTABLE,
            ApiError::TooLarge(_) => &problems::TOO_LARGE,
            ApiError::UnsupportedMediaType(_) | ApiError::PackedBody => {
                &problems::UNSUPPORTED_MEDIA_TYPE
            }
            ApiError::Refused(_) | ApiError::Play(P::Illegal { .. } | P::BadLine { .. }) => {
                &problems::ILLEGAL_MOVE
            }
            ApiError::Play(P::LinesPart { .. }) => &problems::LINES_PART,
            ApiError::Play(P::InOpening) => &problems::IN_OPENING,
            ApiError::Play(P::NotSeated) => &problems::NOT_SEATED,
            ApiError::Play(P::NotStarted) => &problems::NOT_STARTED,
            ApiError::Play(P::GameOver(_)) => &problems::GAME_OVER,
            ApiError::Play(P::StalePly { .. }) => &problems::STALE_PLY,
            ApiError::Play(P::AlreadyCommitted(_)) => &problems::ALREADY_COMMITTED,
            ApiError::Play(P::NotYourTurn(_)) => &problems::NOT_YOUR_TURN,
            ApiError::Play(P::UnknownPly(_)) => &problems::UNKNOWN_PLY,
            ApiError::Play(P::NoSuchOffer(_)) => &problems::UNKNOWN_OFFER,
            ApiError::Play(P::OfferImpossible(_)) => &problems::OFFER_IMPOSSIBLE,
            ApiError::Play(P::OfferOpen(_)) => &problems::OFFER_OPEN,
            ApiError::Play(P::OwnOffer) => &problems::OWN_OFFER,
            ApiError::Play(P::OfferClosed(_)) => &problems::OFFER_CLOSED,
            ApiError::BadRuleset { .. } | ApiError::Play(P::BadRules(_)) => &problems::BAD_RULES,
            ApiError::Play(P::BadPosition(_) | P::BadStart(_)) => &problems::BAD_START,
            ApiError::Play(P::Database(cause)) if is_transient(cause) => &problems::UNAVAILABLE,
            ApiError::CursorReset => &problems::CURSOR_RESET,
            ApiError::RangeNotSatisfiable(_) => &problems::RANGE_NOT_SATISFIABLE,
            ApiError::RateLimited => &problems::RATE_LIMITED,
            ApiError::RequestTimeout => &problems::REQUEST_TIMEOUT,
            ApiError::Unavailable | ApiError::ReplicaAway => &problems::UNAVAILABLE,
            ApiError::Internal(_)
            | ApiError::Play(P::Corrupt(_) | P::Database(_) | P::Waiting(_)) => &problems::INTERNAL,
        }
    }

    /// Adds what helps to go on.
    fn help(&self, problem: &mut Problem, public_url: &str) {
        let legal = |moves: &[(Seat, u8)]| {
            Some(
                moves
                    .iter()
                    .map(|&(seat, house)| LegalMove::plain(seat, house))
                    .collect(),
            )
        };
        match self {
            ApiError::BadRequest { parameter, .. } => problem.parameter = parameter.clone(),
            ApiError::Play(PlayError::BadInvitation(_)) => {
                problem.parameter = Some("opponent".into());
            }
            ApiError::BadWebhookUrl(_) => problem.parameter = Some("url".into()),
            ApiError::Play(PlayError::BadUntil(_) | PlayError::VacationBudget { .. }) => {
                problem.parameter = Some("until".into());
            }
            ApiError::BadRuleset { .. } => problem.parameter = Some("ruleset".into()),
            ApiError::Refused(refused) => {
                problem.index = Some(refused.index);
                problem.legal_moves = legal(&refused.legal);
            }
            ApiError::Play(PlayError::Illegal { legal: moves, .. }) => {
                problem.legal_moves = legal(moves);
            }
            ApiError::Play(PlayError::BadLine {
                line,
                ply,
                legal: moves,
                ..
            }) => {
                problem.parameter = Some(format!("lines[{line}][{ply}]"));
                problem.legal_moves = legal(moves);
            }
            ApiError::Play(PlayError::LinesPart { line, ply }) => {
                problem.parameter = Some(format!("lines[{line}][{ply}]"));
            }
            ApiError::Play(PlayError::BadRules(cause)) => {
                problem.parameter = Some(cause.parameter.clone());
            }
            ApiError::Play(PlayError::BadPosition(_) | PlayError::BadStart(_)) => {
                problem.parameter = Some("start".into());
            }
            ApiError::Play(PlayError::StalePly { view, .. } | PlayError::GameOver(view)) => {
                problem.current_ply = Some(view.ply);
                problem.game = Some(Box::new(GameState::new(view, public_url)));
            }
            ApiError::OldButton { view, board, .. } => {
                problem.current_ply = Some(view.ply);
                problem.game = Some(Box::new(GameState::new(view, public_url)));
                problem.board = Some(board.clone());
            }
            _ => {}
        }
    }

    /// Writes the cause of a failure into the log: an error if it is the server's own,
    /// a warning if the same may well succeed later.
    pub(super) fn log(&self) {
        match self.code().status {
            StatusCode::INTERNAL_SERVER_ERROR => {
                tracing::error!(error = ?self, "request failed");
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                tracing::warn!(error = ?self, "request could not be answered");
            }
            _ => {}
        }
    }

    /// The answer, complete.
    pub fn answer(
        &self,
        public_url: &str,
        instance: &str,
        request_id: &str,
        lang: Lang,
    ) -> HttpResponse {
        let code = self.code();
        // The client learns nothing of a failure's cause; the log everything.
        self.log();
        let detail = match code.status {
            StatusCode::INTERNAL_SERVER_ERROR => {
                format!("the server's log has the cause under request {request_id}")
            }
            // Its cause was logged.
            _ if matches!(self, ApiError::ReplicaAway) => self.to_string(),
            StatusCode::SERVICE_UNAVAILABLE => {
                "the server cannot answer just now; try again".to_owned()
            }
            _ => self.to_string(),
        };
        let mut answer = HttpResponseBuilder::new(code.status);
        answer.content_type("application/problem+json");
        answer.insert_header(language::header(lang));
        match self {
            _ if code.status == StatusCode::UNAUTHORIZED => {
                answer.insert_header(("WWW-Authenticate", "Bearer"));
            }
            ApiError::MethodNotAllowed { allow } => {
                answer.insert_header(("Allow", allow.as_str()));
            }
            ApiError::PackedBody => {
                answer.insert_header(("Accept-Encoding", "identity"));
            }
            ApiError::RangeNotSatisfiable(bytes) => {
                answer.insert_header(("Content-Range", format!("bytes */{bytes}")));
            }
            _ if code.status == StatusCode::SERVICE_UNAVAILABLE => {
                answer.insert_header(("Retry-After", RETRY_AFTER));
            }
            _ => {}
        }
        let mut problem = Problem {
            kind: format!("{public_url}/problems/{}", code.code),
            title: code.title(lang),
            status: code.status.as_u16(),
            detail,
            instance: instance.to_owned(),
            code: code.code,
            request_id: request_id.to_owned(),
            parameter: None,
            index: None,
            legal_moves: None,
            current_ply: None,
            game: None,
            board: None,
        };
        self.help(&mut problem, public_url);
        // `json` would set the content type anew only if there were none.
        answer.json(problem)
    }
}

/// Whether the same request may well succeed later: the database is away, the
/// pool exhausted, a lock or a statement took too long.
fn is_transient(cause: &sqlx::Error) -> bool {
    match cause {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(cause) => cause.code().is_some_and(|code| {
            // connection (08), access (28), a database that is not there (3D), as while
            // it is restored, serialisation and deadlock (40), resources (53), lock not
            // available and a database that takes no connections (55), operator
            // intervention (57), system (58)
            let class = code.get(..2).unwrap_or_default();
            ["08", "28", "3D", "40", "53", "55", "57", "58"].contains(&class) || code == "25P03"
                // A migration changed a table under a prepared statement: the next try
                // prepares it anew.
                || code == "0A000"
        }),
        _ => false,
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.code().status
    }

    /// Empty: `door` writes the answer, where the request is known.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}
