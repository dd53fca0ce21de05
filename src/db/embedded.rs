//! The embedded default: a private PostgreSQL cluster that the server makes and
//! starts itself when it is given no `DATABASE_URL`.
//!
//! Lives here: [`Cluster`], which finds the installed programs, makes the cluster
//! once, starts it or adopts one that runs, and stops it when nobody uses it any
//! more. Does not live here: pools, migrations and statements; from the outside this
//! is one more PostgreSQL with a URL.
//!
//! In the data directory:
//!
//! ```text
//! postgres/        the cluster (PGDATA), 0700, owned by the account PostgreSQL runs as
//! postgres.new.*   a cluster being made, or what a failed attempt left
//! socket/          the only way in, 0700; under /tmp when the path would be too long
//! postgres.log     what PostgreSQL says, with postgres.log.1 before it
//! start.lock       held while somebody starts or stops PostgreSQL, never longer
//! users.lock       held (shared) by every process that uses it, for its whole life
//! ```
//!
//! Several processes may open the same directory: the first starts PostgreSQL, the
//! others adopt it, and **the last one to leave stops it**. That needs no record of
//! who started what, and so it also holds for a PostgreSQL that a killed server left
//! behind: the next server adopts it and, being its only user, stops it at its end.

mod account;
mod create;
mod error;
mod membership;
mod paths;
mod pid_file;
mod postmaster;
mod probe;
mod programs;
mod start;

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use self::error::EmbeddedError;
use self::membership::Membership;
use self::paths::Layout;
pub use self::paths::default_data_dir;
use self::probe::Address;

/// The database, and the superuser it belongs to. The name is fixed rather than the
/// operating system's, so that a directory may change hands.
const NAME: &str = "mancala";

/// How often something that takes long says so in the log.
const REPORT_EVERY: Duration = Duration::from_secs(5);

/// Between two looks at something that is about to change.
const PAUSE: Duration = Duration::from_millis(10);

/// Where the cluster lives and what it is for.
#[derive(Debug, Clone)]
pub struct Options {
    /// The directory that holds everything; made when it is missing. See
    /// [`default_data_dir`].
    pub data_dir: PathBuf,
    /// Where `postgres` and `initdb` are (`PG_BIN`). When given, it is the only place
    /// looked at; otherwise `PATH` and the usual places are searched.
    pub bin_dir: Option<PathBuf>,
    /// For tests: no fsync, no autovacuum, 300 connections. A crash of the machine
    /// destroys such a cluster.
    pub throwaway: bool,
    /// Settings besides, as `name=value`, for as long as it runs.
    pub settings: &'static [&'static str],
}

/// A running private cluster, and this process's share in it.
///
/// Dropping it does what [`Cluster::stop`] does and logs an error instead of
/// returning it, so that no early return leaves a PostgreSQL behind.
#[derive(Debug)]
pub struct Cluster {
    membership: Membership,
    address: Address,
}

impl Cluster {
    /// Makes the cluster if there is none, then starts it, or adopts the one that
    /// runs. Ready for connections when it returns: about two seconds the first time,
    /// a few tenths later, longer after a crash (up to ten minutes, reported in the
    /// log). Blocks: call it through `spawn_blocking`.
    ///
    /// # Errors
    ///
    /// Every [`EmbeddedError`] says in one line what is wrong and what to do.
    pub fn start(options: Options) -> Result<Cluster, EmbeddedError> {
        let layout = Layout::prepare(&options.data_dir)?;
        let start_lock = membership::lock_start(&layout)?;
        let membership = Membership::join(layout.clone())?;
        let outcome = start::serve(&layout, &options);
        // Before a membership without a cluster is dropped: it takes this lock to stop
        // what was started in vain.
        drop(start_lock);
        Ok(Cluster {
            address: outcome?,
            membership,
        })
    }

    /// The directory of the Unix socket, the only way in.
    pub fn socket_dir(&self) -> &Path {
        &self.address.socket_dir
    }

    /// The port, which over a Unix socket is only a part of the socket's name.
    pub fn port(&self) -> u16 {
        self.address.port
    }

    /// The role to connect as. It owns the cluster and needs no password: the socket's
    /// directory lets in nobody but its owner and root.
    pub fn user(&self) -> &str {
        NAME
    }

    /// The database, made with the cluster.
    pub fn database(&self) -> &str {
        NAME
    }

    /// A URL for sqlx, psql and everything that follows libpq. The socket's directory
    /// is a parameter because not every parser takes a path as a host.
    pub fn url(&self) -> String {
        let mut host = String::new();
        for &byte in self.address.socket_dir.as_os_str().as_bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                host.push(char::from(byte));
            } else {
                // Writing to a string cannot fail.
                let _ = write!(host, "%{byte:02X}");
            }
        }
        let port = self.address.port;
        format!("postgres:///{NAME}?host={host}&port={port}&user={NAME}&sslmode=disable")
    }

    /// Gives up this process's share. When nobody else has one, PostgreSQL is stopped
    /// (fast: open transactions are rolled back) and has ended when this returns;
    /// otherwise it goes on for the others. A second call does nothing. Blocks.
    ///
    /// # Errors
    ///
    /// When the start lock stays taken, or PostgreSQL does not end in time.
    pub fn stop(&self) -> Result<(), EmbeddedError> {
        self.membership.leave()
    }
}
