//! Players: signing up, how everybody sees them, how they see themselves.

use serde_json::{Value, json};

use crate::support::people::{at_once, between, ids};
use crate::support::{Ask, Made, Person, Server};

#[tokio::test]
async fn handles() {
    let server = Server::start().await;
    let long = "x".repeat(30);
    for name in ["ab", &long, "A-_9", "--", "_a", "0123456789"] {
        let answer = server
            .api
            .post("/v1/players", &json!({ "name": name }))
            .await;
        let location = format!("{}/v1/players/{name}", server.url);
        assert_eq!(answer.header("location"), location);
        let created = answer.expect(201);
        assert_eq!(created["player"]["handle"], name);
        let path = format!("/v1/players/{name}");
        let shown = server.api.get(&path).await.expect(200);
        assert_eq!(shown["player"], created["player"]);
    }
    let longer = "x".repeat(31);
    let bad = [
        "",
        "a",
        &longer,
        "a b",
        " ab",
        "ab ",
        "a.b",
        "a@b",
        "a/b",
        "a\nb",
        "ab\u{0}",
        "é-é",
        "ａｂ",
        "a\u{301}b",
        "<b>",
        "a%20b",
    ];
    for name in bad {
        let body = json!({ "name": name });
        let answer = server.api.post("/v1/players", &body).await;
        assert_eq!(answer.problem(400, "bad_request")["parameter"], "name");
    }
    for body in [json!({}), json!({ "name": null }), json!({ "name": 7 })] {
        let answer = server.api.post("/v1/players", &body).await;
        assert_eq!(answer.problem(400, "bad_request")["parameter"], "name");
    }
}

#[tokio::test]
async fn handles_are_unique_whatever_their_case() {
    let server = Server::start().await;
    Person::new(&server.api, "Aminah-1").await;
    for name in ["Aminah-1", "AMINAH-1", "aminah-1"] {
        let body = json!({ "name": name });
        let answer = server.api.post("/v1/players", &body).await;
        answer.problem(409, "handle_taken");
        let path = format!("/v1/players/{name}");
        let shown = server.api.get(&path).await.expect(200);
        assert_eq!(shown["player"]["handle"], "Aminah-1");
    }
    // Of many who want one, one gets it.
    let spellings = ["bunga", "Bunga", "BUNGA"];
    let asks = (0..30).map(|n| {
        let body = json!({ "name": spellings[n % 3] });
        (server.api.clone(), Ask::post("/v1/players").json(&body))
    });
    let answers = at_once(asks).await;
    let (made, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!(made.len(), 1);
    for answer in refused {
        answer.problem(409, "handle_taken");
    }
}

#[tokio::test]
async fn kinds_and_the_first_token() {
    let server = Server::start().await;
    let cases = [
        (json!({ "name": "p0" }), "human"),
        (json!({ "name": "p1", "kind": "human" }), "human"),
        (json!({ "name": "p2", "kind": "bot" }), "bot"),
    ];
    for (body, kind) in cases {
        let answer = server.api.post("/v1/players", &body).await;
        let created = answer.expect(201);
        assert_eq!(created["player"]["kind"], kind);
        let mut scopes = vec!["read", "play", "webhooks"];
        if kind == "bot" {
            scopes.push("act");
        }
        let token = &created["token"];
        assert_eq!(token["scopes"], json!(scopes));
        assert_eq!(token["expires_at"], Value::Null);
        assert_eq!(token["label"], Value::Null);
        let secret = created["secret"].as_str().unwrap();
        assert!(
            secret.starts_with("mp_") && secret.len() == 35,
            "192 bits: {secret}"
        );
        let me = server.api.with(secret).get("/v1/me").await.expect(200);
        assert_eq!(me["player"], created["player"]);
        assert_eq!(me["scopes"], json!(scopes));
        assert_eq!(me["expires_at"], Value::Null);
        let none = json!({ "my_turn": 0, "invitations": 0, "running": 0, "over": 0 });
        assert_eq!(me["games"], none);
    }
    for kind in [json!("robot"), json!("Human"), json!(1)] {
        let body = json!({ "name": "p3", "kind": kind });
        let answer = server.api.post("/v1/players", &body).await;
        assert_eq!(answer.problem(400, "bad_request")["parameter"], "kind");
    }
    let body = json!({ "name": "p3", "scopes": ["act"] });
    let answer = server.api.post("/v1/players", &body).await;
    assert_eq!(answer.problem(400, "bad_request")["parameter"], "scopes");
}

#[tokio::test]
async fn nobody_of_that_name() {
    let server = Server::start().await;
    for name in ["nobody", "a", "%20", "a%2fb"] {
        for rest in ["", "/games"] {
            let path = format!("/v1/players/{name}{rest}");
            server.api.get(&path).await.problem(404, "unknown_player");
        }
    }
}

#[tokio::test]
async fn a_player_and_their_games() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "Aminah").await;
    let bunga = Person::bot(&server.api, "bunga").await;
    let hidden = json!({ "visibility": "private" });
    let public = between(&aminah, &bunga, "congkak", json!({})).await;
    let private = between(&aminah, &bunga, "congkak", hidden.clone()).await;
    let over = between(&bunga, &aminah, "congkak", json!({})).await;
    over.south.call(&over.to("resign")).await.expect(200);
    let over_private = between(&bunga, &aminah, "congkak", hidden).await;
    over_private
        .south
        .call(&over_private.to("resign"))
        .await
        .expect(200);
    // A game of others.
    let cik = Person::new(&server.api, "cik").await;
    between(&cik, &bunga, "congkak", json!({})).await;

    for handle in ["Aminah", "AMINAH"] {
        let path = format!("/v1/players/{handle}");
        let shown = server.api.get(&path).await.expect(200);
        assert_eq!(shown["player"]["handle"], "Aminah");
        assert_eq!(shown["games"], json!({ "running": 1, "over": 1 }));
        let url = shown["player"]["games_url"].as_str().unwrap();
        assert_eq!(url, format!("{}/v1/players/Aminah/games", server.url));
        let games = format!("{path}/games");
        // To the other player too: of a game of both, the path tells nothing.
        for api in [&server.api, &bunga.api, &cik.api] {
            let page = api.get(&games).await.expect(200);
            assert_eq!(ids(&page), [over.id.as_str(), &public.id]);
        }
        let page = aminah.api.get(&games).await.expect(200);
        let all = [&over_private.id, &over.id, &private.id, &public.id];
        assert_eq!(ids(&page), all.map(String::as_str));
    }
    let seats = &public.state().await["seats"];
    let expected = json!({
        "south": { "player": "Aminah", "kind": "human", "vacation_until": null },
        "north": { "player": "bunga", "kind": "bot", "vacation_until": null },
    });
    assert_eq!(seats, &expected);
}

#[tokio::test]
async fn my_counts() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let counts = async |my_turn: u8, invitations: u8, running: u8, over: u8| {
        let expected = json!({
            "my_turn": my_turn, "invitations": invitations, "running": running, "over": over,
        });
        assert_eq!(aminah.counts().await, expected);
    };
    between(&aminah, &bunga, "congkak", json!({})).await;
    counts(1, 0, 1, 0).await;
    between(&bunga, &aminah, "congkak", json!({})).await;
    counts(1, 0, 2, 0).await;
    let arena = between(&bunga, &aminah, "congkak-arena", json!({})).await;
    counts(2, 0, 3, 0).await;
    arena.send("north", 0, 3).await.expect(202);
    counts(1, 0, 3, 0).await;
    let fields = json!({ "opponent": { "player": "aminah" }, "visibility": "private" });
    let invited = Made::by(&bunga.api, "congkak", fields).await;
    counts(1, 1, 3, 0).await;
    let open = Made::by(
        &aminah.api,
        "congkak",
        json!({ "opponent": { "open": true } }),
    )
    .await;
    counts(1, 1, 4, 0).await;
    let declined = aminah.api.call(&invited.to("decline")).await;
    declined.expect(200);
    counts(1, 0, 4, 1).await;
    aminah.api.call(&open.to("abort")).await.expect(200);
    counts(1, 0, 3, 2).await;
    arena.south.call(&arena.to("resign")).await.expect(200);
    counts(1, 0, 2, 3).await;
}
