//! What stands above and below the board: who sits there, who is to move, how it
//! came out.

use chrono::{DateTime, Datelike, Utc};
use mancala_rules::Seat;

use super::super::scene::Stage;
use super::super::words::Lang;
use super::layout::{Bar, advance};
use super::{Painter, Type};

/// The sizes of a name, of what is said beside it, and of a score.
const NAME: f32 = 38.0;
const NOTE: f32 = 29.0;
const SCORE: f32 = 48.0;
/// Between two things.
const GAP: f32 = 18.0;
/// The mark on the plate of a name, with the gap that follows it.
const MARK: f32 = 32.0;

/// What the name of a seat stands on that is to move or has won.
struct Plate {
    mark: &'static str,
    fill: &'static str,
    ink: &'static str,
}

impl Plate {
    fn new(mark: &'static str, [fill, ink]: [&'static str; 2]) -> Plate {
        Plate { mark, fill, ink }
    }
}

impl Painter<'_> {
    /// The bar of a seat: the name at the left, what is said of it at the right.
    pub(super) fn bar(&mut self, seat: Seat) {
        let bar = self.layout.bar(seat);
        let mut right = bar.right;
        if !self.scene.stores {
            right = self.score(seat, &bar, right) - GAP * bar.scale;
        }
        let plate = match self.scene.owes(seat) {
            true => Some(Plate::new(ARROW, self.palette.mover)),
            false if self.scene.winner() == Some(seat) => {
                Some(Plate::new(STAR, self.palette.winner))
            }
            false => None,
        };
        let before = if plate.is_some() {
            GAP + MARK
        } else {
            GAP / 2.0
        };
        let (name, note) = (self.scene.name(seat), self.note(seat));
        // Where both together are too long, both shrink.
        let words = advance(&name) * NAME + advance(&note) * NOTE;
        let room = (right - bar.left) / bar.scale - before - 2.5 * GAP;
        let fit = bar.scale * (room / words).min(1.0);
        let set = Type {
            size: NOTE * fit,
            bold: false,
            anchor: "end",
            colour: self.palette.faint,
        };
        if !note.is_empty() {
            self.text((right, bar.middle + set.size * 0.35), &set, &note);
        }
        let mut set = Type {
            size: NAME * fit,
            bold: true,
            anchor: "start",
            colour: self.palette.ink,
        };
        let at = bar.left + before * bar.scale;
        if let Some(plate) = plate {
            let end = at + advance(&name) * set.size + GAP * bar.scale;
            self.plate(&plate, &bar, end);
            set.colour = plate.ink;
        }
        self.text((at, bar.middle + set.size * 0.35), &set, &name);
    }

    /// What a name stands on, as far as `end`.
    fn plate(&mut self, Plate { mark, fill, ink }: &Plate, bar: &Bar, end: f32) {
        let (left, middle, scale) = (bar.left, bar.middle, bar.scale);
        let half = 28.0 * scale;
        self.add(&format!(
            r#"<rect x="{left:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="{half:.1}" fill="{fill}"/>"#,
            middle - half,
            end - left,
            2.0 * half
        ));
        let x = left + 29.0 * scale;
        self.add(&format!(
            r#"<path d="{mark}" transform="translate({x:.1} {middle:.1})scale({scale:.2})" fill="{ink}"/>"#
        ));
    }

    /// What a seat has captured, where no store shows it; where it begins.
    fn score(&mut self, seat: Seat, bar: &Bar, right: f32) -> f32 {
        let words = self.scene.board[seat].store.to_string();
        let size = SCORE * bar.scale;
        let set = Type {
            size,
            bold: true,
            anchor: "end",
            colour: self.palette.ink,
        };
        self.text((right, bar.middle + size * 0.35), &set, &words);
        let x = right - advance(&words) * size - 26.0 * bar.scale;
        for (dx, dy, turn) in [(-9.0, 5.0, 20.0), (9.0, 6.0, -30.0), (0.0, -7.0, 75.0)] {
            self.add(&format!(
                r##"<use href="#front" transform="translate({:.1} {:.1})scale({:.2})rotate({turn})"/>"##,
                x + dx * bar.scale,
                bar.middle + dy * bar.scale,
                bar.scale
            ));
        }
        x - 26.0 * bar.scale
    }

    /// What is to be said of a seat; what concerns the game stands with the upper
    /// one.
    fn note(&self, seat: Seat) -> String {
        let (scene, lang) = (self.scene, self.scene.lang);
        let mut notes = Vec::new();
        if seat != scene.pov {
            notes.extend(scene.round_words());
            notes.extend(scene.after_ply("note-after-ply"));
            match scene.stage {
                Stage::Open => notes.push(lang.text("note-waiting")),
                Stage::Aborted => notes.push(lang.text("note-called-off")),
                _ => {}
            }
        }
        if scene.names[seat].is_some() {
            notes.push(lang.seat(seat));
        }
        if scene.owes(seat) {
            let opening = matches!(scene.stage, Stage::Opening(_));
            notes.extend(opening.then(|| lang.text("note-choose")));
            notes.extend(scene.deadlines[seat].map(|time| until(lang, time)));
        }
        let hand = scene.board[seat].hand;
        notes.extend(hand.map(|hand| {
            let place = scene.place(hand).into();
            lang.with("note-hand", [("place", place)])
        }));
        if let Stage::Finished(outcome) = &scene.stage
            && scene.winner().is_none_or(|winner| winner == seat)
        {
            notes.push(scene.score(outcome));
            notes.extend(scene.why(outcome));
        }
        notes.join(" · ")
    }
}

/// `until 3 Dec 10:00 UTC`: a year would say little and take room.
fn until(lang: Lang, time: DateTime<Utc>) -> String {
    let month = lang.with("month", [("month", time.month().into())]);
    let values = [
        ("day", time.day().into()),
        ("month", month.into()),
        ("time", time.format("%H:%M").to_string().into()),
    ];
    lang.with("note-until", values)
}

/// Marks around their middle.
const ARROW: &str = "M-8 -11L10 0L-8 11Z";
const STAR: &str = "M0 -14L4.1 -5L14 -4.3L6.5 2.3L8.8 12L0 6.8L-8.8 12L-6.5 2.3L-14 -4.3L-4.1 -5Z";
