//! A game's log: JSON page by page, NDJSON and CSV whole.

use actix_web::http::header::LINK;
use actix_web::{HttpRequest, HttpResponse, get, web};
use mancala_rules::{Counts, Seat, Step};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asking::Reading;
use super::caching::Tag;
use super::error::{ApiError, Problem};
use super::params::{GameId, Query, bad};
use super::time::Time;
use super::{Context, accept, cursor};
use crate::play::{PlayError, log};

const JSON: &str = "application/json";
const NDJSON: &str = "application/x-ndjson";
const CSV: &str = "text/csv";

/// A row of a game's log.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LogRow {
    /// A choice of a house and what followed from it.
    Sow(SowRow),
    /// An end that no choice of a house brought about.
    End(EndRow),
}

/// A choice of a house and what followed from it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SowRow {
    /// The row's number, from 1.
    #[schema(minimum = 1)]
    ply: i32,
    /// Who chose.
    seat: Seat,
    /// The log's length that the chooser had seen.
    #[schema(minimum = 0)]
    after_ply: i32,
    /// What was chosen, counted from the seat's left hand.
    #[schema(minimum = 1, maximum = 15)]
    house: i16,
    /// The turn it belongs to.
    #[schema(minimum = 1)]
    turn: i32,
    /// The round it was played in.
    #[schema(minimum = 1)]
    round: i32,
    /// Seeds that the seat's hand dropped, over all laps.
    seeds_sown: i32,
    /// Laps: the first and every relay.
    lap_count: i32,
    /// Seeds captured from houses, without the own last seed.
    captured: i32,
    /// Seeds that came into the own store at the end of a lap: captures and a
    /// banked last seed, not those dropped there in passing.
    banked: i32,
    /// Whether the seat chooses again.
    extra_turn: bool,
    /// Al-manqala: the other seat had nothing to move and passed.
    passed: bool,
    /// An opening's other hand that went on with a lone choice.
    other: Option<Counts>,
    /// The position after it; null on the first of the two rows of a pair of
    /// opening choices.
    position: Option<String>,
    /// Milliseconds since the choice was owed.
    #[schema(minimum = 0)]
    elapsed_ms: i64,
    /// When it became a row.
    played_at: Time,
    /// Who brought it about.
    source: Source,
    /// The sowing, with `trace=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    trace: Option<Vec<Step>>,
    /// What the seat said; only for the two seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message: Option<String>,
}

/// An end that no choice of a house brought about.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndRow {
    /// The row's number, from 1.
    #[schema(minimum = 1)]
    ply: i32,
    /// By what it ended.
    reason: EndReason,
    /// The seat that brought it about; null for an agreement.
    by: Option<Seat>,
    /// The log's length before it.
    #[schema(minimum = 0)]
    after_ply: i32,
    /// The turn it ended.
    #[schema(minimum = 1)]
    turn: i32,
    /// The round it ended.
    #[schema(minimum = 1)]
    round: i32,
    /// The position after it.
    position: String,
    /// Milliseconds since the choice was owed.
    #[schema(minimum = 0)]
    elapsed_ms: i64,
    /// When it ended.
    played_at: Time,
    /// Who brought it about.
    source: Source,
}

/// Why a game ended without a choice.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// A seat gave up.
    Resignation,
    /// A seat was late.
    Timeout,
    /// Both agreed on a draw.
    Agreement,
    /// Both agreed to halve the board.
    Loop,
    /// It was aborted.
    Aborted,
}

/// Who brought a row about.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A seat, at that moment.
    Player,
    /// The server, when a time had passed.
    Server,
}

/// A word of the database as one of ours.
fn word<T: serde::de::DeserializeOwned>(word: &str) -> Result<T, ApiError> {
    serde_json::from_value(word.into()).map_err(|cause| ApiError::Internal(cause.to_string()))
}

impl LogRow {
    pub(super) fn new(row: log::LogRow) -> Result<LogRow, ApiError> {
        let log::LogRow {
            row,
            trace,
            message,
        } = row;
        let seat = row.seat.as_deref().map(word).transpose()?;
        let missing = || PlayError::Corrupt(format!("ply {} lacks a value", row.ply));
        if row.kind == "end" {
            return Ok(LogRow::End(EndRow {
                ply: row.ply,
                reason: word(row.reason.as_deref().ok_or_else(missing)?)?,
                by: seat,
                after_ply: row.after_ply,
                turn: row.turn,
                round: row.round,
                position: row.position.clone().ok_or_else(missing)?,
                elapsed_ms: row.elapsed_ms.unwrap_or_default(),
                played_at: Time(row.played_at),
                source: word(&row.source)?,
            }));
        }
        let other = row.other.clone().map(serde_json::from_value).transpose();
        Ok(LogRow::Sow(SowRow {
            ply: row.ply,
            seat: seat.ok_or_else(missing)?,
            after_ply: row.after_ply,
            house: row.house.ok_or_else(missing)?,
            turn: row.turn,
            round: row.round,
            seeds_sown: row.seeds_sown.ok_or_else(missing)?,
            lap_count: row.lap_count.ok_or_else(missing)?,
            captured: row.captured.ok_or_else(missing)?,
            banked: row.banked.ok_or_else(missing)?,
            extra_turn: row.extra_turn.ok_or_else(missing)?,
            passed: row.passed.ok_or_else(missing)?,
            other: other.map_err(|_| missing())?,
            position: row.position.clone(),
            elapsed_ms: row.elapsed_ms.ok_or_else(missing)?,
            played_at: Time(row.played_at),
            source: word(&row.source)?,
            trace,
            message,
        }))
    }
}

/// Which rows, and what of them.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LogQuery {
    /// Adds the sowing of each choice.
    #[serde(default)]
    trace: bool,
    /// Rows of a JSON page.
    #[param(minimum = 1, maximum = 200, default = 200)]
    limit: Option<u32>,
    /// A page's `next_cursor`: the rows after that page.
    cursor: Option<String>,
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
#[utoipa::path(tag = "games", operation_id = "listMoves",
    params(("id" = Uuid, Path, description = "The game"), LogQuery),
    responses(
        (status = 200, description = "Rows in order", content(
            (LogPage = "application/json"), (LogRow = "application/x-ndjson"), (String = "text/csv")),
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
    Query(query): Query<LogQuery>,
) -> Result<HttpResponse, ApiError> {
    let format = accept::choose(request.headers(), &[JSON, NDJSON, CSV])?;
    let list = format!("moves {id} {}", query.trace);
    let after = match &query.cursor {
        Some(text) => cursor::read(&list, text)?
            .parse()
            .map_err(|_| bad("cursor", "not a cursor of this list"))?,
        None => 0,
    };
    let limit = match format {
        JSON => Some(cursor::limit(query.limit, cursor::MAX_LIMIT)?),
        _ => query
            .limit
            .map(|limit| cursor::limit(Some(limit), limit))
            .transpose()?,
    };
    let page = log::page(&context.pool, &caller, id, after, limit, query.trace).await?;
    let part = format!("moves {} {after} {limit:?}", query.trace);
    Tag::of_game(page.version, &caller, format, &part).answer(&request, || {
        let last = page
            .rows
            .last()
            .map(|row| row.row.ply)
            .filter(|_| page.more);
        let items: Vec<_> = page
            .rows
            .into_iter()
            .map(LogRow::new)
            .collect::<Result<_, _>>()?;
        let next_cursor = last.map(|ply| cursor::write(&list, &ply.to_string()));
        let mut answer = HttpResponse::Ok();
        if let Some(next) = &next_cursor {
            let limit = limit
                .map(|limit| format!("&limit={limit}"))
                .unwrap_or_default();
            let (base, path, trace) = (&context.public_url, request.path(), query.trace);
            let url = format!("{base}{path}?trace={trace}{limit}&cursor={next}");
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

/// The columns of the CSV form: those of both kinds of rows.
const COLUMNS: [&str; 25] = [
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
    "position",
    "elapsed_ms",
    "played_at",
    "source",
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
