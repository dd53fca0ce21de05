//! Pauses as the seats agree on them: offered, answered, resumed or over by
//! themselves, and never a second more on any clock.

use mancala_post::play::settle;
use serde_json::{Value, json};

use crate::support::holidays::{DAY, clock_of, idle, leave, runs, still};
use crate::support::offers::{accept, decline, offer, plain, stored, taken_back, told};
use crate::support::people::{at_once, between};
use crate::support::process::Process;
use crate::support::{Ask, Clock, Game, Person, Server};

async fn timed(server: &Server, ruleset: &str, per_move: i64, reserve: i64) -> Game {
    let clock = json!({ "per_move": per_move, "reserve": reserve });
    Game::create(&server.api, &json!({ "ruleset": ruleset, "clock": clock })).await
}

/// South offers it and north agrees; the state.
async fn paused(game: &Game, until: Option<&str>) -> Value {
    let body = match until {
        Some(until) => json!({ "kind": "pause", "until": until }),
        None => json!({ "kind": "pause" }),
    };
    let made = offer(&game.south, game, body).await.expect(201);
    let ply = made["game"]["ply"].as_u64().unwrap();
    accept(&game.north, game, &made, ply).await.expect(200)["game"].clone()
}

#[tokio::test]
async fn agreed_and_resumed() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    for seat in ["south", "north"] {
        let game = timed(&server, "al-manqala", 3600, 60).await;
        clock.pass(1000).await;
        let made = plain(&game.north, &game, "pause").await.expect(201);
        assert_eq!(
            made["offer"],
            json!({ "id": 1, "kind": "pause", "seat": "north", "ply": 0, "to_ply": null,
                    "until": null, "status": "open", "made_at": clock.now(),
                    "answered_at": null })
        );
        // Until it is accepted the time runs.
        assert_eq!(made["game"]["paused"], Value::Null);
        clock.pass(100).await;
        assert_eq!(clock_of(&game, "south").await, runs(&clock, 2500, 60));
        accept(&game.north, &game, &made, 0)
            .await
            .problem(409, "own_offer");
        let answer = accept(&game.south, &game, &made, 0).await.expect(200);
        assert_eq!(answer["offer"]["status"], "accepted");
        let state = &answer["game"];
        assert_eq!(state["offers"], json!([]));
        assert_eq!(state["paused"], json!({ "until": null, "by": "agreement" }));
        assert_eq!(state["clock"]["seats"]["south"], still(2500, 60));
        assert_eq!(state["clock"]["seats"]["north"], idle(60));
        assert_eq!(
            (&state["ply"], &state["to_move"]),
            (&json!(0), &json!(["south"]))
        );
        clock.pass(100_000).await;
        assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 0);
        for api in [&game.south, &game.north] {
            plain(api, &game, "pause")
                .await
                .problem(409, "offer_impossible");
        }
        // Accepted again it is no second pause, also when the first is over.
        let again = accept(&game.south, &game, &made, 0).await;
        assert!(again.replayed());
        again.is(200);
        let state = game.seat(seat).call(&game.to("resume")).await.expect(200);
        assert_eq!(state["paused"], Value::Null);
        assert_eq!(state["clock"]["seats"]["south"], runs(&clock, 2500, 60));
        let again = accept(&game.south, &game, &made, 0).await;
        assert!(again.replayed());
        assert_eq!(again.expect(200)["game"]["paused"], Value::Null);
        assert_eq!(
            told(&server.db, &game).await,
            ["pause by north", "pause accepted"]
        );
        game.verified().await;
        // Nothing is left for the next round's sweep.
        game.south.call(&game.to("abort")).await.expect(200);
    }
}

/// Pause upon pause: what has run has run.
#[tokio::test]
async fn it_refills_nothing() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = timed(&server, "al-manqala", 600, 100).await;
    for round in 1..=6 {
        clock.pass(110).await;
        let state = paused(&game, None).await;
        assert_eq!(
            state["clock"]["seats"]["south"],
            still(600 - round * 110, 100)
        );
        clock.pass(DAY).await;
        let state = game.north.call(&game.to("resume")).await.expect(200);
        let left = 600 - round * 110;
        assert_eq!(state["clock"]["seats"]["south"], runs(&clock, left, 100));
    }
    // A minute of the reserve is used; what is left of it loses on time.
    clock.pass(41).await;
    assert_eq!(game.state().await["status"], "aborted");
}

/// It ends by itself, as of its end, whoever looks first.
#[tokio::test]
async fn until_a_date() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    for look in ["sweep", "read", "move", "offer", "server"] {
        let game = timed(&server, "al-manqala", 3600, 0).await;
        clock.pass(600).await;
        let until = clock.hence(1000);
        let state = paused(&game, Some(&until)).await;
        assert_eq!(
            state["paused"],
            json!({ "until": until, "by": "agreement" })
        );
        clock.pass(999).await;
        assert_eq!(clock_of(&game, "south").await, still(3000, 0));
        clock.pass(101).await;
        match look {
            "sweep" => drop(settle::sweep(&server.db.pool()).await.unwrap()),
            "move" => drop(game.play(&["s1"]).await.expect(201)),
            "offer" => drop(plain(&game.north, &game, "draw").await.expect(201)),
            // The one before is gone, another one comes.
            "server" => {
                let process = Process::start(&server.db.url());
                let state = game.at(&process.url).state().await;
                assert_eq!(state["paused"], Value::Null);
            }
            _ => {}
        }
        let state = game.state().await;
        assert_eq!(state["paused"], Value::Null, "{look}");
        let (seat, left) = match look {
            "move" => ("north", 3600),
            _ => ("south", 2900),
        };
        assert_eq!(
            state["clock"]["seats"][seat],
            runs(&clock, left, 0),
            "{look}"
        );
        // Over is over: it does not end again, and resuming changes nothing.
        let state = game.south.call(&game.to("resume")).await.expect(200);
        assert_eq!(
            state["clock"]["seats"][seat],
            runs(&clock, left, 0),
            "{look}"
        );
        game.verified().await;
        game.south.call(&game.to("resign")).await.expect(200);
    }
    // The time ran out after the pause's end, before anybody looked.
    let game = timed(&server, "al-manqala", 60, 0).await;
    game.play(&["s1", "n1"]).await.expect(201);
    paused(&game, Some(&clock.hence(1000))).await;
    clock.pass(1061).await;
    let state = game.state().await;
    assert_eq!(state["result"]["reason"], "timeout");
    assert_eq!(state["paused"], Value::Null);
}

#[tokio::test]
async fn what_cannot_be_agreed_on() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = timed(&server, "al-manqala", 2_592_000, 0).await;
    let refused = async |game: &Game, until: &str, why: &str| {
        let before = server.db.rows(&game.id).await;
        let body = json!({ "kind": "pause", "until": until });
        let problem = offer(&game.south, game, body).await;
        let detail = problem.problem(409, "offer_impossible")["detail"].clone();
        assert!(detail.as_str().unwrap().contains(why), "{detail}");
        assert_eq!(server.db.rows(&game.id).await, before);
    };
    refused(&game, &clock.now(), "in the past").await;
    refused(&game, "1970-01-01T00:00:00Z", "in the past").await;
    refused(&game, "-0001-01-01T00:00:00Z", "in the past").await;
    refused(&game, &clock.hence(365 * DAY + 1), "a year").await;
    refused(&game, "9999-12-31T23:59:59Z", "a year").await;
    refused(&game, "+262142-12-31T23:59:59Z", "a year").await;
    let untimed = Game::of(&server.api, "al-manqala").await;
    refused(&untimed, &clock.hence(60), "no clock").await;
    // A year is not too long, in whatever zone it is written.
    let body = json!({ "kind": "pause", "until": "2028-01-01T01:00:00.000+01:00" });
    let made = offer(&game.south, &game, body).await.expect(201);
    assert_eq!(made["offer"]["until"], "2028-01-01T00:00:00.000Z");
    decline(&game.north, &game, &made).await.expect(200);

    // Its end comes before its answer: it can only be declined.
    let body = json!({ "kind": "pause", "until": clock.hence(100) });
    let made = offer(&game.south, &game, body).await.expect(201);
    clock.pass(100).await;
    let late = accept(&game.north, &game, &made, 0).await;
    late.problem(409, "offer_impossible");
    assert_eq!(game.state().await["paused"], Value::Null);
    decline(&game.north, &game, &made).await.expect(200);
    assert_eq!(
        stored(&server.db, &game).await,
        ["pause by south: declined", "pause by south: declined"]
    );
}

/// What nobody can have any more does not stand in the way of a new one.
#[tokio::test]
async fn an_offer_whose_end_has_passed() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = timed(&server, "al-manqala", 3600, 0).await;
    let body = json!({ "kind": "pause", "until": clock.hence(60) });
    let first = offer(&game.south, &game, body).await.expect(201);
    clock.pass(120).await;
    accept(&game.north, &game, &first, 0)
        .await
        .problem(409, "offer_impossible");
    let second = plain(&game.north, &game, "pause").await.expect(201);
    assert_eq!(second["offer"]["id"], 2);
    assert_eq!(second["game"]["offers"], json!([second["offer"]]));
    accept(&game.south, &game, &second, 0).await.expect(200);
}

/// What is proposed again is the same, however finely its end is written.
#[tokio::test]
async fn a_retry() {
    let server = Server::start().await;
    let _clock = Clock::stop(&server.db).await;
    let game = timed(&server, "al-manqala", 600, 0).await;
    let body = json!({ "kind": "pause", "until": "2027-02-03T04:05:06.123456789Z" });
    let made = offer(&game.south, &game, body.clone()).await.expect(201);
    let again = offer(&game.south, &game, body).await;
    assert!(again.replayed(), "{again}");
    assert_eq!(again.expect(200)["offer"], made["offer"]);
    let other = json!({ "kind": "pause", "until": "2027-02-03T04:05:07Z" });
    offer(&game.south, &game, other)
        .await
        .problem(409, "offer_open");
    plain(&game.south, &game, "pause")
        .await
        .problem(409, "offer_open");
}

/// It stands over plies, and is answered where the game then is.
#[tokio::test]
async fn an_offer_that_stands() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = timed(&server, "al-manqala", 600, 0).await;
    let made = plain(&game.south, &game, "pause").await.expect(201);
    for choice in ["s1", "n1", "s2"] {
        let answer = game.play(&[choice]).await.expect(201);
        assert_eq!(answer["game"]["offers"], json!([made["offer"]]));
    }
    taken_back(&game, "south", 2).await;
    assert_eq!(game.state().await["offers"], json!([made["offer"]]));
    for stale in [0, 3] {
        accept(&game.north, &game, &made, stale)
            .await
            .problem(409, "stale_ply");
    }
    clock.pass(10).await;
    let answer = accept(&game.north, &game, &made, 4).await.expect(200);
    assert_eq!(answer["game"]["clock"]["seats"]["south"], still(590, 0));
    // The end of a game ends what stands.
    let other = timed(&server, "al-manqala", 600, 0).await;
    let made = plain(&other.south, &other, "pause").await.expect(201);
    other.south.call(&other.to("resign")).await.expect(200);
    accept(&other.north, &other, &made, 1)
        .await
        .problem(409, "game_over");
    assert_eq!(stored(&server.db, &other).await, ["pause by south: void"]);
}

/// Who likes may move, take back and agree on other things meanwhile.
#[tokio::test]
async fn what_happens_in_a_pause() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = timed(&server, "al-manqala", 600, 50).await;
    clock.pass(100).await;
    paused(&game, None).await;
    clock.pass(5000).await;
    let state = game.play(&["s1"]).await.expect(201)["game"].clone();
    assert_eq!(state["paused"], json!({ "until": null, "by": "agreement" }));
    assert_eq!(state["clock"]["seats"]["north"], still(600, 50));
    assert_eq!(state["clock"]["seats"]["south"], idle(50));
    clock.pass(5000).await;
    // A takeback gives the whole time, and it stands still.
    let back = taken_back(&game, "south", 0).await;
    assert_eq!(back["paused"]["by"], "agreement");
    assert_eq!(back["clock"]["seats"]["south"], still(600, 50));
    assert_eq!(back["clock"]["seats"]["north"], idle(50));
    clock.pass(5000).await;
    let state = game.south.call(&game.to("resume")).await.expect(200);
    assert_eq!(state["clock"]["seats"]["south"], runs(&clock, 600, 50));
    clock.pass(10).await;
    paused(&game, Some(&clock.hence(DAY))).await;
    let made = plain(&game.north, &game, "draw").await.expect(201);
    let state = accept(&game.south, &game, &made, 2).await.expect(200)["game"].clone();
    assert_eq!(state["result"]["reason"], "agreement");
    assert_eq!(state["paused"], Value::Null);
    clock.pass(2 * DAY).await;
    assert_eq!(settle::sweep(&server.db.pool()).await.unwrap(), 0);
    game.south
        .call(&game.to("resume"))
        .await
        .problem(409, "game_over");
    game.verified().await;
}

/// Both seats owe a choice, one has committed.
#[tokio::test]
async fn in_an_opening() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let game = timed(&server, "congkak-arena", 600, 0).await;
    clock.pass(100).await;
    game.send("north", 0, 3).await.expect(202);
    clock.pass(100).await;
    let state = paused(&game, None).await;
    assert_eq!(state["to_move"], json!(["south"]));
    assert_eq!(
        state["clock"]["seats"],
        json!({ "south": still(400, 0), "north": idle(0) })
    );
    clock.pass(DAY).await;
    let state = game.north.call(&game.to("resume")).await.expect(200);
    assert_eq!(state["clock"]["seats"]["south"], runs(&clock, 400, 0));
    game.send("south", 0, 4).await.expect(201);
    game.verified().await;
}

/// A rematch begins without the pause, and with the holiday of whoever is on one.
#[tokio::test]
async fn rematches_after_a_pause() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let (ana, bo) = (
        Person::new(&server.api, "ana").await,
        Person::new(&server.api, "bo").await,
    );
    let more = json!({ "clock": { "per_move": 600, "reserve": 5 } });
    let game = between(&ana, &bo, "al-manqala", more).await;
    paused(&game, None).await;
    let state = ana.api.call(&game.to("resign")).await.expect(200);
    assert_eq!(state["paused"], Value::Null);
    leave(&bo.api, &clock.hence(DAY)).await;
    let made = plain(&ana.api, &game, "rematch").await.expect(201);
    let answer = accept(&bo.api, &game, &made, 1).await.expect(200);
    let next = answer["game"]["next_game"].as_str().unwrap();
    let next = ana.api.get(&format!("/v1/games/{next}")).await.expect(200);
    assert_eq!(next["seats"]["south"]["player"], "bo");
    assert_eq!(next["clock"]["seats"]["south"], still(600, 5));
    assert_eq!(next["paused"]["by"], "south");
    assert_eq!(next["allow_vacation"], state["allow_vacation"]);
}

/// Accepted, resumed and played on at once: no time is lost, and none is won.
#[tokio::test]
async fn all_at_once() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    for _ in 0..6 {
        let game = timed(&server, "al-manqala", 600, 0).await;
        clock.pass(100).await;
        plain(&game.south, &game, "pause").await.expect(201);
        let mut asks = Vec::new();
        for _ in 0..8 {
            let body = json!({ "after_ply": 0 });
            let accept = Ask::post(&game.to("offers/1/accept")).json(&body);
            asks.push((game.north.clone(), accept));
            asks.push((game.south.clone(), Ask::post(&game.to("resume"))));
            asks.push((game.north.clone(), Ask::post(&game.to("resume"))));
        }
        let answers = at_once(asks).await;
        assert!(answers.iter().all(|answer| answer.status == 200));
        let fresh = answers
            .iter()
            .filter(|answer| answer.json.get("offer").is_some() && !answer.replayed());
        assert_eq!(fresh.count(), 1);
        clock.pass(50).await;
        let state = game.north.call(&game.to("resume")).await.expect(200);
        let left = clock.until(
            state["clock"]["seats"]["south"]["move_by"]
                .as_str()
                .unwrap(),
        );
        assert!(left == 500 || left == 450, "{left}");
        game.verified().await;
        game.south.call(&game.to("resign")).await.expect(200);
    }
}
