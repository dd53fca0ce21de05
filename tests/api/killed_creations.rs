//! The program killed with the answer to a creation on its way, then asked again.

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::backstage::number;
use crate::support::database::Database;
use crate::support::process::Process;
use crate::support::proxy::Withholding;
use crate::support::{Api, Ask, Made, Person};

/// Sends a creation whose answer is lost while the server is killed, then again to
/// the server that comes after it: what the first one had answered.
async fn lost(db: &Database, process: &mut Process, api: &Api, path: &str, body: &Value) -> Value {
    let key = format!("\"7d0f8bd7-2f0b-4a59-9d7e-bd0a3f4f1c55 {path}\"");
    let ask = || Ask::post(path).json(body).header("idempotency-key", &key);
    let mut proxy = Withholding::before(&process.url).await;
    let (client, sent) = (api.at(&proxy.url), ask());
    let sent = tokio::spawn(async move { client.try_ask(sent).await });
    let withheld = proxy.answer().await;
    assert!(!process.end_by(Signal::SIGKILL).success());
    proxy.break_off();
    sent.await.unwrap().expect_err("the answer was withheld");

    *process = Process::start(&db.url());
    let answer = api.at(&process.url).ask(ask()).await;
    assert!(answer.replayed(), "{answer}");
    let (head, first) = withheld.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with(&format!("HTTP/1.1 {}", answer.status)));
    assert_eq!(answer.text(), first);
    let location = format!("location: {}", answer.header("location")).to_lowercase();
    assert!(answer.header("location").is_empty() || head.to_lowercase().contains(&location));
    answer.json
}

#[tokio::test]
async fn nothing_is_made_twice_and_no_secret_is_lost() {
    let db = Database::new().await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;

    let name = json!({ "name": "aminah" });
    let made = lost(&db, &mut process, &api, "/v1/players", &name).await;
    let aminah = api.with(made["secret"].as_str().unwrap());
    let me = aminah.at(&process.url).get("/v1/me").await.expect(200);
    assert_eq!(me["player"]["handle"], "aminah");

    let scopes = json!({ "scopes": ["read"] });
    let made = lost(&db, &mut process, &aminah, "/v1/me/tokens", &scopes).await;
    let reader = api.with(made["secret"].as_str().unwrap());
    reader.at(&process.url).get("/v1/me").await.expect(200);
    let tokens = "select count(*) from tokens";
    assert_eq!(number(&db, tokens).await, 2);

    let game = json!({ "ruleset": "congkak" });
    let made = lost(&db, &mut process, &api, "/v1/games", &game).await;
    assert_eq!(number(&db, "select count(*) from games").await, 1);
    let south = api.with(made["seat_tokens"]["south"].as_str().unwrap());
    let path = format!("/v1/games/{}", made["game"]["id"].as_str().unwrap());
    let south = south.at(&process.url);
    south.call(&format!("{path}/resign")).await.expect(200);

    let bunga = Person::new(&api.at(&process.url), "bunga").await;
    let open = json!({ "opponent": { "open": true } });
    let open = Made::by(&bunga.api, "congkak", open).await;
    let made = lost(&db, &mut process, &api, &open.to("join"), &json!({})).await;
    let joined = api.with(made["seat_token"].as_str().unwrap());
    let joined = joined.at(&process.url);
    joined.call(&open.to("resign")).await.expect(200);
    let seated = "select count(*) from seats where joined_at is not null";
    assert_eq!(number(&db, seated).await, 4);
}
