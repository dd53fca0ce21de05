//! Draws that both seats want: offered at any time, gone with the other seat's next
//! ply, and the end of the game when they are accepted.

use serde_json::{Value, json};

use crate::support::follow::events;
use crate::support::offers::{accept, decline, offer, plain, stored, told};
use crate::support::people::between;
use crate::support::{Ask, Game, Person, Server};

#[tokio::test]
async fn an_agreed_draw_ends_the_game() {
    let server = Server::start().await;
    // Al-manqala: south has played, north is to move; either may offer.
    for (seat, other) in [("south", "north"), ("north", "south")] {
        let game = Game::of(&server.api, "al-manqala").await;
        let before = game.play(&["s1"]).await.expect(201)["game"].clone();
        let made = plain(game.seat(seat), &game, "draw").await.expect(201);
        let facts = json!({
            "id": 1, "kind": "draw", "seat": seat, "ply": 1, "to_ply": null, "until": null,
            "status": "open", "made_at": made["offer"]["made_at"], "answered_at": null,
        });
        assert_eq!(made["offer"], facts);
        assert_eq!(made["game"]["offers"], json!([facts]));
        assert_eq!(made["game"]["ply"], 1);
        let (own, asked) = (game.seat(seat), game.seat(other));
        accept(own, &game, &made, 1).await.problem(409, "own_offer");
        decline(own, &game, &made).await.problem(409, "own_offer");
        plain(asked, &game, "draw").await.problem(409, "offer_open");
        for stale in [0, 2] {
            let problem = accept(asked, &game, &made, stale).await;
            assert_eq!(problem.problem(409, "stale_ply")["current_ply"], 1);
        }

        let answer = accept(asked, &game, &made, 1).await;
        assert!(!answer.replayed());
        let answer = answer.expect(200);
        assert_eq!(answer["offer"]["status"], "accepted");
        let state = &answer["game"];
        assert_eq!(state["status"], "finished");
        assert_eq!((&state["ply"], &state["turn"]), (&json!(2), &json!(2)));
        assert_eq!(state["to_move"], json!([]));
        assert_eq!(state["legal_moves"], json!([]));
        assert_eq!(state["offers"], json!([]));
        assert_eq!(state["board"], before["board"]);
        let stores = ["south", "north"].map(|seat| &before["board"][seat]["store"]);
        assert_eq!(
            state["result"],
            json!({ "winner": "draw", "reason": "agreement", "ended_by": null,
                    "score": { "south": stores[0], "north": stores[1] },
                    "ended_at": answer["offer"]["answered_at"] })
        );
        let end = game.log().await.pop().unwrap();
        assert_eq!(
            (&end["kind"], &end["reason"], &end["by"]),
            (&json!("end"), &json!("agreement"), &Value::Null)
        );
        assert_eq!((&end["ply"], &end["after_ply"]), (&json!(2), &json!(1)));
        assert_eq!(end["source"], "player");

        // Twice is once, with whatever the client has seen by then.
        for ply in [1, 2] {
            let again = accept(asked, &game, &made, ply).await;
            assert!(again.replayed());
            let again = again.expect(200);
            assert_eq!(again["offer"], answer["offer"]);
            assert_eq!(again["game"]["result"], state["result"]);
        }
        decline(asked, &game, &made).await.problem(409, "game_over");
        accept(own, &game, &made, 2).await.problem(409, "own_offer");
        for api in [own, asked] {
            plain(api, &game, "draw").await.problem(409, "game_over");
        }
        assert_eq!(game.log().await.len(), 2);
        assert_eq!(
            told(&server.db, &game).await,
            [
                "south plays".to_owned(),
                format!("draw by {seat}"),
                "draw accepted".into(),
                "agreement".into()
            ]
        );
        game.verified().await;
    }
}

/// Choices that were not revealed go with the game.
#[tokio::test]
async fn in_an_opening() {
    let server = Server::start().await;
    for (seat, other) in [("south", "north"), ("north", "south")] {
        let game = Game::of(&server.api, "congkak-arena").await;
        let body = json!({ "after_ply": 0, "house": 3, "message": "only-when-revealed" });
        game.south.post(&game.to("moves"), &body).await.expect(202);
        let made = plain(game.seat(seat), &game, "draw").await.expect(201);
        assert_eq!(made["game"]["to_move"], json!(["north"]));
        let state = accept(game.seat(other), &game, &made, 0).await.expect(200)["game"].clone();
        assert_eq!(
            state["position"],
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 - r1:- ?|? t0"
        );
        let result = &state["result"];
        assert_eq!(
            (&result["winner"], &result["reason"], &result["score"]),
            (
                &json!("draw"),
                &json!("agreement"),
                &json!({ "south": 0, "north": 0 })
            )
        );
        let rows = server.db.rows(&game.id).await;
        assert_eq!(rows["commits"], json!([]));
        assert!(!rows.to_string().contains("only-when-revealed"));
        game.send("south", 0, 3).await.problem(409, "game_over");
        assert_eq!(game.log().await.len(), 1);
        game.verified().await;
    }
    // Both choices revealed: the other seat has plied.
    let game = Game::of(&server.api, "congkak-arena").await;
    let made = plain(&game.south, &game, "draw").await.expect(201);
    game.play(&["s3", "n5"]).await.expect(201);
    assert_eq!(stored(&server.db, &game).await, ["draw by south: declined"]);
    accept(&game.north, &game, &made, 2)
        .await
        .problem(409, "offer_closed");
}

/// It stands over plies and extra turns of the seat that offers, and no longer.
#[tokio::test]
async fn until_the_other_seat_plies() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let made = plain(&game.south, &game, "draw").await.expect(201);
    // `7 6` earn extra turns, `7` now ends south's turn.
    for choice in ["s7", "s6"] {
        let answer = game.play(&[choice]).await.expect(201);
        assert_eq!(answer["row"]["extra_turn"], true);
        assert_eq!(answer["game"]["offers"], json!([made["offer"]]));
    }
    // Offered again in the same turn it is another offer, and one is open.
    plain(&game.south, &game, "draw")
        .await
        .problem(409, "offer_open");
    let mut state = game.state().await;
    while state["to_move"] == json!(["south"]) {
        let house = state["legal_moves"][0]["house"].as_u64().unwrap();
        let ply = state["ply"].as_u64().unwrap();
        state = game.send("south", ply, house).await.expect(201)["game"].clone();
        assert_eq!(state["offers"], json!([made["offer"]]));
    }
    let ply = state["ply"].as_u64().unwrap();
    accept(&game.north, &game, &made, 0)
        .await
        .problem(409, "stale_ply");
    // North's answer is its ply.
    let house = state["legal_moves"][0]["house"].as_u64().unwrap();
    let answer = game.send("north", ply, house).await.expect(201);
    assert_eq!(answer["game"]["offers"], json!([]));
    assert_eq!(game.state().await["offers"], json!([]));
    assert_eq!(stored(&server.db, &game).await, ["draw by south: declined"]);
    accept(&game.north, &game, &made, ply + 1)
        .await
        .problem(409, "offer_closed");
    let declined = decline(&game.north, &game, &made).await;
    assert!(declined.replayed(), "the ply has declined it");
    let declined = declined.expect(200);
    assert_eq!(declined["offer"]["status"], "declined");
    server.db.place_events().await;
    // Told to the seat that offered.
    for (api, to) in [
        (&game.south, json!([{ "seat": "south" }])),
        (&game.north, json!([])),
    ] {
        let told = events(api, "/v1/events").await;
        let mut answers = told
            .iter()
            .filter(|event| event["type"] == "offer.answered");
        let answer = answers.next().unwrap();
        assert_eq!(answers.next(), None);
        assert_eq!((&answer["ply"], &answer["for"]), (&json!(ply + 1), &to));
        let facts = &answer["data"]["facts"];
        assert_eq!(
            json!([
                facts["kind"],
                facts["status"],
                facts["offer"],
                facts["seat"]
            ]),
            json!(["draw", "declined", 1, "south"])
        );
    }
    // Now north may offer, and south another one after it was declined.
    let second = plain(&game.north, &game, "draw").await.expect(201);
    assert_eq!(second["offer"]["id"], 2);
    decline(&game.south, &game, &second).await.expect(200);
    let third = plain(&game.north, &game, "draw").await.expect(201);
    assert_eq!(third["offer"]["id"], 3);
    game.verified().await;
}

/// The seat that is asked sees it in its list; a retry makes no second one.
#[tokio::test]
async fn of_players() {
    let server = Server::start().await;
    let (ana, bo) = (
        Person::new(&server.api, "ana").await,
        Person::new(&server.api, "bo").await,
    );
    let game = between(&ana, &bo, "al-manqala", json!({})).await;
    let mine = async |person: &Person| {
        let page = person.api.get("/v1/me/games?turn=mine").await.expect(200);
        page["items"].as_array().unwrap().len()
    };
    assert_eq!((mine(&ana).await, mine(&bo).await), (1, 0));
    let body = json!({ "kind": "draw", "after_ply": 0 });
    let made = offer(&ana.api, &game, body.clone()).await.expect(201);
    assert_eq!((mine(&ana).await, mine(&bo).await), (1, 1));
    let before = server.db.rows(&game.id).await;
    for body in [body, json!({ "kind": "draw" })] {
        let again = offer(&ana.api, &game, body).await;
        assert!(again.replayed());
        assert_eq!(again.expect(200)["offer"], made["offer"]);
    }
    assert_eq!(server.db.rows(&game.id).await, before);
    decline(&bo.api, &game, &made).await.expect(200);
    assert_eq!((mine(&ana).await, mine(&bo).await), (1, 0));
    // About a position that is not there.
    let early = json!({ "kind": "draw", "after_ply": 1 });
    offer(&ana.api, &game, early)
        .await
        .problem(409, "stale_ply");
}

/// The key makes a retry safe also where the second try would say otherwise.
#[tokio::test]
async fn with_an_idempotency_key() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let keyed = |path: &str, body: Value, key: &str| {
        let ask = Ask::post(&game.to(path)).json(&body);
        ask.header("idempotency-key", key)
    };
    let draw = json!({ "kind": "draw" });
    let made = game.south.ask(keyed("offers", draw.clone(), "one")).await;
    made.is(201);
    game.play(&["s1", "n1"]).await.expect(201);
    // By now it is declined; the first answer comes again, and no second offer.
    let again = game.south.ask(keyed("offers", draw.clone(), "one")).await;
    assert!(again.replayed());
    assert_eq!((again.status, &again.body), (made.status, &made.body));
    assert_eq!(stored(&server.db, &game).await, ["draw by south: declined"]);
    let other = json!({ "kind": "split" });
    game.south
        .ask(keyed("offers", other, "one"))
        .await
        .problem(422, "key_reused");
    // The key is the caller's own.
    let norths = game.north.ask(keyed("offers", draw, "one")).await;
    assert!(!norths.replayed());
    assert_eq!(norths.expect(201)["offer"]["id"], 2);

    let at = |ply: u64| json!({ "after_ply": ply });
    // What was refused is not kept.
    game.south
        .ask(keyed("offers/2/accept", at(1), "two"))
        .await
        .problem(409, "stale_ply");
    let accepted = game.south.ask(keyed("offers/2/accept", at(2), "two")).await;
    assert!(!accepted.replayed());
    accepted.is(200);
    let again = game.south.ask(keyed("offers/2/accept", at(2), "two")).await;
    assert!(again.replayed());
    assert_eq!(again.body, accepted.body);
    game.south
        .ask(keyed("offers/2/accept", at(3), "two"))
        .await
        .problem(422, "key_reused");
    assert_eq!(game.log().await.len(), 3);
}
