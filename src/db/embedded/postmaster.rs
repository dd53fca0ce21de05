//! The PostgreSQL process: starting it, recognising it by its pid file, stopping it.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::PAUSE;
use super::account::Account;
use super::error::{EmbeddedError, says_disk_full, tail};
use super::paths::{Layout, PORT, socket_name};
use super::probe::Address;
use super::programs::Programs;

/// How long a shutdown may take: the last checkpoint writes whatever is dirty.
const STOP_LIMIT: Duration = Duration::from_secs(60);

/// A log longer than this is put aside at the next start, so that at most two stay.
const LONGEST_LOG: u64 = 16 << 20;

/// What every cluster is run with. On the command line, where no file can say
/// otherwise; memory and connections are left to `initdb`, which tries what the
/// machine has, and to whoever tunes the cluster with `alter system`.
const SETTINGS: [&str; 6] = [
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "timezone=UTC",
    "log_timezone=UTC",
    "log_line_prefix=%m [%p] ",
    "cluster_name=mancala-post",
];

/// What a throwaway cluster is run with besides.
const THROWAWAY: [&str; 5] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
    "max_connections=300",
];

/// A PostgreSQL that this process has started.
#[derive(Debug)]
pub(super) struct Postmaster {
    pid: i32,
    /// Waits for the process, so that no zombie is left of it whoever stops it, and so
    /// that its end is noticed at once.
    watch: JoinHandle<()>,
    /// Where in the log its own lines begin.
    log_from: u64,
}

impl Postmaster {
    pub(super) fn spawn(
        layout: &Layout,
        programs: &Programs,
        account: &Account,
        socket_dir: &Path,
        throwaway: bool,
    ) -> Result<Postmaster, EmbeddedError> {
        let path = layout.log();
        let unwritable = || EmbeddedError::unwritable(&path);
        if fs::metadata(&path).is_ok_and(|log| log.len() > LONGEST_LOG) {
            fs::rename(&path, path.with_extension("log.1")).map_err(unwritable())?;
        }
        let log = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&path)
            .map_err(unwritable())?;
        let log_from = log.metadata().map_err(unwritable())?.len();

        let mut command = account.command(&programs.postgres);
        command.arg("-D").arg(layout.cluster());
        let mut setting = std::ffi::OsString::from("unix_socket_directories=");
        setting.push(socket_dir);
        command.arg("-c").arg(setting);
        command.arg("-c").arg(format!("port={PORT}"));
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        for setting in THROWAWAY.into_iter().filter(|_| throwaway) {
            command.args(["-c", setting]);
        }
        let mut child = command
            // A group of its own: Ctrl-C shall reach the server, which finishes its
            // work and then stops PostgreSQL.
            .process_group(0)
            .stdout(log.try_clone().map_err(unwritable())?)
            .stderr(log)
            .spawn()
            .map_err(|source| EmbeddedError::CannotRun {
                program: programs.postgres.clone(),
                user: account.name.clone(),
                source,
            })?;
        // A pid that does not fit does not exist.
        let pid = i32::try_from(child.id()).unwrap_or(i32::MAX);
        let watch = std::thread::spawn(move || match child.wait() {
            Ok(status) if status.success() => tracing::info!(pid, "PostgreSQL has ended"),
            Ok(status) => tracing::error!(pid, %status, "PostgreSQL has ended"),
            Err(error) => tracing::error!(pid, %error, "lost sight of PostgreSQL"),
        });
        Ok(Postmaster {
            pid,
            watch,
            log_from,
        })
    }

    pub(super) fn pid(&self) -> i32 {
        self.pid
    }

    pub(super) fn runs(&self) -> bool {
        !self.watch.is_finished()
    }

    /// Why it ended while starting, by its own words.
    pub(super) fn failure(&self, layout: &Layout) -> EmbeddedError {
        let said = read_from(&layout.log(), self.log_from).unwrap_or_default();
        if says_disk_full(&said) {
            return EmbeddedError::DiskFull {
                path: layout.data_dir.clone(),
            };
        }
        EmbeddedError::StartFailed {
            tail: tail(&said),
            log: layout.log(),
        }
    }
}

fn read_from(path: &Path, offset: u64) -> std::io::Result<String> {
    let mut file = fs::File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut said = Vec::new();
    file.take(LONGEST_LOG).read_to_end(&mut said)?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

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

    /// Removes the socket's lock unless it speaks of a PostgreSQL of ours, which is to
    /// be called with none running. The pid file tells nothing of it: a power cut may
    /// have left one and not the other.
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

/// Whether the process is a PostgreSQL on this cluster: it works in its data directory
/// (which also holds when the directory has been renamed) and was told it as an
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
