//! Whether the server says to the database what the script of pgbench does.

use std::collections::BTreeSet;

use sqlx::PgConnection;

type Failed = Box<dyn std::error::Error>;

/// The script of a move.
pub(super) const MOVE: &str = include_str!("move.sql");
/// The script of a read.
pub(super) const READ: &str = include_str!("read.sql");

/// What the loops beside the requests say: it is said while pgbench runs, too, for the
/// server is there then and tells of what pgbench has done.
const BESIDE: [&str; 6] = [
    "event_log",
    "webhook_",
    "pg_notify",
    "deadlines",
    "unindexed",
    "snapshot",
];

/// Begins to listen.
pub(super) async fn listen(db: &mut PgConnection) -> Result<(), Failed> {
    let begin =
        "create extension if not exists pg_stat_statements; select pg_stat_statements_reset()";
    sqlx::raw_sql(begin).execute(db).await?;
    Ok(())
}

/// Compares what was said for `moves` moves with the script.
///
/// # Errors
/// What is said by one of them alone.
pub(super) async fn compare(db: &mut PgConnection, moves: usize) -> Result<(), Failed> {
    let said: Vec<(String, i64)> = sqlx::query_as(
        "select query, sum(calls)::bigint from pg_stat_statements \
         where dbid = (select oid from pg_database where datname = current_database()) \
         group by query",
    )
    .fetch_all(db)
    .await?;
    // A game that begins or ends says more, and few do.
    let often = |calls: i64| calls as f64 >= moves as f64 * 0.8;
    let said: BTreeSet<String> = said
        .into_iter()
        .filter(|(query, calls)| often(*calls) && !BESIDE.iter().any(|word| query.contains(word)))
        .map(|(query, _)| plain(&query))
        .collect();
    let script = MOVE.lines().filter(|line| !line.starts_with(['-', '\\']));
    let script: BTreeSet<String> = script.map(plain).collect();
    let more: Vec<_> = said.symmetric_difference(&script).collect();
    match more.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "the server's statements for a move are not those of move.sql; only one has: {more:#?}"
        )
        .into()),
    }
}

/// A statement with a question mark for each parameter and each constant, which
/// pg_stat_statements gives numbers.
fn plain(statement: &str) -> String {
    let statement = statement.split(" \\").next().unwrap_or_default();
    let mut words = Vec::new();
    let mut rest = statement.trim_end_matches(';').trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, after) = match first {
            '\'' => {
                let end = rest[1..].find('\'').map_or(rest.len(), |end| end + 2);
                ("?", &rest[end..])
            }
            ':' if rest.starts_with("::") => rest.split_at(2),
            '$' | ':' => ("?", rest[1..].trim_start_matches(is_letter)),
            _ if is_letter(first) => {
                let word = rest.split(|letter| !is_letter(letter)).next();
                let (word, after) = rest.split_at(word.map_or(1, str::len));
                let constant = first.is_ascii_digit()
                    || ["true", "false"].contains(&word)
                    || word == "null" && !is_test(&words);
                (if constant { "?" } else { word }, after)
            }
            _ => rest.split_at(first.len_utf8()),
        };
        words.push(word);
        rest = after.trim_start();
    }
    let mut text = words.join(" ");
    // What pgbench has to make of numbers is a parameter for the server.
    for made in [
        "decode ( lpad ( ? :: text , ? , ? ) , ? )",
        "array [ ? , ? ]",
        "array [ ? ]",
    ] {
        text = text.replace(made, "?");
    }
    text
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Whether `is null` or `is not null` is being said.
fn is_test(words: &[&str]) -> bool {
    matches!(words.last(), Some(&"is" | &"not"))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn parameters_and_constants_are_alike() {
        let server =
            "select a from t\n where b = $1 and c is not null and d = $2::text[] and e > $3";
        let script = "select a from t where b = :b and c is not null and d = :d::text[] and e > 1;";
        assert_eq!(plain(server), plain(script));
        let gets =
            "select a from t where b = decode(lpad(:client_id::text, 64, '0'), 'hex') \\gset x_";
        assert_eq!(plain(gets), plain("select a from t where b = $1"));
        assert_eq!(
            plain("insert into t values (null, 'it', 2)"),
            plain("insert into t values ($1, $2, $3)")
        );
        assert_ne!(plain("select a from t"), plain("select b from t"));
    }
}
