//! Lists of games, page by page.

use actix_web::http::header::LINK;
use actix_web::{HttpRequest, HttpResponse, get, web};
use chrono::{DateTime, Datelike, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asking::Reading;
use super::caching::{Tag, viewer};
use super::error::{ApiError, Problem};
use super::filters::{Filtered, Filters};
use super::params::{bad, exact};
use super::state::GameState;
use super::{Context, cursor, slots};
use crate::db::{self, pool};
use crate::play::Caller;
use crate::play::lists::{Page, Place};
use crate::play::search;

/// Games of a page where nothing is said.
const DEFAULT_LIMIT: u32 = 50;

/// A page of games.
#[derive(Debug, Serialize, ToSchema)]
pub struct GameList {
    /// The games.
    items: Vec<GameState>,
    /// Where the next page begins; null when there is none.
    next_cursor: Option<String>,
}

/// Where a game stands, as a filter.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusWord {
    /// A seat is free.
    Open,
    /// The simultaneous opening is not over.
    Opening,
    /// It is played.
    Playing,
    /// It has a result.
    Finished,
    /// It ended without one.
    Aborted,
}

impl StatusWord {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            StatusWord::Open => "open",
            StatusWord::Opening => "opening",
            StatusWord::Playing => "playing",
            StatusWord::Finished => "finished",
            StatusWord::Aborted => "aborted",
        }
    }
}

/// Which part of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PageQuery {
    /// Only games that stand so.
    #[param(inline)]
    pub(super) status: Option<StatusWord>,
    /// Games of a page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// A page's `next_cursor`: the games after that page.
    cursor: Option<String>,
}

/// Which part of the list of public games.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PublicQuery {
    /// Games of a page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// A page's `next_cursor`: the games after that page.
    cursor: Option<String>,
}

/// No parameters but the filters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A list with its filters, and the place in it.
pub(super) struct List {
    /// Names the list and its filters.
    name: String,
    /// The filters as they stand in a query.
    filters: Vec<(String, String)>,
    /// The place the page begins after.
    pub(super) after: Option<Place>,
    /// Games of a page.
    pub(super) limit: u32,
}

impl PageQuery {
    pub(super) fn list(&self, name: &str) -> Result<List, ApiError> {
        let status = self
            .status
            .map(|status| ("status".to_owned(), status.as_str().to_owned()));
        List::new(
            name,
            status.into_iter().collect(),
            self.limit,
            self.cursor.as_deref(),
        )
    }
}

impl List {
    pub(super) fn new(
        name: &str,
        filters: Vec<(String, String)>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<List, ApiError> {
        let name = format!("games {name} {filters:?}");
        let after = cursor.map(|text| read_place(&name, text)).transpose()?;
        Ok(List {
            name,
            filters,
            after,
            limit: cursor::limit(limit, DEFAULT_LIMIT)?,
        })
    }

    /// The page with the link to the next one.
    pub(super) fn answer(
        &self,
        request: &HttpRequest,
        context: &Context,
        caller: &Caller,
        page: Page,
    ) -> Result<HttpResponse, ApiError> {
        let place = format!(
            "{} {:?} {} {:?}",
            self.name, self.after, self.limit, page.next
        );
        let tag = Tag::of_games(&place, &viewer(caller), &page.views);
        tag.answer(request, || {
            let next_cursor = page.next.map(|place| write_place(&self.name, &place));
            let mut answer = HttpResponse::Ok();
            if let Some(next) = &next_cursor {
                let mut query = form_urlencoded::Serializer::new(String::new());
                query.extend_pairs(&self.filters);
                query
                    .append_pair("limit", &self.limit.to_string())
                    .append_pair("cursor", next);
                let (base, path, query) = (&context.public_url, request.path(), query.finish());
                answer.insert_header((LINK, format!("<{base}{path}?{query}>; rel=\"next\"")));
            }
            let state = |view| GameState::new(view, &context.public_url);
            Ok(answer.json(GameList {
                items: page.views.iter().map(state).collect(),
                next_cursor,
            }))
        })
    }
}

pub(super) fn write_place(list: &str, place: &Place) -> String {
    let micros = |at: Option<DateTime<Utc>>| {
        at.map(|at| at.timestamp_micros().to_string())
            .unwrap_or_default()
    };
    let (due_at, since) = (micros(place.due_at), micros(place.since));
    cursor::write(list, &format!("{due_at}/{since}/{}", place.game_id))
}

pub(super) fn read_place(list: &str, text: &str) -> Result<Place, ApiError> {
    let key = cursor::read(list, text)?;
    place(&key).ok_or_else(|| bad("cursor", "not a cursor of this list"))
}

fn place(key: &str) -> Option<Place> {
    let mut parts = key.splitn(3, '/');
    let mut time = || match parts.next()? {
        "" => Some(None),
        micros => DateTime::from_timestamp_micros(exact(micros)?)
            // What PostgreSQL knows as well.
            .filter(|time| (1..=9999).contains(&time.year()))
            .map(Some),
    };
    Some(Place {
        due_at: time()?,
        since: time()?,
        game_id: exact(parts.next()?)?,
    })
}

/// Public games, newest first; `status=open` is the lobby
///
/// All filters that are named must fit. What a filter looks for in a finished game
/// (its plies, rounds, relays, burnt houses, `opening`, `reached`) is known some
/// seconds after its end.
#[utoipa::path(tag = "games", operation_id = "listGames", params(Filters, PublicQuery),
    responses(
        (status = 200, description = "A page of games", body = GameList,
         headers(("Link" = String, description = "The next page, `rel=\"next\"`"))),
        (status = 304, description = "The client has it: `If-None-Match` named its `ETag`"),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/games")]
pub(crate) async fn public(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(caller): Reading,
    Filtered(asked, query): Filtered<PublicQuery>,
) -> Result<HttpResponse, ApiError> {
    let pairs = Filters::pairs(request.query_string());
    let list = List::new("public", pairs, query.limit, query.cursor.as_deref())?;
    let _turn = slots::turn(request.query_string(), &["status", "ruleset"]).await?;
    let mut db = pool::snapshot(&context.pool).await?;
    let filter = asked.read(&mut db).await?;
    let page = search::games(&mut db, &caller, &filter, list.after, list.limit).await?;
    list.answer(&request, &context, &caller, page)
}

/// How many games fit.
#[derive(Debug, Serialize, ToSchema)]
pub struct GameCount {
    /// Public games.
    #[schema(minimum = 0)]
    count: i64,
}

/// How many public games fit the filters of `GET /v1/games`
#[utoipa::path(tag = "games", operation_id = "countGames", params(Filters),
    responses(
        (status = 200, description = "The count, of all of them", body = GameCount,
         headers(("Mancala-As-Of" = String, description = "Where a replica has answered: whatever happened before this time is counted"))),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/games/count")]
pub(crate) async fn count(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(_caller): Reading,
    Filtered(asked, _none): Filtered<Nothing>,
) -> Result<HttpResponse, ApiError> {
    let _turn = slots::turn(request.query_string(), &[]).await?;
    let moment = context.research.moment().await?;
    // The statement is not kept prepared, which a pooler takes in a transaction alone.
    let mut db = pool::snapshot(&context.research.pool).await?;
    let filter = asked.read(&mut db).await?;
    let count = db::search::count(&mut db, &filter).await?;
    Ok(moment.on(HttpResponse::Ok().json(GameCount { count })))
}
