//! Games that are over on their way into the search: none is lost there, none is in the
//! way of the others.

use mancala_post::db::records::{self, Indexed};
use mancala_post::play::archive;
use sqlx::Connection;
use sqlx::types::chrono::Utc;

use crate::support::backstage::{number, somebody_waits};
use crate::support::{Game, Server};

const WAITING: &str = "select count(*) from records_queue";
const ENTERED: &str = "select count(*) from records";

/// A public game that is over.
async fn over(server: &Server) -> Game {
    let game = Game::of(&server.api, "congkak").await;
    game.south.call(&game.to("resign")).await.expect(200);
    game
}

/// A server that starts looks for games without a record while another one has just
/// taken a game out of the queue: it must not put it there again.
#[tokio::test]
async fn a_game_that_is_just_entered_is_not_missing() {
    let server = Server::start().await;
    let game = over(&server).await;
    assert_eq!(number(&server.db, WAITING).await, 1);
    let mut other = server.db.connect().await;
    let mut other = other.begin().await.unwrap();
    records::lock(&mut other).await.unwrap();
    let ids = records::dequeue(&mut other, 10).await.unwrap();
    assert_eq!(ids.len(), 1);
    assert!(game.path.ends_with(&ids[0].to_string()));
    let record = Indexed {
        game_id: ids[0],
        ended_at: Utc::now(),
        winner: "north",
        plies: 1,
        longest_relay: 0,
        burnt: 0,
        rounds: 1,
        line: String::new(),
        keys: vec![1],
    };
    records::insert(&mut other, &[&record]).await.unwrap();
    let pool = server.db.pool();
    let looking = tokio::spawn(async move { archive::enqueue_missing(&pool).await });
    somebody_waits(&mut other).await;
    other.commit().await.unwrap();
    looking.await.unwrap().unwrap();
    assert_eq!(number(&server.db, WAITING).await, 0);
    assert_eq!(number(&server.db, ENTERED).await, 1);
}

/// One that is in the queue and has a record is no reason to leave the others out.
#[tokio::test]
async fn a_game_in_the_queue_that_has_a_record() {
    let server = Server::start().await;
    let pool = server.db.pool();
    over(&server).await;
    assert_eq!(archive::enter(&pool).await.unwrap(), 1);
    let again = "insert into records_queue select game_id from records";
    server.db.execute(again).await;
    over(&server).await;
    assert_eq!(archive::enter(&pool).await.unwrap(), 1);
    assert_eq!(number(&server.db, ENTERED).await, 2);
    server.db.execute(again).await;
    assert_eq!(archive::enter(&pool).await.unwrap(), 0);
    assert_eq!(number(&server.db, WAITING).await, 0);
}
