//! A bot and the people of its chat.

use serde_json::{Value, json};

use super::client::{Answer, Api, Ask};
use super::people::Person;
use super::server::Server;

pub(crate) async fn put(bot: &Api, reference: &str, body: Value) -> Answer {
    let path = format!("/v1/managed-players/{reference}");
    bot.ask(Ask::new("PUT", &path).json(&body)).await
}

/// The same request for somebody.
pub(crate) fn acting(ask: Ask, reference: &str) -> Ask {
    ask.header("mancala-act-as", reference)
}

pub(crate) async fn get(bot: &Api, reference: &str, path: &str) -> Value {
    bot.ask(acting(Ask::get(path), reference)).await.expect(200)
}

pub(crate) async fn post(bot: &Api, reference: &str, path: &str, body: Value) -> Answer {
    bot.ask(acting(Ask::post(path).json(&body), reference))
        .await
}

/// A bot with two people.
pub(crate) async fn channel(server: &Server, name: &str) -> Person {
    let bot = Person::bot(&server.api, name).await;
    for person in ["ana", "bo"] {
        let body = json!({ "name": format!("{name}-{person}") });
        put(&bot.api, &format!("telegram:{person}"), body)
            .await
            .expect(201);
    }
    bot
}
