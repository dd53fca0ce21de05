//! The event log: written with a change, and given positions after it.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// An event of a game. Column meanings stand in the migration.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Event {
    pub position: i64,
    pub game_id: Uuid,
    pub event_no: i32,
    #[sqlx(rename = "type")]
    pub kind: String,
    pub ply: i32,
    pub seats: Vec<String>,
    pub data: Value,
    pub at: DateTime<Utc>,
}

macro_rules! kinds {
    ($($name:ident $word:literal)*) => {
        /// The types of events.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Kind { $($name),* }

        impl Kind {
            /// All of them.
            pub const ALL: &[Kind] = &[$(Kind::$name),*];

            /// The word that is stored and told.
            pub fn as_str(self) -> &'static str {
                match self { $(Kind::$name => $word),* }
            }
        }
    };
}

kinds! {
    GameCreated "game.created"
    GameStarted "game.started"
    TurnStarted "turn.started"
    MovePlayed "move.played"
    OfferMade "offer.made"
    OfferAnswered "offer.answered"
    DeadlineNear "deadline.near"
    DeadlineMoved "deadline.moved"
    GameFinished "game.finished"
    GameAborted "game.aborted"
    WebhookDisabled "webhook.disabled"
}

/// An event that has got its position, and the players who read it.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Placed {
    pub position: i64,
    pub game_id: Uuid,
    pub players: Vec<Uuid>,
}

/// An event of one game that is to be written.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Fact<'a> {
    pub kind: Kind,
    pub ply: i32,
    /// The seat it is for, or `both`.
    pub to: &'a str,
    pub data: Value,
}

/// Facts as a statement takes them.
pub(super) struct Columns<'a> {
    pub(super) kinds: Vec<&'a str>,
    pub(super) plies: Vec<i32>,
    pub(super) to: Vec<&'a str>,
    pub(super) data: Vec<&'a Value>,
}

impl<'a> Columns<'a> {
    pub(super) fn of(facts: &'a [Fact<'_>]) -> Columns<'a> {
        Columns {
            kinds: facts.iter().map(|fact| fact.kind.as_str()).collect(),
            plies: facts.iter().map(|fact| fact.ply).collect(),
            to: facts.iter().map(|fact| fact.to).collect(),
            data: facts.iter().map(|fact| &fact.data).collect(),
        }
    }
}

/// Writes events of a game in this order and queues them, under the game's lock.
pub async fn record(
    db: &mut PgConnection,
    game_id: Uuid,
    facts: &[Fact<'_>],
    at: DateTime<Utc>,
) -> sqlx::Result<()> {
    let Columns {
        kinds,
        plies,
        to,
        data,
    } = Columns::of(facts);
    sqlx::query(concat!(
        "with written as (",
        next_events!(
            "",
            "$2",
            "$3::text[], $4::integer[], $5::text[], $6::jsonb[]"
        ),
        ") insert into event_queue (game_id, event_no) \
         select game_id, event_no from written order by event_no",
    ))
    .bind(game_id)
    .bind(at)
    .bind(kinds)
    .bind(plies)
    .bind(to)
    .bind(data)
    .execute(db)
    .await
    .map(drop)
}

/// The same for an event that one player alone may read.
pub async fn record_for(
    db: &mut PgConnection,
    player_id: Uuid,
    game_id: Uuid,
    kind: Kind,
    data: &Value,
    at: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query(
        "with written as ( \
             insert into events (game_id, event_no, type, ply, seats, data, at, only_for) \
             select $1, coalesce(max(event_no), 0) + 1, $2, \
                    (select ply from games where game_id = $1), \
                    array(select seat from seats \
                          where game_id = $1 and player_id = $5 and seat is not null), $3, $4, $5 \
             from events where game_id = $1 returning game_id, event_no) \
         insert into event_queue (game_id, event_no) select game_id, event_no from written",
    )
    .bind(game_id)
    .bind(kind.as_str())
    .bind(data)
    .bind(at)
    .bind(player_id)
    .execute(db)
    .await
    .map(drop)
}

/// An event that is told of many games at once.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Told {
    pub game_id: Uuid,
    /// The seat it is for, or `both`.
    pub to: String,
    pub data: Value,
}

/// Writes and queues events of one type, under the locks of their games.
pub async fn record_all(
    db: &mut PgConnection,
    kind: Kind,
    told: &[Told],
    at: DateTime<Utc>,
) -> sqlx::Result<()> {
    let games: Vec<Uuid> = told.iter().map(|told| told.game_id).collect();
    let to: Vec<&str> = told.iter().map(|told| told.to.as_str()).collect();
    let data: Vec<&Value> = told.iter().map(|told| &told.data).collect();
    sqlx::query(
        "with written as ( \
             insert into events (game_id, event_no, type, ply, seats, data, at) \
             select game_id, \
                 (select coalesce(max(event_no), 0) from events e where e.game_id = t.game_id) \
                     + row_number() over (partition by game_id order by n), \
                 $1, g.ply, case t.who when 'both' then array['south', 'north'] else array[t.who] end, \
                 t.data, $2 \
             from unnest($3::uuid[], $4::text[], $5::jsonb[]) with ordinality t (game_id, who, data, n) \
                  join games g using (game_id) \
             returning game_id, event_no) \
         insert into event_queue (game_id, event_no) \
         select game_id, event_no from written order by game_id, event_no",
    )
    .bind(kind.as_str())
    .bind(at)
    .bind(games)
    .bind(to)
    .bind(data)
    .execute(db)
    .await
    .map(drop)
}

/// The lock that exactly one server at a time holds for giving positions.
const SEQUENCER: i64 = 0x6d61_6e63_616c_6101;

/// Takes the sequencer's lock for as long as this connection lives.
pub async fn try_become_sequencer(db: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar("select pg_try_advisory_lock($1)")
        .bind(SEQUENCER)
        .fetch_one(db)
        .await
}

/// Gives positions to at most `limit` queued events; how many there were. Only
/// the connection that holds the sequencer's lock may call this.
///
/// A player reads what was told since they joined, and the invitation by name,
/// however late the events get their positions.
///
/// Lateral, so that rows are looked up however many the planner expects.
pub async fn place(db: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
    sqlx::query(
        "with taken as ( \
             delete from event_queue where queue_no in ( \
                 select queue_no from event_queue order by queue_no limit $1) \
             returning game_id, event_no, queue_no), \
         placed as ( \
             insert into event_log (position, game_id, event_no) \
             select (select coalesce(max(position), 0) from event_log) \
                    + row_number() over (order by queue_no), game_id, event_no \
             from taken returning position, game_id, event_no), \
         told as ( \
             select position, coalesce(only_for, s.player_id) as player_id \
             from placed p cross join lateral (select at, data, only_for from events e \
                      where e.game_id = p.game_id and e.event_no = p.event_no limit 1) e \
                  cross join lateral (select player_id, joined_at from seats s \
                      where s.game_id = p.game_id offset 0) s \
             where only_for is not null \
                or s.player_id is not null \
                   and (s.joined_at is null or s.joined_at <= e.at \
                        or e.data ->> 'invitation' = 'player')), \
         readers as ( \
             insert into event_readers (player_id, position, own) \
             select reader, position, bool_or(own) from ( \
                 select player_id as reader, position, true as own from told \
                 union all \
                 select p.owner_id, t.position, false \
                 from told t cross join lateral (select owner_id from players p \
                      where p.player_id = t.player_id limit 1) p \
                 where p.owner_id is not null) all_told \
             group by reader, position) \
         select count(*) from placed",
    )
    .bind(limit)
    .fetch_one(db)
    .await
    .and_then(|row| sqlx::Row::try_get::<i64, _>(&row, 0))
    .map(i64::unsigned_abs)
}

/// Wakes whoever listens to a channel; it tells nothing.
pub async fn wake(db: &mut PgConnection, channel: &str) -> sqlx::Result<()> {
    sqlx::query("select pg_notify($1, '')")
        .bind(channel)
        .execute(db)
        .await
        .map(drop)
}

/// Where the log ends.
#[derive(Debug, Clone, Copy, FromRow)]
#[allow(missing_docs)]
pub struct Head {
    pub position: i64,
    pub epoch: i32,
}

/// The last position, and the log's epoch.
pub async fn head(db: &mut PgConnection) -> sqlx::Result<Head> {
    sqlx::query_as(
        "select coalesce((select max(position) from event_log), 0) as position, epoch \
         from event_epoch",
    )
    .fetch_one(db)
    .await
}

/// The log was set back in time: cursors from before are void.
pub async fn raise_epoch(db: &mut PgConnection) -> sqlx::Result<i32> {
    sqlx::query_scalar("update event_epoch set epoch = epoch + 1 returning epoch")
        .fetch_one(db)
        .await
}

/// What has got a position after `after`, and for whom.
pub async fn placed_after(
    db: &mut PgConnection,
    after: i64,
    limit: i64,
) -> sqlx::Result<Vec<Placed>> {
    sqlx::query_as(
        "select l.position, l.game_id, \
                array(select player_id from event_readers r where r.position = l.position) as players \
         from event_log l where l.position > $1 order by l.position limit $2",
    )
    .bind(after)
    .bind(limit)
    .fetch_all(db)
    .await
}

/// A player's event at a position.
pub async fn at(
    db: &mut PgConnection,
    player_id: Uuid,
    position: i64,
) -> sqlx::Result<Option<Event>> {
    sqlx::query_as(
        "select position, game_id, event_no, type, ply, seats, data, at \
         from event_readers r join event_log l using (position) \
              join events e using (game_id, event_no) \
         where r.player_id = $1 and r.position = $2",
    )
    .bind(player_id)
    .bind(position)
    .fetch_optional(db)
    .await
}
