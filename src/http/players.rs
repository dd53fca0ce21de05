//! Players as everybody sees them, and signing up.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, get, post, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Context;
use super::asking::Reading;
use super::error::{ApiError, Problem};
use super::lists::{GameList, PageQuery, StatusWord};
use super::me::TokenState;
use super::once::{Created, IdempotencyKey, Once};
use super::params::{self, Query};
use super::time::Time;
use crate::db;
use crate::db::players::Player;
use crate::db::pool;
use crate::play::{lists, players};

/// Somebody who signs up.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "siti" }))]
pub struct SignUp {
    /// The handle: letters, digits, `_` and `-`; unique without regard to case.
    #[schema(min_length = 2, max_length = 30, pattern = "^[A-Za-z0-9_-]{2,30}$")]
    name: String,
    /// A person, if left out.
    #[serde(default)]
    kind: PlayerKind,
}

/// What kind of player.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlayerKind {
    /// A person.
    #[default]
    Human,
    /// A program.
    Bot,
}

/// A player as everybody sees them.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlayerState {
    /// A UUIDv7; it stays when the player leaves.
    id: Uuid,
    /// The handle.
    handle: Option<String>,
    /// What kind of player.
    kind: PlayerKind,
    /// Where the player's games are.
    #[schema(format = "uri")]
    games_url: String,
    /// When they signed up.
    created_at: Time,
    /// Until when they are on holiday; null: they are not.
    vacation_until: Option<Time>,
}

impl PlayerState {
    pub(super) fn new(player: &Player, context: &Context) -> PlayerState {
        let handle = player.handle.as_deref().unwrap_or_default();
        PlayerState {
            id: player.player_id,
            games_url: format!("{}/v1/players/{handle}/games", context.public_url),
            handle: player.handle.clone(),
            kind: if player.kind == "bot" {
                PlayerKind::Bot
            } else {
                PlayerKind::Human
            },
            created_at: Time(player.created_at),
            vacation_until: player.vacation_until.map(Time),
        }
    }
}

/// A new player.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignedUp {
    /// The player.
    player: PlayerState,
    /// The first token's facts.
    token: TokenState,
    /// The token: shown this once, and not to be restored when it is lost. Make
    /// a second one with `POST /v1/me/tokens` and keep it elsewhere.
    #[schema(example = "mp_Zk3…")]
    secret: String,
}

/// A player's public games by where they stand.
#[derive(Debug, Serialize, ToSchema)]
pub struct PublicCounts {
    /// Games that are not over.
    running: i64,
    /// Games that are.
    over: i64,
}

/// A player and how much they play.
#[derive(Debug, Serialize, ToSchema)]
pub struct Profile {
    /// The player.
    player: PlayerState,
    /// Their public games.
    games: PublicCounts,
}

/// Whether a text is a handle.
pub(super) fn handle(name: &str) -> Result<(), ApiError> {
    match players::is_handle(name) {
        true => Ok(()),
        false => Err(params::bad(
            "name",
            "must have 2 to 30 letters (A to Z), digits, underscores and hyphens",
        )),
    }
}

/// Sign up: a handle and a first token
///
/// The token has the scopes `read`, `play` and `webhooks`, a bot's also `act`.
#[utoipa::path(tag = "players", operation_id = "createPlayer", request_body = SignUp, security((), ("token" = [])),
    params(IdempotencyKey),
    responses(
        (status = 201, description = "The player and the token", body = SignedUp,
         headers(("Location" = String, description = "The player's URL"))),
        (status = 409, description = "`handle_taken`, `key_running`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`key_reused`", body = Problem, content_type = "application/problem+json"),
    ))]
#[post("/v1/players")]
pub(crate) async fn sign_up(
    context: web::Data<Context>,
    _caller: Reading,
    once: Once<SignUp>,
) -> Result<HttpResponse, ApiError> {
    let (body, once) = once.split();
    handle(&body.name)?;
    once.answer(&context, async |db| {
        let new = players::sign_up(db, &body.name, body.kind == PlayerKind::Bot).await?;
        Ok(Created {
            status: StatusCode::CREATED,
            location: Some(format!("{}/v1/players/{}", context.public_url, body.name)),
            replayed: false,
            body: SignedUp {
                player: PlayerState::new(&new.player, &context),
                token: TokenState::new(&new.token, None),
                secret: new.secret,
            },
        })
    })
    .await
}

/// A player
#[utoipa::path(tag = "players", operation_id = "getPlayer",
    params(("handle" = String, Path, description = "A handle, in whatever case")),
    responses(
        (status = 200, description = "The player", body = Profile),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`unknown_player`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/players/{handle}")]
pub(crate) async fn show(
    context: web::Data<Context>,
    _caller: Reading,
    handle: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let mut db = pool::snapshot(&context.pool).await?;
    let player = players::by_handle(&mut db, &handle).await?;
    let counts = db::lists::counts(&mut db, player.player_id, false).await?;
    Ok(HttpResponse::Ok().json(Profile {
        player: PlayerState::new(&player, &context),
        games: PublicCounts {
            running: counts.running,
            over: counts.over,
        },
    }))
}

/// A player's public games, newest first; the player's own token shows all
#[utoipa::path(tag = "players", operation_id = "listPlayerGames",
    params(("handle" = String, Path, description = "A handle, in whatever case"), PageQuery),
    responses(
        (status = 200, description = "A page of games", body = GameList),
        (status = 304, description = "The client has it: `If-None-Match` named its `ETag`"),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`unknown_player`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/players/{handle}/games")]
pub(crate) async fn games(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(caller): Reading,
    handle: web::Path<String>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let mut db = pool::snapshot(&context.pool).await?;
    let player = players::by_handle(&mut db, &handle).await?;
    let status = query.status.map(StatusWord::as_str);
    let list = query.list(&format!("player {}", player.player_id))?;
    let page = lists::of_player(
        &mut db,
        &caller,
        player.player_id,
        status,
        list.after,
        list.limit,
    )
    .await?;
    list.answer(&request, &context, &caller, page)
}
