//! Offers from the making to the answer.

use serde_json::{Value, json};

use super::client::{Answer, Api};
use super::database::Database;
use super::follow::events;
use super::games::Game;

/// `api` offers a takeback to row `to_ply`.
pub(crate) async fn ask(api: &Api, game: &Game, to_ply: i64) -> Answer {
    let offer = json!({ "kind": "takeback", "to_ply": to_ply });
    api.post(&game.to("offers"), &offer).await
}

/// `api` accepts the offer of an answer.
pub(crate) async fn accept(api: &Api, game: &Game, offer: &Value, after_ply: u64) -> Answer {
    let path = game.to(&format!("offers/{}/accept", offer["offer"]["id"]));
    api.post(&path, &json!({ "after_ply": after_ply })).await
}

/// Takes back to row `to_ply` as `seat` asks and the other agrees.
pub(crate) async fn taken_back(game: &Game, seat: &str, to_ply: i64) -> Value {
    let (from, other) = match seat {
        "south" => (&game.south, &game.north),
        _ => (&game.north, &game.south),
    };
    let offer = ask(from, game, to_ply).await.expect(201);
    let ply = offer["game"]["ply"].as_u64().unwrap();
    accept(other, game, &offer, ply).await.expect(200)["game"].clone()
}

/// `api` makes this offer.
pub(crate) async fn offer(api: &Api, game: &Game, offer: Value) -> Answer {
    api.post(&game.to("offers"), &offer).await
}

/// `api` offers nothing but the kind.
pub(crate) async fn plain(api: &Api, game: &Game, kind: &str) -> Answer {
    offer(api, game, json!({ "kind": kind })).await
}

/// `api` declines the offer of an answer.
pub(crate) async fn decline(api: &Api, game: &Game, offer: &Value) -> Answer {
    let path = game.to(&format!("offers/{}/decline", offer["offer"]["id"]));
    api.call(&path).await
}

/// The stored offers of a game by their numbers: `draw by south: open`.
pub(crate) async fn stored(db: &Database, game: &Game) -> Vec<String> {
    let rows = db.rows(&game.id).await;
    let mut offers = rows["offers"].as_array().unwrap().clone();
    offers.sort_by_key(|offer| offer["offer_no"].as_u64());
    let words = |offer: &Value| {
        let word = |name: &str| offer[name].as_str().unwrap().to_owned();
        format!("{} by {}: {}", word("kind"), word("seat"), word("status"))
    };
    offers.iter().map(words).collect()
}

/// What was told of offers in a game, in order, with what was played between.
pub(crate) async fn told(db: &Database, game: &Game) -> Vec<String> {
    db.place_events().await;
    let events = events(&game.south, &game.to("events")).await;
    let mut told = Vec::new();
    for event in events {
        let facts = &event["data"]["facts"];
        let word = |name: &str| facts[name].as_str().unwrap().to_owned();
        match event["type"].as_str().unwrap() {
            "offer.made" => told.push(format!("{} by {}", word("kind"), word("seat"))),
            "offer.answered" => told.push(format!("{} {}", word("kind"), word("status"))),
            "move.played" => told.push(format!("{} plays", word("seat"))),
            "game.finished" => told.push(word("reason")),
            _ => {}
        }
    }
    told
}

/// North resigns.
pub(crate) async fn finish(game: &Game) -> u64 {
    let state = game.north.call(&game.to("resign")).await.expect(200);
    assert_eq!(state["status"], "finished");
    state["ply"].as_u64().unwrap()
}

/// `from` offers a rematch, `to` accepts: both answers.
pub(crate) async fn rematch(game: &Game, from: &Api, to: &Api) -> (Value, Value) {
    let ply = game.south.get(&game.path).await.expect(200)["ply"].as_u64();
    let made = plain(from, game, "rematch").await.expect(201);
    let accepted = accept(to, game, &made, ply.unwrap()).await.expect(200);
    (made, accepted)
}

/// The path of the game that an answer links to.
pub(crate) fn next_of(answer: &Value) -> String {
    format!(
        "/v1/games/{}",
        answer["game"]["next_game"].as_str().unwrap()
    )
}
