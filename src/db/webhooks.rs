//! Rows of `webhooks` and `webhook_secrets`: where events are sent, and what they
//! are signed with.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// A webhook. Column meanings stand in the migration.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Webhook {
    pub webhook_id: Uuid,
    pub player_id: Uuid,
    pub scope: String,
    pub game_id: Option<Uuid>,
    pub url: String,
    pub events: Option<Vec<String>>,
    pub language: String,
    pub from_position: i64,
    pub created_at: DateTime<Utc>,
    pub failing_since: Option<DateTime<Utc>>,
    pub disabled_at: Option<DateTime<Utc>>,
    pub disabled_reason: Option<String>,
}

/// When a secret was made, and until when it signs. Not the secret itself.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct SecretDates {
    pub webhook_id: Uuid,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Secrets of a webhook that sign beside the newest, at most.
const MOST_OLD_SECRETS: i64 = 4;

const COLUMNS: &str = "webhook_id, player_id, scope, game_id, url, events, language, \
     from_position, created_at, failing_since, disabled_at, disabled_reason";

fn select(rest: &str) -> sqlx::AssertSqlSafe<String> {
    sqlx::AssertSqlSafe(format!("select {COLUMNS} from webhooks {rest}"))
}

/// A new webhook.
pub async fn insert(db: &mut PgConnection, webhook: &Webhook) -> sqlx::Result<()> {
    sqlx::query(
        "insert into webhooks (webhook_id, player_id, scope, game_id, url, events, language, \
                               from_position, created_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(webhook.webhook_id)
    .bind(webhook.player_id)
    .bind(&webhook.scope)
    .bind(webhook.game_id)
    .bind(&webhook.url)
    .bind(&webhook.events)
    .bind(&webhook.language)
    .bind(webhook.from_position)
    .bind(webhook.created_at)
    .execute(db)
    .await
    .map(drop)
}

/// How many a player has.
pub async fn count(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<i64> {
    sqlx::query_scalar("select count(*) from webhooks where player_id = $1")
        .bind(player_id)
        .fetch_one(db)
        .await
}

/// A player's webhooks, oldest first.
pub async fn of_player(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<Vec<Webhook>> {
    sqlx::query_as(select("where player_id = $1 order by webhook_id"))
        .bind(player_id)
        .fetch_all(db)
        .await
}

/// One of a player's webhooks.
pub async fn find(
    db: &mut PgConnection,
    player_id: Uuid,
    webhook_id: Uuid,
) -> sqlx::Result<Option<Webhook>> {
    sqlx::query_as(select("where player_id = $1 and webhook_id = $2"))
        .bind(player_id)
        .bind(webhook_id)
        .fetch_optional(db)
        .await
}

/// The same under its lock.
pub async fn lock(
    db: &mut PgConnection,
    player_id: Uuid,
    webhook_id: Uuid,
) -> sqlx::Result<Option<Webhook>> {
    sqlx::query_as(select(
        "where player_id = $1 and webhook_id = $2 for no key update",
    ))
    .bind(player_id)
    .bind(webhook_id)
    .fetch_optional(db)
    .await
}

/// Stores what of a webhook can be changed.
pub async fn update(db: &mut PgConnection, webhook: &Webhook) -> sqlx::Result<()> {
    sqlx::query(
        "update webhooks set url = $2, events = $3, language = $4, failing_since = $5, \
                disabled_at = $6, disabled_reason = $7 \
         where webhook_id = $1",
    )
    .bind(webhook.webhook_id)
    .bind(&webhook.url)
    .bind(&webhook.events)
    .bind(&webhook.language)
    .bind(webhook.failing_since)
    .bind(webhook.disabled_at)
    .bind(&webhook.disabled_reason)
    .execute(db)
    .await
    .map(drop)
}

/// Something has arrived.
pub async fn has_arrived(db: &mut PgConnection, webhook_id: Uuid) -> sqlx::Result<()> {
    sqlx::query(
        "update webhooks set failing_since = null \
         where webhook_id = $1 and failing_since is not null",
    )
    .bind(webhook_id)
    .execute(db)
    .await
    .map(drop)
}

/// Something has not arrived; since when nothing has. None: it is disabled.
pub async fn has_failed(
    db: &mut PgConnection,
    webhook_id: Uuid,
) -> sqlx::Result<Option<DateTime<Utc>>> {
    sqlx::query_scalar(
        "update webhooks set failing_since = coalesce(failing_since, app_now()) \
         where webhook_id = $1 and disabled_at is null returning failing_since",
    )
    .bind(webhook_id)
    .fetch_optional(db)
    .await
}

/// Nothing is sent any more, for a reason.
pub async fn disable(db: &mut PgConnection, webhook_id: Uuid, reason: &str) -> sqlx::Result<()> {
    sqlx::query(
        "update webhooks set disabled_at = app_now(), disabled_reason = $2 where webhook_id = $1",
    )
    .bind(webhook_id)
    .bind(reason)
    .execute(db)
    .await
    .map(drop)
}

/// Takes one of a player's webhooks away, with its secrets and deliveries;
/// whether it was there.
pub async fn delete(
    db: &mut PgConnection,
    player_id: Uuid,
    webhook_id: Uuid,
) -> sqlx::Result<bool> {
    sqlx::query("delete from webhooks where player_id = $1 and webhook_id = $2")
        .bind(player_id)
        .bind(webhook_id)
        .execute(db)
        .await
        .map(|done| done.rows_affected() == 1)
}

/// Takes all of a player's webhooks away.
pub async fn delete_of_player(db: &mut PgConnection, player_id: Uuid) -> sqlx::Result<()> {
    sqlx::query("delete from webhooks where player_id = $1")
        .bind(player_id)
        .execute(db)
        .await
        .map(drop)
}

/// A new secret, which signs from now on; those before it until `until`.
pub async fn add_secret(
    db: &mut PgConnection,
    webhook_id: Uuid,
    secret: &[u8],
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query(
        "update webhook_secrets set expires_at = $2 where webhook_id = $1 and expires_at is null",
    )
    .bind(webhook_id)
    .bind(until)
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "delete from webhook_secrets where webhook_id = $1 and (expires_at <= $2 or secret_no <= \
             (select max(secret_no) - $3 from webhook_secrets where webhook_id = $1))",
    )
    .bind(webhook_id)
    .bind(now)
    .bind(MOST_OLD_SECRETS)
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "insert into webhook_secrets (webhook_id, secret_no, secret, created_at) \
         select $1, coalesce(max(secret_no), 0) + 1, $2, $3 \
         from webhook_secrets where webhook_id = $1",
    )
    .bind(webhook_id)
    .bind(secret)
    .bind(now)
    .execute(db)
    .await
    .map(drop)
}

/// The secrets that sign now, newest first.
pub async fn secrets(db: &mut PgConnection, webhook_id: Uuid) -> sqlx::Result<Vec<Vec<u8>>> {
    sqlx::query_scalar(
        "select secret from webhook_secrets \
         where webhook_id = $1 and (expires_at is null or expires_at > app_now()) \
         order by secret_no desc",
    )
    .bind(webhook_id)
    .fetch_all(db)
    .await
}

/// The dates of the secrets that sign now, newest first.
pub async fn secret_dates(
    db: &mut PgConnection,
    webhook_ids: &[Uuid],
) -> sqlx::Result<Vec<SecretDates>> {
    sqlx::query_as(
        "select webhook_id, created_at, expires_at from webhook_secrets \
         where webhook_id = any($1) and (expires_at is null or expires_at > app_now()) \
         order by secret_no desc",
    )
    .bind(webhook_ids)
    .fetch_all(db)
    .await
}
