//! Conditional moves are their own seat's alone: whatever anybody can read of the
//! game is byte for byte the same with them and without.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::{Value, json};

use crate::support::glimpse;
use crate::support::lines::{drop_lines, lay, wait, waiting};
use crate::support::people::between;
use crate::support::{Api, Ask, Clock, Game, Person, Server};

/// All reads of the game, in every format, and requests that are refused.
fn asks(game: &Game) -> Vec<Ask> {
    let mut paths: Vec<String> = [
        "",
        "?at_ply=0",
        "?at_ply=1",
        "?at_ply=2",
        "?at_ply=3",
        "/moves",
        "/moves?trace=true",
        "/moves?rows=all",
        "/moves?limit=1",
        "/verify",
        "/events?after=0",
        "/offers",
        "/nothing",
    ]
    .map(|rest| format!("{}{rest}", game.path))
    .into();
    for list in [
        "/v1/games",
        "/v1/games?status=open",
        "/v1/games?status=playing",
        "/v1/me",
        "/v1/me/games",
        "/v1/me/games?turn=mine",
        "/v1/me/games?turn=theirs",
        "/v1/me/tokens",
        "/v1/events?after=0&limit=200",
        "/v1/players/ana/games",
        "/v1/players/bo/games",
        "/v1/players/bo",
    ] {
        paths.push(list.into());
    }
    let formats = [
        "application/json",
        "text/plain",
        "text/csv",
        "application/x-ndjson",
        "image/svg+xml",
        "image/png",
    ];
    let mut asks = Vec::new();
    for path in &paths {
        asks.push(Ask::get(path));
        asks.push(Ask::new("HEAD", path));
        for format in formats {
            // An event stream does not end.
            if !(path.contains("/events") && format == "application/x-ndjson") {
                asks.push(Ask::get(path).header("accept", format));
            }
        }
    }
    let moves = game.to("moves");
    for (after_ply, house) in [(0, 2), (1, 3), (9, 1), (2, 99), (2, 0), (-1, 1)] {
        asks.push(Ask::post(&moves).json(&json!({ "after_ply": after_ply, "house": house })));
    }
    asks.push(Ask::post(&game.to("offers/1/accept")).json(&json!({ "after_ply": 2 })));
    asks.push(Ask::post(&game.to("offers/1/decline")));
    asks.push(Ask::post(&game.to("join")).json(&json!({})));
    asks.push(Ask::post(&game.to("decline")));
    asks.push(Ask::post(&game.to("abort")));
    asks
}

/// Everything `api` gets; the clock stands still, so that only the names of requests
/// differ.
async fn seen(game: &Game, api: &Api) -> Vec<String> {
    let id = Regex::new(r#""request_id":"[^"]*""#).unwrap();
    let mut all = Vec::new();
    for ask in asks(game) {
        let answer = api.ask(ask).await;
        assert_ne!(answer.status, 500, "{answer}");
        let mut headers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, value) in &answer.headers {
            // A connection may close after a body that nobody read.
            if !["date", "x-request-id", "connection"].contains(&name.as_str()) {
                // Lists in headers come in any order.
                let value = value.to_str().unwrap().split(", ");
                headers.entry(name.as_str()).or_default().extend(value);
            }
        }
        headers.values_mut().for_each(|value| value.sort_unstable());
        let text = format!("{headers:?} {answer}");
        let text = id.replace_all(&text, "").into_owned();
        // An image is no text.
        let bytes = std::str::from_utf8(&answer.body)
            .err()
            .map(|_| &answer.body);
        all.push(format!("{text} {bytes:?}"));
    }
    all
}

/// Compares with what was seen before, viewer by viewer.
async fn same(game: &Game, viewers: &[(&str, Api)], before: &[Vec<String>], when: &str) {
    for ((who, api), before) in viewers.iter().zip(before) {
        let after = seen(game, api).await;
        assert_eq!(after.len(), before.len());
        for (after, before) in after.iter().zip(before) {
            assert_eq!(after, before, "{who}, {when}");
        }
    }
}

/// What the database holds of the game, but for the lines and how often they came.
async fn stored(server: &Server, game: &Game) -> Value {
    let mut rows = server.db.rows(&game.id).await;
    rows["conditionals"] = Value::Null;
    rows["games"][0]["lines_laid"] = Value::Null;
    rows
}

async fn nobody_learns_of_them(server: &Server, game: &Game, viewers: &[(&str, Api)]) {
    game.play(&["s1", "n1"]).await;
    server.db.place_events().await;
    let mut before = Vec::new();
    for (_, api) in viewers {
        before.push(seen(game, api).await);
    }
    let rows = stored(server, game).await;
    let lines = json!([[2, 2, 3, 3, 4, 4], [3, 6, 2, 5], [5, 5]]);
    lay(&game.north, game, 2, lines.clone()).await.expect(200);
    same(game, viewers, &before, "laid down").await;
    // Its owner sees them, with whatever token; nobody else does.
    assert_eq!(waiting(&game.north, game).await, wait(2, lines.clone()));
    let own = ["north", "north's reader"];
    for (who, api) in viewers {
        let answer = api.get(&game.to("conditionals")).await;
        match *who {
            who if own.contains(&who) => assert_eq!(answer.expect(200), wait(2, lines.clone())),
            "south" => assert_eq!(answer.expect(200), wait(2, json!([]))),
            "anyone" => drop(answer.problem(401, "unauthorized")),
            _ => drop(answer.problem(403, "not_seated")),
        }
    }
    lay(&game.north, game, 2, json!([[4, 4]])).await.expect(200);
    lay(&game.north, game, 2, json!([[4, 4], [4, 5]]))
        .await
        .problem(422, "lines_part");
    lay(&game.north, game, 2, json!([[4, 99]]))
        .await
        .problem(422, "illegal_move");
    lay(&game.north, game, 1, json!([[4]]))
        .await
        .problem(409, "stale_ply");
    lay(&game.south, game, 2, json!([[6, 1], [6, 2]]))
        .await
        .expect(200);
    assert_eq!(waiting(&game.north, game).await, wait(2, json!([[4, 4]])));
    same(game, viewers, &before, "replaced").await;
    assert_eq!(stored(server, game).await, rows);
    drop_lines(&game.north, game).await.is(204);
    drop_lines(&game.south, game).await.is(204);
    server.db.place_events().await;
    same(game, viewers, &before, "dropped").await;
    assert_eq!(stored(server, game).await, rows);
}

#[tokio::test]
async fn in_a_game_of_players() {
    let server = Server::start().await;
    let _clock = Clock::stop(&server.db).await;
    let ana = Person::new(&server.api, "ana").await;
    let bo = Person::new(&server.api, "bo").await;
    let cik = Person::new(&server.api, "cik").await;
    let more = json!({ "clock": { "per_move": 3600, "reserve": 60 } });
    let game = between(&ana, &bo, "al-manqala", more).await;
    let viewers = [
        ("south", ana.api.clone()),
        ("north", bo.api.clone()),
        ("north's reader", bo.limited(&["read"]).await),
        ("stranger", cik.api.clone()),
        ("anyone", server.api.clone()),
    ];
    nobody_learns_of_them(&server, &game, &viewers).await;
}

#[tokio::test]
async fn in_a_game_of_two_tokens() {
    let server = Server::start().await;
    let _clock = Clock::stop(&server.db).await;
    let other = Game::of(&server.api, "al-manqala").await;
    let game = Game::of(&server.api, "al-manqala").await;
    let viewers = [
        ("south", game.south.clone()),
        ("north", game.north.clone()),
        ("another game's seat", other.north.clone()),
        ("anyone", server.api.clone()),
    ];
    nobody_learns_of_them(&server, &game, &viewers).await;
}

/// Two games alike but for what waits after the chain: nobody can tell them apart.
#[tokio::test]
async fn what_was_not_played_stays_secret() {
    let server = Server::start().await;
    let _clock = Clock::stop(&server.db).await;
    let bystander = Game::of(&server.api, "congkak").await;
    let position = Regex::new(r#"\\?"(id|next_cursor)\\?":\\?"1\.\d+"#).unwrap();
    let mut all = Vec::new();
    for lines in [
        json!([[1, 1]]),
        json!([[1, 1, 2, 2, 3, 3, 4, 4], [1, 1, 5, 7], [6, 4, 2, 1]]),
    ] {
        let game = Game::of(&server.api, "al-manqala").await;
        lay(&game.north, &game, 0, lines).await.expect(200);
        let answer = game.send("south", 0, 1).await;
        assert_eq!(answer.json["game"]["ply"], 2);
        let mut seen = vec![answer.to_string()];
        let again = game.send("south", 0, 1).await;
        assert!(again.replayed());
        seen.push(again.to_string());
        server.db.place_events().await;
        let path = game.to("events?after=0");
        seen.push(game.south.get(&path).await.to_string());
        for api in [&game.south, &game.anyone] {
            seen.extend(glimpse::of(&game, api, &bystander).await);
        }
        let alike = seen.iter().map(|text| {
            let text = position.replace_all(text, "EVENT");
            glimpse::alike(&game, &text)
        });
        all.push(alike.collect::<Vec<_>>());
    }
    assert_eq!(all[0].len(), all[1].len());
    for (one, other) in all[0].iter().zip(&all[1]) {
        assert_eq!(one, other);
    }
}

/// For others a private game is not there, and neither is what waits in it.
#[tokio::test]
async fn in_a_private_game() {
    let server = Server::start().await;
    let ana = Person::new(&server.api, "ana").await;
    let bo = Person::new(&server.api, "bo").await;
    let cik = Person::new(&server.api, "cik").await;
    let more = json!({ "visibility": "private" });
    let game = between(&ana, &bo, "al-manqala", more).await;
    let lines = json!([[1, 1, 2, 2]]);
    lay(&game.north, &game, 0, lines.clone()).await.expect(200);
    let seat = Game::of(&server.api, "al-manqala").await;
    for api in [&cik.api, &seat.south] {
        api.get(&game.to("conditionals"))
            .await
            .problem(404, "not_found");
        lay(api, &game, 0, json!([[1]]))
            .await
            .problem(404, "not_found");
        drop_lines(api, &game).await.problem(404, "not_found");
    }
    assert_eq!(waiting(&game.north, &game).await, wait(0, lines));
    let answer = game.send("south", 0, 1).await.expect(201);
    assert_eq!(answer["game"]["ply"], 2);
}

/// Strangers, readers and tokens that are none change nothing.
#[tokio::test]
async fn who_may_not() {
    let server = Server::start().await;
    let ana = Person::new(&server.api, "ana").await;
    let bo = Person::new(&server.api, "bo").await;
    let cik = Person::new(&server.api, "cik").await;
    let game = between(&ana, &bo, "al-manqala", json!({})).await;
    let lines = json!([[1, 1, 2, 2]]);
    lay(&game.north, &game, 0, lines.clone()).await.expect(200);
    let (reader, player) = (bo.limited(&["read"]).await, bo.limited(&["play"]).await);
    let unknown = server.api.with("mp_unknown");
    for (api, status, code) in [
        (&server.api, 401, "unauthorized"),
        (&unknown, 401, "unauthorized"),
        (&cik.api, 403, "not_seated"),
        (&reader, 403, "missing_scope"),
    ] {
        lay(api, &game, 0, json!([[1]])).await.problem(status, code);
        drop_lines(api, &game).await.problem(status, code);
    }
    let read = player.get(&game.to("conditionals")).await;
    read.problem(403, "missing_scope");
    assert_eq!(waiting(&reader, &game).await, wait(0, lines.clone()));
    // What a shared cache could keep would be everybody's.
    let answer = game.north.get(&game.to("conditionals")).await;
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert!(
        answer
            .header("vary")
            .to_lowercase()
            .contains("authorization")
    );
    assert_eq!(
        answer.header("etag"),
        "",
        "a game's version does not tell of them"
    );
}
