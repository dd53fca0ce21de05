//! The language somebody is answered in: `?lang=`; else what the header
//! `Accept-Language` likes best of those there are (RFC 9110, section 12.5.4, looked
//! up as in RFC 4647, section 3.4); else the first one, English.

use std::future::{Ready, ready};

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::http::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE, HeaderMap, HeaderName};
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::error::ApiError;
use super::forms;
use super::params::bad;
use crate::render::words::Lang;

/// The query's parameter, which every path knows.
pub(super) const PARAMETER: &str = "lang";

/// A language that there are words in, as the document has it.
pub(crate) struct LanguageWord;

impl PartialSchema for LanguageWord {
    fn schema() -> RefOr<Schema> {
        forms::words(&Lang::all().map(Lang::tag).collect::<Vec<_>>())
    }
}

impl ToSchema for LanguageWord {}

/// The language of a request, as the door decided it.
pub(crate) struct Language(pub(crate) Lang);

impl FromRequest for Language {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let lang = request.extensions().get::<Lang>().copied();
        ready(Ok(Language(lang.unwrap_or_default())))
    }
}

/// The header of an answer that has words.
pub(super) fn header(lang: Lang) -> (HeaderName, &'static str) {
    (CONTENT_LANGUAGE, lang.tag())
}

/// The language that a query names; an error when there is none of that name.
pub(super) fn named(query: &str) -> Result<Option<Lang>, ApiError> {
    let mut names = form_urlencoded::parse(query.as_bytes())
        .filter(|(name, _)| name == PARAMETER)
        .map(|(_, value)| value);
    let Some(name) = names.next() else {
        return Ok(None);
    };
    if names.next().is_some() {
        return Err(bad(PARAMETER, "came more than once"));
    }
    let unknown = || {
        let known: Vec<_> = Lang::all().map(Lang::tag).collect();
        let known = known.join(", ");
        bad(
            PARAMETER,
            &format!("there is no {name:?}; there are {known}"),
        )
    };
    Lang::named(&name).map(Some).ok_or_else(unknown)
}

/// The language of a request, also of one that is refused for its `?lang=`.
pub(super) fn of(request: &ServiceRequest) -> Lang {
    let named = named(request.query_string()).ok().flatten();
    named.unwrap_or_else(|| liked_best(request.headers()))
}

/// The first language of the header that there is, best first. What does not read
/// is passed over: nobody is refused an answer for a language.
fn liked_best(headers: &HeaderMap) -> Lang {
    let values = headers.get_all(ACCEPT_LANGUAGE);
    let text = values.filter_map(|value| value.to_str().ok());
    let mut ranges: Vec<(&str, u16)> = text
        .flat_map(|value| value.split(','))
        .filter_map(range)
        .filter(|(_, quality)| *quality > 0)
        .collect();
    // Stable: of those that are liked alike the first.
    ranges.sort_by_key(|(_, quality)| std::cmp::Reverse(*quality));
    let mut liked = ranges.into_iter().filter_map(|(range, _)| lookup(range));
    liked.next().unwrap_or_default()
}

/// A range with its quality in thousandths: `es-MX;q=0.8`.
fn range(part: &str) -> Option<(&str, u16)> {
    let (range, weight) = match part.split_once(';') {
        Some((range, weight)) => (range.trim(), Some(weight.trim())),
        None => (part.trim(), None),
    };
    let quality = match weight {
        Some(weight) => weight
            .strip_prefix("q=")
            .or_else(|| weight.strip_prefix("Q="))?
            .parse::<f32>()
            .ok()
            .filter(|quality| (0.0..=1.0).contains(quality))?,
        None => 1.0,
    };
    Some((range, (quality * 1000.0) as u16))
}

/// The language of a range, which may say more of it: `es-419` is `es`. Any
/// language at all, `*`, is the first.
fn lookup(range: &str) -> Option<Lang> {
    if range == "*" {
        return Some(Lang::default());
    }
    let language = range.split('-').next().unwrap_or_default();
    Lang::named(&language.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn best(values: &[&str]) -> &'static str {
        let mut headers = HeaderMap::new();
        for value in values {
            let value = HeaderValue::from_bytes(value.as_bytes()).expect("a header's value");
            headers.append(ACCEPT_LANGUAGE, value);
        }
        liked_best(&headers).tag()
    }

    #[test]
    fn the_language_that_is_liked_best() {
        assert_eq!(best(&[]), "en");
        assert_eq!(best(&["ms"]), "ms");
        assert_eq!(best(&["es-MX"]), "es");
        assert_eq!(best(&["ES-419,en;q=0.5"]), "es");
        assert_eq!(best(&["zh-Hant-TW, zh;q=0.9"]), "en");
        assert_eq!(best(&["zh, ms-MY;q=0.4, es;q=0.3"]), "ms");
        assert_eq!(best(&["en;q=0.1, ms;q=0.3, es;q=0.7"]), "es");
        assert_eq!(best(&["es;q=0.5, ms;q=0.5"]), "es");
        assert_eq!(best(&["es;q=0, ms;q=0.001"]), "ms");
        assert_eq!(best(&["en;q=0.2", "ms;q=0.9"]), "ms");
        assert_eq!(best(&["fr, *;q=0.5, ms;q=0.1"]), "en");
        assert_eq!(best(&["es ; Q=0.2 , ms ;q=0.3"]), "ms");
    }

    #[test]
    fn what_does_not_read_is_passed_over() {
        for value in [
            "",
            ",,;",
            "q=1",
            "es;q=x",
            "es;q=2",
            "es;q=-1",
            "es;level=1",
            "español",
        ] {
            assert_eq!(best(&[value]), "en", "{value}");
        }
        assert_eq!(best(&["es;q=high, ms"]), "ms");
    }
}
