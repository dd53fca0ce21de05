//! Rematches of whoever has no account: the tokens of the next game, shown once each,
//! and good for nothing before there is one.

use serde_json::{Value, json};

use crate::support::offers::{accept, decline, finish, next_of, plain, rematch, stored};
use crate::support::{Api, Ask, Game, Made, Person, Server};

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
