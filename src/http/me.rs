//! The player behind the token: their games, tokens, leaving.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::Context;
use super::asking::{Anyhow, Me, Myself, MyselfPlaying, Owner};
use super::error::{ApiError, Problem};
use super::holidays::VacationState;
use super::lists::{GameList, List, StatusWord};
use super::once::{Created, IdempotencyKey, Once};
use super::params::{self, Query, bad, exact};
use super::players::PlayerState;
use super::time::Time;
use crate::db;
use crate::db::pool;
use crate::db::tokens::Token;
use crate::play::who::SCOPES;
use crate::play::{Caller, PlayError, lists, players, vacations};

/// What a token may be good for.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[allow(dead_code)]
pub enum Scope {
    /// Reading.
    Read,
    /// Playing, and changing the account.
    Play,
    /// Webhooks.
    Webhooks,
    /// Acting for managed players.
    Act,
}

/// A token without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenState {
    /// Names it, for revoking.
    id: Uuid,
    /// What it is good for.
    #[schema(value_type = Vec<Scope>)]
    scopes: Vec<String>,
    /// The owner's name for it.
    label: Option<String>,
    /// When it was made.
    created_at: Time,
    /// When it ends; null: never.
    expires_at: Option<Time>,
    /// Whether this request came with it.
    current: bool,
}

impl TokenState {
    pub(super) fn new(token: &Token, current: Option<Uuid>) -> TokenState {
        TokenState {
            id: token.token_id,
            scopes: token.scopes.clone(),
            label: token.label.clone(),
            created_at: Time(token.created_at),
            expires_at: token.expires_at.map(Time),
            current: current == Some(token.token_id),
        }
    }
}

/// The player behind the token.
#[derive(Debug, Serialize, ToSchema)]
pub struct MyAccount {
    /// As everybody sees them.
    player: PlayerState,
    /// What this token is good for.
    #[schema(value_type = Vec<Scope>)]
    scopes: Vec<String>,
    /// When this token ends; null: never.
    expires_at: Option<Time>,
    /// The player's games by where they stand.
    games: MyCounts,
    /// The player's holiday.
    vacation: VacationState,
}

/// A player's games by where they stand.
#[derive(Debug, Serialize, ToSchema)]
pub struct MyCounts {
    /// Running games in which the player owes a choice.
    my_turn: i64,
    /// Invitations by name that wait for an answer.
    invitations: i64,
    /// Games that are open or running.
    running: i64,
    /// Games that are over.
    over: i64,
}

/// The player's tokens.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenList {
    /// Oldest first; the expired ones too.
    items: Vec<TokenState>,
}

/// A further token.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {
    /// What it shall be good for: never more than this request's token is.
    #[schema(value_type = Vec<Scope>, min_items = 1, example = json!(["read", "play"]))]
    scopes: Vec<String>,
    /// A name for it.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$"
    )]
    label: Option<String>,
    /// When it shall end; never later than this request's token does.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<DateTime<Utc>>,
}

/// A token with its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewToken {
    /// Its facts.
    token: TokenState,
    /// The token: shown this once.
    secret: String,
}

/// Who am I, what may this token do, what waits for me
#[utoipa::path(tag = "me", operation_id = "getMe",
    responses(
        (status = 200, description = "The player", body = MyAccount),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[get("/v1/me")]
pub(crate) async fn show(
    context: web::Data<Context>,
    Me(identity): Me,
) -> Result<HttpResponse, ApiError> {
    let mut db = pool::snapshot(&context.pool).await?;
    let player = db::players::find(&mut db, identity.player_id).await?;
    let player = player.ok_or_else(|| PlayError::Corrupt("a token without its player".into()))?;
    let counts = db::lists::counts(&mut db, identity.player_id, true).await?;
    let holiday = vacations::show(&mut db, identity.player_id).await?;
    Ok(HttpResponse::Ok().json(MyAccount {
        player: PlayerState::new(&player, &context),
        scopes: identity.scopes,
        expires_at: identity.expires_at.map(Time),
        games: MyCounts {
            my_turn: counts.my_turn,
            invitations: counts.invitations,
            running: counts.running,
            over: counts.over,
        },
        vacation: VacationState::new(&holiday),
    }))
}

/// Leave: running games are resigned, handle, tokens and messages go
///
/// Games in which not both have chosen are aborted. The games stay under an id
/// that names nobody.
#[utoipa::path(tag = "me", operation_id = "deleteMe",
    responses(
        (status = 204, description = "The account is gone"),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[delete("/v1/me")]
pub(crate) async fn leave(
    context: web::Data<Context>,
    Owner(identity): Owner,
) -> Result<HttpResponse, ApiError> {
    players::leave(&context.pool, &identity).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// My tokens, without their secrets
#[utoipa::path(tag = "me", operation_id = "listTokens",
    responses(
        (status = 200, description = "All of them", body = TokenList),
        (status = 403, description = "`seat_token`, `missing_scope`, `acting`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[get("/v1/me/tokens")]
pub(crate) async fn tokens(
    context: web::Data<Context>,
    Myself(identity): Myself,
) -> Result<HttpResponse, ApiError> {
    let mut db = pool::snapshot(&context.pool).await?;
    let tokens = db::tokens::of_player(&mut db, identity.player_id).await?;
    let state = |token| TokenState::new(token, Some(identity.token_id));
    Ok(HttpResponse::Ok().json(TokenList {
        items: tokens.iter().map(state).collect(),
    }))
}

/// Make a further token, good for no more than this one
#[utoipa::path(tag = "me", operation_id = "createToken", request_body = TokenRequest,
    params(IdempotencyKey),
    responses(
        (status = 201, description = "The token", body = NewToken),
        (status = 403, description = "`seat_token`, `missing_scope`, `acting`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`too_many_tokens`, `key_running`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`key_reused`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/me/tokens")]
pub(crate) async fn make_token(
    context: web::Data<Context>,
    MyselfPlaying(identity): MyselfPlaying,
    once: Once<TokenRequest>,
) -> Result<HttpResponse, ApiError> {
    let (body, once) = once.split();
    let label = params::text("label", body.label, 100)?;
    let scopes = scopes(body.scopes, &identity.scopes)?;
    once.answer(&context, async |db| {
        let now = db::now(db).await?;
        if body.expires_at.is_some_and(|at| at <= now) {
            return Err(bad("expires_at", "lies in the past"));
        }
        let (token, secret) =
            players::new_player_token(db, &identity, scopes, label, body.expires_at).await?;
        Ok(Created {
            status: StatusCode::CREATED,
            location: None,
            replayed: false,
            body: NewToken {
                token: TokenState::new(&token, None),
                secret,
            },
        })
    })
    .await
}

/// The scopes of a new token, in their usual order.
fn scopes(asked: Vec<String>, own: &[String]) -> Result<Vec<String>, ApiError> {
    if let Some(unknown) = asked.iter().find(|scope| !SCOPES.contains(&scope.as_str())) {
        return Err(bad(
            "scopes",
            &format!(
                "there is no scope {unknown:?}; there are {}",
                SCOPES.join(", ")
            ),
        ));
    }
    if asked.is_empty() {
        return Err(bad("scopes", "must name at least one scope"));
    }
    let asked: Vec<&str> = SCOPES
        .into_iter()
        .filter(|s| asked.iter().any(|a| a == s))
        .collect();
    match asked
        .iter()
        .find(|scope| !own.iter().any(|has| has == *scope))
    {
        Some(scope) => Err(ApiError::MissingScope(scope)),
        None => Ok(asked.into_iter().map(str::to_owned).collect()),
    }
}

/// Revoke one of my tokens; a token may always revoke itself
#[utoipa::path(tag = "me", operation_id = "deleteToken",
    params(("token_id" = Uuid, Path, description = "A token's `id`")),
    responses(
        (status = 204, description = "It opens nothing any more"),
        (status = 403, description = "`seat_token`, `missing_scope`, `acting`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`unknown_token`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[delete("/v1/me/tokens/{token_id}")]
pub(crate) async fn revoke(
    context: web::Data<Context>,
    Anyhow(identity): Anyhow,
    token_id: web::Path<String>,
) -> Result<HttpResponse, ApiError> {
    let token_id: Uuid = exact(&token_id).ok_or_else(|| bad("token_id", "not a token's id"))?;
    let caller = Caller::Player(identity.clone());
    if token_id != identity.token_id && !caller.has("play") {
        return Err(ApiError::MissingScope("play"));
    }
    let mut db = context.pool.acquire().await?;
    match players::revoke(&mut db, &identity, token_id).await? {
        true => Ok(HttpResponse::NoContent().finish()),
        false => Err(PlayError::NoSuchToken.into()),
    }
}

/// Which of my games.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct MyGamesQuery {
    /// `mine`: the games that wait for me, most urgent first: a choice, an
    /// invitation's or an offer's answer is owed. First by deadline, then those
    /// in which no clock of mine runs or it stands still, by how long they wait.
    #[param(inline)]
    turn: Option<TurnWord>,
    /// Only games that stand so; not with `turn`.
    #[param(inline)]
    status: Option<StatusWord>,
    /// Games of a page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// A page's `next_cursor`: the games after that page.
    cursor: Option<String>,
}

/// Whose turn.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnWord {
    /// Mine.
    Mine,
}

/// My games: all, newest first, or those that wait for me, most urgent first
#[utoipa::path(tag = "me", operation_id = "listMyGames", params(MyGamesQuery),
    responses(
        (status = 200, description = "A page of games", body = GameList,
         headers(("Link" = String, description = "The next page, `rel=\"next\"`"))),
        (status = 304, description = "The client has it: `If-None-Match` named its `ETag`"),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[get("/v1/me/games")]
pub(crate) async fn games(
    request: HttpRequest,
    context: web::Data<Context>,
    Me(identity): Me,
    Query(query): Query<MyGamesQuery>,
) -> Result<HttpResponse, ApiError> {
    let player_id = identity.player_id;
    let caller = Caller::Player(identity);
    let status = query.status.map(StatusWord::as_str);
    let (turn, cursor) = (
        query.turn.map(|TurnWord::Mine| "mine"),
        query.cursor.as_deref(),
    );
    if turn.is_some() && status.is_some() {
        return Err(bad("status", "cannot stand beside `turn`"));
    }
    let filters = [("turn", turn), ("status", status)];
    let filters = filters
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned())));
    let list = List::new(
        &format!("of {player_id}"),
        filters.collect(),
        query.limit,
        cursor,
    )?;
    let mut db = pool::snapshot(&context.pool).await?;
    let page = match turn {
        Some(_) => lists::waiting_for(&mut db, &caller, player_id, list.after, list.limit).await?,
        None => {
            lists::of_player(&mut db, &caller, player_id, status, list.after, list.limit).await?
        }
    };
    list.answer(&request, &context, &caller, page)
}
