//! The program stopped and started again between two moves, killed with the answer
//! on its way, and run twice on one database.

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::database::Database;
use crate::support::process::Process;
use crate::support::proxy::Withholding;
use crate::support::vectors::{Choice, vector};
use crate::support::{Api, Ask, Game};

#[tokio::test]
async fn between_two_moves() {
    let db = Database::new().await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "congkak").await;
    let first = game.play(&["s7", "s6"]).await.expect(201);
    let log = game.log().await;
    assert!(process.end_by(Signal::SIGTERM).success());

    let process = Process::start(&db.url());
    let game = game.at(&process.url);
    assert_eq!(game.log().await, log);
    let mut state = game.state().await;
    assert_eq!(state["url"], format!("{}{}", process.url, game.path));
    for field in ["url", "server_time"] {
        state[field] = first["game"][field].clone();
    }
    assert_eq!(state, first["game"]);
    // What was sent to the one is a repetition for the other.
    let again = game.send("south", 1, 6).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200)["row"], first["row"]);
    let state = game.play(&["s1"]).await.expect(201)["game"].clone();
    assert_eq!(state["ply"], 3);
    game.verified().await;
}

#[tokio::test]
async fn in_an_opening_with_one_choice_committed() {
    let db = Database::new().await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "congkak-traditional").await;
    game.send("north", 0, 5).await.expect(202);
    assert!(process.end_by(Signal::SIGINT).success());

    let process = Process::start(&db.url());
    let game = game.at(&process.url);
    assert_eq!(game.state().await["to_move"], json!(["south"]));
    let again = game.send("north", 0, 5).await;
    assert!(again.replayed());
    again.expect(202);
    game.send("north", 0, 4)
        .await
        .problem(409, "already_committed");
    let state = game.send("south", 0, 7).await.expect(201)["game"].clone();
    let position = "8,8,8,8,8,0,1/8,8,8,8,0,7,7 1-1 S r1:- ?|9@s6 t7";
    assert_eq!(state["position"], position);
    game.verified().await;
}

/// Sends a choice whose answer is lost while the server is killed, then the same
/// choice to the server that comes after it. That one's answer.
async fn lost(db: &Database, process: &mut Process, game: &Game, body: &Value) -> (Game, Value) {
    let mut proxy = Withholding::before(&process.url).await;
    let client = game.south.at(&proxy.url);
    let ask = Ask::post(&game.to("moves")).json(body);
    let sent = tokio::spawn(async move { client.try_ask(ask).await });
    let withheld = proxy.answer().await;
    assert!(!process.end_by(Signal::SIGKILL).success());
    proxy.break_off();
    sent.await.unwrap().expect_err("the answer was withheld");

    *process = Process::start(&db.url());
    let game = game.at(&process.url);
    let answer = game.south.post(&game.to("moves"), body).await;
    assert!(answer.replayed(), "{answer}");
    let (head, first) = withheld.split_once("\r\n\r\n").unwrap();
    let first: Value = serde_json::from_str(first).unwrap();
    let status = if first.get("row").is_some() { 200 } else { 202 };
    assert!(head.starts_with(if status == 200 {
        "HTTP/1.1 201"
    } else {
        "HTTP/1.1 202"
    }));
    let answer = answer.expect(status);
    assert_eq!(answer.get("row"), first.get("row"));
    (game, answer)
}

#[tokio::test]
async fn killed_with_the_answer_to_a_move_on_its_way() {
    let db = Database::new().await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "congkak").await;
    let body = json!({ "after_ply": 0, "house": 3, "message": "still there?" });
    let (game, answer) = lost(&db, &mut process, &game, &body).await;
    assert_eq!(answer["row"]["house"], 3);
    assert_eq!(answer["row"]["message"], "still there?");
    assert_eq!(game.log().await.len(), 1);
    let rows = db.rows(&game.id).await;
    assert_eq!(rows["plies"].as_array().unwrap().len(), 1);
    assert_eq!(rows["messages"].as_array().unwrap().len(), 1);
    game.verified().await;
}

#[tokio::test]
async fn killed_with_the_answer_to_a_commit_on_its_way() {
    let db = Database::new().await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "congkak-arena").await;
    let body = json!({ "after_ply": 0, "house": 2 });
    let (game, answer) = lost(&db, &mut process, &game, &body).await;
    assert_eq!(answer["committed"], true);
    assert_eq!(game.log().await, Vec::<Value>::new());
    let rows = db.rows(&game.id).await;
    assert_eq!(rows["commits"].as_array().unwrap().len(), 1);
    game.send("north", 0, 6).await.expect(201);
    assert_eq!(game.log().await.len(), 2);
    game.verified().await;
}

#[tokio::test]
async fn killed_with_the_answer_to_the_second_commit_on_its_way() {
    let db = Database::new().await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "congkak-arena").await;
    game.send("north", 0, 6).await.expect(202);
    let body = json!({ "after_ply": 0, "house": 2 });
    let (game, answer) = lost(&db, &mut process, &game, &body).await;
    assert_eq!(answer["row"]["ply"], 1);
    assert_eq!(answer["game"]["ply"], 2);
    assert_eq!(game.log().await.len(), 2);
    game.verified().await;
}

/// Two servers on one database: a game goes to and fro between them.
#[tokio::test]
async fn two_servers_on_one_database() {
    let db = Database::new().await;
    let first = Process::start(&db.url());
    let second = Process::start(&db.url());
    let api = Api::new(&first.url).await;
    let vector = vector("congkak-traditional", "congkak-traditional-5-10008");
    let game = Game::create(&api, &vector.creation()).await;
    let sides = [game.at(&first.url), game.at(&second.url)];
    let mut state = game.state().await;
    for (index, choice) in (1..).zip(&vector.choices) {
        let Choice::Sow { seat, house } = choice else {
            unreachable!()
        };
        let ply = state["ply"].as_u64().unwrap();
        let answer = sides[index % 2].send(seat, ply, *house).await;
        assert!(matches!(answer.status, 201 | 202), "{answer}");
        state = answer.json["game"].clone();
        vector.compare(index, &state);
        // The other one shows it at once, and knows a repetition.
        let mut seen = sides[(index + 1) % 2].state().await;
        for field in ["url", "server_time"] {
            seen[field] = state[field].clone();
        }
        assert_eq!(seen, state);
        let again = sides[(index + 1) % 2].send(seat, ply, *house).await;
        assert!(again.replayed(), "{again}");
    }
    assert_eq!(state["status"], "finished");
    for side in &sides {
        side.verified().await;
    }
}
