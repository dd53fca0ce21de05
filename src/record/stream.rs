//! Files of many records, as lines of JSON or as texts: writing one after the other,
//! and taking a file apart, in bounded memory whatever is in it.

use std::io::{BufRead, Result};

use super::{Record, json, text};

/// The most bytes of one record. A game of a hundred thousand plies has fewer.
pub const MOST_BYTES: usize = 64 << 20;

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A line of JSON each.
    Ndjson,
    /// A text each, with an empty line behind it.
    Text,
}

impl Format {
    /// Appends a record as it stands in a file.
    ///
    /// # Errors
    /// When it cannot be played, or has no result.
    pub fn write(self, record: &Record, bytes: &mut Vec<u8>) -> std::result::Result<(), String> {
        match self {
            Format::Ndjson => json::write(record, bytes)?,
            Format::Text => {
                let mut written = String::new();
                text::write(record, &mut written).map_err(|cause| cause.to_string())?;
                bytes.extend_from_slice(written.as_bytes());
            }
        }
        bytes.push(b'\n');
        Ok(())
    }
}

/// What stands in a file where a record should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its first line, from 1.
    pub line: u64,
    /// Of which form it is.
    pub format: Format,
    /// Its bytes; none: they are more than a record can have.
    pub bytes: Option<Vec<u8>>,
}

impl Piece {
    /// The record in it.
    ///
    /// # Errors
    /// The line where something is wrong, and what.
    pub fn read(&self) -> std::result::Result<Record, (u64, String)> {
        let here = |cause: String| (self.line, cause);
        let Some(bytes) = &self.bytes else {
            return Err(here(format!("a record has at most {MOST_BYTES} bytes")));
        };
        let given = str::from_utf8(bytes).map_err(|_| here("it is not UTF-8".into()))?;
        match self.format {
            Format::Ndjson => json::read(given).map_err(here),
            Format::Text => text::read(given).map_err(|bad| {
                let cause = format!("column {}: {}", bad.column, bad.cause);
                (self.line + bad.line - 1, cause)
            }),
        }
    }
}

/// Takes a file apart. Lines may end in CR LF, records may have any number of empty
/// lines between them, the last line may be without an end.
pub struct Pieces<R> {
    input: R,
    most: usize,
    format: Option<Format>,
    /// Of the line that was read last.
    line: u64,
    /// The first line of the next text, which has been read already.
    waiting: Option<Vec<u8>>,
}

impl<R: BufRead> Pieces<R> {
    /// Reads from `input`; what has more than `most` bytes is too long.
    pub fn new(input: R, most: usize) -> Pieces<R> {
        Pieces {
            input,
            most,
            format: None,
            line: 0,
            waiting: None,
        }
    }

    /// The next one. The first tells of which form all are.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn next_piece(&mut self) -> Result<Option<Piece>> {
        let first = match self.waiting.take() {
            Some(line) => Some(Some(line)),
            None => self.next_filled()?,
        };
        let Some(first) = first else { return Ok(None) };
        let line = self.line;
        let is_json = first.as_deref().is_none_or(|first| first.starts_with(b"{"));
        let format = *self.format.get_or_insert(match is_json {
            true => Format::Ndjson,
            false => Format::Text,
        });
        let bytes = match format {
            Format::Ndjson => first,
            Format::Text => self.text(first)?,
        };
        Ok(Some(Piece {
            line,
            format,
            bytes,
        }))
    }

    /// What follows `first` up to the next text's beginning.
    fn text(&mut self, first: Option<Vec<u8>>) -> Result<Option<Vec<u8>>> {
        let mut text = first.map(|mut first| {
            first.push(b'\n');
            first
        });
        let mut empty = 0;
        while let Some(line) = self.next_line()? {
            match line {
                Some(line) if line.starts_with(text::FIRST.as_bytes()) => {
                    self.waiting = Some(line);
                    break;
                }
                Some(line) if line.is_empty() => empty += 1,
                line => {
                    text = match (text, line) {
                        (Some(mut text), Some(line))
                            if text.len() + empty + line.len() < self.most =>
                        {
                            text.resize(text.len() + empty, b'\n');
                            text.extend_from_slice(&line);
                            text.push(b'\n');
                            Some(text)
                        }
                        // Passed by up to the next one.
                        _ => None,
                    };
                    empty = 0;
                }
            }
        }
        Ok(text)
    }

    /// The next line that is not empty.
    fn next_filled(&mut self) -> Result<Option<Option<Vec<u8>>>> {
        loop {
            match self.next_line()? {
                Some(Some(line)) if line.is_empty() => {}
                line => return Ok(line),
            }
        }
    }

    /// The next line without its end; of one that is too long nothing is kept.
    fn next_line(&mut self) -> Result<Option<Option<Vec<u8>>>> {
        let (mut line, mut any, mut kept) = (Vec::new(), false, true);
        loop {
            let part = self.input.fill_buf()?;
            if part.is_empty() {
                break;
            }
            any = true;
            let end = part.iter().position(|byte| *byte == b'\n');
            let upto = end.unwrap_or(part.len());
            if line.len() + upto > self.most {
                kept = false;
                line = Vec::new();
            }
            if kept {
                line.extend_from_slice(&part[..upto]);
            }
            self.input.consume(end.map_or(upto, |end| end + 1));
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.line += 1;
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(Some(kept.then_some(line)))
    }
}

#[cfg(test)]
mod tests;
