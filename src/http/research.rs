//! Where research reads: a replica that may be some seconds behind, or where games are
//! played.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use chrono::{DateTime, SecondsFormat, Utc};
use sqlx::PgPool;

use super::error::ApiError;
use crate::db::{pool, replica, schema};

/// Says as of when an answer is that came from a replica.
const AS_OF: HeaderName = HeaderName::from_static("mancala-as-of");

/// How long what was asked of the replica is taken to be so.
const FRESH: Duration = Duration::from_secs(1);

/// Where research reads.
#[derive(Clone)]
pub struct Research {
    /// Its connections.
    pub pool: PgPool,
    /// None: games are played there, so nothing is ever behind.
    replica: Option<Arc<Replica>>,
}

/// How long it may take to say how far it is.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is known of a replica.
#[derive(Default)]
struct Replica {
    /// When it was asked, and what it said, if it did.
    known: Mutex<Option<(Instant, Option<DateTime<Utc>>)>>,
}

/// A moment up to which everything is in an answer, if it was not made from where games
/// are played.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment(Option<DateTime<Utc>>);

impl Moment {
    /// The answer that says so.
    pub(super) fn on(self, mut answer: HttpResponse) -> HttpResponse {
        let text = self
            .0
            .map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true));
        if let Some(value) = text.and_then(|text| HeaderValue::from_str(&text).ok()) {
            answer.headers_mut().insert(AS_OF, value);
        }
        answer
    }
}

impl Research {
    /// In the replica, or in `pool`.
    #[must_use]
    pub fn new(pool: &PgPool, replica: Option<PgPool>) -> Research {
        Research {
            replica: replica.as_ref().map(|_| Arc::default()),
            pool: replica.unwrap_or_else(|| pool.clone()),
        }
    }

    /// The same with connections of a worker's own; `pool` is the worker's.
    #[must_use]
    pub fn for_worker(&self, pool: &PgPool) -> Research {
        Research {
            pool: match self.replica {
                Some(_) => pool::like(&self.pool),
                None => pool.clone(),
            },
            replica: self.replica.clone(),
        }
    }

    /// Whether it reads from a replica.
    pub(super) fn has_replica(&self) -> bool {
        self.replica.is_some()
    }

    /// The moment that what is read from now on is as of, or a later one.
    ///
    /// # Errors
    /// [`ApiError::ReplicaAway`] when the replica does not answer, or has not got the
    /// schema of this program yet.
    pub(super) async fn moment(&self) -> Result<Moment, ApiError> {
        let Some(replica) = &self.replica else {
            return Ok(Moment(None));
        };
        let known = replica.known.lock().ok().and_then(|known| *known);
        if let Some((asked, as_of)) = known
            && asked.elapsed() < FRESH
        {
            return as_of
                .map(|at| Moment(Some(at)))
                .ok_or(ApiError::ReplicaAway);
        }
        let as_of = self.as_of().await;
        if let Ok(mut known) = replica.known.lock() {
            *known = Some((Instant::now(), as_of.as_ref().ok().copied()));
        }
        Ok(Moment(Some(as_of?)))
    }

    /// What the replica says now.
    pub(super) async fn as_of(&self) -> Result<DateTime<Utc>, ApiError> {
        let asking = async {
            let mut db = self.pool.acquire().await?;
            match schema::is_current(&mut db).await? {
                true => replica::as_of(&mut db).await.map(Some),
                false => Ok(None),
            }
        };
        let cause = match tokio::time::timeout(PATIENCE, asking).await {
            Ok(Ok(Some(as_of))) => return Ok(as_of),
            Ok(Ok(None)) => "it has not got this program's schema yet".to_owned(),
            Ok(Err(cause)) => cause.to_string(),
            Err(_) => "not in time".to_owned(),
        };
        tracing::warn!(cause, "the replica does not answer");
        Err(ApiError::ReplicaAway)
    }
}
