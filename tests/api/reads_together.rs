//! Games that are read at the same moment are read together: each reader gets its own
//! game and no other, as it is when they ask, and nothing of what goes wrong for others.

use futures_util::future::join_all;
use serde_json::{Value, json};

use mancala_post::app::Parts;
use mancala_post::db::pool;

use crate::support::database::Database;
use crate::support::people::between;
use crate::support::server::Front;
use crate::support::{Api, Game, Made, Person};

/// One worker, so that all wait in one queue.
async fn narrow(db: &Database) -> Front {
    let url = db.url();
    Front::start(move || Parts {
        workers: Some(1),
        ..Parts::new(pool::pool(pool::options(&url).unwrap(), 4), "127.0.0.1:0")
    })
    .await
}

#[tokio::test]
async fn each_gets_its_own() {
    let db = Database::new().await;
    let server = narrow(&db).await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let cik = Person::new(&server.api, "cik").await;
    let mut public = Vec::new();
    for number in 0..30 {
        let ruleset = ["congkak", "congkak-arena", "al-manqala"][number % 3];
        let label = json!({ "label": format!("game {number}") });
        public.push(Made::by(&server.api, ruleset, label).await.id);
    }
    let hidden = json!({ "visibility": "private", "label": "hidden" });
    let hidden = between(&aminah, &bunga, "congkak", hidden).await.id;
    let nowhere = "01935f3e-7b2a-7000-8000-000000000000".to_owned();

    // Who asks for what, and the label that they may see.
    let mut asked: Vec<(&Api, &str, Option<String>)> = Vec::new();
    for _ in 0..8 {
        for (number, id) in public.iter().enumerate() {
            asked.push((&server.api, id, Some(format!("game {number}"))));
        }
        asked.push((&aminah.api, &hidden, Some("hidden".into())));
        asked.push((&bunga.api, &hidden, Some("hidden".into())));
        asked.push((&cik.api, &hidden, None));
        asked.push((&server.api, &hidden, None));
        asked.push((&server.api, &nowhere, None));
    }
    let answers = asked.iter().map(async |(api, id, _)| {
        let answer = api.get(&format!("/v1/games/{id}")).await;
        (answer.status, answer.json)
    });
    for ((_, id, label), (status, game)) in asked.iter().zip(join_all(answers).await) {
        match label {
            Some(label) => {
                assert_eq!(status, 200);
                assert_eq!(game["id"], *id);
                assert_eq!(game["label"], *label);
                assert_eq!(game["seats"].as_object().unwrap().len(), 2);
            }
            None => assert_eq!((status, &game["code"]), (404, &json!("not_found"))),
        }
    }
}

/// A choice that was answered is in whatever is read afterwards, however many read.
#[tokio::test]
async fn nobody_is_shown_less_than_was_there() {
    let db = Database::new().await;
    let server = narrow(&db).await;
    let mut games = Vec::new();
    for _ in 0..12 {
        games.push(Game::of(&server.api, "congkak").await);
    }
    let played = games.iter().map(async |game| {
        for ply in 1..=12 {
            let state = game.state().await;
            let choice = &state["legal_moves"][0];
            let seat = choice["seat"].as_str().unwrap();
            let house = choice["house"].as_u64().unwrap();
            game.send(seat, ply - 1, house).await.expect(201);
            let readers = (0..3).map(|_| server.api.get(&game.path));
            for answer in join_all(readers).await {
                assert_eq!(answer.expect(200)["ply"], ply);
            }
        }
    });
    join_all(played).await;
}

/// Connections that the database ends under the readers cost none of them an answer for
/// longer than it takes to open others.
#[tokio::test]
async fn a_lost_connection() {
    let db = Database::new().await;
    let server = narrow(&db).await;
    let game = Game::of(&server.api, "congkak").await;
    let mut test = db.connect().await;
    let reading = async |_: usize| {
        let mut seen = Vec::new();
        for _ in 0..40 {
            let answer = server.api.get(&game.path).await;
            match answer.status {
                200 => assert_eq!(answer.json["ply"], 0),
                status => assert_eq!(status, 503, "{}", answer.json),
            }
            seen.push(answer.status);
        }
        seen
    };
    let ending = async {
        for _ in 0..20 {
            let end = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
                       where datname = current_database() and application_name = 'mancala-post'";
            let _: i64 = sqlx::query_scalar(end).fetch_one(&mut test).await.unwrap();
        }
    };
    let (seen, ()) = tokio::join!(join_all((0..16).map(reading)), ending);
    let good = seen
        .concat()
        .iter()
        .filter(|&&status| status == 200)
        .count();
    assert!(good > 0);
    let state: Value = server.api.get(&game.path).await.expect(200);
    assert_eq!(state["ply"], 0);
}
