//! `bench play`: moves and reads over HTTP against the same statements said by pgbench
//! on the same database, in turns; what the server needs for itself.

use std::time::{Duration, Instant};

use sqlx::PgConnection;

use super::client::Client;
use super::pgbench::Script;
use super::place::{Place, Server, connect};
use super::players::Players;
use super::streams::Streams;
use super::{median, quantile, statements};
use crate::config::{Database, Playing};

type Failed = Box<dyn std::error::Error>;

/// How often both ways are taken, and how long each time.
const TURNS: u64 = 5;
/// Moves after which it is looked at what was said for them.
const MOVES: Duration = Duration::from_secs(2);
/// Games that are played in a second, and some more.
const GAMES: u64 = 120;
/// Clients that read.
const READERS: u64 = 32;
/// Streams of events that are open at a time.
const STREAMS: [usize; 3] = [10, 100, 1000];

/// The two ways of a comparison: milliseconds of each transaction.
#[derive(Default)]
struct Both {
    http: Vec<f64>,
    sql: Vec<f64>,
}

/// Measures, and prints each figure as soon as it is there.
pub(super) async fn measure(database: &Database, wanted: &Playing) -> Result<(), Failed> {
    let place = Place::new(database, &["shared_preload_libraries=pg_stat_statements"]).await?;
    let url = place.database("play").await?;
    let mut db = connect(&url).await?;
    let began = Instant::now();
    let server = Server::start(&url).await?;
    let ready = began.elapsed().as_secs_f64();
    println!("start with the database up: {ready:.3} s until it answers");
    println!("memory, idle: {:.1} MB", server.memory()?);

    listen(&mut db, &server).await?;
    println!(
        "\n{:>22} {:>10} {:>10} {:>6} {:>9} {:>9} {:>6}",
        "moves", "HTTP/s", "SQL/s", "ratio", "HTTP p99", "SQL p99", "ratio"
    );
    for clients in [1, 8, 32] {
        moves(&place, &mut db, (&url, &server), clients, wanted.seconds).await?;
    }
    println!(
        "\n{:>22} {:>10} {:>10} {:>6}",
        "reads of a game", "HTTP/s", "SQL/s", "ratio"
    );
    reads(&place, &mut db, (&url, &server), wanted.seconds).await?;
    println!("\nmemory, after all this: {:.1} MB", server.memory()?);
    let other = Server::start(&url).await?;
    follow(&other).await?;
    two_servers(&server, &other, wanted.seconds).await
}

/// What streams cost, and how long it takes until all of them have told of a move.
async fn follow(server: &Server) -> Result<(), Failed> {
    println!(
        "\n{:>22} {:>10} {:>26}",
        "streams of events", "memory, MB", "move to last stream, ms"
    );
    for number in STREAMS {
        // Another game each time: its log is short.
        let mut players = Players::new(server.address, 1).await.map_err(text)?;
        let game = players.games().next().ok_or("no game")?.to_owned();
        let mut streams = Streams::open(server, &game, number).await?;
        let opened = server.memory()?;
        let took = streams.tell(&mut players).await?;
        let told = server.memory()?;
        println!("{number:>22} {opened:10.1} {told:10.1} {took:26.2}");
    }
    Ok(())
}

/// The same moves on one server and on two, in turns.
async fn two_servers(one: &Server, other: &Server, seconds: u64) -> Result<(), Failed> {
    let both = [one.address, other.address];
    let mut sides = [&both[..1], &both].map(|servers| (servers, 0));
    for _ in 0..TURNS {
        for (servers, moves) in &mut sides {
            let mut players = Players::on(servers, READERS).await.map_err(text)?;
            let played = players.play(Duration::from_secs(seconds)).await;
            *moves += played.map_err(text)?.len();
        }
    }
    let [one, two] = sides.map(|(_, moves)| moves as f64 / (TURNS * seconds) as f64);
    println!(
        "\n{:>22} {:>10} {:>10} {:>6}",
        "whole games, moves/s", "one server", "two", "ratio"
    );
    println!(
        "{READERS:>14} clients {one:10.0} {two:10.0} {:6.2}",
        two / one
    );
    Ok(())
}

/// Finds out whether the script says what the server does.
async fn listen(db: &mut PgConnection, server: &Server) -> Result<(), Failed> {
    let mut players = Players::new(server.address, 1).await.map_err(text)?;
    statements::listen(db).await?;
    let played = players.play(MOVES).await.map_err(text)?;
    statements::compare(db, played.len()).await
}

fn text(cause: Box<dyn std::error::Error + Send + Sync>) -> Failed {
    cause.to_string().into()
}

/// Values for what the script leaves open, such as one plain move has them.
const VALUES: [(&str, &str); 12] = [
    ("sow", "sow"),
    ("south", "south"),
    ("one", "1"),
    ("no", "f"),
    ("player", "player"),
    ("status", "playing"),
    ("position", "0,9,9,9,9,9,9/0,0,8,8,8,8,0 11-1 S r1:S"),
    ("owed_since", "2026-11-30 22:09:02.149470+00"),
    (
        "rounds",
        r#"[{"north": null, "round": 1, "south": null, "starter": "south"}]"#,
    ),
    ("types", "{move.played,turn.started}"),
    ("told", "{both,north}"),
    (
        "data",
        r#"{"{\"seat\": \"south\", \"house\": 1, \"passed\": false, \"source\": \"player\", \"captured\": 0, \"deadline\": null, \"lap_count\": 1, \"extra_turn\": false}","{\"seat\": \"north\", \"deadline\": null}"}"#,
    ),
];

async fn moves(
    place: &Place,
    db: &mut PgConnection,
    (url, server): (&str, &Server),
    clients: u64,
    seconds: u64,
) -> Result<(), Failed> {
    let mut players = Players::new(server.address, clients).await.map_err(text)?;
    // Others for pgbench, each with a token that it can make out of a client's number.
    let others = Players::new(server.address, clients).await.map_err(text)?;
    for (client, game) in others.games().enumerate() {
        sqlx::query(
            "update tokens set token_hash = decode(lpad($1::text, 64, '0'), 'hex') \
             where game_id = $2::uuid and slot = 1",
        )
        .bind(client as i64)
        .bind(game)
        .execute(&mut *db)
        .await?;
    }
    let script = Script::new(place, db, url, ("move.sql", statements::MOVE), &VALUES).await?;
    let mut both = Both::default();
    for _ in 0..TURNS {
        let games = GAMES * seconds / clients + 1;
        players.stock(games).await.map_err(text)?;
        // As PostgreSQL does by itself in time: until then the server's connections keep to
        // what they thought of empty tables.
        sqlx::query("analyze").execute(&mut *db).await?;
        let played = players.play(Duration::from_secs(seconds)).await;
        both.http.extend(played.map_err(text)?);
        both.sql.extend(script.run(clients, seconds).await?);
    }
    // Their numbers are for the next clients.
    sqlx::query("delete from tokens where encode(token_hash, 'hex') like repeat('0', 60) || '%'")
        .execute(db)
        .await?;
    let mut whole = Players::new(server.address, clients).await.map_err(text)?;
    let played = whole.play(Duration::from_secs(2 * seconds)).await;
    let whole = played.map_err(text)?.len() as f64 / (2 * seconds) as f64;
    let all = (TURNS * seconds) as f64;
    let (http, sql) = (both.http.len() as f64 / all, both.sql.len() as f64 / all);
    let (http_99, sql_99) = (
        quantile(&mut both.http, 0.99),
        quantile(&mut both.sql, 0.99),
    );
    println!(
        "{clients:>14} clients {http:10.0} {sql:10.0} {:6.2} {http_99:9.2} {sql_99:9.2} {:6.2}",
        http / sql,
        http_99 / sql_99
    );
    println!(
        "{:>22} {:10.2} {:10.2}",
        "p50, ms",
        median(&mut both.http),
        median(&mut both.sql)
    );
    println!("{:>22} {whole:10.0}", "whole games, moves/s");
    Ok(())
}

async fn reads(
    place: &Place,
    db: &mut PgConnection,
    (url, server): (&str, &Server),
    seconds: u64,
) -> Result<(), Failed> {
    let players = Players::new(server.address, 1).await.map_err(text)?;
    let game = players.games().next().ok_or("no game")?.to_owned();
    let path = format!("/v1/games/{game}");
    let values = [("game_id", game.as_str())];
    let script = Script::new(place, db, url, ("read.sql", statements::READ), &values).await?;
    let mut clients = Vec::new();
    for _ in 0..READERS {
        clients.push(Client::new(server.address).await.map_err(text)?);
    }
    let mut both = Both::default();
    for _ in 0..TURNS {
        let until = Instant::now() + Duration::from_secs(seconds);
        let all = clients.iter_mut().map(async |client| {
            let mut took = Vec::new();
            while Instant::now() < until {
                let began = Instant::now();
                client.get(&path).await?;
                took.push(began.elapsed().as_secs_f64() * 1000.0);
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(took)
        });
        let took = futures_util::future::try_join_all(all)
            .await
            .map_err(text)?;
        both.http.extend(took.concat());
        both.sql.extend(script.run(READERS, seconds).await?);
    }
    let all = (TURNS * seconds) as f64;
    let (http, sql) = (both.http.len() as f64 / all, both.sql.len() as f64 / all);
    println!(
        "{READERS:>14} clients {http:10.0} {sql:10.0} {:6.2}",
        http / sql
    );
    Ok(())
}
