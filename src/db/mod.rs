//! The only SQL of the program: one function per statement, by the noun it is
//! about, and the private PostgreSQL. What a game means lives in `play`; rows
//! here carry words and numbers only.

/// The columns of [`games::Game`], for the files that select it.
macro_rules! game_columns {
    () => {
        "game_id, ruleset, revision, rules, start_position, custom_start, \
                visibility, label, external_ref, created_at, started_at, clock_per_move, clock_reserve, \
                status, version, ply, turn, round, position, to_move, rounds, owed_since, \
                winner, reason, south_score, north_score, ended_by, ended_at, \
                allow_vacation, paused_at, paused_until, previous_game, next_game, \
                source, packed_log is not null as packed, lines_laid"
    };
}

/// Writes facts, the four columns of [`events::Columns`], as the next events of the game $1;
/// if something else has to be there for that, `$of` names it.
macro_rules! next_events {
    ($of:literal, $at:literal, $facts:literal) => {
        concat!(
            "insert into events (game_id, event_no, type, ply, seats, data, at) \
             select $1, \
                 (select coalesce(max(event_no), 0) from events where game_id = $1) + n, \
                 type, ply, case who when 'both' then array['south', 'north'] else array[who] end, \
                 data, ",
            $at,
            " from ",
            $of,
            "unnest(",
            $facts,
            ") with ordinality t (type, ply, who, data, n) returning game_id, event_no"
        )
    };
}

pub mod answers;
pub mod bulk;
pub mod conditionals;
pub mod deadlines;
pub mod deliveries;
pub mod embedded;
pub mod event_pages;
pub mod events;
pub mod explorer;
pub mod games;
pub mod lists;
pub mod managed;
pub mod messages;
pub mod moves;
pub mod offers;
pub mod players;
pub mod plies;
pub mod pool;
pub mod records;
pub mod replica;
pub mod schema;
pub mod search;
pub mod seats;
pub mod together;
pub mod tokens;
pub mod vacations;
pub mod webhooks;

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

/// Now, by the database's clock. Read it after the game's lock is held.
pub async fn now(db: &mut PgConnection) -> sqlx::Result<DateTime<Utc>> {
    sqlx::query_scalar("select app_now()").fetch_one(db).await
}
