//! The server under test in the test's own process, on a port of its own with a
//! database of its own. Tests that stop, kill or look at the program itself use
//! `process` instead.

use std::sync::mpsc;
use std::thread::JoinHandle;

use actix_web::dev::ServerHandle;
use mancala_post::app::{self, Parts};
use mancala_post::db::pool;

use super::client::Api;
use super::database::Database;

/// A server and its database.
pub(crate) struct Server {
    /// Where it is.
    pub(crate) url: String,
    /// A client without a token.
    pub(crate) api: Api,
    _thread: Thread,
    /// Dropped after the server has let go of it.
    pub(crate) db: Database,
}

/// The thread it runs on; stopped when dropped.
struct Thread {
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts one.
    pub(crate) async fn start() -> Server {
        let db = Database::new().await;
        let database_url = db.url();
        let (started, running) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async {
                let running = app::serve(Parts {
                    pool: pool::pool(pool::options(&database_url).unwrap(), 8),
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
        let api = Api::new(&url).await;
        Server {
            url,
            api,
            _thread: Thread {
                handle,
                thread: Some(thread),
            },
            db,
        }
    }
}

impl Drop for Thread {
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
