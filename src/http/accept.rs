//! Choosing a format by the header `Accept` (RFC 9110, section 12.5.1).

use actix_web::http::header::{ACCEPT, HeaderMap};

use super::error::ApiError;

/// The offered format that the client likes best; the first where it likes
/// several alike or does not say.
pub(crate) fn choose<'a>(
    headers: &HeaderMap,
    offered: &'a [impl AsRef<str>],
) -> Result<&'a str, ApiError> {
    let mut ranges = Vec::new();
    for value in headers.get_all(ACCEPT) {
        let value = value.to_str().map_err(|_| ApiError::BadRequest {
            detail: "the header Accept is not text".into(),
            parameter: Some("Accept".into()),
        })?;
        ranges.extend(value.split(',').filter_map(Range::read));
    }
    let offered = offered.iter().map(AsRef::as_ref);
    if ranges.is_empty() {
        return offered
            .into_iter()
            .next()
            .ok_or(ApiError::NotAcceptable(String::new()));
    }
    let quality = |format: &str| {
        let matching = ranges.iter().filter(|range| range.fits(format));
        matching
            .max_by_key(|range| range.precision())
            .map_or(0, |range| range.quality)
    };
    let mut best: Option<(&str, u16)> = None;
    for format in offered.clone() {
        let quality = quality(format);
        if quality > best.map_or(0, |(_, best)| best) {
            best = Some((format, quality));
        }
    }
    match best {
        Some((format, _)) => Ok(format),
        None => Err(ApiError::NotAcceptable(
            offered.collect::<Vec<_>>().join(", "),
        )),
    }
}

/// One part of the header.
struct Range {
    kind: String,
    subkind: String,
    /// In thousandths.
    quality: u16,
}

impl Range {
    fn read(part: &str) -> Option<Range> {
        let mut parts = part.split(';').map(str::trim);
        let (kind, subkind) = parts.next()?.split_once('/')?;
        let quality = parts
            .find_map(|p| p.strip_prefix("q=").or_else(|| p.strip_prefix("Q=")))
            .map_or(Some(1.0), |q| q.parse::<f32>().ok())?;
        let quality = (quality.clamp(0.0, 1.0) * 1000.0) as u16;
        Some(Range {
            kind: kind.to_lowercase(),
            subkind: subkind.to_lowercase(),
            quality,
        })
    }

    fn fits(&self, format: &str) -> bool {
        let (kind, subkind) = format.split_once('/').unwrap_or((format, ""));
        (self.kind == "*" || self.kind == kind) && (self.subkind == "*" || self.subkind == subkind)
    }

    fn precision(&self) -> u8 {
        u8::from(self.kind != "*") + u8::from(self.subkind != "*")
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    const OFFERED: [&str; 3] = ["application/json", "application/x-ndjson", "text/csv"];

    fn chosen(accept: &[&'static str]) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for value in accept {
            headers.append(ACCEPT, HeaderValue::from_static(value));
        }
        choose(&headers, &OFFERED).ok()
    }

    #[test]
    fn the_best_liked_format_wins() {
        assert_eq!(chosen(&[]), Some("application/json"));
        assert_eq!(chosen(&["*/*"]), Some("application/json"));
        assert_eq!(chosen(&["text/csv"]), Some("text/csv"));
        assert_eq!(chosen(&["text/html, text/*;q=0.5"]), Some("text/csv"));
        assert_eq!(
            chosen(&["application/json;q=0.1, text/csv;q=0.9"]),
            Some("text/csv")
        );
        assert_eq!(
            chosen(&["application/json;q=0.1", "text/csv"]),
            Some("text/csv")
        );
        assert_eq!(
            chosen(&["application/json;q=0, */*"]),
            Some("application/x-ndjson")
        );
        assert_eq!(
            chosen(&["APPLICATION/X-NDJSON"]),
            Some("application/x-ndjson")
        );
        assert_eq!(chosen(&["text/html"]), None);
        assert_eq!(chosen(&["application/json;q=0"]), None);
    }
}
