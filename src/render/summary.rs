//! The words for each event.

use serde_json::Value;

use super::rows::Sown;
use super::words::Lang;

/// An event in words.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// A few words.
    pub title: String,
    /// One line.
    pub summary: String,
}

/// The words for an event of this type with these facts; `south` and `north`
/// name the players, where they have names.
pub fn words(lang: Lang, kind: &str, data: &Value, [south, north]: [Option<String>; 2]) -> Words {
    let south = south.unwrap_or_else(|| lang.text("south"));
    let north = north.unwrap_or_else(|| lang.text("north"));
    let named = |seat: &Value| match seat.as_str() {
        Some("south") => south.clone(),
        Some("north") => north.clone(),
        _ => lang.text("somebody"),
    };
    let who = named(&data["seat"]);
    let text = |field: &str| data[field].as_str().unwrap_or_default().to_owned();
    let (id, summary) = match kind {
        "game.created" => ("event-created", None),
        "game.started" => ("event-started", None),
        "turn.started" => ("event-turn", None),
        "move.played" => ("event-played", Some(sown(data).line(lang, &who))),
        "offer.made" => ("event-offer", None),
        "offer.answered" => ("event-answer", None),
        "deadline.near" => ("event-near", None),
        "deadline.moved" => ("event-moved", None),
        "game.finished" if data["winner"] == "draw" => ("event-drawn", None),
        "game.finished" => ("event-won", None),
        "game.aborted" => ("event-aborted", None),
        "webhook.disabled" => ("event-disabled", None),
        "webhook.test" => ("event-test", None),
        other => {
            let other = other.to_owned();
            return Words {
                title: other.clone(),
                summary: other,
            };
        }
    };
    let reason = match kind {
        "game.aborted" if data["seat"].is_string() => text("reason") + "_by",
        "deadline.moved" => moved(data),
        _ => text("reason"),
    };
    // Which of these a message has a place for is the catalogue's business.
    let fill = |id: &str| {
        let values = [
            ("who", who.as_str().into()),
            ("south", south.as_str().into()),
            ("north", north.as_str().into()),
            ("winner", named(&data["winner"]).into()),
            ("south-score", data["score"]["south"].as_i64().into()),
            ("north-score", data["score"]["north"].as_i64().into()),
            ("reason", reason.as_str().into()),
            ("offer", text("kind").into()),
            ("answer", text("status").into()),
            ("until", minute(data).into()),
        ];
        lang.with(id, values)
    };
    Words {
        title: fill(&format!("{id}.title")),
        summary: summary.unwrap_or_else(|| fill(id)),
    }
}

fn sown(data: &Value) -> Sown {
    let count = |field: &str| data[field].as_i64().unwrap_or_default();
    Sown {
        house: count("house"),
        laps: count("lap_count"),
        captured: count("captured"),
        extra_turn: data["extra_turn"] == true,
        passed: data["passed"] == true,
    }
}

/// Whether a clock stands still or runs again, why, and whether it is known until
/// when: `pause`, `pause_until`, `pause_over`, `pause_over_until`.
fn moved(data: &Value) -> String {
    let cause = match data["cause"].as_str() {
        Some(cause @ ("vacation" | "pause")) => cause,
        _ => return "downtime".to_owned(),
    };
    let over = if data["move_by"].is_null() {
        ""
    } else {
        "_over"
    };
    let until = if minute(data).is_empty() {
        ""
    } else {
        "_until"
    };
    [cause, over, until].concat()
}

/// Until when a clock stands still, or else the deadline; to the minute, as a
/// person reads it.
fn minute(data: &Value) -> String {
    let still = data["move_by"].is_null();
    let time = data[if still { "until" } else { "deadline" }].as_str();
    let minute = time.and_then(|time| time.get(..16)).unwrap_or_default();
    minute.replace('T', " ")
}

#[cfg(test)]
mod tests;
