//! The served paths by method, format and query, read off the OpenAPI document,
//! so that what is admitted can't differ from what it says.

use std::borrow::Cow;
use std::collections::BTreeMap;

use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use utoipa::openapi::path::{Operation, ParameterIn, PathItem};
use utoipa::openapi::{OpenApi, RefOr};

/// One path of the document.
struct Place {
    pattern: ResourceDef,
    methods: BTreeMap<&'static str, Call>,
}

/// What a method of a path takes and gives.
struct Call {
    /// Formats of the successful answers.
    formats: Vec<String>,
    /// Names of the query's parameters.
    query: Vec<String>,
}

/// All of them.
pub struct Surface(Vec<Place>);

impl Surface {
    /// Reads the document.
    pub fn new(document: &OpenApi) -> Surface {
        let place = |(path, item): (&String, &PathItem)| Place {
            pattern: ResourceDef::new(path.as_str()),
            methods: operations(item)
                .map(|(name, op)| (name, Call::new(op)))
                .collect(),
        };
        Surface(document.paths.paths.iter().map(place).collect())
    }

    /// What the answers of this path can be written in.
    pub(crate) fn formats(&self, path: &str, method: &Method) -> Option<&[String]> {
        let call = self.place(path)?.methods.get(method.as_str())?;
        (!call.formats.is_empty()).then_some(call.formats.as_slice())
    }

    /// The first parameter of a query that this path does not know.
    pub(crate) fn unknown_in<'q>(
        &self,
        path: &str,
        method: &Method,
        query: &'q str,
    ) -> Option<Cow<'q, str>> {
        let call = self.place(path)?.methods.get(method.as_str())?;
        let mut names = form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
        names.find(|name| !call.query.iter().any(|known| known == name))
    }

    /// The methods this path takes.
    pub(crate) fn methods(&self, path: &str) -> Option<Vec<&'static str>> {
        let mut methods: Vec<_> = self.place(path)?.methods.keys().copied().collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        Some(methods)
    }

    fn place(&self, path: &str) -> Option<&Place> {
        self.0.iter().find(|place| place.pattern.is_match(path))
    }
}

/// The operations of a path with their methods' names.
pub(crate) fn operations(item: &PathItem) -> impl Iterator<Item = (&'static str, &Operation)> {
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

impl Call {
    fn new(operation: &Operation) -> Call {
        let parameters = operation.parameters.iter().flatten();
        let query = parameters.filter_map(|parameter| match parameter {
            RefOr::T(found) if found.parameter_in == ParameterIn::Query => Some(found.name.clone()),
            _ => None,
        });
        Call {
            formats: formats(operation),
            query: query.collect(),
        }
    }
}

fn formats(operation: &Operation) -> Vec<String> {
    let mut formats: Vec<String> = Vec::new();
    for (status, response) in &operation.responses.responses {
        let RefOr::T(response) = response else {
            continue;
        };
        if status.starts_with('2') {
            formats.extend(
                response
                    .content
                    .keys()
                    .filter(|&f| !formats.contains(f))
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        }
    }
    formats
}
