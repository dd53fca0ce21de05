//! The simultaneous opening: two clients choose in secret, and until both have
//! chosen nobody can tell what the first one chose.

use serde_json::{Value, json};

use crate::support::glimpse;
use crate::support::{Api, Game, Server};

async fn commit(game: &Game, seat: &str, house: u64, message: &str) -> Value {
    let body = json!({ "after_ply": 0, "house": house, "message": message });
    let answer = game.seat(seat).post(&game.to("moves"), &body).await;
    assert!(!answer.replayed());
    answer.expect(202)
}

#[tokio::test]
async fn both_choices_become_rows_at_once() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak-traditional").await;
    let before = game.created["game"].clone();
    assert_eq!(before["status"], "opening");
    assert_eq!(before["to_move"], json!(["south", "north"]));
    assert_eq!(
        before["position"],
        "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 SN r1:- ?|? t0"
    );
    assert_eq!(
        before["opening"],
        json!({ "tick": 0, "done": { "south": null, "north": null } })
    );
    let open = json!([{ "round": 1, "starter": null, "south": null, "north": null }]);
    assert_eq!(before["rounds"], open);

    let answer = commit(&game, "north", 5, "good luck").await;
    assert_eq!(answer["committed"], true);
    // Nothing has changed but who owes a choice.
    let mut expected = before.clone();
    expected["to_move"] = json!(["south"]);
    let moves = expected["legal_moves"].as_array_mut().unwrap();
    moves.retain(|legal| legal["seat"] == "south");
    assert_eq!(moves.len(), 7);
    expected["server_time"] = answer["game"]["server_time"].clone();
    assert_eq!(answer["game"], expected);
    assert_eq!(game.log().await, Vec::<Value>::new());

    let body = json!({ "after_ply": 0, "house": 7 });
    let answer = game.south.post(&game.to("moves"), &body).await.expect(201);
    let state = &answer["game"];
    assert_eq!(state["ply"], 2);
    assert_eq!(state["status"], "opening");
    assert_eq!(state["to_move"], json!(["south"]));
    let position = "8,8,8,8,8,0,1/8,8,8,8,0,7,7 1-1 S r1:- ?|9@s6 t7";
    // South's seven went round its row into its store; north's hand is held.
    assert_eq!(state["position"], position);
    assert_eq!(state["board"]["south"]["hand"], Value::Null);
    assert_eq!(
        state["board"]["north"]["hand"],
        json!({ "seeds": 9, "over": "s6" })
    );
    assert_eq!(
        state["opening"],
        json!({ "tick": 7, "done": { "south": null, "north": null } })
    );

    let log = game.log().await;
    assert_eq!(log.len(), 2);
    let facts = |row: &Value| {
        json!([
            row["ply"],
            row["seat"],
            row["house"],
            row["after_ply"],
            row["turn"],
            row["position"]
        ])
    };
    assert_eq!(facts(&log[0]), json!([1, "south", 7, 0, 1, null]));
    assert_eq!(facts(&log[1]), json!([2, "north", 5, 0, 1, position]));
    assert_eq!(log[0]["extra_turn"], true);
    assert_eq!(log[0]["seeds_sown"], 7);
    assert_eq!(log[1]["extra_turn"], false);
    // The trace of each row is its own seat's part.
    let page = game
        .anyone
        .get(&game.to("moves?trace=true"))
        .await
        .expect(200);
    for (row, seat) in [(0, "south"), (1, "north")] {
        let trace = page["items"][row]["trace"].as_array().unwrap();
        assert!(!trace.is_empty());
        assert!(trace.iter().all(|step| step["seat"] == seat), "{trace:?}");
        assert!(trace.iter().all(|step| step["tick"].is_u64()), "{trace:?}");
    }
    // Messages are for the two seats, each with its own row.
    let page = game.south.get(&game.to("moves")).await.expect(200);
    assert_eq!(page["items"][0].get("message"), None);
    assert_eq!(page["items"][1]["message"], "good luck");

    // South alone owes a choice: one row, at once.
    let body = json!({ "after_ply": 2, "house": 3 });
    let answer = game.south.post(&game.to("moves"), &body).await.expect(201);
    assert_eq!(answer["game"]["ply"], 3);
    assert_eq!(answer["row"]["ply"], 3);
    // North's frozen hand went on with it: its counts stand beside.
    assert!(answer["row"]["other"]["seeds_sown"].as_u64().unwrap() >= 1);
    game.verified().await;
}

/// The same game twice with two different choices of south.
#[tokio::test]
async fn nobody_can_tell_two_choices_apart() {
    let server = Server::start().await;
    let bystander = Game::of(&server.api, "congkak").await;
    let mut seen: Vec<Vec<Vec<String>>> = Vec::new();
    let mut answers = Vec::new();
    for (house, message) in [(2, "quince"), (7, "medlar, the longer one")] {
        let game = Game::of(&server.api, "congkak-arena").await;
        let answer = commit(&game, "south", house, message).await;
        answers.push(glimpse::alike(&game, &answer.to_string()));
        let mut all = Vec::new();
        // The other seat, a stranger, and the seat itself.
        for api in [&game.north, &game.anyone, &game.south] {
            all.push(glimpse::of(&game, api, &bystander).await);
        }
        // A repeated commit shows no more.
        let body = json!({ "after_ply": 0, "house": house });
        let again = game.south.post(&game.to("moves"), &body).await;
        assert!(again.replayed());
        answers.push(glimpse::alike(&game, &again.expect(202).to_string()));
        seen.push(all);
        game.verified().await;
    }
    for (first, second) in seen[0].iter().zip(&seen[1]) {
        for (first, second) in first.iter().zip(second) {
            assert_eq!(first, second);
        }
    }
    assert!(
        answers.iter().all(|answer| answer == &answers[0]),
        "{answers:#?}"
    );
    let all = format!("{seen:?}{answers:?}");
    assert!(!all.contains("quince") && !all.contains("medlar"));
}

/// The same in the middle of an opening, where both owe a second choice.
#[tokio::test]
async fn nobody_can_tell_two_second_choices_apart() {
    let server = Server::start().await;
    let bystander = Game::of(&server.api, "congkak").await;
    let mut seen = Vec::new();
    for house in [1, 4] {
        let body = json!({ "ruleset": "congkak-traditional", "rules": { "houses": 5 } });
        let game = Game::create(&server.api, &body).await;
        let state = game.play(&["s3", "n3"]).await.expect(201)["game"].clone();
        let position = "2,12,4,2,1/2,12,4,2,1 4-4 SN r1:- ?|? t36";
        assert_eq!(state["position"], position);
        game.send("north", 2, house).await.expect(202);
        let mut all = Vec::new();
        for api in [&game.south, &game.anyone, &game.north] {
            // The pair that was revealed took its own time; compare without.
            let glimpse = glimpse::of(&game, api, &bystander).await;
            all.extend(glimpse.iter().map(|text| without_elapsed(text)));
        }
        seen.push(all);
    }
    for (first, second) in seen[0].iter().zip(&seen[1]) {
        assert_eq!(first, second);
    }
}

fn without_elapsed(text: &str) -> String {
    let json = regex::Regex::new(r#""elapsed_ms":\d+"#).unwrap();
    let csv = regex::Regex::new(r",\d+,TIME,player").unwrap();
    let record = regex::Regex::new(r"\{\d+ms TIME\}").unwrap();
    let length = regex::Regex::new(r#""content-length": \["\d+"\]"#).unwrap();
    let text = json.replace_all(text, "ELAPSED");
    let text = csv.replace_all(&text, ",ELAPSED,TIME,player");
    let text = record.replace_all(&text, "{ELAPSED TIME}");
    length.replace_all(&text, "LENGTH").into_owned()
}

/// Whoever reads the database by its views finds none.
#[tokio::test]
async fn no_view_shows_the_commits() {
    let server = Server::start().await;
    let mut db = server.db.connect().await;
    let views: i64 = sqlx::query_scalar(
        "select (select count(*) from pg_views where schemaname = 'public') \
              + (select count(*) from pg_matviews where schemaname = 'public')",
    )
    .fetch_one(&mut db)
    .await
    .unwrap();
    assert_eq!(views, 0);
}

/// The opening comes out the same whoever commits first.
#[tokio::test]
async fn the_order_of_the_commits_does_not_matter() {
    let server = Server::start().await;
    let mut ends = Vec::new();
    for order in [["s2", "n6"], ["n6", "s2"]] {
        let game = Game::of(&server.api, "congkak-arena").await;
        let state = game.play(&order).await.expect(201)["game"].clone();
        let log = game.log().await;
        let sown: Vec<Value> = log
            .iter()
            .map(|row| json!([row["seat"], row["house"], row["seeds_sown"], row["banked"]]))
            .collect();
        ends.push(json!([state["position"], sown]));
    }
    assert_eq!(ends[0], ends[1]);
}

/// A choice that is never revealed is deleted with the game's end.
#[tokio::test]
async fn a_resignation_deletes_the_pending_choice() {
    let server = Server::start().await;
    for (first, resigns) in [("south", "south"), ("south", "north"), ("north", "south")] {
        let game = Game::of(&server.api, "congkak-traditional").await;
        commit(&game, first, 4, "a secret").await;
        let pending = server.db.rows(&game.id).await;
        assert_eq!(pending["commits"].as_array().unwrap().len(), 1);
        let api: &Api = game.seat(resigns);
        let state = api.call(&game.to("resign")).await.expect(200);
        assert_eq!(state["status"], "finished");
        assert_eq!(state["result"]["reason"], "resignation");
        assert_eq!(
            state["position"],
            "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 - r1:- ?|? t0"
        );
        assert_eq!(state["to_move"], json!([]));
        let rows = server.db.rows(&game.id).await;
        assert_eq!(rows["commits"], json!([]));
        assert!(!rows.to_string().contains("a secret"));
        let log = game.log().await;
        assert_eq!(log.len(), 1);
        let facts = json!([
            log[0]["kind"],
            log[0]["reason"],
            log[0]["by"],
            log[0]["after_ply"]
        ]);
        assert_eq!(facts, json!(["end", "resignation", resigns, 0]));
        // The commit sent again finds a game that is over.
        game.send(first, 0, 4).await.problem(409, "game_over");
        game.verified().await;
    }
}
