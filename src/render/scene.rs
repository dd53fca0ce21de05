//! A game as a board shows it, whatever the board is drawn with, and the words
//! that go with it. No secret choice is part of it.

use chrono::{DateTime, Utc};
use mancala_rules::{Hand, Outcome, Reason, Row, Seat, Sides, Spot, Winner};

use super::words::Lang;

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
    /// What the words are in.
    pub lang: Lang,
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
    pub(super) fn name(&self, seat: Seat) -> String {
        let name = self.names[seat].clone();
        name.unwrap_or_else(|| self.lang.seat(seat))
    }

    /// What is going on, line by line, each in parts that belong together.
    pub(super) fn status(&self) -> Vec<Vec<String>> {
        let mut lines = Vec::new();
        lines.extend(self.round_words().map(|words| vec![words]));
        lines.extend(self.after_ply("after-ply").map(|words| vec![words]));
        match &self.stage {
            Stage::Open => lines.push(vec![self.lang.text("waiting")]),
            Stage::Aborted => lines.push(vec![self.lang.text("called-off")]),
            Stage::Playing(mover) => lines.push(self.due("move-due", *mover)),
            Stage::Opening(owing) => lines.extend(self.opening(owing)),
            Stage::Finished(outcome) => lines.push(self.result(outcome)),
        }
        for seat in Seat::ALL {
            let hand = self.board[seat].hand;
            lines.extend(hand.map(|hand| vec![self.held(seat, hand)]));
        }
        lines
    }

    /// `Round 2 of 5`.
    pub(super) fn round_words(&self) -> Option<String> {
        self.round.map(|(round, most)| match most {
            Some(most) => {
                let values = [("round", round.into()), ("most", most.into())];
                self.lang.with("round-of", values)
            }
            None => self.lang.with("round", [("round", round.into())]),
        })
    }

    /// After which row of the log it stood so, in the words of that message.
    pub(super) fn after_ply(&self, id: &str) -> Option<String> {
        self.past
            .map(|ply| self.lang.with(id, [("ply", ply.into())]))
    }

    /// That a seat owes a choice, in the words of that message, and until when.
    fn due(&self, id: &str, seat: Seat) -> Vec<String> {
        let owes = self.lang.with(id, [("who", self.lang.seat(seat).into())]);
        let until = self.deadlines[seat].map(|time| {
            let time = time.format("%Y-%m-%d %H:%M").to_string();
            self.lang.with("until", [("time", time.into())])
        });
        [owes].into_iter().chain(until).collect()
    }

    fn opening(&self, owing: &[Seat]) -> Vec<Vec<String>> {
        match owing {
            [_, _] if self.deadlines.south == self.deadlines.north => {
                vec![self.due("opening-both", Seat::South)]
            }
            owing => {
                let each = owing.iter();
                each.map(|&seat| self.due("opening-one", seat)).collect()
            }
        }
    }

    /// What is in a hand, and where it is.
    fn held(&self, seat: Seat, hand: Hand) -> String {
        let values = [
            ("who", self.lang.seat(seat).into()),
            ("seeds", hand.seeds.into()),
            ("place", self.place(hand).into()),
        ];
        self.lang.with("hand", values)
    }

    /// Where a hand is.
    pub(super) fn place(&self, hand: Hand) -> String {
        match hand.over {
            Spot::House(row, house) => {
                let who = self.lang.seat(row).into();
                let values = [("who", who), ("house", house.into())];
                self.lang.with("place-house", values)
            }
            Spot::Store => self.lang.text("place-store"),
        }
    }

    /// `South won 54 : 44`, the winner's seeds first.
    pub(super) fn score(&self, outcome: &Outcome) -> String {
        let Sides { south, north } = outcome.score;
        let (id, seat, more, less) = match outcome.winner {
            Winner::South => ("won", Seat::South, south, north),
            Winner::North => ("won", Seat::North, north, south),
            Winner::Draw => ("drawn", Seat::South, south, north),
        };
        let values = [
            ("who", self.lang.seat(seat).into()),
            ("more", more.into()),
            ("less", less.into()),
        ];
        self.lang.with(id, values)
    }

    fn result(&self, outcome: &Outcome) -> Vec<String> {
        let score = self.score(outcome);
        match self.why(outcome) {
            Some(why) => {
                let score = self.lang.with("and-why", [("result", score.into())]);
                vec![score, why]
            }
            None => vec![score],
        }
    }

    /// By what a game ended; none where the score says it.
    pub(super) fn why(&self, outcome: &Outcome) -> Option<String> {
        if outcome.reason == Reason::MostSeeds && outcome.winner == Winner::Draw {
            return None;
        }
        let loser = outcome.winner.seat().map(Seat::other);
        let who = match outcome.ended_by.or(loser) {
            Some(seat) => self.lang.seat(seat),
            None => self.lang.text("somebody"),
        };
        let id = format!("why-{}", outcome.reason.as_str());
        Some(self.lang.with(&id, [("who", who.into())]))
    }
}
