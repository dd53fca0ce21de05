//! Conditional moves: laid down, looked at, dropped.

use serde_json::{Value, json};

use super::client::{Answer, Api, Ask};
use super::games::Game;

/// `api` lays down lines after row `after_ply`.
pub(crate) async fn lay(api: &Api, game: &Game, after_ply: u64, lines: Value) -> Answer {
    let (api, ask) = laying(api, game, after_ply, lines);
    api.ask(ask).await
}

/// The request for that.
pub(crate) fn laying(api: &Api, game: &Game, after_ply: u64, lines: Value) -> (Api, Ask) {
    let body = json!({ "after_ply": after_ply, "lines": lines });
    let ask = Ask::new("PUT", &game.to("conditionals")).json(&body);
    (api.clone(), ask)
}

/// `api` drops its lines.
pub(crate) async fn drop_lines(api: &Api, game: &Game) -> Answer {
    api.ask(Ask::new("DELETE", &game.to("conditionals"))).await
}

/// What waits of the lines of `api`, and after which ply.
pub(crate) async fn waiting(api: &Api, game: &Game) -> Value {
    api.get(&game.to("conditionals")).await.expect(200)
}

/// Lines as `waiting` shows them.
pub(crate) fn wait(after_ply: u64, lines: Value) -> Value {
    json!({ "after_ply": after_ply, "lines": lines })
}

/// Each row as seat and house, such as `s4`; with a `*` when nobody sent it.
pub(crate) fn told(log: &[Value]) -> Vec<String> {
    let word = |row: &Value| {
        let seat = row["seat"].as_str().unwrap();
        let mark = match row["source"].as_str().unwrap() {
            "player" => "",
            "conditional" => "*",
            other => panic!("a row of {other}"),
        };
        format!("{}{}{mark}", &seat[..1], row["house"])
    };
    log.iter().map(word).collect()
}
