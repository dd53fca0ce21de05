//! Sends one message: to the address that was checked and nowhere else, without
//! proxy and redirects, within ten seconds.
//!
//! Every message has a connection of its own, made by hand: what is connected to
//! is the very address that [`address::is_public`] has seen, whatever the name
//! leads to a moment later.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, RETRY_AFTER, USER_AGENT};
use hyper::rt::{Read, Write};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, Join, Take, join};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_util::task::AbortOnDropHandle;
use url::{Host, Url};

use super::address;

/// How long an attempt may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to try one of several addresses.
const CONNECT: Duration = Duration::from_secs(4);
/// Addresses of a name that are tried.
const MOST_ADDRESSES: usize = 4;
/// Bytes of an answer's body that are read.
const MOST_ANSWER: usize = 64 * 1024;
/// Bytes that a receiver may send in all: TLS, interim answers without end, heads. Who
/// reads them as fast as they come gets to nothing else.
const MOST_BYTES: u64 = 512 * 1024;

/// What sends messages.
#[derive(Clone)]
pub struct Sender {
    private: bool,
    tls: TlsConnector,
    patience: Duration,
}

/// A signed message.
pub struct Message {
    /// Where to.
    pub url: String,
    /// `webhook-id`.
    pub id: String,
    /// `webhook-timestamp`.
    pub timestamp: i64,
    /// `webhook-signature`.
    pub signature: String,
    /// JSON.
    pub body: String,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The answer's status, if there was an answer.
    pub status: Option<u16>,
    /// Why it has not arrived; none: it has.
    pub error: Option<String>,
    /// The answer's `Retry-After`.
    pub retry_after: Option<String>,
    /// How long it took.
    pub took: Duration,
}

/// The head of an answer, and the connection that its body comes by: it is closed
/// when this is dropped.
type Answer = (Response<Incoming>, AbortOnDropHandle<Option<()>>);

/// A connection that ends after [`MOST_BYTES`].
type Stream = Join<Take<OwnedReadHalf>, OwnedWriteHalf>;

impl Sender {
    /// Trusts the usual authorities. `private`: local addresses may be used.
    pub fn new(private: bool) -> std::io::Result<Sender> {
        let roots = webpki_roots::TLS_SERVER_ROOTS.iter().cloned();
        Sender::trusting(private, RootCertStore::from_iter(roots))
    }

    /// Trusts these authorities.
    pub fn trusting(private: bool, roots: RootCertStore) -> std::io::Result<Sender> {
        let provider = Arc::new(ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(std::io::Error::other)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Sender {
            private,
            tls: TlsConnector::from(Arc::new(tls)),
            patience: PATIENCE,
        })
    }

    /// The same with another time for an attempt.
    pub fn patient(self, patience: Duration) -> Sender {
        Sender { patience, ..self }
    }

    /// Whether local addresses may be used.
    pub fn is_private(&self) -> bool {
        self.private
    }

    /// Sends it.
    pub async fn send(&self, message: &Message) -> Outcome {
        let began = Instant::now();
        let late = format!("no answer within {} seconds", self.patience.as_secs_f32());
        let until = began + self.patience;
        let answer = timeout_at(until, self.try_send(message)).await;
        let (status, headers, error) = match answer.unwrap_or(Err(late)) {
            Err(error) => (None, HeaderMap::new(), Some(error)),
            Ok((answer, _connection)) => {
                let (head, body) = answer.into_parts();
                // Nobody reads it; a receiver may want to get rid of it.
                timeout_at(until, skip(body)).await.ok();
                let error = match head.status.as_u16() {
                    200..=299 => None,
                    status @ 300..=399 => {
                        Some(format!("answered {status}: redirects are not followed"))
                    }
                    status => Some(format!("answered {status}")),
                };
                (Some(head.status.as_u16()), head.headers, error)
            }
        };
        let retry_after = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok());
        Outcome {
            status,
            error,
            retry_after: retry_after.map(ToOwned::to_owned),
            took: began.elapsed(),
        }
    }

    async fn try_send(&self, message: &Message) -> Result<Answer, String> {
        let url = address::check(&message.url, self.private)
            .map_err(|cause| format!("the URL {cause}"))?;
        let stream = self.connect(&url).await?;
        let request = request(&url, message).map_err(|cause| cause.to_string())?;
        if url.scheme() == "http" {
            return exchange(TokioIo::new(stream), request).await;
        }
        let host = url.host_str().unwrap_or_default();
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned());
        let name = name.map_err(|_| "the host cannot have a certificate".to_owned())?;
        let stream = self.tls.connect(name, stream).await;
        let stream = stream.map_err(|cause| format!("TLS: {cause}"))?;
        exchange(TokioIo::new(stream), request).await
    }

    /// A connection to one of the URL's addresses that may be used.
    async fn connect(&self, url: &Url) -> Result<Stream, String> {
        let mut addresses = addresses(url).await?;
        addresses.retain(|found| self.private || address::is_public(found.ip()));
        if addresses.is_empty() {
            return Err("the name leads to no address of the public internet".into());
        }
        let mut failure = String::new();
        for address in addresses.into_iter().take(MOST_ADDRESSES) {
            match timeout(CONNECT, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    let (from, to) = stream.into_split();
                    return Ok(join(from.take(MOST_BYTES), to));
                }
                Ok(Err(cause)) => failure = format!("no connection: {}", cause.kind()),
                Err(_) => failure = "no connection in time".into(),
            }
        }
        Err(failure)
    }
}

/// Where a URL leads to.
async fn addresses(url: &Url) -> Result<Vec<SocketAddr>, String> {
    let port = url.port_or_known_default().unwrap_or_default();
    let literal = |address: IpAddr| Ok(vec![SocketAddr::new(address, port)]);
    match url.host() {
        Some(Host::Ipv4(address)) => literal(address.into()),
        Some(Host::Ipv6(address)) => literal(address.into()),
        Some(Host::Domain(name)) => match tokio::net::lookup_host((name, port)).await {
            Ok(found) => Ok(found.collect()),
            Err(_) => Err("the name cannot be resolved".into()),
        },
        None => Err("the URL names no host".into()),
    }
}

fn request(url: &Url, message: &Message) -> hyper::http::Result<Request<Full<Bytes>>> {
    let host = url.host_str().unwrap_or_default();
    let host = match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    Request::post(path)
        .header(HOST, host)
        .header(CONTENT_TYPE, "application/json")
        .header(
            USER_AGENT,
            concat!("mancala-post/", env!("CARGO_PKG_VERSION")),
        )
        .header("webhook-id", &message.id)
        .header("webhook-timestamp", message.timestamp)
        .header("webhook-signature", &message.signature)
        .body(Full::from(message.body.clone()))
}

/// One request and its answer.
async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Answer, String>
where
    S: Read + Write + Unpin + Send + 'static,
{
    let broken = |cause: hyper::Error| format!("no answer: {cause}");
    let (mut requests, connection) = hyper::client::conn::http1::handshake(stream)
        .await
        .map_err(broken)?;
    // Why it ends is told by the request's own error.
    let connection = AbortOnDropHandle::new(tokio::spawn(async { connection.await.ok() }));
    let response = requests.send_request(request).await.map_err(broken)?;
    Ok((response, connection))
}

/// Reads what is sent, up to a limit.
async fn skip(mut body: Incoming) {
    let mut left = MOST_ANSWER;
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, Bytes::len);
        left = left.saturating_sub(length);
        if left == 0 {
            return;
        }
    }
}
