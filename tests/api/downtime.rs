//! Times in which no server was there: nobody's runs out in them, and nobody's
//! grows without need.

use mancala_post::play::settle;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::database::Database;
use crate::support::follow::{events, step};
use crate::support::process::Process;
use crate::support::{Api, Clock, Game, Server};

async fn clocked(api: &Api, per_move: i64, reserve: i64) -> Game {
    let clock = json!({ "per_move": per_move, "reserve": reserve });
    Game::create(api, &json!({ "ruleset": "al-manqala", "clock": clock })).await
}

/// Seconds from now until a seat's `move_by`.
fn left(clock: &Clock, state: &Value, seat: &str) -> i64 {
    let move_by = &state["clock"]["seats"][seat]["move_by"];
    clock.until(move_by.as_str().unwrap_or_else(|| panic!("{state}")))
}

async fn moved_events(db: &Database, game: &Game) -> i64 {
    let query = "select count(*) from events where type = 'deadline.moved'";
    db.number(&format!("{query} and game_id = '{}'", game.id))
        .await
}

/// Two hours without a server, and every place a `move_by` can have about them.
#[tokio::test]
async fn what_a_long_downtime_moves() {
    const GAP: i64 = 7200;
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    // Time for a move, and what must be left after the downtime if it was moved;
    // all have had 1000 seconds before it.
    let cases = [
        (1001, Some(1001)),
        (5000, Some(5000)),
        (1000 + GAP, Some(GAP)),
        (1000 + GAP + 3599, Some(GAP)),
        (1000 + GAP + 3601, None),
        (2_592_000, None),
    ];
    let mut games = Vec::new();
    for (per_move, _) in cases {
        games.push(clocked(&server.api, per_move, 50).await);
    }
    // It was over its time before the downtime, and is in its reserve.
    let before = clocked(&server.api, 900, 100_000).await;
    let stateless = Game::of(&server.api, "al-manqala").await;
    clock.pass(970).await;
    let short = clocked(&server.api, 60, 0).await;
    clock.pass(30).await;
    let tag = async |game: &Game| {
        let answer = game.anyone.get(&game.path).await;
        answer.header("etag").to_owned()
    };
    let (first_tag, last_tag) = (tag(&games[0]).await, tag(&games[5]).await);
    clock.pass_without_servers(GAP).await;
    // The first request is answered by what comes of it.
    for ((per_move, moved), game) in cases.iter().zip(&games) {
        let state = game.state().await;
        let expected = moved.unwrap_or(per_move - 1000 - GAP);
        assert_eq!(left(&clock, &state, "south"), expected, "{per_move}");
        let south = &state["clock"]["seats"]["south"];
        let deadline = clock.until(south["deadline"].as_str().unwrap());
        assert_eq!(
            (deadline, &south["reserve_left"]),
            (expected + 50, &json!(50))
        );
        assert_eq!(state["clock"]["seats"]["north"]["move_by"], Value::Null);
        let events = moved_events(&server.db, game).await;
        assert_eq!(events, i64::from(moved.is_some()), "{per_move}");
    }
    assert_ne!(tag(&games[0]).await, first_tag);
    assert_eq!(tag(&games[5]).await, last_tag);
    let state = short.state().await;
    assert_eq!(left(&clock, &state, "south"), 60, "a minute is a minute");
    let state = before.state().await;
    // A reserve that was running stands still meanwhile.
    assert_eq!(left(&clock, &state, "south"), 900 - 1000);
    assert_eq!(moved_events(&server.db, &before).await, 1);
    assert_eq!(moved_events(&server.db, &stateless).await, 0);
    // Once: neither a later look nor another beat moves anything again.
    settle::beat(&server.db.pool()).await.unwrap();
    settle::sweep(&server.db.pool()).await.unwrap();
    assert_eq!(moved_events(&server.db, &games[0]).await, 1);
    server.db.place_events().await;
    let told = events(&games[0].south, "/v1/events").await;
    let event = told.iter().find(|event| event["type"] == "deadline.moved");
    let event = event.unwrap();
    assert_eq!(event["for"], json!([{ "seat": "south" }]));
    let facts = json!({ "seat": "south", "move_by": clock.hence(1001),
                        "deadline": clock.hence(1051), "cause": "downtime", "until": null });
    assert_eq!(event["data"]["facts"], facts);
    assert_eq!(event["data"]["deadline"], clock.hence(1051));
    for game in games {
        game.verified().await;
    }
}

/// A short one gives an hour, where a move has as much.
#[tokio::test]
async fn what_a_short_downtime_moves() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let cases = [
        (60, 60),
        (61, 61),
        (100, 100),
        (3600, 3600),
        (3661, 3600),
        (3662, 3601),
    ];
    let mut games = Vec::new();
    for (per_move, _) in cases {
        games.push(clocked(&server.api, per_move, 0).await);
    }
    clock.pass_without_servers(61).await;
    for ((per_move, expected), game) in cases.into_iter().zip(&games) {
        let state = game.state().await;
        assert_eq!(state["status"], "playing", "{per_move}");
        assert_eq!(left(&clock, &state, "south"), expected, "{per_move}");
    }
}

#[tokio::test]
async fn a_minute_is_no_downtime() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (short, long) = (
        clocked(&server.api, 60, 0).await,
        clocked(&server.api, 90, 0).await,
    );
    clock.pass_without_servers(60).await;
    settle::beat(&server.db.pool()).await.unwrap();
    assert_eq!(left(&clock, &short.state().await, "south"), 0);
    assert_eq!(left(&clock, &long.state().await, "south"), 30);
    clock.pass_without_servers(1).await;
    assert_eq!(short.state().await["status"], "aborted");
    assert_eq!(
        server
            .db
            .number("select count(*) from events where type = 'deadline.moved'")
            .await,
        0
    );
}

/// Both seats of an opening are moved, a committed one has no time to move.
#[tokio::test]
async fn in_an_opening() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let body = json!({ "ruleset": "congkak-arena", "clock": { "per_move": 600 } });
    let (both, one) = (
        Game::create(&server.api, &body).await,
        Game::create(&server.api, &body).await,
    );
    one.send("north", 0, 1).await.expect(202);
    clock.pass_without_servers(700).await;
    let state = both.state().await;
    assert_eq!(left(&clock, &state, "south"), 600);
    assert_eq!(left(&clock, &state, "north"), 600);
    assert_eq!(moved_events(&server.db, &both).await, 2);
    let state = one.state().await;
    assert_eq!(left(&clock, &state, "south"), 600);
    assert_eq!(state["clock"]["seats"]["north"]["move_by"], Value::Null);
    assert_eq!(moved_events(&server.db, &one).await, 1);
}

/// A choice that comes first after a downtime has the time that it gave.
#[tokio::test]
async fn a_move_as_the_first_request() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = clocked(&server.api, 600, 0).await;
    let other = clocked(&server.api, 7200, 0).await;
    clock.pass_without_servers(6000).await;
    let house = game.created["game"]["legal_moves"][0]["house"]
        .as_u64()
        .unwrap();
    game.send("south", 0, house).await.expect(201);
    assert_eq!(moved_events(&server.db, &game).await, 1);
    assert_eq!(left(&clock, &other.state().await, "south"), 6000);
    // A game in its time is not shown before the downtime is dealt with.
    clock.pass_without_servers(5000).await;
    let seen = step(&other).await;
    assert_eq!(moved_events(&server.db, &other).await, 2);
    assert_eq!(left(&clock, &seen["game"], "north"), 7200);
}

/// Many look at once: the downtime is dealt with once.
#[tokio::test]
async fn many_at_once() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let mut games = Vec::new();
    for _ in 0..5 {
        games.push(clocked(&server.api, 600, 0).await);
    }
    clock.pass_without_servers(6000).await;
    let mut running = Vec::new();
    for number in 0..30 {
        let (api, path) = (
            games[number % 5].anyone.clone(),
            games[number % 5].path.clone(),
        );
        let pool = server.db.pool();
        running.push(tokio::spawn(async move {
            match number % 3 {
                0 => settle::beat(&pool).await.unwrap(),
                1 => drop(settle::sweep(&pool).await.unwrap()),
                _ => drop(api.get(&path).await.expect(200)),
            }
        }));
    }
    for task in running {
        task.await.unwrap();
    }
    for game in &games {
        assert_eq!(moved_events(&server.db, game).await, 1);
        assert_eq!(left(&clock, &game.state().await, "south"), 600);
    }
}

/// The program stopped and started again: before it answers, times are moved.
#[tokio::test]
async fn the_program_was_stopped() {
    let db = Database::new().await;
    let mut clock = Clock::stop(&db).await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let (minute, day) = (clocked(&api, 60, 0).await, clocked(&api, 86_400, 0).await);
    clock.pass(20).await;
    assert!(process.end_by(Signal::SIGTERM).success());
    clock.pass_without_servers(90_000).await;
    let mut process = Process::start(&db.url());
    // It is ready: whatever looks at the database sees it done.
    for (game, expected) in [(&minute, 60), (&day, 86_400)] {
        assert_eq!(moved_events(&db, game).await, 1);
        let state = game.at(&process.url).state().await;
        assert_eq!(left(&clock, &state, "south"), expected);
    }
    // Killed and started again at once nothing is moved.
    clock.pass(10).await;
    process.end_by(Signal::SIGKILL);
    clock.pass_without_servers(45).await;
    let process = Process::start(&db.url());
    let state = day.at(&process.url).state().await;
    assert_eq!(left(&clock, &state, "south"), 86_400 - 55);
    assert_eq!(moved_events(&db, &day).await, 1);
    let state = minute.at(&process.url).state().await;
    assert_eq!(left(&clock, &state, "south"), 5);
}
