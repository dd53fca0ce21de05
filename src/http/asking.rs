//! Who sent a request: the header `Authorization`.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};

use super::Context;
use super::error::ApiError;
use crate::play::Caller;
use crate::play::who;

/// Whoever is asking. A token that is sent must be valid, also where none is
/// needed.
pub(crate) struct Asking(pub(crate) Caller);

/// Somebody with a token.
pub(crate) struct Known(pub(crate) Caller);

type Waiting<T> = Pin<Box<dyn Future<Output = Result<T, ApiError>>>>;

impl FromRequest for Asking {
    type Error = ApiError;
    type Future = Waiting<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { caller(&request).await.map(Asking) })
    }
}

impl FromRequest for Known {
    type Error = ApiError;
    type Future = Waiting<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            match caller(&request).await? {
                Caller::Nobody => Err(ApiError::Unauthorized(
                    "this needs a token: send it as `Authorization: Bearer mp_…`",
                )),
                known => Ok(Known(known)),
            }
        })
    }
}

async fn caller(request: &HttpRequest) -> Result<Caller, ApiError> {
    let mut headers = request.headers().get_all(AUTHORIZATION);
    let Some(header) = headers.next() else {
        return Ok(Caller::Nobody);
    };
    if headers.next().is_some() {
        return Err(ApiError::Unauthorized(
            "the header Authorization came more than once",
        ));
    }
    let token = header
        .to_str()
        .ok()
        .and_then(|header| header.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .ok_or(ApiError::Unauthorized(
            "the header Authorization is not `Bearer mp_…`",
        ))?;
    let context = request
        .app_data::<web::Data<Context>>()
        .ok_or_else(|| ApiError::Internal("the server has no context".into()))?;
    let mut db = context.pool.acquire().await?;
    let caller = who::by_token(&mut db, token).await?;
    caller.ok_or(ApiError::Unauthorized("the token is not known here"))
}
