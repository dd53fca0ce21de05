//! The pages under `/docs/`, where every endpoint can be tried out: Swagger UI, as it is
//! compiled into the program.

use std::borrow::Cow;

use actix_web::{HttpResponse, get, web};
use utoipa_swagger_ui::{Config, serve};

use super::error::ApiError;

/// Where the pages find the document.
pub(crate) fn config() -> Config<'static> {
    Config::from("/openapi.json")
}

/// One of their files. None is copied: they are large, and whoever asks may take long to
/// read them.
#[get("/docs/{file:.*}")]
pub(crate) async fn show(
    file: web::Path<String>,
    config: web::Data<Config<'static>>,
) -> Result<HttpResponse, ApiError> {
    let found = serve(&file, config.into_inner());
    let found = found.map_err(|cause| ApiError::Internal(cause.to_string()))?;
    let file = found.ok_or(ApiError::NotFound)?;
    let bytes = match file.bytes {
        Cow::Borrowed(bytes) => web::Bytes::from_static(bytes),
        Cow::Owned(bytes) => web::Bytes::from(bytes),
    };
    let answer = HttpResponse::Ok()
        .content_type(file.content_type)
        .body(bytes);
    Ok(answer)
}
