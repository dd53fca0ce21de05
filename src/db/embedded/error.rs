//! What can go wrong with the embedded default, each in one line that names the path
//! and says what to do: these are read by someone who only wanted to try the server.

use std::io;
use std::path::{Path, PathBuf};

/// Why the private PostgreSQL cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedError {
    /// `postgres` and `initdb` are not installed, or not where they were looked for.
    #[error(
        "no PostgreSQL programs (postgres, initdb) in {looked}: install them (Debian, Ubuntu: \
         apt install postgresql; Fedora: dnf install postgresql-server; macOS: brew install \
         postgresql@17), or set PG_BIN to the directory that holds them, or set DATABASE_URL to \
         a PostgreSQL that runs, or use docker compose up"
    )]
    NoPrograms {
        /// Where they were looked for.
        looked: String,
    },
    /// The cluster was made by another major version than the programs found.
    #[error(
        "the cluster {path} was made by PostgreSQL {cluster}, but only {found} was found: install \
         PostgreSQL {cluster}, or set PG_BIN to its programs, or move the cluster with pg_upgrade"
    )]
    WrongVersion {
        /// The cluster's directory.
        path: PathBuf,
        /// The major version of the cluster.
        cluster: u32,
        /// The versions found, as a text.
        found: String,
    },
    /// Nothing can be written or read where the data should be.
    #[error(
        "cannot use {path}: {source}; make it writable for this user or choose another data \
         directory"
    )]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The disk is full.
    #[error("the disk that holds {path} is full: make room and start again")]
    DiskFull {
        /// The data directory.
        path: PathBuf,
    },
    /// PostgreSQL's account cannot pass a directory above the data.
    #[error(
        "PostgreSQL refuses to run as root and so runs as {user}, who cannot enter {ancestor}: \
         chmod a+x {ancestor}, or choose another data directory"
    )]
    NotEnterable {
        /// The uppermost directory that cannot be entered.
        ancestor: PathBuf,
        /// The account.
        user: String,
    },
    /// Running as root, and there is no account to run PostgreSQL as.
    #[error(
        "PostgreSQL refuses to run as root, and there is neither a user postgres nor a user \
         nobody: make one, or run the server as an ordinary user"
    )]
    NoAccount,
    /// A directory belongs to someone PostgreSQL does not run as.
    #[error(
        "{path} belongs to {owner}, but PostgreSQL would run as {user}: chown -R {user} {path}, \
         or run the server as {owner}, or choose another data directory"
    )]
    WrongOwner {
        /// The directory.
        path: PathBuf,
        /// Whom it belongs to.
        owner: String,
        /// Whom it should belong to.
        user: String,
    },
    /// Something else lies where the cluster should be.
    #[error(
        "{path} is neither empty nor a PostgreSQL cluster (it has no readable PG_VERSION): move \
         it away or choose another data directory"
    )]
    NotACluster {
        /// The directory.
        path: PathBuf,
    },
    /// A program was found but cannot be run.
    #[error(
        "cannot run {program} as {user}: {source}; run the server as an ordinary user, or set \
         PG_BIN or DATABASE_URL"
    )]
    CannotRun {
        /// The program.
        program: PathBuf,
        /// The account it should run as.
        user: String,
        /// What the system says.
        source: io::Error,
    },
    /// `initdb` failed.
    #[error("initdb could not make a cluster in {path}: {tail}")]
    InitFailed {
        /// The data directory.
        path: PathBuf,
        /// The last lines it wrote.
        tail: String,
    },
    /// PostgreSQL ended while starting.
    #[error("PostgreSQL did not start: {tail} (all of it in {log})")]
    StartFailed {
        /// The last lines of its log.
        tail: String,
        /// The whole log.
        log: PathBuf,
    },
    /// PostgreSQL runs but takes no connections.
    #[error("PostgreSQL is not ready after {seconds} s: see {log}")]
    NotReady {
        /// How long it was waited for.
        seconds: u64,
        /// The log.
        log: PathBuf,
    },
    /// PostgreSQL runs and will not let this server in.
    #[error("the private PostgreSQL refuses this server: {message}")]
    Refused {
        /// What it says.
        message: String,
    },
    /// Another process starts or stops the same cluster, and does not come to an end.
    #[error(
        "another process has held {path} for {seconds} s while it starts or stops PostgreSQL: see \
         what it is doing (fuser {path}), then start again"
    )]
    LockBusy {
        /// The lock file.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The file system cannot lock files.
    #[error(
        "cannot lock {path}: {source}; choose a data directory on a local file system or set \
         DATABASE_URL"
    )]
    NoLock {
        /// The lock file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// PostgreSQL was told to stop and did not.
    #[error("PostgreSQL (process {pid}) has not stopped after {seconds} s: see {log}")]
    NotStopped {
        /// Its process id.
        pid: i32,
        /// How long it was waited for.
        seconds: u64,
        /// The log.
        log: PathBuf,
    },
}

impl EmbeddedError {
    /// For `map_err`: something at `path` could not be read or written.
    pub(super) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> EmbeddedError {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull => EmbeddedError::DiskFull { path },
            _ => EmbeddedError::Unwritable { path, source },
        }
    }
}

/// The last lines of what a program said, as one.
pub(super) fn tail(text: &str) -> String {
    const LINES: usize = 6;
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    if lines.is_empty() {
        return "it said nothing".to_owned();
    }
    lines[lines.len().saturating_sub(LINES)..].join(" | ")
}

/// What both programs print when the disk is full: their messages are asked for in
/// English (see `Account::command`).
pub(super) fn says_disk_full(text: &str) -> bool {
    text.contains("No space left on device")
}
