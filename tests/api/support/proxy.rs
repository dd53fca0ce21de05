//! A proxy that passes one request on and withholds its answer, as a network does
//! that breaks at the worst moment: the server has answered, the client never hears
//! of it.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// A proxy for one request.
pub(crate) struct Withholding {
    /// Where the client finds it.
    pub(crate) url: String,
    /// The server's answer, once it is there.
    answered: oneshot::Receiver<String>,
    /// Lets the client's connection go.
    release: oneshot::Sender<()>,
}

impl Withholding {
    /// In front of the server at `url`.
    pub(crate) async fn before(url: &str) -> Withholding {
        let server = url.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (answer, answered) = oneshot::channel();
        let (release, released) = oneshot::channel();
        tokio::spawn(async move {
            let (client, _) = listener.accept().await.unwrap();
            let server = TcpStream::connect(server).await.unwrap();
            let (mut from_client, to_client) = client.into_split();
            let (mut from_server, mut to_server) = server.into_split();
            let forward = tokio::spawn(async move {
                let _ = tokio::io::copy(&mut from_client, &mut to_server).await;
            });
            let whole = read_answer(&mut from_server).await;
            answer.send(whole).unwrap();
            // Nothing of it was passed on; now the connection breaks.
            let _ = released.await;
            forward.abort();
            let mut to_client = to_client;
            let _ = to_client.shutdown().await;
        });
        Withholding {
            url: format!("http://{address}"),
            answered,
            release,
        }
    }

    /// Waits for the server's answer and gives it to the test alone.
    pub(crate) async fn answer(&mut self) -> String {
        (&mut self.answered).await.unwrap()
    }

    /// Breaks the client's connection.
    pub(crate) fn break_off(self) {
        let _ = self.release.send(());
    }
}

/// Reads one answer with a `Content-Length`, head and body.
async fn read_answer(from: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .to_lowercase()
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return text.into_owned();
            }
        }
        assert_ne!(from.read_buf(&mut bytes).await.unwrap(), 0, "it broke off");
    }
}
