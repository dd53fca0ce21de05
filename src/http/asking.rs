//! Who sent a request: the header `Authorization`.

use std::future::{Ready, ready};

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use actix_web::{FromRequest, HttpMessage, HttpRequest};

use super::Context;
use super::error::ApiError;
use super::limits::Allowance;
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

/// A player whose token is good for webhooks.
pub(crate) struct Subscriber(pub(crate) Identity);

/// A player, whatever the token is good for.
pub(crate) struct AnyPlayer(pub(crate) Identity);

const NO_TOKEN: ApiError =
    ApiError::Unauthorized("this needs a token: send it as `Authorization: Bearer mp_…`");

const UNKNOWN: ApiError = ApiError::Unauthorized("the token is not known here, or has expired");

/// An extractor of whoever sent the request, whom the door has identified, after
/// a check. It has its result at once, so that it comes before a body's errors.
macro_rules! extract {
    ($name:ident, $check:expr) => {
        impl FromRequest for $name {
            type Error = ApiError;
            type Future = Ready<Result<Self, ApiError>>;

            fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
                let caller = request.extensions().get::<Caller>().cloned();
                let check: fn(Caller) -> Result<_, ApiError> = $check;
                ready(check(caller.unwrap_or(Caller::Nobody)).map($name))
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
extract!(Subscriber, |caller| {
    let identity = player(caller.clone())?;
    good_for(caller, "webhooks").map(|_| identity)
});
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
pub(super) fn token(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let mut headers = headers.get_all(AUTHORIZATION);
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

/// Who sent a request, counted against what they may ask. The door calls this
/// for every path of the interface, before anything else is looked at.
pub(super) async fn identify(
    request: &ServiceRequest,
    context: &Context,
) -> Result<Caller, ApiError> {
    let headers = request.headers();
    let limits = context.limits.as_ref().zip(request.peer_addr());
    let limits = limits.map(|(limits, peer)| (limits, peer.ip()));
    if !headers.contains_key(AUTHORIZATION) {
        if let Some((limits, peer)) = limits {
            admitted(request, limits.address(peer, headers))?;
        }
        return Ok(Caller::Nobody);
    }
    let known = match token(headers) {
        Ok(text) => {
            let text = text.unwrap_or_default();
            let mut db = context.pool.acquire().await?;
            let caller = who::by_token(&mut db, text).await?;
            caller
                .map(|caller| (caller, who::hash(text)))
                .ok_or(UNKNOWN)
        }
        Err(malformed) => Err(malformed),
    };
    if let Some((limits, peer)) = limits {
        let allowance = match &known {
            Ok((_, hash)) => limits.token(hash, peer, headers),
            Err(_) => limits.guess(peer, headers),
        };
        admitted(request, allowance)?;
    }
    known.map(|(caller, _)| caller)
}

/// Notes what is left to the caller; an error when that is nothing.
fn admitted(request: &ServiceRequest, allowance: Option<Allowance>) -> Result<(), ApiError> {
    let Some(allowance) = allowance else {
        return Ok(());
    };
    request.extensions_mut().insert(allowance);
    match allowance.wait {
        Some(_) => Err(ApiError::RateLimited),
        None => Ok(()),
    }
}
