//! Games that are over as records: read from where they are stored, entered for
//! the search, packed.

use std::collections::HashMap;

use chrono::TimeDelta;
use mancala_rules::{Sides, Winner};
use sha2::{Digest, Sha256};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::frequent::{self, Counted, Threshold};
use super::replay::{aside, what};
use super::stored::{self, corrupt};
use super::{PlayError, rows};
use crate::db::games::Game;
use crate::db::plies::Ply as Row;
use crate::db::records::{self, Rest};
use crate::db::{self, games};
use crate::record::index::Indexed;
use crate::record::packed::{self, to_the_millisecond};
use crate::record::{Clock, Entry, Kind, Origin, Party, Record, Source};

/// Games that are entered or packed in one transaction.
const BATCH: i64 = 200;

/// Makes the names of players in records. The same player has the same one in all
/// games of a database. It is no secret who it is for as long as the player has a
/// handle, since a public game shows that by its id; when the player has left, only
/// the pseudonym stays.
#[derive(Clone)]
pub struct Pseudonyms {
    secret: Vec<u8>,
}

impl Pseudonyms {
    /// Those of this database.
    pub async fn of(db: &mut PgConnection) -> sqlx::Result<Pseudonyms> {
        Ok(Pseudonyms {
            secret: records::secret(db).await?,
        })
    }

    /// `p_` and 16 digits.
    fn name(&self, player: Uuid) -> String {
        let digest = Sha256::new()
            .chain_update(&self.secret)
            .chain_update(player.as_bytes())
            .finalize();
        let digits: String = digest[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("p_{digits}")
    }
}

/// The records of these games, which are over, in the order of `ids`; those that
/// are not there are left out.
pub async fn read(
    db: &mut PgConnection,
    pseudonyms: &Pseudonyms,
    ids: &[Uuid],
) -> Result<Vec<(Game, Record)>, PlayError> {
    let found = games::of_ids(db, ids).await?;
    let rest = records::rest(db, ids).await?;
    let loose: Vec<Uuid> = found
        .iter()
        .filter(|game| !game.packed)
        .map(|game| game.game_id)
        .collect();
    let mut logs: HashMap<Uuid, Vec<Row>> = HashMap::new();
    if !loose.is_empty() {
        for logged in records::logs(db, &loose).await? {
            logs.entry(logged.game_id).or_default().push(logged.row);
        }
    }
    let mut found: HashMap<Uuid, Game> = by_id(found, |game| game.game_id);
    let mut rest: HashMap<Uuid, Rest> = by_id(rest, |rest| rest.game_id);
    let mut read = Vec::with_capacity(ids.len());
    for id in ids {
        let (Some(game), Some(rest)) = (found.remove(id), rest.remove(id)) else {
            continue;
        };
        let rows = match &rest.packed_log {
            Some(bytes) => packed::unpack(*id, rows::began(&game), bytes).map_err(corrupt)?,
            None => {
                let rows = logs.remove(id).unwrap_or_default();
                rows.iter().map(entry).collect::<Result<_, _>>()?
            }
        };
        let record = record(&game, rest, pseudonyms, rows)?;
        read.push((game, record));
    }
    Ok(read)
}

fn by_id<T>(all: Vec<T>, id: impl Fn(&T) -> Uuid) -> HashMap<Uuid, T> {
    all.into_iter().map(|one| (id(&one), one)).collect()
}

fn record(
    game: &Game,
    rest: Rest,
    pseudonyms: &Pseudonyms,
    rows: Vec<Entry>,
) -> Result<Record, PlayError> {
    let origin = Origin::of_word(&game.source).ok_or_else(|| corrupt("a game of no source"))?;
    let party = |name: Option<String>, player: Option<Uuid>, kind: Option<String>| Party {
        player: name.or_else(|| player.map(|player| pseudonyms.name(player))),
        kind: kind
            .as_deref()
            .and_then(Kind::of_word)
            .unwrap_or(Kind::Anonymous),
    };
    let seconds = |seconds: i32| u32::try_from(seconds).map_err(corrupt);
    let clock = match game.clock_per_move {
        Some(per_move) => Some(Clock {
            per_move: seconds(per_move)?,
            reserve: Some(seconds(game.clock_reserve.unwrap_or(0))?),
        }),
        None => None,
    };
    let start = game.custom_start.then(|| game.start_position.parse());
    Ok(Record {
        id: game.game_id,
        ruleset: game.ruleset.clone(),
        revision: u32::try_from(game.revision).map_err(corrupt)?,
        rules: stored::rules(game)?,
        start: start.transpose().map_err(corrupt)?,
        seats: Sides {
            south: party(rest.south_name, rest.south_player, rest.south_kind),
            north: party(rest.north_name, rest.north_player, rest.north_kind),
        },
        clock,
        created_at: to_the_millisecond(game.created_at),
        started_at: to_the_millisecond(rows::began(game)),
        ended_at: to_the_millisecond(game.progress.ended_at.unwrap_or(game.created_at)),
        source: origin,
        imported_at: rest.imported_at.map(to_the_millisecond),
        rows,
    })
}

/// A stored row as a record has it.
fn entry(row: &Row) -> Result<Entry, PlayError> {
    Ok(Entry {
        what: what(row)?,
        source: Source::of_word(&row.source).ok_or_else(|| corrupt("a row of no source"))?,
        elapsed_ms: row
            .elapsed_ms
            .map(u64::try_from)
            .transpose()
            .map_err(corrupt)?,
        played_at: row.played_at.map(to_the_millisecond),
    })
}

/// Enters finished games for the search, as many as wait; how many they were. Only
/// one server does so at a time: the others find nothing to do.
pub async fn enter(pool: &PgPool) -> Result<usize, PlayError> {
    enter_counting(pool, Threshold::default()).await
}

/// As [`enter`], with another notion of what is frequent.
pub async fn enter_counting(pool: &PgPool, threshold: Threshold) -> Result<usize, PlayError> {
    entering(pool, threshold, false).await
}

/// As [`enter`], and waits for whoever is at it: afterwards all are entered.
pub async fn enter_all(pool: &PgPool) -> Result<usize, PlayError> {
    entering(pool, Threshold::default(), true).await
}

async fn entering(pool: &PgPool, threshold: Threshold, wait: bool) -> Result<usize, PlayError> {
    let mut entered = 0;
    loop {
        let mut db = db::pool::begin(pool).await?;
        // Nobody waits for this, and a batch that is given up would come again.
        db::pool::take_time(&mut db).await?;
        if wait {
            records::lock(&mut db).await?;
        } else if !records::try_lock(&mut db).await? {
            return Ok(entered);
        }
        let ids = records::dequeue(&mut db, BATCH).await?;
        if ids.is_empty() {
            db.commit().await?;
            return Ok(entered);
        }
        entered += ids.len();
        let pseudonyms = Pseudonyms::of(&mut db).await?;
        let (all, failed) = read_each(&mut db, &pseudonyms, &ids).await?;
        for (id, cause) in failed {
            // It is left out, for `verify` to name, and tried again in an hour.
            tracing::error!(game = %id, cause, "a game cannot be entered for the search");
        }
        let rows = aside(move || Ok(all.iter().filter_map(row).collect()));
        let rows: Vec<_> = rows.await?;
        frequent::append(&mut db, &rows, threshold).await?;
        db.commit().await?;
    }
}

/// A record as a row for the search.
pub(super) fn row(record: &Record) -> Option<Counted> {
    match Indexed::of(record) {
        Ok(indexed) => Some(row_of(record, indexed)),
        Err(cause) => {
            tracing::error!(game = %record.id, %cause, "a game cannot be entered for the search");
            None
        }
    }
}

/// The records of these games, and those that cannot be read, with the reason.
pub async fn read_each(
    db: &mut PgConnection,
    pseudonyms: &Pseudonyms,
    ids: &[Uuid],
) -> Result<(Vec<Record>, Vec<(Uuid, String)>), PlayError> {
    let record = |(_, record)| record;
    match read(db, pseudonyms, ids).await {
        Err(PlayError::Corrupt(_)) => {}
        found => return Ok((found?.into_iter().map(record).collect(), Vec::new())),
    }
    let (mut all, mut failed) = (Vec::new(), Vec::new());
    for id in ids {
        match read(db, pseudonyms, &[*id]).await {
            Ok(found) => all.extend(found.into_iter().map(record)),
            Err(PlayError::Corrupt(cause)) => failed.push((*id, cause)),
            Err(other) => return Err(other),
        }
    }
    Ok((all, failed))
}

/// What the search knows of a game, as a row.
pub(super) fn row_of(record: &Record, indexed: Indexed) -> Counted {
    let result = indexed.end.result();
    Counted {
        row: records::Indexed {
            game_id: record.id,
            ended_at: record.ended_at,
            winner: result.map_or(Winner::Draw, |result| result.winner).as_str(),
            plies: indexed.plies,
            longest_relay: indexed.longest_relay,
            burnt: indexed.burnt,
            rounds: indexed.rounds,
            line: indexed.line,
            keys: indexed.keys,
        },
        pairs: indexed.pairs,
    }
}

/// Queues finished public games that have no record: what a server of an older
/// version has ended, and what could not be entered before.
pub async fn enqueue_missing(pool: &PgPool) -> Result<(), PlayError> {
    let mut db = db::pool::begin(pool).await?;
    db::pool::take_time(&mut db).await?;
    records::lock(&mut db).await?;
    records::enqueue_missing(&mut db).await?;
    Ok(db.commit().await?)
}

/// Packs logs of games that ended at least `age` ago, as many as there are; how
/// many they were. A log that would not come out as it went in stays as it is.
pub async fn pack(pool: &PgPool, age: TimeDelta) -> Result<usize, PlayError> {
    let mut packed = 0;
    loop {
        match pack_some(pool, age).await? {
            0 => return Ok(packed),
            some => packed += some,
        }
    }
}

/// As [`pack`], but no more than a batch of them.
pub async fn pack_some(pool: &PgPool, age: TimeDelta) -> Result<usize, PlayError> {
    let ids = {
        let mut db = pool.acquire().await?;
        let before = db::now(&mut db).await? - age;
        records::to_pack(&mut db, before, BATCH).await?
    };
    let (mut packed, mut failed) = (0, None);
    for id in ids {
        match pack_one(pool, id).await {
            Ok(done) => packed += usize::from(done),
            // The others need not wait for it.
            Err(cause) => failed = Some(cause),
        }
    }
    failed.map_or(Ok(packed), Err)
}

async fn pack_one(pool: &PgPool, game_id: Uuid) -> Result<bool, PlayError> {
    let mut db = db::pool::begin(pool).await?;
    let Some(game) = games::lock(&mut db, game_id).await? else {
        return Ok(false);
    };
    if game.packed {
        return Ok(false);
    }
    let stored = rows::all(&mut db, &game, i32::MAX).await?;
    match aside(move || Ok(packed_rows(&game, stored))).await? {
        Ok(log) => records::pack(&mut db, game_id, &log).await?,
        Err(cause) => {
            tracing::error!(game = %game_id, cause, "a log cannot be packed");
            records::unpackable(&mut db, game_id, &cause).await?;
        }
    }
    db.commit().await?;
    Ok(true)
}

/// The packed log, if these very rows come out of it again.
fn packed_rows(game: &Game, stored: Vec<Row>) -> Result<Vec<u8>, String> {
    let said = |cause: PlayError| cause.to_string();
    let entries: Vec<Entry> = stored
        .iter()
        .map(entry)
        .collect::<Result<_, _>>()
        .map_err(said)?;
    let log = packed::pack(game.game_id, rows::began(game), &entries);
    let out = packed::unpack(game.game_id, rows::began(game), &log);
    let out = out.map_err(|cause| cause.to_string())?;
    let out = rows::of_entries(game, &out).map_err(said)?;
    let kept = stored.into_iter().map(|row| Row {
        played_at: row.played_at.map(to_the_millisecond),
        ..row
    });
    let mut pairs = kept.zip(&out);
    if let Some((row, other)) = pairs.find(|(row, other)| row != *other) {
        return Err(format!(
            "row {} would become {other:?}, and is {row:?}",
            row.ply
        ));
    }
    if entries.len() == out.len() {
        Ok(log)
    } else {
        Err(format!("{} rows would become {}", entries.len(), out.len()))
    }
}
