//! Clocks: what may be asked for, when time runs, what a choice leaves of it. The
//! database's clock stands still but for what a test lets pass.

use serde_json::{Value, json};

use crate::support::follow::{game_of, player, step};
use crate::support::vectors::{Choice, Vector, vector};
use crate::support::{Clock, Game, Server};

/// What a seat's clock shows.
fn shown(move_by: Option<String>, deadline: Option<String>, reserve_left: i64) -> Value {
    json!({ "move_by": move_by, "deadline": deadline, "left": null, "reserve_left": reserve_left })
}

fn idle(reserve_left: i64) -> Value {
    shown(None, None, reserve_left)
}

async fn clocked(server: &Server, ruleset: &str, per_move: i64, reserve: i64) -> Game {
    let clock = json!({ "per_move": per_move, "reserve": reserve });
    Game::create(&server.api, &json!({ "ruleset": ruleset, "clock": clock })).await
}

#[tokio::test]
async fn what_may_be_asked_for() {
    let server = Server::start().await;
    let ask = async |clock: Value| {
        let body = json!({ "ruleset": "congkak", "clock": clock });
        server.api.post("/v1/games", &body).await
    };
    for (per_move, reserve) in [(60, 0), (2_592_000, 31_536_000)] {
        let clock = json!({ "per_move": per_move, "reserve": reserve });
        let game = ask(clock.clone()).await.expect(201)["game"].clone();
        assert_eq!(game["clock"]["per_move"], per_move);
        assert_eq!(game["clock"]["reserve"], reserve);
    }
    let game = ask(json!({ "per_move": 60 })).await.expect(201)["game"].clone();
    assert_eq!(game["clock"]["reserve"], 0);
    let game = ask(Value::Null).await.expect(201)["game"].clone();
    assert_eq!(game["clock"], Value::Null);
    for (clock, parameter) in [
        (json!({ "per_move": 59 }), "clock.per_move"),
        (json!({ "per_move": 2_592_001 }), "clock.per_move"),
        (json!({ "per_move": 0 }), "clock.per_move"),
        (json!({ "per_move": -60 }), "clock.per_move"),
        (json!({ "per_move": "60" }), "clock.per_move"),
        (json!({ "per_move": 60.5 }), "clock.per_move"),
        (json!({ "per_move": 1e12 }), "clock.per_move"),
        (json!({ "per_move": null }), "clock.per_move"),
        (json!({ "per_move": 60, "reserve": -1 }), "clock.reserve"),
        (
            json!({ "per_move": 60, "reserve": 31_536_001 }),
            "clock.reserve",
        ),
        (json!({ "per_move": 60, "reserve": "1" }), "clock.reserve"),
        (json!({ "per_move": 60, "increment": 1 }), "clock"),
        (json!({ "reserve": 60 }), "clock"),
        (json!({}), "clock"),
        (json!(3600), "clock"),
    ] {
        let problem = ask(clock.clone()).await.expect(400);
        let named = problem["parameter"].as_str().unwrap_or_default();
        assert!(named.starts_with(parameter), "{clock}: {problem}");
    }
}

#[tokio::test]
async fn time_runs_when_both_seats_are_filled() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let time = json!({ "per_move": 3600, "reserve": 60 });
    for opponent in [json!({ "open": true }), json!({ "player": "bo" })] {
        let body = json!({ "ruleset": "al-manqala", "clock": time, "seat": "south", "opponent": opponent });
        let created = ana.post("/v1/games", &body).await.expect(201);
        let path = format!("/v1/games/{}", created["game"]["id"].as_str().unwrap());
        assert_eq!(created["game"]["clock"]["seats"], Value::Null);
        clock.pass(7200).await;
        assert_eq!(
            ana.get(&path).await.expect(200)["clock"]["seats"],
            Value::Null
        );
        let joined = bo.call(&format!("{path}/join")).await.expect(200);
        let seats = joined["game"]["clock"]["seats"].clone();
        let south = shown(Some(clock.hence(3600)), Some(clock.hence(3660)), 60);
        assert_eq!(seats, json!({ "south": south, "north": idle(60) }));
    }
    // With both tokens in one hand it starts at once.
    let game = clocked(&server, "congkak-arena", 90, 0).await;
    let both = shown(Some(clock.hence(90)), Some(clock.hence(90)), 0);
    let seats = &game.created["game"]["clock"]["seats"];
    assert_eq!(seats, &json!({ "south": both, "north": both }));
    // A past state has no clock that runs.
    game.play(&["s1", "n1"]).await;
    let past = game.anyone.get(&format!("{}?at_ply=0", game.path)).await;
    let past = past.expect(200)["clock"].clone();
    assert_eq!(past, json!({ "per_move": 90, "reserve": 0, "seats": null }));
}

/// An extra turn keeps the time, moved out to a quarter at least.
#[tokio::test]
async fn extra_turns() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = clocked(&server, "congkak", 3600, 0).await;
    let move_by = clock.hence(3600);
    clock.pass(1000).await;
    let answer = game.play(&["s7"]).await.expect(201);
    assert_eq!(answer["row"]["extra_turn"], true);
    let south = &answer["game"]["clock"]["seats"]["south"];
    assert_eq!(south, &shown(Some(move_by.clone()), Some(move_by), 0));
    clock.pass(2000).await;
    let answer = game.play(&["s6"]).await.expect(201);
    assert_eq!(answer["row"]["extra_turn"], true);
    let quarter = clock.hence(900);
    let south = &answer["game"]["clock"]["seats"]["south"];
    assert_eq!(south, &shown(Some(quarter.clone()), Some(quarter), 0));
}

/// Two opening choices: a committed seat's clock stops, every choice has its time.
#[tokio::test]
async fn a_commit_stops_its_own_clock_alone() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = clocked(&server, "congkak-traditional", 600, 30).await;
    let (move_by, deadline) = (clock.hence(600), clock.hence(630));
    clock.pass(610).await;
    let answer = game.send("north", 0, 5).await.expect(202);
    let south = shown(Some(move_by), Some(deadline), 30);
    let seats = &answer["game"]["clock"]["seats"];
    assert_eq!(seats, &json!({ "south": south, "north": idle(20) }));
    assert_eq!(&game.state().await["clock"]["seats"], seats);
    clock.pass(5).await;
    let answer = game.send("south", 0, 7).await.expect(201);
    let state = &answer["game"];
    assert_eq!(state["to_move"], json!(["south"]));
    let south = shown(Some(clock.hence(600)), Some(clock.hence(615)), 15);
    let seats = json!({ "south": south, "north": idle(20) });
    assert_eq!(state["clock"]["seats"], seats);
}

/// What is left of the reserve goes with what is used of it.
#[tokio::test]
async fn the_reserve_is_used_up_by_the_excess() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = clocked(&server, "al-manqala", 60, 100).await;
    clock.pass(60).await;
    let state = step(&game).await["game"].clone();
    assert_eq!(state["clock"]["seats"]["south"], idle(100), "in time");
    clock.pass(90).await;
    let state = step(&game).await["game"].clone();
    assert_eq!(state["clock"]["seats"]["north"], idle(70));
    clock.pass(160).await;
    let state = step(&game).await["game"].clone();
    assert_eq!(state["clock"]["seats"]["south"], idle(0));
    let north = shown(Some(clock.hence(60)), Some(clock.hence(130)), 70);
    assert_eq!(state["clock"]["seats"]["north"], north);
    step(&game).await;
    let south = shown(Some(clock.hence(60)), Some(clock.hence(60)), 0);
    assert_eq!(game.state().await["clock"]["seats"]["south"], south);
    game.verified().await;
}

/// Plays a vector's game by a clock, with times that come and go, and holds every
/// state's clocks against the rule. How many of its rows were passes, extra turns,
/// and beginnings of a round.
async fn by_the_rule(server: &Server, clock: &mut Clock, vector: &Vector) -> [usize; 3] {
    const PER_MOVE: i64 = 400;
    let mut body = vector.creation();
    body["clock"] = json!({ "per_move": PER_MOVE, "reserve": 100_000 });
    let game = Game::create(&server.api, &body).await;
    let mut before = game.created["game"].clone();
    let mut seen = [0; 3];
    for (number, choice) in (0..).zip(&vector.choices) {
        let Choice::Sow { seat, house } = choice else {
            break;
        };
        clock.pass([20, 390, 0, 500][number % 4]).await;
        let ply = before["ply"].as_u64().unwrap();
        let answer = game.send(seat, ply, *house).await;
        let committed = answer.status == 202;
        let after = answer.json["game"].clone();
        let row = &answer.json["row"];
        let same_turn = before["status"] == "playing" && before["turn"] == after["turn"];
        seen[0] += usize::from(row["passed"] == true);
        seen[1] += usize::from(row["extra_turn"] == true && same_turn);
        seen[2] += usize::from(before["round"] != after["round"]);
        if row["passed"] == true || before["round"] != after["round"] {
            assert!(!same_turn, "a pass, a new round: a new turn");
        }
        for of in ["south", "north"] {
            let (old, new) = (&before["clock"]["seats"][of], &after["clock"]["seats"][of]);
            let left = |clock: &Clock| clock.until(old["move_by"].as_str().unwrap());
            let mut reserve = old["reserve_left"].as_i64().unwrap();
            if of == *seat {
                reserve -= (-left(clock)).max(0);
            }
            let owes = after["to_move"].as_array().unwrap().contains(&of.into());
            let expected = match owes {
                false => idle(reserve),
                true => {
                    let time = match () {
                        () if same_turn => left(clock).max(PER_MOVE / 4),
                        () if committed => left(clock),
                        () => PER_MOVE,
                    };
                    shown(
                        Some(clock.hence(time)),
                        Some(clock.hence(time + reserve)),
                        reserve,
                    )
                }
            };
            assert_eq!(
                new, &expected,
                "{of} after choice {number} of {}",
                vector.id
            );
        }
        before = after;
    }
    seen
}

#[tokio::test]
async fn whole_games_by_the_rule() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let mut seen = [0; 3];
    for (file, id) in [
        ("congkak", "congkak-5-5004"),
        ("congkak-traditional", "congkak-traditional-5-10008"),
        ("congkak-arena", "congkak-arena-5-15006"),
        ("al-manqala", "al-manqala-7-4024"),
        ("edge-cases", "m08"),
        ("edge-cases", "o03"),
        ("edge-cases", "o04"),
    ] {
        let found = by_the_rule(&server, &mut clock, &vector(file, id)).await;
        for (sum, found) in seen.iter_mut().zip(found) {
            *sum += found;
        }
    }
    assert!(seen.iter().all(|&seen| seen > 0), "{seen:?}");
}

/// Resigned, called off, agreed, won: no time runs any more.
#[tokio::test]
async fn the_end_stops_all_clocks() {
    let server = Server::start().await;
    let _clock = Clock::stop(&server.db).await;
    let stopped = async |game: &Game| {
        let state = game.state().await;
        let seats = json!({ "south": idle(5), "north": idle(5) });
        assert_eq!(state["clock"]["seats"], seats, "{state}");
        let running =
            "select count(*) from deadlines where num_nonnulls(move_by, deadline, near_at) > 0";
        assert_eq!(server.db.number(running).await, 0);
    };
    let game = clocked(&server, "congkak-arena", 600, 5).await;
    game.south.call(&game.to("resign")).await.expect(200);
    stopped(&game).await;
    let game = clocked(&server, "congkak-arena", 600, 5).await;
    game.north.call(&game.to("abort")).await.expect(200);
    stopped(&game).await;
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 600, "reserve": 5 },
                       "start": "0,0,0,0,0,1,0/0,0,0,0,0,0,1 48-48 S r1:S" });
    let game = Game::create(&server.api, &body).await;
    let offer = json!({ "kind": "split" });
    game.south
        .post(&game.to("offers"), &offer)
        .await
        .expect(201);
    let accept = json!({ "after_ply": 0 });
    let path = game.to("offers/1/accept");
    game.north.post(&path, &accept).await.expect(200);
    stopped(&game).await;
    let mut body = vector("edge-cases", "c06").creation();
    body["clock"] = json!({ "per_move": 600, "reserve": 5 });
    let game = Game::create(&server.api, &body).await;
    let state = game.play(&["s1"]).await.expect(201)["game"].clone();
    assert_eq!(state["status"], "finished");
    stopped(&game).await;
}

/// What waits for a player: the game that is lost first comes first, then those
/// without a clock, longest waiting first.
#[tokio::test]
async fn most_urgent_first() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let mut made = Vec::new();
    let body = |clock: Value| json!({ "ruleset": "congkak", "clock": clock });
    for time in [
        Value::Null,
        json!({ "per_move": 86400 }),
        json!({ "per_move": 600, "reserve": 90_000 }),
        Value::Null,
        json!({ "per_move": 3600 }),
        json!({ "per_move": 3600 }),
    ] {
        made.push(game_of(&ana, &bo, body(time)).await.id);
        clock.pass(1).await;
    }
    // Where the other seat is to move nothing waits.
    game_of(&bo, &ana, body(json!({ "per_move": 60 }))).await;
    // An invitation has no clock that runs.
    let invitation = json!({ "ruleset": "congkak", "clock": { "per_move": 60 }, "opponent": { "player": "ana" } });
    let invitation = bo.post("/v1/games", &invitation).await.expect(201);
    made.push(invitation["game"]["id"].as_str().unwrap().to_owned());
    let order = [4, 5, 1, 2, 0, 3, 6].map(|number| made[number].clone());
    for limit in [1, 2, 3, 200] {
        let mut path = format!("/v1/me/games?turn=mine&limit={limit}");
        let mut listed = Vec::new();
        loop {
            let page = ana.get(&path).await.expect(200);
            for game in page["items"].as_array().unwrap() {
                listed.push(game["id"].as_str().unwrap().to_owned());
            }
            let Some(next) = page["next_cursor"].as_str() else {
                break;
            };
            path = format!("/v1/me/games?turn=mine&limit={limit}&cursor={next}");
        }
        assert_eq!(listed, order, "{limit} a page");
    }
    let counts = &ana.get("/v1/me").await.expect(200)["games"];
    let expected = json!({ "my_turn": 6, "invitations": 1, "running": 7, "over": 0 });
    assert_eq!(counts, &expected);
}
