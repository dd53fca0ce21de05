//! Rematches: the next game of the same two, with seats swapped.

use serde_json::{Value, json};

use crate::support::follow::{events, types};
use crate::support::holidays::runs;
use crate::support::offers::{accept, decline, finish, next_of, plain, rematch, stored};
use crate::support::people::{between, ids};
use crate::support::{Api, Ask, Clock, Game, Made, Person, Server};

#[tokio::test]
async fn another_game_with_seats_swapped() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let (ana, bo) = (
        Person::new(&server.api, "ana").await,
        Person::new(&server.api, "bo").await,
    );
    let start = "7,7,7,7,7,7,7/7,7,7,7,7,7,0 0-7 S r1:S";
    let more = json!({ "rules": { "max_rounds": 3 }, "start": start, "label": "club night",
                       "external_ref": "ref-of-ana", "clock": { "per_move": 600, "reserve": 90 } });
    let game = between(&ana, &bo, "congkak", more).await;
    // Not while it is played.
    for api in [&game.south, &game.north] {
        plain(api, &game, "rematch")
            .await
            .problem(409, "offer_impossible");
    }
    game.play(&["s1"]).await.expect(201);
    let ply = finish(&game).await;
    assert_eq!(ply, 2);
    let old = ana.api.get(&game.path).await.expect(200);
    assert_eq!(
        (&old["next_game"], &old["previous_game"]),
        (&Value::Null, &Value::Null)
    );

    let made = plain(&bo.api, &game, "rematch").await.expect(201);
    assert_eq!(made.get("seat_token"), None, "a player has one");
    assert_eq!(
        made["offer"],
        json!({ "id": 1, "kind": "rematch", "seat": "north", "ply": 2, "to_ply": null,
                "until": null, "status": "open", "made_at": clock.now(), "answered_at": null })
    );
    assert_eq!(made["game"]["offers"], json!([made["offer"]]));
    let own = accept(&bo.api, &game, &made, 2).await;
    own.problem(409, "own_offer");
    plain(&ana.api, &game, "rematch")
        .await
        .problem(409, "offer_open");
    accept(&ana.api, &game, &made, 1)
        .await
        .problem(409, "stale_ply");
    let answer = accept(&ana.api, &game, &made, 2).await.expect(200);
    assert_eq!(answer.get("seat_token"), None);
    assert_eq!(answer["offer"]["status"], "accepted");
    assert_eq!(answer["game"]["offers"], json!([]));
    assert_eq!(answer["game"]["result"], old["result"]);
    assert_eq!(answer["game"]["ply"], 2);

    let next = ana.api.get(&next_of(&answer)).await.expect(200);
    for same in ["ruleset", "revision", "rules", "visibility", "label"] {
        assert_eq!(next[same], old[same], "{same}");
    }
    assert_eq!(next["label"], "club night");
    assert_eq!(next["position"], start);
    assert_eq!(next["previous_game"], game.id);
    assert_eq!(next["next_game"], Value::Null);
    assert_eq!(
        (&next["status"], &next["ply"]),
        (&json!("playing"), &json!(0))
    );
    assert_eq!(
        (&next["created_at"], &next["started_at"]),
        (&json!(clock.now()), &json!(clock.now()))
    );
    assert_eq!(next["seats"]["south"]["player"], "bo");
    assert_eq!(next["seats"]["north"]["player"], "ana");
    for api in [&ana.api, &bo.api] {
        let next = api.get(&next_of(&answer)).await.expect(200);
        assert_eq!(next.get("external_ref"), None, "that is of one game");
    }
    assert_eq!(
        (&next["clock"]["per_move"], &next["clock"]["reserve"]),
        (&json!(600), &json!(90))
    );
    assert_eq!(next["clock"]["seats"]["south"], runs(&clock, 600, 90));

    // Told to both, as of any game.
    server.db.place_events().await;
    let path = format!("{}/events", next_of(&answer));
    let told = events(&ana.api, &path).await;
    assert_eq!(
        types(&told),
        ["game.created", "game.started", "turn.started"]
    );
    let told = events(&bo.api, &game.to("events")).await;
    assert_eq!(
        types(&told)[types(&told).len() - 2..],
        ["offer.made", "offer.answered"]
    );
    let facts = &told.last().unwrap()["data"]["facts"];
    assert_eq!(
        json!([facts["kind"], facts["status"], facts["next_game"]]),
        json!(["rematch", "accepted", next["id"]])
    );
    assert_eq!(told.last().unwrap()["for"], json!([{ "seat": "north" }]));

    // Bo is south now.
    let body = json!({ "after_ply": 0, "house": 1 });
    let moves = format!("{}/moves", next_of(&answer));
    ana.api
        .post(&moves, &body)
        .await
        .problem(409, "not_your_turn");
    bo.api.post(&moves, &body).await.expect(201);
    // Accepted again it is the same one; and there is one rematch.
    let again = accept(&ana.api, &game, &made, 2).await;
    assert!(again.replayed());
    assert_eq!(next_of(&again.expect(200)), next_of(&answer));
    for api in [&ana.api, &bo.api] {
        let problem = plain(api, &game, "rematch").await;
        let problem = problem.problem(409, "offer_impossible");
        assert!(problem["detail"].as_str().unwrap().contains("made before"));
    }
    let games = "select count(*) from games";
    assert_eq!(server.db.number(games).await, 2);
    let verify = format!("{}/verify", next_of(&answer));
    assert_eq!(ana.api.get(&verify).await.expect(200)["ok"], true);
    game.verified().await;
}

/// A series: every game has its own rematch, and seats are swapped each time.
#[tokio::test]
async fn again_and_again() {
    let server = Server::start().await;
    let (ana, bo) = (
        Person::new(&server.api, "ana").await,
        Person::new(&server.api, "bo").await,
    );
    let mut game = between(&ana, &bo, "al-manqala", json!({})).await;
    let mut all = vec![game.id.clone()];
    for round in 1..4 {
        finish(&game).await;
        let (from, to) = match round % 2 {
            0 => (&game.south, &game.north),
            _ => (&game.north, &game.south),
        };
        let (_, accepted) = rematch(&game, from, to).await;
        let id = accepted["game"]["next_game"].as_str().unwrap().to_owned();
        all.push(id.clone());
        let next = Game {
            path: format!("/v1/games/{id}"),
            id,
            south: game.north.clone(),
            north: game.south.clone(),
            anyone: server.api.clone(),
            created: Value::Null,
        };
        let state = next.state().await;
        assert_eq!(state["previous_game"], game.id);
        let south = if round % 2 == 0 { "ana" } else { "bo" };
        assert_eq!(state["seats"]["south"]["player"], south);
        game = next;
    }
    all.reverse();
    for person in [&ana, &bo] {
        let path = format!("/v1/players/{}/games", person.name);
        let page = person.api.get(&path).await.expect(200);
        assert_eq!(ids(&page), all);
        let running = person.api.get("/v1/me/games?status=playing").await;
        assert_eq!(ids(&running.expect(200)), all[..1]);
    }
    let (south, north) = (bo.counts().await, ana.counts().await);
    for counts in [&south, &north] {
        assert_eq!(
            (&counts["running"], &counts["over"]),
            (&json!(1), &json!(3))
        );
    }
    assert_eq!(
        (&south["my_turn"], &north["my_turn"]),
        (&json!(1), &json!(0))
    );
    let page = server.api.get("/v1/games").await.expect(200);
    assert_eq!(ids(&page), all);
}

/// A rematch that is offered waits for the player, though the game is over.
#[tokio::test]
async fn it_waits_for_an_answer() {
    let server = Server::start().await;
    let (ana, bo) = (
        Person::new(&server.api, "ana").await,
        Person::new(&server.api, "bo").await,
    );
    let game = between(&ana, &bo, "al-manqala", json!({})).await;
    finish(&game).await;
    let waiting = async |person: &Person| {
        let page = person.api.get("/v1/me/games?turn=mine").await;
        ids(&page.expect(200))
    };
    let nothing: Vec<String> = Vec::new();
    assert_eq!(waiting(&ana).await, nothing);
    let made = plain(&bo.api, &game, "rematch").await.expect(201);
    assert_eq!(waiting(&ana).await, std::slice::from_ref(&game.id));
    assert_eq!(waiting(&bo).await, nothing);
    decline(&ana.api, &game, &made).await.expect(200);
    assert_eq!(waiting(&ana).await, nothing);
    let (_, accepted) = rematch(&game, &bo.api, &ana.api).await;
    assert_eq!(waiting(&ana).await, nothing);
    let next = accepted["game"]["next_game"].as_str().unwrap().to_owned();
    assert_eq!(waiting(&bo).await, [next]);
}

/// Only of a game that was finished, by two who are still there.
#[tokio::test]
async fn where_there_is_none() {
    let server = Server::start().await;
    let (ana, bo) = (
        Person::new(&server.api, "ana").await,
        Person::new(&server.api, "bo").await,
    );
    let refused = async |api: &Api, game: &Game| {
        let before = server.db.rows(&game.id).await;
        let problem = plain(api, game, "rematch").await;
        let detail = problem.problem(409, "offer_impossible")["detail"].clone();
        assert_eq!(server.db.rows(&game.id).await, before);
        detail.as_str().unwrap().to_owned()
    };
    let aborted = between(&ana, &bo, "congkak", json!({})).await;
    let why = refused(&ana.api, &aborted).await;
    assert!(why.contains("when the game is over"), "{why}");
    aborted.south.call(&aborted.to("abort")).await.expect(200);
    let why = refused(&ana.api, &aborted).await;
    assert!(why.contains("an aborted game"), "{why}");
    let fields = json!({ "opponent": { "open": true }, "seat": "south" });
    let open = Made::by(&ana.api, "congkak", fields).await;
    let problem = ana
        .api
        .post(&open.to("offers"), &json!({ "kind": "rematch" }))
        .await;
    problem.problem(409, "offer_impossible");
    let cik = Person::new(&server.api, "cik").await;
    let stranger = between(&ana, &bo, "congkak", json!({ "visibility": "private" })).await;
    finish(&stranger).await;
    plain(&cik.api, &stranger, "rematch")
        .await
        .problem(404, "not_found");

    // Bo leaves: with an offer that stands, and before one.
    let (offered, plainly) = (
        between(&ana, &bo, "congkak", json!({})).await,
        between(&ana, &bo, "congkak", json!({})).await,
    );
    finish(&offered).await;
    finish(&plainly).await;
    let made = plain(&bo.api, &offered, "rematch").await.expect(201);
    let left = bo.api.ask(Ask::new("DELETE", "/v1/me")).await;
    left.is(204);
    let why = refused(&ana.api, &plainly).await;
    assert!(why.contains("has left"), "{why}");
    // Nobody waits for an answer that can only be no.
    assert_eq!(
        stored(&server.db, &offered).await,
        ["rematch by north: void"]
    );
    let state = ana.api.get(&offered.path).await.expect(200);
    assert_eq!(state["offers"], json!([]));
    let waiting = ana.api.get("/v1/me/games?turn=mine").await.expect(200);
    assert_eq!(waiting["items"], json!([]));
    accept(&ana.api, &offered, &made, 1)
        .await
        .problem(409, "offer_closed");
    // Four above and the open one; no rematch among them.
    assert_eq!(server.db.number("select count(*) from games").await, 5);
    assert_eq!(ana.counts().await["over"], 4);
}
