//! `snapshot`: a data set of all finished public games.

use std::process::ExitCode;

use super::{Outcome, with_database};
use crate::config::{Database, SnapshotEvery, Snapshots};
use crate::db::embedded;
use crate::db::pool;
use crate::export::snapshot::{self, Every, Place, Source, Written};
use crate::play::archive;

impl From<SnapshotEvery> for Every {
    fn from(every: SnapshotEvery) -> Every {
        match every {
            SnapshotEvery::Day => Every::Day,
            SnapshotEvery::Week => Every::Week,
            SnapshotEvery::Month => Every::Month,
        }
    }
}

/// Where data sets are.
pub(super) fn place(database: &Database, snapshots: &Snapshots) -> Place {
    let data_dir = || match &database.data_dir {
        Some(dir) => dir.clone(),
        None => embedded::default_data_dir(),
    };
    let dir = snapshots.snapshot_dir.clone();
    Place {
        dir: dir.unwrap_or_else(|| data_dir().join("snapshots")),
        license: snapshots.snapshot_license.clone(),
    }
}

/// Writes one.
pub async fn snapshot(database: &Database, snapshots: &Snapshots, until: Option<i64>) -> Outcome {
    let shelf = place(database, snapshots);
    with_database(database, async |place| {
        let mut db = place.connect().await?;
        let primary = pool::pool(pool::unhurried(&place.direct), 2);
        // Games that have ended just now, or while no server ran.
        archive::enter_all(&primary).await?;
        let source = Source {
            reading: pool::pool(place.reading(&mut db).await?, 2),
            primary,
        };
        let written = snapshot::write(&source, &shelf, until).await?;
        source.reading.close().await;
        source.primary.close().await;
        match written {
            Written::New(new) => {
                let (games, rows) = (new.games, new.rows);
                println!("{}: {games} games, {rows} rows", new.dir.display());
            }
            Written::There(there) => println!("{} is there already", there.dir.display()),
            Written::Nothing => return Err("there is no finished public game yet".into()),
            Written::Busy => return Err("another process is writing a data set".into()),
        }
        Ok(ExitCode::SUCCESS)
    })
    .await
}
