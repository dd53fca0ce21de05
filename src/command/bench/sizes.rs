//! How much room a finished game takes, each part named.

use sqlx::PgConnection;

/// Everything that the games are stored in: tables, what overflows them, indexes.
const PARTS: &str = "select part, sum(bytes)::float8 / $1 \
     from (select pg_relation_size(c.oid) as bytes, \
                  case c.relkind when 'i' then t.relname || ': index ' || c.relname \
                                 when 't' then 'toast ' || c.relname \
                                 else c.relname end as part \
           from pg_class c \
                left join pg_index i on i.indexrelid = c.oid \
                left join pg_class t on t.oid = i.indrelid \
           where c.relkind in ('r', 'i', 't') \
             and c.relnamespace in ('public'::regnamespace, 'pg_toast'::regnamespace)) parts \
     group by part order by 2 desc";

/// Bytes a game of `games` in each part, the largest first.
pub(super) async fn parts(db: &mut PgConnection, games: u64) -> sqlx::Result<Vec<(String, f64)>> {
    sqlx::query_as(PARTS).bind(games as f64).fetch_all(db).await
}

/// Bytes of a packed log on average, which are a part of `games`.
pub(super) async fn packed(db: &mut PgConnection) -> sqlx::Result<f64> {
    sqlx::query_scalar("select coalesce(avg(octet_length(packed_log))::float8, 0) from games")
        .fetch_one(db)
        .await
}
