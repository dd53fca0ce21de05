//! Al-manqala's loop: agreed between the seats, or found by repetition.

use serde_json::{Value, json};

use crate::support::vectors::{Choice, vector};
use crate::support::{Game, Server};

/// A forced cycle of 14 plies: one pearl on each side that chases the other.
const CYCLE: &str = "1,0,0,0,0,0,0/1,0,0,0,0,0,0 48-48 S r1:S";

fn split() -> Value {
    json!({ "kind": "split" })
}

fn at(ply: u64) -> Value {
    json!({ "after_ply": ply })
}

#[tokio::test]
async fn an_agreed_split_halves_the_board() {
    let server = Server::start().await;
    let game = Game::from(&server.api, "al-manqala", json!({}), CYCLE).await;
    game.play(&["s1"]).await;
    // Whoever is to move may offer; north is.
    let offer = game
        .north
        .post(&game.to("offers"), &split())
        .await
        .expect(201);
    let facts = json!({
        "id": 1, "kind": "split", "seat": "north", "ply": 1, "to_ply": null, "until": null, "status": "open",
        "made_at": offer["offer"]["made_at"], "answered_at": null,
    });
    assert_eq!(offer["offer"], facts);
    assert_eq!(offer["game"]["offers"], json!([facts]));
    assert_eq!(game.state().await["offers"], json!([facts]));
    assert_eq!(offer["game"]["ply"], 1);

    let accept = game.south.post(&game.to("offers/1/accept"), &at(1)).await;
    assert!(!accept.replayed());
    let accept = accept.expect(200);
    assert_eq!(accept["offer"]["status"], "accepted");
    let state = &accept["game"];
    assert_eq!(state["status"], "finished");
    assert_eq!(
        state["position"],
        "0,0,0,0,0,0,0/0,0,0,0,0,0,0 49-49 - r1:S"
    );
    assert_eq!(state["offers"], json!([]));
    assert_eq!(state["result"]["winner"], "draw");
    assert_eq!(state["result"]["reason"], "loop");
    assert_eq!(state["result"]["ended_by"], Value::Null);
    assert_eq!(
        state["result"]["score"],
        json!({ "south": 49, "north": 49 })
    );
    let last = game.log().await.pop().unwrap();
    let facts = json!([
        last["kind"],
        last["reason"],
        last["by"],
        last["ply"],
        last["after_ply"]
    ]);
    assert_eq!(facts, json!(["end", "loop", null, 2, 1]));

    // Accepted again: the same, marked.
    for ply in [1, 2] {
        let again = game.south.post(&game.to("offers/1/accept"), &at(ply)).await;
        assert!(again.replayed());
        assert_eq!(again.expect(200)["offer"], accept["offer"]);
    }
    let declined = game.south.call(&game.to("offers/1/decline")).await;
    declined.problem(409, "game_over");
    assert_eq!(game.log().await.len(), 2);
    game.verified().await;
}

#[tokio::test]
async fn offers_that_come_to_nothing() {
    let server = Server::start().await;
    let game = Game::from(&server.api, "al-manqala", json!({}), CYCLE).await;
    let offers = game.to("offers");
    let first = game.south.post(&offers, &split()).await.expect(201);
    // The same offer again is the same offer.
    let again = game.south.post(&offers, &split()).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200)["offer"], first["offer"]);
    game.north
        .post(&offers, &split())
        .await
        .problem(409, "offer_open");
    for rest in ["offers/1/accept", "offers/1/decline"] {
        game.south
            .post(&game.to(rest), &at(0))
            .await
            .problem(409, "own_offer");
    }

    let declined = game.north.call(&game.to("offers/1/decline")).await;
    let declined = declined.expect(200);
    assert_eq!(declined["offer"]["status"], "declined");
    assert_eq!(declined["game"]["offers"], json!([]));
    assert_eq!(declined["game"]["ply"], 0);
    let again = game.north.call(&game.to("offers/1/decline")).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200)["offer"], declined["offer"]);
    let accept = game.north.post(&game.to("offers/1/accept"), &at(0)).await;
    accept.problem(409, "offer_closed");

    // A new one gets the next number; a ply makes it void.
    let second = game.north.post(&offers, &split()).await.expect(201);
    assert_eq!(second["offer"]["id"], 2);
    let state = game.play(&["s1"]).await.expect(201)["game"].clone();
    assert_eq!(state["offers"], json!([]));
    for ply in [0, 1] {
        let accept = game.south.post(&game.to("offers/2/accept"), &at(ply)).await;
        accept.problem(409, "offer_closed");
    }
    let decline = game.south.call(&game.to("offers/2/decline")).await;
    decline.problem(409, "offer_closed");

    // An offer is about the position that its maker saw.
    let old = json!({ "kind": "split", "after_ply": 0 });
    let stale = game
        .south
        .post(&offers, &old)
        .await
        .problem(409, "stale_ply");
    assert_eq!(stale["current_ply"], 1);
    let third = json!({ "kind": "split", "after_ply": 1 });
    let third = game.south.post(&offers, &third).await.expect(201);
    assert_eq!(third["offer"]["id"], 3);
    // A resignation makes it void as well.
    game.north.call(&game.to("resign")).await.expect(200);
    let accept = game.north.post(&game.to("offers/3/accept"), &at(2)).await;
    accept.problem(409, "game_over");
    let rows = server.db.rows(&game.id).await;
    let statuses: Vec<_> = rows["offers"].as_array().unwrap().iter().collect();
    let statuses: Vec<_> = statuses.iter().map(|offer| &offer["status"]).collect();
    assert_eq!(statuses, ["declined", "void", "void"]);
    game.verified().await;
}

#[tokio::test]
async fn only_al_manqala_knows_the_split() {
    let server = Server::start().await;
    for ruleset in ["congkak", "congkak-traditional", "congkak-arena"] {
        let game = Game::of(&server.api, ruleset).await;
        let refused = game.south.post(&game.to("offers"), &split()).await;
        let refused = refused.problem(409, "offer_impossible");
        let detail = "only in al-manqala may both seats agree to halve what circles";
        assert_eq!(refused["detail"], detail);
    }
}

/// Plays the forced cycle until the game ends; the plies it took.
async fn circle(game: &Game, most: u64) -> u64 {
    let vector = vector("edge-cases", "m13");
    let cycle = vector.choices.iter().filter_map(|choice| match choice {
        Choice::Sow { seat, house } => Some((*seat, *house)),
        _ => None,
    });
    for (ply, (seat, house)) in (0..most).zip(cycle.collect::<Vec<_>>().into_iter().cycle()) {
        let state = game.send(seat, ply, house).await.expect(201)["game"].clone();
        if state["status"] == "finished" {
            assert_eq!(state["result"]["reason"], "loop");
            assert_eq!(state["result"]["winner"], "draw");
            assert_eq!(
                state["position"],
                "0,0,0,0,0,0,0/0,0,0,0,0,0,0 49-49 - r1:S"
            );
            return ply + 1;
        }
    }
    most
}

#[tokio::test]
async fn the_second_occurrence_ends_it() {
    let server = Server::start().await;
    let game = Game::from(
        &server.api,
        "al-manqala",
        json!({ "loop_repeat": 2 }),
        CYCLE,
    )
    .await;
    assert_eq!(circle(&game, 100).await, 14);
    // The end lies in the sow row; no `end` row follows.
    assert_eq!(game.log().await.pop().unwrap()["kind"], "sow");
    game.verified().await;
}

#[tokio::test]
async fn the_third_occurrence_ends_it_by_default() {
    let server = Server::start().await;
    let game = Game::from(&server.api, "al-manqala", json!({}), CYCLE).await;
    assert_eq!(game.state().await["rules"]["loop_repeat"], 3);
    assert_eq!(circle(&game, 100).await, 28);
    game.verified().await;
}

#[tokio::test]
async fn without_the_rule_it_goes_on() {
    let server = Server::start().await;
    let rules = json!({ "loop_repeat": null });
    let game = Game::from(&server.api, "al-manqala", rules, CYCLE).await;
    assert_eq!(circle(&game, 60).await, 60);
    let state = game.state().await;
    assert_eq!(state["status"], "playing");
    game.south
        .post(&game.to("offers"), &split())
        .await
        .expect(201);
    let accept = game.north.post(&game.to("offers/1/accept"), &at(60)).await;
    assert_eq!(accept.expect(200)["game"]["result"]["reason"], "loop");
    game.verified().await;
}
