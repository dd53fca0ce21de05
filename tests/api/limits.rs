//! Rate limits: whom they count, what they say, whom they spare.

use std::num::NonZeroU32;
use std::ops::Deref;

use mancala_post::app::Parts;
use mancala_post::db::pool;
use mancala_post::http::limits::Limits;
use serde_json::json;

use crate::support::backstage::number;
use crate::support::database::Database;
use crate::support::server::Front;
use crate::support::{Answer, Api, Ask, Person};

/// A server with small limits.
struct Limited {
    front: Front,
    db: Database,
}

impl Limited {
    async fn to(quota: u32, proxies: &'static [&'static str], spares_loopback: bool) -> Limited {
        let db = Database::new().await;
        let url = db.url();
        let front = Front::start(move || {
            let quota = NonZeroU32::new(quota).unwrap();
            let proxies = proxies.iter().map(|net| net.parse().unwrap());
            let limits = Limits::new(quota, proxies.collect(), spares_loopback);
            let pool = pool::pool(pool::options(&url).unwrap(), 4);
            Parts {
                limits: Some(limits),
                ..Parts::new(pool, "127.0.0.1:0")
            }
        })
        .await;
        Limited { front, db }
    }
}

impl Deref for Limited {
    type Target = Front;

    fn deref(&self) -> &Front {
        &self.front
    }
}

/// Asks until it is refused for that: how many were answered, and the refusal. An
/// allowance comes back while it is used up, so that there may be more than it.
async fn use_up(api: &Api, ask: impl Fn() -> Ask) -> (Vec<Answer>, Answer) {
    let mut answered = Vec::new();
    loop {
        let answer = api.ask(ask()).await;
        if answer.status == 429 {
            return (answered, answer);
        }
        answered.push(answer);
        assert!(answered.len() < 500, "it is never refused");
    }
}

/// A refusal says when to come back.
fn refused(answer: Answer, quota: u32) {
    let policy = format!("\"default\";q={quota};w=60");
    assert_eq!(answer.header("ratelimit-policy"), policy);
    let wait = answer.header("retry-after").to_owned();
    assert!((1..=60).contains(&wait.parse::<u32>().unwrap()), "{wait}");
    let state = format!("\"default\";r=0;t={wait}");
    assert_eq!(answer.header("ratelimit"), state);
    answer.problem(429, "rate_limited");
}

#[tokio::test]
async fn by_address_without_a_token() {
    let server = Limited::to(3, &[], false).await;
    let (answered, refusal) = use_up(&server.api, || Ask::get("/v1/games")).await;
    assert!(answered.len() >= 3);
    for answer in &answered {
        answer.is(200);
        assert_eq!(answer.header("ratelimit-policy"), "\"default\";q=3;w=60");
        assert_eq!(answer.header("retry-after"), "");
    }
    assert_eq!(answered[0].header("ratelimit"), "\"default\";r=2");
    refused(refusal, 3);
    // Whatever is asked for; and it has no effect.
    let post = || Ask::post("/v1/players").json(&json!({ "name": "late" }));
    let (_, refusal) = use_up(&server.api, post).await;
    refused(refusal, 3);
    let more = number(&server.db, "select count(*) from players").await;
    for path in ["/v1/rulesets", "/v1/games/7"] {
        let (_, refusal) = use_up(&server.api, || Ask::get(path)).await;
        refused(refusal, 3);
    }
    let players = number(&server.db, "select count(*) from players").await;
    assert_eq!(players, more);
    // What tells how the server is goes on.
    for path in [
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
        "/problems",
    ] {
        let answer = server.api.get(path).await;
        assert_eq!(answer.header("ratelimit"), "");
        answer.is(200);
    }
}

#[tokio::test]
async fn by_token() {
    let server = Limited::to(5, &[], false).await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let (answered, refusal) = use_up(&aminah.api, || Ask::get("/v1/me")).await;
    assert!(answered.len() >= 5);
    assert_eq!(answered[0].header("ratelimit"), "\"default\";r=4");
    refused(refusal, 5);
    // Others of that address are not the worse for it.
    bunga.api.get("/v1/me").await.expect(200);
    server.api.get("/v1/games").await.expect(200);
    let (_, refusal) = use_up(&server.api, || Ask::get("/v1/games")).await;
    refused(refusal, 5);
    bunga.api.get("/v1/me").await.expect(200);
}

/// Whoever makes players has as many tokens as they like: together they have ten times
/// the allowance of one.
#[tokio::test]
async fn by_address_with_many_tokens() {
    let server = Limited::to(3, &["127.0.0.1/32"], false).await;
    let url = server.db.url();
    let unlimited = Front::start(move || {
        let pool = pool::pool(pool::options(&url).unwrap(), 4);
        Parts::new(pool, "127.0.0.1:0")
    })
    .await;
    let mut hoard = Vec::new();
    for number in 0..40 {
        let player = Person::new(&unlimited.api, &format!("player-{number}")).await;
        hoard.push(server.api.with(&player.token));
    }
    let from = |address: &str| Ask::get("/v1/me").header("x-forwarded-for", address);
    let mut answered = 0;
    let refusal = loop {
        let api = &hoard[answered % hoard.len()];
        let answer = api.ask(from("198.51.100.1")).await;
        if answer.status == 429 {
            break answer;
        }
        answer.is(200);
        answered += 1;
        assert!(answered < 100, "it is never refused");
    };
    assert!(answered >= 30, "{answered}");
    refused(refusal, 30);
    // The same tokens from elsewhere, and others without one from there.
    let last = &hoard[hoard.len() - 1];
    last.ask(from("198.51.100.2")).await.expect(200);
    let list = Ask::get("/v1/games").header("x-forwarded-for", "198.51.100.1");
    server.api.ask(list).await.expect(200);
}

/// Guessing is slow: unknown tokens count against the address.
#[tokio::test]
async fn by_address_with_unknown_tokens() {
    let server = Limited::to(1000, &[], false).await;
    let aminah = Person::new(&server.api, "aminah").await;
    let guess = std::cell::Cell::new(0);
    let ask = || {
        guess.set(guess.get() + 1);
        let token = format!("Bearer mp_{:032}", guess.get());
        Ask::get("/v1/games").header("authorization", &token)
    };
    let (answered, refusal) = use_up(&server.api, ask).await;
    assert!(answered.len() >= 30);
    for answer in answered {
        answer.problem(401, "unauthorized");
    }
    refused(refusal, 30);
    aminah.api.get("/v1/me").await.expect(200);
    server.api.get("/v1/games").await.expect(200);
}

#[tokio::test]
async fn behind_a_trusted_proxy() {
    let server = Limited::to(2, &["127.0.0.1/32", "10.0.0.0/8"], false).await;
    let from = |forwarded: &'static str| {
        move || Ask::get("/v1/games").header("x-forwarded-for", forwarded)
    };
    let (answered, refusal) = use_up(&server.api, from("198.51.100.1")).await;
    assert!(answered.len() >= 2);
    refused(refusal, 2);
    // Another client of the same proxy.
    let other = server.api.ask(from("198.51.100.2")()).await;
    assert_eq!(other.header("ratelimit"), "\"default\";r=1");
    other.is(200);
    // What the client itself has written stands to the left of what a proxy adds.
    for mine in [
        "203.0.113.1, 198.51.100.1",
        "203.0.113.2, 198.51.100.1, 10.1.1.1",
    ] {
        let (answered, refusal) = use_up(&server.api, from(mine)).await;
        assert!(answered.len() < 2, "{mine}");
        refused(refusal, 2);
    }
}

#[tokio::test]
async fn nobody_else_is_believed() {
    let server = Limited::to(2, &["10.0.0.0/8"], false).await;
    let number = std::cell::Cell::new(0);
    let ask = || {
        number.set(number.get() + 1);
        let address = format!("198.51.100.{}", number.get() % 250);
        Ask::get("/v1/games").header("x-forwarded-for", &address)
    };
    let (answered, refusal) = use_up(&server.api, ask).await;
    assert!(answered.len() < 100, "each address has its own");
    refused(refusal, 2);
}

/// Servers of one database count apart: each is asked as often as it allows.
#[tokio::test]
async fn each_process_counts_by_itself() {
    let server = Limited::to(3, &[], false).await;
    let url = server.db.url();
    let other = Front::start(move || {
        let limits = Limits::new(NonZeroU32::new(3).unwrap(), Vec::new(), false);
        let pool = pool::pool(pool::options(&url).unwrap(), 4);
        Parts {
            limits: Some(limits),
            ..Parts::new(pool, "127.0.0.1:0")
        }
    })
    .await;
    let (_, refusal) = use_up(&server.api, || Ask::get("/v1/games")).await;
    refused(refusal, 3);
    let first = other.api.get("/v1/games").await;
    assert_eq!(first.header("ratelimit"), "\"default\";r=2");
    first.expect(200);
    let (_, refusal) = use_up(&other.api, || Ask::get("/v1/games")).await;
    refused(refusal, 3);
}

#[tokio::test]
async fn this_very_machine_is_spared() {
    let server = Limited::to(1, &["127.0.0.1/32"], true).await;
    let aminah = Person::new(&server.api, "aminah").await;
    for _ in 0..5 {
        for api in [&server.api, &aminah.api] {
            let answer = api.get("/v1/games").await;
            assert_eq!(answer.header("ratelimit"), "");
            answer.expect(200);
        }
    }
    // What a proxy on it passes on is not of this machine.
    let ask = || Ask::get("/v1/games").header("x-forwarded-for", "198.51.100.1");
    let (_, refusal) = use_up(&server.api, ask).await;
    refused(refusal, 1);
}

/// A proxy on this machine that the settings do not know: nobody behind it is of this
/// machine, and since nobody is told apart they count as one.
#[tokio::test]
async fn an_unknown_proxy_on_this_machine() {
    for header in ["x-forwarded-for", "forwarded", "x-real-ip", "via"] {
        let server = Limited::to(2, &[], true).await;
        let number = std::cell::Cell::new(0);
        let ask = || {
            number.set(number.get() + 1);
            let address = format!("198.51.100.{}", number.get() % 250);
            Ask::get("/v1/games").header(header, &address)
        };
        let (answered, refusal) = use_up(&server.api, ask).await;
        assert!(answered.len() < 100, "{header}: each has its own");
        refused(refusal, 2);
        server.api.get("/v1/games").await.expect(200);
    }
}
