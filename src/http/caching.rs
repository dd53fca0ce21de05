//! Weak ETags, and the answer 304 to whoever has it already.

use actix_web::http::header::{ETAG, HeaderMap, IF_NONE_MATCH};
use actix_web::{HttpRequest, HttpResponse};
use sha2::{Digest, Sha256};

use crate::play::{Caller, View};
use crate::render::words::Lang;

/// A tag of whatever an answer is made from, weak but for files.
pub(crate) struct Tag(String);

impl Tag {
    /// `parts` and the program's version name the answer's content.
    pub(crate) fn new(parts: &[&str]) -> Tag {
        let mut digest = Sha256::new();
        for part in [env!("CARGO_PKG_VERSION")].iter().chain(parts) {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part.as_bytes());
        }
        let hash = digest.finalize();
        let hex: String = hash
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Tag(format!("W/\"{hex}\""))
    }

    /// The strong tag of a file of that sum.
    pub(crate) fn of_bytes(sum: &str) -> Tag {
        Tag(format!("\"{sum}\""))
    }

    /// The tag of one game's answer: its version, the viewer, the format, the
    /// language, and which part of it.
    pub(crate) fn of_game(
        version: i64,
        caller: &Caller,
        format: &str,
        lang: Lang,
        part: &str,
    ) -> Tag {
        let (version, viewer) = (version.to_string(), viewer(caller));
        Tag::new(&["game", &version, &viewer, format, lang.tag(), part])
    }

    /// The tag of a page of games.
    pub(crate) fn of_games(list: &str, caller: &str, views: &[View]) -> Tag {
        let games: String = views
            .iter()
            .map(|view| &view.table.game)
            .map(|game| format!("{} {} ", game.game_id, game.progress.version))
            .collect();
        Tag::new(&["games", list, caller, &games])
    }

    /// The answer that `make` writes, or 304 where the client has it.
    pub(crate) fn answer<E>(
        &self,
        request: &HttpRequest,
        make: impl FnOnce() -> Result<HttpResponse, E>,
    ) -> Result<HttpResponse, E> {
        let answer = match self.known(request) {
            Some(answer) => answer,
            None => make()?,
        };
        Ok(self.on(answer))
    }

    /// 304, where the client has the answer.
    pub(crate) fn known(&self, request: &HttpRequest) -> Option<HttpResponse> {
        matches(request.headers(), &self.0).then(|| self.on(HttpResponse::NotModified().finish()))
    }

    /// An answer with this tag.
    pub(crate) fn on(&self, mut answer: HttpResponse) -> HttpResponse {
        if let Ok(value) = self.0.parse() {
            answer.headers_mut().insert(ETAG, value);
        }
        answer
    }
}

/// Who looks, as part of a tag.
pub(crate) fn viewer(caller: &Caller) -> String {
    match caller {
        Caller::Nobody => String::new(),
        Caller::Seat { game_id, slot } => format!("{game_id}/{slot}"),
        Caller::Player(identity) => identity.player_id.to_string(),
    }
}

/// Weak comparison (RFC 9110, section 8.8.3.2) with `If-None-Match`.
fn matches(headers: &HeaderMap, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    headers
        .get_all(IF_NONE_MATCH)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|known| known.trim() == "*" || opaque(known) == opaque(tag))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn tags_are_compared_weakly() {
        let check = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.append(IF_NONE_MATCH, HeaderValue::from_static(value));
            matches(&headers, "W/\"a1\"")
        };
        assert!(check("W/\"a1\""));
        assert!(check("\"a1\""));
        assert!(check("\"b\", W/\"a1\""));
        assert!(check("*"));
        assert!(!check("\"b\""));
        assert!(!check("a1"));
    }
}
