//! The database's clock in a test's hands: it stands still until it is moved, so
//! that every deadline is known to the second and nobody waits for one.

use chrono::{DateTime, Duration, SecondsFormat, TimeZone, Utc};
use sqlx::{AssertSqlSafe, PgConnection};

use super::database::Database;

/// A database's stopped clock.
pub(crate) struct Clock {
    db: PgConnection,
    now: DateTime<Utc>,
}

impl Clock {
    /// Stops the clock of this database, at a time of its own.
    pub(crate) async fn stop(database: &Database) -> Clock {
        let mut clock = Clock {
            db: database.connect().await,
            now: Utc.with_ymd_and_hms(2027, 1, 1, 0, 0, 0).unwrap(),
        };
        clock.set(true).await;
        clock
    }

    /// Time passes, with a server there all the while.
    pub(crate) async fn pass(&mut self, seconds: i64) {
        self.now += Duration::seconds(seconds);
        self.set(true).await;
    }

    /// Time passes, and no server is there.
    pub(crate) async fn pass_without_servers(&mut self, seconds: i64) {
        self.now += Duration::seconds(seconds);
        self.set(false).await;
    }

    async fn set(&mut self, alive: bool) {
        let now = self.now.to_rfc3339();
        let mut statements = format!(
            "create or replace function app_now() returns timestamptz \
             language sql volatile parallel safe return timestamptz '{now}';"
        );
        if alive {
            statements += &format!("update heartbeat set alive_at = '{now}';");
        }
        // Sent together they are one transaction.
        sqlx::raw_sql(AssertSqlSafe(statements))
            .execute(&mut self.db)
            .await
            .unwrap();
    }

    /// Now, as answers write it.
    pub(crate) fn now(&self) -> String {
        self.hence(0)
    }

    /// So many seconds from now, as answers write it.
    pub(crate) fn hence(&self, seconds: i64) -> String {
        let then = self.now + Duration::seconds(seconds);
        then.to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// How many seconds from now a time is that an answer wrote.
    pub(crate) fn until(&self, time: &str) -> i64 {
        (time.parse::<DateTime<Utc>>().unwrap() - self.now).num_seconds()
    }
}
