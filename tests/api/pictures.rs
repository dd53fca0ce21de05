//! Boards as SVG and PNG: kinds, sizes, themes, who gets them, and that nothing in
//! them comes from elsewhere. (What they look like is for eyes.)

use resvg::tiny_skia::Pixmap;
use resvg::usvg::roxmltree::{Document, Node};
use serde_json::json;

use crate::support::people::{at_once, between};
use crate::support::{Answer, Api, Ask, Game, Made, Person, Server};

const PAPER: [u8; 3] = [0xfa, 0xf4, 0xe8];
const NIGHT: [u8; 3] = [0x1a, 0x15, 0x13];

/// Width and height as a PNG's first chunk says them.
fn dimensions(answer: &Answer) -> (u32, u32) {
    answer.is(200);
    assert_eq!(answer.header("content-type"), "image/png");
    assert_eq!(&answer.body[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&answer.body[12..16], b"IHDR");
    let number = |at: usize| u32::from_be_bytes(answer.body[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// The colour of the first pixel.
fn page(answer: &Answer) -> [u8; 3] {
    let picture = Pixmap::decode_png(&answer.body).unwrap();
    let first = picture.pixel(0, 0).unwrap();
    assert!(first.is_opaque());
    [first.red(), first.green(), first.blue()]
}

async fn picture(api: &Api, path: &str) -> Answer {
    let answer = api.get(path).await;
    answer.is(200);
    answer
}

/// The texts of a picture, in its order.
fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let nodes = document
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    nodes
        .map(|node| node.text().unwrap_or_default().to_owned())
        .collect()
}

/// How often something of `defs` is used.
fn uses(svg: &str, id: &str) -> usize {
    svg.matches(&format!("<use href=\"#{id}\"")).count()
}

#[tokio::test]
async fn a_png() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    game.play(&["s2"]).await;
    let png = async |query: &str| {
        let path = game.to(&format!("board.png{query}"));
        picture(&game.anyone, &path).await
    };
    let usual = png("").await;
    assert_eq!(dimensions(&usual), (800, 409));
    assert_eq!(page(&usual), PAPER);
    for (size, height) in [(120, 61), (240, 123), (1600, 818)] {
        let sized = png(&format!("?size={size}")).await;
        assert_eq!(dimensions(&sized), (size, height));
    }
    let dark = png("?theme=dark").await;
    assert_eq!(dimensions(&dark), dimensions(&usual));
    assert_eq!(page(&dark), NIGHT);
    // Each parameter makes another picture, and the same request the same one.
    let mut all = vec![usual.body, dark.body];
    for query in ["?pov=north", "?ply=0", "?ply=0&pov=north&theme=dark"] {
        all.push(png(query).await.body);
    }
    for (at, one) in all.iter().enumerate() {
        assert!(!all[..at].contains(one), "number {at} is there twice");
    }
    assert_eq!(
        png("?theme=light&size=800&pov=south&ply=1").await.body,
        all[0]
    );
}

/// Neither smaller nor larger than agreed, whatever is asked for.
#[tokio::test]
async fn bounds() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    for kind in ["svg", "png"] {
        let bad = [
            ("size=119", "size"),
            ("size=1601", "size"),
            ("size=0", "size"),
            ("size=-800", "size"),
            ("size=65536", "size"),
            ("size=800.5", "size"),
            ("size=", "size"),
            ("theme=blue", "theme"),
            ("theme=", "theme"),
            ("pov=west", "pov"),
            ("ply=x", "ply"),
            ("charset=ascii", "charset"),
            ("height=100", "height"),
        ];
        for (query, parameter) in bad {
            let path = game.to(&format!("board.{kind}?{query}"));
            let problem = game.anyone.get(&path).await.problem(400, "bad_request");
            assert_eq!(problem["parameter"], parameter, "{path}");
        }
        for unknown in ["-1", "1", "9223372036854775807"] {
            let path = game.to(&format!("board.{kind}?ply={unknown}"));
            game.anyone.get(&path).await.problem(404, "unknown_ply");
        }
        let ask = Ask::get(&game.to(&format!("board.{kind}"))).header("accept", "text/html");
        game.anyone.ask(ask).await.problem(406, "not_acceptable");
    }
    // What a browser asks for an image with.
    let ask = Ask::get(&game.to("board.png?size=120"));
    let ask = ask.header("accept", "image/avif,image/webp,*/*;q=0.8");
    dimensions(&game.anyone.ask(ask).await);
}

/// The most houses and the most seeds, as large as can be asked for.
#[tokio::test]
async fn the_largest() {
    let server = Server::start().await;
    let rules = json!({ "houses": 15, "seeds": 15 });
    let game = Game::create(
        &server.api,
        &json!({ "ruleset": "congkak", "rules": rules }),
    )
    .await;
    let png = picture(&game.anyone, &game.to("board.png?size=1600")).await;
    assert_eq!(dimensions(&png), (1600, 632));
    assert!(png.body.len() < 1_000_000, "{} bytes", png.body.len());
    let svg = picture(&game.anyone, &game.to("board.svg")).await;
    assert_eq!(uses(svg.text(), "front") + uses(svg.text(), "back"), 450);
    assert!(svg.body.len() < 100_000, "{} bytes", svg.body.len());
}

/// More requests at once than are drawn at once: all of them get their picture.
#[tokio::test]
async fn many_at_once() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "al-manqala").await;
    let path = game.to("board.png?size=120");
    let asks = (0..12).map(|_| (server.api.clone(), Ask::get(&path)));
    let answers = at_once(asks).await;
    assert_eq!(answers.len(), 12);
    for answer in &answers {
        assert_eq!(dimensions(answer), (120, 80));
        assert_eq!(answer.body, answers[0].body);
    }
}

#[tokio::test]
async fn an_svg() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga_raya").await;
    let game = between(&aminah, &bunga, "congkak", json!({})).await;
    game.play(&["s2"]).await;
    let answer = picture(&server.api, &game.to("board.svg?size=500")).await;
    assert_eq!(answer.header("content-type"), "image/svg+xml");
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    assert_eq!(answer.header("content-security-policy"), policy);
    assert_eq!(answer.header("x-content-type-options"), "nosniff");

    let svg = answer.text();
    let document = Document::parse(svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("width"), Some("500"));
    assert_eq!(root.attribute("height"), Some("256"));
    assert_eq!(root.attribute("role"), Some("img"));
    // Whoever cannot see it is told.
    let named = |id: &str| {
        let node = document
            .descendants()
            .find(|node| node.attribute("id") == Some(id));
        node.unwrap().text().unwrap().to_owned()
    };
    assert_eq!(root.attribute("aria-labelledby"), Some("title desc"));
    assert_eq!(named("title"), "aminah – bunga_raya");
    let words = "South's houses: 8, 0, 8, 8, 8, 8, 8; store: 10. \
                 North's houses: 8, 8, 0, 8, 8, 0, 8; store: 0. North to move.";
    assert_eq!(named("desc"), words);

    // North above: its name, its side, its store, then house by house number and count.
    let mut expected = vec!["North", "bunga_raya", "0"];
    expected.extend([
        "1", "8", "2", "8", "3", "0", "4", "8", "5", "8", "6", "0", "7", "8",
    ]);
    expected.extend(["South", "aminah", "10"]);
    expected.extend([
        "1", "8", "2", "0", "3", "8", "4", "8", "5", "8", "6", "8", "7", "8",
    ]);
    assert_eq!(texts(svg), expected);
    assert_eq!(uses(svg, "front") + uses(svg, "back"), 98);
    assert_eq!(
        (uses(svg, "hollow"), uses(svg, "burnt"), uses(svg, "last")),
        (14, 0, 1)
    );
    is_alone(&document);

    let own = picture(&bunga.api, &game.to("board.svg")).await;
    let turned = picture(&server.api, &game.to("board.svg?pov=north")).await;
    assert_eq!(own.body, turned.body);
    assert_eq!(texts(own.text())[..3], ["South", "aminah", "10"]);
    let dark = picture(&server.api, &game.to("board.svg?theme=dark&size=500")).await;
    assert_eq!(texts(dark.text()), expected);
    assert_ne!(dark.body, answer.body);
    let start = picture(&server.api, &game.to("board.svg?ply=0")).await;
    assert_eq!(uses(start.text(), "last"), 0);
    assert_eq!(texts(start.text())[0], "after ply 0 · North");
}

/// No script, no style sheet, no font, no file: every reference is to a part of it.
fn is_alone(document: &Document<'_>) {
    let known = [
        "svg",
        "title",
        "desc",
        "defs",
        "g",
        "use",
        "path",
        "rect",
        "circle",
        "ellipse",
        "text",
        "stop",
        "clipPath",
        "linearGradient",
        "radialGradient",
    ];
    let ids: Vec<&str> = document
        .descendants()
        .filter_map(|node| node.attribute("id"))
        .collect();
    for node in document.descendants().filter(Node::is_element) {
        assert!(known.contains(&node.tag_name().name()), "{node:?}");
        for attribute in node.attributes() {
            let value = attribute.value();
            assert!(!attribute.name().starts_with("on"), "{attribute:?}");
            if attribute.name() == "href" {
                assert!(
                    ids.contains(&value.trim_start_matches('#')),
                    "{attribute:?}"
                );
            }
            if let Some(rest) = value.strip_prefix("url(") {
                let id = rest.strip_prefix('#').unwrap().trim_end_matches(')');
                assert!(ids.contains(&id), "{attribute:?}");
            }
            assert!(!value.contains("//"), "{attribute:?}");
        }
    }
}

/// Everything a board can have, drawn.
#[tokio::test]
async fn what_is_drawn() {
    let server = Server::start().await;
    let svg = async |game: &Game| {
        let answer = picture(&game.anyone, &game.to("board.svg")).await;
        is_alone(&Document::parse(answer.text()).unwrap());
        // What the document says can be drawn too.
        dimensions(&picture(&game.anyone, &game.to("board.png?size=120")).await);
        answer.text().to_owned()
    };
    // Burnt houses, in a round of several.
    let rules = json!({ "houses": 5, "max_rounds": 4 });
    let start = "1,0,8,x,x/2,13,0,x,4 12-10 S r2:N";
    let game = Game::from(&server.api, "congkak", rules, start).await;
    let drawing = svg(&game).await;
    assert_eq!((uses(&drawing, "hollow"), uses(&drawing, "burnt")), (7, 3));
    assert_eq!(
        texts(&drawing).iter().filter(|text| *text == "×").count(),
        3
    );
    assert_eq!(texts(&drawing)[0], "Round 2 of 4");

    // A secret choice shows nowhere; then a hand in mid-air, and two marks.
    let game = Game::of(&server.api, "congkak-arena").await;
    let before = svg(&game).await;
    assert_eq!(before.matches("still to choose").count(), 2);
    game.play(&["s7"]).await;
    let committed = svg(&game).await;
    assert_eq!(
        texts(&committed)
            .concat()
            .matches("still to choose")
            .count(),
        1
    );
    assert_eq!(uses(&committed, "last"), 0);
    game.play(&["n5"]).await;
    let drawing = svg(&game).await;
    assert_eq!(uses(&drawing, "last"), 2);
    let told = texts(&drawing);
    assert_eq!(told[0], "hand over South 6");
    assert_eq!(told.last().map(String::as_str), Some("9"));
    assert!(
        drawing.contains("North's hand: 9 seeds over South 6."),
        "{drawing}"
    );

    // Al-manqala: no stores, the scores stand with the names.
    let start = "7,8,0,2,0,11,1/7,0,9,1,1,21,0 12-18 N r1:S";
    let game = Game::from(&server.api, "al-manqala", json!({}), start).await;
    let told = texts(&svg(&game).await);
    assert_eq!(told[..3], ["18", "North", "1"]);
    assert_eq!(told[16..19], ["12", "South", "1"]);

    // An end, and a game that waits.
    game.south.call(&game.to("resign")).await.expect(200);
    let told = texts(&svg(&game).await);
    assert_eq!(told[1], "North won 18 : 12 · South resigned");
    let aborted = Game::of(&server.api, "congkak").await;
    aborted.north.call(&aborted.to("abort")).await.expect(200);
    assert_eq!(texts(&svg(&aborted).await)[0], "called off");
    let made = Made::by(
        &server.api,
        "congkak",
        json!({ "opponent": { "open": true } }),
    )
    .await;
    let open = picture(&server.api, &made.to("board.svg")).await;
    assert_eq!(texts(open.text())[0], "waiting for an opponent");
}

/// Tags, and who may keep what: as the game's own answer.
#[tokio::test]
async fn not_modified() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    for path in ["board.txt", "board.svg", "board.png?size=120"] {
        let path = game.to(path);
        let first = picture(&game.anyone, &path).await;
        let tag = first.header("etag").to_owned();
        assert!(tag.starts_with("W/\""), "{tag}");
        assert_eq!(first.header("cache-control"), "no-cache");
        let vary = first.header("vary").to_lowercase();
        assert!(
            vary.starts_with("authorization, accept, accept-language"),
            "{vary}"
        );
        let again = Ask::get(&path).header("if-none-match", &tag);
        let answer = game.anyone.ask(again).await;
        assert_eq!(answer.header("etag"), tag);
        assert_eq!(answer.body, b"");
        answer.is(304);
        // Another viewer may see another board.
        let ask = Ask::get(&path).header("if-none-match", &tag);
        let own = game.north.ask(ask).await;
        own.is(200);
        assert_eq!(own.header("cache-control"), "private, no-cache");
        let head = game.anyone.ask(Ask::new("HEAD", &path)).await;
        assert_eq!(head.header("etag"), tag);
        assert_eq!(head.header("content-length"), first.body.len().to_string());
    }
    let tags = async || {
        let mut tags = Vec::new();
        for path in ["board.txt", "board.svg", "board.png?size=120"] {
            let answer = picture(&game.anyone, &game.to(path)).await;
            tags.push(answer.header("etag").to_owned());
        }
        tags
    };
    let before = tags().await;
    game.play(&["s7"]).await;
    for (old, new) in before.iter().zip(tags().await) {
        assert_ne!(*old, new);
    }
}
