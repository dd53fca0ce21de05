//! What holds of any text that somebody names as a webhook's URL: it panics where it does
//! not. For the fuzz targets (`fuzz/`) and for the tests.

use std::net::{IpAddr, ToSocketAddrs};

use url::{Host, Url};

use super::address::{check, is_public};

/// A URL that passes leads nowhere local, as far as it tells by itself, and is the same
/// when it is read again.
pub fn of_url(bytes: &[u8]) {
    let Ok(given) = str::from_utf8(bytes) else {
        return;
    };
    let Ok(url) = check(given, false) else {
        return;
    };
    assert_eq!(url.scheme(), "https", "{given}");
    assert!(url.username().is_empty() && url.password().is_none());
    assert_eq!(Url::parse(url.as_str()).as_ref(), Ok(&url), "{given}");
    assert!(check(given, true).is_ok(), "{given}");
    match url.host() {
        None => panic!("{given}: no host"),
        Some(Host::Ipv4(address)) => assert!(is_public(address.into()), "{given}"),
        Some(Host::Ipv6(address)) => assert!(is_public(address.into()), "{given}"),
        // A name that the system takes for an address would pass by the check.
        Some(Host::Domain(name)) => {
            assert!(name.parse::<IpAddr>().is_err(), "{given}");
            if looks_like_a_number(name) {
                let found = (name, 443).to_socket_addrs();
                assert!(found.is_err(), "{given}: {name} leads to {found:?}");
            }
        }
    }
}

/// Whether `inet_aton` may read it: numbers, also hexadecimal ones, and dots.
fn looks_like_a_number(name: &str) -> bool {
    let digits = |c: char| c.is_ascii_hexdigit() || matches!(c, 'x' | 'X' | '.');
    name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(digits)
}
