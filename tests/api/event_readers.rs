//! Who reads which part of the event log, and from where: audiences and cursors.

use serde_json::{Value, json};

use crate::support::follow::{events, game_of, player, step, types};
use crate::support::{Ask, Game, Server};

/// A player reads all of their games, a seat's token its game, anyone a public
/// game; for others a private one is not there.
#[tokio::test]
async fn who_reads_what() {
    let server = Server::start().await;
    let [ana, bo, cy] = ["ana", "bo", "cy"];
    let ana = player(&server.api, ana).await;
    let bo = player(&server.api, bo).await;
    let cy = player(&server.api, cy).await;
    let congkak = || json!({ "ruleset": "congkak" });
    let first = game_of(&ana, &bo, congkak()).await;
    let second = game_of(&ana, &cy, congkak()).await;
    let apart = Game::of(&server.api, "congkak").await;
    let body = json!({ "ruleset": "congkak", "visibility": "private" });
    let hidden = Game::create(&server.api, &body).await;
    step(&first).await;
    step(&second).await;
    step(&apart).await;
    server.db.place_events().await;
    let of = |events: &[Value], game: &Game| {
        events
            .iter()
            .filter(|event| event["game_id"] == *game.id)
            .count()
    };
    let anas = events(&ana, "/v1/events").await;
    assert_eq!(
        (of(&anas, &first), of(&anas, &second)),
        (anas.len() / 2, anas.len() / 2)
    );
    let bos = events(&bo, "/v1/events").await;
    assert_eq!(of(&bos, &first), bos.len());
    let souths = events(&apart.south, "/v1/events").await;
    assert_eq!(of(&souths, &apart), souths.len());
    assert!(souths.len() >= 4);
    // Anyone reads the same of a public game, told of both seats.
    for game in [&first, &second, &apart] {
        let path = game.to("events");
        let told = events(&server.api, &path).await;
        assert_eq!(
            types(&told)[..3],
            ["game.created", "game.started", "turn.started"]
        );
        assert_eq!(
            told[0]["for"],
            json!([{ "seat": "south" }, { "seat": "north" }])
        );
        assert_eq!(told[2]["for"], json!([{ "seat": "south" }]));
        let others = events(&hidden.south, &path).await;
        assert_eq!(others, told);
    }
    let path = format!("{}?after=0", hidden.to("events"));
    for stranger in [&server.api, &ana, &apart.south] {
        stranger.get(&path).await.problem(404, "not_found");
        let stream = Ask::get(&path).header("accept", "text/event-stream");
        stranger.ask(stream).await.problem(404, "not_found");
    }
    assert_eq!(events(&hidden.north, &hidden.to("events")).await.len(), 3);
    server
        .api
        .get("/v1/events")
        .await
        .problem(401, "unauthorized");
    let nowhere = "/v1/games/0199aaaa-0000-7000-8000-000000000000/events";
    server.api.get(nowhere).await.problem(404, "not_found");
    let reads_not = json!({ "scopes": ["play"] });
    let token = ana.post("/v1/me/tokens", &reads_not).await.expect(201);
    let player = server.api.with(token["secret"].as_str().unwrap());
    player.get("/v1/events").await.problem(403, "missing_scope");
}

/// Who is invited by name reads of the game's making, who joins an open one does
/// not, whenever the sequencer comes to it.
#[tokio::test]
async fn from_when_a_player_reads() {
    let server = Server::start().await;
    let ana = player(&server.api, "ana").await;
    let bo = player(&server.api, "bo").await;
    for opponent in [json!({ "open": true }), json!({ "player": "bo" })] {
        for early in [true, false] {
            let body = json!({ "ruleset": "congkak", "opponent": opponent });
            let created = ana.post("/v1/games", &body).await.expect(201);
            let id = created["game"]["id"].as_str().unwrap();
            let cursor = bo.get("/v1/events").await.expect(200)["next_cursor"].clone();
            if early {
                server.db.place_events().await;
            }
            bo.call(&format!("/v1/games/{id}/join")).await.expect(200);
            server.db.place_events().await;
            let path = format!("/v1/events?after={}", cursor.as_str().unwrap());
            let page = bo.get(&path).await.expect(200);
            let told = types(page["items"].as_array().unwrap());
            let first = match opponent["open"] == true {
                true => "game.started",
                false => "game.created",
            };
            assert_eq!(told[0], first, "{opponent} {early}");
            let public = format!("/v1/games/{id}/events");
            assert_eq!(types(&events(&bo, &public).await)[0], "game.created");
        }
    }
}

#[tokio::test]
async fn cursors() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    server.db.place_events().await;
    let south = &game.south;
    // From now on.
    let page = south.get("/v1/events").await.expect(200);
    assert_eq!(page["items"], json!([]));
    let now = page["next_cursor"].as_str().unwrap().to_owned();
    for _ in 0..4 {
        step(&game).await;
    }
    // Without a position an event is not there yet.
    let page = south
        .get(&format!("/v1/events?after={now}"))
        .await
        .expect(200);
    assert_eq!(
        (&page["items"], &page["next_cursor"]),
        (&json!([]), &json!(now))
    );
    server.db.place_events().await;
    let all = events(south, "/v1/events").await;
    let page = south
        .get(&format!("/v1/events?after={now}"))
        .await
        .expect(200);
    assert_eq!(json!(all[3..]), page["items"]);
    // Page by page, the cursor of a page and the id of its last event are the same.
    let (mut cursor, mut seen) = ("0".to_owned(), Vec::new());
    loop {
        let page = south
            .get(&format!("/v1/events?after={cursor}&limit=2"))
            .await
            .expect(200);
        let items = page["items"].as_array().unwrap();
        let Some(last) = items.last() else { break };
        assert!(items.len() <= 2);
        seen.extend(items.clone());
        assert_eq!(page["next_cursor"], last["id"]);
        cursor = last["id"].as_str().unwrap().to_owned();
    }
    assert_eq!(seen, all);
    // What no cursor of this log can be.
    for (query, parameter) in [
        ("after=1", "after"),
        ("after=-1", "after"),
        ("after=x.y", "after"),
        ("after=", "after"),
        ("after=1.-5", "after"),
        ("after=0.5", "after"),
        ("wait=61", "wait"),
        ("wait=-1", "wait"),
        ("wait=soon", "wait"),
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("since=0", "since"),
    ] {
        let problem = south.get(&format!("/v1/events?{query}")).await.expect(400);
        assert_eq!(problem["parameter"], parameter, "{query}");
    }
    let ask = Ask::get("/v1/events").header("last-event-id", "yesterday");
    let problem = south.ask(ask).await.expect(400);
    assert_eq!(problem["parameter"], "Last-Event-ID");
    for beyond in ["2.1", "1.1000", "99.0"] {
        let path = format!("/v1/events?after={beyond}");
        south.get(&path).await.problem(409, "cursor_reset");
    }
    let ask = Ask::get("/v1/events").header("accept", "text/html");
    south.ask(ask).await.expect(406);
}
