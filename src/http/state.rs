//! A game's state as clients see it.

use mancala_rules::{
    OpeningView, Outcome, Reason, RoundTotals, Row, Rules, Seat, Sides, State, Winner,
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::buttons::{Action, Actions};
use super::clocks::ClockState;
use super::holidays::PausedState;
use super::offers::OfferState;
use super::seating::{InvitationState, SeatState, seated};
use super::time::Time;
use crate::play::View;
use crate::record::Origin;

/// A game at one point of its log.
#[derive(Debug, Serialize, ToSchema)]
pub struct GameState {
    /// A UUIDv7.
    id: Uuid,
    /// Where the game is.
    #[schema(format = "uri")]
    url: String,
    /// The preset it was started from.
    #[schema(example = "congkak")]
    ruleset: String,
    /// The revision of the rules it is played under.
    #[schema(minimum = 1)]
    revision: i32,
    /// Every parameter it is played under.
    #[schema(value_type = RulesObject)]
    rules: Rules,
    /// Where it stands.
    status: Status,
    /// Rows in the log; it only grows. Send it back as `after_ply`.
    #[schema(minimum = 0)]
    ply: i32,
    /// The turn, from 1: a ply and the extra turns it earns.
    #[schema(minimum = 1)]
    turn: u32,
    /// The round, from 1.
    #[schema(minimum = 1)]
    round: u16,
    /// Seats that owe a choice; two only in a simultaneous opening.
    #[schema(max_items = 2)]
    to_move: Vec<Seat>,
    /// Houses, stores, burnt houses and frozen hands.
    board: Sides<Row>,
    /// The unfinished simultaneous opening.
    opening: Option<OpeningView>,
    /// The position as text.
    #[schema(example = "7,7,7,7,7,7,7/7,7,7,7,7,7,7 0-0 S r1:S")]
    position: String,
    /// What the seats in `to_move` may choose.
    legal_moves: Vec<LegalMove>,
    /// Who sits where; null: nobody yet, or not drawn yet.
    seats: Sides<Option<SeatState>>,
    /// The seat that is free, while the game is open.
    invitation: Option<InvitationState>,
    /// Totals of the finished rounds and the starter of the current one.
    rounds: Vec<RoundTotals>,
    /// Offers that wait for an answer.
    offers: Vec<OfferState>,
    /// Buttons besides those of its moves; null in a past state.
    actions: Option<Actions>,
    /// What time the seats have; null: as much as they like.
    clock: Option<ClockState>,
    /// The game that this one is the rematch of.
    previous_game: Option<Uuid>,
    /// This game's rematch.
    next_game: Option<Uuid>,
    /// Whether a player's holiday stops the player's clock.
    allow_vacation: bool,
    /// Why a clock stands still; null: none does.
    paused: Option<PausedState>,
    /// How it ended; null while it is played and when it was aborted.
    result: Option<ResultState>,
    /// Who may read it.
    visibility: Visibility,
    /// Where it comes from.
    source: Origin,
    /// The creator's name for it.
    label: Option<String>,
    /// The creator's own reference; only in answers to the creator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    external_ref: Option<String>,
    /// When it was created.
    created_at: Time,
    /// When both seats were taken.
    started_at: Option<Time>,
    /// The database's clock when this was read.
    server_time: Time,
}

/// Where a game stands.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A seat is free.
    Open,
    /// The simultaneous opening is not over.
    Opening,
    /// It is played.
    Playing,
    /// It has a result.
    Finished,
    /// It ended without one.
    Aborted,
}

/// Who may read a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Anyone; it counts for research.
    Public,
    /// Its seats only; for others it is not there.
    Private,
}

/// A choice the rules allow.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LegalMove {
    /// Whose.
    seat: Seat,
    /// The house, counted from the seat's left hand.
    #[schema(minimum = 1, maximum = 15)]
    house: u8,
    /// `m:GAME:PLY:HOUSE`: names this very choice in at most 64 bytes, for a button;
    /// only in a game's present state. When it is pressed, send it to
    /// `POST /v1/actions`; pressed twice it moves once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        max_length = 64,
        example = "m:01935f3e-7b2a-7000-8000-000000000000:0:1"
    )]
    action: Option<String>,
}

impl LegalMove {
    /// Without a name of its own.
    pub(super) fn plain(seat: Seat, house: u8) -> LegalMove {
        LegalMove {
            seat,
            house,
            action: None,
        }
    }
}

/// How a game ended.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResultState {
    /// Who won.
    winner: Winner,
    /// By what.
    reason: Reason,
    /// The stores; after a majority, a resignation, a timeout or an agreement
    /// the seeds left on the board count for nobody.
    score: Sides<u16>,
    /// The seat that resigned or was late.
    ended_by: Option<Seat>,
    /// When.
    ended_at: Option<Time>,
}

impl ResultState {
    pub(super) fn new(outcome: &Outcome, ended_at: Option<Time>) -> ResultState {
        ResultState {
            winner: outcome.winner,
            reason: outcome.reason,
            score: outcome.score,
            ended_by: outcome.ended_by,
            ended_at,
        }
    }
}

/// The parameters of a game: those of its ruleset's family.
#[derive(ToSchema)]
#[schema(title = "Rules")]
#[serde(untagged)]
#[allow(dead_code)]
pub enum RulesObject {
    /// The congkak family's.
    Congkak(mancala_rules::CongkakRules),
    /// Al-manqala's.
    AlManqala(mancala_rules::AlManqalaRules),
}

impl GameState {
    /// What `view` shows.
    pub fn new(view: &View, public_url: &str) -> GameState {
        let table = &view.table;
        let game = &table.game;
        let id = game.game_id;
        let position = view.state.position();
        let action = |house: u8| {
            let action = Action::Move {
                after_ply: view.ply,
                house: house.into(),
            };
            view.present.then(|| action.id(id))
        };
        GameState {
            id,
            url: format!("{public_url}/v1/games/{id}"),
            ruleset: game.ruleset.clone(),
            revision: game.revision,
            rules: view.state.rules(),
            status: status(view.status()),
            ply: view.ply,
            turn: view.state.turn(),
            round: view.state.round(),
            to_move: view.to_move.clone(),
            position: position.to_string(),
            opening: position.opening,
            board: position.board,
            legal_moves: view
                .legal_moves()
                .into_iter()
                .map(|(seat, house)| LegalMove {
                    seat,
                    house,
                    action: action(house),
                })
                .collect(),
            seats: Sides {
                south: seated(table, Seat::South),
                north: seated(table, Seat::North),
            },
            invitation: view.present.then(|| InvitationState::new(table)).flatten(),
            rounds: view.state.rounds().to_vec(),
            offers: view.offers.iter().map(OfferState::new).collect(),
            actions: Actions::new(view),
            clock: ClockState::new(view),
            previous_game: game.previous_game,
            next_game: game.next_game,
            allow_vacation: game.allow_vacation,
            paused: PausedState::new(view),
            result: view
                .state
                .result()
                .map(|outcome| ResultState::new(outcome, view.ended_at.map(Time))),
            source: Origin::of_word(&game.source).unwrap_or(Origin::Played),
            visibility: match game.visibility.as_str() {
                "private" => Visibility::Private,
                _ => Visibility::Public,
            },
            label: game.label.clone(),
            external_ref: game.external_ref.clone().filter(|_| view.by_creator),
            created_at: Time(game.created_at),
            started_at: game.started_at.map(Time),
            server_time: Time(view.server_time),
        }
    }
}

fn status(word: &str) -> Status {
    match word {
        "open" => Status::Open,
        "opening" => Status::Opening,
        "playing" => Status::Playing,
        "finished" => Status::Finished,
        _ => Status::Aborted,
    }
}

/// A state that is stored nowhere: what `simulate` answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct SimulatedState {
    /// Houses, stores, burnt houses and frozen hands.
    board: Sides<Row>,
    /// The unfinished simultaneous opening.
    opening: Option<OpeningView>,
    /// The position as text.
    position: String,
    /// Seats that owe a choice and have not committed one.
    to_move: Vec<Seat>,
    /// What they may choose.
    legal_moves: Vec<LegalMove>,
    /// The turn, from 1.
    #[schema(minimum = 1)]
    turn: u32,
    /// The round, from 1.
    #[schema(minimum = 1)]
    round: u16,
    /// Totals of the finished rounds and the starter of the current one.
    rounds: Vec<RoundTotals>,
    /// How it ended; null while it goes on.
    result: Option<Outcome>,
    /// The sowing that led here; not in the first state.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    trace: Option<Vec<mancala_rules::Step>>,
}

impl SimulatedState {
    pub(super) fn new(state: &State, trace: Option<Vec<mancala_rules::Step>>) -> SimulatedState {
        let position = state.position();
        let plain = |(seat, house)| LegalMove::plain(seat, house);
        SimulatedState {
            position: position.to_string(),
            opening: position.opening,
            board: position.board,
            to_move: state.to_move(),
            legal_moves: state.legal_moves().into_iter().map(plain).collect(),
            turn: state.turn(),
            round: state.round(),
            rounds: state.rounds().to_vec(),
            result: state.result().copied(),
            trace,
        }
    }
}
