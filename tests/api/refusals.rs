//! A refused request changes nothing: all rows of the game, in all tables, are the
//! same before and after.

use serde_json::{Value, json};

use crate::support::{Answer, Api, Ask, Game, Server};

/// What is asked, and what it must be refused with.
type Refusal<'a> = (&'a Api, &'a str, Value, u16, &'a str);

async fn ask(game: &Game, (api, rest, body, ..): &Refusal<'_>) -> Answer {
    match body {
        Value::Null => api.call(&game.to(rest)).await,
        body => api.post(&game.to(rest), body).await,
    }
}

async fn all_refused(server: &Server, game: &Game, refusals: &[Refusal<'_>]) {
    let before = server.db.rows(&game.id).await;
    assert_eq!(before["games"].as_array().unwrap().len(), 1);
    for refusal in refusals {
        let (_, rest, body, status, code) = refusal;
        ask(game, refusal).await.problem(*status, code);
        let after = server.db.rows(&game.id).await;
        assert_eq!(after, before, "{rest} {body} left a trace");
    }
}

fn play(after_ply: i64, house: i64) -> Value {
    json!({ "after_ply": after_ply, "house": house })
}

#[tokio::test]
async fn in_play() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    // An extra turn, so south is to move again, and its house 7 is empty.
    game.play(&["s7"]).await;
    let other = Game::of(&server.api, "congkak").await;
    let unknown = server.api.with("mp_unknown");
    let (south, north, anyone) = (&game.south, &game.north, &game.anyone);
    let refusals: &[Refusal] = &[
        (anyone, "moves", play(1, 1), 401, "unauthorized"),
        (&unknown, "moves", play(1, 1), 401, "unauthorized"),
        (&other.south, "moves", play(1, 1), 403, "not_seated"),
        (south, "moves", play(1, 7), 422, "illegal_move"),
        (south, "moves", play(1, 0), 422, "illegal_move"),
        (south, "moves", play(1, 8), 422, "illegal_move"),
        (south, "moves", play(1, 300), 422, "illegal_move"),
        (south, "moves", play(0, 2), 409, "stale_ply"),
        (south, "moves", play(2, 2), 409, "stale_ply"),
        (south, "moves", play(9, 2), 409, "stale_ply"),
        (north, "moves", play(1, 1), 409, "not_your_turn"),
        // What the seat has played before, sent by the other seat.
        (north, "moves", play(0, 7), 409, "stale_ply"),
        (south, "moves", json!({ "house": 2 }), 400, "bad_request"),
        (
            south,
            "moves",
            json!({ "after_ply": 1 }),
            400,
            "bad_request",
        ),
        (south, "moves", play(-1, 2), 400, "bad_request"),
        (
            south,
            "moves",
            json!({ "after_ply": 1, "house": 2, "message": "" }),
            400,
            "bad_request",
        ),
        (
            south,
            "moves",
            json!({ "after_ply": 1, "house": 2, "x": 1 }),
            400,
            "bad_request",
        ),
        (
            south,
            "offers",
            json!({ "kind": "split" }),
            409,
            "offer_impossible",
        ),
        (
            south,
            "offers",
            json!({ "kind": "peace" }),
            400,
            "bad_request",
        ),
        (
            south,
            "offers/1/accept",
            json!({ "after_ply": 1 }),
            404,
            "unknown_offer",
        ),
        (anyone, "resign", Value::Null, 401, "unauthorized"),
        (&other.north, "resign", Value::Null, 403, "not_seated"),
    ];
    all_refused(&server, &game, refusals).await;
    game.verified().await;
}

#[tokio::test]
async fn in_an_opening_with_one_choice_committed() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-traditional").await;
    game.play(&["s3"]).await;
    let (south, north) = (&game.south, &game.north);
    let refusals: &[Refusal] = &[
        (south, "moves", play(0, 4), 409, "already_committed"),
        (south, "moves", play(0, 99), 409, "already_committed"),
        (south, "moves", play(1, 3), 409, "stale_ply"),
        (north, "moves", play(0, 8), 422, "illegal_move"),
        (north, "moves", play(1, 1), 409, "stale_ply"),
        (&game.anyone, "moves", play(0, 3), 401, "unauthorized"),
        (
            south,
            "offers",
            json!({ "kind": "split" }),
            409,
            "offer_impossible",
        ),
    ];
    all_refused(&server, &game, refusals).await;
}

#[tokio::test]
async fn with_an_offer_open() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1"]).await;
    let offer = json!({ "kind": "split" });
    game.south
        .post(&game.to("offers"), &offer)
        .await
        .expect(201);
    let (south, north) = (&game.south, &game.north);
    let at = |ply: u64| json!({ "after_ply": ply });
    let refusals: &[Refusal] = &[
        (north, "offers", offer.clone(), 409, "offer_open"),
        (south, "offers/1/accept", at(1), 409, "own_offer"),
        (south, "offers/1/decline", Value::Null, 409, "own_offer"),
        (north, "offers/1/accept", at(0), 409, "stale_ply"),
        (north, "offers/1/accept", at(2), 409, "stale_ply"),
        (north, "offers/1/accept", json!({}), 400, "bad_request"),
        (north, "offers/2/accept", at(1), 404, "unknown_offer"),
        (north, "offers/0/decline", Value::Null, 404, "unknown_offer"),
        (north, "offers/x/decline", Value::Null, 400, "bad_request"),
        (&game.anyone, "offers/1/accept", at(1), 401, "unauthorized"),
    ];
    all_refused(&server, &game, refusals).await;
    game.north
        .call(&game.to("offers/1/decline"))
        .await
        .expect(200);
    let refusals: &[Refusal] = &[
        (north, "offers/1/accept", at(1), 409, "offer_closed"),
        (south, "offers/1/accept", at(1), 409, "own_offer"),
    ];
    all_refused(&server, &game, refusals).await;
}

#[tokio::test]
async fn after_the_end() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1", "n1"]).await;
    game.north.call(&game.to("resign")).await.expect(200);
    let (south, north) = (&game.south, &game.north);
    let refusals: &[Refusal] = &[
        (south, "moves", play(3, 2), 409, "game_over"),
        (south, "moves", play(2, 2), 409, "game_over"),
        (north, "moves", play(3, 99), 409, "game_over"),
        (south, "resign", Value::Null, 409, "game_over"),
        (
            south,
            "offers",
            json!({ "kind": "split" }),
            409,
            "game_over",
        ),
    ];
    all_refused(&server, &game, refusals).await;
    game.verified().await;
}

/// For others a private game is not there, whatever they ask.
#[tokio::test]
async fn a_private_game_is_not_there_for_others() {
    let server = Server::start().await;
    let body = json!({ "ruleset": "al-manqala", "visibility": "private" });
    let game = Game::create(&server.api, &body).await;
    let other = Game::of(&server.api, "al-manqala").await;
    let stranger = &other.south;
    let refusals: &[Refusal] = &[
        (stranger, "moves", play(0, 1), 404, "not_found"),
        (stranger, "resign", Value::Null, 404, "not_found"),
        (
            stranger,
            "offers",
            json!({ "kind": "split" }),
            404,
            "not_found",
        ),
        (
            stranger,
            "offers/1/accept",
            json!({ "after_ply": 0 }),
            404,
            "not_found",
        ),
        (stranger, "offers/1/decline", Value::Null, 404, "not_found"),
    ];
    all_refused(&server, &game, refusals).await;
    for rest in ["", "?at_ply=0", "?at_ply=9", "/moves", "/verify"] {
        let path = format!("{}{rest}", game.path);
        for api in [stranger, &game.anyone] {
            api.get(&path).await.problem(404, "not_found");
        }
        if rest != "?at_ply=9" {
            game.north.get(&path).await.expect(200);
        }
    }
    let csv = Ask::get(&game.to("moves")).header("accept", "text/csv");
    game.anyone.ask(csv).await.problem(404, "not_found");
    game.south.get(&game.path).await.expect(200);
}
