//! One bot for many people: a single webhook for all whom it plays for, one for
//! itself, one of somebody's own.

use serde_json::{Value, json};

use crate::support::channel::{acting, channel, get, post};
use crate::support::follow::{events, types};
use crate::support::receiver::{Answer, Receiver, send_all, server, subscribe, worker};
use crate::support::{Ask, Person};

const ANA: &str = "telegram:ana";

#[tokio::test]
async fn one_for_all_of_them() {
    let server = server().await;
    let worker = worker(&server.db, &server.url);
    let bot = channel(&server, "robot").await;
    let mira = Person::new(&server.api, "mira").await;
    let [all, own, anas] = [
        Receiver::start(&[]).await,
        Receiver::start(&[]).await,
        Receiver::start(&[]).await,
    ];
    let (webhook, _) = subscribe(&bot.api, &all.url, json!({ "all": true })).await;
    assert_eq!(bot.api.get(&webhook).await.expect(200)["scope"], "all");
    subscribe(&bot.api, &own.url, json!({})).await;
    let body = json!({ "url": anas.url });
    let theirs = post(&bot.api, ANA, "/v1/webhooks", body).await.expect(201);
    assert_eq!(theirs["webhook"]["scope"], "player");
    // Each has its own list.
    let list = get(&bot.api, ANA, "/v1/webhooks").await;
    assert_eq!(list["items"], json!([theirs["webhook"]]));
    let list = bot.api.get("/v1/webhooks").await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    let body = json!({ "url": anas.url, "all": true });
    let refused = post(&bot.api, ANA, "/v1/webhooks", body.clone()).await;
    refused.problem(403, "acting");
    let lacking = bot.limited(&["webhooks"]).await;
    let refused = lacking.post("/v1/webhooks", &body).await;
    refused.problem(403, "missing_scope");
    // Nor does such a token lead the bot's to another address, or learn its secret.
    let elsewhere = json!({ "url": "https://example.org/elsewhere" });
    let refused = lacking
        .ask(Ask::new("PATCH", &webhook).json(&elsewhere))
        .await;
    refused.problem(403, "missing_scope");
    for (path, body) in [("secrets", json!({})), ("replay", json!({ "after": "0" }))] {
        let refused = lacking.post(&format!("{webhook}/{path}"), &body).await;
        refused.problem(403, "missing_scope");
    }

    // Ana against Mira, Ana against Bo, the bot itself against Mira.
    let open =
        |seat: &str| json!({ "ruleset": "al-manqala", "seat": seat, "opponent": { "open": true } });
    for (maker, joiner) in [
        (Some(ANA), None),
        (Some(ANA), Some("telegram:bo")),
        (None, None),
    ] {
        let made = match maker {
            Some(maker) => post(&bot.api, maker, "/v1/games", open("south")).await,
            None => bot.api.post("/v1/games", &open("south")).await,
        };
        let made = made.expect(201);
        let join = format!("/v1/games/{}/join", made["game"]["id"].as_str().unwrap());
        match joiner {
            Some(joiner) => post(&bot.api, joiner, &join, json!({})).await.expect(200),
            None => mira.api.post(&join, &json!({})).await.expect(200),
        };
    }
    send_all(&server.db, &worker).await;
    let bodies = |receiver: &Receiver| -> Vec<Value> {
        let mut seen: Vec<Value> = receiver.seen().iter().map(|m| m.body.clone()).collect();
        seen.sort_by_key(|event| {
            let id = event["id"].as_str().unwrap();
            id.split_once('.').unwrap().1.parse::<i64>().unwrap()
        });
        seen
    };
    // The same events as the bot reads them, and whose they are.
    let told = events(&bot.api, "/v1/events").await;
    assert_eq!(told.len(), 9);
    assert_eq!(bodies(&all), told);
    let south = json!({ "seat": "south", "external_ref": ANA });
    let north = json!({ "seat": "north", "external_ref": "telegram:bo" });
    assert_eq!(told[1]["for"], json!([south]));
    assert_eq!(told[4]["for"], json!([south, north]));
    assert_eq!(told[7]["for"], json!([{ "seat": "south" }]));
    // The bot's own game; Ana's, without the reference that is the bot's.
    assert_eq!(bodies(&own), told[6..]);
    let page = get(&bot.api, ANA, "/v1/events?after=0").await;
    assert_eq!(json!(bodies(&anas)), page["items"]);
    assert_eq!(bodies(&anas).len(), 6);
    assert!(!json!(bodies(&anas)).to_string().contains("telegram"));

    // What is replayed is the same.
    let before = own.seen().len();
    for (path, queued) in [(&webhook, 9), (&list_path(&list["items"][1]), 3)] {
        let replay = bot
            .api
            .post(&format!("{path}/replay"), &json!({ "after": "0" }))
            .await;
        assert_eq!(replay.expect(202)["queued"], queued);
    }
    send_all(&server.db, &worker).await;
    assert_eq!(own.seen().len(), before + 3);
    assert_eq!(all.seen().len(), 18);
}

fn list_path(webhook: &Value) -> String {
    format!("/v1/webhooks/{}", webhook["id"].as_str().unwrap())
}

/// A webhook of somebody's own is disabled: they read it, and the bot with them.
#[tokio::test]
async fn disabled_for_somebody() {
    let server = server().await;
    let worker = worker(&server.db, &server.url);
    let bot = channel(&server, "robot").await;
    let gone = Receiver::start(&[Answer::Status(410)]).await;
    let body = json!({ "url": gone.url });
    post(&bot.api, ANA, "/v1/webhooks", body).await.expect(201);
    let game = json!({ "ruleset": "al-manqala", "seat": "south", "opponent": { "open": true } });
    let made = post(&bot.api, ANA, "/v1/games", game).await.expect(201);
    let path = format!("/v1/games/{}", made["game"]["id"].as_str().unwrap());
    let bo = "telegram:bo";
    let join = format!("{path}/join");
    post(&bot.api, bo, &join, json!({})).await.expect(200);
    send_all(&server.db, &worker).await;
    server.db.place_events().await;
    let told = events(&bot.api, "/v1/events").await;
    assert_eq!(types(&told).last(), Some(&"webhook.disabled"));
    let expected = json!([{ "seat": "south", "external_ref": ANA }]);
    assert_eq!(told.last().unwrap()["for"], expected);
    let page = get(&bot.api, ANA, "/v1/events?after=0").await;
    let last = page["items"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["type"], "webhook.disabled");
    let page = get(&bot.api, bo, "/v1/events?after=0").await;
    assert!(!page.to_string().contains("webhook.disabled"));
}

/// Who is not managed any more has no webhooks.
#[tokio::test]
async fn gone_with_somebody() {
    let server = server().await;
    let bot = channel(&server, "robot").await;
    let body = json!({ "url": "https://example.org/" });
    post(&bot.api, ANA, "/v1/webhooks", body.clone())
        .await
        .expect(201);
    post(&bot.api, "telegram:bo", "/v1/webhooks", body.clone())
        .await
        .expect(201);
    bot.api.post("/v1/webhooks", &body).await.expect(201);
    let leave = acting(Ask::new("DELETE", "/v1/me"), ANA);
    bot.api.ask(leave).await.expect(204);
    let left = "select count(*) from webhooks";
    assert_eq!(server.db.number(left).await, 2);
    bot.api.ask(Ask::new("DELETE", "/v1/me")).await.expect(204);
    assert_eq!(server.db.number(left).await, 0);
}

/// A game's webhook is for who has a seat in it, not for a bot beside them.
#[tokio::test]
async fn one_game_of_somebody() {
    let server = server().await;
    let bot = channel(&server, "robot").await;
    let game = json!({ "ruleset": "al-manqala", "opponent": { "open": true } });
    let made = post(&bot.api, ANA, "/v1/games", game).await.expect(201);
    let id = made["game"]["id"].as_str().unwrap();
    let body = json!({ "url": "https://example.org/", "game_id": id });
    let refused = bot.api.post("/v1/webhooks", &body).await;
    refused.problem(403, "not_seated");
    let taken = post(&bot.api, ANA, "/v1/webhooks", body).await.expect(201);
    assert_eq!(taken["webhook"]["game_id"], id);
}
