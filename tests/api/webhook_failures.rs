//! Receivers that fail: when they are tried again, when no more, when their webhook
//! is disabled, and that nothing they do hurts.

use chrono::{DateTime, Utc};
use mancala_post::notify::webhooks::{PAUSES, Worker};
use serde_json::{Value, json};

use crate::support::follow::{events, game_of, player, step, types};
use crate::support::receiver::{Answer, Receiver, log, send_all, server, subscribe, worker};
use crate::support::{Api, Ask, Clock, Game, Server};

/// A player whose webhook gets the moves of a game, at a stopped clock.
struct Scene {
    server: Server,
    clock: Clock,
    worker: Worker,
    receiver: Receiver,
    ana: Api,
    bo: Api,
    game: Game,
    webhook: String,
}

impl Scene {
    async fn new(script: &[Answer]) -> Scene {
        let server = server().await;
        let clock = Clock::stop(&server.db).await;
        let worker = worker(&server.db, &server.url);
        let receiver = Receiver::start(script).await;
        let ana = player(&server.api, "ana").await;
        let bo = player(&server.api, "bo").await;
        let game = game_of(&ana, &bo, json!({ "ruleset": "al-manqala" })).await;
        let only = json!({ "events": ["move.played"] });
        let (webhook, _) = subscribe(&ana, &receiver.url, only).await;
        Scene {
            server,
            clock,
            worker,
            receiver,
            ana,
            bo,
            game,
            webhook,
        }
    }

    /// Attempts that are due now.
    async fn send(&self) -> usize {
        send_all(&self.server.db, &self.worker).await
    }

    async fn state(&self) -> Value {
        self.ana.get(&self.webhook).await.expect(200)
    }

    async fn log(&self) -> Vec<Value> {
        log(&self.ana, &self.webhook).await
    }

    /// Enables it again.
    async fn enable(&self) -> Value {
        let ask = Ask::new("PATCH", &self.webhook).json(&json!({ "enabled": true }));
        self.ana.ask(ask).await.expect(200)
    }
}

/// Seconds from one time to another.
fn between(from: &Value, to: &Value) -> f64 {
    let time = |value: &Value| value.as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    (time(to) - time(from)).as_seconds_f64()
}

/// Eight attempts, with the standard's pauses and up to a fifth more; then the
/// next event has its turn.
#[tokio::test]
async fn the_pauses() {
    assert_eq!(PAUSES, [5, 300, 1800, 7200, 18_000, 36_000, 50_400]);
    let mut scene = Scene::new(&vec![Answer::Status(500); 8]).await;
    step(&scene.game).await;
    step(&scene.game).await;
    assert_eq!(scene.send().await, 1);
    let since = scene.state().await["failing_since"].clone();
    assert_eq!(since, scene.clock.now());
    let mut pauses = Vec::new();
    for (number, pause) in PAUSES.into_iter().enumerate() {
        let entry = scene.log().await[0].clone();
        assert_eq!(entry["status"], "pending");
        assert_eq!(entry["attempts"], number + 1);
        let last = &entry["last_attempt"];
        assert_eq!(
            (&last["status"], &last["error"]),
            (&json!(500), &json!("answered 500"))
        );
        let waits = between(&last["at"], &entry["next_attempt_at"]);
        let share = waits / f64::from(i32::try_from(pause).unwrap());
        assert!((1.0..1.2).contains(&share), "{waits} after {number}");
        pauses.push(share);
        // Not a second too early.
        scene.clock.pass(pause - 1).await;
        assert_eq!(scene.send().await, 0);
        scene.clock.pass(pause / 5 + 2).await;
        let expected = if number + 1 == PAUSES.len() { 2 } else { 1 };
        assert_eq!(scene.send().await, expected);
    }
    pauses.dedup();
    assert!(pauses.len() > 1, "no jitter");
    let log = scene.log().await;
    assert_eq!(
        (&log[0]["status"], &log[0]["attempts"]),
        (&json!("failed"), &json!(8))
    );
    assert_eq!(log[0]["next_attempt_at"], Value::Null);
    assert_eq!(log[1]["status"], "delivered");
    assert_eq!(scene.state().await["failing_since"], Value::Null);
    let plies: Vec<_> = scene
        .receiver
        .seen()
        .iter()
        .map(|m| m.body["ply"].clone())
        .collect();
    assert_eq!(json!(plies), json!([1, 1, 1, 1, 1, 1, 1, 1, 2]));
}

#[tokio::test]
async fn first_500_then_200() {
    let mut scene = Scene::new(&[Answer::Status(500)]).await;
    step(&scene.game).await;
    scene.send().await;
    scene.clock.pass(7).await;
    assert_eq!(scene.send().await, 1);
    let entry = scene.log().await[0].clone();
    assert_eq!(
        (&entry["status"], &entry["attempts"]),
        (&json!("delivered"), &json!(2))
    );
    assert_eq!(entry["delivered_at"], scene.clock.now());
    let seen = scene.receiver.seen();
    assert_eq!(seen[0].id(), seen[1].id());
    assert_eq!(seen[0].text, seen[1].text);
    let time = |number: usize| seen[number].header("webhook-timestamp").parse::<i64>();
    assert_eq!(time(1).unwrap() - time(0).unwrap(), 7);
}

/// Silence, closed connections, redirects, refusals; and a body that does not end,
/// or does not come, hurts nobody.
#[tokio::test]
async fn all_kinds_of_answers() {
    for (answer, status, error) in [
        (
            Answer::Hang,
            json!(null),
            Some("no answer within 0.5 seconds"),
        ),
        (Answer::Close, json!(null), Some("no answer: ")),
        (
            Answer::With(307, "location: http://127.0.0.1:1/".into()),
            json!(307),
            Some("answered 307: redirects are not followed"),
        ),
        (Answer::Status(401), json!(401), Some("answered 401")),
        (Answer::Status(201), json!(201), None),
        (Answer::SlowBody, json!(200), None),
        (Answer::HugeBody, json!(200), None),
        (Answer::Interim, json!(null), Some("no answer: ")),
    ] {
        let scene = Scene::new(std::slice::from_ref(&answer)).await;
        step(&scene.game).await;
        assert_eq!(scene.send().await, 1);
        assert_eq!(scene.receiver.seen().len(), 1);
        let entry = scene.log().await[0].clone();
        let last = &entry["last_attempt"];
        assert_eq!(last["status"], status, "{answer:?}");
        match error {
            None => assert_eq!(entry["status"], "delivered", "{answer:?}: {entry}"),
            Some(error) => {
                assert_eq!(entry["status"], "pending", "{answer:?}");
                let said = last["error"].as_str().unwrap();
                assert!(said.starts_with(error), "{answer:?}: {said}");
            }
        }
        // What it got rid of is what was read, and what lies in buffers.
        assert!(scene.receiver.bytes() < 16 * 1024 * 1024);
    }
    // Nobody listens there any more.
    let scene = Scene::new(&[]).await;
    let gone = Receiver::start(&[]).await.url.clone();
    let moved = Ask::new("PATCH", &scene.webhook).json(&json!({ "url": gone }));
    scene.ana.ask(moved).await.expect(200);
    step(&scene.game).await;
    assert_eq!(scene.send().await, 1);
    let entry = scene.log().await[0].clone();
    let refused = "no connection: connection refused";
    assert_eq!(entry["last_attempt"]["error"], refused);
}

/// 410 disables at once; its owner alone is told, and enables it again.
#[tokio::test]
async fn gone() {
    let scene = Scene::new(&[Answer::Status(410)]).await;
    let second = Receiver::start(&[]).await;
    let only = json!({ "events": ["webhook.disabled"] });
    subscribe(&scene.ana, &second.url, only).await;
    step(&scene.game).await;
    step(&scene.game).await;
    scene.send().await;
    assert_eq!(scene.receiver.seen().len(), 1);
    let state = scene.state().await;
    assert_eq!(state["enabled"], false);
    assert_eq!(state["disabled_reason"], "gone");
    assert_eq!(state["disabled_at"], scene.clock.now());
    let log = scene.log().await;
    assert_eq!(
        (&log[0]["status"], &log[0]["attempts"]),
        (&json!("pending"), &json!(1))
    );
    assert_eq!(log[0]["last_attempt"]["error"], "answered 410");
    assert_eq!(
        (&log[1]["status"], &log[1]["attempts"]),
        (&json!("pending"), &json!(0))
    );
    assert!(log.iter().all(|entry| entry["next_attempt_at"].is_null()));

    // In the owner's log, and sent to another webhook of hers; nowhere else.
    scene.send().await;
    let told = events(&scene.ana, "/v1/events").await;
    let event = told.last().unwrap();
    assert_eq!(event["type"], "webhook.disabled");
    assert_eq!(event["game_id"], scene.game.id);
    assert_eq!(event["for"], json!([{ "seat": "south" }]));
    let id = scene.webhook.rsplit('/').next().unwrap();
    let facts = json!({ "webhook": id, "reason": "gone", "error": "answered 410" });
    assert_eq!(event["data"]["facts"], facts);
    assert_eq!(event["data"]["title"], "Webhook disabled");
    assert_eq!(second.seen()[0].body, *event);
    for (reader, path) in [
        (&scene.bo, "/v1/events"),
        (&scene.ana, &scene.game.to("events")),
        (&scene.server.api, &scene.game.to("events")),
    ] {
        let told = events(reader, path).await;
        assert!(!types(&told).contains(&"webhook.disabled"), "{path}");
    }

    // Nothing is queued meanwhile; then what waited goes out, the refused one first.
    step(&scene.game).await;
    scene.send().await;
    assert_eq!(scene.log().await.len(), 2);
    let state = scene.enable().await;
    assert_eq!(
        (&state["enabled"], &state["failing_since"]),
        (&json!(true), &Value::Null)
    );
    step(&scene.game).await;
    scene.send().await;
    let plies: Vec<_> = scene
        .receiver
        .seen()
        .iter()
        .map(|m| m.body["ply"].clone())
        .collect();
    assert_eq!(json!(plies), json!([1, 1, 2, 4]));
    let seen = scene.receiver.seen();
    assert_eq!(seen[0].id(), seen[1].id());
    let log = scene.log().await;
    let attempts: Vec<_> = log.iter().map(|entry| &entry["attempts"]).collect();
    assert_eq!(json!(attempts), json!([2, 1, 1]));
    // What was missed is there for the asking.
    let first = scene.receiver.seen()[0].id().to_owned();
    let replay = format!("{}/replay", scene.webhook);
    let answer = scene.ana.post(&replay, &json!({ "after": first })).await;
    assert_eq!(answer.expect(202)["queued"], 3);
    scene.send().await;
    let plies: Vec<_> = scene
        .receiver
        .seen()
        .iter()
        .map(|m| m.body["ply"].clone())
        .collect();
    assert_eq!(json!(plies), json!([1, 1, 2, 4, 2, 3, 4]));
}

/// 410 to messages of two games that are on their way at once: both wait.
#[tokio::test]
async fn gone_twice() {
    let scene = Scene::new(&[Answer::Status(410), Answer::Status(410)]).await;
    let second = game_of(&scene.ana, &scene.bo, json!({ "ruleset": "al-manqala" })).await;
    step(&scene.game).await;
    step(&second).await;
    assert_eq!(scene.send().await, 2);
    assert_eq!(scene.state().await["disabled_reason"], "gone");
    for entry in scene.log().await {
        assert_eq!(
            (&entry["status"], &entry["next_attempt_at"]),
            (&json!("pending"), &Value::Null)
        );
    }
    assert_eq!(scene.send().await, 0);
    scene.enable().await;
    assert_eq!(scene.send().await, 2);
    let log = scene.log().await;
    assert!(log.iter().all(|entry| entry["status"] == "delivered"));
}

/// Five days without anything that arrives.
#[tokio::test]
async fn failing_for_days() {
    let mut scene = Scene::new(&vec![Answer::Status(503); 100]).await;
    const HOUR: i64 = 3600;
    let mut hours = 0;
    step(&scene.game).await;
    scene.send().await;
    // Five days and a few hours: an event fails after a day or so, then the next.
    while hours < 130 {
        scene.clock.pass(HOUR).await;
        hours += 1;
        if hours % 20 == 0 {
            step(&scene.game).await;
        }
        scene.send().await;
        if scene.state().await["enabled"] == false {
            break;
        }
    }
    assert!(hours >= 120, "{hours}");
    let state = scene.state().await;
    assert_eq!(
        (&state["enabled"], &state["disabled_reason"]),
        (&json!(false), &json!("failing"))
    );
    assert_ne!(state["failing_since"], Value::Null);
    scene.send().await;
    let told = events(&scene.ana, "/v1/events").await;
    let event = told.last().unwrap();
    assert_eq!(event["type"], "webhook.disabled");
    assert_eq!(event["data"]["facts"]["reason"], "failing");
    let seen = scene.receiver.seen().len();
    scene.clock.pass(48 * HOUR).await;
    scene.send().await;
    assert_eq!(scene.receiver.seen().len(), seen);

    // One success, and the days are counted anew.
    scene.enable().await;
    scene.send().await;
    assert!(scene.receiver.seen().len() > seen);
    assert_eq!(scene.state().await["failing_since"], scene.clock.now());
}

/// `Retry-After` of 429 and 503 makes a pause longer, within a day; never shorter.
#[tokio::test]
async fn who_asks_for_time_gets_it() {
    let ask = |status: u16, seconds: &str| Answer::With(status, format!("retry-after: {seconds}"));
    for (answer, from, to) in [
        (ask(429, "100"), 100.0, 100.0),
        (ask(503, "100"), 100.0, 100.0),
        (ask(503, "Fri, 01 Jan 2027 00:02:00 GMT"), 120.0, 120.0),
        (ask(429, "1"), 5.0, 6.0),
        (ask(429, "9999999"), 86_400.0, 86_400.0),
        (ask(429, "later"), 5.0, 6.0),
        (ask(500, "100"), 5.0, 6.0),
    ] {
        let scene = Scene::new(std::slice::from_ref(&answer)).await;
        step(&scene.game).await;
        scene.send().await;
        let entry = scene.log().await[0].clone();
        let waits = between(&entry["last_attempt"]["at"], &entry["next_attempt_at"]);
        assert!((from..=to).contains(&waits), "{answer:?}: {waits}");
    }
}

/// A pending delivery that is replayed is tried at once.
#[tokio::test]
async fn at_once_on_request() {
    let scene = Scene::new(&[Answer::Status(500)]).await;
    step(&scene.game).await;
    scene.send().await;
    let id = scene.log().await[0]["id"].as_str().unwrap().to_owned();
    let replay = format!("{}/deliveries/{id}/replay", scene.webhook);
    scene.ana.call(&replay).await.expect(202);
    assert_eq!(scene.send().await, 1);
    assert_eq!(scene.log().await[0]["status"], "delivered");
}

/// What has failed goes to the new address; it starts without a record.
#[tokio::test]
async fn moved_elsewhere() {
    let mut scene = Scene::new(&[Answer::Status(500)]).await;
    step(&scene.game).await;
    scene.send().await;
    assert_ne!(scene.state().await["failing_since"], Value::Null);
    let other = Receiver::start(&[]).await;
    let ask = Ask::new("PATCH", &scene.webhook).json(&json!({ "url": other.url }));
    let moved = scene.ana.ask(ask).await.expect(200);
    assert_eq!(moved["failing_since"], Value::Null);
    scene.clock.pass(7).await;
    assert_eq!(scene.send().await, 1);
    assert_eq!(other.seen()[0].id(), scene.receiver.seen()[0].id());
}
