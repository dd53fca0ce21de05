//! Parameters of the rules: those a game may override, those it may not, and what a
//! game keeps of them.

use serde_json::{Value, json};

use crate::support::{Game, Server};

#[tokio::test]
async fn a_game_keeps_all_its_parameters() {
    let server = Server::start().await;
    let full = [
        (
            "congkak",
            json!({}),
            json!({
                "houses": 7, "seeds": 7, "opening": "alternating", "empty_opposite": "stay",
                "round_end": "mover_empty", "max_rounds": 1, "refill": "left_to_right",
                "burnt": "skip", "burnt_recoverable": true,
            }),
        ),
        (
            "congkak-traditional",
            json!({}),
            json!({
                "houses": 7, "seeds": 7, "opening": "simultaneous", "empty_opposite": "bank",
                "round_end": "side_empty", "max_rounds": null, "refill": "left_to_right",
                "burnt": "skip", "burnt_recoverable": true,
            }),
        ),
        (
            "congkak-arena",
            json!({ "houses": 9 }),
            json!({
                "houses": 9, "seeds": 9, "opening": "simultaneous", "empty_opposite": "bank",
                "round_end": "side_empty", "max_rounds": 1, "refill": "even",
                "burnt": "confiscate", "burnt_recoverable": true,
            }),
        ),
        (
            "al-manqala",
            json!({ "seeds": 4 }),
            json!({ "houses": 7, "seeds": 4, "feeding": "deposit", "loop_repeat": 3 }),
        ),
        (
            "congkak",
            json!({
                "houses": 15, "seeds": 1, "opening": "simultaneous", "empty_opposite": "bank",
                "round_end": "side_empty", "max_rounds": 100, "refill": "even",
                "burnt": "confiscate", "burnt_recoverable": false,
            }),
            json!({
                "houses": 15, "seeds": 1, "opening": "simultaneous", "empty_opposite": "bank",
                "round_end": "side_empty", "max_rounds": 100, "refill": "even",
                "burnt": "confiscate", "burnt_recoverable": false,
            }),
        ),
        (
            "al-manqala",
            json!({ "houses": 5, "seeds": 15, "feeding": "leaves", "loop_repeat": null }),
            json!({ "houses": 5, "seeds": 15, "feeding": "leaves", "loop_repeat": null }),
        ),
    ];
    for (ruleset, overrides, rules) in full {
        let body = json!({ "ruleset": ruleset, "rules": overrides });
        let game = Game::create(&server.api, &body).await;
        let state = game.state().await;
        assert_eq!(state["rules"], rules);
        assert_eq!(state["ruleset"], ruleset);
        assert_eq!(state["revision"], 1);
        let houses = state["board"]["north"]["houses"].as_array().unwrap();
        assert_eq!(json!(houses.len()), rules["houses"]);
        assert!(houses.iter().all(|seeds| seeds == &rules["seeds"]));
    }
}

#[tokio::test]
async fn refused_with_the_parameters_name() {
    let server = Server::start().await;
    let refused = [
        ("congkak", "feeding", json!("deposit")),
        ("congkak", "loop_repeat", json!(3)),
        ("al-manqala", "opening", json!("alternating")),
        ("al-manqala", "max_rounds", json!(1)),
        ("al-manqala", "burnt", json!("skip")),
        ("congkak", "colour", json!("red")),
        ("congkak", "Houses", json!(7)),
        ("congkak", "", json!(7)),
        ("congkak", "houses", json!(4)),
        ("congkak", "houses", json!(16)),
        ("congkak", "houses", json!(-5)),
        ("congkak", "houses", json!(7.0)),
        ("congkak", "houses", json!("7")),
        ("congkak", "houses", Value::Null),
        ("congkak", "houses", json!(true)),
        ("congkak", "houses", json!([7])),
        ("congkak", "houses", json!(18_446_744_073_709_551_615_u64)),
        ("congkak", "seeds", json!(0)),
        ("congkak", "seeds", json!(16)),
        ("congkak", "seeds", Value::Null),
        ("congkak", "opening", json!("Simultaneous")),
        ("congkak", "opening", Value::Null),
        ("congkak", "empty_opposite", json!("bank ")),
        ("congkak", "round_end", json!("")),
        ("congkak", "max_rounds", json!(0)),
        ("congkak", "max_rounds", json!(101)),
        ("congkak", "refill", json!("odd")),
        ("congkak", "burnt", json!(false)),
        ("congkak", "burnt_recoverable", json!("true")),
        ("congkak", "burnt_recoverable", json!(1)),
        ("al-manqala", "feeding", json!("never")),
        ("al-manqala", "loop_repeat", json!(1)),
        ("al-manqala", "loop_repeat", json!(11)),
        ("al-manqala", "loop_repeat", json!(0)),
    ];
    for (ruleset, parameter, value) in refused {
        let body = json!({ "ruleset": ruleset, "rules": { parameter: value } });
        let problem = server
            .api
            .post("/v1/games", &body)
            .await
            .problem(422, "bad_rules");
        assert_eq!(problem["parameter"], parameter, "{body}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(parameter), "{body}: {detail}");
        let path = format!("/v1/rulesets/{ruleset}/simulate");
        let body = json!({ "rules": { parameter: value } });
        let problem = server
            .api
            .post(&path, &body)
            .await
            .problem(422, "bad_rules");
        assert_eq!(problem["parameter"], parameter, "{body}");
    }
    let body = json!({ "ruleset": "oware" });
    let problem = server
        .api
        .post("/v1/games", &body)
        .await
        .problem(422, "bad_rules");
    assert_eq!(problem["parameter"], "ruleset");
    let known = "congkak, congkak-traditional, congkak-arena, al-manqala";
    assert!(problem["detail"].as_str().unwrap().ends_with(known));
    let path = "/v1/rulesets/oware/simulate";
    server
        .api
        .post(path, &json!({}))
        .await
        .problem(404, "unknown_ruleset");
}

/// The list of presets says of each parameter what creation makes of it.
#[tokio::test]
async fn the_presets_describe_their_parameters() {
    let server = Server::start().await;
    let list = server.api.get("/v1/rulesets").await.expect(200);
    let presets = list["items"].as_array().unwrap();
    let names: Vec<_> = presets.iter().map(|preset| &preset["name"]).collect();
    assert_eq!(
        names,
        [
            "congkak",
            "congkak-traditional",
            "congkak-arena",
            "al-manqala"
        ]
    );
    for preset in presets {
        let name = preset["name"].as_str().unwrap();
        let path = format!("/v1/rulesets/{name}");
        assert_eq!(&server.api.get(&path).await.expect(200), preset);
        assert_eq!(preset["url"], format!("{}{path}", server.url));
        assert_eq!(preset["revision"], 1);
        for text in ["summary", "rules_in_words", "source"] {
            assert!(preset[text].as_str().unwrap().len() > 20, "{name} {text}");
        }
        let game = Game::of(&server.api, name).await.state().await;
        assert_eq!(preset["defaults"], game["rules"]);
        let defaults = preset["defaults"].as_object().unwrap();
        let parameters = preset["parameters"].as_array().unwrap();
        assert_eq!(parameters.len(), defaults.len());
        for parameter in parameters {
            let key = parameter["name"].as_str().unwrap();
            assert!(parameter["meaning"].as_str().unwrap().len() > 10);
            if key != "seeds" {
                assert_eq!(parameter["default"], defaults[key], "{name} {key}");
            }
            // Its ends and words are allowed.
            let mut allowed: Vec<Value> = Vec::new();
            allowed.extend(
                parameter["choices"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .cloned(),
            );
            for end in ["minimum", "maximum"] {
                allowed.extend(parameter.get(end).cloned());
            }
            if parameter["type"] == "boolean" {
                allowed.extend([json!(true), json!(false)]);
            }
            if parameter["nullable"] == true {
                allowed.push(Value::Null);
            }
            assert!(allowed.len() >= 2, "{name} {key}");
            for value in allowed {
                let body = json!({ "ruleset": name, "rules": { key: value } });
                let game = Game::create(&server.api, &body).await;
                assert_eq!(game.created["game"]["rules"][key], value);
            }
        }
    }
}
