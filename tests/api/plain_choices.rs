//! A choice that is nothing but that is made without the game's lock. What happens to the
//! game between its reading and its writing is not passed over.

use serde_json::json;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::support::backstage::{number, somebody_waits};
use crate::support::lines::told;
use crate::support::{Answer, Ask, Game, Server};

async fn run(db: &mut PgConnection, statement: &str) {
    let statement = AssertSqlSafe(statement.to_owned());
    sqlx::raw_sql(statement).execute(db).await.unwrap();
}

/// A game in which north chooses; it is read, and waits for the lock of somebody who
/// changes something meanwhile.
async fn meanwhile(server: &Server, change: impl Fn(&str) -> String) -> (Game, Answer) {
    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s1"]).await;
    let mut db = server.db.connect().await;
    let mut held = db.begin().await.unwrap();
    let lock = format!(
        "select from games where game_id = '{}' for no key update",
        game.id
    );
    run(&mut held, &lock).await;
    let body = json!({ "after_ply": 1, "house": 1 });
    let ask = Ask::post(&game.to("moves")).json(&body);
    let north = game.north.clone();
    let asking = tokio::spawn(async move { north.ask(ask).await });
    somebody_waits(&mut held).await;
    run(&mut held, &change(&game.id)).await;
    held.commit().await.unwrap();
    (game, asking.await.unwrap())
}

async fn log(game: &Game) -> Vec<String> {
    game.verified().await;
    let page = game.anyone.get(&game.to("moves")).await.expect(200);
    told(page["items"].as_array().unwrap())
}

#[tokio::test]
async fn lines_are_laid_down() {
    let server = Server::start().await;
    let (game, answer) = meanwhile(&server, |game| {
        format!("insert into conditionals values ('{game}', 'south', '[[1, 2]]')")
    })
    .await;
    let answer = answer.expect(201);
    assert_eq!(
        (&answer["row"]["ply"], &answer["game"]["ply"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(log(&game).await, ["s1", "n1", "s2*"]);
}

#[tokio::test]
async fn lines_are_laid_down_in_place_of_others_that_were_played() {
    let server = Server::start().await;
    let (game, answer) = meanwhile(&server, |game| {
        format!(
            "insert into conditionals values ('{game}', 'south', '[[3, 3]]');
             delete from conditionals where game_id = '{game}';
             insert into conditionals values ('{game}', 'south', '[[1, 2]]')"
        )
    })
    .await;
    assert_eq!(answer.expect(201)["game"]["ply"], 3);
    // They are used up: choices are plain again.
    game.play(&["n3"]).await;
    assert_eq!(log(&game).await, ["s1", "n1", "s2*", "n3"]);
}

#[tokio::test]
async fn something_is_told() {
    let server = Server::start().await;
    let (game, answer) = meanwhile(&server, |game| {
        format!(
            "insert into events (game_id, event_no, type, ply, seats, data, at)
             select game_id, max(event_no) + 1, 'deadline.near', 1, '{{north}}', '{{}}', app_now()
             from events where game_id = '{game}' group by game_id"
        )
    })
    .await;
    assert_eq!(answer.expect(201)["game"]["ply"], 2);
    assert_eq!(log(&game).await, ["s1", "n1"]);
    let gaps = "select max(event_no) - count(*) from events";
    assert_eq!(number(&server.db, gaps).await, 0);
    let moves = "select count(*) from events where type = 'move.played'";
    assert_eq!(number(&server.db, moves).await, 2);
}

#[tokio::test]
async fn the_state_changes() {
    let server = Server::start().await;
    // As when an offer was made and taken back.
    let (game, answer) = meanwhile(&server, |game| {
        format!("update games set version = version + 1 where game_id = '{game}'")
    })
    .await;
    assert_eq!(answer.expect(201)["game"]["ply"], 2);
    assert_eq!(log(&game).await, ["s1", "n1"]);

    // As when it was called off.
    let (game, answer) = meanwhile(&server, |game| {
        format!(
            "update games set version = version + 1, status = 'aborted', to_move = 'nobody',
                    ended_at = app_now() where game_id = '{game}'"
        )
    })
    .await;
    answer.problem(409, "game_over");
    let page = game.anyone.get(&game.to("moves")).await.expect(200);
    assert_eq!(told(page["items"].as_array().unwrap()), ["s1"]);
}
