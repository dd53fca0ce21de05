//! Games of every preset, played by chance, that end in every way or not at all.

use std::ops::Range;

use serde_json::json;

use super::chance::Chance;
use super::follow::game_of;
use super::{Game, Person, Server};

/// Plays by chance to the end, or a little way, and resigns now and then.
pub(crate) async fn play(game: &Game, chance: &mut Chance, most: usize) {
    for _ in 0..most {
        let state = game.south.get(&game.path).await.expect(200);
        let legal = state["legal_moves"].as_array().unwrap().clone();
        let Some(choice) = legal.get(chance.below(legal.len().max(1))) else {
            return;
        };
        let (seat, house) = (
            choice["seat"].as_str().unwrap(),
            choice["house"].as_u64().unwrap(),
        );
        let ply = state["ply"].as_u64().unwrap();
        let sent = game.send(seat, ply, house).await;
        assert!((200..300).contains(&sent.status), "{sent}");
    }
    if chance.below(2) == 0 {
        let by = if chance.below(2) == 0 {
            &game.south
        } else {
            &game.north
        };
        by.call(&game.to("resign")).await;
    }
}

/// Who plays some of them: a person and a bot.
pub(crate) async fn players(server: &Server) -> [Person; 2] {
    [
        Person::new(&server.api, "Aminah").await,
        Person::bot(&server.api, "kampung-bot").await,
    ]
}

/// Games of every preset and fate, also such as are never found, by their numbers.
pub(crate) async fn played(
    server: &Server,
    [aminah, bot]: &[Person; 2],
    games: Range<usize>,
    chance: &mut Chance,
) {
    let bodies = [
        json!({ "ruleset": "congkak", "rules": { "houses": 5, "seeds": 2 } }),
        json!({ "ruleset": "congkak" }),
        json!({ "ruleset": "congkak-traditional", "rules": { "houses": 5, "seeds": 3, "max_rounds": 4 } }),
        json!({ "ruleset": "congkak-arena", "rules": { "houses": 5, "seeds": 2, "max_rounds": 2 } }),
        json!({ "ruleset": "al-manqala", "rules": { "houses": 5, "seeds": 2 } }),
        json!({ "ruleset": "al-manqala" }),
    ];
    for number in games {
        let mut body = bodies[number % bodies.len()].clone();
        if number % 3 == 0 {
            body["label"] = json!(if number % 2 == 0 {
                "Piala, Kuala & Co"
            } else {
                "friendly"
            });
        }
        if number % 11 == 10 {
            body["visibility"] = json!("private");
        }
        let game = match number % 4 {
            3 => game_of(&aminah.api, &bot.api, body).await,
            _ => Game::create(&server.api, &body).await,
        };
        let most = [200, 200, 7, 3, 200][number % 5];
        play(&game, chance, most).await;
    }
    let game = Game::of(&server.api, "congkak").await;
    game.south.call(&game.to("abort")).await.expect(200);
}
