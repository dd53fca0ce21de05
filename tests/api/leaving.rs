//! Leaving: what becomes of the player's games, name, tokens and words.

use serde_json::{Value, json};
use sqlx::Connection;

use crate::support::backstage::{everything, number, somebody_waits};
use crate::support::people::{at_once, between, ids};
use crate::support::{Answer, Api, Ask, Game, Made, Person, Server};

async fn leave(api: &Api) -> Answer {
    api.ask(Ask::new("DELETE", "/v1/me")).await
}

async fn say(game: &Game, seat: &str, after_ply: u64, house: u64, message: &str) -> Answer {
    let body = json!({ "after_ply": after_ply, "house": house, "message": message });
    game.seat(seat).post(&game.to("moves"), &body).await
}

async fn etag(api: &Api, path: &str) -> String {
    let answer = api.get(path).await;
    answer.is(200);
    answer.header("etag").to_owned()
}

#[tokio::test]
async fn what_becomes_of_the_games() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "Aminah").await;
    let bunga = Person::new(&server.api, "Bunga").await;
    let none = json!({});
    let running = between(&aminah, &bunga, "al-manqala", none.clone()).await;
    say(&running, "south", 0, 1, "said-by-aminah")
        .await
        .expect(201);
    say(&running, "north", 1, 1, "said-by-bunga")
        .await
        .expect(201);
    let theirs = between(&bunga, &aminah, "al-manqala", none.clone()).await;
    theirs.play(&["s1", "n1"]).await;
    let begun = between(&aminah, &bunga, "al-manqala", none.clone()).await;
    begun.play(&["s1"]).await;
    let arena = between(&bunga, &aminah, "congkak-arena", none.clone()).await;
    say(&arena, "north", 0, 3, "said-in-secret")
        .await
        .expect(202);
    let finished = between(&aminah, &bunga, "congkak", none.clone()).await;
    finished
        .north
        .call(&finished.to("resign"))
        .await
        .expect(200);
    let result = finished.state().await["result"].clone();
    let open = json!({ "seat": "south", "opponent": { "open": true } });
    let open = Made::by(&aminah.api, "congkak", open).await;
    let invited = json!({ "opponent": { "player": "aminah" }, "visibility": "private" });
    let invited = Made::by(&bunga.api, "congkak", invited).await;
    let (_, reader) = aminah.further(json!({ "scopes": ["read"] })).await;
    let seen = [&running.path, &finished.path, &finished.to("moves")];
    let mut tags = Vec::new();
    for path in seen {
        tags.push(etag(&bunga.api, path).await);
        tags.push(etag(&server.api, path).await);
    }

    leave(&reader).await.problem(403, "missing_scope");
    let left = leave(&aminah.api).await;
    assert_eq!(left.body, b"");
    left.expect(204);

    let gone = json!({ "player": null, "kind": "deleted", "vacation_until": null });
    for (game, seat) in [(&running, "south"), (&theirs, "north")] {
        let state = bunga.api.get(&game.path).await.expect(200);
        assert_eq!(state["status"], "finished");
        assert_eq!(state["result"]["reason"], "resignation");
        assert_eq!(state["result"]["ended_by"], seat);
        assert_eq!(state["seats"][seat], gone);
    }
    for game in [&begun.path, &arena.path, &open.path, &invited.path] {
        let state = bunga.api.get(game).await.expect(200);
        assert_eq!(state["status"], "aborted", "{game}");
        assert_eq!(state["result"], Value::Null);
        assert!(state["seats"].to_string().contains("deleted") || game == &invited.path);
    }
    let state = server.api.get(&finished.path).await.expect(200);
    assert_eq!(state["result"], result);
    assert_eq!(state["seats"]["south"], gone);
    assert_eq!(state["seats"]["north"]["player"], "Bunga");
    let lobby = server.api.get("/v1/games?status=open").await.expect(200);
    assert_eq!(ids(&lobby), [""; 0]);
    assert_eq!(bunga.counts().await["running"], 0);
    // Games are whole as before.
    for path in [&running.path, &theirs.path, &begun.path, &arena.path] {
        let verdict = server.api.get(&format!("{path}/verify")).await.expect(200);
        assert_eq!(verdict["ok"], true, "{verdict}");
    }

    // Whoever kept an answer does not keep the name.
    let mut before = tags.iter();
    for path in seen {
        for api in [&bunga.api, &server.api] {
            assert_ne!(&etag(api, path).await, before.next().unwrap(), "{path}");
        }
    }

    // The tokens open nothing.
    for api in [&aminah.api, &reader] {
        for ask in [
            Ask::get("/v1/me"),
            Ask::get(&running.path),
            Ask::new("DELETE", "/v1/me"),
        ] {
            api.ask(ask).await.problem(401, "unauthorized");
        }
    }
    // The words are gone, those of the other one are there.
    let log = bunga.api.get(&running.to("moves")).await.expect(200);
    assert_eq!(log["items"][0].get("message"), None);
    assert_eq!(log["items"][1]["message"], "said-by-bunga");
    let stored = everything(&server.db).await.to_lowercase();
    for word in [
        "aminah",
        "said-in-secret",
        &aminah.token[3..].to_lowercase(),
    ] {
        assert!(!stored.contains(word), "{word} is still there");
    }
    assert_eq!(number(&server.db, "select count(*) from commits").await, 0);
}

#[tokio::test]
async fn the_handle_is_free_again() {
    let server = Server::start().await;
    let first = Person::new(&server.api, "Aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let game = between(&first, &bunga, "congkak", json!({})).await;
    leave(&first.api).await.expect(204);
    for rest in ["", "/games"] {
        let path = format!("/v1/players/aminah{rest}");
        server.api.get(&path).await.problem(404, "unknown_player");
    }
    let fields = json!({ "ruleset": "congkak", "opponent": { "player": "aminah" } });
    let answer = bunga.api.post("/v1/games", &fields).await;
    answer.problem(422, "bad_invitation");

    // Somebody else of that name has nothing of theirs.
    let second = Person::new(&server.api, "aMINAH").await;
    assert_eq!(second.counts().await["over"], 0);
    let page = second.api.get("/v1/me/games").await.expect(200);
    assert_eq!(ids(&page), [""; 0]);
    let state = second.api.get(&game.path).await.expect(200);
    assert_eq!(state["seats"]["south"]["kind"], "deleted");
    leave(&first.api).await.problem(401, "unauthorized");
}

/// Whatever is under way when somebody leaves: no game waits for a player who is
/// gone, and no token of theirs is good.
#[tokio::test]
async fn leaving_amid_everything() {
    let server = Server::start().await;
    let bunga = Person::new(&server.api, "bunga").await;
    for round in 0..3 {
        let aminah = Person::new(&server.api, &format!("aminah-{round}")).await;
        let mut open = Vec::new();
        for _ in 0..8 {
            let fields = json!({ "opponent": { "open": true } });
            open.push(Made::by(&bunga.api, "congkak", fields).await);
        }
        let mut asks = vec![(aminah.api.clone(), Ask::new("DELETE", "/v1/me"))];
        for game in &open {
            asks.push((aminah.api.clone(), game.joining(None)));
            let invite = json!({ "ruleset": "congkak", "opponent": { "player": aminah.name } });
            let invite = Ask::post("/v1/games").json(&invite);
            asks.push((bunga.api.clone(), invite));
            let token = json!({ "scopes": ["read"] });
            let token = Ask::post("/v1/me/tokens").json(&token);
            asks.push((aminah.api.clone(), token));
        }
        asks.swap(0, 12);
        for answer in at_once(asks).await {
            assert!(
                matches!(answer.status, 200 | 201 | 204 | 401 | 422),
                "{answer}"
            );
            if let Some(secret) = answer.json["secret"].as_str() {
                let later = server.api.with(secret).get("/v1/me").await;
                later.problem(401, "unauthorized");
            }
        }
        let waiting = "select count(*) from seats join players using (player_id) \
                       where live and deleted_at is not null";
        assert_eq!(number(&server.db, waiting).await, 0);
    }
}

/// Somebody leaves while an own request waits: it comes too late.
#[tokio::test]
async fn a_seat_taken_after_leaving() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let open = json!({ "opponent": { "open": true } });
    let game = Made::by(&bunga.api, "congkak", open).await;
    let mut db = server.db.connect().await;
    let mut held = db.begin().await.unwrap();
    sqlx::query("select from games for update")
        .execute(&mut *held)
        .await
        .unwrap();
    let (api, join) = (aminah.api.clone(), game.joining(None));
    let joining = tokio::spawn(async move { api.ask(join).await });
    somebody_waits(&mut held).await;
    leave(&aminah.api).await.expect(204);
    held.rollback().await.unwrap();
    joining.await.unwrap().problem(401, "unauthorized");
    let state = bunga.api.get(&game.path).await.expect(200);
    assert_eq!(state["status"], "open");
}
