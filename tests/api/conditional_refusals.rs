//! Conditional moves that cannot be laid down: nothing is changed by them.

use serde_json::{Value, json};

use crate::support::lines::{drop_lines, lay, wait, waiting};
use crate::support::{Answer, Ask, Game, Made, Person, Server};

/// The places of `legal_moves`, such as `s4`.
fn legal(problem: &Value) -> Vec<String> {
    let word = |legal: &Value| {
        format!(
            "{}{}",
            &legal["seat"].as_str().unwrap()[..1],
            legal["house"]
        )
    };
    problem["legal_moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(word)
        .collect()
}

#[tokio::test]
async fn a_ply_that_the_rules_do_not_allow() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let kept = json!([[1, 1, 2, 2]]);
    lay(&game.north, &game, 0, kept.clone()).await.expect(200);
    let before = server.db.rows(&game.id).await;
    let refused = async |lines: Value, parameter: &str, houses: &[&str]| {
        let shown = lines.to_string();
        let problem = lay(&game.north, &game, 0, lines).await;
        let problem = problem.problem(422, "illegal_move");
        assert_eq!(problem["parameter"], parameter, "{shown}");
        assert_eq!(legal(&problem), houses, "{shown}");
    };
    let (south, north) = (
        ["s1", "s2", "s3", "s4", "s5", "s6", "s7"],
        ["n1", "n2", "n3", "n4", "n5", "n6", "n7"],
    );
    for house in [0, 8, 15, 16, 255, 256, 257, u32::MAX] {
        refused(json!([[house]]), "lines[0][0]", &south).await;
        refused(json!([[1, 1, 2, 2], [1, house]]), "lines[1][1]", &north).await;
    }
    let lines = json!([[1, 1, 2, 2], [2, 1], [1, 1, 3, 4, 2, 2, 8]]);
    refused(lines, "lines[2][6]", &south).await;
    // After `s1 n1 s1` north's 1 is empty still. Lines without plies are counted.
    refused(json!([[], [1, 1, 1, 1]]), "lines[1][3]", &north[1..]).await;
    let rows = server.db.rows(&game.id).await;
    assert_eq!(rows, before);
    assert_eq!(waiting(&game.north, &game).await, wait(0, kept));

    // House 7 earns an extra turn, and is empty then.
    let game = Game::of(&server.api, "congkak").await;
    for api in [&game.south, &game.north] {
        let problem = lay(api, &game, 0, json!([[7, 7]])).await;
        let problem = problem.problem(422, "illegal_move");
        assert_eq!(problem["parameter"], "lines[0][1]");
        assert_eq!(legal(&problem), ["s1", "s2", "s3", "s4", "s5", "s6"]);
    }
}

/// Burnt houses, the duty to feed, the end of the game.
#[tokio::test]
async fn rules_that_come_to_count_within_a_line() {
    let server = Server::start().await;
    let rules = json!({ "houses": 5, "seeds": 1, "max_rounds": 3 });
    let body = json!({ "ruleset": "congkak", "rules": rules });
    let game = Game::create(&server.api, &body).await;
    // The second round begins: north's 3, 4 and 5 are burnt.
    let problem = lay(&game.south, &game, 0, json!([[3, 1, 2, 1, 3]])).await;
    let problem = problem.problem(422, "illegal_move");
    assert_eq!(problem["parameter"], "lines[0][4]");
    assert_eq!(legal(&problem), ["n1", "n2"]);
    // After `s7` and the pass south has to feed.
    let start = "0,0,1,0,1,2,1/1,0,0,0,0,0,0 46-46 S r1:S";
    let game = Game::from(&server.api, "al-manqala", json!({}), start).await;
    let problem = lay(&game.north, &game, 0, json!([[7, 3]])).await;
    let problem = problem.problem(422, "illegal_move");
    assert_eq!(
        (&problem["parameter"], legal(&problem)),
        (&json!("lines[0][1]"), vec!["s6".into()])
    );
    // A majority ends the game: nothing comes after it.
    let start = "1,0,1,1,0,0,1/1,1,0,0,0,0,0 46-46 S r1:S";
    let game = Game::from(&server.api, "al-manqala", json!({}), start).await;
    let problem = lay(&game.north, &game, 0, json!([[7, 2, 3, 1]])).await;
    let problem = problem.problem(422, "illegal_move");
    assert_eq!(problem["parameter"], "lines[0][3]");
    assert_eq!(problem["legal_moves"], json!([]));
}

#[tokio::test]
async fn lines_that_part_at_an_own_choice() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let ask = async |seat: &str, lines: Value| lay(game.seat(seat), &game, 0, lines).await;
    for (seat, lines, parameter) in [
        ("north", json!([[1, 1], [1, 2]]), "lines[1][1]"),
        (
            "north",
            json!([[1, 1, 2, 2], [2, 1], [1, 1, 2, 3]]),
            "lines[2][3]",
        ),
        (
            "north",
            json!([[1, 1, 2, 2], [], [1, 1], [1, 5, 2, 3]]),
            "lines[3][1]",
        ),
        ("south", json!([[1], [2]]), "lines[1][0]"),
        ("south", json!([[1, 1, 2], [1, 1, 3]]), "lines[1][2]"),
    ] {
        let problem = ask(seat, lines.clone()).await.problem(422, "lines_part");
        assert_eq!(problem["parameter"], parameter, "{lines}");
        assert_eq!(problem.get("legal_moves"), None);
        assert_eq!(waiting(game.seat(seat), &game).await, wait(0, json!([])));
    }
    for (seat, lines) in [
        (
            "north",
            json!([[1, 1, 2, 2], [1, 1, 3, 4], [1, 1], [1, 1, 2], [2, 5]]),
        ),
        // The same own choice at other places.
        ("north", json!([[1, 1, 2, 2], [2, 2, 1, 3]])),
        ("south", json!([[1, 1, 2], [1, 2, 3], [1]])),
    ] {
        let laid = ask(seat, lines.clone()).await.expect(200);
        assert_eq!(laid, wait(0, lines));
    }
    // An extra turn is an own choice too.
    let game = Game::of(&server.api, "congkak").await;
    let parts = json!([[7, 6], [7, 5]]);
    let problem = lay(&game.south, &game, 0, parts.clone()).await;
    let problem = problem.problem(422, "lines_part");
    assert_eq!(problem["parameter"], "lines[1][1]");
    lay(&game.north, &game, 0, parts).await.expect(200);
}

#[tokio::test]
async fn where_the_game_does_not_take_them() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1"]).await;
    for after_ply in [0, 2, 2_147_483_647] {
        let problem = lay(&game.north, &game, after_ply, json!([[1, 2]])).await;
        let problem = problem.problem(409, "stale_ply");
        assert_eq!(problem["current_ply"], 1);
    }
    // Both openings come first.
    for seat in ["south", "north"] {
        let game = Game::of(&server.api, "congkak-traditional").await;
        let api = game.seat(seat);
        let opening = async |ply: u64, lines: Value| {
            lay(api, &game, ply, lines).await.problem(409, "in_opening");
            assert_eq!(waiting(api, &game).await, wait(ply, json!([])));
            drop_lines(api, &game).await.is(204);
        };
        opening(0, json!([[1]])).await;
        opening(0, json!([])).await;
        game.send("north", 0, 5).await.expect(202);
        opening(0, json!([[7]])).await;
        game.send("south", 0, 7).await.expect(201);
        opening(2, json!([[3]])).await;
        let mut state = game.state().await;
        while state["status"] == "opening" {
            let legal = &state["legal_moves"][0];
            let (seat, house) = (legal["seat"].as_str().unwrap(), &legal["house"]);
            let ply = state["ply"].as_u64().unwrap();
            game.send(seat, ply, house.as_u64().unwrap()).await;
            state = game.state().await;
        }
        let (ply, house) = (
            state["ply"].as_u64().unwrap(),
            &state["legal_moves"][0]["house"],
        );
        lay(api, &game, ply, json!([[house]])).await.expect(200);
    }
    // A game that has not started, whether the seat is known or still to be drawn.
    let ana = Person::new(&server.api, "ana").await;
    for seat in ["south", "random"] {
        let fields = json!({ "seat": seat, "opponent": { "open": true } });
        let made = Made::by(&ana.api, "al-manqala", fields).await;
        let path = made.to("conditionals");
        let body = json!({ "after_ply": 0, "lines": [] });
        for ask in [
            Ask::new("PUT", &path).json(&body),
            Ask::get(&path),
            Ask::new("DELETE", &path),
        ] {
            ana.api.ask(ask).await.problem(409, "not_started");
        }
    }
}

#[tokio::test]
async fn bodies_without_the_documented_form() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let kept = json!([[1, 1, 2, 2]]);
    lay(&game.north, &game, 0, kept.clone()).await.expect(200);
    let before = server.db.rows(&game.id).await;
    let put = async |body: &str| -> Answer {
        let ask = Ask::new("PUT", &game.to("conditionals"));
        let ask = ask.header("content-type", "application/json").body(body);
        game.north.ask(ask).await
    };
    for (body, parameter) in [
        ("", Some("after_ply")),
        ("{}", Some("after_ply")),
        ("null", None),
        ("[0, [[1]]]", None),
        ("[[1, 1]]", None),
        (r#"{"lines": [[1]]}"#, Some("after_ply")),
        (r#"{"after_ply": 0}"#, Some("lines")),
        (r#"{"after_ply": null, "lines": [[1]]}"#, Some("after_ply")),
        (r#"{"after_ply": "0", "lines": [[1]]}"#, Some("after_ply")),
        (r#"{"after_ply": 0.0, "lines": [[1]]}"#, Some("after_ply")),
        (r#"{"after_ply": -1, "lines": [[1]]}"#, Some("after_ply")),
        (
            r#"{"after_ply": 2147483648, "lines": [[1]]}"#,
            Some("after_ply"),
        ),
        (r#"{"after_ply": 0, "lines": null}"#, Some("lines")),
        (r#"{"after_ply": 0, "lines": {}}"#, Some("lines")),
        (r#"{"after_ply": 0, "lines": "1,1"}"#, Some("lines")),
        (r#"{"after_ply": 0, "lines": 1}"#, Some("lines")),
        (r#"{"after_ply": 0, "lines": [1, 1]}"#, Some("lines[0]")),
        (
            r#"{"after_ply": 0, "lines": [[1], null]}"#,
            Some("lines[1]"),
        ),
        (
            r#"{"after_ply": 0, "lines": [[1], {"0": 1}]}"#,
            Some("lines[1]"),
        ),
        (r#"{"after_ply": 0, "lines": ["11"]}"#, Some("lines[0]")),
        (r#"{"after_ply": 0, "lines": [["1"]]}"#, Some("lines[0][0]")),
        (
            r#"{"after_ply": 0, "lines": [[1, null]]}"#,
            Some("lines[0][1]"),
        ),
        (
            r#"{"after_ply": 0, "lines": [[1, true]]}"#,
            Some("lines[0][1]"),
        ),
        (
            r#"{"after_ply": 0, "lines": [[1], [1, [1]]]}"#,
            Some("lines[1][1]"),
        ),
        (
            r#"{"after_ply": 0, "lines": [[1, {}]]}"#,
            Some("lines[0][1]"),
        ),
        (r#"{"after_ply": 0, "lines": [[1.5]]}"#, Some("lines[0][0]")),
        (r#"{"after_ply": 0, "lines": [[1.0]]}"#, Some("lines[0][0]")),
        (r#"{"after_ply": 0, "lines": [[1e0]]}"#, Some("lines[0][0]")),
        (r#"{"after_ply": 0, "lines": [[-1]]}"#, Some("lines[0][0]")),
        (
            r#"{"after_ply": 0, "lines": [[4294967296]]}"#,
            Some("lines[0][0]"),
        ),
        (
            r#"{"after_ply": 0, "lines": [[99999999999999999999999]]}"#,
            Some("lines[0][0]"),
        ),
        (
            r#"{"after_ply": 0, "lines": [[1e999]]}"#,
            Some("lines[0][0]"),
        ),
        (r#"{"after_ply": 0, "lines": [[01]]}"#, None),
        (r#"{"after_ply": 0, "lines": [[1,]]}"#, None),
        (r#"{"after_ply": 0, "lines": [[1]"#, None),
        (
            r#"{"after_ply": 0, "lines": [[1]], "seat": "north"}"#,
            Some("seat"),
        ),
        (
            r#"{"after_ply": 0, "lines": [[1]], "lines": [[1]]}"#,
            Some("lines"),
        ),
        (r#"{"after_ply": 0, "Lines": [[1]]}"#, Some("Lines")),
    ] {
        let problem = put(body).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], json!(parameter), "{body}: {problem}");
    }
    let deep = format!("{{\"after_ply\": 0, \"lines\": {}", "[".repeat(5000));
    put(&deep).await.problem(400, "bad_request");
    let large = format!(
        "{{\"after_ply\": 0, \"lines\": [[{}1]]}}",
        "1,".repeat(40_000)
    );
    put(&large).await.problem(413, "payload_too_large");
    assert_eq!(server.db.rows(&game.id).await, before);
    assert_eq!(waiting(&game.north, &game).await, wait(0, kept));
    let plain = Ask::new("PUT", &game.to("conditionals")).body("{}");
    let plain = game.north.ask(plain).await;
    plain.problem(415, "unsupported_media_type");
}

/// Two hundred plies in all, not in each line, and two hundred lines.
#[tokio::test]
async fn two_hundred_plies() {
    let server = Server::start().await;
    let start = "1,0,0,0,0,0,0/1,0,0,0,0,0,0 48-48 S r1:S";
    let rules = json!({ "loop_repeat": null });
    let game = Game::from(&server.api, "al-manqala", rules, start).await;
    let cycle = |plies: usize| -> Vec<usize> { (0..plies).map(|ply| ply / 2 % 7 + 1).collect() };
    let most = [
        json!([cycle(200)]),
        json!([cycle(199), [1]]),
        json!(vec![cycle(2); 100]),
        json!(vec![[1]; 200]),
    ];
    for lines in most {
        let laid = lay(&game.north, &game, 0, lines.clone()).await.expect(200);
        assert_eq!(laid, wait(0, lines.clone()));
        assert_eq!(waiting(&game.north, &game).await, laid);
    }
    let kept = waiting(&game.north, &game).await;
    let mut empty = vec![json!([]); 200];
    empty.push(json!([1]));
    let too_many = [
        json!([cycle(201)]),
        json!([cycle(200), [1]]),
        json!(vec![cycle(3); 67]),
        json!(vec![[1]; 201]),
        // Before it is known whether they could be played.
        json!([vec![99; 201]]),
        json!(empty),
    ];
    for lines in too_many {
        let problem = lay(&game.north, &game, 0, lines).await;
        let problem = problem.problem(400, "bad_request");
        assert_eq!(problem["parameter"], "lines");
        assert_eq!(waiting(&game.north, &game).await, kept);
    }
}
