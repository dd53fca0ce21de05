//! Games that end within a line of conditional moves, or with some waiting, and
//! servers that end between laying them down and playing them.

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use sqlx::PgConnection;

use crate::support::backstage::hold;
use crate::support::database::Database;
use crate::support::follow::{events, types};
use crate::support::lines::{drop_lines, lay, told, wait, waiting};
use crate::support::people::between;
use crate::support::process::Process;
use crate::support::{Api, Ask, Clock, Game, Person, Server};

/// Lays `line` down for both seats and plays its first ply by hand; the answer.
async fn all_of(game: &Game, line: &[u64]) -> Value {
    for api in [&game.south, &game.north] {
        lay(api, game, 0, json!([line])).await.expect(200);
    }
    game.send("south", 0, line[0]).await.expect(201)
}

/// Nothing is kept of any line, and nobody can lay down another.
async fn all_gone(server: &Server, game: &Game, ply: u64) {
    for api in [&game.south, &game.north] {
        assert_eq!(waiting(api, game).await, wait(ply, json!([])));
        let late = lay(api, game, ply, json!([[1]])).await;
        late.problem(409, "game_over");
        drop_lines(api, game).await.is(204);
    }
    assert_eq!(server.db.rows(&game.id).await["conditionals"], json!([]));
}

#[tokio::test]
async fn ends_within_a_chain() {
    let server = Server::start().await;
    // South has fifty in the end, in all of them.
    let cases = [
        (
            "1,0,1,1,0,0,1/1,1,0,0,0,0,0 46-46 S r1:S",
            vec![7, 2, 3],
            "majority",
            46,
        ),
        (
            "1,1,1,0,0,0,0/1,0,0,0,1,0,1 46-46 S r1:S",
            vec![3, 1, 2, 2, 3, 7],
            "starvation",
            48,
        ),
        (
            "0,0,1,0,1,2,1/1,0,0,0,0,0,0 46-46 S r1:S",
            vec![7, 6, 1, 3, 2, 7, 3, 5, 1, 4, 4, 5],
            "majority",
            46,
        ),
    ];
    for (start, line, reason, north) in cases {
        let game = Game::from(&server.api, "al-manqala", json!({}), start).await;
        let answer = all_of(&game, &line).await;
        assert_eq!(answer["row"]["ply"], 1);
        let state = &answer["game"];
        assert_eq!(state["ply"], line.len());
        assert_eq!(state["status"], "finished");
        let result = &state["result"];
        assert_eq!(
            (&result["winner"], &result["reason"]),
            (&json!("south"), &json!(reason))
        );
        assert_eq!(result["score"], json!({ "south": 50, "north": north }));
        assert_eq!(
            (&state["to_move"], &state["legal_moves"]),
            (&json!([]), &json!([]))
        );
        game.verified().await;
        all_gone(&server, &game, line.len() as u64).await;
        // The move that ended it, again.
        let again = game.send("south", 0, line[0]).await;
        assert!(again.replayed());
        assert_eq!(again.expect(200)["row"], answer["row"]);
        server.db.place_events().await;
        let all = events(&game.anyone, &game.to("events")).await;
        let mut expected = vec!["game.created", "game.started", "turn.started"];
        expected.extend(vec!["move.played"; line.len()]);
        expected.push("game.finished");
        assert_eq!(types(&all), expected);
    }
}

/// Repetitions count through a chain, with those by hand before it.
#[tokio::test]
async fn a_loop_within_a_chain() {
    let server = Server::start().await;
    let start = "1,0,0,0,0,0,0/1,0,0,0,0,0,0 48-48 S r1:S";
    let game = Game::from(&server.api, "al-manqala", json!({}), start).await;
    let cycle: Vec<u64> = (0..28).map(|ply| ply / 2 % 7 + 1).collect();
    // Five by hand.
    for (ply, house) in (0..5).zip(&cycle) {
        let seat = ["south", "north"][ply as usize % 2];
        game.send(seat, ply, *house).await.expect(201);
    }
    // The twenty-eighth ends it: a line that goes on is refused there.
    let mut beyond = cycle[5..].to_vec();
    beyond.push(1);
    let refused = lay(&game.north, &game, 5, json!([beyond])).await;
    let refused = refused.problem(422, "illegal_move");
    assert_eq!(refused["parameter"], "lines[0][23]");
    for api in [&game.south, &game.north] {
        lay(api, &game, 5, json!([cycle[5..]])).await.expect(200);
    }
    let answer = game.send("north", 5, 3).await.expect(201);
    assert_eq!(answer["game"]["ply"], 28);
    let result = &answer["game"]["result"];
    assert_eq!(
        (&result["winner"], &result["reason"]),
        (&json!("draw"), &json!("loop"))
    );
    assert_eq!(result["score"], json!({ "south": 49, "north": 49 }));
    game.verified().await;
    all_gone(&server, &game, 28).await;
}

/// No time runs any more, and the game ended when its last row was played.
#[tokio::test]
async fn a_game_by_a_clock_ends_within_a_chain() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let start = "1,0,1,1,0,0,1/1,1,0,0,0,0,0 46-46 S r1:S";
    let body = json!({ "ruleset": "al-manqala", "start": start, "clock": { "per_move": 600, "reserve": 60 } });
    let game = Game::create(&server.api, &body).await;
    let answer = all_of(&game, &[7, 2, 3]).await;
    let idle = json!({ "move_by": null, "deadline": null, "reserve_left": 60 });
    let seats = json!({ "south": idle, "north": idle });
    assert_eq!(answer["game"]["clock"]["seats"], seats);
    assert_eq!(answer["game"]["result"]["ended_at"], clock.now());
}

/// Ends of every other kind: what waits goes.
#[tokio::test]
async fn ends_that_no_ply_brings_about() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 600 } });
    let begun = async || {
        let game = Game::create(&server.api, &body).await;
        game.play(&["s1", "n1"]).await;
        for api in [&game.south, &game.north] {
            lay(api, &game, 2, json!([[2, 2, 3, 3]])).await.expect(200);
        }
        game
    };
    let game = begun().await;
    game.north.call(&game.to("resign")).await.expect(200);
    all_gone(&server, &game, 3).await;
    for kind in ["draw", "split"] {
        let game = begun().await;
        let offer = json!({ "kind": kind });
        game.north
            .post(&game.to("offers"), &offer)
            .await
            .expect(201);
        let accept = game.to("offers/1/accept");
        let accept = game.south.post(&accept, &json!({ "after_ply": 2 })).await;
        accept.expect(200);
        all_gone(&server, &game, 3).await;
    }
    let game = begun().await;
    clock.pass(601).await;
    assert_eq!(game.state().await["result"]["reason"], "timeout");
    all_gone(&server, &game, 3).await;
    // A line does not save a seat whose own turn it is: its time has passed.
    let game = begun().await;
    clock.pass(601).await;
    game.send("south", 2, 2).await.problem(409, "game_over");
    all_gone(&server, &game, 3).await;
    let game = Game::create(&server.api, &body).await;
    lay(&game.north, &game, 0, json!([[1, 1]]))
        .await
        .expect(200);
    game.south.call(&game.to("abort")).await.expect(200);
    all_gone(&server, &game, 1).await;
    // Played for it, it has chosen: the game cannot be called off any more.
    let game = Game::create(&server.api, &body).await;
    lay(&game.north, &game, 0, json!([[1, 1]]))
        .await
        .expect(200);
    game.send("south", 0, 1).await.expect(201);
    game.south
        .call(&game.to("abort"))
        .await
        .problem(409, "cannot_abort");
}

/// The owner leaves for good; so does the other.
#[tokio::test]
async fn a_player_leaves() {
    let server = Server::start().await;
    for leaver in ["south", "north"] {
        let names = [format!("ana-{leaver}"), format!("bo-{leaver}")];
        let ana = Person::new(&server.api, &names[0]).await;
        let bo = Person::new(&server.api, &names[1]).await;
        let running = between(&ana, &bo, "al-manqala", json!({})).await;
        running.play(&["s1", "n1"]).await;
        let begun = between(&ana, &bo, "al-manqala", json!({})).await;
        lay(&running.north, &running, 2, json!([[2, 2]]))
            .await
            .expect(200);
        lay(&begun.north, &begun, 0, json!([[1, 1]]))
            .await
            .expect(200);
        let leave = Ask::new("DELETE", "/v1/me");
        running.seat(leaver).ask(leave).await.is(204);
        for (game, status) in [(&running, "finished"), (&begun, "aborted")] {
            let state = server.api.get(&game.path).await.expect(200);
            assert_eq!(state["status"], status);
            assert_eq!(server.db.rows(&game.id).await["conditionals"], json!([]));
        }
    }
}

/// What was laid down stays laid down, however the server ends.
#[tokio::test]
async fn a_server_is_killed_between() {
    let db = Database::new().await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "al-manqala").await;
    let lines = json!([[1, 1, 2, 2, 3, 3], [5, 5]]);
    lay(&game.north, &game, 0, lines.clone()).await.expect(200);
    process.end_by(Signal::SIGKILL);

    let mut process = Process::start(&db.url());
    let game = game.at(&process.url);
    assert_eq!(waiting(&game.north, &game).await, wait(0, lines));
    let answer = game.send("south", 0, 1).await.expect(201);
    assert_eq!(answer["game"]["ply"], 2);
    process.end_by(Signal::SIGKILL);

    let process = Process::start(&db.url());
    let game = game.at(&process.url);
    assert_eq!(
        waiting(&game.north, &game).await,
        wait(2, json!([[2, 2, 3, 3]]))
    );
    let again = game.send("south", 0, 1).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200)["game"]["ply"], 2);
    game.play(&["s2", "s3"]).await;
    let log = game.log().await;
    assert_eq!(told(&log), ["s1", "n1*", "s2", "n2*", "s3", "n3*"]);
    game.verified().await;
}

/// Killed with a chain half written: nothing of it is there, and all that was laid
/// down is; the move, sent again, is played with its chain.
#[tokio::test]
async fn a_server_is_killed_within_a_chain() {
    let db = Database::new().await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "al-manqala").await;
    let lines = json!([[1, 1, 2, 2, 3, 3]]);
    for api in [&game.south, &game.north] {
        lay(api, &game, 0, lines.clone()).await.expect(200);
    }
    // The rows are written, the events of them are not.
    let mut other = db.connect().await;
    let mut held = hold(&mut other, "event_queue").await;
    let body = json!({ "after_ply": 0, "house": 1 });
    let (client, ask) = (game.south.clone(), Ask::post(&game.to("moves")).json(&body));
    let sent = tokio::spawn(async move { client.try_ask(ask).await });
    writes_events(&mut held).await;
    process.end_by(Signal::SIGKILL);
    held.rollback().await.unwrap();
    sent.await.unwrap().unwrap_err();

    let process = Process::start(&db.url());
    let game = game.at(&process.url);
    for api in [&game.south, &game.north] {
        assert_eq!(waiting(api, &game).await, wait(0, lines.clone()));
    }
    assert_eq!(game.log().await, Vec::<Value>::new());
    game.verified().await;
    let answer = game.send("south", 0, 1).await;
    assert!(!answer.replayed());
    assert_eq!(answer.expect(201)["game"]["ply"], 6);
    game.verified().await;
}

/// Returns when a chain waits to write its first event.
async fn writes_events(held: &mut PgConnection) {
    let waits = "select exists (select from pg_stat_activity \
                 where wait_event_type = 'Lock' and query like '%insert into events %' \
                   and pid <> pg_backend_pid())";
    loop {
        // What is seen of others stays as it is within a transaction.
        let anew = sqlx::query("select pg_stat_clear_snapshot()");
        anew.execute(&mut *held).await.unwrap();
        let waits = sqlx::query_scalar(waits).fetch_one(&mut *held).await;
        if waits.unwrap() {
            return;
        }
        tokio::task::yield_now().await;
    }
}
