//! All that somebody can read of a game, byte by byte, with nothing left out but
//! what differs between any two games: ids, tokens, times.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use super::client::{Api, Ask};
use super::games::Game;

/// Everything `api` can get out of the server about `game`: status, headers and body
/// of reads in every format and of requests that are refused.
pub(crate) async fn of(game: &Game, api: &Api, other_game: &Game) -> Vec<String> {
    let game_path = |rest: &str| format!("{}{rest}", game.path);
    let mut asks = Vec::new();
    let reads = [
        "",
        "?at_ply=0",
        "?at_ply=1",
        "?at_ply=2",
        "/moves",
        "/moves?trace=true",
        "/moves?limit=1",
        "/verify",
        "/board.txt",
        "/board.svg",
        "/board.png?size=120",
        "/nothing",
    ];
    for rest in reads {
        asks.push(Ask::get(&game_path(rest)));
        asks.push(Ask::new("HEAD", &game_path(rest)));
    }
    for format in [
        "application/x-ndjson",
        "text/csv",
        "text/plain",
        "image/png",
    ] {
        for rest in ["/moves", "/moves?trace=true", ""] {
            asks.push(Ask::get(&game_path(rest)).header("accept", format));
        }
    }
    // Moves that cannot be: a house that is not there, another time.
    for (after_ply, house) in [(0, 99), (0, 0), (1, 1), (2, 99), (-1, 1)] {
        let body = json!({ "after_ply": after_ply, "house": house });
        asks.push(Ask::post(&game_path("/moves")).json(&body));
    }
    asks.push(Ask::post(&game_path("/moves")).json(&json!({ "house": 1 })));
    asks.push(Ask::post(&game_path("/offers")).json(&json!({ "kind": "split" })));
    let accept = json!({ "after_ply": 0 });
    asks.push(Ask::post(&game_path("/offers/1/accept")).json(&accept));
    asks.push(Ask::post(&game_path("/offers/1/decline")));
    asks.push(Ask::new("DELETE", &game_path("")));

    let mut seen = Vec::new();
    for ask in asks {
        seen.push(written(game, api, ask).await);
    }
    // With a token of another game.
    let body = json!({ "after_ply": 0, "house": 1 });
    let stranger = Ask::post(&game_path("/moves")).json(&body);
    seen.push(written(game, &other_game.south, stranger).await);
    seen
}

async fn written(game: &Game, api: &Api, ask: Ask) -> String {
    let answer = api.ask(ask).await;
    let headers: BTreeMap<&str, Vec<&str>> = answer
        .headers
        .iter()
        .filter(|(name, _)| *name != "date")
        .map(|(name, value)| {
            // Lists in headers come in any order.
            let mut parts: Vec<_> = value.to_str().unwrap().split(", ").collect();
            parts.sort_unstable();
            (name.as_str(), parts)
        })
        .collect();
    alike(game, &format!("{headers:?} {answer}"))
}

/// The text with everything replaced that differs between two games alike.
pub(crate) fn alike(game: &Game, text: &str) -> String {
    static TIME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z").unwrap());
    static ID: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").unwrap()
    });
    // A cursor is bound to its game.
    static CURSOR: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(cursor(?:=|":"))[A-Za-z0-9_-]+"#).unwrap());
    // A tag is made from who looks at which version of what.
    static ETAG: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"W/\\?"[0-9a-f]{16}"#).unwrap());
    let mut text = text
        .replace(&game.id, "GAME")
        .replace(&game.anyone.url, "URL");
    for seat in ["south", "north"] {
        let token = game.created["seat_tokens"][seat].as_str().unwrap();
        text = text.replace(token, "TOKEN");
    }
    let text = TIME.replace_all(&text, "TIME");
    let text = CURSOR.replace_all(&text, "${1}CURSOR");
    let text = ETAG.replace_all(&text, "ETAG");
    ID.replace_all(&text, "ID").into_owned()
}
