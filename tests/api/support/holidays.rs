//! Holidays as tests take them: of players in games with clocks.

use serde_json::{Value, json};

use super::client::{Answer, Api, Ask};
use super::clock::Clock;
use super::database::Database;
use super::games::Game;

/// A day in seconds.
pub(crate) const DAY: i64 = 86_400;
/// The holidays of a year in seconds.
pub(crate) const BUDGET: i64 = 30 * DAY;

/// Asks for a holiday until then.
pub(crate) async fn away(api: &Api, until: &str) -> Answer {
    let ask = Ask::new("PUT", "/v1/me/vacation").json(&json!({ "until": until }));
    api.ask(ask).await
}

/// Goes on holiday until then; the answer.
pub(crate) async fn leave(api: &Api, until: &str) -> Value {
    away(api, until).await.expect(200)
}

/// Is back; the answer.
pub(crate) async fn back(api: &Api) -> Value {
    let ask = Ask::new("DELETE", "/v1/me/vacation");
    api.ask(ask).await.expect(200)
}

/// What is left of this year's budget.
pub(crate) async fn budget_left(api: &Api) -> i64 {
    let me = api.get("/v1/me").await.expect(200);
    me["vacation"]["budget"]["left"].as_i64().unwrap()
}

/// A seat's clock that stands still.
pub(crate) fn still(left: i64, reserve_left: i64) -> Value {
    json!({ "move_by": null, "deadline": null, "left": left, "reserve_left": reserve_left })
}

/// A seat's clock that runs: seconds from now to `move_by`, and the reserve.
pub(crate) fn runs(clock: &Clock, seconds: i64, reserve_left: i64) -> Value {
    json!({ "move_by": clock.hence(seconds), "deadline": clock.hence(seconds + reserve_left),
            "left": null, "reserve_left": reserve_left })
}

/// A seat's clock while it owes nothing.
pub(crate) fn idle(reserve_left: i64) -> Value {
    json!({ "move_by": null, "deadline": null, "left": null, "reserve_left": reserve_left })
}

/// The clock of a seat of a game.
pub(crate) async fn clock_of(game: &Game, seat: &str) -> Value {
    game.state().await["clock"]["seats"][seat].clone()
}

/// The facts of what was told of a game's clocks, in order.
pub(crate) async fn told(db: &Database, game: &Game) -> Vec<Value> {
    let rows = db.rows(&game.id).await;
    let mut moved: Vec<Value> = rows["events"].as_array().unwrap().clone();
    moved.retain(|event| event["type"] == "deadline.moved");
    moved.sort_by_key(|event| event["event_no"].as_i64());
    moved
        .into_iter()
        .map(|event| event["data"].clone())
        .collect()
}
