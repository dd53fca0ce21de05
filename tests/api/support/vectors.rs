//! The games of `tests/vectors/`: what is chosen, and what must come of it, read
//! into the form of a state's JSON without any help of the code under test.

use serde_json::{Map, Value, json};

/// A game with its expected states.
pub(crate) struct Vector {
    pub(crate) id: String,
    pub(crate) ruleset: String,
    pub(crate) rules: Value,
    /// Position text, or null.
    pub(crate) start: Value,
    pub(crate) choices: Vec<Choice>,
    /// Expected before any choice, then after each.
    pub(crate) states: Vec<Expected>,
    /// `{winner, reason, score}` or null.
    result: Value,
    /// Totals of the finished rounds, `[south, north]`.
    rounds: Value,
}

/// A choice of a vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Choice {
    Sow { seat: &'static str, house: u64 },
    Resign { seat: &'static str },
    Split,
}

/// What a state must show.
pub(crate) struct Expected {
    /// None before the first choice of a game from the usual start.
    pub(crate) position: Option<String>,
    /// Whether the choice was a secret one that changed nothing yet.
    pub(crate) committed: bool,
    /// `[{seat, house}]`.
    pub(crate) legal_moves: Value,
}

/// All games of a file.
pub(crate) fn vectors(file: &str) -> Vec<Vector> {
    let path = format!("{}/tests/vectors/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(read).collect()
}

/// The game of that id.
pub(crate) fn vector(file: &str, id: &str) -> Vector {
    let found = vectors(file).into_iter().find(|vector| vector.id == id);
    found.unwrap_or_else(|| panic!("{file} has no {id}"))
}

fn read(line: &str) -> Vector {
    let line: Value = serde_json::from_str(line).unwrap();
    let text = |name: &str| line[name].as_str().unwrap().to_owned();
    let list = |name: &str| line[name].as_array().unwrap().iter();
    let legal = text("legal");
    let mut legal = legal.split(' ').map(legal_moves);
    let mut position = line["start"].as_str().map(str::to_owned);
    let mut states = vec![Expected {
        position: position.clone(),
        committed: false,
        legal_moves: legal.next().unwrap(),
    }];
    for after in list("positions") {
        let committed = after == "=";
        if !committed {
            position = after.as_str().map(str::to_owned);
        }
        states.push(Expected {
            position: position.clone(),
            committed,
            legal_moves: legal.next().unwrap(),
        });
    }
    assert_eq!(legal.next(), None);
    Vector {
        id: text("id"),
        ruleset: text("ruleset"),
        rules: line["rules"].clone(),
        start: line["start"].clone(),
        choices: list("choices")
            .map(|c| choice(c.as_str().unwrap()))
            .collect(),
        states,
        result: line["result"].clone(),
        rounds: line["rounds"].clone(),
    }
}

fn seat(letter: char) -> &'static str {
    match letter {
        's' => "south",
        'n' => "north",
        other => panic!("no seat {other}"),
    }
}

/// `s4`, `n:resign` or `split`.
fn choice(text: &str) -> Choice {
    if text == "split" {
        return Choice::Split;
    }
    let (letter, rest) = text.split_at(1);
    let seat = seat(letter.chars().next().unwrap());
    match rest {
        ":resign" => Choice::Resign { seat },
        house => Choice::Sow {
            seat,
            house: house.parse().unwrap(),
        },
    }
}

/// `s123n7` (houses beyond 9 as letters) or `-`, as a list of moves.
fn legal_moves(text: &str) -> Value {
    let (mut moves, mut of) = (Vec::new(), "");
    for letter in text.chars().filter(|&letter| letter != '-') {
        match letter {
            's' | 'n' => of = seat(letter),
            digit => moves.push(json!({ "seat": of, "house": digit.to_digit(16).unwrap() })),
        }
    }
    Value::Array(moves)
}

/// The board in a position text, as a state shows it but for the hands.
pub(crate) fn board(position: &str) -> Value {
    let mut words = position.split(' ');
    let rows = words.next().unwrap().split('/');
    let stores = words.next().unwrap().split('-');
    let mut board = Map::new();
    for ((seat, row), store) in ["south", "north"].into_iter().zip(rows).zip(stores) {
        let (mut houses, mut burnt) = (Vec::new(), Vec::new());
        for (number, house) in (1..).zip(row.split(',')) {
            houses.push(house.parse().unwrap_or(0u64));
            if house == "x" {
                burnt.push(number);
            }
        }
        let store: u64 = store.parse().unwrap();
        board.insert(
            seat.into(),
            json!({ "houses": houses, "store": store, "burnt": burnt }),
        );
    }
    Value::Object(board)
}

impl Vector {
    /// The body that creates this game.
    pub(crate) fn creation(&self) -> Value {
        json!({ "ruleset": self.ruleset, "rules": self.rules, "start": self.start })
    }

    /// Compares a state after `index` choices (of a game, or a simulated one).
    pub(crate) fn compare(&self, index: usize, state: &Value) {
        let expected = &self.states[index];
        let at = format!("{} after {index} choices: {state}", self.id);
        if let Some(position) = &expected.position {
            let found = state["position"].as_str().unwrap();
            assert!(same(position, found), "{at}: {position} expected");
            let mut found = state["board"].clone();
            for seat in ["south", "north"] {
                found[seat].as_object_mut().unwrap().remove("hand");
            }
            assert_eq!(found, board(position), "{at}");
        }
        let mut moves = state["legal_moves"].clone();
        for legal in moves.as_array_mut().unwrap() {
            legal.as_object_mut().unwrap().remove("action");
        }
        assert_eq!(moves, expected.legal_moves, "{at}");
        let mut movers: Vec<&Value> = Vec::new();
        for legal in expected.legal_moves.as_array().unwrap() {
            if movers.last() != Some(&&legal["seat"]) {
                movers.push(&legal["seat"]);
            }
        }
        assert_eq!(state["to_move"], json!(movers), "{at}");
        if index + 1 == self.states.len() {
            self.compare_end(state, &at);
        } else {
            assert_eq!(state["result"], Value::Null, "{at}");
        }
    }

    fn compare_end(&self, state: &Value, at: &str) {
        let finished = state["rounds"].as_array().unwrap().iter();
        let totals: Vec<Value> = finished
            .filter(|round| !round["south"].is_null())
            .map(|round| json!([round["south"], round["north"]]))
            .collect();
        assert_eq!(json!(totals), self.rounds, "{at}");
        let result = &state["result"];
        if self.result.is_null() {
            return assert_eq!(result, &Value::Null, "{at}");
        }
        for part in ["winner", "reason"] {
            assert_eq!(result[part], self.result[part], "{at}");
        }
        let score = json!([result["score"]["south"], result["score"]["north"]]);
        assert_eq!(score, self.result["score"], "{at}");
    }
}

/// `.*` in an expected text stands for a tick that the vector does not know.
fn same(expected: &str, found: &str) -> bool {
    match expected.split_once(".*") {
        None => expected == found,
        Some((before, after)) => {
            let middle = found
                .strip_prefix(before)
                .and_then(|rest| rest.strip_suffix(after))
                .and_then(|tick| tick.strip_prefix('.'));
            middle.is_some_and(|tick| tick.parse::<u32>().is_ok_and(|tick| tick > 0))
        }
    }
}
