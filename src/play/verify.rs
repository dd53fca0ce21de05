//! Proof that a stored game is what its log makes of it: every row is played
//! again under the recorded rules and compared, then the stored state.

use mancala_rules::State;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection, PgPool};
use uuid::Uuid;

use super::replay::Traces;
use super::table::Table;
use super::{Caller, PlayError, replay, rows, stored};
use crate::db;
use crate::db::games::{Game, Progress};
use crate::db::plies::Ply as Row;
use crate::db::seats::Commit;

/// Where a stored value and the replay part.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The row, or none: the game's own state.
    pub ply: Option<i32>,
    /// What differs.
    pub field: String,
    /// As stored.
    pub stored: Value,
    /// As the replay has it.
    pub replayed: Value,
}

/// What a replay found.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The game.
    pub game_id: Uuid,
    /// Rows that were played again.
    pub plies: usize,
    /// Empty when all agree.
    pub differences: Vec<Difference>,
}

/// Replays one game that `caller` may see.
pub async fn verify(pool: &PgPool, caller: &Caller, game_id: Uuid) -> Result<Verdict, PlayError> {
    let mut db = db::pool::snapshot(pool).await?;
    let table = Table::find(&mut db, caller, game_id).await?;
    let stored = Stored::read(&mut db, table.game).await?;
    db.rollback().await?;
    replay::aside(move || stored.compare()).await
}

/// Replays one game for the operator, whoever may see it.
pub async fn verify_stored(db: &mut PgConnection, game_id: Uuid) -> Result<Verdict, PlayError> {
    let mut db = db.begin_with(db::pool::ONE_MOMENT).await?;
    let game = db::games::find(&mut db, game_id).await?;
    let stored = Stored::read(&mut db, game.ok_or(PlayError::NoSuchGame)?).await?;
    db.rollback().await?;
    stored.compare()
}

/// A game with its log up to the length that was read with it, so that a ply that
/// is played meanwhile is no difference.
struct Stored {
    game: Game,
    /// Or why a packed log does not come out.
    rows: Result<Vec<Row>, String>,
    commits: Vec<Commit>,
}

impl Stored {
    async fn read(db: &mut PgConnection, game: Game) -> Result<Stored, PlayError> {
        let rows = match rows::all(db, &game, game.progress.ply).await {
            Ok(rows) => Ok(rows),
            Err(PlayError::Corrupt(cause)) => Err(cause),
            Err(other) => return Err(other),
        };
        let commits = db::seats::commits(db, game.game_id).await?;
        Ok(Stored {
            game,
            rows,
            commits,
        })
    }

    fn compare(&self) -> Result<Verdict, PlayError> {
        match &self.rows {
            Ok(rows) => compare(&self.game, rows, &self.commits),
            Err(cause) => Ok(Verdict {
                game_id: self.game.game_id,
                plies: 0,
                differences: vec![difference(None, "log", Value::Null, json!(cause))],
            }),
        }
    }
}

/// Plays the rows again and compares each, then the state that is stored.
fn compare(game: &Game, rows: &[Row], commits: &[Commit]) -> Result<Verdict, PlayError> {
    match stored::rules(game).and_then(|rules| stored::start(game, rules)) {
        Ok(_) => {}
        // Nothing can be replayed: that is the finding, and other games wait.
        Err(PlayError::Corrupt(cause)) => {
            return Ok(Verdict {
                game_id: game.game_id,
                plies: 0,
                differences: vec![difference(None, "start", Value::Null, json!(cause))],
            });
        }
        Err(other) => return Err(other),
    }
    let mut differences = wrong_marks(rows);
    let played = replay::run(game, rows, Traces::Left, |step| {
        differences.extend(row_differences(&step));
    });
    let numbers: Vec<i32> = rows.iter().map(|row| row.ply).collect();
    let expected: Vec<i32> = (1..=game.progress.ply).collect();
    if numbers != expected {
        differences.push(difference(
            None,
            "ply",
            json!(numbers.len()),
            json!(expected.len()),
        ));
    }
    match played {
        Ok(state) => {
            differences.extend(state_differences(game, &state, commits)?);
        }
        // The log cannot be played on: that is the finding.
        Err(PlayError::Corrupt(cause)) => {
            differences.push(difference(None, "replay", Value::Null, json!(cause)));
        }
        Err(other) => return Err(other),
    }
    Ok(Verdict {
        game_id: game.game_id,
        plies: rows.len(),
        differences,
    })
}

/// Rows that are marked as taken back and are not, or the other way round.
fn wrong_marks(rows: &[Row]) -> Vec<Difference> {
    // The furthest that a later row goes back.
    let mut furthest = i32::MAX;
    let mut wrong = Vec::new();
    for row in rows.iter().rev() {
        let taken_back = furthest < row.ply;
        if row.taken_back != taken_back {
            let (stored, replayed) = (json!(row.taken_back), json!(taken_back));
            wrong.push(difference(Some(row.ply), "taken_back", stored, replayed));
        }
        furthest = row.to_ply.map_or(furthest, |to_ply| furthest.min(to_ply));
    }
    wrong
}

fn difference(ply: Option<i32>, field: &str, stored: Value, replayed: Value) -> Difference {
    Difference {
        ply,
        field: field.into(),
        stored,
        replayed,
    }
}

/// Compares one row with what the rules say of it.
fn row_differences(step: &replay::Step<'_>) -> Vec<Difference> {
    let (row, before) = (step.row, step.before);
    let position = step.state.map(State::position_text);
    let mut fields = vec![
        ("after_ply", json!(row.after_ply), json!(before.ply)),
        ("position", json!(row.position), json!(position)),
    ];
    if let Some(ply) = &step.ply {
        fields.extend([
            ("seat", json!(row.seat), json!(ply.seat)),
            ("turn", json!(row.turn), json!(ply.turn)),
            ("round", json!(row.round), json!(ply.round)),
            ("house", json!(row.house), json!(ply.house)),
            (
                "seeds_sown",
                json!(row.seeds_sown),
                json!(ply.counts.seeds_sown),
            ),
            (
                "lap_count",
                json!(row.lap_count),
                json!(ply.counts.lap_count),
            ),
            ("captured", json!(row.captured), json!(ply.counts.captured)),
            ("banked", json!(row.banked), json!(ply.counts.banked)),
            ("extra_turn", json!(row.extra_turn), json!(ply.extra_turn)),
            ("passed", json!(row.passed), json!(ply.passed)),
            ("other", json!(row.other), json!(ply.other)),
        ]);
    } else {
        // An end stands where it found the game, a takeback where it leaves it.
        let after = step.state.filter(|_| row.to_ply.is_some());
        let turn = after.map_or(before.turn, State::turn);
        let round = after.map_or(before.round, State::round);
        fields.extend([
            ("turn", json!(row.turn), json!(turn)),
            ("round", json!(row.round), json!(round)),
        ]);
    }
    fields
        .into_iter()
        .filter(|(_, stored, replayed)| stored != replayed)
        .map(|(field, stored, replayed)| difference(Some(row.ply), field, stored, replayed))
        .collect()
}

/// Compares the stored state with the replayed one.
fn state_differences(
    game: &Game,
    state: &State,
    commits: &[Commit],
) -> Result<Vec<Difference>, PlayError> {
    let progress = &game.progress;
    let at = progress
        .ended_at
        .or(progress.owed_since)
        .unwrap_or(game.created_at);
    let mut replayed = stored::progress(state, progress.ply, at)?;
    let mut to_move = state.to_move();
    to_move.retain(|seat| commits.iter().all(|commit| commit.seat != seat.as_str()));
    replayed.to_move = stored::to_move_word(&to_move).into();
    if progress.status == "open" {
        replayed.status = "open".into();
        replayed.to_move = "nobody".into();
    }
    let pairs = fields(progress).into_iter().zip(fields(&replayed));
    Ok(pairs
        .filter(|((_, stored), (_, replayed))| stored != replayed)
        .map(|((field, stored), (_, replayed))| difference(None, field, stored, replayed))
        .collect())
}

/// What a replay can tell of a stored state.
fn fields(progress: &Progress) -> [(&'static str, Value); 11] {
    [
        ("status", json!(progress.status)),
        ("turn", json!(progress.turn)),
        ("round", json!(progress.round)),
        ("position", json!(progress.position)),
        ("to_move", json!(progress.to_move)),
        ("rounds", json!(progress.rounds)),
        ("winner", json!(progress.winner)),
        ("reason", json!(progress.reason)),
        ("south_score", json!(progress.south_score)),
        ("north_score", json!(progress.north_score)),
        ("ended_by", json!(progress.ended_by)),
    ]
}
