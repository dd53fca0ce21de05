//! What the document says of webhooks: a delivery for each type of event, prepared
//! and not sent.

use std::collections::BTreeSet;

use mancala_post::db::events::Kind;
use serde_json::{Value, json};

use crate::support::Server;

/// The types of events as clients know them: none is ever renamed.
const TYPES: [&str; 10] = [
    "game.created",
    "game.started",
    "turn.started",
    "move.played",
    "offer.made",
    "offer.answered",
    "deadline.near",
    "deadline.moved",
    "game.finished",
    "game.aborted",
];

#[tokio::test]
async fn one_for_each_type_of_event() {
    let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(known, TYPES);
    // So does the table that explains them.
    let table = include_str!("../../docs/correspondence.md");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let told = rows.filter_map(|row| row.split_once('`')).map(|row| row.0);
    let told: Vec<&str> = told.filter(|name| name.contains('.')).collect();
    assert_eq!(told, TYPES);

    let server = Server::start().await;
    let document = server.api.get("/openapi.json").await.expect(200);
    let webhooks = document["webhooks"].as_object().unwrap();
    let names: BTreeSet<&str> = webhooks.keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(TYPES));
    for (name, item) in webhooks {
        let methods: Vec<_> = item.as_object().unwrap().keys().collect();
        assert_eq!(methods, ["post"], "{name}");
        let delivery = &item["post"];
        let said = delivery["description"].as_str().unwrap();
        assert!(said.contains("this version sends no deliveries"), "{said}");
        assert_ne!(delivery["summary"], Value::Null);
        let headers: Vec<_> = delivery["parameters"].as_array().unwrap().iter().collect();
        for header in &headers {
            assert_eq!(
                (&header["in"], &header["required"]),
                (&json!("header"), &json!(true))
            );
        }
        let headers: Vec<_> = headers.iter().map(|header| &header["name"]).collect();
        let expected = ["webhook-id", "webhook-timestamp", "webhook-signature"];
        assert_eq!(json!(headers), json!(expected), "{name}");
        let body = &delivery["requestBody"];
        assert_eq!(body["required"], true);
        let event = &body["content"]["application/json"]["schema"]["$ref"];
        assert_eq!(event, "#/components/schemas/EventState");
        let answers: Vec<_> = delivery["responses"].as_object().unwrap().keys().collect();
        assert_eq!(answers, ["2XX"]);
    }
}
