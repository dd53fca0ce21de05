//! Names in the document, for generators of clients: each makes a type of every
//! schema, and has to call it something.

use std::collections::BTreeMap;

use mancala_rules::Row;
use utoipa::openapi::schema::{ArrayItems, Discriminator, Object, OneOf};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::clocks::SeatClock;

type Schemas = BTreeMap<String, RefOr<Schema>>;

/// Puts names in: of schemas that stand whole where they could be named, as in a
/// generic such as `Sides` (once for each seat), and titles of forms. Descriptions
/// go to where a generator finds them.
pub(super) fn name_all(schemas: &mut Schemas) {
    // These stand in generics alone, so nothing has given them their names.
    schemas.insert(Row::name().into(), Row::schema());
    schemas.insert(SeatClock::name().into(), SeatClock::schema());
    fold_tags(schemas);
    let known = schemas.clone();
    for (name, schema) in schemas {
        let RefOr::T(schema) = schema else { continue };
        within(schema, &known);
        if let Schema::OneOf(of) = schema {
            of.items.iter_mut().for_each(|form| entitle(form, name));
        }
    }
}

/// One of several objects, each with a word beside its fields that tells it from the
/// others: the word becomes a field of the object itself, since generators do not put
/// the two together. These objects stand nowhere else.
fn fold_tags(schemas: &mut Schemas) {
    let names: Vec<String> = schemas.keys().cloned().collect();
    for name in names {
        let Some(RefOr::T(Schema::OneOf(of))) = schemas.get(&name) else {
            continue;
        };
        let tagged: Option<Vec<_>> = of.items.iter().map(tagged).collect();
        let Some(tagged) = tagged.filter(|forms| !forms.is_empty()) else {
            continue;
        };
        let mut of = of.clone();
        let mut mapping = Vec::new();
        let mut field = String::new();
        for (item, (form, tag)) in of.items.iter_mut().zip(tagged) {
            let object = form.ref_location.rsplit('/').next().unwrap_or_default();
            if let Some(RefOr::T(Schema::Object(object))) = schemas.get_mut(object) {
                for (tag, word) in tag.properties {
                    mapping.extend(only_word(&word).map(|w| (w, form.ref_location.clone())));
                    object.required.insert(0, tag.clone());
                    object.properties.insert(tag.clone(), word);
                    field = tag;
                }
            }
            *item = form.into();
        }
        of.discriminator = Some(Discriminator::with_mapping(field, mapping));
        schemas.insert(name, Schema::OneOf(of).into());
    }
}

/// A named object and the word beside it.
fn tagged(item: &RefOr<Schema>) -> Option<(Ref, Object)> {
    let RefOr::T(Schema::AllOf(all)) = item else {
        return None;
    };
    match all.items.as_slice() {
        [RefOr::Ref(form), RefOr::T(Schema::Object(tag))] if tag.properties.len() == 1 => {
            Some((form.clone(), tag.clone()))
        }
        _ => None,
    }
}

fn within(schema: &mut Schema, known: &Schemas) {
    match schema {
        Schema::Object(object) => {
            let fields = object.properties.values_mut();
            fields.for_each(|field| name(field, known));
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                name(items, known);
            }
        }
        Schema::OneOf(of) => {
            of.items.iter_mut().for_each(|item| name(item, known));
            describe(of);
        }
        _ => {}
    }
}

fn name(part: &mut RefOr<Schema>, known: &Schemas) {
    let same = known.iter().find(|(_, schema)| *schema == part);
    match (same, part) {
        (Some((name, _)), part) => *part = Ref::from_schema_name(name).into(),
        (None, RefOr::T(schema)) => within(schema, known),
        (None, RefOr::Ref(_)) => {}
    }
}

/// What is said of a field that may be null is said of it as a whole, and not of
/// the schema that it has otherwise: there no generator looks for it.
fn describe(of: &mut OneOf) {
    if let [RefOr::Ref(named), RefOr::T(_)] | [RefOr::T(_), RefOr::Ref(named)] =
        of.items.as_mut_slice()
        && of.description.is_none()
        && !named.description.is_empty()
    {
        of.description = Some(std::mem::take(&mut named.description));
    }
}

/// The title of one of several forms of an object: the object's name, and the word
/// that this form alone has, else the fields that it must have.
fn entitle(form: &mut RefOr<Schema>, object: &str) {
    let RefOr::T(Schema::Object(form)) = form else {
        return;
    };
    if form.properties.is_empty() || form.title.is_some() {
        return;
    }
    let words = form.properties.values().find_map(only_word);
    let words = words.unwrap_or_else(|| form.required.join("_"));
    let title = [object].into_iter().chain(words.split('_'));
    form.title = Some(title.map(capitalised).collect());
}

/// The word of a field that has no choice.
fn only_word(field: &RefOr<Schema>) -> Option<String> {
    let RefOr::T(Schema::Object(Object { enum_values, .. })) = field else {
        return None;
    };
    match enum_values.as_deref()? {
        [word] => word.as_str().map(ToOwned::to_owned),
        _ => None,
    }
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
    first.to_uppercase() + rest
}
