//! Boards as text, written down as a person sees them: every size, either side up,
//! either charset, burnt houses. What the words beside them say is in
//! `boards_in_words`.

use serde_json::{Value, json};

use crate::support::drawing::{board, columns, drawn};
use crate::support::{Ask, Game, Server};

const FIRST: &str = "
    ¦▸ North
    ¦       7   6   5   4   3   2   1
    ¦╭────┬───┬───┬───┬───┬───┬───┬───┬────╮
    ¦│    │ 8 │ · │ 8 │ 8 │ · │ 8 │ 8 │    │
    ¦│ 10 ├───┼───┼───┼───┼───┼───┼───┤  0 │
    ¦│    │ 8 │ · │ 8 │ 8 │ 8 │ 8 │ 8 │    │
    ¦╰────┴───┴───┴───┴───┴───┴───┴───┴────╯
    ¦       1   2*  3   4   5   6   7
    ¦  South
    ¦
    ¦North to move";

#[tokio::test]
async fn seven_houses() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let start = "
        ¦  North
        ¦       7   6   5   4   3   2   1
        ¦╭────┬───┬───┬───┬───┬───┬───┬───┬────╮
        ¦│    │ 7 │ 7 │ 7 │ 7 │ 7 │ 7 │ 7 │    │
        ¦│  0 ├───┼───┼───┼───┼───┼───┼───┤  0 │
        ¦│    │ 7 │ 7 │ 7 │ 7 │ 7 │ 7 │ 7 │    │
        ¦╰────┴───┴───┴───┴───┴───┴───┴───┴────╯
        ¦       1   2   3   4   5   6   7
        ¦▸ South
        ¦
        ¦South to move";
    assert_eq!(drawn(&game, "").await, board(start));
    game.play(&["s2"]).await;
    assert_eq!(drawn(&game, "").await, board(FIRST));
    assert_eq!(columns(&board(FIRST)), 39);
    // The past says that it is past.
    let past = start.replace("South to move", "After ply 0\n        ¦South to move");
    assert_eq!(drawn(&game, "?ply=0").await, board(&past));
    // After the last row it is the present.
    assert_eq!(drawn(&game, "?ply=1").await, board(FIRST));
    for unknown in ["-1", "2", "9223372036854775807"] {
        let path = game.to(&format!("board.txt?ply={unknown}"));
        game.anyone.get(&path).await.problem(404, "unknown_ply");
    }
}

#[tokio::test]
async fn in_ascii() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s2"]).await;
    let expected = "
        ¦> North
        ¦       7   6   5   4   3   2   1
        ¦+----+---+---+---+---+---+---+---+----+
        ¦|    | 8 | . | 8 | 8 | . | 8 | 8 |    |
        ¦| 10 +---+---+---+---+---+---+---+  0 |
        ¦|    | 8 | . | 8 | 8 | 8 | 8 | 8 |    |
        ¦+----+---+---+---+---+---+---+---+----+
        ¦       1   2*  3   4   5   6   7
        ¦  South
        ¦
        ¦North to move";
    let ascii = drawn(&game, "?charset=ascii").await;
    assert_eq!(ascii, board(expected));
    assert!(ascii.is_ascii());
    assert_eq!(drawn(&game, "?charset=unicode").await, board(FIRST));
}

/// The viewer's own row is the lower one, unless `pov` says otherwise.
#[tokio::test]
async fn the_other_side_up() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s2"]).await;
    let expected = board(
        "
        ¦  South
        ¦       7   6   5   4   3   2*  1
        ¦╭────┬───┬───┬───┬───┬───┬───┬───┬────╮
        ¦│    │ 8 │ 8 │ 8 │ 8 │ 8 │ · │ 8 │    │
        ¦│  0 ├───┼───┼───┼───┼───┼───┼───┤ 10 │
        ¦│    │ 8 │ 8 │ · │ 8 │ 8 │ · │ 8 │    │
        ¦╰────┴───┴───┴───┴───┴───┴───┴───┴────╯
        ¦       1   2   3   4   5   6   7
        ¦▸ North
        ¦
        ¦North to move",
    );
    assert_eq!(drawn(&game, "?pov=north").await, expected);
    assert_eq!(drawn(&game, "?pov=south").await, board(FIRST));
    let path = game.to("board.txt");
    for (api, own) in [
        (&game.north, &expected),
        (&game.south, &board(FIRST)),
        (&game.anyone, &board(FIRST)),
    ] {
        assert_eq!(api.get(&path).await.text(), own);
        // The game itself, for whoever wants text.
        let ask = Ask::get(&game.path).header("accept", "text/plain");
        let answer = api.ask(ask).await;
        assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(answer.text(), own);
    }
    let south = game.north.get(&game.to("board.txt?pov=south")).await;
    assert_eq!(south.text(), board(FIRST));
    let ask = Ask::get(&format!("{}?at_ply=0", game.path)).header("accept", "text/plain");
    let past = game.north.ask(ask).await;
    assert_eq!(
        past.text(),
        game.north.get(&game.to("board.txt?ply=0")).await.text()
    );
}

/// Five houses in a series: some are burnt, and the round is named.
#[tokio::test]
async fn burnt_houses() {
    let server = Server::start().await;
    let rules = json!({ "houses": 5, "max_rounds": null });
    let start = "1,0,8,x,x/2,13,0,x,4 12-10 S r2:N";
    let game = Game::from(&server.api, "congkak", rules, start).await;
    let expected = "
        ¦  North
        ¦       5   4   3   2   1
        ¦╭────┬───┬───┬───┬───┬───┬────╮
        ¦│    │ 4 │ ╳ │ · │13 │ 2 │    │
        ¦│ 12 ├───┼───┼───┼───┼───┤ 10 │
        ¦│    │ 1 │ · │ 8 │ ╳ │ ╳ │    │
        ¦╰────┴───┴───┴───┴───┴───┴────╯
        ¦       1   2   3   4   5
        ¦▸ South
        ¦
        ¦Round 2
        ¦South to move";
    assert_eq!(drawn(&game, "").await, board(expected));
    let ascii = drawn(&game, "?charset=ascii").await;
    assert!(
        ascii.contains("\n|    | 4 | x | . |13 | 2 |    |\n"),
        "{ascii}"
    );
    let rules = json!({ "houses": 5, "max_rounds": 4 });
    let game = Game::from(&server.api, "congkak", rules, start).await;
    assert!(drawn(&game, "").await.contains("\nRound 2 of 4\n"));
}

/// The largest board, with counts of three digits.
#[tokio::test]
async fn fifteen_houses() {
    let server = Server::start().await;
    let rules = json!({ "houses": 15 });
    let start = "15,0,31,1,2,115,16,7,8,9,10,11,12,13,14/\
                 15,0,3,1,2,5,6,17,8,9,10,1,2,3,4 0-100 N r1:S";
    let game = Game::from(&server.api, "congkak", rules, start).await;
    let expected = board(
        "
        ¦▸ North
        ¦      15  14  13  12  11  10   9   8   7   6   5   4   3   2   1
        ¦╭────┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬───┬────╮
        ¦│    │ 4 │ 3 │ 2 │ 1 │10 │ 9 │ 8 │17 │ 6 │ 5 │ 2 │ 1 │ 3 │ · │15 │    │
        ¦│  0 ├───┼───┼───┼───┼───┼───┼───┼───┼───┼───┼───┼───┼───┼───┼───┤100 │
        ¦│    │15 │ · │31 │ 1 │ 2 │115│16 │ 7 │ 8 │ 9 │10 │11 │12 │13 │14 │    │
        ¦╰────┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴───┴────╯
        ¦       1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
        ¦  South
        ¦
        ¦North to move",
    );
    assert_eq!(drawn(&game, "").await, expected);
    assert_eq!(columns(&expected), 71);
}

/// Every size keeps its frame: all lines of the frame are as wide as the first.
#[tokio::test]
async fn every_size() {
    let server = Server::start().await;
    for ruleset in ["congkak", "al-manqala"] {
        for houses in 5..=15 {
            let body = json!({ "ruleset": ruleset, "rules": { "houses": houses } });
            let game = Game::create(&server.api, &body).await;
            for charset in ["unicode", "ascii"] {
                let drawing = drawn(&game, &format!("?charset={charset}")).await;
                let lines: Vec<&str> = drawing.lines().skip(2).take(5).collect();
                let stores = if ruleset == "congkak" { 10 } else { 0 };
                for line in lines {
                    let width = line.chars().count();
                    assert_eq!(width, houses * 4 + 1 + stores, "{drawing}");
                }
            }
        }
    }
}

#[tokio::test]
async fn queries() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let bad = [
        ("ply=", "ply"),
        ("ply=one", "ply"),
        ("ply=1.0", "ply"),
        ("ply=0&ply=0", "ply"),
        ("pov=up", "pov"),
        ("pov=SOUTH", "pov"),
        ("charset=latin1", "charset"),
        ("charset=", "charset"),
        ("theme=dark", "theme"),
        ("size=200", "size"),
        ("at_ply=0", "at_ply"),
    ];
    for (query, parameter) in bad {
        let path = game.to(&format!("board.txt?{query}"));
        let problem = game.anyone.get(&path).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], parameter, "{path}");
    }
    let ask = Ask::get(&game.to("board.txt")).header("accept", "application/json");
    let problem = game.anyone.ask(ask).await.problem(406, "not_acceptable");
    assert_eq!(problem["detail"], "this path answers in text/plain");
    assert_ne!(game.state().await["ply"], Value::Null);
}
