//! The filters of lists and counts: whatever is asked for, the answer is what
//! somebody would pick by hand who had read every game.

use std::collections::BTreeMap;

use mancala_post::play::archive;
use serde_json::json;

use crate::support::chance::Chance;
use crate::support::exports::lines;
use crate::support::fates::{played, players};
use crate::support::people::ids;
use crate::support::process::run;
use crate::support::reading::Read;
use crate::support::{Api, Server};

/// The ids of all pages.
async fn found(api: &Api, query: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut path = format!("/v1/games?limit=7&{query}");
    loop {
        let answer = api.get(&path).await;
        answer.is(200);
        all.extend(ids(&answer.json));
        let link = answer.header("link");
        let Some((_, rest)) = link.split_once("/v1/games?") else {
            return all;
        };
        path = format!("/v1/games?{}", rest.split('>').next().unwrap());
    }
}

fn query(filters: &[(String, String)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(filters)
        .finish()
}

#[tokio::test]
async fn filtered_is_all_and_then_picked() {
    let server = Server::start().await;
    let chance = &mut Chance(0x2545_f491_4f6c_dd1d);
    played(&server, &players(&server).await, 0..26, chance).await;
    archive::enter(&server.db.pool()).await.unwrap();
    let api = &server.api;
    let mut all = Vec::new();
    for id in found(api, "").await {
        all.push((id.clone(), Read::of(api, &id).await));
    }
    assert!(all.len() > 22, "{}", all.len());
    let finished: Vec<&Read> = all
        .iter()
        .map(|(_, read)| read)
        .filter(|read| read.finished())
        .collect();
    assert!(finished.len() > 10, "{}", finished.len());

    // Each filter with values that some games have, and others.
    let mut filters: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, values: &[&str]| {
        filters.extend(
            values
                .iter()
                .map(|value| (name.to_owned(), (*value).to_owned())),
        );
    };
    add(
        "status",
        &["open", "opening", "playing", "finished", "aborted"],
    );
    add(
        "ruleset",
        &[
            "congkak",
            "congkak-traditional",
            "congkak-arena",
            "al-manqala",
        ],
    );
    add("revision", &["1"]);
    add(
        "rules",
        &[
            "houses:5",
            "houses:7,seeds:7",
            "max_rounds:4",
            "opening:simultaneous",
            "loop_repeat:3",
        ],
    );
    add("player", &["Aminah", "aminah", "kampung-bot"]);
    add(
        "kind",
        &[
            "human",
            "bot",
            "anonymous",
            "bot,human",
            "human,bot",
            "human,human",
        ],
    );
    add("result", &["south", "north", "draw"]);
    add(
        "reason",
        &[
            "most_seeds",
            "majority",
            "starvation",
            "resignation",
            "cannot_refill",
            "timeout",
        ],
    );
    add("label", &["friendly", "Piala, Kuala & Co", "Friendly"]);
    add("source", &["played", "imported", "generated"]);
    for (name, value) in [
        ("plies", "12"),
        ("rounds", "2"),
        ("relay", "4"),
        ("burnt", "1"),
        ("margin", "6"),
    ] {
        add(&format!("min_{name}"), &[value, "0", "1"]);
        add(&format!("max_{name}"), &[value, "0", "1"]);
    }
    let some = finished[finished.len() / 2];
    let (created, ended) = (
        some.state["created_at"].as_str().unwrap(),
        some.state["result"]["ended_at"].as_str().unwrap(),
    );
    for (name, time) in [("created", created), ("ended", ended)] {
        add(
            &format!("{name}_since"),
            &[time, "2020-01-01", "2100-01-01"],
        );
        add(
            &format!("{name}_before"),
            &[time, "2020-01-01", "2100-01-01"],
        );
    }
    for read in finished.iter().step_by(3) {
        let houses: Vec<String> = read
            .sown()
            .iter()
            .map(|row| row["house"].to_string())
            .collect();
        for length in [1, 2, 5, 17, houses.len()] {
            add("opening", &[&houses[..length.min(houses.len())].join(",")]);
        }
    }
    let mut queries: Vec<Vec<(String, String)>> =
        filters.iter().map(|one| vec![one.clone()]).collect();
    // Positions need their rules.
    for read in finished.iter().step_by(2) {
        let rules = ["houses", "seeds", "max_rounds"].iter().filter_map(|name| {
            let value = &read.state["rules"][name];
            (!value.is_null()).then(|| format!("{name}:{value}"))
        });
        let rules = rules.collect::<Vec<_>>().join(",");
        for at in [0, 1, 3, read.positions.len() - 1] {
            let Some(position) = read.positions.get(at) else {
                continue;
            };
            queries.push(vec![
                (
                    "ruleset".into(),
                    read.state["ruleset"].as_str().unwrap().into(),
                ),
                ("rules".into(), rules.clone()),
                ("reached".into(), position.clone()),
            ]);
        }
    }
    // Several at a time.
    let chance = &mut Chance(88_172_645_463_325_252);
    for _ in 0..70 {
        let mut some = BTreeMap::new();
        for _ in 0..2 + chance.below(2) {
            let (name, value) = filters[chance.below(filters.len())].clone();
            some.insert(name, value);
        }
        queries.push(some.into_iter().collect());
    }
    let (mut empty, mut whole) = (0, 0);
    for filters in &queries {
        let fits = |read: &Read| filters.iter().all(|(name, value)| read.fits(name, value));
        let expected: Vec<&String> = all
            .iter()
            .filter(|(_, read)| fits(read))
            .map(|(id, _)| id)
            .collect();
        let query = query(filters);
        let got = found(api, &query).await;
        assert_eq!(got.iter().collect::<Vec<_>>(), expected, "{query}");
        let count = api
            .get(&format!("/v1/games/count?{query}"))
            .await
            .expect(200);
        assert_eq!(count, json!({ "count": expected.len() }), "{query}");
        empty += usize::from(expected.is_empty());
        whole += usize::from(expected.len() == all.len());
    }
    // The questions are such as tell games apart.
    assert!(
        empty < queries.len() * 2 / 3 && whole < queries.len() / 4,
        "{empty} {whole} of {}",
        queries.len()
    );
}

/// A position that most games went through is looked for in another way than one of few:
/// the pages are the same, and those of the export, which knows one way only.
#[tokio::test]
async fn positions_of_many_games_and_of_few() {
    let server = Server::start().await;
    let generate = ["generate", "--games", "400", "--ruleset", "congkak"];
    assert!(run(&server.db.url(), &generate).status.success());
    let api = &server.api;
    let (mut many, mut few) = (0, 0);
    // On and on by the choice that was made most often.
    let mut played: Vec<String> = Vec::new();
    for _ in 0..6 {
        let mut path = "/v1/explorer?ruleset=congkak".to_owned();
        if !played.is_empty() {
            path += &format!("&play={}", played.join(","));
        }
        let explored = api.get(&path).await.expect(200);
        let games = explored["reached"]["games"].as_u64().unwrap();
        many += u64::from(games * games > 8 * 400);
        few += u64::from(games * games <= 8 * 400);
        let position = explored["position"].as_str().unwrap().to_owned();
        played.push(explored["moves"][0]["choices"][0]["house"].to_string());
        let reached = ("reached".to_owned(), position);
        let ruleset = ("ruleset".to_owned(), "congkak".to_owned());
        let result = ("result".to_owned(), "north".to_owned());
        for filters in [
            vec![ruleset.clone(), reached.clone()],
            vec![ruleset, reached, result],
        ] {
            let query = query(&filters);
            let mut exported: Vec<String> = lines(api, "games", &query)
                .await
                .iter()
                .map(|game| game["id"].as_str().unwrap().to_owned())
                .collect();
            exported.sort_unstable_by(|a, b| b.cmp(a));
            if filters.len() == 2 {
                assert_eq!(exported.len() as u64, games, "{played:?}");
            }
            assert_eq!(found(api, &query).await, exported, "{played:?}");
        }
    }
    assert!(many > 0 && few > 0, "{many} {few}");
}

#[tokio::test]
async fn what_makes_no_filter_is_named() {
    let server = Server::start().await;
    for (query, parameter) in [
        ("ruleset=kalah", "ruleset"),
        ("status=over", "status"),
        ("rules=houses", "rules"),
        ("rules=houses:4", "rules"),
        ("rules=pits:6", "rules"),
        ("rules=houses:5,houses:6", "rules"),
        ("ruleset=al-manqala&rules=max_rounds:3", "rules"),
        ("rules=max_rounds:3,feeding:leaves", "rules"),
        ("player=nobody-here", "player"),
        ("player=", "player"),
        ("revision=0", "revision"),
        ("opening=03", "opening"),
        ("opening=%2B3", "opening"),
        ("player=a%00b", "player"),
        ("label=a%00b", "label"),
        ("label=", "label"),
        ("created_since=-9999-01-01", "created_since"),
        ("created_before=0000-12-31", "created_before"),
        ("ended_since=%2B12026-01-01T00:00:00Z", "ended_since"),
        ("ended_before=2026-1-1", "ended_before"),
        ("kind=person", "kind"),
        ("kind=human,bot,human", "kind"),
        ("result=west", "result"),
        ("reason=boredom", "reason"),
        ("created_since=yesterday", "created_since"),
        ("ended_before=2026-13-01", "ended_before"),
        ("min_plies=many", "min_plies"),
        ("max_plies=-1", "max_plies"),
        ("min_relay=99999999999", "min_relay"),
        ("opening=", "opening"),
        ("opening=3,0", "opening"),
        ("opening=3,16", "opening"),
        ("opening=3;5", "opening"),
        ("reached=7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r1:S", "ruleset"),
        ("ruleset=congkak&reached=7,7,7", "reached"),
        (
            "ruleset=congkak&rules=houses:5&reached=7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r1:S",
            "reached",
        ),
        ("source=stolen", "source"),
        ("houses=5", "houses"),
    ] {
        for path in ["/v1/games", "/v1/games/count"] {
            let problem = server
                .api
                .get(&format!("{path}?{query}"))
                .await
                .problem(400, "bad_request");
            assert_eq!(problem["parameter"], parameter, "{query}: {problem}");
        }
    }
    server
        .api
        .get("/v1/games/count?limit=3")
        .await
        .problem(400, "bad_request");
}
