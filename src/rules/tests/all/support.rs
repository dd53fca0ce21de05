//! Shared by the tests: rules from overrides, states from position text.

use mancala_rules::{Choice, Ply, Rules, Seat, State, preset};
use serde_json::{Map, Value, json};

pub(crate) const S: Seat = Seat::South;
pub(crate) const N: Seat = Seat::North;

pub(crate) fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

pub(crate) fn rules(ruleset: &str, overrides: Value) -> Rules {
    preset(ruleset).unwrap().rules(&object(overrides)).unwrap()
}

pub(crate) fn at(rules: Rules, text: &str) -> State {
    State::custom(rules, &text.parse().unwrap()).unwrap()
}

/// Makes a choice that is played at once.
pub(crate) fn plies(state: &mut State, seat: Seat, house: u8) -> Vec<Ply> {
    match state.choose(seat, house).unwrap() {
        Choice::Plies(plies) => plies,
        Choice::Committed => panic!("{house} is kept secret"),
    }
}

/// Makes a choice that is one ply.
pub(crate) fn ply(state: &mut State, seat: Seat, house: u8) -> Ply {
    let mut plies = plies(state, seat, house);
    assert_eq!(plies.len(), 1);
    plies.remove(0)
}

pub(crate) fn trace(ply: &Ply) -> Value {
    json!(ply.trace)
}
