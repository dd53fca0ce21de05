//! Games that nobody played: uniform random choices, the same on every machine and
//! in every version.
//!
//! The generator is ChaCha with 8 rounds. Its key is the SHA-256 of the text
//! `mancala-post generate 1` and, a line each, the ruleset, its revision, all
//! parameters as JSON and the seed; a game's number is the stream. Its first ten
//! bytes go into the game's id, then each choice takes 32-bit words `w`: with `n`
//! legal houses in order, the one at `w · n / 2³²`, unless the low half of `w · n`
//! is below `2³² mod n` (then the next word is taken). So each game depends on
//! nothing but these and its number, in whatever order games are made.

use chrono::{DateTime, TimeDelta, Utc};
use mancala_rules::{Rules, Seat, Sides, State, preset, presets};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{EndReason, Entry, Kind, Origin, Party, Record, Source, What};

/// When game 0 would have begun, in milliseconds: 2000-01-01. Long before any game
/// that was played, so that lists with the newest first are not full of these.
const BEGINNING: i64 = 946_684_800_000;

/// What games are made from.
#[derive(Debug, Clone)]
pub struct Plan {
    ruleset: &'static str,
    revision: u32,
    rules: Rules,
    key: [u8; 32],
    most_plies: u32,
}

impl Plan {
    /// Games of a ruleset with `overrides` as JSON. Games of more than `most_plies`
    /// choices end there in a draw, for a series in rounds need not end by itself.
    ///
    /// # Errors
    /// What is wrong with the ruleset or the overrides.
    pub fn new(
        ruleset: &str,
        overrides: Option<&str>,
        seed: u64,
        most_plies: u32,
    ) -> Result<Plan, String> {
        let preset = preset(ruleset).ok_or_else(|| {
            let names: Vec<_> = presets().iter().map(|preset| preset.name).collect();
            format!("there is no ruleset {ruleset:?}: {}", names.join(", "))
        })?;
        let overrides: Map<String, Value> = match overrides {
            None => Map::new(),
            Some(text) => serde_json::from_str(text)
                .map_err(|cause| format!("the rules are no JSON object: {cause}"))?,
        };
        let rules = preset
            .rules(&overrides)
            .map_err(|cause| cause.to_string())?;
        let (name, revision) = (preset.name, preset.revision);
        // In the order in which they are declared, which is fixed.
        let all = serde_json::to_string(&rules).map_err(|cause| cause.to_string())?;
        let text = format!("mancala-post generate 1\n{name}\n{revision}\n{all}\n{seed}\n");
        Ok(Plan {
            ruleset: name,
            revision,
            rules,
            key: Sha256::digest(text.as_bytes()).into(),
            most_plies,
        })
    }

    /// Plays game `number` and nothing else: the choices it takes.
    #[must_use]
    pub fn playout(&self, number: u64) -> usize {
        let mut rng = self.generator(number);
        rng.fill_bytes(&mut [0; 10]);
        self.play(&mut rng, |_| {})
    }

    fn generator(&self, number: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::from_seed(self.key);
        rng.set_stream(number);
        rng
    }

    /// Game `number`, which began `number` seconds into the year 2000 and took a
    /// second a row.
    #[must_use]
    pub fn game(&self, number: u64) -> Record {
        let mut rng = self.generator(number);
        let seconds = |n: u64| TimeDelta::seconds(i64::try_from(n).unwrap_or(i64::MAX / 2000));
        let beginning = DateTime::from_timestamp_millis(BEGINNING).unwrap_or_default();
        let created_at: DateTime<Utc> = beginning
            .checked_add_signed(seconds(number))
            .unwrap_or(beginning);
        let mut random = [0; 10];
        rng.fill_bytes(&mut random);
        let millis = created_at.timestamp_millis().unsigned_abs();
        let id: Uuid = uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid();
        let mut rows = Vec::with_capacity(64);
        self.play(&mut rng, |what| rows.push(row(what)));
        let party = || Party {
            player: None,
            kind: Kind::Bot,
        };
        Record {
            id,
            ruleset: self.ruleset.into(),
            revision: self.revision,
            rules: self.rules,
            start: None,
            seats: Sides {
                south: party(),
                north: party(),
            },
            clock: None,
            created_at,
            started_at: created_at,
            ended_at: created_at + seconds(rows.len() as u64),
            source: Origin::Generated,
            imported_at: None,
            rows,
        }
    }

    /// Plays to the end and tells every row; how many there were.
    fn play(&self, rng: &mut ChaCha8Rng, mut tell: impl FnMut(What)) -> usize {
        let mut state = State::start(self.rules);
        let mut rows = 0;
        while state.result().is_none() {
            let waiting = state.committed() != Sides::default();
            if rows >= self.most_plies as usize && !waiting {
                tell(What::End {
                    reason: EndReason::Agreement,
                    by: None,
                });
                return rows + 1;
            }
            // In an opening south's choice first.
            let Some((seat, house)) = choose(&state, rng) else {
                break;
            };
            // It is one of the legal ones.
            let _ = state.play(seat, house);
            tell(What::Sow { seat, house });
            rows += 1;
        }
        rows
    }
}

/// A row of which no time is known.
fn row(what: What) -> Entry {
    Entry {
        what,
        source: Source::Player,
        elapsed_ms: None,
        played_at: None,
    }
}

/// One of the legal choices of the first seat that owes one.
fn choose(state: &State, rng: &mut impl Rng) -> Option<(Seat, u8)> {
    for seat in Seat::ALL {
        let houses = state.legal(seat);
        if !houses.is_empty() {
            let house = houses.nth(below(houses.len() as u32, rng))?;
            return Some((seat, house));
        }
    }
    None
}

/// A number below `most`, each as likely as any other.
fn below(most: u32, rng: &mut impl Rng) -> usize {
    let unfair = most.wrapping_neg() % most;
    loop {
        let wide = u64::from(rng.next_u32()) * u64::from(most);
        if wide as u32 >= unfair {
            return (wide >> 32) as usize;
        }
    }
}
