//! Calling a game off: by either seat, until both have made their first choice.

use serde_json::{Value, json};

use crate::support::people::{at_once, between};
use crate::support::{Ask, Game, Made, Person, Server};

/// The game was called off by `seat` and stays so, whoever says it again.
async fn called_off(game: &Game, seat: &str) {
    let other = if seat == "south" { "north" } else { "south" };
    let first = game.seat(seat).call(&game.to("abort")).await.expect(200);
    assert_eq!(first["status"], "aborted");
    assert_eq!(first["result"], Value::Null);
    assert_eq!(first["to_move"], json!([]));
    assert_eq!(first["legal_moves"], json!([]));
    for again in [seat, other] {
        let answer = game.seat(again).call(&game.to("abort")).await;
        assert_eq!(answer.expect(200)["ply"], first["ply"]);
    }
    let log = game.log().await;
    let end = log.last().unwrap();
    assert_eq!(end["kind"], "end");
    assert_eq!(end["reason"], "aborted");
    assert_eq!(end["by"], seat);
    assert_eq!(first["ply"], log.len());
    game.send(other, first["ply"].as_u64().unwrap(), 1)
        .await
        .problem(409, "game_over");
    let late = game.seat(other).call(&game.to("resign")).await;
    late.problem(409, "game_over");
    game.verified().await;
}

#[tokio::test]
async fn until_both_have_chosen() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    for seat in ["south", "north"] {
        for ruleset in ["congkak", "al-manqala", "congkak-arena"] {
            let game = Game::of(&server.api, ruleset).await;
            called_off(&game, seat).await;
            let game = between(&aminah, &bunga, ruleset, json!({})).await;
            called_off(&game, seat).await;
        }
        let game = Game::of(&server.api, "al-manqala").await;
        game.play(&["s1"]).await;
        called_off(&game, seat).await;
        // However often one seat has chosen.
        let game = Game::of(&server.api, "congkak").await;
        game.play(&["s7", "s6"]).await;
        called_off(&game, seat).await;

        let game = Game::of(&server.api, "al-manqala").await;
        game.play(&["s1", "n1"]).await;
        let late = game.seat(seat).call(&game.to("abort")).await;
        late.problem(409, "cannot_abort");
        game.seat(seat).call(&game.to("resign")).await.expect(200);
        let late = game.seat(seat).call(&game.to("abort")).await;
        late.problem(409, "game_over");
    }
}

/// A secret choice that waits is no first choice of both; it goes with the game.
#[tokio::test]
async fn with_one_choice_committed() {
    let server = Server::start().await;
    for (committed, by) in [("south", "south"), ("south", "north"), ("north", "south")] {
        let game = Game::of(&server.api, "congkak-arena").await;
        game.send(committed, 0, 3).await.expect(202);
        called_off(&game, by).await;
        let rows = server.db.rows(&game.id).await;
        assert_eq!(rows["commits"], json!([]));
        assert_eq!(game.log().await.len(), 1);
    }
    let game = Game::of(&server.api, "congkak-arena").await;
    game.send("south", 0, 3).await.expect(202);
    game.send("north", 0, 4).await.expect(201);
    for seat in ["south", "north"] {
        let late = game.seat(seat).call(&game.to("abort")).await;
        late.problem(409, "cannot_abort");
    }
}

#[tokio::test]
async fn before_somebody_has_joined() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let opponents = [
        json!({ "open": true }),
        json!({ "invite": true }),
        json!({ "player": "bunga" }),
    ];
    for opponent in opponents {
        let game = Made::by(&aminah.api, "congkak", json!({ "opponent": opponent })).await;
        let early = aminah.api.call(&game.to("resign")).await;
        early.problem(409, "not_started");
        let other = bunga.api.call(&game.to("abort")).await;
        other.problem(403, "not_seated");
        let state = aminah.api.call(&game.to("abort")).await.expect(200);
        assert_eq!(state["status"], "aborted");
        aminah.api.call(&game.to("abort")).await.expect(200);
        let token = game.created["invite_token"].as_str();
        let late = bunga.api.ask(game.joining(token)).await;
        late.problem(409, "seat_taken");
        let verdict = aminah.api.get(&game.to("verify")).await.expect(200);
        assert_eq!(verdict["ok"], true);
    }
}

/// One joins while the other calls it off: both happened in some order.
#[tokio::test]
async fn while_somebody_joins() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    for _ in 0..10 {
        let open = json!({ "opponent": { "open": true } });
        let game = Made::by(&aminah.api, "congkak", open).await;
        let abort = Ask::post(&game.to("abort"));
        let asks = [
            (aminah.api.clone(), abort),
            (server.api.clone(), game.joining(None)),
        ];
        let answers = at_once(asks).await;
        answers[0].is(200);
        if answers[1].status != 200 {
            answers[1].clone().problem(409, "seat_taken");
        }
        let state = server.api.get(&game.path).await.expect(200);
        assert_eq!(state["status"], "aborted");
        let log = server.api.get(&game.to("moves")).await.expect(200);
        assert_eq!(log["items"].as_array().unwrap().len(), 1);
    }
}
