//! The schema: brought up to date step by step, and whether this program can work with
//! the one that is there.
//!
//! Programs of two versions may share a database, so steps expand first and contract
//! later (docs/upgrades.md). One that contracts says in its name which programs do
//! without what it takes away: `0015_contract_since_0012_old_labels.sql` is for those
//! that know step 12.

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};

use super::pool::{ConnectError, place, unhurried};

/// The schema, one file a step.
pub static MIGRATIONS: Migrator = sqlx::migrate!();

/// Who brings a schema up to date: one at a time, beside the migrator's own lock. That
/// one is waited for in a statement, for which an index that is made concurrently would
/// wait in turn.
const MIGRATORS: i64 = 0x6d61_6e63_736c_6d67;

/// How often it is asked whether somebody else has done.
const TURN: Duration = Duration::from_millis(100);

/// How long a step waits.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For a lock. Whoever comes after it waits behind it, so it gives way soon.
    pub lock: Duration,
    /// Before it tries again: meanwhile those go on who have waited behind it.
    pub pause: Duration,
    /// In all.
    pub in_all: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            lock: Duration::from_secs(1),
            pause: Duration::from_secs(2),
            in_all: Duration::from_secs(600),
        }
    }
}

/// Brings the schema up to date. Several programs may do so at once: they take turns.
pub async fn migrate(options: &PgConnectOptions) -> Result<(), ConnectError> {
    migrate_with(options, &MIGRATIONS, Patience::default()).await
}

/// As [`migrate`], by these steps.
pub async fn migrate_with(
    options: &PgConnectOptions,
    steps: &Migrator,
    patience: Patience,
) -> Result<(), ConnectError> {
    let mut steps = Migrator::with_migrations(steps.iter().cloned().collect());
    // Which of those that are missing here are in the way is looked at below.
    steps.set_ignore_missing(true);
    let begin = Instant::now();
    loop {
        let (waits, pause) = match attempt(options, &steps, patience).await? {
            Attempt::Done => return Ok(()),
            Attempt::OthersAtIt => {
                let waits = "another program brings the schema up to date".to_owned();
                (waits, patience.pause.min(TURN))
            }
            Attempt::HeldUp(cause) => {
                tracing::warn!(cause, "the schema cannot be changed just now: trying again");
                (cause, patience.pause)
            }
        };
        if begin.elapsed() >= patience.in_all {
            let seconds = patience.in_all.as_secs();
            let cause = format!("{waits}; given up after {seconds} seconds");
            return Err(ConnectError::Migration(cause));
        }
        tokio::time::sleep(pause).await;
    }
}

enum Attempt {
    Done,
    OthersAtIt,
    /// Somebody has a lock that a step needs.
    HeldUp(String),
}

async fn attempt(
    options: &PgConnectOptions,
    steps: &Migrator,
    patience: Patience,
) -> Result<Attempt, ConnectError> {
    let options = unhurried(options);
    let mut db = PgConnection::connect_with(&options)
        .await
        .map_err(|cause| ConnectError::Unreachable {
            place: place(&options),
            cause: cause.to_string(),
        })?;
    let alone: bool = sqlx::query_scalar("select pg_try_advisory_lock($1)")
        .bind(MIGRATORS)
        .fetch_one(&mut db)
        .await?;
    if !alone {
        return Ok(Attempt::OthersAtIt);
    }
    let there = applied(&mut db).await?;
    refuse_newer(&there, newest_of(steps))?;
    let missing = |version: i64| there.iter().all(|step| step.version != version);
    for step in steps.iter().filter(|step| missing(step.version)) {
        // One without a transaction, such as an index that is made concurrently, holds
        // up nobody, and would leave half of it.
        let limit = if step.no_tx {
            Duration::ZERO
        } else {
            patience.lock
        };
        sqlx::query("select set_config('lock_timeout', $1, false)")
            .bind(format!("{}ms", limit.as_millis()))
            .execute(&mut db)
            .await?;
        if let Err(cause) = steps.run_to(step.version, &mut db).await {
            return held_up(cause);
        }
    }
    if let Err(cause) = steps.run(&mut db).await {
        return held_up(cause);
    }
    db.close().await.ok();
    Ok(Attempt::Done)
}

/// What a failure means: nothing but that somebody else was there first, or the end.
fn held_up(cause: MigrateError) -> Result<Attempt, ConnectError> {
    match &cause {
        MigrateError::Execute(sqlx::Error::Database(said))
        | MigrateError::ExecuteMigration(sqlx::Error::Database(said), _)
            // Lock not available, deadlock.
            if said.code().is_some_and(|code| ["55P03", "40P01"].contains(&&*code)) =>
        {
            Ok(Attempt::HeldUp(cause.to_string()))
        }
        MigrateError::VersionMismatch(version) => Err(ConnectError::SchemaDiffers(*version)),
        other => Err(ConnectError::Migration(other.to_string())),
    }
}

/// Whether the database has every migration of this program.
pub async fn is_current(db: &mut PgConnection) -> sqlx::Result<bool> {
    let there = applied(db).await?;
    Ok(newest(&there) >= known())
}

/// Refuses a database whose schema this program cannot work with, and changes nothing.
pub async fn check(db: &mut PgConnection) -> Result<(), ConnectError> {
    let there = applied(db).await?;
    match newest(&there).cmp(&known()) {
        Ordering::Less => Err(ConnectError::SchemaIsOlder),
        _ => refuse_newer(&there, known()),
    }
}

/// A step that the database has.
#[derive(Debug, sqlx::FromRow)]
struct Applied {
    version: i64,
    /// Its file's name, in words.
    description: String,
}

/// The steps that the database has.
async fn applied(db: &mut PgConnection) -> sqlx::Result<Vec<Applied>> {
    let has_any: bool = sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null")
        .fetch_one(&mut *db)
        .await?;
    if !has_any {
        return Ok(Vec::new());
    }
    sqlx::query_as("select version, description from _sqlx_migrations where success")
        .fetch_all(db)
        .await
}

fn newest(there: &[Applied]) -> Option<i64> {
    there.iter().map(|step| step.version).max()
}

/// The newest migration of this program.
fn known() -> Option<i64> {
    newest_of(&MIGRATIONS)
}

fn newest_of(steps: &Migrator) -> Option<i64> {
    steps.iter().map(|step| step.version).max()
}

/// Refuses steps of later programs that have taken away what one that knows steps up to
/// `known` needs.
fn refuse_newer(there: &[Applied], known: Option<i64>) -> Result<(), ConnectError> {
    let takes_away = |step: &&Applied| {
        let unknown = known.is_none_or(|known| step.version > known);
        unknown && contracts_since(&step.description).is_some_and(|since| Some(since) > known)
    };
    match there.iter().find(takes_away) {
        Some(step) => Err(ConnectError::SchemaIsNewer(step.version)),
        None => Ok(()),
    }
}

/// Of a step that contracts: the first step whose programs do without what it takes
/// away. None: it takes away nothing.
#[must_use]
pub fn contracts_since(description: &str) -> Option<i64> {
    let mut words = description.split_whitespace();
    if words.next() != Some("contract") {
        return None;
    }
    let since = match (words.next(), words.next()) {
        (Some("since"), Some(number)) => number.parse().ok(),
        _ => None,
    };
    // One that does not say for whom it is, is for nobody but its own.
    Some(since.unwrap_or(i64::MAX))
}
