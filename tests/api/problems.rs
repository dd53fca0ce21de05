//! Every code of a problem: what provokes it, and what comes with it. A code that
//! nothing here provokes fails the last test.

use std::num::NonZeroU32;
use std::time::Duration;

use mancala_post::app::Parts;
use mancala_post::db::pool;
use mancala_post::http::limits::Limits;
use serde_json::{Value, json};
use sqlx::Connection;

use crate::support::follow::player;
use crate::support::provoking::{KEY, split_offered, waiting};
use crate::support::raw::send;
use crate::support::server::{Front, dead_pool};
use crate::support::snapshots::Shelf;
use crate::support::{Ask, Game, Server};

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
    cursor_reset 409 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        game.south.get("/v1/events?after=2.0").await.json
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
    request_timeout 408 async |server: &Server| {
        let url = server.db.url();
        let front = Front::start(move || {
            let pool = pool::pool(pool::options(&url).unwrap(), 2);
            Parts { deadline: Duration::from_millis(200), ..Parts::new(pool, "127.0.0.1:0") }
        })
        .await;
        let headers = "content-type: application/json\r\ncontent-length: 21\r\n";
        send(&front.api, "POST /v1/games", headers, b"{\"ruleset\":").await.json
    };
    unsupported_media_type 415 async |server: &Server| {
        let ask = Ask::post("/v1/games").header("content-type", "text/plain").body("{}");
        server.api.ask(ask).await.json
    };
    not_started 409 async |server: &Server| {
        let body = json!({ "ruleset": "congkak", "seat": "south", "opponent": { "open": true } });
        let created = server.api.post("/v1/games", &body).await.expect(201);
        assert_eq!(created["game"]["status"], "open");
        assert_eq!(created["game"]["to_move"], json!([]));
        let creator = server.api.with(created["seat_token"].as_str().unwrap());
        let path = format!("/v1/games/{}/moves", created["game"]["id"].as_str().unwrap());
        creator.post(&path, &json!({ "after_ply": 0, "house": 1 })).await.json
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
    not_managed 403 async |server: &Server| {
        let bot = crate::support::Person::bot(&server.api, "robot").await;
        let ask = Ask::get("/v1/me").header("mancala-act-as", "telegram:1");
        bot.api.ask(ask).await.json
    };
    acting 403 async |server: &Server| {
        let bot = crate::support::Person::bot(&server.api, "robot").await;
        let put = Ask::new("PUT", "/v1/managed-players/telegram:1").json(&json!({}));
        bot.api.ask(put).await.expect(201);
        let ask = Ask::get("/v1/me/tokens").header("mancala-act-as", "telegram:1");
        bot.api.ask(ask).await.json
    };
    in_opening 409 async |server: &Server| {
        let game = Game::of(&server.api, "congkak-arena").await;
        let lines = json!({ "after_ply": 0, "lines": [[1]] });
        game.south.ask(Ask::new("PUT", &game.to("conditionals")).json(&lines)).await.json
    };
    lines_part 422 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        let lines = json!({ "after_ply": 0, "lines": [[1], [2]] });
        let ask = Ask::new("PUT", &game.to("conditionals")).json(&lines);
        let answer = game.south.ask(ask).await.json;
        assert_eq!(answer["parameter"], "lines[1][0]");
        answer
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
    unknown_player 404 async |server: &Server| {
        server.api.get("/v1/players/nobody").await.json
    };
    handle_taken 409 async |server: &Server| {
        player(&server.api, "Aminah").await;
        server.api.post("/v1/players", &json!({ "name": "aMINAH" })).await.json
    };
    too_many_tokens 409 async |server: &Server| {
        let aminah = player(&server.api, "Aminah").await;
        let more = "insert into tokens (token_hash, token_id, player_id, scopes, created_at) \
                    select decode(lpad(to_hex(n), 64, '0'), 'hex'), gen_random_uuid(), player_id, \
                           '{read}', app_now() from players, generate_series(1, 99) n";
        server.db.execute(more).await;
        aminah.post("/v1/me/tokens", &json!({ "scopes": ["read"] })).await.json
    };
    missing_scope 403 async |server: &Server| {
        let aminah = player(&server.api, "Aminah").await;
        let reading = json!({ "scopes": ["read"] });
        let reading = aminah.post("/v1/me/tokens", &reading).await.expect(201);
        let reading = server.api.with(reading["secret"].as_str().unwrap());
        reading.get("/v1/me").await.expect(200);
        reading.post("/v1/games", &json!({ "ruleset": "congkak" })).await.json
    };
    seat_token 403 async |server: &Server| {
        let game = Game::of(&server.api, "congkak").await;
        game.south.get("/v1/me").await.json
    };
    unknown_token 404 async |server: &Server| {
        let aminah = player(&server.api, "Aminah").await;
        let path = "/v1/me/tokens/01935f3e-7b2a-7000-8000-000000000000";
        aminah.ask(Ask::new("DELETE", path)).await.json
    };
    too_many_webhooks 409 async |server: &Server| {
        let aminah = player(&server.api, "Aminah").await;
        let more = "insert into webhooks (webhook_id, player_id, scope, url, language, from_position, created_at) \
                    select gen_random_uuid(), player_id, 'player', 'https://example.org/', 'en', 0, app_now() \
                    from players, generate_series(1, 50)";
        server.db.execute(more).await;
        aminah.post("/v1/webhooks", &json!({ "url": "https://example.org/" })).await.json
    };
    bad_webhook_url 422 async |server: &Server| {
        let aminah = player(&server.api, "Aminah").await;
        aminah.post("/v1/webhooks", &json!({ "url": "https://127.0.0.1/" })).await.json
    };
    unknown_webhook 404 async |server: &Server| {
        let aminah = player(&server.api, "Aminah").await;
        aminah.get("/v1/webhooks/01935f3e-7b2a-7000-8000-000000000000").await.json
    };
    unknown_delivery 404 async |server: &Server| {
        let aminah = player(&server.api, "Aminah").await;
        let made = aminah.post("/v1/webhooks", &json!({ "url": "https://example.org/" })).await;
        let id = made.expect(201)["webhook"]["id"].as_str().unwrap().to_owned();
        aminah.call(&format!("/v1/webhooks/{id}/deliveries/1.1/replay")).await.json
    };
    bad_invitation 422 async |server: &Server| {
        let body = json!({ "ruleset": "congkak", "opponent": { "player": "nobody" } });
        let answer = server.api.post("/v1/games", &body).await.problem(422, "bad_invitation");
        assert_eq!(answer["parameter"], "opponent");
        answer
    };
    not_invited 403 async |server: &Server| {
        let game = waiting(&server.api, json!({ "invite": true })).await;
        server.api.post(&format!("{}/join", game.1), &json!({ "invite_token": "mp_x" })).await.json
    };
    own_game 409 async |server: &Server| {
        let (creator, path) = waiting(&server.api, json!({ "open": true })).await;
        creator.post(&format!("{path}/join"), &json!({})).await.json
    };
    seat_taken 409 async |server: &Server| {
        let (_, path) = waiting(&server.api, json!({ "open": true })).await;
        server.api.post(&format!("{path}/join"), &json!({})).await.expect(200);
        server.api.post(&format!("{path}/join"), &json!({})).await.json
    };
    cannot_abort 409 async |server: &Server| {
        let game = Game::of(&server.api, "al-manqala").await;
        game.play(&["s1", "n1"]).await;
        game.south.call(&game.to("abort")).await.json
    };
    key_reused 422 async |server: &Server| {
        let ask = |ruleset: &str| {
            let body = json!({ "ruleset": ruleset });
            Ask::post("/v1/games").json(&body).header("idempotency-key", KEY)
        };
        let first = server.api.ask(ask("congkak")).await.expect(201);
        let again = server.api.ask(ask("congkak")).await;
        assert!(again.replayed());
        assert_eq!(again.expect(201), first);
        server.api.ask(ask("al-manqala")).await.json
    };
    key_running 409 async |server: &Server| {
        // The first request waits for a lock that this test holds.
        let mut db = server.db.connect().await;
        let mut held = db.begin().await.unwrap();
        sqlx::query("lock table games").execute(&mut *held).await.unwrap();
        let body = json!({ "ruleset": "congkak" });
        let ask = || Ask::post("/v1/games").json(&body).header("idempotency-key", KEY);
        let (api, first) = (server.api.clone(), ask());
        let first = tokio::spawn(async move { api.ask(first).await });
        let waits = "select exists (select from pg_locks l join pg_database d on d.oid = l.database
                                    where d.datname = current_database() and not granted)";
        while !sqlx::query_scalar::<_, bool>(waits).fetch_one(&mut *held).await.unwrap() {
            tokio::task::yield_now().await;
        }
        let second = server.api.ask(ask()).await;
        held.rollback().await.unwrap();
        first.await.unwrap().expect(201);
        second.json
    };
    vacation_budget 422 async |server: &Server| {
        let aminah = player(&server.api, "Aminah").await;
        let until = "2200-01-01T00:00:00Z";
        let ask = Ask::new("PUT", "/v1/me/vacation").json(&json!({ "until": until }));
        let answer = aminah.ask(ask).await.problem(422, "vacation_budget");
        assert_eq!(answer["parameter"], "until");
        answer
    };
    range_not_satisfiable 416 async |_: &Server| {
        let shelf = Shelf::new();
        let path = shelf.by_hand();
        let front = shelf.front().await;
        let answer = front.api.ask(Ask::get(&path).header("range", "bytes=99999-")).await;
        assert_eq!(answer.header("content-range"), "bytes */6");
        answer.json
    };
    rate_limited 429 async |_: &Server| {
        let front = Front::start(|| {
            let limits = Limits::new(NonZeroU32::MIN, Vec::new(), false);
            Parts { limits: Some(limits), ..Parts::new(dead_pool(), "127.0.0.1:0") }
        })
        .await;
        let first = front.api.get("/v1/rulesets").await;
        assert_ne!(first.header("ratelimit-policy"), "");
        first.expect(200);
        let second = front.api.get("/v1/rulesets").await;
        assert!((1..=60).contains(&second.header("retry-after").parse::<u32>().unwrap()));
        second.json
    };
    unavailable 503 async |_: &Server| {
        let front = Front::start(|| Parts::new(dead_pool(), "127.0.0.1:0")).await;
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
