//! A client that trusts nothing: every answer is held against the served OpenAPI
//! document before a test gets to see it, and so is the body of every request that
//! succeeded.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::contract::{Contract, Exchange};

/// A client of one server with one token or none.
#[derive(Clone)]
pub(crate) struct Api {
    http: reqwest::Client,
    pub(crate) url: String,
    contract: Arc<Contract>,
    token: Option<String>,
}

/// A request.
pub(crate) struct Ask {
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Ask {
    /// `path` with its query.
    pub(crate) fn new(method: &str, path: &str) -> Ask {
        Ask {
            method: method.parse().unwrap(),
            path: path.into(),
            headers: Vec::new(),
            body: None,
        }
    }

    pub(crate) fn get(path: &str) -> Ask {
        Ask::new("GET", path)
    }

    pub(crate) fn post(path: &str) -> Ask {
        Ask::new("POST", path)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Ask {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// A JSON body.
    pub(crate) fn json(self, body: &Value) -> Ask {
        self.header("content-type", "application/json")
            .body(body.to_string())
    }

    /// Any body.
    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Ask {
        self.body = Some(body.into());
        self
    }
}

/// An answer that the document allows.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Null unless it came as JSON.
    pub(crate) json: Value,
    /// What was asked, for messages.
    asked: String,
}

impl Api {
    /// A client without a token.
    pub(crate) async fn new(url: &str) -> Api {
        // A proxy of the surroundings has no business here.
        let http = reqwest::Client::builder()
            .no_proxy()
            // The server closes it after five seconds, perhaps just when it is used again.
            .pool_idle_timeout(Duration::from_secs(2))
            .build()
            .unwrap();
        let document = http.get(format!("{url}/openapi.json")).send().await;
        let document: Value = document.unwrap().json().await.unwrap();
        Api {
            http,
            url: url.into(),
            contract: Contract::of(document),
            token: None,
        }
    }

    /// The same with another token.
    pub(crate) fn with(&self, token: &str) -> Api {
        Api {
            token: Some(token.into()),
            ..self.clone()
        }
    }

    /// The same at another address, as through a proxy.
    pub(crate) fn at(&self, url: &str) -> Api {
        Api {
            url: url.into(),
            ..self.clone()
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask(Ask::get(path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask(Ask::post(path).json(body)).await
    }

    /// A POST without a body.
    pub(crate) async fn call(&self, path: &str) -> Answer {
        self.ask(Ask::post(path)).await
    }

    pub(crate) async fn ask(&self, ask: Ask) -> Answer {
        let asked = format!("{} {}", ask.method, ask.path);
        match self.try_ask(ask).await {
            Ok(answer) => answer,
            Err(error) => panic!("{asked}: {error:?}"),
        }
    }

    /// Where no answer at all may be what the test is about.
    pub(crate) async fn try_ask(&self, ask: Ask) -> reqwest::Result<Answer> {
        let (answer, body) = self.try_send(ask).await?;
        let (method, path) = answer.asked.split_once(' ').unwrap();
        self.contract.check(&Exchange {
            method,
            path,
            request: body.as_deref(),
            status: answer.status,
            headers: &answer.headers,
            body: &answer.body,
        });
        Ok(answer)
    }

    /// Sends something that the document does not speak of.
    pub(crate) async fn ask_beyond(&self, ask: Ask) -> Answer {
        self.try_send(ask).await.unwrap().0
    }

    /// Sends it and leaves the answer's body to be read as it comes.
    pub(crate) async fn open(&self, ask: Ask) -> reqwest::Response {
        self.request(&ask).send().await.unwrap()
    }

    fn request(&self, ask: &Ask) -> reqwest::RequestBuilder {
        let url = format!("{}{}", self.url, ask.path);
        let mut request = self.http.request(ask.method.clone(), url);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        if let Some(body) = &ask.body {
            request = request.body(body.clone());
        }
        request
    }

    async fn try_send(&self, ask: Ask) -> reqwest::Result<(Answer, Option<Vec<u8>>)> {
        let asked = format!("{} {}", ask.method, ask.path);
        let answer = self.request(&ask).send().await?;
        let status = answer.status().as_u16();
        let headers = answer.headers().clone();
        let body = answer.bytes().await?.to_vec();
        let answer = Answer::new(status, headers, body, asked);
        Ok((answer, ask.body))
    }

    /// Holds an answer that came another way against the document.
    pub(crate) fn check(&self, answer: &Answer) {
        let (method, path) = answer.asked.split_once(' ').unwrap();
        self.contract.check(&Exchange {
            method,
            path,
            request: None,
            status: answer.status,
            headers: &answer.headers,
            body: &answer.body,
        });
    }
}

impl Answer {
    pub(crate) fn new(status: u16, headers: HeaderMap, body: Vec<u8>, asked: String) -> Answer {
        let kind = headers.get("content-type").and_then(|v| v.to_str().ok());
        let is_json = kind.is_some_and(|kind| kind.ends_with("json") && !kind.contains("ndjson"));
        let json = if is_json && !body.is_empty() && !headers.contains_key("content-encoding") {
            serde_json::from_slice(&body).unwrap()
        } else {
            Value::Null
        };
        Answer {
            status,
            headers,
            body,
            json,
            asked,
        }
    }

    /// The body of an answer that must have this status.
    pub(crate) fn expect(self, status: u16) -> Value {
        self.is(status);
        self.json
    }

    /// The problem that it must be.
    pub(crate) fn problem(self, status: u16, code: &str) -> Value {
        self.is(status);
        assert_eq!(self.json["code"], code, "{self}");
        self.json
    }

    pub(crate) fn is(&self, status: u16) {
        assert_eq!(self.status, status, "{self}");
    }

    /// A header's value; empty when it did not come.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    /// Whether it repeats what was done before.
    pub(crate) fn replayed(&self) -> bool {
        self.header("idempotent-replayed") == "true"
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let body = String::from_utf8_lossy(&self.body);
        write!(f, "{} answered {}: {body}", self.asked, self.status)
    }
}
