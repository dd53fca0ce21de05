//! Proof that a stored game is what its log makes of it: every row is played
//! again under the recorded rules and compared, then the stored state.

use std::collections::HashMap;

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
use crate::record::{self, packed};

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
    let stored = read(&mut db, vec![table.game]).await?.pop();
    db.rollback().await?;
    let stored = stored.ok_or(PlayError::NoSuchGame)?;
    replay::aside(move || stored.compare()).await
}

/// These games for the operator, whoever may see them, all as of one moment.
pub async fn stored(db: &mut PgConnection, ids: &[Uuid]) -> Result<Vec<Stored>, PlayError> {
    let mut db = db.begin_with(db::pool::ONE_MOMENT).await?;
    let mut games = db::games::of_ids(&mut db, ids).await?;
    games.sort_by_key(|game| game.game_id);
    let stored = read(&mut db, games).await?;
    db.rollback().await?;
    Ok(stored)
}

/// A game with its log, as far as the game says that it goes.
pub struct Stored {
    game: Game,
    log: Log,
    /// Seats that have made a secret choice.
    committed: Vec<String>,
}

enum Log {
    Rows(Vec<Row>),
    /// With nothing beside it that could differ from what is played again.
    Packed(Vec<u8>),
}

async fn read(db: &mut PgConnection, games: Vec<Game>) -> Result<Vec<Stored>, PlayError> {
    let of = |packed| {
        let these = games.iter().filter(move |game| game.packed == packed);
        these.map(|game| game.game_id).collect::<Vec<_>>()
    };
    let (loose, packed) = (of(false), of(true));
    let mut logs: HashMap<Uuid, Log> = HashMap::new();
    for (id, bytes) in db::games::packed_logs(db, &packed).await? {
        logs.insert(id, Log::Packed(bytes));
    }
    let mut rows: HashMap<Uuid, Vec<Row>> = HashMap::new();
    for logged in db::records::logs(db, &loose).await? {
        rows.entry(logged.game_id).or_default().push(logged.row);
    }
    for game in &games {
        if let Some(rows) = rows.get_mut(&game.game_id) {
            rows.retain(|row| row.ply <= game.progress.ply);
        }
    }
    let committed = db::seats::committed(db, &loose).await?;
    let stored = |game: Game| {
        let id = game.game_id;
        Stored {
            log: logs
                .remove(&id)
                .unwrap_or_else(|| Log::Rows(rows.remove(&id).unwrap_or_default())),
            committed: committed
                .iter()
                .filter(|(game_id, _)| *game_id == id)
                .map(|(_, seat)| seat.clone())
                .collect(),
            game,
        }
    };
    Ok(games.into_iter().map(stored).collect())
}

impl Stored {
    /// A game as it is stored with its packed log.
    #[must_use]
    pub fn packed(game: Game, log: Vec<u8>) -> Stored {
        Stored {
            game,
            log: Log::Packed(log),
            committed: Vec::new(),
        }
    }

    /// Plays the log again and compares each row, then the state that is stored.
    pub fn compare(&self) -> Result<Verdict, PlayError> {
        let game = &self.game;
        let verdict = |plies, differences| Verdict {
            game_id: game.game_id,
            plies,
            differences,
        };
        let finding = |field, cause| Ok(verdict(0, vec![lost(field, cause)]));
        let first = stored::rules(game).and_then(|rules| stored::start(game, rules));
        let first = match first {
            Ok(first) => first,
            // Nothing can be replayed: that is the finding, and other games wait.
            Err(PlayError::Corrupt(cause)) => return finding("start", cause),
            Err(other) => return Err(other),
        };
        let bytes = match &self.log {
            Log::Rows(rows) => return self.compare_rows(rows),
            Log::Packed(bytes) => bytes,
        };
        let entries = match packed::unpack(game.game_id, rows::began(game), bytes) {
            Ok(entries) => entries,
            Err(cause) => return finding("log", cause.to_string()),
        };
        let rows: Vec<_> = (1..).zip(entries.iter().map(|entry| entry.what)).collect();
        let mut differences = Vec::new();
        let expected = usize::try_from(game.progress.ply).unwrap_or_default();
        if rows.len() != expected {
            differences.push(difference(None, "ply", json!(rows.len()), json!(expected)));
        }
        match record::replay::strict(first, &rows, |_| {}) {
            Ok(state) => differences.extend(self.state_differences(&state)?),
            Err(cause) => differences.push(lost("replay", cause.to_string())),
        }
        Ok(verdict(rows.len(), differences))
    }

    fn compare_rows(&self, rows: &[Row]) -> Result<Verdict, PlayError> {
        let game = &self.game;
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
            Ok(state) => differences.extend(self.state_differences(&state)?),
            // The log cannot be played on: that is the finding.
            Err(PlayError::Corrupt(cause)) => differences.push(lost("replay", cause)),
            Err(other) => return Err(other),
        }
        Ok(Verdict {
            game_id: game.game_id,
            plies: rows.len(),
            differences,
        })
    }

    /// Compares the stored state with the replayed one.
    fn state_differences(&self, state: &State) -> Result<Vec<Difference>, PlayError> {
        let (game, progress) = (&self.game, &self.game.progress);
        let at = progress
            .ended_at
            .or(progress.owed_since)
            .unwrap_or(game.created_at);
        let mut replayed = stored::progress(state, progress.ply, at)?;
        let mut to_move = state.to_move();
        to_move.retain(|seat| self.committed.iter().all(|other| other != seat.as_str()));
        replayed.to_move = stored::to_move_word(&to_move).into();
        if progress.status == "open" {
            replayed.status = "open".into();
            replayed.to_move = "nobody".into();
        }
        if facts(progress) == facts(&replayed) {
            return Ok(Vec::new());
        }
        let pairs = fields(progress).into_iter().zip(fields(&replayed));
        Ok(pairs
            .filter(|((_, stored), (_, replayed))| stored != replayed)
            .map(|((field, stored), (_, replayed))| difference(None, field, stored, replayed))
            .collect())
    }
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

/// Something that cannot be read or played, and why.
fn lost(field: &str, cause: String) -> Difference {
    difference(None, field, Value::Null, json!(cause))
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

/// What a replay can tell of a stored state, to compare.
fn facts(progress: &Progress) -> impl PartialEq + '_ {
    let words = [&progress.status, &progress.position, &progress.to_move];
    let results = [&progress.winner, &progress.reason, &progress.ended_by];
    let numbers = (progress.turn, progress.round);
    let score = (progress.south_score, progress.north_score);
    (words, results, numbers, score, &progress.rounds)
}

/// The same, to tell.
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
