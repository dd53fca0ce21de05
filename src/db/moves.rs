//! A choice by one statement.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use super::events::{Columns, Fact};
use super::games::Progress;
use super::plies::Ply;

/// What a choice comes to in a game that goes on.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Written<'a> {
    pub game_id: Uuid,
    /// Of the state that it was made in.
    pub version: i64,
    /// As often as that had lines been laid down, and none of them were left.
    pub lines_laid: i32,
    pub row: &'a Ply,
    pub progress: &'a Progress,
    /// At least one.
    pub facts: &'a [Fact<'a>],
    pub at: DateTime<Utc>,
}

/// Writes a choice, if its game is as it was and nobody has laid down lines; the game's new
/// version.
///
/// It takes the game's lock as every change does, but has seen the rest before it waits for
/// it. What is written under the lock and could matter here changes the game's row, which
/// is looked at again when the wait is over. An event that was told meanwhile has taken the
/// number of this one's: then nothing is written, either.
pub async fn write(db: &mut PgConnection, written: &Written<'_>) -> sqlx::Result<Option<i64>> {
    let Written { row, progress, .. } = written;
    let Columns {
        kinds,
        plies,
        to,
        data,
    } = Columns::of(written.facts);
    let version = sqlx::query_scalar(concat!(
        "with played as ( \
             update games set version = version + 1, ply = $3, turn = $4, round = $5, \
                    position = $6, rounds = $7, owed_since = $8, to_move = $9 \
             where game_id = $1 and version = $2 and lines_laid = $29 returning version), \
         logged as ( \
             insert into plies (game_id, ply, kind, seat, after_ply, turn, round, house, \
                                seeds_sown, lap_count, captured, banked, extra_turn, passed, \
                                other, position, elapsed_ms, played_at, source) \
             select $1, $3, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $6, \
                    $23, $8, $24 \
             from played), \
         told as (",
        next_events!(
            "played, ",
            "$8",
            "$25::text[], $26::integer[], $27::text[], $28::jsonb[]"
        ),
        "), \
         queued as ( \
             insert into event_queue (game_id, event_no) \
             select game_id, event_no from told order by event_no) \
         select version from played",
    ))
    .bind(written.game_id)
    .bind(written.version)
    .bind(row.ply)
    .bind(progress.turn)
    .bind(progress.round)
    .bind(&progress.position)
    .bind(&progress.rounds)
    .bind(written.at)
    .bind(&progress.to_move)
    .bind(&row.kind)
    .bind(&row.seat)
    .bind(row.after_ply)
    .bind(row.turn)
    .bind(row.round)
    .bind(row.house)
    .bind(row.seeds_sown)
    .bind(row.lap_count)
    .bind(row.captured)
    .bind(row.banked)
    .bind(row.extra_turn)
    .bind(row.passed)
    .bind(&row.other)
    .bind(row.elapsed_ms)
    .bind(&row.source)
    .bind(kinds)
    .bind(plies)
    .bind(to)
    .bind(data)
    .bind(written.lines_laid)
    .fetch_optional(db)
    .await;
    match version {
        Err(sqlx::Error::Database(cause)) if cause.is_unique_violation() => Ok(None),
        version => version,
    }
}
