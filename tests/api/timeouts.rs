//! Times that have passed: who has lost, and that it is settled once, by whoever
//! looks first.

use mancala_post::play::settle;
use serde_json::{Value, json};

use crate::support::follow::{count, events, step, types};
use crate::support::process::Process;
use crate::support::{Answer, Api, Ask, Clock, Game, Server};

async fn clocked(api: &Api, ruleset: &str, per_move: i64, reserve: i64) -> Game {
    let clock = json!({ "per_move": per_move, "reserve": reserve });
    Game::create(api, &json!({ "ruleset": ruleset, "clock": clock })).await
}

/// A game in which both have chosen and south is to move within a minute.
async fn under_way(api: &Api) -> Game {
    let game = clocked(api, "al-manqala", 60, 0).await;
    step(&game).await;
    step(&game).await;
    game
}

/// The one `end` row of a game's log.
fn end_of(log: &[Value]) -> &Value {
    let ends: Vec<_> = log.iter().filter(|row| row["kind"] == "end").collect();
    assert_eq!(ends.len(), 1, "{log:?}");
    assert_eq!(Some(ends[0]), log.last());
    ends[0]
}

#[tokio::test]
async fn a_late_seat_loses() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = clocked(&server.api, "al-manqala", 60, 30).await;
    step(&game).await;
    step(&game).await;
    clock.pass(90).await;
    let state = game.state().await;
    assert_eq!(state["status"], "playing", "in its last second");
    clock.pass(1).await;
    let state = game.state().await;
    assert_eq!(state["status"], "finished");
    assert_eq!(state["to_move"], json!([]));
    let result = &state["result"];
    assert_eq!(result["winner"], "north");
    assert_eq!(result["reason"], "timeout");
    assert_eq!(result["ended_by"], "south");
    assert_eq!(result["ended_at"], clock.now());
    let stores = ["south", "north"].map(|seat| state["board"][seat]["store"].clone());
    assert_eq!(
        json!([result["score"]["south"], result["score"]["north"]]),
        json!(stores)
    );
    let log = game.log().await;
    let end = end_of(&log);
    assert_eq!(
        (&end["reason"], &end["by"], &end["source"]),
        (&json!("timeout"), &json!("south"), &json!("server"))
    );
    game.verified().await;
}

/// Who has not chosen yet cannot lose, and neither can win.
#[tokio::test]
async fn without_a_first_choice_it_is_called_off() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let untouched = clocked(&server.api, "congkak", 60, 0).await;
    let halfway = clocked(&server.api, "al-manqala", 60, 0).await;
    step(&halfway).await;
    let opening = clocked(&server.api, "congkak-traditional", 60, 0).await;
    let committed = clocked(&server.api, "congkak-traditional", 60, 0).await;
    committed.send("south", 0, 1).await.expect(202);
    clock.pass(61).await;
    for game in [&untouched, &halfway, &opening, &committed] {
        let state = game.state().await;
        assert_eq!(state["status"], "aborted", "{state}");
        assert_eq!(state["result"], Value::Null);
        let log = game.log().await;
        let end = end_of(&log);
        assert_eq!(
            (&end["reason"], &end["by"]),
            (&json!("aborted"), &Value::Null)
        );
        game.verified().await;
    }
    let rows = server.db.rows(&committed.id).await;
    assert_eq!(rows["commits"], json!([]), "a choice that nobody saw goes");
}

/// In an opening both may be late; or one alone, which has chosen before.
#[tokio::test]
async fn in_an_opening() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    // After these both owe another choice.
    let both = async |reserve: i64| {
        let body = json!({ "ruleset": "congkak-traditional", "rules": { "houses": 5, "max_rounds": 1 },
                           "clock": { "per_move": 60, "reserve": reserve } });
        let game = Game::create(&server.api, &body).await;
        let state = game.play(&["s3", "n3"]).await.expect(201)["game"].clone();
        assert_eq!(state["to_move"], json!(["south", "north"]));
        game
    };
    let (neither, one) = (both(0).await, both(0).await);
    one.play(&["n1"]).await;
    clock.pass(61).await;
    assert_eq!(neither.state().await["status"], "aborted");
    let state = one.state().await;
    assert_eq!(state["result"]["winner"], "north");
    assert_eq!(state["result"]["reason"], "timeout");
    assert_eq!(state["result"]["ended_by"], "south");
    neither.verified().await;
    one.verified().await;
}

/// Every write settles first, is refused, and leaves only the settlement.
#[tokio::test]
async fn whoever_comes_late() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    for call in ["moves", "resign", "abort", "offers"] {
        let game = under_way(&server.api).await;
        let state = game.state().await;
        clock.pass(61).await;
        let house = &state["legal_moves"][0]["house"];
        let body = match call {
            "moves" => json!({ "after_ply": 2, "house": house, "message": "sorry" }),
            "offers" => json!({ "kind": "split", "after_ply": 2 }),
            _ => json!({}),
        };
        for _ in 0..2 {
            let answer = game.south.post(&game.to(call), &body).await;
            answer.problem(409, "game_over");
        }
        let log = game.log().await;
        assert_eq!(log.len(), 3);
        assert_eq!(end_of(&log)["reason"], "timeout", "{call}");
        let rows = server.db.rows(&game.id).await;
        assert_eq!(rows["messages"], json!([]));
        assert_eq!(rows["offers"], json!([]));
        game.verified().await;
        server.db.place_events().await;
        let told = events(&game.south, "/v1/events").await;
        assert_eq!(types(&told).last(), Some(&"game.finished"));
        assert_eq!(count(&told, "game.finished"), 1);
        assert_eq!(count(&told, "move.played"), 2);
    }
    // What was played in time is still known, as a repetition.
    let game = under_way(&server.api).await;
    let house = game.log().await[0]["house"].as_u64().unwrap();
    clock.pass(61).await;
    let again = game.send("south", 0, house).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200)["game"]["status"], "finished");
}

#[tokio::test]
async fn a_sweep_settles_what_is_due_and_nothing_else() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let pool = server.db.pool();
    let due = [under_way(&server.api).await, under_way(&server.api).await];
    let later = clocked(&server.api, "al-manqala", 3600, 0).await;
    let before = server.db.rows(&later.id).await;
    assert_eq!(settle::sweep(&pool).await.unwrap(), 0);
    clock.pass(61).await;
    // Somebody has the first one just now.
    let mut db = server.db.connect().await;
    let lock = format!(
        "begin; select from games where game_id = '{}' for update",
        due[0].id
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(lock))
        .execute(&mut db)
        .await
        .unwrap();
    assert_eq!(settle::sweep(&pool).await.unwrap(), 1);
    let log = due[1].log().await;
    assert_eq!(end_of(&log)["reason"], "timeout");
    assert_eq!(due[0].log().await.len(), 2);
    sqlx::raw_sql("rollback").execute(&mut db).await.unwrap();
    assert_eq!(settle::sweep(&pool).await.unwrap(), 1);
    let log = due[0].log().await;
    assert_eq!(end_of(&log)["reason"], "timeout");
    assert_eq!(settle::sweep(&pool).await.unwrap(), 0);
    assert_eq!(server.db.rows(&later.id).await, before);
}

/// A game that cannot be read holds up no other.
#[tokio::test]
async fn a_sweep_passes_over_a_broken_game() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (broken, whole) = (under_way(&server.api).await, under_way(&server.api).await);
    let id = &broken.id;
    let break_it = format!("update games set position = 'nothing' where game_id = '{id}'");
    server.db.execute(&break_it).await;
    clock.pass(61).await;
    settle::sweep(&server.db.pool()).await.unwrap();
    assert_eq!(broken.log().await.len(), 2);
    assert_eq!(whole.log().await.len(), 3);
}

/// Reads, moves and sweeps at once, at two servers: one row, one event.
#[tokio::test]
async fn settled_exactly_once() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let process = Process::start(&server.db.url());
    for _ in 0..3 {
        let game = under_way(&server.api).await;
        let house = game.state().await["legal_moves"][0]["house"].clone();
        clock.pass(61).await;
        let mut running = Vec::new();
        for number in 0..24 {
            let game = match number % 2 {
                0 => game.at(&server.url),
                _ => game.at(&process.url),
            };
            let (house, pool) = (house.clone(), server.db.pool());
            running.push(tokio::spawn(async move {
                match number % 6 {
                    0 | 1 => Some(game.anyone.get(&game.path).await),
                    2 | 3 => {
                        let body = json!({ "after_ply": 2, "house": house });
                        let ask = Ask::post(&game.to("moves")).json(&body);
                        Some(game.south.ask(ask).await)
                    }
                    4 => {
                        settle::sweep(&pool).await.unwrap();
                        None
                    }
                    _ => {
                        let game_id = game.id.parse().unwrap();
                        settle::settle(&pool, game_id).await.unwrap();
                        None
                    }
                }
            }));
        }
        for answer in running {
            let Some(answer) = answer.await.unwrap() else {
                continue;
            };
            match answer.status {
                200 => assert_eq!(answer.json["result"]["reason"], "timeout"),
                _ => drop(answer.problem(409, "game_over")),
            }
        }
        let log = game.log().await;
        assert_eq!(log.len(), 3);
        assert_eq!(end_of(&log)["by"], "south");
        let told = format!(
            "select count(*) from events where game_id = '{}' and type = 'game.finished'",
            game.id
        );
        assert_eq!(server.db.number(&told).await, 1);
        game.verified().await;
    }
}

/// A move that comes as the time runs out is in time or not, and never both.
#[tokio::test]
async fn a_move_against_the_clock() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let pool = server.db.pool();
    for _ in 0..8 {
        let game = under_way(&server.api).await;
        let house = game.state().await["legal_moves"][0]["house"]
            .as_u64()
            .unwrap();
        clock.pass(60).await;
        let (answer, (), swept): (Answer, (), _) = tokio::join!(
            game.send("south", 2, house),
            clock.pass(1),
            settle::sweep(&pool)
        );
        swept.unwrap();
        let in_time = answer.status == 201;
        if !in_time {
            answer.problem(409, "game_over");
        }
        let state = game.state().await;
        let status = if in_time { "playing" } else { "finished" };
        assert_eq!(state["status"], status);
        assert_eq!(state["ply"], 3);
        game.verified().await;
        // Nothing is left for the next round's sweeps.
        game.south.call(&game.to("resign")).await;
    }
}
