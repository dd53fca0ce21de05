//! A game's log: JSON page by page, NDJSON and CSV whole, and as the text of a record.

use actix_web::http::header::LINK;
use actix_web::{HttpRequest, HttpResponse, get, web};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::asking::Reading;
use super::caching::Tag;
use super::error::{ApiError, Problem};
use super::language::{self, Language};
use super::params::{GameId, Query, bad, exact};
use super::rows::LogRow;
use super::{Context, accept, cursor};
use crate::db::plies::Line;
use crate::play::Caller;
use crate::play::log::{self, Part};
use crate::record::text;
use crate::render::words::Lang;

const JSON: &str = "application/json";
const NDJSON: &str = "application/x-ndjson";
const CSV: &str = "text/csv";
const TEXT: &str = "text/plain";

/// Which rows, and what of them.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LogQuery {
    /// Adds the sowing of each choice.
    #[serde(default)]
    trace: bool,
    /// `all`: also the rows that were taken back, and the takebacks. Left out: the
    /// rows that led to the present state.
    #[param(inline)]
    rows: Option<RowsWord>,
    /// `desc`: the last row first, so that `limit=1` is the last one.
    #[param(inline)]
    order: Option<OrderWord>,
    /// Rows of a JSON page.
    #[param(minimum = 1, maximum = 200, default = 200)]
    limit: Option<u32>,
    /// A page's `next_cursor`: the rows after that page.
    cursor: Option<String>,
}

/// Which rows of a log.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RowsWord {
    /// All of them.
    All,
}

/// In which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderWord {
    /// As they were played.
    Asc,
    /// The last one first.
    Desc,
}

/// A page of a game's log.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogPage {
    /// Rows in order.
    items: Vec<LogRow>,
    /// Where the next page begins; null when there is none.
    next_cursor: Option<String>,
}

/// A game's log
///
/// JSON comes page by page; NDJSON and CSV are the whole log, one row a line.
/// The log only grows: what a takeback takes back stays, marked, and is listed
/// with `rows=all`. As `text/plain` it is a record in the manner of PGN, as
/// `export` writes and `import` reads it: the whole game with all rows, its players
/// under pseudonyms, the result `*` until there is one.
#[utoipa::path(tag = "games", operation_id = "listMoves",
    params(("id" = Uuid, Path, description = "The game"), LogQuery),
    responses(
        (status = 200, description = "Rows in order", content(
            (LogPage = "application/json"), (LogRow = "application/x-ndjson"), (String = "text/csv"),
            (String = "text/plain")),
         headers(("Link" = String, description = "The next page, `rel=\"next\"`"))),
        (status = 304, description = "The client has it: `If-None-Match` named its `ETag`"),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/games/{id}/moves")]
pub(crate) async fn list(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(caller): Reading,
    GameId(id): GameId,
    Language(lang): Language,
    Query(query): Query<LogQuery>,
) -> Result<HttpResponse, ApiError> {
    let format = accept::choose(request.headers(), &[JSON, NDJSON, CSV, TEXT])?;
    if format == TEXT {
        return as_text(&request, &context, &caller, id, lang, &query).await;
    }
    let (line, all) = match query.rows {
        Some(RowsWord::All) => (Line::All, "&rows=all"),
        None => (Line::Effective, ""),
    };
    let newest_first = query.order == Some(OrderWord::Desc);
    let order = if newest_first { "&order=desc" } else { "" };
    let list = format!("moves {id} {}{all}{order}", query.trace);
    let behind = match &query.cursor {
        Some(text) => Some(
            exact(&cursor::read(&list, text)?)
                .ok_or_else(|| bad("cursor", "not a cursor of this list"))?,
        ),
        None => None,
    };
    let limit = match format {
        JSON => Some(cursor::limit(query.limit, cursor::MAX_LIMIT)?),
        _ => query
            .limit
            .map(|limit| cursor::limit(Some(limit), limit))
            .transpose()?,
    };
    let part = Part {
        line,
        newest_first,
        behind,
        limit,
        trace: query.trace,
    };
    let page = log::page(&context.pool, &caller, id, part).await?;
    let part = format!("moves {} {behind:?} {limit:?}{all}{order}", query.trace);
    Tag::of_game(page.version, &caller, format, lang, &part).answer(&request, || {
        let last = page
            .rows
            .last()
            .map(|row| row.row.ply)
            .filter(|_| page.more);
        let items: Vec<_> = page
            .rows
            .into_iter()
            .map(|row| LogRow::new(row, lang))
            .collect::<Result<_, _>>()?;
        let next_cursor = last.map(|ply| cursor::write(&list, &ply.to_string()));
        let mut answer = HttpResponse::Ok();
        answer.insert_header(language::header(lang));
        if let Some(next) = &next_cursor {
            let limit = limit
                .map(|limit| format!("&limit={limit}"))
                .unwrap_or_default();
            let (base, path, trace) = (&context.public_url, request.path(), query.trace);
            // A header comes along with every request, but a parameter does not.
            let lang = match language::named(request.query_string())? {
                Some(lang) => format!("&lang={}", lang.tag()),
                None => String::new(),
            };
            let url = format!("{base}{path}?trace={trace}{all}{order}{limit}{lang}&cursor={next}");
            answer.insert_header((LINK, format!("<{url}>; rel=\"next\"")));
        }
        Ok(match format {
            NDJSON => answer.content_type(NDJSON).body(ndjson(&items)?),
            CSV => answer
                .content_type("text/csv; charset=utf-8")
                .body(csv(&items, query.trace)?),
            _ => answer.json(LogPage { items, next_cursor }),
        })
    })
}

/// The record of a game, which has no parts to choose from.
async fn as_text(
    request: &HttpRequest,
    context: &Context,
    caller: &Caller,
    id: Uuid,
    lang: Lang,
    query: &LogQuery,
) -> Result<HttpResponse, ApiError> {
    for (name, given) in [
        ("trace", query.trace),
        ("rows", query.rows.is_some()),
        ("order", query.order.is_some()),
        ("limit", query.limit.is_some()),
        ("cursor", query.cursor.is_some()),
    ] {
        if given {
            return Err(bad(name, "text/plain is the whole record: it takes none"));
        }
    }
    let (version, record) = log::record(&context.pool, caller, id).await?;
    let tag = Tag::of_game(version, caller, TEXT, lang, "moves");
    if let Some(answer) = tag.known(request) {
        return Ok(answer);
    }
    let text = log::written(record, |record| {
        let mut text = String::new();
        text::write_any(record, &mut text).map_err(|cause| cause.to_string())?;
        Ok(text)
    });
    let mut answer = HttpResponse::Ok();
    answer.content_type("text/plain; charset=utf-8");
    Ok(tag.on(answer.body(text.await?)))
}

fn failed(cause: impl std::fmt::Display) -> ApiError {
    ApiError::Internal(format!("cannot write the log: {cause}"))
}

fn ndjson(rows: &[LogRow]) -> Result<String, ApiError> {
    let mut text = String::new();
    for row in rows {
        text.push_str(&serde_json::to_string(row).map_err(failed)?);
        text.push('\n');
    }
    Ok(text)
}

/// The columns of the CSV form: those of all kinds of rows.
const COLUMNS: [&str; 28] = [
    "ply",
    "kind",
    "seat",
    "after_ply",
    "house",
    "turn",
    "round",
    "seeds_sown",
    "lap_count",
    "captured",
    "banked",
    "extra_turn",
    "passed",
    "other.seeds_sown",
    "other.lap_count",
    "other.captured",
    "other.banked",
    "reason",
    "by",
    "to_ply",
    "position",
    "elapsed_ms",
    "played_at",
    "source",
    "taken_back",
    "summary",
    "message",
    "trace",
];

/// A header line and a line a row; null is an empty field, a trace its JSON.
fn csv(rows: &[LogRow], trace: bool) -> Result<String, ApiError> {
    let columns = if trace {
        &COLUMNS[..]
    } else {
        &COLUMNS[..COLUMNS.len() - 1]
    };
    let mut csv = csv::WriterBuilder::new().from_writer(Vec::new());
    csv.write_record(columns).map_err(failed)?;
    for row in rows {
        let row = serde_json::to_value(row).map_err(failed)?;
        let field = |name: &&str| match name.split('.').fold(&row, |value, key| &value[key]) {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        csv.write_record(columns.iter().map(field))
            .map_err(failed)?;
    }
    let bytes = csv.into_inner().map_err(failed)?;
    String::from_utf8(bytes).map_err(failed)
}
