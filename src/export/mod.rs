//! Games and rows written out for research: lines of text, Parquet, data sets. What
//! HTTP streams and what the command line writes are the same bytes.
//!
//! In reading order: an [`Encoder`] writes records in one [`Format`] ([`text`],
//! [`parquet`]), a [`Pump`](pump::Pump) feeds it batch by batch, [`snapshot`] writes
//! whole data sets, [`dictionary`] says what the columns mean.

pub mod dictionary;
pub mod parquet;
pub mod pump;
pub mod snapshot;
pub mod text;

use uuid::fmt::Hyphenated;

use crate::play::PlayError;
use crate::record::columns::{Column, GAMES, GameLine, ROWS, RowLine, Value};
use crate::record::index::numbered;
use crate::record::json::Game;
use crate::record::replay::{self, Traces};
use crate::record::rows::{Row, played};
use crate::record::{Record, columns};

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// A game.
    Games,
    /// A row of a game's log.
    Rows,
}

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object a line, in the shape of the API.
    Ndjson,
    /// A line of fields a line.
    Csv,
    /// Apache Parquet.
    Parquet,
}

/// What is written, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sheet {
    /// What a line is about.
    pub table: Table,
    /// How it is written.
    pub format: Format,
    /// Of rows: also what was taken back, and the takebacks.
    pub all: bool,
    /// Whether CSV begins with the names of the columns.
    pub header: bool,
}

impl Table {
    /// Both.
    pub const ALL: [Table; 2] = [Table::Games, Table::Rows];

    /// Its name in paths and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Table::Games => "games",
            Table::Rows => "rows",
        }
    }

    /// Its columns.
    #[must_use]
    pub fn columns(self) -> Vec<&'static Column> {
        match self {
            Table::Games => GAMES.iter().map(|one| &one.column).collect(),
            Table::Rows => ROWS.iter().map(|one| &one.column).collect(),
        }
    }

    /// The table of that name.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Table> {
        Table::ALL.into_iter().find(|table| table.as_str() == word)
    }
}

/// A line that is to be written.
pub(crate) enum Line<'l, 'a> {
    /// Of games.
    Game(GameLine<'l, 'a>),
    /// Of rows.
    Row(RowLine<'l, 'a>),
}

impl<'l> Line<'l, '_> {
    /// The values of its columns, in place of those before.
    pub(crate) fn values<'v>(&'v self, into: &mut Vec<Value<'v>>)
    where
        'l: 'v,
    {
        into.clear();
        match self {
            Line::Game(line) => into.extend(columns::GAMES.iter().map(|one| (one.of)(line))),
            Line::Row(line) => into.extend(columns::ROWS.iter().map(|one| (one.of)(line))),
        }
    }
}

/// Shows the lines that a record has in these tables, the game's first. It is played
/// once.
pub(crate) fn lines(
    tables: &[Table],
    all: bool,
    record_no: i64,
    record: &Record,
    mut see: impl FnMut(&Line<'_, '_>) -> Result<(), PlayError>,
) -> Result<(), PlayError> {
    let bad = |cause: &dyn std::fmt::Display| corrupt(format!("game {}: {cause}", record.id));
    let (rows, end) = match tables.contains(&Table::Rows) {
        true => played(record).map_err(|cause| bad(&cause))?,
        false => {
            let first = record.first().map_err(|cause| bad(&cause))?;
            let end = replay::run(first, &numbered(record), Traces::Left, |_| {});
            (Vec::new(), end.map_err(|cause| bad(&cause))?)
        }
    };
    if tables.contains(&Table::Games) {
        let game = Game::of(record, &end).ok_or_else(|| bad(&"has no result"))?;
        let game = &game;
        see(&Line::Game(GameLine { record_no, game }))?;
    }
    let mut id = [0; Hyphenated::LENGTH];
    let game_id = &*record.id.hyphenated().encode_lower(&mut id);
    let left_out = |row: &Row<'_>| match row {
        Row::Sow(row) => row.taken_back,
        Row::Takeback(_) => true,
        Row::End(_) => false,
    };
    for row in rows.iter().filter(|row| all || !left_out(row)) {
        see(&Line::Row(RowLine {
            record_no,
            game_id,
            row,
        }))?;
    }
    Ok(())
}

fn corrupt(cause: impl std::fmt::Display) -> PlayError {
    PlayError::Corrupt(cause.to_string())
}

/// Writes records. Whoever has it takes what was written so far, so that it holds no
/// more than a few batches at any time.
pub enum Encoder {
    /// NDJSON and CSV.
    Text(Box<text::Text>),
    /// Parquet.
    Parquet(Box<parquet::Parquet>),
}

impl Encoder {
    /// For a sheet.
    pub fn new(sheet: Sheet) -> Result<Encoder, PlayError> {
        Ok(match sheet.format {
            Format::Parquet => {
                Encoder::Parquet(Box::new(parquet::Parquet::new(sheet.table, sheet.all)?))
            }
            Format::Ndjson | Format::Csv => Encoder::Text(Box::new(text::Text::new(sheet)?)),
        })
    }

    /// Writes a record.
    pub fn put(&mut self, record_no: i64, record: &Record) -> Result<(), PlayError> {
        match self {
            Encoder::Text(text) => text.put(record_no, record),
            Encoder::Parquet(parquet) => parquet.put(record_no, record),
        }
    }

    /// What was written since it was last taken.
    pub fn take(&mut self) -> Result<Vec<u8>, PlayError> {
        match self {
            Encoder::Text(text) => text.take(),
            Encoder::Parquet(parquet) => parquet.take(),
        }
    }

    /// The rest.
    pub fn finish(self) -> Result<Vec<u8>, PlayError> {
        match self {
            Encoder::Text(mut text) => text.take(),
            Encoder::Parquet(parquet) => parquet.finish(),
        }
    }
}
