//! Connecting: the pools with their time limits.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, PgConnection, PgPool, Postgres, Transaction};

/// How long a request waits for a connection of the pool.
pub const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Why the program cannot work with a database.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ConnectError {
    #[error("DATABASE_URL is not a PostgreSQL URL: {0}")]
    BadUrl(String),
    #[error("cannot reach the database at {place}: {cause}")]
    Unreachable { place: String, cause: String },
    #[error(
        "the database's schema is newer than this program (migration {0} has taken away what it \
         needs): run the program that made it, or a later one"
    )]
    SchemaIsNewer(i64),
    #[error("the database's schema is older than this program: run `mancala-post migrate`")]
    SchemaIsOlder,
    #[error(
        "the database's migration {0} differs from this program's: it was made by another build"
    )]
    SchemaDiffers(i64),
    #[error("cannot apply the migrations: {0}")]
    Migration(String),
}

impl From<sqlx::Error> for ConnectError {
    fn from(cause: sqlx::Error) -> Self {
        ConnectError::Migration(cause.to_string())
    }
}

/// Connection settings from a URL, with the limits every connection gets.
pub fn options(url: &str) -> Result<PgConnectOptions, ConnectError> {
    // Whatever the scheme, it would be taken for a PostgreSQL's.
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        let begin = "it must begin with postgres://".to_owned();
        return Err(ConnectError::BadUrl(begin));
    }
    let options: PgConnectOptions = url
        .parse()
        .map_err(|cause: sqlx::Error| ConnectError::BadUrl(cause.to_string()))?;
    Ok(options.application_name("mancala-post").options([
        ("statement_timeout", "10s"),
        ("lock_timeout", "5s"),
        ("idle_in_transaction_session_timeout", "15s"),
        ("TimeZone", "UTC"),
        // It takes half a second for what is then done in less.
        ("jit", "off"),
    ]))
}

/// How long a connection that was given back is taken to be well: that was asked when
/// it was given back.
const WELL: Duration = Duration::from_secs(1);

/// The same for a command's own connection, whose work may well outlast the limits
/// that suit a request.
pub fn unhurried(options: &PgConnectOptions) -> PgConnectOptions {
    options.clone().options([
        ("statement_timeout", "0"),
        ("lock_timeout", "0"),
        ("idle_in_transaction_session_timeout", "0"),
    ])
}

/// The same for a replica: nothing is written by it, even where it leads to a primary.
pub fn reading(options: &PgConnectOptions) -> PgConnectOptions {
    options
        .clone()
        .options([("default_transaction_read_only", "on")])
}

/// A pool; connections are opened as they are needed.
pub fn pool(options: PgConnectOptions, size: u32) -> PgPool {
    PgPoolOptions::new()
        .max_connections(size)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // Asked each time, every request would wait for one more answer of the database.
        .test_before_acquire(false)
        .before_acquire(|db, about| {
            Box::pin(async move {
                if about.idle_for > WELL {
                    db.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(options)
}

/// Another pool of the same size on the same database.
pub fn like(pool: &PgPool) -> PgPool {
    let options = pool.connect_options().as_ref().clone();
    pool.options().clone().connect_lazy_with(options)
}

/// Begins a transaction that sees one moment.
pub const ONE_MOMENT: &str = "begin isolation level repeatable read, read only";

/// Lets the statements of this transaction take minutes: what nobody waits for.
pub async fn take_time(db: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("set local statement_timeout = '5min'")
        .execute(db)
        .await
        .map(drop)
}

/// Begins a transaction, which is rolled back if nobody waits for it any more.
///
/// That takes a task of its own. A request may be given up while `begin` is on its way;
/// sqlx would then give back a connection with an open transaction that it knows nothing
/// of, and what the next request writes by itself would never be committed.
pub async fn begin(pool: &PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    let pool = pool.clone();
    begun(async move { pool.begin().await }).await
}

/// A transaction that sees one moment, for answers that several statements make.
pub async fn snapshot(pool: &PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    let pool = pool.clone();
    begun(async move { pool.begin_with(ONE_MOMENT).await }).await
}

async fn begun(
    begin: impl Future<Output = sqlx::Result<Transaction<'static, Postgres>>> + Send + 'static,
) -> sqlx::Result<Transaction<'static, Postgres>> {
    let task = tokio::spawn(begin).await;
    task.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}

/// Where the database is, without its password.
pub fn place(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    }
}
