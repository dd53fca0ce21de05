//! The log of the program itself at its most talkative: a pending choice stands in
//! no line of it.

use std::collections::{BTreeMap, BTreeSet};

use nix::sys::signal::Signal;
use regex::Regex;
use serde_json::json;

use crate::support::database::Database;
use crate::support::glimpse;
use crate::support::process::Process;
use crate::support::{Api, Game};

/// The lines that the program logs while one choice waits and everybody looks.
async fn logged(house: u64, message: &str) -> BTreeSet<String> {
    let db = Database::new().await;
    let mut process = Process::start_with(&db.url(), &[("RUST_LOG", "trace")]);
    let api = Api::new(&process.url).await;
    let bystander = Game::of(&api, "congkak").await;
    let game = json!({ "ruleset": "congkak-arena", "rules": { "houses": 15 } });
    let game = Game::create(&api, &game).await;
    let body = json!({ "after_ply": 0, "house": house, "message": message });
    let moves = game.to("moves");
    game.south.post(&moves, &body).await.expect(202);
    game.south.post(&moves, &body).await.expect(202);
    let other = json!({ "after_ply": 0, "house": 1 });
    game.south
        .post(&moves, &other)
        .await
        .problem(409, "already_committed");
    for api in [&game.north, &game.anyone] {
        glimpse::of(&game, api, &bystander).await;
    }
    assert!(process.end_by(Signal::SIGTERM).success());
    let log = process.log();
    let address = process.url.trim_start_matches("http://").to_owned();
    let masks = [
        (r"elapsed=\S+ elapsed_secs=\S+", "ELAPSED"),
        (r"[\d.]+ milliseconds|milliseconds=[\d.]+", "MILLISECONDS"),
        // How many events a batch holds is a matter of timing.
        (
            r"(event_log.*) rows_affected=\d+ rows_returned=\d+",
            "$1 COUNTED",
        ),
        (r"Token\(\d+\)", "TOKEN"),
        (r"0x[0-9a-f]+", "POINTER"),
        (r"exposing all headers from response.*", "HEADERS"),
        // How many events a batch has is a matter of timing.
        (r"\bevent_(log|queue)\b.*", "EVENTS"),
    ];
    let masks = masks.map(|(pattern, name)| (Regex::new(pattern).unwrap(), name));
    let masked = |line: &str| {
        let mut line = glimpse::alike(&game, line).replace(&address, "ADDRESS");
        for (mask, name) in &masks {
            line = mask.replace_all(&line, *name).into_owned();
        }
        line
    };
    log.lines().map(masked).collect()
}

/// Lines of one log alone, each under what it is without its numbers.
fn own<'a>(log: &'a BTreeSet<String>, other: &'a BTreeSet<String>) -> BTreeMap<String, &'a str> {
    let number = Regex::new(r"\d+").unwrap();
    log.difference(other)
        .map(|line| (number.replace_all(line, "#").into_owned(), line.as_str()))
        .collect()
}

#[tokio::test]
async fn a_pending_choice_is_in_no_log_line() {
    let first = logged(11, "quince").await;
    let second = logged(13, "medlar").await;
    for (log, secret) in [(&first, "quince"), (&second, "medlar")] {
        // As talkative as it gets: every statement is there.
        assert!(log.iter().any(|line| line.contains("insert into commits")));
        assert!(!log.iter().any(|line| line.contains(secret)));
    }
    // A line that only one of the two runs has may come from their timing; one that
    // the other run has with another number tells the choice.
    let (first_own, second_own) = (own(&first, &second), own(&second, &first));
    for (words, line) in &first_own {
        if let Some(other) = second_own.get(words) {
            panic!("the log tells two choices apart:\n{line}\n{other}");
        }
    }
}
