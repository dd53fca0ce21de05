//! Takebacks and time: whoever owes a choice after one has the whole time for it,
//! and nobody is late for a time that was taken back.

use serde_json::{Value, json};

use crate::support::holidays::{clock_of, idle, runs};
use crate::support::offers::taken_back;
use crate::support::people::between;
use crate::support::{Clock, Game, Person, Server};

async fn timed(server: &Server, ruleset: &str) -> Game {
    let clock = json!({ "per_move": 3600, "reserve": 600 });
    Game::create(&server.api, &json!({ "ruleset": ruleset, "clock": clock })).await
}

#[tokio::test]
async fn whoever_owes_a_choice_has_the_whole_time() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = timed(&server, "al-manqala").await;
    clock.pass(3000).await;
    game.play(&["s1"]).await.expect(201);
    clock.pass(3500).await;
    // North, with a hundred seconds left, agrees that south takes its ply back.
    taken_back(&game, "south", 0).await;
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 3600, 600));
    assert_eq!(clock_of(&game, "north").await, idle(600));
    // The time that north had is over for nobody.
    clock.pass(3599).await;
    assert_eq!(game.state().await["status"], "playing");
    game.play(&["s2"]).await.expect(201);
    assert_eq!(clock_of(&game, "north").await, runs(&clock, 3600, 600));
}

/// A reserve that was used up stays used up: a takeback gives none back.
#[tokio::test]
async fn it_refills_no_reserve() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = timed(&server, "al-manqala").await;
    clock.pass(3700).await;
    game.play(&["s1"]).await.expect(201);
    clock.pass(3850).await;
    taken_back(&game, "north", 0).await;
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 3600, 500));
    assert_eq!(clock_of(&game, "north").await, idle(350));
    // Late after it is late.
    clock.pass(3600 + 501).await;
    let state = game.state().await;
    assert_eq!(state["result"]["reason"], "timeout");
    assert_eq!(state["result"]["ended_by"], "south");
    game.verified().await;
}

/// Part of a chain of extra turns: the turn is owed anew, and told so.
#[tokio::test]
async fn a_turn_is_told_again() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = (
        Person::new(&server.api, "ana").await,
        Person::new(&server.api, "bo").await,
    );
    let fields = json!({ "seat": "south", "clock": { "per_move": 3600 } });
    let game = between(&ana, &bo, "congkak", fields).await;
    game.play(&["s7", "s6"]).await.expect(201);
    clock.pass(1000).await;
    taken_back(&game, "south", 1).await;
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 3600, 0));
    server.db.place_events().await;
    let page = ana.api.get("/v1/events?after=0").await.expect(200);
    let told = |event: &Value| (event["type"].clone(), event["ply"].clone());
    let told: Vec<_> = page["items"].as_array().unwrap().iter().map(told).collect();
    let expected = [
        ("game.created", 0),
        ("game.started", 0),
        ("turn.started", 0),
        ("move.played", 1),
        ("move.played", 2),
        ("offer.made", 2),
        ("offer.answered", 3),
        ("turn.started", 3),
    ];
    assert_eq!(told, expected.map(|(kind, ply)| (json!(kind), json!(ply))));
    let answered = &page["items"][6]["data"]["facts"];
    assert_eq!(answered["to_ply"], 1);
}
