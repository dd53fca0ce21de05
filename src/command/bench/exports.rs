//! Exports over HTTP against PostgreSQL's `copy` of the very same rows.

use std::time::Instant;

use futures_util::TryStreamExt;
use sqlx::{AssertSqlSafe, PgConnection};

use super::client::Client;
use crate::export::Table;
use crate::record::columns::{Column, Kind};

type Failed = Box<dyn std::error::Error>;

/// Times that each is measured; the best counts.
const TURNS: usize = 3;
/// What the server is asked for.
const ROWS: &str = "/v1/export/rows?format=";

/// How fast rows came out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exported {
    /// What brought them.
    pub name: &'static str,
    /// Of the fastest turn.
    pub seconds: f64,
    /// In all.
    pub bytes: u64,
}

/// All rows of a database in each format and, first, by `copy`; how many rows there
/// are.
pub(super) async fn measure(
    db: &mut PgConnection,
    client: &mut Client,
) -> Result<(i64, Vec<Exported>), Failed> {
    let rows = lay_down(db, client).await?;
    let names = ["copy", "ndjson", "csv", "parquet"];
    let mut found = names.map(|name| Exported {
        name,
        seconds: f64::INFINITY,
        bytes: 0,
    });
    for _ in 0..TURNS {
        for one in &mut found {
            let began = Instant::now();
            one.bytes = match one.name {
                "copy" => copy(db).await?,
                format => {
                    let path = format!("{ROWS}{format}");
                    client
                        .read(&path)
                        .await
                        .map_err(|cause| cause.to_string())?
                }
            };
            one.seconds = one.seconds.min(began.elapsed().as_secs_f64());
        }
    }
    sqlx::raw_sql("drop table exported").execute(db).await?;
    Ok((rows, found.to_vec()))
}

/// Makes a plain table of what is exported.
async fn lay_down(db: &mut PgConnection, client: &mut Client) -> Result<i64, Failed> {
    let columns: Vec<String> = Table::Rows.columns().into_iter().map(column).collect();
    let make = format!("create table exported ({})", columns.join(", "));
    sqlx::raw_sql(AssertSqlSafe(make)).execute(&mut *db).await?;
    let lines = client.get(&format!("{ROWS}csv")).await;
    let lines = lines.map_err(|cause| cause.to_string())?;
    let copy = "copy exported from stdin with (format csv, header)";
    let mut into = db.copy_in_raw(copy).await?;
    into.send(&lines[..]).await?;
    into.finish().await?;
    sqlx::raw_sql("vacuum analyze exported")
        .execute(&mut *db)
        .await?;
    let count = sqlx::query_scalar("select count(*) from exported");
    Ok(count.fetch_one(db).await?)
}

fn column(column: &Column) -> String {
    let kind = match column.kind {
        Kind::Int32 => "integer",
        Kind::Int64 => "bigint",
        Kind::Text | Kind::Json => "text",
        Kind::Bool => "boolean",
        Kind::Time => "timestamptz",
    };
    format!("\"{}\" {kind}", column.name)
}

/// Reads them all, and keeps none.
async fn copy(db: &mut PgConnection) -> Result<u64, Failed> {
    let mut stream = db.copy_out_raw("copy exported to stdout").await?;
    let mut read = 0;
    while let Some(piece) = stream.try_next().await? {
        read += piece.len() as u64;
    }
    Ok(read)
}
