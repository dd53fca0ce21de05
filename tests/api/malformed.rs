//! Requests that do not have the documented form: each is refused with the name of
//! the part that is wrong, and never with a 500.

use serde_json::{Value, json};

use crate::support::{Ask, Game, Person, Server};

/// Sends bodies that are no good and compares `parameter`; empty: there is none.
async fn all_refused(server: &Server, path: &str, token: Option<&str>, bodies: &[(&str, &str)]) {
    for (body, parameter) in bodies {
        let mut ask = Ask::post(path)
            .header("content-type", "application/json")
            .body(*body);
        if let Some(token) = token {
            ask = ask.header("authorization", &format!("Bearer {token}"));
        }
        let answer = server.api.ask(ask).await;
        let shown: String = body.chars().take(80).collect();
        assert_eq!(answer.status, 400, "{shown}: {answer}");
        let problem = answer.problem(400, "bad_request");
        let expected = match *parameter {
            "" => Value::Null,
            name => json!(name),
        };
        assert_eq!(problem["parameter"], expected, "{shown}: {problem}");
    }
}

/// What no JSON endpoint takes, whatever it is for.
const NOT_AN_OBJECT: [(&str, &str); 8] = [
    (" ", ""),
    ("{", ""),
    ("nothing", ""),
    ("null", ""),
    ("7", ""),
    ("\"text\"", ""),
    ("[]", ""),
    ("\u{feff}{}", ""),
];

#[tokio::test]
async fn bodies_of_a_new_game() {
    let server = Server::start().await;
    let path = "/v1/games";
    all_refused(&server, path, None, &NOT_AN_OBJECT).await;
    let deep = format!(
        "{{\"ruleset\": \"congkak\", \"start\": {}",
        "[".repeat(5000)
    );
    let bodies = [
        (deep.as_str(), ""),
        // No body at all is one without fields.
        ("", "ruleset"),
        ("{}", "ruleset"),
        (r#"{"ruleset": "congkak"} {}"#, ""),
        (r#"{"ruleset": "congkak",}"#, ""),
        ("{'ruleset': 'congkak'}", ""),
        ("[\"congkak\"]", ""),
        ("[\"congkak\", {}, null, null, null]", ""),
        (r#"{"ruleset": null}"#, "ruleset"),
        (
            r#"{"ruleset": "congkak", "rules": {"houses": 7, "houses": 5}}"#,
            "rules.houses",
        ),
        (r#"{"ruleset": 7}"#, "ruleset"),
        (r#"{"ruleset": ["congkak"]}"#, "ruleset"),
        (r#"{"ruleset": "congkak", "ruleset": "congkak"}"#, "ruleset"),
        (r#"{"ruleset": "congkak", "colour": "red"}"#, "colour"),
        (r#"{"ruleset": "congkak", "Ruleset": "congkak"}"#, "Ruleset"),
        (r#"{"ruleset": "congkak", "rules": []}"#, "rules"),
        (r#"{"ruleset": "congkak", "rules": "houses=5"}"#, "rules"),
        (
            r#"{"ruleset": "congkak", "visibility": "secret"}"#,
            "visibility",
        ),
        (r#"{"ruleset": "congkak", "visibility": 1}"#, "visibility"),
        (r#"{"ruleset": "congkak", "label": ""}"#, "label"),
        (r#"{"ruleset": "congkak", "label": 7}"#, "label"),
        (r#"{"ruleset": "congkak", "label": "a\u0000b"}"#, "label"),
        (r#"{"ruleset": "congkak", "label": "\ud800"}"#, "label"),
    ];
    all_refused(&server, path, None, &bodies).await;
    let long = format!(
        r#"{{"ruleset": "congkak", "label": "{}"}}"#,
        "ü".repeat(101)
    );
    all_refused(&server, path, None, &[(&long, "label")]).await;
    let label = "ü".repeat(100);
    let body = json!({ "ruleset": "congkak", "label": label });
    let created = server.api.post(path, &body).await.expect(201);
    assert_eq!(created["game"]["label"], label);
}

#[tokio::test]
async fn bodies_of_a_move() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let token = game.created["seat_tokens"]["south"].as_str();
    let path = &game.to("moves");
    let before = server.db.rows(&game.id).await;
    all_refused(&server, path, token, &NOT_AN_OBJECT).await;
    let long = format!(
        r#"{{"after_ply": 0, "house": 7, "message": "{}"}}"#,
        "x".repeat(501)
    );
    let bodies = [
        ("", "after_ply"),
        ("{}", "after_ply"),
        ("[0, 7, null]", ""),
        (r#"{"after_ply": 0}"#, "house"),
        (r#"{"house": 7}"#, "after_ply"),
        (r#"{"after_ply": null, "house": 7}"#, "after_ply"),
        (r#"{"after_ply": "0", "house": 7}"#, "after_ply"),
        (r#"{"after_ply": 0.0, "house": 7}"#, "after_ply"),
        (r#"{"after_ply": -1, "house": 7}"#, "after_ply"),
        (r#"{"after_ply": 1e0, "house": 7}"#, "after_ply"),
        (r#"{"after_ply": 2147483648, "house": 7}"#, "after_ply"),
        (r#"{"after_ply": -2147483649, "house": 7}"#, "after_ply"),
        (
            r#"{"after_ply": 99999999999999999999999, "house": 7}"#,
            "after_ply",
        ),
        (r#"{"after_ply": 1e999, "house": 7}"#, "after_ply"),
        (r#"{"after_ply": NaN, "house": 7}"#, ""),
        (r#"{"after_ply": 00, "house": 7}"#, ""),
        (r#"{"after_ply": 0, "house": -1}"#, "house"),
        (r#"{"after_ply": 0, "house": 7.0}"#, "house"),
        (r#"{"after_ply": 0, "house": 7.5}"#, "house"),
        (r#"{"after_ply": 0, "house": "7"}"#, "house"),
        (r#"{"after_ply": 0, "house": true}"#, "house"),
        (r#"{"after_ply": 0, "house": [7]}"#, "house"),
        (r#"{"after_ply": 0, "house": 4294967296}"#, "house"),
        (r#"{"after_ply": 0, "house": 7, "house": 6}"#, "house"),
        (
            r#"{"after_ply": 0, "house": 7, "after_ply": 0}"#,
            "after_ply",
        ),
        (r#"{"after_ply": 0, "house": 7, "seat": "south"}"#, "seat"),
        (r#"{"after_ply": 0, "house": 7, "message": ""}"#, "message"),
        (r#"{"after_ply": 0, "house": 7, "message": 1}"#, "message"),
        (
            r#"{"after_ply": 0, "house": 7, "message": "\u0000"}"#,
            "message",
        ),
        (&long, "message"),
    ];
    all_refused(&server, path, token, &bodies).await;
    assert_eq!(server.db.rows(&game.id).await, before);
    // A message of 500 characters, not bytes, is not too long.
    let message = "\u{1f331}".repeat(500);
    let body = json!({ "after_ply": 0, "house": 7, "message": message });
    let played = game.south.post(path, &body).await.expect(201);
    assert_eq!(played["row"]["message"], message);
}

#[tokio::test]
async fn bodies_of_offers_and_of_simulations() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let token = game.created["seat_tokens"]["south"].as_str();
    let bodies = [
        ("{}", "kind"),
        (r#"{"kind": "draw!"}"#, "kind"),
        (r#"{"kind": "split", "after_ply": -1}"#, "after_ply"),
        (r#"{"kind": "split", "after_ply": "0"}"#, "after_ply"),
        (r#"["split", 0]"#, ""),
    ];
    all_refused(&server, &game.to("offers"), token, &bodies).await;
    let bodies = [
        (r#"{"choices": {}}"#, "choices"),
        (r#"{"choices": [7]}"#, "choices[0]"),
        (r#"{"choices": [["south", 7, null]]}"#, "choices[0]"),
        (r#"{"choices": [{"seat": "south"}]}"#, "choices[0]"),
        (r#"{"choices": [{"house": 7}]}"#, "choices[0]"),
        (
            r#"{"choices": [{"seat": "east", "house": 7}]}"#,
            "choices[0].seat",
        ),
        (
            r#"{"choices": [{"seat": "south", "house": -7}]}"#,
            "choices[0].house",
        ),
        (
            r#"{"choices": [{"seat": "south", "house": 7, "x": 1}]}"#,
            "choices[0].x",
        ),
        (r#"{"choices": [{"action": "resign"}]}"#, "choices[0]"),
        (
            r#"{"choices": [{"seat": "south", "action": "split"}]}"#,
            "choices[0]",
        ),
        (
            r#"{"choices": [{"seat": "south", "house": 1, "action": "resign"}]}"#,
            "choices[0]",
        ),
    ];
    let path = "/v1/rulesets/al-manqala/simulate";
    all_refused(&server, path, None, &bodies).await;
    let choice = json!({ "seat": "south", "house": 1 });
    let body = json!({ "choices": vec![choice; 1001] });
    let problem = server
        .api
        .post(path, &body)
        .await
        .problem(400, "bad_request");
    assert_eq!(problem["parameter"], "choices");
}

#[tokio::test]
async fn a_body_that_is_not_utf_8() {
    let server = Server::start().await;
    let ask = Ask::post("/v1/games")
        .header("content-type", "application/json")
        .body(*b"{\"ruleset\": \"congkak\", \"label\": \"\xff\"}");
    server.api.ask(ask).await.problem(400, "bad_request");
}

#[tokio::test]
async fn content_types() {
    let server = Server::start().await;
    let body = json!({ "ruleset": "congkak" }).to_string();
    let good = [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON",
    ];
    for kind in good {
        let ask = Ask::post("/v1/games").header("content-type", kind);
        server.api.ask(ask.body(body.clone())).await.expect(201);
    }
    let bad = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "json",
        "application/problem+json",
        "",
    ];
    for kind in bad {
        let ask = Ask::post("/v1/games").header("content-type", kind);
        let answer = server.api.ask(ask.body(body.clone())).await;
        answer.problem(415, "unsupported_media_type");
    }
    let none = Ask::post("/v1/games").body(body);
    server
        .api
        .ask(none)
        .await
        .problem(415, "unsupported_media_type");
}

#[tokio::test]
async fn queries() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s7"]).await;
    let bad = [
        ("?at_ply=", "at_ply"),
        ("?at_ply", "at_ply"),
        ("?at_ply=one", "at_ply"),
        ("?at_ply=1.0", "at_ply"),
        ("?at_ply=%31%00", "at_ply"),
        ("?at_ply=99999999999999999999", "at_ply"),
        ("?at_ply=0&at_ply=1", "at_ply"),
        ("?colour=red", "colour"),
        ("?at_ply=0&colour=red", "colour"),
        ("?AT_PLY=0", "AT_PLY"),
        ("/moves?limit=0", "limit"),
        ("/moves?limit=201", "limit"),
        ("/moves?limit=-1", "limit"),
        ("/moves?limit=ten", "limit"),
        ("/moves?trace=maybe", "trace"),
        ("/moves?trace=1", "trace"),
        ("/moves?cursor=%21", "cursor"),
        ("/moves?cursor=", "cursor"),
        ("/moves?page=2", "page"),
        ("/moves?offset=2", "offset"),
    ];
    for (rest, parameter) in bad {
        let path = format!("{}{rest}", game.path);
        let problem = game.anyone.get(&path).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], parameter, "{path}: {problem}");
    }
    for unknown in ["-1", "2", "9223372036854775807", "-9223372036854775808"] {
        let path = format!("{}?at_ply={unknown}", game.path);
        game.anyone.get(&path).await.problem(404, "unknown_ply");
    }
}

#[tokio::test]
async fn ids_in_paths() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let bad = [
        game.id.to_uppercase(),
        game.id.replace('-', ""),
        format!("%7B{}%7D", game.id),
        format!("urn:uuid:{}", game.id),
        format!("{}0", game.id),
        "0".into(),
        "-1".into(),
        "%00".into(),
        "%F0%9F%8C%B1".into(),
        "null".into(),
        "x".repeat(5000),
    ];
    for id in bad {
        let path = format!("/v1/games/{id}");
        let problem = server.api.get(&path).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], "id", "{path}");
    }
    for number in ["x", "1.0", "+1", "01", "-0", "99999999999999999999", "1%20"] {
        let path = game.to(&format!("offers/{number}/decline"));
        let problem = game.north.call(&path).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], "oid", "{path}");
    }
    for number in ["0", "-1", "1", "2147483648", "9223372036854775807"] {
        let path = game.to(&format!("offers/{number}/decline"));
        game.north.call(&path).await.problem(404, "unknown_offer");
    }
}

/// Nothing has a second name: neither in a path nor as a cursor.
#[tokio::test]
async fn other_spellings_of_ids_and_cursors() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let body = json!({ "url": "https://webhook.invalid/" });
    let made = aminah.api.post("/v1/webhooks", &body).await.expect(201);
    let webhook = made["webhook"]["id"].as_str().unwrap();
    for id in [
        webhook.to_uppercase(),
        webhook.replace('-', ""),
        format!("%7B{webhook}%7D"),
    ] {
        let answer = aminah.api.get(&format!("/v1/webhooks/{id}")).await;
        assert_eq!(answer.problem(400, "bad_request")["parameter"], "id");
    }
    let token = &aminah.token_id;
    for id in [token.to_uppercase(), token.replace('-', "")] {
        let ask = Ask::new("DELETE", &format!("/v1/me/tokens/{id}"));
        let problem = aminah.api.ask(ask).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], "token_id");
    }
    for id in ["01.1", "1.01", "%2B1.1", "1.%2B1", "1.-0"] {
        let path = format!("/v1/webhooks/{webhook}/deliveries/{id}/replay");
        let problem = aminah.api.call(&path).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], "delivery_id");
        let path = format!("/v1/events?after={id}");
        let problem = aminah.api.get(&path).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], "after");
    }
    aminah
        .api
        .get(&format!("/v1/webhooks/{webhook}"))
        .await
        .expect(200);
}

/// A parameter that an endpoint does not know is named, whatever else is wrong.
#[tokio::test]
async fn no_endpoint_takes_an_unknown_parameter() {
    let server = Server::start().await;
    let document = server.api.get("/openapi.json").await.expect(200);
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() > 20);
    for (template, item) in paths {
        let path = template
            .replace("{id}", "01935f3e-7b2a-7000-8000-000000000000")
            .replace("{token_id}", "01935f3e-7b2a-7000-8000-000000000000")
            .replace("{delivery_id}", "1.1")
            .replace("{oid}", "1")
            .replace(['{', '}'], "");
        for method in item.as_object().unwrap().keys() {
            let ask = Ask::new(&method.to_uppercase(), &format!("{path}?surprise=1"));
            let problem = server.api.ask(ask).await.problem(400, "bad_request");
            assert_eq!(problem["parameter"], "surprise", "{method} {template}");
        }
    }
}
