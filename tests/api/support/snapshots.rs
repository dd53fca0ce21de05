//! A place for data sets that goes with its test.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mancala_post::app::Parts;
use mancala_post::export::snapshot::shelf::Snapshot;
use mancala_post::export::snapshot::{self, Place, Source, Written};

use super::Server;
use super::database::Database;
use super::exports::generate;
use super::server::{Front, dead_pool, parts};

/// A directory for data sets.
pub(crate) struct Shelf {
    pub(crate) dir: PathBuf,
}

impl Shelf {
    pub(crate) fn new() -> Shelf {
        let name = format!("mancala-post-shelf-{}", uuid::Uuid::now_v7().simple());
        Shelf {
            dir: std::env::temp_dir().join(name),
        }
    }

    pub(crate) fn place(&self) -> Place {
        Place {
            dir: self.dir.clone(),
            license: snapshot::LICENSE.into(),
        }
    }

    /// A server that serves them.
    pub(crate) async fn server(&self) -> Server {
        let db = Database::new().await;
        let (parts, dir) = (parts(&db), self.dir.clone());
        let front = Front::start(move || Parts {
            snapshots: Some(dir),
            ..parts()
        });
        Server::of(front.await, db)
    }

    /// A server without a database that serves them.
    pub(crate) async fn front(&self) -> Front {
        let dir = self.dir.clone();
        let parts = move || Parts {
            snapshots: Some(dir),
            ..Parts::new(dead_pool(), "127.0.0.1:0")
        };
        Front::start(parts).await
    }

    /// A data set of one file of six bytes; the path of that file.
    pub(crate) fn by_hand(&self) -> String {
        let dir = self.dir.join("000000001-test");
        fs::create_dir_all(&dir).unwrap();
        let package = r#"{"until":1,"columns":1,"games":0,"rows":0,"licenses":[]}"#;
        for (file, text) in [
            ("README.md", "hello\n"),
            ("datapackage.json", package),
            ("SHA256SUMS", "00  README.md\n"),
        ] {
            fs::write(dir.join(file), text).unwrap();
        }
        "/v1/snapshots/000000001-test/README.md".into()
    }

    /// A data set of some generated games; its name.
    pub(crate) async fn filled(&self, db: &Database) -> String {
        generate(db, 2, 1).await;
        self.write(db, None).await.name
    }

    /// Writes one that is not there yet.
    pub(crate) async fn write(&self, db: &Database, until: Option<i64>) -> Snapshot {
        match snapshot::write(&Source::of(db.pool()), &self.place(), until)
            .await
            .unwrap()
        {
            Written::New(new) => new,
            other => panic!("not written: {other:?}"),
        }
    }

    /// All files of a data set by their paths.
    pub(crate) fn files(&self, name: &str) -> BTreeMap<String, Vec<u8>> {
        let dir = self.dir.join(name);
        let mut found = BTreeMap::new();
        collect(&dir, &dir, &mut found);
        found
    }
}

fn collect(root: &Path, dir: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, found);
        } else {
            let name = path.strip_prefix(root).unwrap();
            found.insert(
                name.to_string_lossy().into_owned(),
                fs::read(&path).unwrap(),
            );
        }
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        // There may be none.
        let _ = fs::remove_dir_all(&self.dir);
    }
}
