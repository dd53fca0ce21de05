//! What a person reads, in each language: boards, events, rules. Rows of the log are
//! in `rows_in_words`, problems in `problems_in_words`; which language it is to be in
//! `languages`.

use serde_json::{Value, json};

use crate::support::drawing::board;
use crate::support::follow::{Stream, events, player};
use crate::support::languages::read;
use crate::support::people::between;
use crate::support::{Ask, Clock, Game, Person, Server};

#[tokio::test]
async fn a_board_of_text() {
    let server = Server::start().await;
    let clock = Clock::stop(&server.db).await;
    let aminah = Person::new(&server.api, "aminah").await;
    let jose = Person::new(&server.api, "jose").await;
    let more = json!({ "clock": { "per_move": 86_400 } });
    let game = between(&aminah, &jose, "congkak", more).await;
    game.play(&["s2"]).await;
    assert_eq!(clock.hence(86_400), "2027-01-02T00:00:00.000Z");
    let malay = board(
        "
        ¦▸ jose (Utara)
        ¦       7   6   5   4   3   2   1
        ¦╭────┬───┬───┬───┬───┬───┬───┬───┬────╮
        ¦│    │ 8 │ · │ 8 │ 8 │ · │ 8 │ 8 │    │
        ¦│ 10 ├───┼───┼───┼───┼───┼───┼───┤  0 │
        ¦│    │ 8 │ · │ 8 │ 8 │ 8 │ 8 │ 8 │    │
        ¦╰────┴───┴───┴───┴───┴───┴───┴───┴────╯
        ¦       1   2*  3   4   5   6   7
        ¦  aminah (Selatan)
        ¦
        ¦Giliran Utara
        ¦hingga 2027-01-02 00:00 UTC",
    );
    let path = game.to("board.txt");
    assert_eq!(read(&server.api, &path, "ms").await.text(), malay);
    for (lang, north, south, due) in [
        ("en", "North", "South", "North to move until "),
        ("ms", "Utara", "Selatan", "Giliran Utara\nhingga "),
        ("es", "Norte", "Sur", "Le toca a Norte\nhasta "),
    ] {
        let expected = malay.replace("Giliran Utara\nhingga ", due);
        let expected = expected.replace("Utara", north).replace("Selatan", south);
        assert_eq!(read(&server.api, &path, lang).await.text(), expected);
    }

    // The game's own address gives the same board.
    let ask = Ask::get(&game.path).header("accept", "text/plain");
    let answer = server.api.ask(ask.header("accept-language", "ms")).await;
    assert_eq!(answer.text(), malay);
    assert_eq!(answer.header("content-language"), "ms");
    // Its JSON has no words, and says nothing of a language.
    let answer = server.api.get(&format!("{}?lang=ms", game.path)).await;
    answer.is(200);
    assert_eq!(answer.header("content-language"), "");
}

/// What stands below a board, from its first game to its last.
#[tokio::test]
async fn below_a_board() {
    let server = Server::start().await;
    let below = async |game: &Game, query: &str| {
        let mut found = Vec::new();
        for lang in ["en", "ms", "es"] {
            let path = game.to(&format!("board.txt{query}"));
            let text = read(&game.anyone, &path, lang).await.text().to_owned();
            found.push(text.split_once("\n\n").unwrap().1.to_owned());
        }
        found
    };
    let game = Game::of(&server.api, "congkak-arena").await;
    assert_eq!(
        below(&game, "").await,
        [
            "Opening: both still have to choose\n",
            "Pembukaan: kedua-dua pihak perlu memilih\n",
            "Apertura: faltan ambas elecciones\n",
        ]
    );
    game.play(&["s7", "n5", "s3"]).await;
    assert_eq!(
        below(&game, "?ply=2").await,
        [
            "After ply 2\nOpening: South still has to choose\nNorth's hand: 9 seeds over South 6\n",
            "Selepas langkah 2\nPembukaan: Selatan masih perlu memilih\n\
             Tangan Utara: 9 buah di atas Selatan 6\n",
            "Tras la jugada 2\nApertura: falta la elección de Sur\n\
             Mano de Norte: 9 semillas sobre Sur 6\n",
        ]
    );
    let ascii = read(&server.api, &game.to("board.txt?ply=2&charset=ascii"), "es").await;
    assert!(ascii.text().is_ascii());
    assert!(
        ascii.text().contains("falta la eleccion de Sur\n"),
        "{ascii}"
    );

    let rules = json!({ "houses": 5, "max_rounds": null });
    let start = "1,0,0,0,0/0,0,0,0,0 2-47 S r1:S";
    let game = Game::from(&server.api, "congkak", rules, start).await;
    game.play(&["s1"]).await;
    assert_eq!(
        below(&game, "").await,
        [
            "Round 1\nNorth won 47 : 3,\nSouth cannot fill its row\n",
            "Pusingan 1\nUtara menang 47 : 3,\nSelatan tidak dapat mengisi barisnya\n",
            "Ronda 1\nNorte ganó 47 : 3,\nSur no puede llenar su fila\n",
        ]
    );
}

#[tokio::test]
async fn a_picture() {
    let server = Server::start().await;
    let _clock = Clock::stop(&server.db).await;
    let aminah = Person::new(&server.api, "aminah").await;
    let jose = Person::new(&server.api, "jose").await;
    let more = json!({ "clock": { "per_move": 86_400 }, "rules": { "max_rounds": 3 } });
    let game = between(&aminah, &jose, "congkak", more).await;
    let svg = game.to("board.svg");
    for (lang, above, below, told) in [
        (
            "en",
            ">Round 1 of 3 · North<",
            ">South · until 2 Jan 00:00 UTC<",
            "Round 1 of 3. South to move until 2027-01-02 00:00 UTC.<",
        ),
        (
            "ms",
            ">Pusingan 1 daripada 3 · Utara<",
            ">Selatan · hingga 2 Jan 00:00 UTC<",
            "Pusingan 1 daripada 3. Giliran Selatan hingga 2027-01-02 00:00 UTC.<",
        ),
        (
            "es",
            ">Ronda 1 de 3 · Norte<",
            ">Sur · hasta el 2 ene 00:00 UTC<",
            "Ronda 1 de 3. Le toca a Sur hasta 2027-01-02 00:00 UTC.<",
        ),
    ] {
        let drawing = read(&server.api, &svg, lang).await;
        for part in [above, below, told, &format!(" lang=\"{lang}\"")] {
            assert!(drawing.text().contains(part), "{part}: {drawing}");
        }
    }
    let row = "Casas de Sur: 7, 7, 7, 7, 7, 7, 7; granero: 0.";
    assert!(read(&server.api, &svg, "es").await.text().contains(row));
    let png = game.to("board.png?size=200");
    let [english, spanish] = [
        read(&server.api, &png, "en").await,
        read(&server.api, &png, "es").await,
    ];
    assert_ne!(english.body, spanish.body);
}

/// The event log in all of its forms.
#[tokio::test]
async fn events_of_a_game() {
    let server = Server::start().await;
    let ana = player(&server.api, "ana").await;
    let bo = player(&server.api, "bo").await;
    let body = json!({ "ruleset": "congkak", "seat": "south", "opponent": { "player": "bo" } });
    let created = ana.post("/v1/games", &body).await.expect(201);
    let path = format!("/v1/games/{}", created["game"]["id"].as_str().unwrap());
    bo.call(&format!("{path}/join")).await.expect(200);
    let choice = json!({ "after_ply": 0, "house": 2 });
    ana.post(&format!("{path}/moves"), &choice)
        .await
        .expect(201);
    let draw = json!({ "kind": "draw" });
    ana.post(&format!("{path}/offers"), &draw).await.expect(201);
    bo.call(&format!("{path}/offers/1/decline"))
        .await
        .expect(200);
    bo.call(&format!("{path}/resign")).await.expect(200);
    server.db.place_events().await;

    let malay = [
        ["Permainan baharu", "Satu permainan telah dibuat."],
        [
            "Permainan bermula",
            "ana (selatan) bermain dengan bo (utara).",
        ],
        ["Giliran ana", "Sekarang giliran ana."],
        ["ana telah bergerak", "ana menabur 2: 2 putaran, menawan 8."],
        ["Giliran bo", "Sekarang giliran bo."],
        ["Tawaran", "ana menawarkan keputusan seri."],
        [
            "Tawaran dijawab",
            "Tawaran keputusan seri daripada ana telah ditolak.",
        ],
        [
            "Permainan tamat",
            "ana menang kerana lawan menyerah kalah, 10:0.",
        ],
    ];
    let spanish = [
        ["Partida nueva", "Se creó una partida."],
        ["Comienza la partida", "ana (sur) juega contra bo (norte)."],
        ["Le toca a ana", "Es el turno de ana."],
        ["ana jugó", "ana sembró 2: 2 vueltas, capturó 8."],
        ["Le toca a bo", "Es el turno de bo."],
        ["Propuesta", "ana propone un empate."],
        [
            "Respuesta a la propuesta",
            "La propuesta de ana (un empate) fue rechazada.",
        ],
        ["Fin de la partida", "ana gana por rendición, 10:0."],
    ];
    let english = [
        ["New game", "A game was made."],
        ["Game started", "ana (south) plays bo (north)."],
        ["ana to move", "It is ana's turn."],
        ["ana moved", "ana sowed 2: 2 laps, captured 8."],
        ["bo to move", "It is bo's turn."],
        ["Offer", "ana offers a draw."],
        ["Offer answered", "ana's offer of a draw was declined."],
        ["Game over", "ana wins by resignation, 10:0."],
    ];
    let words = |event: &Value| {
        ["title", "summary"].map(|word| event["data"][word].as_str().unwrap().to_owned())
    };
    for (lang, expected) in [("en", english), ("ms", malay), ("es", spanish)] {
        for log in ["/v1/events".to_owned(), format!("{path}/events")] {
            let page = read(&ana, &format!("{log}?after=0"), lang)
                .await
                .expect(200);
            let told: Vec<_> = page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(words)
                .collect();
            assert_eq!(told, expected, "{lang} {log}");
        }
        let log = format!("/v1/events?after=0&lang={lang}");
        let mut stream = Stream::open(&ana, &log, "application/x-ndjson", None).await;
        assert_eq!(stream.headers["content-language"], lang);
        for expected in expected {
            assert_eq!(words(&stream.json().await.unwrap()), expected);
        }
        let mut stream = Stream::open(&ana, &log, "text/event-stream", None).await;
        assert_eq!(stream.headers["content-language"], lang);
        for expected in expected {
            let data = stream.event().await.unwrap().2;
            assert_eq!(words(&data), expected);
        }
    }
    // Facts are the same in any language.
    assert_eq!(events(&ana, "/v1/events").await.len(), 8);
}

#[tokio::test]
async fn rules() {
    let server = Server::start().await;
    for (lang, title, summary, first, meaning) in [
        (
            "en",
            "Traditional congkak",
            "Malay congkak in rounds with burnt houses and a simultaneous opening.",
            "Two players, south and north, sit across a board of two rows of seven houses. ",
            "Houses in each row.",
        ),
        (
            "ms",
            "Congkak tradisional",
            "Congkak Melayu berpusingan dengan kampung terbakar dan pembukaan serentak.",
            "Dua pemain, selatan dan utara, duduk bertentangan di papan dengan dua baris, ",
            "Bilangan kampung dalam setiap baris.",
        ),
        (
            "es",
            "Congkak tradicional",
            "Congkak malayo por rondas, con casas quemadas y apertura simultánea.",
            "Dos jugadores, sur y norte, se sientan frente a frente ante un tablero de dos ",
            "Casas en cada fila.",
        ),
    ] {
        let path = "/v1/rulesets/congkak-traditional";
        let ruleset = read(&server.api, path, lang).await.expect(200);
        assert_eq!(ruleset["title"], title);
        assert_eq!(ruleset["summary"], summary);
        let rules = ruleset["rules_in_words"].as_str().unwrap();
        assert!(rules.starts_with(first), "{rules}");
        // Six paragraphs in any language.
        assert_eq!(rules.split("\n\n").count(), 6, "{rules}");
        assert_eq!(ruleset["parameters"][0]["name"], "houses");
        assert_eq!(ruleset["parameters"][0]["meaning"], meaning);
        let all = read(&server.api, "/v1/rulesets", lang).await.expect(200);
        assert_eq!(all["items"][1], ruleset);
        for ruleset in all["items"].as_array().unwrap() {
            let rules = ruleset["rules_in_words"].as_str().unwrap();
            assert!(rules.len() > 800 && !rules.contains('{'), "{rules}");
        }
    }
}
