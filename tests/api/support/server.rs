//! The server under test in the test's own process, on a port of its own with a
//! database of its own. Tests that stop, kill or look at the program itself use
//! `process` instead.

use std::net::TcpListener;
use std::ops::Deref;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use mancala_post::app::{self, Parts};
use mancala_post::db::pool;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::sync::oneshot;

use super::client::Api;
use super::database::Database;

/// A server and its database.
pub(crate) struct Server {
    front: Front,
    /// Dropped after the server has let go of it.
    pub(crate) db: Database,
}

/// A server alone. Stopped when dropped.
pub(crate) struct Front {
    /// Where it is.
    pub(crate) url: String,
    /// A client without a token.
    pub(crate) api: Api,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts one that does nothing by itself: a test calls what goes on beside
    /// the requests.
    pub(crate) async fn start() -> Server {
        let db = Database::new().await;
        let front = Front::start(parts(&db)).await;
        Server { front, db }
    }

    /// One that was started on this database.
    pub(crate) fn of(front: Front, db: Database) -> Server {
        Server { front, db }
    }

    /// Starts one with all that goes on beside the requests.
    pub(crate) async fn start_with_loops() -> Server {
        let db = Database::new().await;
        let front = Front::start_with_loops(parts(&db)).await;
        Server { front, db }
    }
}

impl Deref for Server {
    type Target = Front;

    fn deref(&self) -> &Front {
        &self.front
    }
}

/// The parts of a usual server.
pub(crate) fn parts(db: &Database) -> impl FnOnce() -> Parts + Send + 'static {
    let options = pool::options(&db.url()).unwrap();
    move || Parts::new(pool::pool(options, 8), "127.0.0.1:0")
}

/// A pool whose database refuses connections.
pub(crate) fn dead_pool() -> PgPool {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    drop(taken);
    let url = format!("postgres://nobody@{address}/nothing?sslmode=disable");
    PgPoolOptions::new()
        .acquire_timeout(Duration::from_millis(50))
        .connect_lazy_with(pool::options(&url).unwrap())
}

impl Front {
    /// Starts one on the parts that are made in its thread.
    pub(crate) async fn start(parts: impl FnOnce() -> Parts + Send + 'static) -> Front {
        Front::launch(parts, false).await
    }

    /// The same with sequencer, feed and sweeper.
    pub(crate) async fn start_with_loops(parts: impl FnOnce() -> Parts + Send + 'static) -> Front {
        Front::launch(parts, true).await
    }

    async fn launch(parts: impl FnOnce() -> Parts + Send + 'static, loops: bool) -> Front {
        let (started, running) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async {
                let mut parts = parts();
                parts.workers.get_or_insert(2);
                let pool = pool::like(&parts.pool);
                let running = app::serve(parts).unwrap();
                if loops {
                    app::start_loops(
                        &running.context,
                        pool,
                        chrono::Duration::hours(24),
                        &running.context.stopping,
                    );
                }
                started.send(running.public_url.clone()).unwrap();
                let stop = running.stop();
                let server = tokio::spawn(running.server);
                // A sender that is dropped is a word as well.
                let _ = stopped.await;
                stop.gracefully().await;
                server.await.unwrap().unwrap();
            });
        });
        let url = running.recv().unwrap();
        Front {
            api: Api::new(&url).await,
            url,
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            eprintln!("the server's thread has panicked");
        }
    }
}
