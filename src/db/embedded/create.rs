//! Making a cluster, once: `initdb` works in a new directory beside the cluster's,
//! which is renamed when it is whole. What is called `postgres` is never half made.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::process::Stdio;

use super::NAME;
use super::account::Account;
use super::error::{EmbeddedError, says_disk_full, tail};
use super::paths::{Layout, private_dir};
use super::programs::Programs;

/// What the directories of clusters in the making begin with.
const UNFINISHED: &str = "postgres.new.";

/// The major version of the cluster that is there, `None` if there is none.
pub(super) fn existing_version(layout: &Layout) -> Result<Option<u32>, EmbeddedError> {
    let cluster = layout.cluster();
    let not_a_cluster = || EmbeddedError::NotACluster {
        path: cluster.clone(),
    };
    match fs::read_to_string(cluster.join("PG_VERSION")) {
        Ok(text) => text.trim().parse().map(Some).map_err(|_| not_a_cluster()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            match fs::read_dir(&cluster).map(|mut entries| entries.next().is_none()) {
                // An empty directory gives way to the rename.
                Ok(true) => Ok(None),
                Ok(false) => Err(not_a_cluster()),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                Err(error) => Err(EmbeddedError::unwritable(&cluster)(error)),
            }
        }
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(not_a_cluster()),
        Err(error) => Err(EmbeddedError::unwritable(&cluster)(error)),
    }
}

/// Removes what attempts that were cut short left. Under the start lock nobody else
/// is making a cluster here.
pub(super) fn clear_leftovers(layout: &Layout) -> Result<(), EmbeddedError> {
    let entries =
        fs::read_dir(&layout.data_dir).map_err(EmbeddedError::unwritable(&layout.data_dir))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes()) {
            let path = entry.path();
            fs::remove_dir_all(&path).map_err(EmbeddedError::unwritable(&path))?;
        }
    }
    Ok(())
}

/// Makes the cluster. Its database is made at the first start, see `probe`.
pub(super) fn cluster(
    layout: &Layout,
    programs: &Programs,
    account: &Account,
    throwaway: bool,
) -> Result<(), EmbeddedError> {
    tracing::info!(data_dir = %layout.data_dir.display(), "making a PostgreSQL cluster");
    let unfinished = layout
        .data_dir
        .join(format!("{UNFINISHED}{}", std::process::id()));
    private_dir(&unfinished, account)?;
    // In our own process group, unlike PostgreSQL: Ctrl-C ends an initdb as well. The
    // C locale sorts by code point in every version and on every system, so that an
    // upgrade of the system's library cannot spoil an index.
    let mut initdb = account.command(&programs.initdb);
    initdb
        .arg("--pgdata")
        .arg(&unfinished)
        .arg(format!("--username={NAME}"))
        .args(["--auth-local=trust", "--auth-host=reject"])
        .args(["--encoding=UTF8", "--no-locale", "--data-checksums"])
        .stdout(Stdio::null());
    if throwaway {
        initdb.arg("--no-sync");
    }
    let outcome = initdb.output().map_err(|source| EmbeddedError::CannotRun {
        program: programs.initdb.clone(),
        user: account.name.clone(),
        source,
    });
    let made = outcome.and_then(|output| {
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let path = layout.data_dir.clone();
        Err(if says_disk_full(&said) {
            EmbeddedError::DiskFull { path }
        } else {
            let tail = tail(&said);
            EmbeddedError::InitFailed { path, tail }
        })
    });
    let renamed = made.and_then(|()| {
        let cluster = layout.cluster();
        fs::rename(&unfinished, &cluster).map_err(EmbeddedError::unwritable(&cluster))
    });
    if renamed.is_err() {
        // At the latest the next start removes it; a full disk cannot wait that long.
        let _ = fs::remove_dir_all(&unfinished);
    } else if let Ok(dir) = File::open(&layout.data_dir) {
        // So that the new name outlasts a power cut; not every file system can.
        let _ = dir.sync_all();
    }
    renamed
}
