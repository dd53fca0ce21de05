//! How often somebody may ask: by token, by address without one, within this
//! process. Unknown tokens count against the address that sent them, so that
//! guessing is slow; known ones have a common limit an address, since whoever makes
//! players and games has as many tokens as they like.

use std::net::IpAddr;
use std::num::NonZeroU32;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use ipnet::IpNet;

type Limiter<K> =
    RateLimiter<K, DefaultKeyedStateStore<K>, DefaultClock, StateInformationMiddleware>;

/// Seconds in which a full allowance comes back.
const WINDOW: u64 = 60;
/// Unknown tokens that one address may send in a window.
const GUESSES: u32 = 30;
/// How many times the allowance of a token the tokens of one address have together.
const TOGETHER: NonZeroU32 = NonZeroU32::new(10).unwrap();

const X_FORWARDED_FOR: &str = "x-forwarded-for";
/// What proxies add to the requests they pass on.
const FORWARDED: [&str; 4] = [X_FORWARDED_FOR, "forwarded", "x-real-ip", "via"];

/// The limits of this process.
pub struct Limits {
    quota: NonZeroU32,
    by_token: Limiter<[u8; 32]>,
    by_address: Limiter<IpAddr>,
    together: Limiter<IpAddr>,
    guesses: Limiter<IpAddr>,
    proxies: Vec<IpNet>,
    spares_loopback: bool,
}

/// What is left to somebody.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    /// The whole of it, in a window.
    quota: u32,
    /// Requests that may follow at once.
    left: u32,
    /// Seconds until there is one more, when there is none.
    pub(crate) wait: Option<u64>,
}

impl Limits {
    /// `quota` requests a minute for a token, or for an address without one;
    /// `proxies`: addresses whose `X-Forwarded-For` is believed.
    /// `spares_loopback`: what comes from this very machine is not limited.
    pub fn new(quota: NonZeroU32, proxies: Vec<IpNet>, spares_loopback: bool) -> Limits {
        let guesses = NonZeroU32::new(GUESSES).unwrap_or(NonZeroU32::MIN);
        Limits {
            quota,
            by_token: RateLimiter::keyed(Quota::per_minute(quota)).with_middleware(),
            by_address: RateLimiter::keyed(Quota::per_minute(quota)).with_middleware(),
            together: RateLimiter::keyed(Quota::per_minute(quota.saturating_mul(TOGETHER)))
                .with_middleware(),
            guesses: RateLimiter::keyed(Quota::per_minute(guesses)).with_middleware(),
            proxies,
            spares_loopback,
        }
    }

    /// Counts a request without a token; none: it is not limited.
    pub(crate) fn address(&self, peer: IpAddr, headers: &HeaderMap) -> Option<Allowance> {
        let origin = self.watched(peer, headers)?;
        Some(check(&self.by_address, &origin, self.quota.get()))
    }

    /// Counts a request with a valid token.
    pub(crate) fn token(
        &self,
        hash: &[u8; 32],
        peer: IpAddr,
        headers: &HeaderMap,
    ) -> Option<Allowance> {
        let origin = self.watched(peer, headers)?;
        let own = check(&self.by_token, hash, self.quota.get());
        if own.wait.is_some() {
            return Some(own);
        }
        let quota = self.quota.saturating_mul(TOGETHER);
        let all = check(&self.together, &origin, quota.get());
        Some(if all.wait.is_some() { all } else { own })
    }

    /// Counts a request with an unknown token. (A valid one from the same address
    /// goes on: many may share the address, and 192 bits are not guessed.)
    pub(crate) fn guess(&self, peer: IpAddr, headers: &HeaderMap) -> Option<Allowance> {
        let origin = self.watched(peer, headers)?;
        Some(check(&self.guesses, &origin, GUESSES))
    }

    /// Where a request came from, if it counts.
    fn watched(&self, peer: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        let origin = self.origin(peer, headers);
        // What a proxy on this machine passes on is not of this machine, also when nobody
        // has told us to believe whom it names.
        let forwarded = FORWARDED.iter().any(|name| headers.contains_key(*name));
        let passed_on = forwarded && !self.trusts(&peer);
        let spared = self.spares_loopback && origin.is_loopback() && !passed_on;
        (!spared).then_some(household(origin))
    }

    fn trusts(&self, address: &IpAddr) -> bool {
        self.proxies.iter().any(|net| net.contains(address))
    }

    /// Where a request came from: the nearest address that no trusted proxy
    /// has, read from the right.
    fn origin(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.trusts(&peer) {
            return peer;
        }
        let forwarded: Vec<&str> = headers
            .get_all(X_FORWARDED_FOR)
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .collect();
        let mut origin = peer;
        for text in forwarded.into_iter().rev() {
            let Ok(address) = text.trim().parse() else {
                break;
            };
            let address: IpAddr = address;
            origin = address.to_canonical();
            if !self.trusts(&address) {
                break;
            }
        }
        origin
    }

    /// Forgets whoever has a full allowance again.
    pub fn sweep(&self) {
        self.by_token.retain_recent();
        self.by_address.retain_recent();
        self.together.retain_recent();
        self.guesses.retain_recent();
    }
}

/// What one subscriber has: of IPv6 a whole network of 64 bits.
fn household(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            IpAddr::V6(network.into())
        }
    }
}

fn check<K: std::hash::Hash + Eq + Clone>(limiter: &Limiter<K>, key: &K, quota: u32) -> Allowance {
    match limiter.check_key(key) {
        Ok(state) => Allowance {
            quota,
            left: state.remaining_burst_capacity(),
            wait: None,
        },
        Err(not_yet) => {
            let wait = not_yet.wait_time_from(DefaultClock::default().now());
            Allowance {
                quota,
                left: 0,
                wait: Some(wait.as_secs() + 1),
            }
        }
    }
}

impl Allowance {
    /// The headers of draft-ietf-httpapi-ratelimit-headers-10.
    pub(crate) fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let policy = format!("\"default\";q={};w={WINDOW}", self.quota);
        let reset = self
            .wait
            .map(|seconds| format!(";t={seconds}"))
            .unwrap_or_default();
        let state = format!("\"default\";r={}{reset}", self.left);
        [("ratelimit-policy", policy), ("ratelimit", state)]
            .into_iter()
            .filter_map(|(name, value)| {
                Some((
                    HeaderName::from_static(name),
                    HeaderValue::from_str(&value).ok()?,
                ))
            })
            .collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn origin(peer: &str, forwarded: &[&'static str]) -> String {
        let proxies = vec![
            "10.0.0.0/8".parse().expect("a network"),
            "192.0.2.1/32".parse().expect("a network"),
        ];
        let limits = Limits::new(NonZeroU32::MIN, proxies, false);
        let mut headers = HeaderMap::new();
        for value in forwarded {
            let name = HeaderName::from_static("x-forwarded-for");
            headers.append(name, HeaderValue::from_static(value));
        }
        let peer = peer.parse().expect("an address");
        limits.origin(peer, &headers).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(origin("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(origin("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(origin("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        // What a client writes itself stands left of what the proxy adds.
        assert_eq!(
            origin("10.0.0.1", &["1.1.1.1, 198.51.100.1"]),
            "198.51.100.1"
        );
        assert_eq!(
            origin("10.0.0.1", &["198.51.100.1, 192.0.2.1"]),
            "198.51.100.1"
        );
        assert_eq!(
            origin("10.0.0.1", &["1.1.1.1", "198.51.100.1"]),
            "198.51.100.1"
        );
        assert_eq!(origin("10.0.0.1", &["198.51.100.1, nonsense"]), "10.0.0.1");
    }
}
