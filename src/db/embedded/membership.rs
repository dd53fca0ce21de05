//! Who uses the cluster, by locks alone: they end with the process that holds them,
//! however it ends.
//!
//! `users.lock` is held shared by every user for its life. `start.lock` is held by
//! whoever starts or stops PostgreSQL; only under it is `users.lock` taken or tested,
//! so nobody can join a cluster that is being stopped.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::EmbeddedError;
use super::paths::Layout;
use super::pid_file::PidFile;
use super::{PAUSE, REPORT_EVERY};

/// How long to wait for someone else's start or stop.
const LOCK_LIMIT: Duration = Duration::from_secs(90);

/// One user's share in the cluster.
#[derive(Debug)]
pub(super) struct Membership {
    layout: Layout,
    /// The shared lock; `None` after leaving.
    share: Mutex<Option<Lock>>,
}

impl Membership {
    /// Becomes a user. The start lock must be held.
    pub(super) fn join(layout: Layout) -> Result<Membership, EmbeddedError> {
        let path = layout.users_lock();
        let share = Lock(open(&path)?);
        // Held exclusively only under the start lock, which is ours now.
        share
            .0
            .try_lock_shared()
            .map_err(|error| EmbeddedError::NoLock {
                path,
                source: error.into(),
            })?;
        Ok(Membership {
            layout,
            share: Mutex::new(Some(share)),
        })
    }

    /// Stops being a user; the last one stops PostgreSQL. The start lock must be free.
    pub(super) fn leave(&self) -> Result<(), EmbeddedError> {
        let mut share = self.share.lock().unwrap_or_else(PoisonError::into_inner);
        if share.is_none() {
            return Ok(());
        }
        let _start_lock = lock_start(&self.layout)?;
        *share = None;
        // Alone is who gets it all: everybody else holds a share for life.
        let path = self.layout.users_lock();
        let alone = Lock(open(&path)?);
        match alone.0.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Error(source)) => return Err(EmbeddedError::NoLock { path, source }),
        }
        if let Some(running) = PidFile::read(&self.layout)? {
            running.stop(&self.layout)?;
        }
        self.layout.forget_socket_dir();
        Ok(())
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        if let Err(error) = self.leave() {
            tracing::error!(%error, "the private PostgreSQL may still run");
        }
    }
}

/// A locked file. Unlocked by hand, not only closed: a child that another thread is
/// just spawning has a copy of every open file until it runs its program, and would
/// keep the lock for that long.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is what is left when this fails.
        let _ = self.0.unlock();
    }
}

/// Waits, within bounds, for the right to start or stop PostgreSQL.
pub(super) fn lock_start(layout: &Layout) -> Result<Lock, EmbeddedError> {
    let path = layout.start_lock();
    let lock = Lock(open(&path)?);
    let begin = Instant::now();
    let mut reported = Duration::ZERO;
    loop {
        match lock.0.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::Error(source)) => return Err(EmbeddedError::NoLock { path, source }),
            Err(TryLockError::WouldBlock) => {}
        }
        let waited = begin.elapsed();
        if waited > LOCK_LIMIT {
            return Err(EmbeddedError::LockBusy {
                path,
                seconds: LOCK_LIMIT.as_secs(),
            });
        }
        if waited.saturating_sub(reported) > REPORT_EVERY {
            reported = waited;
            tracing::info!(lock = %path.display(), "another process starts or stops PostgreSQL");
        }
        sleep(PAUSE);
    }
}

/// A lock file is made once and never removed: who waits on a removed one would hold
/// a lock that nobody else sees.
fn open(path: &Path) -> Result<File, EmbeddedError> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(EmbeddedError::unwritable(path))
}
