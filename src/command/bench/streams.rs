//! Streams of events, each on a connection of its own, that follow one game.

use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::median;
use super::place::Server;
use super::players::Players;

type Failed = Box<dyn std::error::Error>;

/// Moves that are told of.
const MOVES: usize = 20;
/// Between two of them.
const PAUSE: Duration = Duration::from_millis(50);
/// What a stream says of a move.
const TOLD: &[u8] = b"event: move.played\n";

/// Streams of one game, open as long as this is kept.
pub(super) struct Streams {
    game: String,
    open: Vec<Stream>,
}

struct Stream {
    connection: TcpStream,
    text: Vec<u8>,
}

impl Streams {
    /// Opens so many of them on a game.
    pub(super) async fn open(
        server: &Server,
        game: &str,
        number: usize,
    ) -> Result<Streams, Failed> {
        let open = try_join_all((0..number).map(|_| Stream::open(server, game))).await?;
        let game = game.to_owned();
        Ok(Streams { game, open })
    }

    /// Milliseconds from a move's sending until the last stream has told of it: the
    /// median of several.
    pub(super) async fn tell(&mut self, players: &mut Players) -> Result<f64, Failed> {
        let mut took = Vec::new();
        while took.len() < MOVES {
            // One by one, as they come by correspondence.
            sleep(PAUSE).await;
            let began = Instant::now();
            let played = players.play_one().await;
            played.map_err(|cause| cause.to_string())?;
            if players.games().next() != Some(&self.game) {
                break; // It has ended, and nobody follows the next one.
            }
            let told = took.len() + 1;
            try_join_all(self.open.iter_mut().map(|stream| stream.hear(told))).await?;
            took.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        Ok(median(&mut took))
    }
}

impl Stream {
    async fn open(server: &Server, game: &str) -> std::io::Result<Stream> {
        let mut connection = TcpStream::connect(server.address).await?;
        let address = server.address;
        let request = format!(
            "GET /v1/games/{game}/events?after=0 HTTP/1.1\r\nHost: {address}\r\n\
             Accept: text/event-stream\r\n\r\n"
        );
        connection.write_all(request.as_bytes()).await?;
        let mut head = [0; 12];
        connection.read_exact(&mut head).await?;
        match &head == b"HTTP/1.1 200" {
            true => Ok(Stream {
                connection,
                text: Vec::new(),
            }),
            false => Err(std::io::Error::other("the server refused a stream")),
        }
    }

    /// Until it has told of so many moves in all.
    async fn hear(&mut self, moves: usize) -> std::io::Result<()> {
        let mut some = [0; 4096];
        while self.told() < moves {
            match self.connection.read(&mut some).await? {
                0 => return Err(std::io::Error::other("a stream has ended")),
                read => self.text.extend_from_slice(&some[..read]),
            }
        }
        Ok(())
    }

    fn told(&self) -> usize {
        let lines = self.text.windows(TOLD.len());
        lines.filter(|line| line == &TOLD).count()
    }
}
