//! Many requests at once: exactly one of those that exclude each other wins, the
//! others get a documented answer, and the log has no gap and no row too many.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Answer, Api, Ask, Game, Server};

const MANY: usize = 50;

/// Sends all requests at once, each on a connection of its own.
async fn at_once(asks: Vec<(Api, Ask)>) -> Vec<Answer> {
    let mut running = Vec::new();
    for (api, ask) in asks {
        running.push(tokio::spawn(async move { api.ask(ask).await }));
    }
    let mut answers = Vec::new();
    for answer in running {
        answers.push(answer.await.unwrap());
    }
    answers
}

fn choice(game: &Game, seat: &str, after_ply: u64, house: u64) -> (Api, Ask) {
    let body = json!({ "after_ply": after_ply, "house": house });
    let ask = Ask::post(&game.to("moves")).json(&body);
    (game.seat(seat).clone(), ask)
}

fn call(game: &Game, seat: &str, rest: &str, body: Option<Value>) -> (Api, Ask) {
    let ask = Ask::post(&game.to(rest));
    let ask = match body {
        Some(body) => ask.json(&body),
        None => ask,
    };
    (game.seat(seat).clone(), ask)
}

/// How often each status with its code (or mark of a replay) came.
fn counted(answers: &[Answer]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for answer in answers {
        let word = match answer.json["code"].as_str() {
            Some(code) => code,
            None if answer.replayed() => "replayed",
            None => "",
        };
        *counts
            .entry(format!("{} {word}", answer.status))
            .or_default() += 1;
    }
    counts
}

fn number(counts: &BTreeMap<String, usize>, key: &str) -> usize {
    counts.get(key).copied().unwrap_or_default()
}

/// The rows are numbered without a gap and each stands after the one before.
async fn log_is_whole(game: &Game) -> Vec<Value> {
    let verdict = game.verified().await;
    let log = game.log().await;
    assert_eq!(verdict["plies"], log.len());
    for (number, row) in (1..).zip(&log) {
        assert_eq!(row["ply"], number);
    }
    log
}

#[tokio::test]
async fn one_seat_many_houses() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let asks = (0..MANY as u64).map(|n| choice(&game, "south", 0, n % 7 + 1));
    let answers = at_once(asks.collect()).await;
    let counts = counted(&answers);
    assert_eq!(number(&counts, "201 "), 1, "{counts:?}");
    let log = log_is_whole(&game).await;
    assert_eq!(log.len(), 1);
    let played = &log[0]["house"];
    for answer in &answers {
        match answer.status {
            200 | 201 => assert_eq!(&answer.json["row"]["house"], played),
            _ => assert_eq!(answer.json["current_ply"], 1),
        }
    }
    // The winner's house was sent seven or eight times; the rest came too late.
    let (replayed, stale) = (
        number(&counts, "200 replayed"),
        number(&counts, "409 stale_ply"),
    );
    assert!((6..=7).contains(&replayed), "{counts:?}");
    assert_eq!(1 + replayed + stale, MANY, "{counts:?}");
}

#[tokio::test]
async fn both_seats_the_same_house() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let asks = (0..MANY).map(|n| choice(&game, ["south", "north"][n % 2], 0, 4));
    let answers = at_once(asks.collect()).await;
    let counts = counted(&answers);
    assert_eq!(number(&counts, "201 "), 1, "{counts:?}");
    assert_eq!(number(&counts, "200 replayed"), 24, "{counts:?}");
    // North came before south's move or after it.
    let north = number(&counts, "409 not_your_turn") + number(&counts, "409 stale_ply");
    assert_eq!(north, 25, "{counts:?}");
    let log = log_is_whole(&game).await;
    assert_eq!(log.len(), 1);
    assert_eq!(log[0]["seat"], "south");
}

/// A whole game in which every choice is sent many times over.
#[tokio::test]
async fn a_game_of_impatient_players() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let mut state = game.state().await;
    let mut plies = 0;
    while state["status"] == "playing" {
        let legal = state["legal_moves"].as_array().unwrap();
        let seat = legal[0]["seat"].as_str().unwrap();
        let mut asks = Vec::new();
        for n in 0..10 {
            let legal = &legal[n % legal.len()];
            asks.push(choice(&game, seat, plies, legal["house"].as_u64().unwrap()));
        }
        let answers = at_once(asks).await;
        assert_eq!(number(&counted(&answers), "201 "), 1);
        state = game.state().await;
        plies += 1;
        assert_eq!(state["ply"], plies);
    }
    let log = log_is_whole(&game).await;
    assert_eq!(log.len() as u64, plies);
}

#[tokio::test]
async fn choices_of_an_opening() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-traditional").await;
    let seats = ["south", "north"];
    let asks = (0..MANY).map(|n| choice(&game, seats[n % 2], 0, n as u64 / 2 % 7 + 1));
    let answers = at_once(asks.collect()).await;
    let counts = counted(&answers);
    // One commit waited, the other seat's first choice made both rows.
    assert_eq!(number(&counts, "202 "), 1, "{counts:?}");
    assert_eq!(number(&counts, "201 "), 1, "{counts:?}");
    let rest = [
        "202 replayed",
        "200 replayed",
        "409 already_committed",
        "409 stale_ply",
    ];
    let rest: usize = rest.iter().map(|key| number(&counts, key)).sum();
    assert_eq!(rest, MANY - 2, "{counts:?}");
    let log = log_is_whole(&game).await;
    assert_eq!(log.len(), 2);
    let facts: Vec<_> = log
        .iter()
        .map(|row| (&row["seat"], &row["after_ply"]))
        .collect();
    assert_eq!(
        facts,
        [(&json!("south"), &json!(0)), (&json!("north"), &json!(0))]
    );
    let rows = server.db.rows(&game.id).await;
    assert_eq!(rows["commits"], json!([]));
}

#[tokio::test]
async fn resignation_against_move() {
    let server = Server::start().await;
    for _ in 0..5 {
        let game = Game::of(&server.api, "al-manqala").await;
        let mut asks = Vec::new();
        for n in 0..10 {
            asks.push(choice(&game, "south", 0, n % 7 + 1));
            asks.push(call(&game, "north", "resign", None));
        }
        let answers = at_once(asks).await;
        let resigned = answers
            .iter()
            .filter(|answer| answer.json["result"]["reason"] == "resignation");
        assert_eq!(resigned.count(), 10, "all the same resignation");
        let state = game.state().await;
        assert_eq!(state["result"]["winner"], "south");
        assert_eq!(state["result"]["ended_by"], "north");
        let log = log_is_whole(&game).await;
        let moved = number(&counted(&answers), "201 ");
        assert_eq!(log.len(), moved + 1);
        assert!(moved <= 1);
        assert_eq!(log[moved]["kind"], "end");
    }
}

#[tokio::test]
async fn both_resign() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-arena").await;
    let seats = ["south", "north"];
    let asks = (0..MANY).map(|n| call(&game, seats[n % 2], "resign", None));
    let answers = at_once(asks.collect()).await;
    let counts = counted(&answers);
    assert_eq!(number(&counts, "200 "), 25, "{counts:?}");
    assert_eq!(number(&counts, "409 game_over"), 25, "{counts:?}");
    assert_eq!(log_is_whole(&game).await.len(), 1);
}

async fn split_offered(server: &Server) -> Game {
    let start = "0,0,0,0,0,1,0/0,0,0,0,0,0,1 48-48 S r1:S";
    let game = Game::from(&server.api, "al-manqala", json!({}), start).await;
    let offer = json!({ "kind": "split" });
    game.south
        .post(&game.to("offers"), &offer)
        .await
        .expect(201);
    game
}

#[tokio::test]
async fn accepted_split_against_move() {
    let server = Server::start().await;
    for _ in 0..5 {
        let game = split_offered(&server).await;
        let mut asks = Vec::new();
        for _ in 0..10 {
            asks.push(choice(&game, "south", 0, 6));
            let accept = json!({ "after_ply": 0 });
            asks.push(call(&game, "north", "offers/1/accept", Some(accept)));
        }
        let answers = at_once(asks).await;
        let counts = counted(&answers);
        let log = log_is_whole(&game).await;
        assert_eq!(log.len(), 1, "{counts:?}");
        if log[0]["kind"] == "end" {
            assert_eq!(number(&counts, "200 "), 1, "{counts:?}");
            assert_eq!(number(&counts, "200 replayed"), 9, "{counts:?}");
            assert_eq!(number(&counts, "409 game_over"), 10, "{counts:?}");
        } else {
            assert_eq!(number(&counts, "201 "), 1, "{counts:?}");
            assert_eq!(number(&counts, "200 replayed"), 9, "{counts:?}");
            assert_eq!(number(&counts, "409 offer_closed"), 10, "{counts:?}");
        }
    }
}

#[tokio::test]
async fn one_split_accepted_by_many() {
    let server = Server::start().await;
    let game = split_offered(&server).await;
    let accept = json!({ "after_ply": 0 });
    let asks = (0..MANY).map(|_| call(&game, "north", "offers/1/accept", Some(accept.clone())));
    let answers = at_once(asks.collect()).await;
    let counts = counted(&answers);
    assert_eq!(number(&counts, "200 "), 1, "{counts:?}");
    assert_eq!(number(&counts, "200 replayed"), MANY - 1, "{counts:?}");
    assert_eq!(log_is_whole(&game).await.len(), 1);
}

#[tokio::test]
async fn offers_of_both_seats() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let seats = ["south", "north"];
    let offer = json!({ "kind": "split", "after_ply": 0 });
    let asks = (0..MANY).map(|n| call(&game, seats[n % 2], "offers", Some(offer.clone())));
    let answers = at_once(asks.collect()).await;
    let counts = counted(&answers);
    assert_eq!(number(&counts, "201 "), 1, "{counts:?}");
    assert_eq!(number(&counts, "200 replayed"), 24, "{counts:?}");
    assert_eq!(number(&counts, "409 offer_open"), 25, "{counts:?}");
    assert_eq!(game.state().await["offers"].as_array().unwrap().len(), 1);
}
