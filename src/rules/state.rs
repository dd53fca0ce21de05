//! A game in progress: whose choice it is, what is legal, and the one door
//! through which a choice or another ending comes in. How a choice is played
//! is in the engines, `congkak` and `al_manqala`.

use crate::al_manqala;
use crate::board::Board;
use crate::congkak::{self, Opening, Progress};
use crate::houses::Houses;
use crate::illegal::IllegalMove;
use crate::outcome::{Outcome, Reason, RoundTotals, Winner};
use crate::parameters::{OpeningRule, Rules};
use crate::ply::{Choice, Ply};
use crate::seat::{Seat, Sides};
use crate::trace::{Recorder, Step};

/// Where in its course a game is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// A simultaneous opening.
    Opening,
    /// The seats take turns.
    Playing,
    /// Nobody moves any more.
    Finished,
}

/// The phase with what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stage {
    Opening(Opening),
    Playing(Seat),
    /// An opening that was stopped keeps its hands and ticks.
    Finished(Option<Opening>),
}

/// A game in progress under its rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub(crate) rules: Rules,
    pub(crate) board: Board,
    pub(crate) stage: Stage,
    pub(crate) turn: u32,
    pub(crate) round: u16,
    /// Who moved first in this round; none until an opening is over.
    pub(crate) starter: Option<Seat>,
    pub(crate) rounds: Vec<RoundTotals>,
    /// Al-manqala: the positions since the last capture, the present one last.
    pub(crate) seen: Vec<(Board, Seat)>,
    pub(crate) result: Option<Outcome>,
}

/// What an engine gives back; two plies when both secret choices are lifted.
pub(crate) enum Played {
    Committed,
    One(Ply),
    /// Apart, so that the usual case is small.
    Two(Box<(Ply, Ply)>),
}

impl State {
    /// The usual start under these rules.
    #[must_use]
    pub fn start(rules: Rules) -> State {
        let stage = match rules {
            Rules::Congkak(rules) if rules.opening == OpeningRule::Simultaneous => {
                Stage::Opening(Opening::new())
            }
            _ => Stage::Playing(Seat::South),
        };
        State::assemble(rules, Board::full(rules), stage, 1, Some(Seat::South))
    }

    /// A state at turn 1 of the given round, with nothing behind it.
    pub(crate) fn assemble(
        rules: Rules,
        board: Board,
        stage: Stage,
        round: u16,
        starter: Option<Seat>,
    ) -> State {
        let starter = match stage {
            Stage::Opening(_) | Stage::Finished(Some(_)) => None,
            _ => starter,
        };
        let mut state = State {
            rules,
            board,
            stage,
            turn: 1,
            round,
            starter,
            rounds: Vec::new(),
            seen: Vec::new(),
            result: None,
        };
        state.open_round();
        if let (Rules::AlManqala(_), Stage::Playing(mover)) = (rules, &state.stage) {
            state.seen.push((state.board.clone(), *mover));
        }
        state
    }

    /// Lists the present round, its totals still unknown.
    pub(crate) fn open_round(&mut self) {
        self.rounds.push(RoundTotals {
            round: self.round,
            starter: self.starter,
            south: None,
            north: None,
        });
    }

    /// The rules this game is played by.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Where in its course the game is. An aborted game is finished.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self.stage {
            Stage::Opening(_) => Phase::Opening,
            Stage::Playing(_) => Phase::Playing,
            Stage::Finished(_) => Phase::Finished,
        }
    }

    /// The present turn, from 1. When the game is over, that of its last ply.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The present round, from 1.
    #[must_use]
    pub fn round(&self) -> u16 {
        self.round
    }

    /// The rounds so far, the present one last.
    #[must_use]
    pub fn rounds(&self) -> &[RoundTotals] {
        &self.rounds
    }

    /// How the game ended. None while it runs, and for an aborted one.
    #[must_use]
    pub fn result(&self) -> Option<&Outcome> {
        self.result.as_ref()
    }

    /// Whether this seat owes a choice and has not made it.
    fn is_to_move(&self, seat: Seat) -> bool {
        match &self.stage {
            Stage::Opening(opening) => opening.seats[seat] == Progress::Owes { chosen: None },
            Stage::Playing(mover) => *mover == seat,
            Stage::Finished(_) => false,
        }
    }

    /// How many houses are burnt, of both rows.
    #[must_use]
    pub fn burnt(&self) -> u32 {
        self.board.burnt_count()
    }

    /// The seats that owe a choice and have not committed to one.
    #[must_use]
    pub fn to_move(&self) -> Vec<Seat> {
        Seat::ALL
            .into_iter()
            .filter(|&seat| self.is_to_move(seat))
            .collect()
    }

    /// The secret choices held in this value. Never to be shown to anyone.
    #[must_use]
    pub fn committed(&self) -> Sides<Option<u8>> {
        Sides::from_fn(|seat| match &self.stage {
            Stage::Opening(opening) => match opening.seats[seat] {
                Progress::Owes { chosen } => chosen,
                _ => None,
            },
            _ => None,
        })
    }

    /// The houses this seat may choose. None when it is not to move.
    #[must_use]
    pub fn legal(&self, seat: Seat) -> Houses {
        if !self.is_to_move(seat) {
            return Houses::default();
        }
        match self.rules {
            Rules::Congkak(_) => self.board.filled(seat),
            Rules::AlManqala(rules) => al_manqala::legal(&self.board, rules, seat).collect(),
        }
    }

    /// The same as a list, in order.
    #[must_use]
    pub fn legal_houses(&self, seat: Seat) -> Vec<u8> {
        self.legal(seat).iter().collect()
    }

    /// Every choice that may be made now, south's first.
    #[must_use]
    pub fn legal_moves(&self) -> Vec<(Seat, u8)> {
        Seat::ALL
            .into_iter()
            .flat_map(|seat| {
                self.legal_houses(seat)
                    .into_iter()
                    .map(move |house| (seat, house))
            })
            .collect()
    }

    /// How often the present al-manqala position has occurred since the last
    /// capture, the present time included. 1 in any other game.
    #[must_use]
    pub fn repetition(&self) -> u32 {
        let Some(present) = self.seen.last() else {
            return 1;
        };
        self.seen.iter().filter(|seen| *seen == present).count() as u32
    }

    /// Makes a choice, with its trace.
    ///
    /// # Errors
    /// [`IllegalMove`] when it cannot be made; the state is then unchanged.
    pub fn choose(&mut self, seat: Seat, house: u8) -> Result<Choice, IllegalMove> {
        let mut trace: Vec<Step> = Vec::new();
        Ok(match self.run(seat, house, &mut trace)? {
            Played::Committed => Choice::Committed,
            Played::One(ply) => Choice::Plies(vec![Ply { trace, ..ply }]),
            Played::Two(pair) => {
                let (south, north) = *pair;
                // Each row shows its own hand; what concerns both is the last one's.
                let (own, rest) = trace
                    .into_iter()
                    .partition(|step| step.hand() == Some(Seat::South));
                Choice::Plies(vec![
                    Ply {
                        trace: own,
                        ..south
                    },
                    Ply {
                        trace: rest,
                        ..north
                    },
                ])
            }
        })
    }

    /// Makes a choice without its trace: what it counts is all that is kept.
    ///
    /// # Errors
    /// As [`State::choose`].
    pub fn choose_untraced(&mut self, seat: Seat, house: u8) -> Result<Choice, IllegalMove> {
        Ok(match self.run(seat, house, &mut ())? {
            Played::Committed => Choice::Committed,
            Played::One(ply) => Choice::Plies(vec![ply]),
            Played::Two(pair) => Choice::Plies(vec![pair.0, pair.1]),
        })
    }

    /// Makes a choice and keeps no account of it: for playouts.
    ///
    /// # Errors
    /// As [`State::choose`].
    pub fn play(&mut self, seat: Seat, house: u8) -> Result<(), IllegalMove> {
        self.run(seat, house, &mut ()).map(|_| ())
    }

    fn run<R: Recorder>(
        &mut self,
        seat: Seat,
        house: u8,
        recorder: &mut R,
    ) -> Result<Played, IllegalMove> {
        self.check(seat, house)?;
        Ok(match (self.rules, &self.stage) {
            (Rules::Congkak(rules), Stage::Opening(_)) => {
                congkak::commit(self, rules, seat, house, recorder)
            }
            (Rules::Congkak(rules), _) => {
                Played::One(congkak::ply(self, rules, seat, house, recorder))
            }
            (Rules::AlManqala(rules), _) => {
                Played::One(al_manqala::ply(self, rules, seat, house, recorder))
            }
        })
    }

    /// Whether a choice may be made, and if not, why.
    fn check(&self, seat: Seat, house: u8) -> Result<(), IllegalMove> {
        if matches!(self.stage, Stage::Finished(_)) {
            return Err(IllegalMove::Over);
        }
        if self.committed()[seat].is_some() {
            return Err(IllegalMove::AlreadyCommitted(seat));
        }
        if !self.is_to_move(seat) {
            return Err(IllegalMove::NotToMove(seat));
        }
        let houses = self.board.houses();
        if house == 0 || house > houses {
            return Err(IllegalMove::NoSuchHouse { house, houses });
        }
        let cell = self.board.cell(seat, house);
        if self.board.is_burnt(cell) {
            return Err(IllegalMove::Burnt(seat, house));
        }
        if self.board.seeds(cell) == 0 {
            return Err(IllegalMove::Empty(seat, house));
        }
        if let Rules::AlManqala(rules) = self.rules
            && !al_manqala::legal(&self.board, rules, seat).any(|legal| legal == house)
        {
            return Err(IllegalMove::MustFeed(seat, house));
        }
        Ok(())
    }

    /// The stores as they are.
    pub(crate) fn score(&self) -> Sides<u16> {
        Sides::from_fn(|seat| self.board.store(seat))
    }

    /// Ends the game. Secret choices are forgotten; hands stay where they are.
    pub(crate) fn stop(&mut self) {
        let stage = std::mem::replace(&mut self.stage, Stage::Finished(None));
        if let Stage::Opening(mut opening) = stage {
            opening.forget();
            self.stage = Stage::Finished(Some(opening));
        }
    }

    /// Ends the game with a result.
    pub(crate) fn finish<R: Recorder>(
        &mut self,
        winner: Winner,
        reason: Reason,
        ended_by: Option<Seat>,
        recorder: &mut R,
    ) {
        self.stop();
        recorder.record(|| Step::GameEnd { winner, reason });
        self.result = Some(Outcome {
            winner,
            reason,
            score: self.score(),
            ended_by,
        });
    }
}
