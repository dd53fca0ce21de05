//! Conditional moves: lines of coming plies that a seat lays down in secret.
//! When the game comes to a place where one of them says what that seat plays
//! next, it is played at once, in the transaction of the move that led there.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use mancala_rules::{Choice, IllegalMove, Phase, Seat, Sides, State};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::moves::{current, running};
use super::stored::{self, corrupt};
use super::table::Table;
use super::{Caller, PlayError, clock, plies, settle};
use crate::db;
use crate::db::plies::Ply as Row;

/// The most plies that a seat's lines may have together.
pub const MOST_PLIES: usize = 200;
/// The most plies that one move can set off.
const LONGEST_CHAIN: usize = 50;

/// The lines of a seat. `Debug` is left out: they are secret.
pub struct Lines {
    /// The log's length that they begin after.
    pub after_ply: i32,
    /// Houses of both seats, in the order of play.
    pub lines: Vec<Vec<u8>>,
}

/// Replaces the caller's lines.
pub async fn lay_down(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    after_ply: i32,
    lines: &[Vec<u32>],
) -> Result<Lines, PlayError> {
    settle::on_table(pool, caller, game_id, async |db, table, _| {
        let seat = table.acting_seat(caller)?.ok_or(PlayError::NotStarted)?;
        let table = running(db, caller, table).await?;
        if table.game.progress.status == "opening" {
            return Err(PlayError::InOpening);
        }
        let table = current(db, caller, table, after_ply).await?;
        let seen = stored::positions_seen(db, &table.game).await?;
        let state = stored::state(&table.game, &[], &seen)?;
        let lines = checked(&state, seat, lines)?;
        match lines.is_empty() {
            true => db::conditionals::delete(db, game_id, seat.as_str()).await?,
            false => db::conditionals::put(db, game_id, seat.as_str(), &lines).await?,
        }
        Ok(Lines { after_ply, lines })
    })
    .await
}

/// What waits of the caller's lines.
pub async fn show(
    db: &mut PgConnection,
    caller: &Caller,
    game_id: Uuid,
) -> Result<Lines, PlayError> {
    let table = Table::find(db, caller, game_id).await?;
    let seat = started(&table, caller)?;
    let mut waiting = of_game(db, game_id).await?;
    Ok(Lines {
        after_ply: table.game.progress.ply,
        lines: std::mem::take(&mut waiting[seat]),
    })
}

/// Drops the caller's lines.
pub async fn drop_all(pool: &PgPool, caller: &Caller, game_id: Uuid) -> Result<(), PlayError> {
    settle::on_table(pool, caller, game_id, async |db, table, _| {
        let seat = started(&table, caller)?;
        Ok(db::conditionals::delete(db, game_id, seat.as_str()).await?)
    })
    .await
}

/// The seat that the caller plays, once the game has started; it may be over.
fn started(table: &Table, caller: &Caller) -> Result<Seat, PlayError> {
    let seat = table.acting_seat(caller)?;
    let waits = table.game.progress.status == "open";
    seat.filter(|_| !waits).ok_or(PlayError::NotStarted)
}

/// The lines of `seat` from `state` on, if every ply of them can be played and
/// the seat's own plies are the same wherever two lines are.
fn checked(state: &State, seat: Seat, lines: &[Vec<u32>]) -> Result<Vec<Vec<u8>>, PlayError> {
    let mut own: HashMap<Vec<u8>, u8> = HashMap::new();
    let mut read = Vec::new();
    for (line, houses) in lines.iter().enumerate() {
        let mut state = state.clone();
        let mut before = Vec::new();
        for (ply, &house) in houses.iter().enumerate() {
            let house = u8::try_from(house).unwrap_or(u8::MAX);
            let illegal = |reason, legal| PlayError::BadLine {
                line,
                ply,
                reason,
                legal,
            };
            let Some(&mover) = state.to_move().first() else {
                return Err(illegal(IllegalMove::Over, Vec::new()));
            };
            let legal = state.legal_moves();
            let played = state.play(mover, house);
            played.map_err(|reason| illegal(reason, legal))?;
            if mover == seat && *own.entry(before.clone()).or_insert(house) != house {
                return Err(PlayError::LinesPart { line, ply });
            }
            before.push(house);
        }
        if !before.is_empty() {
            read.push(before);
        }
    }
    Ok(read)
}

async fn of_game(db: &mut PgConnection, game_id: Uuid) -> Result<Sides<Vec<Vec<u8>>>, PlayError> {
    let mut lines = Sides::from_fn(|_| Vec::new());
    for row in db::conditionals::of_game(db, game_id).await? {
        let seat: Seat = row.seat.parse().map_err(corrupt)?;
        lines[seat] = row.lines.0;
    }
    Ok(lines)
}

/// Follows what was played: a line that begins otherwise is dropped.
fn follow(lines: &mut Vec<Vec<u8>>, house: u8) {
    lines.retain_mut(|line| {
        let goes_on = line.first() == Some(&house) && line.len() > 1;
        if goes_on {
            line.remove(0);
        }
        goes_on
    });
}

/// Lets the lines of both seats follow `rows`, and plays what they say comes
/// next: more rows. With `halted` nothing is played.
pub(super) async fn play_on(
    db: &mut PgConnection,
    table: &mut Table,
    state: &mut State,
    rows: &mut Vec<Row>,
    halted: bool,
    now: DateTime<Utc>,
) -> Result<(), PlayError> {
    let game_id = table.game.game_id;
    let stored = of_game(db, game_id).await?;
    if Seat::ALL.iter().all(|&seat| stored[seat].is_empty()) {
        return Ok(());
    }
    let mut lines = stored.clone();
    for row in rows.iter() {
        let house = row.house.and_then(|house| u8::try_from(house).ok());
        let house = house.ok_or_else(|| corrupt("a ply without a house"))?;
        Seat::ALL
            .iter()
            .for_each(|&seat| follow(&mut lines[seat], house));
    }
    let halted = halted || table.game.paused_at.is_some();
    // A seat that is asked something about this position is not played for. A pause
    // is about time alone, and stands over many plies.
    let offers = db::offers::open(db, &[game_id]).await?;
    let asked = |seat: Seat| {
        let mut offers = offers.iter().filter(|offer| offer.kind != "pause");
        offers.any(|offer| offer.seat != seat.as_str())
    };
    for _ in 0..LONGEST_CHAIN {
        let (Phase::Playing, &[seat]) = (state.phase(), state.to_move().as_slice()) else {
            break;
        };
        let Some(&house) = lines[seat].first().and_then(|line| line.first()) else {
            break;
        };
        if halted || asked(seat) {
            break;
        }
        let row = play(db, table, state, rows, (seat, house), now).await?;
        rows.push(row);
        Seat::ALL
            .iter()
            .for_each(|&seat| follow(&mut lines[seat], house));
    }
    for seat in Seat::ALL {
        match (lines[seat] == stored[seat], lines[seat].is_empty()) {
            (true, _) => {}
            (false, true) => db::conditionals::delete(db, game_id, seat.as_str()).await?,
            (false, false) => {
                db::conditionals::put(db, game_id, seat.as_str(), &lines[seat]).await?;
            }
        }
    }
    Ok(())
}

/// Plays one ply of a line, whose legality was checked when it was laid down.
async fn play(
    db: &mut PgConnection,
    table: &mut Table,
    state: &mut State,
    rows: &[Row],
    (seat, house): (Seat, u8),
    now: DateTime<Utc>,
) -> Result<Row, PlayError> {
    let before = state.clone();
    let (Choice::Plies(played), Some(last)) =
        (state.choose(seat, house).map_err(corrupt)?, rows.last())
    else {
        return Err(corrupt("a line in an opening"));
    };
    let [played] = played.as_slice() else {
        return Err(corrupt("a line in an opening"));
    };
    clock::after_choice(&mut table.clocks, seat, &before, state, now)?;
    let row = Row {
        position: Some(state.position_text()),
        elapsed_ms: Some(0),
        played_at: Some(now),
        source: "conditional".into(),
        ..plies::sow_row(played, last.ply + 1, last.ply)?
    };
    db::plies::append(db, table.game.game_id, &row).await?;
    Ok(row)
}
