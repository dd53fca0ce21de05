//! Finding `postgres` and `initdb` among what is installed, in a version that fits
//! the cluster.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::account::Account;
use super::error::EmbeddedError;
use super::paths::Layout;

/// Where packages put a version's programs: the directory to list, what the names of
/// the versions in it begin with, and the way from there to the programs.
const INSTALLED: [(&str, &str, &str); 5] = [
    ("/usr/lib/postgresql", "", "bin"),
    ("/usr", "pgsql-", "bin"),
    ("/opt/homebrew/opt", "postgresql@", "bin"),
    ("/usr/local/opt", "postgresql@", "bin"),
    ("/home/linuxbrew/.linuxbrew/opt", "postgresql@", "bin"),
];

/// The programs of one installed PostgreSQL.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) postgres: PathBuf,
    pub(super) initdb: PathBuf,
    /// The major version.
    pub(super) version: u32,
}

impl Programs {
    /// The first that can be run, or the first of the version an existing cluster was
    /// made by.
    pub(super) fn find(
        bin_dir: Option<&Path>,
        cluster: Option<u32>,
        account: &Account,
        layout: &Layout,
    ) -> Result<Programs, EmbeddedError> {
        let places = match bin_dir {
            Some(dir) => vec![dir.to_owned()],
            None => usual_places(),
        };
        let mut found = Vec::new();
        let mut broken = None;
        for place in &places {
            match Programs::in_dir(place, account) {
                None => {}
                Some(Err(error)) => broken = broken.or(Some(error)),
                Some(Ok(programs)) => {
                    if cluster.is_none_or(|version| version == programs.version) {
                        return Ok(programs);
                    }
                    found.push(programs.version.to_string());
                }
            }
        }
        found.dedup();
        Err(match (cluster, broken) {
            (Some(cluster), _) if !found.is_empty() => EmbeddedError::WrongVersion {
                path: layout.cluster(),
                cluster,
                found: found.join(", "),
            },
            (_, Some(error)) => error,
            _ => EmbeddedError::NoPrograms {
                looked: match bin_dir {
                    Some(dir) => format!("PG_BIN={}", dir.display()),
                    None => "PATH and the usual places".to_owned(),
                },
            },
        })
    }

    /// The programs in one directory, if both are there. Asked for its version, the
    /// program also shows whether the account can run it.
    fn in_dir(dir: &Path, account: &Account) -> Option<Result<Programs, EmbeddedError>> {
        let (postgres, initdb) = (dir.join("postgres"), dir.join("initdb"));
        if !postgres.is_file() || !initdb.is_file() {
            return None;
        }
        let output = account
            .command(&postgres)
            .arg("--version")
            .stderr(Stdio::null())
            .output();
        match output {
            Err(source) => Some(Err(EmbeddedError::CannotRun {
                program: postgres,
                user: account.name.clone(),
                source,
            })),
            Ok(output) => {
                let version = major_version(&String::from_utf8_lossy(&output.stdout))?;
                Some(Ok(Programs {
                    postgres,
                    initdb,
                    version,
                }))
            }
        }
    }
}

/// The directories to look in, best first.
fn usual_places() -> Vec<PathBuf> {
    // A relative entry would mean another place to a child that runs in `/`.
    let mut places: Vec<PathBuf> = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect())
        .unwrap_or_default();
    places.retain(|place| place.is_absolute());
    for (dir, prefix, rest) in INSTALLED {
        let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir(dir)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let version = version_in(entry.file_name().to_str()?, prefix)?;
                Some((version, entry.path().join(rest)))
            })
            .collect();
        versions.sort_unstable_by(|one, other| other.cmp(one));
        places.extend(versions.into_iter().map(|(_, place)| place));
    }
    places
}

/// The major version in a directory's name, as a number: 17 comes before 9.6.
fn version_in(name: &str, prefix: &str) -> Option<u32> {
    name.strip_prefix(prefix)?.split('.').next()?.parse().ok()
}

/// The major version in what `postgres --version` prints, such as
/// `postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)` or `… 18beta1`.
fn major_version(printed: &str) -> Option<u32> {
    let (_, version) = printed.split_once("(PostgreSQL) ")?;
    let end = version
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(version.len());
    version[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        assert_eq!(version_in("17", ""), Some(17));
        assert_eq!(version_in("9.6", ""), Some(9));
        assert_eq!(version_in("postgresql@16", "postgresql@"), Some(16));
        assert_eq!(version_in("lib", "pgsql-"), None);
        let printed = "postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)\n";
        assert_eq!(major_version(printed), Some(15));
        assert_eq!(major_version("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major_version("something else"), None);
    }
}
