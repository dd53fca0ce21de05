//! Bodies, paths and queries, read strictly: an unknown field is refused, and
//! an error names the part that is wrong.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use actix_web::{FromRequest, HttpRequest, web};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

use super::error::ApiError;
use super::language::PARAMETER;

/// The largest body that is read, in bytes.
pub const BODY_LIMIT: usize = 64 * 1024;

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned + 'static> FromRequest for Body<T> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = Self::bytes(request, payload);
        Box::pin(async move { Self::read(&bytes.await?).map(Body) })
    }
}

impl<T: DeserializeOwned> Body<T> {
    /// The body's bytes, if it comes as JSON and is not too large.
    pub(super) fn bytes(
        request: &HttpRequest,
        payload: &mut Payload,
    ) -> impl Future<Output = Result<web::Bytes, ApiError>> + use<T> {
        let is_json = is_json(request);
        let unnamed = !request.headers().contains_key(CONTENT_TYPE);
        // A body that is packed is not unpacked: a small one can be as large as the memory.
        let bytes = is_plain(request).map(|()| web::Bytes::from_request(request, payload));
        async move {
            match bytes?.await.map_err(unread)? {
                // No body at all is one without fields.
                bytes if bytes.is_empty() && (unnamed || is_json.is_ok()) => {
                    Ok(web::Bytes::from_static(b"{}"))
                }
                bytes => is_json.map(|()| bytes),
            }
        }
    }

    /// What those bytes say.
    pub(super) fn read(bytes: &[u8]) -> Result<T, ApiError> {
        read_json(bytes)
    }
}

fn is_plain(request: &HttpRequest) -> Result<(), ApiError> {
    let codings = request.headers().get_all(CONTENT_ENCODING);
    match codings.into_iter().all(|coding| coding == "identity") {
        true => Ok(()),
        false => Err(ApiError::PackedBody),
    }
}

fn is_json(request: &HttpRequest) -> Result<(), ApiError> {
    let kind = request
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = kind.map(|kind| kind.split(';').next().unwrap_or_default().trim());
    match essence {
        Some(kind) if kind.eq_ignore_ascii_case("application/json") => Ok(()),
        _ => Err(ApiError::UnsupportedMediaType(
            "the body must come as `Content-Type: application/json`",
        )),
    }
}

/// Why a body could not be taken off the wire.
fn unread(error: actix_web::Error) -> ApiError {
    match error.as_response_error().status_code().as_u16() {
        413 => ApiError::TooLarge(BODY_LIMIT),
        _ => ApiError::BadRequest {
            detail: format!("the body cannot be read: {error}"),
            parameter: None,
        },
    }
}

fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let Object(value) = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.into_inner();
        match cause.classify() {
            serde_json::error::Category::Data => bad(&path, &cause.to_string()),
            // Where a word is expected, a number counts as bad syntax.
            _ if serde_json::from_slice::<IgnoredAny>(bytes).is_ok() => {
                bad(&path, &cause.to_string())
            }
            _ => bad("", &format!("the body is not JSON: {cause}")),
        }
    })?;
    json.end()
        .map_err(|cause| bad("", &format!("the body is not JSON: {cause}")))?;
    Ok(value)
}

/// A JSON object and nothing else: by itself serde would take a list of the
/// fields' values as well, which the document does not know.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        json.deserialize_map(Fields(PhantomData)).map(Object)
    }
}

/// A query string.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest for Query<T> {
    type Error = ApiError;
    type Future = std::future::Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(read_query(request.query_string()).map(Query))
    }
}

pub(super) fn read_query<T: DeserializeOwned>(query: &str) -> Result<T, ApiError> {
    // The door has read the language.
    let pairs = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name != PARAMETER);
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish();
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| {
        let path = error.path().to_string();
        bad(&path, &error.into_inner().to_string())
    })
}

/// The id in a path: a game's.
pub(crate) struct GameId(pub(crate) Uuid);

impl FromRequest for GameId {
    type Error = ApiError;
    type Future = std::future::Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let id = request.match_info().get("id").unwrap_or_default();
        std::future::ready(exact(id).map(GameId).ok_or_else(|| {
            bad(
                "id",
                "not a game's id, which is a UUID in lower case with hyphens",
            )
        }))
    }
}

/// The id in a path: a webhook's.
pub(crate) struct WebhookId(pub(crate) Uuid);

impl FromRequest for WebhookId {
    type Error = ApiError;
    type Future = std::future::Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let id = request.match_info().get("id").unwrap_or_default();
        std::future::ready(exact(id).map(WebhookId).ok_or_else(|| {
            bad(
                "id",
                "not a webhook's id, which is a UUID in lower case with hyphens",
            )
        }))
    }
}

/// An offer's number in a path.
pub(crate) struct OfferNumber(pub(crate) i64);

impl FromRequest for OfferNumber {
    type Error = ApiError;
    type Future = std::future::Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let number = exact(request.match_info().get("oid").unwrap_or_default());
        let read = number.map(OfferNumber);
        std::future::ready(read.ok_or_else(|| bad("oid", "not an offer's number")))
    }
}

/// What is written in the one way in which we write it: any other would be a second name
/// of the same.
pub(crate) fn exact<T: FromStr + ToString>(text: &str) -> Option<T> {
    let read: Option<T> = text.parse().ok();
    read.filter(|read| read.to_string() == text)
}

/// A log's length as a client saw it.
pub(crate) fn ply(parameter: &str, value: i32) -> Result<i32, ApiError> {
    match value {
        0.. => Ok(value),
        _ => Err(bad(parameter, "must not be below 0")),
    }
}

/// An error in the part `path`, or in the field that the message itself names.
pub(crate) fn bad(path: &str, message: &str) -> ApiError {
    let field = ["missing field `", "unknown field `", "duplicate field `"]
        .iter()
        .find_map(|before| message.split_once(before))
        .and_then(|(_, rest)| rest.split_once('`'))
        .map(|(field, _)| field);
    let path = path.trim_matches('.');
    let parameter = match (path, field) {
        ("" | "?", field) => field.map(ToOwned::to_owned),
        (path, Some(field)) if path.rsplit('.').next() != Some(field) => {
            Some(format!("{path}.{field}"))
        }
        (path, _) => Some(path.to_owned()),
    };
    let detail = match &parameter {
        Some(name) if !message.contains(name.as_str()) => format!("`{name}`: {message}"),
        _ => message.to_owned(),
    };
    ApiError::BadRequest { detail, parameter }
}

/// A text from a client: not empty, not too long, nothing that cannot be shown.
/// The document says the last by the fields' `pattern`.
pub(crate) fn text(
    parameter: &str,
    value: Option<String>,
    longest: usize,
) -> Result<Option<String>, ApiError> {
    let Some(value) = value else { return Ok(None) };
    let length = value.chars().count();
    let unfit = value
        .chars()
        .any(|c| c.is_control() && c != '\n' && c != '\t');
    match (length, unfit) {
        (0, _) => Err(bad(parameter, "must not be empty")),
        (length, _) if length > longest => Err(bad(
            parameter,
            &format!("has {length} characters, {longest} are allowed"),
        )),
        (_, true) => Err(bad(parameter, "has control characters")),
        _ => Ok(Some(value)),
    }
}
