//! No answer, log line or counter holds a secret of somebody else: games are played
//! with every kind of secret in them, everything that can be read is read by every
//! kind of viewer, and all of it is searched.

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::backstage::number;
use crate::support::database::Database;
use crate::support::lines::lay;
use crate::support::offers::plain;
use crate::support::people::between;
use crate::support::process::Process;
use crate::support::{Api, Ask, Game, Made, Person};

/// A text, and the viewers who may read it.
struct Secret {
    what: &'static str,
    text: String,
    shown_to: &'static [&'static str],
}

/// Everything that was played and who may look.
struct Stage {
    secrets: Vec<Secret>,
    viewers: Vec<(&'static str, Api)>,
    paths: Vec<String>,
    people: Vec<Person>,
}

impl Stage {
    fn hide(&mut self, what: &'static str, text: &str, shown_to: &'static [&'static str]) {
        let text = text.trim_start_matches("mp_").to_owned();
        assert!(text.len() > 10, "{text} may be there by chance");
        self.secrets.push(Secret {
            what,
            text,
            shown_to,
        });
    }

    fn path(&mut self, game: &str) {
        for rest in ["", "?at_ply=0", "?at_ply=1", "?at_ply=2", "/verify"] {
            self.paths.push(format!("{game}{rest}"));
        }
        for rest in [
            "/moves",
            "/moves?trace=true",
            "/moves?limit=1",
            "/events?after=0",
            "/board.txt",
            "/board.svg",
            "/conditionals",
        ] {
            self.paths.push(format!("{game}{rest}"));
        }
    }
}

async fn say(game: &Game, seat: &str, after_ply: u64, house: u64, message: &str) {
    let body = json!({ "after_ply": after_ply, "house": house, "message": message });
    let answer = game.seat(seat).post(&game.to("moves"), &body).await;
    assert!(matches!(answer.status, 201 | 202), "{answer}");
}

async fn play(api: &Api) -> Stage {
    let aminah = Person::new(api, "aminah").await;
    let bunga = Person::new(api, "bunga").await;
    let cik = Person::new(api, "cik").await;
    let robot = Person::bot(api, "robot").await;
    let mut stage = Stage {
        secrets: Vec::new(),
        viewers: Vec::new(),
        paths: Vec::new(),
        people: Vec::new(),
    };
    for person in [&aminah, &bunga, &cik, &robot] {
        stage.hide("a player's token", &person.token, &[]);
    }
    let (further, reader) = aminah
        .further(json!({ "scopes": ["read"], "label": "label-of-a-token" }))
        .await;
    stage.hide("a further token", further["secret"].as_str().unwrap(), &[]);
    stage.hide(
        "a token's label",
        "label-of-a-token",
        &["aminah", "aminah's reader"],
    );

    for (visibility, reference, words, lines) in [
        (
            "public",
            "reference-public",
            ["words-of-aminah", "words-of-bunga"],
            ["3,6,2,5,1,4", "3,5,4,6,5,7"],
        ),
        (
            "private",
            "reference-private",
            ["private-of-aminah", "private-of-bunga"],
            ["4,6,3,5,2,1", "4,5,5,6,7,2"],
        ),
    ] {
        let fields = json!({ "visibility": visibility, "external_ref": reference });
        let game = between(&aminah, &bunga, "al-manqala", fields).await;
        say(&game, "south", 0, 1, words[0]).await;
        say(&game, "north", 1, 1, words[1]).await;
        game.south
            .post(&game.to("offers"), &json!({ "kind": "split" }))
            .await
            .expect(201);
        // On the turn of one, both lay down what they play next.
        for (seat, line) in ["south", "north"].into_iter().zip(lines) {
            let body: Value = serde_json::from_str(&format!("[[{line}]]")).unwrap();
            lay(game.seat(seat), &game, 2, body).await.expect(200);
            let owners: &'static [&'static str] = match seat {
                "south" => &["aminah", "aminah's reader"],
                _ => &["bunga"],
            };
            stage.hide("a line", line, owners);
            stage.hide("a line as it is stored", &line.replace(',', ", "), &[]);
        }
        stage.hide("a reference", reference, &["aminah", "aminah's reader"]);
        for word in words {
            stage.hide("a message", word, &["aminah", "aminah's reader", "bunga"]);
        }
        stage.path(&game.path);
        if visibility == "private" {
            stage.hide(
                "a private game",
                &game.id,
                &["aminah", "aminah's reader", "bunga"],
            );
        }
    }
    // A choice that waits with its words: for nobody at all.
    let arena = between(&bunga, &aminah, "congkak-arena", json!({})).await;
    say(&arena, "north", 0, 3, "words-in-secret").await;
    stage.hide("words of a secret choice", "words-in-secret", &[]);
    stage.path(&arena.path);
    // A game of two without an account.
    let game = Game::of(api, "congkak").await;
    say(&game, "south", 0, 1, "words-of-a-seat").await;
    stage.hide("a message", "words-of-a-seat", &["south", "north"]);
    for seat in ["south", "north"] {
        let token = game.created["seat_tokens"][seat].as_str().unwrap();
        stage.hide("a seat's token", token, &[]);
    }
    stage.path(&game.path);
    // A seat that is free, and one that a guest has taken.
    let fields = json!({ "opponent": { "invite": true }, "external_ref": "reference-of-bunga" });
    let free = Made::by(&bunga.api, "congkak", fields.clone()).await;
    let taken = Made::by(&bunga.api, "congkak", fields).await;
    let joining = taken.joining(Some(taken.secret("invite_token")));
    let key = "\"an-idempotency-key-of-a-guest\"";
    let joined = api
        .ask(joining.header("idempotency-key", key))
        .await
        .expect(200);
    let guest = joined["seat_token"].as_str().unwrap();
    stage.hide("an idempotency key", "an-idempotency-key-of-a-guest", &[]);
    stage.hide("a guest's token", guest, &[]);
    stage.hide("a reference", "reference-of-bunga", &["bunga"]);
    for game in [&free, &taken] {
        stage.hide("an invite token", game.secret("invite_token"), &[]);
        stage.path(&game.path);
    }
    // Rematches of two without an account: one is offered, one was accepted.
    let (offered, over) = (
        Game::of(api, "al-manqala").await,
        Game::of(api, "al-manqala").await,
    );
    for game in [&offered, &over] {
        game.north.call(&game.to("resign")).await.expect(200);
        let offer = Ask::post(&game.to("offers")).json(&json!({ "kind": "rematch" }));
        let offer = offer.header("idempotency-key", "a-key-of-an-offer");
        let made = game.south.ask(offer).await.expect(201);
        let token = made["seat_token"].as_str().unwrap();
        stage.hide("a token of an offered rematch", token, &[]);
        stage.path(&game.path);
    }
    let again = plain(&offered.south, &offered, "rematch").await;
    let again = again.expect(200)["seat_token"].clone();
    stage.hide("a further token of it", again.as_str().unwrap(), &[]);
    let accept = Ask::post(&over.to("offers/1/accept")).json(&json!({ "after_ply": 1 }));
    let accept = accept.header("idempotency-key", "a-key-of-an-offer");
    let accepted = over.north.ask(accept).await.expect(200);
    let token = accepted["seat_token"].as_str().unwrap();
    stage.hide("a token of an accepted rematch", token, &[]);
    stage.hide("an idempotency key", "a-key-of-an-offer", &[]);
    let next = accepted["game"]["next_game"].as_str().unwrap();
    stage.path(&format!("/v1/games/{next}"));

    stage.viewers = vec![
        ("offerer", offered.south),
        ("asked for a rematch", offered.north),
        ("acceptor", over.north),
        ("south of the next game", api.with(token)),
        ("anyone", api.clone()),
        ("aminah", aminah.api.clone()),
        ("aminah's reader", reader),
        ("bunga", bunga.api.clone()),
        ("cik", cik.api.clone()),
        ("robot", robot.api.clone()),
        ("south", game.south),
        ("north", game.north),
        ("guest", api.with(guest)),
    ];
    stage.people = vec![aminah, bunga, cik, robot];
    stage
}

/// Requests that are refused, with secrets in them that an error could repeat.
fn refused(stage: &Stage, path: &str) -> Vec<Ask> {
    let game = path.split(['?']).next().unwrap();
    vec![
        Ask::post(&format!("{game}/moves")).json(&json!({ "after_ply": 9, "house": 1 })),
        Ask::post(&format!("{game}/moves")).json(&json!({ "after_ply": 0, "house": 99 })),
        Ask::post(&format!("{game}/join")).json(&json!({ "invite_token": "mp_x" })),
        Ask::post(&format!("{game}/offers/1/decline")),
        Ask::post(&format!("{game}/offers")).json(&json!({ "kind": stage.people[0].name })),
        Ask::new("DELETE", game),
        Ask::post(&format!("{game}/decline")),
        Ask::new("PUT", &format!("{game}/conditionals"))
            .json(&json!({ "after_ply": 9, "lines": [[1]] })),
        Ask::new("PUT", &format!("{game}/conditionals"))
            .json(&json!({ "after_ply": 2, "lines": [[99]] })),
    ]
}

/// Everything that the viewers can read, with who read it.
async fn read(stage: &Stage, games: &[String]) -> Vec<(&'static str, String)> {
    let lists = [
        "/v1/games",
        "/v1/games?status=open",
        "/v1/me",
        "/v1/me/games",
        "/v1/me/games?turn=mine",
        "/v1/me/tokens",
        "/v1/events?after=0&limit=200",
        "/v1/players/aminah",
        "/v1/players/aminah/games",
        "/v1/players/bunga/games",
        "/v1/players/robot/games",
        "/metrics",
        "/problems",
        "/readyz",
        "/v1/nothing",
    ];
    let mut all = Vec::new();
    for (who, api) in &stage.viewers {
        let mut asks: Vec<Ask> = lists.iter().map(|path| Ask::get(path)).collect();
        for path in &stage.paths {
            asks.push(Ask::get(path));
            for format in ["text/csv", "application/x-ndjson"] {
                if path.contains("/moves") {
                    asks.push(Ask::get(path).header("accept", format));
                }
            }
        }
        for game in games {
            asks.extend(refused(stage, game));
        }
        for ask in asks {
            let answer = api.ask(ask).await;
            assert_ne!(answer.status, 500, "{answer}");
            all.push((*who, format!("{:?} {answer}", answer.headers)));
        }
    }
    all
}

#[tokio::test]
async fn nothing_of_somebody_else() {
    let db = Database::new().await;
    let environment = [("RUST_LOG", "trace"), ("MANCALA_LOG_FORMAT", "json")];
    let mut process = Process::start_with(&db.url(), &environment);
    let api = Api::new(&process.url).await;
    let stage = play(&api).await;
    // Until all that has happened is in the log of events.
    while number(&db, "select count(*) from event_queue").await > 0 {
        tokio::task::yield_now().await;
    }
    let games: Vec<String> = stage
        .paths
        .iter()
        .filter(|path| path.split('/').count() == 4 && !path.contains('?'))
        .cloned()
        .collect();
    assert_eq!(games.len(), 9);
    let read = read(&stage, &games).await;
    // The private game's path stands in what was asked and refused, also to strangers.
    let asked = |text: &str, secret: &Secret| {
        let refused = text.contains("\"instance\":") && !text.contains("\"game\":");
        secret.what == "a private game" && refused
    };
    for secret in &stage.secrets {
        let mut shown = false;
        for (who, text) in &read {
            let found = text.contains(&secret.text);
            if found && secret.shown_to.contains(who) {
                shown = true;
            } else {
                assert!(
                    !found || asked(text, secret),
                    "{} ({}) is shown to {who}: {text}",
                    secret.what,
                    secret.text
                );
            }
        }
        assert!(
            shown || secret.shown_to.is_empty(),
            "{} is shown to nobody",
            secret.text
        );
    }

    // Errors of every kind for the log: secrets in odd places.
    let person = &stage.people[0];
    let odd = [
        Ask::get(&format!("/v1/games?cursor={}", person.token)),
        Ask::get(&format!("/v1/players/{}", person.token)),
        Ask::post("/v1/games")
            .header("content-type", "application/json")
            .body(format!("{{\"ruleset\": \"{}", person.token)),
        Ask::post("/v1/players").json(&json!({ "name": person.token, "kind": person.token })),
        Ask::post(&format!("{}/join", games[0])).json(&json!({ "invite_token": [person.token] })),
        Ask::get("/v1/me").header("idempotency-key", &person.token),
        Ask::get("/v1/me").header("cookie", &person.token),
    ];
    for ask in odd {
        let answer = person.api.ask(ask).await;
        assert_ne!(answer.status, 500, "{answer}");
    }
    // A failure whose cause the log gets in full.
    db.execute("update games set position = 'unreadable'").await;
    for (_, api) in &stage.viewers {
        api.get(&games[0]).await.problem(500, "internal");
    }
    assert!(process.end_by(Signal::SIGTERM).success());
    let log = process.log();
    assert!(log.contains("request failed"), "the cause is in the log");
    let lines: Vec<Value> = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    assert!(lines.len() > 500, "{} lines", lines.len());
    for secret in stage
        .secrets
        .iter()
        .filter(|secret| secret.what != "a private game")
    {
        let line = log.lines().find(|line| line.contains(&secret.text));
        assert_eq!(line, None, "{} is in the log", secret.what);
    }
}
