//! Where it is measured: a PostgreSQL of its own in a temporary directory, and this
//! very program as the server on it.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::config::Database;
use crate::db::embedded::{self, Cluster};
use crate::db::{pool, schema};

type Failed = Box<dyn std::error::Error>;

/// A PostgreSQL that lives as long as this. Its settings are those of every private
/// one: what is acknowledged is on disk.
pub(super) struct Place {
    cluster: Option<Cluster>,
    dir: PathBuf,
}

impl Place {
    /// Makes one.
    pub(super) async fn new(
        database: &Database,
        settings: &'static [&'static str],
    ) -> Result<Place, Failed> {
        let dir = std::env::temp_dir().join(format!("mancala-bench-{}", std::process::id()));
        let options = embedded::Options {
            data_dir: dir.clone(),
            bin_dir: database.pg_bin.clone(),
            throwaway: false,
            settings,
        };
        let cluster = tokio::task::spawn_blocking(|| Cluster::start(options)).await??;
        Ok(Place {
            cluster: Some(cluster),
            dir,
        })
    }

    /// The directory, for files of the measurement.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// A new empty database with this program's schema; its URL.
    pub(super) async fn database(&self, name: &str) -> Result<String, Failed> {
        let cluster = self.cluster.as_ref().ok_or("the cluster is gone")?;
        let url = cluster.url();
        let mut db = PgConnection::connect_with(&pool::options(&url)?).await?;
        sqlx::query(AssertSqlSafe(format!("create database \"{name}\"")))
            .execute(&mut db)
            .await?;
        let url = url.replacen("postgres:///mancala?", &format!("postgres:///{name}?"), 1);
        schema::migrate(&pool::options(&url)?).await?;
        Ok(url)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(self.cluster.take());
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// A connection that nothing hurries.
pub(super) async fn connect(url: &str) -> Result<PgConnection, Failed> {
    let options: PgConnectOptions = pool::unhurried(&pool::options(url)?);
    Ok(PgConnection::connect_with(&options).await?)
}

fn program(url: &str) -> Result<Command, Failed> {
    let mut command = Command::new(std::env::current_exe()?);
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_setting(name)) {
        command.env_remove(name);
    }
    command.env("DATABASE_URL", url).env("RUST_LOG", "error");
    Ok(command)
}

/// What is set for a server here does not count for one that is measured.
fn is_setting(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with("MANCALA_") || name.starts_with("DATABASE_")
}

/// Runs this program with `arguments` on the database, to its end.
pub(super) async fn run(url: &str, arguments: &[&str]) -> Result<(), Failed> {
    let mut command = program(url)?;
    command.args(arguments).stdout(Stdio::null());
    let status = tokio::task::spawn_blocking(move || command.status()).await??;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{arguments:?} ended with {status}").into()),
    }
}

/// This program as a server, until this is dropped.
pub(super) struct Server {
    process: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Server {
    /// Starts one on the database; ready when this returns.
    pub(super) async fn start(url: &str) -> Result<Server, Failed> {
        let mut command = program(url)?;
        command
            .args(["--bind", "127.0.0.1:0", "--rate-limit", "0"])
            .stdout(Stdio::piped());
        tokio::task::spawn_blocking(move || {
            let mut process = command.spawn().map_err(|cause| cause.to_string())?;
            let mut line = String::new();
            let words = process.stdout.as_mut().map(BufReader::new);
            let read = words.map(|mut words| words.read_line(&mut line));
            let address = line
                .split("http://")
                .nth(1)
                .and_then(|rest| rest.split('/').next())
                .and_then(|address| address.parse().ok());
            match address {
                Some(address) => Ok(Server { process, address }),
                None => {
                    let _ = process.kill();
                    Err(format!("the server said {line:?} ({read:?})"))
                }
            }
        })
        .await?
        .map_err(Failed::from)
    }
}

impl Server {
    /// What it has in memory, in megabytes.
    pub(super) fn memory(&self) -> Result<f64, Failed> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        let kilobytes: f64 = kilobytes.ok_or("no VmRSS in /proc")?.parse()?;
        Ok(kilobytes / 1000.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
