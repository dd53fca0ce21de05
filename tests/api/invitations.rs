//! The free seat of a game: for a player by name, for anyone, for whoever brings
//! the invite token.

use serde_json::{Value, json};

use crate::support::people::{at_once, ids};
use crate::support::{Api, Game, Made, Person, Server};

struct Table {
    server: Server,
    aminah: Person,
    bunga: Person,
    cik: Person,
    robot: Person,
}

async fn table() -> Table {
    let server = Server::start().await;
    Table {
        aminah: Person::new(&server.api, "aminah").await,
        bunga: Person::new(&server.api, "Bunga").await,
        cik: Person::new(&server.api, "cik").await,
        robot: Person::bot(&server.api, "robot").await,
        server,
    }
}

impl Table {
    async fn game(&self, visibility: &str, opponent: Value) -> Made {
        let fields = json!({ "visibility": visibility, "opponent": opponent });
        Made::by(&self.aminah.api, "congkak", fields).await
    }

    /// Everybody who has nothing to do with the games of aminah and Bunga.
    async fn strangers(&self) -> Vec<Api> {
        let other = Game::of(&self.server.api, "congkak").await;
        let mut all = vec![self.cik.api.clone(), self.robot.api.clone()];
        all.extend([other.south, other.north]);
        all
    }
}

#[tokio::test]
async fn by_name() {
    let t = table().await;
    for visibility in ["public", "private"] {
        let game = t.game(visibility, json!({ "player": "bUNGA" })).await;
        assert_eq!(game.created.get("invite_token"), None);
        let state = &game.created["game"];
        assert_eq!(state["status"], "open");
        assert_eq!(state["invitation"]["player"], "Bunga");
        // The invited one reads it before joining, and owes no choice.
        let seen = t.bunga.api.get(&game.path).await.expect(200);
        assert_eq!(seen["invitation"], state["invitation"]);
        let log = t.bunga.api.get(&game.to("moves")).await.expect(200);
        assert_eq!(log["items"], json!([]));
        let body = json!({ "after_ply": 0, "house": 1 });
        let early = t.aminah.api.post(&game.to("moves"), &body).await;
        early.problem(409, "not_started");
        let early = t.bunga.api.post(&game.to("moves"), &body).await;
        early.problem(403, "not_seated");
        let mine = t.bunga.api.get("/v1/me/games?turn=mine").await.expect(200);
        assert_eq!(ids(&mine), [game.id.as_str()]);
        // Nobody else gets in.
        let mut strangers = t.strangers().await;
        strangers.push(t.server.api.clone());
        for stranger in &strangers {
            let answer = stranger.ask(game.joining(None)).await;
            match visibility {
                "public" => answer.problem(403, "not_invited"),
                _ => answer.problem(404, "not_found"),
            };
        }
        let own = t.aminah.api.ask(game.joining(None)).await;
        own.problem(409, "own_game");
        let joined = game.joined(&t.bunga.api).await;
        assert_eq!(joined.get("seat_token"), None);
        assert_eq!(joined["game"]["status"], "playing");
        // The same call again.
        let again = game.joined(&t.bunga.api).await;
        assert_eq!(again["game"]["started_at"], joined["game"]["started_at"]);
        for stranger in &strangers {
            let answer = stranger.ask(game.joining(None)).await;
            match visibility {
                "public" => answer.problem(409, "seat_taken"),
                _ => answer.problem(404, "not_found"),
            };
        }
        let late = t.bunga.api.call(&game.to("decline")).await;
        late.problem(403, "not_invited");
        t.bunga.api.call(&game.to("abort")).await.expect(200);
    }
}

#[tokio::test]
async fn somebody_who_cannot_be_invited() {
    let t = table().await;
    for name in ["nobody", "", "a b", "AMINAH"] {
        let body = json!({ "ruleset": "congkak", "opponent": { "player": name } });
        let answer = t.aminah.api.post("/v1/games", &body).await;
        let problem = answer.problem(422, "bad_invitation");
        assert_eq!(problem["parameter"], "opponent");
    }
    let bad = [
        json!({}),
        json!("open"),
        json!({ "open": false }),
        json!({ "open": true, "invite": true }),
        json!({ "player": "Bunga", "open": true }),
        json!({ "player": null }),
        json!({ "player": 7 }),
        json!({ "computer": 3 }),
    ];
    for opponent in bad {
        let body = json!({ "ruleset": "congkak", "opponent": opponent });
        let answer = t.aminah.api.post("/v1/games", &body).await;
        let problem = answer.problem(400, "bad_request");
        let parameter = problem["parameter"].as_str().unwrap();
        assert!(parameter.starts_with("opponent"), "{problem}");
    }
    let body = json!({
        "ruleset": "congkak", "visibility": "private", "opponent": { "open": true },
    });
    for api in [&t.aminah.api, &t.server.api] {
        let answer = api.post("/v1/games", &body).await;
        answer.problem(422, "bad_invitation");
    }
    let page = t.aminah.api.get("/v1/me/games").await.expect(200);
    assert_eq!(page["items"], json!([]));
}

#[tokio::test]
async fn declined() {
    let t = table().await;
    for visibility in ["public", "private"] {
        let game = t.game(visibility, json!({ "player": "Bunga" })).await;
        for stranger in t.strangers().await {
            let answer = stranger.call(&game.to("decline")).await;
            match visibility {
                "public" => answer.problem(403, "not_invited"),
                _ => answer.problem(404, "not_found"),
            };
        }
        let own = t.aminah.api.call(&game.to("decline")).await;
        own.problem(403, "not_invited");
        let first = t.bunga.api.call(&game.to("decline")).await.expect(200);
        assert_eq!(first["status"], "aborted");
        assert_eq!(first["result"], Value::Null);
        assert_eq!(first["invitation"], Value::Null);
        let again = t.bunga.api.call(&game.to("decline")).await.expect(200);
        assert_eq!(again["ply"], first["ply"]);
        let late = t.bunga.api.ask(game.joining(None)).await;
        late.problem(409, "seat_taken");
        let log = t.aminah.api.get(&game.to("moves")).await.expect(200);
        let rows = log["items"].as_array().unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0]["kind"], "end");
        assert_eq!(rows[0]["reason"], "aborted");
        let verdict = t.aminah.api.get(&game.to("verify")).await.expect(200);
        assert_eq!(verdict["ok"], true);
    }
}

#[tokio::test]
async fn open_to_anyone() {
    let t = table().await;
    let lobby = async || {
        let page = t.server.api.get("/v1/games?status=open").await;
        ids(&page.expect(200))
    };
    let game = t.game("public", json!({ "open": true })).await;
    assert_eq!(lobby().await, [game.id.as_str()]);
    let own = t.aminah.api.ask(game.joining(None)).await;
    own.problem(409, "own_game");
    // A token of another game's seat is good for that seat alone.
    for stranger in t.strangers().await.into_iter().skip(2) {
        let answer = stranger.ask(game.joining(None)).await;
        answer.problem(403, "not_invited");
    }
    let nobody = t.cik.api.call(&game.to("decline")).await;
    nobody.problem(403, "not_invited");
    let joined = game.joined(&t.server.api).await;
    assert!(joined["seat_token"].as_str().unwrap().starts_with("mp_"));
    assert_eq!(lobby().await, [""; 0]);
    let late = t.cik.api.ask(game.joining(None)).await;
    late.problem(409, "seat_taken");
    // One without an account can make such a game as well.
    let game = Made::by(
        &t.server.api,
        "congkak",
        json!({ "opponent": { "open": true } }),
    )
    .await;
    let creator = t.server.api.with(game.secret("seat_token"));
    let own = creator.ask(game.joining(None)).await;
    own.problem(409, "own_game");
    game.joined(&t.cik.api).await;
}

#[tokio::test]
async fn forty_joiners_and_one_seat() {
    let t = table().await;
    let mut people = Vec::new();
    for number in 0..20 {
        people.push(Person::new(&t.server.api, &format!("guest-{number}")).await);
    }
    for opponent in [json!({ "open": true }), json!({ "invite": true })] {
        let game = t.game("public", opponent).await;
        let token = game.created["invite_token"].as_str();
        let asks = (0..40).map(|number| {
            let api = match number % 2 {
                0 => people[number / 2].api.clone(),
                _ => t.server.api.clone(),
            };
            (api, game.joining(token))
        });
        let answers = at_once(asks).await;
        let mut joined = Vec::new();
        for (number, answer) in answers.into_iter().enumerate() {
            match answer.status {
                200 => joined.push((number, answer.json)),
                _ => drop(answer.problem(409, "seat_taken")),
            }
        }
        assert_eq!(joined.len(), 1);
        let (number, answer) = joined.pop().unwrap();
        let secret = answer["seat_token"].as_str();
        assert_eq!(secret.is_some(), number % 2 == 1);
        let winner = match secret {
            Some(secret) => t.server.api.with(secret),
            None => people[number / 2].api.clone(),
        };
        winner.call(&game.to("resign")).await.expect(200);
    }
}

#[tokio::test]
async fn by_token() {
    let t = table().await;
    for visibility in ["public", "private"] {
        let game = t.game(visibility, json!({ "invite": true })).await;
        let token = game.secret("invite_token");
        let elsewhere = t.game("private", json!({ "invite": true })).await;
        let other = elsewhere.secret("invite_token");
        let wrong = [None, Some(""), Some("mp_x"), Some(other), Some(&token[3..])];
        for wrong in wrong
            .into_iter()
            .chain([Some(token.to_uppercase().as_str())])
        {
            for api in [&t.server.api, &t.cik.api] {
                let answer = api.ask(game.joining(wrong)).await;
                match visibility {
                    "public" => answer.problem(403, "not_invited"),
                    _ => answer.problem(404, "not_found"),
                };
            }
        }
        // It opens the seat and nothing else.
        let bearer = t.server.api.with(token).get(&game.path).await;
        bearer.problem(401, "unauthorized");
        let own = t.aminah.api.ask(game.joining(Some(token))).await;
        own.problem(409, "own_game");
        let joined = t.server.api.ask(game.joining(Some(token))).await;
        let joined = joined.expect(200);
        let guest = t.server.api.with(joined["seat_token"].as_str().unwrap());
        guest.get(&game.path).await.expect(200);
        // It was good once; whoever has the seat may say so again.
        guest.ask(game.joining(Some(token))).await.expect(200);
        for api in [&t.server.api, &t.cik.api] {
            let answer = api.ask(game.joining(Some(token))).await;
            match visibility {
                "public" => answer.problem(409, "seat_taken"),
                _ => answer.problem(404, "not_found"),
            };
        }
    }
}
