//! The settings: read once, from the command line or the environment. What commands
//! on records are told is in [`records`].

mod records;

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ipnet::IpNet;

pub use records::{
    Benchmark, Exporting, Generating, Importing, Into, Playing, RecordFormat, Research,
};

/// Where the database is.
#[derive(Debug, Clone, Args)]
pub struct Database {
    /// A PostgreSQL database, such as postgres://user:secret@host/name. Without
    /// one the program keeps a private PostgreSQL under the data directory
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    pub database_url: Option<String>,

    /// A file that holds the database's URL, such as a container's secret
    #[arg(
        long,
        env = "DATABASE_URL_FILE",
        global = true,
        value_name = "FILE",
        conflicts_with = "database_url"
    )]
    pub database_url_file: Option<PathBuf>,

    /// The same database without a pooler such as pgbouncer between: for migrations,
    /// commands and the work beside the requests, which keep locks and listen by their
    /// connections [default: DATABASE_URL]
    #[arg(
        long,
        env = "DATABASE_DIRECT_URL",
        hide_env_values = true,
        global = true,
        value_name = "DATABASE_URL"
    )]
    pub database_direct_url: Option<String>,

    /// A streaming replica of the database, for the explorer, counts, exports and data
    /// sets; they then are as of some seconds ago [default: the database itself]
    #[arg(
        long,
        env = "DATABASE_READ_URL",
        hide_env_values = true,
        global = true,
        value_name = "DATABASE_URL"
    )]
    pub database_read_url: Option<String>,

    /// Where the private PostgreSQL lives [default: /var/lib/mancala-post as
    /// root, else ~/.local/share/mancala-post]
    #[arg(long, env = "MANCALA_DATA_DIR", global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,

    /// Where the private PostgreSQL's programs are (initdb, postgres)
    /// [default: looked for on PATH and in the usual places]
    #[arg(long, env = "PG_BIN", global = true, value_name = "DIR")]
    pub pg_bin: Option<PathBuf>,

    /// Connections to the database: each worker has its share, and two at least;
    /// four go to the work beside the requests
    #[arg(long, env = "MANCALA_DB_POOL", global = true, default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub db_pool: u32,
}

/// How the server is reached.
#[derive(Debug, Clone, Args)]
pub struct Serving {
    /// Address and port to listen on; port 0 takes any free one
    #[arg(
        long,
        env = "MANCALA_BIND",
        default_value = "127.0.0.1:8080",
        value_name = "ADDR:PORT"
    )]
    pub bind: String,

    /// The URL clients reach this server by, for links in answers
    /// [default: http:// and the address listened on]
    #[arg(long, env = "MANCALA_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub public_url: Option<String>,

    /// Requests a minute that a token, or an address without one, may send to
    /// this process; all tokens of an address together: ten times as many; 0: as
    /// many as they like [default: 600, but no limit for what comes from this
    /// very machine]
    #[arg(long, env = "MANCALA_RATE_LIMIT", value_name = "N")]
    pub rate_limit: Option<u32>,

    /// Addresses or networks of proxies whose X-Forwarded-For is believed,
    /// separated by commas
    #[arg(long, env = "MANCALA_TRUSTED_PROXIES", value_delimiter = ',', value_name = "ADDR[/BITS]",
          value_parser = network)]
    pub trusted_proxies: Vec<IpNet>,

    /// Days that an open game waits for somebody to join before it is called off
    #[arg(
        long,
        env = "MANCALA_OPEN_DAYS",
        default_value_t = 30,
        value_name = "DAYS",
        value_parser = clap::value_parser!(i64).range(1..=3650)
    )]
    pub open_days: i64,

    /// Hours after its end at which a game's log is packed: read as before, and
    /// stored in a twentieth of the space
    #[arg(long, env = "MANCALA_PACK_HOURS", default_value_t = 24, value_name = "HOURS",
          value_parser = clap::value_parser!(i64).range(0..=87600))]
    pub pack_hours: i64,

    /// Write a data set of all finished public games each day, week or month, if
    /// there are new ones [default: never]
    #[arg(long, env = "MANCALA_SNAPSHOT_EVERY", value_name = "PERIOD")]
    pub snapshot_every: Option<SnapshotEvery>,

    /// Seconds after which a request is given up
    #[arg(long, env = "MANCALA_REQUEST_TIMEOUT", default_value_t = 15, value_name = "SECONDS",
          value_parser = clap::value_parser!(u64).range(1..=300))]
    pub request_timeout: u64,

    /// Let webhooks lead to this machine and its network, and begin with
    /// http://: for trying them out, and where everybody is trusted
    #[arg(long, env = "MANCALA_WEBHOOK_PRIVATE")]
    pub webhook_private: bool,
}

/// Where data sets are.
#[derive(Debug, Clone, Args)]
pub struct Snapshots {
    /// Where data sets are written and served from [default: snapshots in the data
    /// directory]
    #[arg(
        long,
        visible_alias = "dir",
        env = "MANCALA_SNAPSHOT_DIR",
        global = true,
        value_name = "DIR"
    )]
    pub snapshot_dir: Option<PathBuf>,

    /// The licence that data sets are given under, an identifier of SPDX
    #[arg(long, env = "MANCALA_SNAPSHOT_LICENSE", global = true, value_name = "SPDX",
          default_value = "CC0-1.0", value_parser = license)]
    pub snapshot_license: String,
}

/// How often a data set is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SnapshotEvery {
    /// Each day.
    Day,
    /// Each week.
    Week,
    /// Each month.
    Month,
}

/// How the log is written.
#[derive(Debug, Clone, Args)]
pub struct Logging {
    /// Lines for people or for programs
    #[arg(
        long,
        env = "MANCALA_LOG_FORMAT",
        global = true,
        default_value = "text"
    )]
    pub log_format: LogFormat,

    /// What is logged, as in mancala_post=debug,sqlx=warn
    #[arg(
        long = "log",
        env = "RUST_LOG",
        global = true,
        default_value = "info,actix_http=off,actix_server=warn,sqlx=warn"
    )]
    pub log_filter: String,
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// An identifier of SPDX.
fn license(text: &str) -> Result<String, String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-.+".contains(letter);
    match !text.is_empty() && text.chars().all(fits) {
        true => Ok(text.to_owned()),
        false => Err("not an identifier such as CC0-1.0".into()),
    }
}

/// A network, or a single address.
fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let network = text
        .parse::<IpNet>()
        .or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map_err(|_| "not an address or a network such as 10.0.0.0/8".into())
}

/// An absolute http URL, without a slash at the end.
fn public_url(text: &str) -> Result<String, String> {
    let uri: actix_web::http::Uri = text.parse().map_err(|_| "not a URL".to_owned())?;
    match (uri.scheme_str(), uri.authority(), uri.query()) {
        (Some("http" | "https"), Some(_), None) => Ok(text.trim_end_matches('/').to_owned()),
        _ => Err("must be http:// or https:// with a host and no query".into()),
    }
}
