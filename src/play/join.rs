//! Taking a free seat: of any number who try exactly one gets it, and with it
//! the game starts.

use mancala_rules::Seat;
use sqlx::PgConnection;
use uuid::Uuid;

use super::create::{drawn, hold, new_seat_token};
use super::table::Table;
use super::who::hash;
use super::{Caller, PlayError, View, clock, events, stored, view};
use crate::db;

/// A seat that was taken.
#[derive(Debug)]
pub struct Joined {
    /// The game, which has started.
    pub view: View,
    /// The seat's token, for somebody without an account.
    pub seat_token: Option<String>,
}

/// `caller` takes the free seat of a game.
pub async fn join(
    db: &mut PgConnection,
    caller: &Caller,
    game_id: Uuid,
    invite_token: Option<&str>,
) -> Result<Joined, PlayError> {
    let game = db::games::lock(db, game_id)
        .await?
        .ok_or(PlayError::NoSuchGame)?;
    let mut table = Table::of(db, game).await?;
    let now = db::now(db).await?;
    if clock::is_due(&table, now) {
        // Nobody joins a game whose time to be joined has passed.
        return Err(PlayError::Waiting(game_id));
    }
    let own_slot = table
        .slot_of(caller)
        .map(|seat| (seat.slot, seat.joined_at.is_some()));
    match own_slot {
        Some((2, true)) => {
            // The same call again.
            let view = view::of_table(db, caller, table).await?;
            return Ok(Joined {
                view,
                seat_token: None,
            });
        }
        Some((1, _)) => return Err(PlayError::OwnGame),
        _ => {}
    }
    may_join(&table, caller, invite_token, own_slot.is_some())?;
    if matches!(caller, Caller::Seat { .. }) {
        return Err(PlayError::NotInvited(
            "a seat's token is good for its own seat alone",
        ));
    }
    hold(db, caller.player_id()).await?;
    db::seats::take(db, game_id, 2, caller.player_id(), now).await?;
    db::seats::delete_invitation(db, game_id).await?;
    if table.seats.iter().any(|seat| seat.seat.is_none()) {
        let first: Seat = drawn()?;
        db::seats::draw(db, game_id, first.as_str(), first.other().as_str()).await?;
    }
    let seat_token = match caller {
        Caller::Nobody => Some(new_seat_token(db, game_id, 2, now).await?),
        _ => None,
    };
    let state = stored::state(&table.game, &[], &[])?;
    let (status, to_move) = (
        stored::status(&state),
        stored::to_move_word(&state.to_move()),
    );
    let progress = &mut table.game.progress;
    progress.version = db::games::start(db, game_id, now, status, to_move).await?;
    progress.status = status.into();
    progress.to_move = to_move.into();
    progress.owed_since = Some(now);
    table.game.started_at = Some(now);
    // The seats as they are now that nobody can change them: a player who is on
    // holiday has a clock that stands still.
    let mut table = Table::of(db, table.game).await?;
    clock::start(db, &mut table, &state, now).await?;
    events::started(db, &table, &state, now).await?;
    let seated = Caller::Seat { game_id, slot: 2 };
    Ok(Joined {
        view: view::of_table(db, &seated, table).await?,
        seat_token,
    })
}

/// Whether the free seat is there for this caller.
fn may_join(
    table: &Table,
    caller: &Caller,
    invite_token: Option<&str>,
    invited: bool,
) -> Result<(), PlayError> {
    let private = table.game.visibility == "private";
    let refused = |why| match private && !invited {
        // For others it is not there.
        true => PlayError::NoSuchGame,
        false => PlayError::NotInvited(why),
    };
    let Some(invitation) = &table.invitation else {
        return Err(match private && table.slot_of(caller).is_none() {
            true => PlayError::NoSuchGame,
            false => PlayError::SeatTaken,
        });
    };
    match invitation.kind.as_str() {
        "open" => Ok(()),
        "player" if invited => Ok(()),
        "player" => Err(refused(
            "the seat is kept for the player who was invited by name",
        )),
        _ => match invite_token.map(hash) {
            Some(hash) if invitation.token_hash.as_deref() == Some(hash.as_slice()) => Ok(()),
            Some(_) => Err(refused("the invite token is not this game's")),
            None => Err(refused(
                "the seat is for whoever brings the invite token: send `invite_token`",
            )),
        },
    }
}
