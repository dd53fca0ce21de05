//! A PostgreSQL of a test's own, and a streaming replica of it: made by `pg_basebackup`,
//! stopped, started again, and kept from replaying.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use mancala_post::db::embedded::{Cluster, Options};
use mancala_post::db::{pool, schema};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

/// What the name of the database and of its role is.
const NAME: &str = "mancala";

/// A directory that goes with its test; dropped last.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A primary and its replica.
pub(crate) struct Pair {
    standby: Option<Child>,
    /// PostgreSQL's programs.
    bin: PathBuf,
    /// Whom they run as, where this is root.
    owner: (u32, u32),
    primary: Cluster,
    scratch: Scratch,
}

impl Pair {
    /// Starts both; the primary's database has its schema before the replica is made.
    pub(crate) async fn start() -> Pair {
        let pair = Pair::alone().await;
        schema::migrate(&pool::options(&pair.primary.url()).unwrap())
            .await
            .unwrap();
        pair.with_replica().await
    }

    /// A primary without a schema and without a replica.
    pub(crate) async fn alone() -> Pair {
        // Short: a socket's path has a hundred letters at most.
        let name = format!("mancala-post-pair-{}", uuid::Uuid::now_v7().simple());
        let scratch = Scratch(std::env::temp_dir().join(name));
        fs::create_dir(&scratch.0).unwrap();
        fs::set_permissions(&scratch.0, Permissions::from_mode(0o755)).unwrap();
        let primary = Cluster::start(Options {
            data_dir: scratch.0.join("primary"),
            bin_dir: std::env::var_os("PG_BIN").map(PathBuf::from),
            throwaway: true,
            settings: &[],
        })
        .unwrap();
        let mut db = connect(&primary.url()).await;
        let bin: String = sqlx::query_scalar("select setting from pg_config where name = 'BINDIR'")
            .fetch_one(&mut db)
            .await
            .unwrap();
        run(&mut db, "create role reader login in role pg_read_all_data").await;
        let owner = fs::metadata(scratch.0.join("primary/postgres")).unwrap();
        Pair {
            standby: None,
            bin: bin.into(),
            owner: (owner.uid(), owner.gid()),
            primary,
            scratch,
        }
    }

    /// Makes the replica and starts it.
    pub(crate) async fn with_replica(mut self) -> Pair {
        for (dir, mode) in [("replica", 0o700), ("socket", 0o755)] {
            let dir = self.scratch.0.join(dir);
            fs::create_dir(&dir).unwrap();
            fs::set_permissions(&dir, Permissions::from_mode(mode)).unwrap();
            if geteuid().is_root() {
                chown(&dir, Some(self.owner.0), Some(self.owner.1)).unwrap();
            }
        }
        let made = self
            .command("pg_basebackup")
            .args(["--host", self.primary.socket_dir().to_str().unwrap()])
            .args(["--port", &self.primary.port().to_string()])
            .args(["--username", NAME, "--write-recovery-conf", "--no-sync"])
            .args(["--checkpoint", "fast", "--wal-method", "stream", "--pgdata"])
            .arg(self.scratch.0.join("replica"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{said}");
        self.start_replica().await;
        self
    }

    /// Where games are played.
    pub(crate) fn primary_url(&self) -> String {
        self.primary.url()
    }

    /// Where research reads, as somebody who may read and no more.
    pub(crate) fn replica_url(&self) -> String {
        self.replica_as("reader")
    }

    fn replica_as(&self, user: &str) -> String {
        let host = self.scratch.0.join("socket");
        let host = host.to_str().unwrap().replace('/', "%2F");
        format!("postgres:///{NAME}?host={host}&user={user}&sslmode=disable")
    }

    /// A connection of its operator to the replica.
    pub(crate) async fn replica(&self) -> PgConnection {
        connect(&self.replica_as(NAME)).await
    }

    /// A connection to the primary.
    pub(crate) async fn primary(&self) -> PgConnection {
        connect(&self.primary_url()).await
    }

    /// Starts the replica; it answers when this returns.
    pub(crate) async fn start_replica(&mut self) {
        let log = fs::File::create(self.scratch.0.join("log")).unwrap();
        let socket = self.scratch.0.join("socket");
        let child = self
            .command("postgres")
            .arg("-D")
            .arg(self.scratch.0.join("replica"))
            .arg("-c")
            .arg(format!("unix_socket_directories={}", socket.display()))
            .args(["-c", "listen_addresses=", "-c", "fsync=off"])
            // As many as the primary has, or it does not start.
            .args(["-c", "max_connections=300"])
            .args(["-c", "wal_retrieve_retry_interval=100ms"])
            // Whatever is in the way of the replay gives way at once.
            .args(["-c", "max_standby_streaming_delay=0"])
            .stderr(log)
            .spawn()
            .unwrap();
        self.standby = Some(child);
        let options: PgConnectOptions = self.replica_url().parse().unwrap();
        loop {
            if let Ok(db) = PgConnection::connect_with(&options).await {
                db.close().await.unwrap();
                return;
            }
            let ended = self.standby.as_mut().unwrap().try_wait().unwrap();
            if let Some(status) = ended {
                let log = fs::read_to_string(self.scratch.0.join("log")).unwrap();
                panic!("the replica ended with {status}: {log}");
            }
        }
    }

    /// Stops the replica, as its operator would.
    pub(crate) fn stop_replica(&mut self) {
        if let Some(mut child) = self.standby.take() {
            let pid = Pid::from_raw(child.id().cast_signed());
            kill(pid, Signal::SIGINT).unwrap();
            child.wait().unwrap();
        }
    }

    /// The replica replays nothing from now on.
    pub(crate) async fn pause(&self) {
        let (mut replica, mut primary) = (self.replica().await, self.primary().await);
        run(&mut replica, "select pg_wal_replay_pause()").await;
        let paused = "select pg_get_wal_replay_pause_state() = 'paused'";
        while !yes(&mut replica, paused).await {
            // It notices when something comes.
            run(
                &mut primary,
                "select pg_logical_emit_message(true, 'test', '')",
            )
            .await;
        }
    }

    /// It replays again.
    pub(crate) async fn resume(&self) {
        run(&mut self.replica().await, "select pg_wal_replay_resume()").await;
    }

    /// Waits until the replica has all that the primary has now.
    pub(crate) async fn caught_up(&self) {
        let end: String = sqlx::query_scalar("select pg_current_wal_insert_lsn()::text")
            .fetch_one(&mut self.primary().await)
            .await
            .unwrap();
        let mut replica = self.replica().await;
        let has = format!("select coalesce(pg_last_wal_replay_lsn() >= '{end}', false)");
        // What is not written out yet is, at the next message.
        while !yes(&mut replica, &has).await {
            let message = "select pg_logical_emit_message(true, 'test', '')";
            run(&mut self.primary().await, message).await;
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.bin.join(program));
        if geteuid().is_root() {
            command.gid(self.owner.1).uid(self.owner.0);
        }
        command
            .current_dir("/")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.stop_replica();
        let _ = self.primary.stop();
    }
}

async fn connect(url: &str) -> PgConnection {
    let options: PgConnectOptions = url.parse().unwrap();
    PgConnection::connect_with(&options)
        .await
        .unwrap_or_else(|error| panic!("{url}: {error}"))
}

async fn run(db: &mut PgConnection, statement: &str) {
    let statement = AssertSqlSafe(statement.to_owned());
    sqlx::raw_sql(statement).execute(db).await.unwrap();
}

async fn yes(db: &mut PgConnection, query: &str) -> bool {
    let query = sqlx::query_scalar(AssertSqlSafe(query.to_owned()));
    query.fetch_one(db).await.unwrap()
}
