//! What clients see: one file per resource, each a handler with its JSON types.
//! Changes of a game go through `play`; plain reads may go to `db`.

pub mod accept;
pub mod asking;
pub mod caching;
pub mod cursor;
pub mod document;
pub mod door;
pub mod error;
pub mod forms;
pub mod games;
pub mod health;
pub mod limits;
pub mod lists;
pub mod log;
pub mod me;
pub mod metrics;
pub mod moves;
pub mod offers;
pub mod once;
pub mod params;
pub mod players;
pub mod problems;
pub mod rulesets;
pub mod seats;
pub mod simulate;
pub mod state;
pub mod surface;
pub mod time;
pub mod verify;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use limits::Limits;
use sqlx::PgPool;
use utoipa_actix_web::service_config::ServiceConfig;

/// What every handler may use.
pub struct Context {
    /// The database.
    pub pool: PgPool,
    /// Where clients reach this server, without a slash at the end.
    pub public_url: String,
    /// How long a request may take.
    pub deadline: Duration,
    /// How often somebody may ask; none: as often as they like.
    pub limits: Option<Limits>,
    /// Whether the server is about to stop.
    pub stopping: AtomicBool,
}

/// Every endpoint of the document, a line each.
pub fn endpoints(service: &mut ServiceConfig<'_>) {
    service
        .service(rulesets::list)
        .service(rulesets::show)
        .service(simulate::run)
        .service(games::make)
        .service(lists::public)
        .service(games::show)
        .service(seats::take)
        .service(seats::decline)
        .service(seats::abort)
        .service(games::resign)
        .service(moves::submit)
        .service(log::list)
        .service(offers::make)
        .service(offers::accept)
        .service(offers::decline)
        .service(verify::run)
        .service(players::sign_up)
        .service(players::show)
        .service(players::games)
        .service(me::show)
        .service(me::leave)
        .service(me::games)
        .service(me::tokens)
        .service(me::make_token)
        .service(me::revoke)
        .service(problems::list)
        .service(problems::show)
        .service(health::alive)
        .service(health::ready)
        .service(metrics::show)
        .service(document::show);
}
