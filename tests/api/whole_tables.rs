//! What is asked often reads rows by their keys, however many there are: with tables of
//! thousands of rows, play, events, webhooks, lists and the explorer go through none of
//! them from end to end. PostgreSQL counts the rows that are read so.

use nix::sys::signal::Signal;
use serde_json::json;
use sqlx::FromRow;

use mancala_post::db::event_pages::{self, Audience, Page};
use mancala_post::db::{deadlines, explorer, offers, seats, tokens};
use uuid::Uuid;

use crate::support::database::Database;
use crate::support::follow::step;
use crate::support::people::between;
use crate::support::process::{Process, run};
use crate::support::receiver::{Receiver, subscribe};
use crate::support::{Api, Person};

const RULESETS: [&str; 3] = ["congkak", "al-manqala", "congkak-arena"];

/// Tables with fewer rows are read whole with good reason.
const MANY: i64 = 5_000;

/// Those that have more, here.
const LARGE: [&str; 10] = [
    "event_log",
    "event_readers",
    "events",
    "games",
    "imports",
    "players",
    "records",
    "seats",
    "tokens",
    "webhook_deliveries",
];

/// Each doubling gives every finished game a twin; then come players, tokens, and what has
/// been told of the games.
const CROWD: &str = "do $$ begin
    for doubling in 1..10 loop
        create temp table twins as
            select game_id, gen_random_uuid() as twin,
                   (select max(record_no) from records) + row_number() over () as record_no
            from records;
        insert into games select (jsonb_populate_record(g,
            jsonb_build_object('game_id', twin))).* from games g join twins using (game_id);
        insert into seats select (jsonb_populate_record(s,
            jsonb_build_object('game_id', twin))).* from seats s join twins using (game_id);
        insert into imports select (jsonb_populate_record(i,
            jsonb_build_object('game_id', twin))).* from imports i join twins using (game_id);
        insert into records select (jsonb_populate_record(r,
            jsonb_build_object('game_id', twin, 'record_no', t.record_no))).*
            from records r join twins t using (game_id);
        drop table twins;
    end loop;
    insert into players (player_id, handle, kind, created_at)
        select gen_random_uuid(), 'crowd' || n, 'human', app_now()
        from generate_series(1, 10000) n;
    insert into tokens (token_hash, token_id, player_id, scopes, created_at)
        select sha256(uuid_send(player_id)), gen_random_uuid(), player_id, '{read}', app_now()
        from players;
    insert into events (game_id, event_no, type, ply, seats, data, at)
        select game_id, n, 'turn.started', n, '{south}', '{\"seat\": \"south\"}', app_now()
        from records, generate_series(1, 2) n;
    insert into event_log
        select coalesce((select max(position) from event_log), 0) + row_number() over (),
               game_id, event_no
        from events join records using (game_id);
    insert into event_readers (player_id, position)
        select player_id, position from (
            select player_id, row_number() over () as n from players) p
            join event_log on position % 10000 = n
        on conflict do nothing;
    insert into webhook_deliveries
        (webhook_id, position, game_id, type, status, created_at, delivered_at)
        select webhook_id, position, l.game_id, 'turn.started', 'delivered', app_now(), app_now()
        from webhooks cross join event_log l on conflict do nothing;
    update webhook_cursor set position = (select max(position) from event_log);
end $$";

/// A table, its rows, and how many were read from end to end.
#[derive(Debug, PartialEq, FromRow)]
struct Read {
    table: String,
    rows: i64,
    read: i64,
}

fn generate(url: &str) {
    for ruleset in RULESETS {
        let made = run(url, &["generate", "--games", "4", "--ruleset", ruleset]);
        assert!(made.status.success(), "{made:?}");
    }
}

async fn play_and_look(url: &str, receiver: &Receiver) {
    let anyone = Api::new(url).await;
    let south = Person::new(&anyone, "cik").await;
    let north = Person::new(&anyone, "daud").await;
    subscribe(&south.api, &receiver.url, json!({})).await;
    for ruleset in RULESETS {
        let clock = json!({ "clock": { "per_move": 86400 } });
        let game = between(&south, &north, ruleset, clock).await;
        for _ in 0..6 {
            step(&game).await;
            south.api.get("/v1/events?after=0").await.is(200);
            anyone.get(&game.to("events?after=0")).await.is(200);
            anyone.get(&game.to("moves")).await.is(200);
            anyone.get(&game.to("verify")).await.is(200);
        }
        let state = game.state().await;
        game.south.call(&game.to("resign")).await.is(200);
        let position = state["position"].as_str().unwrap();
        let reached: String = form_urlencoded::byte_serialize(position.as_bytes()).collect();
        for path in [
            format!("/v1/games?ruleset={ruleset}"),
            format!("/v1/games?ruleset={ruleset}&reached={reached}"),
            format!("/v1/games/count?ruleset={ruleset}&reached={reached}"),
            format!("/v1/explorer?ruleset={ruleset}"),
            format!("/v1/explorer?ruleset={ruleset}&position={reached}"),
        ] {
            anyone.get(&path).await.is(200);
        }
    }
    for path in ["/v1/me", "/v1/me/games", "/v1/me/tokens", "/v1/webhooks"] {
        north.api.get(path).await.is(200);
    }
    // All games have been told of to their ends.
    let mut finished = 0;
    let mut count = 0;
    while finished < 3 {
        let seen = receiver.until(count + 1).await;
        let ends = seen
            .iter()
            .filter(|message| message.body["type"] == "game.finished");
        (finished, count) = (ends.count(), seen.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_asked_often_reads_a_whole_table() {
    let db = Database::new().await;
    let url = db.url();
    generate(&url);
    let receiver = Receiver::start(&[]).await;
    let private = [("MANCALA_WEBHOOK_PRIVATE", "true")];
    let mut process = Process::start_with(&url, &private);
    let api = Api::new(&process.url).await;
    let (south, north) = (
        Person::new(&api, "aminah").await,
        Person::new(&api, "bunga").await,
    );
    subscribe(&south.api, &receiver.url, json!({})).await;
    step(&between(&south, &north, "congkak", json!({})).await).await;
    process.end_by(Signal::SIGTERM);
    db.execute(CROWD).await;
    db.execute("vacuum analyze").await;

    // Whoever has read tells of it at their end.
    db.shut().await;
    db.open().await;
    db.execute("select pg_stat_reset()").await;
    let mut process = Process::start_with(&url, &private);
    play_and_look(&process.url, &receiver).await;
    process.end_by(Signal::SIGTERM);
    db.shut().await;
    db.open().await;
    let counts = "select s.relname::text as table, c.reltuples::bigint as rows, coalesce(seq_tup_read, 0) as read \
                  from pg_stat_user_tables s join pg_class c on c.oid = s.relid \
                  where c.reltuples >= $1 order by s.relname";
    let counts: Vec<Read> = sqlx::query_as(counts)
        .bind(MANY)
        .fetch_all(&mut db.connect().await)
        .await
        .unwrap();
    let large: Vec<&str> = counts.iter().map(|table| table.table.as_str()).collect();
    assert_eq!(large, LARGE);
    let whole: Vec<&Read> = counts.iter().filter(|table| table.read > 0).collect();
    assert!(whole.is_empty(), "{whole:?}");
}

/// PostgreSQL plans a statement five times before it asks itself whether it has to go on.
const PLANNED: i64 = 5;

/// The rows of one or of many are read by one statement each, planned for however many:
/// planning takes longer than the reading.
#[tokio::test]
async fn what_is_read_for_one_is_not_planned_each_time() {
    let database = Database::new().await;
    generate(&database.url());
    database.execute(CROWD).await;
    database.execute("vacuum analyze").await;
    let mut db = database.connect().await;
    let games: Vec<Uuid> = sqlx::query_scalar("select game_id from games order by 1 limit 40")
        .fetch_all(&mut db)
        .await
        .unwrap();
    let position: i64 = sqlx::query_scalar("select keys[9] from records order by 1 limit 1")
        .fetch_one(&mut db)
        .await
        .unwrap();
    for id in games {
        let page = Page {
            audience: Audience::Game(id),
            after: 0,
            limit: 50,
        };
        tokens::by_hashes(&mut db, &[id.as_bytes().to_vec()])
            .await
            .unwrap();
        tokens::live(&mut db, &[id]).await.unwrap();
        seats::with_games(&mut db, &[id]).await.unwrap();
        seats::of_games(&mut db, &[id]).await.unwrap();
        seats::committed(&mut db, &[id]).await.unwrap();
        seats::invitations(&mut db, &[id]).await.unwrap();
        deadlines::of_games(&mut db, &[id]).await.unwrap();
        offers::open(&mut db, &[id]).await.unwrap();
        event_pages::pages(&mut db, &[page]).await.unwrap();
        explorer::tallies_of(&mut db, &[position], &[1])
            .await
            .unwrap();
    }
    let planned = "select left(statement, 60), custom_plans from pg_prepared_statements \
                   where custom_plans + generic_plans = 40";
    let planned: Vec<(String, i64)> = sqlx::query_as(planned).fetch_all(&mut db).await.unwrap();
    assert_eq!(planned.len(), 10, "{planned:#?}");
    let each_time = planned.iter().filter(|(_, plans)| *plans > PLANNED);
    let each_time: Vec<_> = each_time.collect();
    assert!(each_time.is_empty(), "{each_time:#?}");
}
