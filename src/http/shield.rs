//! What every answer tells a browser, so that a page of this server can do little and
//! nothing of it can pass for something else.

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::middleware::Next;

/// What is no page does nothing when it is opened as one.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";
/// The pages under `/docs/`: their own scripts, asking this server. The styles stand in
/// the elements, and the pictures in the styles.
const DOCS: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                    img-src 'self' data:; font-src 'self' data:; connect-src 'self'; \
                    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The middleware: around everything that answers.
pub(crate) async fn shield(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let path = request.path().to_owned();
    let mut response = next.call(request).await?;
    protect(&path, response.headers_mut());
    Ok(response)
}

/// Adds to an answer what it does not say itself.
pub(super) fn protect(path: &str, headers: &mut HeaderMap) {
    let policy = match path.starts_with("/docs/") {
        true => DOCS,
        false => NOTHING,
    };
    // A board may stand in a frame: its own policy says nothing of that.
    let has_policy = headers.contains_key(CONTENT_SECURITY_POLICY);
    let mut add = |name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    if !has_policy {
        add(CONTENT_SECURITY_POLICY, policy);
        add(X_FRAME_OPTIONS, "DENY");
    }
    add(X_CONTENT_TYPE_OPTIONS, "nosniff");
    add(REFERRER_POLICY, "no-referrer");
}
