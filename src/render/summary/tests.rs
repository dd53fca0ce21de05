//! Each type of event in words, in three languages.

use serde_json::json;

use super::*;

/// Title and summary of an event between Ana and Bo.
fn told(lang: &str, kind: &str, data: &Value) -> [String; 2] {
    let lang = Lang::named(lang).expect("a language");
    let names = ["Ana", "Bo"].map(|name| Some(name.to_owned()));
    let words = words(lang, kind, data, names);
    [words.title, words.summary]
}

/// Checks the summaries in English, Malay and Spanish.
fn check(kind: &str, data: &Value, expected: [&str; 3]) {
    let found = ["en", "ms", "es"].map(|lang| told(lang, kind, data)[1].clone());
    assert_eq!(found, expected);
}

#[test]
fn moves() {
    let data = json!({ "seat": "south", "house": 3, "lap_count": 4, "captured": 6,
                       "extra_turn": true, "passed": false });
    check(
        "move.played",
        &data,
        [
            "Ana sowed 3: 4 laps, captured 6, extra turn.",
            "Ana menabur 3: 4 putaran, menawan 6, giliran tambahan.",
            "Ana sembró 3: 4 vueltas, capturó 6, turno extra.",
        ],
    );
    let data = json!({ "seat": "north", "house": 1, "lap_count": 1, "captured": 0,
                       "extra_turn": false, "passed": false });
    check(
        "move.played",
        &data,
        ["Bo sowed 1.", "Bo menabur 1.", "Bo sembró 1."],
    );
    let data = json!({ "seat": "north", "house": 7, "lap_count": 1, "captured": 2,
                       "extra_turn": false, "passed": true });
    check(
        "move.played",
        &data,
        [
            "Bo sowed 7: captured 2, the other seat passes.",
            "Bo menabur 7: menawan 2, giliran lawan dilangkau.",
            "Bo sembró 7: capturó 2, el otro asiento pasa.",
        ],
    );
    check(
        "turn.started",
        &json!({ "seat": "north" }),
        [
            "It is Bo's turn.",
            "Sekarang giliran Bo.",
            "Es el turno de Bo.",
        ],
    );
}

#[test]
fn ends() {
    let end = |winner: &str, reason: &str, south: u16, north: u16| {
        json!({ "winner": winner, "reason": reason, "seat": null,
                "score": { "south": south, "north": north } })
    };
    for (data, expected) in [
        (
            end("north", "timeout", 10, 4),
            [
                "Bo wins on time, 10:4.",
                "Bo menang kerana lawan kehabisan masa, 10:4.",
                "Bo gana por tiempo, 10:4.",
            ],
        ),
        (
            end("south", "resignation", 10, 4),
            [
                "Ana wins by resignation, 10:4.",
                "Ana menang kerana lawan menyerah kalah, 10:4.",
                "Ana gana por rendición, 10:4.",
            ],
        ),
        (
            end("south", "most_seeds", 54, 44),
            ["Ana wins, 54:44.", "Ana menang, 54:44.", "Ana gana, 54:44."],
        ),
        (
            end("draw", "most_seeds", 49, 49),
            ["A draw, 49:49.", "Seri, 49:49.", "Empate, 49:49."],
        ),
    ] {
        check("game.finished", &data, expected);
    }
    for (reason, seat, expected) in [
        ("called_off", json!("south"), "Ana called the game off."),
        ("called_off", json!(null), "The game was called off."),
        ("declined", json!("north"), "Bo declined the invitation."),
        ("declined", json!(null), "The invitation was declined."),
        ("left", json!("north"), "Bo left the server."),
        ("left", json!(null), "A player left the server."),
        ("nobody_joined", json!(null), "Nobody joined in time."),
        ("late", json!("south"), "Ana made no first choice in time."),
        ("late", json!(null), "Neither seat made its choice in time."),
    ] {
        let data = json!({ "reason": reason, "seat": seat });
        assert_eq!(told("en", "game.aborted", &data)[1], expected);
    }
    check(
        "game.aborted",
        &json!({ "reason": "late", "seat": "north" }),
        [
            "Bo made no first choice in time.",
            "Bo tidak membuat pilihan pertama dalam masa yang ditetapkan.",
            "Bo no hizo su primera elección a tiempo.",
        ],
    );
}

#[test]
fn offers() {
    let offer = |kind: &str, status: &str| json!({ "seat": "south", "offer": 1, "kind": kind, "status": status });
    for (kind, expected) in [
        (
            "draw",
            [
                "Ana offers a draw.",
                "Ana menawarkan keputusan seri.",
                "Ana propone un empate.",
            ],
        ),
        (
            "split",
            [
                "Ana offers a split.",
                "Ana menawarkan pembahagian baki.",
                "Ana propone un reparto.",
            ],
        ),
        (
            "takeback",
            [
                "Ana offers a takeback.",
                "Ana menawarkan undur langkah.",
                "Ana propone deshacer jugadas.",
            ],
        ),
        (
            "pause",
            [
                "Ana offers a pause.",
                "Ana menawarkan rehat.",
                "Ana propone una pausa.",
            ],
        ),
        (
            "rematch",
            [
                "Ana offers a rematch.",
                "Ana menawarkan perlawanan semula.",
                "Ana propone una revancha.",
            ],
        ),
    ] {
        check("offer.made", &offer(kind, "open"), expected);
    }
    for (status, expected) in [
        (
            "accepted",
            [
                "Ana's offer of a split was accepted.",
                "Tawaran pembahagian baki daripada Ana telah diterima.",
                "La propuesta de Ana (un reparto) fue aceptada.",
            ],
        ),
        (
            "declined",
            [
                "Ana's offer of a split was declined.",
                "Tawaran pembahagian baki daripada Ana telah ditolak.",
                "La propuesta de Ana (un reparto) fue rechazada.",
            ],
        ),
    ] {
        check("offer.answered", &offer("split", status), expected);
    }
}

/// A clock that stands still, goes on, or was moved.
#[test]
fn clocks() {
    let moved = |cause: &str, runs: bool, until: Option<&str>| {
        let deadline = runs.then_some("2027-01-09T08:30:00.000Z");
        json!({ "seat": "south", "move_by": deadline, "deadline": deadline,
                "cause": cause, "until": until })
    };
    let until = Some("2027-01-02T03:04:05.006Z");
    for (data, expected) in [
        (
            moved("vacation", false, until),
            [
                "Ana is on holiday until 2027-01-02 03:04 UTC: the clock stands still.",
                "Ana bercuti hingga 2027-01-02 03:04 UTC: jamnya dihentikan.",
                "Ana está de vacaciones hasta 2027-01-02 03:04 UTC: el reloj se detiene.",
            ],
        ),
        (
            moved("vacation", true, None),
            [
                "Ana is back: the clock runs again, until 2027-01-09 08:30 UTC.",
                "Ana sudah kembali: jamnya berjalan semula, hingga 2027-01-09 08:30 UTC.",
                "Ana ha vuelto: el reloj corre de nuevo, hasta 2027-01-09 08:30 UTC.",
            ],
        ),
        (
            moved("pause", false, None),
            [
                "The game is paused: Ana's clock stands still.",
                "Permainan direhatkan: jam Ana dihentikan.",
                "La partida está en pausa: el reloj de Ana se detiene.",
            ],
        ),
        (
            moved("pause", true, None),
            [
                "The game goes on: Ana's clock runs again, until 2027-01-09 08:30 UTC.",
                "Permainan diteruskan: jam Ana berjalan semula, hingga 2027-01-09 08:30 UTC.",
                "La partida continúa: el reloj de Ana corre de nuevo, hasta 2027-01-09 08:30 UTC.",
            ],
        ),
        (
            moved("downtime", true, None),
            [
                "The server was away; Ana's deadline was moved.",
                "Pelayan tidak dapat dihubungi; had masa Ana telah ditunda.",
                "El servidor no estaba disponible; el plazo de Ana se aplazó.",
            ],
        ),
    ] {
        check("deadline.moved", &data, expected);
    }
    let titles =
        |data: &Value| ["en", "ms", "es"].map(|lang| told(lang, "deadline.moved", data)[0].clone());
    assert_eq!(
        titles(&moved("pause", false, None)),
        [
            "The clock stands still",
            "Jam dihentikan",
            "El reloj se detiene"
        ]
    );
    assert_eq!(
        titles(&moved("downtime", true, None)),
        ["More time", "Masa tambahan", "Más tiempo"]
    );
}

/// Somebody without an account is called by the seat; an unknown type by its name.
#[test]
fn without_names() {
    let seats = |lang: &str| {
        let lang = Lang::named(lang).expect("a language");
        words(lang, "game.started", &json!({}), [None, None]).summary
    };
    assert_eq!(seats("en"), "South (south) plays North (north).");
    assert_eq!(
        seats("ms"),
        "Selatan (selatan) bermain dengan Utara (utara)."
    );
    assert_eq!(seats("es"), "Sur (sur) juega contra Norte (norte).");
    assert_eq!(told("es", "game.new", &json!({})), ["game.new", "game.new"]);
}
