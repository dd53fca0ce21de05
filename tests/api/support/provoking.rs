//! What several problems are provoked with.

use serde_json::{Value, json};

use super::{Api, Game};

/// A key that nobody guesses.
pub(crate) const KEY: &str = "a7c93d4e5f60718293a4b5c6d7e8f901";

/// A game with a free seat: its creator and its path.
pub(crate) async fn waiting(api: &Api, opponent: Value) -> (Api, String) {
    let body = json!({ "ruleset": "congkak", "opponent": opponent });
    let created = api.post("/v1/games", &body).await.expect(201);
    let creator = api.with(created["seat_token"].as_str().unwrap());
    (
        creator,
        format!("/v1/games/{}", created["game"]["id"].as_str().unwrap()),
    )
}

pub(crate) async fn split_offered(api: &Api) -> Game {
    let game = Game::of(api, "al-manqala").await;
    let offer = json!({ "kind": "split" });
    game.south
        .post(&game.to("offers"), &offer)
        .await
        .expect(201);
    game
}
