//! What the fuzzers have found their way by (`fuzz/corpus`), once more through what they
//! call: no parser falls over anything that was ever kept.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use mancala_post::notify::webhooks;
use mancala_post::{http, record, rules};

type Trial = fn(&[u8]);

const TARGETS: [(&str, Trial); 10] = [
    ("action", http::trial::of_action),
    ("choices", rules::trial::of_choices),
    ("cursor", http::trial::of_cursor),
    ("filters", http::trial::of_filters),
    ("json", record::trial::of_json),
    ("packed", record::trial::of_packed),
    ("position", rules::trial::of_position),
    ("rules", rules::trial::of_rules),
    ("text", record::trial::of_text),
    ("url", webhooks::trial::of_url),
];

fn names(directory: &Path) -> Vec<String> {
    let files = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn every_corpus() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let expected = TARGETS.map(|(target, _)| target);
    assert_eq!(names(&fuzz.join("corpus")), expected);
    let programs = expected.map(|target| format!("{target}.rs"));
    assert_eq!(names(&fuzz.join("fuzz_targets")), programs);
    for (target, trial) in TARGETS {
        let corpus = fuzz.join("corpus").join(target);
        let files = names(&corpus);
        assert!(files.len() > 10, "{target}: {} files", files.len());
        for file in files {
            // Says which one it was when it panics.
            println!("{target}/{file}");
            trial(&fs::read(corpus.join(file)).unwrap());
        }
    }
}
