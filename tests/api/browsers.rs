//! What every answer tells a browser: that it is what it says, belongs into no frame, and
//! runs nothing that is not this server's.

use std::time::Duration;

use mancala_post::app::Parts;
use mancala_post::db::pool;

use crate::support::database::Database;
use crate::support::raw::send;
use crate::support::server::Front;
use crate::support::{Answer, Ask, Game, Server};

const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

fn shielded(answer: &Answer, policy: &str) {
    assert_eq!(
        answer.header("x-content-type-options"),
        "nosniff",
        "{answer}"
    );
    assert_eq!(answer.header("referrer-policy"), "no-referrer", "{answer}");
    assert_eq!(answer.header("content-security-policy"), policy, "{answer}");
    let framed = !policy.contains("frame-ancestors");
    let expected = if framed { "" } else { "DENY" };
    assert_eq!(answer.header("x-frame-options"), expected, "{answer}");
    for leak in [
        "server",
        "x-powered-by",
        "set-cookie",
        "access-control-allow-credentials",
    ] {
        assert_eq!(answer.header(leak), "", "{leak}: {answer}");
    }
}

#[tokio::test]
async fn every_kind_of_answer() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    for (method, path) in [
        ("GET", "/v1/games"),
        ("HEAD", "/v1/games"),
        ("GET", "/v1/games/7"),
        ("GET", "/v1/nothing"),
        ("DELETE", "/v1/games"),
        ("POST", "/v1/games"),
        ("GET", "/nothing"),
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("GET", "/problems"),
        ("GET", &game.to("board.png?size=120")),
        ("GET", &game.to("board.txt")),
        ("GET", &game.to("events?after=0")),
    ] {
        let answer = server.api.ask_beyond(Ask::new(method, path)).await;
        shielded(&answer, NOTHING);
    }
    // Refused before the door.
    let foreign = Ask::new("OPTIONS", &game.path)
        .header("origin", "https://example.org")
        .header("access-control-request-method", "DELETE");
    shielded(&server.api.ask_beyond(foreign).await, NOTHING);
    // A board may stand in somebody's page.
    let board = server.api.get(&game.to("board.svg?size=120")).await;
    shielded(&board, "default-src 'none'; style-src 'unsafe-inline'");
}

/// The pages of Swagger UI: their own scripts alone.
#[tokio::test]
async fn the_pages_for_trying_out() {
    let server = Server::start().await;
    let policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                  img-src 'self' data:; font-src 'self' data:; connect-src 'self'; \
                  base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    for path in [
        "/docs/",
        "/docs/swagger-ui-bundle.js",
        "/docs/swagger-ui.css",
    ] {
        let answer = server.api.ask_beyond(Ask::get(path)).await;
        answer.is(200);
        shielded(&answer, policy);
    }
    // The page has no script in it, which the policy would not run.
    let page = server.api.ask_beyond(Ask::get("/docs/")).await;
    for script in page.text().split("<script").skip(1) {
        assert!(script.starts_with(" src="), "{script}");
    }
    let answer = server.api.ask_beyond(Ask::get("/docs/nothing")).await;
    shielded(&answer, policy);
    assert_ne!(answer.header("x-request-id"), "");
    answer.problem(404, "not_found");
}

/// An answer to a request that took too long is made in another way.
#[tokio::test]
async fn a_request_that_is_late() {
    let db = Database::new().await;
    let url = db.url();
    let front = Front::start(move || Parts {
        deadline: Duration::from_secs(1),
        ..Parts::new(pool::pool(pool::options(&url).unwrap(), 4), "127.0.0.1:0")
    })
    .await;
    let headers = "content-type: application/json\r\ncontent-length: 9\r\n";
    let answer = send(&front.api, "POST /v1/games", headers, b"{").await;
    shielded(&answer, NOTHING);
    answer.problem(408, "request_timeout");
}
