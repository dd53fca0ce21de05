//! What rows, clocks and events tell of conditional moves that were played.

use serde_json::{Value, json};

use crate::support::follow::{events, types};
use crate::support::lines::lay;
use crate::support::{Ask, Clock, Game, Server};

#[tokio::test]
async fn what_a_row_of_a_line_tells() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    for api in [&game.south, &game.north] {
        let lines = json!([[1, 1, 2, 2, 3, 3, 4, 4]]);
        lay(api, &game, 0, lines).await.expect(200);
    }
    let body = json!({ "after_ply": 0, "house": 1, "message": "go" });
    let answer = game.south.post(&game.to("moves"), &body).await.expect(201);
    assert_eq!(answer["row"]["message"], "go");
    assert_eq!(answer["row"]["trace"][0]["from"], "s1");
    let page = game
        .south
        .get(&game.to("moves?trace=true"))
        .await
        .expect(200);
    let rows = page["items"].as_array().unwrap();
    let last = &rows[7];
    assert_eq!(
        *last,
        json!({ "ply": 8, "kind": "sow", "seat": "north", "after_ply": 7, "house": 4, "turn": 8,
                "round": 1, "seeds_sown": 13, "lap_count": 1, "captured": 2, "banked": 2,
                "extra_turn": false, "passed": false, "other": null,
                "position": "5,4,2,1,13,13,13/4,3,0,0,13,13,12 0-2 S r1:S",
                "elapsed_ms": 0, "played_at": answer["row"]["played_at"],
                "source": "conditional", "taken_back": false, "trace": last["trace"] })
    );
    assert_eq!(
        last["trace"],
        json!([{ "step": "lap", "seat": "north", "from": "n4", "seeds": 13, "to": "n3" },
               { "step": "capture", "seat": "north", "at": "n3", "from": ["n3"], "seeds": 2 }])
    );
    for (row, number) in rows.iter().zip(1..) {
        assert_eq!(row["played_at"], answer["row"]["played_at"]);
        assert_eq!(row.get("message").is_some(), number == 1);
        let path = format!("{}?at_ply={number}", game.path);
        let past = game.anyone.get(&path).await.expect(200);
        assert_eq!(
            (&past["ply"], &past["position"]),
            (&json!(number), &row["position"])
        );
    }
    let ask = Ask::get(&game.to("moves")).header("accept", "text/csv");
    let table = game.anyone.ask(ask).await;
    table.is(200);
    let mut reader = csv::Reader::from_reader(table.text().as_bytes());
    let columns = reader.headers().unwrap().clone();
    let column = |name: &str| columns.iter().position(|column| column == name).unwrap();
    let (source, elapsed) = (column("source"), column("elapsed_ms"));
    for (number, record) in reader.records().map(Result::unwrap).enumerate().skip(1) {
        assert_eq!(
            (&record[source], &record[elapsed]),
            ("conditional", "0"),
            "{number}"
        );
    }
}

/// Every ply of a line gives the next seat its whole time, and costs its own none.
#[tokio::test]
async fn clocks() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 600, "reserve": 60 } });
    let game = Game::create(&server.api, &body).await;
    lay(&game.north, &game, 0, json!([[1, 1, 2, 2]]))
        .await
        .expect(200);
    clock.pass(630).await;
    let answer = game.send("south", 0, 1).await.expect(201);
    assert_eq!(answer["game"]["ply"], 2);
    // South's own hand took 30 of its reserve; it has its whole time again.
    let seats = json!({
        "south": { "move_by": clock.hence(600), "deadline": clock.hence(630), "reserve_left": 30 },
        "north": { "move_by": null, "deadline": null, "reserve_left": 60 } });
    assert_eq!(answer["game"]["clock"]["seats"], seats);
    clock.pass(100).await;
    let answer = game.send("south", 2, 2).await.expect(201);
    let seats = json!({
        "south": { "move_by": clock.hence(600), "deadline": clock.hence(630), "reserve_left": 30 },
        "north": { "move_by": null, "deadline": null, "reserve_left": 60 } });
    assert_eq!(answer["game"]["clock"]["seats"], seats);
    let log = game.log().await;
    let elapsed: Vec<_> = log
        .iter()
        .map(|row| row["elapsed_ms"].as_u64().unwrap())
        .collect();
    assert_eq!(elapsed, [630_000, 0, 100_000, 0]);

    // Extra turns out of a line keep the turn's time, as those by hand.
    let body = json!({ "ruleset": "congkak", "clock": { "per_move": 600, "reserve": 60 } });
    let game = Game::create(&server.api, &body).await;
    lay(&game.south, &game, 0, json!([[7, 6, 1]]))
        .await
        .expect(200);
    clock.pass(580).await;
    let answer = game.send("south", 0, 7).await.expect(201);
    assert_eq!(answer["game"]["ply"], 3);
    let south =
        json!({ "move_by": clock.hence(150), "deadline": clock.hence(210), "reserve_left": 60 });
    assert_eq!(answer["game"]["clock"]["seats"]["south"], south);
}

/// Rows of a line are events like all others; a turn is told of that is really owed.
#[tokio::test]
async fn one_event_for_each_row() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 600, "reserve": 60 } });
    let game = Game::create(&server.api, &body).await;
    for api in [&game.south, &game.north] {
        lay(api, &game, 0, json!([[1, 1, 2, 2, 3]]))
            .await
            .expect(200);
    }
    game.send("south", 0, 1).await.expect(201);
    server.db.place_events().await;
    let all = events(&game.anyone, &game.to("events")).await;
    let expected = [
        "game.created",
        "game.started",
        "turn.started",
        "move.played",
        "move.played",
        "move.played",
        "move.played",
        "move.played",
        "turn.started",
    ];
    assert_eq!(types(&all), expected);
    let plies: Vec<_> = all
        .iter()
        .map(|event| event["ply"].as_u64().unwrap())
        .collect();
    assert_eq!(plies, [0, 0, 0, 1, 2, 3, 4, 5, 5]);
    let summaries: Vec<_> = all[3..]
        .iter()
        .map(|event| &event["data"]["summary"])
        .collect();
    let expected = [
        "South sowed 1.",
        "North sowed 1.",
        "South sowed 2.",
        "North sowed 2.",
        "South sowed 3.",
        "It is North's turn.",
    ];
    assert_eq!(summaries, expected);
    let deadline = clock.hence(660);
    for (event, number) in all[3..8].iter().zip(1..) {
        let (seat, source) = match number {
            1 => ("south", "player"),
            3 | 5 => ("south", "conditional"),
            _ => ("north", "conditional"),
        };
        assert_eq!(
            event["data"]["facts"],
            json!({ "seat": seat, "house": (number + 1) / 2, "lap_count": 1, "captured": 0,
                    "extra_turn": false, "passed": false, "source": source, "deadline": deadline })
        );
        assert_eq!(
            event["for"],
            json!([{ "seat": "south" }, { "seat": "north" }])
        );
    }
    assert_eq!(all[8]["for"], json!([{ "seat": "north" }]));
    assert_eq!(
        all[8]["data"]["facts"],
        json!({ "seat": "north", "deadline": deadline })
    );
}

/// Within one turn no turn is told of, whoever's line went on.
#[tokio::test]
async fn no_turn_begins_within_extra_turns() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    lay(&game.south, &game, 0, json!([[7, 6, 1]]))
        .await
        .expect(200);
    game.send("south", 0, 7).await.expect(201);
    server.db.place_events().await;
    let all: Vec<Value> = events(&game.anyone, &game.to("events")).await;
    let moves = ["move.played", "move.played", "move.played"];
    assert_eq!(types(&all)[3..], moves);
}
