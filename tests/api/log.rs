//! A game's log: JSON page by page, NDJSON and CSV whole, with the sowing on
//! request. All three tell the same.

use serde_json::{Value, json};

use crate::support::vectors::{Choice, vector};
use crate::support::{Answer, Api, Ask, Game, Server};

/// A game of 54 plies and its end row.
async fn played(server: &Server) -> Game {
    let vector = vector("congkak-arena", "congkak-arena-5-15006");
    let game = Game::create(&server.api, &vector.creation()).await;
    for choice in &vector.choices[..30] {
        let Choice::Sow { seat, house } = choice else {
            unreachable!()
        };
        let ply = game.state().await["ply"].as_u64().unwrap();
        let body =
            json!({ "after_ply": ply, "house": house, "message": format!("from, \"{seat}\"") });
        let answer = game.seat(seat).post(&game.to("moves"), &body).await;
        assert!(matches!(answer.status, 201 | 202), "{answer}");
    }
    game.north.call(&game.to("resign")).await.expect(200);
    game
}

async fn read(api: &Api, path: &str, accept: &str) -> Answer {
    let answer = api.ask(Ask::get(path).header("accept", accept)).await;
    answer.is(200);
    answer
}

/// Follows the pages by their `Link`s.
async fn pages(api: &Api, first: &str) -> (usize, Vec<Value>) {
    let (mut count, mut rows) = (0, Vec::new());
    let mut next = Some(first.to_owned());
    while let Some(path) = next {
        let answer = api.get(&path).await;
        answer.is(200);
        count += 1;
        rows.extend(answer.json["items"].as_array().unwrap().clone());
        next = match &answer.json["next_cursor"] {
            Value::Null => {
                assert_eq!(answer.header("link"), "");
                None
            }
            cursor => {
                let link = answer.header("link").strip_prefix('<').unwrap();
                let link = link.strip_suffix(">; rel=\"next\"").unwrap();
                let path = link.strip_prefix(&api.url).unwrap();
                assert!(path.ends_with(&format!("cursor={}", cursor.as_str().unwrap())));
                Some(path.to_owned())
            }
        };
    }
    (count, rows)
}

#[tokio::test]
async fn pages_are_the_whole_log() {
    let server = Server::start().await;
    let game = played(&server).await;
    let whole = game.log().await;
    assert_eq!(whole.len(), 31);
    for (limit, expected) in [(1, 31), (2, 16), (7, 5), (30, 2), (31, 1), (200, 1)] {
        let path = game.to(&format!("moves?limit={limit}"));
        let (count, rows) = pages(&game.anyone, &path).await;
        assert_eq!(count, expected, "limit {limit}");
        assert_eq!(rows, whole, "limit {limit}");
        // The other way round, in every form.
        let path = game.to(&format!("moves?order=desc&limit={limit}"));
        let (count, mut rows) = pages(&game.anyone, &path).await;
        rows.reverse();
        assert_eq!((count, rows), (expected, whole.clone()), "limit {limit}");
    }
    let last = read(
        &game.anyone,
        &game.to("moves?order=desc&limit=1"),
        "application/x-ndjson",
    )
    .await;
    assert_eq!(
        serde_json::from_str::<Value>(last.text()).unwrap(),
        whole[30]
    );
    // With the sowing, page by page as in one, also where a page ends in a pair.
    let (_, traced) = pages(&game.anyone, &game.to("moves?trace=true&limit=1")).await;
    let one = game
        .anyone
        .get(&game.to("moves?trace=true"))
        .await
        .expect(200);
    assert_eq!(json!(traced), one["items"]);
    for (traced, plain) in traced.iter().zip(&whole) {
        let mut traced = traced.clone();
        let trace = traced.as_object_mut().unwrap().remove("trace");
        assert_eq!(trace.is_some(), plain["kind"] == "sow");
        assert!(trace.is_none_or(|trace| !trace.as_array().unwrap().is_empty()));
        assert_eq!(&traced, plain);
    }
}

#[tokio::test]
async fn a_cursor_is_bound_to_its_list() {
    let server = Server::start().await;
    let game = played(&server).await;
    let other = Game::of(&server.api, "congkak").await;
    let page = game.anyone.get(&game.to("moves?limit=2")).await.expect(200);
    let cursor = page["next_cursor"].as_str().unwrap();
    let foreign = [
        other.to(&format!("moves?cursor={cursor}")),
        game.to(&format!("moves?trace=true&cursor={cursor}")),
        game.to(&format!("moves?order=desc&cursor={cursor}")),
        game.to(&format!("moves?cursor={cursor}x")),
        game.to(&format!("moves?cursor={}", &cursor[1..])),
    ];
    for path in foreign {
        let problem = server.api.get(&path).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], "cursor", "{path}");
    }
    // It may be used again, and with another limit.
    for _ in 0..2 {
        let path = game.to(&format!("moves?limit=5&cursor={cursor}"));
        let page = game.anyone.get(&path).await.expect(200);
        assert_eq!(page["items"][0]["ply"], 3);
        assert_eq!(page["items"].as_array().unwrap().len(), 5);
    }
}

#[tokio::test]
async fn lines_of_json() {
    let server = Server::start().await;
    let game = played(&server).await;
    for (path, api) in [("moves", &game.anyone), ("moves?trace=true", &game.south)] {
        let json = api.get(&game.to(path)).await.expect(200);
        let lines = read(api, &game.to(path), "application/x-ndjson").await;
        assert_eq!(lines.header("content-type"), "application/x-ndjson");
        assert!(lines.text().ends_with("}\n"));
        let rows: Vec<Value> = lines
            .text()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(json!(rows), json["items"]);
    }
}

/// A JSON row in the form of a CSV line.
fn flat(row: &Value, column: &str) -> String {
    let value = column.split('.').fold(row, |value, key| &value[key]);
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[tokio::test]
async fn comma_separated() {
    let server = Server::start().await;
    let game = played(&server).await;
    for (path, api) in [("moves", &game.anyone), ("moves?trace=true", &game.south)] {
        let json = api.get(&game.to(path)).await.expect(200);
        let rows = json["items"].as_array().unwrap();
        let answer = read(api, &game.to(path), "text/csv").await;
        assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
        let mut reader = csv::Reader::from_reader(answer.text().as_bytes());
        let columns = reader.headers().unwrap().clone();
        let expected = "ply kind seat after_ply house turn round seeds_sown lap_count captured \
                        banked extra_turn passed other.seeds_sown other.lap_count other.captured \
                        other.banked reason by to_ply position elapsed_ms played_at source \
                        taken_back summary message";
        let mut expected: Vec<&str> = expected.split(' ').filter(|c| !c.is_empty()).collect();
        if path.contains("trace") {
            expected.push("trace");
        }
        assert_eq!(columns.iter().collect::<Vec<_>>(), expected);
        let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), rows.len());
        for (record, row) in records.iter().zip(rows) {
            for (column, field) in columns.iter().zip(record) {
                assert_eq!(field, flat(row, column), "{column} of {row}");
            }
        }
    }
    // For the seats the messages stand in it, quoted as need be.
    let seats = read(&game.south, &game.to("moves"), "text/csv").await;
    assert!(seats.text().contains("\"from, \"\"south\"\"\""));
    let others = read(&game.anyone, &game.to("moves"), "text/csv").await;
    assert!(!others.text().contains("from, "));
}

#[tokio::test]
async fn messages_are_for_the_two_seats() {
    let server = Server::start().await;
    let game = played(&server).await;
    let bystander = Game::of(&server.api, "congkak").await;
    for api in [&game.south, &game.north] {
        let page = api.get(&game.to("moves")).await.expect(200);
        for row in page["items"].as_array().unwrap() {
            if row["kind"] == "sow" {
                let seat = row["seat"].as_str().unwrap();
                assert_eq!(row["message"], format!("from, \"{seat}\""));
            }
        }
    }
    for api in [&game.anyone, &bystander.south] {
        for format in ["application/json", "application/x-ndjson", "text/csv"] {
            let answer = read(api, &game.to("moves?trace=true"), format).await;
            assert!(!answer.text().contains("from, "));
        }
    }
}

/// One row, every field written down.
#[tokio::test]
async fn a_row_in_full() {
    let server = Server::start().await;
    let start = "0,0,0,1,0,0,1/0,0,0,4,0,0,0 46-46 S r1:S";
    let game = Game::from(&server.api, "congkak", json!({}), start).await;
    let row = game.play(&["s4"]).await.expect(201)["row"].clone();
    let expected = json!({
        "kind": "sow", "ply": 1, "seat": "south", "after_ply": 0, "house": 4, "turn": 1,
        "round": 1, "seeds_sown": 1, "lap_count": 1, "captured": 0, "banked": 0,
        "extra_turn": false, "passed": false, "other": null,
        "position": "0,0,1,0,0,0,1/0,0,0,4,0,0,0 46-46 N r1:S",
        "elapsed_ms": row["elapsed_ms"], "played_at": row["played_at"], "source": "player",
        "taken_back": false, "summary": "South sowed 4.",
        "trace": [
            { "step": "lap", "seat": "south", "from": "s4", "seeds": 1, "to": "s3" },
            { "step": "mati", "seat": "south", "at": "s3" },
        ],
    });
    assert_eq!(row, expected);
    assert!(row["elapsed_ms"].is_u64());
}
