//! Endings that come from outside the board.

use mancala_rules::{AlreadyOver, IllegalMove, Phase, Saved, Sides, State};
use serde_json::json;

use crate::support::{N, S, rules};

fn states() -> Vec<State> {
    let mut waiting = State::start(rules("congkak-traditional", json!({})));
    waiting.choose(S, 3).unwrap();
    let mut late = State::start(rules("congkak", json!({})));
    late.play(S, 3).unwrap();
    vec![
        waiting,
        late,
        State::start(rules("congkak-arena", json!({}))),
        State::start(rules("al-manqala", json!({}))),
    ]
}

fn is_over(mut state: State, turn: u32) {
    assert_eq!(state.phase(), Phase::Finished);
    assert_eq!(state.to_move(), []);
    assert_eq!(state.legal_moves(), []);
    assert_eq!(state.committed(), Sides::default());
    assert_eq!(state.turn(), turn);
    assert!(state.position_text().contains(" - r1:"));
    let before = state.clone();
    assert_eq!(state.resign(S), Err(AlreadyOver));
    assert_eq!(state.time_out(N), Err(AlreadyOver));
    assert_eq!(state.agree_draw(), Err(AlreadyOver));
    assert_eq!(state.abort(), Err(AlreadyOver));
    assert!(state.split().is_err());
    assert_eq!(state.choose(S, 1), Err(IllegalMove::Over));
    assert_eq!(state.choose(N, 0), Err(IllegalMove::Over));
    assert_eq!(state, before);
    assert_eq!(AlreadyOver.to_string(), "the game is over");
}

#[test]
fn any_seat_may_resign_at_any_time() {
    for state in states() {
        for seat in [S, N] {
            let turn = state.turn();
            let mut state = state.clone();
            state.resign(seat).unwrap();
            let outcome = state.result().unwrap();
            assert_eq!(outcome.winner.seat(), Some(seat.other()));
            assert_eq!(outcome.reason.as_str(), "resignation");
            assert_eq!(outcome.ended_by, Some(seat));
            is_over(state, turn);
        }
    }
}

#[test]
fn a_late_seat_loses() {
    for mut state in states() {
        let turn = state.turn();
        state.time_out(N).unwrap();
        let outcome = state.result().unwrap();
        assert_eq!(outcome.winner.as_str(), "south");
        assert_eq!(outcome.reason.as_str(), "timeout");
        assert_eq!(outcome.ended_by, Some(N));
        is_over(state, turn);
    }
}

#[test]
fn a_draw_by_agreement() {
    for mut state in states() {
        let turn = state.turn();
        state.agree_draw().unwrap();
        let outcome = state.result().unwrap();
        assert_eq!(outcome.winner.as_str(), "draw");
        assert_eq!(outcome.reason.as_str(), "agreement");
        assert_eq!(outcome.ended_by, None);
        is_over(state, turn);
    }
}

#[test]
fn an_aborted_game_has_no_result() {
    for mut state in states() {
        let turn = state.turn();
        state.abort().unwrap();
        assert_eq!(state.result(), None);
        // It comes back from storage as it was.
        let restored = State::restore(
            state.rules(),
            Saved {
                position: &state.position_text(),
                turn,
                rounds: state.rounds(),
                seen: &[],
                result: None,
                committed: Sides::default(),
            },
        )
        .unwrap();
        assert_eq!(restored.position(), state.position());
        is_over(restored, turn);
        is_over(state, turn);
    }
}

#[test]
fn what_cannot_have_been_stored_is_refused() {
    let rules = rules("congkak-traditional", json!({}));
    let said = |position: &str, south, north| {
        State::restore(
            rules,
            Saved {
                position,
                turn: 1,
                rounds: &[],
                seen: &[],
                result: None,
                committed: Sides { south, north },
            },
        )
        .unwrap_err()
        .to_string()
    };
    let start = "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 SN r1:- ?|? t0";
    assert_eq!(
        said("7,7/7,7 0-0 SN r1:- ?|? t0", None, None),
        "the rows have 2 houses, the rules ask for 7"
    );
    assert_eq!(
        said(start, Some(8), None),
        "south holds a secret choice that it cannot have made"
    );
    assert_eq!(
        said(start, Some(1), Some(1)),
        "south holds a secret choice that it cannot have made"
    );
    assert_eq!(
        said("7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 N r1:S", None, Some(1)),
        "north holds a secret choice that it cannot have made"
    );
}
