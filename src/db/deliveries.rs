//! Rows of `webhook_deliveries`: events of the log on their way to a webhook.
//!
//! Of those that are pending in one game for one webhook only the first has a
//! time, so that looking for what is due costs nothing for what waits. Whatever
//! may make another one the first works under [`settle_lines`] or
//! [`change_lines`].

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// A delivery. Column meanings stand in the migration.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Delivery {
    pub webhook_id: Uuid,
    pub position: i64,
    pub game_id: Uuid,
    #[sqlx(rename = "type")]
    pub kind: String,
    pub status: String,
    pub attempts: i32,
    pub next_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub tried_at: Option<DateTime<Utc>>,
    pub last_status: Option<i32>,
    pub last_error: Option<String>,
    pub last_ms: Option<i32>,
    pub delivered_at: Option<DateTime<Utc>>,
}

/// A delivery that this server is to make now.
#[derive(Debug, Clone, FromRow)]
#[allow(missing_docs)]
pub struct Claimed {
    pub webhook_id: Uuid,
    pub player_id: Uuid,
    /// Also the games of those whom the player plays for.
    pub all: bool,
    pub position: i64,
    pub game_id: Uuid,
    pub url: String,
    pub language: String,
    /// Counts this attempt, from 1.
    pub attempts: i32,
    /// By the database's clock.
    pub now: DateTime<Utc>,
}

/// How an attempt went.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Tried {
    pub status: Option<i32>,
    /// None: it has arrived.
    pub error: Option<String>,
    pub ms: i32,
}

/// How much is claimed, and for how long.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct Claim {
    pub seconds: i32,
    pub at_most: i64,
    pub each_webhook: i64,
    pub each_player: i64,
}

const COLUMNS: &str = "webhook_id, position, game_id, type, status, attempts, next_at, created_at, \
     tried_at, last_status, last_error, last_ms, delivered_at";

/// The lock on the order of deliveries.
const LINES: i64 = 0x6d61_6e63_616c_6109;

/// Keeps others from adding to what is pending until the transaction ends.
pub async fn settle_lines(db: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("select pg_advisory_xact_lock_shared($1)")
        .bind(LINES)
        .execute(db)
        .await
        .map(drop)
}

/// Keeps others from changing what is pending until the transaction ends.
pub async fn change_lines(db: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("select pg_advisory_xact_lock($1)")
        .bind(LINES)
        .execute(db)
        .await
        .map(drop)
}

/// Up to where the log has been dealt out.
pub async fn dealt(db: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar("select position from webhook_cursor")
        .fetch_one(db)
        .await
}

/// Whether there is more of the log than has been dealt out.
pub async fn is_behind(db: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        // Not whether a later one exists: the planner would look for it from the log's start.
        "select coalesce((select max(position) from event_log) > position, false) \
         from webhook_cursor",
    )
    .fetch_one(db)
    .await
}

/// Deals out the next `limit` positions of the log to the webhooks that want
/// them; how many positions those were. Under [`change_lines`].
pub async fn deal(db: &mut PgConnection, limit: i64) -> sqlx::Result<i64> {
    // Nobody waits for it: what a crash takes back is dealt out again.
    sqlx::query("set local synchronous_commit = off")
        .execute(&mut *db)
        .await?;
    let after = dealt(db).await?;
    let up_to: Option<i64> = sqlx::query_scalar(
        "select max(position) from \
             (select position from event_log where position > $1 order by position limit $2) next",
    )
    .bind(after)
    .bind(limit)
    .fetch_one(&mut *db)
    .await?;
    let Some(up_to) = up_to else { return Ok(0) };
    sqlx::query(
        "insert into webhook_deliveries (webhook_id, position, game_id, type, status, next_at, created_at) \
         select webhook_id, position, game_id, type, 'pending', \
                case when is_first and not exists ( \
                    select from webhook_deliveries d where d.webhook_id = found.webhook_id \
                    and d.game_id = found.game_id and d.status = 'pending') then app_now() end, \
                app_now() \
         from (select w.webhook_id, l.position, e.game_id, e.type, \
                      row_number() over (partition by w.webhook_id, e.game_id order by l.position) = 1 as is_first \
               from event_readers r \
                    cross join lateral (select * from webhooks w \
                                        where w.player_id = r.player_id offset 0) w \
                    cross join lateral (select * from event_log l \
                                        where l.position = r.position limit 1) l \
                    cross join lateral (select * from events e \
                                        where e.game_id = l.game_id and e.event_no = l.event_no \
                                        limit 1) e \
               where r.position > $1 and r.position <= $2 and r.position > w.from_position \
                 and w.disabled_at is null and (r.own or w.scope = 'all') \
                 and (w.game_id is null or w.game_id = e.game_id) \
                 and (w.events is null or e.type = any(w.events))) found \
         on conflict do nothing",
    )
    .bind(after)
    .bind(up_to)
    .execute(&mut *db)
    .await?;
    sqlx::query("update webhook_cursor set position = $1")
        .bind(up_to)
        .execute(db)
        .await?;
    Ok(up_to - after)
}

/// Takes what is due, for a while: an attempt each. Earlier events of the same
/// game go first, and no webhook or player takes all the room.
pub async fn claim(db: &mut PgConnection, claim: Claim) -> sqlx::Result<Vec<Claimed>> {
    sqlx::query_as(
        "with busy as ( \
             select d.webhook_id, w.player_id, count(*) as n \
             from webhook_deliveries d join webhooks w using (webhook_id) \
             where d.lease_until > (select app_now()) group by 1, 2), \
         ranked as ( \
             select d.webhook_id, d.position, \
                    coalesce((select n from busy b where b.webhook_id = d.webhook_id), 0) + row_number() \
                        over (partition by d.webhook_id order by d.next_at, d.position) as of_webhook, \
                    coalesce((select sum(n) from busy b where b.player_id = w.player_id), 0) + row_number() \
                        over (partition by w.player_id order by d.next_at, d.position) as of_player \
             from webhook_deliveries d join webhooks w using (webhook_id) \
             where d.next_at <= (select app_now()) \
               and (d.lease_until is null or d.lease_until <= (select app_now())) \
               and w.disabled_at is null \
               and not exists (select from webhook_deliveries e \
                               where e.webhook_id = d.webhook_id and e.game_id = d.game_id \
                                 and e.status = 'pending' and e.position < d.position)), \
         taken as ( \
             select d.webhook_id, d.position \
             from webhook_deliveries d join ranked r using (webhook_id, position) \
             where r.of_webhook <= $3 and r.of_player <= $4 \
               and d.next_at <= (select app_now()) \
               and (d.lease_until is null or d.lease_until <= (select app_now())) \
             order by r.of_player, d.next_at limit $2 for update of d skip locked) \
         update webhook_deliveries d \
         set attempts = d.attempts + 1, lease_until = app_now() + make_interval(secs => $1) \
         from taken t join webhooks w using (webhook_id) \
         where d.webhook_id = t.webhook_id and d.position = t.position \
         returning d.webhook_id, w.player_id, w.scope = 'all' as \"all\", d.position, d.game_id, w.url, w.language, d.attempts, \
                   app_now() as now",
    )
    .bind(claim.seconds)
    .bind(claim.at_most)
    .bind(claim.each_webhook)
    .bind(claim.each_player)
    .fetch_all(db)
    .await
}

/// Stores how the attempt went that was claimed as `claimed`: a next one at
/// `next_at`, or it is over. False when somebody else has claimed it since, or
/// it is not there any more.
pub async fn record(
    db: &mut PgConnection,
    claimed: &Claimed,
    tried: &Tried,
    next_at: Option<DateTime<Utc>>,
) -> sqlx::Result<bool> {
    sqlx::query(
        "update webhook_deliveries \
         set status = case when $5::text is null then 'delivered' \
                           when $7::timestamptz is null then 'failed' else 'pending' end, \
             next_at = $7, lease_until = null, tried_at = app_now(), \
             last_status = $4, last_error = $5, last_ms = $6, \
             delivered_at = case when $5 is null then app_now() end \
         where webhook_id = $1 and position = $2 and attempts = $3 and lease_until is not null",
    )
    .bind(claimed.webhook_id)
    .bind(claimed.position)
    .bind(claimed.attempts)
    .bind(tried.status)
    .bind(&tried.error)
    .bind(tried.ms)
    .bind(next_at)
    .execute(db)
    .await
    .map(|done| done.rows_affected() == 1)
}

/// Gives the first that is pending in each game its time: in one game, or in
/// all that the webhook has.
pub async fn open_lines(
    db: &mut PgConnection,
    webhook_id: Uuid,
    game_id: Option<Uuid>,
) -> sqlx::Result<()> {
    sqlx::query(
        "update webhook_deliveries d set next_at = app_now() \
         from (select game_id, min(position) as position from webhook_deliveries \
               where webhook_id = $1 and status = 'pending' and ($2::uuid is null or game_id = $2) \
               group by game_id) first \
         where d.webhook_id = $1 and d.position = first.position and d.next_at is null",
    )
    .bind(webhook_id)
    .bind(game_id)
    .execute(db)
    .await
    .map(drop)
}

/// Nothing of the webhook is due until its lines are opened again.
pub async fn close_lines(db: &mut PgConnection, webhook_id: Uuid) -> sqlx::Result<()> {
    sqlx::query(
        "update webhook_deliveries set next_at = null where webhook_id = $1 and next_at is not null",
    )
    .bind(webhook_id)
    .execute(db)
    .await
    .map(drop)
}

/// The positions after `after` that the webhook wants, as far as the log is dealt
/// out, whether it has had them or not.
pub async fn wanted_after(
    db: &mut PgConnection,
    webhook_id: Uuid,
    after: i64,
    limit: i64,
) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar(
        "select r.position \
         from webhooks w join event_readers r using (player_id) join event_log l using (position) \
              join events e on e.game_id = l.game_id and e.event_no = l.event_no \
         where w.webhook_id = $1 and r.position > $2 \
           and r.position <= (select position from webhook_cursor) \
           and (r.own or w.scope = 'all') \
           and (w.game_id is null or w.game_id = e.game_id) \
           and (w.events is null or e.type = any(w.events)) \
         order by r.position limit $3",
    )
    .bind(webhook_id)
    .bind(after)
    .bind(limit)
    .fetch_all(db)
    .await
}

/// Makes these positions pending anew, but for those that are being sent just now.
pub async fn queue_again(
    db: &mut PgConnection,
    webhook_id: Uuid,
    positions: &[i64],
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into webhook_deliveries as d (webhook_id, position, game_id, type, status, created_at) \
         select $1, position, game_id, type, 'pending', app_now() \
         from event_log join events using (game_id, event_no) where position = any($2) \
         on conflict (webhook_id, position) do update \
         set status = 'pending', attempts = 0, next_at = null, lease_until = null, \
             delivered_at = null, created_at = excluded.created_at \
         where d.lease_until is null or d.lease_until <= app_now()",
    )
    .bind(webhook_id)
    .bind(positions)
    .execute(db)
    .await
    .map(drop)
}

/// A webhook's delivery of that position.
pub async fn find(
    db: &mut PgConnection,
    webhook_id: Uuid,
    position: i64,
) -> sqlx::Result<Option<Delivery>> {
    let find =
        format!("select {COLUMNS} from webhook_deliveries where webhook_id = $1 and position = $2");
    sqlx::query_as(sqlx::AssertSqlSafe(find))
        .bind(webhook_id)
        .bind(position)
        .fetch_optional(db)
        .await
}

/// A webhook's deliveries before a position, the newest event first; of one
/// status perhaps.
pub async fn list(
    db: &mut PgConnection,
    webhook_id: Uuid,
    status: Option<&str>,
    before: Option<i64>,
    limit: i64,
) -> sqlx::Result<Vec<Delivery>> {
    let list = format!(
        "select {COLUMNS} from webhook_deliveries where webhook_id = $1 \
         and ($2::text is null or status = $2) and ($3::bigint is null or position < $3) \
         order by position desc limit $4"
    );
    sqlx::query_as(sqlx::AssertSqlSafe(list))
        .bind(webhook_id)
        .bind(status)
        .bind(before)
        .bind(limit)
        .fetch_all(db)
        .await
}

/// Throws away what is older than thirty days, but nothing that waits in a line
/// that is open.
pub async fn sweep(db: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query(
        "delete from webhook_deliveries d where created_at < (select app_now()) - interval '30 days' \
           and (status <> 'pending' \
                or exists (select from webhooks w where w.webhook_id = d.webhook_id \
                           and w.disabled_at is not null))",
    )
    .execute(db)
    .await
    .map(drop)
}
