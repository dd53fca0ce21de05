//! Games that start elsewhere: by position text, by JSON as in a state, and those
//! that cannot start, each with its reason.

use serde_json::{Value, json};

use crate::support::{Game, Server};

#[tokio::test]
async fn text_and_json_are_the_same_start() {
    let server = Server::start().await;
    let starts = [
        (
            "congkak",
            json!({}),
            "0,0,0,15,0,0,0/0,0,0,0,0,0,3 40-40 S r1:S",
        ),
        (
            "congkak-traditional",
            json!({}),
            "0,2,0,0,x,x,1/0,0,0,5,0,0,0 45-45 S r2:S",
        ),
        (
            "congkak-arena",
            json!({}),
            "0,0,0,1,0,0,1/0,0,0,4,1,0 45-46 SN r1:- ?|? t0",
        ),
        (
            "congkak-traditional",
            json!({}),
            "8,8,8,8,8,0,1/8,8,8,8,0,7,7 1-1 S r1:- ?|9@s6 t7",
        ),
        (
            "al-manqala",
            json!({}),
            "0,0,0,14,0,0,0/0,0,0,0,4,0,0 40-40 S r1:S",
        ),
        (
            "congkak",
            json!({ "houses": 5, "seeds": 1 }),
            "1,1,1,1,0/1,1,1,1,1 1-0 N r1:S",
        ),
    ];
    for (ruleset, rules, text) in starts {
        let text = text.replace("4,1,0 45", "4,1,0,0 45");
        let game = Game::from(&server.api, ruleset, rules.clone(), &text).await;
        let state = game.state().await;
        assert_eq!(state["position"], text.as_str());
        assert_eq!(state["ply"], 0);
        assert_eq!(state["turn"], 1);
        // A state's own fields are a start.
        let mut start = json!({});
        for field in ["board", "to_move", "round", "opening"] {
            start[field] = state[field].clone();
        }
        start["starter"] = state["rounds"][0]["starter"].clone();
        let body = json!({ "ruleset": ruleset, "rules": rules, "start": start });
        let again = Game::create(&server.api, &body).await.state().await;
        assert_eq!(again["position"], text.as_str());
        assert_eq!(
            again["legal_moves"].as_array().unwrap().len(),
            state["legal_moves"].as_array().unwrap().len()
        );
        // Simulate takes the same.
        let path = format!("/v1/rulesets/{ruleset}/simulate");
        for start in [json!(text), start] {
            let body = json!({ "rules": rules, "start": start, "choices": [] });
            let answer = server.api.post(&path, &body).await.expect(200);
            assert_eq!(answer["states"][0]["position"], text.as_str());
        }
    }
}

#[tokio::test]
async fn what_may_be_left_out() {
    let server = Server::start().await;
    let row = |houses: [u64; 7], store: u64| json!({ "houses": houses, "store": store });
    let start = json!({
        "board": {
            "south": row([0, 0, 0, 1, 0, 0, 0], 46),
            "north": row([0, 4, 0, 0, 0, 0, 0], 47),
        },
        "to_move": ["north"],
    });
    let body = json!({ "ruleset": "congkak-traditional", "start": start });
    let state = Game::create(&server.api, &body).await.state().await;
    // Round 1, started by the seat to move; the opening is skipped.
    assert_eq!(
        state["position"],
        "0,0,0,1,0,0,0/0,4,0,0,0,0,0 46-47 N r1:N"
    );
    assert_eq!(state["status"], "playing");
    assert_eq!(state["opening"], Value::Null);
    // Null is the usual start.
    let body = json!({ "ruleset": "congkak-traditional", "start": null });
    let state = Game::create(&server.api, &body).await.state().await;
    assert_eq!(state["status"], "opening");
}

#[tokio::test]
async fn refused_with_the_reason() {
    let server = Server::start().await;
    let refused = [
        ("congkak", "", "position"),
        ("congkak", "nonsense", "position"),
        (
            "congkak",
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r1:S ",
            "position",
        ),
        (
            "congkak",
            "07,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r1:S",
            "position",
        ),
        (
            "congkak",
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 1-0 S r1:S",
            "99 seeds",
        ),
        (
            "congkak",
            "7,7,7,7,7,7,6/7,7,7,7,7,7,7 0-0 S r1:S",
            "97 seeds",
        ),
        ("congkak", "7,7,7,7,7,7/7,7,7,7,7,7 7-7 S r1:S", "6 houses"),
        (
            "congkak",
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r2:S",
            "round 2",
        ),
        (
            "congkak",
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r0:S",
            "position",
        ),
        (
            "congkak",
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 - r1:S",
            "needs a seat to move",
        ),
        (
            "congkak",
            "0,0,0,0,0,0,0/7,7,7,7,7,7,7 49-0 S r1:S",
            "no legal choice",
        ),
        (
            "congkak",
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 SN r1:- ?|? t0",
            "simultaneous opening",
        ),
        (
            "congkak-traditional",
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r1:- ?|.9 t7",
            "tick 9",
        ),
        (
            "al-manqala",
            "7,7,7,7,7,7,7/7,7,7,7,7,7,6 1-0 S r1:S",
            "even",
        ),
        (
            "al-manqala",
            "0,0,0,0,0,0,1/7,7,7,7,7,5,7 50-0 S r1:S",
            "majority",
        ),
        (
            "al-manqala",
            "7,7,7,7,7,7,x/7,7,7,7,7,7,7 6-1 S r1:S",
            "burnt",
        ),
        (
            "al-manqala",
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r2:S",
            "round 2",
        ),
        (
            "al-manqala",
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 SN r1:- ?|? t0",
            "simultaneous opening",
        ),
        // Nothing feeds the empty row, so nothing is legal.
        ("al-manqala", "1,0,0,0,0,0,0/0,0,0,0,0,0,0 48-48 S r1:S", ""),
        (
            "congkak",
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r1:S\u{0}",
            "position",
        ),
    ];
    for (ruleset, start, reason) in refused {
        let body = json!({ "ruleset": ruleset, "start": start });
        let problem = server
            .api
            .post("/v1/games", &body)
            .await
            .problem(422, "bad_start");
        assert_eq!(problem["parameter"], "start", "{start}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(reason), "{start}: {detail}");
        let path = format!("/v1/rulesets/{ruleset}/simulate");
        let body = json!({ "start": start });
        server
            .api
            .post(&path, &body)
            .await
            .problem(422, "bad_start");
    }
    let not_starts = [
        json!(7),
        json!([]),
        json!({}),
        json!(true),
        json!({ "board": {} }),
    ];
    for start in not_starts {
        let body = json!({ "ruleset": "congkak", "start": start });
        let problem = server
            .api
            .post("/v1/games", &body)
            .await
            .problem(422, "bad_start");
        assert_eq!(problem["parameter"], "start", "{start}");
    }
    // Nothing was made.
    let mut db = server.db.connect().await;
    let games: i64 = sqlx::query_scalar("select count(*) from games")
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(games, 0);
}

/// JSON that contradicts itself or the rules.
#[tokio::test]
async fn refused_json() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-arena").await;
    let board = game.state().await["board"].clone();
    let good = json!({ "board": board, "to_move": ["south"] });
    let body = json!({ "ruleset": "congkak-arena", "start": good });
    server.api.post("/v1/games", &body).await.expect(201);
    let change = |path: &str, value: Value| {
        let mut start = good.clone();
        match start.pointer_mut(path) {
            Some(place) => *place = value,
            None => start[&path[1..]] = value,
        }
        start
    };
    let bad = [
        change("/to_move", json!([])),
        change("/to_move", json!(["south", "north"])),
        change("/to_move", json!(["south", "south"])),
        change("/to_move", json!(["east"])),
        change("/to_move", json!("south")),
        change("/round", json!(0)),
        change("/round", json!(-1)),
        change("/round", json!(1.5)),
        change("/round", json!(70000)),
        change("/starter", json!("east")),
        change("/colour", json!("red")),
        change("/board/south/houses/0", json!(-7)),
        change("/board/south/houses/0", json!(7.5)),
        change("/board/south/houses/0", json!("7")),
        change("/board/south/houses/0", json!(70000)),
        change("/board/south/store", json!(4_294_967_296_u64)),
        change("/board/south/burnt", json!([1])),
        change("/board/south/burnt", json!([8])),
        change("/board/south/burnt", json!([0])),
        change("/board/south/hand", json!({ "seeds": 0, "over": "st" })),
        change("/board/south/hand", json!({ "seeds": 1, "over": "s9" })),
        change("/board/north", Value::Null),
        change(
            "/opening",
            json!({ "tick": 0, "done": { "south": null, "north": null } }),
        ),
        change(
            "/opening",
            json!({ "tick": -1, "done": { "south": null, "north": null } }),
        ),
    ];
    for start in bad {
        let body = json!({ "ruleset": "congkak-arena", "start": start });
        let problem = server
            .api
            .post("/v1/games", &body)
            .await
            .problem(422, "bad_start");
        assert_eq!(problem["parameter"], "start", "{start}: {problem}");
    }
}
