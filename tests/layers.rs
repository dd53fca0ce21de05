//! The directions between the floors of the house, and the shape of its files: a
//! forbidden import, a file without its `//!` and a file that is too long fail.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The floors, each with those it may import. `rules` is a crate of its own, which
/// the compiler seals; it stands here so that it stays so.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("rules", &[]),
    ("db", &[]),
    ("record", &["rules"]),
    ("play", &["rules", "db", "record"]),
    // What it writes comes from `play`, batch by batch.
    ("export", &["rules", "record", "play"]),
    ("render", &["rules"]),
    ("notify", &["db", "render"]),
    // Of `notify` the feed, where readers of events wait, and what sends a message.
    (
        "http",
        &[
            "rules", "db", "record", "play", "export", "render", "notify",
        ],
    ),
    ("config", &[]),
    ("app", &["db", "play", "export", "notify", "http"]),
    (
        "command",
        &[
            // What measures (`bench`) plays and asks as a client does.
            "app", "config", "db", "http", "play", "export", "notify", "record", "rules",
        ],
    ),
    ("main", &["app", "command", "config", "http"]),
    ("lib", &[]),
];

/// Crates that belong to one floor.
const SEALED: &[(&str, &[&str])] = &[
    ("actix_web", &["http", "app", "command", "main", "config"]),
    ("utoipa", &["http", "app", "rules", "record"]),
    ("clap", &["config", "main"]),
    ("resvg", &["render"]),
    ("fluent_bundle", &["render"]),
    ("hyper", &["notify", "command"]),
    ("tokio_rustls", &["notify"]),
    ("parquet", &["export"]),
];

/// The longest a file may be.
const MOST_LINES: usize = 400;

struct Source {
    path: PathBuf,
    /// The floor: `src/<floor>.rs` or `src/<floor>/…`.
    floor: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut waiting = vec![root.clone()];
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(dir).expect("a directory of the sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let short = path.strip_prefix(&root).expect("it lies there");
                let floor = short.iter().next().expect("a name").to_string_lossy();
                found.push(Source {
                    floor: floor.trim_end_matches(".rs").to_owned(),
                    text: fs::read_to_string(&path).expect("a readable file"),
                    path: short.to_owned(),
                });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 40, "these are not the sources");
    found
}

/// The code without comments, one space between words.
fn code(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

/// The floors (and crates) that a file names in paths: `crate::play::…`,
/// `use crate::{db, play}`, `mancala_rules::…`.
fn imports(source: &Source) -> BTreeSet<String> {
    let code = code(&source.text);
    let mut named = BTreeSet::new();
    for crate_name in ["crate", "mancala_post"] {
        let start = format!("{crate_name}::");
        for (at, _) in code.match_indices(&start) {
            if !ends_a_word(&code[..at]) {
                continue;
            }
            let rest = code[at + start.len()..].trim_start();
            match rest.strip_prefix('{') {
                None => named.extend(first_word(rest)),
                Some(group) => named.extend(group_heads(group)),
            }
        }
    }
    for (crate_name, floor) in [("mancala_rules", "rules"), ("rules", "rules")] {
        let start = format!("{crate_name}::");
        let found = code.match_indices(&start).any(|(at, _)| {
            ends_a_word(&code[..at]) && (crate_name != "rules" || source.floor == "main")
        });
        if found {
            named.insert(floor.to_owned());
        }
    }
    named
}

/// Whether what comes next begins a path.
fn ends_a_word(before: &str) -> bool {
    !before
        .chars()
        .next_back()
        .is_some_and(|last| last.is_alphanumeric() || last == '_' || last == ':')
}

fn first_word(text: &str) -> Option<String> {
    let end = text
        .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

/// The first names in a group of imports, whatever is nested in it.
fn group_heads(group: &str) -> Vec<String> {
    let (mut depth, mut heads, mut fresh) = (0, Vec::new(), true);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            letter if fresh && letter.is_alphabetic() => {
                heads.extend(first_word(&group[at..]));
                fresh = false;
            }
            _ => {}
        }
    }
    heads
}

#[test]
fn no_floor_imports_what_lies_above_it() {
    let floors: Vec<&str> = MAY_IMPORT.iter().map(|(floor, _)| *floor).collect();
    let mut wrong = Vec::new();
    for source in sources() {
        let allowed = MAY_IMPORT.iter().find(|(floor, _)| *floor == source.floor);
        let Some((floor, allowed)) = allowed else {
            wrong.push(format!(
                "{}: a floor without a place",
                source.path.display()
            ));
            continue;
        };
        // Inside `rules`, `crate` is that crate.
        if *floor == "rules" {
            if source.text.contains("mancala_post") {
                wrong.push(format!("{} imports the server", source.path.display()));
            }
            continue;
        }
        for import in imports(&source) {
            let foreign = floors.contains(&import.as_str()) && import != *floor;
            if foreign && !allowed.contains(&import.as_str()) {
                wrong.push(format!("{} imports {import}", source.path.display()));
            }
        }
        for (crate_name, floors) in SEALED {
            let named = code(&source.text).contains(&format!("{crate_name}::"));
            if named && !floors.contains(floor) {
                wrong.push(format!("{} imports {crate_name}", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A request that is given up while sqlx begins a transaction leaves one behind: all begin
/// by `db::pool`, which knows.
#[test]
fn transactions_begin_in_one_place() {
    let mut wrong = Vec::new();
    for source in sources() {
        let code = code(&source.text);
        let begins = code.contains("pool.begin(") || code.contains("pool.begin_with(");
        if begins && source.path != Path::new("db/pool.rs") {
            wrong.push(source.path);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// `http` may read from `db`, but every change goes through `play`.
#[test]
fn the_interface_writes_nothing_itself() {
    let all = sources();
    let mut writers = Vec::new();
    for source in all.iter().filter(|source| source.floor == "db") {
        let noun = source.path.with_extension("");
        let Some(noun) = noun
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
        else {
            continue;
        };
        for function in source.text.split("pub async fn ").skip(1) {
            let name = first_word(function).unwrap_or_default();
            let body = function
                .split("\n}")
                .next()
                .unwrap_or_default()
                .to_lowercase();
            let writes = [
                "\"insert ",
                "\"update ",
                "\"delete ",
                "for update",
                "for no key update",
            ];
            if writes.iter().any(|word| body.contains(word)) {
                writers.push(format!("{noun}::{name}("));
            }
        }
    }
    assert!(writers.len() > 10, "{writers:?}");
    let mut wrong = Vec::new();
    for source in all.iter().filter(|source| source.floor == "http") {
        let code = code(&source.text);
        let calls = writers
            .iter()
            .filter(|writer| code.contains(&format!("db::{writer}")));
        wrong.extend(calls.map(|call| format!("{} calls {call}", source.path.display())));
        for statement in ["sqlx::query", ".begin()"] {
            if code.contains(statement) {
                wrong.push(format!("{} has {statement}", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// SQL stands in `db` and nowhere else, but for the statements that only measure.
#[test]
fn statements_stand_in_db_alone() {
    for source in sources() {
        let has = source.text.contains("sqlx::query");
        let may = source.floor == "db" || source.path.starts_with("command/bench");
        assert!(!has || may, "{}", source.path.display());
    }
}

#[test]
fn every_file_says_what_lives_in_it_and_is_not_too_long() {
    let mut wrong = Vec::new();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files: Vec<(PathBuf, String)> = sources()
        .into_iter()
        .map(|source| (source.path, source.text))
        .collect();
    let mut waiting = vec![tests];
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(dir).expect("a directory of the tests") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a readable file");
                files.push((path, text));
            }
        }
    }
    for (path, text) in files {
        if !text.starts_with("//! ") {
            wrong.push(format!("{} does not begin with `//!`", path.display()));
        }
        let lines = text.lines().count();
        if lines > MOST_LINES {
            wrong.push(format!("{} has {lines} lines", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_test_itself_sees_imports() {
    let source = |text: &str| Source {
        path: "x".into(),
        floor: "play".into(),
        text: text.into(),
    };
    let seen = |text: &str| imports(&source(text)).into_iter().collect::<Vec<_>>();
    assert_eq!(seen("use crate::http::error::ApiError;"), ["http"]);
    assert_eq!(
        seen("use crate::{\n    db,\n    http::{a, b},\n};"),
        ["db", "http"]
    );
    assert_eq!(seen("fn f() { crate::app::document() }"), ["app"]);
    assert_eq!(seen("use mancala_rules::Seat;"), ["rules"]);
    assert_eq!(seen("// use crate::http;"), Vec::<String>::new());
    assert_eq!(
        seen("use super::view; use mycrate::http;"),
        Vec::<String>::new()
    );
}
