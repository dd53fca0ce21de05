//! What data sets there are. A file is found by its name among those that a data set
//! lists, so that no name leads anywhere else.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::{Failed, at};

/// The file that lists the others, written last.
const SUMS: &str = "SHA256SUMS";

/// A data set.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub dir: PathBuf,
    /// The last record that may be in it.
    pub until: i64,
    /// Of the columns.
    pub columns: u32,
    /// Lines of games.
    pub games: u64,
    /// Lines of rows.
    pub rows: u64,
    /// An identifier of SPDX.
    pub license: Option<String>,
    /// When it was written, by the machine's clock.
    pub written: Option<DateTime<Utc>>,
    /// Its files, in order.
    pub files: Vec<Listed>,
}

/// A file of a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// In the data set, with `/`.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Of its content; none: of the list itself.
    pub sha256: Option<String>,
}

/// What is read of `datapackage.json`.
#[derive(Deserialize)]
struct Package {
    until: i64,
    columns: u32,
    games: u64,
    rows: u64,
    licenses: Vec<License>,
}

#[derive(Deserialize)]
struct License {
    name: String,
}

/// All of them, the latest cut-off first.
pub fn all(dir: &Path) -> Result<Vec<Snapshot>, Failed> {
    let entries = match fs::read_dir(dir) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => at(dir, entries)?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let name = at(dir, entry)?.file_name().to_string_lossy().into_owned();
        // One that is being made begins with a dot.
        if name.starts_with('.') {
            continue;
        }
        match read(dir, &name) {
            Ok(one) => found.extend(one),
            // The others are as good as before.
            Err(cause) => tracing::error!(%cause, name, "a data set is not whole: left out"),
        }
    }
    found.sort_by(|a, b| (b.until, &b.name).cmp(&(a.until, &a.name)));
    Ok(found)
}

/// The one of that name.
pub fn find(dir: &Path, name: &str) -> Result<Option<Snapshot>, Failed> {
    // A name is one of a directory here, and nothing that leads elsewhere.
    let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    if plain { read(dir, name) } else { Ok(None) }
}

/// A directory, if it is a data set.
fn read(shelf: &Path, name: &str) -> Result<Option<Snapshot>, Failed> {
    let dir = shelf.join(name);
    let (Ok(sums), Ok(package)) = (
        fs::read_to_string(dir.join(SUMS)),
        fs::read(dir.join("datapackage.json")),
    ) else {
        return Ok(None);
    };
    let Ok(package) = serde_json::from_slice::<Package>(&package) else {
        return Ok(None);
    };
    let written = fs::metadata(dir.join(SUMS)).and_then(|about| about.modified());
    let mut files = Vec::new();
    let listed = sums.lines().filter_map(|line| line.split_once("  "));
    let listed = listed.map(|(sum, path)| (path, Some(sum)));
    for (path, sum) in listed.chain([(SUMS, None)]) {
        let file = dir.join(path);
        files.push(Listed {
            path: path.to_owned(),
            bytes: at(&file, fs::metadata(&file))?.len(),
            sha256: sum.map(str::to_owned),
        });
    }
    Ok(Some(Snapshot {
        name: name.to_owned(),
        until: package.until,
        columns: package.columns,
        games: package.games,
        rows: package.rows,
        license: package.licenses.into_iter().next().map(|one| one.name),
        written: written.ok().map(DateTime::from),
        files,
        dir,
    }))
}
