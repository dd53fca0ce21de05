//! Buttons of a chat: ids that say all there is to a press, pressed once, twice and
//! too late.

use serde_json::{Value, json};

use crate::support::{Answer, Api, Game, Server};

async fn press(api: &Api, action: &Value) -> Answer {
    api.post("/v1/actions", &json!({ "action": action })).await
}

#[tokio::test]
async fn every_legal_move_is_a_button() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let mut state = game.state().await;
    let mut presses = 0;
    while state["status"] == "playing" {
        let choices = state["legal_moves"].as_array().unwrap();
        let choice = choices.last().unwrap();
        let action = choice["action"].as_str().unwrap();
        assert!(action.len() <= 64);
        let api = game.seat(choice["seat"].as_str().unwrap());
        let answer = press(api, &choice["action"]).await;
        assert!(!answer.replayed());
        let answer = answer.expect(201);
        assert_eq!(answer["done"], "played");
        assert_eq!(answer["row"]["house"], choice["house"]);
        assert_eq!(answer.get("offer"), None);
        // A double click finds the stored row and moves nothing.
        let again = press(api, &choice["action"]).await;
        assert!(again.replayed());
        let again = again.expect(200);
        assert_eq!(again["row"], answer["row"]);
        assert_eq!(again["game"]["ply"], answer["game"]["ply"]);
        state = answer["game"].clone();
        presses += 1;
    }
    assert_eq!(state["ply"], presses);
    assert_eq!(state["actions"], json!({ "resign": null, "offers": [] }));
    game.verified().await;
}

#[tokio::test]
async fn an_old_button_shows_the_game_as_it_is() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let old = game.state().await["legal_moves"][0]["action"].clone();
    game.play(&["s7"]).await.expect(201);
    let problem = press(&game.south, &old).await.problem(409, "stale_ply");
    assert_eq!(problem["current_ply"], 1);
    assert_eq!(problem["game"]["ply"], 1);
    assert!(problem["game"]["legal_moves"][0]["action"].is_string());
    let board = problem["board"].as_str().unwrap();
    let shown = game.south.get(&game.to("board.txt")).await;
    assert_eq!(board, shown.text());
    assert!(board.lines().all(|line| line.chars().count() <= 40));
    // North sees it from north's side.
    let wrong = game.state().await["legal_moves"][0]["action"].clone();
    let problem = press(&game.north, &wrong)
        .await
        .problem(409, "not_your_turn");
    let shown = game.north.get(&game.to("board.txt")).await;
    assert_eq!(problem["board"], shown.text());
    game.south.call(&game.to("resign")).await.expect(200);
    let problem = press(&game.south, &wrong).await.problem(409, "game_over");
    assert_eq!(problem["game"]["status"], "finished");
    assert!(problem["board"].is_string());
    assert_eq!(game.log().await.len(), 2);
}

#[tokio::test]
async fn an_opening_by_buttons() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-arena").await;
    let state = game.state().await;
    let action = |seat: &str| {
        let moves = state["legal_moves"].as_array().unwrap();
        moves.iter().find(|choice| choice["seat"] == seat).unwrap()["action"].clone()
    };
    let committed = press(&game.south, &action("south")).await;
    assert!(!committed.replayed());
    let committed = committed.expect(202);
    assert_eq!(committed["done"], "committed");
    assert_eq!(committed.get("row"), None);
    let again = press(&game.south, &action("south")).await;
    assert!(again.replayed());
    again.expect(202);
    let played = press(&game.north, &action("north")).await.expect(201);
    assert_eq!(
        (&played["done"], &played["row"]["ply"]),
        (&json!("played"), &json!(2))
    );
}

#[tokio::test]
async fn offers_are_answered_by_buttons() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let offers = game.to("offers");
    let made = game
        .south
        .post(&offers, &json!({ "kind": "draw" }))
        .await
        .expect(201);
    let buttons = made["game"]["actions"]["offers"][0].clone();
    assert_eq!(buttons["id"], 1);
    assert_eq!(buttons["accept"], format!("a:{}:1:0", game.id));
    assert_eq!(buttons["decline"], format!("d:{}:1", game.id));
    let problem = press(&game.south, &buttons["accept"])
        .await
        .problem(409, "own_offer");
    assert!(problem["board"].is_string());
    let declined = press(&game.north, &buttons["decline"]).await;
    assert!(!declined.replayed());
    let declined = declined.expect(200);
    assert_eq!(
        (&declined["done"], &declined["offer"]["status"]),
        (&json!("declined"), &json!("declined"))
    );
    assert!(press(&game.north, &buttons["decline"]).await.replayed());
    press(&game.north, &buttons["accept"])
        .await
        .problem(409, "offer_closed");

    let made = game
        .south
        .post(&offers, &json!({ "kind": "draw" }))
        .await
        .expect(201);
    let old = made["game"]["actions"]["offers"][0]["accept"].clone();
    let moved = game.play(&["s1"]).await.expect(201);
    // It still stands, but what it was accepted at is gone.
    press(&game.north, &old).await.problem(409, "stale_ply");
    let accept = moved["game"]["actions"]["offers"][0]["accept"].clone();
    let accepted = press(&game.north, &accept).await.expect(200);
    assert_eq!(
        (&accepted["done"], &accepted["game"]["status"]),
        (&json!("accepted"), &json!("finished"))
    );
    let again = press(&game.north, &accept).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200)["offer"], accepted["offer"]);
    press(&game.north, &json!(format!("d:{}:9", game.id)))
        .await
        .problem(404, "unknown_offer");
}

/// Whoever accepts a rematch without an account gets the token of the next seat.
#[tokio::test]
async fn a_rematch_by_button() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    game.south.call(&game.to("resign")).await.expect(200);
    let offer = json!({ "kind": "rematch" });
    let made = game
        .south
        .post(&game.to("offers"), &offer)
        .await
        .expect(201);
    let accept = made["game"]["actions"]["offers"][0]["accept"].clone();
    let accepted = press(&game.north, &accept).await.expect(200);
    let next = format!(
        "/v1/games/{}",
        accepted["game"]["next_game"].as_str().unwrap()
    );
    let token = accepted["seat_token"].as_str().unwrap();
    let choice = json!({ "after_ply": 0, "house": 1 });
    let moves = format!("{next}/moves");
    // North has south's seat now, and begins.
    let row = server
        .api
        .with(token)
        .post(&moves, &choice)
        .await
        .expect(201)["row"]
        .clone();
    assert_eq!(row["seat"], "south");
}

#[tokio::test]
async fn resigning_asks_first() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let ask = game.state().await["actions"]["resign"].clone();
    let asked = press(&game.north, &ask).await.expect(200);
    assert_eq!(asked["done"], "asked");
    assert_eq!(asked["game"]["status"], "playing");
    assert_eq!(game.log().await.len(), 0);
    let old = asked["confirm"].clone();
    assert_eq!(old, format!("R:{}:0:north", game.id));
    // In a group chat the other one may press it too: that resigns nobody.
    press(&game.south, &old).await.problem(403, "not_seated");
    // The game has gone on between question and answer: asked anew.
    game.play(&["s1"]).await.expect(201);
    press(&game.north, &ask).await.problem(409, "stale_ply");
    press(&game.north, &old).await.problem(409, "stale_ply");
    let ask = game.state().await["actions"]["resign"].clone();
    let confirm = press(&game.north, &ask).await.expect(200)["confirm"].clone();
    let resigned = press(&game.north, &confirm).await.expect(200);
    assert_eq!(resigned["done"], "resigned");
    assert_eq!(resigned["game"]["result"]["winner"], "south");
    assert_eq!(resigned["game"]["result"]["ended_by"], "north");
    let again = press(&game.north, &confirm).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200)["game"]["ply"], resigned["game"]["ply"]);
    press(&game.south, &confirm)
        .await
        .problem(403, "not_seated");
    press(&game.south, &ask).await.problem(409, "game_over");
}

#[tokio::test]
async fn what_is_no_button() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let nowhere = "01935f3e-7b2a-7000-8000-000000000000";
    for action in [
        json!(""),
        json!("resign"),
        json!(game.id),
        json!(format!("m:{}:0", game.id)),
        json!(format!("m:{}:00:1", game.id)),
        json!(format!("m:{}:0:1 ", game.id)),
        json!(format!("M:{}:0:1", game.id)),
        json!(format!("m:{}:0:99999999999", game.id)),
        json!("x".repeat(10_000)),
    ] {
        let problem = press(&game.south, &action)
            .await
            .problem(400, "bad_request");
        assert_eq!(problem["parameter"], "action", "{action}");
    }
    for action in [json!(null), json!(7), json!({}), json!([])] {
        let problem = press(&game.south, &action)
            .await
            .problem(400, "bad_request");
        assert_eq!(problem["parameter"], "action", "{action}");
    }
    press(&game.south, &json!(format!("m:{nowhere}:0:1")))
        .await
        .problem(404, "not_found");
    press(&game.south, &json!(format!("m:{}:0:8", game.id)))
        .await
        .problem(422, "illegal_move");
    let other = Game::of(&server.api, "congkak").await;
    press(&other.south, &json!(format!("m:{}:0:1", game.id)))
        .await
        .problem(403, "not_seated");
    press(&server.api, &json!(format!("m:{}:0:1", game.id)))
        .await
        .problem(401, "unauthorized");
    let body = json!({ "ruleset": "congkak", "visibility": "private" });
    let hidden = Game::create(&server.api, &body).await;
    for kind in ["m:{}:0:1", "a:{}:1:0", "d:{}:1", "r:{}:0", "R:{}:0:south"] {
        let action = json!(kind.replace("{}", &hidden.id));
        press(&other.south, &action).await.problem(404, "not_found");
    }
    assert_eq!(game.log().await.len(), 0);
}

/// One button pressed by many fingers moves once.
#[tokio::test]
async fn pressed_many_times_at_once() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let action = game.state().await["legal_moves"][0]["action"].clone();
    let presses = (0..12).map(|_| press(&game.south, &action));
    let answers = futures_util::future::join_all(presses).await;
    let fresh = answers.iter().filter(|answer| answer.status == 201).count();
    let again = answers.iter().filter(|answer| answer.replayed()).count();
    assert_eq!((fresh, again), (1, 11));
    assert_eq!(game.log().await.len(), 1);
}
