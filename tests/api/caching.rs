//! ETags: whoever has the present answer is told so, and nobody who has another.

use serde_json::{Value, json};

use crate::support::people::{at_once, between};
use crate::support::{Answer, Api, Ask, Made, Person, Server};

const ASIDE: [&str; 4] = [
    "authorization",
    "accept",
    "accept-language",
    "mancala-act-as",
];

/// Paths and formats of everything that has a tag, of a game and its players.
fn tagged(game: &str) -> Vec<(String, &'static str)> {
    let json = "application/json";
    let mut all = vec![(game.to_owned(), json), (format!("{game}?at_ply=0"), json)];
    all.push((game.to_owned(), "text/plain"));
    all.push((format!("{game}/moves"), "text/plain"));
    all.push((format!("{game}?at_ply=0"), "text/plain"));
    for (rest, format) in [
        ("/board.txt", "text/plain"),
        ("/board.txt?pov=north", "text/plain"),
        ("/board.svg", "image/svg+xml"),
        ("/board.svg?theme=dark", "image/svg+xml"),
        ("/board.png?size=120", "image/png"),
    ] {
        all.push((format!("{game}{rest}"), format));
    }
    for rest in ["/moves", "/moves?trace=true", "/moves?limit=1"] {
        for format in [json, "application/x-ndjson", "text/csv"] {
            all.push((format!("{game}{rest}"), format));
        }
    }
    let lists = [
        "/v1/games",
        "/v1/games?status=playing",
        "/v1/players/aminah/games",
    ];
    all.extend(lists.map(|list| (list.to_owned(), json)));
    all
}

async fn read(api: &Api, path: &str, format: &str) -> Answer {
    let answer = api.ask(Ask::get(path).header("accept", format)).await;
    answer.is(200);
    answer
}

async fn tag(api: &Api, path: &str) -> String {
    read(api, path, "application/json")
        .await
        .header("etag")
        .to_owned()
}

fn may_be_kept(answer: &Answer, known: bool) {
    let vary: Vec<String> = answer
        .headers
        .get_all("vary")
        .iter()
        .flat_map(|value| value.to_str().unwrap().split(','))
        .map(|name| name.trim().to_lowercase())
        .collect();
    for name in ASIDE {
        assert!(vary.iter().any(|varies| varies == name), "{vary:?}");
    }
    let keep = if known {
        "private, no-cache"
    } else {
        "no-cache"
    };
    assert_eq!(answer.header("cache-control"), keep);
}

#[tokio::test]
async fn not_modified() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let game = between(&aminah, &bunga, "al-manqala", json!({})).await;
    game.play(&["s1", "n1"]).await;
    for (api, known) in [(&server.api, false), (&aminah.api, true)] {
        let mut all = tagged(&game.path);
        if known {
            for list in ["/v1/me/games", "/v1/me/games?turn=mine"] {
                all.push((list.to_owned(), "application/json"));
            }
        }
        for (path, format) in all {
            let first = read(api, &path, format).await;
            may_be_kept(&first, known);
            let tag = first.header("etag").to_owned();
            assert!(
                tag.starts_with("W/\"") && tag.ends_with('"'),
                "{path}: {tag}"
            );
            let asked = |method: &str, known: &str| {
                let ask = Ask::new(method, &path).header("accept", format);
                ask.header("if-none-match", known)
            };
            let list = format!("\"a\", {tag}, W/\"b\"");
            for (method, known_tag) in [
                ("GET", tag.as_str()),
                ("HEAD", &tag),
                ("GET", &tag[2..]),
                ("GET", &list),
                ("GET", "*"),
            ] {
                let answer = api.ask(asked(method, known_tag)).await;
                assert_eq!(answer.header("etag"), tag);
                assert_eq!(answer.body, b"");
                may_be_kept(&answer, known);
                answer.expect(304);
            }
            let packed = asked("GET", &tag).header("accept-encoding", "gzip");
            api.ask(packed).await.expect(304);
            for other in ["\"a\"", "W/\"\"", "", &tag[3..tag.len() - 1]] {
                let answer = api.ask(asked("GET", other)).await;
                assert_eq!(answer.header("etag"), tag);
                answer.is(200);
            }
        }
    }
}

/// One path, many answers: no two of them have one tag.
#[tokio::test]
async fn viewers_and_formats() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let game = between(
        &aminah,
        &bunga,
        "al-manqala",
        json!({ "external_ref": "x" }),
    )
    .await;
    game.play(&["s1", "n1"]).await;
    let mut seen = std::collections::BTreeMap::new();
    for (number, api) in [&server.api, &aminah.api, &bunga.api]
        .into_iter()
        .enumerate()
    {
        for (path, format) in tagged(&game.path) {
            let answer = read(api, &path, format).await;
            let what = (number, path.clone(), format);
            if let Some(other) = seen.insert(answer.header("etag").to_owned(), what.clone()) {
                assert_eq!(other, what, "two answers have one tag");
            }
        }
    }
    // A tag of one is nothing to another.
    let known = tag(&aminah.api, &game.path).await;
    let ask = Ask::get(&game.path).header("if-none-match", &known);
    assert_eq!(
        bunga.api.ask(ask).await.expect(200).get("external_ref"),
        None
    );
}

/// Whatever a viewer can notice changes the tag of a game, its log and its lists.
#[tokio::test]
async fn changes() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let viewers = [&server.api, &aminah.api, &bunga.api];
    let tags = async |path: &str| {
        let mut tags = Vec::new();
        for api in viewers {
            for path in [path, "/v1/games", "/v1/players/aminah/games"] {
                tags.push(tag(api, path).await);
            }
            if !std::ptr::eq(api, viewers[0]) {
                tags.push(tag(api, "/v1/me/games").await);
            }
        }
        tags
    };
    let fields = json!({ "seat": "south", "opponent": { "open": true } });
    let arena = Made::by(&aminah.api, "congkak-arena", fields.clone()).await;
    let loops = Made::by(&aminah.api, "al-manqala", fields).await;
    let choice = |after_ply: u64| json!({ "after_ply": after_ply, "house": 3 });
    let post = |path: String, body: Value| match body {
        Value::Null => Ask::post(&path),
        body => Ask::post(&path).json(&body),
    };
    let split = json!({ "kind": "split" });
    let steps = [
        (&bunga, &arena, "join", json!({}), 200),
        (&bunga, &arena, "moves", choice(0), 202),
        (&aminah, &arena, "moves", choice(0), 201),
        (&aminah, &arena, "resign", Value::Null, 200),
        (&bunga, &loops, "join", json!({}), 200),
        (&bunga, &loops, "offers", split.clone(), 201),
        (&aminah, &loops, "offers/1/decline", Value::Null, 200),
        (&aminah, &loops, "offers", split, 201),
        (&aminah, &loops, "moves", choice(0), 201),
        (&bunga, &loops, "abort", Value::Null, 200),
    ];
    for (person, game, rest, body, status) in steps {
        let before = tags(&game.path).await;
        assert_eq!(before, tags(&game.path).await);
        person
            .api
            .ask(post(game.to(rest), body.clone()))
            .await
            .expect(status);
        let after = tags(&game.path).await;
        for (old, new) in before.iter().zip(&after) {
            assert_ne!(old, new, "{rest}");
        }
        // What changes nothing changes no tag.
        let again = person.api.ask(post(game.to(rest), body)).await;
        assert!(again.status < 300 || again.status == 409, "{again}");
        assert_eq!(tags(&game.path).await, after, "{rest} again");
    }
}

/// A page is another one when the list goes on where it ended before.
#[tokio::test]
async fn a_list_that_goes_on() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let older = between(&aminah, &bunga, "congkak", json!({})).await;
    let newer = between(&aminah, &bunga, "congkak", json!({})).await;
    newer.south.call(&newer.to("resign")).await.expect(200);
    let mut known = Vec::new();
    let lists = ["/v1/games", "/v1/players/aminah/games", "/v1/me/games"];
    for list in lists {
        let path = format!("{list}?status=finished&limit=1");
        known.push((tag(&aminah.api, &path).await, path));
    }
    older.south.call(&older.to("resign")).await.expect(200);
    for (tag, path) in known {
        let ask = Ask::get(&path).header("if-none-match", &tag);
        let page = aminah.api.ask(ask).await.expect(200);
        assert_ne!(page["next_cursor"], Value::Null);
    }
}

/// Many readers of one game while it changes: each answer belongs to its tag.
#[tokio::test]
async fn a_tag_names_one_state() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let game = between(&aminah, &bunga, "al-manqala", json!({})).await;
    let mut asks = vec![];
    for number in 0..30 {
        asks.push((server.api.clone(), Ask::get(&game.path)));
        if number == 15 {
            let body = json!({ "after_ply": 0, "house": 1 });
            asks.push((aminah.api.clone(), Ask::post(&game.to("moves")).json(&body)));
        }
    }
    let mut plies = std::collections::BTreeMap::new();
    for answer in at_once(asks).await {
        if answer.status == 200 {
            let ply = answer.json["ply"].clone();
            let tag = answer.header("etag").to_owned();
            assert_eq!(plies.entry(tag).or_insert(ply.clone()), &ply);
        }
    }
}
