//! A client with one connection, which it keeps.

use std::net::SocketAddr;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_util::task::AbortOnDropHandle;

type Failed = Box<dyn std::error::Error + Send + Sync>;

/// Sends one request after another.
pub(super) struct Client {
    sender: SendRequest<Full<Bytes>>,
    address: SocketAddr,
    _connection: AbortOnDropHandle<()>,
}

impl Client {
    /// Connects.
    pub(super) async fn new(address: SocketAddr) -> Result<Client, Failed> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        // An error of the connection is one of the next request, too.
        let connection = tokio::spawn(async move { drop(connection.await) });
        Ok(Client {
            sender,
            address,
            _connection: AbortOnDropHandle::new(connection),
        })
    }

    /// Connects again if the server has closed what was idle for too long.
    async fn connected(&mut self) -> Result<(), Failed> {
        if self.sender.ready().await.is_err() {
            *self = Client::new(self.address).await?;
            self.sender.ready().await?;
        }
        Ok(())
    }

    /// Sends a request and reads the whole answer, whatever it says.
    async fn send(
        &mut self,
        method: Method,
        path: &str,
        token: Option<&str>,
        body: Option<&Value>,
    ) -> Result<(StatusCode, Bytes), Failed> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, self.address.to_string());
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = match body {
            Some(body) => {
                request = request.header(CONTENT_TYPE, "application/json");
                body.to_string()
            }
            None => String::new(),
        };
        self.connected().await?;
        let answer = self.sender.send_request(request.body(body.into())?).await?;
        let status = answer.status();
        Ok((status, answer.into_body().collect().await?.to_bytes()))
    }

    /// What is there.
    pub(super) async fn get(&mut self, path: &str) -> Result<Bytes, Failed> {
        let (status, body) = self.send(Method::GET, path, None, None).await?;
        good(status, path, &body)?;
        Ok(body)
    }

    /// How many bytes are there, none of which is kept.
    pub(super) async fn read(&mut self, path: &str) -> Result<u64, Failed> {
        let request = Request::get(path).header(HOST, self.address.to_string());
        self.connected().await?;
        let answer = self
            .sender
            .send_request(request.body(Full::default())?)
            .await?;
        let status = answer.status();
        let mut body = answer.into_body();
        let mut read = 0;
        while let Some(frame) = body.frame().await {
            read += frame?.data_ref().map_or(0, |data| data.len() as u64);
        }
        good(status, path, b"")?;
        Ok(read)
    }

    /// What comes of sending `body`.
    pub(super) async fn post<T: DeserializeOwned>(
        &mut self,
        path: &str,
        token: Option<&str>,
        body: &Value,
    ) -> Result<T, Failed> {
        let (status, answer) = self.send(Method::POST, path, token, Some(body)).await?;
        good(status, path, &answer)?;
        Ok(serde_json::from_slice(&answer)?)
    }
}

fn good(status: StatusCode, path: &str, body: &[u8]) -> Result<(), Failed> {
    match status.is_success() {
        true => Ok(()),
        false => Err(format!("{path}: {status} {}", String::from_utf8_lossy(body)).into()),
    }
}
