//! Whether the schema can be distributed by game (docs/scaling.md): every key of a
//! table of games begins with `game_id`, and the page distributes these tables and no
//! other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::database::Database;

/// Tables that have a game's id, and keys that do not begin with it.
const NOT_BY_GAME: [(&str, &str); 6] = [
    // A secret is all that whoever knocks has.
    ("tokens", "token_hash"),
    // In the order in which all events happened, over all games.
    ("event_queue", "queue_no"),
    ("event_log", "position"),
    // Numbered over all games: the number is the cut-off of exports.
    ("records", "record_no"),
    // A player's, of any games.
    ("webhooks", "webhook_id"),
    ("webhook_deliveries", "webhook_id, position"),
];

async fn pairs(db: &Database, query: &'static str) -> Vec<(String, String)> {
    sqlx::query_as(query)
        .fetch_all(&mut db.connect().await)
        .await
        .unwrap()
}

#[tokio::test]
async fn keys_of_games_begin_with_the_game() {
    let db = Database::new().await;
    let keys = pairs(
        &db,
        "select c.relname::text, \
                (select string_agg(a.attname, ', ' order by k.n) \
                 from unnest(i.indkey) with ordinality k (no, n) \
                      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.no) \
         from pg_index i join pg_class c on c.oid = i.indrelid \
         where i.indisunique and c.relnamespace = 'public'::regnamespace \
           and exists (select from pg_attribute a \
                       where a.attrelid = c.oid and a.attname = 'game_id')",
    )
    .await;
    let mut by_table: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (table, columns) in &keys {
        by_table.entry(table).or_default().push(columns);
    }
    let begins = |columns: &str| columns.split(", ").next() == Some("game_id");
    let mut others = BTreeSet::new();
    for (table, columns) in &keys {
        if !begins(columns) {
            others.insert((table.as_str(), columns.as_str()));
        }
    }
    // The id of a token is another name of it.
    assert!(others.remove(&("tokens", "token_id")));
    assert_eq!(others, BTreeSet::from(NOT_BY_GAME));

    // What is looked up across games has no place in the page; all others have.
    let all_over: BTreeSet<&str> = NOT_BY_GAME.iter().map(|(table, _)| *table).collect();
    let mut of_games: BTreeSet<&str> = by_table.keys().copied().collect();
    of_games.retain(|table| !all_over.contains(table));
    assert!(of_games.len() >= 10, "{of_games:?}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scaling.md");
    let page = fs::read_to_string(page).unwrap();
    let named = page.split("create_distributed_table('").skip(1);
    let named: BTreeSet<&str> = named
        .map(|rest| {
            let (table, column) = rest.split_once("', '").unwrap();
            assert!(column.starts_with("game_id'"), "{table}");
            table
        })
        .collect();
    assert_eq!(named, of_games);

    // Between them a game leads to itself alone.
    let foreign = pairs(
        &db,
        "select o.conrelid::regclass::text || ' ' || o.confrelid::regclass::text, \
                (select string_agg(a.attname, ', ' order by k.n) \
                 from unnest(o.conkey) with ordinality k (no, n) \
                      join pg_attribute a on a.attrelid = o.conrelid and a.attnum = k.no) \
         from pg_constraint o where o.contype = 'f'",
    )
    .await;
    let mut dropped = BTreeSet::new();
    for (tables, columns) in &foreign {
        let (from, to) = tables.split_once(' ').unwrap();
        if of_games.contains(from) && of_games.contains(to) {
            assert!(begins(columns), "{tables}: {columns}");
        } else if of_games.contains(to) {
            dropped.insert(from);
        }
    }
    // A table that is not distributed cannot refer to one that is.
    let named = page.split("drop constraint ").skip(1).count();
    assert_eq!(named, dropped.len(), "{dropped:?}");
    for table in dropped {
        assert!(
            page.contains(&format!("alter table {table} drop constraint ")),
            "{table}"
        );
    }
}
