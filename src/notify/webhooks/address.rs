//! Which addresses a message may go to: those of the public internet. Whoever
//! names a URL must not get this server to talk to its own machine or network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};
use url::{Host, Url};

/// The most characters of a URL.
const LONGEST: usize = 2000;

const fn v4(a: u8, b: u8, c: u8, bits: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, 0), bits)
}

const fn v6(a: u16, b: u16, bits: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), bits)
}

/// What of IPv4 is not the public internet (the IANA's registry of special
/// purposes).
const NOT_PUBLIC_V4: [Ipv4Net; 16] = [
    v4(0, 0, 0, 8),       // this network
    v4(10, 0, 0, 8),      // private
    v4(100, 64, 0, 10),   // shared by a provider's customers
    v4(127, 0, 0, 8),     // this machine
    v4(169, 254, 0, 16),  // link-local; clouds keep their secrets there
    v4(172, 16, 0, 12),   // private
    v4(192, 0, 0, 24),    // protocol assignments
    v4(192, 0, 2, 24),    // documentation
    v4(192, 31, 196, 24), // AS112
    v4(192, 52, 193, 24), // multicast tunnels
    v4(192, 88, 99, 24),  // relays of 6to4
    v4(192, 168, 0, 16),  // private
    v4(198, 18, 0, 15),   // benchmarks
    v4(198, 51, 100, 24), // documentation
    v4(203, 0, 113, 24),  // documentation
    v4(224, 0, 0, 3),     // multicast, reserved, broadcast
];

/// Of IPv6 only this is the public internet. Outside lie this machine, mapped and
/// compatible IPv4 addresses, NAT64, link-local, unique local and multicast ones.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 3);

/// What of that is not, or leads to an IPv4 address that nobody has checked.
const NOT_PUBLIC_V6: [Ipv6Net; 4] = [
    v6(0x2001, 0, 23),     // protocol assignments, among them Teredo and benchmarks
    v6(0x2001, 0xdb8, 32), // documentation
    v6(0x2002, 0, 16),     // 6to4
    v6(0x3fff, 0, 20),     // documentation
];

/// Whether an address is one of the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_V4.iter().any(|net| net.contains(&address)),
        IpAddr::V6(address) => {
            GLOBAL_V6.contains(&address) && !NOT_PUBLIC_V6.iter().any(|net| net.contains(&address))
        }
    }
}

/// A URL that messages may be sent to, as far as the URL itself tells; else what
/// is wrong with it. `private`: local addresses may be used, without TLS too.
pub fn check(text: &str, private: bool) -> Result<Url, &'static str> {
    if text.chars().count() > LONGEST {
        return Err("has more than 2000 characters");
    }
    let url = Url::parse(text).map_err(|_| "is not a URL")?;
    match url.scheme() {
        "https" => {}
        "http" if private => {}
        _ => return Err("must begin with https://"),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not hold a user or a password");
    }
    if url.fragment().is_some() {
        return Err("must not have a fragment");
    }
    // The parser has made one spelling of every address by now.
    let literal = match url.host() {
        None => return Err("names no host"),
        Some(Host::Domain(_)) => None,
        Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
    };
    if !private && literal.is_some_and(|address| !is_public(address)) {
        return Err("leads to an address that is not of the public internet");
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::{check, is_public};

    #[test]
    fn addresses_that_are_not_of_the_public_internet() {
        for refused in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:7f00:1",
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:808:808::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            let address = refused.parse().expect(refused);
            assert!(!is_public(address), "{refused}");
        }
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:4860:4860::8888",
            "2606:4700:4700::1111",
            "2a00:1450:4001:82a::200e",
        ] {
            let address = public.parse().expect(public);
            assert!(is_public(address), "{public}");
        }
    }

    #[test]
    fn every_spelling_of_an_address() {
        for spelling in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "0177.0.0.1",
            "017700000001",
            "127.0.0.1.",
            "１２７.0.0.1",
            "127%2e0%2e0%2e1",
            "0",
            "169.254.169.254",
            "2852039166",
            "0xA9FEA9FE",
            "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[0:0:0:0:0:ffff:a9fe:a9fe]",
            "[::]",
            "[fe80::1]",
        ] {
            for rest in ["", "/", ":8443/hook?a=b"] {
                let url = format!("https://{spelling}{rest}");
                let refused = "leads to an address that is not of the public internet";
                assert_eq!(check(&url, false), Err(refused), "{url}");
                assert!(check(&url, true).is_ok(), "{url}");
            }
        }
    }

    #[test]
    fn urls() {
        let words = |url: &str, private| check(url, private).err().unwrap_or("is good");
        for (url, said, said_where_private) in [
            ("https://example.org/hook?a=b", "is good", "is good"),
            ("https://example.org:8443", "is good", "is good"),
            ("https://1.1.1.1/", "is good", "is good"),
            ("https://[2606:4700:4700::1111]:444/x", "is good", "is good"),
            ("http://example.org/", "must begin with https://", "is good"),
            (
                "ftp://example.org/",
                "must begin with https://",
                "must begin with https://",
            ),
            (
                "file:///etc/passwd",
                "must begin with https://",
                "must begin with https://",
            ),
            ("example.org", "is not a URL", "is not a URL"),
            ("https://", "is not a URL", "is not a URL"),
            ("", "is not a URL", "is not a URL"),
            (
                "https://me@example.org/",
                "must not hold a user or a password",
                "must not hold a user or a password",
            ),
            (
                "https://:pw@example.org/",
                "must not hold a user or a password",
                "must not hold a user or a password",
            ),
            (
                "https://example.org/#top",
                "must not have a fragment",
                "must not have a fragment",
            ),
        ] {
            assert_eq!(words(url, false), said, "{url}");
            assert_eq!(words(url, true), said_where_private, "{url}");
        }
        let long = format!("https://example.org/{}", "x".repeat(2000));
        assert_eq!(words(&long, false), "has more than 2000 characters");
    }
}
