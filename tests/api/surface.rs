//! What holds for every path: unknown ones, methods, formats, HEAD, sizes,
//! compression, other origins, request ids.

use serde_json::{Value, json};

use crate::support::raw::{chunked, send};
use crate::support::{Ask, Game, Server, gzip};

#[tokio::test]
async fn unknown_paths() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let paths = [
        "/v1".to_owned(),
        "/v1/".into(),
        "/v2/rulesets".into(),
        "/v1/game".into(),
        "/V1/rulesets".into(),
        "/v1/rulesets/".into(),
        "//v1//rulesets".into(),
        "/v1/rulesets/congkak/nothing".into(),
        "/v1/games/".into(),
        format!("{}/", game.path),
        game.to("nothing"),
        game.to("offers/1"),
        game.to("offers/1/accept/now"),
        "/problem".into(),
        "/problems/nothing".into(),
        "/favicon.ico".into(),
        "/%00".into(),
        "/..%2f..%2fetc/passwd".into(),
        format!("/{}", "x".repeat(5000)),
    ];
    for path in paths {
        let problem = server.api.get(&path).await.problem(404, "not_found");
        assert_eq!(problem["instance"], path);
    }
    let posted = server.api.post("/v1/nothing", &json!({})).await;
    posted.problem(404, "not_found");
}

/// Each documented path takes the documented methods and no other.
#[tokio::test]
async fn methods() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let document = server.api.get("/openapi.json").await.expect(200);
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() >= 14, "{paths:?}");
    for (template, operations) in paths {
        let path = template
            .replace("{id}", &game.id)
            .replace("{oid}", "1")
            .replace("{name}", "congkak")
            .replace("{handle}", "somebody")
            .replace("{token_id}", &game.id)
            .replace("{delivery_id}", "1.1")
            .replace("{external_ref}", "telegram:1")
            .replace("{code}", "stale_ply")
            .replace("{table}/{ruleset}", "games/congkak")
            .replace("{file}", "README.md");
        let mut taken: Vec<String> = operations
            .as_object()
            .unwrap()
            .keys()
            .map(|method| method.to_uppercase())
            .collect();
        if taken.contains(&"GET".to_owned()) {
            taken.push("HEAD".into());
        }
        for method in [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "FROB",
        ] {
            if taken.iter().any(|taken| taken == method) {
                continue;
            }
            let answer = server.api.ask(Ask::new(method, &path)).await;
            assert_eq!(answer.status, 405, "{method} {answer}");
            let mut allowed: Vec<_> = answer.header("allow").split(", ").collect();
            allowed.sort_unstable();
            taken.sort_unstable();
            assert_eq!(allowed, taken, "{path}");
        }
    }
    assert_eq!(game.log().await, Vec::<Value>::new());
}

/// HEAD is GET without the body: the same status and headers.
#[tokio::test]
async fn head() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let paths = [
        "/v1/rulesets",
        "/problems",
        "/healthz",
        "/readyz",
        "/openapi.json",
        &game.path,
        &game.to("moves"),
        &game.to("verify"),
        &format!("{}?at_ply=7", game.path),
        "/v1/games/7",
        "/nothing",
    ];
    for path in paths {
        let get = server.api.get(path).await;
        let head = server.api.ask(Ask::new("HEAD", path)).await;
        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.body, b"", "{path}");
        for name in ["content-type", "content-length"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
    }
}

#[tokio::test]
async fn formats() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let moves = game.to("moves");
    let good = [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("text/*", "text/csv; charset=utf-8"),
        (
            "application/x-ndjson;q=0.5, text/csv;q=0.4",
            "application/x-ndjson",
        ),
        (
            "text/html, application/xhtml+xml, */*;q=0.8",
            "application/json",
        ),
        (
            "application/json;q=0.1, text/csv",
            "text/csv; charset=utf-8",
        ),
    ];
    for (accept, kind) in good {
        let mut ask = Ask::get(&moves);
        if !accept.is_empty() {
            ask = ask.header("accept", accept);
        }
        let answer = server.api.ask(ask).await;
        assert_eq!(answer.header("content-type"), kind, "{accept}");
        answer.is(200);
    }
    for accept in [
        "image/png",
        "text/html",
        "application/json;q=0",
        "application/xml, text/html",
    ] {
        for path in ["/v1/rulesets", &game.path, &moves] {
            let ask = Ask::get(path).header("accept", accept);
            if path == moves && accept.contains("q=0") {
                continue;
            }
            let problem = server.api.ask(ask).await.problem(406, "not_acceptable");
            assert!(
                problem["detail"]
                    .as_str()
                    .unwrap()
                    .contains("application/json")
            );
        }
        // Refused before it has any effect.
        let body = json!({ "after_ply": 0, "house": 7 });
        let ask = Ask::post(&moves).json(&body).header("accept", accept);
        game.south.ask(ask).await.problem(406, "not_acceptable");
    }
    assert_eq!(game.state().await["ply"], 0);
}

#[tokio::test]
async fn large_bodies() {
    let server = Server::start().await;
    let body = |length: usize| {
        let start = r#"{"ruleset": "congkak""#;
        format!("{start}{}}}", " ".repeat(length - start.len() - 1)).into_bytes()
    };
    let limit = 64 * 1024;
    let kind = "content-type: application/json\r\n";
    for (length, status) in [(limit, 201), (limit + 1, 413), (10 * limit, 413)] {
        let body = body(length);
        let headers = format!("{kind}content-length: {length}\r\n");
        let answer = send(&server.api, "POST /v1/games", &headers, &body).await;
        assert_eq!(answer.status, status, "{length} bytes: {answer}");
        let headers = format!("{kind}transfer-encoding: chunked\r\n");
        let answer = send(&server.api, "POST /v1/games", &headers, &chunked(&body)).await;
        assert_eq!(answer.status, status, "{length} bytes in a chunk: {answer}");
    }
    // Refused by what it says of itself, before it comes.
    let headers = format!("{kind}content-length: 999999999999\r\n");
    let answer = send(&server.api, "POST /v1/games", &headers, b"").await;
    answer.problem(413, "payload_too_large");
}

#[tokio::test]
async fn compression() {
    let server = Server::start().await;
    let plain = server.api.get("/v1/rulesets").await;
    assert_eq!(plain.header("content-encoding"), "");
    let ask = Ask::get("/v1/rulesets").header("accept-encoding", "gzip");
    let packed = server.api.ask(ask).await;
    packed.is(200);
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert!(packed.body.len() < plain.body.len() / 2);
    assert_eq!(gzip::unpack(&packed.body), plain.body);
}

/// A body that is packed is not unpacked, whatever it is packed with: 64 KB would make 64 MB.
#[tokio::test]
async fn packed_bodies() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let body = gzip::pack(br#"{"ruleset": "congkak"}"#);
    for coding in [
        "gzip",
        "deflate",
        "br",
        "zstd",
        "identity, gzip",
        "nonsense",
        "",
    ] {
        for path in [
            "/v1/games",
            "/v1/players",
            &game.to("moves"),
            "/v1/rulesets/congkak/simulate",
        ] {
            let ask = Ask::post(path)
                .header("content-type", "application/json")
                .header("content-encoding", coding)
                .body(body.clone());
            let answer = game.south.ask(ask).await;
            assert_eq!(answer.header("accept-encoding"), "identity");
            let problem = answer.problem(415, "unsupported_media_type");
            let detail = "the body must come as it is, without `Content-Encoding`";
            assert_eq!(problem["detail"], detail, "{coding} {path}");
        }
    }
    let plain = Ask::post("/v1/games")
        .header("content-encoding", "identity")
        .json(&json!({ "ruleset": "congkak" }));
    server.api.ask(plain).await.expect(201);
    assert_eq!(game.state().await["ply"], 0);
}

/// Pages of other origins may read what anybody may read, and nothing else.
#[tokio::test]
async fn other_origins() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let origin = "https://example.org";
    let read = Ask::get(&game.path).header("origin", origin);
    let answer = server.api.ask(read).await;
    answer.is(200);
    let allowed = answer.header("access-control-allow-origin");
    assert!(["*", origin].contains(&allowed), "{allowed}");
    assert_eq!(answer.header("access-control-allow-credentials"), "");
    let exposed = answer.header("access-control-expose-headers");
    assert!(exposed.contains("x-request-id"), "{exposed}");
    // An error can be read as well.
    let read = Ask::get("/v1/games/7").header("origin", origin);
    let answer = server.api.ask(read).await;
    assert_ne!(answer.header("access-control-allow-origin"), "");
    answer.problem(400, "bad_request");

    let preflight = |method: &str| {
        let ask = Ask::new("OPTIONS", &game.to("moves"))
            .header("origin", origin)
            .header("access-control-request-method", method)
            .header(
                "access-control-request-headers",
                "authorization, if-none-match",
            );
        server.api.ask_beyond(ask)
    };
    let answer = preflight("GET").await;
    assert_eq!(answer.status, 200, "{answer}");
    let headers = answer.header("access-control-allow-headers").to_lowercase();
    assert!(headers.contains("authorization"), "{headers}");
    let methods = answer.header("access-control-allow-methods");
    assert!(
        methods.contains("GET") && !methods.contains("POST"),
        "{methods}"
    );
    let answer = preflight("POST").await;
    assert!(
        !answer
            .header("access-control-allow-methods")
            .contains("POST")
    );
}

/// Every request has an id of its own, in the header and in problems.
#[tokio::test]
async fn request_ids() {
    let server = Server::start().await;
    let mut ids = std::collections::BTreeSet::new();
    for path in [
        "/healthz",
        "/healthz",
        "/nothing",
        "/v1/games/7",
        "/openapi.json",
    ] {
        let answer = server.api.get(path).await;
        let id = answer.header("x-request-id").to_owned();
        assert!(uuid::Uuid::try_parse(&id).is_ok(), "{id}");
        assert!(ids.insert(id));
    }
    // A client cannot choose it.
    let ask = Ask::get("/healthz").header("x-request-id", "chosen\u{fc}");
    assert_ne!(server.api.ask(ask).await.header("x-request-id"), "chosen");
}

#[tokio::test]
async fn health_and_documentation() {
    let server = Server::start().await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(
            server.api.get(path).await.expect(200),
            json!({ "status": "ok" })
        );
    }
    let docs = server.api.ask_beyond(Ask::get("/docs/")).await;
    docs.is(200);
    assert!(docs.header("content-type").starts_with("text/html"));
    assert!(docs.text().contains("swagger-ui"));
    // `/` and `/docs` lead there.
    for path in ["/", "/docs"] {
        let answer = server.api.ask_beyond(Ask::get(path)).await;
        assert_eq!(answer.text(), docs.text(), "{path}");
    }
}
