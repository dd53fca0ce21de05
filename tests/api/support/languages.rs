//! Answers in a language.

use super::client::{Answer, Api};

/// A path in a language, which the answer says it is in.
pub(crate) async fn read(api: &Api, path: &str, lang: &str) -> Answer {
    let sign = if path.contains('?') { '&' } else { '?' };
    let answer = api.get(&format!("{path}{sign}lang={lang}")).await;
    assert_eq!(answer.header("content-language"), lang, "{answer}");
    answer
}
