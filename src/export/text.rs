//! The text formats: NDJSON in the shape of the API, CSV by columns. Every line
//! stands for itself, so a broken download goes on where it ended.

use std::io::Write;

use super::{Format, Line, Sheet, corrupt, lines};
use crate::play::PlayError;
use crate::record::Record;
use crate::record::columns::Value;

/// Writes lines of text.
pub struct Text {
    sheet: Sheet,
    json: Vec<u8>,
    csv: csv::Writer<Vec<u8>>,
}

impl Text {
    pub(super) fn new(sheet: Sheet) -> Result<Text, PlayError> {
        let mut text = Text {
            sheet,
            json: Vec::new(),
            csv: csv::Writer::from_writer(Vec::new()),
        };
        if sheet.format == Format::Csv && sheet.header {
            let columns = sheet.table.columns();
            let names = columns.iter().map(|column| column.name);
            text.csv.write_record(names).map_err(corrupt)?;
        }
        Ok(text)
    }

    pub(super) fn put(&mut self, record_no: i64, record: &Record) -> Result<(), PlayError> {
        let Sheet {
            table, all, format, ..
        } = self.sheet;
        lines(&[table], all, record_no, record, |line| match format {
            Format::Csv => fields(line, &mut self.csv),
            _ => json(line, &mut self.json),
        })
    }

    pub(super) fn take(&mut self) -> Result<Vec<u8>, PlayError> {
        if self.sheet.format != Format::Csv {
            return Ok(std::mem::take(&mut self.json));
        }
        let written = std::mem::replace(&mut self.csv, csv::Writer::from_writer(Vec::new()));
        written.into_inner().map_err(corrupt)
    }
}

/// The game or the row as the API has it, with its number in front.
fn json(line: &Line<'_, '_>, out: &mut Vec<u8>) -> Result<(), PlayError> {
    let at = match line {
        Line::Game(line) => {
            write!(out, "{{\"record_no\":{}", line.record_no).map_err(corrupt)?;
            let at = out.len();
            serde_json::to_writer(&mut *out, line.game).map_err(corrupt)?;
            at
        }
        Line::Row(line) => {
            let (number, id) = (line.record_no, line.game_id);
            write!(out, "{{\"record_no\":{number},\"game_id\":\"{id}\"").map_err(corrupt)?;
            let at = out.len();
            serde_json::to_writer(&mut *out, line.row).map_err(corrupt)?;
            at
        }
    };
    // The object goes on: its brace becomes the comma after what stands before.
    out[at] = b',';
    out.push(b'\n');
    Ok(())
}

fn fields(line: &Line<'_, '_>, csv: &mut csv::Writer<Vec<u8>>) -> Result<(), PlayError> {
    let mut values = Vec::with_capacity(40);
    line.values(&mut values);
    let mut text = Vec::with_capacity(32);
    for value in &values {
        text.clear();
        let field: &[u8] = match value {
            Value::Null => &[],
            Value::Text(text) => text.as_bytes(),
            Value::Bool(true) => b"true",
            Value::Bool(false) => b"false",
            Value::Int(number) => {
                write!(text, "{number}").map_err(corrupt)?;
                &text
            }
            Value::Time(time) => {
                write!(text, "{time}").map_err(corrupt)?;
                &text
            }
        };
        csv.write_field(field).map_err(corrupt)?;
    }
    csv.write_record(None::<&[u8]>).map_err(corrupt)
}
