//! What a migration may do while a program of the version before runs on the same
//! schema (docs/upgrades.md): expand. One that contracts says so in its name.

use std::fs;
use std::path::Path;

use mancala_post::db::schema::contracts_since;

/// The last migration from before the rule: no version with fewer was ever in use.
const BEFORE: i64 = 11;

/// A statement in lower case, one space between words.
fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split("--").next().unwrap());
    let text: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let text = text.join(" ").to_lowercase();
    text.split(';')
        .map(str::trim)
        .filter(|statement| !statement.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The name that comes after these words.
fn name_after<'a>(statement: &'a str, words: &str) -> Option<&'a str> {
    let rest = statement.split_once(words)?.1;
    let end = |letter: char| !letter.is_alphanumeric() && letter != '_';
    rest.split(end).next().filter(|name| !name.is_empty())
}

/// What is wrong with a migration of this text.
fn wrong(text: &str, contracts: bool) -> Vec<String> {
    let all = statements(text);
    let made: Vec<&str> = all
        .iter()
        .filter_map(|statement| name_after(statement, "create table "))
        .collect();
    let mut wrong = Vec::new();
    for statement in &all {
        let mut refuse = |why: &str| wrong.push(format!("{why}: {statement}"));
        let table = [
            "alter table only ",
            "alter table ",
            " on only ",
            " on ",
            "update ",
            "delete from ",
        ]
        .iter()
        .find_map(|words| name_after(statement, words));
        if table.is_some_and(|table| made.contains(&table))
            || statement.starts_with("create table ")
        {
            continue;
        }
        let has = |words: &str| statement.contains(words);
        if has("lock table") || statement.starts_with("cluster") || has("vacuum full") {
            refuse("keeps everybody out");
        }
        if statement.starts_with("update ") || statement.starts_with("delete ") {
            refuse("rows are changed by the program, some at a time");
        }
        if statement.starts_with("create index") || statement.starts_with("create unique index") {
            if !has(" concurrently ") {
                refuse("an index on a table that is there is made concurrently");
            }
            if !text.starts_with("-- no-transaction") || all.len() > 1 {
                refuse("made concurrently: a file of its own, with -- no-transaction first");
            }
        }
        for part in statement
            .split(", add ")
            .flat_map(|part| part.split(" add "))
        {
            let column = part.starts_with("column ");
            let default = part.split_once(" default ").map(|(_, value)| value);
            if column
                && default.is_some_and(|value| {
                    value
                        .split(' ')
                        .next()
                        .is_some_and(|word| word.contains('('))
                })
            {
                refuse("a default that is computed writes the whole table anew");
            }
            let checks = part.contains("check (")
                || part.contains(" references ")
                || part.contains("foreign key");
            if (column || part.starts_with("constraint ")) && checks && !part.contains("not valid")
            {
                refuse(
                    "what is to be checked comes as a constraint that is not valid, and is validated by a later step",
                );
            }
            if !contracts && column && part.contains(" not null") && default.is_none() {
                refuse("a program of before does not fill it in");
            }
        }
        if contracts {
            continue;
        }
        for words in [
            "drop table",
            "drop column",
            "drop view",
            "drop function",
            "drop index",
            "drop type",
            "drop default",
            "truncate",
            " rename ",
            " set not null",
            " set data type ",
            "create unique index",
            "add unique",
            "add primary key",
        ] {
            if has(words) {
                refuse("contracts");
            }
        }
        let mut altered = statement.split("alter column ").skip(1);
        if altered.any(|part| part.split(' ').nth(1) == Some("type")) {
            refuse("contracts");
        }
        for dropped in statement.split("drop constraint ").skip(1) {
            let name = dropped.split([',', ' ']).next().unwrap();
            // A wider one in its place.
            if !has(&format!("add constraint {name} ")) {
                refuse("contracts");
            }
        }
    }
    wrong
}

#[test]
fn migrations_expand_or_say_that_they_contract() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut found = Vec::new();
    let (mut seen, mut old) = (0, 0);
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let (version, words) = name.split_once('_').unwrap();
        let version: i64 = version.parse().unwrap();
        let since = contracts_since(&words.replace('_', " "));
        let wrong = wrong(&fs::read_to_string(&path).unwrap(), since.is_some());
        seen += 1;
        if version <= BEFORE {
            old += wrong.len();
            continue;
        }
        if since.is_some_and(|since| since > version) {
            found.push(format!(
                "{name} does not say for whom it is: contract_since_NNNN_…"
            ));
        }
        found.extend(wrong.into_iter().map(|wrong| format!("{name}: {wrong}")));
    }
    assert!(found.is_empty(), "{found:#?}");
    // The old ones were written without the rule: it sees what they do.
    assert!(seen >= 11 && old > 5, "{seen} {old}");
}

#[test]
fn the_rule_sees_what_it_is_for() {
    let good = [
        "alter table games add column note text;",
        "alter table games add column note integer not null default 0, add column other text;",
        "create table notes (game_id uuid primary key references games, text text not null);\
         create index notes_text on notes (text); insert into notes select 1;",
        "-- no-transaction\ncreate index concurrently games_note on games (note);",
        "alter table games add constraint games_note check (note <> '') not valid;",
        "alter table games validate constraint games_note;",
        "alter table plies drop constraint plies_kind_check, \
         add constraint plies_kind_check check (kind in ('sow', 'end', 'pass')) not valid;",
        "-- alter table games drop column note;",
    ];
    for text in good {
        assert_eq!(wrong(text, false), Vec::<String>::new(), "{text}");
    }
    let bad = [
        "alter table games add column note text not null;",
        "alter table games add column note uuid not null default gen_random_uuid();",
        "alter table games add column note text check (note <> '');",
        "alter table games add column other uuid references games;",
        "alter table games add constraint games_note check (note <> '');",
        "create index games_note on games (note);",
        "create index concurrently games_note on games (note);",
        "-- no-transaction\ncreate index concurrently a on games (a);\
         create index concurrently b on games (b);",
        "-- no-transaction\ncreate unique index concurrently games_note on games (note);",
        "alter table games drop column note;",
        "alter table games\n  rename column note to notes;",
        "alter table games alter column note type varchar(10);",
        "alter table games alter column note set not null;",
        "alter table games alter column note drop default;",
        "alter table plies drop constraint plies_pkey;",
        "drop table plies;",
        "lock table games;",
        "update games set note = '';",
        "delete from games;",
        "truncate games;",
    ];
    for text in bad {
        assert_ne!(wrong(text, false), Vec::<String>::new(), "{text}");
    }
    for text in ["alter table games drop column note;", "drop table plies;"] {
        assert_eq!(wrong(text, true), Vec::<String>::new(), "{text}");
    }
    // Nor may one that contracts keep everybody out.
    assert_ne!(wrong("lock table games;", true), Vec::<String>::new());
    assert_eq!(contracts_since("contract since 0012 old labels"), Some(12));
    assert_eq!(contracts_since("contracts of sale"), None);
    assert_eq!(contracts_since("contract labels"), Some(i64::MAX));
}
