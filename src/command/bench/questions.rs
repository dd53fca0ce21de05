//! What is asked of the full database, over HTTP and as the bare statement.

use std::time::Instant;

use mancala_rules::State;
use sqlx::PgConnection;

use super::client::Client;
use super::median;
use crate::db::explorer;
use crate::play::explorer::question;
use crate::record::key::Keys;
use crate::record::{Record, What};

type Failed = Box<dyn std::error::Error>;

/// Times that each way is asked in a turn, and turns.
const ASKED: usize = 200;
const TURNS: usize = 5;
/// Positions in a turn where each is asked about once.
const ONCE: usize = 50;

/// Medians in milliseconds.
pub(super) struct Asked {
    /// Games with the position.
    pub games: i32,
    /// The statement, prepared, on a connection of its own.
    pub sql: f64,
    /// The whole answer over HTTP.
    pub http: f64,
}

/// A position that occurred: the one after the first `plies` choices of a game.
pub(super) fn position(game: &Record, plies: usize) -> Result<State, Failed> {
    let mut state = State::start(game.rules);
    for entry in game.rows.iter().take(plies) {
        if let What::Sow { seat, house } = entry.what {
            let chosen = state.choose_untraced(seat, house);
            chosen.map_err(|cause| cause.to_string())?;
        }
    }
    Ok(state)
}

/// The position as a parameter of a request.
pub(super) fn parameter(name: &str, state: &State) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair(name, &state.position_text());
    query.finish()
}

/// Asks the explorer about `state` both ways, in turns.
pub(super) async fn explore(
    db: &mut PgConnection,
    client: &mut Client,
    game: &Record,
    state: &State,
) -> Result<Asked, Failed> {
    let keys = Keys::new(&game.ruleset, game.revision, &game.rules);
    let (keys, houses) = question(keys, state);
    let path = path(game, state);
    let found = explorer::tallies_of(db, &keys, &houses).await?;
    let here = |tally: &&explorer::Tally| tally.key == keys[0] && tally.choice.is_empty();
    let games = found
        .tallies
        .iter()
        .find(here)
        .map_or(0, |tally| tally.games);
    let (mut sql, mut http) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        for _ in 0..ASKED {
            let began = Instant::now();
            explorer::tallies_of(db, &keys, &houses).await?;
            sql.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        http.extend(ask(client, &path, ASKED).await?);
    }
    Ok(Asked {
        games,
        sql: median(&mut sql),
        http: median(&mut http),
    })
}

/// Asks the explorer once about a position of each game, as somebody does who was not
/// there before: both ways in turns, half of the positions the one way first.
pub(super) async fn explore_once(
    db: &mut PgConnection,
    client: &mut Client,
    games: &[Record],
    plies: usize,
) -> Result<Asked, Failed> {
    let (mut sql, mut http) = (Vec::new(), Vec::new());
    for (number, games) in games.chunks(ONCE).enumerate() {
        for way in [number % 2, 1 - number % 2] {
            for game in games {
                let state = position(game, plies)?;
                if way == 0 {
                    http.extend(ask(client, &path(game, &state), 1).await?);
                    continue;
                }
                let keys = Keys::new(&game.ruleset, game.revision, &game.rules);
                let (keys, houses) = question(keys, &state);
                let began = Instant::now();
                explorer::tallies_of(db, &keys, &houses).await?;
                sql.push(began.elapsed().as_secs_f64() * 1000.0);
            }
        }
    }
    Ok(Asked {
        games: i32::try_from(games.len())?,
        sql: median(&mut sql),
        http: median(&mut http),
    })
}

fn path(game: &Record, state: &State) -> String {
    let (ruleset, position) = (&game.ruleset, parameter("position", state));
    format!("/v1/explorer?ruleset={ruleset}&{position}")
}

/// The milliseconds that each of so many answers takes.
pub(super) async fn ask(client: &mut Client, path: &str, times: usize) -> Result<Vec<f64>, Failed> {
    let mut took = Vec::with_capacity(times);
    for _ in 0..times {
        let began = Instant::now();
        let answer = client.get(path).await;
        answer.map_err(|cause| cause.to_string())?;
        took.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(took)
}
