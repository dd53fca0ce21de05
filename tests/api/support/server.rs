//! The server under test in the test's own process, on a port of its own with a
//! database of its own. Tests that stop, kill or look at the program itself use
//! `process` instead.

use std::ops::Deref;
use std::sync::mpsc;
use std::thread::JoinHandle;

use actix_web::dev::ServerHandle;
use mancala_post::app::{self, Parts};
use mancala_post::db::pool;
use sqlx::PgPool;

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
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts one.
    pub(crate) async fn start() -> Server {
        let db = Database::new().await;
        let url = db.url();
        let front = Front::start(move || pool::pool(pool::options(&url).unwrap(), 8)).await;
        Server { front, db }
    }
}

impl Deref for Server {
    type Target = Front;

    fn deref(&self) -> &Front {
        &self.front
    }
}

impl Front {
    /// Starts one on the pool that is made in its thread.
    pub(crate) async fn start(pool: impl FnOnce() -> PgPool + Send + 'static) -> Front {
        let (started, running) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async {
                let running = app::serve(Parts {
                    pool: pool(),
                    bind: "127.0.0.1:0".into(),
                    public_url: None,
                    workers: Some(2),
                })
                .unwrap();
                started.send((running.public_url, running.handle)).unwrap();
                running.server.await.unwrap();
            });
        });
        let (url, handle) = running.recv().unwrap();
        Front {
            api: Api::new(&url).await,
            url,
            handle,
            thread: Some(thread),
        }
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        // The order is given at once; its future would only wait.
        drop(self.handle.stop(false));
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            eprintln!("the server's thread has panicked");
        }
    }
}
