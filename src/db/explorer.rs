//! What followed on positions: the counts of `frequent_positions`, and counts made
//! from the index of `records` for all others.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::search::{Filter, bind, of_game, of_record};

/// Games that a tally names.
pub const SAMPLES: usize = 3;

/// Games in which a position occurred, each once: a row as `frequent_positions` has
/// it.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[allow(missing_docs)]
pub struct Tally {
    pub key: i64,
    /// All of them: empty. Those in which this was chosen there: a letter, or two.
    pub choice: String,
    pub games: i32,
    pub south: i32,
    pub north: i32,
    pub plies: i64,
    pub last_at: DateTime<Utc>,
    /// The newest, the newest first.
    pub samples: Vec<Uuid>,
}

impl Tally {
    /// No game yet.
    #[must_use]
    pub fn none(key: i64, choice: &str) -> Tally {
        Tally {
            key,
            choice: choice.into(),
            games: 0,
            south: 0,
            north: 0,
            plies: 0,
            last_at: DateTime::<Utc>::MIN_UTC,
            samples: Vec::new(),
        }
    }
}

/// Which of these positions are frequent.
pub async fn frequent(db: &mut PgConnection, keys: &[i64]) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar("select key from frequent_positions where key = any($1) and choice = ''")
        .bind(keys)
        .fetch_all(db)
        .await
}

/// Adds to what is counted of frequent positions.
pub async fn count_on(db: &mut PgConnection, tallies: &[Tally]) -> sqlx::Result<()> {
    // Arrays of arrays have one length only: the samples travel as text.
    let samples = tallies.iter().map(|tally| {
        let ids: Vec<String> = tally.samples.iter().map(Uuid::to_string).collect();
        format!("{{{}}}", ids.join(","))
    });
    sqlx::query(
        "insert into frequent_positions as f \
             (key, choice, games, south, north, plies, last_at, samples) \
         select key, choice, games, south, north, plies, last_at, samples::uuid[] \
         from unnest($1::bigint[], $2::text[], $3::integer[], $4::integer[], $5::integer[], \
                     $6::bigint[], $7::timestamptz[], $8::text[]) \
              as t (key, choice, games, south, north, plies, last_at, samples) \
         on conflict (key, choice) do update \
             set games = f.games + excluded.games, south = f.south + excluded.south, \
                 north = f.north + excluded.north, plies = f.plies + excluded.plies, \
                 last_at = greatest(f.last_at, excluded.last_at), \
                 samples = array(select id from unnest(f.samples || excluded.samples) id \
                                 order by id desc limit $9)",
    )
    .bind(tallies.iter().map(|t| t.key).collect::<Vec<_>>())
    .bind(
        tallies
            .iter()
            .map(|t| t.choice.as_str())
            .collect::<Vec<_>>(),
    )
    .bind(tallies.iter().map(|t| t.games).collect::<Vec<_>>())
    .bind(tallies.iter().map(|t| t.south).collect::<Vec<_>>())
    .bind(tallies.iter().map(|t| t.north).collect::<Vec<_>>())
    .bind(tallies.iter().map(|t| t.plies).collect::<Vec<_>>())
    .bind(tallies.iter().map(|t| t.last_at).collect::<Vec<_>>())
    .bind(samples.collect::<Vec<_>>())
    .bind(SAMPLES as i64)
    .execute(db)
    .await
    .map(drop)
}

/// What was chosen in the position `w.key` in the record `r`: `w.houses` letters at a
/// time, and the empty choice always. Where two are chosen both have the same key.
macro_rules! choices {
    () => {
        "(select '' as choice \
          union select substr(r.line, place::integer, w.houses) \
                from unnest(array_positions(r.keys, w.key)) with ordinality p (place, nth) \
                where w.houses = 1 or w.houses = 2 and nth = 1) c"
    };
}

/// The columns of a tally, over records `r` with their choices `c`.
macro_rules! counts {
    () => {
        "w.key, c.choice, count(*)::integer as games, \
         (count(*) filter (where r.winner = 's'))::integer as south, \
         (count(*) filter (where r.winner = 'n'))::integer as north, \
         sum(r.plies)::bigint as plies, max(r.ended_at) as last_at, \
         (array_agg(r.game_id order by r.game_id desc))[1:3] as samples"
    };
}

/// The records in which the position `w.key` occurred, found before anything else is
/// looked at: whatever the planner expects, the index is its only way there.
macro_rules! records_with_it {
    () => {
        "(select r.game_id, r.ended_at, r.plies, r.winner, r.line, r.keys from records r \
          where r.keys @> array[w.key] offset 0) r"
    };
}

/// Counts those of these positions that occur in `games` games or more, from all
/// records, to be counted on from now on. With each the houses that are chosen there
/// at a time: one, or two.
pub async fn begin_counting(
    db: &mut PgConnection,
    keys: &[i64],
    houses: &[i32],
    games: i64,
) -> sqlx::Result<()> {
    sqlx::query(concat!(
        "insert into frequent_positions \
             (key, choice, games, south, north, plies, last_at, samples) \
         select ",
        counts!(),
        " from (select * from unnest($1::bigint[], $2::integer[]) as w (key, houses) \
                where $3 <= (select count(*) from (select from records r \
                                 where r.keys @> array[w.key] limit $3) found) \
                offset 0) w \
          cross join lateral ",
        records_with_it!(),
        " cross join lateral ",
        choices!(),
        " group by w.key, c.choice",
    ))
    .bind(keys)
    .bind(houses)
    .bind(games)
    .execute(db)
    .await
    .map(drop)
}

/// Tallies of some positions, and the number of the last record that they count.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Tallies {
    pub last_record: i64,
    pub tallies: Vec<Tally>,
}

/// A row of an answer: there is one even when nothing is found.
#[derive(FromRow)]
struct Found {
    last_record: i64,
    key: Option<i64>,
    choice: Option<String>,
    games: Option<i32>,
    south: Option<i32>,
    north: Option<i32>,
    plies: Option<i64>,
    last_at: Option<DateTime<Utc>>,
    samples: Option<Vec<Uuid>>,
}

impl Found {
    fn tally(self) -> Option<Tally> {
        Some(Tally {
            key: self.key?,
            choice: self.choice?,
            games: self.games?,
            south: self.south?,
            north: self.north?,
            plies: self.plies?,
            last_at: self.last_at?,
            samples: self.samples?,
        })
    }
}

fn tallies(found: Vec<Found>) -> Tallies {
    Tallies {
        last_record: found.first().map_or(0, |found| found.last_record),
        tallies: found.into_iter().filter_map(Found::tally).collect(),
    }
}

/// Tallies of the positions $1, each of them named once, with the houses that are
/// asked about at a time ($2): none, one, or two. As in `seats::with_games`, the planner is
/// not shown how many they are.
pub const TALLIES: &str = concat!(
    "with wanted as materialized \
         (select * from unnest((select $1)::bigint[], (select $2)::integer[]) as w (key, houses)), \
     kept as materialized \
         (select f.* from wanted w join frequent_positions f using (key) \
          where f.choice = '' or w.houses > 0), \
     counted as materialized (select ",
    counts!(),
    " from wanted w cross join lateral ",
    records_with_it!(),
    " cross join lateral ",
    choices!(),
    " where not exists (select from kept where kept.key = w.key) group by w.key, c.choice) \
     select n.last_record, t.* \
     from (select coalesce(max(record_no), 0) as last_record from records) n \
          left join (select key, choice, games, south, north, plies, last_at, samples from kept \
                     union all select * from counted) t on true",
);

/// [`TALLIES`], as one moment has them.
pub async fn tallies_of(
    db: &mut PgConnection,
    keys: &[i64],
    houses: &[i32],
) -> sqlx::Result<Tallies> {
    let found = sqlx::query_as(TALLIES).bind(keys).bind(houses);
    Ok(tallies(found.fetch_all(db).await?))
}

/// As [`tallies_of`], of the games alone that fit the filter: each of them is read.
pub async fn tallies_of_some(
    db: &mut PgConnection,
    filter: &Filter,
    keys: &[i64],
    houses: &[i32],
) -> sqlx::Result<Tallies> {
    let query = sqlx::query_as(concat!(
        "select n.last_record, t.* \
         from (select coalesce(max(record_no), 0) as last_record from records) n \
              left join (select ",
        counts!(),
        " from records r join games g using (game_id) \
               cross join unnest($27::bigint[], $28::integer[]) as w (key, houses) \
               cross join lateral ",
        choices!(),
        " where r.keys && $27 and w.key = any(r.keys) and ",
        of_record!(),
        " and ",
        of_game!(),
        " group by w.key, c.choice) t on true",
    ));
    let found = bind!(query, filter).bind(keys).bind(houses);
    Ok(tallies(found.fetch_all(db).await?))
}
