//! What clients see: one file per resource, each a handler with its JSON types.
//! Changes of a game go through `play`; plain reads may go to `db`.

pub mod accept;
pub mod actions;
pub mod asking;
pub mod boards;
pub mod buttons;
pub mod caching;
pub mod clocks;
pub mod conditionals;
pub mod connection;
pub mod cursor;
pub mod deliveries;
pub mod docs;
pub mod document;
pub mod door;
pub mod error;
pub mod event;
pub mod events;
pub mod explorer;
pub mod export;
pub mod exported;
pub mod filters;
pub mod forms;
pub mod games;
pub mod health;
pub mod holidays;
pub mod language;
pub mod limits;
pub mod lists;
pub mod log;
pub mod managed;
pub mod me;
pub mod messages;
pub mod metrics;
pub mod moves;
pub mod naming;
pub mod offers;
pub mod once;
pub mod params;
pub mod players;
pub mod problems;
pub mod proposals;
pub mod rows;
pub mod rulesets;
pub mod seating;
pub mod seats;
pub mod shield;
pub mod simulate;
pub mod slots;
pub mod snapshots;
pub mod state;
pub mod surface;
pub mod time;
pub mod trial;
pub mod verify;
pub mod webhook;
pub mod webhooks;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::notify::Feed;
use crate::notify::webhooks::sender::Sender;
use limits::Limits;
use slots::Slots;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use utoipa_actix_web::service_config::ServiceConfig;

/// What every handler may use.
#[derive(Clone)]
pub struct Context {
    /// The database. Each worker has connections of its own: they belong to its
    /// thread, and end with it.
    pub pool: PgPool,
    /// The pools of all workers, to be counted.
    pub pools: Arc<Mutex<Vec<PgPool>>>,
    /// Where clients reach this server, without a slash at the end.
    pub public_url: String,
    /// How long a request may take.
    pub deadline: Duration,
    /// How often somebody may ask; none: as often as they like.
    pub limits: Option<Arc<Limits>>,
    /// How often a quiet stream shows that it lives.
    pub heartbeat: Duration,
    /// How long an open game waits for somebody to join.
    pub open_for: chrono::Duration,
    /// Where readers of events wait.
    pub feed: Feed,
    /// Sends messages to webhooks.
    pub sender: Sender,
    /// Where data sets are, if there are any.
    pub snapshots: Option<PathBuf>,
    /// Exports that go on.
    pub exports: Arc<Slots>,
    /// Ends what waits when the server is about to stop.
    pub stopping: CancellationToken,
}

/// Every endpoint of the document, a line each.
pub fn endpoints(service: &mut ServiceConfig<'_>) {
    service
        .service(rulesets::list)
        .service(rulesets::show)
        .service(simulate::run)
        .service(games::make)
        .service(lists::public)
        .service(lists::count)
        .service(explorer::show)
        .service(export::games)
        .service(export::rows)
        .service(export::dictionary)
        .service(snapshots::list)
        .service(snapshots::show_file)
        .service(snapshots::show_table)
        .service(games::show)
        .service(boards::as_text)
        .service(boards::as_svg)
        .service(boards::as_png)
        .service(seats::take)
        .service(seats::decline)
        .service(seats::abort)
        .service(games::resign)
        .service(holidays::resume)
        .service(moves::submit)
        .service(log::list)
        .service(events::mine)
        .service(events::of_game)
        .service(actions::press)
        .service(conditionals::lay_down)
        .service(conditionals::show)
        .service(conditionals::drop_all)
        .service(offers::make)
        .service(offers::accept)
        .service(offers::decline)
        .service(verify::run)
        .service(players::sign_up)
        .service(players::show)
        .service(players::games)
        .service(managed::put)
        .service(me::show)
        .service(me::leave)
        .service(me::games)
        .service(me::tokens)
        .service(me::make_token)
        .service(me::revoke)
        .service(webhooks::make)
        .service(webhooks::list)
        .service(webhooks::show)
        .service(webhooks::change)
        .service(webhooks::drop_one)
        .service(webhooks::rotate)
        .service(webhooks::test)
        .service(deliveries::list)
        .service(deliveries::replay_one)
        .service(deliveries::replay_after)
        .service(holidays::set)
        .service(holidays::end)
        .service(problems::list)
        .service(problems::show)
        .service(health::alive)
        .service(health::ready)
        .service(metrics::show)
        .service(document::show);
}
