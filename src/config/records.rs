//! What the commands on records are told.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// What is to be exported.
#[derive(Debug, Clone, Args)]
pub struct Exporting {
    /// How games are written
    #[arg(long, default_value = "ndjson")]
    pub format: RecordFormat,

    /// The file to write, made anew [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A form of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RecordFormat {
    /// A line of JSON a game.
    Ndjson,
    /// Headers and moves, for people too (docs/notation.md).
    Text,
}

/// What is to be imported.
#[derive(Debug, Clone, Args)]
pub struct Importing {
    /// Files of records as text or NDJSON; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// What is to be measured.
#[derive(Debug, Clone, Subcommand)]
pub enum Benchmark {
    /// Games a second: played by the rules alone, and replayed as by `verify`
    Replay {
        /// How many games
        #[arg(long, default_value_t = 20_000, value_name = "N",
              value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
        games: u64,
    },
    /// Moves and reads a second over HTTP, against the same statements said by pgbench on
    /// the same database; memory, start, streams, two servers. In a private PostgreSQL of
    /// its own
    Play(Playing),
    /// What a database full of generated games costs, and how soon it answers: room,
    /// import, explorer, search, exports, moves. In a private PostgreSQL of its own
    Research(Research),
}

/// How long is to be played.
#[derive(Debug, Clone, Args)]
pub struct Playing {
    /// Seconds of each of five turns, for each number of clients and each way
    #[arg(long, default_value_t = 4, value_name = "S",
          value_parser = clap::value_parser!(u64).range(1..=600))]
    pub seconds: u64,
}

/// How much is to be measured.
#[derive(Debug, Clone, Args)]
pub struct Research {
    /// Games of congkak in the full database; a million take about half an hour
    #[arg(long, default_value_t = 1_000_000, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1000..=10_000_000))]
    pub games: u64,

    /// Games in the small database that it is compared with
    #[arg(long, default_value_t = 10_000, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1000..=10_000_000))]
    pub small: u64,

    /// Choices after which a generated game ends
    #[arg(long, default_value_t = 10_000, value_name = "K",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub plies: u32,
}

/// What random games are to be played.
#[derive(Debug, Clone, Args)]
pub struct Generating {
    /// How many games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    pub games: u64,

    /// The ruleset
    #[arg(long, value_name = "NAME")]
    pub ruleset: String,

    /// Parameters that differ from the ruleset's, such as '{"houses": 5}'
    #[arg(long, value_name = "JSON")]
    pub rules: Option<String>,

    /// The same seed makes the same games, on every machine
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// Where they go: an id that the database has already is left alone
    #[arg(long, default_value = "database")]
    pub into: Into,

    /// The file to write, made anew [default: standard output]; for Parquet the
    /// directory, which must not be there
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,

    /// Choices after which a game that is not over ends in a draw: a series in
    /// rounds need not end by itself
    #[arg(long, value_name = "K", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub plies: u32,
}

/// Where generated games go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Into {
    /// Into the database.
    Database,
    /// A line of JSON a game, as `export` writes it.
    Ndjson,
    /// Records as text.
    Text,
    /// The tables of a data set, by ruleset and month.
    Parquet,
}
