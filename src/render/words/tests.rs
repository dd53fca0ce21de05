//! The catalogues against each other, message by message; every message with what
//! is filled in; and none that nothing asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use fluent_syntax::ast::{
    Entry, Expression, InlineExpression, Pattern, PatternElement, VariantKey,
};
use fluent_syntax::parser;
use mancala_rules::presets;

use super::*;

/// Plural categories differ between languages; other keys do not.
const PLURALS: [&str; 6] = ["zero", "one", "two", "few", "many", "other"];

/// What the text of a message depends on.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Facts {
    variables: BTreeSet<String>,
    /// The words and numbers that a message chooses by.
    keys: BTreeSet<String>,
    /// Messages and terms it is made of.
    parts: Vec<String>,
    /// Whether it has any letter of its own.
    says: bool,
}

impl Facts {
    fn read(&mut self, pattern: &Pattern<&str>) {
        for element in &pattern.elements {
            match element {
                PatternElement::TextElement { value } => {
                    self.says |= !value.trim().is_empty();
                }
                PatternElement::Placeable { expression } => self.expression(expression),
            }
        }
    }

    fn expression(&mut self, expression: &Expression<&str>) {
        match expression {
            Expression::Inline(inline) => self.inline(inline),
            Expression::Select { selector, variants } => {
                self.inline(selector);
                for variant in variants {
                    let (VariantKey::Identifier { name: key }
                    | VariantKey::NumberLiteral { value: key }) = variant.key;
                    if !PLURALS.contains(&key) {
                        self.keys.insert(key.to_owned());
                    }
                    self.read(&variant.value);
                }
            }
        }
    }

    fn inline(&mut self, inline: &InlineExpression<&str>) {
        match inline {
            InlineExpression::VariableReference { id } => {
                self.variables.insert(id.name.to_owned());
            }
            InlineExpression::MessageReference { id, .. } => self.parts.push(id.name.to_owned()),
            InlineExpression::TermReference { id, .. } => self.parts.push(format!("-{}", id.name)),
            InlineExpression::StringLiteral { .. } => {}
            other => panic!("the catalogues do without {other:?}"),
        }
    }
}

/// Every message, attribute and term of a catalogue.
fn facts(tag: &str, source: &'static str) -> BTreeMap<String, Facts> {
    let read = parser::parse(source).unwrap_or_else(|(_, errors)| panic!("{tag}: {errors:?}"));
    let mut found = BTreeMap::new();
    let mut add = |name: String, pattern: &Pattern<&str>| {
        let mut facts = Facts::default();
        facts.read(pattern);
        assert!(
            facts.says || !facts.variables.is_empty() || !facts.parts.is_empty(),
            "{tag}: {name} is empty"
        );
        assert!(
            found.insert(name.clone(), facts).is_none(),
            "{tag}: {name} stands twice"
        );
    };
    for entry in &read.body {
        match entry {
            Entry::Message(message) => {
                if let Some(value) = &message.value {
                    add(message.id.name.to_owned(), value);
                }
                for attribute in &message.attributes {
                    let name = format!("{}.{}", message.id.name, attribute.id.name);
                    add(name, &attribute.value);
                }
            }
            Entry::Term(term) => add(format!("-{}", term.id.name), &term.value),
            Entry::Junk { content } => panic!("{tag}: {content}"),
            _ => {}
        }
    }
    found
}

/// A message's variables, with those of its parts.
fn variables(all: &BTreeMap<String, Facts>, name: &str) -> BTreeSet<String> {
    let facts = all
        .get(name)
        .unwrap_or_else(|| panic!("there is no {name}"));
    let parts = facts.parts.iter().flat_map(|part| variables(all, part));
    facts.variables.iter().cloned().chain(parts).collect()
}

#[test]
fn every_language_has_the_same_messages() {
    let english = facts("en", SOURCES[0].1);
    assert!(english.len() > 150, "{}", english.len());
    for (tag, source) in SOURCES {
        let other = facts(tag, source);
        // Terms are a language's own: what its messages are put together from.
        let names = |all: &BTreeMap<String, Facts>| -> Vec<String> {
            all.keys()
                .filter(|name| !name.starts_with('-'))
                .cloned()
                .collect()
        };
        assert_eq!(names(&other), names(&english), "{tag}");
        for name in names(&english) {
            let (expected, found) = (&english[&name], &other[&name]);
            assert_eq!(
                variables(&other, &name),
                variables(&english, &name),
                "{tag}: {name}"
            );
            assert_eq!(found.keys, expected.keys, "{tag}: {name}");
        }
    }
}

/// Every message with each of its keys, and with numbers of each plural form.
#[test]
fn every_message_can_be_filled_in() {
    for lang in Lang::all() {
        let all = facts(lang.tag(), SOURCES[lang.0].1);
        for name in all.keys().filter(|name| !name.starts_with('-')) {
            let keys = all[name].keys.iter().map(String::as_str);
            for chosen in keys.chain(["0", "1", "2", "5", "21", "100"]) {
                let value = || match chosen.parse::<i64>() {
                    Ok(number) => FluentValue::from(number),
                    Err(_) => FluentValue::from(chosen.to_owned()),
                };
                let used = variables(&all, name);
                let values: FluentArgs = used
                    .iter()
                    .map(|variable| (variable.as_str(), value()))
                    .collect();
                let (id, attribute) = match name.split_once('.') {
                    Some((id, attribute)) => (id, Some(attribute)),
                    None => (name.as_str(), None),
                };
                let message = CATALOGUES[lang.0].get_message(id).unwrap();
                let pattern = match attribute {
                    Some(attribute) => message.get_attribute(attribute).unwrap().value(),
                    None => message.value().unwrap(),
                };
                let mut wrong = Vec::new();
                let text = CATALOGUES[lang.0].format_pattern(pattern, Some(&values), &mut wrong);
                let place = format!("{}: {name}: {text}", lang.tag());
                assert!(wrong.is_empty(), "{place}: {wrong:?}");
                assert!(!text.trim().is_empty() && text.trim() == text, "{place}");
                assert!(!text.contains(['\u{2068}', '\u{2069}', '$']), "{place}");
                assert!(!text.contains("  ") && !text.contains(" ."), "{place}");
            }
        }
    }
}

#[test]
fn plurals() {
    let laps = |lang: &str, laps: i64| {
        let lang = Lang::named(lang).unwrap();
        lang.with("laps", [("laps", laps.into())])
    };
    assert_eq!([1, 4].map(|n| laps("en", n)), ["1 lap", "4 laps"]);
    assert_eq!([1, 4].map(|n| laps("ms", n)), ["1 putaran", "4 putaran"]);
    assert_eq!([1, 4].map(|n| laps("es", n)), ["1 vuelta", "4 vueltas"]);
    // Numbers stand as they are: a thousand has no comma.
    assert_eq!(laps("en", 1300), "1300 laps");
}

/// The rulesets and their parameters all have words.
#[test]
fn every_ruleset_is_told() {
    let english = facts("en", SOURCES[0].1);
    let mut told: BTreeSet<String> = BTreeSet::new();
    for preset in presets() {
        told.insert(format!("ruleset-{}", preset.name));
        let parameters = preset.parameters().iter();
        told.extend(parameters.map(|parameter| format!("parameter-{}", parameter.name)));
    }
    let about_rules = |name: &&String| {
        !name.contains('.') && (name.starts_with("ruleset-") || name.starts_with("parameter-"))
    };
    let found: BTreeSet<String> = english.keys().filter(about_rules).cloned().collect();
    assert_eq!(found, told);
}

/// A message whose name stands nowhere in the code is a leftover. (Names that are
/// put together there begin with one of a few words.)
#[test]
fn no_message_is_left_over() {
    let composed = ["problem-", "ruleset-", "parameter-", "why-", "row-"];
    let mut code = String::new();
    for file in [
        "rows.rs",
        "scene.rs",
        "summary.rs",
        "svg.rs",
        "svg/bars.rs",
        "words.rs",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("src/render")
            .join(file);
        code += &fs::read_to_string(path).unwrap();
    }
    let all = facts("en", SOURCES[0].1);
    let inner: BTreeSet<&String> = all.values().flat_map(|facts| &facts.parts).collect();
    for name in all.keys() {
        let id = name.split('.').next().unwrap_or_default();
        let named = code.contains(&format!("\"{id}\"")) || inner.contains(name);
        let seat = ["south", "north"].contains(&id);
        let known = composed.iter().any(|before| id.starts_with(before));
        assert!(named || seat || known, "nothing asks for {name}");
    }
}
