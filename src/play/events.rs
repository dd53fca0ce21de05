//! What is told of a change, written with it: facts only. Words are made when
//! an event is read.

use chrono::{DateTime, SecondsFormat, Utc};
use mancala_rules::{Seat, State};
use serde_json::{Value, json};
use sqlx::PgConnection;

use super::PlayError;
use super::endings::Abort;
use super::table::Table;
use crate::db;
use crate::db::deadlines::Deadline;
use crate::db::events::{Fact, Kind, Told};
use crate::db::games::Game;
use crate::db::plies::Ply as Row;

const BOTH: &str = "both";

async fn record(
    db: &mut PgConnection,
    game: &Game,
    kind: Kind,
    to: &str,
    data: Value,
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    let facts = [fact(game, kind, to, data)];
    db::events::record(db, game.game_id, &facts, at).await?;
    Ok(())
}

/// What is told of the game as it is now.
fn fact<'a>(game: &Game, kind: Kind, to: &'a str, data: Value) -> Fact<'a> {
    Fact {
        kind,
        ply: game.progress.ply,
        to,
        data,
    }
}

/// A point in time as it is told: as in a game's state.
fn told(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// When the first of the seats that owe a choice loses.
fn first_deadline(table: &Table) -> Option<String> {
    let deadlines = table.clocks.iter().filter_map(|clock| clock.deadline);
    deadlines.min().map(told)
}

/// A game was made; how the other seat may be taken, if it is free.
pub(super) async fn created(
    db: &mut PgConnection,
    table: &Table,
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    let invitation = table.invitation.as_ref().map(|invited| &invited.kind);
    let data = json!({ "invitation": invitation });
    record(db, &table.game, Kind::GameCreated, BOTH, data, at).await
}

/// Both seats are taken; the first choices are owed.
pub(super) async fn started(
    db: &mut PgConnection,
    table: &Table,
    state: &State,
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    let data = json!({ "deadline": first_deadline(table) });
    let mut facts = vec![fact(&table.game, Kind::GameStarted, BOTH, data)];
    facts.extend(turns(table, state));
    db::events::record(db, table.game.game_id, &facts, at).await?;
    Ok(())
}

/// What is told of choices that became rows of the log, the state having gone from
/// `before` to `after`.
pub(super) fn of_rows(
    table: &Table,
    rows: &[Row],
    before: &State,
    after: &State,
) -> Vec<Fact<'static>> {
    let game = &table.game;
    let of_row = |row: &Row| Fact {
        kind: Kind::MovePlayed,
        ply: row.ply,
        to: BOTH,
        data: json!({
            "seat": row.seat, "house": row.house, "lap_count": row.lap_count,
            "captured": row.captured, "extra_turn": row.extra_turn, "passed": row.passed,
            "source": row.source,
            "deadline": first_deadline(table),
        }),
    };
    let mut facts: Vec<Fact> = rows.iter().map(of_row).collect();
    // An extra turn is no new turn; every opening choice is owed anew.
    let opening = before.phase() == mancala_rules::Phase::Opening;
    if after.result().is_some() {
        facts.push(end(game, None));
    } else if opening || before.turn() != after.turn() {
        facts.extend(turns(table, after));
    }
    facts
}

/// Choices became rows of the log.
pub(super) async fn played(
    db: &mut PgConnection,
    table: &Table,
    rows: &[Row],
    before: &State,
    after: &State,
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    let facts = of_rows(table, rows, before, after);
    db::events::record(db, table.game.game_id, &facts, at).await?;
    Ok(())
}

/// Whoever owes a choice in `state` owes a new one: a turn, or an opening choice.
fn turns(table: &Table, state: &State) -> Vec<Fact<'static>> {
    let turn = |seat: Seat| {
        let mut clocks = table.clocks.iter();
        let clock = clocks.find(|clock| clock.seat == seat.as_str());
        let deadline = clock.and_then(|clock| clock.deadline).map(told);
        let data = json!({ "seat": seat, "deadline": deadline });
        fact(&table.game, Kind::TurnStarted, seat.as_str(), data)
    };
    state.to_move().into_iter().map(turn).collect()
}

/// Turns are owed anew.
pub(super) async fn owed(
    db: &mut PgConnection,
    table: &Table,
    state: &State,
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    db::events::record(db, table.game.game_id, &turns(table, state), at).await?;
    Ok(())
}

/// The game is over, or called off.
pub(super) async fn ended(
    db: &mut PgConnection,
    game: &Game,
    abort: Option<Abort>,
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    db::events::record(db, game.game_id, &[end(game, abort)], at).await?;
    Ok(())
}

fn end(game: &Game, abort: Option<Abort>) -> Fact<'static> {
    let progress = &game.progress;
    if let Some(Abort { why, seat }) = abort {
        let data = json!({ "reason": why.as_str(), "seat": seat });
        return fact(game, Kind::GameAborted, BOTH, data);
    }
    let data = json!({
        "winner": progress.winner, "reason": progress.reason, "seat": progress.ended_by,
        "score": { "south": progress.south_score, "north": progress.north_score },
    });
    fact(game, Kind::GameFinished, BOTH, data)
}

/// An offer was made or answered: told to the seat whose turn it is to know.
pub(super) async fn offer(
    db: &mut PgConnection,
    table: &Table,
    kind: Kind,
    offer: &db::offers::Offer,
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    let other = if offer.seat == "south" {
        "north"
    } else {
        "south"
    };
    let to = if kind == Kind::OfferMade {
        other
    } else {
        offer.seat.as_str()
    };
    let mut data = json!({
        "seat": offer.seat, "offer": offer.offer_no, "kind": offer.kind, "status": offer.status,
        "deadline": first_deadline(table),
    });
    if let Some(to_ply) = offer.to_ply {
        data["to_ply"] = to_ply.into();
    }
    if let Some(next_game) = table.game.next_game {
        data["next_game"] = next_game.to_string().into();
    }
    record(db, &table.game, kind, to, data, at).await
}

/// A quarter of a seat's time is left.
pub(super) async fn near(
    db: &mut PgConnection,
    game: &Game,
    clock: &Deadline,
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    let to = clock.seat.as_str();
    record(db, game, Kind::DeadlineNear, to, near_facts(clock), at).await
}

fn near_facts(clock: &Deadline) -> Value {
    json!({
        "seat": clock.seat, "move_by": clock.move_by.map(told),
        "deadline": clock.deadline.map(told),
    })
}

/// A seat's clock stands still, until `until` if that is known, or goes on.
pub(super) async fn moved(
    db: &mut PgConnection,
    game: &Game,
    clock: &Deadline,
    cause: &str,
    until: Option<DateTime<Utc>>,
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    let data = moved_facts(clock, cause, until);
    record(db, game, Kind::DeadlineMoved, BOTH, data, at).await
}

/// The same of many clocks, for both seats of each.
pub(super) async fn all_moved(
    db: &mut PgConnection,
    clocks: &[Deadline],
    cause: &str,
    until: Option<DateTime<Utc>>,
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    let told = |clock: &Deadline| Told {
        game_id: clock.game_id,
        to: "both".into(),
        data: moved_facts(clock, cause, until),
    };
    record_all(db, Kind::DeadlineMoved, clocks, told, at).await
}

/// The servers were away, and these clocks were moved: told to the seat.
pub(super) async fn all_moved_out(
    db: &mut PgConnection,
    clocks: &[Deadline],
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    let told = |clock: &Deadline| Told {
        game_id: clock.game_id,
        to: clock.seat.clone(),
        data: moved_facts(clock, "downtime", None),
    };
    record_all(db, Kind::DeadlineMoved, clocks, told, at).await
}

/// A quarter is left of each of these clocks.
pub(super) async fn all_near(
    db: &mut PgConnection,
    clocks: &[Deadline],
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    let told = |clock: &Deadline| Told {
        game_id: clock.game_id,
        to: clock.seat.clone(),
        data: near_facts(clock),
    };
    record_all(db, Kind::DeadlineNear, clocks, told, at).await
}

async fn record_all(
    db: &mut PgConnection,
    kind: Kind,
    clocks: &[Deadline],
    told: impl Fn(&Deadline) -> Told,
    at: DateTime<Utc>,
) -> Result<(), PlayError> {
    if clocks.is_empty() {
        return Ok(());
    }
    let told: Vec<Told> = clocks.iter().map(told).collect();
    db::events::record_all(db, kind, &told, at).await?;
    Ok(())
}

/// What is told of a clock that was moved, and why.
fn moved_facts(clock: &Deadline, cause: &str, until: Option<DateTime<Utc>>) -> Value {
    json!({
        "seat": clock.seat, "move_by": clock.move_by.map(told),
        "deadline": clock.deadline.map(told), "cause": cause, "until": until.map(told),
    })
}
