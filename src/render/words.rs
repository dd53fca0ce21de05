//! The message catalogues: every text that a person reads, by language. A
//! catalogue is one file in `words/`; another language is that file and a line in
//! [`SOURCES`]. The tests compare the catalogues, so a message that a language
//! lacks is no matter of chance at run time.

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use mancala_rules::Seat;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

/// Tags and catalogues; the first language is that of whoever asks for none.
const SOURCES: [(&str, &str); 3] = [
    ("en", include_str!("words/en.ftl")),
    ("ms", include_str!("words/ms.ftl")),
    ("es", include_str!("words/es.ftl")),
];

/// The texts of all catalogues, as they stand in their files.
#[cfg(test)]
pub(super) fn sources() -> impl Iterator<Item = &'static str> {
    SOURCES.into_iter().map(|(_, source)| source)
}

static CATALOGUES: LazyLock<Vec<FluentBundle<FluentResource>>> = LazyLock::new(|| {
    let catalogue = |(tag, source): (&str, &str)| {
        let mut catalogue = FluentBundle::new_concurrent(tag.parse().into_iter().collect());
        // The marks around what is filled in would be counted as columns, and there
        // is no text here that runs from right to left.
        catalogue.set_use_isolating(false);
        // A message that does not read is missing; the tests find it.
        let messages = FluentResource::try_new(source.to_owned()).unwrap_or_else(|(read, _)| read);
        catalogue.add_resource_overriding(messages);
        catalogue
    };
    SOURCES.into_iter().map(catalogue).collect()
});

/// A language that there is a catalogue in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lang(usize);

impl Lang {
    /// Every one of them.
    pub fn all() -> impl Iterator<Item = Lang> {
        (0..SOURCES.len()).map(Lang)
    }

    /// The language with exactly this tag.
    pub fn named(tag: &str) -> Option<Lang> {
        Lang::all().find(|lang| lang.tag() == tag)
    }

    /// Its tag (BCP 47), such as `en`.
    pub fn tag(self) -> &'static str {
        SOURCES[self.0].0
    }

    /// A message in which nothing is filled in; `message.attribute` is one of its
    /// attributes.
    pub fn text(self, id: &str) -> String {
        self.with(id, [])
    }

    /// A message with what is filled in.
    pub(super) fn with<'a, const N: usize>(
        self,
        id: &str,
        values: [(&'a str, FluentValue<'a>); N],
    ) -> String {
        let catalogue = &CATALOGUES[self.0];
        let (name, attribute) = match id.split_once('.') {
            Some((name, attribute)) => (name, Some(attribute)),
            None => (id, None),
        };
        let pattern = catalogue
            .get_message(name)
            .and_then(|message| match attribute {
                Some(attribute) => Some(message.get_attribute(attribute)?.value()),
                None => message.value(),
            });
        let Some(pattern) = pattern else {
            debug_assert!(false, "{}: no message {id}", self.tag());
            return id.to_owned();
        };
        let values: FluentArgs = values.into_iter().collect();
        let mut wrong = Vec::new();
        let text = catalogue.format_pattern(pattern, Some(&values), &mut wrong);
        debug_assert!(wrong.is_empty(), "{}: {id}: {wrong:?}", self.tag());
        text.into_owned()
    }

    /// The name of a seat.
    pub(super) fn seat(self, seat: Seat) -> String {
        self.text(seat.as_str())
    }

    /// Parts of a line, one after the other; none of none.
    pub(super) fn joined(self, parts: Vec<String>) -> Option<String> {
        parts.into_iter().reduce(|first, second| {
            self.with(
                "joined",
                [("first", first.into()), ("second", second.into())],
            )
        })
    }
}
