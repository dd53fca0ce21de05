//! Reading the text of a record. What it says is taken up first, loosely; then it is
//! played and written anew, and must be, letter by letter, what was read.

mod moves;

use std::fmt;

use chrono::{DateTime, Utc};
use mancala_rules::{Position, Rules, Sides, preset, presets};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::record::check::{self, Unsound};
use crate::record::time::Time;
use crate::record::{Clock, Kind, Origin, Party, Record};

/// Why a text is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadText {
    /// The line, from 1.
    pub line: u64,
    /// The character, from 1.
    pub column: usize,
    /// What is wrong.
    pub cause: String,
}

impl fmt::Display for BadText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadText {
            line,
            column,
            cause,
        } = self;
        write!(f, "line {line}, column {column}: {cause}")
    }
}

impl std::error::Error for BadText {}

/// Reads the text of one record.
///
/// # Errors
/// The first thing that is wrong, and where.
pub fn read(text: &str) -> Result<Record, BadText> {
    let mut reader = Reader {
        rest: text,
        line: 0,
        tried: Vec::new(),
        result_at: 1,
        places: Vec::new(),
    };
    let record = reader.record()?;
    let said = |Unsound { ply, cause }: Unsound| {
        let row = usize::try_from(ply).ok().and_then(|ply| ply.checked_sub(1));
        let place = row.and_then(|row| reader.places.get(row)).copied();
        let (line, column) = place.unwrap_or((reader.result_at, 1));
        BadText {
            line,
            column,
            cause,
        }
    };
    check::facts(&record).map_err(said)?;
    let mut again = String::with_capacity(text.len());
    super::write(&record, &mut again).map_err(said)?;
    if again == text {
        Ok(record)
    } else {
        Err(difference(text, &again))
    }
}

/// Where a text is not as it has to be.
fn difference(text: &str, right: &str) -> BadText {
    let (mut lines, mut right) = (text.split('\n'), right.split('\n'));
    for line in 1.. {
        let (given, expected) = (lines.next(), right.next());
        if given == expected && given.is_some() {
            continue;
        }
        if given.is_none() && expected == Some("") {
            return BadText {
                line: line - 1,
                column: text.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
                cause: "the last line has no end".into(),
            };
        }
        let (given, expected) = (given.unwrap_or_default(), expected.unwrap_or_default());
        let same = given.chars().zip(expected.chars());
        let same = same.take_while(|(one, other)| one == other).count();
        let cause = match expected.chars().nth(same) {
            None => "expected nothing more here".into(),
            Some(_) => format!("expected {}", quoted(expected)),
        };
        return BadText {
            line,
            column: same + 1,
            cause,
        };
    }
    BadText {
        line: 1,
        column: 1,
        cause: "expected a record".into(),
    }
}

/// At most 80 characters of something.
fn quoted(text: &str) -> String {
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(80).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    format!("`{short}`")
}

struct Reader<'a> {
    rest: &'a str,
    /// Of the line that was read last.
    line: u64,
    /// Headers that could have stood here.
    tried: Vec<&'static str>,
    result_at: u64,
    /// Where each row stands.
    places: Vec<(u64, usize)>,
}

impl<'a> Reader<'a> {
    fn bad(&self, column: usize, cause: impl Into<String>) -> BadText {
        BadText {
            line: self.line,
            column,
            cause: cause.into(),
        }
    }

    /// The next line without its end.
    fn peek(&self) -> Option<&'a str> {
        let line = self.rest.split('\n').next()?;
        (!self.rest.is_empty()).then_some(line)
    }

    fn step(&mut self) {
        let end = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
        self.rest = &self.rest[end..];
        self.line += 1;
    }

    /// The value of this header, if it comes next.
    fn header(&mut self, name: &'static str) -> Result<Option<String>, BadText> {
        self.tried.push(name);
        let value = self
            .peek()
            .and_then(|line| line.strip_prefix('['))
            .and_then(|line| line.strip_prefix(name))
            .and_then(|line| line.strip_prefix(" \""));
        let Some(value) = value else { return Ok(None) };
        self.step();
        self.tried.clear();
        let value = value
            .strip_suffix("\"]")
            .ok_or_else(|| self.bad(1, format!("expected `[{name} \"…\"]`")))?;
        let mut plain = String::with_capacity(value.len());
        let mut letters = value.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => plain.extend(letters.next()),
                letter => plain.push(letter),
            }
        }
        Ok(Some(plain))
    }

    /// The value of a header that has to come next.
    fn required(&mut self, name: &'static str) -> Result<String, BadText> {
        if let Some(value) = self.header(name)? {
            return Ok(value);
        }
        self.line += 1;
        let names: Vec<String> = self.tried.iter().map(|name| format!("[{name}]")).collect();
        Err(self.bad(1, format!("expected the header {}", names.join(" or "))))
    }

    fn moment(&self, value: &str) -> Result<DateTime<Utc>, BadText> {
        let whole = match value.len() {
            10 => format!("{value}T00:00:00.000Z"),
            _ => value.to_owned(),
        };
        whole.parse().map(|Time(at)| at).map_err(|_| {
            let cause = "expected a time such as 2026-11-30T10:00:00.000Z, or a day such as \
                         2026-11-30";
            self.bad(1, cause)
        })
    }

    fn record(&mut self) -> Result<Record, BadText> {
        let id = self.required("Game")?;
        let id = Uuid::try_parse(&id).map_err(|_| self.bad(1, "expected a UUID"))?;
        let (ruleset, revision, rules) = self.rules()?;
        let start = match self.header("Start")? {
            None => None,
            Some(text) => {
                let position: Result<Position, _> = text.parse();
                Some(position.map_err(|cause| self.bad(1, cause.to_string()))?)
            }
        };
        let south = self.party("South")?;
        let north = self.party("North")?;
        let clock = self.clock()?;
        let created_at = self.required("Created")?;
        let created_at = self.moment(&created_at)?;
        let started_at = match self.header("Started")? {
            Some(value) => self.moment(&value)?,
            None => created_at,
        };
        let ended_at = match self.header("Ended")? {
            Some(value) => self.moment(&value)?,
            None => started_at,
        };
        let result = self.required("Result")?;
        self.result_at = self.line;
        if result == "*" {
            return Err(self.bad(1, "the game is not over, so this is no record"));
        }
        if self.peek() != Some("") {
            self.line += 1;
            return Err(self.bad(1, "expected an empty line after the headers"));
        }
        self.step();
        let mut rows = Vec::new();
        while let Some(line) = self.peek() {
            self.step();
            self.moves(line, &mut rows)?;
        }
        Ok(Record {
            id,
            ruleset,
            revision,
            rules,
            start,
            seats: Sides { south, north },
            clock,
            created_at,
            started_at,
            ended_at,
            source: Origin::Imported,
            imported_at: None,
            rows,
        })
    }

    /// The ruleset with its revision, and all parameters.
    fn rules(&mut self) -> Result<(String, u32, Rules), BadText> {
        let ruleset = self.required("Ruleset")?;
        let parts = ruleset.split_once(' ');
        let parts = parts.and_then(|(name, revision)| Some((name, revision.parse().ok()?)));
        let (name, revision): (&str, u32) = parts.ok_or_else(|| {
            self.bad(
                1,
                "expected a ruleset and its revision, such as `congkak 1`",
            )
        })?;
        let preset = preset(name).ok_or_else(|| {
            let names: Vec<_> = presets().iter().map(|preset| preset.name).collect();
            self.bad(
                1,
                format!("there is no ruleset {}: {}", quoted(name), names.join(", ")),
            )
        })?;
        if revision != preset.revision {
            let cause = format!("ruleset {name} has no revision {revision}");
            return Err(self.bad(1, cause));
        }
        let mut overrides = Map::new();
        if let Some(text) = self.header("Rules")? {
            for part in text.split(' ') {
                let (name, value) = part.split_once('=').ok_or_else(|| {
                    self.bad(1, format!("expected name=value, not {}", quoted(part)))
                })?;
                let value = match value {
                    "null" => Value::Null,
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    value => match value.parse::<u64>() {
                        Ok(number) => number.into(),
                        Err(_) => value.into(),
                    },
                };
                overrides.insert(name.to_owned(), value);
            }
        }
        let rules = preset.rules(&overrides);
        let rules = rules.map_err(|cause| self.bad(1, cause.to_string()))?;
        Ok((name.to_owned(), revision, rules))
    }

    fn party(&mut self, name: &'static str) -> Result<Party, BadText> {
        let Some(value) = self.header(name)? else {
            return Ok(Party {
                player: None,
                kind: Kind::Anonymous,
            });
        };
        let (kind, player) = match value.split_once(' ') {
            Some((kind, player)) => (kind, Some(player.to_owned())),
            None => (&value[..], None),
        };
        let kind = Kind::of_word(kind).ok_or_else(|| {
            self.bad(
                1,
                "expected human, bot or anonymous, and then a name if there is one",
            )
        })?;
        Ok(Party { player, kind })
    }

    fn clock(&mut self) -> Result<Option<Clock>, BadText> {
        let Some(value) = self.header("Clock")? else {
            return Ok(None);
        };
        let (per_move, reserve) = match value.split_once('+') {
            Some((per_move, reserve)) => (per_move, Some(reserve)),
            None => (&value[..], None),
        };
        let clock = || {
            Some(Clock {
                per_move: per_move.parse().ok()?,
                reserve: reserve.map(str::parse).transpose().ok()?,
            })
        };
        let cause = "expected seconds for a choice, and a reserve if there is one: `86400+3600`";
        clock().map(Some).ok_or_else(|| self.bad(1, cause))
    }
}
