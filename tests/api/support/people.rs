//! Players with their tokens, and the games they make and join.

use serde_json::{Value, json};

use super::client::{Api, Ask};
use super::games::Game;

/// A player with the first token.
pub(crate) struct Person {
    pub(crate) name: String,
    /// The token's text.
    pub(crate) token: String,
    pub(crate) token_id: String,
    /// A client with that token.
    pub(crate) api: Api,
}

/// A game as its creator got it.
pub(crate) struct Made {
    /// `/v1/games/{id}`.
    pub(crate) path: String,
    pub(crate) id: String,
    /// The answer to its creation.
    pub(crate) created: Value,
}

impl Person {
    /// Signs a person up.
    pub(crate) async fn new(api: &Api, name: &str) -> Person {
        Person::of(api, &json!({ "name": name })).await
    }

    /// Signs a bot up.
    pub(crate) async fn bot(api: &Api, name: &str) -> Person {
        Person::of(api, &json!({ "name": name, "kind": "bot" })).await
    }

    async fn of(api: &Api, body: &Value) -> Person {
        let created = api.post("/v1/players", body).await.expect(201);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let token = text(&created["secret"]);
        Person {
            name: text(&created["player"]["handle"]),
            token_id: text(&created["token"]["id"]),
            api: api.with(&token),
            token,
        }
    }

    /// A further token: what was answered, and a client with it.
    pub(crate) async fn further(&self, body: Value) -> (Value, Api) {
        let created = self.api.post("/v1/me/tokens", &body).await.expect(201);
        let api = self.api.with(created["secret"].as_str().unwrap());
        (created, api)
    }

    /// A client whose token is good for no more than this.
    pub(crate) async fn limited(&self, scopes: &[&str]) -> Api {
        self.further(json!({ "scopes": scopes })).await.1
    }

    /// The counts of `GET /v1/me`.
    pub(crate) async fn counts(&self) -> Value {
        self.api.get("/v1/me").await.expect(200)["games"].clone()
    }
}

impl Made {
    /// Makes a game for `api` with further fields of the body.
    pub(crate) async fn by(api: &Api, ruleset: &str, fields: Value) -> Made {
        let mut body = json!({ "ruleset": ruleset });
        for (name, value) in fields.as_object().unwrap() {
            body[name] = value.clone();
        }
        let created = api.post("/v1/games", &body).await.expect(201);
        let id = created["game"]["id"].as_str().unwrap().to_owned();
        Made {
            path: format!("/v1/games/{id}"),
            id,
            created,
        }
    }

    /// A path below the game's.
    pub(crate) fn to(&self, rest: &str) -> String {
        format!("{}/{rest}", self.path)
    }

    /// One of the secrets that came with it.
    pub(crate) fn secret(&self, name: &str) -> &str {
        self.created[name].as_str().unwrap()
    }

    /// The request to join, with an invite token or without.
    pub(crate) fn joining(&self, invite_token: Option<&str>) -> Ask {
        let body = match invite_token {
            Some(token) => json!({ "invite_token": token }),
            None => json!({}),
        };
        Ask::post(&self.to("join")).json(&body)
    }

    /// `api` joins.
    pub(crate) async fn joined(&self, api: &Api) -> Value {
        api.ask(self.joining(None)).await.expect(200)
    }
}

/// A game between two players, south's its creator, with further fields of the
/// body that makes it.
pub(crate) async fn between(south: &Person, north: &Person, ruleset: &str, more: Value) -> Game {
    let mut fields = json!({ "seat": "south", "opponent": { "player": north.name } });
    for (name, value) in more.as_object().unwrap() {
        fields[name] = value.clone();
    }
    let made = Made::by(&south.api, ruleset, fields).await;
    made.joined(&north.api).await;
    Game {
        id: made.id,
        path: made.path,
        south: south.api.clone(),
        north: north.api.clone(),
        anyone: south.api.clone(),
        created: made.created,
    }
}

/// The ids of a page of games, in its order.
pub(crate) fn ids(page: &Value) -> Vec<String> {
    let games = page["items"].as_array().unwrap().iter();
    games
        .map(|game| game["id"].as_str().unwrap().to_owned())
        .collect()
}

/// Sends all requests at once, each on a connection of its own.
pub(crate) async fn at_once(
    asks: impl IntoIterator<Item = (Api, Ask)>,
) -> Vec<super::client::Answer> {
    let mut running = Vec::new();
    for (api, ask) in asks {
        running.push(tokio::spawn(async move { api.ask(ask).await }));
    }
    let mut answers = Vec::new();
    for answer in running {
        answers.push(answer.await.unwrap());
    }
    answers
}
