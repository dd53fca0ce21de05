//! What the event log tells of which change, with which facts, and for which seat.

use serde_json::{Value, json};

use crate::support::follow::{count, events, player, types};
use crate::support::{Ask, Clock, Game, Server};

/// How many events were written, with a position or without.
async fn written(server: &Server) -> i64 {
    server.db.number("select count(*) from events").await
}

/// A game from invitation to end, as both players are told of it.
#[tokio::test]
async fn a_game_between_two_players() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let body = json!({ "ruleset": "congkak", "seat": "south", "opponent": { "player": "bo" },
                       "clock": { "per_move": 3600, "reserve": 60 }, "visibility": "private" });
    let created = ana.post("/v1/games", &body).await.expect(201);
    let id = created["game"]["id"].as_str().unwrap();
    let path = format!("/v1/games/{id}");
    // Whoever is invited hears of it before they join.
    server.db.place_events().await;
    let told = events(&bo, "/v1/events").await;
    assert_eq!(types(&told), ["game.created"]);
    assert_eq!(told[0]["for"], json!([{ "seat": "north" }]));
    assert_eq!(told[0]["data"]["facts"], json!({ "invitation": "player" }));

    bo.call(&format!("{path}/join")).await.expect(200);
    let moves = format!("{path}/moves");
    let deadline = clock.hence(3660);
    let first = ana
        .post(&moves, &json!({ "after_ply": 0, "house": 7 }))
        .await
        .expect(201);
    clock.pass(2700).await;
    assert_eq!(
        mancala_post::play::settle::sweep(&server.db.pool())
            .await
            .unwrap(),
        1
    );
    assert_eq!(
        mancala_post::play::settle::sweep(&server.db.pool())
            .await
            .unwrap(),
        0
    );
    ana.call(&format!("{path}/resign")).await.expect(200);
    server.db.place_events().await;

    let told = events(&ana, "/v1/events").await;
    let expected = [
        "game.created",
        "game.started",
        "turn.started",
        "move.played",
        "deadline.near",
        "game.finished",
    ];
    assert_eq!(types(&told), expected);
    assert_eq!(types(&events(&bo, "/v1/events").await), expected);
    assert_eq!(events(&ana, &format!("{path}/events")).await, told);
    let plies: Vec<_> = told
        .iter()
        .map(|event| event["ply"].as_u64().unwrap())
        .collect();
    assert_eq!(plies, [0, 0, 0, 1, 1, 2]);
    for event in &told {
        assert_eq!(event["game_id"], *id);
        let data = &event["data"];
        assert_eq!(data["url"], format!("{}{path}", server.url));
        for word in ["title", "summary"] {
            assert_ne!(data[word], "");
        }
        if event["type"] != "game.created" {
            assert_eq!(data["seats"]["south"]["player"], "ana");
            assert_eq!(data["seats"]["north"]["player"], "bo");
        }
    }
    let data = |number: usize| told[number]["data"].clone();
    assert_eq!(data(0)["deadline"], Value::Null);
    assert_eq!(data(1)["summary"], "ana (south) plays bo (north).");
    assert_eq!(data(1)["deadline"], deadline);
    assert_eq!(
        data(2)["facts"],
        json!({ "seat": "south", "deadline": deadline })
    );
    assert_eq!(data(2)["deadline"], deadline);
    let row = &first["row"];
    assert_eq!(row["extra_turn"], true, "an extra turn is no new turn");
    let mut facts = json!({ "seat": "south", "deadline": deadline });
    for fact in [
        "house",
        "lap_count",
        "captured",
        "extra_turn",
        "passed",
        "source",
    ] {
        facts[fact] = row[fact].clone();
    }
    assert_eq!(data(3)["facts"], facts);
    assert_eq!(data(3)["deadline"], deadline, "which it keeps");
    assert_eq!(data(4)["facts"]["seat"], "south");
    assert_eq!(data(4)["deadline"], deadline);
    assert_eq!(data(4)["summary"], "ana has a quarter of the time left.");
    let score = &ana.get(&path).await.expect(200)["result"]["score"];
    let facts =
        json!({ "winner": "north", "reason": "resignation", "seat": "south", "score": score });
    assert_eq!(data(5)["facts"], facts);
    assert_eq!(data(5)["deadline"], Value::Null);

    // For whom: of a turn its own seat, of a move both, each reader told of theirs.
    let of = |events: &[Value]| -> Vec<Value> { events.iter().map(|e| e["for"].clone()).collect() };
    let (south, north) = (json!([{ "seat": "south" }]), json!([{ "seat": "north" }]));
    let [s, n, none] = [&south, &north, &json!([])].map(Clone::clone);
    assert_eq!(of(&told), [&s, &s, &s, &s, &s, &s].map(Clone::clone));
    let bos = of(&events(&bo, "/v1/events").await);
    assert_eq!(bos, [&n, &n, &none, &n, &none, &n].map(Clone::clone));
}

/// A turn is told once, an opening choice each time it is owed; a secret commit and
/// a refused request are not told.
#[tokio::test]
async fn an_opening_is_told_without_its_secrets() {
    let server = Server::start().await;
    let body =
        json!({ "ruleset": "congkak-traditional", "rules": { "houses": 5, "max_rounds": 1 } });
    let game = Game::create(&server.api, &body).await;
    assert_eq!(written(&server).await, 4);
    game.send("south", 0, 3).await.expect(202);
    game.send("south", 0, 3).await.expect(202);
    game.send("south", 0, 4)
        .await
        .problem(409, "already_committed");
    game.send("north", 0, 9).await.problem(422, "illegal_move");
    game.send("north", 1, 3).await.problem(409, "stale_ply");
    let offer = json!({ "kind": "split" });
    let answer = game.north.post(&game.to("offers"), &offer).await;
    assert!(answer.status >= 400);
    assert_eq!(written(&server).await, 4, "neither a commit nor a refusal");
    game.send("north", 0, 3).await.expect(201);
    game.send("north", 0, 3).await.expect(200);
    assert_eq!(written(&server).await, 8, "two moves, two choices owed");
    server.db.place_events().await;
    let told = events(&server.api, &game.to("events")).await;
    let expected = [
        "game.created",
        "game.started",
        "turn.started",
        "turn.started",
        "move.played",
        "move.played",
        "turn.started",
        "turn.started",
    ];
    assert_eq!(types(&told), expected);
    let seats: Vec<_> = told
        .iter()
        .map(|event| event["data"]["facts"]["seat"].clone())
        .collect();
    assert_eq!(
        json!(seats[2..]),
        json!(["south", "north", "south", "north", "south", "north"])
    );
    let houses = [&told[4], &told[5]].map(|event| event["data"]["facts"]["house"].clone());
    assert_eq!(houses, [json!(3), json!(3)]);
    let plies = [&told[4], &told[5], &told[6]].map(|event| event["ply"].clone());
    assert_eq!(plies, [json!(1), json!(2), json!(2)]);
}

#[tokio::test]
async fn offers_aborts_and_a_creation_sent_twice() {
    let server = Server::start().await;
    let start = "0,0,0,0,0,1,0/0,0,0,0,0,0,1 48-48 S r1:S";
    let game = Game::from(&server.api, "al-manqala", json!({}), start).await;
    let offer = json!({ "kind": "split" });
    for status in [201, 200] {
        game.south
            .post(&game.to("offers"), &offer)
            .await
            .expect(status);
    }
    game.north
        .call(&game.to("offers/1/decline"))
        .await
        .expect(200);
    game.north
        .post(&game.to("offers"), &offer)
        .await
        .expect(201);
    let accept = json!({ "after_ply": 0 });
    game.south
        .post(&game.to("offers/2/accept"), &accept)
        .await
        .expect(200);
    server.db.place_events().await;
    let told = events(&game.north, "/v1/events").await;
    let kinds = [
        "game.created",
        "game.started",
        "turn.started",
        "offer.made",
        "offer.answered",
        "offer.made",
        "offer.answered",
        "game.finished",
    ];
    assert_eq!(types(&told), kinds);
    let fact = |number: usize, name: &str| told[number]["data"]["facts"][name].clone();
    assert_eq!(told[3]["for"], json!([{ "seat": "north" }]));
    assert_eq!(
        json!([
            fact(3, "seat"),
            fact(3, "offer"),
            fact(3, "kind"),
            fact(3, "status")
        ]),
        json!(["south", 1, "split", "open"])
    );
    assert_eq!(
        told[4]["for"],
        json!([]),
        "it is south who waits for the answer"
    );
    assert_eq!(fact(4, "status"), "declined");
    assert_eq!(told[6]["for"], json!([{ "seat": "north" }]));
    assert_eq!(
        (fact(6, "offer"), fact(6, "status")),
        (json!(2), json!("accepted"))
    );
    assert_eq!(fact(7, "reason"), "loop");

    let before = written(&server).await;
    let ask = Ask::post("/v1/games")
        .header("idempotency-key", "a-key-of-more-than-22-characters")
        .json(&json!({ "ruleset": "congkak" }));
    let created = server.api.ask(ask).await.expect(201);
    let ask = Ask::post("/v1/games")
        .header("idempotency-key", "a-key-of-more-than-22-characters")
        .json(&json!({ "ruleset": "congkak" }));
    assert!(server.api.ask(ask).await.replayed());
    assert_eq!(written(&server).await, before + 3, "it was made once");
    let path = format!("/v1/games/{}", created["game"]["id"].as_str().unwrap());
    let south = server
        .api
        .with(created["seat_tokens"]["south"].as_str().unwrap());
    for _ in 0..2 {
        south.call(&format!("{path}/abort")).await.expect(200);
    }
    server.db.place_events().await;
    let told = events(&south, "/v1/events").await;
    assert_eq!(types(&told).last(), Some(&"game.aborted"));
    assert_eq!(count(&told, "game.aborted"), 1);
}
