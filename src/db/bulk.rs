//! Many finished games at once, by PostgreSQL's `copy`: rows of `games`, `seats` and
//! `imports`.

use std::fmt::Write;

use chrono::{DateTime, SecondsFormat, Utc};
use sqlx::{Connection, PgConnection, Postgres, Transaction};
use uuid::Uuid;

use super::games::Game;

/// A finished game as it is entered: with the whole log, packed, and what it says of
/// its seats.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Entered {
    pub game: Game,
    pub packed_log: Vec<u8>,
    pub south_name: Option<String>,
    pub north_name: Option<String>,
    pub south_kind: &'static str,
    pub north_kind: &'static str,
}

/// Begins a transaction with room for the many keys of many games.
pub async fn begin(db: &mut PgConnection) -> sqlx::Result<Transaction<'_, Postgres>> {
    let mut db = db.begin().await?;
    sqlx::raw_sql("set local work_mem = '64MB'")
        .execute(&mut *db)
        .await?;
    Ok(db)
}

/// Which of these games there are.
pub async fn known(db: &mut PgConnection, ids: &[Uuid]) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar("select game_id from games where game_id = any($1)")
        .bind(ids)
        .fetch_all(db)
        .await
}

/// Enters games that are not there yet, with both seats, which nobody holds.
pub async fn insert(
    db: &mut PgConnection,
    games: &[Entered],
    imported_at: DateTime<Utc>,
) -> sqlx::Result<()> {
    let (mut rows, mut seats, mut imports) = (Rows::default(), Rows::default(), Rows::default());
    for entered in games {
        game(&mut rows, entered);
        let game = &entered.game;
        for (slot, seat) in [("1", "south"), ("2", "north")] {
            seats.field(Some(&game.game_id));
            seats.field(Some(&slot));
            seats.field(Some(&seat));
            seats.time(game.started_at);
            seats.field(Some(&"f"));
            seats.end();
        }
        imports.field(Some(&game.game_id));
        imports.time(Some(imported_at));
        imports.field(entered.south_name.as_ref());
        imports.field(entered.north_name.as_ref());
        imports.field(Some(&entered.south_kind));
        imports.field(Some(&entered.north_kind));
        imports.end();
    }
    copy(
        db,
        "copy games (game_id, ruleset, revision, rules, start_position, custom_start, visibility, \
                     created_at, started_at, clock_per_move, clock_reserve, status, ply, turn, \
                     round, position, to_move, rounds, winner, reason, south_score, north_score, \
                     ended_by, ended_at, allow_vacation, source, packed_log) from stdin",
        rows,
    )
    .await?;
    copy(
        db,
        "copy seats (game_id, slot, seat, joined_at, live) from stdin",
        seats,
    )
    .await?;
    copy(
        db,
        "copy imports (game_id, imported_at, south_name, north_name, south_kind, north_kind) \
         from stdin",
        imports,
    )
    .await
}

fn game(rows: &mut Rows, entered: &Entered) {
    let game = &entered.game;
    let progress = &game.progress;
    rows.field(Some(&game.game_id));
    rows.field(Some(&game.ruleset));
    rows.field(Some(&game.revision));
    rows.field(Some(&game.rules));
    rows.field(Some(&game.start_position));
    rows.field(Some(&game.custom_start));
    rows.field(Some(&game.visibility));
    rows.time(Some(game.created_at));
    rows.time(game.started_at);
    rows.field(game.clock_per_move.as_ref());
    rows.field(game.clock_reserve.as_ref());
    rows.field(Some(&progress.status));
    rows.field(Some(&progress.ply));
    rows.field(Some(&progress.turn));
    rows.field(Some(&progress.round));
    rows.field(Some(&progress.position));
    rows.field(Some(&progress.to_move));
    rows.field(Some(&progress.rounds));
    rows.field(progress.winner.as_ref());
    rows.field(progress.reason.as_ref());
    rows.field(progress.south_score.as_ref());
    rows.field(progress.north_score.as_ref());
    rows.field(progress.ended_by.as_ref());
    rows.time(progress.ended_at);
    rows.field(Some(&game.allow_vacation));
    rows.field(Some(&game.source));
    rows.bytes(&entered.packed_log);
    rows.end();
}

/// Rows in the text form of `copy`.
#[derive(Default)]
struct Rows {
    text: String,
    within: bool,
}

impl Rows {
    fn next(&mut self) {
        if self.within {
            self.text.push('\t');
        }
        self.within = true;
    }

    fn field(&mut self, value: Option<&impl std::fmt::Display>) {
        self.next();
        let Some(value) = value else {
            self.text.push_str("\\N");
            return;
        };
        // Writing to a string does not fail.
        let _ = write!(Escaped(&mut self.text), "{value}");
    }

    fn time(&mut self, at: Option<DateTime<Utc>>) {
        let text = at.map(|at| at.to_rfc3339_opts(SecondsFormat::Micros, true));
        self.field(text.as_ref());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.next();
        self.text.push_str("\\\\x");
        for byte in bytes {
            let _ = write!(self.text, "{byte:02x}");
        }
    }

    fn end(&mut self) {
        self.text.push('\n');
        self.within = false;
    }
}

/// What is written goes on with what `copy` would take for its own escaped.
struct Escaped<'a>(&'a mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for letter in text.chars() {
            match letter {
                '\\' => self.0.push_str("\\\\"),
                '\t' => self.0.push_str("\\t"),
                '\n' => self.0.push_str("\\n"),
                '\r' => self.0.push_str("\\r"),
                letter => self.0.push(letter),
            }
        }
        Ok(())
    }
}

async fn copy(db: &mut PgConnection, statement: &str, rows: Rows) -> sqlx::Result<()> {
    let mut into = db.copy_in_raw(statement).await?;
    into.send(rows.text.into_bytes()).await?;
    into.finish().await.map(drop)
}
