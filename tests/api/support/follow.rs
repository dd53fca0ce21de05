//! Following games: players with tokens, the event log as its readers see it, and
//! streams read line by line.

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::client::{Answer, Api, Ask};
use super::games::Game;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A new player's client.
pub(crate) async fn player(api: &Api, name: &str) -> Api {
    let answer = api.post("/v1/players", &json!({ "name": name })).await;
    let signed_up = answer.expect(201);
    api.with(signed_up["secret"].as_str().unwrap())
}

/// A game between two players, south's first: `south` made it, `north` joined.
pub(crate) async fn game_of(south: &Api, north: &Api, body: Value) -> Game {
    let mut body = body;
    body["seat"] = "south".into();
    body["opponent"] = json!({ "open": true });
    let created = south.post("/v1/games", &body).await.expect(201);
    let id = created["game"]["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/games/{id}");
    north.call(&format!("{path}/join")).await.expect(200);
    Game {
        path,
        south: south.clone(),
        north: north.clone(),
        anyone: south.clone(),
        id,
        created,
    }
}

/// Plays the first legal choice; the answer.
pub(crate) async fn step(game: &Game) -> Value {
    let state = game.state().await;
    let legal = &state["legal_moves"][0];
    let (seat, house) = (&legal["seat"], legal["house"].as_u64().unwrap());
    let ply = state["ply"].as_u64().unwrap();
    let answer = game.send(seat.as_str().unwrap(), ply, house).await;
    assert!(matches!(answer.status, 201 | 202), "{answer}");
    answer.json
}

/// All events of a log that has no more than a page.
pub(crate) async fn events(api: &Api, path: &str) -> Vec<Value> {
    let page = api.get(&format!("{path}?after=0&limit=200")).await;
    page.expect(200)["items"].as_array().unwrap().clone()
}

/// Their types.
pub(crate) fn types(events: &[Value]) -> Vec<&str> {
    let kind = |event: &'_ Value| event["type"].as_str().unwrap().len();
    assert!(events.iter().all(|event| kind(event) > 0));
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

/// Somebody who reads a log by long polls.
pub(crate) struct Reader {
    api: Api,
    path: String,
    pub(crate) cursor: String,
    pub(crate) seen: Vec<Value>,
}

impl Reader {
    /// From the start.
    pub(crate) fn new(api: &Api, path: &str) -> Reader {
        Reader {
            api: api.clone(),
            path: path.into(),
            cursor: "0".into(),
            seen: Vec::new(),
        }
    }

    /// Goes on at another server.
    pub(crate) fn turn_to(&mut self, url: &str) {
        self.api = self.api.at(url);
    }

    /// Reads on until `enough` of what was seen.
    pub(crate) async fn until(&mut self, enough: impl Fn(&[Value]) -> bool) {
        let reading = async {
            while !enough(&self.seen) {
                let path = format!("{}?after={}&wait=20&limit=50", self.path, self.cursor);
                let page = self.api.get(&path).await.expect(200);
                self.cursor = page["next_cursor"].as_str().unwrap().to_owned();
                self.seen.extend(page["items"].as_array().unwrap().clone());
            }
        };
        let read = tokio::time::timeout(PATIENCE * 4, reading).await;
        read.unwrap_or_else(|_| panic!("{}: seen are {:?}", self.path, types(&self.seen)));
    }
}

/// How many events are of this type.
pub(crate) fn count(events: &[Value], kind: &str) -> usize {
    events.iter().filter(|event| event["type"] == kind).count()
}

/// An open stream.
pub(crate) struct Stream {
    api: Api,
    asked: String,
    answer: reqwest::Response,
    pub(crate) headers: HeaderMap,
    rest: Vec<u8>,
}

impl Stream {
    /// Opens one in this format, with a `Last-Event-ID` perhaps.
    pub(crate) async fn open(api: &Api, path: &str, format: &str, last: Option<&str>) -> Stream {
        let mut ask = Ask::get(path)
            .header("accept", format)
            .header("accept-encoding", "gzip");
        if let Some(last) = last {
            ask = ask.header("last-event-id", last);
        }
        let answer = api.open(ask).await;
        assert_eq!(answer.status(), 200, "{path}");
        Stream {
            api: api.clone(),
            asked: format!("GET {path}"),
            headers: answer.headers().clone(),
            answer,
            rest: Vec::new(),
        }
    }

    /// The next line; none when the stream has ended.
    pub(crate) async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Some(String::from_utf8(line[..end].to_vec()).unwrap());
            }
            let chunk = tokio::time::timeout(PATIENCE, self.answer.chunk()).await;
            self.rest.extend(chunk.expect("nothing came").unwrap()?);
        }
    }

    /// The next event of a stream of JSON lines, held against the document.
    pub(crate) async fn json(&mut self) -> Option<Value> {
        loop {
            let line = self.line().await?;
            let (headers, body) = (self.headers.clone(), line.clone().into_bytes());
            let answer = Answer::new(200, headers, body, self.asked.clone());
            self.api.check(&answer);
            let line: Value = serde_json::from_str(&line).unwrap();
            if line["type"] != "heartbeat" {
                return Some(line);
            }
        }
    }

    /// The next event of a stream of server-sent events: id, type, data.
    pub(crate) async fn event(&mut self) -> Option<(String, String, Value)> {
        let (mut id, mut kind, mut data) = (String::new(), String::new(), None);
        loop {
            let line = self.line().await?;
            match line.split_once(": ") {
                Some(("id", value)) => id = value.into(),
                Some(("event", value)) => kind = value.into(),
                Some(("data", value)) => data = Some(serde_json::from_str(value).unwrap()),
                Some(("", comment)) => assert_eq!(comment, "alive"),
                _ => assert_eq!(line, ""),
            }
            if line.is_empty()
                && let Some(data) = data.take()
            {
                return Some((id, kind, data));
            }
        }
    }
}
