//! Who may do what: every operation of the served document × every kind of caller.
//! An operation without a row here fails.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::snapshots::Shelf;
use crate::support::{Answer, Api, Ask, Game, Made, Person, Server};

/// No token, a token that is none, the token of another game's seat, a player and a
/// bot who have nothing to do with the game, a token that was revoked, one that has
/// expired, one that is good for something else, the token of this game's seat.
const CALLERS: [&str; 9] = [
    "nobody",
    "garbage",
    "wrong seat",
    "player",
    "bot",
    "revoked",
    "expired",
    "lacking",
    "seat",
];

/// What each of them gets.
type Expected = [u16; 9];

/// Whoever asks.
const ANYONE: Expected = [200; 9];
/// Public things, for which a token that is sent must be good.
const READING: Expected = [200, 401, 200, 200, 200, 401, 401, 403, 200];
/// The accounts of players.
const ACCOUNT: Expected = [401, 401, 403, 200, 200, 401, 401, 403, 403];
/// A webhook of somebody else's.
const OTHERS_WEBHOOK: Expected = [401, 401, 403, 404, 404, 401, 401, 403, 403];
/// The seats of a game.
const SEATED: Expected = [401, 401, 403, 403, 403, 401, 401, 403, 200];

const TABLE: &[(&str, Expected)] = &[
    ("healthz", ANYONE),
    ("readyz", ANYONE),
    ("getMetrics", ANYONE),
    ("getDocument", ANYONE),
    ("listProblems", ANYONE),
    ("getProblem", ANYONE),
    ("listRulesets", READING),
    ("getRuleset", READING),
    ("simulate", READING),
    (
        "createPlayer",
        [201, 401, 201, 201, 201, 401, 401, 403, 201],
    ),
    // A bot's own matter, for its people.
    (
        "putManagedPlayer",
        [401, 401, 403, 403, 201, 401, 401, 403, 403],
    ),
    ("getPlayer", READING),
    ("listPlayerGames", READING),
    ("listGames", READING),
    ("countGames", READING),
    ("explore", READING),
    ("exportGames", READING),
    ("exportRows", READING),
    ("getDictionary", READING),
    ("listSnapshots", READING),
    ("getSnapshotFile", READING),
    ("getSnapshotTable", READING),
    ("getGame", READING),
    ("getBoardText", READING),
    ("getBoardSvg", READING),
    ("getBoardPng", READING),
    ("listMoves", READING),
    ("verifyGame", READING),
    ("listGameEvents", READING),
    // A seat's token reads its own game's, whichever it is.
    ("listEvents", [401, 401, 200, 200, 200, 401, 401, 403, 200]),
    ("createGame", [201, 401, 201, 201, 201, 401, 401, 403, 201]),
    // The free seat is for somebody who is invited by name; `seat` is the creator.
    ("joinGame", [403, 401, 403, 403, 403, 401, 401, 403, 409]),
    ("declineGame", [401, 401, 403, 403, 403, 401, 401, 403, 403]),
    ("abortGame", SEATED),
    ("resign", SEATED),
    ("resumeGame", SEATED),
    ("submitMove", [401, 401, 403, 403, 403, 401, 401, 403, 201]),
    ("pressButton", [401, 401, 403, 403, 403, 401, 401, 403, 201]),
    ("makeOffer", [401, 401, 403, 403, 403, 401, 401, 403, 201]),
    ("getConditionals", SEATED),
    ("putConditionals", SEATED),
    (
        "deleteConditionals",
        [401, 401, 403, 403, 403, 401, 401, 403, 204],
    ),
    ("acceptOffer", SEATED),
    ("declineOffer", SEATED),
    ("getMe", ACCOUNT),
    ("listMyGames", ACCOUNT),
    ("setVacation", ACCOUNT),
    ("endVacation", ACCOUNT),
    ("listTokens", ACCOUNT),
    ("createToken", [401, 401, 403, 201, 201, 401, 401, 403, 403]),
    // The token is somebody else's.
    ("deleteToken", [401, 401, 403, 404, 404, 401, 401, 403, 403]),
    ("deleteMe", [401, 401, 403, 204, 204, 401, 401, 403, 403]),
    (
        "createWebhook",
        [401, 401, 403, 201, 201, 401, 401, 403, 403],
    ),
    ("listWebhooks", ACCOUNT),
    ("getWebhook", OTHERS_WEBHOOK),
    ("updateWebhook", OTHERS_WEBHOOK),
    ("deleteWebhook", OTHERS_WEBHOOK),
    ("rotateWebhookSecret", OTHERS_WEBHOOK),
    ("testWebhook", OTHERS_WEBHOOK),
    ("listWebhookDeliveries", OTHERS_WEBHOOK),
    ("replayWebhookDelivery", OTHERS_WEBHOOK),
    ("replayWebhook", OTHERS_WEBHOOK),
];

/// One operation with everything it needs.
struct Operation {
    id: String,
    ask: Box<dyn Fn(usize) -> Ask>,
    /// The client with the token of the game's own seat.
    seat: Api,
}

/// A game, and a request for `id` that would do if the caller may.
async fn prepared(
    server: &Server,
    owner: &Person,
    snapshot: &str,
    id: &str,
    method: &str,
    template: &str,
) -> Operation {
    let invited = ["joinGame", "declineGame"].contains(&id);
    let (game, seat) = if invited {
        let opponent = json!({ "seat": "south", "opponent": { "player": "owner" } });
        let made = Made::by(&server.api, "al-manqala", opponent).await;
        let seat = server.api.with(made.secret("seat_token"));
        (made.id, seat)
    } else {
        let game = Game::of(&server.api, "al-manqala").await;
        if template.contains("{oid}") {
            let offer = json!({ "kind": "split" });
            game.north
                .post(&game.to("offers"), &offer)
                .await
                .expect(201);
        }
        (game.id, game.south)
    };
    let path = template
        .replace("{id}", &game)
        .replace("{oid}", "1")
        .replace("{name}", "congkak")
        .replace("{handle}", "owner")
        .replace("{external_ref}", "telegram:12345")
        .replace("{token_id}", &owner.token_id)
        .replace("{delivery_id}", "1.1")
        .replace("{code}", "stale_ply");
    let path = match id {
        "explore" => format!("{path}?ruleset=congkak"),
        "getSnapshotFile" => format!("/v1/snapshots/{snapshot}/README.md"),
        "getSnapshotTable" => format!("/v1/snapshots/{snapshot}/games/congkak/2000-01.parquet"),
        _ => path,
    };
    let body = match id {
        "createPlayer" => json!({ "name": "caller" }),
        "createGame" => json!({ "ruleset": "congkak" }),
        "createToken" => json!({ "scopes": ["read"] }),
        "submitMove" => json!({ "after_ply": 0, "house": 1 }),
        "makeOffer" => json!({ "kind": "split" }),
        "pressButton" => json!({ "action": format!("m:{game}:0:1") }),
        "acceptOffer" => json!({ "after_ply": 0 }),
        "putConditionals" => json!({ "after_ply": 0, "lines": [[1, 7]] }),
        "setVacation" => {
            let tomorrow = chrono::Utc::now() + chrono::Duration::days(1);
            json!({ "until": tomorrow.to_rfc3339() })
        }
        "putManagedPlayer" => json!({}),
        "simulate" => json!({ "choices": [] }),
        "createWebhook" => json!({ "url": "https://example.org/" }),
        "updateWebhook" => json!({ "enabled": false }),
        "replayWebhook" => json!({ "after": "0" }),
        "joinGame" => json!({}),
        _ => Value::Null,
    };
    let method = method.to_uppercase();
    let ask = move |number: usize| {
        let mut body = body.clone();
        if let Some(name) = body.get_mut("name") {
            *name = json!(format!("caller-{number}"));
        }
        match &body {
            Value::Null => Ask::new(&method, &path),
            body => Ask::new(&method, &path).json(body),
        }
    };
    Operation {
        id: id.to_owned(),
        ask: Box::new(ask),
        seat,
    }
}

/// The callers but for the last, in order.
async fn callers(server: &Server, number: usize, id: &str) -> Vec<Api> {
    let api = &server.api;
    let player = Person::new(api, &format!("player-{number}")).await;
    let bot = Person::bot(api, &format!("bot-{number}")).await;
    let other = Game::of(api, "congkak").await;
    let third = Person::new(api, &format!("third-{number}")).await;
    let (revoked, with_revoked) = third.further(json!({ "scopes": ["read", "play"] })).await;
    let path = format!("/v1/me/tokens/{}", revoked["token"]["id"].as_str().unwrap());
    third.api.ask(Ask::new("DELETE", &path)).await.expect(204);
    let (expired, with_expired) = third.further(json!({ "scopes": ["read", "play"] })).await;
    let expire = format!(
        "update tokens set expires_at = app_now() where token_id = '{}'",
        expired["token"]["id"].as_str().unwrap()
    );
    assert_eq!(server.db.execute(&expire).await, 1);
    let lacking = if id.contains("Webhook") {
        "read"
    } else {
        "webhooks"
    };
    vec![
        api.clone(),
        api.with("mp_0123456789abcdefghijklmnopqrstuv"),
        other.south,
        player.api,
        bot.api,
        with_revoked,
        with_expired,
        third.limited(&[lacking]).await,
    ]
}

fn is_expected(operation: &Operation, caller: &str, answer: &Answer, expected: u16) {
    let id = &operation.id;
    assert_eq!(answer.status, expected, "{id} by {caller}: {answer}");
    let code = answer.json["code"].as_str().unwrap_or_default();
    match expected {
        401 => {
            assert_eq!(answer.header("www-authenticate"), "Bearer");
            assert_eq!(code, "unauthorized");
        }
        403 if caller == "lacking" => assert_eq!(code, "missing_scope", "{id}"),
        403 if id == "putManagedPlayer" && caller == "player" => {
            assert_eq!(code, "missing_scope");
        }
        403 => assert!(
            ["not_seated", "seat_token", "not_invited"].contains(&code),
            "{id} by {caller}: {answer}"
        ),
        _ => {}
    }
}

#[tokio::test]
async fn every_operation_by_every_caller() {
    let shelf = Shelf::new();
    let server = shelf.server().await;
    let snapshot = shelf.filled(&server.db).await;
    let owner = Person::new(&server.api, "owner").await;
    let table: BTreeMap<&str, Expected> = TABLE.iter().copied().collect();
    assert_eq!(table.len(), TABLE.len());
    let document = server.api.get("/openapi.json").await.expect(200);
    let mut seen = Vec::new();
    for (template, methods) in document["paths"].as_object().unwrap() {
        for (method, documented) in methods.as_object().unwrap() {
            let id = documented["operationId"].as_str().unwrap().to_owned();
            let row = table.get(id.as_str());
            let row = row.unwrap_or_else(|| panic!("{id} ({method} {template}) has no row"));
            // The document says the same of who needs a token.
            let security = documented["security"].as_array();
            let needs = security.is_some_and(|ways| !ways.contains(&json!({})));
            assert_eq!(row[0] == 401, needs, "{id}: {security:?}");
            assert_eq!(row[1] == 401, security.is_some(), "{id}: {security:?}");

            let number = seen.len();
            let operation = prepared(&server, &owner, &snapshot, &id, method, template).await;
            let mut all = callers(&server, number, &id).await;
            all.push(operation.seat.clone());
            for (column, (caller, api)) in CALLERS.iter().zip(&all).enumerate() {
                let answer = api.ask((operation.ask)(number * 9 + column)).await;
                is_expected(&operation, caller, &answer, row[column]);
            }
            seen.push(id);
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, table.into_keys().collect::<Vec<_>>());
}

/// A token with all scopes but the one that is needed.
#[tokio::test]
async fn no_other_scope_will_do() {
    let server = Server::start().await;
    let bot = Person::bot(&server.api, "robot").await;
    let reading = bot.limited(&["play", "webhooks", "act"]).await;
    let playing = bot.limited(&["read", "webhooks", "act"]).await;
    let game = Made::by(&bot.api, "al-manqala", json!({ "seat": "south" })).await;
    let paths = [
        "/v1/me",
        "/v1/me/games",
        "/v1/me/tokens",
        "/v1/games",
        "/v1/export/games",
        "/v1/export/rows",
        "/v1/players/robot",
        "/v1/players/robot/games",
        "/v1/events",
        &game.path,
        &game.to("moves"),
        &game.to("verify"),
        &game.to("events"),
        &game.to("conditionals"),
        &game.to("board.txt"),
        &game.to("board.svg"),
        &game.to("board.png"),
    ];
    for path in paths {
        playing.get(path).await.expect(200);
        let answer = reading.get(path).await;
        answer.problem(403, "missing_scope");
    }
    let choice = json!({ "after_ply": 0, "house": 1 });
    let asks = [
        Ask::post("/v1/games").json(&json!({ "ruleset": "congkak" })),
        Ask::post("/v1/me/tokens").json(&json!({ "scopes": ["read"] })),
        Ask::new("DELETE", "/v1/me"),
        Ask::post(&game.to("moves")).json(&choice),
        Ask::post(&game.to("offers")).json(&json!({ "kind": "split" })),
        Ask::post(&game.to("offers/1/accept")).json(&json!({ "after_ply": 0 })),
        Ask::post(&game.to("offers/1/decline")),
        Ask::new("PUT", &game.to("conditionals")).json(&json!({ "after_ply": 0, "lines": [] })),
        Ask::new("DELETE", &game.to("conditionals")),
        Ask::post(&game.to("join")).json(&json!({})),
        Ask::post(&game.to("decline")),
        Ask::post(&game.to("abort")),
        Ask::post(&game.to("resign")),
    ];
    for ask in asks {
        playing.ask(ask).await.problem(403, "missing_scope");
    }
    let state = bot.api.get(&game.path).await.expect(200);
    assert_eq!(state["ply"], 0);
    reading.post(&game.to("moves"), &choice).await.expect(201);
}
