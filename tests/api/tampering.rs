//! `verify`, over HTTP and on the command line: it finds whatever was changed in a
//! stored game behind the server's back.

use serde_json::{Value, json};

use crate::support::process::run;
use crate::support::{Game, Server};

/// What is set (or `delete`) in which row, and in which row what field must differ.
/// Row 0 is the game's own.
type Tampering = (&'static str, u32, u32, &'static str);

/// A game that never ended.
const UNENDED: &str = "status = 'playing', winner = null, reason = null, \
                       south_score = null, north_score = null, ended_at = null";

fn statement(game: &Game, change: &str, row: u32) -> String {
    let of_game = format!("where game_id = '{}'", game.id);
    match (change, row) {
        ("delete", row) => format!("delete from plies {of_game} and ply = {row}"),
        (change, 0) => format!("update games set {change} {of_game}"),
        (change, row) => format!("update plies set {change} {of_game} and ply = {row}"),
    }
}

/// Each change alone is found, and nothing else; all is well again without it.
async fn all_found(server: &Server, game: &Game, tamperings: &[Tampering]) {
    game.verified().await;
    let tables = ["plies", "games"];
    for table in tables {
        let keep = format!("create table kept_{table} as table {table}");
        server.db.execute(&keep).await;
    }
    for (change, row, found_in, field) in tamperings {
        let statement = statement(game, change, *row);
        let found_in = match found_in {
            0 => Value::Null,
            row => json!(row),
        };
        assert_eq!(server.db.execute(&statement).await, 1, "{statement}");
        let verdict = game.anyone.get(&game.to("verify")).await.expect(200);
        assert_eq!(verdict["ok"], false, "{statement}");
        assert_eq!(verdict["game_id"], game.id);
        let differences = verdict["differences"].as_array().unwrap();
        let found = differences
            .iter()
            .any(|difference| difference["ply"] == found_in && difference["field"] == *field);
        assert!(found, "{statement}: {verdict}");
        server.db.execute("delete from messages").await;
        server.db.execute("delete from plies").await;
        server
            .db
            .execute("insert into plies table kept_plies")
            .await;
        let columns = "status, turn, round, position, rounds, winner, reason, south_score, \
                       north_score, ended_by, ended_at, ply, rules, start_position";
        let kept: String = columns
            .split(", ")
            .map(|column| format!("{column} = k.{column}"))
            .collect::<Vec<_>>()
            .join(", ");
        let restore =
            format!("update games g set {kept} from kept_games k where k.game_id = g.game_id");
        server.db.execute(&restore).await;
        game.verified().await;
    }
}

#[tokio::test]
async fn of_a_game_that_is_played() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s7", "s6", "s1"]).await;
    all_found(
        &server,
        &game,
        &[
            ("house = 5", 2, 2, "seeds_sown"),
            ("position = replace(position, ' ', '  ')", 2, 2, "position"),
            ("position = '0,' || position", 3, 3, "position"),
            ("seeds_sown = seeds_sown + 1", 2, 2, "seeds_sown"),
            ("lap_count = lap_count + 1", 2, 2, "lap_count"),
            ("captured = captured + 1", 2, 2, "captured"),
            ("banked = banked + 1", 2, 2, "banked"),
            ("turn = turn + 1", 2, 2, "turn"),
            ("round = round + 1", 2, 2, "round"),
            ("after_ply = 0", 2, 2, "after_ply"),
            ("extra_turn = not extra_turn", 2, 2, "extra_turn"),
            ("passed = not passed", 2, 2, "passed"),
            ("other = '{}'", 2, 2, "other"),
            ("seat = 'north'", 2, 0, "replay"),
            ("delete", 3, 0, "ply"),
            ("delete", 1, 0, "ply"),
            ("ply = 9", 3, 0, "ply"),
            ("position = replace(position, '8', '9')", 0, 0, "position"),
            ("turn = turn + 1", 0, 0, "turn"),
            ("rounds = '[]'", 0, 0, "rounds"),
            ("ply = 2", 0, 0, "position"),
            ("ply = 4", 0, 0, "ply"),
        ],
    )
    .await;
}

#[tokio::test]
async fn of_a_game_that_is_over() {
    let server = Server::start().await;
    let start = "1,0,0,0,0,0,0/0,0,0,5,0,0,0 50-42 S r1:S";
    let game = Game::from(&server.api, "congkak", json!({}), start).await;
    game.play(&["s1"]).await;
    all_found(
        &server,
        &game,
        &[
            ("winner = 'north'", 0, 0, "winner"),
            ("reason = 'majority'", 0, 0, "reason"),
            ("south_score = 52", 0, 0, "south_score"),
            ("north_score = 46", 0, 0, "north_score"),
            ("ended_by = 'north'", 0, 0, "ended_by"),
            ("round = 2", 0, 0, "round"),
            (
                "start_position = '1,0,0,0,0,0,0/0,0,0,6,0,0,0 49-42 S r1:S'",
                0,
                1,
                "position",
            ),
            (
                "start_position = '0,1,0,0,0,0,0/0,0,0,5,0,0,0 50-42 S r1:S'",
                0,
                0,
                "replay",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn of_an_opening_and_a_resignation() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-traditional").await;
    game.play(&["s7", "n5", "s3"]).await;
    game.north.call(&game.to("resign")).await.expect(200);
    all_found(
        &server,
        &game,
        &[
            ("position = 'x'", 1, 1, "position"),
            ("house = 6", 1, 2, "position"),
            ("other = jsonb_set(other, '{banked}', '9')", 3, 3, "other"),
            ("other = null", 3, 3, "other"),
            ("seat = 'south'", 4, 0, "winner"),
            ("reason = 'loop'", 4, 0, "replay"),
            ("position = 'x'", 4, 4, "position"),
            (UNENDED, 0, 0, "status"),
        ],
    )
    .await;
}

/// What cannot even be read is found as well, and does not keep the program from
/// looking at the other games.
#[tokio::test]
async fn that_cannot_be_read_any_more() {
    let server = Server::start().await;
    let changes = [
        "update games set rules = '{}' where THIS",
        "update games set rules = rules - 'houses' where THIS",
        "update games set revision = 7 where THIS",
        "update games set ruleset = 'oware' where THIS",
        "update games set start_position = 'x', custom_start = true where THIS",
        "update games set position = 'x' where THIS",
    ];
    let mut games = Vec::new();
    for change in changes {
        let game = Game::of(&server.api, "congkak").await;
        game.play(&["s7"]).await;
        let change = change.replace("THIS", &format!("game_id = '{}'", game.id));
        server.db.execute(&change).await;
        let verdict = game.anyone.get(&game.to("verify")).await.expect(200);
        assert_eq!(verdict["ok"], false, "{change}");
        assert_ne!(verdict["differences"], json!([]), "{change}");
        games.push(game.id);
    }
    let sound = Game::of(&server.api, "congkak").await;
    let all = run(&server.db.url(), &["verify"]);
    assert_eq!(all.status.code(), Some(1), "{all:?}");
    let said = String::from_utf8([all.stdout, all.stderr].concat()).unwrap();
    for id in games {
        assert!(said.contains(&id), "{said}");
    }
    assert!(!said.contains(&sound.id), "{said}");
}

/// The operator's way: exit code 1 and the ids of the games that differ.
#[tokio::test]
async fn on_the_command_line() {
    let server = Server::start().await;
    let url = server.db.url();
    let games = [
        Game::of(&server.api, "congkak").await,
        Game::of(&server.api, "al-manqala").await,
        Game::create(
            &server.api,
            &json!({ "ruleset": "congkak-arena", "visibility": "private" }),
        )
        .await,
    ];
    games[0].play(&["s7", "s6"]).await;
    games[1].play(&["s1", "n1"]).await;
    games[2].play(&["s1", "n1"]).await;
    let all = run(&url, &["verify"]);
    assert!(all.status.success(), "{all:?}");
    let one = run(&url, &["verify", "--game", &games[2].id]);
    assert!(one.status.success(), "{one:?}");

    server
        .db
        .execute("update plies set banked = 9 where ply = 2 and seat = 'north'")
        .await;
    let all = run(&url, &["verify"]);
    assert_eq!(all.status.code(), Some(1), "{all:?}");
    let said = String::from_utf8([all.stdout, all.stderr].concat()).unwrap();
    assert!(!said.contains(&games[0].id), "{said}");
    for game in &games[1..] {
        assert!(said.contains(&game.id), "{said}");
        let one = run(&url, &["verify", "--game", &game.id]);
        assert_eq!(one.status.code(), Some(1), "{one:?}");
    }
    let sound = run(&url, &["verify", "--game", &games[0].id]);
    assert!(sound.status.success(), "{sound:?}");
    let unknown = run(
        &url,
        &["verify", "--game", "01935f3e-7b2a-7000-8000-000000000000"],
    );
    assert_eq!(unknown.status.code(), Some(1), "{unknown:?}");
}

#[tokio::test]
async fn of_a_game_with_a_takeback() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1", "n1", "s2"]).await;
    crate::support::offers::taken_back(&game, "south", 1).await;
    game.play(&["n3"]).await;
    all_found(
        &server,
        &game,
        &[
            ("taken_back = false", 2, 2, "taken_back"),
            ("taken_back = true", 1, 1, "taken_back"),
            ("taken_back = true", 5, 5, "taken_back"),
            ("to_ply = 0", 4, 1, "taken_back"),
            ("to_ply = 2", 4, 4, "position"),
            ("house = 3", 2, 2, "position"),
            ("turn = 3", 4, 4, "turn"),
            ("position = replace(position, 'N', 'S')", 4, 4, "position"),
            ("delete", 4, 0, "ply"),
            ("delete", 3, 0, "ply"),
        ],
    )
    .await;
}
