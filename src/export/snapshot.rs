//! Data sets: all finished public games up to a cut-off as Parquet files with all
//! that belongs to them, written once and never changed.
//!
//! The cut-off is the number of a record, not a position of the event log: games that
//! were imported have no events. Whatever stands in a data set comes from the games and
//! from the program's version; no clock has a part in it, so the same cut-off and version
//! make the same bytes. ([`parts`] writes the tables, [`papers`] the rest, [`shelf`]
//! finds what was written.)

pub mod papers;
pub mod parts;
pub mod shelf;

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Datelike, Days, Utc};
use sqlx::PgPool;

use self::parts::Parts;
use self::shelf::Snapshot;
use crate::play::PlayError;
use crate::play::export::{self, OnlyWriter, Reader, work};
use crate::play::search::Filter;
use crate::record::Record;

/// The licence of data sets where nothing is set: none of the rights is kept.
pub const LICENSE: &str = "CC0-1.0";

/// Where data sets are, and under which licence they are given.
#[derive(Debug, Clone)]
pub struct Place {
    /// A directory; made when it is missing.
    pub dir: PathBuf,
    /// An identifier of SPDX.
    pub license: String,
}

/// How often the server writes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Every {
    /// Each day, from midnight UTC.
    Day,
    /// Each week, from Monday.
    Week,
    /// Each month, from its first day.
    Month,
}

/// What became of a data set.
#[derive(Debug)]
pub enum Written {
    /// It was written.
    New(Snapshot),
    /// It was there already.
    There(Snapshot),
    /// There is no game to write.
    Nothing,
    /// Another process writes one just now.
    Busy,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Failed {
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error("{}: {cause}", path.display())]
    File { path: PathBuf, cause: io::Error },
}

impl From<sqlx::Error> for Failed {
    fn from(cause: sqlx::Error) -> Self {
        Failed::Play(PlayError::Database(cause))
    }
}

/// Says which file it was.
fn at<T>(path: &Path, done: io::Result<T>) -> Result<T, Failed> {
    done.map_err(|cause| Failed::File {
        path: path.to_owned(),
        cause,
    })
}

/// The name of a data set: in the order of their cut-offs, and another one for
/// another program.
#[must_use]
pub fn name(until: i64) -> String {
    format!("{until:09}-{}", env!("CARGO_PKG_VERSION"))
}

/// What data sets are made from.
#[derive(Debug, Clone)]
pub struct Source {
    /// Where the one who writes has its place.
    pub primary: PgPool,
    /// Where games are read: there, or in a replica.
    pub reading: PgPool,
}

impl Source {
    /// One without a replica.
    #[must_use]
    pub fn of(pool: PgPool) -> Source {
        Source {
            primary: pool.clone(),
            reading: pool,
        }
    }
}

/// Writes the data set of all games up to the last, or up to `until`.
pub async fn write(source: &Source, place: &Place, until: Option<i64>) -> Result<Written, Failed> {
    let Some(place_of_one) = OnlyWriter::take(&source.primary).await? else {
        return Ok(Written::Busy);
    };
    let written = write_alone(&source.reading, place, until).await;
    place_of_one.leave().await?;
    written
}

/// Writes one if the last was written before the period that now is, and there are
/// more games since.
pub async fn write_if_due(source: &Source, place: &Place, every: Every) -> Result<Written, Failed> {
    let Some(place_of_one) = OnlyWriter::take(&source.primary).await? else {
        return Ok(Written::Busy);
    };
    let written = match is_due(&source.reading, place, every).await {
        Ok(true) => write_alone(&source.reading, place, None).await,
        Ok(false) => Ok(Written::Nothing),
        Err(cause) => Err(cause),
    };
    place_of_one.leave().await?;
    written
}

async fn is_due(pool: &PgPool, place: &Place, every: Every) -> Result<bool, Failed> {
    let newest = shelf::all(&place.dir)?.into_iter().next();
    let (now, last) = export::now_and_last(pool).await?;
    Ok(newest.is_none_or(|newest| {
        newest.until < last && newest.written.is_none_or(|at| at < every.began(now))
    }))
}

impl Every {
    /// When the period began that `now` is in.
    #[must_use]
    pub fn began(self, now: DateTime<Utc>) -> DateTime<Utc> {
        let day = now.date_naive();
        let first = match self {
            Every::Day => Some(day),
            Every::Week => {
                let days = day.weekday().num_days_from_monday();
                day.checked_sub_days(Days::new(days.into()))
            }
            Every::Month => day.with_day(1),
        };
        let first = first.unwrap_or(day);
        first
            .and_hms_opt(0, 0, 0)
            .map_or(now, |first| first.and_utc())
    }
}

async fn write_alone(pool: &PgPool, place: &Place, until: Option<i64>) -> Result<Written, Failed> {
    let mut db = pool.acquire().await?;
    let mut reader = Reader::new(&mut db, Filter::default(), 0, until).await?;
    drop(db);
    let until = reader.until();
    if until < 1 {
        return Ok(Written::Nothing);
    }
    let name = name(until);
    if let Some(there) = shelf::find(&place.dir, &name)? {
        return Ok(Written::There(there));
    }
    // What killed or failed processes left, of whatever name: nobody else writes now.
    let making = place.dir.join(format!(".{name}.making"));
    let (dir, made) = (place.dir.clone(), making.clone());
    let cleared = work(move || Ok(clear(&dir).and_then(|()| at(&made, fs::create_dir_all(&made)))));
    cleared.await??;
    let mut parts = Parts::new(&making);
    while let Some(batch) = reader.next(pool).await? {
        let putting = work(move || {
            let mut put = || {
                for (record_no, record) in &batch {
                    parts.put(*record_no, record)?;
                }
                Ok(())
            };
            let put: Result<(), Failed> = put();
            Ok(put.map(|()| parts))
        });
        parts = putting.await??;
    }
    let (dir, license) = (place.dir.clone(), place.license.clone());
    let made = work(move || {
        let put = || {
            let counts = parts.finish()?;
            papers::write(&making, &name, until, &license, &counts)?;
            sync(&making)?;
            let whole = dir.join(&name);
            at(&whole, fs::rename(&making, &whole))?;
            at(&dir, File::open(&dir).and_then(|dir| dir.sync_all()))?;
            shelf::find(&dir, &name)
        };
        Ok(put())
    });
    Ok(made.await??.map_or(Written::Nothing, Written::New))
}

/// Removes what was begun and not finished.
fn clear(dir: &Path) -> Result<(), Failed> {
    let entries = match fs::read_dir(dir) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(()),
        entries => at(dir, entries)?,
    };
    for entry in entries {
        let path = at(dir, entry)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') && name.ends_with(".making") {
            at(&path, fs::remove_dir_all(&path))?;
        }
    }
    Ok(())
}

/// The tables of games that are in no database, in a new directory: how many games and
/// rows they have.
pub fn tables<E: From<Failed>>(
    dir: &Path,
    records: impl Iterator<Item = Result<Vec<Record>, E>>,
) -> Result<(u64, u64), E> {
    at(dir, fs::create_dir(dir))?;
    let mut parts = Parts::new(dir);
    let mut record_no = 0;
    for batch in records {
        for record in batch? {
            record_no += 1;
            parts.put(record_no, &record)?;
        }
    }
    let counts = parts.finish()?;
    Ok((counts.games(), counts.rows()))
}

/// Sees to it that all of it is on the disk before it gets its name.
fn sync(dir: &Path) -> Result<(), Failed> {
    for path in files(dir)? {
        at(&path, File::open(&path).and_then(|file| file.sync_all()))?;
    }
    Ok(())
}

/// All files under a directory, in order.
fn files(dir: &Path) -> Result<Vec<PathBuf>, Failed> {
    let mut found = Vec::new();
    let mut waiting = vec![dir.to_owned()];
    while let Some(dir) = waiting.pop() {
        for entry in at(&dir, fs::read_dir(&dir))? {
            let path = at(&dir, entry)?.path();
            match path.is_dir() {
                true => waiting.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_begin_at_midnight() {
        let time = |text: &str| text.parse::<DateTime<Utc>>().expect("a time");
        let now = time("2026-11-26T13:14:15Z");
        assert_eq!(Every::Day.began(now), time("2026-11-26T00:00:00Z"));
        assert_eq!(Every::Week.began(now), time("2026-11-23T00:00:00Z"));
        assert_eq!(Every::Month.began(now), time("2026-11-01T00:00:00Z"));
        let monday = time("2026-11-30T00:00:00Z");
        assert_eq!(Every::Week.began(monday), monday);
    }
}
