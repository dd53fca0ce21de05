//! Plies, rounds and refills of the congkak family, written down by hand.

use mancala_rules::{Counts, IllegalMove, Rules, State};
use serde_json::json;

use crate::support::{N, S, at, ply, rules, trace};

#[test]
fn counts_and_trace_of_a_mati_bela() {
    let mut state = State::start(rules("congkak", json!({"houses": 5})));
    let ply = ply(&mut state, S, 2);
    assert_eq!(
        ply.counts,
        Counts {
            seeds_sown: 11,
            lap_count: 2,
            captured: 6,
            // One seed dropped in passing, six captured, the last one itself.
            banked: 7,
        }
    );
    assert_eq!((ply.turn, ply.round, ply.extra_turn), (1, 1, false));
    assert_eq!(
        trace(&ply),
        json!([
            {"step": "lap", "seat": "south", "from": "s2", "seeds": 5, "to": "n3"},
            {"step": "lap", "seat": "south", "from": "n3", "seeds": 6, "to": "s2"},
            {"step": "capture", "seat": "south", "at": "s2", "from": ["n4"], "seeds": 6},
            {"step": "bank", "seat": "south", "at": "s2"},
        ])
    );
    assert_eq!(state.position_text(), "6,0,6,6,6/6,6,0,0,6 8-0 N r1:S");
    assert_eq!(state.turn(), 2);
}

#[test]
fn an_extra_turn_is_the_same_turn() {
    let mut state = State::start(rules("congkak", json!({})));
    let first = ply(&mut state, S, 7);
    assert!(first.extra_turn);
    assert_eq!((state.turn(), state.to_move()), (1, vec![S]));
    let second = ply(&mut state, S, 6);
    assert_eq!(second.turn, 1);
}

#[test]
fn a_confiscated_seed_in_passing() {
    let mut state = at(
        rules("congkak-arena", json!({"max_rounds": 3})),
        "0,4,0,0,0,1,0/0,0,0,5,0,0,x 45-43 S r2:S",
    );
    let ply = ply(&mut state, S, 2);
    assert_eq!(
        trace(&ply),
        json!([
            {"step": "lap", "seat": "south", "from": "s2", "seeds": 4, "to": "n6"},
            {"step": "confiscate", "seat": "south", "at": ["n7"], "seeds": 1},
            {"step": "mati", "seat": "south", "at": "n6"},
        ])
    );
    assert_eq!(ply.counts.seeds_sown, 4);
    assert_eq!(ply.counts.banked, 0);
    assert_eq!(
        state.position_text(),
        "1,0,0,0,0,1,0/0,0,0,5,0,1,x 46-44 N r2:S"
    );
}

/// Ten seeds go round, past the only other open house and the own store.
#[test]
fn a_hand_among_burnt_houses_only() {
    let skip = rules("congkak", json!({"houses": 5, "seeds": 2}));
    let mut state = at(skip, "10,x,x,x,x/x,x,x,x,1 4-5 S r1:S");
    // store n5 s1 | store n5 s1 | store n5 s1 | store: ten drops, four stored.
    let ply = ply(&mut state, S, 1);
    assert!(ply.extra_turn);
    assert_eq!(state.position_text(), "3,x,x,x,x/x,x,x,x,4 8-5 S r1:S");

    let confiscate = rules(
        "congkak",
        json!({"houses": 5, "seeds": 2, "burnt": "confiscate"}),
    );
    let mut state = at(confiscate, "10,x,x,x,x/x,x,x,x,1 4-5 S r1:S");
    // store, n5, then n4 n3 n2 n1 and s5 s4 s3 s2 are confiscated.
    let ply = crate::support::ply(&mut state, S, 1);
    assert_eq!(
        trace(&ply)[1],
        json!({"step": "confiscate", "seat": "south", "seeds": 8,
               "at": ["n4", "n3", "n2", "n1", "s5", "s4", "s3", "s2"]})
    );
    // The mover is north now, with its two seeds.
    assert_eq!(state.position_text(), "0,x,x,x,x/x,x,x,x,2 5-13 N r1:S");
}

#[test]
fn an_even_refill_with_its_trace() {
    let mut state = at(
        rules("congkak-arena", json!({"max_rounds": 3})),
        "1,0,0,0,0,0,0/0,0,0,1,0,0,0 52-44 S r1:S",
    );
    let ply = ply(&mut state, S, 1);
    assert_eq!(
        trace(&ply),
        json!([
            {"step": "lap", "seat": "south", "from": "s1", "seeds": 1, "to": "st"},
            {"step": "extra_turn", "seat": "south"},
            {"step": "sweep", "seat": "north", "seeds": 1},
            {"step": "round_end", "round": 1, "south": 53, "north": 45, "winner": "south"},
            {"step": "refill", "seat": "south", "houses": [7,7,7,7,7,7,7], "burnt": [], "store": 4},
            {"step": "refill", "seat": "north", "houses": [7,7,7,6,6,6,6], "burnt": [], "store": 0},
            {"step": "round_start", "round": 2, "starter": "north"},
        ])
    );
    assert_eq!((ply.turn, ply.round), (1, 1));
    assert_eq!((state.turn(), state.round()), (2, 2));
    assert_eq!(
        state.position_text(),
        "7,7,7,7,7,7,7/7,7,7,6,6,6,6 4-0 N r2:N"
    );
}

fn after(rules: Rules, start: &str, house: u8) -> State {
    let mut state = at(rules, start);
    state.play(S, house).unwrap();
    state
}

#[test]
fn houses_burnt_for_good_are_left_out_of_the_refill() {
    let even = rules(
        "congkak-arena",
        json!({"max_rounds": null, "burnt_recoverable": false}),
    );
    let state = after(even, "1,0,0,0,0,x,x/0,0,0,0,0,0,1 19-77 S r1:S", 1);
    assert_eq!(
        state.position_text(),
        "4,4,4,4,4,x,x/7,7,7,7,7,7,7 0-29 S r2:S"
    );

    let row = rules("congkak-traditional", json!({"burnt_recoverable": false}));
    let state = after(row, "x,1,0,0,0,0,0/0,0,0,0,0,0,1 39-57 S r1:S", 2);
    assert_eq!(
        state.position_text(),
        "x,7,7,7,7,7,x/7,7,7,7,7,7,7 5-9 S r2:S"
    );

    // Open to recovery, the same seeds fill from house 1.
    let row = rules("congkak-traditional", json!({}));
    let state = after(row, "x,1,0,0,0,0,0/0,0,0,0,0,0,1 39-57 S r1:S", 2);
    assert_eq!(
        state.position_text(),
        "7,7,7,7,7,x,x/7,7,7,7,7,7,7 5-9 S r2:S"
    );
}

#[test]
fn a_seat_that_cannot_fill_has_lost_the_series() {
    let said = |state: &State| {
        let outcome = state.result().unwrap();
        format!("{} {}", outcome.winner.as_str(), outcome.reason.as_str())
    };
    // Left to right: four seeds are fewer than the five of a house.
    let row = rules("congkak-traditional", json!({"houses": 5}));
    let state = after(row, "1,0,0,0,0/1,0,0,0,0 3-45 S r1:S", 1);
    assert_eq!(said(&state), "north cannot_refill");
    let state = after(row, "1,0,0,0,0/1,0,0,0,0 4-44 S r1:S", 1);
    assert_eq!(state.position_text(), "5,x,x,x,x/5,5,5,5,5 0-20 S r2:S");

    // Even: only a seat without a seed.
    let even = rules("congkak-arena", json!({"houses": 5, "max_rounds": null}));
    let state = after(even, "1,0,0,0,0/1,0,0,0,0 0-48 S r1:S", 1);
    assert_eq!(state.position_text(), "1,x,x,x,x/5,5,5,5,5 0-24 S r2:S");
    let state = after(even, "1,0,0,0,0/0,0,0,0,0 49-0 S r1:S", 1);
    assert_eq!(said(&state), "south cannot_refill");
    assert_eq!(state.position_text(), "0,0,0,0,0/0,0,0,0,0 50-0 - r1:S");

    // A row that is burnt for good cannot be filled with any number of seeds.
    let burnt = rules(
        "congkak-traditional",
        json!({"houses": 5, "burnt_recoverable": false}),
    );
    let state = after(burnt, "1,0,0,0,0/x,x,x,x,x 42-7 S r1:S", 1);
    assert_eq!(said(&state), "south cannot_refill");
    // Neither can fill: more seeds win.
    let state = after(burnt, "1,0,0,0,0/x,x,x,x,x 2-47 S r1:S", 1);
    assert_eq!(said(&state), "north cannot_refill");
}

#[test]
fn the_last_round_is_over_before_any_refill() {
    let rules = rules("congkak-traditional", json!({"houses": 5, "max_rounds": 4}));
    let state = after(rules, "1,0,0,0,0/1,0,0,0,0 3-45 S r4:S", 1);
    assert_eq!(
        json!(state.result()),
        json!({"winner": "north", "reason": "most_seeds",
               "score": {"south": 4, "north": 46}, "ended_by": null})
    );
    assert_eq!(
        json!(state.rounds()),
        json!([{"round": 4, "starter": "south", "south": 4, "north": 46}])
    );
}

#[test]
fn after_an_equal_round_the_other_seat_starts() {
    let rules = rules("congkak-traditional", json!({"houses": 5}));
    let state = after(rules, "1,0,0,0,0/1,0,0,0,0 24-24 S r2:N", 1);
    assert_eq!(state.position_text(), "5,5,5,5,5/5,5,5,5,5 0-0 S r3:S");
}

#[test]
fn the_start_of_a_custom_game_is_not_yet_a_rounds_end() {
    let side_empty = rules("congkak-traditional", json!({"houses": 5, "max_rounds": 1}));
    let mut state = at(side_empty, "0,0,1,0,0/0,0,0,0,0 25-24 S r1:S");
    // The ply banks its seed, and only now the round is over.
    state.play(S, 3).unwrap();
    assert_eq!(state.result().unwrap().score.south, 26);
}

#[test]
fn illegal_choices() {
    let mut state = at(
        rules("congkak", json!({})),
        "0,x,7,7,7,7,7/7,7,7,7,7,7,7 7-7 S r1:S",
    );
    let before = state.clone();
    let cases = [
        (N, 1, IllegalMove::NotToMove(N), "north is not to move"),
        (
            S,
            0,
            IllegalMove::NoSuchHouse {
                house: 0,
                houses: 7,
            },
            "there is no house 0: houses are numbered 1 to 7",
        ),
        (
            S,
            8,
            IllegalMove::NoSuchHouse {
                house: 8,
                houses: 7,
            },
            "there is no house 8: houses are numbered 1 to 7",
        ),
        (S, 1, IllegalMove::Empty(S, 1), "south's house 1 is empty"),
        (S, 2, IllegalMove::Burnt(S, 2), "south's house 2 is burnt"),
    ];
    for (seat, house, error, message) in cases {
        assert_eq!(state.choose(seat, house), Err(error));
        assert_eq!(error.to_string(), message);
        assert_eq!(state, before);
    }
    assert_eq!(state.legal_houses(S), [3, 4, 5, 6, 7]);
    assert!(state.legal_houses(N).is_empty());
    state.resign(N).unwrap();
    assert_eq!(state.choose(S, 3), Err(IllegalMove::Over));
}

/// The last seed falls into the own store, but the round ends there: nobody
/// chooses again.
#[test]
fn no_extra_turn_after_the_end() {
    for (overrides, turn) in [(json!({}), 1), (json!({"max_rounds": 2}), 2)] {
        let mut state = at(
            rules("congkak", overrides),
            "1,0,0,0,0,0,0/0,0,0,0,0,0,2 40-55 S r1:S",
        );
        let row = ply(&mut state, S, 1);
        assert_eq!((row.extra_turn, row.turn), (false, 1));
        assert_eq!(state.turn(), turn);
    }
}
