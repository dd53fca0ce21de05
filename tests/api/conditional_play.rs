//! Whole games of two seats that lay down lines at random, held against the rule by
//! which lines are followed, played and dropped.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::support::chance::Chance;
use crate::support::lines::{lay, waiting};
use crate::support::{Game, Server};

/// Where a game stands or might come to: who is to move, and the houses.
type Place = Option<(String, Vec<u64>)>;

fn place(state: &Value) -> Place {
    let legal = state["legal_moves"].as_array().unwrap();
    let seat = legal.first()?["seat"].as_str().unwrap().to_owned();
    Some((
        seat,
        legal
            .iter()
            .map(|legal| legal["house"].as_u64().unwrap())
            .collect(),
    ))
}

/// A game whose moves are known as a line from its start.
struct Table<'a> {
    server: &'a Server,
    body: Value,
    game: Game,
    position: String,
    /// Seats and houses so far.
    played: Vec<(String, u64)>,
}

impl Table<'_> {
    /// What becomes of the game as it is when these are played in it.
    async fn after(&self, more: &[(String, u64)]) -> Place {
        let choice = |(seat, house): &(String, u64)| json!({ "seat": seat, "house": house });
        let mut choices: Vec<Value> = more.iter().map(choice).collect();
        let mut start = json!(self.position);
        let ruleset = self.body["ruleset"].as_str().unwrap();
        if ruleset == "al-manqala" {
            // There a position is not all: how often it occurred counts.
            choices = self.played.iter().map(choice).chain(choices).collect();
            start = self.body["start"].clone();
        }
        let body = json!({ "rules": self.body["rules"], "start": start, "choices": choices });
        let path = format!("/v1/rulesets/{ruleset}/simulate");
        let answer = self.server.api.post(&path, &body).await.expect(200);
        place(answer["states"].as_array().unwrap().last().unwrap())
    }

    /// Lines for `seat` from here on, alike where the choice is its own.
    async fn lines(&self, seat: &str, chance: &mut Chance) -> Vec<Vec<u64>> {
        let mut own: HashMap<Vec<u64>, u64> = HashMap::new();
        let mut lines = Vec::new();
        for _ in 0..=chance.below(3) {
            let mut line: Vec<(String, u64)> = Vec::new();
            for _ in 0..=chance.below(7) {
                let Some((mover, houses)) = self.after(&line).await else {
                    break;
                };
                // Mostly the first houses, so that lines are met.
                let bound = houses.len().min(2);
                let mut house = houses[chance.below(bound)];
                if mover == seat {
                    let before = line.iter().map(|ply| ply.1).collect();
                    house = *own.entry(before).or_insert(house);
                }
                line.push((mover, house));
            }
            if !line.is_empty() {
                lines.push(line.iter().map(|ply| ply.1).collect());
            }
        }
        lines
    }
}

/// The rule: a line that begins with another house goes, the others go on.
fn follow(lines: &mut Vec<Vec<u64>>, house: u64) {
    lines.retain(|line| line[0] == house && line.len() > 1);
    for line in lines {
        line.remove(0);
    }
}

async fn game_of_lines(server: &Server, body: Value, chance: &mut Chance) -> usize {
    let game = Game::create(&server.api, &body).await;
    let mut table = Table {
        server,
        body,
        position: game.state().await["position"].as_str().unwrap().to_owned(),
        game,
        played: Vec::new(),
    };
    let mut lines: HashMap<&str, Vec<Vec<u64>>> = HashMap::new();
    let mut fired = 0;
    while let Some((mover, houses)) = place(&table.game.state().await) {
        let ply = table.played.len() as u64;
        for seat in ["south", "north"] {
            if chance.below(4) == 0 {
                let laid = table.lines(seat, chance).await;
                let api = table.game.seat(seat);
                lay(api, &table.game, ply, json!(laid)).await.expect(200);
                lines.insert(seat, laid);
            }
        }
        let house = houses[chance.below(houses.len().min(2))];
        let answer = table.game.send(&mover, ply, house).await.expect(201);
        // What the lines say is what was played.
        let mut log = table.game.log().await.into_iter().skip(ply as usize);
        let first = log.next().unwrap();
        assert_eq!(
            (&first["source"], &first["house"]),
            (&json!("player"), &json!(house))
        );
        table.played.push((mover, house));
        lines.values_mut().for_each(|lines| follow(lines, house));
        for row in log {
            let seat = row["seat"].as_str().unwrap();
            let house = row["house"].as_u64().unwrap();
            assert_eq!(row["source"], "conditional");
            assert_eq!(lines[seat][0][0], house, "{row}");
            table.played.push((seat.to_owned(), house));
            lines.values_mut().for_each(|lines| follow(lines, house));
            fired += 1;
        }
        let state = &answer["game"];
        table.position = state["position"].as_str().unwrap().to_owned();
        assert_eq!(state["ply"], table.played.len());
        // Nothing that is said stays unplayed, and all that waits is shown.
        match place(state) {
            None => lines.clear(),
            Some((seat, _)) => {
                let said = lines
                    .get(seat.as_str())
                    .is_some_and(|lines| !lines.is_empty());
                assert!(!said, "{seat} has more: {lines:?}");
            }
        }
        for seat in ["south", "north"] {
            let shown = waiting(table.game.seat(seat), &table.game).await;
            let expected = lines.get(seat).cloned().unwrap_or_default();
            assert_eq!(shown["lines"], json!(expected));
            assert_eq!(shown["after_ply"], table.played.len());
        }
    }
    table.game.verified().await;
    fired
}

#[tokio::test]
async fn games_of_lines() {
    let server = Server::start().await;
    let mut chance = Chance(20_260_614);
    let rounds = json!({ "houses": 5, "seeds": 2, "max_rounds": 2, "burnt": "confiscate" });
    let skips = json!({ "houses": 5, "seeds": 1, "max_rounds": 4, "refill": "even" });
    let ending = "1,1,1,0,0,2,0/1,0,0,2,1,0,1 46-42 S r1:S";
    let mut all = 0;
    for (ruleset, rules, start) in [
        ("congkak", json!({}), Value::Null),
        ("congkak", rounds, Value::Null),
        ("congkak", skips, Value::Null),
        ("al-manqala", json!({}), json!(ending)),
        (
            "al-manqala",
            json!({ "loop_repeat": 2 }),
            json!("1,0,0,0,0,0,0/1,0,0,0,0,0,0 48-48 S r1:S"),
        ),
    ] {
        let mut fired = 0;
        for _ in 0..2 {
            let body = json!({ "ruleset": ruleset, "rules": rules, "start": start });
            fired += game_of_lines(&server, body, &mut chance).await;
        }
        assert!(fired > 0, "{ruleset}");
        all += fired;
    }
    assert!(all > 30, "{all}");
}
