//! Cursors of lists: opaque to clients, bound to the list and its filters.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::error::ApiError;
use super::params::bad;

/// The most items a page may have.
pub(crate) const MAX_LIMIT: u32 = 200;

/// A cursor after the item `key` of a list with these filters.
pub(crate) fn write(list: &str, key: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}{key}", mark(list)))
}

/// The item that a cursor of this list stands after.
pub(crate) fn read(list: &str, cursor: &str) -> Result<String, ApiError> {
    let text = URL_SAFE_NO_PAD
        .decode(cursor)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let key = text
        .as_deref()
        .and_then(|text| text.strip_prefix(&mark(list)));
    key.map(ToOwned::to_owned)
        .ok_or_else(|| bad("cursor", "not a cursor of this list with these filters"))
}

/// A page's length.
pub(crate) fn limit(limit: Option<u32>, default: u32) -> Result<u32, ApiError> {
    match limit.unwrap_or(default) {
        limit @ 1..=MAX_LIMIT => Ok(limit),
        _ => Err(bad("limit", &format!("must lie between 1 and {MAX_LIMIT}"))),
    }
}

/// Eight hexadecimal digits that stand for the list and its filters.
fn mark(list: &str) -> String {
    let hash = Sha256::digest(list.as_bytes());
    hash.iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
