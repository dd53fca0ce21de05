//! `import`: records from files into the database, each played under its rules first.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;

use rayon::prelude::*;
use tokio::sync::mpsc;

use super::progress::Progress;
use super::{Outcome, with_database};
use crate::config::{Database, Importing};
use crate::db::schema;
use crate::play::bulk::{self, Fate, Ready};
use crate::record::stream::{MOST_BYTES, Piece, Pieces};

/// Records that are read, and entered in one transaction, at a time.
const BATCH: usize = 1000;
/// Bytes of such records; a longer one is a batch of its own.
const BATCH_BYTES: usize = 8 << 20;

/// A record with its line in its file, or why it is none.
type Read = Result<(u64, Ready), (u64, String)>;

/// Some records of a file.
struct Batch {
    file: String,
    /// Bytes of them.
    bytes: u64,
    records: Vec<Read>,
}

/// Reads the files one after the other.
pub async fn import(database: &Database, wanted: &Importing) -> Outcome {
    with_database(database, async |place| {
        schema::migrate(&place.direct).await?;
        let mut db = place.connect().await?;
        let progress = Progress::of_bytes(size(wanted));
        let (read, mut waiting) = mpsc::channel(2);
        let files = wanted.files.clone();
        let reading = tokio::task::spawn_blocking(move || read_files(&files, &read));
        let (mut new, mut same, mut refused, mut bytes) = (0u64, 0u64, 0u64, 0u64);
        while let Some(batch) = waiting.recv().await {
            let Batch { file, records, .. } = batch;
            let (mut ready, mut lines) = (Vec::new(), Vec::new());
            let mut bad = Vec::new();
            for record in records {
                match record {
                    Ok((line, record)) => {
                        ready.push(record);
                        lines.push(line);
                    }
                    Err(found) => bad.push(found),
                }
            }
            let fates = bulk::enter(&mut db, &ready).await?;
            for ((fate, record), line) in fates.iter().zip(&ready).zip(lines) {
                match fate {
                    Fate::New => new += 1,
                    Fate::Same => same += 1,
                    Fate::Taken => {
                        let cause = format!("there is another game with the id {}", record.id());
                        bad.push((line, cause));
                    }
                }
            }
            bad.sort_by_key(|(line, _)| *line);
            refused += bad.len() as u64;
            progress.apart(|| {
                for (line, cause) in bad {
                    eprintln!("{file}:{line}: {cause}");
                }
            });
            bytes += batch.bytes;
            progress.at(bytes);
            progress.say(&format!("{} games", new + same));
        }
        reading.await??;
        progress.done();
        println!("{new} games imported, {same} were there already, {refused} refused");
        Ok(match refused {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    })
    .await
}

/// Bytes of all files, if they can be told.
fn size(wanted: &Importing) -> Option<u64> {
    let size = |file: &std::path::PathBuf| {
        let meta = std::fs::metadata(file).ok()?;
        meta.is_file().then_some(meta.len())
    };
    wanted.files.iter().map(size).sum()
}

fn read_files(files: &[std::path::PathBuf], into: &mpsc::Sender<Batch>) -> Result<(), String> {
    for path in files {
        let standard = path == Path::new("-");
        let name = if standard {
            "standard input".into()
        } else {
            path.display().to_string()
        };
        let failed = |cause: std::io::Error| format!("{name}: {cause}");
        let input: Box<dyn BufRead> = if standard {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            Box::new(BufReader::new(File::open(path).map_err(failed)?))
        };
        let mut pieces = Pieces::new(input, MOST_BYTES);
        loop {
            let (mut batch, mut bytes) = (Vec::new(), 0);
            while batch.len() < BATCH && bytes < BATCH_BYTES {
                let Some(piece) = pieces.next_piece().map_err(failed)? else {
                    break;
                };
                bytes += piece.bytes.as_ref().map_or(MOST_BYTES, Vec::len) + 1;
                batch.push(piece);
            }
            if batch.is_empty() {
                break;
            }
            let records = batch.into_par_iter().map(read).collect();
            let batch = Batch {
                file: name.clone(),
                bytes: bytes as u64,
                records,
            };
            // Nobody waits for it any more: the database has failed.
            if into.blocking_send(batch).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn read(piece: Piece) -> Read {
    let line = piece.line;
    let record = piece.read()?;
    drop(piece);
    let ready = Ready::new(record).map_err(|cause| (line, cause))?;
    Ok((line, ready))
}
