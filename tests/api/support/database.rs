//! A database per test: a copy of a template that the migrations were applied to
//! once. It is dropped with the test; what a killed run left is dropped at the next
//! start of any run, known by the advisory lock that nobody holds any more.

use std::sync::Once;

use mancala_post::db::{events, pool, schema};
use mancala_post::notify::sequencer;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};
use uuid::Uuid;

use super::cluster::Postgres;

/// What the name of a test's database begins with.
const PREFIX: &str = "mancala_test_";

/// The lock under which the template is made.
const TEMPLATE_LOCK: i64 = 0x6d61_6e63_616c_6101;

/// A test's own database.
pub(crate) struct Database {
    name: String,
    /// Holds the lock that marks the database as used.
    guard: Option<PgConnection>,
    postgres: Postgres,
}

impl Database {
    /// Makes one.
    pub(crate) async fn new() -> Database {
        Database::make(true).await
    }

    /// Makes one without any table.
    pub(crate) async fn empty() -> Database {
        Database::make(false).await
    }

    async fn make(migrated: bool) -> Database {
        static LEFTOVERS: Once = Once::new();
        let postgres = Postgres::join();
        let mut db = connect(&postgres.maintenance_url()).await;
        let mut first = false;
        LEFTOVERS.call_once(|| first = true);
        if first {
            drop_leftovers(&mut db).await;
        }
        let template = match migrated {
            true => template(&postgres, &mut db).await,
            false => "template0".to_owned(),
        };
        let id = Uuid::now_v7();
        let name = format!("{PREFIX}{}", id.simple());
        lock(&mut db, lock_of(id)).await;
        let create = format!("create database {name} template {template} strategy file_copy");
        run(&mut db, create).await;
        Database {
            name,
            guard: Some(db),
            postgres,
        }
    }

    /// How a server reaches it.
    pub(crate) fn url(&self) -> String {
        self.postgres.url(&self.name)
    }

    /// A connection past the server.
    pub(crate) async fn connect(&self) -> PgConnection {
        connect(&self.url()).await
    }

    /// Runs a statement past the server; the rows it touched.
    pub(crate) async fn execute(&self, statement: &str) -> u64 {
        run(&mut self.connect().await, statement.to_owned()).await
    }

    /// A pool past the server.
    pub(crate) fn pool(&self) -> PgPool {
        pool::pool(pool::options(&self.url()).unwrap(), 3)
    }

    /// The one number that a query yields.
    pub(crate) async fn number(&self, query: &str) -> i64 {
        let mut db = self.connect().await;
        let number = sqlx::query_scalar(AssertSqlSafe(query.to_owned()));
        number.fetch_one(&mut db).await.unwrap()
    }

    /// Gives all queued events their positions, as the sequencer does.
    pub(crate) async fn place_events(&self) {
        let mut db = self.connect().await;
        assert!(events::try_become_sequencer(&mut db).await.unwrap());
        while sequencer::place(&mut db).await.unwrap() > 0 {}
        let unlock = sqlx::query("select pg_advisory_unlock_all()");
        unlock.execute(&mut db).await.unwrap();
    }

    /// Lets nobody in any more, and puts out who is there.
    pub(crate) async fn shut(&self) {
        let mut outside = connect(&self.postgres.maintenance_url()).await;
        let name = &self.name;
        run(
            &mut outside,
            format!("alter database {name} allow_connections false"),
        )
        .await;
        let end = format!(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '{name}'"
        );
        run(&mut outside, end).await;
    }

    /// Lets everybody in again.
    pub(crate) async fn open(&self) {
        let mut outside = connect(&self.postgres.maintenance_url()).await;
        let statement = format!("alter database {} allow_connections true", self.name);
        run(&mut outside, statement).await;
    }

    /// All rows of a game in all tables, in order, as JSON.
    pub(crate) async fn rows(&self, game: &str) -> Value {
        let mut db = self.connect().await;
        let tables: Vec<String> = sqlx::query_scalar(
            "select table_name::text from information_schema.columns \
             where table_schema = 'public' and column_name = 'game_id' order by 1",
        )
        .fetch_all(&mut db)
        .await
        .unwrap();
        let mut all = Map::new();
        for table in tables {
            let select = format!(
                "select coalesce(json_agg(t order by t::text), '[]') from {table} t \
                 where game_id = '{game}'"
            );
            let rows = sqlx::query_scalar(AssertSqlSafe(select))
                .fetch_one(&mut db)
                .await
                .unwrap();
            all.insert(table, rows);
        }
        Value::Object(all)
    }
}

impl Drop for Database {
    /// On a thread of its own, since a test's runtime may be on its way out.
    fn drop(&mut self) {
        drop(self.guard.take());
        let url = self.postgres.maintenance_url();
        let statement = format!("drop database if exists {} with (force)", self.name);
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async { run(&mut connect(&url).await, statement).await });
        });
        // A failure here must not hide the test's own.
        if dropped.join().is_err() {
            eprintln!("a test's database could not be dropped; the next run will do it");
        }
    }
}

async fn connect(url: &str) -> PgConnection {
    let options: PgConnectOptions = url.parse().unwrap();
    PgConnection::connect_with(&options)
        .await
        .unwrap_or_else(|error| panic!("{url}: {error}"))
}

async fn run(db: &mut PgConnection, statement: String) -> u64 {
    let done = sqlx::raw_sql(AssertSqlSafe(statement.clone()))
        .execute(db)
        .await;
    done.unwrap_or_else(|error| panic!("{statement}: {error}"))
        .rows_affected()
}

async fn lock(db: &mut PgConnection, key: i64) {
    let lock = sqlx::query("select pg_advisory_lock($1)").bind(key);
    lock.execute(db).await.unwrap();
}

/// Half of the id's random bits.
fn lock_of(id: Uuid) -> i64 {
    id.as_u64_pair().1.cast_signed()
}

/// Drops databases of tests that do not run any more.
async fn drop_leftovers(db: &mut PgConnection) {
    let names: Vec<String> =
        sqlx::query_scalar("select datname::text from pg_database where datname like $1 || '%'")
            .bind(PREFIX)
            .fetch_all(&mut *db)
            .await
            .unwrap();
    for name in names {
        let Some(Ok(id)) = name.strip_prefix(PREFIX).map(str::parse) else {
            continue;
        };
        let unused: bool = sqlx::query_scalar("select pg_try_advisory_lock($1)")
            .bind(lock_of(id))
            .fetch_one(&mut *db)
            .await
            .unwrap();
        if unused {
            run(db, format!("drop database if exists {name} with (force)")).await;
            let unlock = sqlx::query("select pg_advisory_unlock($1)").bind(lock_of(id));
            unlock.execute(&mut *db).await.unwrap();
        }
    }
}

/// The template's name, which tells the migrations that were applied to it.
async fn template(postgres: &Postgres, db: &mut PgConnection) -> String {
    let mut hash = Sha256::new();
    for migration in schema::MIGRATIONS.iter() {
        hash.update(&migration.checksum);
    }
    let hash: String = hash.finalize()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let name = format!("mancala_template_{hash}");
    let exists = || {
        sqlx::query_scalar::<_, bool>("select exists (select from pg_database where datname = $1)")
            .bind(&name)
    };
    if exists().fetch_one(&mut *db).await.unwrap() {
        return name;
    }
    lock(db, TEMPLATE_LOCK).await;
    if !exists().fetch_one(&mut *db).await.unwrap() {
        let making = format!("{name}_making");
        run(db, format!("drop database if exists {making} with (force)")).await;
        run(db, format!("create database {making} template template0")).await;
        let options = pool::options(&postgres.url(&making)).unwrap();
        schema::migrate(&options).await.unwrap();
        run(db, format!("alter database {making} rename to {name}")).await;
    }
    let unlock = sqlx::query("select pg_advisory_unlock($1)").bind(TEMPLATE_LOCK);
    unlock.execute(&mut *db).await.unwrap();
    name
}
