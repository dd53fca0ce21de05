//! All games of the vectors through `simulate`, in one call each, and again in
//! pieces, each of which starts from the position text the last one ended with.

use serde_json::{Value, json};

use crate::support::vectors::{Choice, Vector, vectors};
use crate::support::{Api, Server};

fn choice(choice: &Choice) -> Value {
    match choice {
        Choice::Sow { seat, house } => json!({ "seat": seat, "house": house }),
        Choice::Resign { seat } => json!({ "seat": seat, "action": "resign" }),
        Choice::Split => json!({ "action": "split" }),
    }
}

async fn simulate(api: &Api, vector: &Vector, start: &Value, choices: &[Choice]) -> Vec<Value> {
    let choices: Vec<Value> = choices.iter().map(choice).collect();
    let body = json!({ "rules": vector.rules, "start": start, "choices": choices });
    let path = format!("/v1/rulesets/{}/simulate", vector.ruleset);
    let answer = api.post(&path, &body).await.expect(200);
    let states = answer["states"].as_array().unwrap().clone();
    assert_eq!(states.len(), choices.len() + 1, "{}", vector.id);
    assert_eq!(states[0].get("trace"), None, "{}", vector.id);
    states
}

/// The whole game in one call.
async fn whole(api: &Api, vector: &Vector) {
    let states = simulate(api, vector, &vector.start, &vector.choices).await;
    for (index, state) in states.iter().enumerate() {
        vector.compare(index, state);
        if index > 0 {
            let trace = state["trace"].as_array().unwrap();
            // Only a choice that waits for the other seat's leaves no trace.
            let shown = !vector.states[index].committed;
            assert_eq!(!trace.is_empty(), shown, "{} {index}", vector.id);
        }
    }
}

/// The game in calls of about `length` choices. A position text does not tell the
/// finished rounds, so these are left out.
async fn pieces(api: &Api, vector: &Vector, length: usize) {
    let mut start = vector.start.clone();
    let mut begin = 0;
    while begin < vector.choices.len() {
        let mut end = (begin + length).min(vector.choices.len());
        // A piece cannot start between two secret choices.
        while vector.states[end].committed {
            end += 1;
        }
        let states = simulate(api, vector, &start, &vector.choices[begin..end]).await;
        for (index, state) in states.iter().enumerate().take(end - begin) {
            vector.compare(begin + index, state);
        }
        let position = states.last().unwrap()["position"].as_str().unwrap();
        let expected = vector.states[end].position.as_deref().unwrap();
        assert!(
            expected.contains(".*") || expected == position,
            "{}",
            vector.id
        );
        start = json!(position);
        begin = end;
    }
}

async fn simulate_all(file: &str, games: usize) {
    let server = Server::start().await;
    let vectors = vectors(file);
    assert_eq!(vectors.len(), games);
    for vector in &vectors {
        whole(&server.api, vector).await;
        // Repetition counts begin anew with each piece.
        let repeats = vector.rules["loop_repeat"].is_u64();
        if !repeats && vector.choices.len() > 20 {
            pieces(&server.api, vector, 40).await;
        }
    }
}

#[tokio::test]
async fn congkak() {
    simulate_all("congkak", 20).await;
}

#[tokio::test]
async fn congkak_traditional() {
    simulate_all("congkak-traditional", 20).await;
}

#[tokio::test]
async fn congkak_arena() {
    simulate_all("congkak-arena", 20).await;
}

#[tokio::test]
async fn al_manqala() {
    simulate_all("al-manqala", 20).await;
}

#[tokio::test]
async fn custom_parameters() {
    simulate_all("mixed", 30).await;
}

#[tokio::test]
async fn edge_cases() {
    simulate_all("edge-cases", 44).await;
}
