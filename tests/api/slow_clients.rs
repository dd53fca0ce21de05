//! Clients that take too long over a request, or never come to its end: each is told
//! so in time, and none keeps a connection.

use std::time::Duration;

use futures_util::future::join_all;
use mancala_post::app::Parts;
use mancala_post::db::pool;
use tokio::io::AsyncWriteExt;

use crate::support::backstage::number;
use crate::support::database::Database;
use crate::support::raw::{answer, send, trickle};
use crate::support::server::Front;
use crate::support::{Answer, Game};

/// A server that waits for a request for a second, and for its head for two seconds:
/// actix tells the time for that to half a second only.
async fn impatient(db: &Database) -> Front {
    let url = db.url();
    Front::start(move || Parts {
        deadline: Duration::from_secs(1),
        head_time: Duration::from_secs(2),
        ..Parts::new(pool::pool(pool::options(&url).unwrap(), 4), "127.0.0.1:0")
    })
    .await
}

fn too_late(answer: Answer) {
    assert_ne!(answer.header("x-request-id"), "");
    assert_eq!(answer.header("connection"), "close");
    let problem = answer.problem(408, "request_timeout");
    let detail = "the request's body did not come to its end in time";
    assert_eq!(problem["detail"], detail);
}

/// A body that stops on its way, or never begins.
#[tokio::test]
async fn a_body_that_does_not_come() {
    let db = Database::new().await;
    let front = impatient(&db).await;
    let game = Game::of(&front.api, "congkak").await;
    let lines = [
        "POST /v1/games".to_owned(),
        "POST /v1/players".into(),
        format!("POST {}", game.to("join")),
        "POST /v1/rulesets/congkak/simulate".into(),
    ];
    let cases: [(&str, &[u8]); 4] = [
        ("content-length: 100", b"{\"ruleset\":"),
        ("content-length: 100", b""),
        ("transfer-encoding: chunked", b"b\r\n{\"ruleset\":\r\n"),
        ("transfer-encoding: chunked", b""),
    ];
    let all = lines.iter().flat_map(|line| cases.map(|case| (line, case)));
    let all = all.map(async |(line, (length, body))| {
        let headers = format!("content-type: application/json\r\n{length}\r\n");
        too_late(send(&front.api, line, &headers, body).await);
    });
    join_all(all).await;
    assert_eq!(game.state().await["ply"], 0);
    assert_eq!(number(&db, "select count(*) from games").await, 1);
}

/// A body that comes and comes, on a connection that its client would keep.
#[tokio::test]
async fn a_body_that_does_not_end() {
    let db = Database::new().await;
    let front = impatient(&db).await;
    let cases: [(&str, &[u8]); 2] = [
        ("content-length: 60000", b" "),
        ("transfer-encoding: chunked", b"1\r\n \r\n"),
    ];
    for (length, drip) in cases {
        for path in ["/v1/games", "/v1/rulesets/congkak/simulate"] {
            let line = format!("POST {path}");
            let head = format!(
                "{line} HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n{length}\r\n\r\n"
            );
            let bytes = trickle(&front.api, &head, drip).await;
            too_late(answer(&front.api, &bytes, &line));
        }
        // The same where nobody ever wanted it.
        let head = format!("POST /v1/nothing HTTP/1.1\r\nhost: here\r\n{length}\r\n\r\n");
        let bytes = trickle(&front.api, &head, drip).await;
        let answer = answer(&front.api, &bytes, "POST /v1/nothing");
        answer.problem(404, "not_found");
    }
    front.api.get("/v1/games").await.expect(200);
}

/// A body that is too large is refused while it still comes.
#[tokio::test]
async fn a_body_without_bounds() {
    let db = Database::new().await;
    let front = impatient(&db).await;
    let mut chunk = b"400\r\n".to_vec();
    chunk.extend([b' '; 0x400]);
    chunk.extend(b"\r\n");
    let chunk: &'static [u8] = chunk.repeat(16).leak();
    let head = "POST /v1/games HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n\
                transfer-encoding: chunked\r\n\r\n";
    let bytes = trickle(&front.api, head, chunk).await;
    let answer = answer(&front.api, &bytes, "POST /v1/games");
    assert_eq!(answer.header("connection"), "close");
    answer.problem(413, "payload_too_large");
}

/// A head that does not come to its end, at first and after a request that did.
#[tokio::test]
async fn a_head_that_does_not_end() {
    let db = Database::new().await;
    let front = impatient(&db).await;
    let begun = "GET /healthz HTTP/1.1\r\n";
    let endless = "GET /healthz HTTP/1.1\r\nx: ";
    let cases: [(&str, &[u8]); 3] = [("", b""), (begun, b""), (endless, b"y")];
    let healthy = "GET /healthz HTTP/1.1\r\nhost: here\r\n\r\n";
    let firsts = cases.map(|(head, drip)| (head.to_owned(), drip, "HTTP/1.1 408 "));
    let laters = cases.map(|(head, drip)| (format!("{healthy}{head}"), drip, "HTTP/1.1 200 "));
    let all = firsts.into_iter().chain(laters);
    let all = all.map(async |(head, drip, expected)| {
        let bytes = trickle(&front.api, &head, drip).await;
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with(expected), "{text}");
    });
    join_all(all).await;
}

/// Answers that nobody reads, though their client keeps the connection.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_answer_that_is_not_read() {
    leave_unread(false).await;
}

/// The same where the client goes on talking, which the system takes for a sign of life.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_answer_that_is_talked_over() {
    leave_unread(true).await;
}

#[cfg(target_os = "linux")]
async fn leave_unread(talks: bool) {
    let db = Database::new().await;
    let url = db.url();
    let front = Front::start(move || Parts {
        unread_time: Duration::from_millis(1500),
        ..Parts::new(pool::pool(pool::options(&url).unwrap(), 4), "127.0.0.1:0")
    })
    .await;
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let address = front.api.url.trim_start_matches("http://");
    let address: std::net::SocketAddr = address.parse().unwrap();
    let mut connection = socket.connect(address).await.unwrap();
    // More than lies between the two.
    let ask = "GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: here\r\n\r\n".repeat(16);
    connection.write_all(ask.as_bytes()).await.unwrap();
    // The client is not told before it reads: the system knows whose end is still open.
    let mine = format!(":{:04X} 01 ", connection.local_addr().unwrap().port());
    let held = || {
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let server = format!(":{:04X} ", address.port());
        table
            .lines()
            .any(|line| line.contains(&mine) && line.contains(&server))
    };
    assert!(held());
    let given_up = async {
        let mut tick = tokio::time::interval(Duration::from_millis(20));
        while held() {
            tick.tick().await;
            if talks {
                // Refused once it has given up.
                connection.write_all(b"G").await.ok();
            }
        }
    };
    let given_up = tokio::time::timeout(Duration::from_secs(30), given_up).await;
    given_up.expect("the server keeps the connection");
    front.api.get("/v1/games").await.expect(200);
}
