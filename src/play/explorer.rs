//! What followed on a position in the finished public games: by each choice, and by
//! whatever way the positions came about that the choices lead to.

use std::collections::HashMap;

use mancala_rules::{Seat, State};
use sqlx::PgConnection;

use super::simulate::Refused;
use super::{PlayError, replay};
pub use crate::db::explorer::Tally;
use crate::db::explorer::{self, Tallies};
use crate::db::search::Filter;
use crate::record::key::Keys;

/// What is known of a position.
#[derive(Debug)]
pub struct Explored {
    /// The number of the last record that was counted.
    pub last_record: i64,
    /// The games in which it occurred; none: there is no such game.
    pub reached: Option<Tally>,
    /// What may be chosen there, what is chosen most first. Of the pairs of an
    /// opening those that were chosen.
    pub moves: Vec<Move>,
}

/// A choice, or a pair of them.
#[derive(Debug)]
pub struct Move {
    /// Of a pair south's first.
    pub choices: Vec<(Seat, u8)>,
    /// What it leads to.
    pub state: State,
    /// The games in which it was chosen in the position.
    pub played: Option<Tally>,
    /// The games in which the position occurred that it leads to.
    pub reached: Option<Tally>,
}

/// So many choices are played sooner than a thread is woken for them.
const AT_ONCE: usize = 40;

/// The choices `play` from `state` on, by whoever is to move; in an opening south's
/// first. Found where it keeps no other request waiting.
pub async fn follow(state: State, play: Vec<u8>) -> Result<Result<State, Refused>, PlayError> {
    if play.len() <= AT_ONCE {
        return Ok(every_choice(state, &play));
    }
    replay::aside(move || Ok(every_choice(state, &play))).await
}

fn every_choice(mut state: State, play: &[u8]) -> Result<State, Refused> {
    for (index, &house) in play.iter().enumerate() {
        let refused = |reason: String, state: &State| Refused {
            index,
            reason,
            legal: state.legal_moves(),
        };
        let Some(&seat) = state.to_move().first() else {
            return Err(refused("the game is over".into(), &state));
        };
        let chosen = state.choose_untraced(seat, house);
        chosen.map_err(|cause| refused(cause.to_string(), &state))?;
    }
    Ok(state)
}

/// Whether both seats owe a choice. Then [`explore`] asks twice, and wants to see one
/// moment.
#[must_use]
pub fn is_of_pairs(state: &State) -> bool {
    state.to_move().len() == 2
}

/// What is known of `state`; with a filter, from the games that fit.
pub async fn explore(
    db: &mut PgConnection,
    keys: Keys,
    state: &State,
    filter: &Filter,
) -> Result<Explored, PlayError> {
    let key = keys.of(state);
    if !is_of_pairs(state) {
        let led = every_lead(state);
        let found = ask(db, filter, Some((key, 1)), &reached(keys, key, &led)).await?;
        return Ok(explored(keys, key, led, found));
    }
    let found = ask(db, filter, Some((key, 2)), &[]).await?;
    let pairs = found.tallies.iter().filter_map(|tally| pair(&tally.choice));
    let led: Vec<_> = pairs.filter_map(|pair| lead(state, pair)).collect();
    let mut found = found;
    let more = ask(db, filter, None, &reached(keys, key, &led)).await?;
    found.tallies.extend(more.tallies);
    Ok(explored(keys, key, led, found))
}

/// What [`explore`] asks the database for of a state in which one seat chooses, without
/// a filter: the keys of positions, and how many houses are chosen at a time there.
#[must_use]
pub fn question(keys: Keys, state: &State) -> (Vec<i64>, Vec<i32>) {
    let key = keys.of(state);
    positions(Some((key, 1)), &reached(keys, key, &every_lead(state)))
}

/// Where each legal choice leads.
fn every_lead(state: &State) -> Led {
    let choices = state.legal_moves().into_iter();
    choices
        .filter_map(|choice| lead(state, vec![choice]))
        .collect()
}

/// Two letters as south's choice and north's.
fn pair(choice: &str) -> Option<Vec<(Seat, u8)>> {
    let houses: Vec<u8> = choice.bytes().map(|letter| letter - b'a' + 1).collect();
    let [south, north] = houses[..] else {
        return None;
    };
    Some(vec![(Seat::South, south), (Seat::North, north)])
}

/// Where the choices lead; nowhere if the rules do not allow them.
fn lead(state: &State, choices: Vec<(Seat, u8)>) -> Option<(Vec<(Seat, u8)>, State)> {
    let mut state = state.clone();
    for &(seat, house) in &choices {
        state.play(seat, house).ok()?;
    }
    Some((choices, state))
}

type Led = Vec<(Vec<(Seat, u8)>, State)>;

/// The keys of the positions that are led to, each once, without `key` itself.
fn reached(keys: Keys, key: i64, led: &Led) -> Vec<i64> {
    let mut found: Vec<i64> = led.iter().map(|(_, state)| keys.of(state)).collect();
    found.sort_unstable();
    found.dedup();
    found.retain(|&other| other != key);
    found
}

async fn ask(
    db: &mut PgConnection,
    filter: &Filter,
    here: Option<(i64, i32)>,
    reached: &[i64],
) -> sqlx::Result<Tallies> {
    let (keys, houses) = positions(here, reached);
    if *filter == Filter::default() {
        explorer::tallies_of(db, &keys, &houses).await
    } else {
        explorer::tallies_of_some(db, filter, &keys, &houses).await
    }
}

/// The positions as the database is asked for them.
fn positions(here: Option<(i64, i32)>, reached: &[i64]) -> (Vec<i64>, Vec<i32>) {
    let here = here.into_iter();
    here.chain(reached.iter().map(|&key| (key, 0))).unzip()
}

fn explored(keys: Keys, key: i64, led: Led, found: Tallies) -> Explored {
    let last_record = found.last_record;
    let tallies = found.tallies.into_iter();
    let tallies = tallies.map(|tally| ((tally.key, tally.choice.clone()), tally));
    let mut tallies: HashMap<_, _> = tallies.collect();
    let moves = led.into_iter().map(|(choices, state)| {
        let letters = choices
            .iter()
            .map(|(_, house)| char::from(b'a' + house - 1));
        let played = tallies.remove(&(key, letters.collect()));
        let reached = tallies.get(&(keys.of(&state), String::new())).cloned();
        Move {
            choices,
            state,
            played,
            reached,
        }
    });
    let mut moves: Vec<Move> = moves.collect();
    let games = |played: &Option<Tally>| played.as_ref().map_or(0, |tally| tally.games);
    let order = |a: &Move, b: &Move| {
        let by_games = games(&b.played).cmp(&games(&a.played));
        by_games.then_with(|| a.choices.cmp(&b.choices))
    };
    moves.sort_by(order);
    Explored {
        last_record,
        reached: tallies.remove(&(key, String::new())),
        moves,
    }
}
