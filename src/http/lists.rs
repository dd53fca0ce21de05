//! Lists of games, page by page.

use actix_web::http::header::LINK;
use actix_web::{HttpRequest, HttpResponse, get, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asking::Reading;
use super::caching::{Tag, viewer};
use super::error::{ApiError, Problem};
use super::params::{Query, bad};
use super::state::GameState;
use super::{Context, cursor};
use crate::play::Caller;
use crate::play::lists::{self, Filter, Page, Place};

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
    /// Only games that stand so; `open` is the lobby.
    #[param(inline)]
    status: Option<StatusWord>,
    /// Only games of this preset.
    ruleset: Option<String>,
    /// Games of a page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// A page's `next_cursor`: the games after that page.
    cursor: Option<String>,
}

/// A list with its filters, and the place in it.
pub(super) struct List {
    /// Names the list and its filters.
    name: String,
    /// The filters as they stand in a query.
    filters: Vec<(&'static str, String)>,
    /// The place the page begins after.
    pub(super) after: Option<Place>,
    /// Games of a page.
    pub(super) limit: u32,
}

impl PageQuery {
    pub(super) fn list(&self, name: &str) -> Result<List, ApiError> {
        let status = self
            .status
            .map(|status| ("status", status.as_str().to_owned()));
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
        filters: Vec<(&'static str, String)>,
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
        // Whether the list goes on can change while the games of the page do not.
        let goes_on = page.next.is_some();
        let place = format!("{} {:?} {} {goes_on}", self.name, self.after, self.limit);
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

fn write_place(list: &str, place: &Place) -> String {
    let since = place
        .since
        .map(|since| since.timestamp_micros().to_string());
    cursor::write(
        list,
        &format!("{}/{}", since.unwrap_or_default(), place.game_id),
    )
}

fn read_place(list: &str, text: &str) -> Result<Place, ApiError> {
    let key = cursor::read(list, text)?;
    let place = key.split_once('/').and_then(|(since, game_id)| {
        let since = match since {
            "" => None,
            micros => Some(DateTime::<Utc>::from_timestamp_micros(
                micros.parse().ok()?,
            )?),
        };
        Some(Place {
            since,
            game_id: game_id.parse().ok()?,
        })
    });
    place.ok_or_else(|| bad("cursor", "not a cursor of this list"))
}

/// Public games, newest first; `status=open` is the lobby
#[utoipa::path(tag = "games", operation_id = "listGames", params(PublicQuery),
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
    Query(query): Query<PublicQuery>,
) -> Result<HttpResponse, ApiError> {
    let ruleset = query.ruleset.as_deref();
    if let Some(name) = ruleset {
        mancala_rules::preset(name).ok_or_else(|| bad("ruleset", "there is no such ruleset"))?;
    }
    let status = query.status.map(StatusWord::as_str);
    let filters = [("status", status), ("ruleset", ruleset)];
    let filters = filters
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?.to_owned())));
    let list = List::new(
        "public",
        filters.collect(),
        query.limit,
        query.cursor.as_deref(),
    )?;
    let mut db = context.pool.acquire().await?;
    let filter = Filter { status, ruleset };
    let page = lists::public(&mut db, &caller, filter, list.after, list.limit).await?;
    list.answer(&request, &context, &caller, page)
}
