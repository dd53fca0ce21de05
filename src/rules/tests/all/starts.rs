//! Which positions may begin a game, and what is said of the others.

use mancala_rules::{Position, Seat, State};
use serde_json::json;

use crate::support::{at, rules};

#[test]
fn a_start_that_breaks_a_condition_is_refused() {
    let congkak = rules("congkak", json!({}));
    let three = rules("congkak-traditional", json!({"max_rounds": 3}));
    let pearls = rules("al-manqala", json!({}));
    let cases = [
        (
            congkak,
            "7,7,7,7,7,7/7,7,7,7,7,7 7-7 S r1:S",
            "the rows have 6 houses, the rules ask for 7",
        ),
        (
            congkak,
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 1-0 S r1:S",
            "there are 99 seeds on the board, in stores and in hands, the rules ask for 98",
        ),
        (
            congkak,
            "65535,65535,65535,65535,65535,65535,65535/65535,65535,65535,65535,65535,65535,65535 65535-65535 S r1:S",
            "there are 1048560 seeds on the board, in stores and in hands, the rules ask for 98",
        ),
        (
            congkak,
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r2:S",
            "the start is in round 2, but round 1 is the last",
        ),
        (
            three,
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r4:S",
            "the start is in round 4, but round 3 is the last",
        ),
        (
            congkak,
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 - r1:S",
            "a start needs a seat to move",
        ),
        (
            three,
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 - r1:- ?|? t0",
            "a start needs a seat to move",
        ),
        (
            congkak,
            "0,0,0,0,0,0,0/7,7,7,7,7,7,7 49-0 S r1:S",
            "south is to move but has no legal choice",
        ),
        (
            congkak,
            "x,x,x,x,x,x,x/7,7,7,7,7,7,7 49-0 S r1:S",
            "south is to move but has no legal choice",
        ),
        (
            three,
            "7,7,7,7,7,7,7/0,0,0,0,0,0,0 0-49 SN r1:- ?|? t0",
            "north is to move but has no legal choice",
        ),
        (
            congkak,
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 SN r1:- ?|? t0",
            "the start is in a simultaneous opening, which these rules do not have",
        ),
        (
            pearls,
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 SN r1:- ?|? t0",
            "the start is in a simultaneous opening, which these rules do not have",
        ),
        (
            three,
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r1:- ?|.8 t7",
            "north's opening ended at tick 8, but the start is at tick 7",
        ),
        (
            three,
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r1:- ?|.8 t1000000000",
            "the start is at tick 1000000000: at most 999999999",
        ),
        (
            pearls,
            "7,7,7,7,7,7,7/x,7,7,7,7,7,7 0-7 S r1:S",
            "north has a burnt house, which al-manqala does not know",
        ),
        (
            pearls,
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r2:S",
            "the start is in round 2, but al-manqala has one round",
        ),
        (
            pearls,
            "7,7,7,7,7,7,6/7,7,7,7,7,7,6 1-1 S r1:S",
            "south has captured 1 pearls: in al-manqala that is always an even number",
        ),
        (
            pearls,
            "1,0,0,0,0,0,0/0,0,0,0,0,0,47 0-50 S r1:S",
            "north has 50 pearls, a majority: the game would be over",
        ),
        (
            pearls,
            "4,0,0,0,0,0,0/0,0,0,0,0,0,0 46-48 S r1:S",
            "south is to move but has no legal choice",
        ),
    ];
    for (rules, text, message) in cases {
        let position: Position = text.parse().unwrap();
        let error = State::custom(rules, &position).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn a_start_without_opening_fields_skips_the_opening() {
    let state = at(
        rules("congkak-traditional", json!({})),
        "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 N r1:S",
    );
    assert_eq!(state.to_move(), [Seat::North]);
    assert_eq!(state.turn(), 1);
    assert_eq!(state.rounds()[0].starter, Some(Seat::South));
}
