//! Private games are not there for others: not under their path, not in a list, not
//! in a count.

use serde_json::{Value, json};

use crate::support::people::{between, ids};
use crate::support::{Api, Ask, Game, Made, Person, Server};

/// A request to every operation that has a game's id in its path, with a body that
/// would do; and whether it needs a token.
async fn operations(api: &Api, id: &str) -> Vec<(String, String, Value, bool)> {
    let document = api.get("/openapi.json").await.expect(200);
    let mut all = Vec::new();
    for (template, methods) in document["paths"].as_object().unwrap() {
        if !template.starts_with("/v1/games/{id}") {
            continue;
        }
        let path = template.replace("{id}", id).replace("{oid}", "1");
        for (method, operation) in methods.as_object().unwrap() {
            let needs = !operation["security"]
                .as_array()
                .unwrap()
                .contains(&json!({}));
            let body = match operation["operationId"].as_str().unwrap() {
                "submitMove" => json!({ "after_ply": 0, "house": 1 }),
                "makeOffer" => json!({ "kind": "split" }),
                "acceptOffer" => json!({ "after_ply": 0 }),
                "putConditionals" => json!({ "after_ply": 0, "lines": [] }),
                _ if operation.get("requestBody").is_some() => json!({}),
                _ => Value::Null,
            };
            all.push((method.to_uppercase(), path.clone(), body, needs));
        }
    }
    assert!(all.len() >= 12, "{all:?}");
    all
}

fn ask(method: &str, path: &str, body: &Value) -> Ask {
    match body {
        Value::Null => Ask::new(method, path),
        body => Ask::new(method, path).json(body),
    }
}

#[tokio::test]
async fn under_no_path() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let cik = Person::new(&server.api, "cik").await;
    let robot = Person::bot(&server.api, "robot").await;
    let other = Game::of(&server.api, "congkak").await;
    let hidden = |mut fields: Value| {
        fields["visibility"] = json!("private");
        fields
    };
    let games = [
        between(&aminah, &bunga, "al-manqala", hidden(json!({})))
            .await
            .id,
        Made::by(&server.api, "al-manqala", hidden(json!({})))
            .await
            .id,
        Made::by(
            &aminah.api,
            "congkak",
            hidden(json!({ "opponent": { "player": "bunga" } })),
        )
        .await
        .id,
        Made::by(
            &aminah.api,
            "congkak",
            hidden(json!({ "opponent": { "invite": true } })),
        )
        .await
        .id,
    ];
    let nowhere = "01935f3e-7b2a-7000-8000-000000000000".to_owned();
    for id in games.iter().chain([&nowhere]) {
        for (method, path, body, needs) in operations(&server.api, id).await {
            for stranger in [&cik.api, &robot.api, &other.south] {
                let answer = stranger.ask(ask(&method, &path, &body)).await;
                answer.problem(404, "not_found");
            }
            let answer = server.api.ask(ask(&method, &path, &body)).await;
            match needs {
                true => answer.problem(401, "unauthorized"),
                false => answer.problem(404, "not_found"),
            };
        }
        for query in [
            "?at_ply=0",
            "?at_ply=7",
            "/moves?trace=true",
            "/events?after=0",
            "/board.png?ply=0",
        ] {
            let path = format!("/v1/games/{id}{query}");
            cik.api.get(&path).await.problem(404, "not_found");
        }
        for format in ["text/csv", "application/x-ndjson"] {
            let ask = Ask::get(&format!("/v1/games/{id}/moves")).header("accept", format);
            cik.api.ask(ask).await.problem(404, "not_found");
        }
    }
    // Nothing of all that has changed anything.
    for id in &games {
        let logged = server.db.rows(id).await["plies"].clone();
        assert_eq!(logged, json!([]));
    }
}

#[tokio::test]
async fn in_no_list_and_no_count() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let cik = Person::new(&server.api, "cik").await;
    let hidden = json!({ "visibility": "private" });
    let playing = between(&aminah, &bunga, "congkak", hidden.clone()).await;
    let over = between(&aminah, &bunga, "congkak", hidden.clone()).await;
    over.south.call(&over.to("resign")).await.expect(200);
    let fields = json!({ "visibility": "private", "opponent": { "invite": true } });
    let open = Made::by(&aminah.api, "congkak", fields).await;
    let fields = json!({ "visibility": "private", "opponent": { "player": "bunga" } });
    let invited = Made::by(&aminah.api, "congkak", fields).await;
    Made::by(&server.api, "congkak", hidden).await;
    let public = between(&aminah, &bunga, "congkak", json!({})).await;

    let mut lists = vec!["/v1/games".to_owned(), "/v1/games?ruleset=congkak".into()];
    for status in ["open", "opening", "playing", "finished", "aborted"] {
        lists.push(format!("/v1/games?status={status}"));
        for name in ["aminah", "bunga"] {
            lists.push(format!("/v1/players/{name}/games?status={status}"));
        }
    }
    lists.extend(["aminah", "bunga"].map(|name| format!("/v1/players/{name}/games")));
    for list in &lists {
        for api in [&server.api, &cik.api] {
            let page = api.get(list).await.expect(200);
            let shown = ids(&page);
            assert!(
                shown.is_empty() || shown == [public.id.as_str()],
                "{list}: {shown:?}"
            );
        }
        // The list of all games is of public ones whoever looks.
        if list.starts_with("/v1/games") {
            let page = aminah.api.get(list).await.expect(200);
            assert!(ids(&page).iter().all(|id| id == &public.id));
        }
    }
    let page = bunga.api.get("/v1/players/aminah/games").await.expect(200);
    assert_eq!(ids(&page), [public.id.as_str()]);
    for (name, api) in [("aminah", &aminah.api), ("bunga", &bunga.api)] {
        let path = format!("/v1/players/{name}");
        for api in [&server.api, &cik.api, api] {
            let shown = api.get(&path).await.expect(200);
            assert_eq!(shown["games"], json!({ "running": 1, "over": 0 }));
        }
    }
    // Their own players have them.
    let all = aminah.api.get("/v1/me/games").await.expect(200);
    let expected = [&public.id, &invited.id, &open.id, &over.id, &playing.id];
    assert_eq!(ids(&all), expected.map(String::as_str));
    let all = bunga.api.get("/v1/players/bunga/games").await.expect(200);
    let expected = [&public.id, &invited.id, &over.id, &playing.id];
    assert_eq!(ids(&all), expected.map(String::as_str));
    let counts = json!({ "my_turn": 0, "invitations": 1, "running": 2, "over": 1 });
    assert_eq!(bunga.counts().await, counts);
}
