//! Open games that nobody joins are called off, and nothing of them is deleted.

use mancala_post::play::settle;
use serde_json::{Value, json};

use crate::support::database::Database;
use crate::support::follow::{events, player, types};
use crate::support::process::Process;
use crate::support::{Api, Clock, Server};

const DAY: i64 = 86_400;

async fn open(api: &Api) -> (String, Value) {
    let body = json!({ "ruleset": "congkak", "opponent": { "open": true }, "label": "tea?" });
    let created = api.post("/v1/games", &body).await.expect(201);
    let id = created["game"]["id"].as_str().unwrap();
    (format!("/v1/games/{id}"), created)
}

#[tokio::test]
async fn an_open_game_is_called_off_after_thirty_days() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let ana = player(&server.api, "ana").await;
    player(&server.api, "bo").await;
    let (path, _) = open(&ana).await;
    let mut others = Vec::new();
    for opponent in [json!({ "invite": true }), json!({ "player": "bo" })] {
        let body =
            json!({ "ruleset": "congkak", "opponent": opponent, "clock": { "per_move": 60 } });
        let created = ana.post("/v1/games", &body).await.expect(201);
        others.push(
            created["game"]["url"]
                .as_str()
                .unwrap()
                .replace(&server.url, ""),
        );
    }
    let tables = ["games", "seats", "tokens", "players", "plies", "events"];
    let counts = async || {
        let mut counts = Vec::new();
        for table in tables {
            counts.push(
                server
                    .db
                    .number(&format!("select count(*) from {table}"))
                    .await,
            );
        }
        counts
    };
    clock.pass(30 * DAY).await;
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 0);
    assert_eq!(ana.get(&path).await.expect(200)["status"], "open");
    let before = counts().await;
    clock.pass(1).await;
    let state = ana.get(&path).await.expect(200);
    assert_eq!(state["status"], "aborted");
    assert_eq!(state["result"], Value::Null);
    assert_eq!(state["invitation"], Value::Null);
    assert_eq!(state["label"], "tea?");
    assert_eq!(
        settle::sweep(&server.db.pool()).await.unwrap(),
        2,
        "the other two"
    );
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 0);
    for path in &others {
        assert_eq!(ana.get(path).await.expect(200)["status"], "aborted");
    }
    // Rows come, none go: an end and an event each.
    let after = counts().await;
    for ((table, before), after) in tables.iter().zip(before).zip(after) {
        let more = if ["plies", "events"].contains(table) {
            3
        } else {
            0
        };
        assert_eq!(after, before + more, "{table}");
    }
    server.db.place_events().await;
    let told = events(&ana, &format!("{path}/events")).await;
    assert_eq!(types(&told), ["game.created", "game.aborted"]);
    let log = ana.get(&format!("{path}/moves")).await.expect(200);
    let end = &log["items"][0];
    assert_eq!(
        (&end["kind"], &end["reason"], &end["by"]),
        (&json!("end"), &json!("aborted"), &Value::Null)
    );
    assert_eq!(end["source"], "server");
    let lobby = server.api.get("/v1/games?status=open").await.expect(200);
    assert_eq!(lobby["items"], json!([]));
    let verdict = ana.get(&format!("{path}/verify")).await.expect(200);
    assert_eq!(verdict["ok"], true);
}

/// A setting says after how many days.
#[tokio::test]
async fn after_as_many_days_as_are_set() {
    let db = Database::new().await;
    let mut clock = Clock::stop(&db).await;
    let process = Process::start_with(&db.url(), &[("MANCALA_OPEN_DAYS", "2")]);
    let api = Api::new(&process.url).await;
    let (path, _) = open(&api).await;
    clock.pass(2 * DAY).await;
    assert_eq!(api.get(&path).await.expect(200)["status"], "open");
    clock.pass(1).await;
    assert_eq!(api.get(&path).await.expect(200)["status"], "aborted");
}

/// Who comes too late settles it, and gets no seat; a game that was joined in time
/// does not expire.
#[tokio::test]
async fn joining_too_late() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let ((late, created), (joined, _)) = (open(&server.api).await, open(&server.api).await);
    server.api.call(&format!("{joined}/join")).await.expect(200);
    clock.pass(31 * DAY).await;
    for _ in 0..2 {
        let answer = server.api.call(&format!("{late}/join")).await;
        answer.problem(409, "seat_taken");
        let log = "select count(*) from plies where reason = 'aborted'";
        assert_eq!(server.db.number(log).await, 1);
    }
    assert_eq!(
        server.api.get(&joined).await.expect(200)["status"],
        "playing"
    );
    // The creator's token still opens what is left of it.
    let creator = server.api.with(created["seat_token"].as_str().unwrap());
    let state = creator.get(&late).await.expect(200);
    assert_eq!(state["status"], "aborted");
    creator.call(&format!("{late}/abort")).await.expect(200);
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 0);
}

/// Joined or called off, never both.
#[tokio::test]
async fn joining_against_expiry() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let pool = server.db.pool();
    for _ in 0..8 {
        let (path, _) = open(&server.api).await;
        clock.pass(30 * DAY).await;
        let join = format!("{path}/join");
        let (first, second, (), swept) = tokio::join!(
            server.api.call(&join),
            server.api.call(&join),
            clock.pass(1),
            settle::sweep(&pool),
        );
        swept.unwrap();
        let joined = [&first, &second]
            .iter()
            .filter(|answer| answer.status == 200)
            .count();
        assert!(joined <= 1);
        for answer in [first, second] {
            if answer.status != 200 {
                answer.problem(409, "seat_taken");
            }
        }
        let state = server.api.get(&path).await.expect(200);
        let (status, ply) = if joined == 1 {
            ("playing", 0)
        } else {
            ("aborted", 1)
        };
        assert_eq!(state["status"], status);
        assert_eq!(state["ply"], ply);
    }
}
