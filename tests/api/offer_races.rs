//! Answers to an offer against everything else that can happen to it: exactly one
//! wins, the others are told what they found, and the game is whole.

use std::collections::BTreeMap;

use mancala_post::play::settle;
use serde_json::{Value, json};

use crate::support::offers::{offer, plain, stored};
use crate::support::people::{at_once, between};
use crate::support::{Answer, Api, Ask, Clock, Game, Person, Server};

const ROUNDS: usize = 8;

fn choice(game: &Game, seat: &str, after_ply: u64, house: u64) -> (Api, Ask) {
    let body = json!({ "after_ply": after_ply, "house": house });
    let ask = Ask::post(&game.to("moves")).json(&body);
    (game.seat(seat).clone(), ask)
}

fn accept(game: &Game, seat: &str, after_ply: u64) -> (Api, Ask) {
    let body = json!({ "after_ply": after_ply });
    let ask = Ask::post(&game.to("offers/1/accept")).json(&body);
    (game.seat(seat).clone(), ask)
}

fn call(game: &Game, seat: &str, rest: &str) -> (Api, Ask) {
    (game.seat(seat).clone(), Ask::post(&game.to(rest)))
}

fn proposal(game: &Game, seat: &str, body: &Value) -> (Api, Ask) {
    let ask = Ask::post(&game.to("offers")).json(body);
    (game.seat(seat).clone(), ask)
}

/// Ten of each at once, mixed.
async fn race(asks: impl Fn(usize) -> Vec<(Api, Ask)>) -> Vec<Answer> {
    at_once((0..10).flat_map(asks)).await
}

/// How often each status with its code (or mark of a replay) came.
fn counted(answers: &[Answer]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for answer in answers {
        let word = match answer.json["code"].as_str() {
            Some(code) => code,
            None if answer.replayed() => "replayed",
            None => "",
        };
        let key = format!("{} {word}", answer.status);
        *counts.entry(key.trim_end().to_owned()).or_default() += 1;
    }
    counts
}

fn counts<const N: usize>(expected: [(&str, usize); N]) -> BTreeMap<String, usize> {
    let expected = expected.into_iter();
    expected
        .map(|(key, count)| (key.to_owned(), count))
        .collect()
}

/// A log without a gap, a game that is what its log makes of it, and nothing left to
/// answer when it is over. The state and the log.
async fn whole(server: &Server, game: &Game) -> (Value, Vec<Value>) {
    let page = game.anyone.get(&game.to("moves?rows=all")).await;
    let log = page.expect(200)["items"].as_array().unwrap().clone();
    for (number, row) in (1..).zip(&log) {
        assert_eq!(row["ply"], number);
    }
    game.verified().await;
    let state = game.state().await;
    assert_eq!(state["ply"], log.len());
    if state["status"] == "finished" {
        assert_eq!(state["offers"], json!([]));
        let open = stored(&server.db, game).await;
        assert!(
            !open.iter().any(|offer| offer.ends_with("open")),
            "{open:?}"
        );
        let rows = server.db.rows(&game.id).await;
        assert_eq!(rows["commits"], json!([]));
        assert_eq!(rows["conditionals"], json!([]));
    }
    (state, log)
}

/// A draw that south has offered, with north to move.
async fn drawn(server: &Server) -> Game {
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1"]).await.expect(201);
    plain(&game.south, &game, "draw").await.expect(201);
    game
}

#[tokio::test]
async fn a_draw_against_a_move() {
    let server = Server::start().await;
    for _ in 0..ROUNDS {
        let game = drawn(&server).await;
        let asks = |_| vec![choice(&game, "north", 1, 1), accept(&game, "north", 1)];
        let answers = race(asks).await;
        let (state, log) = whole(&server, &game).await;
        assert_eq!(log.len(), 2);
        let expected = match log[1]["kind"].as_str() {
            Some("end") => {
                assert_eq!(state["result"]["reason"], "agreement");
                counts([("200", 1), ("200 replayed", 9), ("409 game_over", 10)])
            }
            _ => {
                let offers = stored(&server.db, &game).await;
                assert_eq!(offers, ["draw by south: declined"]);
                counts([("201", 1), ("200 replayed", 9), ("409 offer_closed", 10)])
            }
        };
        assert_eq!(counted(&answers), expected);
    }
}

/// The offering seat plays on while the other one accepts.
#[tokio::test]
async fn a_draw_against_a_move_of_its_own_seat() {
    let server = Server::start().await;
    for _ in 0..ROUNDS {
        let game = Game::of(&server.api, "al-manqala").await;
        plain(&game.south, &game, "draw").await.expect(201);
        let asks = |_| vec![choice(&game, "south", 0, 1), accept(&game, "north", 0)];
        let answers = race(asks).await;
        let (state, log) = whole(&server, &game).await;
        let expected = match log[0]["kind"].as_str() {
            Some("end") => counts([("200", 1), ("200 replayed", 9), ("409 game_over", 10)]),
            _ => {
                // It stands; who accepts must see the ply first.
                assert_eq!(state["offers"].as_array().unwrap().len(), 1);
                counts([("201", 1), ("200 replayed", 9), ("409 stale_ply", 10)])
            }
        };
        assert_eq!(log.len(), 1);
        assert_eq!(counted(&answers), expected);
    }
}

#[tokio::test]
async fn accepted_by_many() {
    let server = Server::start().await;
    let game = drawn(&server).await;
    let answers = race(|_| [(); 3].map(|()| accept(&game, "north", 1)).into()).await;
    assert_eq!(
        counted(&answers),
        counts([("200", 1), ("200 replayed", 29)])
    );
    assert_eq!(whole(&server, &game).await.1.len(), 2);

    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1"]).await.expect(201);
    let back = json!({ "kind": "takeback", "to_ply": 0 });
    offer(&game.south, &game, back).await.expect(201);
    let answers = race(|_| [(); 3].map(|()| accept(&game, "north", 1)).into()).await;
    assert_eq!(
        counted(&answers),
        counts([("200", 1), ("200 replayed", 29)])
    );
    assert_eq!(whole(&server, &game).await.1.len(), 2);
}

#[tokio::test]
async fn accepted_and_declined() {
    let server = Server::start().await;
    for _ in 0..ROUNDS {
        let game = drawn(&server).await;
        let asks = |_| {
            vec![
                accept(&game, "north", 1),
                call(&game, "north", "offers/1/decline"),
            ]
        };
        let answers = race(asks).await;
        let (state, log) = whole(&server, &game).await;
        let other = match state["status"].as_str() {
            Some("finished") => {
                assert_eq!(log.len(), 2);
                "409 game_over"
            }
            _ => {
                assert_eq!((log.len(), &state["offers"]), (1, &json!([])));
                "409 offer_closed"
            }
        };
        let expected = counts([("200", 1), ("200 replayed", 9), (other, 10)]);
        assert_eq!(counted(&answers), expected);
    }
}

#[tokio::test]
async fn a_takeback_against_a_move() {
    let server = Server::start().await;
    for _ in 0..ROUNDS {
        let game = Game::of(&server.api, "al-manqala").await;
        game.play(&["s1"]).await.expect(201);
        let back = json!({ "kind": "takeback", "to_ply": 0 });
        offer(&game.south, &game, back).await.expect(201);
        let asks = |_| vec![choice(&game, "north", 1, 1), accept(&game, "north", 1)];
        let answers = race(asks).await;
        let (state, log) = whole(&server, &game).await;
        assert_eq!(log.len(), 2);
        assert_eq!(
            (&state["status"], &state["offers"]),
            (&json!("playing"), &json!([]))
        );
        let expected = match log[1]["kind"].as_str() {
            Some("takeback") => {
                assert_eq!(state["to_move"], json!(["south"]));
                counts([("200", 1), ("200 replayed", 9), ("409 stale_ply", 10)])
            }
            _ => counts([("201", 1), ("200 replayed", 9), ("409 offer_closed", 10)]),
        };
        assert_eq!(counted(&answers), expected);
    }
}

#[tokio::test]
async fn against_a_resignation() {
    let server = Server::start().await;
    for round in 0..ROUNDS {
        let game = drawn(&server).await;
        let resigns = ["south", "north"][round % 2];
        let asks = |_| vec![accept(&game, "north", 1), call(&game, resigns, "resign")];
        let answers = race(asks).await;
        let (state, log) = whole(&server, &game).await;
        assert_eq!(log.len(), 2);
        let expected = match state["result"]["reason"].as_str() {
            Some("agreement") => counts([("200", 1), ("200 replayed", 9), ("409 game_over", 10)]),
            // A resignation sent again is the same 200.
            _ => counts([("200", 10), ("409 game_over", 10)]),
        };
        assert_eq!(counted(&answers), expected);
    }
}

/// The time runs out as the other seat accepts.
#[tokio::test]
async fn against_the_clock() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let pool = server.db.pool();
    for _ in 0..ROUNDS {
        let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 60 } });
        let game = Game::create(&server.api, &body).await;
        game.play(&["s1", "n1"]).await.expect(201);
        plain(&game.north, &game, "draw").await.expect(201);
        clock.pass(60).await;
        let asks = (0..10).map(|_| accept(&game, "south", 2));
        let (answers, (), swept) = tokio::join!(at_once(asks), clock.pass(1), settle::sweep(&pool));
        swept.unwrap();
        let (state, log) = whole(&server, &game).await;
        assert_eq!(log.len(), 3);
        let expected = match state["result"]["reason"].as_str() {
            Some("agreement") => counts([("200", 1), ("200 replayed", 9)]),
            _ => counts([("409 game_over", 10)]),
        };
        assert_eq!(counted(&answers), expected);
    }
}

/// Of two that are not alike one is open, whoever makes them.
#[tokio::test]
async fn two_offers_of_a_kind() {
    let server = Server::start().await;
    for round in 0..ROUNDS {
        let game = Game::of(&server.api, "al-manqala").await;
        game.play(&["s1", "n1", "s2"]).await.expect(201);
        let seats = [["south", "north"], ["south", "south"]][round % 2];
        let to = |ply: u64| json!({ "kind": "takeback", "to_ply": ply, "after_ply": 3 });
        let asks = |_| {
            vec![
                proposal(&game, seats[0], &to(1)),
                proposal(&game, seats[1], &to(2)),
            ]
        };
        let answers = race(asks).await;
        let expected = counts([("201", 1), ("200 replayed", 9), ("409 offer_open", 10)]);
        assert_eq!(counted(&answers), expected);
        let (state, _) = whole(&server, &game).await;
        assert_eq!(state["offers"].as_array().unwrap().len(), 1);
        assert_eq!(state["offers"][0]["id"], 1);
    }
}

/// A choice with an offer, over and over, while the other seat offers the same.
#[tokio::test]
async fn a_choice_with_an_offer() {
    let server = Server::start().await;
    for _ in 0..ROUNDS {
        let game = Game::of(&server.api, "al-manqala").await;
        let body = json!({ "after_ply": 0, "house": 1, "offer": "draw" });
        let asks = |_| {
            let with = Ask::post(&game.to("moves")).json(&body);
            let draw = json!({ "kind": "draw" });
            vec![(game.south.clone(), with), proposal(&game, "north", &draw)]
        };
        let answers = race(asks).await;
        let (state, log) = whole(&server, &game).await;
        let offers = state["offers"].as_array().unwrap();
        assert_eq!(offers.len(), 1, "{state}");
        let counted = counted(&answers);
        if offers[0]["seat"] == "south" {
            assert_eq!((log.len(), &offers[0]["ply"]), (1, &json!(1)));
            let expected = [("201", 1), ("200 replayed", 9), ("409 offer_open", 10)];
            assert_eq!(counted, counts(expected));
        } else {
            // Nothing was played while north's stood.
            assert_eq!(log.len(), 0);
            assert_eq!(counted["201"], 1, "{counted:?}");
            assert_eq!(counted["409 offer_open"], 10, "{counted:?}");
        }
    }
}

/// Both offer, then both accept: one next game, and every token of it works.
#[tokio::test]
async fn rematches() {
    let server = Server::start().await;
    for _ in 0..ROUNDS {
        let game = Game::of(&server.api, "al-manqala").await;
        game.north.call(&game.to("resign")).await.expect(200);
        let body = json!({ "kind": "rematch" });
        let asks = |_| {
            vec![
                proposal(&game, "south", &body),
                proposal(&game, "north", &body),
            ]
        };
        let answers = race(asks).await;
        let expected = counts([("201", 1), ("200 replayed", 9), ("409 offer_open", 10)]);
        assert_eq!(counted(&answers), expected);
        let asks = |_| vec![accept(&game, "south", 1), accept(&game, "north", 1)];
        let accepted = race(asks).await;
        let expected = counts([("200", 1), ("200 replayed", 9), ("409 own_offer", 10)]);
        assert_eq!(counted(&accepted), expected);
        let (state, _) = whole(&server, &game).await;
        let next = format!("/v1/games/{}", state["next_game"].as_str().unwrap());
        // One of the ten tokens of the offer opens the next game, and one of the
        // acceptances brought another.
        let mut opening = 0;
        let shown = answers.iter().chain(&accepted);
        for token in shown.filter_map(|answer| answer.json["seat_token"].as_str()) {
            let api = server.api.with(token);
            opening += usize::from(api.get(&next).await.status == 200);
        }
        assert_eq!(opening, 2);
        let games = "select count(*) from games where previous_game is not null";
        let previous = format!("{games} and previous_game = '{}'", game.id);
        assert_eq!(server.db.number(&previous).await, 1);
        let verdict = server.api.get(&format!("{next}/verify")).await.expect(200);
        assert_eq!(verdict["ok"], true);
    }
}

/// Accepted while the other player leaves: a next game that was resigned or called
/// off at once, or none.
#[tokio::test]
async fn a_rematch_against_leaving() {
    let server = Server::start().await;
    for round in 0..ROUNDS {
        let ana = Person::new(&server.api, &format!("ana{round}")).await;
        let bo = Person::new(&server.api, &format!("bo{round}")).await;
        let game = between(&ana, &bo, "al-manqala", json!({})).await;
        game.north.call(&game.to("resign")).await.expect(200);
        plain(&game.south, &game, "rematch").await.expect(201);
        let mut asks: Vec<_> = (0..5).map(|_| accept(&game, "north", 1)).collect();
        let leave = (ana.api.clone(), Ask::new("DELETE", "/v1/me"));
        asks.insert(round.min(4), leave);
        let answers = at_once(asks).await;
        let counted = counted(&answers);
        assert_eq!(counted["204"], 1, "{counted:?}");
        let game = Game {
            anyone: server.api.clone(),
            south: bo.api.clone(),
            ..game
        };
        let state = bo.api.get(&game.path).await.expect(200);
        match state["next_game"].as_str() {
            Some(next) => {
                assert_eq!(counted["200"], 1, "{counted:?}");
                let next = bo.api.get(&format!("/v1/games/{next}")).await.expect(200);
                assert_eq!(next["status"], "aborted");
                assert_eq!(next["seats"]["north"]["kind"], "deleted");
            }
            None => assert_eq!(counted["409 offer_closed"], 5, "{counted:?}"),
        }
        game.verified().await;
    }
}
