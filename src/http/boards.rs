//! Boards of a game, as text and as pictures, now or after an earlier row of its
//! log. What they look like is in `render`.

use std::sync::LazyLock;

use actix_web::http::header::{CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use actix_web::{HttpRequest, HttpResponse, get, web};
use mancala_rules::{Rules, Seat, Sides};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use serde::Deserialize;
use tokio::sync::oneshot;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::Context;
use super::asking::Reading;
use super::caching::Tag;
use super::error::{ApiError, Problem};
use super::language::{self, Language};
use super::params::{GameId, Query, bad};
use super::seating::seated;
use crate::play::{Caller, View, log, view};
use crate::render::scene::{Scene, Stage};
use crate::render::svg::Theme;
use crate::render::text::Charset;
use crate::render::words::Lang;
use crate::render::{png, svg, text};

/// The widths of a picture, in pixels.
const SMALLEST: u16 = 120;
const USUAL: u16 = 800;
const LARGEST: u16 = 1600;
/// Threads that draw pictures, which keeps a core busy. Always the same ones: each keeps
/// the memory that a picture took for the next one.
static EASELS: LazyLock<Result<ThreadPool, ThreadPoolBuildError>> = LazyLock::new(|| {
    ThreadPoolBuilder::new()
        .num_threads(2)
        .thread_name(|number| format!("easel {number}"))
        // Whoever waits for the picture hears of it.
        .panic_handler(|_| ())
        .build()
});

/// Which board, and drawn with what.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TextQuery {
    /// The board after this row of the log; 0 is the start.
    #[param(minimum = 0)]
    ply: Option<i64>,
    /// Whose row is the lower one: the caller's own, else south's, if left out.
    pov: Option<Seat>,
    /// What it is drawn with.
    #[param(inline)]
    #[serde(default)]
    charset: CharsetName,
}

/// What a board of text is drawn with.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(default = "unicode")]
pub enum CharsetName {
    /// Lines that join.
    #[default]
    Unicode,
    /// ASCII alone.
    Ascii,
}

/// Which board, and how the picture is to be.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PictureQuery {
    /// The board after this row of the log; 0 is the start.
    #[param(minimum = 0)]
    ply: Option<i64>,
    /// Whose row is the lower one: the caller's own, else south's, if left out.
    pov: Option<Seat>,
    /// For a light surface or a dark one.
    #[param(inline)]
    #[serde(default)]
    theme: ThemeName,
    /// Its width in pixels; the height follows.
    #[param(minimum = 120, maximum = 1600, default = 800)]
    size: Option<u16>,
}

/// What a picture is to look well on.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(default = "light")]
pub enum ThemeName {
    /// A light surface.
    #[default]
    Light,
    /// A dark one.
    Dark,
}

/// A picture's bytes.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[allow(dead_code)]
pub struct Png(Vec<u8>);

/// A game's board as text
///
/// For a chat window or a terminal: at most 40 columns for 7 houses, in a font of
/// fixed width.
#[utoipa::path(tag = "games", operation_id = "getBoardText",
    params(("id" = Uuid, Path, description = "The game"), TextQuery),
    responses(
        (status = 200, description = "The board", body = String, content_type = "text/plain"),
        (status = 304, description = "The client has it: `If-None-Match` named its `ETag`"),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`, `unknown_ply`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/games/{id}/board.txt")]
pub(crate) async fn as_text(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(caller): Reading,
    GameId(id): GameId,
    Language(lang): Language,
    Query(query): Query<TextQuery>,
) -> Result<HttpResponse, ApiError> {
    let view = find(&context, &caller, id, query.ply).await?;
    let tag = tag(&view, &caller, "board.txt", lang, &format!("{query:?}"));
    if let Some(known) = tag.known(&request) {
        return Ok(known);
    }
    let charset = match query.charset {
        CharsetName::Unicode => Charset::Unicode,
        CharsetName::Ascii => Charset::Ascii,
    };
    let scene = scene(&context, &caller, &view, query.pov, lang).await?;
    Ok(tag.on(plain(text::text(&scene, charset), lang)))
}

/// A game's board as a picture that scales
///
/// It needs nothing else: no script, no font, no other file.
#[utoipa::path(tag = "games", operation_id = "getBoardSvg",
    params(("id" = Uuid, Path, description = "The game"), PictureQuery),
    responses(
        (status = 200, description = "The board", body = String, content_type = "image/svg+xml"),
        (status = 304, description = "The client has it: `If-None-Match` named its `ETag`"),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`, `unknown_ply`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/games/{id}/board.svg")]
pub(crate) async fn as_svg(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(caller): Reading,
    GameId(id): GameId,
    Language(lang): Language,
    Query(query): Query<PictureQuery>,
) -> Result<HttpResponse, ApiError> {
    let (width, view) = query.look(&context, &caller, id).await?;
    let tag = tag(&view, &caller, "board.svg", lang, &format!("{query:?}"));
    if let Some(known) = tag.known(&request) {
        return Ok(known);
    }
    let picture = query.draw(&context, &caller, &view, width, lang).await?;
    let answer = HttpResponse::Ok()
        .content_type("image/svg+xml")
        .insert_header(language::header(lang))
        // Opened by itself it is a page of this server's: one that does nothing.
        .insert_header((
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'",
        ))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(picture);
    Ok(tag.on(answer))
}

/// A game's board as a picture for a chat
#[utoipa::path(tag = "games", operation_id = "getBoardPng",
    params(("id" = Uuid, Path, description = "The game"), PictureQuery),
    responses(
        (status = 200, description = "The board", body = inline(Png), content_type = "image/png"),
        (status = 304, description = "The client has it: `If-None-Match` named its `ETag`"),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`, `unknown_ply`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/games/{id}/board.png")]
pub(crate) async fn as_png(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(caller): Reading,
    GameId(id): GameId,
    Language(lang): Language,
    Query(query): Query<PictureQuery>,
) -> Result<HttpResponse, ApiError> {
    let (width, view) = query.look(&context, &caller, id).await?;
    let tag = tag(&view, &caller, "board.png", lang, &format!("{query:?}"));
    if let Some(known) = tag.known(&request) {
        return Ok(known);
    }
    let picture = query.draw(&context, &caller, &view, width, lang).await?;
    let picture = painted(picture).await?;
    Ok(tag.on(HttpResponse::Ok()
        .content_type("image/png")
        .insert_header(language::header(lang))
        .body(picture)))
}

impl PictureQuery {
    /// The width, and the game to be drawn.
    async fn look(
        &self,
        context: &Context,
        caller: &Caller,
        id: Uuid,
    ) -> Result<(u16, View), ApiError> {
        let width = self.size.unwrap_or(USUAL);
        if !(SMALLEST..=LARGEST).contains(&width) {
            let bounds = format!("must lie between {SMALLEST} and {LARGEST}");
            return Err(bad("size", &bounds));
        }
        Ok((width, find(context, caller, id, self.ply).await?))
    }

    async fn draw(
        &self,
        context: &Context,
        caller: &Caller,
        view: &View,
        width: u16,
        lang: Lang,
    ) -> Result<String, ApiError> {
        let theme = match self.theme {
            ThemeName::Light => Theme::Light,
            ThemeName::Dark => Theme::Dark,
        };
        let scene = scene(context, caller, view, self.pov, lang).await?;
        Ok(svg::svg(&scene, theme, width))
    }
}

/// The PNG of a picture, drawn away from the threads that answer requests, a few at a
/// time, if the request has not been given up when its turn comes.
async fn painted(picture: String) -> Result<Vec<u8>, ApiError> {
    let failed = |cause: &dyn std::fmt::Display| ApiError::Internal(format!("no PNG: {cause}"));
    let easels = EASELS.as_ref().map_err(|cause| failed(cause))?;
    let (done, painted) = oneshot::channel();
    easels.spawn(move || {
        if !done.is_closed() {
            let _ = done.send(png::png(&picture));
        }
    });
    let painted = painted.await.map_err(|cause| failed(&cause))?;
    painted.map_err(|cause| failed(&cause))
}

/// The game for `caller`, now or after a row of its log.
pub(super) async fn find(
    context: &Context,
    caller: &Caller,
    id: Uuid,
    ply: Option<i64>,
) -> Result<View, ApiError> {
    Ok(match ply {
        None => view::present(&context.reads, caller, id).await?,
        Some(ply) => view::past(&context.pool, caller, id, ply).await?,
    })
}

/// A board in place of a game's state.
pub(super) async fn text(
    request: &HttpRequest,
    context: &Context,
    caller: &Caller,
    lang: Lang,
    tag: &Tag,
    view: &View,
) -> Result<HttpResponse, ApiError> {
    if let Some(known) = tag.known(request) {
        return Ok(known);
    }
    let scene = scene(context, caller, view, None, lang).await?;
    Ok(tag.on(plain(text::text(&scene, Charset::Unicode), lang)))
}

/// A board in an answer of another kind.
pub(super) async fn drawn(
    context: &Context,
    caller: &Caller,
    view: &View,
    lang: Lang,
) -> Result<String, ApiError> {
    let scene = scene(context, caller, view, None, lang).await?;
    Ok(text::text(&scene, Charset::Unicode))
}

fn plain(text: String, lang: Lang) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(language::header(lang))
        .content_type("text/plain; charset=utf-8")
        .body(text)
}

fn tag(view: &View, caller: &Caller, format: &str, lang: Lang, query: &str) -> Tag {
    Tag::of_game(
        view.table.game.progress.version,
        caller,
        format,
        lang,
        query,
    )
}

/// What there is to draw.
async fn scene(
    context: &Context,
    caller: &Caller,
    view: &View,
    pov: Option<Seat>,
    lang: Lang,
) -> Result<Scene, ApiError> {
    let game = &view.table.game;
    let last = {
        let mut db = context.pool.acquire().await?;
        log::last_choices(&mut db, game, view.ply).await?
    };
    let stage = match (view.status(), view.state.result(), view.to_move.as_slice()) {
        ("open", ..) => Stage::Open,
        ("opening", _, owing) => Stage::Opening(owing.to_vec()),
        ("playing", _, [mover]) => Stage::Playing(*mover),
        (_, Some(outcome), _) => Stage::Finished(*outcome),
        _ => Stage::Aborted,
    };
    let rounds = match view.state.rules() {
        Rules::Congkak(rules) if rules.max_rounds != Some(1) => Some(rules.max_rounds),
        _ => None,
    };
    let clock = |seat: Seat| {
        let mut clocks = view.table.clocks.iter();
        clocks.find(|clock| clock.seat == seat.as_str())?.deadline
    };
    Ok(Scene {
        board: view.state.position().board,
        stores: matches!(view.state.rules(), Rules::Congkak(_)),
        names: Sides::from_fn(|seat| seated(&view.table, seat)?.player),
        stage,
        deadlines: Sides::from_fn(|seat| clock(seat).filter(|_| view.present)),
        last,
        round: rounds.map(|most| (view.state.round(), most)),
        past: (!view.present).then_some(view.ply),
        pov: pov
            .or_else(|| view.table.seat_of(caller))
            .unwrap_or(Seat::South),
        lang,
    })
}
