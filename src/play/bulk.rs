//! Records into the database, many at a time: imported or generated games, which
//! nobody here has played.

use std::collections::HashMap;

use mancala_rules::State;
use sqlx::PgConnection;
use uuid::Uuid;

use super::PlayError;
use super::archive::{self, Pseudonyms};
use super::frequent::{self, Counted, Threshold};
use super::stored::{self, corrupt};
use super::verify::Stored;
use crate::db;
use crate::db::bulk::{self, Entered};
use crate::db::games::Game;
use crate::db::records;
use crate::record::index::Indexed;
use crate::record::{Origin, Record, packed};

/// A record that was played through, ready to be entered.
#[derive(Debug, Clone)]
pub struct Ready {
    record: Record,
    entered: Entered,
    indexed: Counted,
}

impl Ready {
    /// Plays `record`, which has a result.
    ///
    /// # Errors
    /// Why it cannot be entered.
    pub fn new(mut record: Record) -> Result<Ready, String> {
        // No reserve is one of nothing, as in the API.
        if let Some(clock) = &mut record.clock {
            clock.reserve = clock.reserve.or(Some(0));
        }
        let indexed = Indexed::of(&record).map_err(|cause| cause.to_string())?;
        if indexed.end.result().is_none() {
            return Err("the game has no result".into());
        }
        let game = game(&record, &indexed.end).map_err(|cause| cause.to_string())?;
        let (south, north) = (&record.seats.south, &record.seats.north);
        Ok(Ready {
            entered: Entered {
                packed_log: packed::pack(record.id, record.started_at, &record.rows),
                south_name: south.player.clone(),
                north_name: north.player.clone(),
                south_kind: south.kind.as_str(),
                north_kind: north.kind.as_str(),
                game,
            },
            indexed: archive::row_of(&record, indexed),
            record,
        })
    }
}

impl Ready {
    /// The game as it is stored, for `verify`.
    #[must_use]
    pub fn stored(&self) -> Stored {
        Stored::packed(self.entered.game.clone(), self.entered.packed_log.clone())
    }

    /// The game.
    #[must_use]
    pub fn id(&self) -> Uuid {
        self.record.id
    }
}

/// The row of a record that has ended in `end`.
fn game(record: &Record, end: &State) -> Result<Game, PlayError> {
    let seconds = |seconds: u32| i32::try_from(seconds).map_err(corrupt);
    let start = record.first().map_err(corrupt)?;
    let ply = i32::try_from(record.rows.len()).map_err(corrupt)?;
    let reserve = record.clock.and_then(|clock| clock.reserve);
    Ok(Game {
        game_id: record.id,
        ruleset: record.ruleset.clone(),
        revision: i32::try_from(record.revision).map_err(corrupt)?,
        rules: record.rules.to_json(),
        start_position: start.position_text(),
        custom_start: record.start.is_some(),
        visibility: "public".into(),
        label: None,
        external_ref: None,
        created_at: record.created_at,
        started_at: Some(record.started_at),
        clock_per_move: record.clock.map(|c| seconds(c.per_move)).transpose()?,
        clock_reserve: reserve.map(seconds).transpose()?,
        previous_game: None,
        next_game: None,
        allow_vacation: true,
        paused_at: None,
        paused_until: None,
        source: match record.source {
            // Wherever it was played, it was not here.
            Origin::Played => Origin::Imported,
            source => source,
        }
        .as_str()
        .into(),
        packed: true,
        lines_laid: 0,
        progress: stored::progress(end, ply, record.ended_at)?,
    })
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is entered.
    New,
    /// It was there already, the very same.
    Same,
    /// Another game has its id.
    Taken,
}

/// Enters those records that are not there yet, all of them or, when it fails, none.
pub async fn enter(db: &mut PgConnection, batch: &[Ready]) -> Result<Vec<Fate>, PlayError> {
    enter_counting(db, batch, Threshold::default()).await
}

/// As [`enter`], with another notion of what is frequent.
pub async fn enter_counting(
    db: &mut PgConnection,
    batch: &[Ready],
    threshold: Threshold,
) -> Result<Vec<Fate>, PlayError> {
    let mut db = bulk::begin(db).await?;
    records::lock(&mut db).await?;
    let now = db::now(&mut db).await?;
    let ids: Vec<Uuid> = batch.iter().map(|ready| ready.record.id).collect();
    let known = bulk::known(&mut db, &ids).await?;
    let mut there: HashMap<Uuid, Option<Record>> = known.iter().map(|id| (*id, None)).collect();
    if !known.is_empty() {
        let pseudonyms = Pseudonyms::of(&mut db).await?;
        for (game, record) in archive::read(&mut db, &pseudonyms, &known).await? {
            let finished = game.progress.status == "finished";
            there.insert(record.id, finished.then_some(record));
        }
    }
    let mut fates = Vec::with_capacity(batch.len());
    let (mut games, mut rows) = (Vec::new(), Vec::new());
    for ready in batch {
        let id = ready.record.id;
        fates.push(match there.get(&id) {
            Some(Some(record)) if same(record, &ready.record) => Fate::Same,
            Some(_) => Fate::Taken,
            None => {
                there.insert(id, Some(ready.record.clone()));
                games.push(ready.entered.clone());
                rows.push(ready.indexed.clone());
                Fate::New
            }
        });
    }
    if !games.is_empty() {
        bulk::insert(&mut db, &games, now).await?;
        frequent::append(&mut db, &rows, threshold).await?;
    }
    db.commit().await?;
    Ok(fates)
}

/// Whether it is the same game: where it came from and when is not part of it.
fn same(one: &Record, other: &Record) -> bool {
    let one = Record {
        source: other.source,
        imported_at: other.imported_at,
        ..one.clone()
    };
    one == *other
}
