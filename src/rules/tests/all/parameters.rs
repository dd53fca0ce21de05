//! Overrides and recorded parameters: defaults, and a message for each way to
//! get them wrong.

use crate::support::{object, rules};
use mancala_rules::{BadStored, Family, Rules, preset, presets};
use serde_json::{Value, json};

fn refused(ruleset: &str, overrides: Value) -> String {
    preset(ruleset)
        .unwrap()
        .rules(&object(overrides))
        .unwrap_err()
        .to_string()
}

#[test]
fn the_presets_are_these() {
    let all: Vec<(&str, u32, Family, Value)> = presets()
        .iter()
        .map(|preset| {
            (
                preset.name,
                preset.revision,
                preset.family,
                preset.defaults.to_json(),
            )
        })
        .collect();
    assert_eq!(
        all,
        [
            (
                "congkak",
                1,
                Family::Congkak,
                json!({"houses": 7, "seeds": 7, "opening": "alternating",
                    "empty_opposite": "stay", "round_end": "mover_empty", "max_rounds": 1,
                    "refill": "left_to_right", "burnt": "skip", "burnt_recoverable": true})
            ),
            (
                "congkak-traditional",
                1,
                Family::Congkak,
                json!({"houses": 7, "seeds": 7, "opening": "simultaneous",
                    "empty_opposite": "bank", "round_end": "side_empty", "max_rounds": null,
                    "refill": "left_to_right", "burnt": "skip", "burnt_recoverable": true})
            ),
            (
                "congkak-arena",
                1,
                Family::Congkak,
                json!({"houses": 7, "seeds": 7, "opening": "simultaneous",
                    "empty_opposite": "bank", "round_end": "side_empty", "max_rounds": 1,
                    "refill": "even", "burnt": "confiscate", "burnt_recoverable": true})
            ),
            (
                "al-manqala",
                1,
                Family::AlManqala,
                json!({"houses": 7, "seeds": 7, "feeding": "deposit", "loop_repeat": 3})
            ),
        ]
    );
    for preset in presets() {
        assert!(!preset.source.is_empty());
        for parameter in preset.parameters() {
            assert!(!preset.default_of(parameter.name).is_null() || parameter.name == "max_rounds");
        }
    }
    assert_eq!(
        preset("congkak").unwrap().default_of("feeding"),
        Value::Null
    );
    assert!(preset("Congkak").is_none());
}

#[test]
fn seeds_follow_houses_unless_given() {
    assert_eq!(rules("congkak", json!({"houses": 9})).seeds(), 9);
    assert_eq!(rules("congkak", json!({"houses": 9})).total_seeds(), 162);
    assert_eq!(
        rules("congkak", json!({"houses": 9, "seeds": 4})).seeds(),
        4
    );
    assert_eq!(rules("al-manqala", json!({"seeds": 4})).houses(), 7);
    let largest = rules("al-manqala", json!({"houses": 15}));
    assert_eq!(largest.total_seeds(), 450);
}

#[test]
fn every_parameter_can_be_overridden() {
    let all = json!({"houses": 15, "seeds": 1, "opening": "simultaneous",
        "empty_opposite": "bank", "round_end": "side_empty", "max_rounds": 100,
        "refill": "even", "burnt": "confiscate", "burnt_recoverable": false});
    assert_eq!(rules("congkak", all.clone()).to_json(), all);
    let all = json!({"houses": 5, "seeds": 15, "feeding": "leaves", "loop_repeat": null});
    assert_eq!(rules("al-manqala", all.clone()).to_json(), all);
}

#[test]
fn a_bad_override_is_named() {
    let cases = [
        (
            "congkak",
            json!({"fedding": "leaves"}),
            "`fedding` is no parameter of congkak: it has houses, seeds, opening, \
             empty_opposite, round_end, max_rounds, refill, burnt, burnt_recoverable",
        ),
        (
            "congkak-arena",
            json!({"feeding": "leaves"}),
            "`feeding` means nothing in congkak-arena: it is a parameter of al-manqala",
        ),
        (
            "al-manqala",
            json!({"max_rounds": 1}),
            "`max_rounds` means nothing in al-manqala: it is a parameter of congkak",
        ),
        (
            "congkak",
            json!({"houses": 4}),
            "`houses` must be a whole number from 5 to 15, not 4",
        ),
        (
            "congkak",
            json!({"houses": 16}),
            "`houses` must be a whole number from 5 to 15, not 16",
        ),
        (
            "congkak",
            json!({"houses": 7.0}),
            "`houses` must be a whole number from 5 to 15, not 7.0",
        ),
        (
            "congkak",
            json!({"seeds": -1}),
            "`seeds` must be a whole number from 1 to 15, not -1",
        ),
        (
            "congkak",
            json!({"seeds": 18446744073709551615u64}),
            "`seeds` must be a whole number from 1 to 15, not 18446744073709551615",
        ),
        (
            "congkak",
            json!({"seeds": 1e300}),
            "`seeds` must be a whole number from 1 to 15, not 1e+300",
        ),
        (
            "congkak",
            json!({"seeds": "7"}),
            "`seeds` must be a whole number from 1 to 15, not \"7\"",
        ),
        (
            "congkak",
            json!({"houses": null}),
            "`houses` must be a whole number from 5 to 15, not null",
        ),
        (
            "congkak",
            json!({"max_rounds": 0}),
            "`max_rounds` must be a whole number from 1 to 100, or null, not 0",
        ),
        (
            "congkak",
            json!({"max_rounds": 101}),
            "`max_rounds` must be a whole number from 1 to 100, or null, not 101",
        ),
        (
            "al-manqala",
            json!({"loop_repeat": 1}),
            "`loop_repeat` must be a whole number from 2 to 10, or null, not 1",
        ),
        (
            "al-manqala",
            json!({"loop_repeat": 11}),
            "`loop_repeat` must be a whole number from 2 to 10, or null, not 11",
        ),
        (
            "congkak",
            json!({"opening": "both"}),
            "`opening` must be one of alternating, simultaneous, not \"both\"",
        ),
        (
            "congkak",
            json!({"burnt": true}),
            "`burnt` must be one of skip, confiscate, not true",
        ),
        (
            "congkak",
            json!({"burnt_recoverable": 1}),
            "`burnt_recoverable` must be true or false, not 1",
        ),
        (
            "congkak",
            json!({"burnt_recoverable": null}),
            "`burnt_recoverable` must be true or false, not null",
        ),
        (
            "al-manqala",
            json!({"feeding": ["leaves"]}),
            "`feeding` must be one of deposit, leaves, not [\"leaves\"]",
        ),
    ];
    for (ruleset, overrides, message) in cases {
        assert_eq!(refused(ruleset, overrides), message);
    }
}

#[test]
fn a_long_value_is_shortened() {
    let message = refused("congkak", json!({"opening": "ü".repeat(5000)}));
    assert!(message.chars().count() < 150, "{message}");
    let message = refused("congkak", json!({"x".repeat(5000): 1}));
    assert!(message.chars().count() < 300, "{message}");
}

#[test]
fn recorded_parameters_come_back() {
    for preset in presets() {
        let json = preset.defaults.to_json();
        assert_eq!(
            Rules::stored(preset.name, preset.revision, &json),
            Ok(preset.defaults)
        );
    }
    let odd = rules("congkak", json!({"houses": 12, "max_rounds": null}));
    assert_eq!(Rules::stored("congkak", 1, &odd.to_json()), Ok(odd));
}

#[test]
fn what_was_never_recorded_is_refused() {
    let full = preset("al-manqala").unwrap().defaults.to_json();
    let said = |ruleset: &str, revision, json: &Value| {
        Rules::stored(ruleset, revision, json)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(said("dakon", 1, &full), "there is no ruleset \"dakon\"");
    assert_eq!(
        said("al-manqala", 2, &full),
        "ruleset al-manqala has no revision 2"
    );
    assert_eq!(
        said("al-manqala", 0, &full),
        "ruleset al-manqala has no revision 0"
    );
    assert_eq!(
        said("al-manqala", 1, &json!([1])),
        "the parameters are no JSON object"
    );
    assert_eq!(
        Rules::stored(
            "al-manqala",
            1,
            &json!({"houses": 7, "seeds": 7, "feeding": "leaves"})
        ),
        Err(BadStored::Missing("loop_repeat"))
    );
    assert_eq!(
        said("congkak", 1, &full),
        "`feeding` means nothing in congkak: it is a parameter of al-manqala"
    );
}
