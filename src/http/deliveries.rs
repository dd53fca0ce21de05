//! What was sent to a webhook and what came of it, and sending it once more.

use actix_web::http::StatusCode;
use actix_web::http::header::LINK;
use actix_web::{HttpRequest, HttpResponse, get, post, web};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::asking::Subscriber;
use super::error::{ApiError, Problem};
use super::event::Cursor;
use super::once::{Created, IdempotencyKey, Once};
use super::params::{Query, WebhookId, bad, exact};
use super::time::Time;
use super::webhooks::Nothing;
use super::{Context, cursor, events};
use crate::db;
use crate::db::deliveries::Delivery;
use crate::db::pool;
use crate::play::{PlayError, webhooks};

/// Deliveries of a page where nothing is said.
const DEFAULT_LIMIT: u32 = 50;

/// An event on its way to a webhook.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryState {
    /// The event's id, and the message's `webhook-id`.
    #[schema(example = "1.345")]
    id: String,
    /// What happened.
    #[serde(rename = "type")]
    #[schema(example = "turn.started")]
    kind: String,
    /// In which game.
    game_id: Uuid,
    /// How far it is.
    #[schema(value_type = DeliveryWord)]
    status: String,
    /// Attempts that were made.
    #[schema(minimum = 0)]
    attempts: i32,
    /// When the next one is due; null: it is over, or waits for an earlier event of
    /// the game, or until its webhook is enabled again.
    next_attempt_at: Option<Time>,
    /// How the last one went; null: there was none.
    last_attempt: Option<Attempt>,
    /// When it arrived.
    delivered_at: Option<Time>,
    /// When it was queued; thirty days later it is forgotten.
    created_at: Time,
}

/// How far a delivery is.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryWord {
    /// It has not arrived, and is tried again, once its webhook is enabled.
    Pending,
    /// It was answered with 2xx.
    Delivered,
    /// It is tried no more.
    Failed,
}

impl DeliveryWord {
    fn as_str(self) -> &'static str {
        match self {
            DeliveryWord::Pending => "pending",
            DeliveryWord::Delivered => "delivered",
            DeliveryWord::Failed => "failed",
        }
    }
}

/// An attempt.
#[derive(Debug, Serialize, ToSchema)]
pub struct Attempt {
    /// When it was made.
    at: Time,
    /// The answer's status; null: there was no answer.
    status: Option<i32>,
    /// Why it failed.
    #[schema(example = "answered 500")]
    error: Option<String>,
    /// How long it took.
    #[schema(minimum = 0)]
    duration_ms: i32,
}

/// A page of deliveries.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryPage {
    /// The newest event first.
    items: Vec<DeliveryState>,
    /// Where the next page begins; null when there is none.
    next_cursor: Option<String>,
}

/// Which deliveries.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct DeliveryQuery {
    /// Only those that are so far.
    #[param(inline)]
    status: Option<DeliveryWord>,
    /// Deliveries of a page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// A page's `next_cursor`: the deliveries after that page.
    cursor: Option<String>,
}

/// From where on to send once more.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayRequest {
    /// A cursor of the event log: the events after it. `0`: from the start.
    #[schema(example = "1.300")]
    after: String,
}

/// What will be sent once more.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReplayAnswer {
    /// How many events: at most a thousand at a time.
    #[schema(minimum = 0)]
    queued: usize,
    /// Send it as `after` for those that follow; null: these were all.
    next_cursor: Option<String>,
}

impl DeliveryState {
    fn new(delivery: Delivery, epoch: i32) -> DeliveryState {
        let cursor = Cursor {
            epoch,
            position: delivery.position,
        };
        DeliveryState {
            id: cursor.to_string(),
            kind: delivery.kind,
            game_id: delivery.game_id,
            status: delivery.status,
            attempts: delivery.attempts,
            next_attempt_at: delivery.next_at.map(Time),
            last_attempt: delivery.tried_at.map(|at| Attempt {
                at: Time(at),
                status: delivery.last_status,
                error: delivery.last_error,
                duration_ms: delivery.last_ms.unwrap_or(0),
            }),
            delivered_at: delivery.delivered_at.map(Time),
            created_at: Time(delivery.created_at),
        }
    }
}

/// What was sent to one of my webhooks in the last thirty days
#[utoipa::path(tag = "webhooks", operation_id = "listWebhookDeliveries",
    params(("id" = Uuid, Path, description = "The webhook"), DeliveryQuery),
    responses(
        (status = 200, description = "A page of deliveries", body = DeliveryPage,
         headers(("Link" = String, description = "The next page, `rel=\"next\"`"))),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`unknown_webhook`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[get("/v1/webhooks/{id}/deliveries")]
pub(crate) async fn list(
    request: HttpRequest,
    context: web::Data<Context>,
    Subscriber(identity): Subscriber,
    WebhookId(id): WebhookId,
    Query(query): Query<DeliveryQuery>,
) -> Result<HttpResponse, ApiError> {
    let limit = cursor::limit(query.limit, DEFAULT_LIMIT)?;
    let status = query.status.map(DeliveryWord::as_str);
    let list = format!("deliveries {id} {status:?}");
    let before = match query.cursor.as_deref() {
        None => None,
        Some(text) => {
            let position = exact(&cursor::read(&list, text)?);
            Some(position.ok_or_else(|| bad("cursor", "not a cursor of this list"))?)
        }
    };
    let mut db = pool::snapshot(&context.pool).await?;
    webhooks::find(&mut db, &identity, id).await?;
    let epoch = db::events::head(&mut db).await?.epoch;
    let more = i64::from(limit) + 1;
    let mut found = db::deliveries::list(&mut db, id, status, before, more).await?;
    let is_last = found.len() <= limit as usize;
    found.truncate(limit as usize);
    let last = found.last().filter(|_| !is_last);
    let next_cursor = last.map(|last| cursor::write(&list, &last.position.to_string()));
    let mut answer = HttpResponse::Ok();
    if let Some(next) = &next_cursor {
        let status = status.map(|status| format!("status={status}&"));
        let (base, path) = (&context.public_url, request.path());
        let query = format!("{}limit={limit}&cursor={next}", status.unwrap_or_default());
        answer.insert_header((LINK, format!("<{base}{path}?{query}>; rel=\"next\"")));
    }
    let items = found
        .into_iter()
        .map(|found| DeliveryState::new(found, epoch));
    Ok(answer.json(DeliveryPage {
        items: items.collect(),
        next_cursor,
    }))
}

/// Send one event once more, whatever came of it before
///
/// With the same `webhook-id`. One that is pending is tried at once.
#[utoipa::path(tag = "webhooks", operation_id = "replayWebhookDelivery",
    params(("id" = Uuid, Path, description = "The webhook"),
           ("delivery_id" = String, Path, description = "A delivery's `id`",
            pattern = r"^[1-9][0-9]{0,8}\.[0-9]{1,18}$"), IdempotencyKey),
    responses(
        (status = 202, description = "It is queued", body = DeliveryState),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`unknown_webhook`, `unknown_delivery`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/webhooks/{id}/deliveries/{delivery_id}/replay")]
pub(crate) async fn replay_one(
    request: HttpRequest,
    context: web::Data<Context>,
    Subscriber(identity): Subscriber,
    WebhookId(id): WebhookId,
    once: Once<Nothing>,
) -> Result<HttpResponse, ApiError> {
    let name = request.match_info().get("delivery_id").unwrap_or_default();
    let cursor: Cursor = name
        .parse()
        .map_err(|()| bad("delivery_id", "not a delivery's id"))?;
    let (Nothing {}, once) = once.split();
    once.answer(&context, async |db| {
        let epoch = db::events::head(db).await?.epoch;
        let position = match cursor.epoch == epoch {
            true => cursor.position,
            // Of a log that is not this one.
            false => return Err(PlayError::NoSuchDelivery.into()),
        };
        let queued = webhooks::replay_one(db, &identity, id, position).await?;
        Ok(queued_as(DeliveryState::new(queued, epoch)))
    })
    .await
}

/// Send the events after a cursor once more, sent before or not
///
/// A thousand at a time, in order, with the same `webhook-id` as before.
#[utoipa::path(tag = "webhooks", operation_id = "replayWebhook", request_body = ReplayRequest,
    params(("id" = Uuid, Path, description = "The webhook"), IdempotencyKey),
    responses(
        (status = 202, description = "They are queued", body = ReplayAnswer),
        (status = 403, description = "`seat_token`, `missing_scope`", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`unknown_webhook`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`cursor_reset`, `key_running`", body = Problem, content_type = "application/problem+json"),
    ), security(("token" = [])))]
#[post("/v1/webhooks/{id}/replay")]
pub(crate) async fn replay_after(
    context: web::Data<Context>,
    Subscriber(identity): Subscriber,
    WebhookId(id): WebhookId,
    once: Once<ReplayRequest>,
) -> Result<HttpResponse, ApiError> {
    let (body, once) = once.split();
    let cursor = events::place(&context, Some(("after", &body.after))).await?;
    once.answer(&context, async |db| {
        let replayed = webhooks::replay_after(db, &identity, id, cursor.position).await?;
        let next = replayed.next.map(|position| Cursor { position, ..cursor });
        Ok(queued_as(ReplayAnswer {
            queued: replayed.queued,
            next_cursor: next.map(|next| next.to_string()),
        }))
    })
    .await
}

fn queued_as<T>(body: T) -> Created<T> {
    Created {
        status: StatusCode::ACCEPTED,
        location: None,
        replayed: false,
        body,
    }
}
