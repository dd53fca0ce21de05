//! `export`: all finished public games, as of one moment, as records.

use std::process::ExitCode;

use rayon::prelude::*;
use sqlx::{Connection, PgConnection};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::output::Output;
use super::progress::Progress;
use super::{Outcome, with_database};
use crate::config::{Database, Exporting, RecordFormat};
use crate::db::{pool, records, search};
use crate::play::PlayError;
use crate::play::archive::{self, Pseudonyms};
use crate::record::Record;
use crate::record::stream::Format;

/// Games that are read at a time.
const BATCH: i64 = 200;
/// Games that are written at a time.
const PART: usize = 32;

/// Some games, and those that cannot be read.
type Batch = (Vec<Record>, Vec<(Uuid, String)>);

impl From<RecordFormat> for Format {
    fn from(format: RecordFormat) -> Format {
        match format {
            RecordFormat::Ndjson => Format::Ndjson,
            RecordFormat::Text => Format::Text,
        }
    }
}

/// Writes all records in the order of their numbers.
pub async fn export(database: &Database, wanted: &Exporting) -> Outcome {
    with_database(database, async |place| {
        let mut db = place.connect().await?;
        // Games that have ended just now, or while no server ran.
        archive::enter_all(&pool::pool(pool::unhurried(&place.direct), 2)).await?;
        let mut db = PgConnection::connect_with(&place.reading(&mut db).await?).await?;
        // A cut-off is as good as one moment: whoever reads slowly holds nothing up.
        let until = search::last_record(&mut db).await?;
        let number = u64::try_from(records::count(&mut db).await?)?;
        let output = Output::open(wanted.output.as_deref())?;
        let progress = Progress::of_games(Some(number));
        let (read, waiting) = mpsc::channel(2);
        let format = wanted.format.into();
        let bar = progress.clone();
        let writing = tokio::task::spawn_blocking(move || write(output, format, waiting, &bar));
        let reading = async {
            let found = read_all(&mut db, until, &read).await;
            drop(read);
            found
        };
        let (read, failed) = tokio::join!(reading, writing);
        let failed = failed??;
        read?;
        progress.done();
        Ok(match failed {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    })
    .await
}

async fn read_all(
    db: &mut PgConnection,
    until: i64,
    into: &mpsc::Sender<Batch>,
) -> Result<(), PlayError> {
    let pseudonyms = Pseudonyms::of(db).await?;
    let mut after = 0;
    loop {
        let page = records::after(db, after, until, BATCH).await?;
        let Some((last, _)) = page.last() else {
            return Ok(());
        };
        after = *last;
        let ids: Vec<Uuid> = page.into_iter().map(|(_, id)| id).collect();
        // One moment: a log may be packed while it is read.
        let mut moment = db.begin_with(pool::ONE_MOMENT).await?;
        let batch = archive::read_each(&mut moment, &pseudonyms, &ids).await?;
        moment.rollback().await?;
        // Nobody waits for it where the output has failed.
        if into.send(batch).await.is_err() {
            return Ok(());
        }
    }
}

/// Writes what comes; how many games could not be written.
fn write(
    mut output: Output,
    format: Format,
    mut waiting: mpsc::Receiver<Batch>,
    progress: &Progress,
) -> Result<u64, String> {
    let (mut done, mut failed) = (0, 0);
    while let Some((records, unread)) = waiting.blocking_recv() {
        for (id, cause) in unread {
            failed += 1;
            progress.apart(|| eprintln!("{id}: {cause}"));
        }
        for part in records.chunks(PART) {
            let lines: Vec<_> = part
                .par_iter()
                .map(|record| {
                    let mut bytes = Vec::with_capacity(1 << 14);
                    let written = format.write(record, &mut bytes);
                    (record.id, written.map(|()| bytes))
                })
                .collect();
            for (id, bytes) in lines {
                match bytes {
                    Ok(bytes) if !output.write(&bytes)? => return Ok(failed),
                    Ok(_) => {}
                    Err(cause) => {
                        failed += 1;
                        progress.apart(|| eprintln!("{id}: {cause}"));
                    }
                }
            }
            done += part.len() as u64;
            progress.at(done);
        }
    }
    output.finish()?;
    Ok(failed)
}
