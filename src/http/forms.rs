//! Objects that take one of several forms: how the document says so, and the
//! reading of fields that are either left out or have a value.

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use utoipa::openapi::schema::{
    AdditionalProperties, KnownFormat, Object, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat,
    SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// Reads a field that may be left out (with `#[serde(default)]`) but not null:
/// each form of an object is its own set of fields.
pub(super) fn given<'de, D, T>(json: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(json).map(Some)
}

/// Reads an object of free names, none of which may stand twice.
pub(super) fn distinct<'de, D: Deserializer<'de>>(json: D) -> Result<Map<String, Value>, D::Error> {
    struct Distinct;

    impl<'de> Visitor<'de> for Distinct {
        type Value = Map<String, Value>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
            let mut read = Map::new();
            while let Some((name, value)) = fields.next_entry::<String, Value>()? {
                if read.insert(name.clone(), value).is_some() {
                    return Err(A::Error::custom(format!("duplicate field `{name}`")));
                }
            }
            Ok(read)
        }
    }

    json.deserialize_map(Distinct)
}

/// The value of a parameter of the rules, of the type that it has.
pub(super) struct RuleValue;

impl PartialSchema for RuleValue {
    fn schema() -> RefOr<Schema> {
        let kinds = [Type::Integer, Type::String, Type::Boolean, Type::Null];
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter(kinds))
            .description(Some("A parameter's value, of the type that it has."))
            .into()
    }
}

impl ToSchema for RuleValue {}

/// A field of a form.
pub(super) type Field = (&'static str, RefOr<Schema>);

/// An object with fields that it must have and some that it may.
pub(super) fn form(meaning: &str, must: Vec<Field>, may: Vec<Field>) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new()
        .description(Some(meaning))
        .additional_properties(Some(AdditionalProperties::FreeForm(false)));
    for (name, schema) in must {
        object = object.property(name, schema).required(name);
    }
    for (name, schema) in may {
        object = object.property(name, schema);
    }
    object.into()
}

/// Exactly one of these.
pub(super) fn one_of(description: &str, forms: Vec<RefOr<Schema>>) -> RefOr<Schema> {
    let one_of = OneOfBuilder::new().description(Some(description));
    let one_of = forms.into_iter().fold(one_of, OneOfBuilder::item);
    one_of.into()
}

/// This value and no other.
pub(super) fn only(kind: Type, value: impl Into<serde_json::Value>) -> RefOr<Schema> {
    let object: Object = ObjectBuilder::new()
        .schema_type(kind)
        .enum_values(Some([value]))
        .build();
    object.into()
}

/// One of these words.
pub(super) fn words(words: &[&str]) -> RefOr<Schema> {
    let object: Object = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(words.iter().copied()))
        .build();
    object.into()
}

/// A whole number that is not below `least`.
pub(super) fn count(meaning: &str, least: i32) -> RefOr<Schema> {
    let object: Object = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
        .minimum(Some(least))
        .description(Some(meaning))
        .build();
    object.into()
}

/// A point in time.
pub(super) fn time(meaning: &str) -> RefOr<Schema> {
    let object: Object = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
        .description(Some(meaning))
        .build();
    object.into()
}

/// A schema with a name of its own.
pub(super) fn named(name: &str) -> RefOr<Schema> {
    Ref::from_schema_name(name).into()
}
