//! Waiting for events: long polls, server-sent events, JSON lines; what they cost
//! while nothing happens, and how they end.

use std::time::{Duration, Instant};

use mancala_post::app::Parts;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal;
use serde_json::json;

use crate::support::database::Database;
use crate::support::follow::{Reader, Stream, events, step};
use crate::support::process::Process;
use crate::support::server::{Front, parts};
use crate::support::{Api, Ask, Game, Server};

const SSE: &str = "text/event-stream";
const NDJSON: &str = "application/x-ndjson";

/// A poll wakes at once, also where another server has made the change.
#[tokio::test]
async fn a_long_poll_wakes() {
    let server = Server::start_with_loops().await;
    let other = Front::start_with_loops(parts(&server.db)).await;
    let game = Game::of(&server.api, "al-manqala").await;
    let mut cursor = "0".to_owned();
    for url in [&server.url, &other.url, &server.url] {
        let reader = game.south.at(url);
        let mut moves = 0;
        while moves < 2 {
            let path = format!("/v1/events?after={cursor}&wait=60");
            let begun = Instant::now();
            let (page, _) = tokio::join!(reader.get(&path), step(&game));
            assert!(begun.elapsed() < Duration::from_secs(20));
            let page = page.expect(200);
            let items = page["items"].as_array().unwrap();
            assert_ne!(items.len(), 0);
            moves += items
                .iter()
                .filter(|event| event["type"] == "move.played")
                .count();
            cursor = page["next_cursor"].as_str().unwrap().to_owned();
        }
    }
}

#[tokio::test]
async fn a_long_poll_in_vain() {
    let server = Server::start_with_loops().await;
    let (game, other) = (
        Game::of(&server.api, "congkak").await,
        Game::of(&server.api, "congkak").await,
    );
    let mut reader = Reader::new(&game.south, "/v1/events");
    reader.until(|seen| seen.len() == 3).await;
    // What happens in other games wakes nobody here.
    let path = format!("/v1/events?after={}&wait=2", reader.cursor);
    let (page, _) = tokio::join!(game.south.get(&path), step(&other));
    let page = page.expect(200);
    assert_eq!(
        (&page["items"], &page["next_cursor"]),
        (&json!([]), &json!(reader.cursor))
    );
}

#[tokio::test]
async fn server_sent_events() {
    let server = Server::start_with_loops().await;
    let game = Game::of(&server.api, "al-manqala").await;
    step(&game).await;
    let mut stream = Stream::open(&game.south, "/v1/events?after=0", SSE, None).await;
    let header = |name: &str| {
        stream
            .headers
            .get(name)
            .map(|value| value.to_str().unwrap())
    };
    assert_eq!(header("content-type"), Some(SSE));
    assert_eq!(header("x-accel-buffering"), Some("no"));
    assert!(header("cache-control").unwrap().contains("no-store"));
    assert_eq!(header("content-encoding").unwrap_or("identity"), "identity");
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.push(stream.event().await.unwrap());
    }
    step(&game).await;
    for _ in 0..2 {
        seen.push(stream.event().await.unwrap());
    }
    let told = events(&game.south, "/v1/events").await;
    assert_eq!(told.len(), seen.len());
    for (event, (id, kind, data)) in told.iter().zip(&seen) {
        assert_eq!(
            (&json!(id), &json!(kind), data),
            (&event["id"], &event["type"], event)
        );
    }
    // It broke off after the third event: the client says so and goes on there.
    let last = Some(seen[2].0.as_str());
    let mut again = Stream::open(&game.south, "/v1/events?after=0", SSE, last).await;
    for expected in &seen[3..] {
        assert_eq!(&again.event().await.unwrap(), expected);
    }
    // Anybody may follow a public game.
    let path = format!("{}?after=0", game.to("events"));
    let mut public = Stream::open(&server.api, &path, SSE, None).await;
    for (id, kind, _) in &seen {
        let event = public.event().await.unwrap();
        assert_eq!((&event.0, &event.1), (id, kind));
    }
}

#[tokio::test]
async fn json_lines() {
    let server = Server::start_with_loops().await;
    let game = Game::of(&server.api, "congkak").await;
    let mut stream = Stream::open(&game.north, "/v1/events?after=0", NDJSON, None).await;
    assert_eq!(stream.headers["content-type"], NDJSON);
    assert_eq!(stream.headers["x-accel-buffering"], "no");
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(stream.json().await.unwrap());
    }
    step(&game).await;
    seen.push(stream.json().await.unwrap());
    let told = events(&game.north, "/v1/events").await;
    assert_eq!(seen, told[..4]);
}

/// The first line of a quiet stream says at once that it is open, and where.
#[tokio::test]
async fn heartbeats() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    server.db.place_events().await;
    let cursor = game.south.get("/v1/events").await.expect(200)["next_cursor"].clone();
    let cursor = cursor.as_str().unwrap();
    let mut stream = Stream::open(&game.south, "/v1/events", SSE, None).await;
    assert_eq!(stream.line().await.unwrap(), format!("id: {cursor}"));
    assert_eq!(stream.line().await.unwrap(), ": alive");
    let mut stream = Stream::open(&game.south, "/v1/events", NDJSON, None).await;
    let line = stream.line().await.unwrap();
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line, json!({ "type": "heartbeat", "id": cursor }));
    // A page may be packed, a stream never is.
    let ask = Ask::get("/v1/events?after=0").header("accept-encoding", "gzip");
    assert_eq!(game.south.ask(ask).await.header("content-encoding"), "gzip");
}

/// A quiet stream shows again and again that it lives, and where; so it does after
/// something has happened.
#[tokio::test]
async fn a_heartbeat_after_another() {
    let db = Database::new().await;
    let usual = parts(&db);
    let front = Front::start_with_loops(move || Parts {
        heartbeat: Duration::from_millis(50),
        ..usual()
    })
    .await;
    let game = Game::of(&front.api, "al-manqala").await;
    let mut sse = Stream::open(&game.south, "/v1/events?after=0", SSE, None).await;
    let mut ndjson = Stream::open(&game.south, "/v1/events?after=0", NDJSON, None).await;
    let begun = ["game.created", "game.started", "turn.started"];
    for expected in [begun.as_slice(), &["move.played", "turn.started"]] {
        let mut cursor = String::new();
        for expected in expected {
            let (id, kind, data) = sse.event().await.unwrap();
            assert_eq!(kind, *expected);
            assert_eq!(ndjson.json().await.unwrap(), data);
            cursor = id;
        }
        for _ in 0..3 {
            let lines = [sse.line().await, sse.line().await, sse.line().await];
            let lines = lines.map(Option::unwrap);
            assert_eq!(lines, [&format!("id: {cursor}"), ": alive", ""]);
            let line = ndjson.line().await.unwrap();
            let line: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(line, json!({ "type": "heartbeat", "id": cursor }));
        }
        if expected == begun {
            step(&game).await;
        }
    }
}

/// A stream that loses the database ends as one that is complete, so that its reader
/// comes back with the last cursor and misses nothing.
#[tokio::test]
async fn the_database_away_ends_a_stream() {
    let db = Database::new().await;
    let usual = parts(&db);
    let front = Front::start_with_loops(move || Parts {
        heartbeat: Duration::from_millis(50),
        ..usual()
    })
    .await;
    let game = Game::of(&front.api, "al-manqala").await;
    let mut streams = Vec::new();
    for format in [SSE, NDJSON] {
        let mut stream = Stream::open(&game.south, "/v1/events?after=0", format, None).await;
        while !stream.line().await.unwrap().contains("turn.started") {}
        streams.push(stream);
    }
    db.shut().await;
    for stream in &mut streams {
        while stream.line().await.is_some() {}
    }
}

#[tokio::test]
async fn a_shutdown_ends_what_waits() {
    let db = Database::new().await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "congkak").await;
    let mut sse = Stream::open(&game.south, "/v1/events", SSE, None).await;
    let mut ndjson = Stream::open(&game.north, "/v1/events?after=0", NDJSON, None).await;
    ndjson.json().await.unwrap();
    sse.line().await.unwrap();
    let poll = game.north.clone();
    let cursor = api.get(&game.to("events")).await.expect(200)["next_cursor"].clone();
    let path = format!(
        "{}?after={}&wait=60",
        game.to("events"),
        cursor.as_str().unwrap()
    );
    let poll = tokio::spawn(async move { poll.get(&path).await });
    // A request on a connection of its own: the poll was sent before it.
    api.get("/healthz").await.expect(200);
    let begun = Instant::now();
    let ended = tokio::task::spawn_blocking(move || process.end_by(Signal::SIGTERM));
    while sse.line().await.is_some() {}
    while ndjson.line().await.is_some() {}
    assert_eq!(poll.await.unwrap().status, 200);
    assert!(ended.await.unwrap().success());
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
}

/// Kilobytes of memory that a process has.
fn memory(process: &Process) -> i64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.pid())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// How many files and sockets a process has open.
fn handles(process: &Process) -> usize {
    let open = std::fs::read_dir(format!("/proc/{}/fd", process.pid()));
    open.unwrap().count()
}

/// A thousand streams and a thousand polls that wait cost no connection of the
/// database, and little memory.
#[tokio::test]
async fn two_thousand_who_wait() {
    // This very process has the other ends.
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    assert!(most > 5000, "ulimit -Hn: the server needs two for each");
    setrlimit(Resource::RLIMIT_NOFILE, most, most).unwrap();
    let db = Database::new().await;
    let process = Process::start_with(&db.url(), &[("MANCALA_DB_POOL", "12")]);
    let api = Api::new(&process.url).await;
    let (quiet, lively) = (
        Game::of(&api, "congkak").await,
        Game::of(&api, "al-manqala").await,
    );
    // All of it has its position by the time the last turn is told.
    let told = lively.north.get("/v1/events?after=0&wait=30").await;
    assert_ne!(told.expect(200)["items"], json!([]));
    let begun = quiet.north.get("/v1/events").await.expect(200)["next_cursor"].clone();
    let path = format!("/v1/events?after={}&wait=60", begun.as_str().unwrap());
    let before = memory(&process);
    let (mut streams, mut polls) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        let opened = (0..10).map(|_| Stream::open(&quiet.south, "/v1/events", SSE, None));
        streams.extend(futures_util::future::join_all(opened).await);
        for _ in 0..10 {
            let (reader, path) = (quiet.north.clone(), path.clone());
            polls.push(tokio::spawn(async move { reader.get(&path).await }));
        }
    }
    for stream in &mut streams {
        assert!(stream.line().await.unwrap().starts_with("id: "));
    }
    // Two handles for each of them: the polls have come as well.
    while handles(&process) < 4000 {
        api.get("/healthz").await.expect(200);
    }
    let connections = "select count(*) from pg_stat_activity where datname = current_database() \
                       and application_name = 'mancala-post'";
    assert!(db.number(connections).await <= 12);
    // Somebody else is served as ever, and told of what happens.
    let cursor = lively.north.get("/v1/events").await.expect(200)["next_cursor"].clone();
    step(&lively).await;
    let path = format!("/v1/events?after={}&wait=30", cursor.as_str().unwrap());
    let page = lively.north.get(&path).await.expect(200);
    assert_eq!(page["items"][0]["type"], "move.played");
    assert!(db.number(connections).await <= 12);
    let grown = memory(&process) - before;
    assert!(grown < 100 * 1024, "{grown} kB more");
    // Every one of them still waits.
    assert!(polls.iter().all(|poll| !poll.is_finished()));
    for poll in polls {
        poll.abort();
    }
}
