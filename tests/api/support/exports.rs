//! Exports as their readers get them, and games to export.

use std::collections::BTreeMap;

use mancala_post::play::{archive, bulk};
use mancala_post::record::generate::Plan;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Map, Value, json};

use super::chance::Chance;
use super::client::{Answer, Api};
use super::database::Database;
use super::{Game, Person, Server, follow, offers};

/// The presets, each with parameters that end soon.
pub(crate) const PRESETS: [(&str, &str); 5] = [
    ("congkak", r#"{"houses":5,"seeds":2}"#),
    ("congkak", "{}"),
    (
        "congkak-traditional",
        r#"{"houses":5,"seeds":3,"max_rounds":3}"#,
    ),
    ("congkak-arena", r#"{"houses":5,"seeds":2,"max_rounds":2}"#),
    ("al-manqala", r#"{"houses":5,"seeds":3}"#),
];

/// Random games of all presets, `each` of them, that nobody played here.
pub(crate) async fn generate(db: &Database, each: u64, seed: u64) {
    let mut connection = db.connect().await;
    for (ruleset, rules) in PRESETS {
        let plan = Plan::new(ruleset, Some(rules), seed, 400).unwrap();
        let batch: Vec<_> = (0..each)
            .map(|number| bulk::Ready::new(plan.game(number)).unwrap())
            .collect();
        bulk::enter(&mut connection, &batch).await.unwrap();
    }
}

/// What an export must never show of the games of [`played`].
pub(crate) const SECRETS: [&str; 6] = [
    "Aminah",
    "kampung-bot",
    "Piala, Kuala & Co",
    "chat-4711",
    "selamat petang",
    "mp_",
];

/// Games of people and bots over HTTP, of every preset and fate, with labels,
/// references and messages; entered for the search.
pub(crate) async fn played(server: &Server, number: usize) {
    let chance = &mut Chance(0x2545_f491_4f6c_dd1d);
    let aminah = Person::new(&server.api, "Aminah").await;
    let bot = Person::bot(&server.api, "kampung-bot").await;
    for number in 0..number {
        let (ruleset, rules) = PRESETS[number % PRESETS.len()];
        let mut body = json!({
            "ruleset": ruleset,
            "rules": serde_json::from_str::<Value>(rules).unwrap(),
            "label": "Piala, Kuala & Co",
            "external_ref": "chat-4711",
        });
        match number % 4 {
            1 => body["clock"] = json!({ "per_move": 86400 }),
            2 => body["clock"] = json!({ "per_move": 3600, "reserve": 60 }),
            _ => {}
        }
        let game = match number % 3 {
            0 => Game::create(&server.api, &body).await,
            _ => follow::game_of(&aminah.api, &bot.api, body).await,
        };
        play(&game, chance, number).await;
    }
    enter(&server.db).await;
}

/// Enters what is over.
pub(crate) async fn enter(db: &Database) {
    archive::enter(&db.pool()).await.unwrap();
}

/// Plays by chance to an end, with a takeback, a message, a resignation or an
/// agreement here and there.
async fn play(game: &Game, chance: &mut Chance, number: usize) {
    let mut sown = 0;
    loop {
        let state = game.south.get(&game.path).await.expect(200);
        let legal = state["legal_moves"].as_array().unwrap().clone();
        let Some(choice) = legal.get(chance.below(legal.len().max(1))) else {
            return;
        };
        let seat = choice["seat"].as_str().unwrap();
        let body = json!({
            "after_ply": state["ply"], "house": choice["house"], "message": "selamat petang",
        });
        let sent = game.seat(seat).post(&game.to("moves"), &body).await;
        assert!((200..300).contains(&sent.status), "{sent}");
        sown += 1;
        let is_playing = |state: &Value| state["status"] == "playing";
        if !is_playing(&state) || !is_playing(&sent.json["game"]) {
            continue;
        }
        match number % 7 {
            2 if sown == 6 => {
                let ply = state["ply"].as_i64().unwrap();
                offers::taken_back(game, seat, ply).await;
            }
            3 if sown > 6 => drop(game.north.call(&game.to("resign")).await.expect(200)),
            4 if sown > 4 => {
                let offer = offers::plain(&game.south, game, "draw").await.expect(201);
                let ply = offer["game"]["ply"].as_u64().unwrap();
                let answer = offers::accept(&game.north, game, &offer, ply).await;
                answer.expect(200);
            }
            _ => {}
        }
    }
}

/// The lines of an NDJSON answer.
pub(crate) fn ndjson(answer: &Answer) -> Vec<Value> {
    answer.is(200);
    let lines = answer.text().lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// An export as NDJSON.
pub(crate) async fn lines(api: &Api, table: &str, query: &str) -> Vec<Value> {
    ndjson(&api.get(&format!("/v1/export/{table}?{query}")).await)
}

/// The lines of a CSV answer by the names of their columns.
pub(crate) fn csv(answer: &Answer) -> (Vec<String>, Vec<BTreeMap<String, String>>) {
    answer.is(200);
    let mut reader = csv::Reader::from_reader(&answer.body[..]);
    let names: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    let line = |record: csv::StringRecord| {
        let fields = record.iter().map(str::to_owned);
        names.iter().cloned().zip(fields).collect()
    };
    let lines = reader
        .records()
        .map(|record| line(record.unwrap()))
        .collect();
    (names.clone(), lines)
}

/// A Parquet file, opened.
pub(crate) fn parquet(bytes: &[u8]) -> SerializedFileReader<actix_web::web::Bytes> {
    SerializedFileReader::new(actix_web::web::Bytes::copy_from_slice(bytes)).unwrap()
}

/// The lines of a Parquet file: numbers and words as they are, times as text.
pub(crate) fn parquet_lines(bytes: &[u8]) -> Vec<Map<String, Value>> {
    let value = |field: &Field| match field {
        Field::Null => Value::Null,
        Field::Bool(value) => json!(value),
        Field::Int(number) => json!(number),
        Field::Long(number) => json!(number),
        Field::Str(text) => json!(text),
        Field::TimestampMicros(micros) => {
            let time = chrono::DateTime::from_timestamp_micros(*micros).unwrap();
            json!(time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))
        }
        other => panic!("a value of another type: {other:?}"),
    };
    let file = parquet(bytes);
    let rows = file.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let columns = row.get_column_iter();
        columns
            .map(|(name, field)| (name.clone(), value(field)))
            .collect()
    });
    rows.collect()
}

/// The value at a path such as `result.score.south`.
pub(crate) fn at<'v>(line: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(line, |value, name| &value[name])
}
