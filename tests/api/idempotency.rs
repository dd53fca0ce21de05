//! `Idempotency-Key`: whatever creates can be sent again, by the same caller, for a
//! day, and is answered as the first time.

use serde_json::{Value, json};

use crate::support::backstage::{everything, number, pass};
use crate::support::people::at_once;
use crate::support::{Answer, Api, Ask, Made, Person, Server};

/// A key that nobody guesses.
const KEY: &str = "5b1c0fd2a1f34b7ea5d6c1d0e7f8a9b0";

/// A request that creates, its body, and another one.
struct Creation {
    api: Api,
    path: String,
    body: Value,
    other: Value,
}

impl Creation {
    fn new(api: &Api, path: &str, body: Value, other: Value) -> Creation {
        Creation {
            api: api.clone(),
            path: path.into(),
            body,
            other,
        }
    }

    fn ask(&self, key: &str) -> Ask {
        let ask = Ask::post(&self.path).json(&self.body);
        ask.header("idempotency-key", key)
    }

    async fn send(&self, key: &str) -> Answer {
        self.api.ask(self.ask(key)).await
    }

    async fn send_other(&self, key: &str) -> Answer {
        let ask = Ask::post(&self.path).json(&self.other);
        self.api.ask(ask.header("idempotency-key", key)).await
    }
}

/// One of each kind, with and without a token.
async fn creations(server: &Server) -> Vec<Creation> {
    let api = &server.api;
    let cik = Person::new(api, "cik").await;
    let dayang = Person::new(api, "dayang").await;
    let invite = json!({ "opponent": { "invite": true } });
    let open = Made::by(&cik.api, "congkak", json!({ "opponent": { "open": true } })).await;
    let invited = Made::by(&cik.api, "congkak", invite.clone()).await;
    let named = json!({ "opponent": { "player": "dayang" } });
    let named = Made::by(&cik.api, "congkak", named).await;
    let token = json!({ "invite_token": invited.secret("invite_token") });
    let wrong = json!({ "invite_token": "mp_x" });
    let (games, players) = ("/v1/games", "/v1/players");
    let game = |ruleset: &str| json!({ "ruleset": ruleset, "opponent": { "invite": true } });
    let scopes = |scope: &str| json!({ "scopes": [scope] });
    let name = |name: &str| json!({ "name": name });
    vec![
        Creation::new(api, players, name("aminah"), name("bunga")),
        Creation::new(api, games, json!({ "ruleset": "congkak" }), game("congkak")),
        Creation::new(api, games, game("al-manqala"), game("congkak")),
        Creation::new(&cik.api, games, game("congkak"), game("al-manqala")),
        Creation::new(api, &open.to("join"), json!({}), wrong.clone()),
        Creation::new(api, &invited.to("join"), token, wrong.clone()),
        Creation::new(&dayang.api, &named.to("join"), json!({}), wrong),
        Creation::new(&cik.api, "/v1/me/tokens", scopes("read"), scopes("play")),
    ]
}

/// How much there is of everything that can be created.
async fn stored(server: &Server) -> i64 {
    let query = "select (select count(*) from players) + (select count(*) from games) \
                 + (select count(*) from tokens) + (select count(*) from invitations) \
                 + (select count(*) from seats where joined_at is not null) \
                 + (select count(*) from answers)";
    number(&server.db, query).await
}

/// Byte for byte, secrets and all.
fn same(first: &Answer, again: &Answer) {
    assert!(again.replayed(), "{again}");
    assert_eq!(again.status, first.status, "{again}");
    assert_eq!(again.body, first.body, "{again}");
    for name in ["location", "content-type"] {
        assert_eq!(again.header(name), first.header(name), "{again}");
    }
}

#[tokio::test]
async fn the_same_answer_again() {
    let server = Server::start().await;
    for creation in creations(&server).await {
        let first = creation.send(KEY).await;
        assert!(matches!(first.status, 200 | 201), "{first}");
        assert!(!first.replayed());
        let after = stored(&server).await;
        for _ in 0..2 {
            same(&first, &creation.send(KEY).await);
        }
        let other = creation.send_other(KEY).await;
        other.problem(422, "key_reused");
        assert_eq!(stored(&server).await, after);
        server.db.execute("delete from answers").await;
    }
}

#[tokio::test]
async fn thirty_at_once() {
    let server = Server::start().await;
    for creation in creations(&server).await {
        let before = stored(&server).await;
        let asks = (0..30).map(|_| (creation.api.clone(), creation.ask(KEY)));
        let answers = at_once(asks).await;
        let (good, refused): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.status < 300);
        for answer in refused {
            answer.problem(409, "key_running");
        }
        let firsts: Vec<_> = good.iter().filter(|answer| !answer.replayed()).collect();
        assert_eq!(firsts.len(), 1);
        for answer in good.iter().filter(|answer| answer.replayed()) {
            same(firsts[0], answer);
        }
        let after = stored(&server).await;
        assert!(after > before);
        same(firsts[0], &creation.send(KEY).await);
        assert_eq!(stored(&server).await, after);
        server.db.execute("delete from answers").await;
    }
}

#[tokio::test]
async fn a_key_belongs_to_its_token() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let (_, second) = aminah.further(json!({ "scopes": ["play"] })).await;
    let game = Made::by(&server.api, "congkak", json!({})).await;
    let seat = game.created["seat_tokens"]["south"].as_str().unwrap();
    let callers = [
        &aminah.api,
        &bunga.api,
        &second,
        &server.api,
        &server.api.with(seat),
    ];
    let body = json!({ "ruleset": "congkak" });
    let ask = || {
        Ask::post("/v1/games")
            .json(&body)
            .header("idempotency-key", KEY)
    };
    let mut made = std::collections::BTreeSet::new();
    for api in callers {
        let first = api.ask(ask()).await;
        assert!(!first.replayed());
        same(&first, &api.ask(ask()).await);
        let id = first.expect(201)["game"]["id"].to_string();
        assert!(made.insert(id));
    }
    // To one request, the path included.
    let elsewhere = Ask::post("/v1/me/tokens").json(&body);
    let elsewhere = elsewhere.header("idempotency-key", KEY);
    let answer = aminah.api.ask(elsewhere).await;
    assert!(matches!(answer.status, 400 | 422), "{answer}");
    let scopes = json!({ "scopes": ["read"] });
    let elsewhere = Ask::post("/v1/me/tokens").json(&scopes);
    let elsewhere = elsewhere.header("idempotency-key", KEY);
    let answer = aminah.api.ask(elsewhere).await;
    answer.problem(422, "key_reused");
}

#[tokio::test]
async fn spellings() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let body = json!({ "ruleset": "congkak" });
    let ask = |key: &str| {
        Ask::post("/v1/games")
            .json(&body)
            .header("idempotency-key", key)
    };
    let first = server.api.ask(ask(KEY)).await;
    first.is(201);
    same(&first, &server.api.ask(ask(&format!("\"{KEY}\""))).await);
    let other = server.api.ask(ask(&KEY.to_uppercase())).await;
    assert!(!other.replayed());
    other.expect(201);
    let first = server
        .api
        .ask(ask(r#""a \"quoted\" key, with \\ in it""#))
        .await;
    let bare = server.api.ask(ask(r#"a "quoted" key, with \ in it"#)).await;
    first.is(201);
    same(&first, &bare);

    let long = "k".repeat(255);
    aminah.api.ask(ask("k")).await.expect(201);
    aminah.api.ask(ask(&long)).await.expect(201);
    server.api.ask(ask(&KEY[..22])).await.expect(201);
    // Too short to stand alone, its quotes not counted.
    let (short, quoted) = (&KEY[..21], format!("\"{}\"", &KEY[..21]));
    let longer = format!("{long}k");
    for api in [&server.api, &aminah.api] {
        for bad in ["", "\"\"", "\"", "\"open", "\"a\"b\"", r#""a\b""#, &longer] {
            let answer = api.ask(ask(bad)).await;
            let problem = answer.problem(400, "bad_request");
            assert_eq!(problem["parameter"], "Idempotency-Key", "{bad}");
        }
        let twice = ask(KEY).header("idempotency-key", KEY);
        let problem = api.ask(twice).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], "Idempotency-Key");
    }
    for bad in [short, &quoted] {
        let problem = server.api.ask(ask(bad)).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], "Idempotency-Key", "{bad}");
    }
}

/// Neither the key nor what it guards can be read in the database.
#[tokio::test]
async fn nothing_in_clear() {
    let server = Server::start().await;
    let mut secrets = vec![KEY.to_owned()];
    for (number, creation) in creations(&server).await.into_iter().enumerate() {
        let answer = creation.send(&format!("{KEY}{number}")).await;
        assert!(answer.status < 300, "{answer}");
        for name in ["secret", "invite_token", "seat_token"] {
            secrets.extend(answer.json[name].as_str().map(str::to_owned));
        }
        let seats = answer.json["seat_tokens"].as_object();
        for token in seats.into_iter().flat_map(|seats| seats.values()) {
            secrets.push(token.as_str().unwrap().to_owned());
        }
    }
    assert_eq!(secrets.len(), 10);
    assert_eq!(number(&server.db, "select count(*) from answers").await, 8);
    let stored = everything(&server.db).await;
    for secret in &secrets {
        let bare = secret.trim_start_matches("mp_");
        let hex: String = bare.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert!(!stored.contains(bare) && !stored.contains(&hex), "{secret}");
    }
}

#[tokio::test]
async fn for_a_day() {
    let server = Server::start().await;
    for creation in creations(&server).await {
        let first = creation.send(KEY).await;
        pass(&server.db, "23 hours 59 minutes").await;
        same(&first, &creation.send(KEY).await);
        pass(&server.db, "24 hours 1 minute").await;
        // As if it had never been: what is made once cannot be made again.
        let later = creation.send(KEY).await;
        assert!(!later.replayed(), "{later}");
        let joined_before = creation.path.ends_with("/join");
        match later.status {
            200 => assert!(joined_before),
            201 => assert_ne!(later.body, first.body),
            _ => assert!(
                ["handle_taken", "seat_taken"].contains(&later.json["code"].as_str().unwrap()),
                "{later}"
            ),
        }
        pass(&server.db, "0 seconds").await;
        server.db.execute("delete from answers").await;
    }
    // The key is free for something else, and the sweep leaves what is younger.
    let body = |name: &str| json!({ "name": name });
    let creation = Creation::new(&server.api, "/v1/players", body("one"), body("two"));
    creation.send(KEY).await.expect(201);
    pass(&server.db, "25 hours").await;
    creation.send_other(KEY).await.expect(201);
    let young = format!("{KEY}2");
    let game = Creation::new(
        &server.api,
        "/v1/games",
        json!({ "ruleset": "congkak" }),
        json!({}),
    );
    game.send(&young).await.expect(201);
    pass(&server.db, "47 hours").await;
    game.send(&format!("{KEY}3")).await.expect(201);
    pass(&server.db, "49 hours 30 minutes").await;
    let mut db = server.db.connect().await;
    let swept = mancala_post::db::answers::sweep(&mut db).await.unwrap();
    assert_eq!(swept, 2);
    assert_eq!(number(&server.db, "select count(*) from answers").await, 1);
}

/// Only what was done is remembered.
#[tokio::test]
async fn a_refused_request_keeps_no_answer() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let game = json!({ "opponent": { "invite": true } });
    let game = Made::by(&aminah.api, "congkak", game).await;
    let join = game.to("join");
    let token = json!({ "invite_token": game.secret("invite_token") });
    let (rules, start) = (json!({ "houses": 99 }), "nonsense");
    let games = "/v1/games";
    let ruleset = "congkak";
    let good = json!({ "ruleset": ruleset });
    let name = |name: &str| json!({ "name": name });
    let scopes = |scope: &str| json!({ "scopes": [scope] });
    let cases = [
        (&server.api, "/v1/players", name("AMINAH"), name("bunga")),
        (&server.api, "/v1/players", name("!"), name("cik")),
        (
            &server.api,
            games,
            json!({ "ruleset": ruleset, "rules": rules }),
            good.clone(),
        ),
        (
            &aminah.api,
            games,
            json!({ "ruleset": ruleset, "start": start }),
            good.clone(),
        ),
        (&aminah.api, games, json!({ "ruleset": "oware" }), good),
        (&server.api, &join, json!({ "invite_token": "mp_x" }), token),
        (&aminah.api, "/v1/me/tokens", scopes("act"), scopes("read")),
    ];
    for (number_of, (api, path, bad, good)) in cases.into_iter().enumerate() {
        let key = format!("{KEY}-{number_of}");
        let creation = Creation::new(api, path, bad, good);
        for _ in 0..2 {
            let refused = creation.send(&key).await;
            assert!(refused.status >= 400 && !refused.replayed(), "{refused}");
        }
        assert_eq!(number(&server.db, "select count(*) from answers").await, 0);
        let done = creation.send_other(&key).await;
        assert!(done.status < 300 && !done.replayed(), "{done}");
        let again = creation.send(&key).await;
        assert!(matches!(again.status, 400 | 403 | 422), "{again}");
        server.db.execute("delete from answers").await;
    }
}
