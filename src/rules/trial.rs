//! What holds of any bytes that somebody hands over as a position, as parameters or as
//! a game: it panics where it does not. For the fuzz targets (`fuzz/`) and for the tests.

use serde_json::{Map, Value, json};

use crate::overrides::ParameterKind;
use crate::{Choice, Phase, Position, Preset, Rules, Saved, Seat, State, presets};

/// The most choices of one game.
const CHOICES: usize = 300;

/// A text that is read is written back letter by letter, goes through JSON, and where it
/// may begin a game the game begins there.
pub fn of_position(bytes: &[u8]) {
    let Ok(given) = str::from_utf8(bytes) else {
        return;
    };
    if let Ok(json) = serde_json::from_str::<Value>(given)
        && let Ok(position) = Position::from_json_start(&json)
    {
        begin(&position);
    }
    let Ok(position) = given.parse::<Position>() else {
        return;
    };
    assert_eq!(position.to_string(), given, "the same position otherwise");
    let json = serde_json::to_value(&position).unwrap_or_default();
    let again = serde_json::from_value::<Position>(json);
    assert_eq!(again.ok().as_ref(), Some(&position));
    begin(&position);
}

fn begin(position: &Position) {
    for preset in presets() {
        let (houses, seeds) = (position.board.south.houses.len(), all_seeds(position));
        let size = json!({ "houses": houses, "seeds": seeds / (2 * houses as u32).max(1) });
        let Some(rules) = size.as_object().map(|size| preset.rules(size)) else {
            continue;
        };
        for rules in [Ok(preset.defaults), rules].into_iter().flatten() {
            if let Ok(mut state) = State::custom(rules, position) {
                assert_eq!(&state.position(), position);
                holds(&state);
                if let Some((seat, house)) = state.legal_moves().first().copied() {
                    assert!(state.choose(seat, house).is_ok());
                    holds(&state);
                }
            }
        }
    }
}

/// A letter for the ruleset, and JSON: parameters that are taken are recorded and read
/// back as the same, and a game under them begins whole.
pub fn of_rules(bytes: &[u8]) {
    let Some((&letter, text)) = bytes.split_first() else {
        return;
    };
    let preset = preset_of(letter);
    let Ok(Value::Object(given)) = serde_json::from_slice(text) else {
        return;
    };
    let full = Value::Object(given.clone());
    if let Ok(rules) = Rules::stored(preset.name, preset.revision, &full) {
        assert_eq!(rules.to_json(), full);
    }
    let Ok(rules) = preset.rules(&given) else {
        return;
    };
    let recorded = rules.to_json();
    for (name, value) in &given {
        assert_eq!(recorded.get(name), Some(value), "{name} is another");
    }
    let again = Rules::stored(preset.name, preset.revision, &recorded);
    assert_eq!(again, Ok(rules));
    holds(&State::start(rules));
}

/// Numbers for the ruleset and its parameters, then for choices: the three ways to make
/// one agree, what is listed is what can be done, and a state that was stored plays on
/// as if it had not been.
pub fn of_choices(bytes: &[u8]) {
    let mut bytes = bytes.iter().copied();
    let mut next = || bytes.next();
    let preset = preset_of(next().unwrap_or_default());
    let mut overrides = Map::new();
    for parameter in preset.parameters() {
        let drawn = next().unwrap_or_default();
        let value = match parameter.kind {
            // A quarter of the time what the preset says.
            _ if drawn % 4 == 3 => continue,
            ParameterKind::Integer { nullable, .. } if nullable && drawn % 4 == 2 => Value::Null,
            ParameterKind::Integer { min, max, .. } => json!(min + (drawn / 4) % (max - min + 1)),
            ParameterKind::Choice(words) => json!(words[usize::from(drawn / 4) % words.len()]),
            ParameterKind::Boolean => json!(drawn / 4 % 2 == 0),
        };
        overrides.insert(parameter.name.into(), value);
    }
    let rules = preset.rules(&overrides);
    assert!(rules.is_ok(), "{overrides:?}: {rules:?}");
    let Ok(rules) = rules else { return };
    let mut state = State::start(rules);
    let mut log = Vec::new();
    let mut seen = vec![state.position_text()];
    holds(&state);
    while let Some(drawn) = next()
        && log.len() < CHOICES
    {
        let legal = state.legal_moves();
        // Now and then one that may not be made.
        if drawn >= 240 || legal.is_empty() {
            only_listed(&state, &legal, drawn);
            continue;
        }
        let (seat, house) = legal[usize::from(drawn) % legal.len()];
        log.push((seat, house));
        step(&mut state, (seat, house), &mut seen);
        holds(&state);
    }
    let mut again = State::start(rules);
    for (seat, house) in log {
        assert_eq!(again.play(seat, house), Ok(()));
    }
    assert_eq!(again, state);
}

/// One choice, made in every way.
fn step(state: &mut State, (seat, house): (Seat, u8), seen: &mut Vec<String>) {
    let (mut silent, mut untraced) = (state.clone(), state.clone());
    let mut stored = restored(state, seen);
    assert_eq!(silent.play(seat, house), Ok(()));
    let counted = untraced.choose_untraced(seat, house);
    let made = state.choose(seat, house);
    assert_eq!(stored.choose(seat, house), made);
    for other in [silent, untraced, stored] {
        assert_eq!(other, *state);
    }
    match (made, counted) {
        (Ok(Choice::Plies(plies)), Ok(Choice::Plies(mut counted))) => {
            if plies.iter().any(|ply| ply.counts.captured > 0) {
                seen.clear();
            }
            for (ply, full) in counted.iter_mut().zip(&plies) {
                ply.trace.clone_from(&full.trace);
            }
            assert_eq!(counted, plies);
        }
        (made, counted) => assert_eq!(made, counted),
    }
    if state.phase() == Phase::Playing && seen.last() != Some(&state.position_text()) {
        seen.push(state.position_text());
    }
}

fn restored(state: &State, seen: &[String]) -> State {
    let seen: Vec<&str> = seen.iter().map(String::as_str).collect();
    let position = state.position_text();
    let saved = Saved {
        position: &position,
        turn: state.turn(),
        rounds: state.rounds(),
        seen: &seen,
        result: state.result().copied(),
        committed: state.committed(),
    };
    match State::restore(state.rules(), saved) {
        Ok(state) => state,
        Err(cause) => panic!("{position}: {cause}"),
    }
}

/// A choice is made exactly when it is listed; another one changes nothing.
fn only_listed(state: &State, legal: &[(Seat, u8)], drawn: u8) {
    let seat = Seat::ALL[usize::from(drawn) % 2];
    for house in (0..=state.rules().houses() + 1).chain([drawn]) {
        let mut tried = state.clone();
        let made = tried.choose(seat, house).is_ok();
        assert_eq!(made, legal.contains(&(seat, house)), "{seat} {house}");
        assert!(made || tried == *state);
    }
}

/// What is true of every state.
fn holds(state: &State) {
    let (position, text) = (state.position(), state.position_text());
    assert_eq!(all_seeds(&position), u32::from(state.rules().total_seeds()));
    assert_eq!(text.parse::<Position>().as_ref(), Ok(&position));
    let to_move = state.to_move();
    assert_eq!(to_move.is_empty(), state.phase() == Phase::Finished);
    for seat in to_move {
        assert!(!state.legal_houses(seat).is_empty(), "{text}");
    }
}

fn all_seeds(position: &Position) -> u32 {
    Seat::ALL
        .iter()
        .map(|&seat| {
            let row = &position.board[seat];
            let houses: u32 = row.houses.iter().map(|&seeds| u32::from(seeds)).sum();
            houses + u32::from(row.store) + row.hand.map_or(0, |hand| u32::from(hand.seeds))
        })
        .sum()
}

fn preset_of(letter: u8) -> &'static Preset {
    &presets()[usize::from(letter) % presets().len()]
}
