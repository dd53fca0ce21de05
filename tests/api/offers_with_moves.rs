//! `offer` beside a choice: both are done or none, and the offer is about the
//! position that the choice leads to.

use serde_json::{Value, json};

use crate::support::offers::{accept, decline, offer, plain, stored, told};
use crate::support::{Answer, Clock, Game, Server};

/// Congkak's last seed: south's house 1 ends the game.
const LAST: &str = "1,0,0,0,0,0,0/0,0,0,0,0,0,0 48-49 S r1:S";

async fn send(game: &Game, seat: &str, after_ply: u64, house: u64, offer: Value) -> Answer {
    let body = json!({ "after_ply": after_ply, "house": house, "offer": offer });
    game.seat(seat).post(&game.to("moves"), &body).await
}

/// It is refused so, and nothing at all is stored.
async fn refused(
    server: &Server,
    game: &Game,
    seat: &str,
    (after_ply, house): (u64, u64),
    (offer, code): (Value, &str),
) -> Value {
    let before = server.db.rows(&game.id).await;
    let problem = send(game, seat, after_ply, house, offer.clone()).await;
    let problem = problem.problem(409, code);
    assert_eq!(server.db.rows(&game.id).await, before, "{offer}");
    problem
}

#[tokio::test]
async fn a_draw_in_both_forms() {
    let server = Server::start().await;
    for form in [json!("draw"), json!({ "kind": "draw" })] {
        let game = Game::of(&server.api, "al-manqala").await;
        let played = send(&game, "south", 0, 1, form.clone()).await.expect(201);
        assert_eq!(played["row"]["ply"], 1);
        let state = &played["game"];
        assert_eq!(state["ply"], 1);
        let made = state["offers"][0].clone();
        assert_eq!(
            json!([
                made["id"],
                made["kind"],
                made["seat"],
                made["ply"],
                made["status"]
            ]),
            json!([1, "draw", "south", 1, "open"])
        );
        assert_eq!(game.state().await["offers"], json!([made]));

        // The same choice again, with the offer or without: one row, one offer.
        let before = server.db.rows(&game.id).await;
        for again in [
            send(&game, "south", 0, 1, form.clone()).await,
            send(&game, "south", 0, 1, Value::Null).await,
            game.send("south", 0, 1).await,
        ] {
            assert!(again.replayed());
            let again = again.expect(200);
            assert_eq!(again["row"], played["row"]);
            assert_eq!(again["game"]["offers"], json!([made]));
        }
        assert_eq!(server.db.rows(&game.id).await, before);

        let offered = json!({ "offer": made });
        // Not to be answered at the position before.
        accept(&game.north, &game, &offered, 0)
            .await
            .problem(409, "stale_ply");
        let answer = accept(&game.north, &game, &offered, 1).await.expect(200);
        assert_eq!(answer["game"]["result"]["reason"], "agreement");
        assert_eq!(
            told(&server.db, &game).await,
            ["south plays", "draw by south", "draw accepted", "agreement"]
        );
        // Also when all is over.
        let again = send(&game, "south", 0, 1, form).await;
        assert!(again.replayed());
        assert_eq!(again.expect(200)["game"]["status"], "finished");
        assert_eq!(stored(&server.db, &game).await, ["draw by south: accepted"]);
        game.verified().await;
    }
}

/// A retry after the offer was declined does not make it again.
#[tokio::test]
async fn a_late_retry_offers_nothing() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    send(&game, "south", 0, 1, json!("draw")).await.expect(201);
    game.play(&["n1"]).await.expect(201);
    let again = send(&game, "south", 0, 1, json!("draw")).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200)["game"]["offers"], json!([]));
    assert_eq!(stored(&server.db, &game).await, ["draw by south: declined"]);
    // Played without one, sent again with one: still the choice alone.
    game.play(&["s2"]).await.expect(201);
    let again = send(&game, "south", 2, 2, json!("draw")).await;
    assert!(again.replayed());
    again.is(200);
    assert_eq!(stored(&server.db, &game).await, ["draw by south: declined"]);
}

#[tokio::test]
async fn a_takeback() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1"]).await.expect(201);
    let form = json!({ "kind": "takeback", "to_ply": 1 });
    // Before the choice there is nothing after row 1.
    offer(&game.south, &game, form.clone())
        .await
        .problem(409, "offer_impossible");
    let played = send(&game, "north", 1, 1, form).await.expect(201);
    let made = &played["game"]["offers"][0];
    assert_eq!(
        json!([made["kind"], made["ply"], made["to_ply"]]),
        json!(["takeback", 2, 1])
    );
    let offered = json!({ "offer": made });
    accept(&game.south, &game, &offered, 1)
        .await
        .problem(409, "stale_ply");
    let back = accept(&game.south, &game, &offered, 2).await.expect(200);
    assert_eq!(back["game"]["ply"], 3);
    assert_eq!(back["game"]["to_move"], json!(["north"]));
    assert_eq!(
        told(&server.db, &game).await,
        [
            "south plays",
            "north plays",
            "takeback by north",
            "takeback accepted"
        ]
    );
    let to_itself = json!({ "kind": "takeback", "to_ply": 4 });
    let code = (to_itself, "offer_impossible");
    let problem = refused(&server, &game, "north", (3, 1), code).await;
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("nothing was played after row 4"),
        "{detail}"
    );
    game.verified().await;
}

#[tokio::test]
async fn a_pause() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 3600 } });
    let game = Game::create(&server.api, &body).await;
    let until = clock.hence(86_400);
    let form = json!({ "kind": "pause", "until": until });
    let played = send(&game, "south", 0, 1, form).await.expect(201);
    let made = &played["game"]["offers"][0];
    assert_eq!(
        json!([made["kind"], made["ply"], made["until"]]),
        json!(["pause", 1, until])
    );
    // It stands over plies; another one is one too many.
    let code = (json!("pause"), "offer_open");
    refused(&server, &game, "north", (1, 1), code).await;
    let played = game.play(&["n1"]).await.expect(201);
    assert_eq!(played["game"]["offers"], json!([made]));
    let offered = json!({ "offer": made });
    decline(&game.north, &game, &offered).await.expect(200);
    for until in [clock.hence(0), clock.hence(-1), clock.hence(366 * 86_400)] {
        let code = (
            json!({ "kind": "pause", "until": until }),
            "offer_impossible",
        );
        refused(&server, &game, "south", (2, 2), code).await;
    }
}

/// Both or none.
#[tokio::test]
async fn an_impossible_offer_refuses_the_choice() {
    let server = Server::start().await;
    let _clock = Clock::stop(&server.db).await;
    let mut body = json!({ "ruleset": "congkak", "clock": { "per_move": 3600, "reserve": 60 } });
    let game = Game::create(&server.api, &body).await;
    for form in [
        json!("split"),
        json!({ "kind": "split" }),
        json!("rematch"),
        json!({ "kind": "rematch" }),
        json!({ "kind": "takeback", "to_ply": 7 }),
        json!({ "kind": "takeback", "to_ply": 1 }),
    ] {
        let code = (form, "offer_impossible");
        refused(&server, &game, "south", (0, 1), code).await;
    }
    // No clock to pause.
    let plain_game = Game::of(&server.api, "congkak").await;
    for form in [json!("pause"), json!({ "kind": "pause" })] {
        let code = (form, "offer_impossible");
        refused(&server, &plain_game, "south", (0, 1), code).await;
    }
    // The choice ends the game.
    body["start"] = LAST.into();
    let last = Game::create(&server.api, &body).await;
    for form in [
        json!("draw"),
        json!("pause"),
        json!({ "kind": "takeback", "to_ply": 0 }),
    ] {
        let code = (form, "offer_impossible");
        let problem = refused(&server, &last, "south", (0, 1), code).await;
        assert_eq!(problem["detail"], "the game is over");
    }
    let ended = last.send("south", 0, 1).await.expect(201);
    assert_eq!(ended["game"]["status"], "finished");
    // What is wrong with the choice is said first.
    let illegal = send(&game, "south", 0, 8, json!("split")).await;
    illegal.problem(422, "illegal_move");
    let wrong = send(&game, "north", 0, 1, json!("split")).await;
    wrong.problem(409, "not_your_turn");
    let stale = send(&game, "south", 1, 1, json!("split")).await;
    stale.problem(409, "stale_ply");
    let over = send(&last, "south", 1, 1, json!("draw")).await;
    over.problem(409, "game_over");
    assert_eq!(game.log().await, Vec::<Value>::new());
}

/// One of a kind: whoever made the open one, the choice must not lose it.
#[tokio::test]
async fn while_one_is_open() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    // One's own.
    plain(&game.south, &game, "draw").await.expect(201);
    let draw = (json!("draw"), "offer_open");
    refused(&server, &game, "south", (0, 1), draw.clone()).await;
    // The other's: both want the same, so it can be accepted.
    game.play(&["s1"]).await.expect(201);
    refused(&server, &game, "north", (1, 1), draw.clone()).await;
    assert_eq!(stored(&server.db, &game).await, ["draw by south: open"]);
    let split = plain(&game.south, &game, "split").await.expect(201);
    let code = (json!("split"), "offer_open");
    refused(&server, &game, "north", (1, 1), code).await;
    let agreed = accept(&game.north, &game, &split, 1).await.expect(200);
    assert_eq!(agreed["game"]["result"]["reason"], "loop");
    game.verified().await;
    // Another kind does not disturb it.
    let game = Game::of(&server.api, "al-manqala").await;
    plain(&game.south, &game, "draw").await.expect(201);
    send(&game, "south", 0, 1, json!("split")).await.expect(201);
    assert_eq!(
        stored(&server.db, &game).await,
        ["draw by south: open", "split by south: open"]
    );
    // A choice declines the one and makes the other void, and brings its own.
    let back = json!({ "kind": "takeback", "to_ply": 1 });
    send(&game, "north", 1, 1, back).await.expect(201);
    assert_eq!(
        stored(&server.db, &game).await,
        [
            "draw by south: declined",
            "split by south: void",
            "takeback by north: open"
        ]
    );
    assert_eq!(
        told(&server.db, &game).await,
        [
            "draw by south",
            "south plays",
            "split by south",
            "draw declined",
            "north plays",
            "takeback by north"
        ]
    );
}

/// A secret choice would betray that it was made, and when.
#[tokio::test]
async fn in_a_simultaneous_opening() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-traditional").await;
    for form in [
        json!("draw"),
        json!({ "kind": "takeback", "to_ply": 0 }),
        json!("rematch"),
    ] {
        let code = (form, "offer_impossible");
        refused(&server, &game, "south", (0, 3), code).await;
    }
    // Also the second choice, and one that is owed alone.
    game.send("north", 0, 5).await.expect(202);
    let code = (json!("draw"), "offer_impossible");
    refused(&server, &game, "south", (0, 7), code.clone()).await;
    let state = game.send("south", 0, 7).await.expect(201)["game"].clone();
    assert_eq!(
        (&state["status"], &state["to_move"]),
        (&json!("opening"), &json!(["south"]))
    );
    refused(&server, &game, "south", (2, 1), code).await;
    // A commit sent again is known, whatever stands beside it.
    let game = Game::of(&server.api, "congkak-traditional").await;
    game.send("north", 0, 5).await.expect(202);
    let again = send(&game, "north", 0, 5, json!("draw")).await;
    assert!(again.replayed());
    assert_eq!(again.expect(202)["game"]["offers"], json!([]));
}

/// A rematch can only come with the choice that ends the game. Its token has no
/// place in the answer to a choice.
#[tokio::test]
async fn a_rematch() {
    let server = Server::start().await;
    let game = Game::from(&server.api, "congkak", json!({}), LAST).await;
    let code = (json!("rematch"), "offer_impossible");
    let problem = refused(&server, &game, "south", (0, 1), code).await;
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("by itself"), "{detail}");
}

#[tokio::test]
async fn malformed() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    for (form, parameter) in [
        (json!("Draw"), "offer"),
        (json!(""), "offer"),
        (json!("takeback"), "offer.to_ply"),
        (json!(7), "offer"),
        (json!(true), "offer"),
        (json!(["draw"]), "offer"),
        (json!({}), "offer.kind"),
        (json!({ "kind": "undo" }), "offer.kind"),
        (json!({ "kind": null }), "offer.kind"),
        (json!({ "kind": "takeback" }), "offer.to_ply"),
        (json!({ "kind": "takeback", "to_ply": -1 }), "offer.to_ply"),
        (json!({ "kind": "takeback", "to_ply": "1" }), "offer.to_ply"),
        (
            json!({ "kind": "takeback", "to_ply": null }),
            "offer.to_ply",
        ),
        (json!({ "kind": "draw", "to_ply": 1 }), "offer.to_ply"),
        (json!({ "kind": "pause", "until": "soon" }), "offer.until"),
        (
            json!({ "kind": "split", "until": "2027-01-01T00:00:00Z" }),
            "offer.until",
        ),
        (json!({ "kind": "draw", "after_ply": 0 }), "offer.after_ply"),
        (json!({ "kind": "draw", "colour": 1 }), "offer.colour"),
    ] {
        let problem = send(&game, "south", 0, 1, form.clone()).await;
        let problem = problem.problem(400, "bad_request");
        assert_eq!(problem["parameter"], parameter, "{form}");
    }
    assert_eq!(game.log().await, Vec::<Value>::new());
    assert_eq!(game.state().await["offers"], json!([]));
}
