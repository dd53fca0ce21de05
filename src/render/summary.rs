//! One line for each event, in English.

use serde_json::Value;

/// An event in words.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// A few words.
    pub title: String,
    /// One line.
    pub summary: String,
}

/// The words for an event of this type with these facts; `south` and `north`
/// name the players.
pub fn words(kind: &str, data: &Value, south: &str, north: &str) -> Words {
    let name = |seat: &Value| match seat.as_str() {
        Some("south") => south,
        Some("north") => north,
        _ => "somebody",
    };
    let seat = name(&data["seat"]);
    let (title, summary) = match kind {
        "game.created" => ("New game".to_owned(), "A game was made.".to_owned()),
        "game.started" => (
            "Game started".to_owned(),
            format!("{south} (south) plays {north} (north)."),
        ),
        "turn.started" => (format!("{seat} to move"), format!("It is {seat}'s turn.")),
        "move.played" => (format!("{seat} moved"), played(seat, data)),
        "offer.made" => (
            "Offer".to_owned(),
            format!("{seat} offers {}.", offered(&data["kind"])),
        ),
        "offer.answered" => (
            "Offer answered".to_owned(),
            format!(
                "{seat}'s offer of {} was {}.",
                offered(&data["kind"]),
                data["status"].as_str().unwrap_or("answered")
            ),
        ),
        "deadline.near" => (
            "Time runs out".to_owned(),
            format!("{seat} has a quarter of the time left."),
        ),
        "deadline.moved" => moved(seat, data),
        "game.finished" => ("Game over".to_owned(), finished(data, south, north)),
        "game.aborted" => ("Game called off".to_owned(), aborted(seat, data)),
        "webhook.disabled" => (
            "Webhook disabled".to_owned(),
            match data["reason"].as_str() {
                Some("gone") => "A webhook's address answered that it is gone.".to_owned(),
                _ => "A webhook's address has taken nothing for days.".to_owned(),
            },
        ),
        other => (other.to_owned(), other.to_owned()),
    };
    Words { title, summary }
}

/// A clock that stands still, goes on, or was moved because no server was there.
fn moved(seat: &str, data: &Value) -> (String, String) {
    let point = |field: &str| data[field].as_str().map(point);
    let still = data["move_by"].is_null();
    let until = point("until").map_or(String::new(), |until| format!(" until {until}"));
    let by = point("deadline").map_or(String::new(), |deadline| format!(", until {deadline}"));
    let line = match (data["cause"].as_str(), still) {
        (Some("vacation"), true) => format!("{seat} is on holiday{until}: the clock stands still."),
        (Some("vacation"), false) => format!("{seat} is back: the clock runs again{by}."),
        (Some("pause"), true) => format!("The game is paused{until}: {seat}'s clock stands still."),
        (Some("pause"), false) => format!("The game goes on: {seat}'s clock runs again{by}."),
        _ => {
            let line = format!("The server was away; {seat}'s deadline was moved.");
            return ("More time".to_owned(), line);
        }
    };
    let title = match still {
        true => "The clock stands still",
        false => "The clock runs again",
    };
    (title.to_owned(), line)
}

/// A point in time to the minute, as a person reads it.
fn point(time: &str) -> String {
    match time.get(..16) {
        Some(minute) => format!("{} UTC", minute.replace('T', " ")),
        None => time.to_owned(),
    }
}

fn played(seat: &str, data: &Value) -> String {
    let mut line = format!("{seat} sowed {}", data["house"]);
    let mut details = Vec::new();
    match data["lap_count"].as_i64() {
        Some(laps) if laps > 1 => details.push(format!("{laps} laps")),
        _ => {}
    }
    match data["captured"].as_i64() {
        Some(captured) if captured > 0 => details.push(format!("captured {captured}")),
        _ => {}
    }
    if data["extra_turn"] == true {
        details.push("extra turn".to_owned());
    }
    if data["passed"] == true {
        details.push("the other seat passes".to_owned());
    }
    if !details.is_empty() {
        line = format!("{line}: {}", details.join(", "));
    }
    line + "."
}

fn offered(kind: &Value) -> &str {
    match kind.as_str() {
        Some("draw") => "a draw",
        Some("split") => "a split",
        Some("takeback") => "a takeback",
        Some("pause") => "a pause",
        Some("rematch") => "a rematch",
        other => other.unwrap_or("something"),
    }
}

fn finished(data: &Value, south: &str, north: &str) -> String {
    let (for_south, for_north) = (&data["score"]["south"], &data["score"]["north"]);
    let score = format!("{for_south}:{for_north}");
    let how = match data["reason"].as_str() {
        Some("resignation") => " by resignation",
        Some("timeout") => " on time",
        _ => "",
    };
    match data["winner"].as_str() {
        Some("south") => format!("{south} wins{how}, {score}."),
        Some("north") => format!("{north} wins{how}, {score}."),
        _ => format!("A draw, {score}."),
    }
}

fn aborted(seat: &str, data: &Value) -> String {
    let known = data["seat"].is_string();
    match data["reason"].as_str() {
        Some("called_off") if known => format!("{seat} called the game off."),
        Some("declined") if known => format!("{seat} declined the invitation."),
        Some("declined") => "The invitation was declined.".into(),
        Some("left") if known => format!("{seat} left the server."),
        Some("left") => "A player left the server.".into(),
        Some("nobody_joined") => "Nobody joined in time.".into(),
        Some("late") if known => format!("{seat} made no first choice in time."),
        Some("late") => "Neither seat made its choice in time.".into(),
        _ => "The game was called off.".into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(kind: &str, data: Value) -> String {
        words(kind, &data, "Ana", "Bo").summary
    }

    #[test]
    fn events_in_one_line() {
        let data = json!({ "seat": "south", "house": 3, "lap_count": 4, "captured": 6,
                           "extra_turn": true, "passed": false });
        assert_eq!(
            line("move.played", data),
            "Ana sowed 3: 4 laps, captured 6, extra turn."
        );
        let data = json!({ "seat": "north", "house": 1, "lap_count": 1, "captured": 0,
                           "extra_turn": false, "passed": false });
        assert_eq!(line("move.played", data), "Bo sowed 1.");
        assert_eq!(
            line("turn.started", json!({ "seat": "north" })),
            "It is Bo's turn."
        );
        let data = json!({ "winner": "north", "reason": "timeout", "seat": "south",
                           "score": { "south": 10, "north": 4 } });
        assert_eq!(line("game.finished", data), "Bo wins on time, 10:4.");
        let data = json!({ "winner": "draw", "reason": "most_seeds", "seat": null,
                           "score": { "south": 49, "north": 49 } });
        assert_eq!(line("game.finished", data), "A draw, 49:49.");
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
            assert_eq!(line("game.aborted", data), expected);
        }
        let moved = |cause: &str, runs: bool, until: Option<&str>| {
            let deadline = runs.then_some("2027-01-09T08:30:00.000Z");
            let data = json!({ "seat": "south", "move_by": deadline, "deadline": deadline,
                               "cause": cause, "until": until });
            line("deadline.moved", data)
        };
        let until = Some("2027-01-02T03:04:05.006Z");
        assert_eq!(
            moved("vacation", false, until),
            "Ana is on holiday until 2027-01-02 03:04 UTC: the clock stands still."
        );
        assert_eq!(
            moved("vacation", true, None),
            "Ana is back: the clock runs again, until 2027-01-09 08:30 UTC."
        );
        assert_eq!(
            moved("pause", false, None),
            "The game is paused: Ana's clock stands still."
        );
        assert_eq!(
            moved("pause", true, None),
            "The game goes on: Ana's clock runs again, until 2027-01-09 08:30 UTC."
        );
        assert_eq!(
            moved("downtime", true, None),
            "The server was away; Ana's deadline was moved."
        );
        let data = json!({ "seat": "south", "offer": 1, "kind": "split", "status": "declined" });
        assert_eq!(
            line("offer.answered", data),
            "Ana's offer of a split was declined."
        );
    }
}
