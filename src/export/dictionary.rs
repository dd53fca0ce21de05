//! The data dictionary: what the columns are called, what they hold and what that
//! means, for programs and for people. All of it comes from `record/columns.rs`.

use serde_json::{Value, json};

use super::Table;
use crate::record::columns::{Column, Kind, VERSION};

impl Table {
    /// What a line of it is.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Table::Games => "A line is a finished public game.",
            Table::Rows => {
                "A line is a row of a game's log, in order: a choice, a takeback, or an end \
                 without a choice."
            }
        }
    }
}

impl Kind {
    /// In the dictionary: the type that a reader of Parquet gets.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Int32 => "int32",
            Kind::Int64 => "int64",
            Kind::Text => "string",
            Kind::Json => "json",
            Kind::Bool => "boolean",
            Kind::Time => "timestamp",
        }
    }

    /// The same in Table Schema.
    const fn in_table_schema(self) -> &'static str {
        match self {
            Kind::Int32 | Kind::Int64 => "integer",
            Kind::Text | Kind::Json => "string",
            Kind::Bool => "boolean",
            Kind::Time => "datetime",
        }
    }
}

/// A table's schema in the words of Table Schema (Frictionless Data).
#[must_use]
pub fn table_schema(table: Table) -> Value {
    let field = |column: &&'static Column| {
        let mut field = json!({
            "name": column.name,
            "type": column.kind.in_table_schema(),
            "description": column.meaning,
            "constraints": { "required": !column.nullable },
        });
        if let Some(unit) = column.unit {
            field["unit"] = unit.into();
        }
        field
    };
    let fields: Vec<Value> = table.columns().iter().map(field).collect();
    let key = match table {
        Table::Games => json!("record_no"),
        Table::Rows => json!(["record_no", "ply"]),
    };
    let mut schema = json!({ "fields": fields, "primaryKey": key });
    if table == Table::Rows {
        schema["foreignKeys"] = json!([{
            "fields": "record_no",
            "reference": { "resource": "games", "fields": "record_no" },
        }]);
    }
    schema
}

/// The dictionary as a page.
#[must_use]
pub fn page() -> String {
    let mut page = format!(
        "# Data dictionary\n\n\
         Version {VERSION} of the columns of exported games and rows. Under one version no \
         column changes its name, its type or its meaning; a column may be added after the \
         others.\n\n\
         **CSV and Parquet** have these columns. **NDJSON** has the shape of the API instead, \
         with more in it (`board`, `opening`, `status`, `to_move`); *in NDJSON* says where a \
         column's value stands there.\n\n\
         | type | Parquet | CSV | NDJSON |\n\
         |---|---|---|---|\n\
         | `int32` | INT32 | digits | number |\n\
         | `int64` | INT64 | digits | number |\n\
         | `string` | STRING, UTF-8 | text | string |\n\
         | `json` | STRING, UTF-8: JSON as text | JSON as text | the object or array itself |\n\
         | `boolean` | BOOLEAN | `true`, `false` | `true`, `false` |\n\
         | `timestamp` | TIMESTAMP in microseconds, UTC | RFC 3339 in UTC with milliseconds | as CSV |\n\n\
         A missing value is null in Parquet and NDJSON and an empty field in CSV. Houses are \
         counted from a seat's own left hand, from 1. A position is one line of text \
         ([its grammar](position.md)).\n"
    );
    for table in Table::ALL {
        page += &format!(
            "\n## {}\n\n{}\n\n\
             | column | type | unit | may be null | in NDJSON | meaning |\n\
             |---|---|---|---|---|---|\n",
            table.as_str(),
            table.meaning(),
        );
        for column in table.columns() {
            page += &format!(
                "| `{}` | `{}` | {} | {} | `{}` | {} |\n",
                column.name,
                column.kind.as_str(),
                column.unit.unwrap_or("–"),
                if column.nullable { "yes" } else { "no" },
                column.path,
                column.meaning,
            );
        }
    }
    page
}

#[cfg(test)]
mod tests {
    /// `MANCALA_BLESS=1 cargo test --lib dictionary` writes the page anew.
    #[test]
    fn the_page_in_docs_is_this_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/data-dictionary.md");
        if std::env::var_os("MANCALA_BLESS").is_some() {
            std::fs::write(path, super::page()).expect("a writable page");
        }
        let written = std::fs::read_to_string(path).expect("docs/data-dictionary.md");
        assert!(written == super::page(), "docs/data-dictionary.md differs");
    }
}
