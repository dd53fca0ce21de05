//! Position text and the JSON of a start: what reads, what does not, and what
//! is said about it.

use mancala_rules::{BadPosition, Hand, Position, Seat, Spot};
use serde_json::{Value, json};

#[test]
fn texts_that_read_and_write_the_same() {
    for text in [
        "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r1:S",
        "0,1,2,3,4/5,6,7,8,14 0-0 N r12:N",
        "7,7,7,7,7,x,x/7,7,7,7,x,7,7 4-3 N r3:N",
        "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 SN r1:- ?|? t0",
        "1,9,0,8,8,8,8/8,8,8,8,0,7,7 1-1 S r1:- ?|9@s2 t7",
        "1,0,0,0,0,1,0/0,0,0,1,0,0,40 40-14 N r1:- .31|? t44",
        "1,0,0,0,0,1,0/0,0,0,1,0,0,40 40-13 N r1:- 1@st|? t44",
        "1,9,0,8,8,8,8/8,8,8,8,0,7,7 1-1 - r1:- ?|9@s2 t7",
        "0,0,0,0,0,0,0/0,0,0,0,0,0,0 51-47 - r1:S",
        "65535,65535,65535,65535,65535/65535,65535,65535,65535,65535 65535-65535 S r65535:S",
        "1/1 0-0 S r1:S",
    ] {
        let position: Position = text
            .parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(position.to_string(), text);
        let json = serde_json::to_value(&position).unwrap();
        assert_eq!(
            serde_json::from_value::<Position>(json.clone()).unwrap(),
            position
        );
        if !position.to_move.is_empty() {
            assert_eq!(Position::from_json_start(&json), Ok(position.clone()));
        }
        assert_eq!(Position::from_json_start(&json!(text)), Ok(position));
    }
}

#[test]
fn a_paused_opening_as_data() {
    let position: Position = "1,9,0,8,8,8,8/8,8,8,8,0,7,7 1-1 S r1:- ?|9@s2 t7"
        .parse()
        .unwrap();
    assert_eq!(position.to_move, [Seat::South]);
    assert_eq!(
        position.board.north.hand,
        Some(Hand {
            seeds: 9,
            over: Spot::House(Seat::South, 2)
        })
    );
    assert_eq!(
        serde_json::to_value(&position).unwrap(),
        json!({
            "board": {
                "south": {"houses": [1,9,0,8,8,8,8], "store": 1, "burnt": [], "hand": null},
                "north": {"houses": [8,8,8,8,0,7,7], "store": 1, "burnt": [],
                          "hand": {"seeds": 9, "over": "s2"}}},
            "to_move": ["south"], "round": 1, "starter": null,
            "opening": {"tick": 7, "done": {"south": null, "north": null}}
        })
    );
}

#[test]
fn texts_that_do_not_read() {
    let at = |at| format!("the position breaks off at character {at}: expected ");
    let cases = [
        ("", at(1) + "a house: its seeds, or `x` for a burnt one"),
        (
            "7,,7/7 0-0 S r1:S",
            at(3) + "a house: its seeds, or `x` for a burnt one",
        ),
        (
            "07,7/7,7 0-0 S r1:S",
            at(1) + "a house: its seeds, or `x` for a burnt one",
        ),
        (
            "65536/7 0-0 S r1:S",
            at(1) + "a house: its seeds, or `x` for a burnt one",
        ),
        (
            "-1/7 0-0 S r1:S",
            at(1) + "a house: its seeds, or `x` for a burnt one",
        ),
        ("7 /7 0-0 S r1:S", at(2) + "`,` or `/`"),
        ("7/7  0-0 S r1:S", at(5) + "a store's seeds"),
        ("7/7 0:0 S r1:S", at(6) + "`-` between the stores"),
        ("7/7 0-00 S r1:S", at(7) + "a store's seeds"),
        ("7/7 0-0 NS r1:S", at(10) + "a space"),
        (
            "7/7 0-0 s r1:S",
            at(9) + "who is to move: `SN`, `S`, `N` or `-`",
        ),
        ("7/7 0-0 S 1:S", at(11) + "`r` and the round"),
        ("7/7 0-0 S r0:S", at(12) + "the round, from 1"),
        ("7/7 0-0 S r65536:S", at(12) + "the round, from 1"),
        ("7/7 0-0 S r1:s", at(14) + "the starter: `S`, `N` or `-`"),
        (
            "7/7 0-0 S r1:S ",
            at(16) + "`?`, `.` and a tick, or a hand such as `5@n4`",
        ),
        (
            "7/7 0-0 S r1:S\n",
            at(15) + "the end, or a space and the opening",
        ),
        ("7/7 0-0 SN r1:- ?|?", at(20) + "a space"),
        ("7/7 0-0 SN r1:- ?|? t07", at(22) + "the tick"),
        ("7/7 0-0 SN r1:- ?|? t4294967296", at(22) + "the tick"),
        ("7/7 0-0 SN r1:- ?|? t0 ", at(23) + "the end"),
        ("7/7 0-0 S r1:- ?|.0 t9", at(19) + "a tick, from 1"),
        (
            "7/7 0-0 S r1:- ?|0@n1 t9",
            at(18) + "`?`, `.` and a tick, or a hand such as `5@n4`",
        ),
        (
            "7/7 0-0 S r1:- ?|3@x1 t9",
            at(20) + "a spot: `s` or `n` and a house, or `st`",
        ),
        (
            "7/7 0-0 S r1:- ?|3@n0 t9",
            at(21) + "a house's number, from 1",
        ),
        (
            "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1/1 0-0 S r1:S",
            at(31) + "at most 15 houses a row",
        ),
        (
            "7/7,7 0-0 S r1:S",
            "south's row has 1 houses, north's 2".into(),
        ),
        (
            "7/7 0-0 SN r1:S",
            "outside an opening one seat is to move".into(),
        ),
        (
            "7/7 0-0 S r1:-",
            "outside an opening the round has a starter".into(),
        ),
        (
            "7/7 0-0 S r1:- .5|.6 t6",
            "an unfinished opening waits for a choice, but neither seat owes one".into(),
        ),
        (
            "7/7 0-0 N r1:- ?|.6 t6",
            "in an opening the seats to move are those that owe a choice".into(),
        ),
        (
            "7/7 0-0 S r2:- ?|.6 t6",
            "a simultaneous opening is in round 1, not 2".into(),
        ),
        (
            "7/7 0-0 S r1:S ?|.6 t6",
            "in an unfinished opening the round has no starter".into(),
        ),
        (
            "7/7 0-0 S r1:- ?|3@n2 t6",
            "north's hand is over n2, which is not on the board".into(),
        ),
    ];
    for (text, message) in cases {
        let error = text.parse::<Position>().unwrap_err();
        assert_eq!(error.to_string(), message, "{text:?}");
    }
    assert_eq!(
        "7,".repeat(300).parse::<Position>(),
        Err(BadPosition::TooLong(600))
    );
}

fn start(overrides: Value) -> Result<Position, BadPosition> {
    let mut start = json!({
        "board": {"south": {"houses": [7,7,7,7,7], "store": 1},
                  "north": {"houses": [3,3,3,3,2], "store": 0}},
        "to_move": ["north"]});
    for (pointer, value) in overrides.as_object().unwrap() {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        start.pointer_mut(parent).unwrap()[key] = value.clone();
    }
    Position::from_json_start(&start)
}

#[test]
fn a_start_in_json_has_defaults() {
    assert_eq!(
        start(json!({})).unwrap().to_string(),
        "7,7,7,7,7/3,3,3,3,2 1-0 N r1:N"
    );
    assert_eq!(
        start(
            json!({"/round": 3, "/starter": "south", "/board/south/houses": [7,0,0,7,7],
                     "/board/south/burnt": [3, 2]})
        )
        .unwrap()
        .to_string(),
        "7,x,x,7,7/3,3,3,3,2 1-0 N r3:S"
    );
    assert_eq!(
        start(
            json!({"/to_move": ["south"], "/board/north/hand": {"seeds": 4, "over": "st"},
                     "/opening": {"tick": 9, "done": {"south": null, "north": null}}})
        )
        .unwrap()
        .to_string(),
        "7,7,7,7,7/3,3,3,3,2 1-0 S r1:- ?|4@st t9"
    );
    assert_eq!(
        start(json!({"/to_move": ["north", "south"],
                     "/opening": {"tick": 0, "done": {"south": null, "north": null}}}))
        .unwrap()
        .to_string(),
        "7,7,7,7,7/3,3,3,3,2 1-0 SN r1:- ?|? t0"
    );
}

#[test]
fn a_bad_start_in_json_is_explained() {
    let cases = [
        (
            json!({"/who": 1}),
            "`who` is no part of `start`: it has board, to_move, round, starter, opening",
        ),
        (
            json!({"/board/east": 1}),
            "`east` is no part of `board`: it has south, north",
        ),
        (
            json!({"/board/south/seeds": 1}),
            "`seeds` is no part of `board.south`: it has houses, store, burnt, hand",
        ),
        (json!({"/board/south": null}), "`board.south` is missing"),
        (
            json!({"/board/north/store": null}),
            "`board.north.store` is missing",
        ),
        (
            json!({"/board": 5}),
            "`start.board`: invalid type: integer `5`, expected a map",
        ),
        (json!({"/to_move": null}), "`start.to_move` is missing"),
        (
            json!({"/to_move": ["east"]}),
            "`start.to_move`: unknown variant `east`, expected `south` or `north`",
        ),
        (
            json!({"/to_move": ["south", "north"]}),
            "outside an opening one seat is to move",
        ),
        (
            json!({"/to_move": []}),
            "outside an opening the round has a starter",
        ),
        (json!({"/round": 0}), "rounds are counted from 1"),
        (
            json!({"/round": -1}),
            "`start.round`: invalid value: integer `-1`, expected u16",
        ),
        (
            json!({"/board/south/store": 65536}),
            "`board.south.store`: invalid value: integer `65536`, expected u16",
        ),
        (
            json!({"/board/south/houses": []}),
            "a row has 1 to 15 houses, not 0",
        ),
        (
            json!({"/board/south/houses": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}),
            "a row has 1 to 15 houses, not 16",
        ),
        (
            json!({"/board/south/houses": [1]}),
            "south's row has 1 houses, north's 5",
        ),
        (
            json!({"/board/south/burnt": [6]}),
            "south's burnt house 6 is no house of its row, or is named twice",
        ),
        (
            json!({"/board/south/burnt": [0]}),
            "south's burnt house 0 is no house of its row, or is named twice",
        ),
        (
            json!({"/board/south/burnt": [2, 2], "/board/south/houses": [7,0,7,7,7]}),
            "south's burnt house 2 is no house of its row, or is named twice",
        ),
        (
            json!({"/board/south/burnt": [2]}),
            "south's house 2 is burnt and can hold no seed",
        ),
        (
            json!({"/board/south/hand": {"seeds": 1, "over": "n1"}}),
            "south has a hand in mid-air, which there is in a simultaneous opening only",
        ),
        (
            json!({"/board/south/hand": {"seeds": 1, "over": "n01"}}),
            "`board.south.hand`: \"n01\" is no spot: s1, s2 … for south's houses, n1, n2 … for north's, st for the own store",
        ),
        (
            json!({"/board/south/hand": {"seeds": 0, "over": "n1"}, "/opening": {"tick": 1, "done": {"south": null, "north": null}}}),
            "south's hand is empty",
        ),
        (
            json!({"/board/south/hand": {"seeds": 1, "over": "n1"}, "/opening": {"tick": 1, "done": {"south": 1, "north": null}}}),
            "in an opening south either owes a choice, or has a hand, or is done: exactly one",
        ),
    ];
    for (change, message) in cases {
        assert_eq!(
            start(change.clone()).unwrap_err().to_string(),
            message,
            "{change}"
        );
    }
    assert_eq!(
        Position::from_json_start(&json!(5))
            .unwrap_err()
            .to_string(),
        "a start is position text or an object"
    );
}

#[test]
fn spots_and_seats_have_one_name() {
    assert_eq!("s15".parse(), Ok(Spot::House(Seat::South, 15)));
    assert_eq!("st".parse(), Ok(Spot::Store));
    for text in ["", "s", "s0", "s01", "n+1", "n256", "x1", "store", "ü"] {
        assert!(text.parse::<Spot>().is_err(), "{text}");
    }
    assert_eq!(
        "East".parse::<Seat>().unwrap_err().to_string(),
        "\"East\" is no seat: south or north"
    );
}
