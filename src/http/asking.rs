//! Who sent a request: the header `Authorization`.

use std::future::{Ready, ready};

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use actix_web::{FromRequest, HttpMessage, HttpRequest};

use super::Context;
use super::error::ApiError;
use super::limits::Allowance;
use super::params::bad;
use crate::play::who::{self, Identity};
use crate::play::{Caller, managed};

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

/// The owner of the token, which reads: not a bot that acts for somebody.
pub(crate) struct Myself(pub(crate) Identity);

/// The owner of the token, which plays: not a bot that acts for somebody.
pub(crate) struct MyselfPlaying(pub(crate) Identity);

/// The owner of the token, whatever it is good for.
pub(crate) struct Anyhow(pub(crate) Identity);

/// A bot that may act for others, and does not just now.
pub(crate) struct Bot(pub(crate) Identity);

const ACT_AS: &str = "Mancala-Act-As";

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
extract!(Myself, |caller| itself(good_for(caller, "read")?));
extract!(MyselfPlaying, |caller| itself(good_for(caller, "play")?));
extract!(Anyhow, itself);
extract!(Bot, |caller| may_act(itself(caller)?));

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

/// A player who asks for themselves.
pub(super) fn itself(caller: Caller) -> Result<Identity, ApiError> {
    match player(caller)? {
        Identity { bot: Some(_), .. } => Err(ApiError::Acting),
        identity => Ok(identity),
    }
}

pub(super) fn may_act(identity: Identity) -> Result<Identity, ApiError> {
    match identity.scopes.iter().any(|scope| scope == "act") {
        true => Ok(identity),
        false => Err(ApiError::MissingScope("act")),
    }
}

/// For whom a bot acts: the header `Mancala-Act-As`.
pub(super) fn acting_as(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let mut headers = headers.get_all(ACT_AS);
    let Some(header) = headers.next() else {
        return Ok(None);
    };
    if headers.next().is_some() {
        return Err(bad(ACT_AS, "came more than once"));
    }
    let text = header.to_str().map_err(|_| bad(ACT_AS, "is not text"))?;
    Ok(Some(text.trim()))
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
        return match acting_as(headers)? {
            Some(_) => Err(NO_TOKEN),
            None => Ok(Caller::Nobody),
        };
    }
    let known = match token(headers) {
        Ok(text) => {
            let text = text.unwrap_or_default();
            let caller = who::by_token(&context.reads, text).await?;
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
    let (caller, _) = known?;
    match acting_as(headers)? {
        Some(person) => act(context, caller, person).await,
        None => Ok(caller),
    }
}

/// A bot as the player it acts for.
async fn act(context: &Context, caller: Caller, person: &str) -> Result<Caller, ApiError> {
    let bot = may_act(player(caller)?)?;
    let mut db = context.pool.acquire().await?;
    Ok(Caller::Player(managed::acting(&mut db, bot, person).await?))
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
