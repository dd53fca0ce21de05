//! Whole games of the vectors, played by two clients: every state on the way, the
//! log and the replay at the end.

use serde_json::{Value, json};

use crate::support::vectors::{Choice, Vector, vector};
use crate::support::{Answer, Game, Server};

/// Plays the vector and compares each state.
async fn play(server: &Server, vector: &Vector) -> Game {
    let game = Game::create(&server.api, &vector.creation()).await;
    vector.compare(0, &game.created["game"]);
    let mut state = game.created["game"].clone();
    for (index, choice) in (1..).zip(&vector.choices) {
        let ply = state["ply"].as_u64().unwrap();
        let expected = &vector.states[index];
        state = match choice {
            Choice::Sow { seat, house } => {
                let answer = game.send(seat, ply, *house).await;
                answer.is(if expected.committed { 202 } else { 201 });
                if !expected.committed {
                    assert_eq!(answer.json["row"]["house"], *house);
                    assert_eq!(answer.json["row"]["seat"], *seat);
                }
                answer.json["game"].clone()
            }
            Choice::Resign { seat } => {
                let answer = game.seat(seat).call(&game.to("resign")).await;
                answer.expect(200)
            }
            Choice::Split => split(&game, ply).await.expect(200)["game"].clone(),
        };
        vector.compare(index, &state);
        if expected.committed {
            assert_eq!(state["ply"], ply, "{}", vector.id);
        }
    }
    // What the last choice answered is what anyone reads.
    let mut read = game.state().await;
    read["server_time"] = state["server_time"].clone();
    assert_eq!(read, state, "{}", vector.id);
    let last = vector.states.last().unwrap();
    if last.legal_moves == json!([]) {
        assert_eq!(state["status"], "finished", "{}", vector.id);
    }
    game.verified().await;
    check_log(vector, &game).await;
    game
}

async fn split(game: &Game, ply: u64) -> Answer {
    let offer = json!({ "kind": "split" });
    let offer = game.south.post(&game.to("offers"), &offer).await;
    assert_eq!(offer.expect(201)["offer"]["id"], 1);
    let accept = json!({ "after_ply": ply });
    game.north.post(&game.to("offers/1/accept"), &accept).await
}

/// The log's sow rows are the choices (of a pair south's first) and its positions
/// those of the vector.
async fn check_log(vector: &Vector, game: &Game) {
    let mut rows = Vec::new();
    let mut next = Some(game.to("moves?limit=200"));
    while let Some(path) = next {
        let page = game.anyone.get(&path).await.expect(200);
        rows.extend(page["items"].as_array().unwrap().clone());
        let cursor = page["next_cursor"].as_str();
        next = cursor.map(|cursor| game.to(&format!("moves?limit=200&cursor={cursor}")));
    }
    let mut expected = Vec::new();
    let mut waiting: Option<(&str, u64)> = None;
    for (choice, state) in vector.choices.iter().zip(&vector.states[1..]) {
        let Choice::Sow { seat, house } = choice else {
            continue;
        };
        if state.committed {
            waiting = Some((seat, *house));
            continue;
        }
        let mut pair: Vec<_> = waiting
            .take()
            .into_iter()
            .chain([(*seat, *house)])
            .collect();
        pair.sort_by_key(|(seat, _)| *seat == "north");
        let last = pair.len() - 1;
        for (index, (seat, house)) in pair.into_iter().enumerate() {
            let position = state.position.as_deref().filter(|_| index == last);
            expected.push(json!([seat, house, position]));
        }
    }
    let sown: Vec<Value> = rows
        .iter()
        .filter(|row| row["kind"] == "sow")
        .map(|row| json!([row["seat"], row["house"], row["position"]]))
        .collect();
    assert_eq!(sown.len(), expected.len(), "{}", vector.id);
    let unknown_tick = |expected: &Value| expected[2].as_str().is_some_and(|p| p.contains(".*"));
    for (found, expected) in sown.iter().zip(&expected) {
        if !unknown_tick(expected) {
            assert_eq!(found, expected, "{}", vector.id);
        }
    }
    let numbers: Vec<Value> = rows.iter().map(|row| row["ply"].clone()).collect();
    assert_eq!(json!(numbers), json!((1..=rows.len()).collect::<Vec<_>>()));
}

async fn play_all(file: &str, ids: &[&str]) {
    let server = Server::start().await;
    for id in ids {
        play(&server, &vector(file, id)).await;
    }
}

#[tokio::test]
async fn congkak() {
    let ids = ["congkak-7-7000", "congkak-5-5002", "congkak-12-12001"];
    play_all("congkak", &ids).await;
}

#[tokio::test]
async fn congkak_traditional() {
    // The second and third are a series of four rounds with burnt houses.
    let ids = [
        "congkak-traditional-5-10004",
        "congkak-traditional-6-12002",
        "congkak-traditional-7-14006",
    ];
    play_all("congkak-traditional", &ids).await;
}

#[tokio::test]
async fn congkak_arena() {
    let ids = [
        "congkak-arena-5-15006",
        "congkak-arena-7-21002",
        "congkak-arena-6-18006",
    ];
    play_all("congkak-arena", &ids).await;
}

#[tokio::test]
async fn al_manqala() {
    let ids = [
        "al-manqala-7-4024",
        "al-manqala-7-4006",
        "al-manqala-7-4022",
    ];
    play_all("al-manqala", &ids).await;
}

#[tokio::test]
async fn custom_parameters() {
    let ids = [
        "mixed-03-congkak-7-7",
        "mixed-33-al-manqala-6-6",
        "mixed-84-congkak-traditional-5-5",
        "mixed-21-congkak-arena-5-7",
        "mixed-66-congkak-10-10",
    ];
    play_all("mixed", &ids).await;
}

/// Positions that show one rule each, from custom starts: openings, burnt houses,
/// refills, loops, starvation, a resignation.
#[tokio::test]
async fn edge_cases() {
    let server = Server::start().await;
    for vector in crate::support::vectors::vectors("edge-cases") {
        play(&server, &vector).await;
    }
}
