//! Whether the server lives, and whether it can work.

use actix_web::{HttpResponse, get, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::Context;
use super::error::{ApiError, Problem};
use super::time::Time;
use crate::db::schema;

/// A word.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`; anything else is a problem.
    #[schema(example = "ok")]
    status: &'static str,
}

/// Whether games can be played, and research be answered.
#[derive(Debug, Serialize, ToSchema)]
pub struct Readiness {
    /// Always `ok`; anything else is a problem.
    #[schema(example = "ok")]
    status: &'static str,
    /// The replica that research reads from, where there is one. One that is away is no
    /// reason to send players elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    replica: Option<ReplicaState>,
}

/// How a replica is.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReplicaState {
    /// `ok`, or `away`: then research is answered with 503.
    #[schema(example = "ok")]
    status: &'static str,
    /// It has whatever happened before this time; null when it is away.
    as_of: Option<Time>,
}

const OK: Health = Health { status: "ok" };

/// Whether the process answers
#[utoipa::path(tag = "about", operation_id = "healthz",
    responses((status = 200, description = "It does", body = Health)))]
#[get("/healthz")]
pub(crate) async fn alive() -> HttpResponse {
    HttpResponse::Ok().json(OK)
}

/// Whether the server can work
///
/// The database answers, its schema is this program's, and no stop is under way. Whether
/// the replica for research answers stands beside it.
#[utoipa::path(tag = "about", operation_id = "readyz",
    responses(
        (status = 200, description = "It can", body = Readiness),
        (status = 503, description = "`unavailable`", body = Problem, content_type = "application/problem+json"),
    ))]
#[get("/readyz")]
pub(crate) async fn ready(context: web::Data<Context>) -> Result<HttpResponse, ApiError> {
    if context.stopping.is_cancelled() {
        return Err(ApiError::Unavailable);
    }
    let mut db = context.pool.acquire().await?;
    if !schema::is_current(&mut db).await? {
        return Err(ApiError::Unavailable);
    }
    drop(db);
    let replica = match context.research.has_replica() {
        true => Some(context.research.as_of().await),
        false => None,
    };
    let replica = replica.map(|as_of| ReplicaState {
        status: if as_of.is_ok() { "ok" } else { "away" },
        as_of: as_of.ok().map(Time),
    });
    Ok(HttpResponse::Ok().json(Readiness {
        status: "ok",
        replica,
    }))
}
