//! Lists of games: page by page while games are added, filters, cursors, links.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::people::{between, ids};
use crate::support::{Answer, Api, Ask, Made, Person, Server};

/// The path of the page that the header `Link` names, if it names one.
fn next_link(answer: &Answer, url: &str) -> Option<String> {
    let link = answer.header("link");
    assert_eq!(
        link.is_empty(),
        answer.json["next_cursor"].is_null(),
        "{link} beside {}",
        answer.json["next_cursor"]
    );
    if link.is_empty() {
        return None;
    }
    let target = link.strip_suffix(">; rel=\"next\"").unwrap();
    let path = target.strip_prefix('<').unwrap().strip_prefix(url).unwrap();
    Some(path.to_owned())
}

/// Every list that a player has, with what stands before further parameters.
const LISTS: [&str; 6] = [
    "/v1/games?",
    "/v1/games?ruleset=congkak&status=open&",
    "/v1/players/aminah/games?",
    "/v1/players/aminah/games?status=open&",
    "/v1/me/games?",
    "/v1/me/games?turn=mine&",
];

#[tokio::test]
async fn every_page_while_games_are_added() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    // Open games, and invitations that wait for an answer: they are in every list.
    let add = async || {
        let mut made = Vec::new();
        for opponent in [json!({ "open": true }), json!({ "player": "aminah" })] {
            let by = if opponent["open"] == true {
                &aminah
            } else {
                &bunga
            };
            let game = Made::by(&by.api, "congkak", json!({ "opponent": opponent })).await;
            made.push(game.id);
        }
        made
    };
    let mut there = Vec::new();
    for _ in 0..4 {
        there.extend(add().await);
    }
    for list in LISTS {
        let waits = list.contains("turn=mine");
        let expected = |there: &[String]| -> BTreeSet<String> {
            let of = there.iter().enumerate();
            let of = of.filter(|(number, _)| !waits || number % 2 == 1);
            of.map(|(_, id)| id.clone()).collect()
        };
        for limit in 1..=3 {
            let before = expected(&there);
            let mut seen = Vec::new();
            let mut path = Some(format!("{list}limit={limit}"));
            let mut pages = 0;
            while let Some(now) = path {
                let page = aminah.api.get(&now).await;
                page.is(200);
                path = next_link(&page, &server.url);
                let items = ids(&page.json);
                assert!(items.len() <= limit);
                assert!(items.len() == limit || path.is_none());
                seen.extend(items);
                pages += 1;
                // Where the newest come last the list would never end.
                if pages < 4 && limit == 2 {
                    there.extend(add().await);
                }
            }
            let found: BTreeSet<String> = seen.iter().cloned().collect();
            assert_eq!(found.len(), seen.len(), "{list}: a game came twice");
            assert!(found.is_superset(&before), "{list}: a game is missing");
            assert!(found.is_subset(&expected(&there)), "{list}: {found:?}");
            if !waits {
                assert_eq!(found, before, "{list}: newer games came late");
                let mut sorted = seen.clone();
                sorted.sort_by(|one, other| other.cmp(one));
                assert_eq!(seen, sorted, "{list}: newest first");
            }
        }
    }
}

#[tokio::test]
async fn cursors_belong_to_a_list_and_its_filters() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    for _ in 0..2 {
        let fields = json!({ "opponent": { "player": "aminah" } });
        Made::by(&bunga.api, "congkak", fields).await;
        Made::by(
            &aminah.api,
            "congkak",
            json!({ "opponent": { "open": true } }),
        )
        .await;
        between(&aminah, &bunga, "congkak", json!({})).await;
    }
    let lists = [
        "/v1/games?",
        "/v1/games?status=open&",
        "/v1/games?status=playing&",
        "/v1/games?ruleset=congkak&",
        "/v1/games?ruleset=congkak&status=open&",
        "/v1/players/aminah/games?",
        "/v1/players/aminah/games?status=open&",
        "/v1/players/bunga/games?",
        "/v1/me/games?",
        "/v1/me/games?status=open&",
        "/v1/me/games?turn=mine&",
    ];
    let mut cursors = Vec::new();
    for list in lists {
        let page = aminah.api.get(&format!("{list}limit=1")).await.expect(200);
        let cursor = page["next_cursor"].as_str().unwrap().to_owned();
        // The page's length is no filter.
        let path = format!("{list}limit=3&cursor={cursor}");
        aminah.api.get(&path).await.expect(200);
        cursors.push(cursor);
    }
    let refused = async |api: &Api, path: &str| {
        let problem = api.get(path).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], "cursor", "{path}");
    };
    for (own, list) in lists.iter().enumerate() {
        for (other, cursor) in cursors.iter().enumerate() {
            if own != other {
                refused(&aminah.api, &format!("{list}cursor={cursor}")).await;
            }
        }
        let cursor = &cursors[own];
        let cut = &cursor[..cursor.len() - 3];
        let flipped: String = cursor.chars().rev().collect();
        for garbage in [
            "",
            "x",
            "%00",
            "AAAA",
            "null",
            cut,
            &flipped,
            &format!("{cursor}AAAA"),
        ] {
            refused(&aminah.api, &format!("{list}cursor={garbage}")).await;
        }
    }
    // What stands in a cursor is no secret: places that no clock has shown.
    let written = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let real = String::from_utf8(URL_SAFE_NO_PAD.decode(&cursors[1]).unwrap()).unwrap();
    let mark = &real[..8];
    let id = real.rsplit('/').next().unwrap();
    for time in [
        i64::MIN,
        i64::MAX,
        -210_866_803_200_000_001,
        9_223_372_036_854_775_000,
        253_402_300_800_000_000,
    ] {
        for place in [
            format!("{time}//{id}"),
            format!("/{time}/{id}"),
            format!("{time}/{time}/{id}"),
        ] {
            let cursor = written(&format!("{mark}{place}"));
            refused(&aminah.api, &format!("{}cursor={cursor}", lists[1])).await;
        }
    }
    // A list of mine is nobody else's.
    let (mine, cursor) = ("/v1/me/games?", &cursors[8]);
    refused(&bunga.api, &format!("{mine}cursor={cursor}")).await;
}

#[tokio::test]
async fn parameters() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let lists = ["/v1/games", "/v1/players/aminah/games", "/v1/me/games"];
    let bad = [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=-1", "limit"),
        ("limit=ten", "limit"),
        ("limit=", "limit"),
        ("limit=1.5", "limit"),
        ("limit=99999999999", "limit"),
        ("limit=1&limit=2", "limit"),
        ("offset=1", "offset"),
        ("page=2", "page"),
        ("Limit=1", "Limit"),
        ("status=over", "status"),
        ("status=Open", "status"),
        ("status=", "status"),
        ("status=open&status=open", "status"),
    ];
    for list in lists {
        for limit in [1, 200] {
            let path = format!("{list}?limit={limit}");
            aminah.api.get(&path).await.expect(200);
        }
        for (query, parameter) in bad {
            let answer = aminah.api.get(&format!("{list}?{query}")).await;
            let problem = answer.problem(400, "bad_request");
            assert_eq!(problem["parameter"], parameter, "{list}?{query}");
        }
    }
    let own = [
        ("/v1/games?ruleset=oware", "ruleset"),
        ("/v1/games?ruleset=", "ruleset"),
        ("/v1/games?turn=mine", "turn"),
        ("/v1/players/aminah/games?ruleset=congkak", "ruleset"),
        ("/v1/me/games?turn=theirs", "turn"),
        ("/v1/me/games?turn=mine&status=open", "status"),
    ];
    for (path, parameter) in own {
        let problem = aminah.api.get(path).await.problem(400, "bad_request");
        assert_eq!(problem["parameter"], parameter, "{path}");
    }
}

#[tokio::test]
async fn filters() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let none = json!({});
    let mut of = std::collections::BTreeMap::<&str, Vec<String>>::new();
    for ruleset in ["congkak", "al-manqala"] {
        let game = between(&aminah, &bunga, ruleset, none.clone()).await;
        of.entry("playing").or_default().insert(0, game.id);
        let game = between(&aminah, &bunga, ruleset, none.clone()).await;
        game.south.call(&game.to("resign")).await.expect(200);
        of.entry("finished").or_default().insert(0, game.id);
        let game = between(&aminah, &bunga, ruleset, none.clone()).await;
        game.south.call(&game.to("abort")).await.expect(200);
        of.entry("aborted").or_default().insert(0, game.id);
        let fields = json!({ "opponent": { "invite": true } });
        let game = Made::by(&aminah.api, ruleset, fields).await;
        of.entry("open").or_default().insert(0, game.id);
    }
    let arena = between(&aminah, &bunga, "congkak-arena", none).await;
    of.insert("opening", vec![arena.id]);
    for list in ["/v1/games", "/v1/players/AMINAH/games", "/v1/me/games"] {
        let all = aminah.api.get(list).await.expect(200);
        assert_eq!(ids(&all).len(), 9);
        for (status, games) in &of {
            let path = format!("{list}?status={status}");
            let page = aminah.api.get(&path).await.expect(200);
            assert_eq!(&ids(&page), games, "{path}");
            for game in page["items"].as_array().unwrap() {
                assert_eq!(&game["status"], status);
                let path = format!("/v1/games/{}", game["id"].as_str().unwrap());
                let mut alone = aminah.api.get(&path).await.expect(200);
                alone["server_time"] = game["server_time"].clone();
                assert_eq!(&alone, game);
            }
        }
    }
    for (status, games) in &of {
        for (number, ruleset) in ["al-manqala", "congkak"].into_iter().enumerate() {
            let path = format!("/v1/games?status={status}&ruleset={ruleset}");
            let page = aminah.api.get(&path).await.expect(200);
            let expected = match *status {
                "opening" => vec![],
                _ => vec![games[number].clone()],
            };
            assert_eq!(ids(&page), expected, "{path}");
        }
    }
    let page = server.api.get("/v1/games?ruleset=congkak-arena").await;
    assert_eq!(ids(&page.expect(200)), of["opening"]);
}

#[tokio::test]
async fn everything_that_waits_for_me() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let none = json!({});
    let mine = async || {
        let page = aminah.api.get("/v1/me/games?turn=mine").await.expect(200);
        assert_eq!(page["next_cursor"], Value::Null);
        ids(&page)
    };
    assert_eq!(mine().await, [""; 0]);
    let turn = between(&aminah, &bunga, "al-manqala", none.clone()).await;
    let opening = between(&bunga, &aminah, "congkak-arena", none.clone()).await;
    let fields = json!({ "opponent": { "player": "aminah" }, "visibility": "private" });
    let invited = Made::by(&bunga.api, "congkak", fields.clone()).await;
    let turn_and_offer = between(&aminah, &bunga, "al-manqala", none.clone()).await;
    let offered = between(&bunga, &aminah, "al-manqala", none.clone()).await;
    // What does not wait for me: committed, the other's turn, over, my own offer,
    // a game that nobody has joined, an invitation declined.
    let committed = between(&aminah, &bunga, "congkak-arena", none.clone()).await;
    committed.send("south", 0, 3).await.expect(202);
    let theirs = between(&bunga, &aminah, "al-manqala", none.clone()).await;
    let offer = json!({ "kind": "split" });
    theirs
        .north
        .post(&theirs.to("offers"), &offer)
        .await
        .expect(201);
    let over = between(&aminah, &bunga, "congkak", none.clone()).await;
    over.north.call(&over.to("resign")).await.expect(200);
    let aborted = between(&aminah, &bunga, "congkak", none.clone()).await;
    aborted.north.call(&aborted.to("abort")).await.expect(200);
    Made::by(
        &aminah.api,
        "congkak",
        json!({ "opponent": { "open": true } }),
    )
    .await;
    let declined = Made::by(&bunga.api, "congkak", fields).await;
    aminah.api.call(&declined.to("decline")).await.expect(200);
    for game in [&offered, &turn_and_offer] {
        let by = if game.id == offered.id {
            &game.south
        } else {
            &game.north
        };
        by.post(&game.to("offers"), &offer).await.expect(201);
    }
    let expected = [
        &turn.id,
        &opening.id,
        &invited.id,
        &turn_and_offer.id,
        &offered.id,
    ];
    assert_eq!(mine().await, expected.map(String::as_str));
    assert_eq!(aminah.counts().await["my_turn"], 3);

    // Once I have done my part, they wait no more; what comes back waits anew.
    aminah
        .api
        .ask(Ask::post(&offered.to("offers/1/decline")))
        .await
        .expect(200);
    opening.send("north", 0, 3).await.expect(202);
    invited.joined(&aminah.api).await;
    aminah.api.call(&invited.to("abort")).await.expect(200);
    turn.play(&["s1"]).await;
    assert_eq!(mine().await, [turn_and_offer.id.as_str()]);
    turn.play(&["n1"]).await;
    theirs.play(&["s1"]).await;
    let expected = [&turn_and_offer.id, &turn.id, &theirs.id];
    assert_eq!(mine().await, expected.map(String::as_str));
    // Page by page the same.
    let mut path = Some("/v1/me/games?turn=mine&limit=1".to_owned());
    let mut walked = Vec::new();
    while let Some(now) = path {
        let page = aminah.api.get(&now).await;
        path = next_link(&page, &server.url);
        walked.extend(ids(&page.expect(200)));
    }
    assert_eq!(walked, expected.map(String::clone));
}
