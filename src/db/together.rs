//! Rows that many ask for at the same moment, read by one statement.
//!
//! Most of what it costs to read a row is the way to the database and back. Whoever asks
//! while a statement is under way waits for the next one, which reads for all that have
//! come meanwhile: alone nobody waits, and the more there are, the less each costs. A
//! statement begins after those came whom it answers, so that nobody is told less than was
//! there when they asked.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{mem, slice};

use sqlx::{PgConnection, PgPool};
use tokio::sync::oneshot;
use tokio::time::timeout;
use uuid::Uuid;

use super::event_pages::{self, Page};
use super::events::{self, Event, Head};
use super::pool::ACQUIRE_TIMEOUT;
use super::seats::{self, Glance};
use super::tokens::{self, Token};

/// How many rows one statement reads at most.
const MOST: usize = 64;

/// What most requests begin with.
#[derive(Clone)]
pub struct Reads {
    /// Games with their seats, by id.
    pub games: Together<Glance>,
    /// Tokens by their hashes.
    pub tokens: Together<Token>,
    /// Whether tokens that have opened something still do, by their ids.
    pub live: Together<Live>,
    /// Where the log of events ends.
    pub head: Together<Head>,
    /// Parts of the log; those without events are not there.
    pub events: Together<Arc<Vec<Event>>>,
    /// The connections that it reads on.
    pub pool: PgPool,
}

impl Reads {
    /// On the connections of `pool`: each worker has its own.
    #[must_use]
    pub fn new(pool: &PgPool) -> Reads {
        Reads {
            games: Together::new(pool),
            tokens: Together::new(pool),
            live: Together::new(pool),
            head: Together::new(pool),
            events: Together::new(pool),
            pool: pool.clone(),
        }
    }
}

/// What can be read so.
pub trait Row: Clone + Send + Sync + 'static {
    /// What there is one of it for, or none.
    type Key: Clone + Ord + Hash + Send + Sync + 'static;

    /// Those that there are.
    fn read(
        db: &mut PgConnection,
        keys: &[Self::Key],
    ) -> impl Future<Output = sqlx::Result<HashMap<Self::Key, Self>>> + Send;
}

impl Row for Glance {
    type Key = Uuid;

    async fn read(db: &mut PgConnection, keys: &[Uuid]) -> sqlx::Result<HashMap<Uuid, Glance>> {
        let found = seats::with_games(db, keys).await?.into_iter();
        Ok(found.map(|glance| (glance.game.game_id, glance)).collect())
    }
}

impl Row for Token {
    type Key = Vec<u8>;

    async fn read(
        db: &mut PgConnection,
        keys: &[Vec<u8>],
    ) -> sqlx::Result<HashMap<Vec<u8>, Token>> {
        tokens::by_hashes(db, keys).await
    }
}

/// A token that has not expired and was not revoked.
#[derive(Clone)]
pub struct Live;

impl Row for Live {
    type Key = Uuid;

    async fn read(db: &mut PgConnection, keys: &[Uuid]) -> sqlx::Result<HashMap<Uuid, Live>> {
        let live = tokens::live(db, keys).await?.into_iter();
        Ok(live.map(|token_id| (token_id, Live)).collect())
    }
}

impl Row for Head {
    type Key = ();

    async fn read(db: &mut PgConnection, _: &[()]) -> sqlx::Result<HashMap<(), Head>> {
        Ok(HashMap::from([((), events::head(db).await?)]))
    }
}

impl Row for Arc<Vec<Event>> {
    type Key = Page;

    async fn read(
        db: &mut PgConnection,
        keys: &[Page],
    ) -> sqlx::Result<HashMap<Page, Arc<Vec<Event>>>> {
        let found = event_pages::pages(db, keys).await?.into_iter();
        Ok(found
            .map(|(page, events)| (page, Arc::new(events)))
            .collect())
    }
}

/// Reads rows.
#[derive(Clone)]
pub struct Together<R: Row>(Arc<Inner<R>>);

struct Inner<R: Row> {
    pool: PgPool,
    queue: Mutex<Queue<R>>,
}

struct Queue<R: Row> {
    waiting: Vec<Asked<R>>,
    /// Whether somebody reads for those who wait.
    busy: bool,
}

/// A row that somebody asked for. Who is not answered reads alone.
struct Asked<R: Row>(R::Key, oneshot::Sender<Option<R>>);

impl<R: Row> Together<R> {
    fn new(pool: &PgPool) -> Together<R> {
        Together(Arc::new(Inner {
            pool: pool.clone(),
            queue: Mutex::new(Queue {
                waiting: Vec::new(),
                busy: false,
            }),
        }))
    }

    /// A row as it is at some moment from now on; none: there is no such row.
    pub async fn of(&self, key: R::Key) -> sqlx::Result<Option<R>> {
        let (answer, answered) = oneshot::channel();
        if self.0.enqueue(Asked(key.clone(), answer)) {
            tokio::spawn(read_all(self.0.clone()));
        }
        if let Ok(found) = answered.await {
            return Ok(found);
        }
        let mut db = self.0.pool.acquire().await?;
        let mut found = R::read(&mut db, slice::from_ref(&key)).await?;
        Ok(found.remove(&key))
    }
}

impl<R: Row> Inner<R> {
    fn queue(&self) -> MutexGuard<'_, Queue<R>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody has to begin to read.
    fn enqueue(&self, asked: Asked<R>) -> bool {
        let mut queue = self.queue();
        queue.waiting.push(asked);
        !mem::replace(&mut queue.busy, true)
    }

    /// The next to be read for; none: nobody reads from now on.
    fn next(&self) -> Option<Vec<Asked<R>>> {
        let mut queue = self.queue();
        let many = queue.waiting.len().min(MOST);
        queue.busy = many > 0;
        (many > 0).then(|| queue.waiting.drain(..many).collect())
    }
}

/// Reads until nobody waits any more.
async fn read_all<R: Row>(inner: Arc<Inner<R>>) {
    let reader = Reader(&inner);
    let Ok(mut db) = inner.pool.acquire().await else {
        return;
    };
    while let Some(asked) = inner.next() {
        let answering = timeout(ACQUIRE_TIMEOUT, answer(&mut db, asked));
        if !matches!(answering.await, Ok(Ok(()))) {
            // It may never say anything again.
            db.close_on_drop();
            return;
        }
    }
    mem::forget(reader);
}

/// However reading ends before its time, those who wait have to read alone.
struct Reader<'a, R: Row>(&'a Inner<R>);

impl<R: Row> Drop for Reader<'_, R> {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        queue.waiting.clear();
        queue.busy = false;
    }
}

async fn answer<R: Row>(db: &mut PgConnection, asked: Vec<Asked<R>>) -> sqlx::Result<()> {
    let mut keys: Vec<R::Key> = asked.iter().map(|Asked(key, _)| key.clone()).collect();
    keys.sort_unstable();
    keys.dedup();
    let found = R::read(db, &keys).await?;
    for Asked(key, answer) in asked {
        // Who has gone needs none.
        let _ = answer.send(found.get(&key).cloned());
    }
    Ok(())
}
