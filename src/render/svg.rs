//! A board as a picture: a wooden board with hollows, shells in them, and their
//! counts in numerals that can still be read in a thumbnail. The drawing is its
//! own; all it would like from elsewhere is a font, and it does without that.

mod bars;
mod defs;
mod layout;
mod seeds;
mod theme;

use mancala_rules::{Hand, Seat, Spot};

pub use theme::Theme;

use self::defs::{HOLLOW, defs};
use self::layout::Layout;
use self::seeds::{lie, noise};
use self::theme::Palette;
use super::scene::Scene;

/// The fonts to look for: the one that PNG is drawn with, then what is like it.
const FONTS: &str = "Nunito, 'Trebuchet MS', 'DejaVu Sans', Verdana, sans-serif";
/// How round the board's corners are.
const CORNER: f32 = 54.0;

/// The picture as an SVG document that is `width` pixels wide.
pub fn svg(scene: &Scene, theme: Theme, width: u16) -> String {
    let painter = Painter {
        scene,
        layout: Layout::new(scene),
        palette: theme.palette(),
        out: String::new(),
    };
    painter.paint(width)
}

/// What is painted so far, and with what.
struct Painter<'a> {
    scene: &'a Scene,
    layout: Layout,
    palette: &'static Palette,
    out: String,
}

/// How a text is set.
struct Type {
    size: f32,
    bold: bool,
    /// `start`, `middle` or `end`.
    anchor: &'static str,
    colour: &'static str,
}

impl Painter<'_> {
    fn paint(mut self, width: u16) -> String {
        let (w, h) = (self.layout.width, self.layout.height);
        let height = (f32::from(width) * h / w).round();
        let [south, north] = Seat::ALL.map(|seat| escaped(&self.scene.name(seat)));
        let lang = self.scene.lang.tag();
        let words = escaped(&self.in_words());
        self.add(&format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {w} {h}" role="img" lang="{lang}" aria-labelledby="title desc" font-family="{FONTS}">
<title id="title">{south} – {north}</title>
<desc id="desc">{words}</desc>"#
        ));
        self.add(&defs(self.palette));
        let page = self.palette.page;
        self.add(&format!(
            r#"<rect width="{w}" height="{h}" fill="{page}"/>"#
        ));
        self.wood();
        let seats = [self.scene.pov.other(), self.scene.pov];
        for seat in seats {
            self.bar(seat);
            if self.scene.stores {
                self.store(seat);
            }
            for house in 1..=self.scene.houses() {
                self.house(seat, house);
            }
        }
        for seat in seats {
            if let Some(hand) = self.scene.board[seat].hand {
                self.hand(seat, hand);
            }
        }
        self.out + "</svg>\n"
    }

    fn add(&mut self, part: &str) {
        self.out.push_str(part);
        self.out.push('\n');
    }

    fn text(&mut self, (x, y): (f32, f32), set: &Type, words: &str) {
        let Type {
            size,
            anchor,
            colour,
            ..
        } = set;
        let weight = if set.bold { 800 } else { 600 };
        let words = escaped(words);
        self.add(&format!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size:.1}" font-weight="{weight}" text-anchor="{anchor}" fill="{colour}">{words}</text>"#
        ));
    }

    /// The board itself, with its grain.
    fn wood(&mut self) {
        let (x, y, w, h) = self.layout.board;
        let rect = |inset: f32, down: f32, paint: &str| {
            format!(
                r#"<rect x="{}" y="{}" width="{}" height="{}" rx="{}" {paint}/>"#,
                x + inset,
                y + inset + down,
                w - 2.0 * inset,
                h - 2.0 * inset,
                CORNER - inset
            )
        };
        let grain = self.palette.grain;
        let parts = [
            format!(r#"<clipPath id="board">{}</clipPath>"#, rect(0.0, 0.0, "")),
            rect(0.0, 8.0, r##"fill="#000" opacity="0.28""##),
            rect(0.0, 0.0, r#"fill="url(#wood)""#),
            format!(r#"<g clip-path="url(#board)" fill="none" stroke="{grain}" opacity="0.2">"#),
            self.grain(),
            "</g>".into(),
            rect(
                2.0,
                0.0,
                r#"fill="none" stroke="url(#edge)" stroke-width="4""#,
            ),
        ];
        self.add(&parts.join("\n"));
    }

    /// Lines along the whole board, no two alike.
    fn grain(&self) -> String {
        let (x, y, w, h) = self.layout.board;
        let count = (h / 11.0) as u32;
        let line = |i: u32| {
            let chance = |what: u32| noise(i * 8 + what);
            let at = y + (i as f32 + chance(0) * 0.8) * h / count as f32;
            let [a, b, c, d] = [1, 2, 3, 4].map(|what| at + (chance(what) - 0.5) * 26.0);
            let [one, two, three, four, end] = [0.2, 0.3, 0.5, 0.8, 1.0].map(|part| x + w * part);
            let thick = 0.6 + chance(5) * 2.2;
            format!(
                r#"<path d="M{x:.0} {at:.1}C{one:.0} {a:.1} {two:.0} {b:.1} {three:.0} {at:.1}S{four:.0} {c:.1} {end:.0} {d:.1}" stroke-width="{thick:.1}"/>"#
            )
        };
        (0..count).map(line).collect()
    }

    fn house(&mut self, seat: Seat, house: u8) {
        let (x, y) = self.layout.house(seat, house);
        let seeds = self.scene.seeds(seat, house);
        let shape = if seeds.is_some() { "hollow" } else { "burnt" };
        self.add(&format!(r##"<use href="#{shape}" x="{x}" y="{y}"/>"##));
        if self.scene.is_last(seat, house) {
            self.add(&format!(r##"<use href="#last" x="{x}" y="{y}"/>"##));
        }
        let place = u32::from(house) * 2 + seat.index() as u32;
        let reach = HOLLOW - 14.0;
        self.seeds(seeds.unwrap_or(0), place, (x, y), (reach, reach));
        let number = Type {
            size: self.layout.number_size(),
            bold: false,
            anchor: "middle",
            colour: self.palette.number,
        };
        self.text((x, self.layout.number(seat)), &number, &house.to_string());
        match seeds {
            Some(seeds) => self.count(seat, x, self.layout.digits, seeds),
            None => {
                let cross = Type {
                    size: self.layout.digits,
                    bold: true,
                    anchor: "middle",
                    colour: self.palette.ember,
                };
                self.text((x, self.layout.count(seat)), &cross, "×");
            }
        }
    }

    fn store(&mut self, seat: Seat) {
        let (x, y) = self.layout.store(seat);
        let (rx, ry) = self.layout.store_radii;
        for (rim, paint) in [(3.0, "lip"), (0.0, "bowl")] {
            let (rx, ry) = (rx + rim, ry + rim);
            self.add(&format!(
                r#"<rect x="{:.1}" y="{:.1}" width="{}" height="{}" rx="{rx}" fill="url(#{paint})"/>"#,
                x - rx,
                y - ry,
                2.0 * rx,
                2.0 * ry
            ));
        }
        let seeds = self.scene.board[seat].store;
        let place = 900 + seat.index() as u32;
        self.seeds(seeds, place, (x, y), (rx - 15.0, ry - 18.0));
        self.count(seat, x, self.layout.digits * 1.15, seeds);
    }

    /// A count in numerals, no wider than what it stands at.
    fn count(&mut self, seat: Seat, x: f32, size: f32, seeds: u16) {
        let words = seeds.to_string();
        let set = Type {
            size: size.min(98.0 / layout::advance(&words)),
            bold: true,
            anchor: "middle",
            colour: self.palette.count,
        };
        // Nothing is to be seen at a glance, without a look at the numeral.
        let opacity = if seeds == 0 { 0.45 } else { 1.0 };
        self.add(&format!(r#"<g opacity="{opacity}">"#));
        self.text((x, self.layout.count(seat)), &set, &words);
        self.add("</g>");
    }

    fn seeds(&mut self, count: u16, place: u32, (x, y): (f32, f32), (rx, ry): (f32, f32)) {
        for seed in lie(count, place, rx, ry) {
            let shell = if seed.turned { "back" } else { "front" };
            self.add(&format!(
                r##"<use href="#{shell}" transform="translate({:.1} {:.1})rotate({:.0})"/>"##,
                x + seed.x,
                y + seed.y,
                seed.turn
            ));
        }
    }

    /// A hand in mid-air, over the place of its last drop: it reaches there from
    /// its owner's side and holds its count.
    fn hand(&mut self, seat: Seat, hand: Hand) {
        let (x, y) = match hand.over {
            Spot::House(row, house) => self.layout.house(row, house),
            Spot::Store => self.layout.store(seat),
        };
        let turn = if seat == self.scene.pov { 0 } else { 180 };
        let [fill, ink] = self.palette.hand;
        // First the shadow, then the outline, then the hand.
        for (dy, colour, opacity, fingers, palm) in [
            (9.0, "#000", 0.4, 16.0, 6.0),
            (0.0, ink, 1.0, 15.0, 5.0),
            (0.0, fill, 1.0, 10.0, 0.5),
        ] {
            self.add(&format!(
                r#"<g transform="translate({x} {})rotate({turn})" fill="{colour}" stroke="{colour}" opacity="{opacity}" stroke-linecap="round" stroke-linejoin="round"><path d="{FINGERS}" fill="none" stroke-width="{fingers}"/><path d="{PALM}" stroke-width="{palm}"/></g>"#,
                y + dy
            ));
        }
        let words = hand.seeds.to_string();
        let set = Type {
            size: 38.0_f32.min(46.0 / layout::advance(&words)),
            bold: true,
            anchor: "middle",
            colour: ink,
        };
        let palm = if turn == 0 { 16.0 } else { -16.0 };
        self.text((x, y + palm + set.size * 0.35), &set, &words);
    }

    /// The board for whoever cannot see it.
    fn in_words(&self) -> String {
        let lang = self.scene.lang;
        let row = |seat: Seat| {
            let house = |house| match self.scene.seeds(seat, house) {
                Some(seeds) => seeds.to_string(),
                None => lang.text("burnt"),
            };
            let houses: Vec<String> = (1..=self.scene.houses()).map(house).collect();
            let values = [
                ("who", lang.seat(seat).into()),
                ("houses", lang.joined(houses).into()),
                ("store", self.scene.board[seat].store.into()),
            ];
            lang.with("row-in-words", values)
        };
        let status = self.scene.status();
        let sentence = |parts: &Vec<String>| {
            let words = parts.join(" ").into();
            lang.with("sentence", [("words", words)])
        };
        let status = status.iter().map(sentence);
        let words: Vec<String> = Seat::ALL.map(row).into_iter().chain(status).collect();
        words.join(" ")
    }
}

/// A hand that reaches upwards.
const FINGERS: &str = "M-17 4L-20 -24M-6 2L-7 -35M6 2L6.5 -36M17 4L19 -27M-16 24L-34 5";
const PALM: &str = "M-23 0Q0 -8 23 0L24 18Q22 34 14 38L-14 38Q-22 34 -24 18Z";

/// Text as it stands in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
