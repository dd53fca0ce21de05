//! Pauses by agreement, begun past the interface, and what holidays do beside them.

use chrono::{DateTime, Utc};
use mancala_post::play::{PlayError, pause, settle, table};
use serde_json::{Value, json};
use sqlx::Connection;

use crate::support::follow::{game_of, player, step};
use crate::support::holidays::{DAY, back, clock_of, idle, leave, runs, still, told};
use crate::support::{Api, Clock, Game, Server};

/// Agrees on a pause for both seats; whether it could be.
async fn agree(server: &Server, clock: &Clock, game: &Game, until: Option<&str>) -> bool {
    let mut db = server.db.connect().await;
    let mut db = db.begin().await.unwrap();
    let tables = table::of_ids(&mut db, &[game.id.parse().unwrap()]).await;
    let mut table = tables.unwrap().pop().unwrap();
    let now: DateTime<Utc> = clock.now().parse().unwrap();
    let until = until.map(|until| until.parse().unwrap());
    match pause::check(&table, until, now) {
        Err(PlayError::OfferImpossible(_)) => return false,
        other => other.unwrap(),
    }
    pause::begin(&mut db, &mut table, until, now).await.unwrap();
    db.commit().await.unwrap();
    true
}

fn timed(per_move: i64, reserve: i64) -> Value {
    json!({ "ruleset": "al-manqala", "clock": { "per_move": per_move, "reserve": reserve } })
}

async fn two(server: &Server) -> (Api, Api) {
    (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    )
}

#[tokio::test]
async fn until_one_resumes() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = two(&server).await;
    let game = game_of(&ana, &bo, timed(3600, 60)).await;
    clock.pass(600).await;
    let before = game.anyone.get(&game.path).await.header("etag").to_owned();
    assert!(agree(&server, &clock, &game, None).await);
    assert!(!agree(&server, &clock, &game, None).await, "it is paused");
    let state = game.anyone.get(&game.path).await;
    assert_ne!(state.header("etag"), before);
    let state = state.expect(200);
    assert_eq!(state["paused"], json!({ "until": null, "by": "agreement" }));
    assert_eq!(state["clock"]["seats"]["south"], still(3000, 60));
    clock.pass(400 * DAY).await;
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 0);
    // A move in a pause: the next choice has its whole time, which stands still.
    step(&game).await;
    assert_eq!(clock_of(&game, "north").await, still(3600, 60));
    assert_eq!(clock_of(&game, "south").await, idle(60));
    for api in [&bo, &ana, &bo] {
        let state = api.call(&game.to("resume")).await.expect(200);
        assert_eq!(state["paused"], Value::Null);
        assert_eq!(state["clock"]["seats"]["north"], runs(&clock, 3600, 60));
    }
    let facts = told(&server.db, &game).await;
    assert_eq!(facts.len(), 2);
    let still = json!({ "seat": "south", "move_by": null, "deadline": null,
                        "cause": "pause", "until": null });
    assert_eq!(facts[0], still);
    assert_eq!(facts[1]["seat"], "north");
    assert_eq!(facts[1]["move_by"], clock.hence(3600));
    game.verified().await;
}

#[tokio::test]
async fn until_a_date() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = two(&server).await;
    let game = game_of(&ana, &bo, timed(3600, 60)).await;
    let until = clock.hence(DAY);
    assert!(!agree(&server, &clock, &game, Some(&clock.now())).await);
    assert!(!agree(&server, &clock, &game, Some(&clock.hence(365 * DAY + 1))).await);
    assert!(agree(&server, &clock, &game, Some(&until)).await);
    assert_eq!(
        game.state().await["paused"],
        json!({ "until": until, "by": "agreement" })
    );
    clock.pass(DAY + 10).await;
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 1);
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 0);
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 3590, 60));
    // Seen by a reader, and by a move that comes late.
    assert!(agree(&server, &clock, &game, Some(&clock.hence(100))).await);
    clock.pass(200).await;
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 3490, 60));
    assert!(agree(&server, &clock, &game, Some(&clock.hence(100))).await);
    clock.pass(100 + 3490 + 20).await;
    step(&game).await;
    assert_eq!(clock_of(&game, "south").await, idle(40));
    // The end of the game ends its pause.
    assert!(agree(&server, &clock, &game, Some(&clock.hence(100))).await);
    let state = ana.call(&game.to("resign")).await.expect(200);
    assert_eq!(state["paused"], Value::Null);
    clock.pass(200).await;
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 0);
    ana.call(&game.to("resume")).await.problem(409, "game_over");
    game.verified().await;
}

#[tokio::test]
async fn games_without_a_clock_or_a_start() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let (ana, bo) = two(&server).await;
    let game = game_of(&ana, &bo, json!({ "ruleset": "congkak" })).await;
    assert!(!agree(&server, &clock, &game, None).await);
    let body = json!({ "ruleset": "congkak", "seat": "south", "opponent": { "open": true } });
    let open = ana.post("/v1/games", &body).await.expect(201);
    let path = format!("/v1/games/{}/resume", open["game"]["id"].as_str().unwrap());
    ana.call(&path).await.problem(409, "not_started");
    bo.call(&path).await.problem(403, "not_seated");
}

/// A holiday within a pause, a pause within a holiday, and ends that nobody saw, in
/// both orders: the clock goes on as of the later end.
#[tokio::test]
async fn beside_holidays() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = two(&server).await;
    let pool = server.db.pool();
    // Ends of the holiday and of the pause, and which is begun first.
    for (holiday, paused, pause_first) in [
        (100, 300, true),
        (100, 300, false),
        (300, 100, true),
        (300, 100, false),
        (200, 200, true),
    ] {
        for look in ["read", "sweep", "in time"] {
            let game = game_of(&ana, &bo, timed(3600, 0)).await;
            clock.pass(600).await;
            let (away, until) = (clock.hence(holiday), clock.hence(paused));
            if pause_first {
                assert!(agree(&server, &clock, &game, Some(&until)).await);
                leave(&ana, &away).await;
            } else {
                leave(&ana, &away).await;
                assert!(agree(&server, &clock, &game, Some(&until)).await);
            }
            assert_eq!(clock_of(&game, "south").await, still(3000, 0));
            if look == "in time" {
                clock.pass(100).await;
                // One of them has ended at most.
                assert_eq!(clock_of(&game, "south").await, still(3000, 0));
                clock.pass(300).await;
            } else {
                clock.pass(400).await;
            }
            if look == "sweep" {
                settle::sweep(&pool).await.unwrap();
            }
            let later = 400 - holiday.max(paused);
            let case = format!("{holiday} {paused} {pause_first} {look}");
            assert_eq!(
                clock_of(&game, "south").await,
                runs(&clock, 3000 - later, 0),
                "{case}"
            );
            assert_eq!(told(&server.db, &game).await.len(), 2, "{case}");
            assert_eq!(settle::sweep(&pool).await.unwrap(), 0, "{case}");
            game.verified().await;
            ana.call(&game.to("resign")).await.expect(200);
        }
    }
}

/// Coming back ends no pause, and resuming no holiday.
#[tokio::test]
async fn one_does_not_end_the_other() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = two(&server).await;
    let game = game_of(&ana, &bo, timed(3600, 0)).await;
    clock.pass(600).await;
    leave(&ana, &clock.hence(DAY)).await;
    assert!(agree(&server, &clock, &game, None).await);
    clock.pass(60).await;
    back(&ana).await;
    assert_eq!(clock_of(&game, "south").await, still(3000, 0));
    assert_eq!(game.state().await["paused"]["by"], "agreement");
    leave(&ana, &clock.hence(DAY)).await;
    let state = bo.call(&game.to("resume")).await.expect(200);
    assert_eq!(state["paused"]["by"], "south");
    assert_eq!(state["clock"]["seats"]["south"], still(3000, 0));
    clock.pass(60).await;
    back(&ana).await;
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 3000, 0));
    // No clock has gone on or stood still in between.
    assert_eq!(told(&server.db, &game).await.len(), 2);
}

/// A pause ended, nobody looked, and a holiday begins: what has run in between is gone.
#[tokio::test]
async fn a_holiday_after_an_unseen_end() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = two(&server).await;
    let game = game_of(&ana, &bo, timed(3600, 0)).await;
    assert!(agree(&server, &clock, &game, Some(&clock.hence(100))).await);
    clock.pass(350).await;
    leave(&ana, &clock.hence(DAY)).await;
    assert_eq!(clock_of(&game, "south").await, still(3350, 0));
    clock.pass(DAY / 2).await;
    back(&ana).await;
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 3350, 0));
    // Stood still, went on, stood still, went on.
    assert_eq!(told(&server.db, &game).await.len(), 4);
}

/// A pause that ended while no server was there.
#[tokio::test]
async fn a_downtime_over_the_end() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = two(&server).await;
    let (long, running) = (
        game_of(&ana, &bo, timed(200_000, 0)).await,
        game_of(&ana, &bo, timed(300, 7200)).await,
    );
    clock.pass(900).await;
    for game in [&long, &running] {
        assert!(agree(&server, &clock, game, Some(&clock.hence(1000))).await);
    }
    clock.pass_without_servers(10_000).await;
    assert_eq!(clock_of(&long, "south").await, runs(&clock, 190_100, 0));
    assert_eq!(clock_of(&running, "south").await, runs(&clock, -600, 7200));
    let facts = told(&server.db, &running).await;
    let causes: Vec<&Value> = facts.iter().map(|facts| &facts["cause"]).collect();
    assert_eq!(causes, ["pause", "pause", "downtime"]);
}
