//! A choice of a house: of any number of simultaneous ones exactly one wins,
//! and the same one sent again finds what it did the first time.

use mancala_rules::{Choice, Phase, Seat};
use sqlx::PgConnection;
use sqlx::types::chrono::{DateTime, Utc};
use uuid::Uuid;

use super::log::{self, LogRow};
use super::offers::Proposal;
use super::plies::Own;
use super::stored;
use super::table::Table;
use super::{
    Caller, PlayError, View, clock, conditionals, events, offers, plain, plies, rows, settle, view,
};
use crate::db;
use crate::db::events::Kind;
use crate::db::games::Game;
use crate::db::seats::{Around, Commit};
use crate::db::together::Reads;

/// What a seat sends. `Debug` is left out: a choice may be secret.
pub struct Move {
    /// The log's length that the sender has seen.
    pub after_ply: i32,
    /// The house, 1..n from the seat's left hand.
    pub house: u32,
    /// A few words for the other seat.
    pub message: Option<String>,
    /// What is offered with it: both or none.
    pub offer: Option<Proposal>,
}

/// What became of it.
#[derive(Debug)]
pub enum Moved {
    /// It is a row of the log.
    Played {
        /// The seat's own row.
        row: Box<LogRow>,
        /// The game after it.
        view: Box<View>,
        /// Whether it had been played before.
        replayed: bool,
    },
    /// It waits, in secret, for the other seat's choice.
    Committed {
        /// The game, which shows only that this seat owes no choice now.
        view: Box<View>,
        /// Whether it had been committed before.
        replayed: bool,
    },
}

/// Plays `sent` for `caller`.
pub async fn submit(
    reads: &Reads,
    caller: &Caller,
    game_id: Uuid,
    sent: Move,
) -> Result<Moved, PlayError> {
    if let Some(moved) = plain::submit(reads, caller, game_id, &sent).await? {
        return Ok(moved);
    }
    settle::on_table(&reads.pool, caller, game_id, async |db, table, around| {
        choose(db, caller, table, sent, around).await
    })
    .await
}

async fn choose(
    db: &mut PgConnection,
    caller: &Caller,
    table: Table,
    sent: Move,
    around: Around,
) -> Result<Moved, PlayError> {
    let now = around.now;
    let game_id = table.game.game_id;
    let seat = table.acting_seat(caller)?.ok_or(PlayError::NotStarted)?;
    let commits = match table.game.progress.status.as_str() {
        "opening" => db::seats::commits(db, game_id).await?,
        _ => Vec::new(),
    };
    let asked = Asked {
        caller,
        seat,
        commits: &commits,
        sent: &sent,
    };
    if let Some(moved) = replay(db, &table, &asked).await? {
        return Ok(moved);
    }
    let table = running(db, caller, table).await?;
    let mut table = current(db, caller, table, sent.after_ply).await?;
    let seen = stored::positions_seen(db, &table.game).await?;
    let mut state = stored::state(&table.game, &commits, &seen)?;
    if state.committed()[seat].is_some() {
        return Err(PlayError::AlreadyCommitted(seat));
    }
    if !state.to_move().contains(&seat) {
        return Err(PlayError::NotYourTurn(seat));
    }

    if sent.offer.is_some() && state.phase() == Phase::Opening {
        return Err(PlayError::OfferImpossible(
            "an opening's choice is secret at first: make the offer by itself".into(),
        ));
    }
    let before = state.clone();
    let house = u8::try_from(sent.house).unwrap_or(u8::MAX);
    let choice = state
        .choose(seat, house)
        .map_err(|reason| PlayError::Illegal {
            reason,
            legal: state
                .legal_houses(seat)
                .into_iter()
                .map(|house| (seat, house))
                .collect(),
        })?;
    let elapsed_ms = elapsed_ms(&table.game, now);
    let clocks = table.clocks.clone();
    clock::after_choice(&mut table.clocks, seat, &before, &state, now)?;
    let plies = match choice {
        Choice::Plies(plies) => plies,
        Choice::Committed => {
            let commit = Commit {
                seat: seat.as_str().into(),
                after_ply: sent.after_ply,
                house: house.into(),
                message: sent.message,
                elapsed_ms,
                committed_at: now,
            };
            db::seats::insert_commit(db, game_id, &commit).await?;
            clock::store(db, &clocks, &table.clocks).await?;
            table.game.progress.to_move = stored::to_move_word(&state.to_move()).into();
            touch(db, &mut table.game).await?;
            let view = Box::new(view::of_table(db, caller, table).await?);
            return Ok(Moved::Committed {
                view,
                replayed: false,
            });
        }
    };
    if let Some(proposal) = sent.offer {
        // Before the choice answers it, or makes it void.
        offers::none_open(db, game_id, proposal, now).await?;
    }
    let own = Own {
        seat,
        elapsed_ms,
        message: sent.message,
    };
    let (mut rows, row) = plies::append(db, &table.game, &state, plies, own, &commits, now).await?;
    let plied: Vec<&str> = rows.iter().filter_map(|row| row.seat.as_deref()).collect();
    let declined = match around.has_offer {
        true => db::offers::pass_by(db, game_id, &plied, now).await?,
        false => Vec::new(),
    };
    if around.has_lines {
        let halted = sent.offer.is_some();
        conditionals::play_on(db, &mut table, &mut state, &mut rows, halted, now).await?;
    }
    let ply = rows.last().map_or(sent.after_ply, |row| row.ply);
    let clocks = (clocks.as_slice(), table.clocks.as_slice());
    plies::advance(db, &mut table.game, &state, ply, clocks, now).await?;
    for offer in &declined {
        events::offer(db, &table, Kind::OfferAnswered, offer, now).await?;
    }
    events::played(db, &table, &rows, &before, &state, now).await?;
    if let Some(proposal) = sent.offer {
        let (_, token) = offers::propose(db, &mut table, seat, proposal, now).await?;
        if token.is_some() {
            return Err(PlayError::OfferImpossible(
                "without an account offer a rematch by itself: that answer shows your token".into(),
            ));
        }
    }
    let view = match around.has_offer || sent.offer.is_some() {
        true => view::of_table(db, caller, table).await?,
        false => view::with_offers(caller, table, Vec::new(), now)?,
    };
    let view = Box::new(view);
    Ok(Moved::Played {
        row: Box::new(row),
        view,
        replayed: false,
    })
}

/// A choice and who sent it.
struct Asked<'a> {
    caller: &'a Caller,
    seat: Seat,
    commits: &'a [Commit],
    sent: &'a Move,
}

/// What this very choice did before, if it was sent before.
async fn replay(
    db: &mut PgConnection,
    table: &Table,
    asked: &Asked<'_>,
) -> Result<Option<Moved>, PlayError> {
    let Asked {
        caller,
        seat,
        commits,
        sent,
    } = *asked;
    let game = &table.game;
    let same = |after_ply: i32, house: i16| {
        after_ply == sent.after_ply && u32::try_from(house) == Ok(sent.house)
    };
    if commits
        .iter()
        .any(|c| c.seat == seat.as_str() && same(c.after_ply, c.house))
    {
        let view = Box::new(view::of_table(db, caller, table.clone()).await?);
        return Ok(Some(Moved::Committed {
            view,
            replayed: true,
        }));
    }
    if sent.after_ply >= game.progress.ply {
        return Ok(None);
    }
    let row = rows::answered(db, game, seat.as_str(), sent.after_ply).await?;
    match row.filter(|row| row.house.is_some_and(|house| same(row.after_ply, house))) {
        None => Ok(None),
        Some(row) => {
            let row = Box::new(log::row(db, game, seat, row).await?);
            let view = Box::new(view::of_table(db, caller, table.clone()).await?);
            Ok(Some(Moved::Played {
                row,
                view,
                replayed: true,
            }))
        }
    }
}

/// The table, if its game has started and is not over.
pub(super) async fn running(
    db: &mut PgConnection,
    caller: &Caller,
    table: Table,
) -> Result<Table, PlayError> {
    match table.game.progress.status.as_str() {
        "open" => Err(PlayError::NotStarted),
        "finished" | "aborted" => Err(PlayError::GameOver(Box::new(
            view::of_table(db, caller, table).await?,
        ))),
        _ => Ok(table),
    }
}

/// The table, if its game's log is as long as the sender has seen.
pub(super) async fn current(
    db: &mut PgConnection,
    caller: &Caller,
    table: Table,
    after_ply: i32,
) -> Result<Table, PlayError> {
    if after_ply == table.game.progress.ply {
        return Ok(table);
    }
    let view = Box::new(view::of_table(db, caller, table).await?);
    Err(PlayError::StalePly { after_ply, view })
}

/// Stores a change that the game's log does not show.
pub(super) async fn touch(db: &mut PgConnection, game: &mut Game) -> Result<(), PlayError> {
    let to_move = &game.progress.to_move;
    game.progress.version = db::games::touch(db, game.game_id, to_move).await?;
    Ok(())
}

/// Since when the present choice was owed, in milliseconds.
pub(super) fn elapsed_ms(game: &Game, now: DateTime<Utc>) -> i64 {
    game.progress
        .owed_since
        .map_or(0, |since| (now - since).num_milliseconds().max(0))
}
