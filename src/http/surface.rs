//! The served paths by method and format, read off the OpenAPI document, so
//! that `Allow` and `Accept` can't differ from what it says.

use std::collections::BTreeMap;

use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{OpenApi, RefOr};

/// One path of the document.
struct Place {
    pattern: ResourceDef,
    /// Formats of the successful answers by method.
    methods: BTreeMap<&'static str, Vec<String>>,
}

/// All of them.
pub struct Surface(Vec<Place>);

impl Surface {
    /// Reads the document.
    pub fn new(document: &OpenApi) -> Surface {
        let place = |(path, item): (&String, &PathItem)| Place {
            pattern: ResourceDef::new(path.as_str()),
            methods: operations(item)
                .map(|(name, op)| (name, formats(op)))
                .collect(),
        };
        Surface(document.paths.paths.iter().map(place).collect())
    }

    /// What the answers of this path can be written in.
    pub(crate) fn formats(&self, path: &str, method: &Method) -> Option<&[String]> {
        let formats = self.place(path)?.methods.get(method.as_str())?;
        (!formats.is_empty()).then_some(formats.as_slice())
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
