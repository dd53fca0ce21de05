//! Whom PostgreSQL runs as. It refuses root, so a server that runs as root (in a
//! container, mostly) hands it over to another account; everyone else keeps their own.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::unistd::{Gid, Uid, User, getegid, geteuid};

use super::error::EmbeddedError;
use super::paths::Layout;

/// The account PostgreSQL and `initdb` run as.
#[derive(Debug)]
pub(super) struct Account {
    pub(super) uid: Uid,
    pub(super) gid: Gid,
    pub(super) name: String,
    /// Whether it is another account than this process's, which is root then.
    switch: bool,
}

impl Account {
    /// This user, unless it is root: then the owner of an existing cluster, else
    /// `postgres`, else `nobody`.
    pub(super) fn choose(layout: &Layout) -> Result<Account, EmbeddedError> {
        let owner = fs::metadata(layout.cluster())
            .ok()
            .map(|found| (Uid::from_raw(found.uid()), Gid::from_raw(found.gid())));
        let account = if !geteuid().is_root() {
            Account {
                uid: geteuid(),
                gid: getegid(),
                name: user_name(geteuid()),
                switch: false,
            }
        } else if let Some((uid, gid)) = owner.filter(|(uid, _)| !uid.is_root()) {
            Account {
                uid,
                gid,
                name: user_name(uid),
                switch: true,
            }
        } else {
            let user = ["postgres", "nobody"]
                .into_iter()
                .find_map(|name| User::from_name(name).ok().flatten())
                .ok_or(EmbeddedError::NoAccount)?;
            Account {
                uid: user.uid,
                gid: user.gid,
                name: user.name,
                switch: true,
            }
        };
        // An empty directory will be replaced; a cluster has to belong to its server.
        if let Some((uid, _)) = owner
            && uid != account.uid
            && layout.cluster().join("PG_VERSION").exists()
        {
            return Err(account.wrong_owner(&layout.cluster(), uid));
        }
        Ok(account)
    }

    /// A command that runs as this account, says everything in English and is not led
    /// astray by the `PG…` variables of whoever started the server.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if self.switch {
            // As root, std gives up the supplementary groups along with the user.
            command.gid(self.gid.as_raw()).uid(self.uid.as_raw());
        }
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"PG") {
                command.env_remove(name);
            }
        }
        // LC_ALL also keeps macOS from making the postmaster multi-threaded, which
        // PostgreSQL takes for a reason to stop.
        command
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::null());
        command
    }

    /// Hands a file or directory over to this account.
    pub(super) fn own(&self, path: &Path) -> Result<(), EmbeddedError> {
        if self.switch {
            std::os::unix::fs::chown(path, Some(self.uid.as_raw()), Some(self.gid.as_raw()))
                .map_err(EmbeddedError::unwritable(path))?;
        }
        Ok(())
    }

    /// Whether this account can enter `dir`. Tried for real, since mode bits say
    /// nothing of access lists and mounts: std changes the user before the directory.
    pub(super) fn check_can_enter(&self, dir: &Path, program: &Path) -> Result<(), EmbeddedError> {
        let enters = |dir: &Path| {
            let outcome = self
                .command(program)
                .arg("--version")
                .current_dir(dir)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            !matches!(outcome, Err(error) if error.kind() == ErrorKind::PermissionDenied)
        };
        if !self.switch || enters(dir) {
            return Ok(());
        }
        // From the root downwards: the first that is closed is the one to open.
        let mut ancestors: Vec<&Path> = dir.ancestors().collect();
        ancestors.reverse();
        let closed = ancestors.into_iter().find(|ancestor| !enters(ancestor));
        Err(EmbeddedError::NotEnterable {
            ancestor: closed.unwrap_or(dir).to_owned(),
            user: self.name.clone(),
        })
    }

    /// The error for a directory that belongs to `owner` instead of this account.
    pub(super) fn wrong_owner(&self, path: &Path, owner: Uid) -> EmbeddedError {
        EmbeddedError::WrongOwner {
            path: path.to_owned(),
            owner: user_name(owner),
            user: self.name.clone(),
        }
    }
}

/// The user's name, or the number when there is none (as in many containers).
fn user_name(uid: Uid) -> String {
    User::from_uid(uid)
        .ok()
        .flatten()
        .map_or_else(|| uid.to_string(), |user| user.name)
}
