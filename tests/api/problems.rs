//! Every code of a problem: what provokes it, and what comes with it. A code that
//! nothing here provokes fails the last test.

use std::net::TcpListener;
use std::time::Duration;

use mancala_post::db::pool;
use serde_json::{Value, json};
use sqlx::postgres::PgPoolOptions;

use crate::support::server::Front;
use crate::support::{Api, Ask, Game, Server};

/// Declares a test for each code and lists the codes.
macro_rules! provoked {
    ($($code:ident $status:literal $provoke:expr;)*) => {
        $(
            #[tokio::test]
            async fn $code() {
                let server = Server::start().await;
                let provoke = $provoke;
                let answer: Value = provoke(&server).await;
                assert_eq!(answer["code"], stringify!($code), "{answer}");
                assert_eq!(answer["status"], $status, "{answer}");
                // Its type is the address of a page that explains it.
                let kind = answer["type"].as_str().unwrap();
                assert!(kind.starts_with("http://127.0.0.1:"), "{kind}");
                let path = &kind[kind.find("/problems/").unwrap()..];
                let page = server.api.get(path).await.expect(200);
                for part in ["code", "status", "title"] {
                    assert_eq!(page[part], answer[part], "{part}");
                }
                assert_ne!(page["explanation"], "");
            }
        )*
        const PROVOKED: &[&str] = &[$(stringify!($code)),*];
    };
}

provoked! {
    bad_request 400 async |server: &Server| {
        let answer = server.api.get("/v1/games/7").await.problem(400, "bad_request");
        assert_eq!(answer["parameter"], "id");
        answer
    };
    unauthorized 401 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        let answer = game.anyone.call(&game.to("resign")).await;
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        answer.json
    };
    not_seated 403 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        let other = Game::of(&server.api, "congkak").await;
        other.south.post(&game.to("moves"), &json!({ "after_ply": 0, "house": 1 })).await.json
    };
    not_found 404 async |server: &Server| {
        let path = "/v1/games/01935f3e-7b2a-7000-8000-000000000000";
        server.api.get(path).await.json
    };
    unknown_ply 404 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        game.anyone.get(&format!("{}?at_ply=1", game.path)).await.json
    };
    unknown_offer 404 async |server: &Server| {
        let game = Game::of(&server.api, "al-manqala").await;
        game.north.post(&game.to("offers/1/accept"), &json!({ "after_ply": 0 })).await.json
    };
    unknown_ruleset 404 async |server: &Server| {
        server.api.get("/v1/rulesets/oware").await.json
    };
    method_not_allowed 405 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        let answer = game.anyone.ask(Ask::new("PATCH", &game.path)).await;
        assert_eq!(answer.header("allow"), "GET, HEAD");
        answer.json
    };
    not_acceptable 406 async |server: &Server| {
        let ask = Ask::get("/v1/rulesets").header("accept", "image/png");
        let answer = server.api.ask(ask).await.json;
        assert_eq!(answer["detail"], "this path answers in application/json");
        answer
    };
    payload_too_large 413 async |server: &Server| {
        let body = json!({ "ruleset": "congkak", "label": "x".repeat(64 * 1024) });
        server.api.post("/v1/games", &body).await.json
    };
    unsupported_media_type 415 async |server: &Server| {
        let ask = Ask::post("/v1/games").header("content-type", "text/plain").body("{}");
        server.api.ask(ask).await.json
    };
    not_started 409 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        server.db.execute("update games set status = 'open', started_at = null").await;
        assert_eq!(game.state().await["to_move"], json!([]));
        game.send("south", 0, 1).await.json
    };
    game_over 409 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        game.south.call(&game.to("resign")).await.expect(200);
        let answer = game.send("north", 1, 1).await.problem(409, "game_over");
        assert_eq!(answer["current_ply"], 1);
        assert_eq!(answer["game"]["result"]["winner"], "north");
        answer
    };
    stale_ply 409 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        game.play(&["s7"]).await;
        let answer = game.send("south", 0, 2).await.problem(409, "stale_ply");
        assert_eq!(answer["current_ply"], 1);
        let position = "8,8,8,8,8,8,0/7,7,7,7,7,7,7 1-0 S r1:S";
        assert_eq!(answer["game"]["position"], position);
        answer
    };
    already_committed 409 async |server: &Server| {
        let game = Game::of(&server.api, "congkak-arena").await;
        game.play(&["n3"]).await;
        game.send("north", 0, 4).await.json
    };
    not_your_turn 409 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        game.send("north", 0, 1).await.json
    };
    offer_impossible 409 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        game.south.post(&game.to("offers"), &json!({ "kind": "split" })).await.json
    };
    offer_open 409 async |server: &Server| {
        let game = split_offered(&server.api).await;
        game.north.post(&game.to("offers"), &json!({ "kind": "split" })).await.json
    };
    own_offer 409 async |server: &Server| {
        let game = split_offered(&server.api).await;
        game.south.post(&game.to("offers/1/accept"), &json!({ "after_ply": 0 })).await.json
    };
    offer_closed 409 async |server: &Server| {
        let game = split_offered(&server.api).await;
        game.play(&["s1"]).await;
        game.north.post(&game.to("offers/1/accept"), &json!({ "after_ply": 0 })).await.json
    };
    illegal_move 422 async |server: &Server| {
        let start = "0,1,0,0,0,0,3/7,7,7,7,7,7,7 45-0 S r1:S";
        let game = Game::from(&server.api, "congkak", json!({}), start).await;
        let answer = game.send("south", 0, 1).await.problem(422, "illegal_move");
        let legal = json!([{ "seat": "south", "house": 2 }, { "seat": "south", "house": 7 }]);
        assert_eq!(answer["legal_moves"], legal);
        assert_eq!(answer["detail"], "south's house 1 is empty");
        answer
    };
    bad_rules 422 async |server: &Server| {
        let body = json!({ "ruleset": "congkak", "rules": { "feeding": "leaves" } });
        let answer = server.api.post("/v1/games", &body).await.problem(422, "bad_rules");
        assert_eq!(answer["parameter"], "feeding");
        answer
    };
    bad_start 422 async |server: &Server| {
        let start = "7,7,7,7,7,7,7/7,7,7,7,7,7,7 1-0 S r1:S";
        let body = json!({ "ruleset": "congkak", "start": start });
        let answer = server.api.post("/v1/games", &body).await.problem(422, "bad_start");
        assert_eq!(answer["parameter"], "start");
        answer
    };
    unavailable 503 async |_: &Server| {
        let front = without_database().await;
        // The process lives, the database does not.
        front.api.get("/healthz").await.expect(200);
        for path in ["/readyz", "/v1/games/01935f3e-7b2a-7000-8000-000000000000"] {
            let answer = front.api.get(path).await;
            assert_eq!(answer.header("retry-after"), "1");
            answer.problem(503, "unavailable");
        }
        front.api.get("/readyz").await.json
    };
    internal 500 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        server.db.execute("update games set position = 'a secret of the database'").await;
        let answer = game.anyone.get(&game.path).await.problem(500, "internal");
        // The cause is for the log alone.
        let request = answer["request_id"].as_str().unwrap();
        let detail = format!("the server's log has the cause under request {request}");
        assert_eq!(answer["detail"], detail);
        let fields: Vec<_> = answer.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["code", "detail", "instance", "request_id", "status", "title", "type"]);
        answer
    };
}

async fn split_offered(api: &Api) -> Game {
    let game = Game::of(api, "al-manqala").await;
    let offer = json!({ "kind": "split" });
    game.south
        .post(&game.to("offers"), &offer)
        .await
        .expect(201);
    game
}

/// A server whose database refuses connections.
async fn without_database() -> Front {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    drop(taken);
    Front::start(move || {
        let url = format!("postgres://nobody@{address}/nothing?sslmode=disable");
        PgPoolOptions::new()
            .acquire_timeout(Duration::from_millis(50))
            .connect_lazy_with(pool::options(&url).unwrap())
    })
    .await
}

#[tokio::test]
async fn every_code_is_provoked() {
    let server = Server::start().await;
    let list = server.api.get("/problems").await.expect(200);
    let mut codes: Vec<&str> = Vec::new();
    for problem in list["items"].as_array().unwrap() {
        codes.push(problem["code"].as_str().unwrap());
    }
    codes.sort_unstable();
    let mut provoked = PROVOKED.to_vec();
    provoked.sort_unstable();
    assert_eq!(codes, provoked);
}
