//! The header `Idempotency-Key`: a request that creates, sent again with the
//! same key within a day, gets the first answer again and creates nothing.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use actix_web::{FromRequest, HttpRequest, HttpResponse, HttpResponseBuilder, web};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::PgConnection;
use utoipa::IntoParams;

use super::Context;
use super::asking::{acting_as, token};
use super::error::ApiError;
use super::moves::REPLAYED;
use super::params::{Body, bad};
use crate::play::once::{self, Answer, Key};
use crate::play::{PlayError, settle};

/// The fewest characters of a key that comes without a token: it alone stands
/// between a stranger and the secrets of the answer.
const SHORTEST_ALONE: usize = 22;
/// The most characters of a key, with its quotes.
const LONGEST: usize = 255;

/// A JSON body with the key it may be sent again under.
pub(crate) struct Once<T> {
    /// The body.
    pub(crate) body: T,
    key: Option<Key>,
}

impl<T: DeserializeOwned + 'static> FromRequest for Once<T> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let bytes = Body::<T>::bytes(&request, payload);
        Box::pin(async move {
            let bytes = bytes.await?;
            let key = key(&request, &bytes)?;
            Ok(Once {
                body: Body::read(&bytes)?,
                key,
            })
        })
    }
}

/// The key of a request, bound to its caller.
fn key(request: &HttpRequest, body: &web::Bytes) -> Result<Option<Key>, ApiError> {
    let mut headers = request.headers().get_all("idempotency-key");
    let Some(header) = headers.next() else {
        return Ok(None);
    };
    let refused = |why: &str| bad("Idempotency-Key", why);
    if headers.next().is_some() {
        return Err(refused("came more than once"));
    }
    // A tab passes for text in a header, but not in a quoted string.
    let text = header.to_str().ok().filter(|text| !text.contains('\t'));
    let text = text.ok_or_else(|| refused("is not text"))?.trim();
    if text.len() > LONGEST {
        return Err(refused("has more than 255 characters"));
    }
    let text = unquoted(text).ok_or_else(|| refused("is not a quoted string"))?;
    let token = token(request.headers())?;
    match text.chars().count() {
        0 => return Err(refused("is empty")),
        length if token.is_none() && length < SHORTEST_ALONE => {
            return Err(refused(
                "needs at least 22 random characters without a token",
            ));
        }
        _ => {}
    }
    let caller = [token, acting_as(request.headers())?].map(Option::unwrap_or_default);
    let request = [
        request.method().as_str().as_bytes(),
        request.path().as_bytes(),
        body.as_ref(),
    ];
    Ok(Some(Key::new(&caller, &text, &request)))
}

/// A quoted string (RFC 8941, section 3.3.3) without its quotes; a bare one as
/// it is.
fn unquoted(text: &str) -> Option<String> {
    let Some(quoted) = text.strip_prefix('"') else {
        return Some(text.to_owned());
    };
    let quoted = quoted.strip_suffix('"')?;
    let mut plain = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => plain.push(chars.next().filter(|c| matches!(c, '"' | '\\'))?),
            '"' => return None,
            c => plain.push(c),
        }
    }
    Some(plain)
}

/// The header in the document.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[allow(dead_code)]
pub(crate) struct IdempotencyKey {
    /// A text of the client's, quoted or bare, that stands for this request for
    /// a day: sent again, it gets the first answer again and creates nothing.
    /// Without a token at least 22 random characters.
    #[param(
        rename = "Idempotency-Key",
        nullable = false,
        min_length = 1,
        max_length = 255,
        pattern = r#"^([!#-~][ -~]*|"([ !#-\[\]-~]|\\["\\])+")$"#
    )]
    idempotency_key: Option<String>,
}

/// What a creation answers.
pub(crate) struct Created<T> {
    /// 201, or what else fits.
    pub(crate) status: StatusCode,
    /// The URL of what was made.
    pub(crate) location: Option<String>,
    /// Whether the work found itself done before.
    pub(crate) replayed: bool,
    /// The answer's JSON.
    pub(crate) body: T,
}

impl<T> Once<T> {
    /// The key alone, where the body is taken apart.
    pub(crate) fn split(self) -> (T, Once<()>) {
        (
            self.body,
            Once {
                body: (),
                key: self.key,
            },
        )
    }
}

impl Once<()> {
    /// The same for work on a game, in which something may have passed: that is
    /// settled first, and the work tried again.
    pub(crate) async fn answer_settled<T: Serialize>(
        &self,
        context: &Context,
        work: impl AsyncFn(&mut PgConnection) -> Result<Created<T>, ApiError>,
    ) -> Result<HttpResponse, ApiError> {
        loop {
            match self.answer(context, &work).await {
                Err(ApiError::Play(PlayError::Waiting(game_id))) => {
                    settle::settle(&context.pool, game_id).await?;
                }
                outcome => return outcome,
            }
        }
    }

    /// Does `work` in one transaction, or answers as the first time.
    pub(crate) async fn answer<T: Serialize>(
        &self,
        context: &Context,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<Created<T>, ApiError>,
    ) -> Result<HttpResponse, ApiError> {
        let mut done_before = false;
        let work = async |db: &mut PgConnection| {
            let created = work(db).await?;
            done_before = created.replayed;
            let body = serde_json::to_string(&created.body)
                .map_err(|cause| ApiError::Internal(cause.to_string()))?;
            let status = created.status.as_u16();
            Ok::<_, ApiError>(Answer {
                status,
                location: created.location,
                body,
            })
        };
        let (answer, replayed) = once::once(&context.pool, self.key.as_ref(), work).await?;
        let status = StatusCode::from_u16(answer.status)
            .map_err(|cause| ApiError::Internal(cause.to_string()))?;
        let mut response = HttpResponseBuilder::new(status);
        response.content_type("application/json");
        if let Some(location) = answer.location {
            response.insert_header((LOCATION, location));
        }
        if replayed || done_before {
            response.insert_header(REPLAYED);
        }
        Ok(response.body(answer.body))
    }
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn keys_may_be_quoted_or_bare() {
        assert_eq!(unquoted("8e03978e").as_deref(), Some("8e03978e"));
        assert_eq!(unquoted("\"8e03978e\"").as_deref(), Some("8e03978e"));
        assert_eq!(unquoted("\"a\\\"b\\\\c\"").as_deref(), Some("a\"b\\c"));
        assert_eq!(unquoted("\"open").as_deref(), None);
        assert_eq!(unquoted("\"a\"b\"").as_deref(), None);
        assert_eq!(unquoted("\"a\\n\"").as_deref(), None);
    }
}
