//! Research that reads from a streaming replica: it is behind, away, back; it has not
//! got the schema yet; it gives up what is in the way of what it replays. Play goes on
//! all the while.

use chrono::{DateTime, Utc};
use mancala_post::app::Parts;
use mancala_post::db::{pool, schema};
use mancala_post::play::archive;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgConnection};

use crate::support::backstage::somebody_waits;
use crate::support::database::Database;
use crate::support::people::ids;
use crate::support::process::program;
use crate::support::replica::Pair;
use crate::support::server::Front;
use crate::support::snapshots::Shelf;
use crate::support::{Answer, Game};

const SMALL: &str = "ruleset=al-manqala&rules=houses:5,seeds:2";

/// A server that plays on the primary and reads for research from the replica.
async fn front(pair: &Pair) -> Front {
    let primary = pool::options(&pair.primary_url()).unwrap();
    let replica = pool::reading(&pool::options(&pair.replica_url()).unwrap());
    Front::start(move || Parts {
        replica: Some(pool::pool(replica, 4)),
        ..Parts::new(pool::pool(primary, 8), "127.0.0.1:0")
    })
    .await
}

/// A game of one choice that is over, and known to the search of the primary.
async fn over(front: &Front, pair: &Pair) -> Game {
    let body = json!({ "ruleset": "al-manqala", "rules": { "houses": 5, "seeds": 2 } });
    let game = Game::create(&front.api, &body).await;
    game.play(&["s1"]).await;
    game.north.call(&game.to("resign")).await.expect(200);
    let primary = pool::pool(pool::options(&pair.primary_url()).unwrap(), 2);
    assert_eq!(archive::enter(&primary).await.unwrap(), 1);
    game
}

/// What research says: games explored, counted, exported, and the cut-off; and as of
/// when each of the answers is.
async fn research(front: &Front) -> ([i64; 4], Vec<DateTime<Utc>>) {
    let explored = front.api.get(&format!("/v1/explorer?{SMALL}")).await;
    let counted = front.api.get("/v1/games/count?status=finished").await;
    let exported = front.api.get("/v1/export/games?format=ndjson").await;
    let numbers = [
        explored.json["reached"]["games"].as_i64().unwrap(),
        counted.json["count"].as_i64().unwrap(),
        exported.text().lines().count() as i64,
        exported.header("mancala-until").parse().unwrap(),
    ];
    let as_of = |answer: &Answer| answer.header("mancala-as-of").parse().unwrap();
    (
        numbers,
        [explored, counted, exported].iter().map(as_of).collect(),
    )
}

async fn finished(front: &Front) -> usize {
    ids(&front.api.get("/v1/games?status=finished").await.expect(200)).len()
}

async fn run(db: &mut PgConnection, statements: &str) {
    let statements = AssertSqlSafe(statements.to_owned());
    sqlx::raw_sql(statements).execute(db).await.unwrap();
}

#[tokio::test]
async fn research_is_as_of_what_the_replica_has() {
    let pair = Pair::start().await;
    let front = front(&pair).await;
    over(&front, &pair).await;
    pair.caught_up().await;
    assert_eq!(research(&front).await.0, [1, 1, 1, 1]);

    pair.pause().await;
    let second = over(&front, &pair).await;
    assert_eq!(finished(&front).await, 2);
    let (numbers, as_of) = research(&front).await;
    assert_eq!(numbers, [1, 1, 1, 1]);
    let created = second.created["game"]["created_at"].as_str().unwrap();
    let created: DateTime<Utc> = created.parse().unwrap();
    assert!(as_of.iter().all(|at| *at <= created), "{as_of:?} {created}");
    let ready = front.api.get("/readyz").await.expect(200);
    assert_eq!(ready["replica"]["status"], "ok");
    let known: DateTime<Utc> = ready["replica"]["as_of"].as_str().unwrap().parse().unwrap();
    assert!(known <= created, "{known} {created}");

    pair.resume().await;
    pair.caught_up().await;
    assert_eq!(research(&front).await.0, [2, 2, 2, 2]);
    let ready = front.api.get("/readyz").await.expect(200);
    let known: DateTime<Utc> = ready["replica"]["as_of"].as_str().unwrap().parse().unwrap();
    assert!(known > created, "{known} {created}");
}

#[tokio::test]
async fn nothing_is_written_where_research_reads() {
    let pair = Pair::start().await;
    // Nor where somebody names a primary as the replica, and may write there.
    for url in [pair.replica_url(), pair.primary_url()] {
        let pool = pool::pool(pool::reading(&pool::options(&url).unwrap()), 1);
        let written = sqlx::query("update heartbeat set alive_at = alive_at")
            .execute(&pool)
            .await;
        let cause = written.unwrap_err();
        let code = cause.as_database_error().unwrap().code().unwrap();
        assert_eq!(code, "25006", "{url}: {cause}");
    }
}

#[tokio::test]
async fn the_replica_away_for_a_while() {
    let mut pair = Pair::start().await;
    let front = front(&pair).await;
    over(&front, &pair).await;
    pair.caught_up().await;
    assert_eq!(research(&front).await.0, [1, 1, 1, 1]);
    pair.stop_replica();
    let paths = [
        &format!("/v1/explorer?{SMALL}"),
        "/v1/games/count",
        "/v1/export/games",
        "/v1/export/rows",
    ];
    for path in paths {
        let answer = front.api.get(path).await;
        assert_eq!(answer.header("retry-after"), "1");
        let problem = answer.problem(503, "unavailable");
        let detail = "the replica that research reads from does not answer just now; games go on: \
                      try again";
        // Until it is noticed, a connection that breaks is all that is known.
        let detail = [detail, "the server cannot answer just now; try again"]
            .contains(&problem["detail"].as_str().unwrap());
        assert!(detail, "{problem}");
    }
    let ready = front.api.get("/readyz").await.expect(200);
    let away = json!({ "status": "away", "as_of": null });
    assert_eq!((&ready["status"], &ready["replica"]), (&json!("ok"), &away));
    over(&front, &pair).await;
    assert_eq!(finished(&front).await, 2);

    pair.start_replica().await;
    pair.caught_up().await;
    while front.api.get("/v1/games/count").await.status != 200 {}
    while front.api.get(paths[0]).await.status != 200 {}
    assert_eq!(research(&front).await.0, [2, 2, 2, 2]);
    let ready = front.api.get("/readyz").await.expect(200);
    assert_eq!(ready["replica"]["status"], "ok");
}

#[tokio::test]
async fn a_replica_that_has_not_got_the_schema_yet() {
    let pair = Pair::alone().await.with_replica().await;
    pair.pause().await;
    schema::migrate(&pool::options(&pair.primary_url()).unwrap())
        .await
        .unwrap();
    let front = front(&pair).await;
    over(&front, &pair).await;
    let answer = front.api.get(&format!("/v1/explorer?{SMALL}")).await;
    answer.problem(503, "unavailable");
    let ready = front.api.get("/readyz").await.expect(200);
    assert_eq!(ready["replica"]["status"], "away");
    pair.resume().await;
    pair.caught_up().await;
    while front.api.get("/v1/games/count").await.status != 200 {}
    assert_eq!(research(&front).await.0, [1, 1, 1, 1]);
}

/// A statement that is in the way of what the replica replays is given up. An export
/// reads its batch again; a count is to be asked for again.
#[tokio::test]
async fn what_is_in_the_way_of_the_replay() {
    let pair = Pair::start().await;
    let front = front(&pair).await;
    for _ in 0..3 {
        over(&front, &pair).await;
    }
    // Who reads a seat waits for a lock that this test has.
    let waiting = "alter table seats rename to kept; \
        create function held() returns boolean language plpgsql as \
            'begin perform pg_advisory_xact_lock_shared(4711); return true; end'; \
        create view seats as select * from kept where held()";
    run(&mut pair.primary().await, waiting).await;
    pair.caught_up().await;
    let mut held = pair.replica().await;
    for (column, path, good) in [
        ("one", "/v1/export/games", true),
        ("two", "/v1/games/count?kind=human", false),
    ] {
        run(&mut held, "select pg_advisory_lock(4711)").await;
        let api = front.api.clone();
        let asking = tokio::spawn(async move { api.get(path).await });
        somebody_waits(&mut held).await;
        let change = format!("alter table kept add column {column} integer");
        run(&mut pair.primary().await, &change).await;
        // It gets no further than the statement until that is given up.
        pair.caught_up().await;
        if good {
            somebody_waits(&mut held).await;
        }
        run(&mut held, "select pg_advisory_unlock(4711)").await;
        let answer = asking.await.unwrap();
        if good {
            answer.is(200);
            assert_eq!(answer.text().lines().count(), 3);
        } else {
            assert_eq!(answer.header("retry-after"), "1");
            answer.problem(503, "unavailable");
        }
    }
    run(
        &mut pair.primary().await,
        "drop view seats; alter table kept rename to seats",
    )
    .await;
    let state: Value = over(&front, &pair).await.state().await;
    assert_eq!(state["status"], "finished");
}

/// The program itself: commands read from the replica once it has caught up, and a
/// server takes no database for a replica that is none.
#[tokio::test]
async fn commands_and_the_replica() {
    let mut pair = Pair::start().await;
    let front = front(&pair).await;
    // What did not wait for the disk is sent to the replica ten seconds later, unless
    // somebody asks for it.
    let mut primary = pair.primary().await;
    run(&mut primary, "alter system set wal_writer_delay = '10s'").await;
    run(&mut primary, "select pg_reload_conf()").await;
    over(&front, &pair).await;
    let shelf = Shelf::new();
    let primary = pair.primary_url();
    let command = |arguments: &[&str], replica: &str| {
        let output = program(arguments)
            .env("DATABASE_URL", &primary)
            .env("DATABASE_READ_URL", replica)
            .env("MANCALA_SNAPSHOT_DIR", &shelf.dir)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.success(),
            text(output.stdout) + &text(output.stderr),
        )
    };
    let url = pair.replica_url();
    let (good, words) = command(&["snapshot"], &url);
    assert!(good && words.contains(": 1 games, 2 rows"), "{words}");
    let (good, words) = command(&["export"], &url);
    assert!(
        good && words.lines().any(|line| line.starts_with("{\"id\":")),
        "{words}"
    );
    let other = Database::new().await;
    for arguments in [&["--bind", "127.0.0.1:0"][..], &["snapshot"], &["export"]] {
        let (good, words) = command(arguments, &other.url());
        assert!(
            !good && words.contains("no replica of DATABASE_URL"),
            "{words}"
        );
    }
    let (good, words) = command(&["export"], "mysql://nowhere");
    assert!(
        !good && words.contains("DATABASE_READ_URL is not a PostgreSQL URL"),
        "{words}"
    );
    pair.stop_replica();
    let (good, words) = command(&["export"], &url);
    assert!(!good && words.contains("(DATABASE_READ_URL)"), "{words}");
}
