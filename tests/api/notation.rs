//! A game as the text of a record over HTTP.

use serde_json::json;

use crate::support::offers::taken_back;
use crate::support::process::run;
use crate::support::{Answer, Api, Ask, Game, Server};

async fn text(api: &Api, path: &str) -> Answer {
    api.ask(Ask::get(path).header("accept", "text/plain")).await
}

/// The lines behind the headers that tell times and ids.
fn told(text: &str) -> Vec<String> {
    let told = text.lines().filter(|line| {
        let headers = ["[Game ", "[Created ", "[Started ", "[Ended "];
        !headers.iter().any(|header| line.starts_with(header))
    });
    // What stands in braces tells times.
    let plain = |line: &str| {
        let parts = line.split('{').enumerate();
        let parts = parts.map(|(i, part)| {
            if i == 0 {
                part
            } else {
                part.split_once('}').unwrap().1
            }
        });
        parts.collect::<String>()
    };
    told.map(plain).collect()
}

#[tokio::test]
async fn a_game_is_served_as_text() {
    let server = Server::start().await;
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 3600, "reserve": 60 } });
    let game = Game::create(&server.api, &body).await;
    let said = json!({ "after_ply": 0, "house": 1, "message": "Selamat pagi" });
    game.south.post(&game.to("moves"), &said).await.expect(201);
    game.play(&["n1"]).await.expect(201);
    taken_back(&game, "north", 1).await;
    game.play(&["n2", "s3"]).await.expect(201);

    let path = game.to("moves");
    let running = text(&game.anyone, &path).await;
    running.is(200);
    assert_eq!(running.header("content-type"), "text/plain; charset=utf-8");
    let moves = ["", "1. S1", "2. N1", "N takeback 1", "2. N2", "3. S3"];
    let headers = [
        "[Ruleset \"al-manqala 1\"]",
        "[Clock \"3600+60\"]",
        "[Result \"*\"]",
    ];
    assert_eq!(told(running.text()), [&headers[..], &moves[..]].concat());

    game.north.call(&game.to("resign")).await.expect(200);
    let over = text(&game.anyone, &path).await;
    let result = [
        "[Ruleset \"al-manqala 1\"]",
        "[Clock \"3600+60\"]",
        "[Result \"south 0-0 resignation\"]",
    ];
    let expected = [&result[..], &moves[..], &["N resignation"]].concat();
    assert_eq!(told(over.text()), expected);
    // Nothing was said, not even to a seat.
    assert_eq!(text(&game.south, &path).await.text(), over.text());
    assert!(!over.text().contains("Selamat"));

    let tag = over.header("etag").to_owned();
    let again = Ask::get(&path)
        .header("accept", "text/plain")
        .header("if-none-match", &tag);
    game.anyone.ask(again).await.is(304);
    for parameter in ["trace=true", "rows=all", "limit=3", "cursor=x"] {
        let problem = text(&game.anyone, &format!("{path}?{parameter}")).await;
        let problem = problem.problem(400, "bad_request");
        let (name, _) = parameter.split_once('=').unwrap();
        assert!(
            problem["detail"].as_str().unwrap().contains(name),
            "{problem}"
        );
    }
    // It is what is exported.
    let exported = run(&server.db.url(), &["export", "--format", "text"]);
    assert!(exported.status.success());
    assert_eq!(
        String::from_utf8(exported.stdout).unwrap(),
        format!("{}\n", over.text())
    );
}

#[tokio::test]
async fn openings_ends_and_starts_are_told() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-arena").await;
    game.play(&["s7"]).await.expect(202);
    // A secret choice is no part of it.
    let path = game.to("moves");
    let expected = ["[Ruleset \"congkak-arena 1\"]", "[Result \"*\"]", ""];
    assert_eq!(told(text(&game.anyone, &path).await.text()), expected);
    game.play(&["n5", "s5"]).await.expect(201);
    game.south.call(&game.to("resign")).await.expect(200);
    let over = text(&game.anyone, &path).await;
    assert_eq!(told(over.text())[2..], ["", "1. S7+N5 S5", "S resignation"]);

    let game = Game::of(&server.api, "congkak").await;
    game.south.call(&game.to("abort")).await.expect(200);
    let aborted = text(&game.anyone, &game.to("moves")).await;
    assert_eq!(
        told(aborted.text()),
        ["[Ruleset \"congkak 1\"]", "[Result \"*\"]", "", "S aborted"]
    );

    let start = "0,0,0,0,1/0,0,1,0,0 5-3 S r1:S";
    let rules = json!({ "houses": 5, "seeds": 1 });
    let game = Game::from(&server.api, "congkak", rules, start).await;
    let begun = text(&game.anyone, &game.to("moves")).await;
    let expected = [
        "[Rules \"houses=5 seeds=1\"]".to_owned(),
        format!("[Start \"{start}\"]"),
    ];
    assert_eq!(told(begun.text())[1..3], expected);
}

#[tokio::test]
async fn a_private_game_is_for_its_seats() {
    let server = Server::start().await;
    let body = json!({ "ruleset": "congkak", "visibility": "private" });
    let game = Game::create(&server.api, &body).await;
    text(&game.anyone, &game.to("moves"))
        .await
        .problem(404, "not_found");
    text(&game.south, &game.to("moves")).await.is(200);
}
