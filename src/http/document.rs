//! The OpenAPI document: made from the endpoints, completed here, served and
//! committed. What every endpoint has in common is said once, here.

use std::collections::BTreeSet;

use actix_web::{App, HttpResponse, get, web};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Content, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Ref, RefOr,
    Required, Response, ResponseBuilder, Schema,
};
use utoipa_actix_web::AppExt;

use super::language;
use super::messages;
use super::naming;

/// The document as it is served.
pub struct Document(pub web::Bytes);

/// The OpenAPI document
#[utoipa::path(tag = "about", operation_id = "getDocument",
    responses((status = 200, description = "OpenAPI 3.1", body = BTreeMap<String, Value>)))]
#[get("/openapi.json")]
pub(crate) async fn show(document: web::Data<Document>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .body(document.0.clone())
}

/// The document as it is committed: made once, for making it takes many times the
/// memory that it has.
const COMMITTED: &str = include_str!("../../openapi/openapi.json");

/// The committed document, as the server at `public_url` serves it.
pub(crate) fn served(public_url: &str) -> Result<String, serde_json::Error> {
    let servers = serde_json::to_string(&[Server { url: public_url }])?;
    let rest = COMMITTED.strip_prefix('{').unwrap_or(COMMITTED);
    Ok(format!("{{\n  \"servers\": {servers},{rest}"))
}

#[derive(Serialize)]
struct Server<'a> {
    url: &'a str,
}

/// The document of all endpoints.
fn of_all_endpoints() -> OpenApi {
    let app = App::new()
        .into_utoipa_app()
        .openapi(frame())
        .configure(super::documented);
    let (_, document) = app.split_for_parts();
    complete(document)
}

/// The frame that the endpoints are put into.
fn frame() -> OpenApi {
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("mancala-post")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(DESCRIPTION))
                .license(Some(
                    LicenseBuilder::new()
                        .name(env!("CARGO_PKG_LICENSE"))
                        .identifier(Some(env!("CARGO_PKG_LICENSE")))
                        .build(),
                ))
                .build(),
        )
        .tags(Some(TAGS.map(|(name, description)| {
            TagBuilder::new()
                .name(name)
                .description(Some(description))
                .build()
        })))
        .build()
}

const DESCRIPTION: &str = "Mancala by post: Congkak, in the rules of three sources, and \
Al-manqala, turn by turn over HTTP.\n\nHouses are counted from a seat's left hand, from 1. Times are RFC 3339 in UTC, \
durations whole seconds unless a name ends in `_ms`. Every error is `application/problem+json` \
(RFC 9457) with a stable `code`. A move carries the `ply` that its sender saw as `after_ply`, so \
that sending it again never moves twice. Words for people are in the language of `?lang=` or \
`Accept-Language`.";

const TAGS: [(&str, &str); 9] = [
    ("rulesets", "What can be played, and a board to try it on"),
    ("games", "Games, their moves and their logs"),
    (
        "events",
        "Everything that happens, in one log with one cursor",
    ),
    (
        "webhooks",
        "Events sent to an address of yours (Standard Webhooks)",
    ),
    ("offers", "Proposals between the seats"),
    ("research", "Exports and data sets of finished games"),
    ("players", "Signing up, and other players"),
    ("me", "The player behind the token"),
    ("about", "Health, problems, this document"),
];

const LANGUAGE: &str = "What words for people are in: titles of problems, summaries, captions, \
rules. Left out: what `Accept-Language` likes best, else English. `Content-Language` says which it is.";

/// Completes what the endpoints made: the security scheme, and the errors that any
/// endpoint may answer.
fn complete(mut document: OpenApi) -> OpenApi {
    let components = document.components.get_or_insert_default();
    components.security_schemes.insert(
        "token".into(),
        RefOr::T(SecurityScheme::Http(
            HttpBuilder::new()
                .scheme(HttpAuthScheme::Bearer)
                .description(Some(
                    "A token `mp_…`: a player's, or that of one seat of one game. A bot whose \
                     token has the scope `act` may send any request for somebody it plays for \
                     (`PUT /v1/managed-players/{external_ref}`), with the header \
                     `Mancala-Act-As: {external_ref}`",
                ))
                .build(),
        )),
    );
    components.schemas.extend(messages::schemas());
    naming::name_all(&mut components.schemas);
    let optional: Vec<String> = components
        .schemas
        .iter()
        .filter(|(_, schema)| is_optional(schema))
        .map(|(name, _)| format!("#/components/schemas/{name}"))
        .collect();
    require_nullable(&mut document);
    document.webhooks = Some(messages::documented());
    for (path, item) in &mut document.paths.paths {
        let names: Vec<_> = operations(item).map(|(name, _)| name).collect();
        for name in names {
            let operation = match name {
                "DELETE" => &mut item.delete,
                "GET" => &mut item.get,
                "PATCH" => &mut item.patch,
                "POST" => &mut item.post,
                _ => &mut item.put,
            };
            if let Some(operation) = operation {
                add_common(path, operation);
                leave_out(operation, &optional);
                require_parameter(operation);
            }
        }
    }
    document
}

/// A field of an answer that may be null is always there: only a request may
/// leave it out.
fn require_nullable(document: &mut OpenApi) {
    let asked = asked(document);
    let Some(components) = &mut document.components else {
        return;
    };
    for (name, schema) in &mut components.schemas {
        if asked.contains(name) {
            continue;
        }
        let RefOr::T(Schema::Object(object)) = schema else {
            continue;
        };
        for (field, schema) in &object.properties {
            if may_be_null(schema) && !object.required.contains(field) {
                object.required.push(field.clone());
            }
        }
    }
}

/// The names of the schemas that bodies of requests are made of.
fn asked(document: &OpenApi) -> BTreeSet<String> {
    let json = serde_json::to_value(document).unwrap_or_default();
    let mut found = BTreeSet::new();
    let paths = json["paths"].as_object();
    let operations = paths.into_iter().flat_map(|paths| paths.values());
    let operations = operations
        .filter_map(Value::as_object)
        .flat_map(|item| item.values());
    let mut waiting: Vec<&Value> = operations
        .map(|operation| &operation["requestBody"])
        .collect();
    while let Some(part) = waiting.pop() {
        match part {
            Value::Object(fields) => {
                waiting.extend(fields.values());
                let name = fields.get("$ref").and_then(Value::as_str);
                let name = name.and_then(|name| name.strip_prefix("#/components/schemas/"));
                if let Some(name) = name
                    && found.insert(name.to_owned())
                {
                    waiting.push(&json["components"]["schemas"][name]);
                }
            }
            Value::Array(items) => waiting.extend(items),
            _ => {}
        }
    }
    found
}

fn may_be_null(schema: &RefOr<Schema>) -> bool {
    let json = serde_json::to_value(schema).unwrap_or_default();
    let is_null = |kind: &Value| {
        kind == "null"
            || kind
                .as_array()
                .is_some_and(|kinds| kinds.iter().any(|k| k == "null"))
    };
    let any_of = |key: &str| {
        json[key]
            .as_array()
            .is_some_and(|of| of.iter().any(|s| is_null(&s["type"])))
    };
    is_null(&json["type"]) || any_of("oneOf") || any_of("anyOf")
}

/// Whether an object has no field that must be there: a body of that kind may
/// be left out whole.
fn is_optional(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.required.is_empty())
}

/// Says so of a request's body.
fn leave_out(operation: &mut Operation, optional: &[String]) {
    let kind_is_optional = |content: &RefOr<Content>| match content {
        RefOr::T(content) => match &content.schema {
            Some(RefOr::Ref(kind)) => optional.contains(&kind.ref_location),
            _ => false,
        },
        RefOr::Ref(_) => false,
    };
    if let Some(RefOr::T(body)) = &mut operation.request_body
        && body.content.values().all(kind_is_optional)
    {
        body.required = None;
    }
}

/// Parameters shared with other operations that one operation cannot do without.
const REQUIRED: [(&str, &str); 1] = [("explore", "ruleset")];

/// Says so of the operation's parameter.
fn require_parameter(operation: &mut Operation) {
    let id = operation.operation_id.as_deref();
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter
            && REQUIRED.contains(&(id.unwrap_or_default(), parameter.name.as_str()))
        {
            parameter.required = Required::True;
        }
    }
}

/// The operations of a path with their methods' names.
fn operations(item: &PathItem) -> impl Iterator<Item = (&'static str, &Operation)> {
    [
        ("DELETE", &item.delete),
        ("GET", &item.get),
        ("PATCH", &item.patch),
        ("POST", &item.post),
        ("PUT", &item.put),
    ]
    .into_iter()
    .filter_map(|(name, operation)| operation.as_ref().map(|operation| (name, operation)))
}

/// The parameter that every path knows, since all of them may answer a problem.
fn lang() -> RefOr<Parameter> {
    let schema = Ref::from_schema_name(language::LanguageWord::name());
    let parameter = ParameterBuilder::new()
        .name(language::PARAMETER)
        .parameter_in(ParameterIn::Query)
        .description(Some(LANGUAGE))
        .schema(Some(schema));
    RefOr::T(parameter.build())
}

/// What every operation has in common: the language, and the errors that come
/// before or beneath a handler.
fn add_common(path: &str, operation: &mut Operation) {
    operation.parameters.get_or_insert_default().push(lang());
    let takes_body = operation.request_body.is_some();
    let is_v1 = path.starts_with("/v1/");
    let takes_token = operation.security.is_some();
    let takes_key =
        operation.parameters.iter().flatten().any(
            |parameter| matches!(parameter, RefOr::T(found) if found.name == "Idempotency-Key"),
        );
    let common = [
        ("400", "`bad_request`", true),
        ("401", "`unauthorized`", takes_token),
        ("403", "`missing_scope`", takes_token),
        ("404", "`not_found`", path.contains('{')),
        ("406", "`not_acceptable`", true),
        ("408", "`request_timeout`", takes_body),
        ("409", "`key_running`", takes_key),
        ("422", "`key_reused`", takes_key),
        ("413", "`payload_too_large`", takes_body),
        ("415", "`unsupported_media_type`", takes_body),
        ("429", "`rate_limited`", is_v1),
        ("500", "`internal`", true),
        ("503", "`unavailable`", true),
    ];
    for (status, description, applies) in common {
        if applies {
            let responses = &mut operation.responses.responses;
            responses
                .entry(status.into())
                .or_insert_with(|| RefOr::T(problem(description)));
        }
    }
    let refused = operation.responses.responses.get_mut("403");
    if let (true, Some(RefOr::T(refused))) = (takes_token, refused) {
        refused.description +=
            "; with `Mancala-Act-As` also `seat_token`, `missing_scope`, `not_managed`";
    }
}

fn problem(description: &str) -> Response {
    let content: Content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Problem")))
        .build();
    ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", content)
        .build()
}

/// As it is to be committed: without a server, for that is where it is served.
pub fn made() -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&of_all_endpoints())?;
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::made;

    fn references<'a>(part: &'a Value, found: &mut BTreeSet<&'a str>) {
        match part {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|part| references(part, found));
            }
            Value::Array(items) => items.iter().for_each(|part| references(part, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document: Value = made()
            .and_then(|text| serde_json::from_str(&text))
            .expect("the document is JSON");
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(!found.is_empty());
        for reference in found {
            let pointer = reference.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }
}
