//! A board as text in a fixed-width font, for a chat window or a terminal: at
//! most 40 columns for 7 houses, 71 for 15. The marks: `▸` who is to move, `*`
//! the last choice, `·` an empty house, `╳` a burnt one.

use mancala_rules::Seat;

use super::scene::Scene;

#[cfg(test)]
mod tests;

/// What a board is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Charset {
    /// With lines that join.
    #[default]
    Unicode,
    /// Nothing but ASCII.
    Ascii,
}

/// Columns that words may take, however small the board.
const COLUMNS: usize = 40;
/// The columns of a store, with the line that closes it.
const STORE: usize = 5;
/// The columns of a house, with the line that closes it.
const HOUSE: usize = 4;

/// The lines and marks of a charset.
struct Pen {
    /// Left end, crossing, right end of the upper edge.
    top: [&'static str; 3],
    middle: [&'static str; 3],
    bottom: [&'static str; 3],
    dash: &'static str,
    bar: &'static str,
    empty: &'static str,
    burnt: &'static str,
    mover: &'static str,
    cut: &'static str,
}

const UNICODE: Pen = Pen {
    top: ["╭", "┬", "╮"],
    middle: ["├", "┼", "┤"],
    bottom: ["╰", "┴", "╯"],
    dash: "─",
    bar: "│",
    empty: "·",
    burnt: "╳",
    mover: "▸",
    cut: "…",
};

const ASCII: Pen = Pen {
    top: ["+", "+", "+"],
    middle: ["+", "+", "+"],
    bottom: ["+", "+", "+"],
    dash: "-",
    bar: "|",
    empty: ".",
    burnt: "x",
    mover: ">",
    cut: "~",
};

/// The board, ending with a line feed.
pub fn text(scene: &Scene, charset: Charset) -> String {
    let pen = match charset {
        Charset::Unicode => &UNICODE,
        Charset::Ascii => &ASCII,
    };
    let drawing = Drawing { scene, pen };
    let spelt = |words: String| match charset {
        Charset::Unicode => words,
        Charset::Ascii => words.chars().map(ascii).collect(),
    };
    let mut lines = vec![spelt(drawing.who(scene.pov.other()))];
    lines.extend(drawing.board());
    lines.push(spelt(drawing.who(scene.pov)));
    lines.push(String::new());
    for parts in scene.status() {
        let parts: Vec<String> = parts.into_iter().map(spelt).collect();
        lines.extend(wrap(&parts, drawing.columns()));
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

struct Drawing<'a> {
    scene: &'a Scene,
    pen: &'a Pen,
}

impl Drawing<'_> {
    /// Columns of the widest line.
    fn columns(&self) -> usize {
        let stores = if self.scene.stores { 2 * STORE } else { 0 };
        (usize::from(self.scene.houses()) * HOUSE + 1 + stores).max(COLUMNS)
    }

    /// A seat's player, with the mark of the one to move and, where no store
    /// shows it, the score.
    fn who(&self, seat: Seat) -> String {
        let scene = self.scene;
        let mark = if scene.owes(seat) {
            self.pen.mover
        } else {
            " "
        };
        let place = match &scene.names[seat] {
            Some(_) => format!(" ({})", scene.lang.seat(seat)),
            None => String::new(),
        };
        let score = match scene.stores {
            true => String::new(),
            false => format!(": {}", scene.board[seat].store),
        };
        let room = self.columns() - 2 - place.chars().count() - score.len();
        let name = self.shortened(&scene.name(seat), room);
        format!("{mark} {name}{place}{score}")
    }

    fn shortened(&self, name: &str, room: usize) -> String {
        if name.chars().count() <= room {
            return name.to_owned();
        }
        name.chars().take(room - 1).collect::<String>() + self.pen.cut
    }

    /// Both rows in their frame, with the houses' numbers outside of it.
    fn board(&self) -> [String; 7] {
        let Drawing { scene, pen } = self;
        let (near, far) = (scene.pov, scene.pov.other());
        let houses: Vec<u8> = (1..=scene.houses()).collect();
        let mirrored: Vec<u8> = houses.iter().rev().copied().collect();
        let row = |seat, houses: &[u8]| {
            let cells: Vec<String> = houses.iter().map(|&h| self.cell(seat, h)).collect();
            let row = [pen.bar, &cells.join(pen.bar), pen.bar].concat();
            self.flanked(&row, [near, far].map(|_| " ".repeat(STORE - 1)))
        };
        let stores = [near, far].map(|seat| format!("{:>3} ", scene.board[seat].store));
        [
            self.numbers(far, &mirrored),
            self.edge(pen.top),
            row(far, &mirrored),
            self.flanked(&self.rule(pen.middle), stores),
            row(near, &houses),
            self.edge(pen.bottom),
            self.numbers(near, &houses),
        ]
    }

    /// A line along the houses.
    fn rule(&self, [left, crossing, right]: [&str; 3]) -> String {
        let dashes = self.pen.dash.repeat(HOUSE - 1);
        let row = vec![dashes; usize::from(self.scene.houses())].join(crossing);
        [left, &row, right].concat()
    }

    /// An edge of the whole board.
    fn edge(&self, [left, crossing, right]: [&str; 3]) -> String {
        if !self.scene.stores {
            return self.rule([left, crossing, right]);
        }
        let store = self.pen.dash.repeat(STORE - 1);
        let row = self.rule([crossing; 3]);
        [left, &store, &row, &store, right].concat()
    }

    /// What lies between the two stores, if there are stores.
    fn flanked(&self, row: &str, [left, right]: [String; 2]) -> String {
        match self.scene.stores {
            true => [self.pen.bar, &left, row, &right, self.pen.bar].concat(),
            false => row.to_owned(),
        }
    }

    /// The houses' numbers, marked where one was the last choice.
    fn numbers(&self, seat: Seat, houses: &[u8]) -> String {
        let margin = if self.scene.stores { STORE } else { 0 };
        let number = |&house: &u8| {
            let last = self.scene.is_last(seat, house);
            format!(" {house:>2}{}", if last { "*" } else { " " })
        };
        " ".repeat(margin) + &houses.iter().map(number).collect::<String>()
    }

    /// What lies in a house.
    fn cell(&self, seat: Seat, house: u8) -> String {
        match self.scene.seeds(seat, house) {
            None => format!("{:>2} ", self.pen.burnt),
            Some(0) => format!("{:>2} ", self.pen.empty),
            Some(seeds) => format!("{:<3}", format!("{seeds:>2}")),
        }
    }
}

/// Parts set one after the other, a new line where the next one does not fit; a
/// part that is too long by itself is parted between its words.
fn wrap(parts: &[String], columns: usize) -> Vec<String> {
    let wide = |text: &str| text.chars().count();
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        let whole = [part.as_str()];
        let pieces: Vec<&str> = match wide(part) <= columns {
            true => whole.to_vec(),
            false => part.split(' ').collect(),
        };
        // A part that has to be parted begins on a line of its own.
        let mut fresh = pieces.len() > 1;
        for piece in pieces {
            match lines.last_mut() {
                Some(line) if !fresh && wide(line) + 1 + wide(piece) <= columns => {
                    *line += &format!(" {piece}");
                }
                _ => lines.push(piece.to_owned()),
            }
            fresh = false;
        }
    }
    lines
}

/// The letter of ASCII that is read for this one.
fn ascii(letter: char) -> char {
    match letter {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' | 'ü' => 'u',
        'ñ' => 'n',
        letter if letter.is_ascii() => letter,
        _ => '?',
    }
}
