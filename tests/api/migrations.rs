//! The schema and programs of several versions: a migration that has to wait gives way
//! to play, programs work on the schema of a later one unless it has taken away what
//! they need, and one brings it up to date at a time.

use std::cell::Cell;
use std::time::Duration;

use futures_util::future::join_all;
use mancala_post::db::pool::{self, ConnectError};
use mancala_post::db::schema::{self, MIGRATIONS, Patience};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqlSafeStr};

use crate::support::backstage::{number, somebody_waits};
use crate::support::database::Database;
use crate::support::process::{Process, run};
use crate::support::{Api, Game};

/// The program's steps, and one more of this text.
fn and(statement: &'static str) -> Migrator {
    let kind = MigrationType::Simple;
    let more = Migration::new(9000, "more".into(), kind, statement.into_sql_str(), false);
    let steps = MIGRATIONS.iter().cloned().chain([more]);
    Migrator::with_migrations(steps.collect())
}

fn known() -> i64 {
    let versions = MIGRATIONS.iter().map(|step| step.version);
    versions.max().unwrap()
}

/// Says that a later program has taken a step.
async fn taken(db: &Database, version: i64, description: &str) {
    let row = format!(
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
         values ({version}, '{description}', true, '', 0)"
    );
    db.execute(&row).await;
}

/// Somebody reads a table for long, a migration waits for it, and players wait behind
/// the migration: until that gives way, and comes again.
#[tokio::test]
async fn a_migration_that_waits_gives_way() {
    let db = Database::new().await;
    let mut reader = db.connect().await;
    let mut reading = reader.begin().await.unwrap();
    sqlx::query("select from games")
        .execute(&mut *reading)
        .await
        .unwrap();
    let options = pool::options(&db.url()).unwrap();
    let patience = Patience {
        lock: Duration::from_millis(300),
        pause: Duration::from_millis(100),
        in_all: Duration::from_secs(3600),
    };
    let steps = and("alter table games add column more integer");
    let ended = Cell::new(false);
    let migrating = async {
        let done = schema::migrate_with(&options, &steps, patience).await;
        ended.set(true);
        done.unwrap();
    };
    // While the reader goes on, which it does until it is told not to, others read.
    let playing = async {
        for _ in 0..3 {
            somebody_waits(&mut reading).await;
            assert_eq!(number(&db, "select count(*) from games").await, 0);
        }
        assert!(!ended.get());
        reading.rollback().await.unwrap();
    };
    tokio::join!(migrating, playing);
    assert_eq!(number(&db, "select count(more) from games").await, 0);
}

#[tokio::test]
async fn it_does_not_wait_for_ever() {
    let db = Database::new().await;
    let mut reader = db.connect().await;
    let mut reading = reader.begin().await.unwrap();
    sqlx::query("select from games")
        .execute(&mut *reading)
        .await
        .unwrap();
    let patience = Patience {
        lock: Duration::from_millis(10),
        pause: Duration::from_millis(10),
        in_all: Duration::from_millis(100),
    };
    let options = pool::options(&db.url()).unwrap();
    let steps = and("alter table games add column more integer");
    let cause = schema::migrate_with(&options, &steps, patience).await;
    let cause = cause.unwrap_err().to_string();
    let end = "given up after 0 seconds";
    assert!(
        cause.contains("lock timeout") && cause.ends_with(end),
        "{cause}"
    );
    // What is wrong with a step itself is no reason to try again.
    let wrong = and("alter table nothing add column more integer");
    let cause = schema::migrate_with(&options, &wrong, Patience::default()).await;
    let cause = cause.unwrap_err().to_string();
    assert!(cause.contains("\"nothing\" does not exist"), "{cause}");
    assert_eq!(
        number(
            &db,
            "select count(*) from _sqlx_migrations where version = 9000"
        )
        .await,
        0
    );
}

#[tokio::test]
async fn one_at_a_time() {
    let db = Database::empty().await;
    let options = pool::options(&db.url()).unwrap();
    let patience = Patience {
        pause: Duration::from_millis(50),
        ..Patience::default()
    };
    let one = || schema::migrate_with(&options, &MIGRATIONS, patience);
    for done in join_all([one(), one(), one(), one()]).await {
        done.unwrap();
    }
    let all = i64::try_from(MIGRATIONS.iter().count()).unwrap();
    assert_eq!(
        number(&db, "select count(*) from _sqlx_migrations where success").await,
        all
    );

    // Somebody else is at it, and stays.
    let mut other = db.connect().await;
    sqlx::query("select pg_advisory_lock(7881702196292382055)")
        .execute(&mut other)
        .await
        .unwrap();
    let patience = Patience {
        in_all: Duration::ZERO,
        ..Patience::default()
    };
    let cause = schema::migrate_with(&options, &MIGRATIONS, patience).await;
    let cause = cause.unwrap_err().to_string();
    assert!(
        cause.contains("another program brings the schema up to date"),
        "{cause}"
    );
}

/// A program works on the schema of a later one, and refuses one that has taken away
/// what it needs.
#[tokio::test]
async fn on_the_schema_of_a_later_program() {
    let db = Database::new().await;
    taken(&db, 9001, "labels").await;
    taken(
        &db,
        9002,
        &format!("contract since {:04} old labels", known()),
    )
    .await;
    let process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    Game::of(&api, "congkak").await.play(&["s7"]).await;
    api.get("/readyz").await.expect(200);
    for command in ["migrate", "verify", "export"] {
        let output = run(&db.url(), &[command]);
        assert!(output.status.success(), "{command}: {output:?}");
    }

    taken(
        &db,
        9003,
        &format!("contract since {:04} old labels", known() + 1),
    )
    .await;
    for command in ["migrate", "verify", "export", "serve"] {
        let output = run(&db.url(), &[command, "--log", "error"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}: {said}");
        assert!(
            said.contains("migration 9003 has taken away what it needs"),
            "{said}"
        );
    }
    // One that runs goes on for as long as it can.
    api.get("/readyz").await.expect(200);
}

#[tokio::test]
async fn a_step_that_is_not_the_same() {
    let db = Database::new().await;
    db.execute("update _sqlx_migrations set checksum = '' where version = 3")
        .await;
    let options = pool::options(&db.url()).unwrap();
    let cause = schema::migrate(&options).await.unwrap_err();
    assert!(matches!(cause, ConnectError::SchemaDiffers(3)), "{cause}");
    let mut db = PgConnection::connect_with(&options).await.unwrap();
    let older = format!("delete from _sqlx_migrations where version = {}", known());
    sqlx::query(AssertSqlSafe(older))
        .execute(&mut db)
        .await
        .unwrap();
    let cause = schema::check(&mut db).await.unwrap_err();
    assert!(matches!(cause, ConnectError::SchemaIsOlder), "{cause}");
}
