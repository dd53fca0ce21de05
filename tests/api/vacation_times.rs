//! Holidays that reach their end: whoever looks first, and whenever, the clock goes
//! on as of that end. Also when no server was there.

use mancala_post::play::settle;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::database::Database;
use crate::support::follow::{Reader, game_of, player, step};
use crate::support::holidays::{DAY, away, back, clock_of, idle, leave, runs, still, told};
use crate::support::process::Process;
use crate::support::server::Front;
use crate::support::{Api, Clock, Game, Server};

fn timed(per_move: i64, reserve: i64) -> Value {
    json!({ "ruleset": "al-manqala", "clock": { "per_move": per_move, "reserve": reserve } })
}

/// Ana, and a game with Bo in which it is her move.
async fn of_ana(api: &Api, body: Value) -> (Api, Game) {
    let ana = player(api, "ana").await;
    let bo = player(api, "bo").await;
    let game = game_of(&ana, &bo, body).await;
    (ana, game)
}

/// Read, moved, swept, asked for by her: seconds after the end all see the same.
#[tokio::test]
async fn whoever_looks_first() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, game) = of_ana(&server.api, timed(7200, 50)).await;
    let pool = server.db.pool();
    let mut left = 7200;
    for look in ["read", "sweep", "back", "again", "resume"] {
        leave(&ana, &clock.hence(DAY)).await;
        clock.pass(DAY - 1).await;
        assert_eq!(clock_of(&game, "south").await, still(left, 50), "{look}");
        assert_eq!(settle::sweep(&pool).await.unwrap(), 0);
        clock.pass(101).await;
        left -= 100;
        match look {
            "read" => drop(game.state().await),
            "sweep" => {
                assert_eq!(settle::sweep(&pool).await.unwrap(), 1);
                assert_eq!(settle::sweep(&pool).await.unwrap(), 0, "once");
            }
            "back" => drop(back(&ana).await),
            "again" => {
                // A new holiday, which begins now.
                leave(&ana, &clock.hence(60)).await;
                assert_eq!(clock_of(&game, "south").await, still(left, 50));
                back(&ana).await;
            }
            _ => drop(game.north.call(&game.to("resume")).await.expect(200)),
        }
        assert_eq!(
            clock_of(&game, "south").await,
            runs(&clock, left, 50),
            "{look}"
        );
        let present = "select count(*) from players where vacation_until is not null";
        assert_eq!(server.db.number(present).await, 0, "{look}");
    }
    // A move that comes after the end takes what has run since.
    leave(&ana, &clock.hence(DAY)).await;
    clock.pass(DAY + left + 20).await;
    step(&game).await;
    assert_eq!(clock_of(&game, "south").await, idle(30));
    game.verified().await;
}

/// What is late when the holiday's end is noticed was late by that end.
#[tokio::test]
async fn an_end_that_nobody_saw() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, game) = of_ana(&server.api, timed(3600, 0)).await;
    step(&game).await;
    step(&game).await;
    leave(&ana, &clock.hence(DAY)).await;
    clock.pass(DAY + 3600).await;
    assert_eq!(game.state().await["status"], "playing");
    clock.pass(1).await;
    let state = game.state().await;
    assert_eq!(state["result"]["reason"], "timeout");
    assert_eq!(state["result"]["ended_by"], "south");
    game.verified().await;
}

/// Twenty games end in one sweep, which then has nothing to do.
#[tokio::test]
async fn the_sweeper_does_not_spin() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let bo = player(&server.api, "bo").await;
    let mut games = Vec::new();
    for number in 0..20 {
        let ana = player(&server.api, &format!("ana-{number}")).await;
        games.push(game_of(&ana, &bo, timed(86_400, 0)).await);
        leave(&ana, &clock.hence(60)).await;
    }
    let pool = server.db.pool();
    clock.pass(61).await;
    // Somebody has one of the games just now: its player has to wait, nobody else.
    let mut db = server.db.connect().await;
    let lock = format!(
        "begin; select from games where game_id = '{}' for update",
        games[3].id
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(lock))
        .execute(&mut db)
        .await
        .unwrap();
    assert_eq!(settle::sweep(&pool).await.unwrap(), 19);
    assert_eq!(settle::sweep(&pool).await.unwrap(), 0);
    sqlx::raw_sql("rollback").execute(&mut db).await.unwrap();
    assert_eq!(settle::sweep(&pool).await.unwrap(), 1);
    assert_eq!(settle::sweep(&pool).await.unwrap(), 0);
    for game in &games {
        assert_eq!(clock_of(game, "south").await, runs(&clock, 86_399, 0));
        assert_eq!(told(&server.db, game).await.len(), 2);
    }
}

/// The end fell into a downtime: the clock goes on as of it, and is then moved as
/// any clock that the downtime hit; a reserve that was running stands still in it.
#[tokio::test]
async fn a_downtime_over_the_end() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, running) = of_ana(&server.api, timed(600, 7200)).await;
    let bo = player(&server.api, "cy").await;
    let (plain, long) = (
        game_of(&ana, &bo, timed(3600, 0)).await,
        game_of(&ana, &bo, timed(200_000, 0)).await,
    );
    clock.pass(900).await;
    leave(&ana, &clock.hence(1000)).await;
    assert_eq!(clock_of(&running, "south").await, still(-300, 7200));
    assert_eq!(clock_of(&plain, "south").await, still(2700, 0));
    assert_eq!(clock_of(&long, "south").await, still(199_100, 0));
    clock.pass_without_servers(10_000).await;
    // Its 2700 seconds ended in the downtime: it has as long as that lasted, but no
    // more than a move has.
    assert_eq!(clock_of(&plain, "south").await, runs(&clock, 3600, 0));
    // Of the time in which no server was there it took 9000 seconds.
    assert_eq!(clock_of(&long, "south").await, runs(&clock, 190_100, 0));
    assert_eq!(clock_of(&running, "south").await, runs(&clock, -300, 7200));
    let causes: Vec<Value> = told(&server.db, &running).await;
    let causes: Vec<&Value> = causes.iter().map(|facts| &facts["cause"]).collect();
    assert_eq!(causes, ["vacation", "vacation", "downtime"]);
    // One that lasts longer than the downtime is not touched by it.
    leave(&ana, &clock.hence(20_000)).await;
    clock.pass_without_servers(10_000).await;
    assert_eq!(clock_of(&long, "south").await, still(190_100, 0));
    assert_eq!(clock_of(&running, "south").await, still(-300, 7200));
    clock.pass_without_servers(10_000).await;
    assert_eq!(clock_of(&long, "south").await, runs(&clock, 190_100, 0));
    assert_eq!(clock_of(&running, "south").await, runs(&clock, -300, 7200));
    running.verified().await;
}

/// The first request after a downtime is a holiday: it stops what the downtime left.
#[tokio::test]
async fn a_holiday_after_a_downtime() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, game) = of_ana(&server.api, timed(600, 0)).await;
    clock.pass_without_servers(6000).await;
    leave(&ana, &clock.hence(DAY)).await;
    assert_eq!(clock_of(&game, "south").await, still(600, 0));
    clock.pass(60).await;
    back(&ana).await;
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 600, 0));
    game.verified().await;
}

/// Killed in the holiday and started again after it.
#[tokio::test]
async fn a_restart_in_between() {
    let db = Database::new().await;
    let mut clock = Clock::stop(&db).await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let (ana, game) = of_ana(&api, timed(86_400, 0)).await;
    clock.pass(400).await;
    let until = clock.hence(3600);
    leave(&ana, &until).await;
    process.end_by(Signal::SIGKILL);
    clock.pass_without_servers(30).await;

    let mut process = Process::start(&db.url());
    let (ana, game) = (ana.at(&process.url), game.at(&process.url));
    let state = game.state().await;
    assert_eq!(state["clock"]["seats"]["south"], still(86_000, 0));
    assert_eq!(state["paused"], json!({ "until": until, "by": "south" }));
    process.end_by(Signal::SIGKILL);
    clock.pass_without_servers(7200).await;

    let process = Process::start(&db.url());
    // Before it answers, it is done.
    let present = "select count(*) from players where vacation_until is not null";
    assert_eq!(db.number(present).await, 0);
    let (ana, game) = (ana.at(&process.url), game.at(&process.url));
    // The end was 3630 seconds ago.
    assert_eq!(
        clock_of(&game, "south").await,
        runs(&clock, 86_000 - 3630, 0)
    );
    let me = ana.get("/v1/me").await.expect(200)["vacation"].clone();
    assert_eq!(me["until"], Value::Null);
    assert_eq!(me["budget"]["left"], 30 * DAY - 3600);
    game.verified().await;
}

/// Two servers: what begins at one ends at the other, and the events are told.
#[tokio::test]
async fn at_two_servers() {
    let server = Server::start_with_loops().await;
    let mut clock = Clock::stop(&server.db).await;
    let other = Front::start_with_loops(crate::support::server::parts(&server.db)).await;
    let (ana, game) = of_ana(&server.api, timed(3600, 0)).await;
    let there = game.at(&other.url);
    let mut reader = Reader::new(&game.north, "/v1/events");
    leave(&ana, &clock.hence(DAY)).await;
    assert_eq!(clock_of(&there, "south").await, still(3600, 0));
    assert_eq!(back(&ana.at(&other.url)).await["until"], Value::Null);
    assert_eq!(clock_of(&game, "south").await, runs(&clock, 3600, 0));
    leave(&ana.at(&other.url), &clock.hence(60)).await;
    clock.pass(60).await;
    // The sweepers end it, one of them once.
    let moved = |seen: &[Value]| {
        let moved = seen
            .iter()
            .filter(|event| event["type"] == "deadline.moved");
        moved.count()
    };
    reader.until(|seen| moved(seen) == 4).await;
    assert_eq!(clock_of(&there, "south").await, runs(&clock, 3600, 0));
    let taken = away(&ana, &clock.hence(30 * DAY)).await;
    taken.problem(422, "vacation_budget");
    there.verified().await;
}
