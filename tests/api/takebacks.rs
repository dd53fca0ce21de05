//! Takebacks: a row of their own, plies that stay in the log and are marked, and
//! play that goes on from an earlier state.

use serde_json::{Value, json};

use crate::support::offers::{accept, ask, taken_back};
use crate::support::{Ask, Game, Server};

/// The numbers and kinds of rows, and which of them were taken back.
async fn rows(game: &Game, query: &str) -> Vec<(u64, String, bool)> {
    let page = game.anyone.get(&game.to(&format!("moves{query}"))).await;
    let page = page.expect(200);
    let row = |row: &Value| {
        let kind = row["kind"].as_str().unwrap().to_owned();
        let taken_back = row["taken_back"].as_bool().unwrap_or(false);
        (row["ply"].as_u64().unwrap(), kind, taken_back)
    };
    page["items"].as_array().unwrap().iter().map(row).collect()
}

fn sow(ply: u64) -> (u64, String, bool) {
    (ply, "sow".into(), false)
}

fn taken(ply: u64) -> (u64, String, bool) {
    (ply, "sow".into(), true)
}

fn takeback(ply: u64) -> (u64, String, bool) {
    (ply, "takeback".into(), false)
}

#[tokio::test]
async fn a_ply_is_taken_back() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let first = game.play(&["s1"]).await.expect(201)["game"].clone();
    let played = game.play(&["n1"]).await.expect(201)["game"].clone();
    assert_eq!(played["turn"], 3);

    let offer = ask(&game.north, &game, 1).await.expect(201);
    assert_eq!(
        offer["offer"],
        json!({ "id": 1, "kind": "takeback", "seat": "north", "ply": 2, "to_ply": 1, "until": null,
                "status": "open", "made_at": offer["offer"]["made_at"], "answered_at": null })
    );
    // Not to be answered at another position, nor by whoever asks.
    accept(&game.south, &game, &offer, 1)
        .await
        .problem(409, "stale_ply");
    accept(&game.north, &game, &offer, 2)
        .await
        .problem(409, "own_offer");
    let answer = accept(&game.south, &game, &offer, 2).await;
    assert!(!answer.replayed());
    let answer = answer.expect(200);
    assert_eq!(answer["offer"]["status"], "accepted");
    let state = &answer["game"];
    assert_eq!(state["ply"], 3);
    for same in ["board", "position", "to_move", "turn", "round", "rounds"] {
        assert_eq!(state[same], first[same], "{same}");
    }
    assert_eq!(state["offers"], json!([]));
    let action = state["legal_moves"][0]["action"].as_str().unwrap();
    assert_eq!(action, format!("m:{}:3:1", game.id));

    // Accepted again, also later: the same 200 with the game as it is.
    let again = accept(&game.south, &game, &offer, 2).await;
    assert!(again.replayed());
    assert_eq!(again.expect(200)["offer"], answer["offer"]);

    let row = game
        .anyone
        .get(&game.to("moves?rows=all"))
        .await
        .expect(200)["items"][2]
        .clone();
    assert_eq!(
        row,
        json!({ "kind": "takeback", "ply": 3, "seat": "north", "to_ply": 1, "after_ply": 2,
                "turn": 2, "round": 1, "position": first["position"],
                "elapsed_ms": row["elapsed_ms"], "played_at": row["played_at"],
                "source": "player", "taken_back": false })
    );
    assert_eq!(rows(&game, "").await, [sow(1)]);
    assert_eq!(
        rows(&game, "?rows=all").await,
        [sow(1), taken(2), takeback(3)]
    );
    game.verified().await;

    // Play goes on; the log only grows.
    let state = game.play(&["n2"]).await.expect(201)["game"].clone();
    assert_eq!((&state["ply"], &state["turn"]), (&json!(4), &json!(3)));
    assert_eq!(rows(&game, "").await, [sow(1), sow(4)]);
    game.verified().await;
}

#[tokio::test]
async fn past_states_follow_the_effective_line() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1", "n1", "s2"]).await.expect(201);
    let at = async |ply: u64| {
        let path = format!("{}?at_ply={ply}", game.path);
        game.anyone.get(&path).await
    };
    let (start, one) = (at(0).await.expect(200), at(1).await.expect(200));
    taken_back(&game, "south", 1).await;
    game.play(&["n3"]).await.expect(201);
    let five = at(5).await.expect(200);
    assert_eq!(at(0).await.expect(200)["position"], start["position"]);
    assert_eq!(at(1).await.expect(200)["position"], one["position"]);
    for ply in [2, 3, 6] {
        at(ply).await.problem(404, "unknown_ply");
    }
    // The takeback itself shows where play went on.
    let four = at(4).await.expect(200);
    assert_eq!(four["ply"], 4);
    assert_eq!(four["position"], one["position"]);
    assert_eq!(four["legal_moves"][0].get("action"), None);
    // A takeback takes takebacks back as well.
    let back = taken_back(&game, "north", 0).await;
    assert_eq!(back["ply"], 6);
    assert_eq!(back["position"], start["position"]);
    for ply in [1, 2, 3, 4, 5] {
        at(ply).await.problem(404, "unknown_ply");
    }
    assert_eq!(rows(&game, "").await, []);
    let all = rows(&game, "?rows=all").await;
    let taken_back: Vec<bool> = all.iter().map(|row| row.2).collect();
    assert_eq!(taken_back, [true, true, true, true, true, false]);
    game.verified().await;
    // What was replayed goes the same way again.
    game.play(&["s1", "n3"]).await.expect(201);
    assert_eq!(game.state().await["position"], five["position"]);
    game.verified().await;
}

/// `7 6` of the chain that wins in one turn, then `1`: each earns an extra turn.
#[tokio::test]
async fn part_of_a_chain_of_extra_turns() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let one = game.play(&["s7"]).await.expect(201)["game"].clone();
    let three = game.play(&["s6", "s1"]).await.expect(201)["game"].clone();
    assert_eq!(
        (&three["turn"], &three["to_move"]),
        (&json!(1), &json!(["south"]))
    );
    let back = taken_back(&game, "south", 1).await;
    assert_eq!(back["position"], one["position"]);
    assert_eq!(
        (&back["turn"], &back["to_move"]),
        (&json!(1), &json!(["south"]))
    );
    // To the row that took back is to where it went back to.
    game.play(&["s6"]).await.expect(201);
    let again = taken_back(&game, "north", 4).await;
    assert_eq!(again["ply"], 6);
    assert_eq!(again["position"], one["position"]);
    assert_eq!(rows(&game, "").await, [sow(1)]);
    game.verified().await;
}

/// A position that was taken back does not count for the rule of repetition.
#[tokio::test]
async fn repetition_counts_along_the_effective_line() {
    let server = Server::start().await;
    let start = "1,0,0,0,0,0,0/1,0,0,0,0,0,0 48-48 S r1:S";
    let rules = json!({ "loop_repeat": 2 });
    let game = Game::from(&server.api, "al-manqala", rules, start).await;
    // Thirteen plies of the cycle of fourteen.
    for ply in 0..13 {
        let state = game.state().await;
        let choice = &state["legal_moves"][0];
        let house = choice["house"].as_u64().unwrap();
        game.send(choice["seat"].as_str().unwrap(), ply, house)
            .await
            .expect(201);
    }
    let back = taken_back(&game, "south", 0).await;
    assert_eq!(back["position"], start);
    for number in 0..14 {
        let state = game.state().await;
        assert_eq!(state["status"], "playing", "{number}");
        let choice = &state["legal_moves"][0];
        let ply = state["ply"].as_u64().unwrap();
        let house = choice["house"].as_u64().unwrap();
        game.send(choice["seat"].as_str().unwrap(), ply, house)
            .await
            .expect(201);
    }
    let state = game.state().await;
    assert_eq!(
        state["status"], "finished",
        "once around: the start for the second time"
    );
    assert_eq!(state["result"]["reason"], "loop");
    game.verified().await;
}

/// The choice that was taken back, sent again by a client that missed the
/// takeback, finds its row and moves nothing.
#[tokio::test]
async fn a_retry_of_what_was_taken_back() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1"]).await.expect(201);
    taken_back(&game, "south", 0).await;
    let again = game.send("south", 0, 1).await;
    assert!(again.replayed());
    let again = again.expect(200);
    assert_eq!(
        (&again["row"]["ply"], &again["row"]["taken_back"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(again["game"]["ply"], 2);
    game.send("south", 0, 2).await.problem(409, "stale_ply");
    // The same house, played anew.
    let anew = game.send("south", 2, 1).await.expect(201);
    assert_eq!(
        (&anew["row"]["ply"], &anew["row"]["taken_back"]),
        (&json!(3), &json!(false))
    );
}

/// The log's formats tell the same of takebacks.
#[tokio::test]
async fn in_every_format() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1", "n1"]).await.expect(201);
    taken_back(&game, "north", 1).await;
    game.play(&["n4"]).await.expect(201);
    let read = async |query: &str, accept: &str| {
        let ask = Ask::get(&game.to(&format!("moves{query}")));
        let answer = game.anyone.ask(ask.header("accept", accept)).await;
        answer.is(200);
        answer.text().to_owned()
    };
    let json = game
        .anyone
        .get(&game.to("moves?rows=all"))
        .await
        .expect(200);
    let lines = read("?rows=all", "application/x-ndjson").await;
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(json["items"], json!(lines));
    let table = read("?rows=all", "text/csv").await;
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let column = |name: &str| columns.iter().position(|column| column == name).unwrap();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cells = |name: &str| {
        let column = column(name);
        records
            .iter()
            .map(|record| record[column].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(cells("kind"), ["sow", "sow", "takeback", "sow"]);
    assert_eq!(cells("to_ply"), ["", "", "1", ""]);
    assert_eq!(cells("taken_back"), ["false", "true", "false", "false"]);
    assert_eq!(read("", "text/csv").await.lines().count(), 3);
    // Pages of all rows go on as pages of all rows.
    let page = game.anyone.get(&game.to("moves?rows=all&limit=2")).await;
    let link = page.header("link").to_owned();
    assert!(link.contains("rows=all"), "{link}");
    let next = page.expect(200)["next_cursor"].as_str().unwrap().to_owned();
    let rest = game.to(&format!("moves?rows=all&cursor={next}"));
    let rest = game.anyone.get(&rest).await.expect(200);
    assert_eq!(rest["items"].as_array().unwrap().len(), 2);
    let other = game.to(&format!("moves?cursor={next}"));
    game.anyone.get(&other).await.problem(400, "bad_request");
}
