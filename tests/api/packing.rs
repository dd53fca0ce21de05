//! Logs of games that are over are packed some time after: whoever reads them
//! notices nothing, and nothing is lost.

use chrono::TimeDelta;
use mancala_post::play::archive;
use serde_json::{Value, json};

use crate::support::offers::taken_back;
use crate::support::{Answer, Game, Server};

/// Plays on with the last legal house (the first, on every third ply) to the end.
async fn to_the_end(game: &Game) {
    let mut state = game.state().await;
    while let Some(legal) = state["legal_moves"].as_array().filter(|l| !l.is_empty()) {
        let ply = state["ply"].as_u64().unwrap();
        let choice = if ply % 3 == 0 {
            &legal[0]
        } else {
            &legal[legal.len() - 1]
        };
        let (seat, house) = (
            choice["seat"].as_str().unwrap(),
            choice["house"].as_u64().unwrap(),
        );
        let answer = game.send(seat, ply, house).await;
        assert!((200..300).contains(&answer.status), "{}", answer.text());
        state = answer.json["game"].clone();
    }
    assert_eq!(state["status"], "finished");
}

/// What anybody can read of a game, but for the time of reading.
async fn all_there_is(game: &Game) -> Vec<String> {
    let plies = game.state().await["ply"].as_u64().unwrap();
    let mut paths = vec![
        "".into(),
        "moves?rows=all&trace=true".into(),
        "moves?limit=3".into(),
        "moves?limit=4&order=desc&trace=true".into(),
        "board.txt".into(),
        "verify".into(),
    ];
    for ply in 0..=plies {
        paths.push(format!("?at_ply={ply}"));
        paths.push(format!("board.txt?ply={ply}"));
    }
    let mut cursor = Value::String(String::new());
    while let Some(text) = cursor.as_str() {
        let path = format!("moves?limit=3&rows=all&cursor={text}");
        let path = path.trim_end_matches("&cursor=").to_owned();
        cursor = game.anyone.get(&game.to(&path)).await.expect(200)["next_cursor"].clone();
        paths.push(path);
    }
    let mut all = Vec::new();
    for path in paths {
        for api in [&game.south, &game.anyone] {
            let path = match path.strip_prefix('?') {
                Some(query) => format!("{}?{query}", game.path),
                None if path.is_empty() => game.path.clone(),
                None => game.to(&path),
            };
            let answer: Answer = api.get(&path).await;
            // Rows that were taken back, and those before a takeback, are no states.
            assert!(matches!(answer.status, 200 | 404), "{path}: {answer}");
            let mut json = answer.json.clone();
            if answer.status == 404 {
                json = json["code"].clone();
            }
            if let Some(time) = json.get_mut("server_time") {
                *time = Value::Null;
            }
            let body = if json.is_null() {
                answer.text().to_owned()
            } else {
                json.to_string()
            };
            all.push(format!("{path} {} {body}", answer.status));
        }
    }
    all
}

/// Packs every game that is over, and says how many there were.
async fn pack(server: &Server) -> usize {
    archive::pack(&server.db.pool(), TimeDelta::zero())
        .await
        .unwrap()
}

async fn loose_rows(server: &Server, game: &Game) -> i64 {
    let query = format!("select count(*) from plies where game_id = '{}'", game.id);
    server.db.number(&query).await
}

#[tokio::test]
async fn nobody_notices() {
    let server = Server::start().await;
    let mut games = Vec::new();
    for body in [
        json!({ "ruleset": "congkak", "rules": { "houses": 5, "seeds": 3 } }),
        json!({ "ruleset": "congkak-traditional", "rules": { "houses": 5, "seeds": 3, "max_rounds": 3 } }),
        json!({ "ruleset": "congkak-arena", "rules": { "houses": 5, "seeds": 2, "max_rounds": 2 } }),
        json!({ "ruleset": "al-manqala", "rules": { "houses": 5, "seeds": 3 } }),
    ] {
        let game = Game::create(&server.api, &body).await;
        to_the_end(&game).await;
        games.push(game);
    }
    // A takeback, a message and a resignation.
    let game = Game::of(&server.api, "al-manqala").await;
    let said = json!({ "after_ply": 0, "house": 1, "message": "Selamat pagi" });
    game.south.post(&game.to("moves"), &said).await.expect(201);
    game.play(&["n1"]).await.expect(201);
    taken_back(&game, "north", 1).await;
    game.play(&["n2", "s3"]).await.expect(201);
    game.north.call(&game.to("resign")).await.expect(200);
    games.push(game);
    // An opening that was stopped.
    let game = Game::of(&server.api, "congkak-arena").await;
    game.south.call(&game.to("resign")).await.expect(200);
    games.push(game);
    // One that was called off before anybody moved.
    let game = Game::of(&server.api, "congkak").await;
    game.south.call(&game.to("abort")).await.expect(200);
    games.push(game);

    let mut before = Vec::new();
    for game in &games {
        before.push(all_there_is(game).await);
    }
    assert_eq!(pack(&server).await, 7);
    assert_eq!(server.db.number("select count(*) from plies").await, 0);
    assert_eq!(server.db.number("select count(*) from unpackable").await, 0);
    for (game, before) in games.iter().zip(before) {
        for (before, after) in before.iter().zip(all_there_is(game).await) {
            assert_eq!(*before, after);
        }
        game.verified().await;
    }
    assert_eq!(pack(&server).await, 0);
}

#[tokio::test]
async fn a_choice_that_is_sent_again_is_found_in_it() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1", "n1"]).await.expect(201);
    let first = game.send("north", 1, 1).await.expect(200);
    game.south.call(&game.to("resign")).await.expect(200);
    assert_eq!(pack(&server).await, 1);
    let again = game.send("north", 1, 1).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200)["row"], first["row"]);
    game.send("north", 1, 2).await.problem(409, "game_over");
}

#[tokio::test]
async fn a_game_that_goes_on_is_left_alone() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s1"]).await.expect(201);
    assert_eq!(pack(&server).await, 0);
    assert_eq!(loose_rows(&server, &game).await, 1);
    // Nor is one that ended a moment ago.
    game.south.call(&game.to("resign")).await.expect(200);
    let day = TimeDelta::days(1);
    assert_eq!(archive::pack(&server.db.pool(), day).await.unwrap(), 0);
    assert_eq!(pack(&server).await, 1);
}

/// A log that the rules do not make stays row by row, for somebody to look at.
#[tokio::test]
async fn what_would_change_is_not_packed() {
    let server = Server::start().await;
    let mut games = Vec::new();
    for change in [
        "captured = captured + 1",
        "position = null",
        "house = 2",
        "after_ply = 0",
        "taken_back = true",
        "turn = turn + 1",
    ] {
        let game = Game::of(&server.api, "al-manqala").await;
        game.play(&["s1", "n1", "s2"]).await.expect(201);
        game.south.call(&game.to("resign")).await.expect(200);
        let of = format!("where game_id = '{}' and ply = 2", game.id);
        server
            .db
            .execute(&format!("update plies set {change} {of}"))
            .await;
        games.push(game);
    }
    pack(&server).await;
    for game in &games {
        assert_eq!(loose_rows(&server, game).await, 4);
    }
    assert_eq!(server.db.number("select count(*) from unpackable").await, 6);
    // It is not looked at again and again.
    assert_eq!(pack(&server).await, 0);
}

/// A packed log that was changed behind the server's back.
#[tokio::test]
async fn damage_is_found() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s1"]).await.expect(201);
    game.south.call(&game.to("resign")).await.expect(200);
    pack(&server).await;
    game.verified().await;
    let change = "packed_log = set_byte(packed_log, 2, get_byte(packed_log, 2) # 3)";
    server
        .db
        .execute(&format!("update games set {change}"))
        .await;
    let verdict = game.anyone.get(&game.to("verify")).await.expect(200);
    assert_eq!(verdict["ok"], false, "{verdict}");
    assert_eq!(verdict["differences"][0]["field"], "log");
}
