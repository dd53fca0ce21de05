//! Who sits where, and the seat that is free.

use mancala_rules::Seat;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::Time;
use crate::db::seats::Seat as SeatRow;
use crate::play::table::Table;

/// Who has a seat.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeatState {
    /// The player's handle; null for somebody without an account, or who left.
    pub(super) player: Option<String>,
    /// What kind of player.
    kind: SeatKind,
    /// Until when the player is on holiday, as long as the game is not over; null:
    /// they are not.
    vacation_until: Option<Time>,
}

/// What kind of player has a seat.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeatKind {
    /// Whoever holds the seat's token, or nobody knows who.
    Anonymous,
    /// A person.
    Human,
    /// A program.
    Bot,
    /// A player who left.
    Deleted,
}

/// A free seat and who may take it.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvitationState {
    /// Who may take it.
    kind: InvitationKind,
    /// The player who is invited by name.
    player: Option<String>,
    /// Which seat is free; null: it is drawn when the game starts.
    seat: Option<Seat>,
    /// Who made the game.
    from: SeatState,
}

/// Who may take a free seat.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InvitationKind {
    /// Anyone.
    Open,
    /// Whoever brings the invite token.
    Invite,
    /// The player who is named.
    Player,
}

impl SeatState {
    fn new(seat: &SeatRow) -> SeatState {
        let kind = match (seat.player_id, &seat.handle, seat.kind.as_deref()) {
            (Some(_), None, _) => SeatKind::Deleted,
            (.., Some("bot")) => SeatKind::Bot,
            (.., Some("human")) => SeatKind::Human,
            _ => SeatKind::Anonymous,
        };
        SeatState {
            player: seat.handle.clone(),
            kind,
            vacation_until: seat.vacation_until.map(Time),
        }
    }
}

impl InvitationState {
    pub(super) fn new(table: &Table) -> Option<InvitationState> {
        let [creator, free] = table.seats.as_slice() else {
            return None;
        };
        let kind = match table.invitation.as_ref()?.kind.as_str() {
            "open" => InvitationKind::Open,
            "invite" => InvitationKind::Invite,
            _ => InvitationKind::Player,
        };
        Some(InvitationState {
            kind,
            player: free.handle.clone(),
            seat: free.seat.as_deref().and_then(|seat| seat.parse().ok()),
            from: SeatState::new(creator),
        })
    }
}

/// Who sits at `seat`.
pub(super) fn seated(table: &Table, seat: Seat) -> Option<SeatState> {
    let here = |row: &&SeatRow| row.seat.as_deref() == Some(seat.as_str());
    let taken = table
        .seats
        .iter()
        .find(here)
        .filter(|row| row.joined_at.is_some());
    taken.map(SeatState::new)
}
