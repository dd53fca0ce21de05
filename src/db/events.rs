//! The event log: written with a change, given positions after it, read by
//! cursor.

use std::collections::HashMap;

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

/// Writes events of a game in this order and queues them, under the game's lock.
pub async fn record(
    db: &mut PgConnection,
    game_id: Uuid,
    facts: &[Fact<'_>],
    at: DateTime<Utc>,
) -> sqlx::Result<()> {
    let kinds: Vec<&str> = facts.iter().map(|fact| fact.kind.as_str()).collect();
    let plies: Vec<i32> = facts.iter().map(|fact| fact.ply).collect();
    let to: Vec<&str> = facts.iter().map(|fact| fact.to).collect();
    let data: Vec<&Value> = facts.iter().map(|fact| &fact.data).collect();
    sqlx::query(
        "with written as ( \
             insert into events (game_id, event_no, type, ply, seats, data, at) \
             select $1, \
                 (select coalesce(max(event_no), 0) from events where game_id = $1) + n, \
                 type, ply, case who when 'both' then array['south', 'north'] else array[who] end, \
                 data, $2 \
             from unnest($3::text[], $4::integer[], $5::text[], $6::jsonb[]) with ordinality \
                      t (type, ply, who, data, n) \
             returning game_id, event_no) \
         insert into event_queue (game_id, event_no) \
         select game_id, event_no from written order by event_no",
    )
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
             select p.position, s.player_id \
             from placed p join events e using (game_id, event_no) \
                  join seats s using (game_id) \
             where s.player_id is not null and e.only_for is null \
               and (s.joined_at is null or s.joined_at <= e.at \
                    or e.data ->> 'invitation' = 'player') \
             union all \
             select p.position, e.only_for \
             from placed p join events e using (game_id, event_no) \
             where e.only_for is not null), \
         readers as ( \
             insert into event_readers (player_id, position, own) \
             select reader, position, bool_or(own) from ( \
                 select player_id as reader, position, true as own from told \
                 union all \
                 select p.owner_id, t.position, false \
                 from told t join players p using (player_id) where p.owner_id is not null) all_told \
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

/// Whose events somebody reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    /// A player's, in all games.
    Player(Uuid),
    /// A bot's, and of everybody it plays for.
    Bot(Uuid),
    /// One game's.
    Game(Uuid),
}

/// A part of somebody's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Page {
    /// Whose log.
    pub audience: Audience,
    /// What comes after this position.
    pub after: i64,
    /// Events at most, and no more than 200.
    pub limit: i64,
}

#[derive(FromRow)]
struct OfPage {
    n: i64,
    #[sqlx(flatten)]
    event: Event,
}

// The planner is told of the limit that none exceeds: it would sort whole logs for one
// that it cannot see.
macro_rules! pages {
    ($from:literal) => {
        concat!(
            "select n, page.* \
             from unnest((select $1)::uuid[], (select $2)::boolean[], (select $3)::bigint[], \
                         (select $4)::bigint[]) with ordinality asked (id, managed, after, most, n) \
                  cross join lateral (select * from ( \
                      select position, game_id, event_no, type, ply, seats, data, at ",
            $from,
            " limit 200) most order by position limit asked.most) page \
             order by n, position"
        )
    };
}

/// What [`Page`]s hold; those without events are left out.
pub async fn pages(
    db: &mut PgConnection,
    pages: &[Page],
) -> sqlx::Result<HashMap<Page, Vec<Event>>> {
    const OF_PLAYERS: &str = pages!(
        "from event_readers r join event_log l using (position) \
              join events e using (game_id, event_no) \
         where r.player_id = asked.id and r.position > asked.after and (r.own or asked.managed) \
         order by r.position"
    );
    const OF_GAMES: &str = pages!(
        "from event_log l join events e using (game_id, event_no) \
         where l.game_id = asked.id and l.position > asked.after and e.only_for is null \
         order by l.position"
    );
    let of_game = |page: &Page| matches!(page.audience, Audience::Game(_));
    let (games, players): (Vec<Page>, Vec<Page>) = pages.iter().partition(|page| of_game(page));
    let mut found: HashMap<Page, Vec<Event>> = HashMap::new();
    for (query, pages) in [(OF_PLAYERS, players), (OF_GAMES, games)] {
        if pages.is_empty() {
            continue;
        }
        let asked = pages.iter().map(|page| match page.audience {
            Audience::Player(id) | Audience::Game(id) => (id, false),
            Audience::Bot(id) => (id, true),
        });
        let (ids, managed): (Vec<Uuid>, Vec<bool>) = asked.unzip();
        let after: Vec<i64> = pages.iter().map(|page| page.after).collect();
        let limits: Vec<i64> = pages.iter().map(|page| page.limit).collect();
        let events: Vec<OfPage> = sqlx::query_as(query)
            .bind(ids)
            .bind(managed)
            .bind(after)
            .bind(limits)
            .fetch_all(&mut *db)
            .await?;
        for OfPage { n, event } in events {
            let page = usize::try_from(n - 1).ok().and_then(|at| pages.get(at));
            if let Some(page) = page {
                found.entry(*page).or_default().push(event);
            }
        }
    }
    Ok(found)
}
