//! Streams of events, each on a connection of its own.

use futures_util::future::try_join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::place::Server;

/// Opens so many on a game; they are open as long as they are kept.
pub(super) async fn open(
    server: &Server,
    game: &str,
    number: usize,
) -> Result<Vec<TcpStream>, Box<dyn std::error::Error>> {
    let mut opened = Vec::new();
    // Not all at once: a listener has room for so many that wait.
    for _ in (0..number).step_by(100) {
        let streams = (0..100.min(number - opened.len())).map(|_| one(server, game));
        opened.extend(try_join_all(streams).await?);
    }
    Ok(opened)
}

async fn one(server: &Server, game: &str) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(server.address).await?;
    let address = server.address;
    let request = format!(
        "GET /v1/games/{game}/events?after=0 HTTP/1.1\r\nHost: {address}\r\n\
         Accept: text/event-stream\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut head = [0; 12];
    stream.read_exact(&mut head).await?;
    match &head == b"HTTP/1.1 200" {
        true => Ok(stream),
        false => Err(std::io::Error::other("the server refused a stream")),
    }
}
