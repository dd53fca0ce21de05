//! Exports: all games or rows that fit, streamed as lines of text or as Parquet.

use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_ENCODING};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, get, web};
use futures_util::Stream;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use utoipa::{IntoParams, ToSchema};

use super::asking::Reading;
use super::door::HeadOnly;
use super::error::{ApiError, Problem};
use super::exported::{ExportedGame, ExportedRow, ParquetFile};
use super::filters::{Filtered, Filters};
use super::log::RowsWord;
use super::params::bad;
use super::slots::Slot;
use super::{Context, accept};
use crate::export::pump::Pump;
use crate::export::{Format, Sheet, Table};
use crate::play::PlayError;
use crate::play::export::Reader;
use crate::record::columns::{self, Column};

const NDJSON: &str = "application/x-ndjson";
const CSV: &str = "text/csv";
pub(super) const PARQUET: &str = "application/vnd.apache.parquet";

/// Bytes that go out at a time.
const PIECE: usize = 64 * 1024;

/// Which part of the games, and how.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ExportQuery {
    /// The format, in place of `Accept`.
    #[param(inline)]
    format: Option<FormatWord>,
    /// Only games with a higher `record_no`. CSV then comes without the line of
    /// names, so that it goes on a file: with the `until` of a download that broke
    /// off, and its last whole game here, the lines are those that are missing.
    #[param(minimum = 0)]
    after: Option<i64>,
    /// Only games up to this `record_no`. Left out: up to the last there is.
    #[param(minimum = 0)]
    until: Option<i64>,
}

/// Which part of the rows, and how.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct RowsQuery {
    /// `all`: also the rows that were taken back, and the takebacks. Left out: the
    /// rows that led to the end.
    #[param(inline)]
    rows: Option<RowsWord>,
    /// The format, in place of `Accept`.
    #[param(inline)]
    format: Option<FormatWord>,
    /// Only rows of games with a higher `record_no`. CSV then comes without the line
    /// of names, so that it goes on a file: with the `until` of a download that broke
    /// off, and its last whole game here, the lines are those that are missing.
    #[param(minimum = 0)]
    after: Option<i64>,
    /// Only rows of games up to this `record_no`. Left out: up to the last there is.
    #[param(minimum = 0)]
    until: Option<i64>,
}

/// A format by a short name.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormatWord {
    /// A JSON object a line.
    Ndjson,
    /// A header line and a line of fields a line.
    Csv,
    /// Apache Parquet.
    Parquet,
}

/// All finished public games that fit
///
/// One line a game, in the order of `record_no`, as in `GET /v1/games/{id}` but for
/// the seats, which have pseudonyms in place of handles (a player who left has the
/// kind that they were). What is there when the export
/// begins is in it, however long it takes; the header `Mancala-Until` says up to which
/// `record_no`. The columns of CSV and Parquet: `GET /v1/export/dictionary`.
#[utoipa::path(tag = "research", operation_id = "exportGames", params(Filters, ExportQuery),
    responses(
        (status = 200, description = "The games", content(
            (ExportedGame = "application/x-ndjson"), (String = "text/csv"),
            (inline(ParquetFile) = "application/vnd.apache.parquet")),
         headers(("Mancala-Until" = i64, description = "No game has a higher `record_no`: send it back as `until` to go on after a break"),
                 ("Mancala-As-Of" = String, description = "Where a replica has answered: whatever ended some seconds before this time is in it"))),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/export/games")]
pub(crate) async fn games(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(_caller): Reading,
    Filtered(filters, query): Filtered<ExportQuery>,
) -> Result<HttpResponse, ApiError> {
    export(&request, context, Table::Games, false, &filters, &query).await
}

/// The logs of all finished public games that fit
///
/// One line a row, game after game in the order of `record_no`, as in
/// `GET /v1/games/{id}/moves` without words and sowing. Otherwise as
/// `GET /v1/export/games`.
#[utoipa::path(tag = "research", operation_id = "exportRows", params(Filters, RowsQuery),
    responses(
        (status = 200, description = "The rows", content(
            (ExportedRow = "application/x-ndjson"), (String = "text/csv"),
            (inline(ParquetFile) = "application/vnd.apache.parquet")),
         headers(("Mancala-Until" = i64, description = "No game has a higher `record_no`: send it back as `until` to go on after a break"),
                 ("Mancala-As-Of" = String, description = "Where a replica has answered: whatever ended some seconds before this time is in it"))),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/export/rows")]
pub(crate) async fn rows(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(_caller): Reading,
    Filtered(filters, query): Filtered<RowsQuery>,
) -> Result<HttpResponse, ApiError> {
    let all = query.rows.is_some();
    let query = ExportQuery {
        format: query.format,
        after: query.after,
        until: query.until,
    };
    export(&request, context, Table::Rows, all, &filters, &query).await
}

async fn export(
    request: &HttpRequest,
    context: web::Data<Context>,
    table: Table,
    all: bool,
    filters: &Filters,
    query: &ExportQuery,
) -> Result<HttpResponse, ApiError> {
    let kind = match query.format {
        None => accept::choose(request.headers(), &[NDJSON, CSV, PARQUET])?,
        Some(FormatWord::Ndjson) => NDJSON,
        Some(FormatWord::Csv) => CSV,
        Some(FormatWord::Parquet) => PARQUET,
    };
    let (format, kind, ending) = match kind {
        PARQUET => (Format::Parquet, PARQUET, "parquet"),
        CSV => (Format::Csv, "text/csv; charset=utf-8", "csv"),
        _ => (Format::Ndjson, NDJSON, "ndjson"),
    };
    for (name, number) in [("after", query.after), ("until", query.until)] {
        if number.is_some_and(|number| number < 0) {
            return Err(bad(name, "must not be below 0"));
        }
    }
    let slot = context.exports.take()?;
    let moment = context.research.moment().await?;
    let mut db = context.research.pool.acquire().await?;
    let filter = filters.read(&mut db).await?;
    let reader = Reader::new(&mut db, filter, query.after.unwrap_or(0), query.until).await?;
    drop(db);
    let name = format!("{}-{}.{ending}", table.as_str(), reader.until());
    let mut answer = HttpResponse::Ok();
    answer
        .content_type(kind)
        .insert_header(("Mancala-Until", reader.until()))
        .insert_header((
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ));
    if format == Format::Parquet {
        // Compressed by itself.
        answer.insert_header((CONTENT_ENCODING, "identity"));
    }
    if request.extensions().contains::<HeadOnly>() {
        return Ok(moment.on(answer.finish()));
    }
    let sheet = Sheet {
        table,
        format,
        all,
        header: query.after.is_none(),
    };
    let mut pump = Pump::new(reader, sheet)?;
    pump.begin(&context.research.pool).await?;
    Ok(moment.on(answer.streaming(pieces(context, pump, slot))))
}

/// A batch that was written; none: that was all.
type Batch = Result<Option<web::Bytes>, PlayError>;

/// Works ahead of the client by a batch, until it is dropped.
struct Ahead {
    batches: mpsc::Receiver<Batch>,
    task: JoinHandle<()>,
}

impl Ahead {
    fn new(pool: PgPool, mut pump: Pump) -> Ahead {
        let (ready, batches) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            loop {
                let batch = pump.next(&pool).await.map(|next| next.map(Into::into));
                let is_last = !matches!(batch, Ok(Some(_)));
                if ready.send(batch).await.is_err() || is_last {
                    return;
                }
            }
        });
        Ahead { batches, task }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // Whoever does not read any more gets nothing written any more.
        self.task.abort();
    }
}

/// What the pump brings, in pieces, as the client takes them. When the server stops,
/// or the client has kept others waiting, it breaks off, which shows as a download
/// without an end.
fn pieces(
    context: web::Data<Context>,
    pump: Pump,
    slot: Slot,
) -> impl Stream<Item = Result<web::Bytes, ApiError>> {
    let ahead = Ahead::new(context.research.pool.clone(), pump);
    let start = Some((context, ahead, slot, web::Bytes::new()));
    futures_util::stream::unfold(start, |state| async {
        let (context, mut ahead, slot, mut left) = state?;
        let broken = |cause| Some((Err(cause), None));
        if !slot.read() {
            return broken(ApiError::Unavailable);
        }
        if left.is_empty() {
            let next = tokio::select! {
                next = ahead.batches.recv() => next,
                () = context.stopping.cancelled() => return broken(ApiError::Unavailable),
            };
            // What took so long was the work, not the client.
            slot.read();
            left = match next {
                Some(Ok(next)) => next?,
                Some(Err(cause)) => {
                    tracing::error!(%cause, "an export broke off");
                    return broken(cause.into());
                }
                // It did not come to its end.
                None => return broken(ApiError::Unavailable),
            };
        }
        let piece = left.split_to(left.len().min(PIECE));
        Some((Ok(piece), Some((context, ahead, slot, left))))
    })
}

/// What the columns of exports and snapshots mean.
#[derive(Debug, Serialize, ToSchema)]
pub struct DataDictionary {
    /// Of the columns: under one version none changes its name, type or meaning.
    #[schema(minimum = 1)]
    version: u32,
    /// The tables.
    tables: Vec<DataTable>,
}

/// A table of exports and snapshots.
#[derive(Debug, Serialize, ToSchema)]
pub struct DataTable {
    /// `games` or `rows`.
    name: &'static str,
    /// What a line is.
    meaning: &'static str,
    /// The columns of CSV and Parquet, in order.
    columns: Vec<DataColumn>,
}

/// A column of a table.
#[derive(Debug, Serialize, ToSchema)]
pub struct DataColumn {
    /// In CSV and Parquet.
    name: &'static str,
    /// `int32`, `int64`, `string`, `json` (as text), `boolean` or `timestamp` (UTC, in
    /// microseconds in Parquet, RFC 3339 in CSV).
    #[serde(rename = "type")]
    kind: &'static str,
    /// What a number counts.
    unit: Option<&'static str>,
    /// Whether a value may be missing.
    nullable: bool,
    /// Where the value stands in a line of NDJSON.
    path: &'static str,
    /// What it means.
    meaning: &'static str,
}

impl DataColumn {
    fn new(column: &'static Column) -> DataColumn {
        DataColumn {
            name: column.name,
            kind: column.kind.as_str(),
            unit: column.unit,
            nullable: column.nullable,
            path: column.path,
            meaning: column.meaning,
        }
    }
}

/// The data dictionary of exports and snapshots
#[utoipa::path(tag = "research", operation_id = "getDictionary",
    responses(
        (status = 200, description = "Every column", body = DataDictionary),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/export/dictionary")]
pub(crate) async fn dictionary(Reading(_caller): Reading) -> HttpResponse {
    let table = |table: Table| DataTable {
        name: table.as_str(),
        meaning: table.meaning(),
        columns: table.columns().into_iter().map(DataColumn::new).collect(),
    };
    HttpResponse::Ok().json(DataDictionary {
        version: columns::VERSION,
        tables: Table::ALL.map(table).into(),
    })
}
