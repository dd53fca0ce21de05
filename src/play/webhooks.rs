//! Webhooks: what a player wants to be told, and where.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::table::Table;
use super::who::{Identity, random};
use super::{Caller, PlayError};
use crate::db;
use crate::db::deliveries::Delivery;
use crate::db::webhooks::Webhook;

/// Webhooks that a player may have.
pub const MOST_WEBHOOKS: i64 = 50;
/// How long a secret signs along after it was replaced.
const TAKING_OVER: TimeDelta = TimeDelta::hours(24);
/// Events that are replayed at a time.
pub const MOST_REPLAYED: i64 = 1000;

/// Which games a webhook is about.
#[derive(Debug, Clone, Copy)]
pub enum Scope {
    /// The player's own.
    Player,
    /// One of them.
    Game(Uuid),
    /// A bot's own, and those of the players it plays for.
    All,
}

/// A webhook to be made.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct New {
    pub scope: Scope,
    /// Checked before.
    pub url: String,
    pub events: Option<Vec<String>>,
    pub language: String,
}

/// What is to change of one; none: it stays.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Change {
    /// Checked before.
    pub url: Option<String>,
    pub events: Option<Option<Vec<String>>>,
    pub language: Option<String>,
    pub enabled: Option<bool>,
}

/// A webhook with the secret that was just made for it. No `Debug`: it would get
/// into the log.
#[allow(missing_docs)]
pub struct WithSecret {
    pub webhook: Webhook,
    pub secret: [u8; 32],
}

/// What a replay has queued.
#[derive(Debug)]
pub struct Replayed {
    /// How many events.
    pub queued: usize,
    /// Where to go on; none: that was all.
    pub next: Option<i64>,
}

/// Makes one; it gets what is told from now on.
pub async fn create(
    db: &mut PgConnection,
    identity: &Identity,
    new: New,
) -> Result<WithSecret, PlayError> {
    let player_id = identity.player_id;
    // One after another, or several at once would go past the limit.
    db::players::lock_tokens(db, player_id).await?;
    if !db::players::hold(db, player_id).await? {
        return Err(PlayError::PlayerLeft);
    }
    if db::webhooks::count(db, player_id).await? >= MOST_WEBHOOKS {
        return Err(PlayError::TooManyWebhooks(MOST_WEBHOOKS));
    }
    let (scope, game_id) = match new.scope {
        Scope::Player => ("player", None),
        Scope::All => ("all", None),
        Scope::Game(game_id) => {
            let caller = Caller::Player(identity.clone());
            let table = Table::find(db, &caller, game_id).await?;
            table.slot_of(&caller).ok_or(PlayError::NotSeated)?;
            ("game", Some(game_id))
        }
    };
    let webhook = Webhook {
        webhook_id: Uuid::now_v7(),
        player_id,
        scope: scope.into(),
        game_id,
        url: new.url,
        events: new.events,
        language: new.language,
        from_position: db::events::head(db).await?.position,
        created_at: db::now(db).await?,
        failing_since: None,
        disabled_at: None,
        disabled_reason: None,
    };
    db::webhooks::insert(db, &webhook).await?;
    let now = webhook.created_at;
    new_secret(db, webhook, now).await
}

async fn new_secret(
    db: &mut PgConnection,
    webhook: Webhook,
    now: DateTime<Utc>,
) -> Result<WithSecret, PlayError> {
    let secret = random()?;
    db::webhooks::add_secret(db, webhook.webhook_id, &secret, now, now + TAKING_OVER).await?;
    Ok(WithSecret { webhook, secret })
}

/// One of the player's webhooks, to be changed: one of everybody a bot plays for
/// only with a token that may act for them.
async fn lock(
    db: &mut PgConnection,
    identity: &Identity,
    webhook_id: Uuid,
) -> Result<Webhook, PlayError> {
    let found = db::webhooks::lock(db, identity.player_id, webhook_id).await?;
    let webhook = found.ok_or(PlayError::NoSuchWebhook)?;
    // Whoever changes where it leads reads what it is sent.
    let may_act = identity.scopes.iter().any(|scope| scope == "act");
    match webhook.scope == "all" && !may_act {
        true => Err(PlayError::LacksScope("act")),
        false => Ok(webhook),
    }
}

/// One of the player's webhooks.
pub async fn find(
    db: &mut PgConnection,
    identity: &Identity,
    webhook_id: Uuid,
) -> Result<Webhook, PlayError> {
    let found = db::webhooks::find(db, identity.player_id, webhook_id).await?;
    found.ok_or(PlayError::NoSuchWebhook)
}

/// A new secret for it; the one before signs along for a day.
pub async fn rotate(
    db: &mut PgConnection,
    identity: &Identity,
    webhook_id: Uuid,
) -> Result<WithSecret, PlayError> {
    let webhook = lock(db, identity, webhook_id).await?;
    let now = db::now(db).await?;
    new_secret(db, webhook, now).await
}

/// Changes it. Disabled, it gets nothing; enabled again, it gets what waited, and
/// what is told from then on.
pub async fn change(
    pool: &PgPool,
    identity: &Identity,
    webhook_id: Uuid,
    change: Change,
) -> Result<Webhook, PlayError> {
    let mut db = db::pool::begin(pool).await?;
    db::deliveries::change_lines(&mut db).await?;
    let mut webhook = lock(&mut db, identity, webhook_id).await?;
    let was_enabled = webhook.disabled_at.is_none();
    if let Some(url) = change.url {
        // What another address did not take says nothing of this one.
        webhook.failing_since = None;
        webhook.url = url;
    }
    webhook.events = change.events.unwrap_or(webhook.events);
    webhook.language = change.language.unwrap_or(webhook.language);
    match change.enabled {
        Some(true) if !was_enabled => {
            (webhook.disabled_at, webhook.disabled_reason) = (None, None);
            webhook.failing_since = None;
            db::deliveries::open_lines(&mut db, webhook_id, None).await?;
        }
        Some(false) if was_enabled => {
            webhook.disabled_at = Some(db::now(&mut db).await?);
            webhook.disabled_reason = Some("owner".into());
            db::deliveries::close_lines(&mut db, webhook_id).await?;
        }
        _ => {}
    }
    db::webhooks::update(&mut db, &webhook).await?;
    db.commit().await?;
    Ok(webhook)
}

/// Takes it away, with all that waits to be sent.
pub async fn delete(pool: &PgPool, identity: &Identity, webhook_id: Uuid) -> Result<(), PlayError> {
    let mut db = db::pool::begin(pool).await?;
    db::deliveries::change_lines(&mut db).await?;
    if !db::webhooks::delete(&mut db, identity.player_id, webhook_id).await? {
        return Err(PlayError::NoSuchWebhook);
    }
    Ok(db.commit().await?)
}

/// Sends one event once more, whatever came of it before.
pub async fn replay_one(
    db: &mut PgConnection,
    identity: &Identity,
    webhook_id: Uuid,
    position: i64,
) -> Result<Delivery, PlayError> {
    db::deliveries::change_lines(db).await?;
    let webhook = lock(db, identity, webhook_id).await?;
    let known = db::deliveries::find(db, webhook_id, position).await?;
    let known = known.ok_or(PlayError::NoSuchDelivery)?;
    db::deliveries::queue_again(db, webhook_id, &[position]).await?;
    if webhook.disabled_at.is_none() {
        db::deliveries::open_lines(db, webhook_id, Some(known.game_id)).await?;
    }
    let found = db::deliveries::find(db, webhook_id, position).await?;
    found.ok_or(PlayError::NoSuchDelivery)
}

/// Sends all that the webhook wants of the log after `after` once more, as many
/// as go at a time.
pub async fn replay_after(
    db: &mut PgConnection,
    identity: &Identity,
    webhook_id: Uuid,
    after: i64,
) -> Result<Replayed, PlayError> {
    db::deliveries::change_lines(db).await?;
    let webhook = lock(db, identity, webhook_id).await?;
    let wanted = db::deliveries::wanted_after(db, webhook_id, after, MOST_REPLAYED + 1).await?;
    let most = usize::try_from(MOST_REPLAYED).unwrap_or(usize::MAX);
    let now = &wanted[..wanted.len().min(most)];
    db::deliveries::queue_again(db, webhook_id, now).await?;
    if webhook.disabled_at.is_none() {
        db::deliveries::open_lines(db, webhook_id, None).await?;
    }
    Ok(Replayed {
        queued: now.len(),
        next: now.last().copied().filter(|_| wanted.len() > most),
    })
}
