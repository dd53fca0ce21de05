//! The served paths by method, format and query, read off the OpenAPI document,
//! so that what is admitted can't differ from what it says.

use std::borrow::Cow;
use std::collections::BTreeMap;

use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// One path of the document.
struct Place {
    pattern: ResourceDef,
    methods: BTreeMap<String, Call>,
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

/// As much of the document as is needed for it.
#[derive(Deserialize)]
struct Document {
    paths: BTreeMap<String, BTreeMap<String, Operation>>,
}

#[derive(Deserialize)]
struct Operation {
    #[serde(default)]
    parameters: Vec<Parameter>,
    responses: BTreeMap<String, Response>,
}

#[derive(Deserialize)]
struct Parameter {
    name: String,
    #[serde(rename = "in")]
    place: String,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    content: BTreeMap<String, IgnoredAny>,
}

impl Surface {
    /// Reads the document.
    pub fn new(document: &str) -> Result<Surface, serde_json::Error> {
        let document: Document = serde_json::from_str(document)?;
        let call = |(method, operation): (String, Operation)| {
            (method.to_uppercase(), Call::new(operation))
        };
        let paths = document.paths.into_iter();
        let place = |(path, item): (String, BTreeMap<String, Operation>)| Place {
            pattern: ResourceDef::new(path),
            methods: item.into_iter().map(call).collect(),
        };
        Ok(Surface(paths.map(place).collect()))
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
    pub(crate) fn methods(&self, path: &str) -> Option<Vec<&str>> {
        let methods = self.place(path)?.methods.keys().map(String::as_str);
        let mut methods: Vec<_> = methods.collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        Some(methods)
    }

    fn place(&self, path: &str) -> Option<&Place> {
        self.0.iter().find(|place| place.pattern.is_match(path))
    }
}

impl Call {
    fn new(operation: Operation) -> Call {
        let mut formats: Vec<String> = Vec::new();
        for (status, response) in operation.responses {
            let good = status.starts_with('2');
            let new = response.content.into_keys().filter(|_| good);
            formats.extend(
                new.filter(|format| !formats.contains(format))
                    .collect::<Vec<_>>(),
            );
        }
        let parameters = operation.parameters.into_iter();
        let query = parameters.filter(|parameter| parameter.place == "query");
        Call {
            formats,
            query: query.map(|parameter| parameter.name).collect(),
        }
    }
}
