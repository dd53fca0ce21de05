//! What is sent to webhooks: the messages, and what the OpenAPI document says of
//! them under `webhooks`.

use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, Paths,
    PathsBuilder,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::Object;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Required, ResponseBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

use super::error::ApiError;
use super::event::{EventState, Reader};
use super::time::Time;
use crate::db::deliveries::Claimed;
use crate::db::events::{self, Kind};
use crate::db::webhooks::Webhook;
use crate::notify::webhooks::sender::Message;
use crate::notify::webhooks::{Bodies, Composed, signature};
use crate::play::table;
use crate::render::summary;
use crate::render::words::Lang;

/// The type of a test.
const TEST: &str = "webhook.test";

/// A message that tells of no event.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestMessage {
    /// Names it.
    #[schema(example = "test_01a22ca5-430c-74c6-85ef-d92e19f4f566")]
    id: String,
    /// Always `webhook.test`.
    #[serde(rename = "type")]
    kind: TestWord,
    /// When.
    at: Time,
    /// Words as in an event.
    data: TestData,
}

/// The type of a test.
#[derive(Debug, Serialize, ToSchema)]
enum TestWord {
    /// No event.
    #[serde(rename = "webhook.test")]
    Test,
}

/// Words as in an event.
#[derive(Debug, Serialize, ToSchema)]
struct TestData {
    /// A few words.
    title: String,
    /// One line.
    summary: String,
    /// Where the webhook is.
    #[schema(format = "uri")]
    url: String,
}

impl TestMessage {
    pub(super) fn new(at: DateTime<Utc>, url: String, lang: Lang) -> TestMessage {
        let words = summary::words(lang, TEST, &Value::Null, [None, None]);
        TestMessage {
            id: format!("test_{}", Uuid::now_v7()),
            kind: TestWord::Test,
            at: Time(at),
            data: TestData {
                title: words.title,
                summary: words.summary,
                url,
            },
        }
    }

    /// Signed, for this webhook.
    pub(super) fn signed(&self, to: &Webhook, secrets: &[Vec<u8>]) -> Result<Message, ApiError> {
        let body =
            serde_json::to_string(self).map_err(|cause| ApiError::Internal(cause.to_string()))?;
        let timestamp = self.at.0.timestamp();
        Ok(Message {
            url: to.url.clone(),
            id: self.id.clone(),
            timestamp,
            signature: signature::sign(secrets, &self.id, timestamp, body.as_bytes()),
            body,
        })
    }
}

/// The schemas of messages that no answer is made of.
pub(super) fn schemas() -> Vec<(String, RefOr<Schema>)> {
    let mut schemas = vec![(TestMessage::name().into(), TestMessage::schema())];
    TestMessage::schemas(&mut schemas);
    schemas
}

/// Writes the messages about events.
pub struct EventMessages {
    /// Where clients reach the server, for links.
    pub public_url: String,
}

impl Bodies for EventMessages {
    fn compose<'a>(
        &'a self,
        db: &'a mut PgConnection,
        claimed: &'a Claimed,
    ) -> BoxFuture<'a, Result<Composed, String>> {
        Box::pin(async move {
            self.event(db, claimed).await.map_err(|cause| {
                tracing::error!(?cause, webhook = %claimed.webhook_id, "a message was not written");
                "the message could not be written".to_owned()
            })
        })
    }
}

impl EventMessages {
    async fn event(&self, db: &mut PgConnection, claimed: &Claimed) -> Result<Composed, ApiError> {
        let event = events::at(db, claimed.player_id, claimed.position).await?;
        let event = event.ok_or(ApiError::NotFound)?;
        let epoch = events::head(db).await?.epoch;
        let tables = table::of_ids(db, &[event.game_id]).await?;
        let table = tables.first().ok_or(ApiError::NotFound)?;
        let lang = Lang::named(&claimed.language).unwrap_or_default();
        let reader = Reader::of(claimed.player_id, claimed.all, lang);
        let state = EventState::new(&event, table, &reader, epoch, &self.public_url);
        let body =
            serde_json::to_string(&state).map_err(|cause| ApiError::Internal(cause.to_string()))?;
        Ok(Composed { id: state.id, body })
    }
}

const HOW: &str = "Sent to the webhooks that want it, as in Standard Webhooks: at least once, a \
game's in order. Know a message again by its `webhook-id`, and check the signature before you \
read it. See `POST /v1/webhooks`.";

/// The headers of a delivery, as Standard Webhooks has them.
const HEADERS: [(&str, Type, &str); 3] = [
    (
        "webhook-id",
        Type::String,
        "The event's `id`; the same when it is sent again",
    ),
    (
        "webhook-timestamp",
        Type::Integer,
        "When this attempt was made, in seconds since 1970",
    ),
    (
        "webhook-signature",
        Type::String,
        "`v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, \
         under the webhook's secret: the bytes whose base64 follows `whsec_`. Two, separated by \
         a space, while a new secret takes over",
    ),
];

/// One for each type of event, and the test.
pub(super) fn documented() -> Paths {
    let add = |paths: PathsBuilder, &kind: &Kind| {
        let event = ("EventState", "The event, as `GET /v1/events` has it");
        paths.path(kind.as_str(), message(meaning(kind), event))
    };
    let paths = Kind::ALL.iter().fold(PathsBuilder::new(), add);
    let test = ("TestMessage", "Tells that messages arrive");
    let asked = "`POST /v1/webhooks/{id}/test` was called";
    paths.path(TEST, message(asked, test)).build()
}

fn message(summary: &str, (schema, description): (&str, &str)) -> PathItem {
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(schema)))
        .build();
    let body = RequestBodyBuilder::new()
        .description(Some(description))
        .content("application/json", content)
        .required(Some(Required::True))
        .build();
    let taken = ResponseBuilder::new().description(
        "Taken. 410: send nothing here any more. Any other answer: send it again later",
    );
    let operation = OperationBuilder::new()
        .tag("webhooks")
        .summary(Some(summary))
        .description(Some(HOW))
        .parameters(Some(HEADERS.map(header)))
        .request_body(Some(body))
        .response("2XX", taken.build());
    PathItem::new(HttpMethod::Post, operation)
}

fn header((name, kind, description): (&str, Type, &str)) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::True)
        .description(Some(description))
        .schema(Some(Object::with_type(kind)))
        .build()
}

fn meaning(kind: Kind) -> &'static str {
    match kind {
        Kind::GameCreated => "A game was made",
        Kind::GameStarted => "Both seats are taken",
        Kind::TurnStarted => "A turn, or an opening choice, is owed",
        Kind::MovePlayed => "A choice became a row of the log",
        Kind::OfferMade => "A seat made an offer",
        Kind::OfferAnswered => "An offer was accepted or declined",
        Kind::DeadlineNear => "A quarter of a seat's time is left",
        Kind::DeadlineMoved => "A clock stands still, goes on, or was moved",
        Kind::GameFinished => "A game ended with a result",
        Kind::GameAborted => "A game ended without a result",
        Kind::WebhookDisabled => "A webhook of yours was disabled: another one tells it",
    }
}
