//! Between a stored game and the rules' state: reading one, and writing down
//! what the rules made of it.

use chrono::{DateTime, Utc};
use mancala_rules::{Outcome, Phase, Position, RoundTotals, Rules, Saved, Seat, Sides, State};
use serde_json::json;
use sqlx::PgConnection;

use super::PlayError;
use crate::db;
use crate::db::games::{Game, Progress};
use crate::db::seats::Commit;

/// A stored value that does not read as what it must be.
pub(super) fn corrupt(what: impl std::fmt::Display) -> PlayError {
    PlayError::Corrupt(what.to_string())
}

/// The rules a game was started under.
pub(super) fn rules(game: &Game) -> Result<Rules, PlayError> {
    let revision = u32::try_from(game.revision).map_err(corrupt)?;
    Rules::stored(&game.ruleset, revision, &game.rules).map_err(corrupt)
}

/// The game's state before its first ply.
pub(super) fn start(game: &Game, rules: Rules) -> Result<State, PlayError> {
    if !game.custom_start {
        return Ok(State::start(rules));
    }
    let position: Position = game.start_position.parse().map_err(corrupt)?;
    State::custom(rules, &position).map_err(corrupt)
}

/// The game's present state: with the secret commits that are handed in, and,
/// for a choice, the positions that a rule of repetition counts.
pub(super) fn state(game: &Game, commits: &[Commit], seen: &[String]) -> Result<State, PlayError> {
    let progress = &game.progress;
    let mut committed = Sides {
        south: None,
        north: None,
    };
    for commit in commits {
        let seat: Seat = commit.seat.parse().map_err(corrupt)?;
        committed[seat] = Some(u8::try_from(commit.house).map_err(corrupt)?);
    }
    let rounds: Vec<RoundTotals> =
        serde_json::from_value(progress.rounds.clone()).map_err(corrupt)?;
    let saved = Saved {
        position: &progress.position,
        turn: u32::try_from(progress.turn).map_err(corrupt)?,
        rounds: &rounds,
        seen: &seen.iter().map(String::as_str).collect::<Vec<_>>(),
        result: outcome(progress)?,
        committed,
    };
    State::restore(rules(game)?, saved).map_err(corrupt)
}

/// Whether a rule of repetition counts its positions.
pub(super) fn counts_repetition(game: &Game) -> Result<bool, PlayError> {
    Ok(matches!(rules(game)?, Rules::AlManqala(rules) if rules.loop_repeat.is_some()))
}

/// The positions that a rule of repetition counts, the present one last.
pub(super) async fn positions_seen(
    db: &mut PgConnection,
    game: &Game,
) -> Result<Vec<String>, PlayError> {
    if !counts_repetition(game)? {
        return Ok(Vec::new());
    }
    let rows = db::plies::positions_since_capture(db, game.game_id).await?;
    // A capture's row is the first of its run; without one the start is.
    let from_start = rows.first().is_none_or(|(_, captured, _)| *captured == 0);
    let start = from_start.then(|| game.start_position.clone());
    Ok(start
        .into_iter()
        .chain(rows.into_iter().map(|(_, _, position)| position))
        .collect())
}

/// The word stored for the seats that owe a choice.
pub(super) fn to_move_word(seats: &[Seat]) -> &'static str {
    match seats {
        [] => "nobody",
        [Seat::South] => "south",
        [Seat::North] => "north",
        _ => "both",
    }
}

/// The seats that the stored word names.
pub(super) fn to_move(word: &str) -> Result<Vec<Seat>, PlayError> {
    match word {
        "nobody" => Ok(Vec::new()),
        "both" => Ok(Seat::ALL.to_vec()),
        seat => seat.parse().map(|seat| vec![seat]).map_err(corrupt),
    }
}

/// The stored result in the rules' terms.
pub(super) fn outcome(progress: &Progress) -> Result<Option<Outcome>, PlayError> {
    let (Some(winner), Some(reason)) = (&progress.winner, &progress.reason) else {
        return Ok(None);
    };
    serde_json::from_value(json!({
        "winner": winner,
        "reason": reason,
        "score": { "south": progress.south_score, "north": progress.north_score },
        "ended_by": progress.ended_by,
    }))
    .map(Some)
    .map_err(corrupt)
}

/// What to store of `state` after the log has grown to `ply` rows at `now`. The
/// version is the database's to count.
pub(super) fn progress(state: &State, ply: i32, now: DateTime<Utc>) -> Result<Progress, PlayError> {
    let result = state.result();
    let status = status(state);
    let over = matches!(status, "finished" | "aborted");
    Ok(Progress {
        status: status.into(),
        version: 0,
        ply,
        turn: i32::try_from(state.turn()).map_err(corrupt)?,
        round: i32::from(state.round()),
        position: state.position_text(),
        to_move: to_move_word(&state.to_move()).into(),
        rounds: serde_json::to_value(state.rounds()).map_err(corrupt)?,
        owed_since: (!over).then_some(now),
        winner: result.map(|result| result.winner.as_str().into()),
        reason: result.map(|result| result.reason.as_str().into()),
        south_score: result.map(|result| i32::from(result.score.south)),
        north_score: result.map(|result| i32::from(result.score.north)),
        ended_by: result
            .and_then(|result| result.ended_by)
            .map(|seat| seat.as_str().into()),
        ended_at: over.then_some(now),
    })
}

/// A state's `status` word.
pub(super) fn status(state: &State) -> &'static str {
    match state.phase() {
        Phase::Opening => "opening",
        Phase::Playing => "playing",
        Phase::Finished if state.result().is_none() => "aborted",
        Phase::Finished => "finished",
    }
}
