//! Holidays: whose clock stands still, in which games, with what, and that coming
//! back gives exactly that and never more.

use mancala_post::play::settle;
use serde_json::{Value, json};

use crate::support::follow::{events, game_of, player, step};
use crate::support::holidays::{DAY, away, back, clock_of, idle, leave, runs, still, told};
use crate::support::{Api, Clock, Game, Server};

/// Ana and Bo, and a game between them, Ana's move.
async fn two(server: &Server, body: Value) -> (Api, Api, Game) {
    let ana = player(&server.api, "ana").await;
    let bo = player(&server.api, "bo").await;
    let game = game_of(&ana, &bo, body).await;
    (ana, bo, game)
}

fn by_the_hour(reserve: i64) -> Value {
    json!({ "ruleset": "al-manqala", "clock": { "per_move": 3600, "reserve": reserve } })
}

#[tokio::test]
async fn a_clock_stands_still_and_goes_on() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo, game) = two(&server, by_the_hour(600)).await;
    clock.pass(1000).await;
    let before = game.anyone.get(&game.path).await;
    assert_eq!(before.json["paused"], Value::Null);
    assert_eq!(before.json["allow_vacation"], true);

    let until = clock.hence(5 * DAY);
    let year = json!({ "year": 2027, "seconds": 2_592_000, "left": 25 * DAY });
    let holiday = json!({ "until": until, "budget": year });
    assert_eq!(leave(&ana, &until).await, holiday);
    assert_eq!(ana.get("/v1/me").await.expect(200)["vacation"], holiday);
    let profile = bo.get("/v1/players/ana").await.expect(200);
    assert_eq!(profile["player"]["vacation_until"], until);
    for reader in [&ana, &bo, &server.api] {
        let state = reader.get(&game.path).await.expect(200);
        let seats = json!({ "south": still(2600, 600), "north": idle(600) });
        assert_eq!(state["clock"]["seats"], seats);
        assert_eq!(state["paused"], json!({ "until": until, "by": "south" }));
        assert_eq!(state["seats"]["south"]["vacation_until"], until);
        assert_eq!(state["seats"]["north"]["vacation_until"], Value::Null);
    }
    let frozen = game.anyone.get(&game.path).await;
    assert_ne!(frozen.header("etag"), before.header("etag"));

    clock.pass(3 * DAY).await;
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 0);
    assert_eq!(clock_of(&game, "south").await, still(2600, 600));
    let home = back(&ana).await;
    assert_eq!(home["until"], Value::Null);
    assert_eq!(home["budget"]["left"], 27 * DAY);
    let state = game.state().await;
    assert_eq!(state["clock"]["seats"]["south"], runs(&clock, 2600, 600));
    assert_eq!(state["paused"], Value::Null);
    assert_eq!(state["seats"]["south"]["vacation_until"], Value::Null);
    let back_at = clock.now();
    clock.pass(3200).await;
    assert_eq!(
        game.state().await["status"],
        "playing",
        "in its last second"
    );
    clock.pass(1).await;
    assert_eq!(
        game.state().await["status"],
        "aborted",
        "and no second more"
    );
    game.verified().await;

    server.db.place_events().await;
    for reader in [&ana, &bo] {
        let mut moved = events(reader, "/v1/events").await;
        moved.retain(|event| event["type"] == "deadline.moved");
        assert_eq!(moved.len(), 2);
        let facts = json!({ "seat": "south", "move_by": null, "deadline": null,
                            "cause": "vacation", "until": until });
        assert_eq!(moved[0]["data"]["facts"], facts);
        assert_eq!(moved[0]["data"]["deadline"], Value::Null);
        let line = "ana is on holiday until 2027-01-06 00:16 UTC: the clock stands still.";
        assert_eq!(moved[0]["data"]["summary"], line);
        assert_eq!(moved[1]["at"], back_at);
        assert_eq!(moved[1]["data"]["facts"]["until"], Value::Null);
        assert_eq!(moved[1]["data"]["facts"]["cause"], "vacation");
        let line = "ana is back: the clock runs again, until 2027-01-04 01:10 UTC.";
        assert_eq!(moved[1]["data"]["summary"], line);
    }
    // Told to both: the seat of each reader stands in `for`.
    let moved = events(&bo, "/v1/events").await;
    let moved = moved.iter().find(|event| event["type"] == "deadline.moved");
    assert_eq!(moved.unwrap()["for"], json!([{ "seat": "north" }]));
}

/// Going and coming back, as often as one likes, refills nothing.
#[tokio::test]
async fn no_holiday_refills_time() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, _, game) = two(&server, by_the_hour(600)).await;
    for round in 1..=20 {
        clock.pass(200).await;
        leave(&ana, &clock.hence(DAY)).await;
        clock.pass(round).await;
        back(&ana).await;
        // 18 rounds take the hour, two more run on the reserve.
        let expected = runs(&clock, 3600 - 200 * round, 600);
        assert_eq!(clock_of(&game, "south").await, expected, "{round}");
    }
    // Going and coming in the same second neither.
    for _ in 0..5 {
        leave(&ana, &clock.hence(DAY)).await;
        back(&ana).await;
    }
    assert_eq!(clock_of(&game, "south").await, runs(&clock, -400, 600));
    clock.pass(201).await;
    assert_eq!(game.state().await["status"], "aborted");
}

#[tokio::test]
async fn a_choice_that_comes_to_be_owed_meanwhile() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let ana = player(&server.api, "ana").await;
    let bo = player(&server.api, "bo").await;
    let game = game_of(&bo, &ana, by_the_hour(60)).await;
    clock.pass(100).await;
    let until = clock.hence(2 * DAY);
    leave(&ana, &until).await;
    // It is Bo's turn: his clock is not Ana's.
    let state = game.state().await;
    assert_eq!(state["clock"]["seats"]["south"], runs(&clock, 3500, 60));
    assert_eq!(state["paused"], Value::Null);
    assert_eq!(state["seats"]["north"]["vacation_until"], until);
    assert!(told(&server.db, &game).await.is_empty());
    clock.pass(500).await;
    step(&game).await;
    let state = game.state().await;
    assert_eq!(state["clock"]["seats"]["north"], still(3600, 60));
    assert_eq!(state["paused"], json!({ "until": until, "by": "north" }));
    clock.pass(DAY).await;
    back(&ana).await;
    assert_eq!(clock_of(&game, "north").await, runs(&clock, 3600, 60));
    step(&game).await;
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 3600, 60));
    game.verified().await;
}

#[tokio::test]
async fn a_running_reserve_stands_still() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, _, game) = two(&server, by_the_hour(600)).await;
    clock.pass(3900).await;
    leave(&ana, &clock.hence(DAY)).await;
    assert_eq!(clock_of(&game, "south").await, still(-300, 600));
    clock.pass(DAY / 2).await;
    back(&ana).await;
    assert_eq!(clock_of(&game, "south").await, runs(&clock, -300, 600));
    clock.pass(100).await;
    step(&game).await;
    assert_eq!(clock_of(&game, "south").await, idle(200));
    game.verified().await;
}

/// Moves can be made on holiday; they take what had run, and leave what they would.
#[tokio::test]
async fn moves_on_holiday() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let body = json!({ "ruleset": "congkak", "clock": { "per_move": 3600, "reserve": 600 } });
    let (ana, bo, game) = two(&server, body).await;
    clock.pass(1000).await;
    leave(&ana, &clock.hence(2 * DAY)).await;
    clock.pass(3000).await;
    let answer = game.play(&["s7"]).await.expect(201);
    assert_eq!(answer["row"]["extra_turn"], true);
    // The time for the turn goes on from where it stood.
    assert_eq!(answer["game"]["clock"]["seats"]["south"], still(2600, 600));
    back(&ana).await;
    clock.pass(3000).await;
    // 400 of the reserve have run.
    leave(&ana, &clock.hence(DAY)).await;
    assert_eq!(clock_of(&game, "south").await, still(-400, 600));
    let answer = game.play(&["s6"]).await.expect(201);
    assert_eq!(answer["row"]["extra_turn"], true);
    let south = &answer["game"]["clock"]["seats"]["south"];
    assert_eq!(
        south,
        &still(900, 200),
        "a quarter, and what is left beyond"
    );
    clock.pass(1000).await;
    back(&ana).await;
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 900, 200));
    // To the end of the turn, while the other one is away as well.
    leave(&bo, &clock.hence(DAY)).await;
    while game.state().await["to_move"] == json!(["south"]) {
        step(&game).await;
    }
    assert_eq!(clock_of(&game, "south").await, idle(200));
    assert_eq!(clock_of(&game, "north").await, still(3600, 600));
    game.verified().await;
}

#[tokio::test]
async fn another_end() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, _, game) = two(&server, by_the_hour(0)).await;
    leave(&ana, &clock.hence(2 * DAY)).await;
    clock.pass(DAY).await;
    let (later, earlier) = (clock.hence(3 * DAY), clock.hence(60));
    // The same end again changes nothing, and tells nothing.
    assert_eq!(leave(&ana, &later).await["until"], later);
    let tag = game.anyone.get(&game.path).await.header("etag").to_owned();
    let again = leave(&ana, &later).await;
    assert_eq!(again["budget"]["left"], 26 * DAY);
    assert_eq!(game.anyone.get(&game.path).await.header("etag"), tag);
    let change = leave(&ana, &earlier).await;
    assert_eq!(change["budget"]["left"], 29 * DAY - 60);
    assert_ne!(game.anyone.get(&game.path).await.header("etag"), tag);
    let ends: Vec<Value> = told(&server.db, &game).await;
    let ends: Vec<&Value> = ends.iter().map(|facts| &facts["until"]).collect();
    assert_eq!(
        ends,
        [&json!(clock.hence(DAY)), &json!(later), &json!(earlier)]
    );
    assert_eq!(clock_of(&game, "south").await, still(3600, 0));
    for past in [clock.now(), clock.hence(-1), clock.hence(-400 * DAY)] {
        let refused = away(&ana, &past).await.problem(400, "bad_request");
        assert_eq!(refused["parameter"], "until");
    }
    for malformed in ["tomorrow", "2027-01-05", ""] {
        let refused = away(&ana, malformed).await.problem(400, "bad_request");
        assert_eq!(refused["parameter"], "until");
    }
    assert_eq!(clock_of(&game, "south").await, still(3600, 0));
    clock.pass(60).await;
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 3600, 0));
    // Nobody is away any more: ending it again is nothing.
    for _ in 0..2 {
        assert_eq!(back(&ana).await["until"], Value::Null);
    }
    assert_eq!(told(&server.db, &game).await.len(), 4);
}

/// In an opening both may be away: the game waits for who is away longer.
#[tokio::test]
async fn both_are_away() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let body = json!({ "ruleset": "congkak-arena", "clock": { "per_move": 3600 } });
    let (ana, bo, game) = two(&server, body).await;
    clock.pass(600).await;
    let (short, long) = (clock.hence(DAY), clock.hence(2 * DAY));
    leave(&ana, &short).await;
    leave(&bo, &long).await;
    let seats = json!({ "south": still(3000, 0), "north": still(3000, 0) });
    let state = game.state().await;
    assert_eq!(state["clock"]["seats"], seats);
    assert_eq!(state["paused"], json!({ "until": long, "by": "north" }));
    // Bo commits his choice: now it waits for Ana.
    game.send("north", 0, 1).await.expect(202);
    let state = game.state().await;
    assert_eq!(state["clock"]["seats"]["north"], idle(0));
    assert_eq!(state["paused"], json!({ "until": short, "by": "south" }));
    game.send("south", 0, 1).await.expect(201);
    clock.pass(2 * DAY).await;
    let state = game.state().await;
    assert_eq!(state["paused"], Value::Null);
    game.verified().await;
}
