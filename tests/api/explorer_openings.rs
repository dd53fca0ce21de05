//! The explorer in simultaneous openings: pairs of choices, one seat that chooses
//! again, games that were given up before anybody chose.

use mancala_post::play::archive;
use mancala_post::play::frequent::Threshold;
use serde_json::{Value, json};

use crate::support::explored::{Course, courses, hold_against};
use crate::support::{Game, Server};

/// A traditional game after these choices, then given up by north.
async fn resigned(server: &Server, choices: &[&str]) {
    let game = Game::of(&server.api, "congkak-traditional").await;
    if !choices.is_empty() {
        game.play(choices).await;
    }
    game.north.call(&game.to("resign")).await.expect(200);
}

/// Each move's houses and games, as the answer has them.
fn moves(answer: &Value) -> Vec<(Vec<(String, u64)>, u64)> {
    let moves = answer["moves"].as_array().unwrap().iter();
    let choice = |choice: &Value| {
        let seat = choice["seat"].as_str().unwrap().to_owned();
        (seat, choice["house"].as_u64().unwrap())
    };
    let choices = |found: &Value| {
        found["choices"]
            .as_array()
            .unwrap()
            .iter()
            .map(choice)
            .collect()
    };
    moves
        .map(|found| {
            (
                choices(found),
                found["played_here"]["games"].as_u64().unwrap(),
            )
        })
        .collect()
}

fn pair(south: u64, north: u64) -> Vec<(String, u64)> {
    vec![("south".into(), south), ("north".into(), north)]
}

async fn answers(server: &Server) -> Vec<Value> {
    let all = courses(&server.api, "").await;
    let all: Vec<&Course> = all.iter().collect();
    let mut answers = Vec::new();
    for play in [
        "",
        "&play=7,5",
        "&play=7,5,1",
        "&play=3,2",
        "&play=7,7",
        "&play=7,7,1,2",
    ] {
        let path = format!("/v1/explorer?ruleset=congkak-traditional{play}");
        let answer = server.api.get(&path).await.expect(200);
        hold_against(&all, &answer, &server.url);
        answers.push(answer);
    }
    answers
}

#[tokio::test]
async fn pairs_count_and_whoever_chooses_again_does_so_alone() {
    let server = Server::start().await;
    resigned(&server, &[]).await;
    resigned(&server, &["s7", "n5"]).await;
    resigned(&server, &["n5", "s7", "s1"]).await;
    resigned(&server, &["s7", "n5", "s3"]).await;
    resigned(&server, &["s3", "n2"]).await;
    resigned(&server, &["s7", "n7"]).await;
    // Both ended in their stores: a pair again.
    resigned(&server, &["s7", "n7", "s1", "n2"]).await;
    // A secret choice that was never revealed is none.
    resigned(&server, &["s7"]).await;
    let entered = archive::enter(&server.db.pool()).await;
    assert_eq!(entered.unwrap(), 8);

    let cold = answers(&server).await;
    assert_eq!(cold[0]["to_move"], json!(["south", "north"]));
    assert_eq!(cold[0]["reached"]["games"], 8);
    assert_eq!(
        moves(&cold[0]),
        [(pair(7, 5), 3), (pair(7, 7), 2), (pair(3, 2), 1)]
    );
    // After south's house 7 and north's 5 south has to choose again, alone.
    assert_eq!(cold[1]["to_move"], json!(["south"]));
    assert_eq!(cold[1]["reached"]["games"], 3);
    let lone = moves(&cold[1]);
    assert!(lone.iter().all(|(choices, _)| choices.len() == 1));
    assert_eq!(
        &lone[..2],
        [
            (vec![("south".into(), 1)], 1),
            (vec![("south".into(), 3)], 1)
        ]
    );
    assert_eq!(cold[4]["to_move"], json!(["south", "north"]));
    assert_eq!(moves(&cold[4]), [(pair(1, 2), 1)]);

    // The same when positions are counted as games come in.
    server
        .db
        .execute("insert into records_queue select game_id from records")
        .await;
    server.db.execute("delete from records").await;
    let low = Threshold {
        games: 1,
        one_in: 1,
    };
    let entered = archive::enter_counting(&server.db.pool(), low).await;
    assert_eq!(entered.unwrap(), 8);
    assert!(
        server
            .db
            .number("select count(*) from frequent_positions")
            .await
            > 10
    );
    assert_eq!(answers(&server).await, cold);
    for choices in [&["s7", "n5", "s1"][..], &["s3", "n2"], &[]] {
        resigned(&server, choices).await;
    }
    archive::enter_counting(&server.db.pool(), low)
        .await
        .unwrap();
    let counted = answers(&server).await;
    assert_eq!(counted[0]["reached"]["games"], 11);
    assert_eq!(
        moves(&counted[0]),
        [(pair(7, 5), 4), (pair(3, 2), 2), (pair(7, 7), 2)]
    );
}
