//! The way to a PostgreSQL that answers: adopt the one that runs, or make the cluster
//! if need be and start one. All of it under the start lock, which the caller holds.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::account::Account;
use super::error::EmbeddedError;
use super::paths::Layout;
use super::pid_file::PidFile;
use super::postmaster::Postmaster;
use super::probe::{self, Address, Answer};
use super::programs::Programs;
use super::{Options, PAUSE, REPORT_EVERY, create};

/// How long a start may take, crash recovery included. Generous: a recovery that is
/// broken off begins again at the next start.
const START_LIMIT: Duration = Duration::from_secs(600);

/// How long the processes of a PostgreSQL that was killed may take to notice and end.
const REMAINS_LIMIT: Duration = Duration::from_secs(30);

/// Brings PostgreSQL up and returns where it answers.
pub(super) fn serve(layout: &Layout, options: &Options) -> Result<Address, EmbeddedError> {
    let begin = Instant::now();
    if let Some(address) = adopt(layout, begin)? {
        tracing::info!(data_dir = %layout.data_dir.display(), "adopted a running PostgreSQL");
        return Ok(address);
    }
    let account = Account::choose(layout)?;
    let existing = create::existing_version(layout)?;
    let programs = Programs::find(options.bin_dir.as_deref(), existing, &account, layout)?;
    account.check_can_enter(&layout.data_dir, &programs.postgres)?;
    create::clear_leftovers(layout)?;
    if existing.is_none() {
        create::cluster(layout, &programs, &account, options.throwaway)?;
    }
    let socket_dir = layout.socket_dir(&account)?;
    PidFile::clear_socket_lock(layout, &socket_dir)?;
    loop {
        let started = Postmaster::spawn(layout, &programs, &account, &socket_dir, options)?;
        if let Some(address) = wait_until_ready(layout, begin, started.pid(), || started.runs())? {
            tracing::info!(
                data_dir = %layout.data_dir.display(),
                version = programs.version,
                milliseconds = begin.elapsed().as_millis(),
                "started PostgreSQL",
            );
            return Ok(address);
        }
        let failure = started.failure(layout);
        let passing = matches!(&failure, EmbeddedError::StartFailed { tail, .. }
            if tail.contains("pre-existing shared memory block"));
        if !passing || begin.elapsed() > REMAINS_LIMIT {
            return Err(failure);
        }
        sleep(PAUSE);
    }
}

/// The cluster's running PostgreSQL, if there is one; a pid file that speaks of
/// something else is cleared away.
fn adopt(layout: &Layout, begin: Instant) -> Result<Option<Address>, EmbeddedError> {
    let Some(found) = PidFile::read(layout)? else {
        return Ok(None);
    };
    if found.is_ours(layout) {
        // It may still be starting, or on its way out: then `None`, and a new one follows.
        wait_until_ready(layout, begin, found.pid(), || found.is_ours(layout))
    } else {
        found.clear_if_stale(layout)?;
        Ok(None)
    }
}

/// Waits for the process `pid` to answer on its socket. `None` when it ends first.
fn wait_until_ready(
    layout: &Layout,
    begin: Instant,
    pid: i32,
    runs: impl Fn() -> bool,
) -> Result<Option<Address>, EmbeddedError> {
    let mut reported = begin.elapsed();
    while runs() {
        // PostgreSQL writes down where it listens; the file found may be an older one.
        let address = PidFile::read(layout)?
            .filter(|file| file.pid() == pid)
            .and_then(|file| file.address());
        if let Some(address) = address {
            match probe::ask(&address) {
                Answer::Ready => return Ok(Some(address)),
                Answer::NoDatabase => probe::create_database(&address)?,
                Answer::Refused(message) => return Err(EmbeddedError::Refused { message }),
                Answer::NotYet | Answer::Silent => {}
            }
        }
        let waited = begin.elapsed();
        if waited > START_LIMIT {
            return Err(EmbeddedError::NotReady {
                seconds: waited.as_secs(),
                log: layout.log(),
            });
        }
        if waited.saturating_sub(reported) > REPORT_EVERY {
            reported = waited;
            tracing::info!(
                pid,
                seconds = waited.as_secs(),
                log = %layout.log().display(),
                "PostgreSQL is not ready yet, perhaps recovering from a crash: waiting",
            );
        }
        sleep(PAUSE);
    }
    Ok(None)
}
