//! A receiver of webhooks on this machine: it records what comes and behaves as a
//! test wants it to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use mancala_post::http::messages::EventMessages;
use mancala_post::notify::Feed;
use mancala_post::notify::webhooks::Worker;
use mancala_post::notify::webhooks::sender::Sender;
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use super::client::Api;
use super::database::Database;
use super::server::{Front, Server, parts};

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(30);

/// How an answer goes.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// A status, without a body.
    Status(u16),
    /// A status and a further header line.
    With(u16, String),
    /// No answer while the client waits.
    Hang,
    /// The connection is closed without an answer.
    Close,
    /// 200, and a body that never ends and never comes.
    SlowBody,
    /// 200, and a body without an end.
    HugeBody,
    /// Interim answers without an end, as fast as they are read.
    Interim,
}

/// A message as it came.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// The request's first line.
    pub(crate) line: String,
    headers: Vec<(String, String)>,
    /// The body's text.
    pub(crate) text: String,
    pub(crate) body: Value,
}

impl Received {
    /// A header that must have come once.
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut found = self.headers.iter().filter(|(key, _)| key == name);
        let (_, value) = found.next().unwrap_or_else(|| panic!("no {name}"));
        assert!(found.next().is_none(), "{name} came twice");
        value
    }

    /// `webhook-id`.
    pub(crate) fn id(&self) -> &str {
        self.header("webhook-id")
    }

    /// Which of its signatures this secret made, in order.
    pub(crate) fn signed_by(&self, secret: &str) -> Vec<bool> {
        let secret = STANDARD.decode(secret.strip_prefix("whsec_").unwrap());
        let mut mac = Hmac::<Sha256>::new_from_slice(&secret.unwrap()).unwrap();
        let (id, timestamp) = (self.id(), self.header("webhook-timestamp"));
        mac.update(format!("{id}.{timestamp}.{}", self.text).as_bytes());
        let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        let signatures = self.header("webhook-signature").split(' ');
        signatures.map(|signature| signature == expected).collect()
    }
}

#[derive(Default)]
struct State {
    seen: Vec<Received>,
    script: VecDeque<Answer>,
    bytes: usize,
    /// Rung when a message has come.
    come: Arc<Notify>,
}

/// A receiver. Gone when dropped.
pub(crate) struct Receiver {
    /// `http://127.0.0.1:…/hook`.
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
    task: JoinHandle<()>,
}

impl Receiver {
    /// One that answers so, time after time, and 200 once that is used up.
    pub(crate) async fn start(script: &[Answer]) -> Receiver {
        let receiver = Receiver::behind(None).await;
        receiver.then(script);
        receiver
    }

    /// One that is reached over TLS, perhaps.
    pub(crate) async fn behind(tls: Option<TlsAcceptor>) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let state = Arc::<Mutex<State>>::default();
        let shared = state.clone();
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (state, tls) = (shared.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, &state).await,
                        Some(tls) => {
                            // The client may not like the certificate.
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(stream, &state).await;
                            }
                        }
                    }
                });
            }
        });
        Receiver { url, state, task }
    }

    /// What has come so far.
    pub(crate) fn seen(&self) -> Vec<Received> {
        self.state.lock().unwrap().seen.clone()
    }

    /// The types of what has come so far.
    pub(crate) fn types(&self) -> Vec<String> {
        let seen = self.seen();
        let kind = |message: &Received| message.body["type"].as_str().unwrap().to_owned();
        seen.iter().map(kind).collect()
    }

    /// Bytes of bodies that it got rid of.
    pub(crate) fn bytes(&self) -> usize {
        self.state.lock().unwrap().bytes
    }

    /// How it goes on.
    pub(crate) fn then(&self, script: &[Answer]) {
        let mut state = self.state.lock().unwrap();
        state.script.extend(script.iter().cloned());
    }

    /// Waits until so many have come.
    pub(crate) async fn until(&self, count: usize) -> Vec<Received> {
        let come = self.state.lock().unwrap().come.clone();
        let waiting = async {
            loop {
                // Before looking, so that nothing comes unnoticed in between.
                let next = come.notified();
                if self.seen().len() >= count {
                    return;
                }
                next.await;
            }
        };
        let come = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(come.is_ok(), "{count} expected: {:?}", self.types());
        self.seen()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, state: &Mutex<State>) {
    let Some(received) = read(&mut stream).await else {
        return;
    };
    let answer = {
        let mut state = state.lock().unwrap();
        state.seen.push(received);
        state.come.notify_waiters();
        state.script.pop_front().unwrap_or(Answer::Status(200))
    };
    let (status, header) = match &answer {
        Answer::Hang => {
            // Until the client goes.
            stream.read_u8().await.ok();
            return;
        }
        Answer::Close => return,
        Answer::Status(status) => (*status, "content-length: 0".to_owned()),
        Answer::With(status, header) => (*status, format!("content-length: 0\r\n{header}")),
        Answer::Interim => (103, "link: </>".to_owned()),
        Answer::SlowBody => (200, "content-length: 10".to_owned()),
        Answer::HugeBody => (200, "transfer-encoding: chunked".to_owned()),
    };
    let head = format!("HTTP/1.1 {status} Said\r\n{header}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.ok();
    match answer {
        Answer::SlowBody => {
            stream.read_u8().await.ok();
        }
        Answer::HugeBody => {
            let chunk = format!("2000\r\n{}\r\n", "x".repeat(0x2000));
            while stream.write_all(chunk.as_bytes()).await.is_ok() {
                state.lock().unwrap().bytes += 0x2000;
            }
        }
        Answer::Interim => {
            let hints = head.repeat(1000);
            while stream.write_all(hints.as_bytes()).await.is_ok() {
                state.lock().unwrap().bytes += hints.len();
            }
        }
        _ => {}
    }
}

async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Received> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        let mut more = [0; 1024];
        let read = stream.read(&mut more).await.ok().filter(|&read| read > 0)?;
        bytes.extend(&more[..read]);
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap().to_owned();
    let split = |line: &str| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_lowercase(), value.to_owned())
    };
    let headers: Vec<_> = lines.map(split).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.unwrap().1.parse().unwrap();
    let mut body = bytes[end + 4..].to_vec();
    while body.len() < length {
        let mut more = [0; 1024];
        let read = stream.read(&mut more).await.ok().filter(|&read| read > 0)?;
        body.extend(&more[..read]);
    }
    let text = String::from_utf8(body).unwrap();
    Some(Received {
        line,
        headers,
        body: serde_json::from_str(&text).unwrap(),
        text,
    })
}

/// What sends to this machine, and does not wait long.
pub(crate) fn sender() -> Sender {
    Sender::new(true)
        .unwrap()
        .patient(Duration::from_millis(500))
}

/// A server whose webhooks may lead to this machine, and which does nothing by
/// itself.
pub(crate) async fn server() -> Server {
    let db = Database::new().await;
    let usual = parts(&db);
    let front = Front::start(move || mancala_post::app::Parts {
        sender: Some(sender()),
        ..usual()
    })
    .await;
    Server::of(front, db)
}

/// What sends the events of that server.
pub(crate) fn worker(db: &Database, url: &str) -> Worker {
    Worker {
        pool: db.pool(),
        feed: Feed::default(),
        sender: sender(),
        bodies: std::sync::Arc::new(EventMessages {
            public_url: url.to_owned(),
        }),
    }
}

/// Gives the events their positions and makes all attempts that are due, until
/// none is; how many.
pub(crate) async fn send_all(db: &Database, worker: &Worker) -> usize {
    db.place_events().await;
    let mut all = 0;
    loop {
        match worker.round().await.unwrap() {
            0 => return all,
            made => all += made,
        }
    }
}

/// A webhook: its path and its secret.
pub(crate) async fn subscribe(api: &Api, url: &str, more: Value) -> (String, String) {
    let mut body = json!({ "url": url });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let made = api.post("/v1/webhooks", &body).await.expect(201);
    let id = made["webhook"]["id"].as_str().unwrap();
    let secret = made["secret"].as_str().unwrap();
    (format!("/v1/webhooks/{id}"), secret.to_owned())
}

/// The delivery log, the oldest event first.
pub(crate) async fn log(api: &Api, webhook: &str) -> Vec<Value> {
    let page = api.get(&format!("{webhook}/deliveries?limit=200")).await;
    let mut items = page.expect(200)["items"].as_array().unwrap().clone();
    items.reverse();
    items
}
