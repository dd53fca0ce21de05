//! Holidays against whatever happens at the same moment: one comes first, the other
//! sees it, and nothing is in middle.

use mancala_post::play::settle;
use serde_json::{Value, json};

use crate::support::backstage::somebody_waits;
use crate::support::follow::{game_of, player, step};
use crate::support::holidays::{
    BUDGET, DAY, away, back, budget_left, clock_of, leave, runs, still, told,
};
use crate::support::people::at_once;
use crate::support::process::Process;
use crate::support::{Ask, Clock, Game, Server};

fn by_the_minute() -> Value {
    json!({ "ruleset": "al-manqala", "clock": { "per_move": 60 } })
}

fn holiday(until: &str) -> Ask {
    Ask::new("PUT", "/v1/me/vacation").json(&json!({ "until": until }))
}

/// A deadline that passed before the holiday began is a timeout, and one that would
/// have passed after it is none.
#[tokio::test]
async fn against_a_timeout_in_either_order() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let late = game_of(&ana, &bo, by_the_minute()).await;
    step(&late).await;
    step(&late).await;
    clock.pass(30).await;
    let in_time = game_of(&ana, &bo, by_the_minute()).await;
    clock.pass(31).await;
    // Nobody has looked at the late game yet.
    leave(&ana, &clock.hence(DAY)).await;
    let state = late.state().await;
    assert_eq!(state["result"]["reason"], "timeout");
    assert_eq!(state["result"]["ended_by"], "south");
    assert_eq!(clock_of(&in_time, "south").await, still(29, 0));
    clock.pass(3600).await;
    settle::sweep(&server.db.pool()).await.unwrap();
    assert_eq!(in_time.state().await["status"], "playing");
    late.verified().await;
    in_time.verified().await;
}

/// As the time runs out a holiday begins: the game is lost, or it stands still with
/// what was left, and the log, the clock and the events agree on which.
#[tokio::test]
async fn against_a_timeout_at_once() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let process = Process::start(&server.db.url());
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let pool = server.db.pool();
    for round in 0..10 {
        let game = game_of(&ana, &bo, by_the_minute()).await;
        step(&game).await;
        step(&game).await;
        clock.pass(60).await;
        let until = clock.hence(DAY);
        let other = game.at(&process.url);
        let (answer, (), swept, seen) = tokio::join!(
            away(&ana, &until),
            clock.pass(1),
            settle::sweep(&pool),
            other.state(),
        );
        swept.unwrap();
        assert_eq!(answer.expect(200)["until"], until);
        assert_eq!(seen["id"], game.id.as_str());
        let state = game.state().await;
        let south = &state["clock"]["seats"]["south"];
        if state["status"] == "finished" {
            assert_eq!(state["result"]["reason"], "timeout", "{round}");
            assert_eq!(south["left"], Value::Null);
            assert!(told(&server.db, &game).await.is_empty());
        } else {
            assert_eq!(south["left"], 0, "{round}: {state}");
            assert_eq!(told(&server.db, &game).await.len(), 1);
        }
        game.verified().await;
        back(&ana).await;
        // Nothing is left for the next round's sweeps.
        game.south.call(&game.to("resign")).await;
    }
}

/// Somebody joins a game of hers as she goes, or she joins one: its clock stands
/// still in either order, for a join that began first as well.
#[tokio::test]
async fn against_games_that_start() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let body = |seat: &str| {
        json!({ "ruleset": "al-manqala", "clock": { "per_move": 60 }, "seat": seat,
                "opponent": { "open": true } })
    };
    for _ in 0..10 {
        let own = ana.post("/v1/games", &body("south")).await.expect(201);
        let his = bo.post("/v1/games", &body("north")).await.expect(201);
        let path = |made: &Value| format!("/v1/games/{}", made["game"]["id"].as_str().unwrap());
        let (own, his) = (path(&own), path(&his));
        let asks = [
            (ana.clone(), holiday(&clock.hence(DAY))),
            (bo.clone(), Ask::post(&format!("{own}/join"))),
            (ana.clone(), Ask::post(&format!("{his}/join"))),
            (ana.clone(), Ask::post("/v1/games").json(&body("north"))),
        ];
        for answer in at_once(asks).await {
            assert!(matches!(answer.status, 200 | 201), "{answer}");
        }
        for path in [own, his] {
            let state = server.api.get(&path).await.expect(200);
            assert_eq!(state["clock"]["seats"]["south"], still(60, 0));
            assert_eq!(state["paused"]["by"], "south");
        }
        back(&ana).await;
    }
}

/// A game that she has begun to make when the holiday begins: the holiday waits for
/// it, and stops its clock.
#[tokio::test]
async fn a_game_that_is_being_made() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let ana = player(&server.api, "ana").await;
    let mut db = server.db.connect().await;
    // Her new game waits, with its rows written, for this lock.
    let mut held = crate::support::backstage::hold(&mut db, "events").await;
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 60 }, "seat": "south" });
    let (api, until) = (ana.clone(), clock.hence(DAY));
    let making = tokio::spawn(async move { api.post("/v1/games", &body).await });
    somebody_waits(&mut held).await;
    let api = ana.clone();
    let leaving = tokio::spawn(async move { away(&api, &until).await });
    // Somebody waits for somebody who waits for this test.
    let two_wait = "select exists (select from pg_locks l \
                                   cross join unnest(pg_blocking_pids(l.pid)) middle \
                                   where not granted \
                                   and pg_backend_pid() = any(pg_blocking_pids(middle)))";
    while !sqlx::query_scalar::<_, bool>(two_wait)
        .fetch_one(&mut *held)
        .await
        .unwrap()
    {
        tokio::task::yield_now().await;
    }
    held.rollback().await.unwrap();
    let made = making.await.unwrap().expect(201);
    leaving.await.unwrap().expect(200);
    let path = format!("/v1/games/{}", made["game"]["id"].as_str().unwrap());
    let state = server.api.get(&path).await.expect(200);
    assert_eq!(state["clock"]["seats"]["south"], still(60, 0));
}

/// Two who play each other in many games go and come, move and look, at two
/// servers: no request fails, and at the end every clock has what it had.
#[tokio::test]
async fn many_at_once() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let process = Process::start(&server.db.url());
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let mut games: Vec<Game> = Vec::new();
    for number in 0..8 {
        games.push(match number % 2 {
            0 => game_of(&ana, &bo, by_the_minute()).await,
            _ => game_of(&bo, &ana, by_the_minute()).await,
        });
    }
    let mut asks = Vec::new();
    for number in 0..120 {
        let api = if number % 2 == 0 { &ana } else { &bo };
        let api = if number % 3 == 0 {
            api.at(&process.url)
        } else {
            api.clone()
        };
        asks.push((
            api,
            match number % 5 {
                0 | 1 => holiday(&clock.hence(DAY + i64::from(number))),
                2 => Ask::new("DELETE", "/v1/me/vacation"),
                3 => Ask::get(&games[number as usize % 8].path),
                _ => Ask::get("/v1/me"),
            },
        ));
    }
    for answer in at_once(asks).await {
        answer.is(200);
    }
    for api in [&ana, &bo] {
        assert_eq!(back(api).await["until"], Value::Null);
        // No time has passed: nothing is spent.
        assert_eq!(budget_left(api).await, BUDGET);
    }
    for game in &games {
        assert_eq!(clock_of(game, "south").await, runs(&clock, 60, 0));
        // Stood still and went on by turns.
        let moved = told(&server.db, game).await;
        assert!(moved.last().is_none_or(|last| last["until"].is_null()));
        game.verified().await;
    }
}

/// A move and the beginning of a holiday: the time for the next choice is whole.
#[tokio::test]
async fn against_moves() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    for _ in 0..8 {
        let game = game_of(&ana, &bo, by_the_minute()).await;
        clock.pass(20).await;
        let until = clock.hence(DAY);
        let (_, first, second) = tokio::join!(step(&game), away(&ana, &until), away(&bo, &until));
        first.is(200);
        second.is(200);
        let state = game.state().await;
        assert_eq!(state["clock"]["seats"]["north"], still(60, 0));
        assert_eq!(state["clock"]["seats"]["south"]["left"], Value::Null);
        back(&ana).await;
        back(&bo).await;
        assert_eq!(clock_of(&game, "north").await, runs(&clock, 60, 0));
        game.north.call(&game.to("resign")).await;
    }
}
