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
pub mod kept;
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
pub mod research;
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

use actix_web::web;

use crate::db::together::Reads;
use crate::notify::Feed;
use crate::notify::webhooks::sender::Sender;
use kept::Kept;
use limits::Limits;
use research::Research;
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
    /// What reads on them for many at once.
    pub reads: Reads,
    /// Where research reads.
    pub research: Research,
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
    /// Answers of the explorer.
    pub kept: Arc<Kept>,
    /// Exports that go on.
    pub exports: Arc<Slots>,
    /// Ends what waits when the server is about to stop.
    pub stopping: CancellationToken,
}

macro_rules! endpoints {
    ($($module:ident::$name:ident)*) => {
        /// Every endpoint.
        pub fn endpoints(service: &mut web::ServiceConfig) {
            service$(.service($module::$name))*;
        }

        /// Every endpoint, for the document to be made of.
        pub(crate) fn documented(service: &mut ServiceConfig<'_>) {
            service$(.service($module::$name))*;
        }
    };
}

endpoints! {
    rulesets::list
    rulesets::show
    simulate::run
    games::make
    lists::public
    lists::count
    explorer::show
    export::games
    export::rows
    export::dictionary
    snapshots::list
    snapshots::show_file
    snapshots::show_table
    games::show
    boards::as_text
    boards::as_svg
    boards::as_png
    seats::take
    seats::decline
    seats::abort
    games::resign
    holidays::resume
    moves::submit
    log::list
    events::mine
    events::of_game
    actions::press
    conditionals::lay_down
    conditionals::show
    conditionals::drop_all
    offers::make
    offers::accept
    offers::decline
    verify::run
    players::sign_up
    players::show
    players::games
    managed::put
    me::show
    me::leave
    me::games
    me::tokens
    me::make_token
    me::revoke
    webhooks::make
    webhooks::list
    webhooks::show
    webhooks::change
    webhooks::drop_one
    webhooks::rotate
    webhooks::test
    deliveries::list
    deliveries::replay_one
    deliveries::replay_after
    holidays::set
    holidays::end
    problems::list
    problems::show
    health::alive
    health::ready
    metrics::show
    document::show
}
