//! Every form of a record says the same, and what is no record is refused.

mod sample;

use mancala_rules::presets;

use sample::Sampler;

use super::{Record, check, json, packed, text, trial};

fn as_text(record: &Record) -> String {
    let mut written = String::new();
    text::write(record, &mut written).expect("a record");
    written
}

fn as_json(record: &Record) -> String {
    let mut line = Vec::new();
    json::write(record, &mut line).expect("a record");
    String::from_utf8(line).expect("text")
}

fn records(each: u64) -> impl Iterator<Item = Record> {
    presets()
        .iter()
        .flat_map(move |preset| (0..each).map(move |seed| Sampler::new(seed).record(preset)))
}

#[test]
fn every_form_comes_back_as_it_was() {
    let (mut rounds, mut takebacks, mut starts, mut conditional) = (0, 0, 0, 0);
    for record in records(150) {
        check::facts(&record).expect("a sound record");
        let written = as_text(&record);
        assert_eq!(text::read(&written).as_ref(), Ok(&record), "{written}");
        let line = as_json(&record);
        assert_eq!(json::read(&line).as_ref(), Ok(&record), "{line}");
        let log = packed::pack(record.id, record.started_at, &record.rows);
        let out = packed::unpack(record.id, record.started_at, &log);
        assert_eq!(out.as_ref(), Ok(&record.rows));
        rounds += u32::from(written.contains("\nround "));
        takebacks += u32::from(written.contains(" takeback "));
        starts += u32::from(record.start.is_some());
        conditional += u32::from(written.contains("conditional}"));
    }
    // The sample has something of everything.
    assert!(rounds.min(takebacks).min(starts).min(conditional) > 30);
}

/// Cut off anywhere, or with a letter changed, it is refused or still one text.
#[test]
fn damaged_texts_are_refused() {
    for (number, record) in records(2).enumerate() {
        let written = as_text(&record);
        let mut sampler = Sampler::new(number as u64);
        for cut in 0..written.len().min(1500) {
            if written.is_char_boundary(cut) {
                let cut = &written[..cut];
                assert!(text::read(cut).is_err(), "{cut}");
            }
        }
        for _ in 0..500 {
            let mut bytes = written.clone().into_bytes();
            let at = sampler.below(bytes.len() as u32) as usize;
            bytes[at] = match sampler.once_in(2) {
                true => bytes[at] ^ 1 << sampler.below(8),
                false => b" \n0123456789SN.+{}[]\"\\-"[sampler.below(23) as usize],
            };
            if sampler.once_in(3) {
                bytes.remove(at);
            }
            trial::of_text(&bytes);
        }
    }
}

#[test]
fn damaged_lines_are_refused() {
    for (number, record) in records(3).enumerate() {
        let line = as_json(&record);
        let mut sampler = Sampler::new(number as u64);
        for _ in 0..250 {
            let mut bytes = line.clone().into_bytes();
            let at = sampler.below(bytes.len() as u32) as usize;
            bytes[at] = match sampler.once_in(2) {
                true => bytes[at] ^ 1 << sampler.below(8),
                false => b"0123456789,:\"[]{}nt"[sampler.below(19) as usize],
            };
            trial::of_json(&bytes);
            trial::of_json(&line.as_bytes()[..at]);
        }
    }
}

#[test]
fn bytes_that_nobody_packed_are_refused() {
    for (number, record) in records(20).enumerate() {
        let log = packed::pack(record.id, record.started_at, &record.rows);
        let mut sampler = Sampler::new(number as u64);
        for _ in 0..200 {
            let mut bytes = log[..log.len() - 8].to_vec();
            let at = sampler.below(bytes.len() as u32) as usize;
            bytes[at] = sampler.below(256) as u8;
            trial::of_packed(&bytes);
            trial::of_packed(&bytes[..at]);
        }
    }
}

/// Whatever the JSON says that the rules do not.
#[test]
fn values_that_the_moves_do_not_make_are_refused() {
    let record = records(1).next().expect("a record");
    let line = as_json(&record);
    let game: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    let free = [
        "id",
        "source",
        "imported_at",
        "created_at",
        "started_at",
        "seats",
        "clock",
    ];
    for (field, value) in game.as_object().expect("an object") {
        if free.contains(&field.as_str()) {
            continue;
        }
        let mut other = game.clone();
        other[field] = match value {
            serde_json::Value::Number(number) => (number.as_u64().unwrap_or(0) + 1).into(),
            serde_json::Value::Null => "x".into(),
            _ => serde_json::Value::Null,
        };
        let refused = json::read(&other.to_string());
        assert!(refused.is_err(), "{field} may be {}", other[field]);
    }
    for row in [
        "after_ply",
        "turn",
        "round",
        "seeds_sown",
        "captured",
        "banked",
        "lap_count",
    ] {
        let mut other = game.clone();
        let value = other["moves"][0][row].as_u64().expect("a number");
        other["moves"][0][row] = (value + 1).into();
        let cause = json::read(&other.to_string()).expect_err("refused");
        assert!(
            cause.starts_with(&format!("`moves[0].{row}` is ")),
            "{cause}"
        );
    }
}
