//! A custom start: whether a position may begin a game under these rules, and
//! the way between a position and a state.

use crate::board::Board;
use crate::congkak::{Opening, Progress};
use crate::parameters::{AlManqalaRules, CongkakRules, OpeningRule, Rules};
use crate::position::{BadPosition, Hand, OpeningView, Position, Row};
use crate::seat::{Seat, Sides, Spot};
use crate::state::{Stage, State};

/// The latest tick a start may name: far beyond any opening, far below the
/// counter's end.
const MAX_TICK: u32 = 999_999_999;

/// Why a position may not begin a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadStart {
    /// It contradicts itself, or has another number of houses or seeds.
    #[error(transparent)]
    Position(#[from] BadPosition),
    /// Beyond the last round.
    #[error("the start is in round {given}, but round {max} is the last")]
    Round {
        /// In the start.
        given: u16,
        /// By the rules.
        max: u8,
    },
    /// Nobody is to move.
    #[error("a start needs a seat to move")]
    NoMover,
    /// A seat that is to move cannot.
    #[error("{0} is to move but has no legal choice")]
    NoChoice(Seat),
    /// Opening fields under `opening` = `alternating`, or in al-manqala.
    #[error("the start is in a simultaneous opening, which these rules do not have")]
    NotSimultaneous,
    /// An opening that ended in the future.
    #[error("{seat}'s opening ended at tick {done}, but the start is at tick {tick}")]
    DoneLater {
        /// Whose opening.
        seat: Seat,
        /// When it ended.
        done: u32,
        /// The start's tick.
        tick: u32,
    },
    /// A tick no opening reaches.
    #[error("the start is at tick {0}: at most 999999999")]
    Tick(u32),
    /// Al-manqala has no burnt houses.
    #[error("{0} has a burnt house, which al-manqala does not know")]
    BurntInAlManqala(Seat),
    /// Al-manqala has no rounds.
    #[error("the start is in round {0}, but al-manqala has one round")]
    RoundInAlManqala(u16),
    /// Captures are even, so are stores.
    #[error("{0} has captured {1} pearls: in al-manqala that is always an even number")]
    OddStore(Seat, u16),
    /// The game would be over already.
    #[error("{0} has {1} pearls, a majority: the game would be over")]
    Majority(Seat, u16),
}

impl State {
    /// A game that begins at this position, at turn 1. Without opening fields
    /// a simultaneous opening is left out. The round's end is not tested
    /// before the first ply.
    ///
    /// # Errors
    /// [`BadStart`] says which condition the position breaks.
    pub fn custom(rules: Rules, start: &Position) -> Result<State, BadStart> {
        let mut start = start.clone();
        start.normalise()?;
        fits(rules, &start)?;
        match rules {
            Rules::Congkak(rules) => congkak(rules, &start)?,
            Rules::AlManqala(rules) => al_manqala(rules, &start)?,
        }
        if start.to_move.is_empty() {
            return Err(BadStart::NoMover);
        }
        let state = State::at(rules, &start);
        for seat in start.to_move {
            if state.legal_houses(seat).is_empty() {
                return Err(BadStart::NoChoice(seat));
            }
        }
        Ok(state)
    }

    /// The state of a position that fits its rules.
    pub(crate) fn at(rules: Rules, position: &Position) -> State {
        let board = board(rules.houses(), position);
        let opening = position.opening.map(|view| Opening {
            tick: view.tick,
            seats: Sides::from_fn(|seat| progress(&board, position, view, seat)),
        });
        let stage = match (opening, position.to_move.first()) {
            (Some(opening), Some(_)) => Stage::Opening(opening),
            (None, Some(&mover)) => Stage::Playing(mover),
            (opening, None) => Stage::Finished(opening),
        };
        State::assemble(rules, board, stage, position.round, position.starter)
    }

    /// The present position, without any secret choice.
    #[must_use]
    pub fn position(&self) -> Position {
        let opening = match &self.stage {
            Stage::Opening(opening) | Stage::Finished(Some(opening)) => Some(opening),
            _ => None,
        };
        let row = |seat| Row {
            houses: self.board.row_houses(seat),
            store: self.board.store(seat),
            burnt: self.board.row_burnt(seat),
            hand: opening.and_then(|opening| match opening.seats[seat] {
                Progress::Sows { seeds, at } => Some(Hand {
                    seeds,
                    over: self.board.spot(at),
                }),
                _ => None,
            }),
        };
        let to_move = match &self.stage {
            Stage::Opening(opening) => Seat::ALL
                .into_iter()
                .filter(|&seat| matches!(opening.seats[seat], Progress::Owes { .. }))
                .collect(),
            Stage::Playing(mover) => vec![*mover],
            Stage::Finished(_) => Vec::new(),
        };
        Position {
            board: Sides::from_fn(row),
            to_move,
            round: self.round,
            starter: self.starter,
            opening: opening.map(|opening| OpeningView {
                tick: opening.tick,
                done: Sides::from_fn(|seat| match opening.seats[seat] {
                    Progress::Done { tick } => Some(tick),
                    _ => None,
                }),
            }),
        }
    }

    /// The present position as text.
    #[must_use]
    pub fn position_text(&self) -> String {
        self.position().to_string()
    }
}

/// Whether the board has the game's size and seeds.
pub(crate) fn fits(rules: Rules, position: &Position) -> Result<(), BadPosition> {
    let given = position.board.south.houses.len();
    if given != usize::from(rules.houses()) {
        return Err(BadPosition::Houses {
            given,
            expected: rules.houses(),
        });
    }
    let given = position.total_seeds();
    if given != u32::from(rules.total_seeds()) {
        return Err(BadPosition::TotalSeeds {
            given,
            expected: rules.total_seeds(),
        });
    }
    Ok(())
}

fn congkak(rules: CongkakRules, start: &Position) -> Result<(), BadStart> {
    if let Some(max) = rules.max_rounds
        && start.round > u16::from(max)
    {
        return Err(BadStart::Round {
            given: start.round,
            max,
        });
    }
    let Some(view) = start.opening else {
        return Ok(());
    };
    if rules.opening != OpeningRule::Simultaneous {
        return Err(BadStart::NotSimultaneous);
    }
    if view.tick > MAX_TICK {
        return Err(BadStart::Tick(view.tick));
    }
    for seat in Seat::ALL {
        if let Some(done) = view.done[seat]
            && done > view.tick
        {
            return Err(BadStart::DoneLater {
                seat,
                done,
                tick: view.tick,
            });
        }
    }
    Ok(())
}

fn al_manqala(rules: AlManqalaRules, start: &Position) -> Result<(), BadStart> {
    if start.opening.is_some() {
        return Err(BadStart::NotSimultaneous);
    }
    if start.round != 1 {
        return Err(BadStart::RoundInAlManqala(start.round));
    }
    let half = u16::from(rules.houses) * u16::from(rules.seeds);
    for seat in Seat::ALL {
        let row = &start.board[seat];
        if !row.burnt.is_empty() {
            return Err(BadStart::BurntInAlManqala(seat));
        }
        if row.store > half {
            return Err(BadStart::Majority(seat, row.store));
        }
        if row.store % 2 == 1 {
            return Err(BadStart::OddStore(seat, row.store));
        }
    }
    Ok(())
}

/// The board of a position whose rows have this many houses.
pub(crate) fn board(houses: u8, position: &Position) -> Board {
    let mut board = Board::empty(houses);
    for seat in Seat::ALL {
        let row = &position.board[seat];
        for (house, &seeds) in (1..=houses).zip(&row.houses) {
            let cell = board.cell(seat, house);
            *board.seeds_mut(cell) = seeds;
        }
        for &house in &row.burnt {
            board.set_burnt(board.cell(seat, house), true);
        }
        board.bank(seat, row.store);
    }
    board
}

fn progress(board: &Board, position: &Position, view: OpeningView, seat: Seat) -> Progress {
    match (position.board[seat].hand, view.done[seat]) {
        (Some(hand), _) => Progress::Sows {
            seeds: hand.seeds,
            at: match hand.over {
                Spot::House(row, house) => board.cell(row, house),
                Spot::Store => board.store_cell(seat),
            },
        },
        (None, Some(tick)) => Progress::Done { tick },
        (None, None) => Progress::Owes { chosen: None },
    }
}
