//! Puts the house together: the document, the pool, the server. Nothing else
//! knows all of it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use actix_cors::Cors;
use actix_web::dev::{Server, ServerHandle};
use actix_web::http::Method;
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, HttpServer, web};
use sqlx::PgPool;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tracing_actix_web::TracingLogger;

use crate::db::together::Reads;
use crate::db::{answers, deliveries, pool};
use crate::export::snapshot::{self, Every, Source, Written};
use crate::http::document::{self, Document};
use crate::http::limits::Limits;
use crate::http::messages::EventMessages;
use crate::http::research::Research;
use crate::http::surface::Surface;
use crate::http::{Context, connection, docs, door, endpoints, metrics, params, shield};
use crate::notify::webhooks::Worker;
use crate::notify::webhooks::sender::Sender;
use crate::notify::{Feed, sequencer};
use crate::play::{archive, settle};

/// Seconds that requests under way get to finish at shutdown.
const SHUTDOWN_SECONDS: u64 = 20;

/// How long a connection may be idle between two requests.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// How often what has passed is looked for.
const SWEEP: Duration = Duration::from_secs(3);

/// How often it is looked whether a data set is due.
const LOOK: Duration = Duration::from_secs(300);

/// What a server is made of.
pub struct Parts {
    /// The database; the schema is up to date. Every worker gets a pool of its
    /// own, made like this one.
    pub pool: PgPool,
    /// `address:port`; port 0 takes a free one.
    pub bind: String,
    /// Where clients reach it; none: the address it listens on.
    pub public_url: Option<String>,
    /// Threads that answer; none: one a core.
    pub workers: Option<usize>,
    /// How often somebody may ask; none: as often as they like.
    pub limits: Option<Limits>,
    /// How long a request may take.
    pub deadline: Duration,
    /// How long a client may take to send a request's head.
    pub head_time: Duration,
    /// How long a client may leave all of an answer unread that it has no room for.
    pub unread_time: Duration,
    /// How often a quiet stream shows that it lives.
    pub heartbeat: Duration,
    /// How long an open game waits for somebody to join.
    pub open_for: chrono::Duration,
    /// Sends messages to webhooks; none: to the public internet alone.
    pub sender: Option<Sender>,
    /// Where data sets are; none: there are none.
    pub snapshots: Option<PathBuf>,
    /// A replica that research reads from; none: it reads where games are played.
    pub replica: Option<PgPool>,
}

impl Parts {
    /// A server on `pool` without limits, reached where it listens.
    pub fn new(pool: PgPool, bind: &str) -> Parts {
        Parts {
            pool,
            bind: bind.into(),
            public_url: None,
            workers: None,
            limits: None,
            deadline: Duration::from_secs(15),
            head_time: Duration::from_secs(10),
            unread_time: Duration::from_secs(60),
            heartbeat: Duration::from_secs(15),
            open_for: chrono::Duration::days(30),
            sender: None,
            snapshots: None,
            replica: None,
        }
    }
}

/// A server that listens.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// Where clients reach it.
    pub public_url: String,
    /// What its handlers share.
    pub context: Context,
    handle: ServerHandle,
    /// Ends when it has stopped. Must be awaited or spawned.
    pub server: Server,
}

/// Stops a server that listens.
#[derive(Clone)]
pub struct Stop {
    context: Context,
    handle: ServerHandle,
}

impl Running {
    /// What stops it, before it is awaited or spawned.
    pub fn stop(&self) -> Stop {
        Stop {
            context: self.context.clone(),
            handle: self.handle.clone(),
        }
    }
}

impl Stop {
    /// Takes no new requests and finishes those under way.
    pub async fn gracefully(&self) {
        self.context.stopping.cancel();
        self.handle.stop(true).await;
    }

    /// Breaks off what is under way.
    pub async fn at_once(&self) {
        self.handle.stop(false).await;
    }
}

/// Why it cannot listen.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {bind}: {cause}")]
pub struct CannotListen {
    bind: String,
    cause: std::io::Error,
}

/// Starts to listen.
pub fn serve(parts: Parts) -> Result<Running, CannotListen> {
    let Parts {
        pool,
        bind,
        public_url,
        workers,
        limits,
        deadline,
        head_time,
        unread_time,
        heartbeat,
        open_for,
        sender,
        snapshots,
        replica,
    } = parts;
    let refused = |cause| CannotListen {
        bind: bind.clone(),
        cause,
    };
    let unreadable = |cause: serde_json::Error| refused(cause.into());
    let listener = connection::listen(&bind).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let public_url = public_url.unwrap_or_else(|| format!("http://{address}"));
    let sender = match sender {
        Some(sender) => sender,
        None => Sender::new(false).map_err(refused)?,
    };

    let document = document::served(&public_url).map_err(unreadable)?;
    let surface = web::Data::new(Surface::new(&document).map_err(unreadable)?);
    let json = web::Data::new(Document(document.into()));
    let pages = web::Data::new(docs::config());
    let context = Context {
        research: Research::new(&pool, replica),
        reads: Reads::new(&pool),
        pool,
        public_url: public_url.clone(),
        deadline,
        pools: Arc::default(),
        limits: limits.map(Arc::new),
        heartbeat,
        open_for,
        feed: Feed::default(),
        sender,
        snapshots,
        kept: Arc::default(),
        exports: Arc::default(),
        stopping: CancellationToken::new(),
    };
    let shared = context.clone();
    metrics::start();

    let mut server = HttpServer::new(move || {
        let context = web::Data::new(for_worker(&context));
        App::new()
            .app_data(context)
            .app_data(surface.clone())
            .app_data(json.clone())
            .app_data(pages.clone())
            .app_data(web::PayloadConfig::new(params::BODY_LIMIT))
            .configure(endpoints)
            .service(web::redirect("/", "/docs/"))
            .service(web::redirect("/docs", "/docs/"))
            .service(docs::show)
            .default_service(web::to(door::nowhere))
            .wrap(from_fn(door::door))
            .wrap(Compress::default())
            .wrap(cross_origin())
            .wrap(from_fn(door::porch))
            .wrap(from_fn(shield::shield))
            .wrap(from_fn(connection::hold))
            .wrap(TracingLogger::<door::Numbered>::new())
    });
    if let Some(workers) = workers {
        server = server.workers(workers);
    }
    let server = server
        .keep_alive(KEEP_ALIVE)
        .client_request_timeout(head_time)
        .on_connect(connection::prepare(KEEP_ALIVE + head_time, unread_time))
        // Else the second half of an answer waits until the client has owned up to the
        // first, which many do 40 ms later.
        .tcp_nodelay(true)
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .disable_signals()
        .listen(listener)
        .map_err(refused)?
        .run();
    Ok(Running {
        address,
        public_url,
        context: shared,
        handle: server.handle(),
        server,
    })
}

/// The context of one worker, made in its thread: a connection is driven by the
/// thread that opened it, so that it must not be shared with a worker that may
/// outlive that thread.
fn for_worker(context: &Context) -> Context {
    let pool = pool::like(&context.pool);
    if let Ok(mut pools) = context.pools.lock() {
        pools.push(pool.clone());
    }
    Context {
        research: context.research.for_worker(&pool),
        reads: Reads::new(&pool),
        pool,
        ..context.clone()
    }
}

/// Any page may read what anybody may read; nothing else.
fn cross_origin() -> Cors {
    Cors::default()
        .allow_any_origin()
        .allowed_methods([Method::GET, Method::HEAD])
        .allow_any_header()
        .expose_any_header()
        .max_age(3600)
}

/// What goes on beside the requests until `end`: the sequencer, the
/// feed, the webhooks, the records, the sweeper. They share the connections of `pool`, and the
/// sequencer has one of its own.
pub fn start_loops(
    context: &Context,
    pool: PgPool,
    pack_after: chrono::Duration,
    end: &CancellationToken,
) {
    let feed = &context.feed;
    let options = pool.connect_options().as_ref().clone();
    tokio::spawn(sequencer::run(options, feed.clone(), end.clone()));
    tokio::spawn(feed.clone().run(pool.clone(), end.clone()));
    let stopping = context.stopping.clone();
    tokio::spawn(worker(context, pool.clone()).run(stopping, end.clone()));
    tokio::spawn(keep_records(pool.clone(), pack_after, end.clone()));
    tokio::spawn(sweep(context.clone(), pool, end.clone()));
}

/// What sends events to webhooks.
pub fn worker(context: &Context, pool: PgPool) -> Worker {
    let public_url = context.public_url.clone();
    Worker {
        pool,
        feed: context.feed.clone(),
        sender: context.sender.clone(),
        bodies: Arc::new(EventMessages { public_url }),
    }
}

/// Enters games that are over for the search every few seconds, and packs the logs
/// of those that have been over for a while.
async fn keep_records(pool: PgPool, pack_after: chrono::Duration, end: CancellationToken) {
    let mut tick = tokio::time::interval(SWEEP);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut count = 0u64;
    loop {
        let kept = async {
            tick.tick().await;
            // At the start, and once an hour.
            if count.is_multiple_of(3600 / SWEEP.as_secs())
                && let Err(cause) = archive::enqueue_missing(&pool).await
            {
                tracing::warn!(%cause, "games without a record could not be looked for");
            }
            if let Err(cause) = archive::enter(&pool).await {
                tracing::warn!(%cause, "games that are over could not be entered for the search");
            }
            // A few at a time: whoever has just ended a game looks for it in the search.
            if let Err(cause) = archive::pack_some(&pool, pack_after).await {
                tracing::warn!(%cause, "games that are over could not be packed");
            }
        };
        tokio::select! {
            () = end.cancelled() => return,
            () = kept => count += 1,
        }
    }
}

/// Writes data sets when they are due, until `end`.
pub fn start_snapshots(
    source: Source,
    place: snapshot::Place,
    every: Every,
    end: CancellationToken,
) {
    tokio::spawn(async move {
        let mut tick = tokio::time::interval(LOOK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let written = async {
                tick.tick().await;
                snapshot::write_if_due(&source, &place, every).await
            };
            tokio::select! {
                () = end.cancelled() => return,
                written = written => match written {
                    Ok(Written::New(new)) => {
                        tracing::info!(name = new.name, games = new.games, "a data set was written");
                    }
                    Ok(_) => {}
                    Err(cause) => tracing::warn!(%cause, "no data set could be written"),
                }
            }
        }
    });
}

/// Settles what has passed every few seconds; once a minute throws away what
/// nobody asks for any more: answers kept for a day, deliveries of a month ago,
/// full allowances.
async fn sweep(context: Context, pool: PgPool, end: CancellationToken) {
    let mut tick = tokio::time::interval(SWEEP);
    let mut count = 0u64;
    loop {
        tokio::select! {
            () = end.cancelled() => return,
            _ = tick.tick() => {}
        }
        match settle::sweep(&pool).await {
            Ok(0) => {}
            Ok(_) => context.feed.ring(),
            Err(_) if end.is_cancelled() => return,
            Err(cause) => tracing::warn!(%cause, "what has passed could not be settled"),
        }
        if count.is_multiple_of(60 / SWEEP.as_secs()) {
            if let Some(limits) = &context.limits {
                limits.sweep();
            }
            let swept = async {
                let mut db = pool.acquire().await?;
                answers::sweep(&mut db).await?;
                deliveries::sweep(&mut db).await
            };
            if let Err(cause) = swept.await {
                tracing::warn!(%cause, "old answers and deliveries could not be swept");
            }
        }
        count += 1;
    }
}
