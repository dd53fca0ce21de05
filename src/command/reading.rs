//! The replica that commands read from, where there is one.

use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};

use super::Place;
use crate::db::{pool, replica, schema};

/// How long a replica may take to catch up with what a command has just written.
const CATCHING_UP: Duration = Duration::from_secs(60);
/// How often it is asked.
const PAUSE: Duration = Duration::from_millis(100);

/// Looks at the replica before the first request: one of another database must not be
/// read by mistake. One that is away or behind is no reason not to play.
pub(super) async fn look(
    direct: &PgConnectOptions,
    reading: &PgConnectOptions,
) -> Result<(), Box<dyn std::error::Error>> {
    let place = pool::place(reading);
    let mut db = match PgConnection::connect_with(reading).await {
        Ok(db) => db,
        Err(cause) => {
            tracing::warn!(place, %cause, "the replica (DATABASE_READ_URL) is away: research waits for it");
            return Ok(());
        }
    };
    if !schema::is_current(&mut db).await? {
        tracing::warn!(
            place,
            "the replica (DATABASE_READ_URL) has not got this schema yet: research waits for it"
        );
        return Ok(());
    }
    let mut primary = PgConnection::connect_with(direct).await?;
    if replica::identity(&mut primary).await? != replica::identity(&mut db).await? {
        return Err(format!("DATABASE_READ_URL ({place}) is no replica of DATABASE_URL").into());
    }
    Ok(())
}

impl Place {
    /// Connection settings for reading whatever is there now: of the replica, once it
    /// has caught up.
    pub(super) async fn reading(
        &self,
        primary: &mut PgConnection,
    ) -> Result<PgConnectOptions, Box<dyn std::error::Error>> {
        let Some(options) = &self.reading else {
            return Ok(pool::unhurried(&self.direct));
        };
        let options = pool::unhurried(options);
        let place = pool::place(&options);
        let failed = |cause: &dyn std::fmt::Display| {
            format!("the replica at {place} (DATABASE_READ_URL): {cause}")
        };
        let mut db = PgConnection::connect_with(&options)
            .await
            .map_err(|cause| failed(&cause))?;
        let end = replica::log_end(primary).await?;
        let begin = Instant::now();
        while !replica::has(&mut db, &end).await? {
            if begin.elapsed() > CATCHING_UP {
                let seconds = CATCHING_UP.as_secs();
                return Err(failed(&format!("more than {seconds} seconds behind")).into());
            }
            tokio::time::sleep(PAUSE).await;
        }
        schema::check(&mut db)
            .await
            .map_err(|cause| failed(&cause))?;
        if replica::identity(primary).await? != replica::identity(&mut db).await? {
            return Err(failed(&"no replica of DATABASE_URL").into());
        }
        Ok(options)
    }
}
