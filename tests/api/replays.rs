//! The same choice sent again: the stored row and the present state, marked as
//! repeated, and never a second move.

use serde_json::{Value, json};

use crate::support::{Game, Server};

/// Nothing in the database has changed by `work`.
macro_rules! without_trace {
    ($server:expr, $game:expr, $work:expr) => {{
        let before = $server.db.rows(&$game.id).await;
        let result = $work;
        assert_eq!($server.db.rows(&$game.id).await, before);
        result
    }};
}

#[tokio::test]
async fn a_move_sent_again() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let body = json!({ "after_ply": 0, "house": 3, "message": "hello" });
    let first = game.south.post(&game.to("moves"), &body).await.expect(201);
    // At once, and after the game has gone on by several plies.
    for later in [&[][..], &["n1"][..]] {
        if !later.is_empty() {
            game.play(later).await;
        }
        let again = without_trace!(server, game, {
            game.south.post(&game.to("moves"), &body).await
        });
        assert!(again.replayed());
        let again = again.expect(200);
        assert_eq!(again["row"], first["row"]);
        let mut present = game.state().await;
        present["server_time"] = again["game"]["server_time"].clone();
        assert_eq!(again["game"], present);
    }
    // A fresh answer is not marked.
    assert!(!game.south.get(&game.path).await.replayed());
}

/// The message is no part of what makes a choice the same: the stored one stays.
#[tokio::test]
async fn a_move_sent_again_with_other_words() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let send = async |message: Option<&str>| {
        let body = json!({ "after_ply": 0, "house": 7, "message": message });
        game.south.post(&game.to("moves"), &body).await
    };
    send(Some("first")).await.expect(201);
    for message in [Some("second"), None] {
        let again = without_trace!(server, game, send(message).await);
        assert_eq!(again.expect(200)["row"]["message"], "first");
    }
}

#[tokio::test]
async fn what_is_no_repetition() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    // South has an extra turn after each of these.
    game.play(&["s7", "s6"]).await;
    let log = game.log().await;
    assert_eq!(log[1]["after_ply"], 1);
    let cases = [
        // The same house after another ply is another choice.
        ("south", 1, 7, 409, "stale_ply"),
        ("south", 0, 6, 409, "stale_ply"),
        // Another house after the same ply.
        ("south", 0, 5, 409, "stale_ply"),
        ("south", 1, 1, 409, "stale_ply"),
        // The other seat's.
        ("north", 0, 7, 409, "stale_ply"),
        ("north", 1, 6, 409, "stale_ply"),
    ];
    for (seat, after_ply, house, status, code) in cases {
        let answer = without_trace!(server, game, game.send(seat, after_ply, house).await);
        let problem = answer.problem(status, code);
        assert_eq!(problem["current_ply"], 2);
        assert_eq!(problem["game"]["ply"], 2);
    }
    for (after_ply, house) in [(0, 7), (1, 6)] {
        let again = game.send("south", after_ply, house).await;
        assert!(again.replayed());
        assert_eq!(again.expect(200)["row"], with_trace(&game, after_ply).await);
    }
}

/// The row as the log has it, with its sowing.
async fn with_trace(game: &Game, index: u64) -> Value {
    let page = game
        .south
        .get(&game.to("moves?trace=true"))
        .await
        .expect(200);
    page["items"][usize::try_from(index).unwrap()].clone()
}

#[tokio::test]
async fn a_commit_sent_again() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-traditional").await;
    let first = game.send("south", 0, 4).await;
    assert!(!first.replayed());
    let first = first.expect(202);
    let again = without_trace!(server, game, game.send("south", 0, 4).await);
    assert!(again.replayed());
    let mut again = again.expect(202);
    again["game"]["server_time"] = first["game"]["server_time"].clone();
    assert_eq!(again, first);
    let other = without_trace!(server, game, game.send("south", 0, 5).await);
    other.problem(409, "already_committed");

    // Once both are rows, each seat's choice is found as its row.
    game.send("north", 0, 6).await.expect(201);
    for (seat, house, ply) in [("south", 4, 1), ("north", 6, 2)] {
        let again = without_trace!(server, game, game.send(seat, 0, house).await);
        assert!(again.replayed());
        let again = again.expect(200);
        assert_eq!(again["row"]["ply"], ply);
        assert_eq!(again["row"]["seat"], seat);
        assert_eq!(again["game"]["ply"], 2);
        game.send(seat, 0, 7).await.problem(409, "stale_ply");
    }
}

#[tokio::test]
async fn after_the_end_of_the_game() {
    let server = Server::start().await;
    let start = "1,0,0,0,0,0,0/0,0,0,5,0,0,0 50-42 S r1:S";
    let game = Game::from(&server.api, "congkak", json!({}), start).await;
    let first = game.send("south", 0, 1).await.expect(201);
    assert_eq!(first["game"]["status"], "finished");
    let again = without_trace!(server, game, game.send("south", 0, 1).await);
    assert!(again.replayed());
    let mut again = again.expect(200);
    again["game"]["server_time"] = first["game"]["server_time"].clone();
    assert_eq!(again, first);
    game.send("south", 1, 1).await.problem(409, "game_over");
    game.send("south", 0, 2).await.problem(409, "game_over");

    // And after an end by resignation.
    let game = Game::of(&server.api, "congkak").await;
    let row = game.send("south", 0, 3).await.expect(201)["row"].clone();
    game.north.call(&game.to("resign")).await.expect(200);
    let again = without_trace!(server, game, game.send("south", 0, 3).await);
    assert!(again.replayed());
    let again = again.expect(200);
    assert_eq!(again["row"], row);
    assert_eq!(again["game"]["status"], "finished");
}
