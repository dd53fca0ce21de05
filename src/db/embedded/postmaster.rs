//! Starting the PostgreSQL process, and what becomes of it. Recognising and stopping
//! one, whoever started it, is in `pid_file`.

use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::thread::JoinHandle;

use super::Options;
use super::account::Account;
use super::error::{EmbeddedError, says_disk_full, tail};
use super::paths::{Layout, PORT};
use super::programs::Programs;

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
        options: &Options,
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
        let throwaway = THROWAWAY.into_iter().filter(|_| options.throwaway);
        for setting in throwaway.chain(options.settings.iter().copied()) {
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
