//! Webhooks as their owner sees them: made, shown, changed, taken away; and what
//! the document says of the messages.

use std::collections::BTreeSet;

use mancala_post::db::events::Kind;
use serde_json::{Value, json};

use crate::support::backstage::everything;
use crate::support::people::{at_once, between};
use crate::support::receiver::{server, subscribe};
use crate::support::{Ask, Game, Made, Person, Server};

/// The types of events as clients know them: none is ever renamed.
const TYPES: [&str; 11] = [
    "game.created",
    "game.started",
    "turn.started",
    "move.played",
    "offer.made",
    "offer.answered",
    "deadline.near",
    "deadline.moved",
    "game.finished",
    "game.aborted",
    "webhook.disabled",
];

const HOOK: &str = "https://bot.example.org/mancala?to=7";

#[tokio::test]
async fn one_message_for_each_type_of_event() {
    let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(known, TYPES);
    // So does the table that explains them.
    let table = include_str!("../../docs/correspondence.md");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let told = rows.filter_map(|row| row.split_once('`')).map(|row| row.0);
    let told: Vec<&str> = told.filter(|name| name.contains('.')).collect();
    assert_eq!(told, TYPES);

    let server = Server::start().await;
    let document = server.api.get("/openapi.json").await.expect(200);
    let webhooks = document["webhooks"].as_object().unwrap();
    let names: BTreeSet<&str> = webhooks.keys().map(String::as_str).collect();
    let mut expected = BTreeSet::from(TYPES);
    expected.insert("webhook.test");
    assert_eq!(names, expected);
    for (name, item) in webhooks {
        let methods: Vec<_> = item.as_object().unwrap().keys().collect();
        assert_eq!(methods, ["post"], "{name}");
        let message = &item["post"];
        let said = message["description"].as_str().unwrap();
        assert!(said.contains("at least once"), "{said}");
        assert_ne!(message["summary"], Value::Null);
        let headers: Vec<_> = message["parameters"].as_array().unwrap().iter().collect();
        for header in &headers {
            assert_eq!(
                (&header["in"], &header["required"]),
                (&json!("header"), &json!(true))
            );
        }
        let headers: Vec<_> = headers.iter().map(|header| &header["name"]).collect();
        let expected = ["webhook-id", "webhook-timestamp", "webhook-signature"];
        assert_eq!(json!(headers), json!(expected), "{name}");
        let body = &message["requestBody"];
        assert_eq!(body["required"], true);
        let schema = match name.as_str() {
            "webhook.test" => "#/components/schemas/TestMessage",
            _ => "#/components/schemas/EventState",
        };
        let event = &body["content"]["application/json"]["schema"]["$ref"];
        assert_eq!(event, schema);
        let answers: Vec<_> = message["responses"].as_object().unwrap().keys().collect();
        assert_eq!(answers, ["2XX"]);
    }
}

/// Made, shown, listed, changed, taken away; the secret is shown once.
#[tokio::test]
async fn from_the_first_to_the_last() {
    let server = Server::start().await;
    let ana = Person::new(&server.api, "ana").await;
    let bo = Person::new(&server.api, "bo").await;
    let body = json!({ "url": HOOK, "events": ["game.finished", "turn.started", "turn.started"] });
    let answer = ana.api.post("/v1/webhooks", &body).await;
    let made = answer.clone().expect(201);
    let webhook = &made["webhook"];
    let path = format!("/v1/webhooks/{}", webhook["id"].as_str().unwrap());
    assert_eq!(answer.header("location"), format!("{}{path}", server.url));
    let at = &webhook["created_at"];
    let expected = json!({
        "id": webhook["id"], "url": HOOK, "scope": "player", "game_id": null,
        "events": ["turn.started", "game.finished"], "language": "en",
        "enabled": true, "disabled_at": null, "disabled_reason": null, "failing_since": null,
        "secrets": [{ "created_at": at, "expires_at": null }], "created_at": at,
    });
    assert_eq!(webhook, &expected);
    let secret = made["secret"].as_str().unwrap();
    // 32 bytes.
    assert_eq!(secret.len(), "whsec_".len() + 44);

    assert_eq!(ana.api.get(&path).await.expect(200), expected);
    let (second, other) = subscribe(&ana.api, "https://[2606:4700::1]/", json!({})).await;
    assert_ne!(secret, other);
    let list = ana.api.get("/v1/webhooks").await.expect(200);
    assert_eq!(list["items"][0], expected);
    assert_eq!(list["items"][1]["events"], Value::Null);
    assert!(!list.to_string().contains("whsec_"));
    let others = bo.api.get("/v1/webhooks").await.expect(200);
    assert_eq!(others, json!({ "items": [] }));

    let change = |body: Value| Ask::new("PATCH", &path).json(&body);
    let changed = ana
        .api
        .ask(change(
            json!({ "url": "https://example.org", "language": "ms" }),
        ))
        .await
        .expect(200);
    assert_eq!(changed["url"], "https://example.org/");
    assert_eq!(changed["language"], "ms");
    assert_eq!(changed["events"], expected["events"]);
    let changed = ana.api.ask(change(json!({ "events": null }))).await;
    assert_eq!(changed.expect(200)["events"], Value::Null);
    let off = ana.api.ask(change(json!({ "enabled": false }))).await;
    let off = off.expect(200);
    assert_eq!(
        (&off["enabled"], &off["disabled_reason"]),
        (&json!(false), &json!("owner"))
    );
    assert_ne!(off["disabled_at"], Value::Null);
    let same = ana.api.ask(change(json!({}))).await.expect(200);
    assert_eq!(same, off);
    let on = ana.api.ask(change(json!({ "enabled": true }))).await;
    let on = on.expect(200);
    assert_eq!(
        (&on["enabled"], &on["disabled_at"], &on["disabled_reason"]),
        (&json!(true), &Value::Null, &Value::Null)
    );

    // Nobody else's.
    for ask in [
        Ask::get(&path),
        change(json!({})),
        Ask::new("DELETE", &path),
        Ask::post(&format!("{path}/secrets")),
        Ask::post(&format!("{path}/test")),
        Ask::get(&format!("{path}/deliveries")),
        Ask::post(&format!("{path}/deliveries/1.1/replay")),
        Ask::post(&format!("{path}/replay")).json(&json!({ "after": "0" })),
    ] {
        bo.api.ask(ask).await.problem(404, "unknown_webhook");
    }
    ana.api.ask(Ask::new("DELETE", &path)).await.expect(204);
    let again = ana.api.ask(Ask::new("DELETE", &path)).await;
    again.problem(404, "unknown_webhook");
    ana.api.get(&path).await.problem(404, "unknown_webhook");
    ana.api.get(&second).await.expect(200);
}

#[tokio::test]
async fn what_is_refused() {
    let server = Server::start().await;
    let ana = Person::new(&server.api, "ana").await;
    let bo = Person::new(&server.api, "bo").await;
    let post = async |body: Value| ana.api.post("/v1/webhooks", &body).await;
    for (parameter, body) in [
        ("url", json!({})),
        ("url", json!({ "url": 7 })),
        ("events", json!({ "url": HOOK, "events": [] })),
        ("events", json!({ "url": HOOK, "events": ["game.begun"] })),
        ("events", json!({ "url": HOOK, "events": ["webhook.test"] })),
        ("language", json!({ "url": HOOK, "language": "" })),
        ("language", json!({ "url": HOOK, "language": "en_GB" })),
        ("language", json!({ "url": HOOK, "language": "english" })),
        ("game_id", json!({ "url": HOOK, "game_id": "7" })),
        ("secret", json!({ "url": HOOK, "secret": "whsec_abc" })),
    ] {
        let problem = post(body.clone()).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], parameter, "{body}");
    }
    let game = Game::of(&server.api, "congkak").await;
    let both = json!({ "url": HOOK, "game_id": game.id, "all": true });
    let problem = post(both).await.problem(400, "bad_request");
    assert_eq!(problem["parameter"], "all");
    for url in [
        "http://bot.example.org/",
        "https://127.0.0.1/",
        "https://0x7f.1/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://me:pw@bot.example.org/",
        "ftp://bot.example.org/",
        "bot.example.org",
    ] {
        let problem = post(json!({ "url": url })).await;
        let problem = problem.problem(422, "bad_webhook_url");
        assert_eq!(problem["parameter"], "url", "{url}");
    }
    let (path, _) = subscribe(&ana.api, HOOK, json!({})).await;
    let moved = Ask::new("PATCH", &path).json(&json!({ "url": "https://10.0.0.1" }));
    ana.api.ask(moved).await.problem(422, "bad_webhook_url");
    for body in [
        json!({ "enabled": "no" }),
        json!({ "game_id": null }),
        json!({ "events": [] }),
    ] {
        let ask = Ask::new("PATCH", &path).json(&body);
        ana.api.ask(ask).await.problem(400, "bad_request");
    }
    assert_eq!(ana.api.get(&path).await.expect(200)["url"], HOOK);

    // A game's is for its seats.
    let of = |id: &str| json!({ "url": HOOK, "game_id": id });
    post(of(&game.id)).await.problem(403, "not_seated");
    let private = Made::by(&bo.api, "congkak", json!({ "visibility": "private" })).await;
    post(of(&private.id)).await.problem(404, "not_found");
    post(of("01935f3e-7b2a-7000-8000-000000000000"))
        .await
        .problem(404, "not_found");
    let own = between(&ana, &bo, "congkak", json!({})).await;
    let made = post(of(&own.id)).await.expect(201);
    assert_eq!(made["webhook"]["scope"], "game");
    assert_eq!(made["webhook"]["game_id"], own.id);
    // That is for bots that play for others.
    let all = post(json!({ "url": HOOK, "all": true })).await;
    all.problem(403, "missing_scope");
    let none = post(json!({ "url": HOOK, "all": false })).await.expect(201);
    assert_eq!(none["webhook"]["scope"], "player");
    // `webhooks` is the scope it takes, and no other.
    let others = ana.limited(&["read", "play"]).await;
    let problem = others.get("/v1/webhooks").await;
    problem.problem(403, "missing_scope");
    let alone = ana.limited(&["webhooks"]).await;
    alone.get("/v1/webhooks").await.expect(200);
}

/// Fifty at a time, however many ask at once.
#[tokio::test]
async fn no_more_than_fifty() {
    let server = Server::start().await;
    let ana = Person::new(&server.api, "ana").await;
    let fill = "insert into webhooks (webhook_id, player_id, scope, url, language, from_position, created_at) \
                select gen_random_uuid(), player_id, 'player', 'https://example.org/', 'en', 0, app_now() \
                from players, generate_series(1, 47)";
    server.db.execute(fill).await;
    let body = json!({ "url": HOOK });
    let asks = (0..8).map(|_| (ana.api.clone(), Ask::post("/v1/webhooks").json(&body)));
    let answers = at_once(asks).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 3);
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer.problem(409, "too_many_webhooks");
    }
}

/// The same creation sent again is the same webhook with the same secret.
#[tokio::test]
async fn made_once() {
    let server = server().await;
    let ana = Person::new(&server.api, "ana").await;
    let ask = |path: &str, body: Value| {
        Ask::post(path)
            .json(&body)
            .header("idempotency-key", "\"once\"")
    };
    let body = json!({ "url": HOOK });
    let first = ana.api.ask(ask("/v1/webhooks", body.clone())).await;
    let again = ana.api.ask(ask("/v1/webhooks", body)).await;
    assert!(!first.replayed() && again.replayed());
    let first = first.expect(201);
    assert_eq!(first, again.expect(201));
    let other = json!({ "url": "https://example.org" });
    let other = ana.api.ask(ask("/v1/webhooks", other)).await;
    other.problem(422, "key_reused");
    let list = ana.api.get("/v1/webhooks").await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 1);

    let path = format!("/v1/webhooks/{}", first["webhook"]["id"].as_str().unwrap());
    let rotate = || Ask::post(&format!("{path}/secrets")).header("idempotency-key", "\"turn\"");
    let second = ana.api.ask(rotate()).await.expect(201);
    assert_eq!(ana.api.ask(rotate()).await.expect(201), second);
    assert_ne!(second["secret"], first["secret"]);
    let secrets = second["webhook"]["secrets"].as_array().unwrap();
    assert_eq!(secrets.len(), 2);
    // Kept answers are sealed: the text of a secret is nowhere.
    let stored = everything(&server.db).await;
    assert!(!stored.contains("whsec_"));
}

/// Who leaves the server takes the webhooks along.
#[tokio::test]
async fn they_go_with_their_player() {
    let server = Server::start().await;
    let ana = Person::new(&server.api, "ana").await;
    let bo = Person::new(&server.api, "bo").await;
    subscribe(&ana.api, HOOK, json!({})).await;
    subscribe(&bo.api, HOOK, json!({})).await;
    ana.api.ask(Ask::new("DELETE", "/v1/me")).await.expect(204);
    let left = server.db.number("select count(*) from webhooks").await;
    assert_eq!(left, 1);
    let secrets = server
        .db
        .number("select count(*) from webhook_secrets")
        .await;
    assert_eq!(secrets, 1);
}
