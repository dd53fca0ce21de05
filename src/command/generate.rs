//! `generate`: random games into the database, or out as records.

use std::process::ExitCode;

use rayon::prelude::*;
use tokio::sync::mpsc;

use super::progress::Progress;
use super::{Outcome, output, with_database};
use crate::config::{Database, Generating, Into};
use crate::db::schema;
use crate::export::snapshot;
use crate::play::bulk::{self, Fate, Ready};
use crate::record::generate::Plan;
use crate::record::stream::Format;

/// Games that are made, and entered in one transaction, at a time.
const BATCH: u64 = 1000;

/// Plays random games.
pub async fn generate(database: &Database, wanted: &Generating) -> Outcome {
    let plan = Plan::new(
        &wanted.ruleset,
        wanted.rules.as_deref(),
        wanted.seed,
        wanted.plies,
    )?;
    match wanted.into {
        Into::Database => into_database(database, plan, wanted.games).await,
        Into::Ndjson => write(&plan, wanted, Format::Ndjson),
        Into::Text => write(&plan, wanted, Format::Text),
        Into::Parquet => tables(&plan, wanted),
    }
}

/// Writes them as the tables of a data set.
fn tables(plan: &Plan, wanted: &Generating) -> Outcome {
    let dir = wanted.output.as_deref();
    let dir = dir.ok_or("--into parquet needs --output DIR, which is made")?;
    let progress = Progress::of_games(Some(wanted.games));
    let made = batches(wanted.games).map(|numbers| {
        progress.at(numbers.start);
        let numbers = numbers.into_par_iter();
        Ok(numbers.map(|number| plan.game(number)).collect())
    });
    let (games, rows) = snapshot::tables::<snapshot::Failed>(dir, made)?;
    progress.done();
    println!("{}: {games} games, {rows} rows", dir.display());
    Ok(ExitCode::SUCCESS)
}

/// The numbers of games, a batch at a time.
fn batches(games: u64) -> impl Iterator<Item = std::ops::Range<u64>> {
    (0..games)
        .step_by(BATCH as usize)
        .map(move |from| from..games.min(from + BATCH))
}

/// Makes the next games while the last ones are entered.
async fn into_database(database: &Database, plan: Plan, games: u64) -> Outcome {
    with_database(database, async |place| {
        schema::migrate(&place.direct).await?;
        let mut db = place.connect().await?;
        let (made, mut waiting) = mpsc::channel(2);
        let making = tokio::task::spawn_blocking(move || {
            for numbers in batches(games) {
                let batch: Result<Vec<Ready>, String> = numbers
                    .into_par_iter()
                    .map(|number| Ready::new(plan.game(number)))
                    .collect();
                // Nobody waits for it any more: the database has failed.
                if made.blocking_send(batch).is_err() {
                    break;
                }
            }
        });
        let progress = Progress::of_games(Some(games));
        let (mut new, mut same) = (0u64, 0u64);
        while let Some(batch) = waiting.recv().await {
            for fate in bulk::enter(&mut db, &batch?).await? {
                match fate {
                    Fate::New => new += 1,
                    Fate::Same => same += 1,
                    Fate::Taken => {
                        let cause = "another game has the id of a generated one";
                        return Err(cause.into());
                    }
                }
            }
            progress.at(new + same);
        }
        making.await?;
        progress.done();
        println!("{new} games generated, {same} were there already");
        Ok(ExitCode::SUCCESS)
    })
    .await
}

fn write(plan: &Plan, wanted: &Generating, format: Format) -> Outcome {
    let mut output = output::Output::open(wanted.output.as_deref())?;
    let progress = Progress::of_games(Some(wanted.games));
    for numbers in batches(wanted.games) {
        let upto = numbers.end;
        // A few hundred lines each: whoever writes waits for whole parts only.
        let parts: Result<Vec<Vec<u8>>, String> = numbers
            .into_par_iter()
            .fold(
                || Ok(Vec::new()),
                |lines: Result<Vec<u8>, String>, number| {
                    let mut lines = lines?;
                    format.write(&plan.game(number), &mut lines)?;
                    Ok(lines)
                },
            )
            .collect();
        for part in parts? {
            if !output.write(&part)? {
                return Ok(ExitCode::SUCCESS);
            }
        }
        progress.at(upto);
    }
    output.finish()?;
    progress.done();
    Ok(ExitCode::SUCCESS)
}
