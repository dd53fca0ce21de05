//! Records out of one database and into another: nothing is lost, nothing comes
//! twice, and what is bad is refused by itself.

use std::io::Write;
use std::process::{Output, Stdio};

use mancala_post::play::archive;
use serde_json::{Value, json};

use crate::support::database::Database;
use crate::support::offers::taken_back;
use crate::support::process::{program, run};
use crate::support::{Game, Server};

fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

fn export(db: &Database, format: &str) -> String {
    let output = run(&db.url(), &["export", "--format", format]);
    let (out, err) = said(&output);
    assert!(output.status.success(), "{err}");
    out
}

/// Imports from standard input: what it printed, and what it refused.
fn import(db: &Database, records: &[u8]) -> (String, Vec<String>) {
    let mut child = program(&["import", "-"])
        .env("DATABASE_URL", db.url())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let records = records.to_vec();
    let writing = std::thread::spawn(move || stdin.write_all(&records));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    let (out, err) = said(&output);
    let refused: Vec<String> = err
        .lines()
        .map(|line| {
            line.strip_prefix("standard input:")
                .unwrap_or(line)
                .to_owned()
        })
        .collect();
    assert_eq!(output.status.success(), refused.is_empty(), "{err}");
    (out, refused)
}

fn outcome(new: usize, same: usize, refused: usize) -> String {
    format!("{new} games imported, {same} were there already, {refused} refused\n")
}

/// Lines of NDJSON without where games came from.
fn facts(lines: &str) -> Vec<Value> {
    let fact = |line: &str| {
        let mut game: Value = serde_json::from_str(line).unwrap();
        game["source"] = Value::Null;
        game["imported_at"] = Value::Null;
        game
    };
    lines.lines().map(fact).collect()
}

/// Games that were played here, with whatever can be in a log.
async fn play(server: &Server) {
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1", "n1"]).await.expect(201);
    taken_back(&game, "north", 1).await;
    game.play(&["n2", "s3"]).await.expect(201);
    game.north.call(&game.to("resign")).await.expect(200);
    let game = Game::of(&server.api, "congkak-arena").await;
    game.play(&["s7"]).await.expect(202);
    game.play(&["n5", "s5"]).await.expect(201);
    game.south.call(&game.to("resign")).await.expect(200);
    let clock = json!({ "ruleset": "congkak", "clock": { "per_move": 3600 },
                        "rules": { "houses": 5, "seeds": 1 },
                        "start": "0,0,0,0,1/0,0,1,0,0 5-3 S r1:S" });
    let game = Game::create(&server.api, &clock).await;
    game.play(&["s5", "n3"]).await.expect(201);
    assert_eq!(game.state().await["status"], "finished");
    // Not these: one that goes on, one without a result, a private one.
    Game::of(&server.api, "congkak")
        .await
        .play(&["s1"])
        .await
        .expect(201);
    let game = Game::of(&server.api, "congkak").await;
    game.south.call(&game.to("abort")).await.expect(200);
    let private = json!({ "ruleset": "congkak", "visibility": "private" });
    let game = Game::create(&server.api, &private).await;
    game.south.call(&game.to("resign")).await.expect(200);
}

fn generate(db: &Database, arguments: &[&str]) {
    let output = run(&db.url(), &[&["generate"][..], arguments].concat());
    assert!(output.status.success(), "{}", said(&output).1);
}

#[tokio::test]
async fn what_goes_out_comes_back() {
    let server = Server::start().await;
    play(&server).await;
    generate(
        &server.db,
        &[
            "--ruleset",
            "congkak-traditional",
            "--rules",
            r#"{"houses":5,"seeds":2,"max_rounds":3}"#,
            "--games",
            "15",
        ],
    );
    generate(
        &server.db,
        &["--ruleset", "al-manqala", "--games", "15", "--seed", "4"],
    );
    let (text, lines) = (export(&server.db, "text"), export(&server.db, "ndjson"));
    assert_eq!(lines.lines().count(), 33);
    for (format, records) in [("text", &text), ("ndjson", &lines)] {
        let other = Database::new().await;
        assert_eq!(
            import(&other, records.as_bytes()),
            (outcome(33, 0, 0), Vec::new())
        );
        assert_eq!(export(&other, "text"), text, "by way of {format}");
        assert_eq!(
            facts(&export(&other, "ndjson")),
            facts(&lines),
            "by way of {format}"
        );
        // Whichever way they come again.
        assert_eq!(import(&other, text.as_bytes()).0, outcome(0, 33, 0));
        assert_eq!(import(&other, lines.as_bytes()).0, outcome(0, 33, 0));
        let verified = run(&other.url(), &["verify"]);
        assert!(said(&verified).0.starts_with("33 games, "), "{verified:?}");
        assert!(verified.status.success());
        assert_eq!(other.number("select count(*) from players").await, 0);
        let live = "select count(*) from seats where live or player_id is not null";
        assert_eq!(other.number(live).await, 0);
    }
    // Nor do a server's own games come twice, packed or not.
    assert_eq!(import(&server.db, text.as_bytes()).0, outcome(0, 33, 0));
    let all = chrono::TimeDelta::zero();
    archive::pack(&server.db.pool(), all).await.unwrap();
    assert_eq!(export(&server.db, "text"), text);
    assert_eq!(import(&server.db, lines.as_bytes()).0, outcome(0, 33, 0));
}

/// What was entered before is passed by.
#[tokio::test]
async fn a_stopped_import_is_started_again() {
    let db = Database::new().await;
    generate(&db, &["--ruleset", "congkak", "--games", "1500"]);
    let text = export(&db, "text");
    let other = Database::new().await;
    // It broke off in the middle of a record.
    let half = &text[..text.len() / 2];
    let (printed, refused) = import(&other, half.as_bytes());
    assert_eq!(refused.len(), 1, "{printed}");
    let there = other.number("select count(*) from records").await;
    let there = usize::try_from(there).unwrap();
    assert!((700..800).contains(&there), "{there}");
    assert_eq!(
        import(&other, text.as_bytes()).0,
        outcome(1500 - there, there, 0)
    );
    assert_eq!(export(&other, "text"), text);
}

#[tokio::test]
async fn bad_records_are_refused_one_by_one() {
    let page = include_str!("../../docs/notation.md").split("```\n");
    let examples: Vec<&str> = page.filter(|block| block.starts_with("[Game \"")).collect();
    let good = examples.join("\n");
    let db = Database::new().await;
    let bad = [
        examples[0].replace("S5 S4", "S5 S5"),
        examples[1].to_owned(),
        examples[2].replace("south 0-0", "south 1-0"),
        examples[3].replace("congkak-arena 1", "congkak-arena 7"),
        examples[4].replace("\n\n1. ", "\n1. "),
        "hello\n".into(),
        examples[5].to_owned(),
    ];
    let file = format!("who knows\n\n{}", bad.join("\n\n"));
    let line = |part: &str| file[..file.find(part).unwrap()].matches('\n').count() + 1;
    let (printed, refused) = import(&db, file.as_bytes());
    assert_eq!(printed, outcome(2, 0, 5));
    let expected = [
        "1: column 1: expected the header [Game]".to_owned(),
        format!("{}: column 7: south's house 5 is empty", line("1. S5 S5")),
        format!(
            "{}: column 16: expected `[Result \"south 0-0 resignation\"]`",
            line("[Result \"south 1-0")
        ),
        format!(
            "{}: column 1: ruleset congkak-arena has no revision 7",
            line("congkak-arena 7")
        ),
        format!(
            "{}: column 1: expected an empty line after the headers",
            line("1. S5\n2. N3")
        ),
    ];
    assert_eq!(refused, expected);
    // Windows' lines, and the same again.
    let windows = good.replace('\n', "\r\n");
    assert_eq!(
        import(&db, windows.as_bytes()),
        (outcome(4, 2, 0), Vec::new())
    );

    // Times that cannot be, and an id that is of no time.
    let day = "[Created \"2025-01-01\"]\n";
    let times = |more: &str| examples[2].replace(day, &format!("{day}{more}"));
    let bad = [
        times("[Started \"2024-12-31\"]\n"),
        times("[Ended \"2024-12-31\"]\n"),
        examples[2]
            .replace("N resignation", "N timeout")
            .replace("south 0-0 resignation", "south 0-0 timeout"),
        examples[2].replace("-7000-8000-", "-4000-8000-"),
        examples[2].replace(
            "01941f29-7c00-7000-8000-000000000003",
            "00000000-0000-0000-0000-000000000000",
        ),
    ];
    let (printed, refused) = import(&db, bad.join("\n\n").as_bytes());
    assert_eq!(printed, outcome(0, 0, 5));
    let causes = [
        "its times say otherwise",
        "its times say otherwise",
        "nobody is late in a game without a clock",
        "a UUID of another version than 7",
        "a UUID of another version than 7",
    ];
    for (refused, cause) in refused.iter().zip(causes) {
        assert!(refused.contains(cause), "{refused}");
    }

    // Other content under the same id.
    let other = examples[0].replace("Siti", "Dewi");
    let (printed, refused) = import(&db, format!("{other}\n{}", examples[1]).as_bytes());
    assert_eq!(printed, outcome(0, 1, 1));
    let id = "01941f29-7c00-7000-8000-000000000001";
    assert_eq!(
        refused,
        [format!("1: there is another game with the id {id}")]
    );
    assert!(export(&db, "text").contains("human Siti"));

    // JSON whose values are not what the moves make them.
    let lines = export(&db, "ndjson");
    let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    lines[0] = lines[0].replace("\"winner\":\"north\"", "\"winner\":\"south\"");
    lines[1] = lines[1][..99].to_owned();
    lines.insert(2, "x".repeat(70 << 20));
    let (printed, refused) = import(&db, lines.join("\n").as_bytes());
    assert_eq!(printed, outcome(0, 4, 3));
    assert!(
        refused[0].starts_with("1: `result.winner` is \"south\","),
        "{}",
        refused[0]
    );
    assert!(
        refused[1].starts_with("2: no record as JSON: "),
        "{}",
        refused[1]
    );
    assert_eq!(refused[2], "3: a record has at most 67108864 bytes");
}

#[tokio::test]
async fn imported_games_are_read_like_others() {
    let server = Server::start().await;
    let page = include_str!("../../docs/notation.md").split("```\n");
    let example = page
        .clone()
        .find(|block| block.starts_with("[Game \""))
        .unwrap();
    assert_eq!(import(&server.db, example.as_bytes()).0, outcome(1, 0, 0));
    let path = "/v1/games/01941f29-7c00-7000-8000-000000000001";
    let state = server.api.get(path).await.expect(200);
    assert_eq!(state["source"], "imported");
    assert_eq!(state["result"]["winner"], "south");
    // The name belongs to nobody here.
    assert_eq!(state["seats"]["south"]["player"], Value::Null);
    let log = server.api.get(&format!("{path}/moves")).await.expect(200);
    assert_eq!(log["items"][0]["played_at"], Value::Null);
    assert_eq!(log["items"][0]["elapsed_ms"], Value::Null);
}

#[tokio::test]
async fn files_that_are_not_there_are_named() {
    let db = Database::new().await;
    let output = run(&db.url(), &["import", "/nowhere/games.txt"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).1.contains("/nowhere/games.txt"), "{output:?}");
    assert_eq!(run(&db.url(), &["import"]).status.code(), Some(2));
}
