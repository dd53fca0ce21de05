//! What cannot be taken back, and what becomes of a takeback that nobody answers.

use serde_json::json;

use crate::support::offers::{accept, ask, taken_back};
use crate::support::{Game, Server};

#[tokio::test]
async fn what_cannot_be_taken_back() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let refused = async |game: &Game, to_ply: i64, why: &str| {
        let before = game.state().await["ply"].clone();
        let problem = ask(&game.south, game, to_ply)
            .await
            .problem(409, "offer_impossible");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(why), "{detail}");
        assert_eq!(game.state().await["ply"], before);
        assert_eq!(game.state().await["offers"], json!([]));
    };
    refused(&game, 0, "nothing was played after row 0").await;
    game.play(&["s1", "n1", "s2"]).await.expect(201);
    refused(&game, 3, "nothing was played after row 3").await;
    refused(&game, 4, "the log has no row 4").await;
    refused(&game, i64::from(i32::MAX), "the log has no row").await;
    taken_back(&game, "south", 1).await;
    refused(&game, 1, "nothing was played after row 1").await;
    refused(&game, 4, "nothing was played after row 4").await;
    game.play(&["n2"]).await.expect(201);
    refused(&game, 2, "row 2 was taken back itself").await;

    for (body, parameter) in [
        (json!({ "kind": "takeback" }), "to_ply"),
        (json!({ "kind": "takeback", "to_ply": -1 }), "to_ply"),
        (json!({ "kind": "takeback", "to_ply": null }), "to_ply"),
        (json!({ "kind": "takeback", "to_ply": 1.5 }), "to_ply"),
        (
            json!({ "kind": "takeback", "to_ply": 2_147_483_648_u32 }),
            "to_ply",
        ),
        (json!({ "kind": "draw", "to_ply": 1 }), "to_ply"),
        (
            json!({ "kind": "takeback", "to_ply": 1, "until": "2027-01-01T00:00:00Z" }),
            "until",
        ),
        (json!({ "kind": "undo" }), "kind"),
    ] {
        let problem = game.south.post(&game.to("offers"), &body).await;
        let problem = problem.problem(400, "bad_request");
        assert_eq!(problem["parameter"], parameter, "{body}");
    }
    game.north.call(&game.to("resign")).await.expect(200);
    ask(&game.south, &game, 1).await.problem(409, "game_over");
}

/// Not into the opening, and not into an earlier round.
#[tokio::test]
async fn within_the_round_and_after_the_opening() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-arena").await;
    let problem = ask(&game.south, &game, 0).await;
    let problem = problem.problem(409, "offer_impossible");
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains("in an opening")
    );
    let mut state = game.state().await;
    while state["status"] == "opening" {
        let ply = state["ply"].as_u64().unwrap();
        let choice = &state["legal_moves"][0];
        let house = choice["house"].as_u64().unwrap();
        let answer = game
            .send(choice["seat"].as_str().unwrap(), ply, house)
            .await;
        assert!(matches!(answer.status, 201 | 202), "{answer}");
        state = answer.json["game"].clone();
    }
    let opened = state["ply"].as_i64().unwrap();
    assert!(opened >= 2);
    let mover = state["to_move"][0].as_str().unwrap().to_owned();
    let house = state["legal_moves"][0]["house"].as_u64().unwrap();
    game.send(&mover, opened.unsigned_abs(), house)
        .await
        .expect(201);
    for to_ply in 0..opened {
        let problem = ask(&game.south, &game, to_ply).await;
        let problem = problem.problem(409, "offer_impossible");
        assert!(
            problem["detail"]
                .as_str()
                .unwrap()
                .contains("the opening stands")
        );
    }
    assert_eq!(
        taken_back(&game, "south", opened).await["position"],
        state["position"]
    );
    game.verified().await;

    // A round ends with the only ply that it has left.
    let start = "1,0,0,0,0,0,0/0,0,0,0,0,0,0 48-49 S r1:S";
    let rules = json!({ "max_rounds": 2 });
    let game = Game::from(&server.api, "congkak", rules, start).await;
    let state = game.play(&["s1"]).await.expect(201)["game"].clone();
    assert_eq!(state["round"], 2);
    let problem = ask(&game.south, &game, 0).await;
    let problem = problem.problem(409, "offer_impossible");
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains("an earlier round")
    );
    let mover = state["to_move"][0].as_str().unwrap().to_owned();
    let house = state["legal_moves"][0]["house"].as_u64().unwrap();
    game.send(&mover, 1, house).await.expect(201);
    let back = taken_back(&game, "north", 1).await;
    assert_eq!(back["position"], state["position"]);
    assert_eq!(back["rounds"], state["rounds"]);
    game.verified().await;
}

#[tokio::test]
async fn any_ply_makes_it_void() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1"]).await.expect(201);
    let offer = ask(&game.south, &game, 0).await.expect(201);
    // Asked again by the same seat it is the same offer, but not another one.
    let again = ask(&game.south, &game, 0).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200)["offer"], offer["offer"]);
    ask(&game.north, &game, 0).await.problem(409, "offer_open");
    game.play(&["n1"]).await.expect(201);
    for ply in [1, 2] {
        accept(&game.north, &game, &offer, ply)
            .await
            .problem(409, "offer_closed");
    }
    assert_eq!(game.state().await["offers"], json!([]));
    let declined = ask(&game.south, &game, 1).await.expect(201);
    let path = game.to(&format!("offers/{}/decline", declined["offer"]["id"]));
    let answer = game.north.call(&path).await.expect(200);
    assert_eq!(answer["game"]["ply"], 2);
    assert_eq!(game.log().await.len(), 2);
}
