//! Games: a new one, its state, giving it up.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, get, post, web};
use mancala_rules::{Position, Seat, Sides, preset};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Schema, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::asking::{Known, Playing, Reading};
use super::caching::Tag;
use super::clocks::ClockInput;
use super::error::{ApiError, Problem};
use super::forms::{self, RuleValue, given};
use super::language::Language;
use super::once::{Created, IdempotencyKey, Once};
use super::params::{self, GameId, Query};
use super::state::{GameState, Visibility};
use super::{Context, accept, boards, clocks};
use crate::play::create::{self, NewGame, Opponent, Tokens};
use crate::play::{Caller, PlayError, endings};

const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

/// A game to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "ruleset": "congkak", "rules": { "houses": 5 } }))]
pub struct CreateGame {
    /// A preset's name: `GET /v1/rulesets` lists them.
    #[schema(example = "congkak")]
    ruleset: String,
    /// Parameters that differ from the preset.
    #[schema(value_type = BTreeMap<String, RuleValue>, example = json!({ "houses": 5 }))]
    #[serde(default, deserialize_with = "forms::distinct")]
    rules: Map<String, Value>,
    /// Another start than the usual one: position text, or JSON as in a state.
    #[schema(value_type = Option<StartInput>)]
    #[serde(default)]
    start: Option<Value>,
    /// The creator's seat; by lot if left out.
    #[serde(default)]
    seat: SeatWish,
    /// Who is to have the other seat. Left out: whoever the creator hands its
    /// token to; the game starts at once.
    opponent: Option<OpponentInput>,
    /// How long choices may take; as long as they like, if left out.
    clock: Option<ClockInput>,
    /// Whether a player's holiday stops the player's clock.
    #[serde(default = "yes")]
    #[schema(default = true)]
    allow_vacation: bool,
    /// Who may read the game; anyone, if left out.
    visibility: Option<Visibility>,
    /// A name for the game.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$"
    )]
    label: Option<String>,
    /// A reference of the creator's own, shown to nobody else.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$"
    )]
    external_ref: Option<String>,
}

fn yes() -> bool {
    true
}

/// A creator's seat.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeatWish {
    /// South.
    South,
    /// North.
    North,
    /// By lot, when the game starts.
    #[default]
    Random,
}

/// Who is to have the other seat: one of these.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpponentInput {
    #[serde(default, deserialize_with = "given")]
    player: Option<String>,
    #[serde(default, deserialize_with = "given")]
    open: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    invite: Option<bool>,
}

impl PartialSchema for OpponentInput {
    fn schema() -> RefOr<Schema> {
        let form = |meaning, field| forms::form(meaning, vec![field], Vec::new());
        let yes = || forms::only(Type::Boolean, true);
        let forms = vec![
            form(
                "The player of this handle, who must join.",
                ("player", String::schema()),
            ),
            form(
                "Anyone: the game is in the lobby until somebody joins.",
                ("open", yes()),
            ),
            form(
                "Whoever brings the invite token that the answer holds.",
                ("invite", yes()),
            ),
        ];
        forms::one_of("Who is to have the other seat.", forms)
    }
}

impl ToSchema for OpponentInput {}

fn opponent(input: Option<OpponentInput>) -> Result<Opponent, ApiError> {
    let Some(input) = input else {
        return Ok(Opponent::TokenHolder);
    };
    match (input.player, input.open, input.invite) {
        (Some(handle), None, None) => Ok(Opponent::Player(handle)),
        (None, Some(true), None) => Ok(Opponent::Open),
        (None, None, Some(true)) => Ok(Opponent::Invited),
        _ => Err(params::bad(
            "opponent",
            "takes one of `player` (a handle), `open` (true) and `invite` (true)",
        )),
    }
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
#[serde(deny_unknown_fields)]
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
    /// The secret token of each seat, where nobody else is to join: shown this
    /// once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    seat_tokens: Option<Sides<String>>,
    /// The creator's own secret token, where somebody is to join and the creator
    /// has no account: good for whatever seat is drawn, shown this once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    seat_token: Option<String>,
    /// What the invited one sends to join: good once, shown this once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    invite_token: Option<String>,
}

impl CreatedGame {
    fn new(created: create::Created, context: &Context) -> CreatedGame {
        let game = GameState::new(&created.view, &context.public_url);
        let (seat_tokens, seat_token, invite_token) = match created.tokens {
            Tokens::Both { south, north } => (Some(Sides { south, north }), None, None),
            Tokens::Own { seat, invite } => (None, seat, invite),
        };
        CreatedGame {
            game,
            seat_tokens,
            seat_token,
            invite_token,
        }
    }
}

/// A new game
///
/// Without `opponent` it starts at once, with a secret token for each seat. With
/// one it is `open` until the other seat is taken. A token is not needed: a
/// creator without an account gets a token for the own seat.
#[utoipa::path(tag = "games", operation_id = "createGame", request_body = CreateGame,
    params(IdempotencyKey),
    responses(
        (status = 201, description = "The game and its secrets", body = CreatedGame,
         headers(("Location" = String, description = "The game's URL"))),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`key_running`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`bad_rules`, `bad_start`, `bad_invitation`, `key_reused`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[post("/v1/games")]
pub(crate) async fn make(
    context: web::Data<Context>,
    Playing(caller): Playing,
    once: Once<CreateGame>,
) -> Result<HttpResponse, ApiError> {
    let (body, once) = once.split();
    let preset = preset(&body.ruleset).ok_or_else(|| unknown_ruleset(&body.ruleset))?;
    let new = NewGame {
        preset,
        overrides: body.rules,
        start: read_start(body.start.as_ref())?,
        seat: match body.seat {
            SeatWish::South => Some(Seat::South),
            SeatWish::North => Some(Seat::North),
            SeatWish::Random => None,
        },
        opponent: opponent(body.opponent)?,
        clock: clocks::read(body.clock)?,
        allow_vacation: body.allow_vacation,
        open_for: context.open_for,
        private: body.visibility == Some(Visibility::Private),
        label: params::text("label", body.label, 100)?,
        external_ref: params::text("external_ref", body.external_ref, 100)?,
    };
    // A seat's token is no account: its holder makes games like anybody.
    let caller = match caller {
        Caller::Player(identity) => Caller::Player(identity),
        Caller::Seat { .. } | Caller::Nobody => Caller::Nobody,
    };
    once.answer(&context, async |db| {
        let created = create::create(db, &caller, new).await?;
        let id = created.view.table.game.game_id;
        Ok(Created {
            status: StatusCode::CREATED,
            location: Some(format!("{}/v1/games/{id}", context.public_url)),
            replayed: false,
            body: CreatedGame::new(created, &context),
        })
    })
    .await
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
///
/// As `text/plain` it is a board for a chat window, such as `board.txt` draws.
#[utoipa::path(tag = "games", operation_id = "getGame",
    params(("id" = Uuid, Path, description = "The game"), AtPly),
    responses(
        (status = 200, description = "The state", content(
            (GameState = "application/json"), (String = "text/plain"))),
        (status = 304, description = "The client has it: `If-None-Match` named its `ETag`"),
        (status = 403, description = "`missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`, `unknown_ply`", body = Problem, content_type = "application/problem+json"),
    ), security((), ("token" = [])))]
#[get("/v1/games/{id}")]
pub(crate) async fn show(
    request: HttpRequest,
    context: web::Data<Context>,
    Reading(caller): Reading,
    GameId(id): GameId,
    Language(lang): Language,
    Query(query): Query<AtPly>,
) -> Result<HttpResponse, ApiError> {
    let format = accept::choose(request.headers(), &[JSON, TEXT])?;
    let view = boards::find(&context, &caller, id, query.at_ply).await?;
    let version = view.table.game.progress.version;
    let part = query
        .at_ply
        .map_or("state".into(), |ply| format!("state {ply}"));
    let tag = Tag::of_game(version, &caller, format, lang, &part);
    if format == TEXT {
        return boards::text(&request, &context, &caller, lang, &tag, &view).await;
    }
    tag.answer(&request, || {
        Ok(HttpResponse::Ok().json(GameState::new(&view, &context.public_url)))
    })
}

/// Give the game up, on either seat's turn; in rounds the whole series
///
/// Sent again by the same seat it changes nothing and is 200 too.
#[utoipa::path(tag = "games", operation_id = "resign",
    params(("id" = Uuid, Path, description = "The game")),
    responses(
        (status = 200, description = "The game, which the other seat has won", body = GameState),
        (status = 403, description = "`not_seated`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_started`, `game_over`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/games/{id}/resign")]
pub(crate) async fn resign(
    context: web::Data<Context>,
    Known(caller): Known,
    GameId(id): GameId,
) -> Result<HttpResponse, ApiError> {
    let view = endings::resign(&context.pool, &caller, id, None).await?;
    Ok(HttpResponse::Ok().json(GameState::new(&view, &context.public_url)))
}
