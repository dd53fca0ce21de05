//! Keys are stored: these numbers never change. Where one does, every position of
//! every game would be lost from the search.

use mancala_rules::{Rules, preset};

use super::{Keys, position};

fn key(ruleset: &str, overrides: &str, text: &str) -> i64 {
    let preset = preset(ruleset).expect("a ruleset");
    let overrides = serde_json::from_str(overrides).expect("an object");
    let rules: Rules = preset.rules(&overrides).expect("its parameters");
    let state = position(rules, text).expect("a position");
    Keys::new(ruleset, 1, &rules).of(&state)
}

#[test]
fn they_are_these() {
    let full = "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0";
    for (ruleset, overrides, text, expected) in [
        (
            "congkak",
            "{}",
            format!("{full} S r1:S"),
            1_436_063_458_348_315_521,
        ),
        (
            "congkak",
            "{}",
            format!("{full} N r1:N"),
            -7_161_920_961_640_079_343,
        ),
        (
            "congkak",
            r#"{"max_rounds": 3}"#,
            format!("{full} S r1:S"),
            7_066_217_736_970_638_201,
        ),
        (
            "congkak",
            r#"{"max_rounds": 3}"#,
            "x,7,7,7,7,7,7/7,7,7,7,7,7,7 0-7 S r2:S".into(),
            3_169_980_078_802_941_680,
        ),
        (
            "congkak",
            "{}",
            "0,0,0,0,0,0,0/0,0,0,0,0,0,0 54-44 - r1:S".into(),
            828_990_039_146_704_992,
        ),
        (
            "congkak-traditional",
            "{}",
            format!("{full} SN r1:- ?|? t0"),
            -1_751_818_180_195_782_309,
        ),
        (
            "congkak-arena",
            "{}",
            format!("{full} SN r1:- ?|? t0"),
            3_160_832_098_286_438_201,
        ),
        (
            "congkak-arena",
            "{}",
            "7,7,7,7,7,7,0/7,7,7,7,7,7,0 4-5 S r1:- ?|5@n4 t9".into(),
            105_491_223_906_448_588,
        ),
        (
            "al-manqala",
            "{}",
            format!("{full} S r1:S"),
            -4_722_705_221_702_943_548,
        ),
    ] {
        let found = key(ruleset, overrides, &text);
        assert_eq!(found, expected, "{ruleset} {overrides} {text}");
    }
}

#[test]
fn round_starter_and_ticks_are_no_part() {
    let at = |text| key("congkak", r#"{"max_rounds": 3}"#, text);
    let one = at("1,7,7,7,7,7,7/7,7,7,7,7,7,7 0-6 S r1:S");
    assert_eq!(one, at("1,7,7,7,7,7,7/7,7,7,7,7,7,7 0-6 S r3:N"));
    assert_ne!(one, at("1,7,7,7,7,7,7/7,7,7,7,7,7,7 0-6 N r1:S"));
    assert_ne!(one, at("1,7,7,7,7,7,7/7,7,7,7,7,7,7 6-0 S r1:S"));
    let at = |text| key("congkak-arena", "{}", text);
    let one = at("7,7,7,7,7,7,0/7,7,7,7,7,7,0 4-5 S r1:- ?|5@n4 t9");
    assert_eq!(one, at("7,7,7,7,7,7,0/7,7,7,7,7,7,0 4-5 S r1:- ?|5@n4 t10"));
    assert_ne!(one, at("7,7,7,7,7,7,0/7,7,7,7,7,7,0 4-5 S r1:- ?|5@n3 t9"));
}
