//! Which language an answer is in: `?lang=`, `Accept-Language`, and what follows
//! for caches, HEAD and links.

use serde_json::{Value, json};

use crate::support::{Answer, Ask, Game, Server};

const BOARD: [(&str, &str); 3] = [
    ("en", "South to move\n"),
    ("ms", "Giliran Selatan\n"),
    ("es", "Le toca a Sur\n"),
];

fn says(answer: &Answer, lang: &str) {
    answer.is(200);
    let (_, words) = BOARD.iter().find(|(tag, _)| *tag == lang).unwrap();
    assert!(answer.text().ends_with(words), "{answer}");
    assert_eq!(answer.header("content-language"), lang);
}

#[tokio::test]
async fn the_header() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    for (header, lang) in [
        ("ms", "ms"),
        ("es-MX", "es"),
        ("ms-MY, en;q=0.8", "ms"),
        ("MS-my", "ms"),
        ("zh", "en"),
        ("zh-Hans-CN, zh;q=0.9, es;q=0.1", "es"),
        ("en;q=0.4, ms;q=0.7, es;q=0.6", "ms"),
        ("ms;q=0, es;q=0.1", "es"),
        ("*", "en"),
        ("de, *;q=0.5, es;q=0.4", "en"),
        // What does not read is passed over.
        ("", "en"),
        (";;;", "en"),
        ("es;q=viel", "en"),
        ("es;q=viel, ms", "ms"),
        ("q=1", "en"),
        ("en_US", "en"),
    ] {
        let ask = Ask::get(&game.to("board.txt")).header("accept-language", header);
        says(&server.api.ask(ask).await, lang);
    }
    says(&server.api.get(&game.to("board.txt")).await, "en");
}

#[tokio::test]
async fn the_parameter() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    for (lang, _) in BOARD {
        // It wins over the header, and goes with other parameters.
        for query in ["?lang=", "?pov=south&charset=ascii&lang="] {
            let path = game.to(&format!("board.txt{query}{lang}"));
            for header in ["es", "ms", "fr"] {
                let ask = Ask::get(&path).header("accept-language", header);
                says(&server.api.ask(ask).await, lang);
            }
        }
    }
    // Where there are no words but those of a problem it may stand as well.
    for path in [
        "/healthz",
        "/v1/games",
        &game.path,
        "/problems",
        "/v1/rulesets",
    ] {
        server.api.get(&format!("{path}?lang=ms")).await.expect(200);
    }
    let made = server
        .api
        .post("/v1/games?lang=es", &json!({ "ruleset": "congkak" }))
        .await;
    made.expect(201);
}

#[tokio::test]
async fn unknown_ones() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    for lang in ["xx", "", "EN", "es-MX", "e", "%00", "../en", "en,ms"] {
        for path in [
            game.to("board.txt"),
            game.path.clone(),
            "/v1/rulesets".into(),
        ] {
            let answer = server.api.get(&format!("{path}?lang={lang}")).await;
            assert_eq!(answer.header("content-language"), "en");
            let problem = answer.problem(400, "bad_request");
            assert_eq!(problem["parameter"], "lang");
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.ends_with("; there are en, ms, es"), "{detail}");
        }
    }
    let path = "/v1/rulesets?lang=xx";
    let answer = server
        .api
        .ask(Ask::get(path).header("accept-language", "ms"))
        .await;
    assert_eq!(answer.json["title"], "Permintaan tidak betul bentuknya");
    assert_eq!(
        answer.json["detail"],
        "`lang`: there is no \"xx\"; there are en, ms, es"
    );
    let twice = server.api.get("/v1/rulesets?lang=en&lang=en").await;
    assert_eq!(twice.problem(400, "bad_request")["parameter"], "lang");
    // Refused before it has any effect.
    let ask = Ask::post(&game.to("moves?lang=xx")).json(&json!({ "after_ply": 0, "house": 1 }));
    game.south.ask(ask).await.problem(400, "bad_request");
    assert_eq!(game.state().await["ply"], 0);
}

/// A tag of one language is nothing to another.
#[tokio::test]
async fn tags() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s2"]).await;
    for (rest, format) in [
        ("", "text/plain"),
        ("/board.txt", "text/plain"),
        ("/board.svg", "image/svg+xml"),
        ("/board.png?size=120", "image/png"),
        ("/moves", "application/json"),
        ("/moves", "application/x-ndjson"),
        ("/moves", "text/csv"),
    ] {
        let path = format!("{}{rest}", game.path);
        let mut tags = Vec::new();
        for (lang, _) in BOARD {
            let ask = |method: &str| {
                let ask = Ask::new(method, &path).header("accept", format);
                ask.header("accept-language", lang)
            };
            let answer = server.api.ask(ask("GET")).await;
            answer.is(200);
            let vary = answer.headers.get_all("vary").iter();
            let vary: Vec<_> = vary.map(|value| value.to_str().unwrap()).collect();
            assert!(vary.join(", ").contains("Accept-Language"), "{vary:?}");
            let tag = answer.header("etag").to_owned();
            assert!(!tags.contains(&tag), "{path} {format} {lang}");
            for other in &tags {
                let known = ask("GET").header("if-none-match", other);
                server.api.ask(known).await.is(200);
            }
            let known = ask("GET").header("if-none-match", &tag);
            server.api.ask(known).await.expect(304);
            // HEAD has the same headers and no body.
            let head = server.api.ask(ask("HEAD")).await;
            assert_eq!(head.body, b"");
            for name in ["etag", "content-language", "content-length", "content-type"] {
                assert_eq!(head.header(name), answer.header(name), "{path} {name}");
            }
            tags.push(tag);
        }
    }
    // The same language asked for in another way is the same answer.
    let path = game.to("board.txt");
    let asked = server
        .api
        .ask(Ask::get(&path).header("accept-language", "es-AR"))
        .await;
    let named = server.api.get(&format!("{path}?lang=es")).await;
    assert_eq!(asked.header("etag"), named.header("etag"));
}

/// The next page is in the language of the first, where a parameter named it.
#[tokio::test]
async fn links() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    game.play(&["s1", "n1"]).await;
    let next = async |query: &str| {
        let page = server
            .api
            .get(&game.to(&format!("moves?limit=1{query}")))
            .await;
        let link = page.header("link").to_owned();
        let url = link.split(['<', '>']).nth(1).unwrap().to_owned();
        let path = url.strip_prefix(&server.url).unwrap().to_owned();
        let page = server.api.get(&path).await.expect(200);
        page["items"][0]["summary"].clone()
    };
    assert_eq!(next("&lang=ms").await, "Utara menabur 1.");
    assert_eq!(next("").await, "North sowed 1.");
}

/// Every operation knows the parameter, with all of its values.
#[tokio::test]
async fn the_document() {
    let server = Server::start().await;
    let document = server.api.get("/openapi.json").await.expect(200);
    let mut operations = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().unwrap();
            let found: Vec<&Value> = parameters.iter().filter(|p| p["name"] == "lang").collect();
            let [lang] = found.as_slice() else {
                panic!("{method} {path}: {found:?}");
            };
            assert_eq!(lang["in"], "query");
            let named = lang["schema"]["$ref"].as_str().unwrap();
            let schema = document.pointer(named.trim_start_matches('#')).unwrap();
            assert_eq!(schema["enum"], json!(["en", "ms", "es"]));
            operations += 1;
        }
    }
    assert!(operations > 30);
}
