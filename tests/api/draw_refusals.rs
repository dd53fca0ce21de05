//! Offers that cannot be made or answered: by whom, where, how they are written, and
//! too late.

use serde_json::json;

use crate::support::follow::{game_of, player};
use crate::support::offers::{accept, offer, plain, stored};
use crate::support::{Ask, Clock, Game, Made, Person, Server};

#[tokio::test]
async fn whose_it_is_not() {
    let server = Server::start().await;
    let ana = player(&server.api, "ana").await;
    let bo = player(&server.api, "bo").await;
    let stranger = player(&server.api, "cik").await;
    let other = Game::of(&server.api, "congkak").await;
    let public = game_of(&ana, &bo, json!({ "ruleset": "al-manqala" })).await;
    let body = json!({ "ruleset": "al-manqala", "visibility": "private" });
    let private = Game::create(&server.api, &body).await;
    for game in [&public, &private] {
        plain(&game.south, game, "draw").await.expect(201);
    }
    let before = server.db.rows(&public.id).await;
    for (game, status, code) in [(&public, 403, "not_seated"), (&private, 404, "not_found")] {
        for api in [&stranger, &other.south] {
            plain(api, game, "draw").await.problem(status, code);
            let accept = game.to("offers/1/accept");
            let at = json!({ "after_ply": 0 });
            api.post(&accept, &at).await.problem(status, code);
            let decline = game.to("offers/1/decline");
            api.call(&decline).await.problem(status, code);
        }
    }
    for rest in ["offers", "offers/1/accept", "offers/1/decline"] {
        let ask = Ask::post(&public.to(rest)).json(&json!({ "kind": "draw" }));
        let ask = match rest {
            "offers" => ask,
            _ => Ask::post(&public.to(rest)).json(&json!({ "after_ply": 0 })),
        };
        server.api.ask(ask).await.problem(401, "unauthorized");
    }
    assert_eq!(server.db.rows(&public.id).await, before);
    // Offers that are not there.
    for id in ["0", "2", "-1", "9999999999", "9223372036854775807"] {
        let path = public.to(&format!("offers/{id}/decline"));
        let ask = Ask::post(&path);
        let answer = public.north.ask_beyond(ask).await;
        answer.problem(404, "unknown_offer");
    }
    for id in ["one", "1.0", "9223372036854775808"] {
        let path = public.to(&format!("offers/{id}/decline"));
        let answer = public.north.ask_beyond(Ask::post(&path)).await;
        assert_eq!(answer.problem(400, "bad_request")["parameter"], "oid");
    }
}

#[tokio::test]
async fn where_nothing_is_played() {
    let server = Server::start().await;
    let kinds = [
        json!({ "kind": "draw" }),
        json!({ "kind": "split" }),
        json!({ "kind": "takeback", "to_ply": 0 }),
        json!({ "kind": "pause" }),
    ];
    let ana = Person::new(&server.api, "ana").await;
    let fields = json!({ "opponent": { "open": true }, "seat": "south" });
    let open = Made::by(&ana.api, "congkak", fields).await;
    let drawn = Made::by(&ana.api, "congkak", json!({ "opponent": { "open": true } })).await;
    let finished = Game::of(&server.api, "congkak").await;
    finished
        .south
        .call(&finished.to("resign"))
        .await
        .expect(200);
    let aborted = Game::of(&server.api, "congkak").await;
    aborted.south.call(&aborted.to("abort")).await.expect(200);
    for body in kinds {
        for path in [open.to("offers"), drawn.to("offers")] {
            ana.api.post(&path, &body).await.problem(409, "not_started");
        }
        for game in [&finished, &aborted] {
            let problem = offer(&game.north, game, body.clone()).await;
            let problem = problem.problem(409, "game_over");
            assert_eq!(problem["current_ply"], 1);
        }
    }
    // What was open when the game ended is not any more.
    let game = Game::of(&server.api, "al-manqala").await;
    let made = plain(&game.south, &game, "draw").await.expect(201);
    game.south.call(&game.to("resign")).await.expect(200);
    accept(&game.north, &game, &made, 1)
        .await
        .problem(409, "game_over");
    assert_eq!(stored(&server.db, &game).await, ["draw by south: void"]);
    assert_eq!(game.state().await["offers"], json!([]));
}

/// What cannot be read is named.
#[tokio::test]
async fn malformed() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    for (body, parameter) in [
        (json!({}), "kind"),
        (json!({ "kind": null }), "kind"),
        (json!({ "kind": "Draw" }), "kind"),
        (json!({ "kind": ["draw"] }), "kind"),
        (json!({ "kind": "draw", "after_ply": -1 }), "after_ply"),
        (json!({ "kind": "draw", "after_ply": null }), "after_ply"),
        (json!({ "kind": "draw", "after_ply": "0" }), "after_ply"),
        (json!({ "kind": "draw", "why": "tired" }), "why"),
        (
            json!({ "kind": "draw", "until": "2027-01-01T00:00:00Z" }),
            "until",
        ),
        (json!({ "kind": "pause", "until": "tomorrow" }), "until"),
        (json!({ "kind": "pause", "until": null }), "until"),
        (json!({ "kind": "pause", "until": 1_800_000_000 }), "until"),
        (
            json!({ "kind": "pause", "until": "2027-02-30T00:00:00Z" }),
            "until",
        ),
        (json!({ "kind": "pause", "to_ply": 1 }), "to_ply"),
        (json!({ "kind": "rematch", "to_ply": 1 }), "to_ply"),
    ] {
        let problem = offer(&game.south, &game, body.clone()).await;
        let problem = problem.problem(400, "bad_request");
        assert_eq!(problem["parameter"], parameter, "{body}");
    }
    let made = plain(&game.south, &game, "draw").await.expect(201);
    for (body, parameter) in [
        (json!({}), "after_ply"),
        (json!({ "after_ply": -1 }), "after_ply"),
        (json!({ "after_ply": "0" }), "after_ply"),
        (json!({ "after_ply": 0, "ply": 0 }), "ply"),
    ] {
        let problem = game.north.post(&game.to("offers/1/accept"), &body).await;
        let problem = problem.problem(400, "bad_request");
        assert_eq!(problem["parameter"], parameter, "{body}");
    }
    assert_eq!(game.state().await["offers"], json!([made["offer"]]));
}

/// A passed deadline comes first: then there is nothing to agree on.
#[tokio::test]
async fn too_late() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 60 } });
    let game = Game::create(&server.api, &body).await;
    game.play(&["s1", "n1"]).await.expect(201);
    let made = plain(&game.north, &game, "draw").await.expect(201);
    clock.pass(61).await;
    accept(&game.south, &game, &made, 2)
        .await
        .problem(409, "game_over");
    let state = game.state().await;
    assert_eq!(state["result"]["reason"], "timeout");
    assert_eq!(stored(&server.db, &game).await, ["draw by north: void"]);
    game.verified().await;
}
