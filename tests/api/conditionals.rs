//! Conditional moves: laid down in secret, shown to their own seat, played as soon
//! as the game comes to them, dropped when it goes another way.

use serde_json::{Value, json};

use crate::support::lines::{drop_lines, lay, told, wait, waiting};
use crate::support::offers::{accept, ask, taken_back};
use crate::support::{Clock, Game, Server};

/// Al-manqala from its start: `s1 n1 s2 n2 s3 n3 s4 n4`.
const TWO: &str = "1,9,8,8,8,8,8/0,8,8,8,8,8,8 0-0 S r1:S";
const FOUR: &str = "2,1,10,10,9,9,9/1,0,10,10,9,9,9 0-0 S r1:S";
const SIX: &str = "3,2,1,12,11,11,11/2,1,0,12,11,11,10 0-0 S r1:S";
const EIGHT: &str = "5,4,2,1,13,13,13/4,3,0,0,13,13,12 0-2 S r1:S";

/// Not only the first one of a line: each that the game comes to.
#[tokio::test]
async fn a_line_is_played_to_its_end() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let lines = json!([[1, 1, 2, 2, 3, 3], [2, 1]]);
    let laid = lay(&game.north, &game, 0, lines.clone()).await.expect(200);
    assert_eq!(laid, wait(0, lines.clone()));
    assert_eq!(waiting(&game.north, &game).await, wait(0, lines));
    let steps = [
        (1, 0, TWO, json!([[2, 2, 3, 3]])),
        (2, 2, FOUR, json!([[3, 3]])),
        (3, 4, SIX, json!([])),
    ];
    for (house, ply, position, left) in steps {
        let answer = game.send("south", ply, house).await.expect(201);
        assert_eq!(answer["row"]["ply"], ply + 1);
        assert_eq!(answer["row"]["seat"], "south");
        assert_eq!(answer["row"]["source"], "player");
        assert_eq!(answer["game"]["ply"], ply + 2);
        assert_eq!(answer["game"]["position"], position);
        assert_eq!(answer["game"]["to_move"], json!(["south"]));
        assert_eq!(waiting(&game.north, &game).await, wait(ply + 2, left));
        let none = wait(ply + 2, json!([]));
        assert_eq!(waiting(&game.south, &game).await, none);
    }
    let log = game.log().await;
    assert_eq!(told(&log), ["s1", "n1*", "s2", "n2*", "s3", "n3*"]);
    game.verified().await;
    // There is no more: north is asked.
    let answer = game.send("south", 6, 4).await.expect(201);
    assert_eq!(answer["game"]["ply"], 7);
    assert_eq!(answer["game"]["to_move"], json!(["north"]));
}

/// Lines of both seats set each other off, in the one move that meets them.
#[tokio::test]
async fn lines_of_both_seats_chain() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let all = json!([[1, 1, 2, 2, 3, 3, 4, 4]]);
    // On either seat's turn; what the seat to move has laid down waits for its hand.
    for api in [&game.south, &game.north] {
        lay(api, &game, 0, all.clone()).await.expect(200);
    }
    assert_eq!(game.state().await["ply"], 0);
    let answer = game.send("south", 0, 1).await.expect(201);
    assert_eq!(answer["row"]["ply"], 1);
    assert_eq!(answer["game"]["ply"], 8);
    assert_eq!(answer["game"]["turn"], 9);
    assert_eq!(answer["game"]["position"], EIGHT);
    let log = game.log().await;
    let expected = ["s1", "n1*", "s2*", "n2*", "s3*", "n3*", "s4*", "n4*"];
    assert_eq!(told(&log), expected);
    for api in [&game.south, &game.north] {
        assert_eq!(waiting(api, &game).await, wait(8, json!([])));
    }
    game.verified().await;
}

/// The shorter line ends the chain; the other waits for whoever is asked then.
#[tokio::test]
async fn the_shorter_line_ends_it() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    lay(&game.south, &game, 0, json!([[1, 1, 2]]))
        .await
        .expect(200);
    let answer = game.send("south", 0, 1).await.expect(201);
    assert_eq!(answer["game"]["ply"], 1);
    assert_eq!(waiting(&game.south, &game).await, wait(1, json!([[1, 2]])));
    // Laid down on its own turn; north's own hand sets it off.
    let laid = lay(&game.north, &game, 1, json!([[1, 2, 2, 3, 3]])).await;
    laid.expect(200);
    let answer = game.send("north", 1, 1).await.expect(201);
    assert_eq!(answer["row"]["ply"], 2);
    assert_eq!(answer["game"]["ply"], 4);
    assert_eq!(answer["game"]["position"], FOUR);
    assert_eq!(waiting(&game.south, &game).await, wait(4, json!([])));
    assert_eq!(waiting(&game.north, &game).await, wait(4, json!([[3, 3]])));
    let log = game.log().await;
    assert_eq!(told(&log), ["s1", "n1", "s2*", "n2*"]);
    game.verified().await;
}

#[tokio::test]
async fn what_reality_has_left_is_dropped() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let lines = json!([[1, 1, 2, 2], [1, 1, 3, 4], [2, 5], [4]]);
    lay(&game.north, &game, 0, lines).await.expect(200);
    lay(&game.south, &game, 0, json!([[2, 2, 2]]))
        .await
        .expect(200);
    // South's own hand leaves its own line as well.
    game.send("south", 0, 1).await.expect(201);
    assert_eq!(waiting(&game.south, &game).await, wait(2, json!([])));
    let left = json!([[2, 2], [3, 4]]);
    assert_eq!(waiting(&game.north, &game).await, wait(2, left));
    let answer = game.send("south", 2, 5).await.expect(201);
    assert_eq!(answer["game"]["ply"], 3);
    assert_eq!(waiting(&game.north, &game).await, wait(3, json!([])));
    let rows = server.db.rows(&game.id).await;
    assert_eq!(rows["conditionals"], json!([]), "nothing is kept of them");
    let log = game.log().await;
    assert_eq!(told(&log), ["s1", "n1*", "s5"]);
    // The branch that is met is the one that is played.
    let game = Game::of(&server.api, "al-manqala").await;
    let lines = json!([[1, 1, 2, 2], [1, 1, 3, 4], [2, 5]]);
    lay(&game.north, &game, 0, lines).await.expect(200);
    game.play(&["s1", "s3"]).await.expect(201);
    let log = game.log().await;
    assert_eq!(told(&log), ["s1", "n1*", "s3", "n4*"]);
    game.verified().await;
}

/// North at its turn answers by hand with something else than its line says.
#[tokio::test]
async fn a_seat_may_leave_its_own_line() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1"]).await;
    lay(&game.north, &game, 1, json!([[1, 2, 2], [1, 3, 3]]))
        .await
        .expect(200);
    game.send("north", 1, 5).await.expect(201);
    assert_eq!(waiting(&game.north, &game).await, wait(2, json!([])));
    let answer = game.send("south", 2, 2).await.expect(201);
    assert_eq!(answer["game"]["ply"], 3);
}

#[tokio::test]
async fn they_are_replaced_and_dropped() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let none = wait(0, json!([]));
    assert_eq!(waiting(&game.north, &game).await, none);
    drop_lines(&game.north, &game).await.is(204);
    let lay = async |lines: Value| lay(&game.north, &game, 0, lines).await.expect(200);
    let lines = json!([[1, 1], [2, 2]]);
    assert_eq!(lay(lines.clone()).await, wait(0, lines));
    // The new ones alone; the same one twice is kept, one without plies is not.
    let lines = json!([[3, 3], [], [3, 3], [3]]);
    let kept = wait(0, json!([[3, 3], [3, 3], [3]]));
    assert_eq!(lay(lines).await, kept);
    assert_eq!(waiting(&game.north, &game).await, kept);
    for empty in [json!([]), json!([[]])] {
        lay(json!([[3, 3]])).await;
        assert_eq!(lay(empty).await, none);
        assert_eq!(waiting(&game.north, &game).await, none);
    }
    lay(json!([[3, 3]])).await;
    drop_lines(&game.south, &game).await.is(204);
    let mine = wait(0, json!([[3, 3]]));
    assert_eq!(waiting(&game.north, &game).await, mine, "not the other's");
    for _ in 0..2 {
        drop_lines(&game.north, &game).await.is(204);
        assert_eq!(waiting(&game.north, &game).await, none);
    }
    let answer = game.send("south", 0, 3).await.expect(201);
    assert_eq!(answer["game"]["ply"], 1);
}

/// A ply with an offer stops them, and so does an offer that waits: its seat is
/// asked. What waits goes on with the next ply that meets it.
#[tokio::test]
async fn an_offer_stops_them() {
    let server = Server::start().await;
    for kind in ["draw", "split"] {
        let game = Game::of(&server.api, "al-manqala").await;
        lay(&game.north, &game, 0, json!([[1, 1, 2, 2, 3, 3]]))
            .await
            .expect(200);
        lay(&game.south, &game, 0, json!([[1, 1, 2]]))
            .await
            .expect(200);
        let body = json!({ "after_ply": 0, "house": 1, "offer": { "kind": kind } });
        let answer = game.south.post(&game.to("moves"), &body).await.expect(201);
        assert_eq!(answer["game"]["ply"], 1);
        assert_eq!(answer["game"]["offers"][0]["kind"], kind);
        let waits = json!([[1, 2, 2, 3, 3]]);
        assert_eq!(waiting(&game.north, &game).await, wait(1, waits.clone()));
        assert_eq!(waiting(&game.south, &game).await, wait(1, json!([[1, 2]])));
        // Declined: nothing moves by itself, and nothing is lost.
        game.north
            .call(&game.to("offers/1/decline"))
            .await
            .expect(200);
        assert_eq!(game.state().await["ply"], 1);
        assert_eq!(waiting(&game.north, &game).await, wait(1, waits));
        let answer = game.send("north", 1, 1).await.expect(201);
        assert_eq!(answer["game"]["position"], FOUR);
        let log = game.log().await;
        assert_eq!(told(&log), ["s1", "n1", "s2*", "n2*"]);
        game.verified().await;
    }
}

/// A pause is about time alone: nobody keeps another's lines from firing with it.
#[tokio::test]
async fn an_open_pause_does_not_stop_them() {
    let server = Server::start().await;
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 3600 } });
    let game = Game::create(&server.api, &body).await;
    lay(&game.north, &game, 0, json!([[1, 1]]))
        .await
        .expect(200);
    let pause = json!({ "kind": "pause" });
    game.south
        .post(&game.to("offers"), &pause)
        .await
        .expect(201);
    let answer = game.send("south", 0, 1).await.expect(201);
    assert_eq!(answer["game"]["ply"], 2);
    assert_eq!(answer["game"]["offers"][0]["status"], "open");
    assert_eq!(told(&game.log().await), ["s1", "n1*"]);
}

/// An offer made by itself: the other seat's lines wait while it is open, and the
/// offering seat's own go on.
#[tokio::test]
async fn an_open_offer_stops_the_lines_of_who_is_asked() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let draw = json!({ "kind": "draw" });
    game.south.post(&game.to("offers"), &draw).await.expect(201);
    lay(&game.north, &game, 0, json!([[1, 1, 2, 2]]))
        .await
        .expect(200);
    // South's own ply leaves its own offer open.
    let answer = game.send("south", 0, 1).await.expect(201);
    assert_eq!(answer["game"]["ply"], 1);
    assert_eq!(answer["game"]["offers"][0]["status"], "open");
    let waits = json!([[1, 2, 2]]);
    assert_eq!(waiting(&game.north, &game).await, wait(1, waits));
    lay(&game.south, &game, 1, json!([[1, 2]]))
        .await
        .expect(200);
    // North moves on: that declines it, and all is free again.
    let answer = game.send("north", 1, 1).await.expect(201);
    assert_eq!(answer["game"]["ply"], 4);
    assert_eq!(answer["game"]["offers"], json!([]));
    game.verified().await;
}

/// A seat that has asked for something has its own extra turns played.
#[tokio::test]
async fn an_own_offer_does_not_stop_own_lines() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let draw = json!({ "kind": "draw" });
    game.south.post(&game.to("offers"), &draw).await.expect(201);
    lay(&game.south, &game, 0, json!([[7, 6, 1, 1, 2]]))
        .await
        .expect(200);
    lay(&game.north, &game, 0, json!([[7, 6, 1, 1, 2, 1]]))
        .await
        .expect(200);
    let answer = game.send("south", 0, 7).await.expect(201);
    assert_eq!(answer["game"]["ply"], 5);
    assert_eq!(answer["game"]["to_move"], json!(["north"]));
    assert_eq!(answer["game"]["offers"][0]["status"], "open");
    assert_eq!(waiting(&game.north, &game).await, wait(5, json!([[1]])));
}

/// An own ply with an offer stops one's own extra turns as well.
#[tokio::test]
async fn an_offer_with_a_ply_stops_own_extra_turns() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    lay(&game.south, &game, 0, json!([[7, 6, 1]]))
        .await
        .expect(200);
    let body = json!({ "after_ply": 0, "house": 7, "offer": { "kind": "draw" } });
    let answer = game.south.post(&game.to("moves"), &body).await.expect(201);
    assert_eq!(answer["game"]["ply"], 1);
    assert_eq!(waiting(&game.south, &game).await, wait(1, json!([[6, 1]])));
    let answer = game.send("south", 1, 6).await.expect(201);
    assert_eq!(answer["game"]["ply"], 3);
    assert_eq!(told(&game.log().await), ["s7", "s6", "s1*"]);
}

#[tokio::test]
async fn a_takeback_drops_the_lines_of_both() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    lay(&game.north, &game, 0, json!([[1, 1, 2, 2]]))
        .await
        .expect(200);
    game.send("south", 0, 1).await.expect(201);
    lay(&game.south, &game, 2, json!([[2, 2, 3]]))
        .await
        .expect(200);
    // Asked for, and not agreed to: they stay.
    let offer = ask(&game.south, &game, 0).await.expect(201);
    assert_eq!(waiting(&game.north, &game).await, wait(2, json!([[2, 2]])));
    accept(&game.north, &game, &offer, 2).await.expect(200);
    for api in [&game.south, &game.north] {
        assert_eq!(waiting(api, &game).await, wait(3, json!([])));
    }
    let answer = game.send("south", 3, 1).await.expect(201);
    assert_eq!(answer["game"]["ply"], 4);
    game.verified().await;
    // What is laid down after it goes on from where play goes on.
    lay(&game.south, &game, 4, json!([[1, 2]]))
        .await
        .expect(200);
    let answer = game.send("north", 4, 1).await.expect(201);
    assert_eq!(answer["game"]["ply"], 6);
    // Rows that nobody sent are taken back as any others.
    let back = taken_back(&game, "north", 4).await;
    assert_eq!(
        (&back["ply"], &back["to_move"]),
        (&json!(7), &json!(["north"]))
    );
    game.verified().await;
}

#[tokio::test]
async fn a_pause_stops_them() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 3600, "reserve": 60 } });
    let game = Game::create(&server.api, &body).await;
    lay(&game.north, &game, 0, json!([[1, 1, 2, 2, 3, 3]]))
        .await
        .expect(200);
    let pause = json!({ "kind": "pause", "until": clock.hence(7200) });
    game.north
        .post(&game.to("offers"), &pause)
        .await
        .expect(201);
    let agreed = game.to("offers/1/accept");
    let agreed = game.south.post(&agreed, &json!({ "after_ply": 0 })).await;
    agreed.expect(200);
    // They may be laid down while it lasts, and they follow what is played.
    lay(&game.south, &game, 0, json!([[1, 1, 2]]))
        .await
        .expect(200);
    let answer = game.send("south", 0, 1).await.expect(201);
    assert_eq!(answer["game"]["ply"], 1);
    let waits = json!([[1, 2, 2, 3, 3]]);
    assert_eq!(waiting(&game.north, &game).await, wait(1, waits.clone()));
    assert_eq!(waiting(&game.south, &game).await, wait(1, json!([[1, 2]])));
    clock.pass(7300).await;
    assert_eq!(game.state().await["ply"], 1, "the next ply sets them off");
    assert_eq!(waiting(&game.north, &game).await, wait(1, waits));
    let answer = game.send("north", 1, 1).await.expect(201);
    assert_eq!(answer["game"]["position"], FOUR);
    assert_eq!(waiting(&game.north, &game).await, wait(4, json!([[3, 3]])));
    game.verified().await;
}
