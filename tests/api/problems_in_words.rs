//! Problems and the pages that explain them, in each language.

use serde_json::json;

use crate::support::languages::read;
use crate::support::{Ask, Game, Server};

/// Errors from every place that an error can come from, and their pages.
#[tokio::test]
async fn problems() {
    let server = Server::start().await;
    let game = Game::of(&server.api, "congkak").await;
    let asks = |lang: &'static str| {
        let ask = |method: &str, path: &str| Ask::new(method, path).header("accept-language", lang);
        let json = "application/json";
        [
            (404, ask("GET", "/nothing/at/all")),
            (404, ask("GET", "/v1/rulesets/oware")),
            (401, ask("POST", &game.to("resign"))),
            (
                400,
                ask("POST", "/v1/games")
                    .header("content-type", json)
                    .body("{"),
            ),
            (400, ask("GET", "/v1/games/7")),
            (400, ask("GET", "/v1/rulesets?colour=red")),
            (405, ask("DELETE", "/v1/rulesets")),
            (
                406,
                ask("GET", "/v1/rulesets").header("accept", "image/png"),
            ),
            (415, ask("POST", "/v1/games").body("{}")),
        ]
    };
    let spanish = [
        "Aquí no hay nada",
        "No existe tal reglamento",
        "Hace falta un token válido",
        "La petición está mal formada",
        "La petición está mal formada",
        "La petición está mal formada",
        "Esta ruta no admite este método",
        "No se puede dar ninguno de los formatos pedidos",
        "El cuerpo no es JSON",
    ];
    let malay = [
        "Tiada apa-apa di sini",
        "Tiada set peraturan sedemikian",
        "Token yang sah diperlukan",
        "Permintaan tidak betul bentuknya",
        "Permintaan tidak betul bentuknya",
        "Permintaan tidak betul bentuknya",
        "Laluan ini tidak menerima kaedah ini",
        "Tiada format yang diminta dapat diberikan",
        "Badan bukan JSON",
    ];
    for (lang, titles) in [("es", spanish), ("ms", malay)] {
        for ((status, ask), title) in asks(lang).into_iter().zip(titles) {
            let answer = server.api.ask(ask).await;
            answer.is(status);
            assert_eq!(answer.header("content-language"), lang, "{answer}");
            assert!(
                answer.header("vary").contains("Accept-Language"),
                "{answer}"
            );
            assert_eq!(answer.json["title"], title);
        }
    }
    // What is wrong with this one request is told in English.
    let answer = server.api.get("/v1/rulesets/oware?lang=es").await.json;
    assert_eq!(answer["detail"], "there is no ruleset \"oware\"");
    // What the server refuses before it knows the path.
    let preflight = Ask::new("OPTIONS", "/v1/rulesets")
        .header("origin", "http://elsewhere")
        .header("access-control-request-method", "FROB");
    let preflight = preflight.header("accept-language", "ms");
    let refused = server.api.ask_beyond(preflight).await;
    assert_eq!(refused.json["title"], malay[3], "{refused}");

    for (lang, title, explanation) in [
        (
            "en",
            "It is the other seat's turn",
            "`to_move` in the game's state names the seats that owe a choice.",
        ),
        (
            "ms",
            "Sekarang giliran pihak yang satu lagi",
            "`to_move` dalam keadaan permainan menamakan pihak yang perlu memilih.",
        ),
        (
            "es",
            "Es el turno del otro asiento",
            "`to_move`, en el estado de la partida, nombra los asientos que deben elegir.",
        ),
    ] {
        let page = read(&server.api, "/problems/not_your_turn", lang)
            .await
            .expect(200);
        assert_eq!(
            (&page["title"], &page["explanation"]),
            (&json!(title), &json!(explanation))
        );
        let all = read(&server.api, "/problems", lang).await.expect(200);
        let all = all["items"].as_array().unwrap();
        assert!(all.contains(&page));
        assert!(all.len() > 40 && all.iter().all(|page| page["explanation"] != ""));
        let refused = game.north.ask(
            Ask::post(&game.to(&format!("moves?lang={lang}")))
                .json(&json!({ "after_ply": 0, "house": 1 })),
        );
        assert_eq!(refused.await.problem(409, "not_your_turn")["title"], title);
    }
    let braces = read(&server.api, "/problems/bad_rules", "es")
        .await
        .expect(200);
    let explanation = braces["explanation"].as_str().unwrap();
    assert!(
        explanation.contains("`GET /v1/rulesets/{name}` enumera"),
        "{explanation}"
    );
}
