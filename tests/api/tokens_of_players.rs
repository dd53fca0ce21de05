//! The tokens of players: what a further one is good for, how long, and its end.

use serde_json::{Value, json};

use crate::support::backstage::{everything, pass};
use crate::support::people::at_once;
use crate::support::{Answer, Api, Ask, Person, Server};

const TOKENS: &str = "/v1/me/tokens";

async fn revoke(api: &Api, id: &Value) -> Answer {
    let path = format!("{TOKENS}/{}", id.as_str().unwrap());
    api.ask(Ask::new("DELETE", &path)).await
}

/// The time of the database, `hours` from now.
fn in_hours(hours: i64) -> String {
    let at = chrono::Utc::now() + chrono::Duration::hours(hours);
    at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

#[tokio::test]
async fn never_beyond_the_scopes_of_the_one_that_asks() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let robot = Person::bot(&server.api, "robot").await;
    let ask = |scopes: Value| json!({ "scopes": scopes });

    let answer = aminah.api.post(TOKENS, &ask(json!(["act"]))).await;
    answer.problem(403, "missing_scope");
    let (all, _) = robot
        .further(ask(json!(["act", "webhooks", "play", "read", "act"])))
        .await;
    let usual = json!(["read", "play", "webhooks", "act"]);
    assert_eq!(all["token"]["scopes"], usual);

    let (_, playing) = aminah.further(ask(json!(["play"]))).await;
    playing.get("/v1/me").await.problem(403, "missing_scope");
    playing
        .post(TOKENS, &ask(json!(["play"])))
        .await
        .expect(201);
    for scopes in [
        json!(["read"]),
        json!(["play", "read"]),
        json!(["webhooks"]),
    ] {
        let answer = playing.post(TOKENS, &ask(scopes)).await;
        answer.problem(403, "missing_scope");
    }
    // To make tokens is to change the account.
    for scopes in [["read"].as_slice(), &["webhooks"], &["read", "webhooks"]] {
        let limited = aminah.limited(scopes).await;
        let answer = limited.post(TOKENS, &ask(json!(scopes))).await;
        answer.problem(403, "missing_scope");
    }
    let bad = [
        json!([]),
        json!(["Read"]),
        json!(["read", "admin"]),
        json!("read"),
        json!([7]),
        Value::Null,
    ];
    for scopes in bad {
        let answer = aminah.api.post(TOKENS, &ask(scopes)).await;
        let parameter = answer.problem(400, "bad_request")["parameter"].clone();
        assert!(parameter.as_str().unwrap().starts_with("scopes"));
    }
    let answer = aminah.api.post(TOKENS, &json!({})).await;
    assert_eq!(answer.problem(400, "bad_request")["parameter"], "scopes");
}

/// What each scope opens.
#[tokio::test]
async fn scopes() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let game = json!({ "ruleset": "congkak" });
    let reads = [
        "/v1/me",
        "/v1/me/games",
        TOKENS,
        "/v1/games",
        "/v1/players/aminah",
    ];
    for (scopes, reading, playing) in [
        (["read"].as_slice(), true, false),
        (&["play"], false, true),
        (&["webhooks"], false, false),
        (&["read", "play"], true, true),
    ] {
        let api = aminah.limited(scopes).await;
        for path in reads {
            match reading {
                true => api.get(path).await.expect(200),
                false => api.get(path).await.problem(403, "missing_scope"),
            };
        }
        match playing {
            true => api.post("/v1/games", &game).await.expect(201),
            false => {
                let answer = api.post("/v1/games", &game).await;
                answer.problem(403, "missing_scope")
            }
        };
    }
}

#[tokio::test]
async fn labels_and_the_list() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let long = "ü".repeat(100);
    let mut secrets = vec![aminah.token.clone()];
    let mut made = Vec::new();
    for label in ["phone", &long, "a\nb"] {
        let (created, _) = aminah
            .further(json!({ "scopes": ["read"], "label": label }))
            .await;
        assert_eq!(created["token"]["label"], label);
        assert_eq!(created["token"]["current"], false);
        secrets.push(created["secret"].as_str().unwrap().to_owned());
        made.push(created["token"].clone());
    }
    for label in ["", &format!("{long}x"), "a\u{7}b", "\u{0}"] {
        let body = json!({ "scopes": ["read"], "label": label });
        let answer = aminah.api.post(TOKENS, &body).await;
        assert_eq!(answer.problem(400, "bad_request")["parameter"], "label");
    }
    let list = aminah.api.get(TOKENS).await.expect(200);
    let list = list["items"].as_array().unwrap();
    assert_eq!(list[0]["id"], json!(aminah.token_id));
    assert_eq!(list[0]["current"], true);
    assert_eq!(list[1..], made);
    // The same list with the second: that is the current one there.
    let second = server.api.with(&secrets[1]);
    let seen = second.get(TOKENS).await.expect(200);
    let current: Vec<_> = seen["items"].as_array().unwrap().iter().collect();
    let current: Vec<_> = current.iter().map(|token| &token["current"]).collect();
    assert_eq!(json!(current), json!([false, true, false, false]));
    // Others have their own.
    let others = bunga.api.get(TOKENS).await.expect(200);
    assert_eq!(others["items"].as_array().unwrap().len(), 1);
    let stored = everything(&server.db).await;
    for secret in &secrets {
        assert!(!seen.to_string().contains(&secret[3..]));
        assert!(!stored.contains(&secret[3..]));
    }
}

/// A hundred at a time, however many ask at once; revoked and expired ones make room.
#[tokio::test]
async fn no_more_than_a_hundred() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let body = json!({ "scopes": ["read"] });
    let short = json!({ "scopes": ["read"], "expires_at": "2999-01-01T00:00:00Z" });
    let live = |api: &Api| {
        let api = api.clone();
        async move {
            let list = api.get(TOKENS).await.expect(200);
            list["items"].as_array().unwrap().len()
        }
    };
    let first = aminah.api.post(TOKENS, &short).await.expect(201);
    while live(&aminah.api).await < 95 {
        aminah.api.post(TOKENS, &body).await.expect(201);
    }
    let asks = (0..12).map(|_| (aminah.api.clone(), Ask::post(TOKENS).json(&body)));
    let answers = at_once(asks).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 5);
    for answer in answers {
        if answer.status != 201 {
            let problem = answer.problem(409, "too_many_tokens");
            let detail = "the player has 100 tokens that are live: revoke one first";
            assert_eq!(problem["detail"], detail);
        }
    }
    assert_eq!(live(&aminah.api).await, 100);
    // Others have their own hundred.
    bunga.api.post(TOKENS, &body).await.expect(201);
    // One that has expired does not count any more, nor one that is revoked.
    let id = first["token"]["id"].as_str().unwrap();
    let expire = format!("update tokens set expires_at = app_now() where token_id = '{id}'");
    server.db.execute(&expire).await;
    let next = aminah.api.post(TOKENS, &body).await.expect(201);
    let refused = aminah.api.post(TOKENS, &body).await;
    refused.problem(409, "too_many_tokens");
    revoke(&aminah.api, &next["token"]["id"]).await.expect(204);
    aminah.api.post(TOKENS, &body).await.expect(201);
    let refused = aminah.api.post(TOKENS, &body).await;
    refused.problem(409, "too_many_tokens");
}

#[tokio::test]
async fn they_expire() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let (soon, later) = (in_hours(1), in_hours(2));
    let body = |expires_at: Value| json!({ "scopes": ["read", "play"], "expires_at": expires_at });
    let (first, short) = aminah.further(body(json!(soon))).await;
    assert_eq!(first["token"]["expires_at"], json!(soon));
    let me = short.get("/v1/me").await.expect(200);
    assert_eq!(me["expires_at"], json!(soon));
    // A token that it makes ends with it, whatever is asked for.
    for expires_at in [Value::Null, json!(later), json!(soon)] {
        let child = short.post(TOKENS, &body(expires_at)).await.expect(201);
        assert_eq!(child["token"]["expires_at"], json!(soon));
    }
    let (_, child) = aminah.further(body(json!(later))).await;
    let past = json!(in_hours(-1));
    let answer = aminah.api.post(TOKENS, &body(past)).await;
    assert_eq!(
        answer.problem(400, "bad_request")["parameter"],
        "expires_at"
    );
    for bad in [json!("tomorrow"), json!(7), json!("2027-01-01"), json!("")] {
        let answer = aminah.api.post(TOKENS, &body(bad)).await;
        assert_eq!(
            answer.problem(400, "bad_request")["parameter"],
            "expires_at"
        );
    }

    pass(&server.db, "59 minutes").await;
    short.get("/v1/me").await.expect(200);
    pass(&server.db, "61 minutes").await;
    let asks = || {
        [
            Ask::get("/v1/me"),
            Ask::get("/v1/games"),
            Ask::get("/v1/rulesets"),
        ]
    };
    for ask in asks().into_iter().take(2) {
        short.ask(ask).await.problem(401, "unauthorized");
    }
    let own = json!(first["token"]["id"]);
    revoke(&short, &own).await.problem(401, "unauthorized");
    child.get("/v1/me").await.expect(200);
    pass(&server.db, "121 minutes").await;
    child.get("/v1/me").await.problem(401, "unauthorized");
    // They stay in the list until they are revoked.
    let list = aminah.api.get(TOKENS).await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 6);
    revoke(&aminah.api, &own).await.expect(204);
    let list = aminah.api.get(TOKENS).await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn revoked_at_once() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let (made, second) = aminah.further(json!({ "scopes": ["read", "play"] })).await;
    let id = &made["token"]["id"];
    second.get("/v1/me").await.expect(200);
    revoke(&bunga.api, id).await.problem(404, "unknown_token");
    second.get("/v1/me").await.expect(200);
    let answer = revoke(&aminah.api, id).await;
    assert_eq!(answer.body, b"");
    answer.expect(204);
    second.get("/v1/me").await.problem(401, "unauthorized");
    second.get("/v1/games").await.problem(401, "unauthorized");
    revoke(&aminah.api, id).await.problem(404, "unknown_token");
    aminah.api.get("/v1/me").await.expect(200);
    for bad in ["7", "x", "01935f3e"] {
        let answer = revoke(&aminah.api, &json!(bad)).await;
        assert_eq!(answer.problem(400, "bad_request")["parameter"], "token_id");
    }
}

/// Whatever it is good for, a token can end itself, and no other without `play`.
#[tokio::test]
async fn a_token_revokes_itself() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    for scopes in [["read"].as_slice(), &["webhooks"], &["play"]] {
        let (made, api) = aminah.further(json!({ "scopes": scopes })).await;
        if scopes != ["play"] {
            let answer = revoke(&api, &json!(aminah.token_id)).await;
            answer.problem(403, "missing_scope");
        }
        revoke(&api, &made["token"]["id"]).await.expect(204);
        let again = revoke(&api, &made["token"]["id"]).await;
        again.problem(401, "unauthorized");
    }
    revoke(&aminah.api, &json!(aminah.token_id))
        .await
        .expect(204);
    aminah.api.get("/v1/me").await.problem(401, "unauthorized");
    // The player is there, with nobody who could speak for them.
    server.api.get("/v1/players/aminah").await.expect(200);
}
