//! Games by what they are and what happened in them: one filter for lists, counts,
//! exports and the explorer.
//!
//! A filter is null where nothing is asked for. The statements are not kept
//! prepared: so each is planned for its own filters, and a null one costs nothing.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::postgres::{PgArguments, Postgres};
use sqlx::query::{QueryAs, QueryScalar};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::games::Game;

/// Least and most, both included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Range {
    pub min: Option<i32>,
    pub max: Option<i32>,
}

impl Range {
    fn is_open(self) -> bool {
        self == Range::default()
    }
}

/// Which games. Private ones are never among them.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Filter {
    pub status: Option<String>,
    pub ruleset: Option<String>,
    pub revision: Option<i32>,
    /// Parameters with their values: an object that the game's contains.
    pub rules: Option<Value>,
    pub player_id: Option<Uuid>,
    /// One: of either seat. Two, in order: of both.
    pub kinds: Option<Vec<String>>,
    pub winner: Option<String>,
    pub reason: Option<String>,
    pub created_since: Option<DateTime<Utc>>,
    pub created_before: Option<DateTime<Utc>>,
    pub ended_since: Option<DateTime<Utc>>,
    pub ended_before: Option<DateTime<Utc>>,
    pub label: Option<String>,
    pub source: Option<String>,
    /// Between the two scores.
    pub margin: Range,
    // From here on only games with a record.
    pub plies: Range,
    pub rounds: Range,
    pub relay: Range,
    pub burnt: Range,
    /// The letters that the line begins with.
    pub opening: Option<String>,
    /// The key of a position that occurred.
    pub reached: Option<i64>,
}

impl Filter {
    /// Whether it asks for what only a record knows.
    fn needs_record(&self) -> bool {
        let ranges = [self.plies, self.rounds, self.relay, self.burnt];
        ranges.iter().any(|range| !range.is_open())
            || self.opening.is_some()
            || self.reached.is_some()
    }

    /// Whether it asks for games of one ruleset in which a position occurred, and for
    /// nothing else.
    fn is_of_position(&self) -> bool {
        let plain = Filter {
            status: self.status.clone(),
            ruleset: self.ruleset.clone(),
            revision: self.revision,
            rules: self.rules.clone(),
            reached: self.reached,
            ..Filter::default()
        };
        *self == plain
    }
}

/// The conditions on `g`, a row of `games`: $1 to $20.
macro_rules! of_game {
    () => {
        "g.visibility = 'public' \
         and ($1::text is null or g.status = $1) \
         and ($2::text is null or g.ruleset = $2) \
         and ($3::integer is null or g.revision = $3) \
         and ($4::jsonb is null or g.rules @> $4) \
         and ($5::uuid is null \
              or g.game_id in (select game_id from seats where player_id = $5)) \
         and ($6::text[] is null or (\
              select case cardinality($6) when 1 then $6[1] = any(array_agg(kind)) \
                                          else array_agg(kind order by kind) = $6 end \
              from (select coalesce(case s.seat when 'south' then i.south_kind \
                                                when 'north' then i.north_kind end, \
                                    p.kind, 'anonymous') as kind \
                    from seats s left join players p using (player_id) \
                         left join imports i on i.game_id = s.game_id \
                    where s.game_id = g.game_id) kinds)) \
         and ($7::text is null or g.winner = $7) \
         and ($8::text is null or g.reason = $8) \
         and ($9::timestamptz is null or g.created_at >= $9) \
         and ($10::timestamptz is null or g.created_at < $10) \
         and ($11::timestamptz is null or g.status = 'finished' and g.ended_at >= $11) \
         and ($12::timestamptz is null or g.status = 'finished' and g.ended_at < $12) \
         and ($13::text is null or g.label = $13) \
         and ($14::text is null or g.source = $14) \
         and ($15::integer is null or abs(g.south_score - g.north_score) >= $15) \
         and ($16::integer is null or abs(g.south_score - g.north_score) <= $16)"
    };
}

/// The conditions on `r`, a row of `records`: $17 to $27.
macro_rules! of_record {
    () => {
        "($17::integer is null or r.plies >= $17) \
         and ($18::integer is null or r.plies <= $18) \
         and ($19::integer is null or r.rounds >= $19) \
         and ($20::integer is null or r.rounds <= $20) \
         and ($21::integer is null or r.longest_relay >= $21) \
         and ($22::integer is null or r.longest_relay <= $22) \
         and ($23::integer is null or r.burnt >= $23) \
         and ($24::integer is null or r.burnt <= $24) \
         and ($25::text is null or left(r.line, 16) >= left($25, 16) \
                                   and left(r.line, 16) < left($25, 16) || '~' \
                                   and starts_with(r.line, $25)) \
         and ($26::bigint is null or r.keys @> array[$26])"
    };
}

/// Binds $1 to $26.
macro_rules! bind {
    ($query:expr, $filter:expr) => {{
        let filter: &Filter = $filter;
        $query
            .bind(filter.status.clone())
            .bind(filter.ruleset.clone())
            .bind(filter.revision)
            .bind(filter.rules.clone())
            .bind(filter.player_id)
            .bind(filter.kinds.clone())
            .bind(filter.winner.clone())
            .bind(filter.reason.clone())
            .bind(filter.created_since)
            .bind(filter.created_before)
            .bind(filter.ended_since)
            .bind(filter.ended_before)
            .bind(filter.label.clone())
            .bind(filter.source.clone())
            .bind(filter.margin.min)
            .bind(filter.margin.max)
            .bind(filter.plies.min)
            .bind(filter.plies.max)
            .bind(filter.rounds.min)
            .bind(filter.rounds.max)
            .bind(filter.relay.min)
            .bind(filter.relay.max)
            .bind(filter.burnt.min)
            .bind(filter.burnt.max)
            .bind(filter.opening.clone())
            .bind(filter.reached)
            .persistent(false)
    }};
}

// The explorer's as well.
pub(super) use {bind, of_game, of_record};

type Games<'q> = QueryAs<'q, Postgres, Game, PgArguments>;
type Number<'q> = QueryScalar<'q, Postgres, i64, PgArguments>;

/// Records that fit, found before anything else is looked at: without the fence the
/// planner may walk through all games in the hope that one comes soon.
macro_rules! fenced {
    () => {
        concat!(
            "(select r.game_id from records r where ",
            of_record!(),
            " offset 0)"
        )
    };
}

/// Whether the newest games in which the position occurred are sooner found by looking at
/// all games, the newest first, than by the index of positions: a page is then found after
/// about `records / games` of its length, and the index leads to all `games`. If they have
/// to be anything else as well the end of all games may be near, and only a position that
/// very many went through is worth it.
async fn is_common(db: &mut PgConnection, filter: &Filter) -> sqlx::Result<bool> {
    let Some(key) = filter.reached else {
        return Ok(false);
    };
    let common: Option<bool> = sqlx::query_scalar(
        "select games::float8 * games > 8 * records and ($2 or games > records / 10) \
         from frequent_positions, (select max(record_no) as records from records) r \
         where key = $1 and choice = ''",
    )
    .bind(key)
    .bind(filter.is_of_position())
    .fetch_optional(db)
    .await?;
    Ok(common == Some(true))
}

/// Games, the newest first.
pub async fn page(
    db: &mut PgConnection,
    filter: &Filter,
    before: Option<Uuid>,
    limit: i64,
) -> sqlx::Result<Vec<Game>> {
    let query: Games<'_> = if is_common(db, filter).await? {
        // Soon found among the newest records; games that go on have none.
        sqlx::query_as(concat!(
            "select g.* from records newest cross join lateral (select from records r \
             where r.game_id = newest.game_id and ",
            of_record!(),
            " offset 0) fits cross join lateral (select ",
            game_columns!(),
            " from games g where g.game_id = newest.game_id and ",
            of_game!(),
            " offset 0) g where ($27::uuid is null or newest.game_id < $27) \
             order by newest.game_id desc limit $28"
        ))
    } else if filter.reached.is_some() {
        // One by one: how rare a position is the planner does not know.
        sqlx::query_as(concat!(
            "select g.* from ",
            fenced!(),
            " f cross join lateral (select ",
            game_columns!(),
            " from games g where g.game_id = f.game_id and ",
            of_game!(),
            " and ($27::uuid is null or g.game_id < $27) offset 0) g \
             order by g.game_id desc limit $28"
        ))
    } else if filter.opening.is_some() {
        sqlx::query_as(concat!(
            "select ",
            game_columns!(),
            " from games g where g.game_id in ",
            fenced!(),
            " and ",
            of_game!(),
            " and ($27::uuid is null or g.game_id < $27) order by g.game_id desc limit $28"
        ))
    } else if filter.needs_record() {
        sqlx::query_as(concat!(
            "select ",
            game_columns!(),
            " from games g where exists (select from records r where r.game_id = g.game_id and ",
            of_record!(),
            ") and ",
            of_game!(),
            " and ($27::uuid is null or g.game_id < $27) order by g.game_id desc limit $28"
        ))
    } else {
        // $17 to $26 are null, and have to be somewhere.
        sqlx::query_as(concat!(
            "select ",
            game_columns!(),
            " from games g where ",
            of_game!(),
            " and coalesce($17, $18, $19, $20, $21, $22, $23, $24, 0) = 0 \
              and $25::text is null and $26::bigint is null \
              and ($27::uuid is null or g.game_id < $27) order by g.game_id desc limit $28"
        ))
    };
    bind!(query, filter)
        .bind(before)
        .bind(limit)
        .fetch_all(db)
        .await
}

/// How many games there are.
pub async fn count(db: &mut PgConnection, filter: &Filter) -> sqlx::Result<i64> {
    let query: Number<'_> = if filter.needs_record() {
        sqlx::query_scalar(concat!(
            "select count(*) from games g join records r using (game_id) where ",
            of_record!(),
            " and ",
            of_game!()
        ))
    } else {
        sqlx::query_scalar(concat!(
            "select count(*) from games g where ",
            of_game!(),
            " and coalesce($17, $18, $19, $20, $21, $22, $23, $24, 0) = 0 \
              and $25::text is null and $26::bigint is null"
        ))
    };
    bind!(query, filter).fetch_one(db).await
}

/// A game's place among the records.
#[derive(Debug, Clone, Copy, FromRow)]
#[allow(missing_docs)]
pub struct Numbered {
    pub record_no: i64,
    pub game_id: Uuid,
    /// Rows of the whole log.
    pub ply: i32,
}

/// Games with a record, in the order of their numbers `after < record_no <= until`.
pub async fn records(
    db: &mut PgConnection,
    filter: &Filter,
    after: i64,
    until: i64,
    limit: i64,
) -> sqlx::Result<Vec<Numbered>> {
    let query = sqlx::query_as(concat!(
        "select r.record_no, r.game_id, g.ply from records r join games g using (game_id) where ",
        of_record!(),
        " and ",
        of_game!(),
        " and r.record_no > $27 and r.record_no <= $28 order by r.record_no limit $29"
    ));
    bind!(query, filter)
        .bind(after)
        .bind(until)
        .bind(limit)
        .fetch_all(db)
        .await
}

/// The highest record number; 0 without any.
pub async fn last_record(db: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar("select coalesce(max(record_no), 0) from records")
        .fetch_one(db)
        .await
}
