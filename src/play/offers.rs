//! Offers between the two seats: what can be offered, when it is possible, how it is
//! made. How it is answered is in `answering`.

use chrono::{DateTime, Utc};
use mancala_rules::{Seat, State};
use sqlx::PgConnection;
use uuid::Uuid;

use super::moves::{current, running, touch};
use super::table::Table;
use super::who::{hash, new_token};
use super::{Caller, PlayError, View, events, pause, rematch, settle, stored, takebacks, view};
use crate::db;
use crate::db::events::Kind;
use crate::db::offers::Offer;
use crate::db::seats::Around;

/// The kinds of offers, as they are stored.
pub(super) const KINDS: [&str; 5] = ["draw", "split", "takeback", "pause", "rematch"];

/// What a seat proposes to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposal {
    /// The game ends in a draw.
    Draw,
    /// Al-manqala: the rest only circles; what lies on the board is halved.
    Split,
    /// Play goes on after an earlier row.
    Takeback {
        /// That row; 0: the start.
        to_ply: i32,
    },
    /// All clocks stand still.
    Pause {
        /// Until then; none: until one resumes.
        until: Option<DateTime<Utc>>,
    },
    /// The game is over: another one, with seats swapped.
    Rematch,
}

impl Proposal {
    fn kind(self) -> &'static str {
        match self {
            Proposal::Draw => "draw",
            Proposal::Split => "split",
            Proposal::Takeback { .. } => "takeback",
            Proposal::Pause { .. } => "pause",
            Proposal::Rematch => "rematch",
        }
    }

    pub(super) fn of(offer: &Offer) -> Result<Proposal, PlayError> {
        match (offer.kind.as_str(), offer.to_ply) {
            ("draw", None) => Ok(Proposal::Draw),
            ("split", None) => Ok(Proposal::Split),
            ("takeback", Some(to_ply)) => Ok(Proposal::Takeback { to_ply }),
            ("pause", None) => Ok(Proposal::Pause { until: offer.until }),
            ("rematch", None) => Ok(Proposal::Rematch),
            (kind, _) => Err(stored::corrupt(format!("an offer of {kind:?}"))),
        }
    }
}

/// An offer and the game it stands in.
#[derive(Debug)]
pub struct Offered {
    /// The offer as it is now.
    pub offer: Offer,
    /// The game as it is now.
    pub view: View,
    /// Whether this call found its work done before.
    pub replayed: bool,
    /// The caller's token in the rematch, for somebody without an account.
    pub seat_token: Option<String>,
}

/// Makes an offer. It is about a position: `after_ply`, where it is given, must
/// be the log's length.
pub async fn make(
    db: &mut PgConnection,
    caller: &Caller,
    game_id: Uuid,
    proposal: Proposal,
    after_ply: Option<i32>,
) -> Result<Offered, PlayError> {
    let (table, Around { now, .. }) = settle::settled(db, caller, game_id).await?;
    let seat = table.acting_seat(caller)?.ok_or(PlayError::NotStarted)?;
    let table = match proposal {
        Proposal::Rematch => table,
        _ => running(db, caller, table).await?,
    };
    let after_ply = after_ply.unwrap_or(table.game.progress.ply);
    if let Some(offer) = open(db, game_id, proposal.kind(), now).await? {
        // The same seat proposing the same thing again is a retry.
        let same = offer.seat == seat.as_str() && Proposal::of(&offer)? == proposal;
        if !same || offer.ply != after_ply {
            return Err(PlayError::OfferOpen(offer.offer_no));
        }
        let seat_token = renewed_token(db, &offer).await?;
        let view = view::of_table(db, caller, table).await?;
        return Ok(Offered {
            offer,
            view,
            replayed: true,
            seat_token,
        });
    }
    let mut table = current(db, caller, table, after_ply).await?;
    let (offer, seat_token) = propose(db, &mut table, seat, proposal, now).await?;
    let view = view::of_table(db, caller, table).await?;
    Ok(Offered {
        offer,
        view,
        replayed: false,
        seat_token,
    })
}

/// The open offer of a kind. A pause whose end has passed cannot be had any more:
/// it lapses.
async fn open(
    db: &mut PgConnection,
    game_id: Uuid,
    kind: &str,
    now: DateTime<Utc>,
) -> Result<Option<Offer>, PlayError> {
    let open = db::offers::open(db, &[game_id]).await?;
    let found = open.into_iter().find(|offer| offer.kind == kind);
    match found {
        Some(offer) if offer.until.is_some_and(|until| until <= now) => {
            db::offers::void(db, game_id, &[kind], now).await?;
            Ok(None)
        }
        found => Ok(found),
    }
}

/// One offer of a kind can be open, whoever made it.
pub(super) async fn none_open(
    db: &mut PgConnection,
    game_id: Uuid,
    proposal: Proposal,
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    match open(db, game_id, proposal.kind(), now).await? {
        Some(open) => Err(PlayError::OfferOpen(open.offer_no)),
        None => Ok(()),
    }
}

/// The token was shown once and may not have arrived: while the offer is open
/// another takes its place.
async fn renewed_token(db: &mut PgConnection, offer: &Offer) -> Result<Option<String>, PlayError> {
    if offer.token_hash.is_none() {
        return Ok(None);
    }
    let token = new_token()?;
    db::offers::set_token(db, offer.game_id, offer.offer_no, &hash(&token)).await?;
    Ok(Some(token))
}

/// Writes an offer that is possible where the game stands, and tells of it.
pub(super) async fn propose(
    db: &mut PgConnection,
    table: &mut Table,
    seat: Seat,
    proposal: Proposal,
    now: DateTime<Utc>,
) -> Result<(Offer, Option<String>), PlayError> {
    check(db, table, proposal, now).await?;
    let game_id = table.game.game_id;
    none_open(db, game_id, proposal, now).await?;
    let token = match proposal {
        Proposal::Rematch if rematch::is_anonymous(table, seat) => Some(new_token()?),
        _ => None,
    };
    let (to_ply, until) = match proposal {
        Proposal::Takeback { to_ply } => (Some(to_ply), None),
        Proposal::Pause { until } => (None, until),
        _ => (None, None),
    };
    let offer = Offer {
        game_id,
        offer_no: 0,
        kind: proposal.kind().into(),
        seat: seat.as_str().into(),
        ply: table.game.progress.ply,
        to_ply,
        until,
        token_hash: token.as_deref().map(|token| hash(token).to_vec()),
        status: "open".into(),
        made_at: now,
        answered_at: None,
    };
    let offer = db::offers::insert(db, &offer).await?;
    touch(db, &mut table.game).await?;
    events::offer(db, table, Kind::OfferMade, &offer, now).await?;
    Ok((offer, token))
}

/// What an accepted proposal would make of the game, if it is possible.
pub(super) enum Possible {
    /// It ends like this.
    End(Box<State>, &'static str),
    /// Play goes on from here.
    Back(Box<State>),
    /// Its clocks stand still.
    Pause(Option<DateTime<Utc>>),
    /// Another game begins.
    Rematch,
}

/// Whether the game as it stands allows the proposal, and what it would become.
pub(super) async fn check(
    db: &mut PgConnection,
    table: &Table,
    proposal: Proposal,
    now: DateTime<Utc>,
) -> Result<Possible, PlayError> {
    let impossible = |why: &str| Err(PlayError::OfferImpossible(why.into()));
    let over = table.game.progress.ended_at.is_some();
    if over && proposal != Proposal::Rematch {
        return impossible("the game is over");
    }
    let mut state = stored::state(&table.game, &[], &[])?;
    Ok(match proposal {
        Proposal::Draw => {
            state.agree_draw().map_err(stored::corrupt)?;
            Possible::End(Box::new(state), "agreement")
        }
        Proposal::Split => {
            state.split()?;
            Possible::End(Box::new(state), "loop")
        }
        Proposal::Takeback { to_ply } => {
            let target = takebacks::target(db, &table.game, &state, to_ply).await?;
            Possible::Back(Box::new(target))
        }
        Proposal::Pause { until } => {
            pause::check(table, until, now)?;
            Possible::Pause(until)
        }
        Proposal::Rematch => {
            rematch::check(db, table).await?;
            Possible::Rematch
        }
    })
}
