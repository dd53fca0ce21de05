//! What every request passes on its way in and out: it is numbered, its
//! `Accept` is held against what the path answers in, and whatever error comes
//! back leaves as `application/problem+json`.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpRequest, web};
use tracing_actix_web::RequestId;

use super::Context;
use super::accept;
use super::error::ApiError;
use super::surface::Surface;

/// The header that names a request in answer and log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The middleware.
pub(crate) async fn door(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let request_id = request
        .extensions()
        .get::<RequestId>()
        .map(ToString::to_string)
        .unwrap_or_default();
    // A HEAD is a GET whose body the connection leaves out.
    if request.method() == Method::HEAD {
        request.head_mut().method = Method::GET;
    }
    let response = match check_accept(&request) {
        Err(refusal) => request.error_response(refusal).map_into_boxed_body(),
        Ok(()) => match next.call(request).await {
            Ok(response) => response.map_into_boxed_body(),
            Err(error) => return Err(error),
        },
    };
    let mut response = if response.response().error().is_some() {
        let (request, inner) = response.into_parts();
        let fallback;
        let error = match inner.error().and_then(|error| error.as_error::<ApiError>()) {
            Some(error) => error,
            None => {
                fallback = foreign(inner.error(), inner.status());
                &fallback
            }
        };
        let answer = answer(&request, error, &request_id);
        ServiceResponse::new(request, answer)
    } else {
        response
    };
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    Ok(response)
}

fn answer(request: &HttpRequest, error: &ApiError, request_id: &str) -> actix_web::HttpResponse {
    let public_url = request
        .app_data::<web::Data<Context>>()
        .map(|context| context.public_url.clone())
        .unwrap_or_default();
    error.answer(&public_url, request.path(), request_id)
}

/// Refuses a request whose answer nobody wants, before it has any effect.
fn check_accept(request: &ServiceRequest) -> Result<(), ApiError> {
    let Some(surface) = request.app_data::<web::Data<Surface>>() else {
        return Ok(());
    };
    if !request
        .headers()
        .contains_key(actix_web::http::header::ACCEPT)
    {
        return Ok(());
    }
    match surface.formats(request.path(), request.method()) {
        Some(formats) => accept::choose(request.headers(), formats).map(drop),
        None => Ok(()),
    }
}

/// An error that did not come from a handler or an extractor of ours.
fn foreign(error: Option<&Error>, status: StatusCode) -> ApiError {
    let detail = error.map(ToString::to_string).unwrap_or_default();
    match status {
        StatusCode::NOT_FOUND => ApiError::NotFound,
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::TooLarge(super::params::BODY_LIMIT),
        StatusCode::REQUEST_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE => ApiError::Unavailable,
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
