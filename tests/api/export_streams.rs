//! Exports on their way: broken off and gone on with, while games are played, packed
//! for the way, and no more of them at a time than the server can bear.

use chrono::TimeDelta;
use mancala_post::play::archive;
use serde_json::{Value, json};

use crate::support::exports::{csv, enter, generate, lines, ndjson, parquet_lines};
use crate::support::{Answer, Ask, Game, Server, gzip};

/// Reads the first bytes of an export and hangs up.
async fn broken_off(server: &Server, path: &str, least: usize) -> Vec<u8> {
    let mut answer = server.api.open(Ask::get(path)).await;
    assert_eq!(answer.status(), 200);
    let mut read = Vec::new();
    while read.len() < least {
        read.extend(answer.chunk().await.unwrap().expect("more to come"));
    }
    // In the middle of a line.
    read.truncate(least);
    assert_ne!(read.last(), Some(&b'\n'));
    read
}

fn number_of(line: &str) -> i64 {
    let digits: String = line
        .trim_start_matches("{\"record_no\":")
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap()
}

#[tokio::test]
async fn a_broken_download_goes_on_where_it_ended() {
    let server = Server::start().await;
    generate(&server.db, 60, 1).await;
    for (table, format) in [
        ("games", "ndjson"),
        ("games", "csv"),
        ("rows", "ndjson"),
        ("rows", "csv"),
    ] {
        let path = format!("/v1/export/{table}?format={format}");
        let whole: Answer = server.api.ask_beyond(Ask::get(&path)).await;
        let until = whole.header("mancala-until").to_owned();
        let least = whole.body.len() * 2 / 5 + 1;
        let read = broken_off(&server, &path, least).await;
        let read = String::from_utf8(read).unwrap();
        // Whole lines, and of them those of whole games: the last one may lack rows.
        let mut lines: Vec<&str> = read.split_inclusive('\n').collect();
        lines.pop();
        let last = number_of(lines[lines.len() - 1]);
        if table == "rows" {
            lines.retain(|line| !line.starts_with(char::is_numeric) || number_of(line) < last);
            lines.retain(|line| !line.starts_with('{') || number_of(line) < last);
        }
        let after = number_of(lines[lines.len() - 1]);
        // Meanwhile there are more games.
        generate(&server.db, 1, least as u64).await;
        let rest = Ask::get(&format!("{path}&after={after}&until={until}"));
        let rest = server.api.ask_beyond(rest).await;
        assert_eq!(rest.header("mancala-until"), until);
        let joined = lines.concat() + rest.text();
        assert!(joined == whole.text(), "{table} {format}");
        let beyond = server.api.get(&format!("{path}&after={until}")).await;
        assert_ne!(beyond.header("mancala-until"), until);
        assert!(!beyond.body.is_empty());
    }
    // Also Parquet begins and ends where it is told to.
    let path = "/v1/export/games?format=parquet&after=7&until=9";
    let lines = parquet_lines(&server.api.get(path).await.body);
    let numbers: Vec<_> = lines.iter().map(|line| line["record_no"].clone()).collect();
    assert_eq!(numbers, [json!(8), json!(9)]);
}

#[tokio::test]
async fn games_that_end_meanwhile_are_not_in_it() {
    let server = Server::start().await;
    generate(&server.db, 150, 2).await;
    // Not packed yet.
    let loose = Game::of(&server.api, "al-manqala").await;
    loose.play(&["s1", "n1", "s2"]).await;
    loose.south.call(&loose.to("resign")).await.expect(200);
    enter(&server.db).await;
    // Its lines are held against the document elsewhere: that takes so long that the
    // connection is closed meanwhile.
    let whole = server.api.ask_beyond(Ask::get("/v1/export/rows")).await;
    let mut answer = server.api.open(Ask::get("/v1/export/rows")).await;
    assert_eq!(answer.headers()["mancala-until"], "751");
    let mut read = Vec::new();
    let mut round = 0;
    while let Some(chunk) = answer.chunk().await.unwrap() {
        read.extend(chunk);
        if read.len() < round * 200_000 {
            continue;
        }
        // More games come to an end, and old ones are packed.
        round += 1;
        let game = Game::of(&server.api, "congkak").await;
        game.play(&["s7"]).await;
        game.south.call(&game.to("resign")).await.expect(200);
        enter(&server.db).await;
        generate(&server.db, 1, 100 + round as u64).await;
        archive::pack(&server.db.pool(), TimeDelta::zero())
            .await
            .unwrap();
    }
    assert!(round > 3, "{round}");
    assert!(read == whole.body);
    let rows = ndjson(&whole);
    let mut numbers: Vec<_> = rows
        .iter()
        .map(|row| row["record_no"].as_i64().unwrap())
        .collect();
    numbers.dedup();
    assert_eq!(numbers, (1..=751).collect::<Vec<_>>());
    // The next one has them all, each once.
    let games = lines(&server.api, "games", "").await;
    let numbers: Vec<_> = games
        .iter()
        .map(|game| game["record_no"].as_i64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=751 + 6 * round as i64).collect::<Vec<_>>());
    assert_eq!(lines(&server.api, "games", "until=751").await, games[..751]);
}

#[tokio::test]
async fn text_is_packed_for_the_way_and_parquet_is_not() {
    let server = Server::start().await;
    generate(&server.db, 30, 3).await;
    for (format, packs) in [("ndjson", true), ("csv", true), ("parquet", false)] {
        let path = format!("/v1/export/rows?format={format}");
        let plain = server.api.ask_beyond(Ask::get(&path)).await;
        let ask = Ask::get(&path).header("accept-encoding", "gzip");
        let packed = server.api.ask_beyond(ask).await;
        assert_eq!(
            packed.header("content-encoding") == "gzip",
            packs,
            "{format}"
        );
        match packs {
            true => {
                assert!(gzip::unpack(&packed.body) == plain.body);
                assert!(packed.body.len() * 4 < plain.body.len());
            }
            false => assert!(packed.body == plain.body),
        }
    }
    // A fifteenth of the space of NDJSON, say.
    let size = async |format: &str| {
        let path = format!("/v1/export/rows?format={format}");
        server.api.get(&path).await.body.len()
    };
    assert!(size("parquet").await * 8 < size("ndjson").await);
}

#[tokio::test]
async fn so_many_at_a_time_and_no_more() {
    let server = Server::start().await;
    // More than the system keeps for a client that does not read.
    generate(&server.db, 400, 4).await;
    let path = "/v1/export/rows";
    let mut open = Vec::new();
    for _ in 0..4 {
        let mut answer = server.api.open(Ask::get(path)).await;
        assert_eq!(answer.status(), 200);
        answer.chunk().await.unwrap().expect("a beginning");
        open.push(answer);
    }
    let refused = server.api.get(path).await;
    assert_eq!(refused.header("retry-after"), "1");
    refused.problem(503, "unavailable");
    // Everything else goes on.
    server.api.get("/v1/games?limit=1").await.expect(200);
    // Whoever goes makes room, once the server has noticed.
    drop(open.pop());
    loop {
        let answer = server.api.open(Ask::get("/v1/export/games?until=1")).await;
        if answer.status() == 200 {
            break;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_server_that_stops_breaks_off() {
    let server = Server::start().await;
    generate(&server.db, 300, 5).await;
    let ask = Ask::get("/v1/export/rows");
    let whole = server.api.ask_beyond(ask).await.body.len();
    let mut answer = server.api.open(Ask::get("/v1/export/rows")).await;
    let mut read = answer.chunk().await.unwrap().expect("a beginning").len();
    let stopping = std::thread::spawn(move || drop(server));
    let ended = loop {
        match answer.chunk().await {
            Ok(Some(chunk)) => read += chunk.len(),
            Ok(None) => break Ok(()),
            Err(cause) => break Err(cause),
        }
    };
    // Nobody takes a part for the whole.
    match ended {
        Ok(()) => assert_eq!(read, whole),
        Err(cause) => assert!(read < whole, "{cause}"),
    }
    stopping.join().unwrap();
}

/// CSV keeps what has a comma or a quotation mark in it in one field.
#[tokio::test]
async fn fields_of_csv_are_quoted() {
    let server = Server::start().await;
    generate(&server.db, 1, 6).await;
    let name = r#"Siti "Kak" Aminah, Kuala"#;
    let rename = format!("update imports set south_name = '{name}'");
    assert_eq!(server.db.execute(&rename).await, 5);
    let answer = server.api.get("/v1/export/games?format=csv").await;
    let (_, games) = csv(&answer);
    for game in &games {
        assert_eq!(game["south_player"], name);
        let rules: Value = serde_json::from_str(&game["rules"]).unwrap();
        assert_eq!(rules["houses"].to_string(), game["houses"]);
    }
}
