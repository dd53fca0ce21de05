//! Positions that occur in many games are counted as games come in; all others when
//! they are asked for, from the index of records. Which ones are frequent decides
//! how fast an answer is, never what it says.
//!
//! Everything here happens under the lock of those who write records, in the
//! transaction that writes them. So whoever counts a position for the first time
//! sees every game there is, and nobody adds one meanwhile.

use std::collections::{BTreeMap, HashMap, HashSet};

use sqlx::PgConnection;
use uuid::Uuid;

use crate::db::explorer::{self, SAMPLES, Tally};
use crate::db::records::{self, Indexed};

/// What is frequent.
#[derive(Debug, Clone, Copy)]
pub struct Threshold {
    /// A position of so many games.
    pub games: i64,
    /// Of the positions of a game, one in so many is looked at: what becomes frequent
    /// is found out a few games late, and most positions, which never do, cost little.
    pub one_in: u64,
}

impl Default for Threshold {
    fn default() -> Self {
        Threshold {
            games: 64,
            one_in: 8,
        }
    }
}

/// A record, and what must be known to count it.
#[derive(Debug, Clone)]
pub struct Counted {
    /// The record.
    pub row: Indexed,
    /// The positions in which both seats owed a choice.
    pub pairs: Vec<i64>,
}

/// Appends records, counted where their positions are frequent. Under the lock.
pub async fn append(
    db: &mut PgConnection,
    records: &[Counted],
    threshold: Threshold,
) -> sqlx::Result<()> {
    let keys: HashSet<i64> = records.iter().flat_map(|r| r.row.keys.clone()).collect();
    let mut keys: Vec<i64> = keys.into_iter().collect();
    keys.sort_unstable();
    let frequent = explorer::frequent(db, &keys).await?;
    let frequent: HashSet<i64> = frequent.into_iter().collect();
    let rows: Vec<&Indexed> = records.iter().map(|record| &record.row).collect();
    records::insert(db, &rows).await?;
    let tallies = tallies(records, &frequent);
    if !tallies.is_empty() {
        explorer::count_on(db, &tallies).await?;
    }
    let (mut keys, mut houses) = (Vec::new(), Vec::new());
    for (key, pair) in looked_at(records, &frequent, threshold.one_in) {
        keys.push(key);
        houses.push(if pair { 2 } else { 1 });
    }
    if !keys.is_empty() {
        explorer::begin_counting(db, &keys, &houses, threshold.games).await?;
    }
    Ok(())
}

/// What these records add to the frequent positions, in the order of their keys.
fn tallies(records: &[Counted], frequent: &HashSet<i64>) -> Vec<Tally> {
    let mut found: BTreeMap<(i64, &str), Tally> = BTreeMap::new();
    let mut once: HashSet<(i64, &str)> = HashSet::new();
    for record in records {
        once.clear();
        for (key, choice) in choices(record) {
            if !frequent.contains(&key) {
                continue;
            }
            for choice in [choice, ""] {
                if once.insert((key, choice)) {
                    let tally = found.entry((key, choice));
                    let tally = tally.or_insert_with(|| Tally::none(key, choice));
                    add(tally, &record.row);
                }
            }
        }
    }
    found.into_values().collect()
}

/// The positions of a record, with what was chosen there: a letter, two, or none.
fn choices(record: &Counted) -> Vec<(i64, &str)> {
    let row = &record.row;
    let mut found = Vec::with_capacity(row.keys.len());
    let mut at = 0;
    while let Some(&key) = row.keys.get(at) {
        let wide = if record.pairs.contains(&key) { 2 } else { 1 };
        match row.line.get(at..at + wide) {
            Some(choice) => {
                found.push((key, choice));
                at += wide;
            }
            None => {
                found.push((key, ""));
                at += 1;
            }
        }
    }
    found
}

fn add(tally: &mut Tally, row: &Indexed) {
    tally.games += 1;
    tally.south += i32::from(row.winner == "south");
    tally.north += i32::from(row.winner == "north");
    tally.plies += i64::from(row.plies);
    tally.last_at = tally.last_at.max(row.ended_at);
    let newer = |sample: &Uuid| *sample > row.game_id;
    let place = tally.samples.iter().take_while(|id| newer(id)).count();
    tally.samples.insert(place, row.game_id);
    tally.samples.truncate(SAMPLES);
}

/// Positions to look at, each with whether both seats choose there. Which ones is
/// decided by game and position, so that no position is left out for ever.
fn looked_at(records: &[Counted], frequent: &HashSet<i64>, one_in: u64) -> HashMap<i64, bool> {
    let mut found = HashMap::new();
    for record in records {
        let game = record.row.game_id.as_u64_pair().1;
        for &key in &record.row.keys {
            // Both are as good as random.
            if !frequent.contains(&key) && (game ^ key.cast_unsigned()).is_multiple_of(one_in) {
                found.insert(key, record.pairs.contains(&key));
            }
        }
    }
    found
}
