//! The program told to stop while a request is under way.

use nix::sys::signal::Signal;
use serde_json::json;

use crate::support::backstage::{hold, somebody_waits};
use crate::support::database::Database;
use crate::support::process::Process;
use crate::support::{Api, Ask, Game};

/// A move that waits for a lock when the signal comes is played and answered.
#[tokio::test]
async fn a_move_under_way_is_finished() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let db = Database::new().await;
        let mut process = Process::start(&db.url());
        let url = process.url.clone();
        let api = Api::new(&url).await;
        let game = Game::of(&api, "congkak").await;
        let mut test = db.connect().await;
        let mut held = hold(&mut test, "plies").await;
        let south = game.south.clone();
        let body = json!({ "after_ply": 0, "house": 1 });
        let ask = Ask::post(&game.to("moves")).json(&body);
        let sent = tokio::spawn(async move { south.ask(ask).await });
        somebody_waits(&mut held).await;

        let ended = tokio::task::spawn_blocking(move || process.end_by(signal));
        // Nobody new is let in, or is told that it is not ready.
        while let Ok(answer) = api.try_ask(Ask::get("/readyz")).await {
            if answer.status == 503 {
                break;
            }
        }
        assert!(!sent.is_finished());
        held.rollback().await.unwrap();
        let answer = sent.await.unwrap();
        assert_eq!(answer.expect(201)["game"]["ply"], 1);
        assert!(ended.await.unwrap().success());

        let process = Process::start(&db.url());
        let game = game.at(&process.url);
        assert_eq!(game.log().await.len(), 1);
        assert!(game.send("south", 0, 1).await.replayed());
    }
}
