//! Holidays in games of every kind: those that allow none, that start meanwhile, that
//! wait for their turn in a list; and the player who leaves for good.

use mancala_post::play::settle;
use serde_json::{Value, json};

use crate::support::follow::{game_of, player, step};
use crate::support::holidays::{DAY, away, back, clock_of, leave, runs, still, told};
use crate::support::{Api, Ask, Clock, Game, Server};

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
async fn games_that_allow_no_holidays() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let mut body = by_the_hour(0);
    body["allow_vacation"] = json!(false);
    let (ana, bo, strict) = two(&server, body.clone()).await;
    body["allow_vacation"] = json!(true);
    let lenient = game_of(&ana, &bo, body.clone()).await;
    let timeless = game_of(&ana, &bo, json!({ "ruleset": "congkak" })).await;
    body["allow_vacation"] = json!("no");
    let refused = ana.post("/v1/games", &body).await.expect(400);
    assert_eq!(refused["parameter"], "allow_vacation");
    let until = clock.hence(DAY);
    leave(&ana, &until).await;
    let state = strict.state().await;
    assert_eq!(state["allow_vacation"], false);
    assert_eq!(state["clock"]["seats"]["south"], runs(&clock, 3600, 0));
    assert_eq!(state["paused"], Value::Null);
    assert!(told(&server.db, &strict).await.is_empty());
    assert_eq!(clock_of(&lenient, "south").await, still(3600, 0));
    // Who is away is told everywhere.
    for game in [&strict, &timeless] {
        let state = game.state().await;
        assert_eq!(state["seats"]["south"]["vacation_until"], until);
        assert_eq!(state["paused"], Value::Null);
    }
    clock.pass(3601).await;
    assert_eq!(strict.state().await["status"], "aborted");
    let over = strict.state().await;
    assert_eq!(over["seats"]["south"]["vacation_until"], Value::Null);
    assert_eq!(lenient.state().await["status"], "playing");
    clock.pass(DAY).await;
    let state = timeless.state().await;
    assert_eq!(state["seats"]["south"]["vacation_until"], Value::Null);
}

#[tokio::test]
async fn games_that_start_meanwhile() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let ana = player(&server.api, "ana").await;
    let bo = player(&server.api, "bo").await;
    let until = clock.hence(2 * DAY);
    leave(&ana, &until).await;
    // She made it, or she joins, or holds both seats' tokens.
    let made = game_of(&ana, &bo, by_the_hour(5)).await;
    let joined = game_of(
        &bo,
        &ana,
        json!({ "ruleset": "congkak-arena", "clock": { "per_move": 60 } }),
    )
    .await;
    let mut body = by_the_hour(5);
    body["seat"] = json!("south");
    let own = Game::create(&ana, &body).await;
    for game in [&made, &own] {
        assert_eq!(clock_of(game, "south").await, still(3600, 5));
        assert_eq!(
            game.state().await["paused"],
            json!({ "until": until, "by": "south" })
        );
    }
    let state = joined.state().await;
    let seats = json!({ "south": runs(&clock, 60, 0), "north": still(60, 0) });
    assert_eq!(state["clock"]["seats"], seats);
    assert_eq!(state["paused"], json!({ "until": until, "by": "north" }));
    back(&ana).await;
    assert_eq!(clock_of(&made, "south").await, runs(&clock, 3600, 5));
    assert_eq!(clock_of(&own, "south").await, runs(&clock, 3600, 5));
    assert_eq!(clock_of(&joined, "north").await, runs(&clock, 60, 0));
}

/// A clock that stands still has no time at which it is due.
#[tokio::test]
async fn in_the_list_of_what_waits() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo, first) = two(&server, by_the_hour(0)).await;
    let timeless = game_of(&ana, &bo, json!({ "ruleset": "congkak" })).await;
    clock.pass(60).await;
    let mut body = by_the_hour(0);
    body["allow_vacation"] = json!(false);
    let strict = game_of(&ana, &bo, body).await;
    clock.pass(60).await;
    let second = game_of(&ana, &bo, by_the_hour(0)).await;
    let order = async || {
        let page = ana.get("/v1/me/games?turn=mine").await.expect(200);
        let items = page["items"].as_array().unwrap().clone();
        let ids = items
            .iter()
            .map(|game| game["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let all = [&first, &strict, &second, &timeless].map(|game| game.id.clone());
    assert_eq!(order().await, all);
    leave(&ana, &clock.hence(DAY)).await;
    let all = [&strict, &first, &timeless, &second].map(|game| game.id.clone());
    assert_eq!(order().await, all);
    let counts = &ana.get("/v1/me").await.expect(200)["games"];
    assert_eq!(counts["my_turn"], 4);
}

/// That a quarter is left is told once: before the clock stands still, or after.
#[tokio::test]
async fn a_quarter_is_told_once() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let pool = server.db.pool();
    let (ana, bo, early) = two(&server, by_the_hour(0)).await;
    let near = async |game: &Game| {
        let told = "select count(*) from events where type = 'deadline.near'";
        let told = format!("{told} and game_id = '{}'", game.id);
        server.db.number(&told).await
    };
    clock.pass(2700).await;
    let late = game_of(&ana, &bo, by_the_hour(0)).await;
    // It was due, and no sweep came.
    leave(&ana, &clock.hence(DAY)).await;
    assert_eq!((near(&early).await, near(&late).await), (1, 0));
    clock.pass(3600).await;
    assert_eq!(settle::sweep(&pool).await.unwrap(), 0);
    back(&ana).await;
    assert_eq!(settle::sweep(&pool).await.unwrap(), 0);
    clock.pass(100).await;
    assert_eq!(settle::sweep(&pool).await.unwrap(), 0);
    step(&early).await;
    clock.pass(2600).await;
    assert_eq!(settle::sweep(&pool).await.unwrap(), 1);
    assert_eq!((near(&early).await, near(&late).await), (1, 1));
}

#[tokio::test]
async fn who_leaves_has_no_holidays() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo, game) = two(&server, by_the_hour(0)).await;
    step(&game).await;
    step(&game).await;
    leave(&ana, &clock.hence(DAY)).await;
    ana.ask(Ask::new("DELETE", "/v1/me")).await.expect(204);
    let state = bo.get(&game.path).await.expect(200);
    assert_eq!(state["result"]["reason"], "resignation");
    assert_eq!(state["paused"], Value::Null);
    assert_eq!(state["seats"]["south"]["vacation_until"], Value::Null);
    assert_eq!(server.db.number("select count(*) from vacations").await, 0);
    clock.pass(2 * DAY).await;
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 0);
    away(&ana, &clock.hence(DAY))
        .await
        .problem(401, "unauthorized");
}
