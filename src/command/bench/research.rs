//! `bench research`: what a full database costs, and how soon it answers.

use std::time::{Duration, Instant};

use sqlx::PgConnection;

use super::client::Client;
use super::exports::{self, Exported};
use super::place::{Place, Server, connect, run};
use super::players::Players;
use super::questions::{self, Asked};
use super::{median, quantile, replay, sizes};
use crate::config::{Database, Research};
use crate::record::Record;
use crate::record::generate::Plan;

type Failed = Box<dyn std::error::Error>;

/// Games that are read from a file.
const IMPORTED: u64 = 5_000;
/// Clients that play at a time.
const CLIENTS: u64 = 8;
/// How long they play in a turn, and turns.
const TURN: Duration = Duration::from_secs(4);
const TURNS: usize = 5;

/// A database and a server on it.
struct Side {
    url: String,
    server: Server,
}

/// Measures, and prints each figure as soon as it is there.
pub(super) async fn measure(database: &Database, wanted: &Research) -> Result<(), Failed> {
    let place = Place::new(database, &[]).await?;
    let plan = Plan::new("congkak", None, 0, wanted.plies)?;
    println!("in a private PostgreSQL, {} games of congkak", wanted.games);

    let small = fill(&place, "small", wanted.small, wanted.plies).await?;
    let full = fill(&place, "whole", wanted.games, wanted.plies).await?;
    print_sizes(&mut connect(&full).await?, wanted.games).await?;
    import(&place, &[&small, &full], wanted.plies).await?;
    for url in [&small, &full] {
        settle(&mut connect(url).await?).await?;
    }

    let full = Side::new(full).await?;
    ask(&full, &plan).await?;
    let small = Side::new(small).await?;
    export(&small).await?;
    let found = replay::replay(20_000)?;
    println!(
        "\nreplay, one core: {:.0} playouts/s, {:.0} replays/s as in verify; replays / playouts {:.2}",
        found.playouts,
        found.replays,
        found.replays / found.playouts
    );
    play(&small, &full, wanted).await
}

impl Side {
    async fn new(url: String) -> Result<Side, Failed> {
        let server = Server::start(&url).await?;
        Ok(Side { url, server })
    }

    async fn client(&self) -> Result<Client, Failed> {
        let client = Client::new(self.server.address).await;
        client.map_err(|cause| cause.to_string().into())
    }
}

/// A database of generated games.
async fn fill(place: &Place, name: &str, games: u64, plies: u32) -> Result<String, Failed> {
    let url = place.database(name).await?;
    let began = Instant::now();
    let (count, most) = (games.to_string(), plies.to_string());
    let generate = [
        "generate",
        "--ruleset",
        "congkak",
        "--games",
        &count,
        "--plies",
        &most,
    ];
    run(&url, &generate).await?;
    let rate = games as f64 / began.elapsed().as_secs_f64();
    println!("generate into the {name} database: {games} games, {rate:.0} games/s");
    settle(&mut connect(&url).await?).await?;
    Ok(url)
}

/// As a database is that was left alone for a while.
async fn settle(db: &mut PgConnection) -> Result<(), Failed> {
    for statement in ["vacuum analyze", "checkpoint"] {
        sqlx::raw_sql(statement).execute(&mut *db).await?;
    }
    Ok(())
}

async fn print_sizes(db: &mut PgConnection, games: u64) -> Result<(), Failed> {
    println!("\nbytes a finished game");
    let parts = sizes::parts(db, games).await?;
    for (part, bytes) in parts.iter().filter(|(_, bytes)| *bytes >= 1.0) {
        println!("{bytes:10.1}  {part}");
    }
    let all: f64 = parts.iter().map(|(_, bytes)| bytes).sum();
    println!("{all:10.1}  all");
    println!("{:10.1}  of these in packed logs", sizes::packed(db).await?);
    let plies = sqlx::query_scalar("select avg(plies)::float8 from records");
    let plies: f64 = plies.fetch_one(db).await?;
    println!("{plies:10.1}  plies a game");
    Ok(())
}

/// Reads the same file of other games into each.
async fn import(place: &Place, urls: &[&String; 2], plies: u32) -> Result<(), Failed> {
    let file = place.file("games.txt").display().to_string();
    let (games, most) = (IMPORTED.to_string(), plies.to_string());
    let generate = [
        "generate",
        "--ruleset",
        "congkak",
        "--seed",
        "1",
        "--games",
        &games,
        "--plies",
        &most,
        "--into",
        "text",
        "--output",
        &file,
    ];
    run(urls[0], &generate).await?;
    println!();
    for (url, name) in urls.iter().zip(["small", "full"]) {
        let began = Instant::now();
        run(url, &["import", &file]).await?;
        let rate = IMPORTED as f64 / began.elapsed().as_secs_f64();
        println!("import of {IMPORTED} games as text into the {name} database: {rate:.0} games/s");
    }
    Ok(())
}

/// Positions that nobody has asked about before.
const OTHERS: u64 = 1000;

async fn ask(full: &Side, plan: &Plan) -> Result<(), Failed> {
    let mut db = connect(&full.url).await?;
    let mut client = full.client().await?;
    let game = plan.game(7);
    let last = game.rows.len() - 1;
    println!("\nexplorer, one question at a time: medians in milliseconds");
    println!(
        "{:>24} {:>8} {:>8} {:>8} {:>6}",
        "position", "games", "SQL", "HTTP", "ratio"
    );
    for (name, plies) in [
        ("start", 0),
        ("after 2", 2),
        ("after 4", 4),
        ("after 14", 14),
        ("last", last),
    ] {
        let state = questions::position(&game, plies)?;
        let Asked { games, sql, http } =
            questions::explore(&mut db, &mut client, &game, &state).await?;
        println!(
            "{name:>24} {games:8} {sql:8.3} {http:8.3} {:6.2}",
            http / sql
        );
    }
    let others: Vec<Record> = (100..100 + OTHERS)
        .map(|number| plan.game(number))
        .collect();
    let Asked { games, sql, http } =
        questions::explore_once(&mut db, &mut client, &others, 14).await?;
    let ratio = http / sql;
    println!(
        "{games:>12} others, once {:>8} {sql:8.3} {http:8.3} {ratio:6.2}",
        ""
    );
    println!("\nreached=: medians in milliseconds");
    println!("{:>24} {:>8} {:>8}", "position", "page", "count");
    for (name, plies) in [
        ("after 2", 2),
        ("after 4", 4),
        ("after 14", 14),
        ("last", last),
    ] {
        let (page, count) = reached(&mut client, &game, plies).await?;
        println!("{name:>24} {page:8.3} {count:8.3}");
    }
    Ok(())
}

/// A page of the games with a position, and their number.
async fn reached(client: &mut Client, game: &Record, plies: usize) -> Result<(f64, f64), Failed> {
    let state = questions::position(game, plies)?;
    let query = format!(
        "ruleset=congkak&{}",
        questions::parameter("reached", &state)
    );
    let mut page = questions::ask(client, &format!("/v1/games?{query}"), 40).await?;
    let mut count = questions::ask(client, &format!("/v1/games/count?{query}"), 40).await?;
    Ok((median(&mut page), median(&mut count)))
}

async fn export(small: &Side) -> Result<(), Failed> {
    let mut db = connect(&small.url).await?;
    let (rows, found) = exports::measure(&mut db, &mut small.client().await?).await?;
    println!("\nexport of {rows} rows, the best of three turns");
    let copy = found[0].seconds;
    for Exported {
        name,
        seconds,
        bytes,
    } in found
    {
        println!(
            "{name:>10} {:10.0} rows/s {:8.1} MB/s {:8.1} MB {:6.2} of copy",
            rows as f64 / seconds,
            bytes as f64 / seconds / 1e6,
            bytes as f64 / 1e6,
            copy / seconds
        );
    }
    Ok(())
}

/// The same clients on both, in turns.
async fn play(small: &Side, full: &Side, wanted: &Research) -> Result<(), Failed> {
    let sides = [(small, wanted.small), (full, wanted.games)];
    let mut took = [Vec::new(), Vec::new()];
    let mut players = Vec::new();
    for (side, _) in sides {
        let begun = Players::new(side.server.address, CLIENTS).await;
        players.push(begun.map_err(|cause| cause.to_string())?);
    }
    for _ in 0..TURNS {
        for (players, took) in players.iter_mut().zip(&mut took) {
            let played = players.play(TURN).await;
            took.extend(played.map_err(|cause| cause.to_string())?);
        }
    }
    println!("\nmoves over HTTP, {CLIENTS} clients");
    let mut rates = Vec::new();
    for ((_, games), took) in sides.iter().zip(&mut took) {
        let rate = took.len() as f64 / (TURN.as_secs_f64() * TURNS as f64);
        let (half, most) = (median(took), quantile(took, 0.99));
        println!("{games:>10} games {rate:8.0} moves/s   p50 {half:.2} ms   p99 {most:.2} ms");
        rates.push(rate);
    }
    println!("full / small {:.2}", rates[1] / rates[0]);
    Ok(())
}
