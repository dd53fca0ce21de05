//! One line for each row of the log, in each language.

use serde_json::json;

use crate::support::languages::read;
use crate::support::offers::taken_back;
use crate::support::{Ask, Clock, Game, Server};

/// The summaries of all rows of a game's log.
async fn rows(game: &Game, lang: &str) -> Vec<String> {
    let path = game.to("moves?rows=all");
    let page = read(&game.anyone, &path, lang).await.expect(200);
    let rows = page["items"].as_array().unwrap().iter();
    rows.map(|row| row["summary"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn rows_of_the_log() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1", "n1"]).await;
    taken_back(&game, "north", 1).await;
    game.play(&["n2"]).await;
    game.south.call(&game.to("resign")).await.expect(200);
    assert_eq!(
        rows(&game, "en").await,
        [
            "South sowed 1.",
            "North sowed 1.",
            "Taken back to ply 1, as North asked.",
            "North sowed 2.",
            "South resigned.",
        ]
    );
    assert_eq!(
        rows(&game, "ms").await,
        [
            "Selatan menabur 1.",
            "Utara menabur 1.",
            "Diundur ke langkah 1, seperti yang diminta oleh Utara.",
            "Utara menabur 2.",
            "Selatan menyerah kalah.",
        ]
    );
    assert_eq!(
        rows(&game, "es").await,
        [
            "Sur sembró 1.",
            "Norte sembró 1.",
            "Se volvió a la jugada 1, como pidió Norte.",
            "Norte sembró 2.",
            "Sur se rindió.",
        ]
    );

    // The same in every format.
    let spanish = rows(&game, "es").await;
    let path = game.to("moves?rows=all");
    for format in ["application/x-ndjson", "text/csv"] {
        let ask = Ask::get(&path).header("accept", format);
        let answer = game.anyone.ask(ask.header("accept-language", "es")).await;
        assert_eq!(answer.header("content-language"), "es");
        let lines: Vec<&str> = answer.text().lines().collect();
        let rows = &lines[lines.len() - spanish.len()..];
        for (line, summary) in rows.iter().zip(&spanish) {
            assert!(line.contains(summary), "{line}");
        }
    }
}

/// A row in the answer of its move, with all that a choice can bring.
#[tokio::test]
async fn the_row_of_a_move() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let played = async |ply: u64, house: u64, lang: &str| {
        let ask = Ask::post(&game.to("moves")).header("accept-language", lang);
        let body = json!({ "after_ply": ply, "house": house });
        let answer = game.south.ask(ask.json(&body)).await;
        assert_eq!(answer.header("content-language"), lang);
        answer.json["row"]["summary"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        played(0, 7, "ms").await,
        "Selatan menabur 7: giliran tambahan."
    );
    // The same again is the same row, in whatever language it is asked for.
    assert_eq!(played(0, 7, "es").await, "Sur sembró 7: turno extra.");
    assert_eq!(played(0, 7, "en").await, "South sowed 7: extra turn.");

    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s2"]).await;
    let told = [
        rows(&game, "en").await,
        rows(&game, "ms").await,
        rows(&game, "es").await,
    ];
    assert_eq!(
        told.concat(),
        [
            "South sowed 2: 2 laps, captured 8.",
            "Selatan menabur 2: 2 putaran, menawan 8.",
            "Sur sembró 2: 2 vueltas, capturó 8.",
        ]
    );

    // A lone choice of an opening, and the other hand that goes on with it.
    let game = Game::of(&server.api, "congkak-arena").await;
    game.play(&["s7", "n5"]).await;
    let row = game.play(&["s3"]).await.expect(201)["row"].clone();
    assert_eq!(
        (&row["lap_count"], &row["captured"]),
        (&json!(9), &json!(0))
    );
    assert_eq!(row["other"]["lap_count"], 2);
    let told = [
        rows(&game, "en").await,
        rows(&game, "ms").await,
        rows(&game, "es").await,
    ];
    assert_eq!(
        told.map(|rows| rows[2].clone()),
        [
            "South sowed 3: 9 laps, extra turn. North's hand went on: 2 laps.",
            "Selatan menabur 3: 9 putaran, giliran tambahan. Tangan Utara diteruskan: 2 putaran.",
            "Sur sembró 3: 9 vueltas, turno extra. La mano de Norte siguió: 2 vueltas.",
        ]
    );
}

/// The ends that no choice brings about.
#[tokio::test]
async fn rows_that_end_a_game() {
    let server = Server::start().await;
    let mut clock = Clock::stop(&server.db).await;
    let last = async |game: &Game, expected: [&str; 3]| {
        for (lang, expected) in ["en", "ms", "es"].into_iter().zip(expected) {
            assert_eq!(rows(game, lang).await.last().unwrap(), expected);
        }
    };
    let agreed = async |game: &Game, kind: &str| {
        let offer = json!({ "kind": kind });
        game.south
            .post(&game.to("offers"), &offer)
            .await
            .expect(201);
        let accept = json!({ "after_ply": 2 });
        let path = game.to("offers/1/accept");
        game.north.post(&path, &accept).await.expect(200);
    };
    let body = json!({ "ruleset": "al-manqala", "clock": { "per_move": 60 } });
    let mut games = Vec::new();
    for _ in 0..3 {
        let game = Game::create(&server.api, &body).await;
        game.play(&["s1", "n1"]).await;
        games.push(game);
    }
    agreed(&games[0], "draw").await;
    last(
        &games[0],
        [
            "Both agreed on a draw.",
            "Kedua-dua pihak bersetuju seri.",
            "Ambos acordaron un empate.",
        ],
    )
    .await;
    agreed(&games[1], "split").await;
    last(
        &games[1],
        [
            "Both agreed to halve what was left on the board.",
            "Kedua-dua pihak bersetuju membahagi dua baki di papan.",
            "Ambos acordaron repartir lo que quedaba en el tablero.",
        ],
    )
    .await;
    clock.pass(61).await;
    games[2].state().await;
    last(
        &games[2],
        [
            "South ran out of time.",
            "Selatan kehabisan masa.",
            "Sur agotó su tiempo.",
        ],
    )
    .await;
    let game = Game::of(&server.api, "congkak").await;
    game.north.call(&game.to("abort")).await.expect(200);
    last(
        &game,
        [
            "The game was called off.",
            "Permainan dibatalkan.",
            "La partida se canceló.",
        ],
    )
    .await;
}
