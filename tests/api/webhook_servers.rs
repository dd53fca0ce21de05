//! Several servers, one that dies, and receivers that keep others waiting: every
//! event arrives at least once, and from a server that lives exactly once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::json;

use crate::support::backstage::pass;
use crate::support::database::Database;
use crate::support::follow::{game_of, player, step};
use crate::support::process::Process;
use crate::support::receiver::{Answer, Receiver, log, send_all, server, subscribe, worker};
use crate::support::{Api, Ask, Game};

async fn games(ana: &Api, bo: &Api, count: usize) -> Vec<Game> {
    let mut games = Vec::new();
    for _ in 0..count {
        games.push(game_of(ana, bo, json!({ "ruleset": "al-manqala" })).await);
    }
    games
}

/// Two servers deal out and send at the same time: nothing is doubled.
#[tokio::test]
async fn two_at_the_same_time() {
    let server = server().await;
    let (first, second) = (
        worker(&server.db, &server.url),
        worker(&server.db, &server.url),
    );
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let (left, right) = (Receiver::start(&[]).await, Receiver::start(&[]).await);
    let (webhook, _) = subscribe(&ana, &left.url, json!({})).await;
    subscribe(&bo, &right.url, json!({ "events": ["move.played"] })).await;
    let games = games(&ana, &bo, 6).await;
    for _ in 0..3 {
        for game in &games {
            step(game).await;
        }
        server.db.place_events().await;
        loop {
            let (one, two) = tokio::join!(first.round(), second.round());
            if one.unwrap() + two.unwrap() == 0 {
                break;
            }
        }
    }
    let mut seen: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    for message in left.seen() {
        assert!(
            ids.insert(message.id().to_owned()),
            "{} came twice",
            message.id()
        );
        let game = message.body["game_id"].as_str().unwrap().to_owned();
        let number = message.id().split_once('.').unwrap().1.parse().unwrap();
        seen.entry(game).or_default().push(number);
    }
    assert_eq!(ids.len(), 6 * (3 + 6));
    for (game, numbers) in seen {
        assert!(numbers.is_sorted(), "{game}: {numbers:?}");
    }
    assert_eq!(right.seen().len(), 18);
    let log = log(&ana, &webhook).await;
    assert!(log.iter().all(|entry| entry["attempts"] == 1));
}

/// A server that dies amid an attempt: another one makes it again, once its lease
/// is over, and not before.
#[tokio::test]
async fn one_dies_amid_an_attempt() {
    let server = server().await;
    let (dying, living) = (
        worker(&server.db, &server.url),
        worker(&server.db, &server.url),
    );
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let receiver = Receiver::start(&[]).await;
    let only = json!({ "events": ["move.played"] });
    let (webhook, _) = subscribe(&ana, &receiver.url, only).await;
    let games = games(&ana, &bo, 1).await;
    step(&games[0]).await;
    step(&games[0]).await;
    server.db.place_events().await;
    dying.deal().await.unwrap();
    let mut claimed = dying.claim(10).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(living.round().await.unwrap(), 0);
    assert_eq!(receiver.seen().len(), 0);
    pass(&server.db, "31 seconds").await;
    assert_eq!(send_all(&server.db, &living).await, 2);
    // It was only slow: its message arrives again, what it has to say of it does not
    // count any more.
    dying.finish(claimed.remove(0)).await;
    let log = log(&ana, &webhook).await;
    assert_eq!(log[0]["attempts"], 2);
    assert!(log.iter().all(|entry| entry["status"] == "delivered"));
    let ids: Vec<_> = receiver.seen().iter().map(|m| m.id().to_owned()).collect();
    assert_eq!(ids.len(), 3);
    assert_eq!(ids[0], ids[2]);
}

/// Receivers that never answer hold up neither another webhook of the same player
/// nor anybody else.
#[tokio::test]
async fn a_slow_one_holds_nobody_up() {
    let server = server().await;
    let mut worker = worker(&server.db, &server.url);
    // As long as the server itself would wait, and longer than this test takes.
    worker.sender = worker.sender.patient(Duration::from_secs(60));
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let slow = Receiver::start(&vec![Answer::Hang; 100]).await;
    let (anas, bos) = (Receiver::start(&[]).await, Receiver::start(&[]).await);
    let only = || json!({ "events": ["game.created", "game.started"] });
    subscribe(&ana, &slow.url, only()).await;
    subscribe(&ana, &anas.url, only()).await;
    subscribe(&bo, &bos.url, only()).await;
    games(&ana, &bo, 12).await;
    server.db.place_events().await;
    worker.deal().await.unwrap();
    // No more than a few at a time are the slow one's.
    let jobs = worker.claim(100).await.unwrap();
    assert_eq!(jobs.len(), 4 + 4 + 4);
    let running: Vec<_> = jobs
        .into_iter()
        .map(|job| {
            let worker = worker.clone();
            tokio::spawn(async move { worker.finish(job).await })
        })
        .collect();
    slow.until(4).await;
    // While those hang all others get everything.
    anas.until(4).await;
    bos.until(4).await;
    while anas.seen().len() < 24 || bos.seen().len() < 12 {
        for job in worker.claim(100).await.unwrap() {
            worker.finish(job).await;
        }
    }
    assert_eq!(slow.seen().len(), 4);
    running.iter().for_each(|job| job.abort());
}

/// The real program: killed while retries wait, and started again; then two of it.
#[tokio::test]
async fn killed_and_started_again() {
    let db = Database::new().await;
    let private = [("MANCALA_WEBHOOK_PRIVATE", "true")];
    let mut first = Process::start_with(&db.url(), &private);
    let api = Api::new(&first.url).await;
    let (ana, bo) = (player(&api, "ana").await, player(&api, "bo").await);
    let receiver = Receiver::start(&[Answer::Status(500)]).await;
    let only = json!({ "events": ["move.played"] });
    let (webhook, _) = subscribe(&ana, &receiver.url, only).await;
    let game = games(&ana, &bo, 1).await.remove(0);
    step(&game).await;
    receiver.until(1).await;
    // Its outcome is stored, or its lease runs out: either way it comes again.
    first.end_by(Signal::SIGKILL);
    let second = Process::start_with(&db.url(), &private);
    let third = Process::start_with(&db.url(), &private);
    pass(&db, "40 seconds").await;
    let game = game.at(&second.url);
    step(&game).await;
    let seen = receiver.until(3).await;
    let ids: Vec<_> = seen.iter().map(|message| message.id()).collect();
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[1], ids[2]);
    let game = game.at(&third.url);
    for _ in 0..4 {
        step(&game).await;
    }
    let seen = receiver.until(7).await;
    let plies: Vec<_> = seen
        .iter()
        .map(|message| message.body["ply"].clone())
        .collect();
    assert_eq!(json!(plies), json!([1, 1, 2, 3, 4, 5, 6]));
    let ana = ana.at(&third.url);
    let mut entries = log(&ana, &webhook).await;
    while entries.iter().any(|entry| entry["status"] != "delivered") {
        entries = log(&ana, &webhook).await;
    }
    assert_eq!(entries.len(), 6);
}

/// Taken away while something waits and something is under way.
#[tokio::test]
async fn taken_away() {
    let server = server().await;
    let worker = worker(&server.db, &server.url);
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let receiver = Receiver::start(&[]).await;
    let (webhook, _) = subscribe(&ana, &receiver.url, json!({})).await;
    games(&ana, &bo, 1).await;
    server.db.place_events().await;
    worker.deal().await.unwrap();
    let mut claimed = worker.claim(10).await.unwrap();
    let delete = Ask::new("DELETE", &webhook);
    ana.ask(delete).await.expect(204);
    // One was under way.
    worker.finish(claimed.remove(0)).await;
    assert_eq!(send_all(&server.db, &worker).await, 0);
    assert_eq!(receiver.seen().len(), 1);
    let left = server
        .db
        .number("select count(*) from webhook_deliveries")
        .await;
    assert_eq!(left, 0);
}
