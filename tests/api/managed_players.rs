//! The people a bot plays for: made once, found again, named, gone.

use serde_json::json;

use crate::support::channel::{acting, channel, get, post, put};
use crate::support::{Ask, Person, Server};

#[tokio::test]
async fn made_once_and_found_again() {
    let server = Server::start().await;
    let bot = Person::bot(&server.api, "robot").await;
    let made = put(&bot.api, "telegram:12345", json!({ "name": "siti" })).await;
    assert_eq!(
        made.header("location"),
        format!("{}/v1/players/siti", server.api.url)
    );
    let made = made.expect(201);
    assert_eq!(made["external_ref"], "telegram:12345");
    assert_eq!(made["player"]["handle"], "siti");
    assert_eq!(made["player"]["kind"], "human");
    for body in [json!({}), json!({ "name": "siti" })] {
        let again = put(&bot.api, "telegram:12345", body).await.expect(200);
        assert_eq!(again, made);
    }
    // Another name becomes theirs, unless somebody has it.
    let renamed = put(&bot.api, "telegram:12345", json!({ "name": "Siti" })).await;
    let renamed = renamed.expect(200);
    assert_eq!(renamed["player"]["handle"], "Siti");
    assert_eq!(renamed["player"]["id"], made["player"]["id"]);
    for (reference, name) in [("telegram:12345", "ROBOT"), ("telegram:2", "siti")] {
        put(&bot.api, reference, json!({ "name": name }))
            .await
            .problem(409, "handle_taken");
    }
    server.api.get("/v1/players/siti").await.expect(200);
    // One without a name gets a made-up one that tells nothing.
    let guest = put(&bot.api, "telegram:67890", json!({})).await.expect(201);
    let handle = guest["player"]["handle"].as_str().unwrap();
    assert!(
        handle.starts_with("guest-") && !handle.contains("67890"),
        "{handle}"
    );
    let profile = server.api.get(&format!("/v1/players/{handle}")).await;
    assert!(!profile.text().contains("telegram"));
}

#[tokio::test]
async fn malformed() {
    let server = Server::start().await;
    let bot = Person::bot(&server.api, "robot").await;
    for reference in ["a%20b", "%C3%A9", "%00", &"x".repeat(101)] {
        let problem = put(&bot.api, reference, json!({})).await;
        let problem = problem.problem(400, "bad_request");
        assert_eq!(problem["parameter"], "external_ref");
    }
    for (body, parameter) in [
        (json!({ "name": "a" }), "name"),
        (json!({ "name": 7 }), "name"),
        (json!({ "name": "Ana Maria" }), "name"),
        (json!({ "nick": "ana" }), "nick"),
    ] {
        let problem = put(&bot.api, "telegram:1", body).await;
        assert_eq!(problem.problem(400, "bad_request")["parameter"], parameter);
    }
    put(&bot.api, &"x".repeat(100), json!({})).await.expect(201);
    // What a path must escape, a header takes as it is.
    put(&bot.api, "discord%2Fguild%3A1%3F", json!({}))
        .await
        .expect(201);
    get(&bot.api, "discord/guild:1?", "/v1/me").await;
    let twice = acting(acting(Ask::get("/v1/me"), "telegram:1"), "telegram:2");
    let problem = bot.api.ask(twice).await.problem(400, "bad_request");
    assert_eq!(problem["parameter"], "Mancala-Act-As");
    for nobody in ["", "telegram:1", "robot", "TELEGRAM:1", &"x".repeat(101)] {
        let ask = acting(Ask::get("/v1/me"), nobody);
        bot.api.ask(ask).await.problem(403, "not_managed");
    }
}

#[tokio::test]
async fn leaving() {
    let server = Server::start().await;
    let bot = channel(&server, "robot").await;
    let open = json!({ "ruleset": "congkak", "opponent": { "open": true } });
    for person in ["telegram:ana", "telegram:bo"] {
        post(&bot.api, person, "/v1/games", open.clone())
            .await
            .expect(201);
    }
    // One of them leaves: the reference is free again, for somebody else.
    let ask = acting(Ask::new("DELETE", "/v1/me"), "telegram:ana");
    bot.api.ask(ask).await.expect(204);
    server
        .api
        .get("/v1/players/robot-ana")
        .await
        .problem(404, "unknown_player");
    let ask = acting(Ask::get("/v1/me"), "telegram:ana");
    bot.api.ask(ask).await.problem(403, "not_managed");
    put(&bot.api, "telegram:ana", json!({ "name": "robot-ana" }))
        .await
        .expect(201);
    let games = get(&bot.api, "telegram:ana", "/v1/me/games").await;
    assert_eq!(games["items"], json!([]));
    // The bot leaves, and with it everybody it plays for.
    bot.api.ask(Ask::new("DELETE", "/v1/me")).await.expect(204);
    for handle in ["robot", "robot-ana", "robot-bo"] {
        let path = format!("/v1/players/{handle}");
        server.api.get(&path).await.problem(404, "unknown_player");
    }
    let lobby = server.api.get("/v1/games?status=open").await.expect(200);
    assert_eq!(lobby["items"], json!([]));
}

/// Many requests at once make one player.
#[tokio::test]
async fn at_once() {
    let server = Server::start().await;
    let bot = Person::bot(&server.api, "robot").await;
    for round in 0..5 {
        let reference = format!("telegram:{round}");
        let puts = (0..8).map(|_| put(&bot.api, &reference, json!({})));
        let answers = futures_util::future::join_all(puts).await;
        let made = answers.iter().filter(|answer| answer.status == 201).count();
        assert_eq!(made, 1);
        for answer in &answers {
            assert!(matches!(answer.status, 200 | 201), "{answer}");
            assert_eq!(answer.json["player"]["id"], answers[0].json["player"]["id"]);
        }
    }
    // Two who want one name: one gets it.
    for round in 0..5 {
        let name = json!({ "name": format!("wanted-{round}") });
        let (a, b) = (format!("a:{round}"), format!("b:{round}"));
        let (one, other) = tokio::join!(put(&bot.api, &a, name.clone()), put(&bot.api, &b, name));
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409]);
    }
}
