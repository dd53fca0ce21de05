//! Chance for the property tests: parameters, starts and broken input.

use mancala_rules::{Family, Hand, OpeningView, Position, Row, Rules, Seat, Sides, Spot, presets};
use serde_json::{Map, Value, json};

/// A small generator, so that one number makes a whole game.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % sides as u64) as usize
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }
}

pub(crate) fn any_rules(dice: &mut Dice) -> Rules {
    let preset = dice.pick(presets());
    let mut overrides = Map::new();
    let mut put = |name: &str, value: Value| overrides.insert(name.into(), value);
    // Half of all games are small, so that rounds and openings come to an end.
    let size = if dice.roll(2) == 0 { 3 } else { 11 };
    put("houses", json!(5 + dice.roll(size)));
    put(
        "seeds",
        json!(1 + dice.roll(if size == 3 { 4 } else { 15 })),
    );
    if preset.family == Family::Congkak {
        put(
            "opening",
            json!(dice.pick(&["alternating", "simultaneous"])),
        );
        put("empty_opposite", json!(dice.pick(&["stay", "bank"])));
        put(
            "round_end",
            json!(dice.pick(&["mover_empty", "side_empty"])),
        );
        put(
            "max_rounds",
            dice.pick(&[json!(null), json!(1), json!(3)]).clone(),
        );
        put("refill", json!(dice.pick(&["left_to_right", "even"])));
        put("burnt", json!(dice.pick(&["skip", "confiscate"])));
        put("burnt_recoverable", json!(dice.roll(2) == 0));
    } else {
        put("feeding", json!(dice.pick(&["deposit", "leaves"])));
        put(
            "loop_repeat",
            dice.pick(&[json!(null), json!(2), json!(3)]).clone(),
        );
    }
    preset.rules(&overrides).unwrap()
}

/// A position with the right number of seeds; not every one may begin a game.
pub(crate) fn any_start(dice: &mut Dice, rules: Rules) -> Position {
    let n = usize::from(rules.houses());
    let congkak = rules.family() == Family::Congkak;
    let burns = if congkak { dice.roll(3) } else { 0 };
    let mut burnt = || -> Vec<u8> {
        (1..=rules.houses())
            .filter(|_| burns > 0 && dice.roll(4) < burns)
            .collect()
    };
    let (south, north) = (burnt(), burnt());
    let mut board = Sides { south, north };
    let mut start = Position {
        board: Sides::from_fn(|seat| Row {
            houses: vec![0; n],
            store: 0,
            burnt: std::mem::take(&mut board[seat]),
            hand: None,
        }),
        to_move: vec![*dice.pick(&Seat::ALL)],
        round: 1,
        starter: Some(*dice.pick(&Seat::ALL)),
        opening: None,
    };
    if congkak && dice.roll(2) == 0 {
        open(dice, &mut start);
    }
    // Few piles or many, in stores more or less often.
    let mut left = rules.total_seeds();
    let spread = 1 + dice.roll(12) as u16;
    let hoard = dice.roll(4);
    while left > 0 {
        let seat = *dice.pick(&Seat::ALL);
        let row = &mut start.board[seat];
        let pile = (1 + dice.roll(usize::from(spread)) as u16).min(left);
        if dice.roll(4) < hoard || row.burnt.len() == n {
            // Al-manqala's stores are even.
            let pile = if congkak { pile } else { 2.min(left) };
            row.store += pile;
            left -= pile;
        } else if let Some(hand) = row.hand.as_mut().filter(|_| dice.roll(6) == 0) {
            hand.seeds += pile;
            left -= pile;
        } else {
            let house = dice.roll(n);
            if !row.burnt.contains(&(house as u8 + 1)) {
                row.houses[house] += pile;
                left -= pile;
            }
        }
    }
    start
}

/// Makes a start one in the middle of an opening.
fn open(dice: &mut Dice, start: &mut Position) {
    let tick = dice.roll(3) as u32 * 7 + 1;
    let mut done = Sides::default();
    start.to_move.clear();
    start.starter = None;
    let owes = *dice.pick(&Seat::ALL);
    for seat in Seat::ALL {
        match dice.roll(3) {
            0 if seat != owes => done[seat] = Some(1 + dice.roll(tick as usize) as u32),
            1 if seat != owes => {
                let house = 1 + dice.roll(start.board[seat].houses.len()) as u8;
                start.board[seat].hand = Some(Hand {
                    seeds: 0,
                    over: *dice.pick(&[
                        Spot::Store,
                        Spot::House(Seat::South, house),
                        Spot::House(Seat::North, house),
                    ]),
                });
            }
            _ => start.to_move.push(seat),
        }
    }
    start.opening = Some(OpeningView { tick, done });
}

/// Puts something else somewhere into a JSON value.
pub(crate) fn spoil(dice: &mut Dice, value: &mut Value) {
    let children = match value {
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    };
    if children > 0 && dice.roll(5) > 0 {
        let child = dice.roll(children);
        return match value {
            Value::Array(items) => spoil(dice, &mut items[child]),
            Value::Object(fields) => spoil(dice, fields.values_mut().nth(child).unwrap()),
            _ => {}
        };
    }
    *value = dice
        .pick(&[
            json!(null),
            json!(-1),
            json!(0),
            json!(7.5),
            json!(65535),
            json!(18446744073709551615u64),
            json!("south"),
            json!("x"),
            json!([]),
            json!(["north", "north"]),
            json!([[[]]]),
            json!({}),
            json!({"seeds": 65535, "over": "n255"}),
            json!(true),
        ])
        .clone();
}
