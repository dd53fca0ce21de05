//! A game as a board shows it, whatever the board is drawn with, and the words
//! that go with it. No secret choice is part of it.

use chrono::{DateTime, Utc};
use mancala_rules::{Hand, Outcome, Reason, Row, Seat, Sides, Spot, Winner};

/// What there is to draw.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Houses, stores, burnt houses and hands in mid-air.
    pub board: Sides<Row>,
    /// Whether the stores lie on the board; else they are scores beside the names.
    pub stores: bool,
    /// Handles of the players; none for somebody without an account.
    pub names: Sides<Option<String>>,
    /// Where in its course the game is.
    pub stage: Stage,
    /// Until when a seat has to choose.
    pub deadlines: Sides<Option<DateTime<Utc>>>,
    /// The houses of the last choice; two where two were lifted together.
    pub last: Vec<(Seat, u8)>,
    /// The round and how many there are at most, where there is more than one.
    pub round: Option<(u16, Option<u8>)>,
    /// The row of the log after which it stood so, if that is past.
    pub past: Option<i32>,
    /// Whose row is the lower one.
    pub pov: Seat,
}

/// Where in its course a game is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// A seat is free.
    Open,
    /// The simultaneous opening, with the seats that owe a choice.
    Opening(Vec<Seat>),
    /// A seat is to move.
    Playing(Seat),
    /// It has a result.
    Finished(Outcome),
    /// It ended without one.
    Aborted,
}

impl Scene {
    /// Houses a row.
    pub(super) fn houses(&self) -> u8 {
        self.board.south.houses.len() as u8
    }

    /// The seeds of a house; none when it is burnt.
    pub(super) fn seeds(&self, seat: Seat, house: u8) -> Option<u16> {
        let row = &self.board[seat];
        let seeds = row.houses.get(usize::from(house) - 1).copied();
        seeds.filter(|_| !row.burnt.contains(&house))
    }

    /// Whether this house was the last choice, or one of two.
    pub(super) fn is_last(&self, seat: Seat, house: u8) -> bool {
        self.last.contains(&(seat, house))
    }

    /// Whether this seat owes a choice.
    pub(super) fn owes(&self, seat: Seat) -> bool {
        match &self.stage {
            Stage::Opening(owing) => owing.contains(&seat),
            Stage::Playing(mover) => *mover == seat,
            _ => false,
        }
    }

    /// The seat that won.
    pub(super) fn winner(&self) -> Option<Seat> {
        match &self.stage {
            Stage::Finished(outcome) => outcome.winner.seat(),
            _ => None,
        }
    }

    /// Who sits there: the player, else the seat's own name.
    pub(super) fn name(&self, seat: Seat) -> &str {
        self.names[seat].as_deref().unwrap_or(title(seat))
    }

    /// What is going on, line by line, each in parts that belong together.
    pub(super) fn status(&self) -> Vec<Vec<String>> {
        let mut lines = Vec::new();
        lines.extend(self.round_words().map(|words| vec![words]));
        lines.extend(self.past.map(|ply| vec![format!("After ply {ply}")]));
        match &self.stage {
            Stage::Open => lines.push(vec!["Waiting for an opponent".into()]),
            Stage::Aborted => lines.push(vec!["Called off".into()]),
            Stage::Playing(mover) => {
                let due = self.deadlines[*mover].map(until);
                let to_move = format!("{} to move", title(*mover));
                lines.push([to_move].into_iter().chain(due).collect());
            }
            Stage::Opening(owing) => lines.extend(self.opening(owing)),
            Stage::Finished(outcome) => lines.push(result(outcome)),
        }
        for seat in Seat::ALL {
            lines.extend(self.board[seat].hand.map(|hand| vec![held(seat, hand)]));
        }
        lines
    }

    /// `Round 2 of 5`.
    pub(super) fn round_words(&self) -> Option<String> {
        self.round.map(|(round, most)| match most {
            Some(most) => format!("Round {round} of {most}"),
            None => format!("Round {round}"),
        })
    }

    fn opening(&self, owing: &[Seat]) -> Vec<Vec<String>> {
        let due = |seat: Seat| self.deadlines[seat].map(until);
        let together = due(Seat::South) == due(Seat::North);
        let line = |who: &str, seat: Seat| {
            let owes = format!("Opening: {who} to choose");
            [owes].into_iter().chain(due(seat)).collect()
        };
        match owing {
            [_, _] if together => vec![line("both still have", Seat::South)],
            owing => {
                let each = owing.iter();
                each.map(|&seat| line(&format!("{} still has", title(seat)), seat))
                    .collect()
            }
        }
    }
}

/// `South` or `North`.
pub(super) fn title(seat: Seat) -> &'static str {
    match seat {
        Seat::South => "South",
        Seat::North => "North",
    }
}

/// `until 2026-12-03 10:00 UTC`.
fn until(time: DateTime<Utc>) -> String {
    time.format("until %Y-%m-%d %H:%M UTC").to_string()
}

/// What is in a hand, and where it is.
fn held(seat: Seat, hand: Hand) -> String {
    let seeds = if hand.seeds == 1 { "seed" } else { "seeds" };
    let (whose, count, place) = (title(seat), hand.seeds, place(hand));
    format!("{whose}'s hand: {count} {seeds} over {place}")
}

/// Where a hand is.
pub(super) fn place(hand: Hand) -> String {
    match hand.over {
        Spot::House(row, house) => format!("{} {house}", title(row)),
        Spot::Store => "its store".into(),
    }
}

/// `South won 54 : 44`, the winner's seeds first.
pub(super) fn score(outcome: &Outcome) -> String {
    let score = outcome.score;
    match outcome.winner {
        Winner::South => format!("South won {} : {}", score.south, score.north),
        Winner::North => format!("North won {} : {}", score.north, score.south),
        Winner::Draw => format!("A draw, {} : {}", score.south, score.north),
    }
}

fn result(outcome: &Outcome) -> Vec<String> {
    match why(outcome) {
        Some(why) => vec![score(outcome) + ",", why],
        None => vec![score(outcome)],
    }
}

/// By what a game ended; none where the score says it.
pub(super) fn why(outcome: &Outcome) -> Option<String> {
    let loser = outcome.winner.seat().map(Seat::other);
    let who = outcome.ended_by.or(loser).map_or("nobody", title);
    Some(match outcome.reason {
        Reason::MostSeeds if outcome.winner == Winner::Draw => return None,
        Reason::MostSeeds => "most seeds".into(),
        Reason::Majority => "more than half".into(),
        Reason::Starvation => "a row starved".into(),
        Reason::Loop => "the rest was halved".into(),
        Reason::CannotRefill => format!("{who} cannot fill its row"),
        Reason::Resignation => format!("{who} resigned"),
        Reason::Timeout => format!("{who} ran out of time"),
        Reason::Agreement => "by agreement".into(),
    })
}
