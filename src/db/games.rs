//! Rows of `games`: creation, the lock every change takes, the state after it.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// One game as stored: what it is played under, and its state after the last
/// row of its log. Column meanings stand in the migration.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Game {
    pub game_id: Uuid,
    pub ruleset: String,
    pub revision: i32,
    pub rules: Value,
    pub start_position: String,
    pub custom_start: bool,
    pub visibility: String,
    pub label: Option<String>,
    pub external_ref: Option<String>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub clock_per_move: Option<i32>,
    pub clock_reserve: Option<i32>,
    pub previous_game: Option<Uuid>,
    pub next_game: Option<Uuid>,
    pub allow_vacation: bool,
    pub paused_at: Option<DateTime<Utc>>,
    pub paused_until: Option<DateTime<Utc>>,
    pub source: String,
    /// Whether the log is packed.
    pub packed: bool,
    /// How often a seat has laid down lines.
    pub lines_laid: i32,
    #[sqlx(flatten)]
    pub progress: Progress,
}

/// The columns that a change of the game writes.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Progress {
    pub status: String,
    pub version: i64,
    pub ply: i32,
    pub turn: i32,
    pub round: i32,
    pub position: String,
    pub to_move: String,
    pub rounds: Value,
    pub owed_since: Option<DateTime<Utc>>,
    pub winner: Option<String>,
    pub reason: Option<String>,
    pub south_score: Option<i32>,
    pub north_score: Option<i32>,
    pub ended_by: Option<String>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// A new game, before anything was played.
pub async fn insert(db: &mut PgConnection, game: &Game) -> sqlx::Result<()> {
    let progress = &game.progress;
    sqlx::query(
        "insert into games (game_id, ruleset, revision, rules, start_position, custom_start, \
                            visibility, label, external_ref, created_at, started_at, clock_per_move, clock_reserve, \
                            status, ply, turn, round, position, to_move, rounds, owed_since, allow_vacation, \
                            previous_game) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, \
                 $18, $19, $20, $21, $22, $23)",
    )
    .bind(game.game_id)
    .bind(&game.ruleset)
    .bind(game.revision)
    .bind(&game.rules)
    .bind(&game.start_position)
    .bind(game.custom_start)
    .bind(&game.visibility)
    .bind(&game.label)
    .bind(&game.external_ref)
    .bind(game.created_at)
    .bind(game.started_at)
    .bind(game.clock_per_move)
    .bind(game.clock_reserve)
    .bind(&progress.status)
    .bind(progress.ply)
    .bind(progress.turn)
    .bind(progress.round)
    .bind(&progress.position)
    .bind(&progress.to_move)
    .bind(&progress.rounds)
    .bind(progress.owed_since)
    .bind(game.allow_vacation)
    .bind(game.previous_game)
    .execute(db)
    .await
    .map(drop)
}

/// The game, if there is one.
pub async fn find(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<Option<Game>> {
    sqlx::query_as(concat!(
        "select ",
        game_columns!(),
        " from games where game_id = $1"
    ))
    .bind(game_id)
    .fetch_optional(db)
    .await
}

/// These games, in any order.
pub async fn of_ids(db: &mut PgConnection, ids: &[Uuid]) -> sqlx::Result<Vec<Game>> {
    sqlx::query_as(concat!(
        "select ",
        game_columns!(),
        " from games where game_id = any($1)"
    ))
    .bind(ids)
    .fetch_all(db)
    .await
}

/// The packed log, if it is packed.
pub async fn packed_log(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<Option<Vec<u8>>> {
    sqlx::query_scalar("select packed_log from games where game_id = $1")
        .bind(game_id)
        .fetch_one(db)
        .await
}

/// The game under its lock, which every change of it takes first.
pub async fn lock(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<Option<Game>> {
    sqlx::query_as(concat!(
        "select ",
        game_columns!(),
        " from games where game_id = $1 for no key update"
    ))
    .bind(game_id)
    .fetch_optional(db)
    .await
}

/// The game under its lock, unless somebody else has it just now.
pub async fn try_lock(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<Option<Game>> {
    sqlx::query_as(concat!(
        "select ",
        game_columns!(),
        " from games where game_id = $1 for no key update skip locked"
    ))
    .bind(game_id)
    .fetch_optional(db)
    .await
}

/// The state after new rows of the log; the version grows by one. The end of the
/// game ends its pause.
pub async fn advance(
    db: &mut PgConnection,
    game_id: Uuid,
    progress: &Progress,
) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "update games set version = version + 1, status = $2, ply = $3, turn = $4, round = $5, \
                position = $6, rounds = $7, owed_since = $8, winner = $9, reason = $10, \
                south_score = $11, north_score = $12, ended_by = $13, ended_at = $14, \
                to_move = $15, \
                paused_at = case when $14::timestamptz is null then paused_at end, \
                paused_until = case when $14::timestamptz is null then paused_until end \
         where game_id = $1 returning version",
    )
    .bind(game_id)
    .bind(&progress.status)
    .bind(progress.ply)
    .bind(progress.turn)
    .bind(progress.round)
    .bind(&progress.position)
    .bind(&progress.rounds)
    .bind(progress.owed_since)
    .bind(&progress.winner)
    .bind(&progress.reason)
    .bind(progress.south_score)
    .bind(progress.north_score)
    .bind(&progress.ended_by)
    .bind(progress.ended_at)
    .bind(&progress.to_move)
    .fetch_one(db)
    .await
}

/// Something changed that the log does not show: a secret commit, an offer.
pub async fn touch(db: &mut PgConnection, game_id: Uuid, to_move: &str) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "update games set version = version + 1, to_move = $2 where game_id = $1 returning version",
    )
    .bind(game_id)
    .bind(to_move)
    .fetch_one(db)
    .await
}

/// The game has got a rematch.
pub async fn link(db: &mut PgConnection, game_id: Uuid, next_game: Uuid) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "update games set version = version + 1, next_game = $2 where game_id = $1 returning version",
    )
    .bind(game_id)
    .bind(next_game)
    .fetch_one(db)
    .await
}

/// The game is paused since `at`, or not any more.
pub async fn pause(
    db: &mut PgConnection,
    game_id: Uuid,
    at: Option<DateTime<Utc>>,
    until: Option<DateTime<Utc>>,
) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "update games set version = version + 1, paused_at = $2, paused_until = $3 \
         where game_id = $1 returning version",
    )
    .bind(game_id)
    .bind(at)
    .bind(until)
    .fetch_one(db)
    .await
}

/// Games whose pause is over.
pub async fn resuming(db: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "select game_id from games where paused_until <= (select app_now()) \
         order by paused_until limit $1",
    )
    .bind(limit)
    .fetch_all(db)
    .await
}

/// Both seats are taken: the clock of the first choice starts.
pub async fn start(
    db: &mut PgConnection,
    game_id: Uuid,
    at: DateTime<Utc>,
    status: &str,
    to_move: &str,
) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "update games set version = version + 1, started_at = $2, owed_since = $2, \
                status = $3, to_move = $4 \
         where game_id = $1 returning version",
    )
    .bind(game_id)
    .bind(at)
    .bind(status)
    .bind(to_move)
    .fetch_one(db)
    .await
}

/// How many games there are.
pub async fn count(db: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar("select count(*) from games")
        .fetch_one(db)
        .await
}

/// Packed logs of those of these games whose log is packed.
pub async fn packed_logs(
    db: &mut PgConnection,
    ids: &[Uuid],
) -> sqlx::Result<Vec<(Uuid, Vec<u8>)>> {
    sqlx::query_as(
        "select game_id, packed_log from games where game_id = any($1) and packed_log is not null",
    )
    .bind(ids)
    .fetch_all(db)
    .await
}

/// Ids of all games after `after`, in order, at most `limit`: for `verify`.
pub async fn ids_after(db: &mut PgConnection, after: Uuid, limit: i64) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar("select game_id from games where game_id > $1 order by game_id limit $2")
        .bind(after)
        .bind(limit)
        .fetch_all(db)
        .await
}
