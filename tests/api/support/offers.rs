//! Takebacks from offer to answer.

use serde_json::{Value, json};

use super::client::{Answer, Api};
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
