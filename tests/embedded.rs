//! The private PostgreSQL of the embedded default: started, adopted, killed and
//! stopped for real, each test in a directory of its own. Needs the PostgreSQL
//! programs. As root PostgreSQL runs under another account, as anybody else it does
//! not: run it as both when something changes here.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};

use mancala_post::db::embedded::{Cluster, EmbeddedError, Options};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use sqlx::{ConnectOptions, Connection};

/// A directory for one test, gone with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("mancala-embedded-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir_all(&dir).expect("a directory for temporary files");
        fs::set_permissions(&dir, Permissions::from_mode(0o755)).expect("it is ours");
        Scratch(dir)
    }

    fn options(&self) -> Options {
        options(&self.0.join("data"))
    }

    fn start(&self) -> Cluster {
        Cluster::start(self.options()).expect("PostgreSQL starts")
    }

    fn closed(&self, mode: u32) -> PathBuf {
        let dir = self.0.join("closed");
        fs::create_dir(&dir).expect("a directory");
        fs::set_permissions(&dir, Permissions::from_mode(mode)).expect("it is ours");
        dir
    }

    /// The process id PostgreSQL has noted, if it runs or was killed.
    fn postgres(&self) -> Option<i32> {
        let text = fs::read_to_string(self.pid_file()).ok()?;
        text.lines().next()?.parse().ok()
    }

    fn pid_file(&self) -> PathBuf {
        self.0.join("data/postgres/postmaster.pid")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn options(data_dir: &Path) -> Options {
    Options {
        data_dir: data_dir.to_owned(),
        bin_dir: None,
        throwaway: true,
        settings: &[],
    }
}

/// Runs statements through the cluster's URL and returns the last one's number.
fn query(url: &str, statements: &'static [&'static str]) -> Result<i64, sqlx::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let options: sqlx::postgres::PgConnectOptions = url.parse()?;
        let mut connection = options.connect().await?;
        let (last, before) = statements.split_last().expect("a statement");
        for statement in before {
            sqlx::query(*statement).execute(&mut connection).await?;
        }
        let number = sqlx::query_scalar(*last).fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(number)
    })
}

const FILL: &[&str] = &[
    // Or a throwaway cluster might forget it when it is killed.
    "set synchronous_commit = on",
    "create table seeds (n bigint)",
    "insert into seeds values (49)",
    "select sum(n)::bigint from seeds",
];
const COUNT: &[&str] = &["select sum(n)::bigint from seeds"];

fn failure(options: Options) -> EmbeddedError {
    let error = Cluster::start(options).expect_err("this cannot start");
    println!("{error}");
    assert!(!error.to_string().contains('\n'));
    error
}

fn is_root() -> bool {
    let root = geteuid().is_root();
    if !root {
        println!("skipped: only root runs PostgreSQL under another account");
    }
    root
}

#[test]
fn a_first_start_makes_everything_and_a_restart_keeps_the_data() {
    let scratch = Scratch::new();
    let leftover = scratch.0.join("data/postgres.new.1");
    fs::create_dir_all(leftover.join("base")).expect("a leftover");

    let cluster = scratch.start();
    assert!(!leftover.exists());
    assert_eq!(cluster.socket_dir(), scratch.0.join("data/socket"));
    assert_eq!(query(&cluster.url(), FILL).expect("a table"), 49);
    cluster.stop().expect("it stops");
    cluster.stop().expect("a second stop does nothing");
    assert_eq!(scratch.postgres(), None);
    assert!(query(&cluster.url(), COUNT).is_err());

    let again = scratch.start();
    assert_eq!(query(&again.url(), COUNT).expect("the table"), 49);
}

#[test]
fn the_cluster_is_private_and_set_up_alike_everywhere() {
    let scratch = Scratch::new();
    let cluster = scratch.start();
    for private in ["data/postgres", "data/socket", "data/postgres.log"] {
        let mode = fs::metadata(scratch.0.join(private)).expect(private).mode();
        assert_eq!(mode & 0o077, 0, "{private}: {mode:o}");
    }
    let checked = query(
        &cluster.url(),
        &["select count(*) from pg_settings where (name, setting) in
           (('listen_addresses', ''), ('TimeZone', 'UTC'), ('server_encoding', 'UTF8'),
            ('data_checksums', 'on'), ('fsync', 'off'), ('max_connections', '300'))
           and (select datcollate from pg_database where datname = 'mancala') = 'C'"],
    );
    assert_eq!(checked.expect("settings"), 6);
}

#[test]
fn a_killed_postgres_is_replaced() {
    let scratch = Scratch::new();
    let cluster = scratch.start();
    assert_eq!(query(&cluster.url(), FILL).expect("a table"), 49);
    let old = scratch.postgres().expect("it runs");
    kill(Pid::from_raw(old), Signal::SIGKILL).expect("it is ours");

    let again = scratch.start();
    assert_ne!(scratch.postgres(), Some(old));
    assert_eq!(query(&again.url(), COUNT).expect("the table"), 49);
    drop(cluster);
    assert_eq!(query(&again.url(), COUNT).expect("the table"), 49);
}

#[test]
fn a_pid_file_that_names_another_process_or_none_is_removed() {
    let scratch = Scratch::new();
    let cluster = scratch.start();
    let whole = fs::read_to_string(scratch.pid_file()).expect("it runs");
    cluster.stop().expect("it stops");

    let (_, rest) = whole.split_once('\n').expect("several lines");
    // As in a new container: the number has gone to somebody else, here to this test.
    let foreign = format!("{}\n{rest}", std::process::id());
    for left in [foreign.as_str(), "", "no number\n"] {
        fs::write(scratch.pid_file(), left).expect("ours to write");
        fs::write(scratch.0.join("data/socket/.s.PGSQL.5432.lock"), left).expect("likewise");
        scratch.start().stop().expect("it stops");
        assert_eq!(scratch.postgres(), None);
    }
}

#[test]
fn a_second_user_adopts_and_the_last_one_out_stops() {
    let scratch = Scratch::new();
    let first = scratch.start();
    let running = scratch.postgres();
    let second = scratch.start();
    assert_eq!(first.url(), second.url());

    first.stop().expect("it leaves");
    assert_eq!(scratch.postgres(), running);
    assert_eq!(query(&second.url(), FILL).expect("still there"), 49);
    second.stop().expect("it stops");
    assert_eq!(scratch.postgres(), None);
}

#[test]
fn two_starts_at_once_make_one_cluster() {
    let scratch = Scratch::new();
    let barrier = Barrier::new(2);
    let start = || {
        barrier.wait();
        scratch.start()
    };
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(start);
        (start(), other.join().expect("no panic"))
    });
    assert_eq!(one.url(), other.url());
    assert_eq!(query(&one.url(), FILL).expect("a table"), 49);
    assert_eq!(query(&other.url(), COUNT).expect("the same"), 49);
}

#[test]
fn an_orphan_is_adopted_and_stopped_in_the_end() {
    let scratch = Scratch::new();
    let mut server = Command::new(env!("CARGO_BIN_EXE_mancala-post"))
        .args(["--bind", "127.0.0.1:0", "--data-dir"])
        .arg(scratch.options().data_dir)
        .env_remove("DATABASE_URL")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let lines = BufReader::new(server.stdout.take().expect("a pipe")).lines();
    let listens = lines
        .map_while(Result::ok)
        .any(|line| line.starts_with("API"));
    assert!(listens, "the server has no cluster");
    server.kill().expect("it is ours");
    server.wait().expect("it has ended");

    let orphan = scratch.postgres().expect("it goes on");
    let cluster = scratch.start();
    assert_eq!(scratch.postgres(), Some(orphan));
    assert_eq!(query(&cluster.url(), FILL).expect("a table"), 49);
    cluster.stop().expect("it stops");
    assert_eq!(scratch.postgres(), None);
}

#[test]
fn a_database_that_was_dropped_is_made_again() {
    let scratch = Scratch::new();
    let cluster = scratch.start();
    let elsewhere = cluster.url().replace("/mancala?", "/postgres?");
    query(&elsewhere, &["drop database mancala", "select 1::bigint"]).expect("it goes");

    let again = scratch.start();
    assert_eq!(query(&again.url(), FILL).expect("a new one"), 49);
}

#[test]
fn a_long_or_odd_path_has_its_socket_elsewhere() {
    let scratch = Scratch::new();
    for name in ["x".repeat(90), "comma, \"quote\" & blank".to_owned()] {
        let cluster = Cluster::start(options(&scratch.0.join(name))).expect("it starts");
        let socket_dir = cluster.socket_dir().to_owned();
        assert!(socket_dir.starts_with("/tmp"), "{socket_dir:?}");
        assert_eq!(query(&cluster.url(), FILL).expect("a table"), 49);
        cluster.stop().expect("it stops");
        assert!(!socket_dir.exists());
    }
}

#[test]
fn a_symbolic_link_leads_to_the_same_cluster() {
    let scratch = Scratch::new();
    let cluster = scratch.start();
    let link = scratch.0.join("link");
    std::os::unix::fs::symlink(scratch.0.join("data"), &link).expect("a link");
    assert_eq!(
        Cluster::start(options(&link)).expect("it adopts").url(),
        cluster.url()
    );
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let scratch = Scratch::new();
    let file = scratch.0.join("file");
    fs::write(&file, "").expect("a file");
    for place in [&file, &file.join("below")] {
        let error = failure(options(place));
        assert!(matches!(&error, EmbeddedError::Unwritable { path, .. } if path == place));
    }
    if geteuid().is_root() {
        println!("the rest is skipped: to root everything is writable");
        return;
    }
    let closed = scratch.closed(0o500);
    for place in [&closed, &closed.join("below")] {
        assert!(matches!(
            failure(options(place)),
            EmbeddedError::Unwritable { .. }
        ));
    }
}

#[test]
fn an_ancestor_that_postgres_cannot_enter_is_named() {
    if !is_root() {
        return;
    }
    let scratch = Scratch::new();
    let closed = scratch.closed(0o700);
    let error = failure(options(&closed.join("some/data")));
    let EmbeddedError::NotEnterable { ancestor, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(ancestor, &fs::canonicalize(closed).expect("it is there"));
}

#[test]
fn a_cluster_of_root_is_refused() {
    if !is_root() {
        return;
    }
    let scratch = Scratch::new();
    let cluster = scratch.0.join("data/postgres");
    fs::create_dir_all(&cluster).expect("a directory");
    fs::write(cluster.join("PG_VERSION"), "15\n").expect("a file");
    let error = failure(scratch.options());
    assert!(matches!(&error, EmbeddedError::WrongOwner { path, .. } if path == &cluster));
}

#[test]
fn without_programs_the_message_says_what_to_do() {
    let scratch = Scratch::new();
    let mut options = scratch.options();
    options.bin_dir = Some(scratch.0.clone());
    let error = failure(options);
    assert!(matches!(error, EmbeddedError::NoPrograms { .. }));
    let line = error.to_string();
    let ways = ["apt install", "PG_BIN", "DATABASE_URL", "docker compose up"];
    assert!(ways.iter().all(|way| line.contains(way)), "{line}");
}

#[test]
fn a_cluster_of_another_version_is_left_alone() {
    let scratch = Scratch::new();
    scratch.start().stop().expect("it stops");
    let version = scratch.0.join("data/postgres/PG_VERSION");
    fs::write(&version, "7\n").expect("ours to write");
    let error = failure(scratch.options());
    assert!(
        matches!(error, EmbeddedError::WrongVersion { cluster: 7, .. }),
        "{error}"
    );
    assert_eq!(fs::read_to_string(version).expect("it is there"), "7\n");
}

#[test]
fn something_else_in_the_place_of_the_cluster_is_left_alone() {
    let scratch = Scratch::new();
    let place = scratch.0.join("data/postgres");
    fs::create_dir_all(&place).expect("a directory");
    scratch
        .start()
        .stop()
        .expect("an empty directory gives way");

    let scratch = Scratch::new();
    let note = scratch.0.join("data/postgres/note/inside");
    fs::create_dir_all(&note).expect("a directory");
    let error = failure(scratch.options());
    assert!(matches!(error, EmbeddedError::NotACluster { .. }));
    assert!(note.exists());
}

#[test]
fn a_start_that_fails_quotes_the_log_and_leaves_nothing_running() {
    let scratch = Scratch::new();
    scratch.start().stop().expect("it stops");
    let file = scratch.0.join("data/postgres/postgresql.conf");
    let before = fs::read_to_string(&file).expect("the configuration");
    fs::write(&file, format!("{before}\nno_such_setting = 1\n")).expect("ours to write");
    let error = failure(scratch.options());
    let EmbeddedError::StartFailed { tail, log } = &error else {
        panic!("{error}");
    };
    assert!(tail.contains("no_such_setting"), "{tail}");
    assert_eq!(log, &scratch.0.join("data/postgres.log"));
    assert_eq!(scratch.postgres(), None);

    fs::write(&file, before).expect("ours to write");
    scratch.start().stop().expect("nothing stands in the way");
}
