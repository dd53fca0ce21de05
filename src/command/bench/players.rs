//! Clients that play: each one a game after another, a random legal house at a time.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::Deserialize;
use serde_json::json;

use super::client::Client;

type Failed = Box<dyn std::error::Error + Send + Sync>;

/// As much of a game's state as a player needs.
#[derive(Deserialize)]
struct State {
    id: String,
    ply: i64,
    legal_moves: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    seat: String,
    house: u8,
}

/// The answer to a game's creation.
#[derive(Deserialize)]
struct Made {
    game: State,
    seat_tokens: HashMap<String, String>,
}

/// The answer to a choice.
#[derive(Deserialize)]
struct Played {
    game: State,
}

/// A client and its game.
struct Player {
    client: Client,
    rng: ChaCha8Rng,
    state: State,
    tokens: HashMap<String, String>,
    /// Games that wait.
    stock: Vec<Made>,
}

/// A game whose seats both are the client's.
async fn begin(client: &mut Client, visibility: &str) -> Result<Made, Failed> {
    let body = json!({ "ruleset": "congkak", "visibility": visibility });
    client.post("/v1/games", None, &body).await
}

impl Player {
    async fn new(address: SocketAddr, number: u64) -> Result<Player, Failed> {
        let mut client = Client::new(address).await?;
        let Made { game, seat_tokens } = begin(&mut client, "public").await?;
        Ok(Player {
            client,
            rng: ChaCha8Rng::seed_from_u64(number),
            state: game,
            tokens: seat_tokens,
            stock: Vec::new(),
        })
    }

    /// Chooses a house; the milliseconds that the answer took.
    async fn play(&mut self) -> Result<f64, Failed> {
        if self.state.legal_moves.is_empty() {
            let made = match self.stock.pop() {
                Some(made) => made,
                None => begin(&mut self.client, "public").await?,
            };
            (self.state, self.tokens) = (made.game, made.seat_tokens);
        }
        let legal = &self.state.legal_moves;
        let choice = &legal[self.rng.random_range(0..legal.len())];
        let token = self.tokens.get(&choice.seat).map(String::as_str);
        let path = format!("/v1/games/{}/moves", self.state.id);
        let body = json!({ "after_ply": self.state.ply, "house": choice.house });
        let began = Instant::now();
        let answer: Played = self.client.post(&path, token, &body).await?;
        let took = began.elapsed().as_secs_f64() * 1000.0;
        self.state = answer.game;
        Ok(took)
    }
}

/// Clients that play on one server.
pub(super) struct Players(Vec<Player>);

impl Players {
    /// So many of them, each with a game.
    pub(super) async fn new(address: SocketAddr, clients: u64) -> Result<Players, Failed> {
        Players::on(&[address], clients).await
    }

    /// So many of them, spread over servers.
    pub(super) async fn on(servers: &[SocketAddr], clients: u64) -> Result<Players, Failed> {
        let servers = servers.iter().cycle().zip(0..clients);
        let players = servers.map(|(&address, number)| Player::new(address, number));
        Ok(Players(try_join_all(players).await?))
    }

    /// From now on they play games that have begun before, so many each, which no search
    /// will find: moves and nothing else.
    pub(super) async fn stock(&mut self, games: u64) -> Result<(), Failed> {
        let all = self.0.iter_mut().map(async |player| {
            player.state.legal_moves.clear();
            for _ in player.stock.len() as u64..games {
                player
                    .stock
                    .push(begin(&mut player.client, "private").await?);
            }
            Ok::<_, Failed>(())
        });
        try_join_all(all).await.map(drop)
    }

    /// The ids of their games.
    pub(super) fn games(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|player| player.state.id.as_str())
    }

    /// The first one chooses a house.
    pub(super) async fn play_one(&mut self) -> Result<(), Failed> {
        match self.0.first_mut() {
            Some(player) => player.play().await.map(drop),
            None => Ok(()),
        }
    }

    /// All play for `time`; the milliseconds that each choice took.
    pub(super) async fn play(&mut self, time: Duration) -> Result<Vec<f64>, Failed> {
        let until = Instant::now() + time;
        let all = self.0.iter_mut().map(async |player| {
            let mut took = Vec::new();
            while Instant::now() < until {
                took.push(player.play().await?);
            }
            Ok::<_, Failed>(took)
        });
        Ok(try_join_all(all).await?.concat())
    }
}
