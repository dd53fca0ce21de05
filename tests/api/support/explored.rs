//! The explorer's answers, and the same counted by hand from games that anybody can
//! read.

use std::collections::{BTreeMap, BTreeSet};

use chrono::DateTime;
use serde_json::{Value, json};

use super::client::Api;
use super::people::ids;
use super::reading::{Read, stripped};

/// A finished game: what was chosen in which position.
pub(crate) struct Course {
    pub(crate) read: Read,
    pub(crate) id: String,
    /// Ruleset and parameters.
    pub(crate) ground: String,
    /// Position, the choices there (none where the game was ended), what came next.
    pub(crate) steps: Vec<(String, Vec<String>, String)>,
}

impl Course {
    pub(crate) fn new(id: String, read: Read) -> Course {
        let mut steps = Vec::new();
        let mut from = read.positions[0].clone();
        let mut choices = Vec::new();
        for row in &read.rows {
            if row["kind"] == "sow" {
                choices.push(format!("{}{}", row["seat"].as_str().unwrap(), row["house"]));
            }
            if let Some(to) = row["position"].as_str() {
                steps.push((from, std::mem::take(&mut choices), to.to_owned()));
                from = to.to_owned();
            }
        }
        Course {
            ground: format!("{} {}", read.state["ruleset"], read.state["rules"]),
            read,
            id,
            steps,
        }
    }

    /// Whether the position occurred.
    pub(crate) fn reached(&self, wanted: &str) -> bool {
        let mut all = self.read.positions.iter();
        all.any(|text| stripped(text) == wanted)
    }

    /// What was chosen in the position.
    pub(crate) fn chosen(&self, wanted: &str) -> BTreeSet<Vec<String>> {
        let here = |step: &&(String, Vec<String>, String)| {
            stripped(&step.0) == wanted && !step.1.is_empty()
        };
        let steps = self.steps.iter().filter(here);
        steps.map(|(_, choices, _)| choices.clone()).collect()
    }
}

/// All finished games that `api` finds with this query.
pub(crate) async fn courses(api: &Api, query: &str) -> Vec<Course> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/v1/games?status=finished&limit=200{query}{cursor}");
        let page = api.get(&path).await.expect(200);
        for id in ids(&page) {
            all.push(Course::new(id.clone(), Read::of(api, &id).await));
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

/// What the explorer says of some games.
fn results(games: &[&Course]) -> Value {
    let won = |winner: &str| {
        let won = |game: &&&Course| game.read.state["result"]["winner"] == winner;
        games.iter().filter(won).count()
    };
    json!({ "games": games.len(), "south": won("south"), "north": won("north"), "draws": won("draw") })
}

fn tally(games: &[&Course], url: &str) -> Value {
    let mut tally = results(games);
    let plies: usize = games.iter().map(|game| game.read.sown().len()).sum();
    let average = plies as f64 / games.len() as f64;
    let ended = |game: &&Course| {
        game.read.state["result"]["ended_at"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let last = games
        .iter()
        .map(ended)
        .max_by_key(|at| DateTime::parse_from_rfc3339(at).unwrap());
    let mut newest: Vec<&str> = games.iter().map(|game| game.id.as_str()).collect();
    newest.sort_unstable();
    let newest = newest.into_iter().rev().take(3);
    let sample = |id: &str| json!({ "id": id, "url": format!("{}/v1/games/{id}", url) });
    tally["average_plies"] = match games.len() {
        0 => Value::Null,
        _ => json!((average * 100.0).round() / 100.0),
    };
    tally["last_played"] = json!(last);
    tally["sample_games"] = newest.map(sample).collect();
    tally
}

/// That the answer about a position is what these games say, which are of one
/// ground and fit the filters.
pub(crate) fn hold_against(games: &[&Course], answer: &Value, url: &str) {
    let position = answer["position"].as_str().unwrap();
    let here = stripped(position);
    let through: Vec<&Course> = games.iter().copied().filter(|g| g.reached(&here)).collect();
    assert_eq!(answer["reached"], tally(&through, url), "{position}");
    let mut played: BTreeMap<Vec<String>, Vec<&Course>> = BTreeMap::new();
    for game in &through {
        for choices in game.chosen(&here) {
            played.entry(choices).or_default().push(game);
        }
    }
    let mut counts = Vec::new();
    for found in answer["moves"].as_array().unwrap() {
        let choice =
            |choice: &Value| format!("{}{}", choice["seat"].as_str().unwrap(), choice["house"]);
        let choices = found["choices"].as_array().unwrap();
        let choices: Vec<String> = choices.iter().map(choice).collect();
        let here = played.remove(&choices).unwrap_or_default();
        assert_eq!(
            found["played_here"],
            tally(&here, url),
            "{position} {choices:?}"
        );
        let next = stripped(found["position"].as_str().unwrap());
        let reached: Vec<&Course> = games.iter().copied().filter(|g| g.reached(&next)).collect();
        assert_eq!(
            found["reached_position"],
            results(&reached),
            "{position} {choices:?}"
        );
        counts.push((std::cmp::Reverse(here.len()), choices));
    }
    assert!(
        played.is_empty(),
        "{position}: not listed: {:?}",
        played.keys()
    );
    assert!(
        counts.iter().map(|(games, _)| games).is_sorted(),
        "{position}: {counts:?}"
    );
}

/// The query for a position of this game.
pub(crate) fn query(game: &Course, position: &str) -> String {
    let rules = game.read.state["rules"].as_object().unwrap();
    let plain = |value: &Value| match value {
        Value::String(word) => word.clone(),
        other => other.to_string(),
    };
    let rules = rules
        .iter()
        .map(|(name, value)| format!("{name}:{}", plain(value)));
    form_urlencoded::Serializer::new(String::new())
        .append_pair("ruleset", game.read.state["ruleset"].as_str().unwrap())
        .append_pair("rules", &rules.collect::<Vec<_>>().join(","))
        .append_pair("position", position)
        .finish()
}
