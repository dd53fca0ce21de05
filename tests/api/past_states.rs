//! `?at_ply=`: the state after each row of the log, the rows of a pair included.

use serde_json::{Value, json};

use crate::support::vectors::{Choice, Vector, vector};
use crate::support::{Game, Server};

/// Plays a vector and gathers what each state showed when it was the present one.
async fn played(server: &Server, vector: &Vector) -> (Game, Vec<Value>) {
    let game = Game::create(&server.api, &vector.creation()).await;
    let mut states = vec![game.created["game"].clone()];
    for choice in &vector.choices {
        let ply = states.last().unwrap()["ply"].as_u64().unwrap();
        let state = match choice {
            Choice::Sow { seat, house } => {
                let answer = game.send(seat, ply, *house).await;
                if answer.status == 202 {
                    continue;
                }
                answer.expect(201)["game"].clone()
            }
            Choice::Resign { seat } => {
                let answer = game.seat(seat).call(&game.to("resign")).await;
                answer.expect(200)
            }
            Choice::Split => unreachable!(),
        };
        states.push(state);
    }
    (game, states)
}

/// What a past state does not show: the names of choices and other buttons. When it
/// was read.
fn as_past(mut state: Value) -> Value {
    for legal in state["legal_moves"].as_array_mut().unwrap() {
        legal.as_object_mut().unwrap().remove("action");
    }
    for other in ["server_time", "actions"] {
        state.as_object_mut().unwrap().remove(other);
    }
    state
}

async fn every_ply(file: &str, id: &str) {
    let server = Server::start().await;
    let vector = vector(file, id);
    let (game, states) = played(&server, &vector).await;
    let last = states.last().unwrap()["ply"].as_u64().unwrap();
    for ply in 0..=last {
        // The first row of a pair shows the state after the second.
        let expected = states
            .iter()
            .find(|state| state["ply"].as_u64() >= Some(ply));
        let expected = expected.unwrap().clone();
        let path = format!("{}?at_ply={ply}", game.path);
        let found = game.anyone.get(&path).await.expect(200);
        if ply < last {
            for legal in found["legal_moves"].as_array().unwrap() {
                assert_eq!(legal.get("action"), None);
            }
            assert_eq!(found["actions"], Value::Null);
        }
        assert_eq!(as_past(found), as_past(expected), "{id} at {ply}");
    }
    for beyond in [last + 1, last + 2, 1 << 40] {
        let path = format!("{}?at_ply={beyond}", game.path);
        let problem = game.anyone.get(&path).await.problem(404, "unknown_ply");
        assert!(
            problem["detail"]
                .as_str()
                .unwrap()
                .contains(&beyond.to_string())
        );
    }
}

#[tokio::test]
async fn of_a_game_in_one_round() {
    every_ply("congkak", "congkak-5-5004").await;
}

#[tokio::test]
async fn of_a_series_with_a_simultaneous_opening() {
    every_ply("congkak-traditional", "congkak-traditional-5-10008").await;
}

#[tokio::test]
async fn of_al_manqala() {
    every_ply("al-manqala", "al-manqala-7-4024").await;
}

#[tokio::test]
async fn of_a_resigned_opening() {
    every_ply("edge-cases", "t10").await;
}

/// The rows of an opening's pair share one state.
#[tokio::test]
async fn a_pair_of_rows() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-traditional").await;
    game.play(&["s7", "n5", "s3"]).await;
    let position = "8,8,8,8,8,0,1/8,8,8,8,0,7,7 1-1 S r1:- ?|9@s6 t7";
    for ply in [1, 2] {
        let path = format!("{}?at_ply={ply}", game.path);
        let state = game.anyone.get(&path).await.expect(200);
        assert_eq!(state["position"], position);
        assert_eq!(state["ply"], 2);
        assert_eq!(state["to_move"], json!(["south"]));
        assert_eq!(state["status"], "opening");
        assert_eq!(state["result"], Value::Null);
    }
}

/// A finished game's past states have no result, its last one has.
#[tokio::test]
async fn before_and_at_the_end() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s7"]).await;
    game.south.call(&game.to("resign")).await.expect(200);
    let at = async |ply: u64| {
        let path = format!("{}?at_ply={ply}", game.path);
        game.anyone.get(&path).await.expect(200)
    };
    let before = at(1).await;
    assert_eq!(before["status"], "playing");
    assert_eq!(before["result"], Value::Null);
    assert_eq!(before["to_move"], json!(["south"]));
    let end = at(2).await;
    assert_eq!(end["status"], "finished");
    assert_eq!(end["result"]["winner"], "north");
}
