//! Makes schemas strict: an object may have the properties that are written down
//! and no other, so that a field the document does not know fails a test. Objects
//! without any written property (free maps) stay open.

use serde_json::{Map, Value, json};

/// The components of `document`, strict.
pub(crate) fn components(document: &Value) -> Value {
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let strict = schemas
        .iter()
        .map(|(name, schema)| (name.clone(), schema_of(schema, document)))
        .collect::<Map<_, _>>();
    json!({ "schemas": strict })
}

/// One schema, strict.
pub(crate) fn schema_of(schema: &Value, document: &Value) -> Value {
    close(schema, document, true)
}

/// `shut`: whether the object may have no property that is not written in it. The
/// members of an `allOf` each know only a part of it, so there it is the whole that
/// is shut.
fn close(schema: &Value, document: &Value, shut: bool) -> Value {
    let Some(object) = schema.as_object() else {
        return schema.clone();
    };
    if let Some(reference) = object.get("$ref").filter(|_| !shut) {
        // The component itself is shut: take what it says instead.
        let pointer = reference.as_str().unwrap().trim_start_matches('#');
        return close(document.pointer(pointer).unwrap(), document, false);
    }
    let has = |keyword| object.contains_key(keyword);
    let is_parted = has("allOf") || (has("properties") && (has("oneOf") || has("anyOf")));
    let mut closed = Map::new();
    for (keyword, value) in object {
        let value = match keyword.as_str() {
            "properties" => each(value, |part| close(part, document, true)),
            "allOf" => each(value, |part| close(part, document, false)),
            "oneOf" | "anyOf" => each(value, |part| close(part, document, shut && !is_parted)),
            "prefixItems" => each(value, |part| close(part, document, true)),
            "items" | "additionalProperties" | "not" => close(value, document, true),
            _ => value.clone(),
        };
        closed.insert(keyword.clone(), value);
    }
    if shut && !has("additionalProperties") {
        if is_parted {
            closed.insert("unevaluatedProperties".into(), false.into());
        } else if has("properties") {
            closed.insert("additionalProperties".into(), false.into());
        }
    }
    Value::Object(closed)
}

fn each(value: &Value, change: impl Fn(&Value) -> Value) -> Value {
    match value {
        Value::Array(parts) => parts.iter().map(change).collect(),
        Value::Object(parts) => {
            let parts = parts
                .iter()
                .map(|(name, part)| (name.clone(), change(part)));
            Value::Object(parts.collect())
        }
        other => other.clone(),
    }
}

#[test]
fn a_field_that_is_not_written_down_is_refused() {
    let document = json!({ "components": { "schemas": {
        "Plain": { "type": "object", "properties": { "a": { "type": "integer" } } },
        "Tagged": { "oneOf": [{ "allOf": [
            { "$ref": "#/components/schemas/Plain" },
            { "type": "object", "required": ["kind"], "properties": { "kind": { "const": "x" } } },
        ] }] },
        "Free": { "type": "object" },
        "Deep": { "type": "object", "properties": { "list": { "type": "array", "items":
            { "$ref": "#/components/schemas/Plain" } } } },
    } } });
    let allows = |name: &str, value: Value| {
        let mut schema = json!({ "$ref": format!("#/components/schemas/{name}") });
        schema["components"] = components(&document);
        jsonschema::draft202012::is_valid(&schema, &value)
    };
    assert!(allows("Plain", json!({ "a": 1 })));
    assert!(!allows("Plain", json!({ "a": 1, "b": 1 })));
    assert!(allows("Tagged", json!({ "a": 1, "kind": "x" })));
    assert!(!allows("Tagged", json!({ "a": 1, "kind": "x", "b": 1 })));
    assert!(allows("Free", json!({ "any": 1 })));
    assert!(allows("Deep", json!({ "list": [{ "a": 1 }] })));
    assert!(!allows("Deep", json!({ "list": [{ "b": 1 }] })));
}
