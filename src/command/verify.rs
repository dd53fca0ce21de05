//! `verify`: every stored log played again, on all cores.

use std::process::ExitCode;

use rayon::prelude::*;
use sqlx::PgConnection;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::progress::Progress;
use super::{Outcome, with_database};
use crate::config::Database;
use crate::db::games;
use crate::play::PlayError;
use crate::play::verify::{self, Stored, Verdict};

/// Games that are read at a time, as of one moment.
const BATCH: i64 = 250;

/// Replays one stored log, or all.
pub async fn verify(database: &Database, game: Option<Uuid>) -> Outcome {
    with_database(database, async |place| {
        let mut db = place.connect().await?;
        let number = match game {
            Some(_) => 1,
            None => u64::try_from(games::count(&mut db).await?)?,
        };
        let progress = Progress::of_games(Some(number));
        // The next games are read while the last ones are played.
        let (read, mut waiting) = mpsc::channel(2);
        let (compared, mut verdicts) = mpsc::channel(2);
        let playing = tokio::task::spawn_blocking(move || {
            while let Some(batch) = waiting.blocking_recv() {
                let batch: Vec<Stored> = batch;
                let verdicts: Vec<_> = batch.par_iter().map(Stored::compare).collect();
                if compared.blocking_send(verdicts).is_err() {
                    break;
                }
            }
        });
        let reading = async {
            let found = read_all(&mut db, game, &read).await;
            drop(read);
            found
        };
        let saying = async {
            let mut said = Said::default();
            while let Some(batch) = verdicts.recv().await {
                for verdict in batch {
                    progress.apart(|| said.say(&verdict?))?;
                }
                progress.at(said.games);
            }
            Ok::<_, PlayError>(said)
        };
        let (read, said) = tokio::join!(reading, saying);
        // What could not be read is why nothing more was said.
        read?;
        let said = said?;
        playing.await?;
        progress.done();
        println!(
            "{} games, {} rows replayed, {} games differ",
            said.games, said.plies, said.differing
        );
        Ok(match said.differing {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    })
    .await
}

async fn read_all(
    db: &mut PgConnection,
    game: Option<Uuid>,
    into: &mpsc::Sender<Vec<Stored>>,
) -> Result<(), PlayError> {
    if let Some(id) = game {
        let stored = verify::stored(db, &[id]).await?;
        if stored.is_empty() {
            return Err(PlayError::NoSuchGame);
        }
        into.send(stored).await.ok();
        return Ok(());
    }
    let mut after = Uuid::nil();
    loop {
        let ids = games::ids_after(db, after, BATCH).await?;
        let Some(last) = ids.last() else {
            return Ok(());
        };
        after = *last;
        if into.send(verify::stored(db, &ids).await?).await.is_err() {
            return Ok(());
        }
    }
}

/// What was found so far.
#[derive(Default)]
struct Said {
    games: u64,
    plies: u64,
    differing: u64,
}

impl Said {
    fn say(&mut self, verdict: &Verdict) -> Result<(), PlayError> {
        self.games += 1;
        self.plies += verdict.plies as u64;
        self.differing += u64::from(!verdict.differences.is_empty());
        for found in &verdict.differences {
            let place = found.ply.map_or("state".into(), |ply| format!("ply {ply}"));
            println!(
                "{} {place} {}: stored {}, replayed {}",
                verdict.game_id, found.field, found.stored, found.replayed
            );
        }
        Ok(())
    }
}
