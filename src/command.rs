//! What the subcommands do; those that work on records are in files of their own.

mod bench;
mod export;
mod generate;
mod import;
mod output;
mod progress;
mod reading;
mod snapshot;
mod verify;

use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::num::NonZeroU32;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::http::Uri;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::app::{self, Parts};
use crate::config::{Database, Serving, Snapshots};
use crate::db::embedded::{self, Cluster};
use crate::db::pool::ConnectError;
use crate::db::{events, pool, schema};
use crate::export::snapshot::Source;
use crate::http::limits::Limits;
use crate::notify::webhooks::sender::Sender;
use crate::play::settle;

pub use bench::bench;
pub use export::export;
pub use generate::generate;
pub use import::import;
pub use snapshot::snapshot;
pub use verify::verify;

type Outcome = Result<ExitCode, Box<dyn std::error::Error>>;

/// Connections that the work beside the requests shares; the sequencer has one
/// more of its own, the workers have the rest.
const LOOPS: u32 = 3;
/// Requests a minute where nothing is set.
const DEFAULT_RATE_LIMIT: u32 = 600;
/// How often the private PostgreSQL is looked after.
const PULSE: Duration = Duration::from_secs(3);
/// How long a server that lives may take to say so.
const PATIENCE: Duration = Duration::from_secs(5);

/// A database, and the private PostgreSQL it may be in.
struct Place {
    /// For requests.
    options: PgConnectOptions,
    /// For all else: no pooler is between.
    direct: PgConnectOptions,
    /// The replica, if there is one.
    reading: Option<PgConnectOptions>,
    private: Option<Private>,
    /// For people, without a password.
    words: String,
}

/// The private PostgreSQL, and how it was started.
struct Private {
    cluster: Arc<Mutex<Cluster>>,
    start: embedded::Options,
}

impl Place {
    /// Finds the database, or starts the private PostgreSQL.
    async fn open(database: &Database) -> Result<Place, Box<dyn std::error::Error>> {
        let named = |name: &str, url: &Option<String>| {
            let options = url.as_deref().map(pool::options).transpose();
            options.map_err(|cause| match cause {
                ConnectError::BadUrl(cause) => {
                    format!("{name} is not a PostgreSQL URL: {cause}")
                }
                other => other.to_string(),
            })
        };
        let direct = named("DATABASE_DIRECT_URL", &database.database_direct_url)?;
        let reading = named("DATABASE_READ_URL", &database.database_read_url)?;
        let reading = reading.as_ref().map(pool::reading);
        if let Some(url) = url(database)? {
            let options = pool::options(&url)?;
            let words = format!("{} (DATABASE_URL)", pool::place(&options));
            return Ok(Place {
                direct: direct.unwrap_or_else(|| options.clone()),
                reading,
                options,
                private: None,
                words,
            });
        }
        if direct.is_some() {
            return Err("DATABASE_DIRECT_URL goes with DATABASE_URL".into());
        }
        let data_dir = database
            .data_dir
            .clone()
            .unwrap_or_else(embedded::default_data_dir);
        let words = data_dir.display().to_string();
        let bin_dir = database.pg_bin.clone();
        let options = embedded::Options {
            data_dir,
            bin_dir,
            throwaway: false,
            settings: &[],
        };
        let start = options.clone();
        let cluster = tokio::task::spawn_blocking(|| Cluster::start(options)).await??;
        let options = pool::options(&cluster.url())?;
        Ok(Place {
            direct: options.clone(),
            reading,
            options,
            private: Some(Private {
                cluster: Arc::new(Mutex::new(cluster)),
                start,
            }),
            words,
        })
    }

    /// A connection of a command's own to a database with this program's schema, which
    /// nothing hurries.
    async fn connect(&self) -> Result<PgConnection, Box<dyn std::error::Error>> {
        let options = pool::unhurried(&self.direct);
        let mut db = PgConnection::connect_with(&options)
            .await
            .map_err(|cause| format!("cannot reach the database at {}: {cause}", self.words))?;
        schema::check(&mut db).await?;
        Ok(db)
    }

    /// Leaves the private PostgreSQL; the last to leave stops it.
    async fn close(self) -> Result<(), Box<dyn std::error::Error>> {
        if let Some(Private { cluster, .. }) = self.private {
            let stop = move || match cluster.lock() {
                Ok(cluster) => cluster.stop(),
                Err(poisoned) => poisoned.into_inner().stop(),
            };
            tokio::task::spawn_blocking(stop).await??;
        }
        Ok(())
    }
}

/// Starts the private PostgreSQL again when it has died: the pools find it where
/// it was.
async fn keep_alive(private: &Private, options: PgConnectOptions) {
    loop {
        tokio::time::sleep(PULSE).await;
        if let Ok(Ok(db)) =
            tokio::time::timeout(PATIENCE, PgConnection::connect_with(&options)).await
        {
            db.close().await.ok();
            continue;
        }
        tracing::error!("the private PostgreSQL does not answer; starting it again");
        let (cluster, start) = (private.cluster.clone(), private.start.clone());
        let again = move || -> Result<(), embedded::EmbeddedError> {
            let new = Cluster::start(start)?;
            if let Ok(mut cluster) = cluster.lock() {
                *cluster = new;
            }
            Ok(())
        };
        match tokio::task::spawn_blocking(again).await {
            Ok(Ok(())) => tracing::info!("the private PostgreSQL is back"),
            Ok(Err(cause)) => tracing::error!(%cause, "the private PostgreSQL cannot be started"),
            Err(cause) => tracing::error!(%cause, "the private PostgreSQL cannot be started"),
        }
    }
}

/// The database's URL, if there is one.
fn url(database: &Database) -> Result<Option<String>, Box<dyn std::error::Error>> {
    let Some(file) = &database.database_url_file else {
        return Ok(database.database_url.clone());
    };
    let text = std::fs::read_to_string(file).map_err(|cause| {
        format!(
            "cannot read {} (DATABASE_URL_FILE): {cause}",
            file.display()
        )
    })?;
    Ok(Some(text.trim().to_owned()))
}

/// Runs `work` on the database and closes it whatever comes out.
async fn with_database<F>(database: &Database, work: F) -> Outcome
where
    F: AsyncFnOnce(&Place) -> Outcome,
{
    let place = Place::open(database).await?;
    let outcome = work(&place).await;
    place.close().await?;
    outcome
}

/// A connection takes two handles, and many shells allow a process a thousand: takes
/// as many as the system lets it have.
fn raise_handles() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE)
        .and_then(|(_, most)| setrlimit(Resource::RLIMIT_NOFILE, most, most));
    if let Err(cause) = raised {
        tracing::debug!(%cause, "the number of handles stays as it is");
    }
}

/// Answers requests until it is told to stop.
pub async fn serve(database: &Database, serving: &Serving, snapshots: &Snapshots) -> Outcome {
    // Before anything that takes time: an early signal must not go unheard.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    raise_handles();
    with_database(database, async |place| {
        schema::migrate(&place.direct).await?;
        if let Some(reading) = &place.reading {
            reading::look(&place.direct, reading).await?;
        }
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let each = database.db_pool.saturating_sub(LOOPS + 1) / u32::try_from(workers)?;
        let pool = pool::pool(place.direct.clone(), LOOPS);
        // Before the first request: nobody is late for a time without a server.
        settle::beat(&pool).await?;
        let quota = serving.rate_limit.unwrap_or(DEFAULT_RATE_LIMIT);
        let limits = NonZeroU32::new(quota).map(|quota| {
            Limits::new(
                quota,
                serving.trusted_proxies.clone(),
                serving.rate_limit.is_none(),
            )
        });
        let shelf = snapshot::place(database, snapshots);
        let running = app::serve(Parts {
            public_url: serving.public_url.clone(),
            workers: Some(workers),
            limits,
            deadline: Duration::from_secs(serving.request_timeout),
            open_for: chrono::Duration::days(serving.open_days),
            sender: Some(Sender::new(serving.webhook_private)?),
            snapshots: Some(shelf.dir.clone()),
            replica: place
                .reading
                .clone()
                .map(|options| pool::pool(options, each.max(2))),
            ..Parts::new(
                pool::pool(place.options.clone(), each.max(2)),
                &serving.bind,
            )
        })?;
        let stop = running.stop();
        let finished = CancellationToken::new();
        let pack_after = chrono::Duration::hours(serving.pack_hours);
        app::start_loops(&running.context, pool.clone(), pack_after, &finished);
        if let Some(every) = serving.snapshot_every {
            let mut source = Source::of(pool.clone());
            if let Some(options) = &place.reading {
                source.reading = pool::pool(options.clone(), 2);
            }
            app::start_snapshots(source, shelf, every.into(), finished.clone());
        }
        let words = format!(
            "API   {0}/v1/rulesets\ndocs  {0}/docs/\ndata  {1}\n",
            running.public_url, place.words
        );
        // Whether anybody reads it or not: it serves all the same.
        let _ = std::io::stdout().write_all(words.as_bytes());
        let mut server = tokio::spawn(running.server);
        let watch = async {
            match &place.private {
                Some(private) => keep_alive(private, place.direct.clone()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            ended = &mut server => {
                ended??;
                return Err("the server ended by itself".into());
            }
            () = watch => {}
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping: finishing what is under way");
        tokio::select! {
            () = stop.gracefully() => {}
            // Whoever asks twice does not want to wait.
            _ = terminate.recv() => stop.at_once().await,
            _ = interrupt.recv() => stop.at_once().await,
        }
        server.await??;
        // Only now: what was under way has its events, too.
        finished.cancel();
        pool.close().await;
        Ok(ExitCode::SUCCESS)
    })
    .await
}

/// Brings the schema up to date.
pub async fn migrate(database: &Database) -> Outcome {
    with_database(database, async |place| {
        schema::migrate(&place.direct).await?;
        println!("the schema is up to date");
        Ok(ExitCode::SUCCESS)
    })
    .await
}

/// The database was set back in time: cursors from before are void.
pub async fn restored(database: &Database) -> Outcome {
    with_database(database, async |place| {
        schema::migrate(&place.direct).await?;
        let mut db = PgConnection::connect_with(&place.direct).await?;
        let epoch = events::raise_epoch(&mut db).await?;
        println!("the event log is in epoch {epoch}; cursors from before answer cursor_reset");
        Ok(ExitCode::SUCCESS)
    })
    .await
}

/// Asks the server at `url`, or the one that `bind` would start, whether it
/// lives. For a container's health check, where there is no other client.
pub fn health(url: Option<String>, bind: &str) -> Outcome {
    let url = url.unwrap_or_else(|| format!("http://{}/healthz", reachable(bind)));
    let failed = |cause: &dyn std::fmt::Display| format!("{url}: {cause}");
    let uri: Uri = url.parse().map_err(|cause| failed(&cause))?;
    let (Some("http"), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(failed(&"only http:// can be asked").into());
    };
    let place = (
        authority.host().trim_matches(['[', ']']),
        authority.port_u16().unwrap_or(80),
    );
    let status = place
        .to_socket_addrs()
        .and_then(|mut found| {
            found
                .next()
                .ok_or_else(|| std::io::ErrorKind::NotFound.into())
        })
        .and_then(|address| ask(address, &uri))
        .map_err(|cause| failed(&cause))?;
    if status.split(' ').nth(1) != Some("200") {
        return Err(failed(&status.trim_end()).into());
    }
    Ok(ExitCode::SUCCESS)
}

/// The address that a server bound to `bind` answers at from this machine.
fn reachable(bind: &str) -> String {
    let Ok(mut address) = bind.parse::<SocketAddr>() else {
        return bind.to_owned();
    };
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address.to_string()
}

/// The first line of the answer.
fn ask(address: SocketAddr, uri: &Uri) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    Ok(line)
}
