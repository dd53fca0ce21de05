//! The tables of a data set: a Parquet file for each ruleset and month, all written at
//! once in the order of the records, in bounded memory.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{Failed, at};
use crate::export::parquet::Parquet;
use crate::export::{Line, Table, lines};
use crate::play::PlayError;
use crate::record::Record;

/// Lines that may wait in all files together.
const MOST_WAITING: usize = 131_072;

/// Which ruleset, and the month in which a game ended.
type Key = (String, String);

/// The files that are written.
pub(super) struct Parts {
    dir: PathBuf,
    parts: BTreeMap<Key, Part>,
    /// Lines that wait in all of them.
    waiting: usize,
    counts: Counts,
}

struct Part {
    games: Sheet,
    rows: Sheet,
    count: Count,
}

/// A file that grows.
struct Sheet {
    path: PathBuf,
    parquet: Parquet,
}

/// What a data set holds.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    /// By ruleset and month.
    pub(super) parts: BTreeMap<Key, Count>,
    /// Games by ruleset and revision.
    pub(super) revisions: BTreeMap<(String, u32), u64>,
    /// When the first and the last game ended.
    pub(super) ended: Option<(DateTime<Utc>, DateTime<Utc>)>,
}

/// What a part of it holds.
#[derive(Debug, Clone, Default)]
pub(super) struct Count {
    pub(super) games: u64,
    pub(super) rows: u64,
    plies: u64,
    results: BTreeMap<&'static str, u64>,
    reasons: BTreeMap<&'static str, u64>,
    sources: BTreeMap<&'static str, u64>,
}

impl Parts {
    pub(super) fn new(dir: &Path) -> Parts {
        Parts {
            dir: dir.to_owned(),
            parts: BTreeMap::new(),
            waiting: 0,
            counts: Counts::default(),
        }
    }

    /// Writes a record.
    pub(super) fn put(&mut self, record_no: i64, record: &Record) -> Result<(), Failed> {
        let ended = record.ended_at;
        let month = ended.format("%Y-%m").to_string();
        let key = (record.ruleset.clone(), month);
        if !self.parts.contains_key(&key) {
            let part = Part::new(&self.dir, &key)?;
            self.parts.insert(key.clone(), part);
        }
        let Some(part) = self.parts.get_mut(&key) else {
            return Ok(());
        };
        let before = part.waiting();
        lines(&Table::ALL, true, record_no, record, |line| part.push(line))?;
        for sheet in [&mut part.games, &mut part.rows] {
            sheet.parquet.settle()?;
            sheet.save()?;
        }
        self.waiting = self.waiting + part.waiting() - before;
        let revision = (record.ruleset.clone(), record.revision);
        *self.counts.revisions.entry(revision).or_default() += 1;
        let (first, last) = self.counts.ended.unwrap_or((ended, ended));
        self.counts.ended = Some((first.min(ended), last.max(ended)));
        self.make_room()
    }

    /// Writes what waits longest in line: games of many months must not all wait at
    /// once. What goes depends on the records alone.
    fn make_room(&mut self) -> Result<(), Failed> {
        while self.waiting > MOST_WAITING {
            let largest = self.parts.values_mut().max_by_key(|part| part.waiting());
            let Some(part) = largest else { break };
            self.waiting -= part.waiting();
            for sheet in [&mut part.games, &mut part.rows] {
                sheet.parquet.group()?;
                sheet.save()?;
            }
        }
        Ok(())
    }

    /// Ends all files.
    pub(super) fn finish(mut self) -> Result<Counts, Failed> {
        for (key, part) in self.parts {
            part.games.finish()?;
            part.rows.finish()?;
            self.counts.parts.insert(key, part.count);
        }
        Ok(self.counts)
    }
}

impl Part {
    fn new(dir: &Path, (ruleset, month): &Key) -> Result<Part, Failed> {
        let sheet = |table: Table| {
            let dir = dir.join(table.as_str()).join(ruleset);
            at(&dir, fs::create_dir_all(&dir))?;
            Ok::<_, Failed>(Sheet {
                path: dir.join(format!("{month}.parquet")),
                parquet: Parquet::new(table, true)?,
            })
        };
        Ok(Part {
            games: sheet(Table::Games)?,
            rows: sheet(Table::Rows)?,
            count: Count::default(),
        })
    }

    fn push(&mut self, line: &Line<'_, '_>) -> Result<(), PlayError> {
        match line {
            Line::Game(game) => {
                let (count, game) = (&mut self.count, game.game);
                count.games += 1;
                count.plies += u64::try_from(game.plies).unwrap_or_default();
                let result = game.result;
                *count.results.entry(result.winner.as_str()).or_default() += 1;
                *count.reasons.entry(result.reason.as_str()).or_default() += 1;
                *count.sources.entry(game.source.as_str()).or_default() += 1;
                self.games.parquet.push(line)
            }
            Line::Row(_) => {
                self.count.rows += 1;
                self.rows.parquet.push(line)
            }
        }
    }

    fn waiting(&self) -> usize {
        self.games.parquet.waiting() + self.rows.parquet.waiting()
    }
}

impl Sheet {
    /// Appends what was written. The file is open no longer than that: there may be
    /// more of them than a process may have open.
    fn save(&mut self) -> Result<(), Failed> {
        let bytes = self.parquet.take()?;
        append(&self.path, &bytes)
    }

    fn finish(self) -> Result<(), Failed> {
        let bytes = self.parquet.finish()?;
        append(&self.path, &bytes)
    }
}

fn append(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    if bytes.is_empty() {
        return Ok(());
    }
    let file = OpenOptions::new().append(true).create(true).open(path);
    at(path, file.and_then(|mut file| file.write_all(bytes)))
}

impl Counts {
    pub(super) fn games(&self) -> u64 {
        self.parts.values().map(|count| count.games).sum()
    }

    pub(super) fn rows(&self) -> u64 {
        self.parts.values().map(|count| count.rows).sum()
    }

    /// As they stand in `counts.json`.
    pub(super) fn json(&self, until: i64) -> Value {
        let part = |((ruleset, month), count): (&Key, &Count)| {
            json!({
                "ruleset": ruleset,
                "month": month,
                "games": count.games,
                "rows": count.rows,
                "plies": count.plies,
                "results": count.results,
                "reasons": count.reasons,
                "sources": count.sources,
            })
        };
        json!({
            "until": until,
            "games": self.games(),
            "rows": self.rows(),
            "parts": self.parts.iter().map(part).collect::<Vec<_>>(),
        })
    }
}
