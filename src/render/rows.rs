//! One line for each row of a game's log.

use mancala_rules::{Counts, Seat};

use super::words::Lang;

/// What is told of a choice.
#[derive(Debug, Clone, Copy)]
pub struct Sown {
    /// The house that was chosen.
    pub house: i64,
    /// Laps: the first and every relay.
    pub laps: i64,
    /// Seeds that were captured.
    pub captured: i64,
    /// Whether the seat chooses again.
    pub extra_turn: bool,
    /// Whether the other seat had nothing to move and passed.
    pub passed: bool,
}

impl Sown {
    /// `South sowed 3: 4 laps, captured 6, extra turn.`
    pub fn line(&self, lang: Lang, who: &str) -> String {
        let mut details = counts(lang, self.laps, self.captured);
        details.extend(self.extra_turn.then(|| lang.text("extra-turn")));
        details.extend(self.passed.then(|| lang.text("passed")));
        let house = self.house.into();
        match lang.joined(details) {
            Some(details) => {
                let values = [
                    ("who", who.into()),
                    ("house", house),
                    ("details", details.into()),
                ];
                lang.with("sowed-with", values)
            }
            None => lang.with("sowed", [("who", who.into()), ("house", house)]),
        }
    }

    /// The row of a choice; `other`: what the other seat's hand did that went on
    /// with it.
    pub fn row(&self, lang: Lang, seat: Seat, other: Option<&Counts>) -> String {
        let line = self.line(lang, &lang.seat(seat));
        let Some(other) = other else {
            return line;
        };
        let who = lang.seat(seat.other()).into();
        let details = counts(lang, other.lap_count.into(), other.captured.into());
        let went_on = match lang.joined(details) {
            Some(details) => lang.with("went-on-with", [("who", who), ("details", details.into())]),
            None => lang.with("went-on", [("who", who)]),
        };
        format!("{line} {went_on}")
    }
}

/// The counts that are worth a word.
fn counts(lang: Lang, laps: i64, captured: i64) -> Vec<String> {
    let laps = (laps > 1).then(|| lang.with("laps", [("laps", laps.into())]));
    let captured = (captured > 0).then(|| lang.with("captured", [("seeds", captured.into())]));
    laps.into_iter().chain(captured).collect()
}

/// The row of a takeback that `seat` had asked for.
pub fn takeback(lang: Lang, seat: Seat, to_ply: i32) -> String {
    let who = lang.seat(seat).into();
    lang.with("row-takeback", [("who", who), ("ply", to_ply.into())])
}

/// The row of an end without a choice, by its reason and whoever brought it about.
pub fn end(lang: Lang, reason: &str, by: Option<Seat>) -> String {
    let who = by.map_or_else(|| lang.text("somebody"), |seat| lang.seat(seat));
    lang.with(&format!("row-{reason}"), [("who", who.into())])
}
