//! The moves in the text of a record, line by line.

use mancala_rules::Seat;

use super::{BadText, Reader};
use crate::record::text::usual_source;
use crate::record::time::Time;
use crate::record::{EndReason, Entry, Source, What};

impl Reader<'_> {
    /// One line of the moves.
    pub(super) fn moves(&mut self, line: &str, rows: &mut Vec<Entry>) -> Result<(), BadText> {
        if line.starts_with("round ") {
            return Ok(());
        }
        let mut cursor = Cursor {
            line,
            at: 0,
            characters: 0,
        };
        if line.starts_with(|letter: char| letter.is_ascii_digit()) {
            cursor.number();
            if !cursor.eat(".") {
                return Err(self.bad(cursor.column(), "expected `.` after the turn"));
            }
            while cursor.eat(" ") || cursor.eat("+") {
                let column = cursor.column();
                let seat = cursor.seat();
                let house = cursor.number().and_then(|house| u8::try_from(house).ok());
                let (Some(seat), Some(house)) = (seat, house) else {
                    return Err(self.bad(column, "expected a choice such as S5 or N3"));
                };
                self.row(&mut cursor, column, What::Sow { seat, house }, rows)?;
            }
        } else {
            let seat = cursor.seat();
            if seat.is_some() {
                cursor.eat(" ");
            }
            let word = cursor.word();
            let what = match (word, seat, EndReason::of_word(word)) {
                ("takeback", Some(seat), _) if cursor.eat(" ") => cursor
                    .number()
                    .and_then(|to_ply| u32::try_from(to_ply).ok())
                    .map(|to_ply| What::Takeback { seat, to_ply }),
                (_, by, Some(reason)) => Some(What::End { reason, by }),
                _ => None,
            };
            let Some(what) = what else {
                let cause = "expected a turn such as `3. S2 S5`, `round 2`, `S takeback 4`, \
                             `S resignation`, `S timeout`, `agreement` or `loop`";
                return Err(self.bad(1, cause));
            };
            self.row(&mut cursor, 1, what, rows)?;
        }
        if cursor.rest().is_empty() {
            Ok(())
        } else {
            let cause = "expected one space and a choice, or the line's end";
            Err(self.bad(cursor.column(), cause))
        }
    }

    /// A row with what stands in braces behind it.
    fn row(
        &mut self,
        cursor: &mut Cursor<'_>,
        column: usize,
        what: What,
        rows: &mut Vec<Entry>,
    ) -> Result<(), BadText> {
        let mut entry = Entry {
            what,
            source: usual_source(what),
            elapsed_ms: None,
            played_at: None,
        };
        if cursor.eat("{") {
            let inside = cursor
                .until('}')
                .ok_or_else(|| self.bad(cursor.column(), "expected `}` before the line's end"))?;
            for part in inside.split(' ') {
                if let Some(elapsed) = part.strip_suffix("ms").and_then(|ms| ms.parse().ok()) {
                    entry.elapsed_ms = Some(elapsed);
                } else if let Ok(Time(at)) = part.parse() {
                    entry.played_at = Some(at);
                } else if let Some(source) = Source::of_word(part) {
                    entry.source = source;
                } else {
                    let cause = "expected milliseconds such as 512ms, a time such as \
                                 2026-11-30T10:00:00.000Z, or player, server or conditional";
                    return Err(self.bad(cursor.column(), cause));
                }
            }
        }
        self.places.push((self.line, column));
        rows.push(entry);
        Ok(())
    }
}

/// A place in a line.
struct Cursor<'a> {
    line: &'a str,
    at: usize,
    /// Before it, counted on the way: a line may have millions.
    characters: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    /// In characters, from 1.
    fn column(&self) -> usize {
        self.characters + 1
    }

    fn pass(&mut self, bytes: usize) {
        self.characters += self.line[self.at..self.at + bytes].chars().count();
        self.at += bytes;
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.pass(if found { text.len() } else { 0 });
        found
    }

    fn seat(&mut self) -> Option<Seat> {
        if self.eat("S") {
            Some(Seat::South)
        } else if self.eat("N") {
            Some(Seat::North)
        } else {
            None
        }
    }

    fn number(&mut self) -> Option<u64> {
        self.take(|letter| letter.is_ascii_digit()).parse().ok()
    }

    fn word(&mut self) -> &'a str {
        self.take(|letter| letter.is_ascii_lowercase())
    }

    fn take(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|letter| !fits(letter)).unwrap_or(rest.len());
        self.pass(end);
        &rest[..end]
    }

    /// What stands before this letter, which is passed by.
    fn until(&mut self, letter: char) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.find(letter)?;
        self.pass(end + letter.len_utf8());
        Some(&rest[..end])
    }
}
