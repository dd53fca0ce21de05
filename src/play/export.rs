//! Finished public games in the order of their records, a batch at a time: what
//! exports and snapshots are written from.
//!
//! A finished game never changes and a record's number is never given out again, so
//! the games up to a cut-off are one consistent snapshot whenever they are read.
//! That is why each batch is a short transaction of its own: an export of hours
//! holds back no vacuum, and a client that dawdles holds no connection.

use std::collections::VecDeque;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use sqlx::{Connection, PgConnection, PgPool};

use super::PlayError;
use super::archive::{self, Pseudonyms};
use super::replay::aside;
use super::stored::corrupt;
use crate::db::search::{self, Filter, Numbered};
use crate::db::{self, pool, records};
use crate::record::Record;

/// Rows of a batch, unless its one game has more.
const ROWS: i32 = 4_000;
/// Games of a batch.
const GAMES: i64 = 256;
/// Records that one statement looks through: a filter that few games fit must not
/// run into the time limit.
const WINDOW: i64 = 100_000;

/// How often a batch is read on a replica that has to replay what is in its way.
const TRIES: u8 = 5;

/// Whether a replica gave up a statement for the sake of what it replays.
fn is_of_replay(cause: &PlayError) -> bool {
    let PlayError::Database(sqlx::Error::Database(cause)) = cause else {
        return false;
    };
    // Serialisation failure, deadlock.
    let code = cause.code();
    code.is_some_and(|code| ["40001", "40P01"].contains(&&*code))
}

/// A record and its place.
pub type Placed = (i64, Record);

/// Reads the records `after < record_no <= until` that fit.
#[derive(Clone)]
pub struct Reader {
    filter: Arc<Filter>,
    pseudonyms: Pseudonyms,
    /// Everything up to here was looked through.
    after: i64,
    until: i64,
    /// Found and not read yet.
    waiting: VecDeque<Numbered>,
}

impl Reader {
    /// From `after` on up to the last record there is, or `until` where that is
    /// lower.
    pub async fn new(
        db: &mut PgConnection,
        filter: Filter,
        after: i64,
        until: Option<i64>,
    ) -> Result<Reader, PlayError> {
        let last = search::last_record(db).await?;
        Ok(Reader {
            filter: Arc::new(filter),
            pseudonyms: Pseudonyms::of(db).await?,
            after,
            until: until.map_or(last, |until| until.min(last)),
            waiting: VecDeque::new(),
        })
    }

    /// The last record that may be among them.
    pub fn until(&self) -> i64 {
        self.until
    }

    /// The next records; none after the last.
    pub async fn next(&mut self, pool: &PgPool) -> Result<Option<Vec<Placed>>, PlayError> {
        let mut tries = TRIES;
        loop {
            let before = (self.after, self.waiting.clone());
            tries -= 1;
            match self.try_next(pool).await {
                Err(cause) if tries > 0 && is_of_replay(&cause) => {
                    (self.after, self.waiting) = before;
                }
                done => return done,
            }
        }
    }

    async fn try_next(&mut self, pool: &PgPool) -> Result<Option<Vec<Placed>>, PlayError> {
        // One moment: a log may be packed while it is read.
        let mut db = pool::snapshot(pool).await?;
        while self.waiting.is_empty() && self.after < self.until {
            let upto = self.until.min(self.after + WINDOW);
            let found = search::records(&mut db, &self.filter, self.after, upto, GAMES).await?;
            self.after = match found.last() {
                Some(last) if found.len() as i64 == GAMES => last.record_no,
                _ => upto,
            };
            self.waiting.extend(found);
        }
        let mut batch = Vec::new();
        let mut rows = 0;
        while let Some(next) = self.waiting.front() {
            rows += next.ply;
            if rows > ROWS && !batch.is_empty() {
                break;
            }
            batch.extend(self.waiting.pop_front());
        }
        if batch.is_empty() {
            return Ok(None);
        }
        let ids: Vec<_> = batch.iter().map(|next| next.game_id).collect();
        let read = archive::read(&mut db, &self.pseudonyms, &ids).await?;
        // Whoever reads an export relies on it being whole.
        if read.len() != ids.len() {
            return Err(corrupt("a game of the records is gone"));
        }
        let numbers = batch.iter().map(|next| next.record_no);
        Ok(Some(
            numbers
                .zip(read.into_iter().map(|(_, record)| record))
                .collect(),
        ))
    }
}

/// Does `work`, which takes a while, on a thread of its own.
pub async fn work<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PlayError> + Send + 'static,
) -> Result<T, PlayError> {
    aside(work).await
}

/// The place of the one who writes a data set. Whoever dies loses it.
pub struct OnlyWriter {
    lock: PgConnection,
}

impl OnlyWriter {
    /// The place, if nobody has it.
    pub async fn take(pool: &PgPool) -> Result<Option<OnlyWriter>, PlayError> {
        // On a connection of its own: it ends with it.
        let mut lock = PgConnection::connect_with(&pool.connect_options()).await?;
        let has = records::try_snapshot_lock(&mut lock).await?;
        Ok(has.then_some(OnlyWriter { lock }))
    }

    /// Gives it up.
    pub async fn leave(mut self) -> Result<(), PlayError> {
        records::snapshot_unlock(&mut self.lock).await?;
        self.lock.close().await.map_err(PlayError::from)
    }
}

/// The database's clock, and the last record.
pub async fn now_and_last(pool: &PgPool) -> Result<(DateTime<Utc>, i64), PlayError> {
    let mut db = pool.acquire().await?;
    let now = db::now(&mut db).await?;
    Ok((now, search::last_record(&mut db).await?))
}
