//! Parquet: columns by columns, in groups of rows of a bounded size, with types that
//! every reader knows (no unsigned number, nothing nested, times in microseconds).

use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;

use super::{Line, Table, corrupt, lines};
use crate::play::PlayError;
use crate::record::Record;
use crate::record::columns::{Column, Kind, VERSION, Value};

/// Lines after which a group is written.
pub const GROUP: usize = 65_536;

/// What wrote the file, in the form that readers expect.
const CREATED_BY: &str = concat!("mancala-post version ", env!("CARGO_PKG_VERSION"));

/// Writes a Parquet file.
pub struct Parquet {
    table: Table,
    all: bool,
    file: SerializedFileWriter<Vec<u8>>,
    columns: Vec<Waiting>,
    /// Lines that wait to become a group.
    waiting: usize,
}

/// The values of a column that wait to become a group.
struct Waiting {
    column: &'static Column,
    values: Values,
    /// Of a column that may be null, a level a line: 0 is null.
    levels: Vec<i16>,
}

enum Values {
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Bool(Vec<bool>),
    Text(Vec<ByteArray>),
}

impl Parquet {
    /// For a table. `all`: also rows that were taken back.
    pub fn new(table: Table, all: bool) -> Result<Parquet, PlayError> {
        let level = ZstdLevel::try_new(3).map_err(corrupt)?;
        let about = [
            ("mancala_post.table", table.as_str().to_owned()),
            ("mancala_post.columns", VERSION.to_string()),
        ];
        let about = about.map(|(key, value)| KeyValue::new(key.to_owned(), value));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(CREATED_BY.into())
            .set_key_value_metadata(Some(about.into()))
            .build();
        let schema = Arc::new(schema(table).map_err(corrupt)?);
        let file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties));
        Ok(Parquet {
            table,
            all,
            file: file.map_err(corrupt)?,
            columns: table.columns().into_iter().map(Waiting::new).collect(),
            waiting: 0,
        })
    }

    /// Writes a record.
    pub fn put(&mut self, record_no: i64, record: &Record) -> Result<(), PlayError> {
        lines(&[self.table], self.all, record_no, record, |line| {
            self.push(line)
        })?;
        self.settle()
    }

    /// Takes a line of its table.
    pub(super) fn push(&mut self, line: &Line<'_, '_>) -> Result<(), PlayError> {
        let mut values = Vec::with_capacity(self.columns.len());
        line.values(&mut values);
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(value)?;
        }
        self.waiting += 1;
        Ok(())
    }

    /// Writes a group if one is full: after a whole record, so that it depends on the
    /// records alone.
    pub(super) fn settle(&mut self) -> Result<(), PlayError> {
        match self.waiting >= GROUP {
            true => self.group(),
            false => Ok(()),
        }
    }

    /// Lines that no group has yet.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Writes what waits as a group.
    pub fn group(&mut self) -> Result<(), PlayError> {
        if self.waiting == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group().map_err(corrupt)?;
        for column in &mut self.columns {
            let writer = group.next_column().map_err(corrupt)?;
            let writer = writer.ok_or_else(|| corrupt("a column is missing"))?;
            column.write(writer).map_err(corrupt)?;
        }
        group.close().map_err(corrupt)?;
        self.waiting = 0;
        Ok(())
    }

    /// What was written since it was last taken.
    pub fn take(&mut self) -> Result<Vec<u8>, PlayError> {
        self.file.flush().map_err(corrupt)?;
        // The file counts its bytes itself: it does not mind that they go.
        Ok(std::mem::take(self.file.inner_mut()))
    }

    /// The rest, with the file's own directory.
    pub fn finish(mut self) -> Result<Vec<u8>, PlayError> {
        self.group()?;
        self.file.finish().map_err(corrupt)?;
        self.take()
    }
}

/// The schema of a table.
fn schema(table: Table) -> Result<Type, ParquetError> {
    let columns = table.columns();
    let fields = columns.iter().map(|column| {
        let repetition = match column.nullable {
            true => "OPTIONAL",
            false => "REQUIRED",
        };
        let (physical, logical) = match column.kind {
            Kind::Int32 => ("INT32", ""),
            Kind::Int64 => ("INT64", ""),
            // JSON is text like any other: not every reader knows more of it.
            Kind::Text | Kind::Json => ("BYTE_ARRAY", " (STRING)"),
            Kind::Bool => ("BOOLEAN", ""),
            Kind::Time => ("INT64", " (TIMESTAMP(MICROS,true))"),
        };
        format!("{repetition} {physical} {}{logical};\n", column.name)
    });
    let fields: String = fields.collect();
    parse_message_type(&format!("message {} {{\n{fields}}}", table.as_str()))
}

impl Waiting {
    fn new(column: &'static Column) -> Waiting {
        Waiting {
            column,
            values: match column.kind {
                Kind::Int32 => Values::Int32(Vec::new()),
                Kind::Int64 | Kind::Time => Values::Int64(Vec::new()),
                Kind::Bool => Values::Bool(Vec::new()),
                Kind::Text | Kind::Json => Values::Text(Vec::new()),
            },
            levels: Vec::new(),
        }
    }

    fn push(&mut self, value: Value<'_>) -> Result<(), PlayError> {
        let is_null = value == Value::Null;
        match (&mut self.values, value) {
            (_, Value::Null) if self.column.nullable => {}
            (Values::Int32(values), Value::Int(number)) => {
                values.push(i32::try_from(number).map_err(corrupt)?);
            }
            (Values::Int64(values), Value::Int(number)) => values.push(number),
            (Values::Int64(values), Value::Time(time)) => values.push(time.0.timestamp_micros()),
            (Values::Bool(values), Value::Bool(value)) => values.push(value),
            (Values::Text(values), Value::Text(text)) => {
                // Many columns say the same again and again: it is kept once.
                let last = values.last().filter(|last| last.data() == text.as_bytes());
                values.push(match last {
                    Some(last) => last.clone(),
                    None => text.as_ref().into(),
                });
            }
            (_, value) => {
                let name = self.column.name;
                return Err(corrupt(format!("column {name} cannot be {value:?}")));
            }
        }
        if self.column.nullable {
            self.levels.push(i16::from(!is_null));
        }
        Ok(())
    }

    fn write(&mut self, mut writer: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        fn all<T: DataType>(
            values: &mut Vec<T::T>,
            levels: Option<&[i16]>,
            writer: &mut SerializedColumnWriter<'_>,
        ) -> Result<(), ParquetError> {
            // Gone, not kept for the next group: a data set writes many files at a time.
            let values = std::mem::take(values);
            writer.typed::<T>().write_batch(&values, levels, None)?;
            Ok(())
        }
        let levels = self.column.nullable.then_some(&*self.levels);
        match &mut self.values {
            Values::Int32(values) => all::<Int32Type>(values, levels, &mut writer),
            Values::Int64(values) => all::<Int64Type>(values, levels, &mut writer),
            Values::Bool(values) => all::<BoolType>(values, levels, &mut writer),
            Values::Text(values) => all::<ByteArrayType>(values, levels, &mut writer),
        }?;
        self.levels = Vec::new();
        writer.close()
    }
}
