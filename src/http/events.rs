//! The event log over HTTP: a page, a long poll, a stream.

use std::collections::HashMap;
use std::time::Duration;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, get, web};
use futures_util::Stream;
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::asking::{KnownReading, Reading};
use super::door::HeadOnly;
use super::error::{ApiError, Problem};
use super::event::{Cursor, EventLine, EventState, Heartbeat, Reader};
use super::language::{self, Language};
use super::params::{GameId, Query, bad};
use super::{Context, accept};
use crate::db::event_pages::{Audience, Page};
use crate::db::events::{Event, Head};
use crate::play::Caller;
use crate::play::table::{self, Table};

const JSON: &str = "application/json";
const SSE: &str = "text/event-stream";
const NDJSON: &str = "application/x-ndjson";

/// The longest long poll, in seconds.
pub(super) const LONGEST_WAIT: u64 = 60;
/// Events of a page where nothing is said.
const DEFAULT_LIMIT: u32 = 100;

/// Events in order.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventPage {
    /// The events after the cursor; empty when nothing happened in time.
    items: Vec<EventState>,
    /// The cursor after them: send it back as `after`. It never expires.
    next_cursor: String,
}

/// Which events.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct EventQuery {
    /// A cursor: the events after it. `0`: from the start; left out: from now on.
    #[param(example = "0")]
    after: Option<String>,
    /// Seconds to wait for an event when there is none yet.
    #[param(minimum = 0, maximum = 60, default = 0)]
    wait: Option<u64>,
    /// Events at most.
    #[param(minimum = 1, maximum = 200, default = 100)]
    limit: Option<u32>,
}

/// Everything that happens in my games
///
/// One log with one cursor: as a page, as a long poll with `wait`, as a stream
/// with `Accept: text/event-stream` (`Last-Event-ID` is a cursor too) or
/// `application/x-ndjson`. A player's token reads all of their games, a seat's
/// token its game; a bot's with the scope `act`, without `Mancala-Act-As`, those of
/// everybody it plays for as well.
#[utoipa::path(tag = "events", operation_id = "listEvents", params(EventQuery),
    responses(
        (status = 200, description = "Events in order", content(
            (EventPage = "application/json"), (String = "text/event-stream"), (EventLine = "application/x-ndjson"))),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`cursor_reset`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[get("/v1/events")]
pub(crate) async fn mine(
    request: HttpRequest,
    context: web::Data<Context>,
    KnownReading(caller): KnownReading,
    Language(lang): Language,
    Query(query): Query<EventQuery>,
) -> Result<HttpResponse, ApiError> {
    let audience = match &caller {
        // Without a word for whom it acts: for all of them.
        Caller::Player(identity) if identity.bot.is_none() && caller.has("act") => {
            Audience::Bot(identity.player_id)
        }
        Caller::Player(identity) => Audience::Player(identity.player_id),
        Caller::Seat { game_id, .. } => Audience::Game(*game_id),
        Caller::Nobody => return Err(ApiError::NotFound),
    };
    let reader = Reader {
        caller,
        audience,
        lang,
    };
    answer(&request, context, reader, query).await
}

/// Everything that happens in one game
#[utoipa::path(tag = "events", operation_id = "listGameEvents",
    params(("id" = Uuid, Path, description = "The game"), EventQuery),
    responses(
        (status = 200, description = "Events in order", content(
            (EventPage = "application/json"), (String = "text/event-stream"), (EventLine = "application/x-ndjson"))),
        (status = 404, description = "`not_found`", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`cursor_reset`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/games/{id}/events")]
pub(crate) async fn of_game(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(caller): Reading,
    GameId(id): GameId,
    Language(lang): Language,
    Query(query): Query<EventQuery>,
) -> Result<HttpResponse, ApiError> {
    table::check_visible(&context.reads, &caller, id).await?;
    let reader = Reader {
        caller,
        audience: Audience::Game(id),
        lang,
    };
    answer(&request, context, reader, query).await
}

async fn answer(
    request: &HttpRequest,
    context: web::Data<Context>,
    reader: Reader,
    query: EventQuery,
) -> Result<HttpResponse, ApiError> {
    let wait = query.wait.unwrap_or(0);
    if wait > LONGEST_WAIT {
        return Err(bad("wait", "must not be above 60 seconds"));
    }
    let limit = super::cursor::limit(query.limit, DEFAULT_LIMIT)?;
    let format = accept::choose(request.headers(), &[JSON, SSE, NDJSON])?;
    let last = request
        .headers()
        .get("last-event-id")
        .map(|value| ("Last-Event-ID", value.to_str().unwrap_or_default()));
    let after = last.or(query.after.as_deref().map(|after| ("after", after)));
    let cursor = place(&context, after).await?;
    let language = language::header(reader.lang);
    if format == JSON {
        let until = Instant::now() + Duration::from_secs(wait);
        let (items, cursor) = next(&context, &reader, cursor, limit, until).await?;
        let page = EventPage {
            items,
            next_cursor: cursor.to_string(),
        };
        return Ok(HttpResponse::Ok().insert_header(language).json(page));
    }
    if request.extensions().contains::<HeadOnly>() {
        // Nobody would read the stream to its end.
        return Ok(HttpResponse::Ok()
            .content_type(format)
            .insert_header(language)
            .finish());
    }
    let sse = format == SSE;
    let stream = stream(context, reader, cursor, limit, sse);
    Ok(HttpResponse::Ok()
        .content_type(format)
        .insert_header(language)
        // Neither this server nor a proxy may keep a line back.
        .insert_header((CONTENT_ENCODING, "identity"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header(("X-Accel-Buffering", "no"))
        .streaming(stream))
}

/// How many seconds a query asks to wait.
pub(super) fn wait(query: &str) -> u64 {
    let mut fields = form_urlencoded::parse(query.as_bytes());
    let wait = fields.find_map(|(name, value)| (name == "wait").then_some(value));
    let seconds = wait.and_then(|wait| wait.parse().ok()).unwrap_or(0);
    LONGEST_WAIT.min(seconds)
}

/// Where reading begins: after a cursor, which came by that name.
pub(super) async fn place(
    context: &Context,
    after: Option<(&str, &str)>,
) -> Result<Cursor, ApiError> {
    let head = context.reads.head.of(()).await?;
    let Head { position, epoch } = head.ok_or_else(|| ApiError::Internal("no epoch".into()))?;
    let Some((name, text)) = after else {
        return Ok(Cursor { epoch, position });
    };
    if text == "0" {
        return Ok(Cursor { epoch, position: 0 });
    }
    match text.parse::<Cursor>() {
        Ok(cursor) if cursor.epoch == epoch && (0..=position).contains(&cursor.position) => {
            Ok(cursor)
        }
        Ok(cursor) if cursor.epoch >= 1 && cursor.position >= 0 => Err(ApiError::CursorReset),
        _ => Err(bad(name, "is neither 0 nor a cursor")),
    }
}

/// The events after `cursor`, waiting for the first of them until `until`.
async fn next(
    context: &Context,
    reader: &Reader,
    cursor: Cursor,
    limit: u32,
    until: Instant,
) -> Result<(Vec<EventState>, Cursor), ApiError> {
    let mut waiter = context.feed.wait_for(reader.audience);
    loop {
        let items = read(context, reader, cursor, limit).await?;
        if let Some((_, position)) = items.last() {
            let cursor = Cursor {
                position: *position,
                ..cursor
            };
            return Ok((items.into_iter().map(|(item, _)| item).collect(), cursor));
        }
        tokio::select! {
            () = waiter.news() => {}
            () = tokio::time::sleep_until(until) => return Ok((Vec::new(), cursor)),
            () = context.stopping.cancelled() => return Ok((Vec::new(), cursor)),
        }
    }
}

/// The events after `cursor` with their positions.
async fn read(
    context: &Context,
    reader: &Reader,
    cursor: Cursor,
    limit: u32,
) -> Result<Vec<(EventState, i64)>, ApiError> {
    let page = Page {
        audience: reader.audience,
        after: cursor.position,
        limit: i64::from(limit),
    };
    let Some(events) = context.reads.events.of(page).await? else {
        return Ok(Vec::new());
    };
    let mut games: Vec<Uuid> = events.iter().map(|event| event.game_id).collect();
    games.sort_unstable();
    games.dedup();
    let tables = games.iter().map(|&id| table::seats_of(&context.reads, id));
    let tables = try_join_all(tables).await?.into_iter();
    let tables: HashMap<Uuid, Table> = tables.map(|table| (table.game.game_id, table)).collect();
    let state = |event: &Event| {
        let table = tables.get(&event.game_id)?;
        let state = EventState::new(event, table, reader, cursor.epoch, &context.public_url);
        Some((state, event.position))
    };
    Ok(events.iter().filter_map(state).collect())
}

/// Events line by line until the client goes or the server stops.
fn stream(
    context: web::Data<Context>,
    reader: Reader,
    cursor: Cursor,
    limit: u32,
    sse: bool,
) -> impl Stream<Item = Result<web::Bytes, ApiError>> {
    let start = Some((context, reader, cursor, true));
    futures_util::stream::unfold(start, move |state| async move {
        let (context, reader, cursor, first) = state?;
        if context.stopping.is_cancelled() {
            return None;
        }
        // The first lines show at once that the stream is open.
        let wait = if first {
            Duration::ZERO
        } else {
            context.heartbeat
        };
        match next(&context, &reader, cursor, limit, Instant::now() + wait).await {
            // A token that was revoked or has expired opens nothing any more.
            Ok(_) if !still_good(&context, &reader.caller).await => None,
            Ok((items, cursor)) => {
                let lines = lines(&items, cursor, sse);
                Some((
                    lines.map(web::Bytes::from),
                    Some((context, reader, cursor, false)),
                ))
            }
            // The head is gone, so no answer can tell it: the stream ends, and the client
            // comes back with its cursor.
            Err(cause) => {
                cause.log();
                None
            }
        }
    })
}

/// Whether the token that opened a stream would open it again.
async fn still_good(context: &Context, caller: &Caller) -> bool {
    let Caller::Player(identity) = caller else {
        return true;
    };
    let live = context.reads.live.of(identity.token_id).await;
    // The database may be away for a moment; the stream goes on when it is back.
    live.map_or(true, |live| live.is_some())
}

fn lines(items: &[EventState], cursor: Cursor, sse: bool) -> Result<String, ApiError> {
    let failed = |cause: serde_json::Error| ApiError::Internal(cause.to_string());
    let mut text = String::new();
    for item in items {
        let json = serde_json::to_string(item).map_err(failed)?;
        match sse {
            true => text += &format!("id: {}\nevent: {}\ndata: {json}\n\n", item.id, item.kind),
            false => text += &format!("{json}\n"),
        }
    }
    if items.is_empty() {
        match sse {
            true => text += &format!("id: {cursor}\n: alive\n\n"),
            false => {
                let json = serde_json::to_string(&Heartbeat::new(cursor)).map_err(failed)?;
                text += &format!("{json}\n");
            }
        }
    }
    Ok(text)
}
