//! Answers of the explorer that are kept for as long as no game has come to be counted.

use std::sync::{Mutex, PoisonError};

use actix_web::web::Bytes;
use hashlink::LruCache;

/// How many: a few megabytes.
const MOST: usize = 1000;
/// Longer questions are not kept.
const LONGEST: usize = 1000;

/// Answers by the query that asked for them, each with the number of the last record that
/// it counts. Those that nobody has asked for the longest make room.
pub struct Kept(Mutex<LruCache<String, (i64, Bytes)>>);

impl Default for Kept {
    fn default() -> Kept {
        Kept(Mutex::new(LruCache::new(MOST)))
    }
}

impl Kept {
    /// Whether there is an answer, be it old.
    pub(super) fn has(&self, query: &str) -> bool {
        self.with(|kept| kept.contains_key(query))
    }

    /// The answer, if it counts all up to this record.
    pub(super) fn get(&self, query: &str, last_record: i64) -> Option<Bytes> {
        let found = self.with(|kept| kept.get(query).cloned());
        let (counted, answer) = found?;
        (counted == last_record).then_some(answer)
    }

    /// Keeps an answer.
    pub(super) fn keep(&self, query: &str, last_record: i64, answer: Bytes) {
        if query.len() <= LONGEST {
            self.with(|kept| kept.insert(query.to_owned(), (last_record, answer)));
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut LruCache<String, (i64, Bytes)>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_good_for_its_record_alone() {
        let kept = Kept::default();
        assert!(!kept.has("a"));
        kept.keep("a", 7, Bytes::from_static(b"seven"));
        assert!(kept.has("a"));
        assert_eq!(kept.get("a", 7).as_deref(), Some(&b"seven"[..]));
        assert_eq!(kept.get("a", 8), None);
        assert_eq!(kept.get("b", 7), None);
        kept.keep("a", 8, Bytes::from_static(b"eight"));
        assert_eq!(kept.get("a", 7), None);
        let long = "a".repeat(LONGEST + 1);
        kept.keep(&long, 8, Bytes::new());
        assert!(!kept.has(&long));
        for number in 0..MOST {
            kept.keep(&number.to_string(), 8, Bytes::new());
        }
        assert!(!kept.has("a"));
    }
}
