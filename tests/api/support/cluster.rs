//! Which PostgreSQL the tests use: the one `DATABASE_URL` names (its role must be
//! allowed to create databases), or a throwaway cluster of their own.
//!
//! The cluster lies in the directory for temporary files, under a name made from
//! the checkout's path and the user: PostgreSQL, which as root runs under another
//! account, gets in there even when the checkout lies below a closed home. It is
//! started by the first test that needs it and stopped by the last one that leaves
//! it, over threads and processes, so nothing runs on after `cargo test` or
//! `cargo nextest run`; the directory stays and makes the next start quick.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mancala_post::db::embedded::{Cluster, Options};
use nix::unistd::geteuid;
use sha2::{Digest, Sha256};

/// A share in the PostgreSQL of the tests.
pub(crate) enum Postgres {
    /// Somebody else's.
    Given(String),
    /// Ours, while one of these is left.
    Own(Arc<Cluster>),
}

impl Postgres {
    /// The one that runs, else one that is started now.
    pub(crate) fn join() -> Postgres {
        static OWN: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());
        if let Ok(url) = std::env::var("DATABASE_URL") {
            return Postgres::Given(url);
        }
        let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cluster) = own.upgrade() {
            return Postgres::Own(cluster);
        }
        let options = Options {
            data_dir: data_dir(),
            bin_dir: std::env::var_os("PG_BIN").map(PathBuf::from),
            throwaway: true,
            settings: &[],
        };
        let cluster = Cluster::start(options).unwrap_or_else(|error| panic!("{error}"));
        let cluster = Arc::new(cluster);
        *own = Arc::downgrade(&cluster);
        Postgres::Own(cluster)
    }

    /// The URL of the database `name`.
    pub(crate) fn url(&self, name: &str) -> String {
        let url = self.maintenance_url();
        let (address, query) = match url.split_once('?') {
            Some((address, query)) => (address, format!("?{query}")),
            None => (url.as_str(), String::new()),
        };
        let host = address.find("://").map_or(0, |at| at + 3);
        let end = address[host..]
            .find('/')
            .map_or(address.len(), |at| host + at);
        format!("{}/{name}{query}", &address[..end])
    }

    /// The URL of the database from which others are made and dropped.
    pub(crate) fn maintenance_url(&self) -> String {
        match self {
            Postgres::Given(url) => url.clone(),
            Postgres::Own(cluster) => cluster.url(),
        }
    }
}

fn data_dir() -> PathBuf {
    let owner = format!("{} {}", env!("CARGO_MANIFEST_DIR"), geteuid());
    let hash = Sha256::digest(owner.as_bytes());
    let short: String = hash[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    std::env::temp_dir().join(format!("mancala-post-tests-{short}"))
}
