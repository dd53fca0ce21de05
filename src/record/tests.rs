//! Every form of a record says the same, and what is no record is refused.

mod sample;

use mancala_rules::{Seat, presets};

use sample::Sampler;

use super::{Clock, EndReason, Record, Source, What, check, json, packed, text, trial};

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

/// The records in the documentation.
fn examples() -> Vec<String> {
    let page = include_str!("../../docs/notation.md").split("```\n");
    let records = page.filter(|block| block.starts_with(text::FIRST));
    records.map(str::to_owned).collect()
}

#[test]
fn the_examples_are_records() {
    let examples = examples();
    assert_eq!(examples.len(), 6);
    for example in &examples {
        match text::read(example) {
            Ok(record) => assert_eq!(as_text(&record), *example),
            Err(bad) => panic!("{bad}\n{example}"),
        }
    }
    let read = |example: usize| text::read(&examples[example]).expect("a record");
    let sow = |seat, house| What::Sow { seat, house };
    let (south, north) = (Seat::South, Seat::North);
    let whats = |record: &Record| record.rows.iter().map(|row| row.what).collect::<Vec<_>>();

    let first = read(0);
    assert_eq!(first.seats.south.player.as_deref(), Some("Siti"));
    assert_eq!(first.created_at.to_rfc3339(), "2025-01-01T00:00:00+00:00");
    assert_eq!((first.ended_at, first.rows.len()), (first.created_at, 11));

    let timed = read(1);
    let clock = Clock {
        per_move: 259_200,
        reserve: Some(86_400),
    };
    assert_eq!(timed.clock, Some(clock));
    assert_eq!(timed.rows[1].source, Source::Conditional);
    assert_eq!(timed.rows[1].elapsed_ms, Some(43));
    assert_eq!(timed.rows[2].source, Source::Server);
    assert_eq!(timed.rows[2].played_at, Some(timed.ended_at));
    assert_eq!(
        timed.rules.to_json()["loop_repeat"],
        serde_json::Value::Null
    );

    let (seat, to_ply) = (north, 1);
    let reason = EndReason::Resignation;
    let by = Some(north);
    assert_eq!(
        whats(&read(2)),
        [
            sow(south, 1),
            sow(north, 1),
            What::Takeback { seat, to_ply },
            sow(north, 2),
            sow(south, 3),
            What::End { reason, by },
        ]
    );
    assert_eq!(
        whats(&read(3))[..3],
        [sow(south, 7), sow(north, 5), sow(south, 5)]
    );
    assert_eq!(
        read(4).seats.north.player.as_deref(),
        Some("Awang \"the Hand\"")
    );
    assert!(read(4).start.is_some());
}

/// Each with the place and a part of what is said of it.
#[test]
fn what_is_wrong_is_named() {
    let example = &examples()[0];
    let mut others = Vec::new();
    for (from, to, place, cause) in [
        (
            "[Game \"01941f29-7c00-7000-8000-000000000001\"]\n",
            "",
            (1, 1),
            "the header [Game]",
        ),
        ("01941f29", "x1941f29", (1, 1), "expected a UUID"),
        ("congkak 1", "congkak 2", (2, 1), "no revision 2"),
        (
            "congkak 1",
            "chess 1",
            (2, 1),
            "there is no ruleset `chess`: congkak,",
        ),
        ("houses=5", "houses=4", (3, 1), "`houses` must be"),
        (
            "houses=5",
            "houses=5 seeds=5",
            (3, 17),
            "expected `[Rules \"houses=5\"]`",
        ),
        (
            "human Siti",
            "person Siti",
            (4, 1),
            "expected human, bot or anonymous",
        ),
        ("2025-01-01", "2025-02-30", (6, 1), "expected a time"),
        (
            "[Created \"2025-01-01\"]\n",
            "",
            (6, 1),
            "the header [Clock] or [Created]",
        ),
        (
            "south 47-3",
            "south 46-4",
            (7, 17),
            "expected `[Result \"south 47-3 most_seeds\"]`",
        ),
        ("\"south 47-3 most_seeds\"", "\"*\"", (7, 1), "not over"),
        ("]\n\n1.", "]\n1.", (8, 1), "an empty line"),
        ("1. S5", "2. S5", (9, 1), "expected `1. S5 S4"),
        ("S5 S4", "S5  S4", (9, 7), "a choice such as S5"),
        ("S5 S4", "S5 S5", (9, 7), "south's house 5 is empty"),
        ("S5 S4", "S5 S9", (9, 7), "there is no house 9"),
        ("S5 S4", "S5{7m} S4", (9, 10), "milliseconds"),
        ("2. N5", "2. S5", (10, 4), "south is not to move"),
        ("2. N5", "N5", (10, 1), "expected a turn"),
        ("\n2. N5", " N5", (9, 24), "expected nothing more here"),
        ("3. S5\n4. N3 N1\n", "", (7, 1), "the game is not over"),
        ("N1\n", "N1\nS resignation\n", (13, 1), "the game is over"),
        ("N1\n", "N1", (12, 9), "the last line has no end"),
        (
            "N3 N1\n",
            "N3\nS takeback 10\n4. N1\n",
            (13, 1),
            "takes nothing back",
        ),
    ] {
        let text = example.replacen(from, to, 1);
        assert_ne!(text, *example, "{from}");
        let bad = text::read(&text).expect_err(to);
        if !bad.cause.contains(cause) || (bad.line, bad.column) != place {
            others.push(format!("{from} as {to}: {bad}"));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}
