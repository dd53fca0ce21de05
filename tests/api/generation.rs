//! Random games: the same ones for the same seed, each like any other game that is
//! over, and none of them twice.

use std::process::Output;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::Server;
use crate::support::exports::parquet_lines;
use crate::support::process::{program, run};

/// The lines that `generate` writes with these arguments.
fn generated(arguments: &[&str]) -> String {
    let output = program(&["generate", "--into", "ndjson"])
        .args(arguments)
        .output()
        .unwrap();
    success(&output)
}

fn success(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn refused(arguments: &[&str], word: &str) {
    let output = program(&["generate"]).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{arguments:?}");
    assert!(said.contains(word), "{word}: {said}");
    assert!(output.stdout.is_empty());
}

#[test]
fn the_same_seed_makes_the_same_games() {
    let small = ["--ruleset", "congkak", "--rules", r#"{"houses":5}"#];
    let games =
        |number, seed| generated(&[&small[..], &["--games", number, "--seed", seed]].concat());
    let three = games("3", "7");
    assert_eq!(three.lines().count(), 3);
    assert_eq!(three, games("3", "7"));
    assert_ne!(three, games("3", "8"));
    // A game depends on its number, not on how many there are.
    assert!(games("2000", "7").starts_with(&three));
    // Another ruleset makes other ids, too.
    let id = |lines: &str| {
        serde_json::from_str::<Value>(lines.lines().next().unwrap()).unwrap()["id"].clone()
    };
    let other = generated(&["--ruleset", "congkak", "--games", "1", "--seed", "7"]);
    assert_ne!(id(&three), id(&other));
}

/// These games never change, whatever becomes of the program.
#[test]
fn the_games_are_these() {
    for (ruleset, first) in [
        ("congkak", "90f1d714817a0284"),
        ("congkak-arena", "cb18341f9966bad3"),
        ("congkak-traditional", "3cf10168adaa93f8"),
        ("al-manqala", "f571dd373fdf0d1c"),
    ] {
        let lines = generated(&["--ruleset", ruleset, "--games", "20", "--seed", "1"]);
        let moves: Vec<String> = lines.lines().map(moves).collect();
        let hash: String = Sha256::digest(moves.join("\n"))[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(hash, first, "{ruleset}: {}", moves[0]);
    }
}

/// A game's id and choices.
fn moves(line: &str) -> String {
    let game: Value = serde_json::from_str(line).unwrap();
    let rows = game["moves"].as_array().unwrap();
    let choice = |row: &Value| {
        let seat = row["seat"].as_str().unwrap_or("-");
        format!("{}{}", &seat[..1], row["house"])
    };
    let choices: Vec<String> = rows.iter().map(choice).collect();
    format!("{} {}", game["id"].as_str().unwrap(), choices.join(" "))
}

#[test]
fn a_series_that_goes_on_is_drawn() {
    let lines = generated(&[
        "--ruleset",
        "congkak-traditional",
        "--games",
        "5",
        "--seed",
        "1",
        "--plies",
        "12",
    ]);
    for line in lines.lines() {
        let game: Value = serde_json::from_str(line).unwrap();
        assert_eq!(game["result"]["reason"], "agreement", "{game}");
        let rows = game["moves"].as_array().unwrap();
        assert_eq!(rows.last().unwrap()["kind"], "end");
        assert!((12..=13).contains(&(rows.len() - 1)), "{}", rows.len());
    }
}

#[test]
fn what_cannot_be_made_is_refused() {
    let congkak = ["--games", "1", "--into", "ndjson", "--ruleset", "congkak"];
    refused(&["--games", "1", "--ruleset", "chess"], "al-manqala");
    refused(
        &[&congkak[..], &["--rules", r#"{"houses":4}"#]].concat(),
        "houses",
    );
    refused(&[&congkak[..], &["--rules", "[]"]].concat(), "JSON object");
    refused(
        &[&congkak[..], &["--output", "/nowhere/file"]].concat(),
        "/nowhere/file",
    );
    refused(
        &["--games", "1", "--into", "parquet", "--ruleset", "congkak"],
        "--output DIR",
    );
}

/// The same games as lines of JSON, in the columns of a data set.
#[test]
fn tables_have_the_same_games() {
    let arguments = ["--ruleset", "al-manqala", "--games", "30", "--seed", "4"];
    let dir = std::env::temp_dir().join(format!("tables-{}", std::process::id()));
    let into = ["--into", "parquet", "--output", dir.to_str().unwrap()];
    let made = program(&["generate"]).args(arguments).args(into).output();
    let said = success(&made.unwrap());
    let games: Vec<Value> = generated(&arguments)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let moves = |game: &Value| game["moves"].as_array().unwrap().len();
    let rows: usize = games.iter().map(moves).sum();
    assert!(
        said.ends_with(&format!("30 games, {rows} rows\n")),
        "{said}"
    );
    let table = |name: &str| {
        let file = dir.join(name).join("al-manqala/2000-01.parquet");
        parquet_lines(&std::fs::read(file).unwrap())
    };
    let (lines, rows) = (table("games"), table("rows"));
    assert_eq!(lines.len(), 30);
    for (line, game) in lines.iter().zip(&games) {
        for name in ["id", "ruleset", "position", "plies"] {
            assert_eq!(line[name], game[name], "{name}");
        }
        let of_game = rows.iter().filter(|row| row["game_id"] == game["id"]);
        let houses: Vec<&Value> = of_game.map(|row| &row["house"]).collect();
        let chosen = game["moves"].as_array().unwrap().iter();
        assert_eq!(houses, chosen.map(|row| &row["house"]).collect::<Vec<_>>());
    }
    // Nothing that is there is written over.
    refused(&[&arguments[..], &into].concat(), dir.to_str().unwrap());
    std::fs::remove_dir_all(&dir).unwrap();
}

#[tokio::test]
async fn they_are_games_like_any_other() {
    let server = Server::start().await;
    for ruleset in ["congkak", "congkak-arena", "al-manqala"] {
        let arguments = ["--ruleset", ruleset, "--games", "40", "--seed", "3"];
        let into = |_: ()| run(&server.db.url(), &[&["generate"][..], &arguments].concat());
        assert_eq!(
            success(&into(())),
            "40 games generated, 0 were there already\n"
        );
        assert_eq!(
            success(&into(())),
            "0 games generated, 40 were there already\n"
        );
        // What the API says of a game is what the line says.
        for line in generated(&arguments).lines().take(5) {
            let game: Value = serde_json::from_str(line).unwrap();
            let id = game["id"].as_str().unwrap();
            let state = server.api.get(&format!("/v1/games/{id}")).await.expect(200);
            for (field, value) in game.as_object().unwrap() {
                if ["moves", "start", "plies", "imported_at", "seats"].contains(&field.as_str()) {
                    continue;
                }
                assert_eq!(state[field], *value, "{field} of {id}");
            }
            assert_eq!(state["source"], "generated");
            assert_eq!(
                state["seats"]["south"],
                json!({ "player": null, "kind": "bot", "vacation_until": null })
            );
            let log = server
                .api
                .get(&format!("/v1/games/{id}/moves?limit=200"))
                .await
                .expect(200);
            let mut rows = log["items"].clone();
            for row in rows.as_array_mut().unwrap() {
                row.as_object_mut().unwrap().remove("summary");
            }
            let length = rows.as_array().unwrap().len();
            assert_eq!(
                rows.as_array().unwrap()[..],
                game["moves"].as_array().unwrap()[..length]
            );
            let verdict = server
                .api
                .get(&format!("/v1/games/{id}/verify"))
                .await
                .expect(200);
            assert_eq!(verdict["ok"], true, "{verdict}");
        }
    }
    let numbers = "select count(*) from records where record_no between 1 and 120";
    assert_eq!(server.db.number(numbers).await, 120);
    let live = "select count(*) from seats where live";
    assert_eq!(server.db.number(live).await, 0);
    let running = server.api.get("/v1/games?status=playing").await.expect(200);
    assert_eq!(running["items"], json!([]));
    let verified = run(&server.db.url(), &["verify"]);
    assert!(success(&verified).starts_with("120 games, "));
}
