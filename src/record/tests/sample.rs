//! Records with whatever a record can have, at random.

use chrono::{DateTime, TimeDelta, Utc};
use mancala_rules::{Preset, Rules, Seat, Sides, State};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use serde_json::{Map, json};

use crate::record::{Clock, EndReason, Entry, Kind, Origin, Party, Record, Source, What};

pub(super) struct Sampler(ChaCha8Rng);

impl Sampler {
    pub(super) fn new(seed: u64) -> Sampler {
        Sampler(ChaCha8Rng::seed_from_u64(seed))
    }

    pub(super) fn below(&mut self, most: u32) -> u32 {
        self.0.next_u32() % most
    }

    /// Yes, once in so many times.
    pub(super) fn once_in(&mut self, most: u32) -> bool {
        self.below(most) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// A record of a finished game of this ruleset.
    pub(super) fn record(&mut self, preset: &Preset) -> Record {
        let rules = self.rules(preset);
        let (start, state) = self.start(rules);
        let created_at = self.moment();
        let started_at = match self.once_in(2) {
            true => created_at,
            false => created_at + TimeDelta::milliseconds(self.below(1_000_000).into()),
        };
        let times = !self.once_in(3);
        let rows = self.rows(state, times.then_some(started_at));
        let late = rows.iter().any(|row| {
            let reason = EndReason::Timeout;
            matches!(row.what, What::End { reason: found, .. } if found == reason)
        });
        let last = rows.iter().rev().find_map(|row| row.played_at);
        Record {
            id: uuid::Builder::from_unix_timestamp_millis(
                created_at.timestamp_millis().unsigned_abs(),
                &std::array::from_fn(|_| self.below(256) as u8),
            )
            .into_uuid(),
            ruleset: preset.name.into(),
            revision: preset.revision,
            rules,
            start,
            seats: Sides {
                south: self.party(),
                north: self.party(),
            },
            clock: (late || self.once_in(2)).then(|| Clock {
                per_move: 60 + self.below(2_592_000 - 59),
                reserve: self.once_in(2).then(|| self.below(31_536_001)),
            }),
            created_at,
            started_at,
            ended_at: last.unwrap_or(started_at).max(started_at),
            source: Origin::Imported,
            imported_at: None,
            rows,
        }
    }

    fn moment(&mut self) -> DateTime<Utc> {
        let days = self.below(20_000);
        let millis = if self.once_in(2) {
            0
        } else {
            self.below(86_400_000)
        };
        DateTime::UNIX_EPOCH + TimeDelta::days(days.into()) + TimeDelta::milliseconds(millis.into())
    }

    fn party(&mut self) -> Party {
        let names = [
            "Siti",
            "p_0123456789abcdef",
            "a \"b\" \\ c",
            " ",
            "北",
            "x y z",
            "\\",
        ];
        Party {
            player: self.once_in(2).then(|| self.pick(&names).into()),
            kind: self.pick(Kind::ALL),
        }
    }

    fn rules(&mut self, preset: &Preset) -> Rules {
        let mut overrides = Map::new();
        if self.once_in(2) {
            overrides.insert("houses".into(), json!(5 + self.below(4)));
        }
        if !self.once_in(3) {
            overrides.insert("seeds".into(), json!(1 + self.below(5)));
        }
        if preset.name == "al-manqala" {
            let feeding = self.pick(&["deposit", "leaves"]);
            overrides.insert("feeding".into(), json!(feeding));
            let repeat = self.pick(&[json!(null), json!(2)].each_ref()).clone();
            overrides.insert("loop_repeat".into(), repeat);
        } else {
            overrides.insert("max_rounds".into(), json!(1 + self.below(3)));
            for (name, words) in [
                ("opening", ["alternating", "simultaneous"]),
                ("empty_opposite", ["stay", "bank"]),
                ("round_end", ["mover_empty", "side_empty"]),
                ("refill", ["left_to_right", "even"]),
                ("burnt", ["skip", "confiscate"]),
            ] {
                if self.once_in(2) {
                    overrides.insert(name.into(), json!(self.pick(&words)));
                }
            }
            let recoverable = self.once_in(2);
            overrides.insert("burnt_recoverable".into(), json!(recoverable));
        }
        preset.rules(&overrides).expect("rules")
    }

    /// The usual start, or a position that a few choices lead to.
    fn start(&mut self, rules: Rules) -> (Option<mancala_rules::Position>, State) {
        let usual = State::start(rules);
        if !self.once_in(4) {
            return (None, usual);
        }
        let mut state = usual.clone();
        for _ in 0..self.below(12) {
            let Some((seat, house)) = self.choice(&state) else {
                return (None, usual);
            };
            state.play(seat, house).expect("a legal choice");
        }
        let position = state.position();
        match State::custom(rules, &position) {
            Ok(state) => (Some(position), state),
            Err(_) => (None, usual),
        }
    }

    fn choice(&mut self, state: &State) -> Option<(Seat, u8)> {
        let seat = state.to_move().first().copied()?;
        let houses = state.legal_houses(seat);
        Some((seat, self.pick(&houses)))
    }

    fn rows(&mut self, mut state: State, started: Option<DateTime<Utc>>) -> Vec<Entry> {
        let mut rows: Vec<Entry> = Vec::new();
        // The states that a takeback may go back to, with the rows that led there.
        let mut line = vec![(0, state.clone())];
        let mut at = started;
        while state.result().is_none() {
            let pending = state.committed() != Sides::default();
            let back: Vec<_> = line
                .iter()
                .filter(|(ply, _)| ply + 1 < rows.len() + 1)
                .collect();
            if !pending && !back.is_empty() && self.once_in(20) {
                let (to_ply, target) = (*self.pick(&back)).clone();
                line.retain(|(ply, _)| *ply <= to_ply);
                let seat = self.pick(&Seat::ALL);
                let to_ply = u32::try_from(to_ply).expect("a row");
                self.push(&mut rows, What::Takeback { seat, to_ply }, &mut at);
                state = target;
            } else if !pending && (self.once_in(60) || rows.len() > 400) {
                let seat = self.pick(&Seat::ALL);
                let (reason, by) = self.pick(&[
                    (EndReason::Resignation, Some(seat)),
                    (EndReason::Timeout, Some(seat)),
                    (EndReason::Agreement, None),
                ]);
                let halves = matches!(state.rules(), Rules::AlManqala(_)) && self.once_in(2);
                let (reason, by) = if halves {
                    (EndReason::Loop, None)
                } else {
                    (reason, by)
                };
                self.push(&mut rows, What::End { reason, by }, &mut at);
                break;
            } else {
                let (seat, house) = self.choice(&state).expect("a choice");
                state.play(seat, house).expect("a legal choice");
                self.push(&mut rows, What::Sow { seat, house }, &mut at);
            }
            if state.committed() == Sides::default() {
                line.push((rows.len(), state.clone()));
            }
        }
        rows
    }

    fn push(&mut self, rows: &mut Vec<Entry>, what: What, at: &mut Option<DateTime<Utc>>) {
        let elapsed = self.below(100_000);
        if let Some(at) = at {
            *at += TimeDelta::milliseconds(i64::from(elapsed) + i64::from(self.below(3)));
        }
        rows.push(Entry {
            what,
            source: match self.once_in(10) {
                true => self.pick(Source::ALL),
                false => super::super::text::usual_source(what),
            },
            elapsed_ms: (at.is_some() != self.once_in(9)).then_some(elapsed.into()),
            played_at: at.filter(|_| !self.once_in(9)),
        });
    }
}
