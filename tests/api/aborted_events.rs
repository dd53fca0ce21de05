//! What `game.aborted` tells: why a game ended without a result, and whose doing it
//! was.

use mancala_post::play::settle;
use serde_json::{Value, json};

use crate::support::follow::events;
use crate::support::people::between;
use crate::support::{Ask, Clock, Game, Made, Person, Server};

/// The facts and the line of the one `game.aborted` that anybody finds in a game.
async fn told(server: &Server, path: &str) -> (Value, String) {
    server.db.place_events().await;
    let events = events(&server.api, &format!("{path}/events")).await;
    let found = |event: &&Value| event["type"] == "game.aborted";
    let mut found = events.iter().filter(found);
    let (event, none) = (found.next().unwrap(), found.next());
    assert_eq!(none, None);
    assert_eq!(
        event["for"],
        json!([{ "seat": "south" }, { "seat": "north" }])
    );
    assert_eq!(event["data"]["title"], "Game called off");
    assert_eq!(event["data"]["deadline"], Value::Null);
    let summary = event["data"]["summary"].as_str().unwrap();
    (event["data"]["facts"].clone(), summary.to_owned())
}

fn facts(reason: &str, seat: Value, summary: &str) -> (Value, String) {
    (
        json!({ "reason": reason, "seat": seat }),
        summary.to_owned(),
    )
}

#[tokio::test]
async fn called_off_by_a_seat() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let game = Game::of(&server.api, "congkak").await;
    game.north.call(&game.to("abort")).await.expect(200);
    let expected = facts("called_off", json!("north"), "North called the game off.");
    assert_eq!(told(&server, &game.path).await, expected);

    let game = between(&aminah, &bunga, "al-manqala", json!({})).await;
    game.play(&["s1"]).await;
    game.south.call(&game.to("abort")).await.expect(200);
    let expected = facts("called_off", json!("south"), "aminah called the game off.");
    assert_eq!(told(&server, &game.path).await, expected);

    // Before anybody has joined: by the creator, whose seat may not be drawn yet.
    for (seat, expected) in [
        (
            "north",
            facts("called_off", json!("north"), "aminah called the game off."),
        ),
        (
            "random",
            facts("called_off", Value::Null, "The game was called off."),
        ),
    ] {
        let fields = json!({ "seat": seat, "opponent": { "open": true } });
        let game = Made::by(&aminah.api, "congkak", fields).await;
        aminah.api.call(&game.to("abort")).await.expect(200);
        assert_eq!(told(&server, &game.path).await, expected);
    }
}

#[tokio::test]
async fn an_invitation_declined() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    for (seat, expected) in [
        (
            "south",
            facts("declined", json!("north"), "North declined the invitation."),
        ),
        (
            "random",
            facts("declined", Value::Null, "The invitation was declined."),
        ),
    ] {
        let fields = json!({ "seat": seat, "opponent": { "player": "bunga" } });
        let game = Made::by(&aminah.api, "congkak", fields).await;
        bunga.api.call(&game.to("decline")).await.expect(200);
        assert_eq!(told(&server, &game.path).await, expected);
    }
}

/// Whoever has left has no name any more, also in what was told before.
#[tokio::test]
async fn a_player_left() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let running = between(&bunga, &aminah, "al-manqala", json!({})).await;
    running.play(&["s1"]).await;
    let open = json!({ "seat": "south", "opponent": { "open": true } });
    let open = Made::by(&aminah.api, "congkak", open).await;
    let invited = json!({ "seat": "south", "opponent": { "player": "aminah" } });
    let invited = Made::by(&bunga.api, "congkak", invited).await;
    let drawn = json!({ "seat": "random", "opponent": { "player": "aminah" } });
    let drawn = Made::by(&bunga.api, "congkak", drawn).await;
    let leaving = aminah.api.ask(Ask::new("DELETE", "/v1/me")).await;
    leaving.expect(204);
    for (path, seat, summary) in [
        (&running.path, json!("north"), "North left the server."),
        (&open.path, json!("south"), "South left the server."),
        (&invited.path, json!("north"), "North left the server."),
        (&drawn.path, Value::Null, "A player left the server."),
    ] {
        let expected = facts("left", seat, summary);
        assert_eq!(told(&server, path).await, expected);
    }
}

#[tokio::test]
async fn nobody_joined() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let aminah = Person::new(&server.api, "aminah").await;
    Person::new(&server.api, "bunga").await;
    let opponents = [
        json!({ "open": true }),
        json!({ "invite": true }),
        json!({ "player": "bunga" }),
    ];
    let mut games = Vec::new();
    for opponent in opponents {
        let fields = json!({ "seat": "south", "opponent": opponent });
        games.push(Made::by(&aminah.api, "congkak", fields).await);
    }
    clock.pass(30 * 86_400 + 1).await;
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 3);
    for game in games {
        let expected = facts("nobody_joined", Value::Null, "Nobody joined in time.");
        assert_eq!(told(&server, &game.path).await, expected);
    }
}

#[tokio::test]
async fn a_first_choice_that_was_late() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = async |ruleset: &str| {
        let body = json!({ "ruleset": ruleset, "clock": { "per_move": 60 } });
        Game::create(&server.api, &body).await
    };
    let untouched = game("congkak").await;
    let halfway = game("al-manqala").await;
    halfway.play(&["s1"]).await;
    let opening = game("congkak-traditional").await;
    let committed = game("congkak-traditional").await;
    committed.send("south", 0, 1).await.expect(202);
    clock.pass(61).await;
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 4);
    let (south, north) = (
        facts(
            "late",
            json!("south"),
            "South made no first choice in time.",
        ),
        facts(
            "late",
            json!("north"),
            "North made no first choice in time.",
        ),
    );
    let both = facts("late", Value::Null, "Neither seat made its choice in time.");
    for (game, expected) in [
        (untouched, south),
        (halfway, north.clone()),
        (opening, both),
        // That south's was there is no secret any more.
        (committed, north),
    ] {
        assert_eq!(told(&server, &game.path).await, expected);
    }
}
