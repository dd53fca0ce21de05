//! Chains of conditional moves: extra turns, passes and rounds inside them, the cap
//! on one transaction, and what was played for a seat sent by hand.

use serde_json::json;

use crate::support::lines::{lay, told, wait, waiting};
use crate::support::{Game, Server};

/// Congkak from its start: south's `7 6 1 1` each earn an extra turn, `2` captures;
/// of north's `1 1 1` that follow the last one does.
const SOUTH_DONE: &str = "3,0,2,1,13,2,19/2,5,4,0,12,0,5 30-0 N r1:S";
const NORTH_DONE: &str = "5,2,12,6,0,4,0/0,3,2,10,0,1,8 30-15 S r1:S";

#[tokio::test]
async fn extra_turns_of_both_seats() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    // South's own line: after its own hand.
    lay(&game.south, &game, 0, json!([[7, 6, 1, 1, 2]]))
        .await
        .expect(200);
    let answer = game.send("south", 0, 7).await.expect(201);
    assert_eq!(
        (&answer["row"]["ply"], &answer["row"]["house"]),
        (&json!(1), &json!(7))
    );
    assert_eq!(answer["game"]["ply"], 5);
    assert_eq!(answer["game"]["position"], SOUTH_DONE);
    assert_eq!(answer["game"]["turn"], 2);
    game.verified().await;

    // North's has south's extra turns in it and its own.
    let game = Game::of(&server.api, "congkak").await;
    lay(&game.north, &game, 0, json!([[7, 6, 1, 1, 2, 1, 1, 1]]))
        .await
        .expect(200);
    for (ply, house) in (0..).zip([7, 6, 1, 1]) {
        let answer = game.send("south", ply, house).await.expect(201);
        assert_eq!(
            answer["game"]["ply"],
            ply + 1,
            "south's own choices are its own"
        );
    }
    assert_eq!(
        waiting(&game.north, &game).await,
        wait(4, json!([[2, 1, 1, 1]]))
    );
    let answer = game.send("south", 4, 2).await.expect(201);
    assert_eq!(answer["game"]["ply"], 8);
    assert_eq!(answer["game"]["position"], NORTH_DONE);
    let log = game.log().await;
    assert_eq!(
        told(&log),
        ["s7", "s6", "s1", "s1", "s2", "n1*", "n1*", "n1*"]
    );
    let extra: Vec<_> = log.iter().map(|row| row["extra_turn"] == true).collect();
    assert_eq!(extra, [true, true, true, true, false, true, true, false]);
    let turns: Vec<_> = log
        .iter()
        .map(|row| row["turn"].as_u64().unwrap())
        .collect();
    assert_eq!(turns, [1, 1, 1, 1, 1, 2, 2, 2]);
    game.verified().await;

    // Both in one.
    let game = Game::of(&server.api, "congkak").await;
    for api in [&game.south, &game.north] {
        let lines = json!([[7, 6, 1, 1, 2, 1, 1, 1]]);
        lay(api, &game, 0, lines).await.expect(200);
    }
    let answer = game.send("south", 0, 7).await.expect(201);
    assert_eq!(answer["game"]["ply"], 8);
    assert_eq!(answer["game"]["position"], NORTH_DONE);
    game.verified().await;
}

/// After a simultaneous opening, whose first choices are two rows: south's hand ended
/// in its store twice, so that it chose three times.
#[tokio::test]
async fn after_an_opening() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-traditional").await;
    let state = game.play(&["n5", "s7", "s3", "s1"]).await.expect(201)["game"].clone();
    let position = "7,4,6,2,0,14,0/9,22,2,6,4,3,1 15-3 N r1:N";
    assert_eq!(
        (&state["ply"], &state["position"]),
        (&json!(4), &json!(position))
    );
    for api in [&game.south, &game.north] {
        let lines = json!([[1, 1, 2, 1, 1, 2, 1, 2, 1, 3]]);
        lay(api, &game, 4, lines).await.expect(200);
    }
    let answer = game.send("north", 4, 1).await.expect(201);
    assert_eq!(
        (&answer["row"]["ply"], &answer["game"]["ply"]),
        (&json!(5), &json!(14))
    );
    let position = "0,1,0,12,0,6,4/1,5,0,15,0,2,0 35-17 N r1:N";
    assert_eq!(answer["game"]["position"], position);
    let rows = told(&game.log().await);
    let expected = [
        "s7", "n5", "s3", "s1", "n1", "n1*", "n2*", "n1*", "s1*", "s2*", "n1*", "s2*", "s1*", "s3*",
    ];
    assert_eq!(rows, expected);
    let past = format!("{}?at_ply=9", game.path);
    let past = game.anyone.get(&past).await.expect(200);
    let position = "0,4,0,9,7,3,1/3,3,8,12,5,9,5 16-13 S r1:N";
    assert_eq!(past["position"], position);
    game.verified().await;
}

/// South's `7` captures north's last pearl, which passes: south's line goes on.
#[tokio::test]
async fn a_pass_within_a_line() {
    let server = Server::start().await;
    let start = "0,0,1,0,1,2,1/1,0,0,0,0,0,0 46-46 S r1:S";
    let game = Game::from(&server.api, "al-manqala", json!({}), start).await;
    lay(&game.south, &game, 0, json!([[7, 6, 1, 3, 2, 7]]))
        .await
        .expect(200);
    lay(&game.north, &game, 0, json!([[7, 6, 1, 3, 2]]))
        .await
        .expect(200);
    let answer = game.send("south", 0, 7).await.expect(201);
    assert_eq!(answer["row"]["passed"], true);
    assert_eq!(answer["game"]["ply"], 6);
    let position = "0,0,0,1,1,0,0/1,0,1,0,0,0,0 48-46 N r1:S";
    assert_eq!(answer["game"]["position"], position);
    let log = game.log().await;
    assert_eq!(told(&log), ["s7", "s6*", "n1*", "s3*", "n2*", "s7*"]);
    let turns: Vec<_> = log
        .iter()
        .map(|row| row["turn"].as_u64().unwrap())
        .collect();
    assert_eq!(turns, [1, 2, 3, 4, 5, 6]);
    game.verified().await;
}

/// Congkak in rounds of one seed a house: `2 2 1` ends the first round, `2 2 1 4` the
/// second, `1` the third and the game. Houses burn, and confiscate.
#[tokio::test]
async fn lines_over_the_end_of_a_round() {
    let server = Server::start().await;
    let rules = json!({ "houses": 5, "seeds": 1, "max_rounds": 3, "burnt": "confiscate" });
    let body = json!({ "ruleset": "congkak", "rules": rules });
    let all = json!([[2, 2, 1, 2, 2, 1, 4, 1]]);
    let positions = [
        "0,0,2,0,2/0,2,0,0,0 4-0 N r1:S",
        "0,0,2,0,2/1,0,0,0,0 4-1 N r1:S",
        "1,1,1,1,1/1,1,x,x,x 3-0 N r2:N",
        "0,2,0,2,0/0,0,x,x,x 5-1 S r2:N",
        "1,0,0,2,0/0,0,x,x,x 6-1 S r2:N",
        "0,0,0,2,0/0,0,x,x,x 7-1 S r2:N",
        "1,1,1,1,1/1,x,x,x,x 4-0 N r3:N",
        "0,0,0,0,0/0,x,x,x,x 9-1 - r3:N",
    ];
    let game = Game::create(&server.api, &body).await;
    for api in [&game.south, &game.north] {
        lay(api, &game, 0, all.clone()).await.expect(200);
    }
    let answer = game.send("south", 0, 2).await.expect(201);
    let state = &answer["game"];
    assert_eq!((&state["ply"], &state["round"]), (&json!(8), &json!(3)));
    assert_eq!(state["result"]["winner"], "south");
    assert_eq!(state["result"]["reason"], "most_seeds");
    assert_eq!(state["rounds"].as_array().unwrap().len(), 3);
    let log = game.log().await;
    assert_eq!(
        told(&log),
        ["s2", "n2*", "n1*", "n2*", "s2*", "s1*", "s4*", "n1*"]
    );
    for (row, position) in log.iter().zip(positions) {
        assert_eq!(row["position"], position);
    }
    game.verified().await;

    // North's alone: its choice begins the second round, after its own last ply.
    let game = Game::create(&server.api, &body).await;
    lay(&game.north, &game, 0, all).await.expect(200);
    let answer = game.send("south", 0, 2).await.expect(201);
    assert_eq!(answer["game"]["ply"], 4);
    assert_eq!(answer["game"]["position"], positions[3]);
    assert_eq!(
        waiting(&game.north, &game).await,
        wait(4, json!([[2, 1, 4, 1]]))
    );
    game.play(&["s2", "s1"]).await;
    let answer = game.send("south", 6, 4).await.expect(201);
    assert_eq!(answer["game"]["status"], "finished");
    assert_eq!(answer["game"]["ply"], 8);
    game.verified().await;
}

/// The houses of the cycle of fourteen, `plies` of them from the start.
fn cycle(plies: usize) -> Vec<u64> {
    (0..plies).map(|ply| ply as u64 / 2 % 7 + 1).collect()
}

const CYCLE: &str = "1,0,0,0,0,0,0/1,0,0,0,0,0,0 48-48 S r1:S";

/// Fifty plies go with one move; the rest waits for the next.
#[tokio::test]
async fn fifty_at_once() {
    let server = Server::start().await;
    let rules = json!({ "loop_repeat": null });
    let game = Game::from(&server.api, "al-manqala", rules, CYCLE).await;
    let all = cycle(200);
    for api in [&game.south, &game.north] {
        lay(api, &game, 0, json!([all])).await.expect(200);
    }
    let mut ply = 0;
    for (seat, plies) in [("south", 51), ("north", 51), ("south", 51), ("north", 47)] {
        let house = cycle(200)[ply];
        let answer = game.send(seat, ply as u64, house).await.expect(201);
        assert_eq!(answer["row"]["ply"], ply + 1);
        ply += plies;
        assert_eq!(answer["game"]["ply"], ply);
        let left = match ply {
            200 => json!([]),
            _ => json!([all[ply..]]),
        };
        for api in [&game.south, &game.north] {
            assert_eq!(waiting(api, &game).await, wait(ply as u64, left.clone()));
        }
        // The answer again: fifty more do not go.
        let again = game.send(seat, ply as u64 - plies as u64, house).await;
        assert!(again.replayed());
        let again = again.expect(200);
        assert_eq!(again["row"], answer["row"]);
        assert_eq!(again["game"]["ply"], ply);
    }
    let log = game.log().await;
    assert_eq!(log.len(), 200);
    for (number, row) in (0..).zip(&log) {
        assert_eq!(
            (&row["ply"], &row["after_ply"]),
            (&json!(number + 1), &json!(number))
        );
        let sent = [0, 51, 102, 153].contains(&number);
        assert_eq!(row["source"], if sent { "player" } else { "conditional" });
    }
    game.verified().await;
}

/// The other's program, which knows nothing of its line, sends what was played for
/// it: that is no second move. Anything else comes too late.
#[tokio::test]
async fn what_was_played_for_a_seat_is_sent_by_hand() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    lay(&game.north, &game, 0, json!([[1, 1, 2, 2]]))
        .await
        .expect(200);
    let first = game.send("south", 0, 1).await.expect(201);
    assert_eq!(first["game"]["ply"], 2);
    let again = game.send("north", 1, 1).await;
    assert!(again.replayed());
    let again = again.expect(200);
    assert_eq!(
        (&again["row"]["ply"], &again["row"]["source"]),
        (&json!(2), &json!("conditional"))
    );
    assert_eq!(again["row"]["trace"][0]["from"], "n1");
    assert_eq!(again["game"]["ply"], 2);
    let stale = game.send("north", 1, 2).await.problem(409, "stale_ply");
    assert_eq!(stale["current_ply"], 2);
    // South's own, again.
    let again = game.send("south", 0, 1).await;
    assert!(again.replayed());
    let again = again.expect(200);
    assert_eq!(
        (&again["row"], &again["game"]["ply"]),
        (&first["row"], &json!(2))
    );
    assert_eq!(game.log().await.len(), 2);
    assert_eq!(waiting(&game.north, &game).await, wait(2, json!([[2, 2]])));
    game.verified().await;
}
