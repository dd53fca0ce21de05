//! One token for a whole channel: a bot and the people it plays for.

use serde_json::{Value, json};

use crate::support::channel::{acting, channel, get, post, put};
use crate::support::{Ask, Game, Made, Person, Server};

/// Two people of one bot play each other; the bot reads the events of both.
#[tokio::test]
async fn two_of_one_bot() {
    let server = Server::start().await;
    let bot = channel(&server, "robot").await;
    let (ana, bo) = ("telegram:ana", "telegram:bo");
    let body =
        json!({ "ruleset": "congkak", "seat": "south", "opponent": { "player": "robot-bo" } });
    let made = post(&bot.api, ana, "/v1/games", body).await.expect(201);
    let game = format!("/v1/games/{}", made["game"]["id"].as_str().unwrap());
    assert_eq!(made.get("seat_token"), None);
    post(&bot.api, bo, &format!("{game}/join"), json!({}))
        .await
        .expect(200);
    // Each only on their own turn, and never the bot itself.
    let choice = json!({ "after_ply": 0, "house": 1 });
    let moves = format!("{game}/moves");
    post(&bot.api, bo, &moves, choice.clone())
        .await
        .problem(409, "not_your_turn");
    bot.api
        .post(&moves, &choice)
        .await
        .problem(403, "not_seated");
    let played = post(&bot.api, ana, &moves, choice.clone())
        .await
        .expect(201);
    assert_eq!(played["game"]["seats"]["south"]["player"], "robot-ana");
    let again = post(&bot.api, ana, &moves, choice).await;
    assert!(again.replayed(), "a double click");

    let waiting = |of: &'static str| {
        let bot = &bot.api;
        async move {
            get(bot, of, "/v1/me/games?turn=mine").await["items"]
                .as_array()
                .unwrap()
                .len()
        }
    };
    assert_eq!(
        (waiting("telegram:ana").await, waiting("telegram:bo").await),
        (0, 1)
    );

    let told = |page: &Value| {
        let items = page["items"].as_array().unwrap();
        let told = items
            .iter()
            .map(|event| (event["type"].clone(), event["for"].clone()));
        told.collect::<Vec<_>>()
    };
    server.db.place_events().await;
    let page = bot.api.get("/v1/events?after=0").await.expect(200);
    let to = |seat: &str, reference: &str| json!({ "seat": seat, "external_ref": reference });
    let both = json!([to("south", ana), to("north", bo)]);
    assert_eq!(
        told(&page),
        [
            (json!("game.created"), both.clone()),
            (json!("game.started"), both.clone()),
            (json!("turn.started"), json!([to("south", ana)])),
            (json!("move.played"), both),
            (json!("turn.started"), json!([to("north", bo)])),
        ]
    );
    // Of one of them: her log, without the reference.
    let hers = get(&bot.api, ana, "/v1/events?after=0").await;
    let mut expected = told(&page);
    for (_, to) in &mut expected {
        let to = to.as_array_mut().unwrap();
        to.retain(|to| to["seat"] == "south");
        to.iter_mut()
            .for_each(|to| *to = json!({ "seat": "south" }));
    }
    assert_eq!(told(&hers), expected);
    // A token of the bot that may not act reads the bot's own: none.
    let reading = bot.limited(&["read"]).await;
    let page = reading.get("/v1/events?after=0").await.expect(200);
    assert_eq!(page["items"], json!([]));
}

#[tokio::test]
async fn two_bots_do_not_meet() {
    let server = Server::start().await;
    let (one, other) = (
        channel(&server, "one").await,
        channel(&server, "other").await,
    );
    let me = get(&one.api, "telegram:ana", "/v1/me").await;
    assert_eq!(me["player"]["handle"], "one-ana");
    let me = get(&other.api, "telegram:ana", "/v1/me").await;
    assert_eq!(me["player"]["handle"], "other-ana");
    // A game between the two channels: each bot learns of its own reference alone.
    let body = json!({ "ruleset": "congkak", "seat": "south", "visibility": "private",
                       "opponent": { "player": "other-bo" } });
    let made = post(&one.api, "telegram:ana", "/v1/games", body)
        .await
        .expect(201);
    let game = format!("/v1/games/{}", made["game"]["id"].as_str().unwrap());
    let join = format!("{game}/join");
    post(&one.api, "telegram:bo", &join, json!({}))
        .await
        .problem(404, "not_found");
    post(&other.api, "telegram:bo", &join, json!({}))
        .await
        .expect(200);
    server.db.place_events().await;
    for (bot, seat, reference) in [
        (&one, "south", "telegram:ana"),
        (&other, "north", "telegram:bo"),
    ] {
        let page = bot.api.get("/v1/events?after=0").await.expect(200);
        for event in page["items"].as_array().unwrap() {
            for to in event["for"].as_array().unwrap() {
                assert_eq!(
                    *to,
                    json!({ "seat": seat, "external_ref": reference }),
                    "{event}"
                );
            }
        }
        // The private game is there for the person, not for the bot itself.
        bot.api.get(&game).await.problem(404, "not_found");
        get(&bot.api, reference, &game).await;
    }
    let only_one = put(&one.api, "telegram:mine", json!({})).await.expect(201);
    let ask = acting(Ask::get("/v1/me"), "telegram:mine");
    other.api.ask(ask).await.problem(403, "not_managed");
    let handle = only_one["player"]["handle"].as_str().unwrap();
    let ask = acting(Ask::get("/v1/me"), handle);
    one.api.ask(ask).await.problem(403, "not_managed");
}

/// The header with every operation of the document, by whoever may not send it.
#[tokio::test]
async fn nobody_else_acts() {
    let server = Server::start().await;
    let bot = channel(&server, "robot").await;
    let human = Person::new(&server.api, "human").await;
    let other = Person::bot(&server.api, "other").await;
    let lacking = bot.limited(&["read", "play", "webhooks"]).await;
    let game = Game::of(&server.api, "congkak").await;
    let document = server.api.get("/openapi.json").await.expect(200);
    let mut operations = 0;
    for (template, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if operation["security"].as_array().is_none() {
                continue;
            }
            let path = template
                .replace("{id}", &game.id)
                .replace("{oid}", "1")
                .replace("{name}", "congkak")
                .replace("{file}", "README.md")
                .replace("{table}", "games")
                .replace("{ruleset}", "congkak")
                .replace("{handle}", "human")
                .replace("{external_ref}", "telegram:ana")
                .replace("{token_id}", &human.token_id)
                .replace("{delivery_id}", "1.1");
            let ask = || acting(Ask::new(&method.to_uppercase(), &path), "telegram:ana");
            for (api, status, code) in [
                (&server.api, 401, "unauthorized"),
                (&game.south, 403, "seat_token"),
                (&human.api, 403, "missing_scope"),
                (&lacking, 403, "missing_scope"),
                (&other.api, 403, "not_managed"),
            ] {
                api.ask(ask()).await.problem(status, code);
            }
            operations += 1;
        }
    }
    assert!(operations > 30, "{operations}");
    assert_eq!(game.state().await["ply"], 0);
    human.api.get("/v1/me").await.expect(200);
}

#[tokio::test]
async fn what_is_the_bots_own_matter() {
    let server = Server::start().await;
    let bot = channel(&server, "robot").await;
    let path = format!("/v1/me/tokens/{}", bot.token_id);
    for ask in [
        Ask::get("/v1/me/tokens"),
        Ask::post("/v1/me/tokens").json(&json!({ "scopes": ["read"] })),
        Ask::new("DELETE", &path),
        Ask::new("PUT", "/v1/managed-players/telegram:new").json(&json!({})),
    ] {
        bot.api
            .ask(acting(ask, "telegram:ana"))
            .await
            .problem(403, "acting");
    }
    // Each call needs its usual scope as well.
    let reading = bot.limited(&["read", "act"]).await;
    get(&reading, "telegram:ana", "/v1/me").await;
    let body = json!({ "ruleset": "congkak" });
    post(&reading, "telegram:ana", "/v1/games", body)
        .await
        .problem(403, "missing_scope");
    let me = get(&reading, "telegram:ana", "/v1/me").await;
    assert_eq!(me["scopes"], json!(["read", "act"]));
}

/// The same Idempotency-Key for two people is two keys.
#[tokio::test]
async fn keys_are_each_persons_own() {
    let server = Server::start().await;
    let bot = channel(&server, "robot").await;
    let create = |reference: &str| {
        let ask = Ask::post("/v1/games")
            .json(&json!({ "ruleset": "congkak", "opponent": { "open": true } }));
        acting(ask.header("idempotency-key", "update-1"), reference)
    };
    let hers = bot.api.ask(create("telegram:ana")).await.expect(201);
    let his = bot.api.ask(create("telegram:bo")).await.expect(201);
    assert_ne!(hers["game"]["id"], his["game"]["id"]);
    let again = bot.api.ask(create("telegram:ana")).await;
    assert!(again.replayed());
    assert_eq!(again.expect(201)["game"]["id"], hers["game"]["id"]);
}

/// A game that somebody invites one of a bot's people to, seats not drawn yet.
#[tokio::test]
async fn invited_before_the_seats_are_drawn() {
    let server = Server::start().await;
    let bot = channel(&server, "robot").await;
    let opponent = json!({ "opponent": { "player": "robot-ana" } });
    Made::by(&server.api, "congkak", opponent).await;
    server.db.place_events().await;
    let page = bot.api.get("/v1/events?after=0").await.expect(200);
    let created = &page["items"][0];
    assert_eq!(created["type"], "game.created");
    let hers = json!([{ "seat": null, "external_ref": "telegram:ana" }]);
    assert_eq!(created["for"], hers);
}
