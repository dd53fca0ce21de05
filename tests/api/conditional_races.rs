//! Conditional moves at the same moment as something else: one of the two comes
//! first, whole, and the log has no gap and no row too many.

use serde_json::{Value, json};

use crate::support::lines::{drop_lines, lay, laying, told, wait, waiting};
use crate::support::offers::ask;
use crate::support::people::at_once;
use crate::support::{Answer, Api, Ask, Clock, Game, Server};

const ROUNDS: usize = 12;

fn choice(game: &Game, seat: &str, after_ply: u64, house: u64) -> (Api, Ask) {
    let body = json!({ "after_ply": after_ply, "house": house });
    let ask = Ask::post(&game.to("moves")).json(&body);
    (game.seat(seat).clone(), ask)
}

/// How many of the answers have this status and code; an empty one: none.
fn number(answers: &[Answer], status: u16, code: &str) -> usize {
    let fits = |answer: &&Answer| {
        answer.status == status && answer.json["code"].as_str().unwrap_or_default() == code
    };
    answers.iter().filter(fits).count()
}

/// All rows, also those taken back; each stands after the one before it.
async fn whole(game: &Game) -> Vec<Value> {
    game.verified().await;
    let page = game.anyone.get(&game.to("moves?rows=all")).await;
    let log = page.expect(200)["items"].as_array().unwrap().clone();
    for (number, row) in (0..).zip(&log) {
        assert_eq!(
            (&row["ply"], &row["after_ply"]),
            (&json!(number + 1), &json!(number))
        );
    }
    log
}

/// Two by hand, and north's line waits for south's second house.
async fn begun(server: &Server) -> Game {
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1", "n1"]).await;
    lay(&game.north, &game, 2, json!([[2, 2, 3, 3]]))
        .await
        .expect(200);
    game
}

/// Turns the order of the requests round in every other round.
fn either_way<T>(round: usize, mut asks: Vec<T>) -> Vec<T> {
    if round % 2 == 1 {
        asks.reverse();
    }
    asks
}

#[tokio::test]
async fn one_move_many_times() {
    let server = Server::start().await;
    for _ in 0..3 {
        let game = Game::of(&server.api, "al-manqala").await;
        for api in [&game.south, &game.north] {
            lay(api, &game, 0, json!([[1, 1, 2, 2, 3, 3, 4, 4]]))
                .await
                .expect(200);
        }
        let mut asks: Vec<_> = (0..20).map(|_| choice(&game, "south", 0, 1)).collect();
        // North's program sends by hand what is played for it.
        asks.extend((0..10).map(|_| choice(&game, "north", 1, 1)));
        let answers = at_once(asks).await;
        assert_eq!(number(&answers, 201, ""), 1);
        let late = number(&answers, 409, "stale_ply");
        assert_eq!(number(&answers, 200, "") + late, 29);
        let log = whole(&game).await;
        assert_eq!(
            told(&log),
            ["s1", "n1*", "s2*", "n2*", "s3*", "n3*", "s4*", "n4*"]
        );
    }
}

/// In a ruleset whose choices are made without the game's lock.
#[tokio::test]
async fn laid_down_against_a_plain_choice() {
    let server = Server::start().await;
    for round in 0..4 * ROUNDS {
        let game = Game::of(&server.api, "congkak").await;
        game.play(&["s1"]).await;
        let asks = vec![
            choice(&game, "north", 1, 1),
            laying(&game.south, &game, 1, json!([[1, 2]])),
        ];
        let answers = at_once(either_way(round, asks)).await;
        assert_eq!(number(&answers, 201, ""), 1);
        let log = told(&whole(&game).await);
        match number(&answers, 200, "") {
            1 => assert_eq!(log, ["s1", "n1", "s2*"]),
            _ => {
                assert_eq!(number(&answers, 409, "stale_ply"), 1);
                assert_eq!(log, ["s1", "n1"]);
            }
        }
        assert_eq!(waiting(&game.south, &game).await["lines"], json!([]));
    }
}

#[tokio::test]
async fn against_a_takeback() {
    let server = Server::start().await;
    let mut played = 0;
    for round in 0..ROUNDS {
        let game = begun(&server).await;
        ask(&game.north, &game, 0).await.expect(201);
        let accept = Ask::post(&game.to("offers/1/accept")).json(&json!({ "after_ply": 2 }));
        let asks = vec![choice(&game, "south", 2, 2), (game.south.clone(), accept)];
        let answers = at_once(either_way(round, asks)).await;
        let log = whole(&game).await;
        if number(&answers, 201, "") == 1 {
            played += 1;
            assert_eq!(number(&answers, 409, "offer_closed"), 1);
            assert_eq!(told(&log), ["s1", "n1", "s2", "n2*"]);
            assert_eq!(waiting(&game.north, &game).await, wait(4, json!([[3, 3]])));
        } else {
            assert_eq!(number(&answers, 409, "stale_ply"), 1);
            assert_eq!(number(&answers, 200, ""), 1);
            assert_eq!(log.len(), 3);
            assert_eq!(
                (&log[2]["kind"], &log[2]["to_ply"]),
                (&json!("takeback"), &json!(0))
            );
            assert_eq!(waiting(&game.north, &game).await, wait(3, json!([])));
        }
    }
    assert!(played <= ROUNDS);
}

#[tokio::test]
async fn against_a_resignation() {
    let server = Server::start().await;
    for round in 0..ROUNDS {
        let game = begun(&server).await;
        let resign = (game.north.clone(), Ask::post(&game.to("resign")));
        let asks = vec![choice(&game, "south", 2, 2), resign];
        let answers = at_once(either_way(round, asks)).await;
        assert_eq!(number(&answers, 200, ""), 1, "one may resign at any time");
        let log = whole(&game).await;
        let end = log.last().unwrap();
        assert_eq!(
            (&end["kind"], &end["reason"]),
            (&json!("end"), &json!("resignation"))
        );
        if number(&answers, 201, "") == 1 {
            assert_eq!(told(&log[..4]), ["s1", "n1", "s2", "n2*"]);
            assert_eq!(log.len(), 5);
        } else {
            assert_eq!(number(&answers, 409, "game_over"), 1);
            assert_eq!(log.len(), 3);
        }
        assert_eq!(server.db.rows(&game.id).await["conditionals"], json!([]));
    }
}

#[tokio::test]
async fn against_a_timeout() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    for round in 0..ROUNDS {
        let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 600 } });
        let game = Game::create(&server.api, &body).await;
        game.play(&["s1", "n1"]).await;
        lay(&game.north, &game, 2, json!([[2, 2, 3, 3]]))
            .await
            .expect(200);
        clock.pass(590).await;
        let mut asks = vec![choice(&game, "south", 2, 2)];
        asks.extend((0..3).map(|_| (game.anyone.clone(), Ask::get(&game.path))));
        let running = tokio::spawn(at_once(either_way(round, asks)));
        // South's time passes while its move is on its way, sooner or later.
        for _ in 0..round % 4 {
            game.anyone.get(&game.to("moves")).await.expect(200);
        }
        clock.pass(20).await;
        let answers = running.await.unwrap();
        let log = whole(&game).await;
        if number(&answers, 201, "") == 1 {
            assert_eq!(told(&log), ["s1", "n1", "s2", "n2*"]);
            let left = game.state().await["clock"]["seats"]["south"]["move_by"].clone();
            assert!((580..=600).contains(&clock.until(left.as_str().unwrap())));
            clock.pass(601).await;
        } else {
            assert_eq!(number(&answers, 409, "game_over"), 1);
            assert_eq!(log.len(), 3);
        }
        let result = game.state().await["result"].clone();
        assert_eq!(
            (&result["reason"], &result["ended_by"]),
            (&json!("timeout"), &json!("south"))
        );
        whole(&game).await;
        assert_eq!(waiting(&game.north, &game).await["lines"], json!([]));
    }
}

/// Laid down just before the move or just too late.
#[tokio::test]
async fn laid_down_against_the_move() {
    let server = Server::start().await;
    for round in 0..2 * ROUNDS {
        let game = Game::of(&server.api, "al-manqala").await;
        let lines = laying(&game.north, &game, 0, json!([[1, 1, 2, 2]]));
        let asks = vec![choice(&game, "south", 0, 1), lines];
        let answers = at_once(either_way(round, asks)).await;
        assert_eq!(number(&answers, 201, ""), 1);
        let log = whole(&game).await;
        if number(&answers, 200, "") == 1 {
            assert_eq!(told(&log), ["s1", "n1*"]);
            assert_eq!(waiting(&game.north, &game).await, wait(2, json!([[2, 2]])));
        } else {
            assert_eq!(number(&answers, 409, "stale_ply"), 1);
            assert_eq!(told(&log), ["s1"]);
            assert_eq!(waiting(&game.north, &game).await, wait(1, json!([])));
        }
    }
}

/// Replaced against the move: the old ones or the new ones, never some of both.
#[tokio::test]
async fn replaced_against_the_move() {
    let server = Server::start().await;
    for round in 0..ROUNDS {
        let game = begun(&server).await;
        let asks = vec![
            choice(&game, "south", 2, 2),
            laying(&game.north, &game, 2, json!([[2, 5, 1], [4, 4]])),
            laying(&game.north, &game, 2, json!([[2, 6, 1, 4]])),
        ];
        let answers = at_once(either_way(round, asks)).await;
        assert_eq!(number(&answers, 201, ""), 1);
        assert_eq!(
            number(&answers, 200, "") + number(&answers, 409, "stale_ply"),
            2
        );
        let log = whole(&game).await;
        assert_eq!(log.len(), 4);
        let left = match log[3]["house"].as_u64().unwrap() {
            2 => json!([[3, 3]]),
            5 => json!([[1]]),
            6 => json!([[1, 4]]),
            other => panic!("nobody laid down {other}"),
        };
        assert_eq!(waiting(&game.north, &game).await, wait(4, left));
    }
}

#[tokio::test]
async fn dropped_against_the_move() {
    let server = Server::start().await;
    for round in 0..2 * ROUNDS {
        let game = begun(&server).await;
        let drop = Ask::new("DELETE", &game.to("conditionals"));
        let asks = vec![choice(&game, "south", 2, 2), (game.north.clone(), drop)];
        let answers = at_once(either_way(round, asks)).await;
        assert_eq!(number(&answers, 204, ""), 1);
        assert_eq!(number(&answers, 201, ""), 1);
        let log = told(&whole(&game).await);
        let ply = log.len() as u64;
        assert!(
            log == ["s1", "n1", "s2"] || log == ["s1", "n1", "s2", "n2*"],
            "{log:?}"
        );
        assert_eq!(waiting(&game.north, &game).await, wait(ply, json!([])));
    }
}

/// Everything at once, over and over.
#[tokio::test]
async fn all_at_once() {
    let server = Server::start().await;
    for _ in 0..4 {
        let game = begun(&server).await;
        let either = json!([[2, 2, 3, 3], [3, 4]]);
        lay(&game.north, &game, 2, either.clone()).await.expect(200);
        let mut asks = Vec::new();
        for n in 0..6 {
            asks.push(choice(&game, "south", 2, 2 + n % 2));
            asks.push(choice(&game, "north", 3, 2));
            asks.push(laying(&game.south, &game, 2, json!([[2, 2, 3], [2, 5, 2]])));
            asks.push(laying(&game.north, &game, 2, either.clone()));
            asks.push((game.north.clone(), Ask::get(&game.to("conditionals"))));
            asks.push((game.south.clone(), Ask::get(&game.path)));
        }
        let answers = at_once(asks).await;
        for answer in &answers {
            assert!([200, 201, 409].contains(&answer.status), "{answer}");
        }
        assert_eq!(number(&answers, 201, ""), 1, "north was always played for");
        let log = whole(&game).await;
        let seats: Vec<_> = log
            .iter()
            .map(|row| row["seat"].as_str().unwrap())
            .collect();
        for (number, seat) in seats.iter().enumerate() {
            assert_eq!(*seat, ["south", "north"][number % 2]);
        }
        drop_lines(&game.north, &game).await.is(204);
    }
}
