//! Tokens: every wrong spelling is 401, also where no token would be needed.

use serde_json::json;

use crate::support::{Ask, Game, Server};

#[tokio::test]
async fn bad_tokens_in_every_spelling() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let token = game.created["seat_tokens"]["south"].as_str().unwrap();
    let cut = &token[..token.len() - 1];
    let spellings = [
        String::new(),
        "Bearer".into(),
        "Bearer ".into(),
        "Bearer mp_".into(),
        format!("Bearer {cut}"),
        format!("Bearer {token}x"),
        format!("Bearer {}", token.to_uppercase()),
        format!("Bearer {}", &token[3..]),
        format!("Bearer \"{token}\""),
        format!("Bearer {token} {token}"),
        format!("Bearer {token},"),
        format!("Bearer: {token}"),
        format!("Bearer={token}"),
        format!("Token {token}"),
        format!("Basic {token}"),
        format!("BearerX {token}"),
        token.to_owned(),
        "Bearer \u{fc}".into(),
        format!("Bearer {}", "a".repeat(6000)),
    ];
    let body = json!({ "after_ply": 0, "house": 1 });
    for spelling in &spellings {
        let asks = [
            Ask::get(&game.path),
            Ask::post(&game.to("moves")).json(&body),
            Ask::post("/v1/games").json(&json!({ "ruleset": "congkak" })),
        ];
        for ask in asks {
            let answer = server.api.ask(ask.header("authorization", spelling)).await;
            assert_eq!(answer.header("www-authenticate"), "Bearer");
            answer.problem(401, "unauthorized");
        }
    }
    let twice = Ask::get(&game.path)
        .header("authorization", &format!("Bearer {token}"))
        .header("authorization", &format!("Bearer {token}"));
    server.api.ask(twice).await.problem(401, "unauthorized");
    assert_eq!(game.state().await["ply"], 0);

    // The scheme's case does not matter (RFC 9110, section 11.1).
    for scheme in ["bearer", "BEARER"] {
        let spelling = format!("{scheme} {token}");
        let ask = Ask::get(&game.path).header("authorization", &spelling);
        server.api.ask(ask).await.expect(200);
    }
}

#[tokio::test]
async fn a_seat_token_is_good_for_its_seat_alone() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let (south, north) = (
        game.created["seat_tokens"]["south"].as_str().unwrap(),
        game.created["seat_tokens"]["north"].as_str().unwrap(),
    );
    for token in [south, north] {
        // 192 random bits after the prefix that a leaked one is known by.
        assert!(token.starts_with("mp_"), "{token}");
        assert_eq!(token.len(), 35, "{token}");
    }
    assert_ne!(south, north);
    game.send("north", 0, 1).await.problem(409, "not_your_turn");
    game.send("south", 0, 1).await.expect(201);
}

/// They are shown once and kept as hashes only.
#[tokio::test]
async fn tokens_stand_nowhere_in_the_database() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let rows = server.db.rows(&game.id).await.to_string();
    for seat in ["south", "north"] {
        let token = game.created["seat_tokens"][seat].as_str().unwrap();
        assert!(!rows.contains(&token[3..]));
        assert!(!game.state().await.to_string().contains(&token[3..]));
    }
}
