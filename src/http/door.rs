//! What every request passes on its way in and out: it is numbered, counted and
//! held to its time; its `Accept` is held against what the path answers in; and
//! whatever error comes back leaves as `application/problem+json`.

use std::time::{Duration, Instant};

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderName,
    HeaderValue, RETRY_AFTER, VARY,
};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpRequest, HttpResponse, ResponseError, web};
use tokio::time::timeout_at;
use tracing_actix_web::{RequestId, RootSpanBuilder};

use super::connection::Coming;
use super::error::ApiError;
use super::limits::Allowance;
use super::surface::Surface;
use super::{Context, accept, asking, events, language, metrics, params, shield};
use crate::render::words::Lang;

/// The header that names a request in answer and log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// What an answer may depend on.
const VARIES: &str = "Authorization, Accept, Accept-Language, Mancala-Act-As";

/// Names the request in every line that is logged for it, and nothing else of
/// it: an address or a query is nobody's business.
pub(crate) struct Numbered;

impl RootSpanBuilder for Numbered {
    fn on_request_start(request: &ServiceRequest) -> tracing::Span {
        let id = request
            .extensions()
            .get::<RequestId>()
            .map(ToString::to_string);
        tracing::info_span!("request", id = id.unwrap_or_default())
    }

    fn on_request_end<B: MessageBody>(_: tracing::Span, _: &Result<ServiceResponse<B>, Error>) {}
}

/// Marks a request whose answer's body nobody reads.
pub(super) struct HeadOnly;

/// What is known of a request before it is answered.
struct Visit {
    id: String,
    method: Method,
    path: String,
    known: bool,
    public_url: String,
    lang: Lang,
    came: Instant,
}

/// The middleware.
pub(crate) async fn door(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let visit = Visit::new(&request);
    // A HEAD is a GET whose body the connection leaves out.
    if request.method() == Method::HEAD {
        request.head_mut().method = Method::GET;
        request.extensions_mut().insert(HeadOnly);
    }
    request.extensions_mut().insert(visit.lang);
    let context = request.app_data::<web::Data<Context>>();
    let limit = context.map(|context| context.deadline);
    let bell = context.map(|context| context.feed.clone());
    // A long poll waits by its nature.
    let waits = if visit.path.ends_with("/events") {
        events::wait(request.query_string())
    } else {
        0
    };
    let limit = limit.unwrap_or(Duration::from_secs(30)) + Duration::from_secs(waits);
    let until = tokio::time::Instant::now() + limit;
    // The caller is looked for in the database, which takes its time as well.
    let admitted = timeout_at(until, admit(&request)).await;
    if let Err(refusal) = admitted.unwrap_or(Err(ApiError::Unavailable)) {
        let (request, _) = request.into_parts();
        let answer = visit.answer(&refusal);
        return Ok(visit.leave(ServiceResponse::new(request, answer), Some(&refusal)));
    }
    let coming = request.extensions().get::<Coming>().cloned();
    let Ok(answered) = timeout_at(until, next.call(request)).await else {
        // The request went with its handler: the answer is all there is.
        let cause = match coming {
            Some(coming) if coming.is_awaited() => ApiError::RequestTimeout,
            _ => ApiError::Unavailable,
        };
        return Err(Late(visit, cause).into());
    };
    let response = answered?.map_into_boxed_body();
    if let Some(feed) = bell
        && visit.method != Method::GET
        && visit.method != Method::HEAD
    {
        feed.ring();
    }
    // What others than our handlers refuse may be a status and nothing else.
    let status = response.status();
    let bare = (status.is_client_error() || status.is_server_error())
        && !response.headers().contains_key(CONTENT_TYPE);
    if response.response().error().is_none() && !bare {
        return Ok(visit.leave(response, None));
    }
    let (request, inner) = response.into_parts();
    let fallback;
    let error = match inner.error().and_then(|error| error.as_error::<ApiError>()) {
        Some(error) => error,
        None => {
            fallback = foreign(inner.error(), inner.status());
            &fallback
        }
    };
    let answer = visit.answer(error);
    Ok(visit.leave(ServiceResponse::new(request, answer), Some(error)))
}

impl Visit {
    fn new(request: &ServiceRequest) -> Visit {
        let context = request.app_data::<web::Data<Context>>();
        let id = request
            .extensions()
            .get::<RequestId>()
            .map(ToString::to_string);
        Visit {
            id: id.unwrap_or_default(),
            method: request.method().clone(),
            path: request.path().to_owned(),
            known: request.headers().contains_key(AUTHORIZATION),
            public_url: context
                .map(|context| context.public_url.clone())
                .unwrap_or_default(),
            lang: language::of(request),
            came: Instant::now(),
        }
    }

    /// The answer that an error leaves as.
    fn answer(&self, error: &ApiError) -> HttpResponse {
        error.answer(&self.public_url, &self.path, &self.id, self.lang)
    }

    /// Completes the answer, counts it and writes the log's line.
    fn leave(
        self,
        mut response: ServiceResponse<BoxBody>,
        error: Option<&ApiError>,
    ) -> ServiceResponse<BoxBody> {
        let request = response.request();
        let allowance = request.extensions().get::<Allowance>().copied();
        let route = request.match_pattern().unwrap_or_else(|| "unknown".into());
        let game_id = request
            .match_info()
            .get("id")
            .unwrap_or_default()
            .to_owned();
        let headers = response.headers_mut();
        if let Ok(value) = HeaderValue::from_str(&self.id) {
            headers.insert(REQUEST_ID, value);
        }
        if self.path.starts_with("/v1/") {
            self.caching(headers);
        } else if headers.contains_key(CONTENT_LANGUAGE) {
            headers.append(VARY, HeaderValue::from_static("Accept-Language"));
        }
        if let Some(allowance) = allowance {
            for (name, value) in allowance.headers() {
                headers.insert(name, value);
            }
            if let Some(seconds) = allowance.wait {
                headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
            }
        }
        self.record(&route, &game_id, response.status(), error);
        response
    }

    /// Who may keep the answer, and what it depends on.
    fn caching(&self, headers: &mut HeaderMap) {
        headers.append(VARY, HeaderValue::from_static(VARIES));
        let keep = if self.known {
            "private, no-cache"
        } else {
            "no-cache"
        };
        if !headers.contains_key(CACHE_CONTROL) {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
        }
    }

    fn record(&self, route: &str, game_id: &str, status: StatusCode, error: Option<&ApiError>) {
        let took = self.came.elapsed();
        metrics::request(route, self.method.as_str(), status.as_u16(), took);
        let outcome = error.map_or("ok", |error| error.code().code);
        tracing::info!(
            method = %self.method,
            route,
            game_id = (!game_id.is_empty()).then_some(game_id),
            status = status.as_u16(),
            outcome,
            milliseconds = took.as_millis() as u64,
            "answered"
        );
    }
}

/// A request that outlasted its time.
#[derive(Debug, thiserror::Error)]
#[error("the request was not answered in time")]
struct Late(Visit, ApiError);

impl std::fmt::Debug for Visit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Visit")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl ResponseError for Late {
    fn error_response(&self) -> HttpResponse {
        let Late(visit, error) = self;
        let mut answer = visit.answer(error);
        if let Ok(value) = HeaderValue::from_str(&visit.id) {
            answer.headers_mut().insert(REQUEST_ID, value);
        }
        shield::protect(&visit.path, answer.headers_mut());
        visit.record("late", "", answer.status(), Some(error));
        answer
    }
}

/// Identifies the caller; refuses, before it has any effect, a request of somebody
/// unknown or who asks too often, one with a parameter that its path does not
/// know or in a language that there is not, and one whose answer nobody wants.
async fn admit(request: &ServiceRequest) -> Result<(), ApiError> {
    if let Some(context) = request.app_data::<web::Data<Context>>()
        && request.path().starts_with("/v1/")
    {
        let caller = asking::identify(request, context).await?;
        request.extensions_mut().insert(caller);
    }
    let Some(surface) = request.app_data::<web::Data<Surface>>() else {
        return Ok(());
    };
    let (path, method, query) = (request.path(), request.method(), request.query_string());
    if !query.is_empty()
        && let Some(name) = surface.unknown_in(path, method, query)
    {
        return Err(ApiError::BadRequest {
            detail: format!("unknown parameter `{name}`"),
            parameter: Some(name.into_owned()),
        });
    }
    language::named(query)?;
    match request.headers().contains_key(ACCEPT) {
        true => match surface.formats(path, method) {
            Some(formats) => accept::choose(request.headers(), formats).map(drop),
            None => Ok(()),
        },
        false => Ok(()),
    }
}

/// Around everything else: what refuses a request before the door, such as a
/// cross-origin check, answers in the same form.
pub(crate) async fn porch(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let visit = Visit::new(&request);
    let response = next.call(request).await?.map_into_boxed_body();
    let refused = response.status().is_client_error() || response.status().is_server_error();
    if !refused || response.headers().contains_key(REQUEST_ID) {
        return Ok(response);
    }
    let (request, mut inner) = response.into_parts();
    let error = foreign(inner.error(), inner.status());
    let mut answer = visit.answer(&error);
    for (name, value) in inner.headers_mut().drain() {
        if let Some(name) = name
            && name != CONTENT_TYPE
        {
            answer.headers_mut().append(name, value);
        }
    }
    Ok(visit.leave(ServiceResponse::new(request, answer), Some(&error)))
}

/// An error that did not come from a handler or an extractor of ours.
fn foreign(error: Option<&Error>, status: StatusCode) -> ApiError {
    let detail = error.map(ToString::to_string).unwrap_or_default();
    match status {
        StatusCode::NOT_FOUND => ApiError::NotFound,
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::TooLarge(params::BODY_LIMIT),
        StatusCode::REQUEST_TIMEOUT => ApiError::RequestTimeout,
        StatusCode::SERVICE_UNAVAILABLE => ApiError::Unavailable,
        status if status.is_client_error() => ApiError::BadRequest {
            detail,
            parameter: None,
        },
        _ => ApiError::Internal(detail),
    }
}

/// Where no endpoint is: an unknown path, or a known one with another method.
pub(crate) async fn nowhere(request: HttpRequest) -> Result<web::Bytes, ApiError> {
    let surface = request.app_data::<web::Data<Surface>>();
    match surface.and_then(|surface| surface.methods(request.path())) {
        Some(methods) => Err(ApiError::MethodNotAllowed {
            allow: methods.join(", "),
        }),
        None => Err(ApiError::NotFound),
    }
}
