//! Boards as text, written down: the names, the deadline, the secret choices of an
//! opening and its hands in mid-air, every end.

use serde_json::json;

use crate::support::drawing::{board, columns, drawn};
use crate::support::people::between;
use crate::support::{Clock, Game, Made, Person, Server};

/// Names of players and a deadline; the longest names keep within the columns.
#[tokio::test]
async fn players_and_a_clock() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let long = "abcdefghijklmnopqrstuvwxyz_-30";
    let aminah = Person::new(&server.api, "aminah").await;
    let other = Person::new(&server.api, long).await;
    let more = json!({ "clock": { "per_move": 86_400, "reserve": 3600 } });
    let game = between(&aminah, &other, "congkak", more.clone()).await;
    game.play(&["s2"]).await;
    assert_eq!(clock.hence(90_000), "2027-01-02T01:00:00.000Z");
    let expected = board(
        "
        ¦▸ abcdefghijklmnopqrstuvwxyz_-30 (North)
        ¦       7   6   5   4   3   2   1
        ¦╭────┬───┬───┬───┬───┬───┬───┬───┬────╮
        ¦│    │ 8 │ · │ 8 │ 8 │ · │ 8 │ 8 │    │
        ¦│ 10 ├───┼───┼───┼───┼───┼───┼───┤  0 │
        ¦│    │ 8 │ · │ 8 │ 8 │ 8 │ 8 │ 8 │    │
        ¦╰────┴───┴───┴───┴───┴───┴───┴───┴────╯
        ¦       1   2*  3   4   5   6   7
        ¦  aminah (South)
        ¦
        ¦North to move until 2027-01-02 01:00 UTC",
    );
    assert_eq!(drawn(&game, "").await, expected);
    assert_eq!(columns(&expected), 40);
    // A past board has no deadline.
    assert!(drawn(&game, "?ply=0").await.ends_with("South to move\n"));

    let game = between(&aminah, &other, "al-manqala", more).await;
    game.play(&["s1"]).await;
    let expected = board(
        "
        ¦▸ abcdefghijklmnopqrstuvwxyz… (North): 0
        ¦  7   6   5   4   3   2   1
        ¦╭───┬───┬───┬───┬───┬───┬───╮
        ¦│ 7 │ 7 │ 7 │ 7 │ 7 │ 7 │ 8 │
        ¦├───┼───┼───┼───┼───┼───┼───┤
        ¦│ · │ 8 │ 8 │ 8 │ 8 │ 8 │ 8 │
        ¦╰───┴───┴───┴───┴───┴───┴───╯
        ¦  1*  2   3   4   5   6   7
        ¦  aminah (South): 0
        ¦
        ¦North to move until 2027-01-02 01:00 UTC",
    );
    assert_eq!(drawn(&game, "").await, expected);
    assert_eq!(columns(&expected), 40);
}

/// A simultaneous opening: who owes a choice, and hands in mid-air; a secret choice
/// leaves no mark.
#[tokio::test]
async fn an_opening() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let rules = json!({ "ruleset": "congkak-arena", "clock": { "per_move": 86_400 } });
    let game = Game::create(&server.api, &rules).await;
    let start = drawn(&game, "").await;
    let full = "│ 7 │ 7 │ 7 │ 7 │ 7 │ 7 │ 7 │";
    let both = "Opening: both still have to choose\nuntil 2027-01-02 00:00 UTC\n";
    assert!(start.starts_with("▸ North\n"), "{start}");
    assert!(start.contains("\n▸ South\n"), "{start}");
    assert!(start.ends_with(both), "{start}");
    assert_eq!(clock.hence(86_400), "2027-01-02T00:00:00.000Z");

    game.play(&["s7"]).await;
    let committed = drawn(&game, "").await;
    let one = "Opening: North still has to choose\nuntil 2027-01-02 00:00 UTC\n";
    let expected = start.replace("▸ South", "  South").replace(both, one);
    assert_eq!(committed, expected);
    assert_eq!(committed.matches(full).count(), 2);

    game.play(&["n5"]).await;
    let expected = board(
        "
        ¦  North
        ¦       7   6   5*  4   3   2   1
        ¦╭────┬───┬───┬───┬───┬───┬───┬───┬────╮
        ¦│    │ 7 │ 7 │ · │ 8 │ 8 │ 8 │ 8 │    │
        ¦│  1 ├───┼───┼───┼───┼───┼───┼───┤  1 │
        ¦│    │ 8 │ 8 │ 8 │ 8 │ 8 │ · │ 1 │    │
        ¦╰────┴───┴───┴───┴───┴───┴───┴───┴────╯
        ¦       1   2   3   4   5   6   7*
        ¦▸ South
        ¦
        ¦Opening: South still has to choose
        ¦until 2027-01-02 00:00 UTC
        ¦North's hand: 9 seeds over South 6",
    );
    assert_eq!(drawn(&game, "").await, expected);
    game.play(&["s3"]).await;
    // Either row of the pair shows what the pair led to.
    let past = expected.replace("until 2027-01-02 00:00 UTC\n", "");
    let past = past.replace("Opening:", "After ply 2\nOpening:");
    for ply in [1, 2] {
        assert_eq!(drawn(&game, &format!("?ply={ply}")).await, past);
    }
}

/// Each seat's own deadline, where the two differ.
#[tokio::test]
async fn two_deadlines() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let rules = json!({
        "ruleset": "congkak-arena", "clock": { "per_move": 86_400, "reserve": 7200 },
        "start": { "board": {
                "south": { "houses": [8,8,8,8,8,0,1], "store": 1 },
                "north": { "houses": [8,8,8,8,0,7,7], "store": 1, "hand": { "seeds": 9, "over": "s6" } } },
            "to_move": ["south"], "opening": { "tick": 7, "done": { "south": null, "north": null } } },
    });
    let game = Game::create(&server.api, &rules).await;
    clock.pass(60).await;
    let drawing = drawn(&game, "").await;
    assert!(drawing.contains("until 2027-01-02 02:00 UTC\nNorth's hand: 9 seeds"));

    let both = json!({ "ruleset": "congkak-arena", "clock": { "per_move": 86_400 } });
    let game = Game::create(&server.api, &both).await;
    let of = |seat: &str, time: &str| {
        format!(
            "update deadlines set move_by = '{time}', deadline = '{time}' \
             where game_id = '{}' and seat = '{seat}'",
            game.id
        )
    };
    server.db.execute(&of("north", "2027-01-03 00:00Z")).await;
    let drawing = drawn(&game, "").await;
    let ends = "Opening: South still has to choose\nuntil 2027-01-02 00:01 UTC\n\
                Opening: North still has to choose\nuntil 2027-01-03 00:00 UTC\n";
    assert!(drawing.ends_with(ends), "{drawing}");
}

/// The last line of a board tells how a game came out.
#[tokio::test]
async fn ends() {
    let server = Server::start().await;
    let nothing = "0,0,0,0,0,0,0";
    let start = format!("1,0,0,0,0,0,0/{nothing} 53-44 S r1:S");
    let game = Game::from(&server.api, "congkak", json!({}), &start).await;
    game.play(&["s1"]).await;
    let over = board(
        "
        ¦  North
        ¦       7   6   5   4   3   2   1
        ¦╭────┬───┬───┬───┬───┬───┬───┬───┬────╮
        ¦│    │ · │ · │ · │ · │ · │ · │ · │    │
        ¦│ 54 ├───┼───┼───┼───┼───┼───┼───┤ 44 │
        ¦│    │ · │ · │ · │ · │ · │ · │ · │    │
        ¦╰────┴───┴───┴───┴───┴───┴───┴───┴────╯
        ¦       1*  2   3   4   5   6   7
        ¦  South
        ¦
        ¦South won 54 : 44, most seeds",
    );
    assert_eq!(drawn(&game, "").await, over);

    let last = async |game: &Game| {
        let drawing = drawn(game, "").await;
        assert!(columns(&drawing) <= 40, "{drawing}");
        assert!(!drawing.contains('▸'), "{drawing}");
        drawing.split_once("\n\n").unwrap().1.to_owned()
    };
    let start = format!("1,0,0,0,0,0,0/{nothing} 48-49 S r1:S");
    let game = Game::from(&server.api, "congkak", json!({}), &start).await;
    game.play(&["s1"]).await;
    assert_eq!(last(&game).await, "A draw, 49 : 49\n");

    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s2"]).await;
    game.south.call(&game.to("resign")).await.expect(200);
    assert_eq!(last(&game).await, "North won 0 : 10, South resigned\n");
    // What was chosen last stays marked when an end without a choice follows.
    assert!(drawn(&game, "").await.contains("\n       1   2*  3"));

    let game = Game::of(&server.api, "congkak").await;
    game.north.call(&game.to("abort")).await.expect(200);
    assert_eq!(last(&game).await, "Called off\n");

    let game = Game::of(&server.api, "al-manqala").await;
    let split = json!({ "kind": "split" });
    game.south
        .post(&game.to("offers"), &split)
        .await
        .expect(201);
    let accept = json!({ "after_ply": 0 });
    let path = game.to("offers/1/accept");
    game.north.post(&path, &accept).await.expect(200);
    assert_eq!(last(&game).await, "A draw, 49 : 49, the rest was halved\n");

    let mut clock = Clock::stop(&server.db).await;
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 60 } });
    let game = Game::create(&server.api, &body).await;
    game.play(&["s1", "n1"]).await;
    clock.pass(61).await;
    assert_eq!(
        last(&game).await,
        "North won 0 : 0, South ran out of time\n"
    );
}

/// The other ends of al-manqala and of a series.
#[tokio::test]
async fn more_ends() {
    let server = Server::start().await;
    let ends = [
        // The last pearl makes two: 48 and 2 are more than half.
        (
            "al-manqala",
            json!({}),
            "0,0,0,0,0,0,1/1,10,10,10,9,9,0 48-0 S r1:S",
            "s7",
            "\nSouth won 50 : 0, more than half\n",
        ),
        // North's last pearl goes over to south, who cannot send one back.
        (
            "al-manqala",
            json!({}),
            "0,2,1,0,0,0,0/0,0,0,0,0,0,1 46-48 N r1:S",
            "n7",
            "\nNorth won 52 : 46, a row starved\n",
        ),
        (
            "congkak",
            json!({ "houses": 5, "max_rounds": null }),
            "1,0,0,0,0/0,0,0,0,0 2-47 S r1:S",
            "s1",
            "\nRound 1\nNorth won 47 : 3,\nSouth cannot fill its row\n",
        ),
    ];
    for (ruleset, rules, start, choice, expected) in ends {
        let game = Game::from(&server.api, ruleset, rules, start).await;
        game.play(&[choice]).await;
        let drawing = drawn(&game, "").await;
        assert!(drawing.ends_with(expected), "{drawing}");
    }
}

#[tokio::test]
async fn a_seat_that_is_free() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let fields = json!({ "seat": "north", "opponent": { "open": true } });
    let made = Made::by(&aminah.api, "congkak", fields).await;
    let expected = board(
        "
        ¦  South
        ¦       7   6   5   4   3   2   1
        ¦╭────┬───┬───┬───┬───┬───┬───┬───┬────╮
        ¦│    │ 7 │ 7 │ 7 │ 7 │ 7 │ 7 │ 7 │    │
        ¦│  0 ├───┼───┼───┼───┼───┼───┼───┤  0 │
        ¦│    │ 7 │ 7 │ 7 │ 7 │ 7 │ 7 │ 7 │    │
        ¦╰────┴───┴───┴───┴───┴───┴───┴───┴────╯
        ¦       1   2   3   4   5   6   7
        ¦  aminah (North)
        ¦
        ¦Waiting for an opponent",
    );
    let drawing = aminah.api.get(&made.to("board.txt")).await;
    assert_eq!(drawing.text(), expected);
    // Nobody's seat is drawn yet.
    let made = Made::by(
        &aminah.api,
        "congkak",
        json!({ "opponent": { "open": true } }),
    )
    .await;
    let drawing = aminah.api.get(&made.to("board.txt")).await;
    assert!(drawing.text().starts_with("  North\n"), "{drawing}");
    assert!(drawing.text().contains("\n  South\n"), "{drawing}");
}
