//! Giving a game up: at any time, by either seat, once.

use serde_json::{Value, json};

use crate::support::{Game, Server};

/// Resigns, again, and as the other seat, and compares what all see of it.
async fn resigns(game: &Game, seat: &str, winner: &str, score: Value) -> Value {
    let before = game.state().await;
    let state = game.seat(seat).call(&game.to("resign")).await.expect(200);
    assert_eq!(state["status"], "finished");
    assert_eq!(state["to_move"], json!([]));
    assert_eq!(state["legal_moves"], json!([]));
    assert_eq!(state["ply"], before["ply"].as_u64().unwrap() + 1);
    // Houses, stores and frozen hands stay as they are.
    assert_eq!(state["board"], before["board"]);
    assert_eq!(state["turn"], before["turn"]);
    assert_eq!(state["rounds"], before["rounds"]);
    let mut result = state["result"].clone();
    let ended_at = result.as_object_mut().unwrap().remove("ended_at");
    assert!(ended_at.unwrap().is_string());
    let expected = json!({
        "winner": winner, "reason": "resignation", "score": score, "ended_by": seat,
    });
    assert_eq!(result, expected);

    let mut again = game.seat(seat).call(&game.to("resign")).await.expect(200);
    again["server_time"] = state["server_time"].clone();
    assert_eq!(again, state);
    let late = game.seat(winner).call(&game.to("resign")).await;
    let late = late.problem(409, "game_over");
    assert_eq!(late["current_ply"], state["ply"]);
    assert_eq!(late["game"]["result"], state["result"]);

    let last = game.log().await.pop().unwrap();
    assert_eq!(last["kind"], "end");
    assert_eq!(last["reason"], "resignation");
    assert_eq!(last["by"], seat);
    assert_eq!(last["ply"], state["ply"]);
    assert_eq!(last["after_ply"], before["ply"]);
    assert_eq!(last["position"], state["position"]);
    assert_eq!(last["source"], "player");
    game.verified().await;
    state
}

#[tokio::test]
async fn before_the_first_move() {
    let server = Server::start().await;
    for (seat, winner) in [("south", "north"), ("north", "south")] {
        let game = Game::of(&server.api, "congkak").await;
        let state = resigns(&game, seat, winner, json!({ "south": 0, "north": 0 })).await;
        assert_eq!(state["position"], "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 - r1:S");
    }
}

#[tokio::test]
async fn in_play_on_either_turn() {
    let server = Server::start().await;
    for (seat, winner) in [("south", "north"), ("north", "south")] {
        let game = Game::of(&server.api, "congkak").await;
        game.play(&["s7"]).await;
        let state = resigns(&game, seat, winner, json!({ "south": 1, "north": 0 })).await;
        assert_eq!(state["position"], "8,8,8,8,8,8,0/7,7,7,7,7,7,7 1-0 - r1:S");
    }
}

/// With a hand frozen in mid-air, which stays there.
#[tokio::test]
async fn in_an_opening() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-traditional").await;
    game.play(&["s7", "n5"]).await;
    let state = resigns(&game, "north", "south", json!({ "south": 1, "north": 1 })).await;
    let position = "8,8,8,8,8,0,1/8,8,8,8,0,7,7 1-1 - r1:- ?|9@s6 t7";
    assert_eq!(state["position"], position);
    assert_eq!(
        state["board"]["north"]["hand"],
        json!({ "seeds": 9, "over": "s6" })
    );
    assert_eq!(state["opening"]["tick"], 7);
}

/// In the third round: the whole series is lost, whatever the stores say.
#[tokio::test]
async fn in_a_series() {
    let server = Server::start().await;
    let start = "1,0,0,0,0,0,0/0,0,0,1,0,0,0 92-4 S r2:S";
    let rules = json!({ "refill": "even" });
    let game = Game::from(&server.api, "congkak-traditional", rules, start).await;
    let state = game.play(&["s1"]).await.expect(201)["game"].clone();
    assert_eq!(state["round"], 3);
    let score = state["board"].clone();
    let score = json!({ "south": score["south"]["store"], "north": score["north"]["store"] });
    assert_eq!(score, json!({ "south": 44, "north": 0 }));
    let state = resigns(&game, "south", "north", score).await;
    assert_eq!(state["round"], 3);
    let rounds = json!([
        { "round": 2, "starter": "south", "south": 93, "north": 5 },
        { "round": 3, "starter": "north", "south": null, "north": null },
    ]);
    assert_eq!(state["rounds"], rounds);
}

#[tokio::test]
async fn after_another_end() {
    let server = Server::start().await;
    let start = "1,0,0,0,0,0,0/0,0,0,5,0,0,0 50-42 S r1:S";
    let game = Game::from(&server.api, "congkak", json!({}), start).await;
    game.play(&["s1"]).await;
    for seat in ["south", "north"] {
        let late = game.seat(seat).call(&game.to("resign")).await;
        let late = late.problem(409, "game_over");
        assert_eq!(late["game"]["result"]["reason"], "most_seeds");
    }
    assert_eq!(game.log().await.len(), 1);
}
