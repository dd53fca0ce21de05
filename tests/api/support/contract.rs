//! The served OpenAPI document as a contract: path, method, status, content type
//! and body of every exchange must stand in it, with no field beyond it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use jsonschema::Validator;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::gzip;
use super::strict;

/// One request and its answer.
pub(crate) struct Exchange<'a> {
    pub(crate) method: &'a str,
    /// With its query.
    pub(crate) path: &'a str,
    pub(crate) request: Option<&'a [u8]>,
    pub(crate) status: u16,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a [u8],
}

/// A document that exchanges are held against.
pub(crate) struct Contract {
    document: Value,
    components: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// A plain problem, for what the document cannot speak of.
const PROBLEM: &str = "/components/schemas/Problem";

impl Contract {
    /// The contract of a served document; servers of one build share it.
    pub(crate) fn of(mut document: Value) -> Arc<Contract> {
        static KNOWN: Mutex<Vec<Arc<Contract>>> = Mutex::new(Vec::new());
        document.as_object_mut().unwrap().remove("servers");
        let mut known = KNOWN.lock().unwrap();
        if let Some(contract) = known.iter().find(|known| known.document == document) {
            return contract.clone();
        }
        let contract = Arc::new(Contract {
            components: strict::components(&document),
            document,
            validators: Mutex::default(),
        });
        known.push(contract.clone());
        contract
    }

    /// Panics unless the document allows this exchange.
    pub(crate) fn check(&self, exchange: &Exchange<'_>) {
        let path = exchange.path.split('?').next().unwrap();
        let id = header(exchange, "x-request-id");
        assert!(!id.is_empty(), "{exchange} has no x-request-id");
        if exchange.status >= 400 {
            self.check_problem(exchange, path, id);
        }
        let Some(template) = self.template(path) else {
            return assert_eq!(
                exchange.status, 404,
                "{exchange}: the path is not documented"
            );
        };
        let method = match exchange.method {
            "HEAD" => "get".to_owned(),
            method => method.to_lowercase(),
        };
        let pointer = format!("/paths/{}/{method}", escaped(template));
        let Some(operation) = self.document.pointer(&pointer) else {
            return assert_eq!(
                exchange.status, 405,
                "{exchange}: the method is not documented"
            );
        };
        let response = &operation["responses"][exchange.status.to_string()];
        assert!(
            response.is_object(),
            "{exchange}: the status is not documented"
        );
        self.check_body(
            exchange,
            &format!("{pointer}/responses/{}", exchange.status),
        );
        if exchange.status >= 400 {
            if exchange.method != "HEAD" {
                let problem = json_of(exchange.body);
                let code = format!("`{}`", problem["code"].as_str().unwrap());
                let codes = response["description"].as_str().unwrap();
                assert!(codes.contains(&code), "{exchange}: documented are {codes}");
            }
        } else if let Some(request) = exchange.request {
            let request = json_of(request);
            let pointer = format!("{pointer}/requestBody/content/application~1json/schema");
            self.validate(exchange, &pointer, &request, "request");
        }
    }

    fn check_problem(&self, exchange: &Exchange<'_>, path: &str, id: &str) {
        let kind = header(exchange, "content-type");
        assert_eq!(kind, "application/problem+json", "{exchange}");
        if exchange.method == "HEAD" {
            return;
        }
        let problem = json_of(exchange.body);
        self.validate(exchange, PROBLEM, &problem, "problem");
        let code = problem["code"].as_str().unwrap();
        let kind = problem["type"].as_str().unwrap();
        assert!(kind.ends_with(&format!("/problems/{code}")), "{exchange}");
        assert_eq!(problem["status"], exchange.status, "{exchange}");
        assert_eq!(problem["instance"], path, "{exchange}");
        assert_eq!(problem["request_id"], id, "{exchange}");
        assert_ne!(problem["title"], "", "{exchange}");
        assert_ne!(problem["detail"], "", "{exchange}");
    }

    fn check_body(&self, exchange: &Exchange<'_>, response: &str) {
        let content = &self.document.pointer(response).unwrap()["content"];
        let Some(content) = content.as_object() else {
            return assert!(
                exchange.body.is_empty(),
                "{exchange}: a body is not documented"
            );
        };
        let kind = header(exchange, "content-type");
        let kind = kind.split(';').next().unwrap();
        assert!(
            content.contains_key(kind),
            "{exchange}: {kind} is not documented"
        );
        if exchange.method == "HEAD" {
            return assert!(exchange.body.is_empty(), "{exchange}");
        }
        if exchange.status == 206 {
            // A part of a file says nothing by itself.
            return;
        }
        let schema = format!("{response}/content/{}/schema", escaped(kind));
        let body = match header(exchange, "content-encoding") {
            "gzip" => gzip::unpack(exchange.body),
            _ => exchange.body.to_vec(),
        };
        if kind == "application/x-ndjson" {
            for line in body.split(|&byte| byte == b'\n').filter(|l| !l.is_empty()) {
                self.validate(exchange, &schema, &json_of(line), "line");
            }
        } else if kind.ends_with("json") {
            self.validate(exchange, &schema, &json_of(&body), "body");
        } else if kind == "image/png" {
            // Of bytes that are no text the document says no more than that.
            assert!(body.starts_with(b"\x89PNG\r\n"), "{exchange}");
        } else if kind == "application/vnd.apache.parquet" {
            let whole = body.starts_with(b"PAR1") && body.ends_with(b"PAR1");
            assert!(whole, "{exchange}");
        } else {
            let text = Value::String(String::from_utf8(body).unwrap());
            self.validate(exchange, &schema, &text, "text");
        }
    }

    fn validate(&self, exchange: &Exchange<'_>, pointer: &str, value: &Value, what: &str) {
        let errors: Vec<String> = self
            .validator(pointer)
            .iter_errors(value)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{exchange}\nits {what}: {errors:#?}");
    }

    fn validator(&self, pointer: &str) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        if let Some(validator) = validators.get(pointer) {
            return validator.clone();
        }
        let schema = self.document.pointer(pointer);
        let schema = schema.unwrap_or_else(|| panic!("the document has no {pointer}"));
        let mut schema = strict::schema_of(schema, &self.document);
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        schema["components"] = self.components.clone();
        let validator = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&schema)
            .unwrap_or_else(|error| panic!("{pointer} is not a schema: {error}"));
        let validator = Arc::new(validator);
        validators.insert(pointer.into(), validator.clone());
        validator
    }

    /// The documented path that this one is an instance of.
    fn template(&self, path: &str) -> Option<&str> {
        let segments: Vec<_> = path.split('/').collect();
        let fits = |template: &str| {
            let parts: Vec<_> = template.split('/').collect();
            let same = |(part, segment): (&&str, &&str)| {
                part == segment || (part.starts_with('{') && !segment.is_empty())
            };
            parts.len() == segments.len() && parts.iter().zip(&segments).all(same)
        };
        let paths = self.document["paths"].as_object().unwrap();
        paths
            .keys()
            .map(String::as_str)
            .find(|template| fits(template))
    }
}

impl std::fmt::Display for Exchange<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let body = String::from_utf8_lossy(self.body);
        let body: String = body.chars().take(2000).collect();
        let (method, path, status) = (self.method, self.path, self.status);
        write!(f, "{method} {path} answered {status}: {body}")
    }
}

fn header<'a>(exchange: &Exchange<'a>, name: &str) -> &'a str {
    let value = exchange.headers.get(name);
    value.map_or("", |value| value.to_str().unwrap())
}

/// A name as a part of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn json_of(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)))
}
