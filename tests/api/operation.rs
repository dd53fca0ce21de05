//! The server in operation: what it counts, whether it is ready, a database that is
//! away or busy and comes back, requests that take too long.

use std::time::Duration;

use mancala_post::app::Parts;
use mancala_post::db::pool;
use nix::sys::signal::Signal;
use serde_json::json;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection, PgConnection};
use tokio::task::JoinSet;

use crate::support::backstage::{hold, number};
use crate::support::database::Database;
use crate::support::process::Process;
use crate::support::server::Front;
use crate::support::{Answer, Api, Ask, Game, Server};

/// A server with one connection a worker, which waits for it that long.
async fn small(db: &Database, patience: Duration, deadline: Duration) -> Front {
    let url = db.url();
    Front::start(move || {
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(patience)
            .connect_lazy_with(pool::options(&url).unwrap());
        Parts {
            deadline,
            ..Parts::new(pool, "127.0.0.1:0")
        }
    })
    .await
}

fn unavailable(answer: Answer) {
    assert_eq!(answer.header("retry-after"), "1");
    let problem = answer.problem(503, "unavailable");
    // The cause is for the log alone.
    let detail = "the server cannot answer just now; try again";
    assert_eq!(problem["detail"], detail);
}

/// The value of a counter with these labels, 0 when it is not there.
fn counter(text: &str, name: &str, labels: &[(&str, &str)]) -> f64 {
    let line = text.lines().find(|line| {
        line.starts_with(&format!("{name}{{"))
            && labels
                .iter()
                .all(|(label, value)| line.contains(&format!("{label}=\"{value}\"")))
    });
    line.map_or(0.0, |line| {
        line.rsplit(' ').next().unwrap().parse().unwrap()
    })
}

/// In a process of its own: the counters are a process's.
#[tokio::test]
async fn counters() {
    let db = Database::new().await;
    let process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "congkak-arena").await;
    game.send("north", 0, 3).await.expect(202);
    game.send("south", 0, 3).await.expect(201);
    game.send("south", 0, 4).await.problem(409, "stale_ply");
    for _ in 0..3 {
        game.state().await;
    }
    api.get("/v1/nothing").await.problem(404, "not_found");
    api.ask(Ask::new("HEAD", &game.path)).await.expect(200);
    let text = api.get("/metrics").await.text().to_owned();
    let requests = |method: &str, route: &str, status: &str| {
        let labels = [("route", route), ("method", method), ("status", status)];
        counter(&text, "mancala_requests_total", &labels)
    };
    let route = "/v1/games/{id}";
    let moves = format!("{route}/moves");
    assert_eq!(requests("GET", route, "200"), 3.0, "{text}");
    assert_eq!(requests("HEAD", route, "200"), 1.0);
    assert_eq!(requests("POST", "/v1/games", "201"), 1.0);
    assert_eq!(requests("POST", &moves, "202"), 1.0);
    assert_eq!(requests("POST", &moves, "201"), 1.0);
    assert_eq!(requests("POST", &moves, "409"), 1.0);
    assert_eq!(requests("GET", "unknown", "404"), 1.0);
    let labels = [("route", route), ("method", "GET")];
    let seconds = "mancala_request_seconds";
    assert_eq!(counter(&text, &format!("{seconds}_count"), &labels), 3.0);
    assert!(counter(&text, &format!("{seconds}_sum"), &labels) > 0.0);
    let choices: f64 = text
        .lines()
        .filter(|line| line.starts_with("mancala_choices_total{"))
        .map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap())
        .sum();
    assert_eq!(choices, 2.0, "{text}");
    let connections = text
        .lines()
        .find(|line| line.starts_with("mancala_pool_connections "));
    let connections: f64 = connections
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(connections >= 1.0);
    // No id, no handle: nothing that grows with what is played.
    assert!(!text.contains(&game.id));
}

#[tokio::test]
async fn not_ready_with_another_schema() {
    let server = Server::start().await;
    server.api.get("/readyz").await.expect(200);
    let newest = "version = (select max(version) from _sqlx_migrations)";
    server
        .db
        .execute(&format!(
            "create table kept as select * from _sqlx_migrations where {newest}"
        ))
        .await;
    server
        .db
        .execute(&format!("delete from _sqlx_migrations where {newest}"))
        .await;
    unavailable(server.api.get("/readyz").await);
    server.api.get("/healthz").await.expect(200);
    server
        .db
        .execute("insert into _sqlx_migrations select * from kept")
        .await;
    // One that did not get to its end does not count.
    server
        .db
        .execute(&format!(
            "update _sqlx_migrations set success = false where {newest}"
        ))
        .await;
    unavailable(server.api.get("/readyz").await);
    server
        .db
        .execute("update _sqlx_migrations set success = true")
        .await;
    server.api.get("/readyz").await.expect(200);
}

/// The database goes away under a running server and comes back.
#[tokio::test]
async fn the_database_away_for_a_while() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    server.db.shut().await;
    let choice = json!({ "after_ply": 0, "house": 1 });
    for _ in 0..5 {
        unavailable(server.api.get("/readyz").await);
        unavailable(server.api.get(&game.path).await);
        unavailable(game.south.post(&game.to("moves"), &choice).await);
        server.api.get("/healthz").await.expect(200);
        server.api.get("/v1/rulesets").await.expect(200);
    }
    server.db.open().await;
    for _ in 0..5 {
        server.api.get("/readyz").await.expect(200);
        server.api.get(&game.path).await.expect(200);
    }
    let answer = game.south.post(&game.to("moves"), &choice).await;
    assert!(!answer.replayed());
    answer.expect(201);
}

/// All connections wait for a lock: whoever finds none is told to come back, and
/// once the lock is gone everything goes on.
#[tokio::test]
async fn the_pool_exhausted() {
    let db = Database::new().await;
    let front = small(&db, Duration::from_millis(100), Duration::from_secs(15)).await;
    let game = Game::of(&front.api, "congkak").await;
    let mut test = db.connect().await;
    let held = hold(&mut test, "games").await;
    let mut running = JoinSet::new();
    for _ in 0..8 {
        let (api, path) = (front.api.clone(), game.path.clone());
        running.spawn(async move { api.get(&path).await });
    }
    // Two workers with a connection each: at least six have none.
    for _ in 0..6 {
        unavailable(running.join_next().await.unwrap().unwrap());
    }
    front.api.get("/healthz").await.expect(200);
    held.rollback().await.unwrap();
    while let Some(answer) = running.join_next().await {
        let answer = answer.unwrap();
        match answer.status {
            200 => {}
            _ => unavailable(answer),
        }
    }
    for _ in 0..8 {
        game.state().await;
        front.api.get("/readyz").await.expect(200);
    }
    game.play(&["s1"]).await.expect(201);
}

/// A request that outlasts its deadline is given up and has done nothing.
#[tokio::test]
async fn a_request_beyond_its_deadline() {
    let db = Database::new().await;
    let front = small(&db, Duration::from_secs(5), Duration::from_millis(200)).await;
    let game = Game::of(&front.api, "congkak").await;
    let mut test = db.connect().await;
    for round in 0..3 {
        let held = hold(&mut test, "games").await;
        let body = json!({ "ruleset": "congkak" });
        unavailable(front.api.post("/v1/games", &body).await);
        let choice = json!({ "after_ply": round, "house": 1 });
        unavailable(game.south.post(&game.to("moves"), &choice).await);
        unavailable(front.api.get(&game.path).await);
        held.rollback().await.unwrap();
    }
    // It goes on without a restart, as soon as the connections are free again.
    let mut answer = front.api.get(&game.path).await;
    while answer.status == 503 {
        answer = front.api.get(&game.path).await;
    }
    assert_eq!(answer.expect(200)["ply"], 0);
    assert_eq!(number(&db, "select count(*) from games").await, 1);
    assert_eq!(number(&db, "select count(*) from plies").await, 0);
    while game.send("south", 0, 1).await.status == 503 {}
    assert_eq!(game.log().await.len(), 1);
}

/// A request may be given up at any moment, also while its transaction begins. The
/// connection that it had must come back without one: what is written there next would
/// never be committed.
#[tokio::test]
async fn a_transaction_that_nobody_waits_for() {
    let db = Database::new().await;
    let one = PgPoolOptions::new().max_connections(1);
    let options = pool::options(&db.url()).unwrap();
    let pool = one.connect_with(options).await.unwrap();
    let mut outside = db.connect().await;
    for polls in 1..10 {
        for moment in [false, true] {
            // The next poll finds it there, and sends what begins.
            while pool.num_idle() == 0 {
                tokio::task::yield_now().await;
            }
            let begin = async {
                match moment {
                    true => pool::snapshot(&pool).await,
                    false => pool::begin(&pool).await,
                }
            };
            let mut begin = Box::pin(begin);
            for _ in 0..polls {
                if futures_util::poll!(&mut begin).is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
            drop(begin);
            let mut next = pool.acquire().await.unwrap();
            let pid: i32 = sqlx::query_scalar("select pg_backend_pid()")
                .fetch_one(&mut *next)
                .await
                .unwrap();
            let state: String =
                sqlx::query_scalar("select state from pg_stat_activity where pid = $1")
                    .bind(pid)
                    .fetch_one(&mut outside)
                    .await
                    .unwrap();
            assert_eq!(state, "idle", "given up after {polls} polls");
        }
    }
}

/// A read of events that does not wait has no more time than any other request. What takes
/// too long is told to the client, and is no error in the log.
#[tokio::test]
async fn whatever_waits_is_held_to_its_deadline() {
    let db = Database::new().await;
    let mut process = Process::start_with(&db.url(), &[("MANCALA_REQUEST_TIMEOUT", "1")]);
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "congkak").await;
    let mut test = db.connect().await;
    let held = hold(&mut test, "event_log").await;
    // Well before a lock is waited for in vain.
    unavailable(game.south.get("/v1/events?after=0&wait=0").await);
    unavailable(api.get(&format!("{}?after=0", game.to("events"))).await);
    held.rollback().await.unwrap();
    // Nor may it take longer to find out who is asking.
    let held = hold(&mut test, "tokens").await;
    unavailable(game.south.get("/v1/events?after=0").await);
    unavailable(game.south.get(&game.path).await);
    held.rollback().await.unwrap();
    let text = api.get("/metrics").await.text().to_owned();
    let late = [("route", "late"), ("method", "GET"), ("status", "503")];
    assert_eq!(counter(&text, "mancala_requests_total", &late), 2.0);
    process.end_by(Signal::SIGKILL);
    let log = process.log();
    assert!(!log.contains("ERROR") && !log.contains("55P03"), "{log}");
}

/// Every connection of the server has its settings.
#[tokio::test]
async fn the_database_has_limits() {
    let db = Database::new().await;
    let mut connection = PgConnection::connect_with(&pool::options(&db.url()).unwrap())
        .await
        .unwrap();
    for (setting, expected) in [
        ("statement_timeout", "10s"),
        ("lock_timeout", "5s"),
        ("idle_in_transaction_session_timeout", "15s"),
        ("TimeZone", "UTC"),
        ("jit", "off"),
    ] {
        let shown: String = sqlx::query_scalar("select current_setting($1)")
            .bind(setting)
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(shown, expected, "{setting}");
    }
}

/// What runs into a limit of the database is told to come back, has done nothing, and
/// leaves a connection that is good.
#[tokio::test]
async fn a_statement_beyond_its_limit() {
    for (limit, value) in [("lock_timeout", "500ms"), ("statement_timeout", "500ms")] {
        let db = Database::new().await;
        let options = pool::options(&db.url()).unwrap().options([(limit, value)]);
        let front = Front::start(move || {
            Parts::new(
                PgPoolOptions::new()
                    .max_connections(1)
                    .connect_lazy_with(options),
                "127.0.0.1:0",
            )
        })
        .await;
        let game = Game::of(&front.api, "congkak").await;
        let mut test = db.connect().await;
        let held = hold(&mut test, "games").await;
        for _ in 0..3 {
            unavailable(game.send("south", 0, 1).await);
            unavailable(front.api.get(&game.path).await);
        }
        held.rollback().await.unwrap();
        assert_eq!(
            number(&db, "select count(*) from plies").await,
            0,
            "{limit}"
        );
        game.send("south", 0, 1).await.expect(201);
    }
}

/// A connection that the database has ended, such as one that was idle in a
/// transaction for too long, costs no request its answer.
#[tokio::test]
async fn a_connection_that_the_database_has_closed() {
    let db = Database::new().await;
    let front = small(&db, Duration::from_secs(5), Duration::from_secs(15)).await;
    let game = Game::of(&front.api, "congkak").await;
    let end = "select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity \
               where datname = current_database() and application_name = 'mancala-post'";
    for _ in 0..3 {
        assert!(number(&db, end).await > 0);
        // The pool finds out before it hands the connection on, and takes another.
        assert_eq!(front.api.get(&game.path).await.expect(200)["ply"], 0);
    }
}
