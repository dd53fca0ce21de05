//! How many sequences of choices there are, from the start of every ruleset:
//! of exactly d choices, and of those that ended before.

use mancala_rules::{State, preset};
use serde_json::{Map, Value};

/// Adds up by depth: `[exactly, ended before]`.
fn walk(state: &State, depth: usize, counts: &mut [[u64; 2]]) {
    if depth == counts.len() {
        return;
    }
    let moves = state.legal_moves();
    if moves.is_empty() {
        for count in &mut counts[depth..] {
            count[1] += 1;
        }
        return;
    }
    // The seats' secret choices come one after the other, south's first.
    let first = moves[0].0;
    for (seat, house) in moves.into_iter().filter(|(seat, _)| *seat == first) {
        let mut next = state.clone();
        next.play(seat, house).unwrap();
        counts[depth][0] += 1;
        walk(&next, depth + 1, counts);
    }
}

#[test]
fn counts_agree() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/vectors/perft.jsonl"
    );
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(text.lines().count(), 12);
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let mut overrides = Map::new();
        overrides.insert("houses".into(), row["houses"].clone());
        let rules = preset(row["ruleset"].as_str().unwrap())
            .unwrap()
            .rules(&overrides)
            .unwrap();
        let expected: Vec<[u64; 2]> = serde_json::from_value(row["counts"].clone()).unwrap();
        let mut counts = vec![[0, 0]; expected.len()];
        walk(&State::start(rules), 0, &mut counts);
        assert_eq!(counts, expected, "{line}");
    }
}
