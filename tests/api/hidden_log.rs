//! The log of the program itself at its most talkative: a pending choice stands in
//! no line of it, nor do conditional moves.

use std::collections::{BTreeMap, BTreeSet};

use nix::sys::signal::Signal;
use regex::Regex;
use serde_json::{Value, json};

use crate::support::database::Database;
use crate::support::glimpse;
use crate::support::lines::{lay, waiting};
use crate::support::process::Process;
use crate::support::{Api, Game};

/// A server that logs all it can.
async fn talkative(db: &Database) -> (Process, Api) {
    let process = Process::start_with(&db.url(), &[("RUST_LOG", "trace")]);
    let api = Api::new(&process.url).await;
    (process, api)
}

/// The lines that the program logs while one choice waits and everybody looks.
async fn logged(house: u64, message: &str) -> BTreeSet<String> {
    let db = Database::new().await;
    let (process, api) = talkative(&db).await;
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
    log_of(process, &game)
}

/// The lines that it logs while conditional moves wait, are refused and are played.
async fn logged_lines(line: &[u64]) -> BTreeSet<String> {
    let db = Database::new().await;
    let (process, api) = talkative(&db).await;
    let bystander = Game::of(&api, "congkak").await;
    let game = Game::of(&api, "al-manqala").await;
    let [south, north] = [&game.south, &game.north];
    lay(north, &game, 0, json!([line])).await.expect(200);
    let refused = async |ply: u64, lines: Value| lay(north, &game, ply, lines).await;
    let parting = json!([line, [line[0], line[1] % 7 + 1]]);
    refused(0, parting).await.problem(422, "lines_part");
    let mut beyond = line.to_vec();
    beyond.push(99);
    refused(0, json!([beyond]))
        .await
        .problem(422, "illegal_move");
    refused(7, json!([line])).await.problem(409, "stale_ply");
    waiting(north, &game).await;
    waiting(south, &game).await;
    let answer = game.send("south", 0, line[0]).await.expect(201);
    assert_eq!(answer["game"]["ply"], 2);
    for api in [south, &game.anyone] {
        glimpse::of(&game, api, &bystander).await;
    }
    let left = json!([line[2..]]);
    assert_eq!(waiting(north, &game).await["lines"], left);
    log_of(process, &game)
}

/// What a server has logged, with a mask over all that differs by chance.
fn log_of(mut process: Process, game: &Game) -> BTreeSet<String> {
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
        let mut line = glimpse::alike(game, line).replace(&address, "ADDRESS");
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
    alike(&first, &second);
}

#[tokio::test]
async fn conditional_moves_are_in_no_log_line() {
    let first = logged_lines(&[1, 1, 2, 2, 3, 5]).await;
    let second = logged_lines(&[1, 1, 6, 7, 4, 3]).await;
    for log in [&first, &second] {
        let stored = |line: &String| line.contains("insert into conditionals");
        assert!(log.iter().any(stored));
    }
    for (log, line) in [(&first, "2, 2, 3, 5"), (&second, "6, 7, 4, 3")] {
        for line in [line.to_owned(), line.replace(", ", ",")] {
            assert!(!log.iter().any(|logged| logged.contains(&line)));
        }
    }
    alike(&first, &second);
}

/// Panics if a number in a line tells one run from the other.
fn alike(first: &BTreeSet<String>, second: &BTreeSet<String>) {
    // A line that only one of the two runs has may come from their timing; one that
    // the other run has with another number tells the choice.
    let (first_own, second_own) = (own(first, second), own(second, first));
    for (words, line) in &first_own {
        if let Some(other) = second_own.get(words) {
            panic!("the log tells two secrets apart:\n{line}\n{other}");
        }
    }
}
