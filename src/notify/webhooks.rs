//! Events on their way to webhooks: dealt out once, claimed by one server at a
//! time, sent outside any transaction, and tried again until they arrive or a day
//! is over. Whatever a server that dies has claimed is claimed anew.

pub mod address;
pub mod sender;
pub mod signature;
pub mod trial;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::{BoxFuture, join_all};
use serde_json::json;
use sqlx::{PgConnection, PgPool};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Feed, PAUSE};
use crate::db::deliveries::{self, Claim, Claimed, Tried};
use crate::db::events::{self, Kind};
use crate::db::{games, pool, webhooks};
use sender::{Message, Outcome, Sender};

/// Positions of the log that are dealt out in one transaction.
const BATCH: i64 = 1000;
/// Messages that a server sends at once.
const SLOTS: usize = 64;
/// How many of them may be one webhook's, and one player's: whoever is slow holds
/// up nobody else.
const CLAIM: Claim = Claim {
    seconds: 30,
    at_most: SLOTS as i64,
    each_webhook: 4,
    each_player: 16,
};
/// How long a lost wake-up, or a time that has come, goes unnoticed.
const PATIENCE: Duration = Duration::from_secs(2);

/// Seconds from one attempt to the next, as Standard Webhooks advises: in all a
/// little more than a day.
pub const PAUSES: [i64; 7] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400];
/// By how much a pause may be longer, so that what failed together does not come
/// back together.
const JITTER: f64 = 0.2;
/// The longest pause that a receiver may ask for.
const LONGEST_PAUSE: i64 = 86_400;
/// How long nothing arrives before the webhook is disabled.
const GIVE_UP: TimeDelta = TimeDelta::days(5);

/// What an event looks like to the webhook's owner.
pub struct Composed {
    /// The event's id.
    pub id: String,
    /// Its JSON.
    pub body: String,
}

/// Writes messages.
pub trait Bodies: Send + Sync {
    /// The event of a delivery, as its owner reads it now; else why not.
    fn compose<'a>(
        &'a self,
        db: &'a mut PgConnection,
        claimed: &'a Claimed,
    ) -> BoxFuture<'a, Result<Composed, String>>;
}

/// What deals out and sends.
#[derive(Clone)]
pub struct Worker {
    /// The database.
    pub pool: PgPool,
    /// Tells of news, and is told.
    pub feed: Feed,
    /// Sends.
    pub sender: Sender,
    /// Writes.
    pub bodies: Arc<dyn Bodies>,
}

/// A delivery that is claimed, with its message or why there is none.
pub struct Job {
    claimed: Claimed,
    message: Result<Message, String>,
}

impl Worker {
    /// Works until `end`; takes nothing new from `stopping` on.
    pub async fn run(self, stopping: CancellationToken, end: CancellationToken) {
        let mut news = self.feed.wait_for_anything();
        let mut sending = JoinSet::new();
        while !stopping.is_cancelled() {
            if let Err(cause) = self.begin(&mut sending).await {
                tracing::warn!(%cause, "webhooks could not be looked after");
                tokio::time::sleep(PAUSE).await;
            }
            tokio::select! {
                () = stopping.cancelled() => {}
                () = news.news() => {}
                Some(_) = sending.join_next() => {}
                () = tokio::time::sleep(PATIENCE) => {}
            }
        }
        // What is broken off here is sent again when its lease is over.
        tokio::select! {
            () = end.cancelled() => {}
            () = async { while sending.join_next().await.is_some() {} } => {}
        }
    }

    async fn begin(&self, sending: &mut JoinSet<()>) -> sqlx::Result<()> {
        while sending.try_join_next().is_some() {}
        self.deal().await?;
        for job in self.claim(SLOTS - sending.len()).await? {
            let worker = self.clone();
            sending.spawn(async move { worker.finish(job).await });
        }
        Ok(())
    }

    /// Deals out what is new, and makes one attempt at all that is due; how many.
    pub async fn round(&self) -> sqlx::Result<usize> {
        self.deal().await?;
        let jobs = self.claim(SLOTS).await?;
        let made = jobs.len();
        join_all(jobs.into_iter().map(|job| self.finish(job))).await;
        Ok(made)
    }

    /// Makes a delivery of every event of the log for every webhook that wants it,
    /// exactly once; how many positions of the log were new.
    pub async fn deal(&self) -> sqlx::Result<i64> {
        let mut all = 0;
        while deliveries::is_behind(&mut *self.pool.acquire().await?).await? {
            let mut db = pool::begin(&self.pool).await?;
            deliveries::change_lines(&mut db).await?;
            all += deliveries::deal(&mut db, BATCH).await?;
            db.commit().await?;
        }
        Ok(all)
    }

    /// Takes what is due, at most so many, and writes the messages. Nobody else
    /// takes them for a while.
    pub async fn claim(&self, at_most: usize) -> sqlx::Result<Vec<Job>> {
        if at_most == 0 {
            return Ok(Vec::new());
        }
        let claim = Claim {
            at_most: i64::try_from(at_most).unwrap_or(i64::MAX),
            ..CLAIM
        };
        let mut db = self.pool.acquire().await?;
        let mut jobs = Vec::new();
        for claimed in deliveries::claim(&mut db, claim).await? {
            let message = match self.bodies.compose(&mut db, &claimed).await {
                Err(cause) => Err(cause),
                Ok(Composed { id, body }) => {
                    let secrets = webhooks::secrets(&mut db, claimed.webhook_id).await?;
                    let timestamp = claimed.now.timestamp();
                    Ok(Message {
                        url: claimed.url.clone(),
                        signature: signature::sign(&secrets, &id, timestamp, body.as_bytes()),
                        id,
                        timestamp,
                        body,
                    })
                }
            };
            jobs.push(Job { claimed, message });
        }
        Ok(jobs)
    }

    /// Sends what was claimed, and stores how that went.
    pub async fn finish(&self, job: Job) {
        let Job { claimed, message } = job;
        let outcome = match &message {
            Ok(message) => self.sender.send(message).await,
            Err(cause) => Outcome {
                status: None,
                error: Some(cause.clone()),
                retry_after: None,
                took: Duration::ZERO,
            },
        };
        let arrived = if outcome.error.is_none() {
            "true"
        } else {
            "false"
        };
        metrics::counter!("mancala_webhook_attempts_total", "arrived" => arrived).increment(1);
        match self.record(&claimed, outcome).await {
            Ok(true) => self.feed.ring(),
            Ok(false) => {}
            // It is sent again when the lease is over.
            Err(cause) => tracing::warn!(%cause, "a delivery's outcome could not be stored"),
        }
    }

    /// Stores it; whether that disabled the webhook.
    async fn record(&self, claimed: &Claimed, outcome: Outcome) -> sqlx::Result<bool> {
        let mut db = pool::begin(&self.pool).await?;
        deliveries::settle_lines(&mut db).await?;
        // The webhook before its deliveries: whoever disables it changes all of them.
        let (player, webhook) = (claimed.player_id, claimed.webhook_id);
        if webhooks::lock(&mut db, player, webhook).await?.is_none() {
            return Ok(false);
        }
        let gone = outcome.status == Some(410);
        let now = crate::db::now(&mut db).await?;
        let next_at = match outcome.error.is_some() {
            // When the webhook is enabled again: what it has not got is first in line.
            true if gone => Some(now),
            true => next_attempt(claimed, &outcome, now),
            false => None,
        };
        let tried = Tried {
            status: outcome.status.map(i32::from),
            error: outcome.error,
            ms: i32::try_from(outcome.took.as_millis()).unwrap_or(i32::MAX),
        };
        if !deliveries::record(&mut db, claimed, &tried, next_at).await? {
            return Ok(false);
        }
        let reason = match tried.error.is_some() {
            true => reason_to_disable(&mut db, claimed, gone).await?,
            false => {
                webhooks::has_arrived(&mut db, claimed.webhook_id).await?;
                None
            }
        };
        match reason {
            Some(reason) => disable(&mut db, claimed, &tried, reason).await?,
            None if next_at.is_none() => {
                deliveries::open_lines(&mut db, claimed.webhook_id, Some(claimed.game_id)).await?;
            }
            None => {}
        }
        db.commit().await?;
        Ok(reason.is_some())
    }
}

/// Why the webhook is to be disabled after a failure, if it is.
async fn reason_to_disable(
    db: &mut PgConnection,
    claimed: &Claimed,
    gone: bool,
) -> sqlx::Result<Option<&'static str>> {
    let since = webhooks::has_failed(&mut *db, claimed.webhook_id).await?;
    let Some(since) = since else {
        // It was disabled while this was on its way, which now waits with the rest.
        deliveries::close_lines(db, claimed.webhook_id).await?;
        return Ok(None);
    };
    let now = crate::db::now(db).await?;
    Ok(match gone {
        true => Some("gone"),
        false => (now - since >= GIVE_UP).then_some("failing"),
    })
}

/// Disables the webhook and tells its owner.
async fn disable(
    db: &mut PgConnection,
    claimed: &Claimed,
    tried: &Tried,
    reason: &str,
) -> sqlx::Result<()> {
    webhooks::disable(db, claimed.webhook_id, reason).await?;
    deliveries::close_lines(db, claimed.webhook_id).await?;
    // An event of the game whose delivery it was, and for the owner alone.
    games::lock(db, claimed.game_id).await?;
    let data = json!({
        "webhook": claimed.webhook_id.to_string(), "reason": reason, "error": tried.error,
    });
    let now = crate::db::now(db).await?;
    let (player, game) = (claimed.player_id, claimed.game_id);
    events::record_for(db, player, game, Kind::WebhookDisabled, &data, now).await
}

/// When to try again; none: it is tried no more.
fn next_attempt(claimed: &Claimed, outcome: &Outcome, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let made = usize::try_from(claimed.attempts).ok()?;
    let pause = PAUSES.get(made.checked_sub(1)?)? * 1000;
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
    let jittered = (pause as f64 * (1.0 + rand::random_range(0.0..JITTER))) as i64;
    let asked = match outcome.status {
        Some(429 | 503) => outcome.retry_after.as_deref(),
        _ => None,
    };
    let asked = asked.and_then(|text| asked_pause(text, now)).unwrap_or(0);
    Some(now + TimeDelta::milliseconds(jittered.max(asked.min(LONGEST_PAUSE) * 1000)))
}

/// The seconds of a `Retry-After`: a number, or a date.
fn asked_pause(text: &str, now: DateTime<Utc>) -> Option<i64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u32>() {
        return Some(seconds.into());
    }
    let date = DateTime::parse_from_rfc2822(text).ok()?;
    Some((date.to_utc() - now).num_seconds().max(0))
}

#[cfg(test)]
mod tests {
    use chrono::{TimeZone, Utc};

    use super::asked_pause;

    #[test]
    fn retry_after() {
        let now = Utc.with_ymd_and_hms(2026, 11, 30, 10, 0, 0).single();
        let asked = |text| asked_pause(text, now.expect("a time"));
        assert_eq!(asked("120"), Some(120));
        assert_eq!(asked(" 0 "), Some(0));
        assert_eq!(asked("Mon, 30 Nov 2026 10:01:30 GMT"), Some(90));
        assert_eq!(asked("Mon, 30 Nov 2026 09:00:00 GMT"), Some(0));
        assert_eq!(asked("soon"), None);
        assert_eq!(asked("-5"), None);
        assert_eq!(asked(""), None);
    }
}
