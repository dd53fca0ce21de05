//! Who sent a request: the header `Authorization`.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};

use super::error::ApiError;
use super::{Context, door};
use crate::play::Caller;
use crate::play::who::{self, Identity};

/// Somebody who reads, with or without a token. A token that is sent must be
/// valid, and good for reading, also where none is needed.
pub(crate) struct Reading(pub(crate) Caller);

/// Somebody who makes a game or joins one, with or without a token.
pub(crate) struct Playing(pub(crate) Caller);

/// Somebody with a token that plays: a player's or a seat's.
pub(crate) struct Known(pub(crate) Caller);

/// Somebody with a token that reads: a player's or a seat's.
pub(crate) struct KnownReading(pub(crate) Caller);

/// A player whose token reads.
pub(crate) struct Me(pub(crate) Identity);

/// A player whose token plays, and so may change the account.
pub(crate) struct Owner(pub(crate) Identity);

/// A player, whatever the token is good for.
pub(crate) struct AnyPlayer(pub(crate) Identity);

type Waiting<T> = Pin<Box<dyn Future<Output = Result<T, ApiError>>>>;

const NO_TOKEN: ApiError =
    ApiError::Unauthorized("this needs a token: send it as `Authorization: Bearer mp_…`");

const UNKNOWN: ApiError = ApiError::Unauthorized("the token is not known here, or has expired");

/// An extractor of whoever sent the request, after a check.
macro_rules! extract {
    ($name:ident, $check:expr) => {
        impl FromRequest for $name {
            type Error = ApiError;
            type Future = Waiting<Self>;

            fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
                let request = request.clone();
                Box::pin(async move {
                    let check: fn(Caller) -> Result<_, ApiError> = $check;
                    check(caller(&request).await?).map($name)
                })
            }
        }
    };
}

extract!(Reading, |caller| good_for(caller, "read"));
extract!(Playing, |caller| good_for(caller, "play"));
extract!(Known, |caller| match caller {
    Caller::Nobody => Err(NO_TOKEN),
    known => good_for(known, "play"),
});
extract!(KnownReading, |caller| match caller {
    Caller::Nobody => Err(NO_TOKEN),
    known => good_for(known, "read"),
});
extract!(Me, |caller| player(good_for(caller, "read")?));
extract!(Owner, |caller| player(good_for(caller, "play")?));
extract!(AnyPlayer, player);

fn good_for(caller: Caller, scope: &'static str) -> Result<Caller, ApiError> {
    match caller.has(scope) {
        true => Ok(caller),
        false => Err(ApiError::MissingScope(scope)),
    }
}

fn player(caller: Caller) -> Result<Identity, ApiError> {
    match caller {
        Caller::Player(identity) => Ok(identity),
        Caller::Seat { .. } => Err(ApiError::SeatToken),
        Caller::Nobody => Err(NO_TOKEN),
    }
}

/// The token of a request, if it has one.
pub(super) fn token(request: &HttpRequest) -> Result<Option<&str>, ApiError> {
    let mut headers = request.headers().get_all(AUTHORIZATION);
    let Some(header) = headers.next() else {
        return Ok(None);
    };
    if headers.next().is_some() {
        return Err(ApiError::Unauthorized(
            "the header Authorization came more than once",
        ));
    }
    header
        .to_str()
        .ok()
        .and_then(|header| header.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| Some(token.trim()))
        .ok_or(ApiError::Unauthorized(
            "the header Authorization is not `Bearer mp_…`",
        ))
}

async fn caller(request: &HttpRequest) -> Result<Caller, ApiError> {
    let context = request
        .app_data::<web::Data<Context>>()
        .ok_or_else(|| ApiError::Internal("the server has no context".into()))?;
    let limits = context.limits.as_ref().zip(request.peer_addr());
    let headers = request.headers();
    if let Some((limits, peer)) = &limits
        && headers.contains_key(AUTHORIZATION)
    {
        door::admitted(request, limits.barred(peer.ip(), headers))?;
    }
    let known = match token(request) {
        Ok(None) => return Ok(Caller::Nobody),
        Ok(Some(token)) => {
            let mut db = context.pool.acquire().await?;
            let caller = who::by_token(&mut db, token).await?;
            caller
                .map(|caller| (caller, who::hash(token)))
                .ok_or(UNKNOWN)
        }
        Err(malformed) => Err(malformed),
    };
    if let Some((limits, peer)) = limits {
        let allowance = match &known {
            Ok((_, hash)) => limits.token(hash, peer.ip(), headers),
            Err(_) => limits.guess(peer.ip(), headers),
        };
        door::admitted(request, allowance)?;
    }
    known.map(|(caller, _)| caller)
}
