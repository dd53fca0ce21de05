//! Data sets: what there are, and their files, whole or in part.

use std::io::SeekFrom;
use std::path::PathBuf;

use actix_web::body::SizedStream;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_RANGE, HttpDate, IF_RANGE,
    LAST_MODIFIED, RANGE,
};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, get, web};
use futures_util::stream;
use http_range::{HttpRange, HttpRangeParseError};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio_util::io::ReaderStream;
use utoipa::ToSchema;

use super::Context;
use super::asking::Reading;
use super::caching::Tag;
use super::door::HeadOnly;
use super::error::{ApiError, Problem};
use super::export::PARQUET;
use super::exported::ParquetFile;
use super::time::Time;
use crate::export::snapshot::shelf::{self, Listed, Snapshot};

/// Bytes that are read of a file at a time.
const PIECE: usize = 64 * 1024;

/// The data sets of this server.
#[derive(Debug, Serialize, ToSchema)]
pub struct SnapshotList {
    /// The latest cut-off first.
    items: Vec<SnapshotState>,
}

/// A data set: all finished public games up to a cut-off. It never changes.
#[derive(Debug, Serialize, ToSchema)]
pub struct SnapshotState {
    /// Of the cut-off and of the program that wrote it.
    #[schema(example = "000123456-0.1.0")]
    name: String,
    /// The highest `record_no` that may be in it.
    #[schema(minimum = 1)]
    until: i64,
    /// The version of the columns.
    #[schema(minimum = 1)]
    columns: u32,
    /// Games in it.
    #[schema(minimum = 0)]
    games: u64,
    /// Rows of their logs.
    #[schema(minimum = 0)]
    rows: u64,
    /// Of all files together.
    #[schema(minimum = 0)]
    bytes: u64,
    /// An identifier of SPDX.
    #[schema(example = "CC0-1.0")]
    license: Option<String>,
    /// When it was written.
    written_at: Option<Time>,
    /// Its files.
    files: Vec<SnapshotFile>,
}

/// A file of a data set.
#[derive(Debug, Serialize, ToSchema)]
pub struct SnapshotFile {
    /// In the data set.
    #[schema(example = "games/congkak/2026-11.parquet")]
    path: String,
    /// Where it is.
    #[schema(format = "uri")]
    url: String,
    /// Its size.
    #[schema(minimum = 0)]
    bytes: u64,
    /// Of its content; null for `SHA256SUMS` itself.
    sha256: Option<String>,
}

impl SnapshotState {
    fn new(snapshot: Snapshot, public_url: &str) -> SnapshotState {
        let base = format!("{public_url}/v1/snapshots/{}", snapshot.name);
        let file = |file: Listed| SnapshotFile {
            url: format!("{base}/{}", file.path),
            path: file.path,
            bytes: file.bytes,
            sha256: file.sha256,
        };
        SnapshotState {
            name: snapshot.name,
            until: snapshot.until,
            columns: snapshot.columns,
            games: snapshot.games,
            rows: snapshot.rows,
            bytes: snapshot.files.iter().map(|file| file.bytes).sum(),
            license: snapshot.license,
            written_at: snapshot.written.map(Time),
            files: snapshot.files.into_iter().map(file).collect(),
        }
    }
}

/// Looks at the shelf on a thread of its own.
async fn look<T: Send + 'static>(
    context: &Context,
    look: impl FnOnce(PathBuf) -> Result<T, crate::export::snapshot::Failed> + Send + 'static,
) -> Result<Option<T>, ApiError> {
    let Some(dir) = context.snapshots.clone() else {
        return Ok(None);
    };
    let internal = |cause: &dyn std::fmt::Display| ApiError::Internal(cause.to_string());
    let found = web::block(move || look(dir)).await;
    let found = found.map_err(|cause| internal(&cause))?;
    found.map(Some).map_err(|cause| internal(&cause))
}

/// Data sets of all finished public games
///
/// Parquet by ruleset and month, with a data dictionary and all that belongs to it. The
/// operator decides when they are written.
#[utoipa::path(tag = "research", operation_id = "listSnapshots",
    responses(
        (status = 200, description = "All of them", body = SnapshotList),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/snapshots")]
pub(crate) async fn list(
    context: web::Data<Context>,
    Reading(_caller): Reading,
) -> Result<HttpResponse, ApiError> {
    let found = look(&context, |dir| shelf::all(&dir)).await?;
    let state = |snapshot| SnapshotState::new(snapshot, &context.public_url);
    Ok(HttpResponse::Ok().json(SnapshotList {
        items: found.unwrap_or_default().into_iter().map(state).collect(),
    }))
}

/// A file of a data set
///
/// Takes `Range` (one range) and `If-Range`; the `ETag` is the file's SHA-256. A file
/// never changes.
#[utoipa::path(tag = "research", operation_id = "getSnapshotFile",
    params(
        ("name" = String, Path, description = "The data set"),
        ("file" = String, Path, description = "The file", example = "README.md")),
    responses(
        (status = 200, description = "The file", content(
            (String = "text/plain"), (String = "text/markdown"), (Object = "application/json"))),
        (status = 206, description = "The part that `Range` names", content(
            (String = "text/plain"), (String = "text/markdown"), (String = "application/json"))),
        (status = 304, description = "The client has it: `If-None-Match` named its `ETag`"),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`", body = Problem, content_type = "application/problem+json"),
        (status = 416, description = "`range_not_satisfiable`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/snapshots/{name}/{file}")]
pub(crate) async fn show_file(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(_caller): Reading,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, ApiError> {
    let (name, file) = path.into_inner();
    serve(&request, &context, name, file).await
}

/// Which table of a data set.
#[derive(Debug, Deserialize)]
pub(crate) struct TablePath {
    name: String,
    table: String,
    ruleset: String,
    file: String,
}

/// A table of a data set
///
/// As any other file, see `GET /v1/snapshots/{name}/{file}`.
#[utoipa::path(tag = "research", operation_id = "getSnapshotTable",
    params(
        ("name" = String, Path, description = "The data set"),
        ("table" = String, Path, description = "`games` or `rows`", example = "games"),
        ("ruleset" = String, Path, description = "The preset", example = "congkak"),
        ("file" = String, Path, description = "The month", example = "2026-11.parquet")),
    responses(
        (status = 200, description = "The file", body = inline(ParquetFile), content_type = "application/vnd.apache.parquet"),
        (status = 206, description = "The part that `Range` names", body = inline(ParquetFile), content_type = "application/vnd.apache.parquet"),
        (status = 304, description = "The client has it: `If-None-Match` named its `ETag`"),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`", body = Problem, content_type = "application/problem+json"),
        (status = 416, description = "`range_not_satisfiable`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/snapshots/{name}/{table}/{ruleset}/{file}")]
pub(crate) async fn show_table(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(_caller): Reading,
    path: web::Path<TablePath>,
) -> Result<HttpResponse, ApiError> {
    let path = path.into_inner();
    let file = format!("{}/{}/{}", path.table, path.ruleset, path.file);
    serve(&request, &context, path.name, file).await
}

/// Which part of a file is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    start: u64,
    length: u64,
}

async fn serve(
    request: &HttpRequest,
    context: &Context,
    name: String,
    path: String,
) -> Result<HttpResponse, ApiError> {
    // Only names that the data set itself lists lead to a file.
    let found = look(context, move |dir| {
        let snapshot = shelf::find(&dir, &name)?;
        Ok(snapshot.and_then(|snapshot| {
            let listed = snapshot.files.into_iter().find(|file| file.path == path)?;
            Some((snapshot.dir.join(&listed.path), listed, snapshot.written))
        }))
    });
    let (path, listed, written) = found.await?.flatten().ok_or(ApiError::NotFound)?;
    let sum = listed.sha256.unwrap_or_else(|| listed.bytes.to_string());
    let tag = Tag::of_bytes(&sum);
    let modified = written.map(|at| HttpDate::from(std::time::SystemTime::from(at)));
    let keep = |mut answer: HttpResponse| {
        let headers = answer.headers_mut();
        if let Ok(value) = "public, max-age=31536000, immutable".parse() {
            headers.insert(CACHE_CONTROL, value);
        }
        tag.on(answer)
    };
    if let Some(known) = tag.known(request) {
        return Ok(keep(known));
    }
    let part = part(request, listed.bytes, &sum, modified)?;
    let kind = match listed.path.rsplit_once('.') {
        Some((_, "parquet")) => PARQUET,
        Some((_, "json")) => "application/json",
        Some((_, "md")) => "text/markdown; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    };
    let mut answer = HttpResponse::Ok();
    answer
        .content_type(kind)
        .insert_header((ACCEPT_RANGES, "bytes"))
        // What the tag and the range name are these very bytes.
        .insert_header((CONTENT_ENCODING, "identity"));
    if let Some(modified) = modified {
        answer.insert_header((LAST_MODIFIED, modified));
    }
    let whole = Part {
        start: 0,
        length: listed.bytes,
    };
    if let Some(Part { start, length }) = part {
        let range = format!("bytes {start}-{}/{}", start + length - 1, listed.bytes);
        answer
            .status(StatusCode::PARTIAL_CONTENT)
            .insert_header((CONTENT_RANGE, range));
    }
    let Part { start, length } = part.unwrap_or(whole);
    if request.extensions().contains::<HeadOnly>() {
        let nothing = stream::empty::<Result<web::Bytes, std::io::Error>>();
        return Ok(keep(answer.body(SizedStream::new(length, nothing))));
    }
    let internal = |cause| ApiError::Internal(format!("{}: {cause}", path.display()));
    let mut file = tokio::fs::File::open(&path).await.map_err(internal)?;
    file.seek(SeekFrom::Start(start)).await.map_err(internal)?;
    let pieces = ReaderStream::with_capacity(file.take(length), PIECE);
    Ok(keep(answer.body(SizedStream::new(length, pieces))))
}

/// The part of a file of so many bytes that is asked for; none: all of it.
fn part(
    request: &HttpRequest,
    bytes: u64,
    sum: &str,
    modified: Option<HttpDate>,
) -> Result<Option<Part>, ApiError> {
    let header = |name| request.headers().get(name).map(|value| value.as_bytes());
    let Some(range) = header(RANGE) else {
        return Ok(None);
    };
    // Whoever has a part of another file gets all of this one.
    let same = header(IF_RANGE).is_none_or(|known| {
        let modified = modified.map(|at| at.to_string());
        known == format!("\"{sum}\"").as_bytes()
            || modified.is_some_and(|at| known == at.as_bytes())
    });
    if !same {
        return Ok(None);
    }
    match HttpRange::parse_bytes(range, bytes) {
        // Several ranges, and what is no range at all: all of it, as may be.
        Ok(ranges) => Ok(match ranges.as_slice() {
            [HttpRange { start, length }] => Some(Part {
                start: *start,
                length: *length,
            }),
            _ => None,
        }),
        Err(HttpRangeParseError::InvalidRange) => Ok(None),
        Err(HttpRangeParseError::NoOverlap) => Err(ApiError::RangeNotSatisfiable(bytes)),
    }
}
