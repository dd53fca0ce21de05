//! Whether PostgreSQL runs, told from the file it leaves its process id in, and
//! stopping it. A file may outlive its process, and a number come to belong to another
//! process; every question here is answered by looking at the process itself.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::PAUSE;
use super::error::EmbeddedError;
use super::paths::{Layout, PORT, socket_name};
use super::probe::Address;

/// How long a shutdown may take: the last checkpoint writes whatever is dirty.
const STOP_LIMIT: Duration = Duration::from_secs(60);

/// What PostgreSQL notes in `postmaster.pid` while it runs, and leaves there when it
/// is killed.
#[derive(Debug)]
pub(super) struct PidFile {
    /// `None` when the file holds none, as after a power cut.
    pid: Option<i32>,
    address: Option<Address>,
}

impl PidFile {
    /// The cluster's file, if there is one.
    pub(super) fn read(layout: &Layout) -> Result<Option<PidFile>, EmbeddedError> {
        PidFile::read_at(&layout.pid_file())
    }

    /// Its lines: process id (negative in single-user mode), data directory, start
    /// time, port, socket directory (once it listens). The socket's lock begins alike.
    fn read_at(path: &Path) -> Result<Option<PidFile>, EmbeddedError> {
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(EmbeddedError::unwritable(path)(error)),
        };
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let pid = lines.first().and_then(|line| line.parse::<i32>().ok());
        let port = lines.get(3).and_then(|line| line.parse().ok());
        let socket_dir = lines.get(4).filter(|line| line.starts_with('/'));
        Ok(Some(PidFile {
            // 0 and 1 would be everybody and init to `kill`.
            pid: pid.and_then(i32::checked_abs).filter(|&pid| pid > 1),
            address: port.zip(socket_dir).map(|(port, dir)| Address {
                socket_dir: PathBuf::from(dir),
                port,
            }),
        }))
    }

    /// The process id, 0 if there is none in the file.
    pub(super) fn pid(&self) -> i32 {
        self.pid.unwrap_or(0)
    }

    pub(super) fn address(&self) -> Option<Address> {
        self.address.clone()
    }

    /// Whether the process is there and serves this cluster: a number alone may have
    /// gone to another process since, in a new container even as a rule.
    pub(super) fn is_ours(&self, layout: &Layout) -> bool {
        self.pid
            .is_some_and(|pid| is_alive(pid) && serves(pid, &layout.cluster()))
    }

    /// Removes a pid file that would keep PostgreSQL from starting. It clears the file
    /// of a dead process away itself, and then also looks whether something still uses
    /// the shared memory named there: that one stays.
    pub(super) fn clear_if_stale(&self, layout: &Layout) -> Result<(), EmbeddedError> {
        if self.pid.is_some_and(|pid| !is_alive(pid)) {
            return Ok(());
        }
        tracing::warn!(
            pid = self.pid,
            "removing the pid file of a PostgreSQL that is gone"
        );
        remove(&layout.pid_file())
    }

    /// Removes the lock of the socket unless it names a PostgreSQL of ours. To be called
    /// when none runs; what the pid file said does not matter, since a power cut may
    /// leave one of the two and not the other.
    pub(super) fn clear_socket_lock(layout: &Layout, dir: &Path) -> Result<(), EmbeddedError> {
        let path = dir.join(format!("{}.lock", socket_name(PORT)));
        match PidFile::read_at(&path)? {
            Some(lock) if !lock.is_ours(layout) => remove(&path),
            _ => Ok(()),
        }
    }

    /// Fast shutdown; returns when the process has ended.
    pub(super) fn stop(&self, layout: &Layout) -> Result<(), EmbeddedError> {
        let begin = Instant::now();
        if self.is_ours(layout) {
            match kill(Pid::from_raw(self.pid()), Signal::SIGINT) {
                Ok(()) | Err(Errno::ESRCH) => {}
                Err(error) => tracing::warn!(pid = self.pid(), %error, "cannot stop PostgreSQL"),
            }
        }
        while self.is_ours(layout) {
            if begin.elapsed() > STOP_LIMIT {
                return Err(EmbeddedError::NotStopped {
                    pid: self.pid(),
                    seconds: STOP_LIMIT.as_secs(),
                    log: layout.log(),
                });
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }
}

fn remove(path: &Path) -> Result<(), EmbeddedError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(EmbeddedError::unwritable(path)(error))
        }
        _ => Ok(()),
    }
}

/// A process we may not signal belongs to somebody else, and so is not ours.
fn is_alive(pid: i32) -> bool {
    kill(Pid::from_raw(pid), None).is_ok()
}

/// Whether the process is a PostgreSQL on this cluster: it works in the cluster's
/// directory (which still holds when that has been renamed) or was given it as an
/// argument. A zombie has neither.
#[cfg(target_os = "linux")]
fn serves(pid: i32, cluster: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    if fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|dir| dir == cluster) {
        return fs::read_link(format!("/proc/{pid}/exe")).map_or(true, |program| {
            program.to_string_lossy().contains("postgres")
        });
    }
    match fs::read(format!("/proc/{pid}/cmdline")) {
        Ok(line) => line
            .split(|&byte| byte == 0)
            .any(|argument| argument == cluster.as_os_str().as_bytes()),
        // Nobody there; or no /proc, and two servers on one cluster are the worse error.
        Err(error) => error.kind() != ErrorKind::NotFound || !Path::new("/proc/self").exists(),
    }
}

/// As above, by what `ps` shows of the command line.
#[cfg(not(target_os = "linux"))]
fn serves(pid: i32, cluster: &Path) -> bool {
    let shown = std::process::Command::new("ps")
        .args(["-ww", "-o", "args=", "-p", &pid.to_string()])
        .output();
    shown.map_or(true, |output| {
        String::from_utf8_lossy(&output.stdout).contains(&*cluster.to_string_lossy())
    })
}
