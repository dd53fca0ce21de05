//! The columns of exports, as they were given out: a change of these is a new version.

use parquet::file::reader::FileReader;
use serde_json::json;

use crate::support::Server;
use crate::support::exports::{generate, parquet};

const GAMES: &str = "\
REQUIRED INT64 record_no;
REQUIRED BYTE_ARRAY id (STRING);
REQUIRED BYTE_ARRAY ruleset (STRING);
REQUIRED INT32 revision;
REQUIRED BYTE_ARRAY rules (STRING);
REQUIRED INT32 houses;
REQUIRED INT32 seeds;
OPTIONAL BYTE_ARRAY opening_rule (STRING);
OPTIONAL INT32 max_rounds;
OPTIONAL BYTE_ARRAY start (STRING);
REQUIRED BYTE_ARRAY source (STRING);
REQUIRED INT64 created_at (TIMESTAMP(MICROS,true));
REQUIRED INT64 started_at (TIMESTAMP(MICROS,true));
REQUIRED INT64 ended_at (TIMESTAMP(MICROS,true));
OPTIONAL INT64 imported_at (TIMESTAMP(MICROS,true));
OPTIONAL BYTE_ARRAY south_player (STRING);
REQUIRED BYTE_ARRAY south_kind (STRING);
OPTIONAL BYTE_ARRAY north_player (STRING);
REQUIRED BYTE_ARRAY north_kind (STRING);
OPTIONAL INT32 clock_per_move;
OPTIONAL INT32 clock_reserve;
REQUIRED BYTE_ARRAY winner (STRING);
REQUIRED BYTE_ARRAY reason (STRING);
REQUIRED INT32 score_south;
REQUIRED INT32 score_north;
OPTIONAL BYTE_ARRAY ended_by (STRING);
REQUIRED INT32 ply;
REQUIRED INT32 plies;
REQUIRED INT32 turn;
REQUIRED INT32 round;
REQUIRED BYTE_ARRAY position (STRING);
REQUIRED BYTE_ARRAY rounds (STRING);
";

const ROWS: &str = "\
REQUIRED INT64 record_no;
REQUIRED BYTE_ARRAY game_id (STRING);
REQUIRED INT32 ply;
REQUIRED BYTE_ARRAY kind (STRING);
OPTIONAL BYTE_ARRAY seat (STRING);
REQUIRED INT32 after_ply;
OPTIONAL INT32 house;
REQUIRED INT32 turn;
REQUIRED INT32 round;
OPTIONAL INT32 seeds_sown;
OPTIONAL INT32 lap_count;
OPTIONAL INT32 captured;
OPTIONAL INT32 banked;
OPTIONAL BOOLEAN extra_turn;
OPTIONAL BOOLEAN passed;
OPTIONAL INT32 other_seeds_sown;
OPTIONAL INT32 other_lap_count;
OPTIONAL INT32 other_captured;
OPTIONAL INT32 other_banked;
OPTIONAL BYTE_ARRAY reason (STRING);
OPTIONAL BYTE_ARRAY by (STRING);
OPTIONAL INT32 to_ply;
OPTIONAL BYTE_ARRAY position (STRING);
OPTIONAL INT64 elapsed_ms;
OPTIONAL INT64 played_at (TIMESTAMP(MICROS,true));
REQUIRED BYTE_ARRAY source (STRING);
OPTIONAL BOOLEAN taken_back;
";

#[tokio::test]
async fn the_columns_are_those_of_version_1() {
    let server = Server::start().await;
    generate(&server.db, 1, 1).await;
    let dictionary = server.api.get("/v1/export/dictionary").await.expect(200);
    assert_eq!(dictionary["version"], 1);
    for (number, (name, columns)) in [("games", GAMES), ("rows", ROWS)].into_iter().enumerate() {
        let path = format!("/v1/export/{name}?format=parquet");
        let bytes = server.api.get(&path).await.body;
        let file = parquet(&bytes);
        let about = file.metadata().file_metadata();
        let mut printed = Vec::new();
        parquet::schema::printer::print_schema(&mut printed, about.schema());
        let expected = format!(
            "message {name} {{\n{}}}\n",
            columns
                .lines()
                .map(|line| format!("  {line}\n"))
                .collect::<String>()
        );
        assert_eq!(String::from_utf8(printed).unwrap(), expected);
        assert_eq!(
            about.created_by(),
            Some(concat!("mancala-post version ", env!("CARGO_PKG_VERSION")))
        );
        let table = &dictionary["tables"][number];
        assert_eq!(table["name"], name);
        let documented = table["columns"].as_array().unwrap();
        assert_eq!(documented.len(), columns.lines().count());
        for (column, line) in documented.iter().zip(columns.lines()) {
            let words: Vec<&str> = line.trim_end_matches(';').split(' ').collect();
            assert_eq!(column["name"], words[2]);
            assert_eq!(column["nullable"], json!(words[0] == "OPTIONAL"));
            let kinds: &[&str] = match (words[1], words.get(3)) {
                ("INT32", None) => &["int32"],
                ("INT64", None) => &["int64"],
                ("BOOLEAN", None) => &["boolean"],
                ("BYTE_ARRAY", Some(_)) => &["string", "json"],
                _ => &["timestamp"],
            };
            assert!(
                kinds.contains(&column["type"].as_str().unwrap()),
                "{column}"
            );
        }
    }
}

/// An empty file is a file: nobody's script breaks on the first day.
#[tokio::test]
async fn without_games_there_is_a_table_without_lines() {
    let server = Server::start().await;
    for name in ["games", "rows"] {
        let path = |format: &str| format!("/v1/export/{name}?format={format}");
        let file = parquet(&server.api.get(&path("parquet")).await.body);
        assert_eq!(file.metadata().file_metadata().num_rows(), 0);
        assert_eq!(server.api.get(&path("ndjson")).await.body, b"");
        let csv = server.api.get(&path("csv")).await;
        assert_eq!(csv.header("mancala-until"), "0");
        assert!(csv.text().starts_with("record_no,") && csv.text().lines().count() == 1);
    }
}
