//! The explorer: a position by its text or by the way there, every choice from it,
//! which games count and which do not, and answers that a client has already.

use mancala_post::db::explorer::TALLIES;
use mancala_post::play::archive;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::support::explored::{courses, hold_against};
use crate::support::offers::{accept, ask};
use crate::support::{Ask, Game, Server};

const SMALL: &str = "ruleset=al-manqala&rules=houses:5,seeds:2";

/// A small game of al-manqala after these choices; then south gives up.
async fn resigned(server: &Server, choices: &[&str]) -> Game {
    let body = json!({ "ruleset": "al-manqala", "rules": { "houses": 5, "seeds": 2 } });
    let game = Game::create(&server.api, &body).await;
    game.play(choices).await;
    game.south.call(&game.to("resign")).await.expect(200);
    game
}

async fn enter(server: &Server) -> usize {
    archive::enter(&server.db.pool()).await.unwrap()
}

async fn explored(server: &Server, query: &str) -> Value {
    let path = format!("/v1/explorer?{query}");
    server.api.get(&path).await.expect(200)
}

/// The games of a choice of one house: chosen here, and to the position it leads to.
fn games(answer: &Value, house: u64) -> (u64, u64) {
    let moves = answer["moves"].as_array().unwrap();
    let found = moves
        .iter()
        .find(|found| found["choices"][0]["house"] == house);
    let found = found.unwrap_or_else(|| panic!("no house {house}: {answer}"));
    let number = |field: &str| found[field]["games"].as_u64().unwrap();
    (number("played_here"), number("reached_position"))
}

#[tokio::test]
async fn nothing_was_played_yet() {
    let server = Server::start().await;
    let answer = explored(&server, "ruleset=congkak&rules=houses:5").await;
    let none = json!({ "games": 0, "south": 0, "north": 0, "draws": 0 });
    let mut tally = none.clone();
    tally["average_plies"] = Value::Null;
    tally["last_played"] = Value::Null;
    tally["sample_games"] = json!([]);
    assert_eq!(answer["position"], "5,5,5,5,5/5,5,5,5,5 0-0 S r1:S");
    assert_eq!(answer["ruleset"], "congkak");
    assert_eq!(answer["revision"], 1);
    assert_eq!(answer["rules"]["seeds"], 5);
    assert_eq!(answer["to_move"], json!(["south"]));
    assert_eq!(answer["board"]["north"]["houses"], json!([5, 5, 5, 5, 5]));
    assert_eq!(answer["reached"], tally);
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 5);
    assert_eq!(
        moves[1],
        json!({ "choices": [{ "seat": "south", "house": 2 }],
                "position": "6,0,6,6,6/6,6,0,0,6 8-0 N r1:S",
                "played_here": tally, "reached_position": none })
    );
    // The same by the way there, and as text.
    let there = explored(&server, "ruleset=congkak&rules=houses:5&play=2").await;
    assert_eq!(there["position"], moves[1]["position"]);
    assert_eq!(there["to_move"], json!(["north"]));
    let text = "6,0,6,6,6/6,6,0,0,6+8-0+N+r1:S";
    let same = format!("ruleset=congkak&rules=houses:5&position={text}");
    assert_eq!(explored(&server, &same).await, there);
    // Both choose: there are no choices by themselves, and nobody chose any pair.
    let pairs = explored(&server, "ruleset=congkak-arena").await;
    assert_eq!(pairs["to_move"], json!(["south", "north"]));
    assert_eq!(pairs["moves"], json!([]));
    // A game that is over.
    let over = explored(
        &server,
        "ruleset=congkak&position=0,0,0,0,0,0,0/0,0,0,0,0,0,0+51-47+-+r1:S",
    )
    .await;
    assert_eq!((&over["to_move"], &over["moves"]), (&json!([]), &json!([])));
}

#[tokio::test]
async fn two_ways_lead_to_the_same_position() {
    let server = Server::start().await;
    let one = resigned(&server, &["s1", "n2", "s4"]).await;
    let other = resigned(&server, &["s4", "n2", "s1"]).await;
    resigned(&server, &["s4", "n3"]).await;
    assert_eq!(enter(&server).await, 3);
    let both = "0,3,3,0,3/3,0,3,3,2 0-0 N r1:S";

    let start = explored(&server, SMALL).await;
    assert_eq!(start["reached"]["games"], 3);
    assert_eq!(start["reached"]["north"], 3);
    assert_eq!(start["reached"]["average_plies"], 2.67);
    assert_eq!(
        start["moves"][0]["choices"],
        json!([{ "seat": "south", "house": 4 }])
    );
    assert_eq!(
        (games(&start, 4), games(&start, 1), games(&start, 2)),
        ((2, 2), (1, 1), (0, 0))
    );
    for (way, last) in [("1,2", 4), ("4,2", 1)] {
        let before = explored(&server, &format!("{SMALL}&play={way}")).await;
        assert_eq!(before["reached"]["games"], 1);
        assert_eq!(before["moves"][0]["position"], both);
        // Chosen here in one of them; the position came about in both.
        assert_eq!(games(&before, last), (1, 2));
        let there = explored(&server, &format!("{SMALL}&play={way},{last}")).await;
        assert_eq!(there["position"], both);
        assert_eq!(there["reached"]["games"], 2);
        let sample =
            |game: &Game| json!({ "id": game.id, "url": format!("{}{}", server.url, game.path) });
        assert_eq!(
            there["reached"]["sample_games"],
            json!([sample(&other), sample(&one)])
        );
        // There they were given up: nobody chose anything.
        assert!(
            there["moves"]
                .as_array()
                .unwrap()
                .iter()
                .all(|found| found["played_here"]["games"] == 0)
        );
    }
    // Under other parameters it is another position.
    let other = explored(
        &server,
        "ruleset=al-manqala&rules=houses:5,seeds:2,loop_repeat:4",
    )
    .await;
    assert_eq!(other["reached"]["games"], 0);
}

#[tokio::test]
async fn games_that_are_not_finished_and_public_do_not_count() {
    let server = Server::start().await;
    for visibility in ["public", "private"] {
        let body = json!({ "ruleset": "congkak", "visibility": visibility });
        let running = Game::create(&server.api, &body).await;
        running.play(&["s3"]).await;
        let aborted = Game::create(&server.api, &body).await;
        aborted.south.call(&aborted.to("abort")).await.expect(200);
        let finished = Game::create(&server.api, &body).await;
        finished.play(&["s3"]).await;
        finished
            .north
            .call(&finished.to("resign"))
            .await
            .expect(200);
    }
    // Known when it has been entered.
    assert_eq!(
        explored(&server, "ruleset=congkak").await["reached"]["games"],
        0
    );
    enter(&server).await;
    let answer = explored(&server, "ruleset=congkak").await;
    assert_eq!(answer["reached"]["games"], 1);
    assert_eq!(answer["reached"]["south"], 1);
    assert_eq!(games(&answer, 3), (1, 1));
}

#[tokio::test]
async fn what_was_taken_back_was_not_played() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1", "n1"]).await;
    let offer = ask(&game.north, &game, 1).await.expect(201);
    accept(&game.south, &game, &offer, 2).await.expect(200);
    game.play(&["n2"]).await;
    game.south.call(&game.to("resign")).await.expect(200);
    enter(&server).await;
    let answer = explored(&server, "ruleset=al-manqala&play=1").await;
    assert_eq!((games(&answer, 1), games(&answer, 2)), ((0, 0), (1, 1)));
    assert_eq!(answer["reached"]["average_plies"], 2.0);
    let left = explored(&server, "ruleset=al-manqala&play=1,1").await;
    assert_eq!(left["reached"]["games"], 0);
}

#[tokio::test]
async fn a_game_counts_once_however_often_it_comes_there() {
    let server = Server::start().await;
    let start = "1,0,0,0,0,0,0/1,0,0,0,0,0,0 48-48 S r1:S";
    let game = Game::from(&server.api, "al-manqala", json!({}), start).await;
    for _ in 0..100 {
        let state = game.state().await;
        let Some(choice) = state["legal_moves"].get(0) else {
            break;
        };
        let (seat, house) = (
            choice["seat"].as_str().unwrap(),
            choice["house"].as_u64().unwrap(),
        );
        let ply = state["ply"].as_u64().unwrap();
        game.send(seat, ply, house).await.is(201);
    }
    assert_eq!(game.state().await["status"], "finished");
    enter(&server).await;
    let query = format!("ruleset=al-manqala&position={}", start.replace(' ', "+"));
    let answer = explored(&server, &query).await;
    assert_eq!(answer["reached"]["games"], 1);
    assert_eq!(games(&answer, 1), (1, 1));
    let all = courses(&server.api, "").await;
    let times = all[0]
        .read
        .positions
        .iter()
        .filter(|position| *position == start);
    assert!(times.count() > 1);
    hold_against(&all.iter().collect::<Vec<_>>(), &answer, &server.url);
}

#[tokio::test]
async fn what_is_no_position_is_named() {
    let server = Server::start().await;
    for (query, parameter) in [
        ("", "ruleset"),
        ("rules=houses:5", "ruleset"),
        ("ruleset=kalah", "ruleset"),
        ("ruleset=congkak&rules=houses:4", "rules"),
        ("ruleset=congkak&revision=0", "revision"),
        ("ruleset=congkak&position=7,7", "position"),
        (
            "ruleset=congkak&position=5,5,5,5,5/5,5,5,5,5+0-0+S+r1:S",
            "position",
        ),
        ("ruleset=congkak&play=", "play"),
        ("ruleset=congkak&play=s3", "play"),
        ("ruleset=congkak&play=3,16", "play"),
        (
            "ruleset=congkak&play=1&position=7,7,7,7,7,7,7/7,7,7,7,7,7,7+0-0+S+r1:S",
            "play",
        ),
        // Half of a pair.
        ("ruleset=congkak-arena&play=3", "play"),
        ("ruleset=congkak&min_plies=-1", "min_plies"),
        ("ruleset=congkak&limit=3", "limit"),
    ] {
        let path = format!("/v1/explorer?{query}");
        let problem = server.api.get(&path).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], parameter, "{query}: {problem}");
    }
    let illegal = "/v1/explorer?ruleset=congkak&rules=houses:5&play=5,5";
    let problem = server.api.get(illegal).await.problem(422, "illegal_move");
    assert_eq!(problem["index"], 1);
    assert_eq!(problem["detail"], "choice 1: south's house 5 is empty");
    assert_eq!(problem["legal_moves"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn an_answer_is_good_until_the_next_game_ends() {
    let server = Server::start().await;
    resigned(&server, &["s1"]).await;
    enter(&server).await;
    let path = format!("/v1/explorer?{SMALL}");
    let first = server.api.get(&path).await;
    first.is(200);
    let tag = first.header("etag").to_owned();
    let again = |tag: &str| {
        let ask = Ask::get(&path).header("if-none-match", tag);
        async { server.api.ask(ask).await }
    };
    again(&tag).await.is(304);
    // Whoever has nothing yet gets the same, as often as they ask.
    for _ in 0..2 {
        let same = server.api.get(&path).await;
        assert_eq!(same.header("etag"), tag);
        assert_eq!(same.expect(200), first.json);
    }
    // Of another part another tag.
    let other = server.api.get(&format!("{path}&result=north")).await;
    assert_ne!(other.header("etag"), tag);
    resigned(&server, &["s2"]).await;
    again(&tag).await.is(304);
    enter(&server).await;
    let answer = again(&tag).await;
    assert_ne!(answer.header("etag"), tag);
    assert_eq!(answer.expect(200)["reached"]["games"], 2);
    for _ in 0..2 {
        let state = server.api.get(&path).await.expect(200);
        assert_eq!(state["reached"]["games"], 2);
    }
}

/// Where an index is to be had, no record is read but those that the position
/// occurred in.
#[tokio::test]
async fn no_record_is_read_in_vain() {
    let server = Server::start().await;
    let mut db = server.db.connect().await;
    // With few rows the planner would rather read them all. What it cannot do
    // otherwise it would still do.
    sqlx::query("set enable_seqscan = off")
        .execute(&mut db)
        .await
        .unwrap();
    let plan: Vec<String> = sqlx::query_scalar(AssertSqlSafe(format!("explain {TALLIES}")))
        .bind(vec![1_i64, 2])
        .bind(vec![1_i32, 0])
        .fetch_all(&mut db)
        .await
        .unwrap();
    let plan = plan.join("\n");
    assert!(plan.contains("Bitmap Index Scan on records_keys"), "{plan}");
    assert!(plan.contains("frequent_positions_pkey"), "{plan}");
    assert!(!plan.contains("Seq Scan"), "{plan}");
}
