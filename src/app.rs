//! Puts the house together: the document, the pool, the server. Nothing else
//! knows all of it.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_cors::Cors;
use actix_web::dev::{Server, ServerHandle};
use actix_web::http::Method;
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, HttpServer, web};
use sqlx::PgPool;
use tracing_actix_web::TracingLogger;
use utoipa_swagger_ui::{Config as SwaggerConfig, SwaggerUi};

use crate::http::document::{self, Document};
use crate::http::limits::Limits;
use crate::http::surface::Surface;
use crate::http::{Context, door, endpoints, metrics, params};

/// Seconds that requests under way get to finish at shutdown.
const SHUTDOWN_SECONDS: u64 = 20;

/// How long a client may take to send a request's head.
const HEADER_TIME: Duration = Duration::from_secs(10);

/// What a server is made of.
pub struct Parts {
    /// The database; the schema is up to date.
    pub pool: PgPool,
    /// `address:port`; port 0 takes a free one.
    pub bind: String,
    /// Where clients reach it; none: the address it listens on.
    pub public_url: Option<String>,
    /// Threads that answer; none: one a core.
    pub workers: Option<usize>,
    /// How often somebody may ask; none: as often as they like.
    pub limits: Option<Limits>,
    /// How long a request may take.
    pub deadline: Duration,
}

impl Parts {
    /// A server on `pool` without limits, reached where it listens.
    pub fn new(pool: PgPool, bind: &str) -> Parts {
        Parts {
            pool,
            bind: bind.into(),
            public_url: None,
            workers: None,
            limits: None,
            deadline: Duration::from_secs(15),
        }
    }
}

/// A server that listens.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// Where clients reach it.
    pub public_url: String,
    /// What its handlers share.
    pub context: web::Data<Context>,
    handle: ServerHandle,
    /// Ends when it has stopped. Must be awaited or spawned.
    pub server: Server,
}

/// Stops a server that listens.
#[derive(Clone)]
pub struct Stop {
    context: web::Data<Context>,
    handle: ServerHandle,
}

impl Running {
    /// What stops it, before it is awaited or spawned.
    pub fn stop(&self) -> Stop {
        Stop {
            context: self.context.clone(),
            handle: self.handle.clone(),
        }
    }
}

impl Stop {
    /// Takes no new requests and finishes those under way.
    pub async fn gracefully(&self) {
        self.context.stopping.store(true, Ordering::Relaxed);
        self.handle.stop(true).await;
    }
}

/// Why it cannot listen.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {bind}: {cause}")]
pub struct CannotListen {
    bind: String,
    cause: std::io::Error,
}

/// Starts to listen.
pub fn serve(parts: Parts) -> Result<Running, CannotListen> {
    let Parts {
        pool,
        bind,
        public_url,
        workers,
        limits,
        deadline,
    } = parts;
    let refused = |cause| CannotListen {
        bind: bind.clone(),
        cause,
    };
    let listener = TcpListener::bind(&bind).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let public_url = public_url.unwrap_or_else(|| format!("http://{address}"));

    let document = document::of_all_endpoints(Some(&public_url));
    let surface = web::Data::new(Surface::new(&document));
    let json = serde_json::to_string(&document).unwrap_or_default();
    let json = web::Data::new(Document(json));
    let context = web::Data::new(Context {
        pool,
        public_url: public_url.clone(),
        deadline,
        limits,
        stopping: AtomicBool::new(false),
    });
    let shared = context.clone();
    metrics::start();

    let mut server = HttpServer::new(move || {
        App::new()
            .app_data(context.clone())
            .app_data(surface.clone())
            .app_data(json.clone())
            .app_data(web::PayloadConfig::new(params::BODY_LIMIT))
            .configure(|service| {
                endpoints(&mut utoipa_actix_web::service_config::ServiceConfig::new(
                    service,
                ));
            })
            .service(web::redirect("/", "/docs/"))
            .service(web::redirect("/docs", "/docs/"))
            .service(SwaggerUi::new("/docs/{_:.*}").config(SwaggerConfig::from("/openapi.json")))
            .default_service(web::to(door::nowhere))
            .wrap(from_fn(door::door))
            .wrap(Compress::default())
            .wrap(cross_origin())
            .wrap(from_fn(door::porch))
            .wrap(TracingLogger::<door::Numbered>::new())
    });
    if let Some(workers) = workers {
        server = server.workers(workers);
    }
    let server = server
        .client_request_timeout(HEADER_TIME)
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .disable_signals()
        .listen(listener)
        .map_err(refused)?
        .run();
    Ok(Running {
        address,
        public_url,
        context: shared,
        handle: server.handle(),
        server,
    })
}

/// Any page may read what anybody may read; nothing else.
fn cross_origin() -> Cors {
    Cors::default()
        .allow_any_origin()
        .allowed_methods([Method::GET, Method::HEAD])
        .allow_any_header()
        .expose_any_header()
        .max_age(3600)
}
