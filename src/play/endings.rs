//! Ends that no choice of a house brings about: an `end` row each.

use mancala_rules::{Seat, State};
use sqlx::types::chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::moves::{current, elapsed_ms, running};
use super::stored::{self, corrupt};
use super::table::Table;
use super::{Caller, PlayError, View, clock, events, plies, settle, view};
use crate::db;
use crate::db::plies::Ply as Row;
use crate::db::seats::Around;

/// An end, as its row tells it.
pub(super) struct End<'a> {
    pub(super) reason: &'a str,
    pub(super) by: Option<Seat>,
    /// `player`, or `server` when a time had passed.
    pub(super) source: &'a str,
    /// What its event tells when it is no result.
    pub(super) abort: Option<Abort>,
}

/// Why a game ended without a result, and whose doing that was.
pub(super) struct Abort {
    pub(super) why: Why,
    pub(super) seat: Option<Seat>,
}

/// The reasons that an event of an aborted game tells.
#[derive(Debug, Clone, Copy)]
pub(super) enum Why {
    /// A seat did not want to go on, or to wait.
    CalledOff,
    /// The invited player did not want the seat.
    Declined,
    /// A player left the server.
    Left,
    /// The free seat stayed free for too long.
    NobodyJoined,
    /// A first choice, or both, did not come in time.
    Late,
}

impl Why {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Why::CalledOff => "called_off",
            Why::Declined => "declined",
            Why::Left => "left",
            Why::NobodyJoined => "nobody_joined",
            Why::Late => "late",
        }
    }
}

/// `caller` gives the game up, on either seat's turn. Doing so again, once it
/// ended by that, changes nothing. `after_ply`, where it is given, must be the
/// log's length.
pub async fn resign(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    after_ply: Option<i32>,
) -> Result<View, PlayError> {
    settle::on_table(
        pool,
        caller,
        game_id,
        async |db, table, Around { now, .. }| {
            let seat = table.acting_seat(caller)?.ok_or(PlayError::NotStarted)?;
            let progress = &table.game.progress;
            let by_this_seat = progress.reason.as_deref() == Some("resignation")
                && progress.ended_by.as_deref() == Some(seat.as_str());
            if by_this_seat {
                return view::of_table(db, caller, table).await;
            }
            let table = running(db, caller, table).await?;
            let after_ply = after_ply.unwrap_or(table.game.progress.ply);
            let mut table = current(db, caller, table, after_ply).await?;
            let mut state = stored::state(&table.game, &[], &[])?;
            state.resign(seat).map_err(corrupt)?;
            let end = End {
                reason: "resignation",
                by: Some(seat),
                source: "player",
                abort: None,
            };
            append(db, &mut table, &state, end, now).await?;
            view::of_table(db, caller, table).await
        },
    )
    .await
}

/// The game, if `caller` could give it up.
pub async fn may_resign(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    after_ply: i32,
) -> Result<View, PlayError> {
    settle::on_table(pool, caller, game_id, async |db, table, _| {
        table.acting_seat(caller)?.ok_or(PlayError::NotStarted)?;
        let table = running(db, caller, table).await?;
        let table = current(db, caller, table, after_ply).await?;
        view::of_table(db, caller, table).await
    })
    .await
}

/// Calls the game off, as long as not both seats have made their first choice.
pub async fn abort(pool: &PgPool, caller: &Caller, game_id: Uuid) -> Result<View, PlayError> {
    abort_as(pool, caller, game_id, Why::CalledOff).await
}

pub(super) async fn abort_as(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    why: Why,
) -> Result<View, PlayError> {
    settle::on_table(
        pool,
        caller,
        game_id,
        async |db, table, Around { now, .. }| {
            let seat = table.acting_seat(caller)?;
            call_off(db, caller, table, Abort { why, seat }, now).await
        },
    )
    .await
}

/// The invited player does not want the seat: the game never starts.
pub async fn decline(pool: &PgPool, caller: &Caller, game_id: Uuid) -> Result<View, PlayError> {
    decline_as(pool, caller, game_id, Why::Declined).await
}

pub(super) async fn decline_as(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    why: Why,
) -> Result<View, PlayError> {
    settle::on_table(
        pool,
        caller,
        game_id,
        async |db, table, Around { now, .. }| {
            let slot = table
                .slot_of(caller)
                .ok_or(PlayError::NotInvited(NO_INVITATION))?;
            if slot.joined_at.is_some() {
                return Err(PlayError::NotInvited(
                    "the seat is taken already: abort or resign instead",
                ));
            }
            let seat = slot.seat.as_deref().map(str::parse).transpose();
            let seat = seat.map_err(corrupt)?;
            call_off(db, caller, table, Abort { why, seat }, now).await
        },
    )
    .await
}

const NO_INVITATION: &str = "nobody invited this player to the game by name";

/// Ends the game without a result; a game that ended so before stays as it is.
async fn call_off(
    db: &mut PgConnection,
    caller: &Caller,
    mut table: Table,
    abort: Abort,
    now: DateTime<Utc>,
) -> Result<View, PlayError> {
    match table.game.progress.status.as_str() {
        "aborted" => return view::of_table(db, caller, table).await,
        "finished" => {
            let view = view::of_table(db, caller, table).await?;
            return Err(PlayError::GameOver(Box::new(view)));
        }
        _ => {}
    }
    if db::plies::both_have_chosen(db, table.game.game_id).await? {
        return Err(PlayError::CannotAbort);
    }
    let mut state = stored::state(&table.game, &[], &[])?;
    state.abort().map_err(corrupt)?;
    let end = End {
        reason: "aborted",
        by: abort.seat,
        source: "player",
        abort: Some(abort),
    };
    append(db, &mut table, &state, end, now).await?;
    view::of_table(db, caller, table).await
}

/// Writes an `end` row and the ended game; secret choices, offers and
/// invitations go.
pub(super) async fn append(
    db: &mut PgConnection,
    table: &mut Table,
    state: &State,
    end: End<'_>,
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    let game = &mut table.game;
    let ply = game.progress.ply + 1;
    let row = Row {
        ply,
        kind: "end".into(),
        seat: end.by.map(|seat| seat.as_str().into()),
        after_ply: game.progress.ply,
        turn: game.progress.turn,
        round: game.progress.round,
        reason: Some(end.reason.into()),
        position: Some(state.position_text()),
        elapsed_ms: Some(elapsed_ms(game, now)),
        played_at: Some(now),
        source: end.source.into(),
        ..Row::default()
    };
    db::plies::append(db, game.game_id, &row).await?;
    db::seats::delete_commits(db, game.game_id).await?;
    db::seats::delete_invitation(db, game.game_id).await?;
    table.invitation = None;
    let before = table.clocks.clone();
    clock::stop_all(&mut table.clocks);
    plies::advance(db, game, state, ply, (&before, &table.clocks), now).await?;
    events::ended(db, &table.game, end.abort, now).await
}
