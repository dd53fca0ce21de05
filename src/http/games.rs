//! Games: a new one, its state, giving it up.

use actix_web::http::header::LOCATION;
use actix_web::{HttpResponse, get, post, web};
use mancala_rules::{Position, Seat, Sides, preset};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::Context;
use super::asking::{Asking, Known};
use super::error::{ApiError, Problem};
use super::params::{self, Body, GameId, Query};
use super::state::{GameState, Visibility};
use crate::play::create::NewGame;
use crate::play::{self, PlayError, endings, view};

/// A game to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateGame {
    /// A preset's name: `GET /v1/rulesets` lists them.
    #[schema(example = "congkak")]
    ruleset: String,
    /// Parameters that differ from the preset.
    #[schema(value_type = Object, example = json!({ "houses": 5 }))]
    #[serde(default)]
    rules: Map<String, Value>,
    /// Another start than the usual one: position text, or JSON as in a state.
    #[schema(value_type = Option<StartInput>)]
    #[serde(default)]
    start: Option<Value>,
    /// Who may read the game; anyone, if left out.
    visibility: Option<Visibility>,
    /// A name for the game.
    #[schema(min_length = 1, max_length = 100)]
    label: Option<String>,
}

/// A start other than the usual one.
#[derive(ToSchema)]
#[serde(untagged)]
#[allow(dead_code)]
pub enum StartInput {
    /// Position text, such as a state's `position`.
    Text(String),
    /// As in a state.
    Object(StartObject),
}

/// A start as JSON: `board`, `to_move`, `round`, `starter` and `opening` as in
/// a state.
#[derive(ToSchema)]
#[allow(dead_code)]
pub struct StartObject {
    /// Houses, stores, burnt houses and hands.
    board: Sides<mancala_rules::Row>,
    /// Seats that owe a choice.
    to_move: Vec<Seat>,
    /// 1 if left out.
    #[schema(minimum = 1)]
    round: Option<u16>,
    /// The seat to move if left out.
    starter: Option<Seat>,
    /// An unfinished simultaneous opening.
    opening: Option<mancala_rules::OpeningView>,
}

/// Reads a start.
pub(super) fn read_start(start: Option<&Value>) -> Result<Option<Position>, ApiError> {
    let position = start.map(Position::from_json_start).transpose();
    position.map_err(|cause| PlayError::from(cause).into())
}

/// A new game.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreatedGame {
    /// Its state.
    game: GameState,
    /// The secret token of each seat, shown this once: hand one to each player.
    seat_tokens: Sides<String>,
}

/// A new game without accounts: one secret token for each seat
#[utoipa::path(tag = "games", operation_id = "createGame", request_body = CreateGame,
    responses(
        (status = 201, description = "The game and its seats' tokens", body = CreatedGame,
         headers(("Location" = String, description = "The game's URL"))),
        (status = 422, description = "`bad_rules`, `bad_start`", body = Problem, content_type = "application/problem+json"),
    ))]
#[post("/v1/games")]
pub(crate) async fn create(
    context: web::Data<Context>,
    _caller: Asking,
    Body(body): Body<CreateGame>,
) -> Result<HttpResponse, ApiError> {
    let preset = preset(&body.ruleset).ok_or_else(|| unknown_ruleset(&body.ruleset))?;
    let new = NewGame {
        preset,
        overrides: body.rules,
        start: read_start(body.start.as_ref())?,
        private: body.visibility == Some(Visibility::Private),
        label: params::text("label", body.label, 100)?,
    };
    let created = play::create::create(&context.pool, new).await?;
    let [south, north] = created.tokens;
    let game = GameState::new(&created.view, &context.public_url);
    let location = format!(
        "{}/v1/games/{}",
        context.public_url, created.view.game.game_id
    );
    Ok(HttpResponse::Created()
        .insert_header((LOCATION, location))
        .json(CreatedGame {
            game,
            seat_tokens: Sides { south, north },
        }))
}

/// In a body an unknown ruleset is a value that cannot be played.
fn unknown_ruleset(name: &str) -> ApiError {
    let known: Vec<_> = mancala_rules::presets()
        .iter()
        .map(|preset| preset.name)
        .collect();
    ApiError::BadRuleset {
        name: name.to_owned(),
        known: known.join(", "),
    }
}

/// Which state.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct AtPly {
    /// The state after this row of the log; 0 is the start.
    #[param(minimum = 0)]
    at_ply: Option<i64>,
}

/// A game's state, now or after an earlier row of its log
#[utoipa::path(tag = "games", operation_id = "getGame",
    params(("id" = Uuid, Path, description = "The game"), AtPly),
    responses(
        (status = 200, description = "The state", body = GameState),
        (status = 404, description = "`not_found`, `unknown_ply`", body = Problem, content_type = "application/problem+json"),
    ))]
#[get("/v1/games/{id}")]
pub(crate) async fn show(
    context: web::Data<Context>,
    Asking(caller): Asking,
    GameId(id): GameId,
    Query(query): Query<AtPly>,
) -> Result<HttpResponse, ApiError> {
    let mut db = context.pool.acquire().await?;
    let view = match query.at_ply {
        None => view::present(&mut db, &caller, id).await?,
        Some(ply) => view::past(&mut db, &caller, id, ply).await?,
    };
    Ok(HttpResponse::Ok().json(GameState::new(&view, &context.public_url)))
}

/// Give the game up, on either seat's turn; in rounds the whole series
///
/// Sent again by the same seat it changes nothing and is 200 too.
#[utoipa::path(tag = "games", operation_id = "resign",
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 200, description = "The game, which the other seat has won", body = GameState),
        (status = 403, description = "`not_seated`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`, `game_over`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/games/{id}/resign")]
pub(crate) async fn resign(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
) -> Result<HttpResponse, ApiError> {
    let view = endings::resign(&context.pool, &caller, id).await?;
    Ok(HttpResponse::Ok().json(GameState::new(&view, &context.public_url)))
}
