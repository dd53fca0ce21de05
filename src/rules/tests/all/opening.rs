//! The simultaneous opening, tick by tick, written down by hand.

use mancala_rules::{Choice, Counts, IllegalMove, Phase, Sides, State, merge_traces};
use serde_json::json;

use crate::support::{N, S, at, plies, ply, rules, trace};

fn two_seeds() -> State {
    State::start(rules(
        "congkak-traditional",
        json!({"houses": 5, "seeds": 2}),
    ))
}

#[test]
fn a_commit_is_kept_secret() {
    let mut state = two_seeds();
    let text = state.position_text();
    assert_eq!(text, "2,2,2,2,2/2,2,2,2,2 0-0 SN r1:- ?|? t0");
    assert_eq!(state.phase(), Phase::Opening);
    assert_eq!(state.choose(N, 4), Ok(Choice::Committed));
    assert_eq!(state.position_text(), text);
    assert_eq!(state.position().to_move, [S, N]);
    assert_eq!(state.to_move(), [S]);
    assert_eq!(
        state.legal_moves(),
        [(S, 1), (S, 2), (S, 3), (S, 4), (S, 5)]
    );
    assert_eq!(
        state.committed(),
        Sides {
            south: None,
            north: Some(4)
        }
    );
    assert_eq!(state.choose(N, 3), Err(IllegalMove::AlreadyCommitted(N)));
    assert_eq!(
        IllegalMove::AlreadyCommitted(N).to_string(),
        "north has already chosen"
    );
    assert_eq!(state.turn(), 1);
}

#[test]
fn two_rows_and_then_one() {
    let mut state = two_seeds();
    state.choose(N, 4).unwrap();
    let rows = plies(&mut state, S, 2);
    assert_eq!(rows.len(), 2);
    let (south, north) = (&rows[0], &rows[1]);
    assert_eq!((south.seat, south.house, south.extra_turn), (S, 2, true));
    assert_eq!((north.seat, north.house, north.extra_turn), (N, 4, false));
    assert_eq!((south.other, north.other), (None, None));
    assert_eq!(
        south.counts,
        Counts {
            seeds_sown: 2,
            lap_count: 1,
            captured: 0,
            banked: 0
        }
    );
    assert_eq!(
        trace(south),
        json!([
            {"step": "lift", "seat": "south", "tick": 0, "from": "s2", "seeds": 2},
            {"step": "land", "seat": "south", "tick": 2, "to": "st"},
            {"step": "extra_turn", "seat": "south", "tick": 2},
        ])
    );
    assert_eq!(
        trace(north),
        json!([
            {"step": "lift", "seat": "north", "tick": 0, "from": "n4", "seeds": 2},
            {"step": "land", "seat": "north", "tick": 2, "to": "n2"},
            {"step": "lift", "seat": "north", "tick": 2, "from": "n2", "seeds": 3},
            {"step": "hold", "seat": "north", "tick": 2, "over": "n2", "seeds": 3},
        ])
    );
    assert_eq!(
        json!(merge_traces(&rows)),
        json!([
            {"step": "lift", "seat": "south", "tick": 0, "from": "s2", "seeds": 2},
            {"step": "lift", "seat": "north", "tick": 0, "from": "n4", "seeds": 2},
            {"step": "land", "seat": "south", "tick": 2, "to": "st"},
            {"step": "land", "seat": "north", "tick": 2, "to": "n2"},
            {"step": "lift", "seat": "north", "tick": 2, "from": "n2", "seeds": 3},
            {"step": "extra_turn", "seat": "south", "tick": 2},
            {"step": "hold", "seat": "north", "tick": 2, "over": "n2", "seeds": 3},
        ])
    );
    assert_eq!(
        state.position_text(),
        "3,0,2,2,2/2,0,3,0,2 1-0 S r1:- ?|3@n2 t2"
    );
    assert_eq!(state.choose(N, 1), Err(IllegalMove::NotToMove(N)));

    let row = ply(&mut state, S, 1);
    assert_eq!(
        row.counts,
        Counts {
            seeds_sown: 3,
            lap_count: 1,
            captured: 0,
            banked: 0
        }
    );
    assert_eq!(
        row.other,
        Some(Counts {
            seeds_sown: 6,
            lap_count: 1,
            captured: 0,
            banked: 0
        })
    );
    assert_eq!(
        trace(&row),
        json!([
            {"step": "lift", "seat": "south", "tick": 2, "from": "s1", "seeds": 3},
            {"step": "land", "seat": "south", "tick": 5, "to": "n4"},
            {"step": "land", "seat": "north", "tick": 5, "to": "s5"},
            {"step": "lift", "seat": "north", "tick": 5, "from": "s5", "seeds": 3},
            {"step": "mati", "seat": "south", "tick": 5, "at": "n4"},
            {"step": "land", "seat": "north", "tick": 8, "to": "s2"},
            {"step": "mati", "seat": "north", "tick": 8, "at": "s2"},
            {"step": "opening_end", "tick": 8, "first": "south"},
        ])
    );
    assert_eq!((row.turn, row.round), (1, 1));
    assert_eq!(state.position_text(), "0,1,3,3,0/3,0,3,1,3 2-1 S r1:S");
    assert_eq!(state.turn(), 2);
    assert_eq!(state.rounds()[0].starter, Some(S));
}

#[test]
fn a_relay_by_the_other_hands_seed_of_the_same_tick() {
    let mut state = at(
        rules("congkak-traditional", json!({})),
        "0,0,0,0,1,0,1/0,0,0,0,0,1,0 45-45 S r1:- ?|5@s5 t3",
    );
    let row = ply(&mut state, S, 5);
    assert!(row.extra_turn);
    assert_eq!((row.counts.lap_count, row.counts.seeds_sown), (3, 5));
    assert_eq!(
        row.other,
        Some(Counts {
            seeds_sown: 5,
            lap_count: 0,
            captured: 2,
            banked: 3
        })
    );
    assert_eq!(
        state.position_text(),
        "0,0,2,0,0,0,1/0,0,0,0,0,1,0 46-48 S r1:- ?|.8 t8"
    );
}

#[test]
fn two_last_seeds_that_face_each_other() {
    let text = "0,0,0,0,1,0,1/0,0,0,0,1,0,1 47-47 SN r1:- ?|? t0";
    for (word, expected) in [
        ("bank", "0,0,0,0,0,0,1/0,0,0,0,0,0,1 48-48 S r1:S"),
        ("stay", "0,0,0,1,0,0,1/0,0,0,1,0,0,1 47-47 S r1:S"),
    ] {
        let rules = rules("congkak-traditional", json!({"empty_opposite": word}));
        let mut state = at(rules, text);
        state.choose(S, 5).unwrap();
        let rows = plies(&mut state, N, 5);
        assert_eq!(state.position_text(), expected);
        assert_eq!(rows[0].counts.captured, 0);
        assert_eq!(rows[0].counts.banked, u32::from(word == "bank"));
    }
}

/// Both last seeds fall into one burnt house: both are confiscated, and nobody
/// lifts anything.
#[test]
fn two_last_seeds_in_one_burnt_house() {
    let mut state = at(
        rules("congkak-arena", json!({})),
        "2,0,0,0,0,0,1/1,0,0,0,0,0,x 46-46 S r1:- ?|2@s2 t5",
    );
    let row = ply(&mut state, S, 1);
    assert_eq!((row.counts.seeds_sown, row.counts.banked), (2, 0));
    assert_eq!(row.other.unwrap().banked, 0);
    assert_eq!(
        trace(&row),
        json!([
            {"step": "lift", "seat": "south", "tick": 5, "from": "s1", "seeds": 2},
            {"step": "land", "seat": "south", "tick": 7, "to": "n7"},
            {"step": "confiscate", "seat": "south", "tick": 7, "at": ["n7"], "seeds": 1},
            {"step": "land", "seat": "north", "tick": 7, "to": "n7"},
            {"step": "confiscate", "seat": "north", "tick": 7, "at": ["n7"], "seeds": 1},
            {"step": "mati", "seat": "south", "tick": 7, "at": "n7"},
            {"step": "mati", "seat": "north", "tick": 7, "at": "n7"},
            {"step": "opening_end", "tick": 7, "first": "south"},
        ])
    );
    assert_eq!(
        state.position_text(),
        "1,0,0,0,0,0,1/1,0,0,0,0,0,x 48-47 S r1:S"
    );
}

/// The last seed falls into the store, but the row is empty: the opening is
/// over. Then the round's end is tested for the seat that moves first.
#[test]
fn an_opening_that_ends_in_the_store() {
    let text = "1,0,0,0,0,0,0/5,0,0,0,0,0,0 46-46 S r1:- ?|.4 t6";
    let mut state = at(rules("congkak-arena", json!({})), text);
    let row = ply(&mut state, S, 1);
    assert!(!row.extra_turn);
    assert_eq!(row.other, None);
    assert_eq!(
        trace(&row),
        json!([
            {"step": "lift", "seat": "south", "tick": 6, "from": "s1", "seeds": 1},
            {"step": "land", "seat": "south", "tick": 7, "to": "st"},
            {"step": "opening_end", "tick": 7, "first": "north"},
            {"step": "sweep", "seat": "north", "seeds": 5},
            {"step": "round_end", "round": 1, "south": 47, "north": 51, "winner": "north"},
            {"step": "game_end", "winner": "north", "reason": "most_seeds"},
        ])
    );
    assert_eq!(
        state.position_text(),
        "0,0,0,0,0,0,0/0,0,0,0,0,0,0 47-51 - r1:N"
    );
    assert_eq!(state.turn(), 1);

    let mut state = at(
        rules("congkak-arena", json!({"round_end": "mover_empty"})),
        text,
    );
    state.play(S, 1).unwrap();
    assert_eq!(
        state.position_text(),
        "0,0,0,0,0,0,0/5,0,0,0,0,0,0 47-46 N r1:N"
    );
    assert_eq!(state.turn(), 2);
}

#[test]
fn a_stopped_opening_keeps_its_hand() {
    let mut state = two_seeds();
    state.choose(N, 4).unwrap();
    state.choose(S, 2).unwrap();
    state.resign(N).unwrap();
    assert_eq!(
        state.position_text(),
        "3,0,2,2,2/2,0,3,0,2 1-0 - r1:- ?|3@n2 t2"
    );
    assert_eq!(
        json!(state.result()),
        json!({"winner": "south", "reason": "resignation",
               "score": {"south": 1, "north": 0}, "ended_by": "north"})
    );
    assert_eq!(
        json!(state.rounds()),
        json!([{"round": 1, "starter": null, "south": null, "north": null}])
    );
}
