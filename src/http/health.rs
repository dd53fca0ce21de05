//! Whether the server lives, and whether it can work.

use actix_web::{HttpResponse, get, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::Context;
use super::error::{ApiError, Problem};
use crate::db;

/// A word.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`; anything else is a problem.
    #[schema(example = "ok")]
    status: &'static str,
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
/// The database answers, its schema is this program's, and no stop is under way.
#[utoipa::path(tag = "about", operation_id = "readyz",
    responses(
        (status = 200, description = "It can", body = Health),
        (status = 503, description = "`unavailable`", body = Problem, content_type = "application/problem+json"),
    ))]
#[get("/readyz")]
pub(crate) async fn ready(context: web::Data<Context>) -> Result<HttpResponse, ApiError> {
    if context.stopping.is_cancelled() {
        return Err(ApiError::Unavailable);
    }
    let mut db = context.pool.acquire().await?;
    match db::pool::is_current(&mut db).await? {
        true => Ok(HttpResponse::Ok().json(OK)),
        false => Err(ApiError::Unavailable),
    }
}
