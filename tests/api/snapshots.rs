//! Data sets: what is in them, that the same cut-off makes the same bytes, and when
//! they are written.

use std::fs;
use std::process::Output;

use chrono::TimeDelta;
use mancala_post::export::snapshot::{self, Every, Source, Written};
use mancala_post::play::archive;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::Server;
use crate::support::database::Database;
use crate::support::exports::{SECRETS, generate, lines, parquet_lines, played};
use crate::support::process::program;
use crate::support::snapshots::Shelf;

fn json_of(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn the_same_cut_off_makes_the_same_bytes() {
    let server = Server::start().await;
    let shelf = Shelf::new();
    played(&server, 10).await;
    generate(&server.db, 3, 1).await;
    let first = shelf.write(&server.db, None).await;
    assert_eq!(first.name, concat!("000000025-", env!("CARGO_PKG_VERSION")));
    let before = shelf.files(&first.name);
    // Not while it lies there.
    let again = snapshot::write(&Source::of(server.db.pool()), &shelf.place(), None).await;
    assert!(matches!(again.unwrap(), Written::There(there) if there.name == first.name));

    // With logs that are packed, with more games, and with less memory of what was.
    let packed = archive::pack(&server.db.pool(), TimeDelta::zero())
        .await
        .unwrap();
    assert_eq!(packed, 10);
    generate(&server.db, 2, 2).await;
    fs::rename(shelf.dir.join(&first.name), shelf.dir.join(".elsewhere")).unwrap();
    let second = shelf.write(&server.db, Some(25)).await;
    assert_eq!(second.name, first.name);
    let after = shelf.files(&second.name);
    assert_eq!(
        before.keys().collect::<Vec<_>>(),
        after.keys().collect::<Vec<_>>()
    );
    for (path, bytes) in &before {
        assert!(*bytes == after[path], "{path}");
    }
    // Nothing is left of the making.
    let third = shelf.write(&server.db, None).await;
    assert_eq!(third.until, 35);
    let mut names: Vec<String> = fs::read_dir(&shelf.dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [".elsewhere", &first.name, &third.name]);
}

#[tokio::test]
async fn it_holds_all_games_and_what_belongs_to_them() {
    let server = Server::start().await;
    let shelf = Shelf::new();
    played(&server, 10).await;
    generate(&server.db, 3, 3).await;
    let written = shelf.write(&server.db, None).await;
    let files = shelf.files(&written.name);

    // The tables together are the exports.
    for (table, query) in [("games", ""), ("rows", "rows=all&")] {
        let mut all = Vec::new();
        for (path, bytes) in &files {
            if !path.starts_with(&format!("{table}/")) {
                continue;
            }
            let lines = parquet_lines(bytes);
            let parts: Vec<&str> = path.trim_end_matches(".parquet").split('/').collect();
            for line in &lines {
                if table == "games" {
                    assert_eq!(line["ruleset"], parts[1]);
                    assert!(line["ended_at"].as_str().unwrap().starts_with(parts[2]));
                }
            }
            all.extend(lines);
        }
        all.sort_by_key(|line| {
            (
                line["record_no"].as_i64(),
                line["ply"].as_i64().filter(|_| table == "rows"),
            )
        });
        let path = format!("/v1/export/{table}?{query}format=parquet");
        assert_eq!(all, parquet_lines(&server.api.get(&path).await.body));
    }

    // Every file is listed with its sum, and nothing else is.
    let sums = String::from_utf8(files["SHA256SUMS"].clone()).unwrap();
    let listed: Vec<(&str, &str)> = sums
        .lines()
        .map(|line| line.split_once("  ").unwrap())
        .collect();
    assert_eq!(listed.len(), files.len() - 1);
    for (sum, path) in listed {
        assert_eq!(sum, hex(&files[path]), "{path}");
    }
    let package = json_of(&files["datapackage.json"]);
    let resources = package["resources"].as_array().unwrap();
    assert_eq!(
        resources.len(),
        files
            .keys()
            .filter(|path| path.ends_with(".parquet"))
            .count()
    );
    for resource in resources {
        let bytes = &files[resource["path"].as_str().unwrap()];
        assert_eq!(resource["bytes"], bytes.len());
        assert_eq!(resource["hash"], format!("sha256:{}", hex(bytes)));
        let schema = json_of(&files[resource["schema"].as_str().unwrap()]);
        let columns: Vec<_> = schema["fields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| &f["name"])
            .collect();
        let line = &parquet_lines(bytes)[0];
        assert_eq!(columns.len(), line.len());
        assert!(
            columns
                .iter()
                .all(|name| line.contains_key(name.as_str().unwrap()))
        );
    }
    let games = lines(&server.api, "games", "").await;
    let counts = json_of(&files["counts.json"]);
    assert_eq!(
        (&counts["until"], &counts["games"]),
        (&json!(25), &json!(25))
    );
    let sum = |name: &str, word: &str| -> u64 {
        let parts = counts["parts"].as_array().unwrap();
        parts
            .iter()
            .filter_map(|part| part[name][word].as_u64())
            .sum()
    };
    for winner in ["south", "north", "draw"] {
        let expected = games
            .iter()
            .filter(|game| game["result"]["winner"] == winner)
            .count();
        assert_eq!(sum("results", winner), expected as u64, "{winner}");
    }
    let rulesets = json_of(&files["rulesets.json"])["rulesets"].take();
    assert_eq!(rulesets.as_array().unwrap().len(), 4);
    assert!(
        rulesets
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["revision"] == 1)
    );
    let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
    assert!(text("LICENSE").contains("CC0 1.0 Universal"));
    assert!(text("CITATION.cff").contains("license: CC0-1.0"));
    assert!(text("README.md").contains("25 games"));
    assert!(text("data-dictionary.md").contains("`record_no`"));
    assert!(text("position.md").starts_with("# Position text"));

    for (path, bytes) in &files {
        let seen = match path.ends_with(".parquet") {
            true => format!("{:?}", parquet_lines(bytes)),
            false => text(path),
        };
        for secret in SECRETS {
            assert!(!seen.contains(secret), "{path} has {secret}");
        }
    }
}

fn snapshot_of(db: &Database, shelf: &Shelf, arguments: &[&str]) -> Output {
    program(&["snapshot"])
        .args(arguments)
        .env("DATABASE_URL", db.url())
        .env("MANCALA_SNAPSHOT_DIR", &shelf.dir)
        .output()
        .unwrap()
}

#[tokio::test]
async fn the_command_line_writes_them() {
    let db = Database::new().await;
    let shelf = Shelf::new();
    let said = |output: &Output| {
        let out = String::from_utf8(output.stdout.clone()).unwrap();
        (
            output.status.success(),
            out + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let (good, words) = said(&snapshot_of(&db, &shelf, &[]));
    assert!(
        !good && words.contains("no finished public game"),
        "{words}"
    );
    generate(&db, 2, 4).await;
    let (good, words) = said(&snapshot_of(&db, &shelf, &["--until", "7"]));
    assert!(
        good && words.contains("/000000007-") && words.contains("7 games"),
        "{words}"
    );
    let (good, words) = said(&snapshot_of(&db, &shelf, &["--until", "7"]));
    assert!(good && words.contains("is there already"), "{words}");
    let licence = ["--snapshot-license", "CC-BY-4.0"];
    let (good, words) = said(&snapshot_of(&db, &shelf, &licence));
    assert!(good && words.contains("/000000010-"), "{words}");
    let name = concat!("000000010-", env!("CARGO_PKG_VERSION"));
    let text = String::from_utf8(shelf.files(name)["LICENSE"].clone()).unwrap();
    assert!(text.contains("CC-BY-4.0"));
    let (good, _) = said(&snapshot_of(
        &db,
        &shelf,
        &["--snapshot-license", "all mine"],
    ));
    assert!(!good);
}

#[tokio::test]
async fn the_server_writes_one_a_period_if_there_is_something_new() {
    let db = Database::new().await;
    let shelf = Shelf::new();
    let (source, place) = (Source::of(db.pool()), shelf.place());
    let due = async |every| {
        snapshot::write_if_due(&source, &place, every)
            .await
            .unwrap()
    };
    assert!(matches!(due(Every::Day).await, Written::Nothing));
    generate(&db, 1, 5).await;
    assert!(matches!(due(Every::Day).await, Written::New(new) if new.until == 5));
    assert!(matches!(due(Every::Day).await, Written::Nothing));
    generate(&db, 1, 6).await;
    // There is something new, but not yet a new month.
    assert!(matches!(due(Every::Month).await, Written::Nothing));
    let tomorrow = "create or replace function app_now() returns timestamptz language sql \
                    as $$ select now() + interval '25 hours' $$";
    db.execute(tomorrow).await;
    assert!(matches!(due(Every::Day).await, Written::New(new) if new.until == 10));

    // While one is written, nobody else writes.
    let mut other = db.connect().await;
    let lock = "select pg_advisory_lock(7881702196292510064)";
    sqlx::query(lock).execute(&mut other).await.unwrap();
    assert!(matches!(due(Every::Day).await, Written::Busy));
    let written = snapshot::write(&source, &place, None).await.unwrap();
    assert!(matches!(written, Written::Busy));
}
