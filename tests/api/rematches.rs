//! Rematches: the next game of the same two, with seats swapped, between players and
//! whoever has no account.

use serde_json::{Value, json};

use crate::support::follow::{events, types};
use crate::support::offers::{accept, decline, plain, stored};
use crate::support::people::{between, ids};
use crate::support::{Api, Ask, Clock, Game, Made, Person, Server};

/// North resigns.
async fn finish(game: &Game) -> u64 {
    let state = game.north.call(&game.to("resign")).await.expect(200);
    assert_eq!(state["status"], "finished");
    state["ply"].as_u64().unwrap()
}

/// `from` offers a rematch, `to` accepts: both answers.
async fn rematch(game: &Game, from: &Api, to: &Api) -> (Value, Value) {
    let ply = game.south.get(&game.path).await.expect(200)["ply"].as_u64();
    let made = plain(from, game, "rematch").await.expect(201);
    let accepted = accept(to, game, &made, ply.unwrap()).await.expect(200);
    (made, accepted)
}

/// The path of the game that an answer links to.
fn next_of(answer: &Value) -> String {
    format!(
        "/v1/games/{}",
        answer["game"]["next_game"].as_str().unwrap()
    )
}

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
    let south =
        json!({ "move_by": clock.hence(600), "deadline": clock.hence(690), "reserve_left": 90 });
    assert_eq!(next["clock"]["seats"]["south"], south);

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

/// Each of the two has an account or none: whoever has none gets a token, and it is
/// good for the seat that was the other's.
#[tokio::test]
async fn with_and_without_accounts() {
    let server = Server::start().await;
    let mut number = 0;
    for (creator_has, joiner_has) in [(true, true), (true, false), (false, true), (false, false)] {
        for creator_offers in [true, false] {
            number += 1;
            let (creator, joiner) = (format!("creator{number}"), format!("joiner{number}"));
            let creator = match creator_has {
                true => Person::new(&server.api, &creator).await.api,
                false => server.api.clone(),
            };
            let joiner = match joiner_has {
                true => Person::new(&server.api, &joiner).await.api,
                false => server.api.clone(),
            };
            let fields = json!({ "opponent": { "open": true }, "seat": "south" });
            let made = Made::by(&creator, "al-manqala", fields).await;
            let joined = made.joined(&joiner).await;
            let seated = |api: &Api, answer: &Value| match answer["seat_token"].as_str() {
                Some(token) => api.with(token),
                None => api.clone(),
            };
            let game = Game {
                south: seated(&creator, &made.created),
                north: seated(&joiner, &joined),
                anyone: server.api.clone(),
                id: made.id,
                path: made.path,
                created: made.created,
            };
            finish(&game).await;
            let (from, to) = match creator_offers {
                true => (&game.south, &game.north),
                false => (&game.north, &game.south),
            };
            let (offered, accepted) = rematch(&game, from, to).await;
            let (from_has, to_has) = match creator_offers {
                true => (creator_has, joiner_has),
                false => (joiner_has, creator_has),
            };
            let at = format!("{creator_has} {joiner_has} {creator_offers}");
            assert_eq!(offered.get("seat_token").is_none(), from_has, "{at}");
            assert_eq!(accepted.get("seat_token").is_none(), to_has, "{at}");
            let next = next_of(&accepted);
            let (from, to) = (seated(from, &offered), seated(to, &accepted));
            // South of before is north now.
            let (south, north) = match creator_offers {
                true => (&to, &from),
                false => (&from, &to),
            };
            let moves = format!("{next}/moves");
            let first = json!({ "after_ply": 0, "house": 1 });
            north
                .post(&moves, &first)
                .await
                .problem(409, "not_your_turn");
            south.post(&moves, &first).await.expect(201);
            let second = json!({ "after_ply": 1, "house": 1 });
            north.post(&moves, &second).await.expect(201);
            // Nor do the old tokens open the next game.
            for (api, has) in [(&game.south, creator_has), (&game.north, joiner_has)] {
                let body = json!({ "after_ply": 2, "house": 2 });
                if !has {
                    api.post(&moves, &body).await.problem(403, "not_seated");
                }
            }
            let verdict = server.api.get(&format!("{next}/verify")).await.expect(200);
            assert_eq!(verdict["ok"], true);
        }
    }
    // And a private one, between a player and a guest with an invitation.
    let ana = Person::new(&server.api, "ana").await;
    let cik = Person::new(&server.api, "cik").await;
    let fields =
        json!({ "opponent": { "invite": true }, "visibility": "private", "seat": "north" });
    let made = Made::by(&ana.api, "congkak-arena", fields).await;
    let joining = made.joining(Some(made.secret("invite_token")));
    let joined = server.api.ask(joining).await.expect(200);
    let guest = server.api.with(joined["seat_token"].as_str().unwrap());
    let game = Game {
        south: guest,
        north: ana.api.clone(),
        anyone: server.api.clone(),
        id: made.id,
        path: made.path,
        created: made.created,
    };
    finish(&game).await;
    let (offered, accepted) = rematch(&game, &game.south, &game.north).await;
    let next = next_of(&accepted);
    for api in [&server.api, &cik.api, &game.south] {
        api.get(&next).await.problem(404, "not_found");
        let events = format!("{next}/events?after=0");
        api.get(&events).await.problem(404, "not_found");
    }
    let guest = server.api.with(offered["seat_token"].as_str().unwrap());
    let state = guest.get(&next).await.expect(200);
    assert_eq!(
        (&state["visibility"], &state["status"]),
        (&json!("private"), &json!("opening"))
    );
    assert_eq!(state["seats"]["south"]["player"], "ana");
    assert_eq!(state["seats"]["north"]["kind"], "anonymous");
}

/// What an offer shows is the token of a game that may never be.
#[tokio::test]
async fn tokens_of_offers() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    finish(&game).await;
    let tokens = server.db.number("select count(*) from tokens").await;
    let opens_nothing = async |token: &str| {
        let api = server.api.with(token);
        for path in [&game.path, "/v1/events?after=0", "/v1/me"] {
            api.get(path).await.problem(401, "unauthorized");
        }
    };
    let token_of = |answer: &Value| answer["seat_token"].as_str().unwrap().to_owned();
    let first = plain(&game.south, &game, "rematch").await.expect(201);
    let again = plain(&game.south, &game, "rematch").await;
    assert!(again.replayed());
    let again = again.expect(200);
    assert_eq!(again["offer"], first["offer"]);
    let (first, second) = (token_of(&first), token_of(&again));
    assert_ne!(first, second);
    for token in [&first, &second] {
        opens_nothing(token).await;
    }
    // Declined, and offered again.
    decline(&game.north, &game, &again).await.expect(200);
    accept(&game.north, &game, &again, 1)
        .await
        .problem(409, "offer_closed");
    let made = plain(&game.south, &game, "rematch").await.expect(201);
    assert_eq!(made["offer"]["id"], 2);
    let third = token_of(&made);
    assert_eq!(
        server.db.number("select count(*) from tokens").await,
        tokens
    );
    let answer = accept(&game.north, &game, &made, 1).await.expect(200);
    assert_eq!(
        server.db.number("select count(*) from tokens").await,
        tokens + 2
    );
    for token in [&first, &second] {
        opens_nothing(token).await;
    }
    let next = next_of(&answer);
    let first_move = json!({ "after_ply": 0, "house": 1 });
    let moves = format!("{next}/moves");
    let (offerer, acceptor) = (token_of(&answer), third);
    let (south, north) = (server.api.with(&offerer), server.api.with(&acceptor));
    north
        .post(&moves, &first_move)
        .await
        .problem(409, "not_your_turn");
    south.post(&moves, &first_move).await.expect(201);
    // Shown once: neither in a repeated acceptance nor in any state or event.
    let again = accept(&game.north, &game, &made, 1).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200).get("seat_token"), None);
    let problem = plain(&game.south, &game, "rematch").await;
    problem.problem(409, "offer_impossible");
    assert_eq!(
        stored(&server.db, &game).await,
        ["rematch by south: declined", "rematch by south: accepted"]
    );
}

/// With a key the very same answer comes again, token and all.
#[tokio::test]
async fn with_an_idempotency_key() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    finish(&game).await;
    let keyed = async |api: &Api, path: &str, body: Value| {
        let ask = Ask::post(&game.to(path)).json(&body);
        api.ask(ask.header("idempotency-key", "a-key")).await
    };
    let body = json!({ "kind": "rematch" });
    let made = keyed(&game.south, "offers", body.clone()).await;
    made.is(201);
    let again = keyed(&game.south, "offers", body.clone()).await;
    assert!(again.replayed());
    assert_eq!((again.status, &again.body), (201, &made.body));
    let at = json!({ "after_ply": 1 });
    let accepted = keyed(&game.north, "offers/1/accept", at.clone()).await;
    accepted.is(200);
    let again = keyed(&game.north, "offers/1/accept", at).await;
    assert!(again.replayed());
    assert_eq!(again.body, accepted.body);
    let again = keyed(&game.south, "offers", body).await;
    assert_eq!(again.body, made.body);
    let next = next_of(&accepted.json);
    for answer in [&made, &accepted] {
        let token = answer.json["seat_token"].as_str().unwrap();
        let api = server.api.with(token);
        api.get(&format!("{next}/events?after=0")).await.is(200);
        api.call(&format!("{next}/resign")).await;
    }
    let state = server.api.get(&next).await.expect(200);
    assert_eq!(
        state["result"]["ended_by"], "north",
        "the offering seat's token"
    );
    assert_eq!(server.db.number("select count(*) from games").await, 2);
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
    assert_eq!(waiting(&ana).await, [game.id.clone()]);
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
    let problem = accept(&ana.api, &offered, &made, 1).await;
    problem.problem(409, "offer_impossible");
    decline(&ana.api, &offered, &made).await.expect(200);
    // Four above and the open one; no rematch among them.
    assert_eq!(server.db.number("select count(*) from games").await, 5);
    assert_eq!(ana.counts().await["over"], 4);
}
