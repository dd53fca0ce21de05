//! Who sits where: players and people without an account side by side, seats that
//! are chosen and seats that are drawn, and which token plays which.

use serde_json::{Value, json};

use crate::support::{Api, Made, Person, Server};

fn anonymous() -> Value {
    json!({ "player": null, "kind": "anonymous", "vacation_until": null })
}

async fn choose(api: &Api, game: &Made, after_ply: u64, house: u64) -> crate::support::Answer {
    let body = json!({ "after_ply": after_ply, "house": house });
    api.post(&game.to("moves"), &body).await
}

fn other(seat: &str) -> &str {
    if seat == "south" { "north" } else { "south" }
}

/// The seat that is `name`'s in a state.
fn seat_of<'a>(state: &Value, name: &str) -> &'a str {
    let at = |seat: &str| state["seats"][seat]["player"] == name;
    assert_ne!(at("south"), at("north"), "{state}");
    if at("south") { "south" } else { "north" }
}

#[tokio::test]
async fn a_player_beside_somebody_without_an_account() {
    let server = Server::start().await;
    for (player, kind) in [
        (Person::new(&server.api, "aminah").await, "human"),
        (Person::bot(&server.api, "robot").await, "bot"),
    ] {
        for seat in ["south", "north"] {
            let game = Made::by(&player.api, "al-manqala", json!({ "seat": seat })).await;
            let token = |seat: &str| game.created["seat_tokens"][seat].as_str().unwrap();
            let state = &game.created["game"];
            let own = json!({ "player": player.name, "kind": kind, "vacation_until": null });
            assert_eq!(state["seats"][seat], own);
            assert_eq!(state["seats"][other(seat)], anonymous());
            assert_eq!(state["status"], "playing");
            // The player's token and the slot's play one seat, the other token the other.
            let slot = server.api.with(token(seat));
            let opponent = server.api.with(token(other(seat)));
            let (mine, theirs) = if seat == "south" { (0, 1) } else { (1, 0) };
            let sides = [
                [&player.api, &opponent][mine],
                [&player.api, &opponent][theirs],
            ];
            let not_yet = choose(sides[1], &game, 0, 1).await;
            not_yet.problem(409, "not_your_turn");
            choose(sides[0], &game, 0, 1).await.expect(201);
            choose(sides[1], &game, 1, 1).await.expect(201);
            let again = choose(&slot, &game, if mine == 0 { 0 } else { 1 }, 1).await;
            assert!(again.replayed(), "{again}");
            let page = player.api.get("/v1/me/games").await.expect(200);
            assert_eq!(page["items"][0]["id"], json!(game.id));
            // A seat's token is no account.
            slot.get("/v1/me").await.problem(403, "seat_token");
        }
    }
}

#[tokio::test]
async fn chosen_seats() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let opponents = [
        json!({ "player": "bunga" }),
        json!({ "open": true }),
        json!({ "invite": true }),
    ];
    for seat in ["south", "north"] {
        for opponent in &opponents {
            let fields = json!({ "seat": seat, "opponent": opponent });
            let game = Made::by(&aminah.api, "congkak", fields).await;
            let open = &game.created["game"];
            assert_eq!(open["status"], "open");
            assert_eq!(open["to_move"], json!([]));
            assert_eq!(open["legal_moves"], json!([]));
            assert_eq!(open["started_at"], Value::Null);
            assert_eq!(open["seats"][seat]["player"], "aminah");
            assert_eq!(open["seats"][other(seat)], Value::Null);
            assert_eq!(open["invitation"]["seat"], other(seat));
            let from = json!({ "player": "aminah", "kind": "human", "vacation_until": null });
            assert_eq!(open["invitation"]["from"], from);
            let kind = opponent.as_object().unwrap().keys().next().unwrap();
            assert_eq!(open["invitation"]["kind"], json!(kind));
            let token = game.created["invite_token"].as_str();
            assert_eq!(token.is_some(), kind == "invite");
            assert_eq!(game.created.get("seat_token"), None);
            assert_eq!(game.created.get("seat_tokens"), None);
            let joined = bunga.api.ask(game.joining(token)).await.expect(200);
            assert_eq!(joined.get("seat_token"), None);
            let state = &joined["game"];
            assert_eq!(state["status"], "playing");
            assert_eq!(state["invitation"], Value::Null);
            assert_eq!(seat_of(state, "aminah"), seat);
            assert_eq!(seat_of(state, "bunga"), other(seat));
            assert_ne!(state["started_at"], Value::Null);
        }
    }
}

#[tokio::test]
async fn seats_by_lot() {
    let server = Server::start().await;
    let aminah = Person::new(&server.api, "aminah").await;
    let bunga = Person::new(&server.api, "bunga").await;
    let mut drawn = [[0; 2]; 2];
    for number in 0..64 {
        // Left out is the same as random.
        let mut fields = json!({});
        if number % 2 == 0 {
            fields["seat"] = json!("random");
        }
        let game = Made::by(&aminah.api, "congkak", fields.clone()).await;
        let seat = seat_of(&game.created["game"], "aminah");
        drawn[0][usize::from(seat == "south")] += 1;

        fields["opponent"] = json!({ "open": true });
        let game = Made::by(&aminah.api, "congkak", fields).await;
        let open = &game.created["game"];
        assert_eq!(open["seats"], json!({ "south": null, "north": null }));
        assert_eq!(open["invitation"]["seat"], Value::Null);
        let state = &game.joined(&bunga.api).await["game"];
        let seat = seat_of(state, "aminah");
        assert_eq!(seat_of(state, "bunga"), other(seat));
        drawn[1][usize::from(seat == "south")] += 1;
    }
    for counts in drawn {
        assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
    }
    for seat in [json!("South"), json!("east"), json!(1), Value::Null] {
        let body = json!({ "ruleset": "congkak", "seat": seat });
        let answer = server.api.post("/v1/games", &body).await;
        assert_eq!(answer.problem(400, "bad_request")["parameter"], "seat");
    }
}

/// The creator's token belongs to the creator, whatever seat is drawn.
#[tokio::test]
async fn a_seat_token_follows_the_lot() {
    let server = Server::start().await;
    let mut seen = [false; 2];
    while seen != [true; 2] {
        let fields = json!({ "opponent": { "open": true } });
        let game = Made::by(&server.api, "congkak", fields).await;
        let creator = server.api.with(game.secret("seat_token"));
        let early = choose(&creator, &game, 0, 1).await;
        early.problem(409, "not_started");
        let joined = game.joined(&server.api).await;
        let joiner = server.api.with(joined["seat_token"].as_str().unwrap());
        assert_eq!(joined["game"]["seats"]["south"], anonymous());
        assert_eq!(joined["game"]["seats"]["north"], anonymous());
        let first = choose(&creator, &game, 0, 1).await;
        let creator_is_south = first.status == 201;
        if !creator_is_south {
            first.problem(409, "not_your_turn");
            choose(&joiner, &game, 0, 1).await.expect(201);
        }
        seen[usize::from(creator_is_south)] = true;
    }
}
