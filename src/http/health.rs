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

/// Whether the database answers
#[utoipa::path(tag = "about", operation_id = "readyz",
    responses(
        (status = 200, description = "It does", body = Health),
        (status = 503, description = "`unavailable`", body = Problem, content_type = "application/problem+json"),
    ))]
#[get("/readyz")]
pub(crate) async fn ready(context: web::Data<Context>) -> Result<HttpResponse, ApiError> {
    let mut db = context.pool.acquire().await?;
    db::now(&mut db).await?;
    Ok(HttpResponse::Ok().json(OK))
}
