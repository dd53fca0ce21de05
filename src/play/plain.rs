//! A choice that is nothing but a choice, without the game's lock: played in the state
//! that was read, and written by one statement if the game is still as it was. It takes
//! three messages to the database in place of nine, and two of them are shared with
//! whoever asks at the same moment.
//!
//! Whatever is more than that, or not in order, comes to nothing here and is dealt with
//! under the lock: clocks, holidays and pauses, offers, lines that were laid down, words,
//! openings, rules of repetition, the end of a game; and every refusal.

use mancala_rules::Choice;
use uuid::Uuid;

use super::moves::{Move, Moved, elapsed_ms};
use super::plies::{self, Own};
use super::table::Table;
use super::{Caller, PlayError, events, stored, view};
use crate::db::games::Game;
use crate::db::moves::{self, Written};
use crate::db::seats::Around;
use crate::db::together::Reads;

/// Plays `sent` for `caller`; none: that has to be done under the lock.
pub(super) async fn submit(
    reads: &Reads,
    caller: &Caller,
    game_id: Uuid,
    sent: &Move,
) -> Result<Option<Moved>, PlayError> {
    let (mut table, around) = Table::glance(reads, caller, game_id).await?;
    if !is_plain(&table, around, sent)? {
        return Ok(None);
    }
    let Some(seat) = table.acting_seat(caller)? else {
        return Ok(None);
    };
    let before = stored::state(&table.game, &[], &[])?;
    let mut state = before.clone();
    let house = u8::try_from(sent.house).unwrap_or(u8::MAX);
    let Ok(Choice::Plies(plies)) = state.choose(seat, house) else {
        return Ok(None);
    };
    if stored::status(&state) != table.game.progress.status {
        return Ok(None);
    }
    let now = around.now;
    let own = Own {
        seat,
        elapsed_ms: elapsed_ms(&table.game, now),
        message: None,
    };
    let rows = plies::rows(&table.game, &state, plies, own, &[], now)?;
    let Some((row, own)) = rows.plain() else {
        return Ok(None);
    };
    let Game {
        lines_laid,
        ref progress,
        ..
    } = table.game;
    let version = progress.version;
    table.game.progress = stored::progress(&state, row.ply, now)?;
    let rows = [row];
    let written = Written {
        game_id,
        version,
        lines_laid,
        row: &rows[0],
        progress: &table.game.progress,
        facts: &events::of_rows(&table, &rows, &before, &state),
        at: now,
    };
    let mut db = reads.pool.acquire().await?;
    let Some(version) = moves::write(&mut db, &written).await? else {
        return Ok(None);
    };
    table.game.progress.version = version;
    let view = Box::new(view::with_offers(caller, table, Vec::new(), now)?);
    Ok(Some(Moved::Played {
        row: Box::new(own),
        view,
        replayed: false,
    }))
}

/// Whether nothing but the choice is to be looked at.
fn is_plain(table: &Table, around: Around, sent: &Move) -> Result<bool, PlayError> {
    let game = &table.game;
    Ok(game.progress.status == "playing"
        && game.progress.ply == sent.after_ply
        && sent.message.is_none()
        && sent.offer.is_none()
        && !around.has_offer
        && !around.has_lines
        && game.paused_at.is_none()
        && !table.has_times()
        && !stored::counts_repetition(game)?)
}
