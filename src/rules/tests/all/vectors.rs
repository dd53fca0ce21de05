//! Games with the expected board after every choice, from `tests/vectors/` at
//! the top of the repository. Every choice is made on a continued state and on
//! one that is stored and restored before each choice.

use mancala_rules::{
    Choice, Phase, Position, RoundTotals, Rules, Saved, Seat, Sides, State, preset,
};
use serde_json::{Map, Value};

fn lines(name: &str) -> Vec<Value> {
    let path = format!(
        "{}/../../tests/vectors/{name}.jsonl",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{path}: {error}"))
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn rules(game: &Value) -> Rules {
    let none = Map::new();
    let overrides = game["rules"].as_object().unwrap_or(&none);
    preset(game["ruleset"].as_str().unwrap())
        .unwrap()
        .rules(overrides)
        .unwrap()
}

/// `s123n7`: south may choose 1, 2 or 3, north 7; digits beyond 9 are letters.
fn legal(state: &State) -> String {
    let mut text = String::new();
    for (seat, letter) in [(Seat::South, 's'), (Seat::North, 'n')] {
        let houses = state.legal_houses(seat);
        if !houses.is_empty() {
            text.push(letter);
        }
        for house in houses {
            text.push(char::from_digit(u32::from(house), 16).unwrap());
        }
    }
    if text.is_empty() { "-".into() } else { text }
}

/// One vector does not know when an opening ended: `.*` stands for any tick.
fn same(expected: &str, found: &str) -> bool {
    match expected.split_once(".*") {
        None => expected == found,
        Some((before, after)) => {
            found.starts_with(before)
                && found.ends_with(after)
                && found[before.len()..].starts_with('.')
        }
    }
}

/// What is stored beside a state's position, kept as a server would keep it.
#[derive(Default)]
struct Store {
    seen: Vec<String>,
}

impl Store {
    fn note(&mut self, state: &State, captured: bool) {
        if captured {
            self.seen.clear();
        }
        self.seen.push(state.position_text());
    }

    fn restored(&self, state: &State) -> State {
        let seen: Vec<&str> = self.seen.iter().map(String::as_str).collect();
        State::restore(
            state.rules(),
            Saved {
                position: &state.position_text(),
                turn: state.turn(),
                rounds: state.rounds(),
                seen: &seen,
                result: state.result().copied(),
                committed: state.committed(),
            },
        )
        .unwrap()
    }
}

/// Makes one choice of a vector. True when pearls or seeds were captured.
fn make(state: &mut State, choice: &str) -> bool {
    if choice == "split" {
        state.split().unwrap();
        return false;
    }
    let (seat, rest) = choice.split_at(1);
    let seat = if seat == "s" {
        Seat::South
    } else {
        Seat::North
    };
    if rest == ":resign" {
        state.resign(seat).unwrap();
        return false;
    }
    match state.choose(seat, rest.parse().unwrap()).unwrap() {
        Choice::Committed => false,
        Choice::Plies(plies) => plies.iter().any(|ply| ply.counts.captured > 0),
    }
}

fn play(game: &Value) {
    let id = game["id"].as_str().unwrap();
    let rules = rules(game);
    let mut state = match game["start"].as_str() {
        None => State::start(rules),
        Some(text) => State::custom(rules, &text.parse().unwrap()).unwrap(),
    };
    let mut store = Store::default();
    store.note(&state, false);
    let mut legal_choices = game["legal"].as_str().unwrap().split(' ');
    assert_eq!(legal_choices.next().unwrap(), legal(&state), "{id}");
    let choices = game["choices"].as_array().unwrap();
    let positions = game["positions"].as_array().unwrap();
    assert_eq!(choices.len(), positions.len(), "{id}");
    let mut last = state.position_text();
    for (index, (choice, expected)) in choices.iter().zip(positions).enumerate() {
        let choice = choice.as_str().unwrap();
        let mut restored = store.restored(&state);
        assert_eq!(restored, state, "{id} before {index}");
        make(&mut restored, choice);
        let captured = make(&mut state, choice);
        assert_eq!(restored, state, "{id} after {index} {choice}");
        let found = state.position_text();
        let expected = match expected.as_str().unwrap() {
            "=" => last,
            text => text.to_owned(),
        };
        assert!(
            same(&expected, &found),
            "{id} after {index} {choice}: {expected} expected, {found} found"
        );
        assert_eq!(
            legal_choices.next().unwrap(),
            legal(&state),
            "{id} after {index} {choice}"
        );
        let read: Position = found.parse().unwrap();
        assert_eq!(read, state.position(), "{id}");
        if state.phase() == Phase::Playing {
            store.note(&state, captured);
        }
        last = found;
    }
    end(id, game, &state);
}

fn end(id: &str, game: &Value, state: &State) {
    let result = &game["result"];
    match state.result() {
        None => assert!(result.is_null(), "{id}: {result} expected"),
        Some(outcome) => {
            assert_eq!(result["winner"], outcome.winner.as_str(), "{id}");
            assert_eq!(result["reason"], outcome.reason.as_str(), "{id}");
            assert_eq!(
                result["score"],
                serde_json::json!([outcome.score.south, outcome.score.north]),
                "{id}"
            );
        }
    }
    let totals: Vec<Value> = state
        .rounds()
        .iter()
        .filter(|round| round.south.is_some())
        .map(|round| serde_json::json!([round.south, round.north]))
        .collect();
    assert_eq!(game["rounds"], Value::Array(totals), "{id}");
}

fn play_all(name: &str, games: usize) {
    let lines = lines(name);
    assert_eq!(lines.len(), games, "{name}");
    lines.iter().for_each(play);
}

#[test]
fn congkak() {
    play_all("congkak", 20);
}

#[test]
fn congkak_traditional() {
    play_all("congkak-traditional", 20);
}

#[test]
fn congkak_arena() {
    play_all("congkak-arena", 20);
}

#[test]
fn al_manqala() {
    play_all("al-manqala", 20);
}

#[test]
fn mixed_sizes_and_parameters() {
    play_all("mixed", 30);
}

#[test]
fn edge_cases() {
    play_all("edge-cases", 44);
}

#[test]
fn one_turn_wins() {
    let games = lines("one-turn-wins");
    assert_eq!(games.len(), 6);
    for game in games {
        let mut state = State::start(rules(&game));
        let houses = game["houses"].as_array().unwrap();
        for (house, board) in houses.iter().zip(game["boards"].as_array().unwrap()) {
            state
                .play(Seat::South, house.as_u64().unwrap() as u8)
                .unwrap();
            let found = state.position_text();
            let board = board.as_str().unwrap();
            assert!(
                found.starts_with(&format!("{board} ")),
                "{board} expected, {found} found"
            );
        }
        let majority = state.rules().total_seeds() / 2 + 1;
        assert!(state.position().board.south.store >= majority);
    }
}

/// The first seat's win in one turn that the documentation names.
#[test]
fn the_documented_one_turn_win() {
    let mut state = State::start(preset("congkak").unwrap().defaults);
    for house in [7, 6, 1, 1, 7, 5, 7, 4, 1] {
        assert_eq!(state.to_move(), [Seat::South]);
        state.play(Seat::South, house).unwrap();
    }
    assert_eq!(state.position().board.south.store, 54);
}

/// A restored state keeps a game's rounds and starter.
#[test]
fn rounds_of_a_custom_start() {
    let rules = preset("congkak-traditional").unwrap().defaults;
    let start = "1,0,0,0,0,0,0/0,0,0,2,0,0,0 91-4 S r3:S".parse().unwrap();
    let mut state = State::custom(rules, &start).unwrap();
    let open = RoundTotals {
        round: 3,
        starter: Some(Seat::South),
        south: None,
        north: None,
    };
    assert_eq!(state.rounds(), [open]);
    state.play(Seat::South, 1).unwrap();
    assert_eq!(
        state.rounds(),
        [RoundTotals {
            south: Some(92),
            north: Some(6),
            ..open
        }]
    );
    assert_eq!(state.committed(), Sides::default());
}
