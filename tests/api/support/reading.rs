//! Games as anybody can read them, and whether they fit a filter: what a search is
//! held against.

use serde_json::Value;

use super::client::Api;

/// A game as anybody can read it.
pub(crate) struct Read {
    pub(crate) state: Value,
    /// The effective line.
    pub(crate) rows: Vec<Value>,
    /// The states of that line, the start first.
    pub(crate) positions: Vec<String>,
}

impl Read {
    pub(crate) async fn of(api: &Api, id: &str) -> Read {
        let path = format!("/v1/games/{id}");
        let state = api.get(&path).await.expect(200);
        let rows = api
            .get(&format!("{path}/moves?limit=200"))
            .await
            .expect(200);
        let start = api.get(&format!("{path}?at_ply=0")).await.expect(200);
        let rows = rows["items"].as_array().unwrap().clone();
        let mut positions = vec![start["position"].as_str().unwrap().to_owned()];
        positions.extend(
            rows.iter()
                .filter_map(|row| Some(row["position"].as_str()?.to_owned())),
        );
        Read {
            state,
            rows,
            positions,
        }
    }

    pub(crate) fn finished(&self) -> bool {
        self.state["status"] == "finished"
    }

    pub(crate) fn sown(&self) -> Vec<&Value> {
        self.rows
            .iter()
            .filter(|row| row["kind"] == "sow")
            .collect()
    }

    pub(crate) fn most(&self, name: &str) -> i64 {
        let laps = |row: &&Value| {
            let other = row["other"][name].as_i64().unwrap_or(0);
            row[name].as_i64().unwrap().max(other)
        };
        self.sown().iter().map(laps).max().unwrap_or(0)
    }

    pub(crate) fn burnt(&self) -> i64 {
        let burnt = |text: &String| text.split(' ').next().unwrap().matches('x').count();
        self.positions.iter().map(burnt).max().unwrap() as i64
    }

    pub(crate) fn margin(&self) -> i64 {
        let score = &self.state["result"]["score"];
        (score["south"].as_i64().unwrap() - score["north"].as_i64().unwrap()).abs()
    }

    /// Whether it fits one filter of a query.
    pub(crate) fn fits(&self, name: &str, value: &str) -> bool {
        let word = |field: &Value| field.as_str() == Some(value);
        let at_least = |n: i64| self.finished() && n >= value.parse::<i64>().unwrap();
        let at_most = |n: i64| self.finished() && n <= value.parse::<i64>().unwrap();
        let result = &self.state["result"];
        let kinds = || {
            let kind = |seat: &str| {
                let seat = &self.state["seats"][seat];
                seat["kind"].as_str().unwrap_or("anonymous").to_owned()
            };
            [kind("south"), kind("north")]
        };
        match name {
            "status" => word(&self.state["status"]),
            "ruleset" => word(&self.state["ruleset"]),
            "revision" => value == "1",
            "rules" => value.split(',').all(|part| {
                let (name, value) = part.split_once(':').unwrap();
                match &self.state["rules"][name] {
                    Value::String(text) => text == value,
                    other => value == format!("{other}"),
                }
            }),
            "player" => ["south", "north"].iter().any(|seat| {
                let handle = self.state["seats"][seat]["player"].as_str();
                handle.is_some_and(|handle| handle.eq_ignore_ascii_case(value))
            }),
            "kind" => {
                let mut wanted: Vec<&str> = value.split(',').collect();
                wanted.sort();
                let mut kinds = kinds();
                kinds.sort();
                match wanted.as_slice() {
                    [one] => kinds.iter().any(|kind| kind == one),
                    both => kinds.iter().zip(both).all(|(one, other)| one == other),
                }
            }
            "result" => word(&result["winner"]),
            "reason" => word(&result["reason"]),
            "label" => word(&self.state["label"]),
            "source" => word(&self.state["source"]),
            "min_plies" => at_least(self.sown().len() as i64),
            "max_plies" => at_most(self.sown().len() as i64),
            "min_rounds" => at_least(self.state["rounds"].as_array().unwrap().len() as i64),
            "max_rounds" => at_most(self.state["rounds"].as_array().unwrap().len() as i64),
            "min_relay" => at_least(self.most("lap_count")),
            "max_relay" => at_most(self.most("lap_count")),
            "min_burnt" => at_least(self.burnt()),
            "max_burnt" => at_most(self.burnt()),
            "min_margin" => self.finished() && at_least(self.margin()),
            "max_margin" => self.finished() && at_most(self.margin()),
            "opening" => {
                let houses = self
                    .sown()
                    .iter()
                    .map(|row| row["house"].to_string())
                    .collect::<Vec<_>>();
                let wanted: Vec<&str> = value.split(',').collect();
                self.finished()
                    && houses.len() >= wanted.len()
                    && houses.iter().zip(&wanted).all(|(one, other)| one == other)
            }
            "reached" => {
                let wanted = stripped(value);
                self.finished() && self.positions.iter().any(|text| stripped(text) == wanted)
            }
            "created_since" => self.state["created_at"].as_str().unwrap() >= value,
            "created_before" => self.state["created_at"].as_str().unwrap() < value,
            "ended_since" => result["ended_at"].as_str().is_some_and(|at| at >= value),
            "ended_before" => result["ended_at"].as_str().is_some_and(|at| at < value),
            other => panic!("no filter {other}"),
        }
    }
}

/// A position without its round, starter and ticks.
pub(crate) fn stripped(text: &str) -> String {
    let parts: Vec<&str> = text.split(' ').collect();
    let hands = parts.get(4).unwrap_or(&"");
    let hands: Vec<&str> = hands
        .split('|')
        .map(|hand| if hand.starts_with('.') { "." } else { hand })
        .collect();
    format!("{} {} {} {}", parts[0], parts[1], parts[2], hands.join("|"))
}
