//! Webhooks: where a player wants to be told, by what secret, and whether it works.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, delete, get, patch, post, web};
use serde::Deserialize;
use sqlx::PgConnection;
use tokio::sync::Semaphore;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Context;
use super::asking::{self, Subscriber};
use super::error::{ApiError, Problem};
use super::forms::given;
use super::language::LanguageWord;
use super::messages::TestMessage;
use super::once::{Created, IdempotencyKey, Once};
use super::params::{Body, WebhookId, bad};
use super::webhook::{EventWord, NewSecret, TestOutcome, WebhookList, WebhookState};
use crate::db;
use crate::db::events::Kind;
use crate::db::pool;
use crate::notify::webhooks::address;
use crate::play::Caller;
use crate::play::webhooks::{self, Change, New, Scope, WithSecret};
use crate::render::words::Lang;

/// Tests that are sent at once.
static TESTS: Semaphore = Semaphore::const_new(16);

/// A body without fields.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A webhook to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookRequest {
    /// Where to: `https://`, an address of the public internet.
    #[schema(
        format = "uri",
        max_length = 2000,
        example = "https://bot.example.org/mancala"
    )]
    url: String,
    /// Only this game, in which the player has a seat.
    game_id: Option<Uuid>,
    /// Also the games of the players whom this bot plays for; needs the scope `act`.
    all: Option<bool>,
    /// Only these types of events.
    #[schema(value_type = Option<Vec<EventWord>>, min_items = 1,
             example = json!(["turn.started", "game.finished"]))]
    events: Option<Vec<String>>,
    /// The language of titles and summaries; `en` if left out.
    #[schema(value_type = Option<LanguageWord>)]
    language: Option<String>,
}

/// What is to change; what is left out, or null, stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookChange {
    /// Where to.
    #[schema(format = "uri", max_length = 2000)]
    url: Option<String>,
    /// Only these types of events; null: all.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Vec<EventWord>>, min_items = 1)]
    events: Option<Option<Vec<String>>>,
    /// The language of titles and summaries.
    #[schema(value_type = Option<LanguageWord>)]
    language: Option<String>,
    /// False: nothing is sent. True: what waited is, and what happens from now on.
    enabled: Option<bool>,
}

fn url(text: &str, context: &Context) -> Result<String, ApiError> {
    let url = address::check(text, context.sender.is_private());
    url.map(String::from).map_err(ApiError::BadWebhookUrl)
}

/// Known types of events, each once, in their usual order.
fn events(asked: Vec<String>) -> Result<Vec<String>, ApiError> {
    let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    if let Some(unknown) = asked.iter().find(|kind| !known.contains(&kind.as_str())) {
        let known = known.join(", ");
        return Err(bad(
            "events",
            &format!("there is no type {unknown:?}; there are {known}"),
        ));
    }
    if asked.is_empty() {
        return Err(bad("events", "must name at least one type"));
    }
    let asked = known
        .into_iter()
        .filter(|kind| asked.iter().any(|a| a == kind));
    Ok(asked.map(ToOwned::to_owned).collect())
}

/// One that there are words in.
fn language(text: String) -> Result<String, ApiError> {
    match Lang::named(&text) {
        Some(_) => Ok(text),
        None => {
            let known: Vec<_> = Lang::all().map(Lang::tag).collect();
            let why = format!(
                "there is no language {text:?}; there are {}",
                known.join(", ")
            );
            Err(bad("language", &why))
        }
    }
}

async fn with_secret(
    db: &mut PgConnection,
    made: WithSecret,
    context: &Context,
) -> Result<Created<NewSecret>, ApiError> {
    let id = made.webhook.webhook_id;
    Ok(Created {
        status: StatusCode::CREATED,
        location: Some(format!("{}/v1/webhooks/{id}", context.public_url)),
        replayed: false,
        body: NewSecret::read(db, made).await?,
    })
}

/// Have events sent to an address
///
/// What is told from now on, as messages of Standard Webhooks: at least once, a
/// game's in order, tried again for about a day. The secret that they are signed
/// with is shown this once.
#[utoipa::path(tag = "webhooks", operation_id = "createWebhook", request_body = WebhookRequest,
    params(IdempotencyKey),
    responses(
        (status = 201, description = "The webhook and its secret", body = NewSecret,
         headers(("Location" = String, description = "The webhook"))),
        (status = 403, description = "`seat_token`, `missing_scope`, `acting`, `not_seated`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`too_many_webhooks`, `key_running`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`bad_webhook_url`, `key_reused`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/webhooks")]
pub(crate) async fn make(
    context: web::Data<Context>,
    Subscriber(identity): Subscriber,
    once: Once<WebhookRequest>,
) -> Result<HttpResponse, ApiError> {
    let (body, once) = once.split();
    let scope = match (body.game_id, body.all.unwrap_or(false)) {
        (Some(_), true) => return Err(bad("all", "cannot stand beside `game_id`")),
        (Some(game_id), false) => Scope::Game(game_id),
        (None, true) => {
            // A bot that may act for others, and does not just now.
            let caller = Caller::Player(identity.clone());
            asking::itself(caller).and_then(asking::may_act)?;
            Scope::All
        }
        (None, false) => Scope::Player,
    };
    let new = New {
        scope,
        events: body.events.map(events).transpose()?,
        language: language(
            body.language
                .unwrap_or_else(|| Lang::default().tag().into()),
        )?,
        url: url(&body.url, &context)?,
    };
    once.answer(&context, async |db| {
        let made = webhooks::create(db, &identity, new).await?;
        with_secret(db, made, &context).await
    })
    .await
}

/// My webhooks
#[utoipa::path(tag = "webhooks", operation_id = "listWebhooks",
    responses(
        (status = 200, description = "All of them", body = WebhookList),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[get("/v1/webhooks")]
pub(crate) async fn list(
    context: web::Data<Context>,
    Subscriber(identity): Subscriber,
) -> Result<HttpResponse, ApiError> {
    let mut db = pool::snapshot(&context.pool).await?;
    let found = db::webhooks::of_player(&mut db, identity.player_id).await?;
    let ids: Vec<Uuid> = found.iter().map(|webhook| webhook.webhook_id).collect();
    let dates = db::webhooks::secret_dates(&mut db, &ids).await?;
    let items = found
        .into_iter()
        .map(|webhook| WebhookState::new(webhook, &dates));
    Ok(HttpResponse::Ok().json(WebhookList {
        items: items.collect(),
    }))
}

/// One of my webhooks
#[utoipa::path(tag = "webhooks", operation_id = "getWebhook",
    params(("id" = Uuid, Path, description = "The webhook")),
    responses(
        (status = 200, description = "The webhook", body = WebhookState),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`unknown_webhook`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[get("/v1/webhooks/{id}")]
pub(crate) async fn show(
    context: web::Data<Context>,
    Subscriber(identity): Subscriber,
    WebhookId(id): WebhookId,
) -> Result<HttpResponse, ApiError> {
    let mut db = pool::snapshot(&context.pool).await?;
    let webhook = webhooks::find(&mut db, &identity, id).await?;
    Ok(HttpResponse::Ok().json(WebhookState::read(&mut db, webhook).await?))
}

/// Change one, or enable it again
///
/// Enabled again it gets what waited, first of all what was answered 410, and what
/// happens from now on; what happened in between can be replayed from a cursor.
#[utoipa::path(tag = "webhooks", operation_id = "updateWebhook", request_body = WebhookChange,
    params(("id" = Uuid, Path, description = "The webhook")),
    responses(
        (status = 200, description = "The webhook", body = WebhookState),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`unknown_webhook`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`bad_webhook_url`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[patch("/v1/webhooks/{id}")]
pub(crate) async fn change(
    context: web::Data<Context>,
    Subscriber(identity): Subscriber,
    WebhookId(id): WebhookId,
    Body(body): Body<WebhookChange>,
) -> Result<HttpResponse, ApiError> {
    let asked = Change {
        url: body.url.map(|text| url(&text, &context)).transpose()?,
        events: body
            .events
            .map(|asked| asked.map(events).transpose())
            .transpose()?,
        language: body.language.map(language).transpose()?,
        enabled: body.enabled,
    };
    let webhook = webhooks::change(&context.pool, &identity, id, asked).await?;
    let mut db = context.pool.acquire().await?;
    Ok(HttpResponse::Ok().json(WebhookState::read(&mut db, webhook).await?))
}

/// Take one away, with all that waits to be sent
#[utoipa::path(tag = "webhooks", operation_id = "deleteWebhook",
    params(("id" = Uuid, Path, description = "The webhook")),
    responses(
        (status = 204, description = "Nothing is sent any more"),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`unknown_webhook`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[delete("/v1/webhooks/{id}")]
pub(crate) async fn drop_one(
    context: web::Data<Context>,
    Subscriber(identity): Subscriber,
    WebhookId(id): WebhookId,
) -> Result<HttpResponse, ApiError> {
    webhooks::delete(&context.pool, &identity, id).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// A new secret, shown this once; the one before signs along for 24 hours
///
/// Until then a message has two signatures: take it if either is good.
#[utoipa::path(tag = "webhooks", operation_id = "rotateWebhookSecret",
    params(("id" = Uuid, Path, description = "The webhook"), IdempotencyKey),
    responses(
        (status = 201, description = "The webhook and its new secret", body = NewSecret,
         headers(("Location" = String, description = "The webhook"))),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`unknown_webhook`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/webhooks/{id}/secrets")]
pub(crate) async fn rotate(
    context: web::Data<Context>,
    Subscriber(identity): Subscriber,
    WebhookId(id): WebhookId,
    once: Once<Nothing>,
) -> Result<HttpResponse, ApiError> {
    let (Nothing {}, once) = once.split();
    once.answer(&context, async |db| {
        let made = webhooks::rotate(db, &identity, id).await?;
        with_secret(db, made, &context).await
    })
    .await
}

/// Send a test message now, once, and tell what came of it
///
/// Also to one that is disabled. It neither counts as a failure nor is it tried
/// again. It creates nothing, so there is no `Idempotency-Key`: asked twice, two are
/// sent.
#[utoipa::path(tag = "webhooks", operation_id = "testWebhook",
    params(("id" = Uuid, Path, description = "The webhook")),
    responses(
        (status = 200, description = "What came of it", body = TestOutcome),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`unknown_webhook`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/webhooks/{id}/test")]
pub(crate) async fn test(
    context: web::Data<Context>,
    Subscriber(identity): Subscriber,
    WebhookId(id): WebhookId,
) -> Result<HttpResponse, ApiError> {
    let mut db = context.pool.acquire().await?;
    let webhook = webhooks::find(&mut db, &identity, id).await?;
    let secrets = db::webhooks::secrets(&mut db, id).await?;
    let now = db::now(&mut db).await?;
    // Others may need the connection while the receiver thinks.
    drop(db);
    let url = format!("{}/v1/webhooks/{id}", context.public_url);
    let lang = Lang::named(&webhook.language).unwrap_or_default();
    let message = TestMessage::new(now, url, lang).signed(&webhook, &secrets)?;
    // A receiver that hangs holds a test up to its end: only so many at once.
    let _turn = TESTS.try_acquire().map_err(|_| ApiError::Unavailable)?;
    let outcome = context.sender.send(&message).await;
    Ok(HttpResponse::Ok().json(TestOutcome::from(outcome)))
}
