//! Al-manqala: captures, feeding and the endings, written down by hand.

use mancala_rules::{BadStart, CannotSplit, IllegalMove, State};
use serde_json::json;

use crate::support::{N, S, at, ply, rules, trace};

#[test]
fn a_capture_with_its_trace() {
    // The last pearl makes 2 in north's house 1; the house before it holds 3.
    let mut state = at(
        rules("al-manqala", json!({})),
        "0,0,0,0,2,2,2/1,1,0,0,0,0,0 44-46 S r1:S",
    );
    let ply = ply(&mut state, S, 6);
    assert_eq!(
        trace(&ply),
        json!([
            {"step": "lap", "seat": "south", "from": "s6", "seeds": 2, "to": "n1"},
            {"step": "capture", "seat": "south", "at": "n1", "from": ["n1"], "seeds": 2},
        ])
    );
    assert_eq!((ply.counts.captured, ply.counts.banked), (2, 2));
    assert_eq!((ply.counts.seeds_sown, ply.counts.lap_count), (2, 1));
    assert_eq!(
        state.position_text(),
        "0,0,0,0,2,0,3/0,1,0,0,0,0,0 46-46 N r1:S"
    );
}

#[test]
fn a_capture_across_the_border() {
    let mut state = at(
        rules("al-manqala", json!({})),
        "1,0,0,0,2,2,3/1,1,0,0,0,0,0 42-46 S r1:S",
    );
    let ply = ply(&mut state, S, 6);
    assert_eq!(
        trace(&ply)[1],
        json!({"step": "capture", "seat": "south", "at": "n1", "from": ["n1", "s7"], "seeds": 6})
    );
    assert_eq!(
        state.position_text(),
        "1,0,0,0,2,0,0/0,1,0,0,0,0,0 48-46 N r1:S"
    );
}

#[test]
fn the_duty_to_feed() {
    let deposit = rules("al-manqala", json!({}));
    let leaves = rules("al-manqala", json!({"feeding": "leaves"}));
    // South's only pearls; house 7's single pearl makes 1 in north's row.
    let text = "0,0,0,0,0,1,1/0,0,0,0,0,0,0 48-48 S r1:S";
    for rules in [deposit, leaves] {
        let mut state = at(rules, text);
        assert_eq!(state.legal_houses(S), [7]);
        assert_eq!(state.choose(S, 6), Err(IllegalMove::MustFeed(S, 6)));
        assert_eq!(
            IllegalMove::MustFeed(S, 6).to_string(),
            "south's house 6 does not feed the other row, which is empty"
        );
    }
    // All that this lap drops in south's row is captured again.
    let text = "0,0,0,0,0,0,0/0,1,1,3,1,22,0 32-38 N r1:N";
    assert_eq!(at(deposit, text).legal_houses(N), [6]);
    assert_eq!(
        State::custom(leaves, &text.parse().unwrap()),
        Err(BadStart::NoChoice(N))
    );
}

#[test]
fn a_pass_is_part_of_the_ply() {
    let mut state = at(
        rules("al-manqala", json!({})),
        "0,0,0,0,0,4,1/1,0,0,0,0,0,0 46-46 S r1:S",
    );
    let ply = ply(&mut state, S, 7);
    assert!(ply.passed && !ply.extra_turn);
    assert_eq!(trace(&ply)[2], json!({"step": "pass", "seat": "north"}));
    assert_eq!(
        state.position_text(),
        "0,0,0,0,0,4,0/0,0,0,0,0,0,0 48-46 S r1:S"
    );
    assert_eq!(state.turn(), 2);
    assert_eq!(state.repetition(), 1);
}

#[test]
fn starvation_after_a_pass() {
    let mut state = at(
        rules("al-manqala", json!({})),
        "2,0,0,0,0,0,1/1,0,0,0,0,0,0 46-48 S r1:S",
    );
    let ply = ply(&mut state, S, 7);
    assert!(ply.passed);
    assert_eq!(
        trace(&ply)[3],
        json!({"step": "sweep", "seat": "north", "seeds": 2})
    );
    assert_eq!(
        json!(state.result()),
        json!({"winner": "north", "reason": "starvation",
               "score": {"south": 48, "north": 50}, "ended_by": null})
    );
    assert_eq!(state.turn(), 1);
    assert_eq!(
        json!(state.rounds()),
        json!([{"round": 1, "starter": "south", "south": null, "north": null}])
    );
}

#[test]
fn a_majority_comes_before_the_pass() {
    let mut state = at(
        rules("al-manqala", json!({})),
        "2,0,0,0,0,0,1/1,0,0,0,0,0,0 48-46 S r1:S",
    );
    let ply = ply(&mut state, S, 7);
    assert!(!ply.passed);
    assert_eq!(state.result().unwrap().reason.as_str(), "majority");
    // What is left counts for nobody.
    assert_eq!(
        state.position_text(),
        "2,0,0,0,0,0,0/0,0,0,0,0,0,0 50-46 - r1:S"
    );
}

#[test]
fn an_empty_board_is_a_draw() {
    let mut state = at(
        rules("al-manqala", json!({"houses": 6})),
        "0,0,0,0,0,1/1,0,0,0,0,0 34-36 S r1:S",
    );
    let ply = ply(&mut state, S, 6);
    assert!(!ply.passed);
    assert_eq!(
        json!(state.result()),
        json!({"winner": "draw", "reason": "most_seeds",
               "score": {"south": 36, "north": 36}, "ended_by": null})
    );
}

/// Two pearls that chase each other: fourteen plies lead back to the start.
const CHASE: &str = "1,0,0,0,0,0,0/1,0,0,0,0,0,0 48-48 S r1:S";

fn chase(state: &mut State, plies: usize) {
    for _ in 0..plies {
        let (seat, house) = state.legal_moves()[0];
        state.play(seat, house).unwrap();
    }
}

#[test]
fn a_repeated_position_is_halved() {
    for (limit, plies) in [(2, 14), (3, 28), (10, 126)] {
        let mut state = at(rules("al-manqala", json!({"loop_repeat": limit})), CHASE);
        chase(&mut state, plies - 1);
        assert!(state.result().is_none());
        let before = state.turn();
        let (seat, house) = state.legal_moves()[0];
        let last = ply(&mut state, seat, house);
        assert_eq!(trace(&last)[1], json!({"step": "halve", "each": 1}));
        assert_eq!(
            json!(state.result()),
            json!({"winner": "draw", "reason": "loop",
                   "score": {"south": 49, "north": 49}, "ended_by": null})
        );
        assert_eq!(state.turn(), before);
    }
    let mut state = at(rules("al-manqala", json!({"loop_repeat": null})), CHASE);
    chase(&mut state, 14 * 12);
    assert!(state.result().is_none());
    assert_eq!(state.repetition(), 13);
}

#[test]
fn agreeing_to_halve() {
    let mut state = at(rules("al-manqala", json!({})), CHASE);
    state.split().unwrap();
    assert_eq!(
        state.position_text(),
        "0,0,0,0,0,0,0/0,0,0,0,0,0,0 49-49 - r1:S"
    );
    assert_eq!(state.result().unwrap().reason.as_str(), "loop");
    assert_eq!(state.result().unwrap().ended_by, None);
    assert_eq!(state.split(), Err(CannotSplit::Over));
    let mut congkak = State::start(rules("congkak", json!({})));
    assert_eq!(congkak.split(), Err(CannotSplit::NotAlManqala));
}

#[test]
fn an_agreed_split_and_a_resignation_say_what_they_did() {
    let text = "1,0,0,0,0,0,0/1,0,0,0,0,0,0 48-48 S r1:S";
    let mut state = at(rules("al-manqala", json!({})), text);
    assert_eq!(
        serde_json::to_value(state.split().unwrap()).unwrap(),
        json!([
            {"step": "halve", "each": 1},
            {"step": "game_end", "winner": "draw", "reason": "loop"},
        ])
    );
    assert!(state.split().is_err());

    let mut state = at(rules("al-manqala", json!({})), text);
    assert_eq!(
        serde_json::to_value(state.resign(N).unwrap()).unwrap(),
        json!([{"step": "game_end", "winner": "south", "reason": "resignation"}])
    );
    assert!(state.resign(N).is_err());
}
