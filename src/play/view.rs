//! A game as somebody sees it: its stored facts, the rules' state, who owes a
//! choice. Secret commits are never part of it.

use chrono::{DateTime, Utc};
use mancala_rules::{Seat, State};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::table::Table;
use super::{Caller, PlayError, replay, rows, settle, stored};
use crate::db;
use crate::db::offers::Offer;
use crate::db::together::Reads;

/// A game at some ply, for one viewer.
#[derive(Debug, Clone)]
pub struct View {
    /// What is stored of the game itself, and who sits at it.
    pub table: Table,
    /// The state at `ply`, without secret commits.
    pub state: State,
    /// The rows of the log that led here.
    pub ply: i32,
    /// Seats that owe a choice and have not committed one.
    pub to_move: Vec<Seat>,
    /// Offers that wait for an answer; none in a past state.
    pub offers: Vec<Offer>,
    /// When a finished state ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Whether this is the present state.
    pub present: bool,
    /// Whether the viewer made the game.
    pub by_creator: bool,
    /// The database's clock when it was read.
    pub server_time: DateTime<Utc>,
}

impl View {
    /// Legal choices of the seats that owe one.
    pub fn legal_moves(&self) -> Vec<(Seat, u8)> {
        self.to_move
            .iter()
            .flat_map(|&seat| {
                self.state
                    .legal_houses(seat)
                    .into_iter()
                    .map(move |h| (seat, h))
            })
            .collect()
    }

    /// The word for where the game stands.
    pub fn status(&self) -> &str {
        if self.present {
            &self.table.game.progress.status
        } else {
            stored::status(&self.state)
        }
    }
}

/// The game for `caller`, as it is now, with whatever has passed settled.
pub async fn present(reads: &Reads, caller: &Caller, game_id: Uuid) -> Result<View, PlayError> {
    let (table, around) = Table::glance(reads, caller, game_id).await?;
    if !table.has_times() && !around.has_offer {
        return with_offers(caller, table, Vec::new(), around.now);
    }
    let pool = &reads.pool;
    let mut db = db::pool::snapshot(pool).await?;
    let mut table = Table::find(&mut db, caller, game_id).await?;
    if table.has_times() {
        let now = db::now(&mut db).await?;
        if settle::is_waiting(&mut db, &table, now).await? {
            db.rollback().await?;
            settle::settle(pool, game_id).await?;
            db = db::pool::snapshot(pool).await?;
            table = Table::find(&mut db, caller, game_id).await?;
        }
    }
    of_table(&mut db, caller, table).await
}

/// The game for `caller`, as it was after row `at_ply` of its log.
pub async fn past(
    pool: &PgPool,
    caller: &Caller,
    game_id: Uuid,
    at_ply: i64,
) -> Result<View, PlayError> {
    let mut db = db::pool::snapshot(pool).await?;
    let table = Table::find(&mut db, caller, game_id).await?;
    if at_ply == i64::from(table.game.progress.ply) {
        return of_table(&mut db, caller, table).await;
    }
    let unknown = || PlayError::UnknownPly(at_ply);
    let at_ply = i32::try_from(at_ply).map_err(|_| unknown())?;
    if !(0..table.game.progress.ply).contains(&at_ply) {
        return Err(unknown());
    }
    // The first row of a pair shows the state after the pair.
    let rows = rows::all(&mut db, &table.game, at_ply + 1).await?;
    if rows.iter().any(|row| row.ply == at_ply && row.taken_back) {
        return Err(unknown());
    }
    let server_time = db::now(&mut db).await?;
    db.rollback().await?;
    let (table, replayed) = replay::aside(move || {
        let replayed = replay::until(&table.game, &rows, at_ply)?;
        Ok((table, replayed))
    })
    .await?;
    Ok(View {
        to_move: replayed.state.to_move(),
        ended_at: None,
        ply: replayed.ply,
        state: replayed.state,
        offers: Vec::new(),
        present: false,
        by_creator: by_creator(&table, caller),
        server_time,
        table,
    })
}

/// The present view of one table.
pub(super) async fn of_table(
    db: &mut PgConnection,
    caller: &Caller,
    table: Table,
) -> Result<View, PlayError> {
    let view = of_tables(db, caller, vec![table]).await?.pop();
    view.ok_or_else(|| stored::corrupt("a game without a view"))
}

/// The present views of several tables, in their order.
pub(super) async fn of_tables(
    db: &mut PgConnection,
    caller: &Caller,
    tables: Vec<Table>,
) -> Result<Vec<View>, PlayError> {
    let ids: Vec<Uuid> = tables.iter().map(|table| table.game.game_id).collect();
    let offers = db::offers::open(db, &ids).await?;
    let server_time = db::now(db).await?;
    let view = |table: Table| {
        let of_it = |offer: &&Offer| offer.game_id == table.game.game_id;
        let offers = offers.iter().filter(of_it).cloned().collect();
        with_offers(caller, table, offers, server_time)
    };
    tables.into_iter().map(view).collect()
}

/// The present view of a table whose open offers are known.
pub(super) fn with_offers(
    caller: &Caller,
    table: Table,
    offers: Vec<Offer>,
    server_time: DateTime<Utc>,
) -> Result<View, PlayError> {
    let game = &table.game;
    Ok(View {
        state: stored::state(game, &[], &[])?,
        to_move: stored::to_move(&game.progress.to_move)?,
        offers,
        ply: game.progress.ply,
        ended_at: game.progress.ended_at,
        present: true,
        by_creator: by_creator(&table, caller),
        server_time,
        table,
    })
}

fn by_creator(table: &Table, caller: &Caller) -> bool {
    table.slot_of(caller).is_some_and(|seat| seat.slot == 1)
}
