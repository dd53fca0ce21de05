//! Rows of `seats`, the invitations to free ones, and the secret choices of a
//! simultaneous opening.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::games::Game;

/// A seat with whoever has it. Column meanings stand in the migration.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Seat {
    pub game_id: Uuid,
    pub slot: i16,
    pub seat: Option<String>,
    pub player_id: Option<Uuid>,
    pub joined_at: Option<DateTime<Utc>>,
    /// The player's handle; none without a player, or when they left.
    pub handle: Option<String>,
    /// The player's kind, or what an imported game says; none without either.
    pub kind: Option<String>,
    /// The bot that plays for the player, and by which reference it knows them:
    /// for that bot alone.
    pub owner_id: Option<Uuid>,
    /// Not `external_ref`, which games have, too.
    #[sqlx(rename = "managed_ref")]
    pub external_ref: Option<String>,
    /// Until when the player is on holiday; none in a game that is over.
    pub vacation_until: Option<DateTime<Utc>>,
}

/// How a free seat may be taken.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Invitation {
    pub game_id: Uuid,
    pub kind: String,
    pub token_hash: Option<Vec<u8>>,
    pub expires_at: DateTime<Utc>,
}

/// A choice that waits for the other seat's. `Debug` hides the choice, so that
/// no log line can show it.
#[derive(Clone, FromRow)]
#[allow(missing_docs)]
pub struct Commit {
    pub seat: String,
    pub after_ply: i32,
    pub house: i16,
    pub message: Option<String>,
    pub elapsed_ms: i64,
    pub committed_at: DateTime<Utc>,
}

impl std::fmt::Debug for Commit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Commit")
            .field("seat", &self.seat)
            .finish_non_exhaustive()
    }
}

/// A seat of a new game.
pub async fn insert(
    db: &mut PgConnection,
    game_id: Uuid,
    slot: i16,
    seat: Option<&str>,
    player_id: Option<Uuid>,
    joined_at: Option<DateTime<Utc>>,
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into seats (game_id, slot, seat, player_id, joined_at) values ($1, $2, $3, $4, $5)",
    )
    .bind(game_id)
    .bind(slot)
    .bind(seat)
    .bind(player_id)
    .bind(joined_at)
    .execute(db)
    .await
    .map(drop)
}

/// The columns of [`Seat`], and where they come from.
macro_rules! columns {
    () => {
        "s.game_id, s.slot, s.seat, s.player_id, s.joined_at, p.handle, \
                coalesce(p.kind, case s.seat when 'south' then i.south_kind else i.north_kind end) as kind, \
                p.owner_id, p.external_ref as managed_ref, \
                case when s.live and s.joined_at is not null then p.vacation_until end as vacation_until"
    };
}
// Lateral, so that a row is looked up for each seat: of a page of games the planner would
// rather read the whole table.
macro_rules! source {
    () => {
        " from seats s \
              left join lateral (select * from players where player_id = s.player_id limit 1) p \
                        on true \
              left join lateral (select * from imports where game_id = s.game_id limit 1) i \
                        on true "
    };
}

/// The seats of these games with their players.
pub async fn of_games(db: &mut PgConnection, games: &[Uuid]) -> sqlx::Result<Vec<Seat>> {
    sqlx::query_as(concat!(
        "select ",
        columns!(),
        source!(),
        "where s.game_id = any((select $1)::uuid[]) order by s.game_id, s.slot",
    ))
    .bind(games)
    .fetch_all(db)
    .await
}

/// What else is to be looked at with a game.
#[derive(Debug, Clone, Copy, FromRow)]
pub struct Around {
    /// The database's clock.
    pub now: DateTime<Utc>,
    /// Whether an offer waits for an answer.
    pub has_offer: bool,
    /// Whether a seat has laid down lines.
    pub has_lines: bool,
}

/// The columns of [`Around`] for a game.
macro_rules! around {
    ($game:literal) => {
        concat!(
            ", (select app_now()) as now, exists (select from offers where game_id = ",
            $game,
            " and status = 'open') as has_offer, exists (select from conditionals where game_id = ",
            $game,
            ") as has_lines"
        )
    };
}

#[derive(FromRow)]
struct SeatAndAround {
    #[sqlx(flatten)]
    seat: Seat,
    #[sqlx(flatten)]
    around: Around,
}

/// The seats of a game under its lock, and what is around it; none: there are no
/// seats.
pub async fn of_locked(
    db: &mut PgConnection,
    game_id: Uuid,
) -> sqlx::Result<Option<(Vec<Seat>, Around)>> {
    let found: Vec<SeatAndAround> = sqlx::query_as(concat!(
        "select ",
        columns!(),
        around!("$1"),
        source!(),
        "where s.game_id = $1 order by s.slot",
    ))
    .bind(game_id)
    .fetch_all(db)
    .await?;
    let around = found.first().map(|one| one.around);
    Ok(around.map(|around| (found.into_iter().map(|one| one.seat).collect(), around)))
}

#[derive(FromRow)]
struct GameAndSeat {
    #[sqlx(flatten)]
    game: Game,
    #[sqlx(flatten)]
    seat: SeatAndAround,
}

/// A game with its seats and what is around it, as one moment has them.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Glance {
    pub game: Game,
    pub seats: Vec<Seat>,
    pub around: Around,
}

/// Those of these games that there are.
///
/// The planner is not shown how many they are: it would make a plan for each call, which
/// takes several times as long as the reading.
pub async fn with_games(db: &mut PgConnection, games: &[Uuid]) -> sqlx::Result<Vec<Glance>> {
    let found: Vec<GameAndSeat> = sqlx::query_as(concat!(
        "select g.*, ",
        columns!(),
        around!("s.game_id"),
        source!(),
        "join (select ",
        game_columns!(),
        " from games where game_id = any((select $1)::uuid[])) g on g.game_id = s.game_id \
         where s.game_id = any((select $1)::uuid[]) order by s.game_id, s.slot",
    ))
    .bind(games)
    .fetch_all(db)
    .await?;
    let mut glances: Vec<Glance> = Vec::with_capacity(games.len());
    for GameAndSeat { game, seat } in found {
        match glances.last_mut() {
            Some(last) if last.game.game_id == game.game_id => last.seats.push(seat.seat),
            _ => glances.push(Glance {
                game,
                seats: vec![seat.seat],
                around: seat.around,
            }),
        }
    }
    Ok(glances)
}

/// Somebody takes a seat.
pub async fn take(
    db: &mut PgConnection,
    game_id: Uuid,
    slot: i16,
    player_id: Option<Uuid>,
    at: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query("update seats set player_id = $3, joined_at = $4 where game_id = $1 and slot = $2")
        .bind(game_id)
        .bind(slot)
        .bind(player_id)
        .bind(at)
        .execute(db)
        .await
        .map(drop)
}

/// Slot 1 gets `first`, slot 2 the other seat.
pub async fn draw(
    db: &mut PgConnection,
    game_id: Uuid,
    first: &str,
    second: &str,
) -> sqlx::Result<()> {
    sqlx::query("update seats set seat = case slot when 1 then $2 else $3 end where game_id = $1")
        .bind(game_id)
        .bind(first)
        .bind(second)
        .execute(db)
        .await
        .map(drop)
}

/// The game is over: it waits for nobody any more.
pub async fn retire(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<()> {
    sqlx::query("update seats set live = false where game_id = $1")
        .bind(game_id)
        .execute(db)
        .await
        .map(drop)
}

/// A free seat's invitation.
pub async fn insert_invitation(
    db: &mut PgConnection,
    game_id: Uuid,
    kind: &str,
    token_hash: Option<&[u8]>,
    expires_at: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into invitations (game_id, kind, token_hash, expires_at) values ($1, $2, $3, $4)",
    )
    .bind(game_id)
    .bind(kind)
    .bind(token_hash)
    .bind(expires_at)
    .execute(db)
    .await
    .map(drop)
}

/// The invitations of these games that nobody has taken yet.
pub async fn invitations(db: &mut PgConnection, games: &[Uuid]) -> sqlx::Result<Vec<Invitation>> {
    sqlx::query_as(
        "select game_id, kind, token_hash, expires_at from invitations \
         where game_id = any((select $1)::uuid[])",
    )
    .bind(games)
    .fetch_all(db)
    .await
}

/// Open games that would have expired while no server was there, or right after
/// it, wait as much longer.
pub async fn extend_invitations(
    db: &mut PgConnection,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query(
        "update invitations set expires_at = expires_at + ($2 - $1) \
         where expires_at > $1 and expires_at <= $2 + interval '1 hour'",
    )
    .bind(from)
    .bind(until)
    .execute(db)
    .await
    .map(drop)
}

/// The seat is taken, or the game is over.
pub async fn delete_invitation(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<()> {
    sqlx::query("delete from invitations where game_id = $1")
        .bind(game_id)
        .execute(db)
        .await
        .map(drop)
}

/// A secret choice.
pub async fn insert_commit(
    db: &mut PgConnection,
    game_id: Uuid,
    commit: &Commit,
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into commits (game_id, seat, after_ply, house, message, elapsed_ms, committed_at) \
         values ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(game_id)
    .bind(&commit.seat)
    .bind(commit.after_ply)
    .bind(commit.house)
    .bind(&commit.message)
    .bind(commit.elapsed_ms)
    .bind(commit.committed_at)
    .execute(db)
    .await
    .map(drop)
}

/// The choices that wait in a game: for `play` alone, never for an answer.
pub async fn commits(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<Vec<Commit>> {
    sqlx::query_as(
        "select seat, after_ply, house, message, elapsed_ms, committed_at \
         from commits where game_id = $1",
    )
    .bind(game_id)
    .fetch_all(db)
    .await
}

/// `(game_id, seat)` of the secret choices in these games: who has made one.
pub async fn committed(db: &mut PgConnection, ids: &[Uuid]) -> sqlx::Result<Vec<(Uuid, String)>> {
    sqlx::query_as("select game_id, seat from commits where game_id = any((select $1)::uuid[])")
        .bind(ids)
        .fetch_all(db)
        .await
}

/// Revealed, or the game ended before that: the secret choices go.
pub async fn delete_commits(db: &mut PgConnection, game_id: Uuid) -> sqlx::Result<()> {
    sqlx::query("delete from commits where game_id = $1")
        .bind(game_id)
        .execute(db)
        .await
        .map(drop)
}
