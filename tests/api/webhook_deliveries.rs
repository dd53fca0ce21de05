//! What is sent to a webhook: the event as its reader sees it, signed, each game's
//! in order; the log of it, and sending it once more.

use serde_json::{Value, json};

use crate::support::backstage::pass;
use crate::support::follow::{events, step};
use crate::support::people::between;
use crate::support::receiver::{Answer, Receiver, log, send_all, server, subscribe, worker};
use crate::support::{Ask, Clock, Person, Server};

async fn two(server: &Server) -> (Person, Person) {
    (
        Person::new(&server.api, "ana").await,
        Person::new(&server.api, "bo").await,
    )
}

#[tokio::test]
async fn an_event_as_its_reader_sees_it() {
    let server = server().await;
    let (ana, bo) = two(&server).await;
    let (anas, bos) = (Receiver::start(&[]).await, Receiver::start(&[]).await);
    let worker = worker(&server.db, &server.url);
    let url = format!("{}?to=7&from=x", anas.url);
    let (webhook, secret) = subscribe(&ana.api, &url, json!({})).await;
    let (_, other) = subscribe(&bo.api, &bos.url, json!({})).await;
    let game = between(&ana, &bo, "al-manqala", json!({ "visibility": "private" })).await;
    step(&game).await;
    assert_eq!(send_all(&server.db, &worker).await, 5 + 5);

    let seen = anas.seen();
    let told = events(&ana.api, "/v1/events").await;
    let bodies: Vec<Value> = seen.iter().map(|message| message.body.clone()).collect();
    assert_eq!(bodies, told);
    let kinds = [
        "game.created",
        "game.started",
        "turn.started",
        "move.played",
        "turn.started",
    ];
    assert_eq!(anas.types(), kinds);
    assert_eq!(told[2]["for"], json!([{ "seat": "south" }]));
    let now = chrono::Utc::now().timestamp();
    for (message, event) in seen.iter().zip(&told) {
        assert_eq!(message.line, "POST /hook?to=7&from=x HTTP/1.1");
        assert_eq!(message.header("content-type"), "application/json");
        assert!(message.header("user-agent").starts_with("mancala-post/"));
        assert!(url.contains(message.header("host")));
        assert_eq!(message.id(), event["id"].as_str().unwrap());
        let timestamp: i64 = message.header("webhook-timestamp").parse().unwrap();
        assert!((now - timestamp).abs() < 60, "{timestamp}");
        assert_eq!(message.signed_by(&secret), [true]);
        assert_eq!(message.signed_by(&other), [false]);
    }
    let told = events(&bo.api, "/v1/events").await;
    let bodies: Vec<Value> = bos
        .seen()
        .iter()
        .map(|message| message.body.clone())
        .collect();
    assert_eq!(bodies, told);
    assert_eq!(told[2]["for"], json!([]));

    // Each of them once, and that is in the log.
    assert_eq!(send_all(&server.db, &worker).await, 0);
    let log = log(&ana.api, &webhook).await;
    assert_eq!(log.len(), 5);
    for (entry, message) in log.iter().zip(&seen) {
        assert_eq!(entry["id"], message.id());
        assert_eq!(entry["type"], message.body["type"]);
        assert_eq!(entry["game_id"], game.id);
        assert_eq!(entry["status"], "delivered");
        assert_eq!(entry["attempts"], 1);
        assert_eq!(entry["next_attempt_at"], Value::Null);
        assert_eq!(entry["last_attempt"]["status"], 200);
        assert_eq!(entry["last_attempt"]["error"], Value::Null);
        assert_eq!(entry["delivered_at"], entry["last_attempt"]["at"]);
    }
}

/// Only the types, only the game, only what is told from then on.
#[tokio::test]
async fn filters() {
    let server = server().await;
    let (ana, bo) = two(&server).await;
    let worker = worker(&server.db, &server.url);
    let receivers = [
        Receiver::start(&[]).await,
        Receiver::start(&[]).await,
        Receiver::start(&[]).await,
        Receiver::start(&[]).await,
    ];
    let first = between(&ana, &bo, "al-manqala", json!({})).await;
    server.db.place_events().await;
    subscribe(
        &ana.api,
        &receivers[0].url,
        json!({ "events": ["move.played"] }),
    )
    .await;
    subscribe(&ana.api, &receivers[1].url, json!({ "game_id": first.id })).await;
    subscribe(&ana.api, &receivers[2].url, json!({})).await;
    let (off, _) = subscribe(&ana.api, &receivers[3].url, json!({})).await;
    let disable = Ask::new("PATCH", &off).json(&json!({ "enabled": false }));
    ana.api.ask(disable).await.expect(200);
    let second = between(&ana, &bo, "al-manqala", json!({})).await;
    step(&first).await;
    step(&second).await;
    send_all(&server.db, &worker).await;
    assert_eq!(receivers[0].types(), ["move.played", "move.played"]);
    assert_eq!(receivers[1].types(), ["move.played", "turn.started"]);
    assert!(
        receivers[1]
            .seen()
            .iter()
            .all(|m| m.body["game_id"] == first.id)
    );
    assert_eq!(receivers[2].types().len(), 3 + 4);
    assert_eq!(receivers[3].seen().len(), 0);
    let others = log(&ana.api, &off).await;
    assert_eq!(others, Vec::<Value>::new());
}

/// While a new secret takes over both sign; after a day the old one does not.
#[tokio::test]
async fn secrets_take_over() {
    let server = server().await;
    let (ana, bo) = two(&server).await;
    let receiver = Receiver::start(&[]).await;
    let worker = worker(&server.db, &server.url);
    let only = json!({ "events": ["move.played"] });
    let (webhook, first) = subscribe(&ana.api, &receiver.url, only).await;
    let game = between(&ana, &bo, "al-manqala", json!({})).await;
    let rotated = ana
        .api
        .call(&format!("{webhook}/secrets"))
        .await
        .expect(201);
    let second = rotated["secret"].as_str().unwrap().to_owned();
    let dates = &rotated["webhook"]["secrets"];
    assert_eq!(dates[0]["expires_at"], Value::Null);
    assert_ne!(dates[1]["expires_at"], Value::Null);
    step(&game).await;
    pass(&server.db, "23 hours").await;
    send_all(&server.db, &worker).await;
    pass(&server.db, "25 hours").await;
    step(&game).await;
    send_all(&server.db, &worker).await;
    let seen = receiver.seen();
    assert_eq!(seen[0].signed_by(&second), [true, false]);
    assert_eq!(seen[0].signed_by(&first), [false, true]);
    assert_eq!(seen[1].signed_by(&second), [true]);
    let shown = ana.api.get(&webhook).await.expect(200);
    assert_eq!(shown["secrets"].as_array().unwrap().len(), 1);
    // However often it is turned, a header has its limits.
    for _ in 0..8 {
        ana.api
            .call(&format!("{webhook}/secrets"))
            .await
            .expect(201);
    }
    step(&game).await;
    send_all(&server.db, &worker).await;
    let signatures = receiver.seen()[2].signed_by(&second);
    assert_eq!(signatures.len(), 5);
}

/// What follows in a game waits for what has failed; other games do not.
#[tokio::test]
async fn each_game_in_order() {
    let server = server().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = two(&server).await;
    let receiver = Receiver::start(&[Answer::Status(500)]).await;
    let worker = worker(&server.db, &server.url);
    let game = between(&ana, &bo, "al-manqala", json!({})).await;
    let other = between(&ana, &bo, "al-manqala", json!({})).await;
    send_all(&server.db, &worker).await;
    let only = json!({ "events": ["move.played"] });
    let (webhook, _) = subscribe(&ana.api, &receiver.url, only).await;
    for _ in 0..3 {
        step(&game).await;
    }
    send_all(&server.db, &worker).await;
    step(&other).await;
    step(&game).await;
    send_all(&server.db, &worker).await;
    let plies = |receiver: &Receiver| -> Vec<Value> {
        let seen = receiver.seen();
        let ply = |m: &crate::support::receiver::Received| {
            json!([m.body["game_id"] == game.id, m.body["ply"]])
        };
        seen.iter().map(ply).collect()
    };
    assert_eq!(plies(&receiver), [json!([true, 1]), json!([false, 1])]);
    let entries = log(&ana.api, &webhook).await;
    let waiting: Vec<_> = entries.iter().map(|entry| &entry["status"]).collect();
    assert_eq!(
        json!(waiting),
        json!(["pending", "pending", "pending", "delivered", "pending"])
    );
    assert_eq!(entries[1]["next_attempt_at"], Value::Null);
    assert_eq!(entries[1]["last_attempt"], Value::Null);

    clock.pass(6).await;
    send_all(&server.db, &worker).await;
    let expected = [
        (true, 1),
        (false, 1),
        (true, 1),
        (true, 2),
        (true, 3),
        (true, 4),
    ];
    let expected: Vec<Value> = expected.iter().map(|pair| json!(pair)).collect();
    assert_eq!(plies(&receiver), expected);
    let ids: Vec<_> = receiver.seen().iter().map(|m| m.id().to_owned()).collect();
    assert_eq!(ids[0], ids[2], "a retry has the same id");
}

/// One delivery, and all after a cursor.
#[tokio::test]
async fn once_more() {
    let server = server().await;
    let (ana, bo) = two(&server).await;
    let receiver = Receiver::start(&[]).await;
    let worker = worker(&server.db, &server.url);
    let game = between(&ana, &bo, "al-manqala", json!({})).await;
    step(&game).await;
    send_all(&server.db, &worker).await;
    let only = json!({ "events": ["move.played", "turn.started"] });
    let (webhook, _) = subscribe(&ana.api, &receiver.url, only).await;
    step(&game).await;
    send_all(&server.db, &worker).await;
    assert_eq!(receiver.types(), ["move.played", "turn.started"]);
    let first = receiver.seen()[0].clone();

    let replay = format!("{webhook}/deliveries/{}/replay", first.id());
    let queued = ana.api.call(&replay).await.expect(202);
    assert_eq!(queued["id"], first.id());
    assert_eq!(
        (&queued["status"], &queued["attempts"]),
        (&json!("pending"), &json!(0))
    );
    assert_eq!(send_all(&server.db, &worker).await, 1);
    let seen = receiver.seen();
    assert_eq!((seen[2].id(), &seen[2].body), (first.id(), &first.body));
    for (id, status, code) in [
        ("1.999", 404, "unknown_delivery"),
        ("2.1", 404, "unknown_delivery"),
        ("7", 400, "bad_request"),
        ("x.y", 400, "bad_request"),
    ] {
        let answer = ana
            .api
            .call(&format!("{webhook}/deliveries/{id}/replay"))
            .await;
        answer.problem(status, code);
    }

    // From a cursor, also what was before the webhook; its filter holds.
    let again = format!("{webhook}/replay");
    let answer = ana.api.post(&again, &json!({ "after": "0" })).await;
    assert_eq!(
        answer.expect(202),
        json!({ "queued": 5, "next_cursor": null })
    );
    assert_eq!(send_all(&server.db, &worker).await, 5);
    let turns = [
        "turn.started",
        "move.played",
        "turn.started",
        "move.played",
        "turn.started",
    ];
    assert_eq!(receiver.types()[3..], turns);
    let answer = ana.api.post(&again, &json!({ "after": first.id() })).await;
    assert_eq!(
        answer.expect(202),
        json!({ "queued": 1, "next_cursor": null })
    );
    assert_eq!(send_all(&server.db, &worker).await, 1);
    assert_eq!(receiver.seen().len(), 9);
    for (after, status, code) in [
        ("2.0", 409, "cursor_reset"),
        ("x", 400, "bad_request"),
        ("", 400, "bad_request"),
    ] {
        let answer = ana.api.post(&again, &json!({ "after": after })).await;
        answer.problem(status, code);
    }
}

#[tokio::test]
async fn the_log_page_by_page() {
    let server = server().await;
    let (ana, bo) = two(&server).await;
    let receiver = Receiver::start(&[Answer::Status(404)]).await;
    let worker = worker(&server.db, &server.url);
    let (webhook, _) = subscribe(&ana.api, &receiver.url, json!({})).await;
    let game = between(&ana, &bo, "al-manqala", json!({})).await;
    between(&ana, &bo, "al-manqala", json!({})).await;
    send_all(&server.db, &worker).await;
    let all = ana
        .api
        .get(&format!("{webhook}/deliveries"))
        .await
        .expect(200);
    assert_eq!(all["items"].as_array().unwrap().len(), 6);
    let mut found = Vec::new();
    let mut path = format!("{webhook}/deliveries?status=pending&limit=2");
    loop {
        let answer = ana.api.get(&path).await;
        let link = answer.header("link").to_owned();
        let page = answer.expect(200);
        found.extend(page["items"].as_array().unwrap().clone());
        let Some(next) = page["next_cursor"].as_str() else {
            assert_eq!(link, "");
            break;
        };
        path = format!("{webhook}/deliveries?status=pending&limit=2&cursor={next}");
        assert_eq!(link, format!("<{}{path}>; rel=\"next\"", server.url));
    }
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|entry| entry["game_id"] == game.id));
    assert_eq!(found[2]["last_attempt"]["error"], "answered 404");
    for bad in ["limit=0", "limit=201", "status=lost", "cursor=x", "after=0"] {
        let answer = ana.api.get(&format!("{webhook}/deliveries?{bad}")).await;
        let parameter = bad.split('=').next().unwrap();
        assert_eq!(answer.problem(400, "bad_request")["parameter"], parameter);
    }
    // A month later it is forgotten, but for what waits to be sent while something
    // is sent at all; the webhook is not.
    pass(&server.db, "31 days").await;
    let mut db = server.db.connect().await;
    mancala_post::db::deliveries::sweep(&mut db).await.unwrap();
    let left = log(&ana.api, &webhook).await;
    assert!(left.len() == 3 && left.iter().all(|entry| entry["status"] == "pending"));
    let disable = Ask::new("PATCH", &webhook).json(&json!({ "enabled": false }));
    ana.api.ask(disable).await.expect(200);
    mancala_post::db::deliveries::sweep(&mut db).await.unwrap();
    assert_eq!(log(&ana.api, &webhook).await, Vec::<Value>::new());
}

/// A test goes out at once and tells what came of it; it leaves no trace.
#[tokio::test]
async fn a_test() {
    let server = server().await;
    let (ana, _) = two(&server).await;
    let answers = [
        Answer::Status(204),
        Answer::Status(410),
        Answer::Hang,
        Answer::Close,
        Answer::With(302, "location: /elsewhere".into()),
    ];
    let receiver = Receiver::start(&answers).await;
    let (webhook, secret) = subscribe(&ana.api, &receiver.url, json!({})).await;
    let test = format!("{webhook}/test");
    let mut outcomes = Vec::new();
    for _ in &answers {
        let outcome = ana.api.call(&test).await.expect(200);
        outcomes.push(json!([
            outcome["delivered"],
            outcome["status"],
            outcome["error"]
        ]));
    }
    assert_eq!(outcomes[0], json!([true, 204, null]));
    assert_eq!(outcomes[1], json!([false, 410, "answered 410"]));
    assert_eq!(
        outcomes[2],
        json!([false, null, "no answer within 0.5 seconds"])
    );
    assert_eq!(outcomes[3][0], false);
    let error = outcomes[3][2].as_str().unwrap();
    assert!(error.starts_with("no answer: "), "{error}");
    let error = "answered 302: redirects are not followed";
    assert_eq!(outcomes[4], json!([false, 302, error]));

    let seen = receiver.seen();
    assert_eq!(seen.len(), 5);
    let message = &seen[0].body;
    assert_eq!(message["type"], "webhook.test");
    assert_eq!(message["id"], seen[0].id());
    assert!(seen[0].id().starts_with("test_"));
    assert_eq!(message["data"]["url"], format!("{}{webhook}", server.url));
    assert_eq!(seen[0].signed_by(&secret), [true]);
    assert_ne!(seen[1].id(), seen[0].id());
    let state = ana.api.get(&webhook).await.expect(200);
    assert_eq!(
        (&state["enabled"], &state["failing_since"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(log(&ana.api, &webhook).await, Vec::<Value>::new());
}
