//! Lists of games: keyset pages, so that a list stays whole while games are
//! added.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::games::Game;

/// A player's games, newest first; `all`: the private ones too.
pub async fn of_player(
    db: &mut PgConnection,
    player_id: Uuid,
    all: bool,
    status: Option<&str>,
    before: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<Game>> {
    sqlx::query_as(concat!(
        "select ",
        game_columns!(),
        " from games \
             where game_id in (select game_id from seats where player_id = $1 \
                               and ($4::uuid is null or game_id < $4)) \
               and ($2 or visibility = 'public') \
               and ($3::text is null or status = $3) \
             order by game_id desc limit $5"
    ))
    .bind(player_id)
    .bind(all)
    .bind(status)
    .bind(before)
    .bind(limit)
    .fetch_all(db)
    .await
}

/// A game that waits for a player: until when, since when.
#[derive(Debug, FromRow)]
#[allow(missing_docs)]
pub struct Waiting {
    #[sqlx(flatten)]
    pub game: Game,
    pub due_at: Option<DateTime<Utc>>,
    pub waiting_since: DateTime<Utc>,
}

/// A place in a player's list of waiting games.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct WaitingPlace {
    pub due_at: Option<DateTime<Utc>>,
    pub since: DateTime<Utc>,
    pub game_id: Uuid,
}

/// The games that wait for a player: those that are lost first first, then
/// those in which no clock runs, longest waiting first. A choice is owed, an
/// invitation or the other seat's offer, which can be one of a rematch, is
/// unanswered.
pub async fn waiting_for(
    db: &mut PgConnection,
    player_id: Uuid,
    after: Option<WaitingPlace>,
    limit: i64,
) -> sqlx::Result<Vec<Waiting>> {
    sqlx::query_as(
        "select * from ( \
             select g.*, g.packed_log is not null as packed, d.deadline as due_at, case \
                 when s.joined_at is null then g.created_at \
                 when g.to_move in ('both', s.seat) then g.owed_since \
                 else (select min(o.made_at) from offers o \
                       where o.game_id = g.game_id and o.status = 'open' and o.seat <> s.seat) \
                 end as waiting_since \
             from seats s join games g using (game_id) \
                  left join deadlines d on d.game_id = s.game_id and d.seat = s.seat \
             where s.player_id = $1 \
               and (s.live or exists (select from offers o \
                                      where o.game_id = g.game_id and o.status = 'open'))) waiting \
         where waiting_since is not null \
           and ($3::timestamptz is null \
                or (coalesce(due_at, 'infinity'), waiting_since, game_id) \
                   > (coalesce($2::timestamptz, 'infinity'), $3, $4)) \
         order by coalesce(due_at, 'infinity'), waiting_since, game_id limit $5",
    )
    .bind(player_id)
    .bind(after.and_then(|place| place.due_at))
    .bind(after.map(|place| place.since))
    .bind(after.map(|place| place.game_id))
    .bind(limit)
    .fetch_all(db)
    .await
}

/// How many games a player has, and how many of those wait.
#[derive(Debug, FromRow)]
#[allow(missing_docs)]
pub struct Counts {
    pub my_turn: i64,
    pub invitations: i64,
    pub running: i64,
    pub over: i64,
}

/// A player's games by where they stand; `all`: the private ones too.
pub async fn counts(db: &mut PgConnection, player_id: Uuid, all: bool) -> sqlx::Result<Counts> {
    sqlx::query_as(
        "select count(*) filter (where s.live and s.joined_at is not null \
                                 and g.to_move in ('both', s.seat)) as my_turn, \
                count(*) filter (where s.live and s.joined_at is null) as invitations, \
                count(*) filter (where s.live and s.joined_at is not null) as running, \
                count(*) filter (where not s.live) as over \
         from seats s join games g using (game_id) \
         where s.player_id = $1 and ($2 or g.visibility = 'public')",
    )
    .bind(player_id)
    .bind(all)
    .fetch_one(db)
    .await
}
