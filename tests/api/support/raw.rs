//! Requests byte by byte, for what no well-behaved client sends.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::{Answer, Api};

/// How long a test waits for the end of a connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends the bytes on a connection of their own and reads one answer. Headers that
/// every request needs are added.
pub(crate) async fn send(api: &Api, line: &str, headers: &str, body: &[u8]) -> Answer {
    let address = api.url.trim_start_matches("http://");
    let mut connection = TcpStream::connect(address).await.unwrap();
    let head = format!("{line} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}\r\n");
    connection.write_all(head.as_bytes()).await.unwrap();
    // The server may answer and close before it has read everything.
    let _ = connection.write_all(body).await;
    let mut answer = Vec::new();
    let _ = connection.read_to_end(&mut answer).await;
    self::answer(api, &answer, line)
}

/// Sends `head`, then `drip` again and again until the server closes the connection;
/// all that it answered.
pub(crate) async fn trickle(api: &Api, head: &str, drip: &'static [u8]) -> Vec<u8> {
    let address = api.url.trim_start_matches("http://");
    let connection = TcpStream::connect(address).await.unwrap();
    let (mut from, mut to) = connection.into_split();
    to.write_all(head.as_bytes()).await.unwrap();
    let dripping = tokio::spawn(async move {
        let mut tick = tokio::time::interval(Duration::from_millis(20));
        while to.write_all(drip).await.is_ok() {
            tick.tick().await;
        }
    });
    let mut answer = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, from.read_to_end(&mut answer)).await;
    dripping.abort();
    // Whatever is still sent then is answered with a reset.
    let _ = ended.expect("the server keeps the connection");
    answer
}

/// An answer as bytes, held against the document.
pub(crate) fn answer(api: &Api, bytes: &[u8], asked: &str) -> Answer {
    let answer = read(bytes, asked);
    api.check(&answer);
    answer
}

/// `body` as one chunk.
pub(crate) fn chunked(body: &[u8]) -> Vec<u8> {
    let mut chunks = format!("{:x}\r\n", body.len()).into_bytes();
    chunks.extend(body);
    chunks.extend(b"\r\n0\r\n\r\n");
    chunks
}

fn read(bytes: &[u8], asked: &str) -> Answer {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("{asked}: no answer"));
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line.split_once(": ").unwrap();
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_str(value).unwrap());
    }
    let body = bytes[end + 4..].to_vec();
    Answer::new(status.parse().unwrap(), headers, body, asked.to_owned())
}
