//! What holds for all parameters, all sizes and all starts, tried at random.

use mancala_rules::{
    Choice, Phase, Ply, Position, Rules, Saved, Seat, State, merge_traces, presets,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::chance::{Dice, any_rules, any_start, spoil};
use crate::replay::Naive;

/// As many cases as said; `PROPTEST_CASES=2560` makes it ten times as many.
fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: cases * default.cases / 256,
        failure_persistence: None,
        ..default
    }
}

fn seeds(position: &Position) -> u32 {
    Seat::ALL
        .iter()
        .map(|&seat| {
            let row = &position.board[seat];
            row.houses
                .iter()
                .map(|&seeds| u32::from(seeds))
                .sum::<u32>()
                + u32::from(row.store)
                + row.hand.map_or(0, |hand| u32::from(hand.seeds))
        })
        .sum()
}

/// What is true of every state.
fn holds(state: &State) {
    let position = state.position();
    assert_eq!(seeds(&position), u32::from(state.rules().total_seeds()));
    let text = state.position_text();
    assert_eq!(text.parse::<Position>(), Ok(position.clone()));
    let json = serde_json::to_value(&position).unwrap();
    assert_eq!(serde_json::from_value::<Position>(json).unwrap(), position);
    let to_move = state.to_move();
    match state.phase() {
        Phase::Finished => assert!(to_move.is_empty() && text.contains(" - r")),
        Phase::Playing => assert_eq!(to_move, position.to_move),
        Phase::Opening => assert!(position.starter.is_none() && text.contains(" r1:- ")),
    }
    assert_eq!(state.rounds().last().unwrap().round, state.round());
    assert_eq!(to_move.is_empty(), state.phase() == Phase::Finished);
    for &seat in &to_move {
        assert!(!state.legal_houses(seat).is_empty(), "{text}");
    }
    assert!(state.repetition() >= 1);
}

/// A choice is legal exactly when it is listed; another one changes nothing.
fn only_listed_choices(state: &State) {
    let legal = state.legal_moves();
    for seat in Seat::ALL {
        for house in (0..=state.rules().houses() + 1).chain([255]) {
            let mut tried = state.clone();
            let made = tried.choose(seat, house).is_ok();
            assert_eq!(made, legal.contains(&(seat, house)));
            assert!(made || tried == *state);
        }
    }
}

fn restored(state: &State, seen: &[String]) -> State {
    let seen: Vec<&str> = seen.iter().map(String::as_str).collect();
    let rounds = serde_json::to_value(state.rounds()).unwrap();
    let rounds: Vec<_> = serde_json::from_value(rounds).unwrap();
    State::restore(
        state.rules(),
        Saved {
            position: &state.position_text(),
            turn: state.turn(),
            rounds: &rounds,
            seen: &seen,
            result: state.result().copied(),
            committed: state.committed(),
        },
    )
    .unwrap()
}

/// What is true of the plies a choice led to.
fn explain(before: &State, after: &State, plies: &[Ply]) {
    let rules = before.rules();
    let total = u32::from(rules.total_seeds());
    let n = u32::from(rules.houses());
    let mut naive = Naive::new(rules, &before.position());
    naive.follow(&merge_traces(plies));
    naive.agrees(&after.position());
    for ply in plies {
        assert_eq!(ply.counts, naive.counts[ply.seat]);
        assert!(ply.counts.seeds_sown <= 2 * n + (2 * n + 1) * total);
        assert_eq!((ply.turn, ply.round), (before.turn(), before.round()));
        if let Some(other) = ply.other {
            assert_eq!(other, naive.counts[ply.seat.other()]);
        }
    }
    let same_turn = after.phase() == Phase::Finished
        || after.phase() == Phase::Opening
        || before.phase() == Phase::Playing
            && plies[0].extra_turn
            && after.round() == before.round();
    assert_eq!(after.turn(), before.turn() + u32::from(!same_turn));
}

/// Plays at random from a state, checking everything after each choice.
fn play(dice: &mut Dice, mut state: State, choices: usize) {
    let mut seen = vec![state.position_text()];
    for _ in 0..choices {
        holds(&state);
        let legal = state.legal_moves();
        if legal.is_empty() {
            break;
        }
        if dice.roll(8) == 0 {
            only_listed_choices(&state);
        }
        let (seat, house) = *dice.pick(&legal);
        let mut silent = state.clone();
        silent.play(seat, house).unwrap();
        let mut stored = restored(&state, &seen);
        let again = stored.choose(seat, house);
        let before = state.clone();
        let made = state.choose(seat, house);
        assert_eq!(again, made);
        assert_eq!(stored, state);
        assert_eq!(silent, state);
        match made.unwrap() {
            Choice::Committed => assert_eq!(state.position(), before.position()),
            Choice::Plies(plies) => {
                explain(&before, &state, &plies);
                if plies.iter().any(|ply| ply.counts.captured > 0) {
                    seen.clear();
                }
                if state.phase() == Phase::Playing {
                    seen.push(state.position_text());
                }
            }
        }
    }
    if dice.roll(4) == 0 && state.phase() != Phase::Finished {
        state.resign(*dice.pick(&Seat::ALL)).unwrap();
    }
    holds(&state);
    assert_eq!(restored(&state, &[]).position(), state.position());
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn a_game_from_the_usual_start(number: u64) {
        let mut dice = Dice(number);
        let rules = any_rules(&mut dice);
        play(&mut dice, State::start(rules), 120);
    }
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn a_game_from_any_start(number: u64) {
        let mut dice = Dice(number);
        let rules = any_rules(&mut dice);
        let start = any_start(&mut dice, rules);
        if let Ok(state) = State::custom(rules, &start) {
            prop_assert_eq!(state.position(), start);
            play(&mut dice, state, 40);
        }
    }

    #[test]
    fn it_does_not_matter_who_commits_first(number: u64) {
        let mut dice = Dice(number);
        let mut rules = any_rules(&mut dice);
        while !matches!(State::start(rules).phase(), Phase::Opening) {
            rules = any_rules(&mut dice);
        }
        let mut one = State::start(rules);
        while one.to_move().len() == 2 {
            let south = *dice.pick(&one.legal_houses(Seat::South));
            let north = *dice.pick(&one.legal_houses(Seat::North));
            let mut other = one.clone();
            one.choose(Seat::South, south).unwrap();
            other.choose(Seat::North, north).unwrap();
            let rows = one.choose(Seat::North, north);
            prop_assert_eq!(&rows, &other.choose(Seat::South, south));
            prop_assert_eq!(&one, &other);
            while one.phase() == Phase::Opening && one.to_move().len() == 1 {
                let (seat, house) = *dice.pick(&one.legal_moves());
                one.play(seat, house).unwrap();
            }
            if one.phase() != Phase::Opening {
                break;
            }
        }
    }

    #[test]
    fn garbage_text_is_refused_or_reads_back(
        text in "([0-9x]{1,3},?){1,8}/([0-9x]{1,3},?){1,8} [0-9]{1,2}-[0-9]{1,6} (SN|S|N|-) r[0-9]{1,6}:[SN-]( [?.0-9@snt]{1,5}\\|[?.0-9@snt]{1,5} t[0-9]{1,11})?",
        any in ".{0,60}",
    ) {
        for text in [text, any] {
            if let Ok(position) = text.parse::<Position>() {
                prop_assert_eq!(position.to_string(), text);
                for preset in presets() {
                    let _ = State::custom(preset.defaults, &position);
                }
            }
        }
    }

    #[test]
    fn a_changed_character_is_refused_or_reads_back(number: u64, at: usize, byte in 0x20u8..0x7f) {
        let mut dice = Dice(number);
        let rules = any_rules(&mut dice);
        let mut text = any_start(&mut dice, rules).to_string().into_bytes();
        let at = at % text.len();
        text[at] = byte;
        let text = String::from_utf8(text).unwrap();
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
            let _ = State::custom(rules, &position);
        }
    }

    #[test]
    fn garbage_json_is_refused(number: u64) {
        let mut dice = Dice(number);
        let rules = any_rules(&mut dice);
        let mut start = json!(any_start(&mut dice, rules));
        for _ in 0..=dice.roll(2) {
            spoil(&mut dice, &mut start);
        }
        if let Ok(position) = Position::from_json_start(&start) {
            let _ = position.to_string();
            let _ = State::custom(rules, &position);
        }
        // Parsed without the checks of a start, any position is still safe.
        if let Ok(position) = serde_json::from_value::<Position>(start.clone()) {
            let _ = position.to_string();
            let _ = State::custom(rules, &position);
        }
        let mut full = rules.to_json();
        spoil(&mut dice, &mut full);
        for preset in presets() {
            let _ = Rules::stored(preset.name, 1, &full);
            if let Value::Object(full) = &full {
                let _ = preset.rules(full);
            }
        }
    }
}
