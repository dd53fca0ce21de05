//! Rows of `records` and what belongs to them: the queue of games that have none
//! yet, the names in imported games, packed logs.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::plies::Ply;

/// One writer at a time, so that numbers grow with the commits.
const WRITERS: i64 = 0x6d61_6e63_7265_6373;

/// One data set at a time.
const SNAPSHOTS: i64 = 0x6d61_6e63_736e_6170;

/// Waits until nobody else writes records, and keeps others waiting until the
/// transaction's end.
pub async fn lock(db: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("select pg_advisory_xact_lock($1)")
        .bind(WRITERS)
        .execute(db)
        .await
        .map(drop)
}

/// As [`lock`], but does not wait: whether it has it.
pub async fn try_lock(db: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar("select pg_try_advisory_xact_lock($1)")
        .bind(WRITERS)
        .fetch_one(db)
        .await
}

/// Whether this session alone may write a data set now, until it ends.
pub async fn try_snapshot_lock(db: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar("select pg_try_advisory_lock($1)")
        .bind(SNAPSHOTS)
        .fetch_one(db)
        .await
}

/// Gives that up.
pub async fn snapshot_unlock(db: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("select pg_advisory_unlock($1)")
        .bind(SNAPSHOTS)
        .execute(db)
        .await
        .map(drop)
}

/// A finished public game is to get a record.
pub async fn enqueue(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<()> {
    sqlx::query("insert into records_queue (game_id) values ($1) on conflict do nothing")
        .bind(game_id)
        .execute(db)
        .await
        .map(drop)
}

/// Queues all finished public games that have no record. Under the [`lock`]: a game that
/// somebody is just entering is out of the queue and has no record that others see.
pub async fn enqueue_missing(db: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query(
        "insert into records_queue (game_id) \
         select game_id from games g \
         where status = 'finished' and visibility = 'public' \
           and not exists (select from records r where r.game_id = g.game_id) \
         on conflict do nothing",
    )
    .execute(db)
    .await
    .map(drop)
}

/// Takes games out of the queue; those that have a record need none. Under the [`lock`].
pub async fn dequeue(db: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "with taken as ( \
             delete from records_queue where game_id in \
                 (select game_id from records_queue order by game_id limit $1) returning game_id) \
         select game_id from taken t \
         where not exists (select from records r where r.game_id = t.game_id)",
    )
    .bind(limit)
    .fetch_all(db)
    .await
}

/// A row of `records`. Column meanings stand in the migration.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Indexed {
    pub game_id: Uuid,
    pub ended_at: DateTime<Utc>,
    /// `south`, `north` or `draw`.
    pub winner: &'static str,
    pub plies: i32,
    pub longest_relay: i32,
    pub burnt: i16,
    pub rounds: i32,
    pub line: String,
    pub keys: Vec<i64>,
}

/// Enters records, numbered on in the order given. Under the [`lock`], and together
/// with what counts them.
pub async fn insert(db: &mut PgConnection, records: &[&Indexed]) -> sqlx::Result<()> {
    // Arrays of arrays have one length only: the keys travel as text.
    let keys: Vec<String> = records.iter().map(|record| array(&record.keys)).collect();
    sqlx::query(
        "insert into records (game_id, record_no, plies, longest_relay, burnt, rounds, line, keys, \
                              ended_at, winner) \
         select game_id, n + (select coalesce(max(record_no), 0) from records), plies, \
                longest_relay, burnt, rounds, line, keys::bigint[], ended_at, winner::\"char\" \
         from unnest($1::uuid[], $2::integer[], $3::integer[], $4::smallint[], $5::integer[], \
                     $6::text[], $7::text[], $8::timestamptz[], $9::text[]) with ordinality \
              as r (game_id, plies, longest_relay, burnt, rounds, line, keys, ended_at, winner, n)",
    )
    .bind(records.iter().map(|r| r.game_id).collect::<Vec<_>>())
    .bind(records.iter().map(|r| r.plies).collect::<Vec<_>>())
    .bind(records.iter().map(|r| r.longest_relay).collect::<Vec<_>>())
    .bind(records.iter().map(|r| r.burnt).collect::<Vec<_>>())
    .bind(records.iter().map(|r| r.rounds).collect::<Vec<_>>())
    .bind(records.iter().map(|r| r.line.as_str()).collect::<Vec<_>>())
    .bind(keys)
    .bind(records.iter().map(|r| r.ended_at).collect::<Vec<_>>())
    .bind(records.iter().map(|r| r.winner).collect::<Vec<_>>())
    .execute(db)
    .await
    .map(drop)
}

/// How many records there are.
pub async fn count(db: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar("select count(*) from records")
        .fetch_one(db)
        .await
}

/// `(record_no, game_id)` of the next records `after < record_no <= until`, at most
/// `limit`.
pub async fn after(
    db: &mut PgConnection,
    after: i64,
    until: i64,
    limit: i64,
) -> sqlx::Result<Vec<(i64, Uuid)>> {
    sqlx::query_as(
        "select record_no, game_id from records where record_no > $1 and record_no <= $2 \
         order by record_no limit $3",
    )
    .bind(after)
    .bind(until)
    .bind(limit)
    .fetch_all(db)
    .await
}

/// PostgreSQL's text of an array.
fn array(numbers: &[i64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    format!("{{{}}}", numbers.join(","))
}

/// What an exporter needs beside the row of `games`.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Rest {
    pub game_id: Uuid,
    pub packed_log: Option<Vec<u8>>,
    pub imported_at: Option<DateTime<Utc>>,
    pub south_name: Option<String>,
    pub north_name: Option<String>,
    pub south_kind: Option<String>,
    pub north_kind: Option<String>,
    pub south_player: Option<Uuid>,
    pub north_player: Option<Uuid>,
}

/// What belongs to these games beside their rows of `games`: packed logs, who sat
/// where (`*_player`, `*_kind` of players; `*_name`, `*_kind` of an import).
pub async fn rest(db: &mut PgConnection, ids: &[Uuid]) -> sqlx::Result<Vec<Rest>> {
    sqlx::query_as(
        "select g.game_id, g.packed_log, i.imported_at, i.south_name, i.north_name, \
                coalesce(i.south_kind, sp.kind) as south_kind, \
                coalesce(i.north_kind, np.kind) as north_kind, \
                sp.player_id as south_player, np.player_id as north_player \
         from games g \
              left join imports i using (game_id) \
              left join seats s on s.game_id = g.game_id and s.seat = 'south' \
              left join seats n on n.game_id = g.game_id and n.seat = 'north' \
              left join players sp on sp.player_id = s.player_id \
              left join players np on np.player_id = n.player_id \
         where g.game_id = any($1)",
    )
    .bind(ids)
    .fetch_all(db)
    .await
}

/// A row of a log with its game's id.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Logged {
    pub game_id: Uuid,
    #[sqlx(flatten)]
    pub row: Ply,
}

/// The rows of these games' logs that are not packed, in order.
pub async fn logs(db: &mut PgConnection, ids: &[Uuid]) -> sqlx::Result<Vec<Logged>> {
    sqlx::query_as("select * from plies where game_id = any($1) order by game_id, ply")
        .bind(ids)
        .fetch_all(db)
        .await
}

/// What pseudonyms are made with.
pub async fn secret(db: &mut PgConnection) -> sqlx::Result<Vec<u8>> {
    sqlx::query_scalar("select secret from pseudonyms")
        .fetch_one(db)
        .await
}

/// Games that ended before `before` and are not packed, the oldest first.
pub async fn to_pack(
    db: &mut PgConnection,
    before: DateTime<Utc>,
    limit: i64,
) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "select game_id from games g \
         where packed_log is null and ended_at <= $1 \
           and not exists (select from unpackable u where u.game_id = g.game_id) \
         order by ended_at limit $2",
    )
    .bind(before)
    .bind(limit)
    .fetch_all(db)
    .await
}

/// Puts the packed log in place of the rows.
pub async fn pack(db: &mut PgConnection, game_id: Uuid, log: &[u8]) -> sqlx::Result<()> {
    sqlx::query("update games set packed_log = $2 where game_id = $1")
        .bind(game_id)
        .bind(log)
        .execute(&mut *db)
        .await?;
    sqlx::query("delete from plies where game_id = $1")
        .bind(game_id)
        .execute(db)
        .await
        .map(drop)
}

/// A log that has to stay as it is.
pub async fn unpackable(db: &mut PgConnection, game_id: Uuid, cause: &str) -> sqlx::Result<()> {
    sqlx::query(
        "insert into unpackable (game_id, cause, found_at) values ($1, $2, app_now()) \
         on conflict do nothing",
    )
    .bind(game_id)
    .bind(cause)
    .execute(db)
    .await
    .map(drop)
}
