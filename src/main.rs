//! The command line: `serve` (what it does when told nothing), `migrate`,
//! `openapi`, `verify`, `export`, `import`, `generate`, `snapshot`, `restored`, `bench`, `health`.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mancala_post::config::{
    Benchmark, Database, Exporting, Generating, Importing, LogFormat, Logging, Serving, Snapshots,
};
use mancala_post::{command, http};
use uuid::Uuid;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Mancala by post: Congkak and Al-manqala over HTTP, turn by turn, every game
/// and its move log in PostgreSQL
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = false)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    serving: Serving,
    #[command(flatten)]
    snapshots: Snapshots,
    #[command(flatten)]
    logging: Logging,
}

#[derive(Subcommand)]
enum Command {
    /// Answer requests until SIGTERM or Ctrl-C (what happens without a command)
    Serve,
    /// Bring the database's schema up to date, and stop
    Migrate,
    /// Print the OpenAPI document
    Openapi,
    /// Replay stored logs and compare every stored position; exit 1 and the
    /// games' ids if one differs
    Verify {
        /// This game alone
        #[arg(long, value_name = "ID")]
        game: Option<Uuid>,
    },
    /// Write all finished public games as records, in the order in which they came
    Export(Exporting),
    /// Read games from files of records: each is played under its rules, bad ones are
    /// refused one by one (exit 1), those that are there already are left alone
    Import(Importing),
    /// Play random games, the same ones for the same seed
    Generate(Generating),
    /// Write a data set: all finished public games as Parquet with all that belongs to
    /// them. The same cut-off makes the same bytes
    Snapshot {
        /// The last record that is in it [default: the last there is]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
        until: Option<i64>,
    },
    /// Say that the database was set back in time, as from a backup: the events
    /// after it are gone, so that cursors of the event log begin anew
    Restored,
    /// Measure what this machine does in a second
    #[command(subcommand)]
    Bench(Benchmark),
    /// Ask a running server whether it lives; exit 1 if it does not say so
    Health {
        /// What to ask [default: /healthz at the address of --bind or MANCALA_BIND]
        #[arg(long)]
        url: Option<String>,
    },
}

fn main() -> ExitCode {
    let line = CommandLine::parse();
    match run(line) {
        Ok(code) => code,
        Err(cause) => {
            eprintln!("mancala-post: {cause}");
            ExitCode::FAILURE
        }
    }
}

fn run(line: CommandLine) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let command = line.command.unwrap_or(Command::Serve);
    if let Command::Openapi = command {
        // Whoever reads may stop early.
        let _ = std::io::stdout().write_all(http::document::made()?.as_bytes());
        return Ok(ExitCode::SUCCESS);
    }
    if let Command::Health { url } = command {
        return command::health(url, &line.serving.bind);
    }
    start_log(&line.logging)?;
    actix_web::rt::System::new().block_on(async {
        match command {
            Command::Verify { game } => command::verify(&line.database, game).await,
            Command::Export(wanted) => command::export(&line.database, &wanted).await,
            Command::Import(wanted) => command::import(&line.database, &wanted).await,
            Command::Generate(wanted) => command::generate(&line.database, &wanted).await,
            Command::Snapshot { until } => {
                command::snapshot(&line.database, &line.snapshots, until).await
            }
            Command::Bench(benchmark) => command::bench(&line.database, &benchmark).await,
            Command::Restored => command::restored(&line.database).await,
            Command::Migrate => command::migrate(&line.database).await,
            _ => command::serve(&line.database, &line.serving, &line.snapshots).await,
        }
    })
}

/// Log lines go to standard error: standard output is for results.
fn start_log(logging: &Logging) -> Result<(), Box<dyn std::error::Error>> {
    let filter = tracing_subscriber::EnvFilter::try_new(&logging.log_filter)
        .map_err(|cause| format!("RUST_LOG is not a filter of log lines: {cause}"))?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match logging.log_format {
        LogFormat::Json => lines.json().flatten_event(true).init(),
        LogFormat::Text => lines.with_target(false).init(),
    }
    Ok(())
}
