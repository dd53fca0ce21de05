//! The explorer against a count by hand: games of every preset, positions that are
//! counted as games come in and such as are counted when they are asked for, writers
//! at the same time, filters.

use mancala_post::play::archive;
use mancala_post::play::bulk::{self, Ready};
use mancala_post::play::frequent::Threshold;
use mancala_post::record::generate::Plan;
use serde_json::Value;

use crate::support::Server;
use crate::support::chance::Chance;
use crate::support::explored::{Course, courses, hold_against, query};
use crate::support::fates::{played, players};

/// Whatever occurs twice is frequent, and found out at once.
const LOW: Threshold = Threshold {
    games: 2,
    one_in: 1,
};

/// Some of what occurs four times is found out, sooner or later.
const SOME: Threshold = Threshold {
    games: 4,
    one_in: 3,
};

/// Asks about some positions of each of these games; the answers.
async fn held(server: &Server, all: &[Course], asked: &[&Course]) -> Vec<Value> {
    let mut answers = Vec::new();
    for game in asked {
        let last = game.read.positions.len() - 1;
        let mut places = vec![0, 1, 2, 5, last / 2, last.saturating_sub(1), last];
        places.retain(|&place| place <= last);
        let peers = |other: &&Course| other.ground == game.ground;
        let peers: Vec<&Course> = all.iter().filter(peers).collect();
        for place in places {
            let position = &game.read.positions[place];
            let path = format!("/v1/explorer?{}", query(game, position));
            let answer = server.api.get(&path).await.expect(200);
            assert_eq!(answer["position"], *position);
            hold_against(&peers, &answer, &server.url);
            answers.push(answer);
        }
    }
    answers
}

/// How many positions are counted as games come in.
async fn frequent(server: &Server) -> i64 {
    let query = "select count(*) from frequent_positions where choice = ''";
    server.db.number(query).await
}

/// That nothing changes when every position is counted anew.
async fn held_without_counts(server: &Server, all: &[Course], asked: &[&Course]) {
    let counted = held(server, all, asked).await;
    server.db.execute("delete from frequent_positions").await;
    assert_eq!(held(server, all, asked).await, counted);
}

#[tokio::test]
async fn the_answer_is_what_somebody_counts_by_hand() {
    let server = Server::start().await;
    let chance = &mut Chance(0x1234_5678_9abc_def1);
    let people = players(&server).await;
    played(&server, &people, 0..12, chance).await;
    let entered = archive::enter_counting(&server.db.pool(), LOW).await;
    assert!(entered.unwrap() > 5);
    let begun = frequent(&server).await;
    assert!(begun > 1, "{begun}");
    let some = courses(&server.api, "").await;
    held(&server, &some, &some.iter().collect::<Vec<_>>()).await;

    // More games: some positions are counted on, others begin to be frequent.
    played(&server, &people, 12..26, chance).await;
    archive::enter_counting(&server.db.pool(), LOW)
        .await
        .unwrap();
    let now = frequent(&server).await;
    assert!(now > begun, "{now}");
    let all = courses(&server.api, "").await;
    assert!(all.len() > some.len() + 5);
    held_without_counts(&server, &all, &all.iter().collect::<Vec<_>>()).await;
}

/// Games of one plan.
fn generated(ruleset: &str, rules: &str, games: std::ops::Range<u64>) -> Vec<Ready> {
    let plan = Plan::new(ruleset, Some(rules), 3, 60).unwrap();
    games
        .map(|number| Ready::new(plan.game(number)).unwrap())
        .collect()
}

#[tokio::test]
async fn whoever_writes_at_the_same_time_counts_every_game_once() {
    let server = Server::start().await;
    // Small boards: what one game comes to, others come to as well.
    let rulesets = [
        ("congkak", r#"{"houses": 5, "seeds": 1}"#),
        ("al-manqala", r#"{"houses": 5, "seeds": 2}"#),
    ];
    let mut writers = Vec::new();
    for writer in 0..4 {
        let pool = server.db.pool();
        writers.push(tokio::spawn(async move {
            let mut db = pool.acquire().await.unwrap();
            for part in 0..4 {
                for (ruleset, rules) in rulesets {
                    let from = writer * 20 + part * 5;
                    let batch = generated(ruleset, rules, from..from + 5);
                    bulk::enter_counting(&mut db, &batch, SOME).await.unwrap();
                }
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let frequent = frequent(&server).await;
    assert!(frequent > 10, "{frequent}");
    let all = courses(&server.api, "").await;
    assert_eq!(all.len(), 160);
    let asked: Vec<&Course> = all.iter().step_by(16).collect();
    held_without_counts(&server, &all, &asked).await;
}

#[tokio::test]
async fn with_filters_the_games_count_that_fit() {
    let server = Server::start().await;
    let chance = &mut Chance(0x0bad_cafe_0dd0_beef);
    let people = players(&server).await;
    played(&server, &people, 0..24, chance).await;
    archive::enter_counting(&server.db.pool(), LOW)
        .await
        .unwrap();
    let all = courses(&server.api, "").await;
    let (mut empty, mut whole, mut asked) = (0, 0, 0);
    for (name, value) in [
        ("result", "south"),
        ("result", "draw"),
        ("kind", "human,bot"),
        ("kind", "anonymous"),
        ("player", "Aminah"),
        ("reason", "resignation"),
        ("min_plies", "8"),
        ("max_margin", "6"),
        ("min_relay", "3"),
        ("label", "friendly"),
        ("source", "played"),
        ("status", "finished"),
        ("status", "playing"),
        ("created_since", "2020-01-01"),
        ("opening", "2"),
    ] {
        for game in all.iter().step_by(3) {
            let peers = |other: &&Course| other.ground == game.ground;
            let peers: Vec<&Course> = all.iter().filter(peers).collect();
            let fit = |other: &&&Course| other.read.fits(name, value);
            let fitting: Vec<&Course> = peers.iter().filter(fit).copied().collect();
            for place in [0, 3] {
                let Some(position) = game.read.positions.get(place) else {
                    continue;
                };
                let path = format!("/v1/explorer?{}&{name}={value}", query(game, position));
                let answer = server.api.get(&path).await.expect(200);
                hold_against(&fitting, &answer, &server.url);
                asked += 1;
                empty += usize::from(answer["reached"]["games"] == 0);
                whole += usize::from(fitting.len() == peers.len());
            }
        }
    }
    assert!(
        empty < asked * 2 / 3 && whole < asked / 2,
        "{empty} {whole} of {asked}"
    );
}
