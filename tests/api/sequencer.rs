//! The one log that all events get into, whatever order they are committed in,
//! whichever server writes them, whoever dies: every reader sees each of its
//! events once, and each game's in order.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::process::Command;

use mancala_post::db::events::{Fact, Kind, record, try_become_sequencer};
use mancala_post::notify::sequencer;
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use sqlx::Row;

use crate::support::database::Database;
use crate::support::follow::{Reader, Stream, count, game_of, player, step, types};
use crate::support::process::{Process, program, run};
use crate::support::{Api, Game, Server};

/// Every event once, later ones behind, and each game's as they were written. Who
/// joined a game was not there when it was made.
async fn whole(db: &Database, seen: &[Value]) {
    let position = |event: &Value| -> i64 {
        let id = event["id"].as_str().unwrap();
        id.split_once('.').unwrap().1.parse().unwrap()
    };
    let positions: Vec<_> = seen.iter().map(position).collect();
    assert!(
        positions.windows(2).all(|pair| pair[0] < pair[1]),
        "{positions:?}"
    );
    let mut games: BTreeMap<&str, Vec<(String, i64)>> = BTreeMap::new();
    for event in seen {
        let game = games.entry(event["game_id"].as_str().unwrap()).or_default();
        game.push((
            event["type"].as_str().unwrap().into(),
            event["ply"].as_i64().unwrap(),
        ));
    }
    let mut connection = db.connect().await;
    for (game, events) in games {
        let written = sqlx::query(
            "select type, ply from events where game_id = $1::text::uuid order by event_no",
        )
        .bind(game)
        .fetch_all(&mut connection)
        .await
        .unwrap();
        let written: Vec<_> = written
            .iter()
            .map(|row| (row.get::<String, _>(0), i64::from(row.get::<i32, _>(1))))
            .collect();
        let joined = usize::from(events[0].0 != "game.created");
        assert_eq!(events, written[joined..], "{game}");
    }
}

/// A transaction that began first ends last: what it tells is not skipped.
#[tokio::test]
async fn a_transaction_is_held_open() {
    let server = Server::start_with_loops().await;
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let body = || json!({ "ruleset": "al-manqala" });
    let held = game_of(&ana, &bo, body()).await;
    let others = [
        game_of(&ana, &bo, body()).await,
        game_of(&ana, &bo, body()).await,
    ];
    let mut db = server.db.connect().await;
    sqlx::raw_sql("begin").execute(&mut db).await.unwrap();
    let data = json!({ "seat": "south", "offer": 1, "kind": "split", "status": "open" });
    let at = mancala_post::db::now(&mut db).await.unwrap();
    let game_id = held.id.parse().unwrap();
    let fact = |kind, to| {
        [Fact {
            kind,
            ply: 0,
            to,
            data: data.clone(),
        }]
    };
    let made = fact(Kind::OfferMade, "north");
    record(&mut db, game_id, &made, at).await.unwrap();
    let mut stream = Stream::open(&ana, "/v1/events?after=0", "text/event-stream", None).await;
    let mut reader = Reader::new(&ana, "/v1/events");
    for _ in 0..3 {
        step(&others[0]).await;
        step(&others[1]).await;
    }
    reader.until(|seen| count(seen, "move.played") == 6).await;
    assert_eq!(count(&reader.seen, "offer.made"), 0);
    sqlx::raw_sql("commit").execute(&mut db).await.unwrap();
    step(&others[0]).await;
    reader
        .until(|seen| count(seen, "offer.made") == 1 && count(seen, "move.played") == 7)
        .await;
    whole(&server.db, &reader.seen).await;
    for expected in &reader.seen {
        assert_eq!(
            stream.event().await.unwrap().0,
            *expected["id"].as_str().unwrap()
        );
    }
    // A change that is taken back is told to nobody.
    sqlx::raw_sql("begin").execute(&mut db).await.unwrap();
    let answered = fact(Kind::OfferAnswered, "south");
    record(&mut db, game_id, &answered, at).await.unwrap();
    sqlx::raw_sql("rollback").execute(&mut db).await.unwrap();
    step(&others[1]).await;
    reader.until(|seen| count(seen, "move.played") == 8).await;
    assert_eq!(count(&reader.seen, "offer.answered"), 0);
    whole(&server.db, &reader.seen).await;
}

/// However the batches fall, the order within a game stays.
#[tokio::test]
async fn one_holder_at_a_time() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let (mut first, mut second) = (server.db.connect().await, server.db.connect().await);
    assert!(try_become_sequencer(&mut first).await.unwrap());
    assert!(!try_become_sequencer(&mut second).await.unwrap());
    assert_eq!(sequencer::place(&mut first).await.unwrap(), 3);
    assert_eq!(sequencer::place(&mut first).await.unwrap(), 0);
    step(&game).await;
    // Its connection dies: the lock is free, nothing is lost.
    let pid = "select pid from pg_locks where locktype = 'advisory' and granted \
               and database = (select oid from pg_database where datname = current_database())";
    server
        .db
        .execute(&format!(
            "select pg_terminate_backend(pid, 5000) from ({pid}) holder"
        ))
        .await;
    assert!(sequencer::place(&mut first).await.is_err());
    assert!(try_become_sequencer(&mut second).await.unwrap());
    assert_eq!(sequencer::place(&mut second).await.unwrap(), 2);
    let told = crate::support::follow::events(&game.south, "/v1/events").await;
    assert_eq!(told.len(), 5);
    whole(&server.db, &told).await;
}

/// Plays `games` to and fro between the servers, all at once, some steps each.
async fn play(games: &[Game], urls: &[&str], steps: usize) {
    let mut running = Vec::new();
    for game in games {
        let sides: Vec<Game> = urls.iter().map(|url| game.at(url)).collect();
        running.push(tokio::spawn(async move {
            for number in 0..steps {
                step(&sides[number % sides.len()]).await;
            }
        }));
    }
    for game in running {
        game.await.unwrap();
    }
}

/// Two servers on one database; one, which gives the positions, is killed, and the
/// other takes over.
#[tokio::test]
async fn two_servers_and_one_is_killed() {
    let db = Database::new().await;
    let mut first = Process::start(&db.url());
    let api = Api::new(&first.url).await;
    let (ana, bo) = (player(&api, "ana").await, player(&api, "bo").await);
    let mut games = Vec::new();
    for _ in 0..4 {
        games.push(game_of(&ana, &bo, json!({ "ruleset": "al-manqala" })).await);
    }
    // What the first server alone gave positions to shows that it has the lock.
    let mut anas = Reader::new(&ana, "/v1/events");
    anas.until(|seen| count(seen, "game.started") == 4).await;
    let second = Process::start(&db.url());
    let mut bos = Reader::new(&bo.at(&second.url), "/v1/events");
    let mut one_game = Reader::new(&api.at(&second.url), &games[0].to("events"));
    play(&games, &[&first.url, &second.url], 6).await;
    anas.until(|seen| count(seen, "move.played") == 24).await;
    bos.until(|seen| count(seen, "move.played") == 24).await;

    first.end_by(Signal::SIGKILL);
    anas.turn_to(&second.url);
    let survivor = [second.url.as_str()];
    let ((), (), ()) = tokio::join!(
        play(&games, &survivor, 4),
        anas.until(|seen| count(seen, "move.played") == 40),
        bos.until(|seen| count(seen, "move.played") == 40),
    );
    one_game
        .until(|seen| count(seen, "move.played") == 10)
        .await;
    let complete = |seen: &[Value]| count(seen, "turn.started") == 4 + 40;
    anas.until(complete).await;
    bos.until(complete).await;
    one_game
        .until(|seen| count(seen, "turn.started") == 11)
        .await;
    for reader in [&anas, &bos, &one_game] {
        whole(&db, &reader.seen).await;
    }
    assert_eq!(count(&anas.seen, "game.created"), 4);
    assert_eq!(count(&bos.seen, "game.created"), 0);
    let shared = anas.seen.iter();
    let shared: Vec<_> = shared
        .filter(|event| event["type"] != "game.created")
        .cloned()
        .collect();
    assert_eq!(ids(&shared), ids(&bos.seen));
    assert!(ids(&one_game.seen).is_subset(&ids(&anas.seen)));
}

fn ids(events: &[Value]) -> HashSet<&str> {
    events
        .iter()
        .map(|event| event["id"].as_str().unwrap())
        .collect()
}

/// One of PostgreSQL's programs, found where the server's own is.
fn postgres_program(name: &str) -> Command {
    let mut places: Vec<PathBuf> = std::env::var_os("PG_BIN")
        .into_iter()
        .map(PathBuf::from)
        .collect();
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        let mut versions: Vec<_> = versions.map(|version| version.unwrap().path()).collect();
        versions.sort();
        places.extend(versions.iter().rev().map(|version| version.join("bin")));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    places.extend(std::env::split_paths(&path));
    let found = places
        .iter()
        .map(|place| place.join(name))
        .find(|path| path.exists());
    Command::new(found.unwrap_or_else(|| panic!("no {name}")))
}

/// Runs it to its end, with what goes in; what comes out.
fn ran(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output.stdout
}

/// Dumped, and restored into another database: cursors go on, and what had no
/// position yet gets one.
#[tokio::test]
async fn dumped_and_restored() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    step(&game).await;
    server.db.place_events().await;
    let mut before = Reader::new(&game.south, "/v1/events");
    before.until(|seen| seen.len() == 5).await;
    step(&game).await;
    let path = std::env::temp_dir().join(format!("mancala-post-{}.dump", game.id));
    let mut dump = postgres_program("pg_dump");
    dump.args([
        "--format=custom",
        "--no-owner",
        "--dbname",
        &server.db.url(),
    ]);
    ran(dump.arg("--file").arg(&path));
    let other = Database::empty().await;
    let mut restore = postgres_program("pg_restore");
    restore.args(["--exit-on-error", "--no-owner", "--dbname", &other.url()]);
    ran(restore.arg(&path));
    std::fs::remove_file(&path).unwrap();

    let process = Process::start(&other.url());
    let game = game.at(&process.url);
    before.turn_to(&process.url);
    before.until(|seen| seen.len() == 7).await;
    step(&game).await;
    before.until(|seen| seen.len() == 9).await;
    whole(&other, &before.seen).await;
    let moves = types(&before.seen)
        .into_iter()
        .filter(|&kind| kind == "move.played")
        .count();
    assert_eq!(moves, 3);
}

/// Set back in time the log is another one: old cursors say so, new ones go on.
#[tokio::test]
async fn restored_from_an_older_state() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    server.db.place_events().await;
    let page = game.south.get("/v1/events?after=0").await.expect(200);
    let cursor = page["next_cursor"].as_str().unwrap();
    let path = format!("/v1/events?after={cursor}");
    game.south.get(&path).await.expect(200);

    let output = run(&server.db.url(), &["restored"]);
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("epoch 2"), "{said}");
    let help = program(&["--help"]).output().unwrap();
    assert!(String::from_utf8(help.stdout).unwrap().contains("restored"));

    let problem = game.south.get(&path).await.problem(409, "cursor_reset");
    assert_ne!(problem["detail"], "");
    let ask = crate::support::Ask::get("/v1/events").header("last-event-id", cursor);
    game.south.ask(ask).await.problem(409, "cursor_reset");
    let page = game.south.get("/v1/events?after=0").await.expect(200);
    assert_eq!(page["items"].as_array().unwrap().len(), 3);
    let cursor = page["next_cursor"].as_str().unwrap();
    assert!(cursor.starts_with("2."), "{cursor}");
    step(&game).await;
    server.db.place_events().await;
    let page = game.south.get(&format!("/v1/events?after={cursor}")).await;
    let page = page.expect(200);
    let told = page["items"].as_array().unwrap();
    assert_eq!(types(told), ["move.played", "turn.started"]);
}
