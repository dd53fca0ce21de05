//! Exports: every game and row is the one that the API shows, in each format, and
//! nothing in them tells who played or what was said.

use serde_json::{Value, json};

use crate::support::exports::{SECRETS, at, csv, enter, generate, lines, parquet_lines, played};
use crate::support::{Answer, Api, Ask, Game, Server};

/// Every field of `line` stands in `known` with the same value; those that do not.
fn differences(line: &Value, known: &Value, place: &str) -> Vec<String> {
    match (line, known) {
        (Value::Object(fields), Value::Object(_)) => fields
            .iter()
            .flat_map(|(name, value)| {
                let there = known.get(name).unwrap_or(&Value::Null);
                differences(value, there, &format!("{place}.{name}"))
            })
            .collect(),
        _ if line == known => Vec::new(),
        _ => vec![place.to_owned()],
    }
}

async fn every_row(api: &Api, id: &str, query: &str) -> Vec<Value> {
    let ask =
        Ask::get(&format!("/v1/games/{id}/moves?{query}")).header("accept", "application/x-ndjson");
    let answer = api.ask(ask).await;
    answer.is(200);
    let mut rows: Vec<Value> = answer
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for row in &mut rows {
        let row = row.as_object_mut().unwrap();
        row.remove("summary");
    }
    rows
}

#[tokio::test]
async fn a_game_is_the_game_of_the_api() {
    let server = Server::start().await;
    played(&server, 20).await;
    generate(&server.db, 3, 1).await;
    let api = &server.api;
    let games = lines(api, "games", "").await;
    assert_eq!(games.len(), 35);
    let numbers: Vec<_> = games
        .iter()
        .map(|game| game["record_no"].as_i64())
        .collect();
    assert_eq!(numbers, (1..=35).map(Some).collect::<Vec<_>>());
    let mut reasons = Vec::new();
    for game in &games {
        let id = game["id"].as_str().unwrap();
        let known = api.get(&format!("/v1/games/{id}")).await.expect(200);
        let mut differences = differences(game, &known, "");
        // Pseudonyms here, handles there.
        differences.retain(|place| !place.ends_with(".player"));
        // What the API has elsewhere or not at all.
        assert_eq!(
            differences
                .iter()
                .filter(|place| ![".record_no", ".plies", ".start", ".imported_at"]
                    .contains(&place.as_str()))
                .collect::<Vec<_>>(),
            Vec::<&String>::new(),
            "{game}\n{known}"
        );
        for seat in ["south", "north"] {
            let player = game["seats"][seat]["player"].as_str();
            let is_known =
                known["seats"][seat]["kind"] != "anonymous" && known["source"] == "played";
            assert_eq!(
                player.is_some_and(|name| name.starts_with("p_")),
                is_known,
                "{game}"
            );
        }
        reasons.push(game["result"]["reason"].clone());
    }
    for reason in ["most_seeds", "resignation", "agreement"] {
        assert!(reasons.contains(&json!(reason)), "{reasons:?}");
    }
    // One player has one pseudonym in all games.
    let names = |seat: &str| {
        let mut names: Vec<_> = games
            .iter()
            .filter(|game| game["source"] == "played")
            .filter_map(|game| game["seats"][seat]["player"].as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    assert_eq!((names("south").len(), names("north").len()), (1, 1));
    assert_ne!(names("south"), names("north"));
}

#[tokio::test]
async fn rows_are_the_rows_of_the_api() {
    let server = Server::start().await;
    played(&server, 10).await;
    generate(&server.db, 3, 2).await;
    let api = &server.api;
    let games = lines(api, "games", "").await;
    for query in ["", "rows=all"] {
        let rows = lines(api, "rows", query).await;
        let mut expected = Vec::new();
        for game in &games {
            for mut row in every_row(api, game["id"].as_str().unwrap(), query).await {
                row["record_no"] = game["record_no"].clone();
                row["game_id"] = game["id"].clone();
                expected.push(row);
            }
        }
        assert_eq!(rows.len(), expected.len());
        for (row, expected) in rows.iter().zip(&expected) {
            assert_eq!(row, expected, "{query}");
        }
        let back = rows.iter().any(|row| row["kind"] == "takeback");
        assert_eq!(back, query == "rows=all");
        for kind in ["sow", "end"] {
            assert!(rows.iter().any(|row| row["kind"] == kind));
        }
    }
}

#[tokio::test]
async fn all_formats_say_the_same() {
    let server = Server::start().await;
    played(&server, 10).await;
    generate(&server.db, 4, 3).await;
    let api = &server.api;
    let dictionary = api.get("/v1/export/dictionary").await.expect(200);
    for table in dictionary["tables"].as_array().unwrap() {
        let name = table["name"].as_str().unwrap();
        let columns = table["columns"].as_array().unwrap();
        let query = if name == "rows" { "rows=all&" } else { "" };
        let lines = lines(api, name, query).await;
        let path = |format: &str| format!("/v1/export/{name}?{query}format={format}");
        let csv_answer = api.get(&path("csv")).await;
        let (names, fields) = csv(&csv_answer);
        let known: Vec<_> = columns
            .iter()
            .map(|c| c["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, known);
        // Each line of CSV stands alone.
        assert_eq!(csv_answer.text().lines().count(), lines.len() + 1);
        let parquet = parquet_lines(&api.get(&path("parquet")).await.body);
        assert_eq!((fields.len(), parquet.len()), (lines.len(), lines.len()));
        assert!(lines.len() > 20);
        for ((line, fields), parquet) in lines.iter().zip(&fields).zip(&parquet) {
            for column in columns {
                let name = column["name"].as_str().unwrap();
                let value = at(line, column["path"].as_str().unwrap());
                assert!(column["nullable"] == true || !value.is_null(), "{name}");
                let is_json = column["type"] == "json";
                let text = match value {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let (field, cell) = (&fields[name], &parquet[name]);
                if is_json {
                    let read: Value = serde_json::from_str(field).unwrap();
                    assert_eq!((&read, cell), (value, &json!(field)), "{name}");
                } else {
                    assert_eq!((field, cell), (&text, value), "{name}");
                }
            }
        }
    }
}

#[tokio::test]
async fn the_format_is_named_by_accept_or_by_a_word() {
    let server = Server::start().await;
    generate(&server.db, 1, 4).await;
    let api = &server.api;
    for (word, kind) in [
        ("ndjson", "application/x-ndjson"),
        ("csv", "text/csv; charset=utf-8"),
        ("parquet", "application/vnd.apache.parquet"),
    ] {
        for table in ["games", "rows"] {
            let path = format!("/v1/export/{table}");
            let named = api.get(&format!("{path}?format={word}")).await;
            let accepting = Ask::get(&path).header("accept", kind.split(';').next().unwrap());
            let accepted = api.ask(accepting).await;
            assert_eq!(named.body, accepted.body);
            for answer in [&named, &accepted] {
                assert_eq!(answer.header("content-type"), kind);
                assert_eq!(answer.header("mancala-until"), "5");
                assert_eq!(
                    answer.header("content-disposition"),
                    format!("attachment; filename=\"{table}-5.{word}\"")
                );
            }
            let head = api
                .ask(Ask::new("HEAD", &format!("{path}?format={word}")))
                .await;
            head.is(200);
            assert_eq!(head.header("mancala-until"), "5");
        }
    }
    let plain = api.get("/v1/export/games").await;
    assert_eq!(plain.header("content-type"), "application/x-ndjson");
    let ask = Ask::get("/v1/export/games").header("accept", "text/html");
    api.ask(ask).await.problem(406, "not_acceptable");
    for (query, parameter) in [
        ("format=xml", "format"),
        ("after=-1", "after"),
        ("until=-1", "until"),
        ("after=x", "after"),
        ("ruleset=kalah", "ruleset"),
        ("rows=all", "rows"),
        ("limit=3", "limit"),
    ] {
        let answer = api.get(&format!("/v1/export/games?{query}")).await;
        let problem = answer.problem(400, "bad_request");
        assert_eq!(problem["parameter"], parameter, "{query}");
    }
}

#[tokio::test]
async fn filters_are_those_of_the_list() {
    let server = Server::start().await;
    played(&server, 15).await;
    generate(&server.db, 3, 5).await;
    let api = &server.api;
    let mut some = 0;
    for filter in [
        "ruleset=congkak",
        "ruleset=al-manqala&result=south",
        "rules=houses:5,seeds:2",
        "player=aminah",
        "kind=anonymous,anonymous",
        "result=north",
        "reason=resignation",
        "label=Piala%2C%20Kuala%20%26%20Co&max_plies=8",
        "source=generated",
        "min_plies=12",
        "min_rounds=2",
        "max_margin=3",
        "min_relay=5",
        "max_burnt=0",
        "opening=1",
        "created_since=2100-01-01",
        "status=playing",
    ] {
        let list = api
            .get(&format!("/v1/games?limit=200&status=finished&{filter}"))
            .await;
        let mut expected: Vec<String> = match filter {
            "status=playing" => Vec::new(),
            _ => crate::support::people::ids(&list.expect(200)),
        };
        let games = lines(api, "games", filter).await;
        let mut ids: Vec<String> = games
            .iter()
            .map(|game| game["id"].as_str().unwrap().to_owned())
            .collect();
        let mut of_rows: Vec<String> = lines(api, "rows", filter)
            .await
            .iter()
            .map(|row| row["game_id"].as_str().unwrap().to_owned())
            .collect();
        of_rows.dedup();
        assert_eq!(of_rows, ids);
        expected.sort_unstable();
        ids.sort_unstable();
        assert_eq!(ids, expected, "{filter}");
        some += usize::from(!ids.is_empty() && ids.len() < 30);
    }
    assert!(some > 10, "{some}");
}

#[tokio::test]
async fn nothing_tells_who_it_was_or_what_was_said() {
    let server = Server::start().await;
    played(&server, 12).await;
    // What is private is not there at all.
    let body = json!({ "ruleset": "congkak", "visibility": "private" });
    let private = Game::create(&server.api, &body).await;
    private.south.call(&private.to("resign")).await.expect(200);
    enter(&server.db).await;
    let has = |bytes: &[u8], word: &str| {
        bytes
            .windows(word.len())
            .any(|part| part == word.as_bytes())
    };
    for table in ["games", "rows"] {
        for format in ["ndjson", "csv", "parquet"] {
            let path = format!("/v1/export/{table}?format={format}");
            let answer: Answer = server.api.get(&path).await;
            answer.is(200);
            let mut seen = vec![answer.body.clone()];
            if format == "parquet" {
                // Pages are compressed: what was in them.
                let lines = parquet_lines(&answer.body);
                seen.push(format!("{lines:?}").into_bytes());
            }
            for bytes in &seen {
                for secret in SECRETS
                    .iter()
                    .copied()
                    .chain([&*private.id, "external_ref", "label"])
                {
                    assert!(!has(bytes, secret), "{path} has {secret}");
                }
            }
            assert!(table == "rows" || has(seen.last().unwrap(), "p_"), "{path}");
        }
    }
}
