//! A webhook as its owner sees it.

use serde::Serialize;
use sqlx::PgConnection;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

use super::error::ApiError;
use super::language::LanguageWord;
use super::time::Time;
use crate::db;
use crate::db::events::Kind;
use crate::db::webhooks::{SecretDates, Webhook};
use crate::notify::webhooks::sender::Outcome;
use crate::notify::webhooks::signature;
use crate::play::webhooks::WithSecret;

/// Where events are sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookState {
    /// Names it.
    id: Uuid,
    /// Where to.
    #[schema(format = "uri", example = "https://bot.example.org/mancala")]
    url: String,
    /// Which games: the player's, one, or also those of the players it plays for.
    #[schema(value_type = ScopeWord)]
    scope: String,
    /// The one.
    game_id: Option<Uuid>,
    /// Only these types of events; null: all, also those to come.
    #[schema(value_type = Option<Vec<EventWord>>)]
    events: Option<Vec<String>>,
    /// The language of titles and summaries.
    #[schema(value_type = LanguageWord, example = "en")]
    language: String,
    /// Whether anything is sent.
    enabled: bool,
    /// Since when not.
    disabled_at: Option<Time>,
    /// Why not.
    #[schema(value_type = Option<DisabledWord>)]
    disabled_reason: Option<String>,
    /// Since when nothing has arrived that was sent; null: the last thing has.
    failing_since: Option<Time>,
    /// The secrets that sign now, newest first; not their text.
    secrets: Vec<SecretState>,
    /// When it was made.
    created_at: Time,
}

/// Which games a webhook is about.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[allow(dead_code)]
pub enum ScopeWord {
    /// The player's own.
    Player,
    /// One.
    Game,
    /// The player's own, and those of the players it plays for.
    All,
}

/// A type of event, as one may ask for it.
pub struct EventWord;

impl PartialSchema for EventWord {
    fn schema() -> RefOr<Schema> {
        let words = Kind::ALL.iter().map(|kind| kind.as_str());
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(words))
            .into()
    }
}

impl ToSchema for EventWord {}

/// Why nothing is sent.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[allow(dead_code)]
pub enum DisabledWord {
    /// Its owner said so.
    Owner,
    /// It was answered 410.
    Gone,
    /// Nothing has arrived for five days.
    Failing,
}

/// A secret, not its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct SecretState {
    /// When it was made.
    created_at: Time,
    /// Until when it signs; null: until it is replaced.
    expires_at: Option<Time>,
}

/// The player's webhooks.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookList {
    /// Oldest first.
    pub(super) items: Vec<WebhookState>,
}

/// A webhook and its new secret.
#[derive(Serialize, ToSchema)]
pub struct NewSecret {
    /// The webhook.
    webhook: WebhookState,
    /// What its messages are signed with: shown this once.
    #[schema(example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")]
    secret: String,
}

/// What came of a test.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestOutcome {
    /// Whether it was answered with 2xx.
    delivered: bool,
    /// The answer's status; null: there was no answer.
    status: Option<u16>,
    /// Why it was not delivered.
    error: Option<String>,
    /// How long it took.
    #[schema(minimum = 0)]
    duration_ms: u64,
}

impl WebhookState {
    pub(super) fn new(webhook: Webhook, dates: &[SecretDates]) -> WebhookState {
        let own = dates
            .iter()
            .filter(|dates| dates.webhook_id == webhook.webhook_id);
        let secrets = own.map(|dates| SecretState {
            created_at: Time(dates.created_at),
            expires_at: dates.expires_at.map(Time),
        });
        WebhookState {
            id: webhook.webhook_id,
            url: webhook.url,
            scope: webhook.scope,
            game_id: webhook.game_id,
            events: webhook.events,
            language: webhook.language,
            enabled: webhook.disabled_at.is_none(),
            disabled_at: webhook.disabled_at.map(Time),
            disabled_reason: webhook.disabled_reason,
            failing_since: webhook.failing_since.map(Time),
            secrets: secrets.collect(),
            created_at: Time(webhook.created_at),
        }
    }

    pub(super) async fn read(
        db: &mut PgConnection,
        webhook: Webhook,
    ) -> Result<WebhookState, ApiError> {
        let dates = db::webhooks::secret_dates(db, &[webhook.webhook_id]).await?;
        Ok(WebhookState::new(webhook, &dates))
    }
}

impl NewSecret {
    pub(super) async fn read(
        db: &mut PgConnection,
        made: WithSecret,
    ) -> Result<NewSecret, ApiError> {
        Ok(NewSecret {
            secret: signature::secret_text(&made.secret),
            webhook: WebhookState::read(db, made.webhook).await?,
        })
    }
}

impl From<Outcome> for TestOutcome {
    fn from(outcome: Outcome) -> TestOutcome {
        TestOutcome {
            delivered: outcome.error.is_none(),
            status: outcome.status,
            error: outcome.error,
            duration_ms: u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
        }
    }
}
