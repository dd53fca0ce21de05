//! Where things lie: the default data directory, the places in it, and the directory
//! of the socket, which cannot always lie there.

use std::fs::{self, DirBuilder, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::{Uid, geteuid};
use sha2::{Digest, Sha256};

use super::account::Account;
use super::error::EmbeddedError;

/// The port in the name of the socket. Nothing listens on the network.
pub(super) const PORT: u16 = 5432;

/// The longest path a socket may have: systems allow 104 (macOS) or 108 (Linux) bytes
/// with the closing zero, and PostgreSQL's clients keep to that.
const LONGEST_SOCKET: usize = 100;

/// What all directories under `/tmp` that hold a socket begin with.
const SHORT_DIR: &str = "/tmp/mancala-post-";

/// Where the data lies when nobody says otherwise: `/var/lib/mancala-post` for root,
/// the user's own place for data (`$XDG_DATA_HOME`, `~/.local/share`, on macOS
/// `~/Library/Application Support`) for everyone else.
pub fn default_data_dir() -> PathBuf {
    const OWN: &str = "mancala-post";
    if geteuid().is_root() {
        return Path::new("/var/lib").join(OWN);
    }
    let xdg = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    if let Some(dir) = xdg.filter(|dir| dir.is_absolute()) {
        return dir.join(OWN);
    }
    // Without a home nothing will be writable there, and the error names the path.
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    if cfg!(target_os = "macos") {
        home.join("Library/Application Support").join(OWN)
    } else {
        home.join(".local/share").join(OWN)
    }
}

/// The places in a data directory.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// The data directory, absolute and without symbolic links, so that two ways to
    /// the same directory are one.
    pub(super) data_dir: PathBuf,
}

impl Layout {
    /// Makes the data directory if it is missing.
    pub(super) fn prepare(data_dir: &Path) -> Result<Layout, EmbeddedError> {
        // An empty path has no parent to begin with.
        let wanted = Path::new(".").join(data_dir);
        make_dirs(&wanted).map_err(EmbeddedError::unwritable(data_dir))?;
        let data_dir = fs::canonicalize(&wanted).map_err(EmbeddedError::unwritable(data_dir))?;
        Ok(Layout { data_dir })
    }

    /// PGDATA.
    pub(super) fn cluster(&self) -> PathBuf {
        self.data_dir.join("postgres")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.data_dir.join("postgres.log")
    }

    pub(super) fn start_lock(&self) -> PathBuf {
        self.data_dir.join("start.lock")
    }

    pub(super) fn users_lock(&self) -> PathBuf {
        self.data_dir.join("users.lock")
    }

    /// The file in which PostgreSQL notes its process id and address.
    pub(super) fn pid_file(&self) -> PathBuf {
        self.cluster().join("postmaster.pid")
    }

    /// Makes the socket's directory, or checks the one that is there.
    pub(super) fn socket_dir(&self, account: &Account) -> Result<PathBuf, EmbeddedError> {
        let dir = socket_dir_for(&self.data_dir);
        private_dir(&dir, account)?;
        Ok(dir)
    }

    /// Removes a socket's directory under `/tmp`; one in the data directory may stay.
    pub(super) fn forget_socket_dir(&self) {
        let dir = socket_dir_for(&self.data_dir);
        if !dir.starts_with(&self.data_dir) {
            // Only an empty one goes, and the next start makes it again.
            let _ = fs::remove_dir(dir);
        }
    }
}

/// `socket` in the data directory, or a short name under `/tmp` made from it: when the
/// path is too long, cannot stand in a URL (not UTF-8), or cannot stand in PostgreSQL's
/// list of directories.
fn socket_dir_for(data_dir: &Path) -> PathBuf {
    let near = data_dir.join("socket");
    let length = near.join(socket_name(PORT)).as_os_str().len();
    let plain = near.to_str().is_some_and(|path| !path.contains([',', '"']));
    if plain && length <= LONGEST_SOCKET {
        return near;
    }
    let hash = Sha256::digest(data_dir.as_os_str().as_encoded_bytes());
    let short: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    PathBuf::from(format!("{SHORT_DIR}{short}"))
}

/// The name PostgreSQL gives its socket.
pub(super) fn socket_name(port: u16) -> String {
    format!(".s.PGSQL.{port}")
}

/// A directory with mode 0700 that belongs to the account. Under `/tmp` somebody else
/// may have made it first, to listen in our place: then it is refused.
pub(super) fn private_dir(dir: &Path, account: &Account) -> Result<(), EmbeddedError> {
    match DirBuilder::new().mode(0o700).create(dir) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(EmbeddedError::unwritable(dir)(error));
        }
        _ => {}
    }
    // Of the thing itself: a symbolic link is nobody's private directory.
    let found = fs::symlink_metadata(dir).map_err(EmbeddedError::unwritable(dir))?;
    let owner = Uid::from_raw(found.uid());
    if !found.is_dir() || (owner != account.uid && owner != geteuid()) {
        return Err(account.wrong_owner(dir, owner));
    }
    fs::set_permissions(dir, Permissions::from_mode(0o700))
        .map_err(EmbeddedError::unwritable(dir))?;
    account.own(dir)
}

/// As `create_dir_all`, but for root passable by all whatever the umask: PostgreSQL's
/// account has to get through. What must be private inside is so by its own mode.
fn make_dirs(dir: &Path) -> std::io::Result<()> {
    let mut missing: Vec<&Path> = dir
        .ancestors()
        .take_while(|ancestor| !ancestor.as_os_str().is_empty() && !ancestor.exists())
        .collect();
    while let Some(next) = missing.pop() {
        match DirBuilder::new().mode(0o755).create(next) {
            Ok(()) if geteuid().is_root() => {
                fs::set_permissions(next, Permissions::from_mode(0o755))?;
            }
            // Another process may be making it as well.
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    if dir.is_dir() {
        Ok(())
    } else {
        Err(ErrorKind::NotADirectory.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_lies_near_the_data_unless_the_path_is_too_long_or_odd() {
        let near = socket_dir_for(Path::new("/var/lib/mancala-post"));
        assert_eq!(near, Path::new("/var/lib/mancala-post/socket"));
        for odd in ["/a".repeat(50), "/with,comma".into(), "/with\"quote".into()] {
            let short = socket_dir_for(Path::new(&odd));
            assert!(short.to_string_lossy().starts_with(SHORT_DIR), "{short:?}");
            assert!(short.as_os_str().len() < 50);
        }
    }
}
