//! A game that two clients play, each with the token of its seat.

use serde_json::{Value, json};

use super::client::{Answer, Api};

/// A game and its two seats.
pub(crate) struct Game {
    pub(crate) id: String,
    /// `/v1/games/{id}`.
    pub(crate) path: String,
    pub(crate) south: Api,
    pub(crate) north: Api,
    /// Somebody without a token.
    pub(crate) anyone: Api,
    /// The answer to its creation.
    pub(crate) created: Value,
}

impl Game {
    /// Creates one from the body of `POST /v1/games`.
    pub(crate) async fn create(api: &Api, body: &Value) -> Game {
        let answer = api.post("/v1/games", body).await;
        answer.is(201);
        let created = answer.json.clone();
        let token = |seat: &str| created["seat_tokens"][seat].as_str().unwrap();
        let id = created["game"]["id"].as_str().unwrap().to_owned();
        Game {
            path: format!("/v1/games/{id}"),
            south: api.with(token("south")),
            north: api.with(token("north")),
            anyone: api.clone(),
            id,
            created,
        }
    }

    /// One of a ruleset as it comes.
    pub(crate) async fn of(api: &Api, ruleset: &str) -> Game {
        Game::create(api, &json!({ "ruleset": ruleset })).await
    }

    /// One with a custom start.
    pub(crate) async fn from(api: &Api, ruleset: &str, rules: Value, start: &str) -> Game {
        let body = json!({ "ruleset": ruleset, "rules": rules, "start": start });
        Game::create(api, &body).await
    }

    /// The same game through other clients of one server: after a restart, say.
    pub(crate) fn at(&self, url: &str) -> Game {
        Game {
            id: self.id.clone(),
            path: self.path.clone(),
            south: self.south.at(url),
            north: self.north.at(url),
            anyone: self.anyone.at(url),
            created: self.created.clone(),
        }
    }

    /// The client of a seat: `s` or `south`, `n` or `north`.
    pub(crate) fn seat(&self, seat: &str) -> &Api {
        match seat {
            "s" | "south" => &self.south,
            "n" | "north" => &self.north,
            other => panic!("no seat {other}"),
        }
    }

    /// A path below the game's.
    pub(crate) fn to(&self, rest: &str) -> String {
        format!("{}/{rest}", self.path)
    }

    /// The state as anyone sees it.
    pub(crate) async fn state(&self) -> Value {
        self.anyone.get(&self.path).await.expect(200)
    }

    /// Sends a choice.
    pub(crate) async fn send(&self, seat: &str, after_ply: u64, house: u64) -> Answer {
        let body = json!({ "after_ply": after_ply, "house": house });
        self.seat(seat).post(&self.to("moves"), &body).await
    }

    /// Sends choices such as `s4`, each after the state the one before led to; the
    /// last answer.
    pub(crate) async fn play(&self, choices: &[&str]) -> Answer {
        let state = self.south.get(&self.path).await.expect(200);
        let mut ply = state["ply"].as_u64().unwrap();
        let mut last = None;
        for choice in choices {
            let (seat, house) = choice.split_at(1);
            let answer = self.send(seat, ply, house.parse().unwrap()).await;
            assert!(matches!(answer.status, 201 | 202), "{choice}: {answer}");
            ply = answer.json["game"]["ply"].as_u64().unwrap();
            last = Some(answer);
        }
        last.unwrap()
    }

    /// All rows of the log.
    pub(crate) async fn log(&self) -> Vec<Value> {
        let page = self.anyone.get(&self.to("moves")).await.expect(200);
        assert_eq!(page["next_cursor"], Value::Null);
        page["items"].as_array().unwrap().clone()
    }

    /// That the stored game is what its log makes of it.
    pub(crate) async fn verified(&self) -> Value {
        let verdict = self.anyone.get(&self.to("verify")).await.expect(200);
        assert_eq!(verdict["ok"], true, "{verdict}");
        verdict
    }
}
