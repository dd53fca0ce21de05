//! What tests do past the server, in its database: move time, hold locks, look at
//! everything that is stored.

use sqlx::{AssertSqlSafe, Connection, PgConnection, Postgres, Transaction};

use super::database::Database;

/// Lets `interval` pass at once: from now on the database's clock is that far ahead.
pub(crate) async fn pass(db: &Database, interval: &str) {
    let function = format!(
        "create or replace function app_now() returns timestamptz language sql volatile \
         parallel safe return clock_timestamp() + interval '{interval}'"
    );
    db.execute(&function).await;
}

/// One number from the database.
pub(crate) async fn number(db: &Database, query: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(query.to_owned()))
        .fetch_one(&mut db.connect().await)
        .await
        .unwrap()
}

/// Every row of every table as text.
pub(crate) async fn everything(db: &Database) -> String {
    let mut db = db.connect().await;
    let tables: Vec<String> = sqlx::query_scalar(
        "select table_name::text from information_schema.tables \
         where table_schema = 'public' order by 1",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    let mut all = String::new();
    for table in tables {
        let rows: Vec<String> =
            sqlx::query_scalar(AssertSqlSafe(format!("select t::text from {table} t")))
                .fetch_all(&mut db)
                .await
                .unwrap();
        all += &format!("{table}\n{}\n", rows.join("\n"));
    }
    all
}

/// Keeps everybody else from `table` until the transaction ends.
pub(crate) async fn hold<'c>(db: &'c mut PgConnection, table: &str) -> Transaction<'c, Postgres> {
    let mut held = db.begin().await.unwrap();
    let lock = format!("lock table {table} in access exclusive mode");
    sqlx::query(AssertSqlSafe(lock))
        .execute(&mut *held)
        .await
        .unwrap();
    held
}

/// Returns when somebody waits for a lock that `held` has.
pub(crate) async fn somebody_waits(held: &mut PgConnection) {
    let waits = "select exists (select from pg_locks where not granted \
                                and pg_backend_pid() = any(pg_blocking_pids(pid)))";
    while !sqlx::query_scalar::<_, bool>(waits)
        .fetch_one(&mut *held)
        .await
        .unwrap()
    {
        tokio::task::yield_now().await;
    }
}
