//! Patterns of hosts: which clients an account is for, and which of several patterns comes first.
//!
//! ```text
//! localhost  10.1.2.3  db.example.org      one host
//! 10.1.0.0/16  10.1.0.0/255.255.0.0        the hosts of a network
//! 10.1.%  %.example.org  db_  %            hosts whose names are like the pattern
//! ```
//! The most specific comes first, as the manual of MySQL 8.4 (8.2.6) has it: one host, then
//! networks, the smallest first, then patterns, the later their first wildcard the sooner; `%` and
//! the empty pattern, which is any host too, are last.
//!
//! Invariants
//! 1. A client of this machine, by a UNIX socket or a loopback address, is `localhost` as well; by
//!    the latter it is what has that address, too, and that comes first (mysqld 9.7 does so).
//!
//! Not here: users' names (`grants`).

use std::cmp::Reverse;
use std::net::{IpAddr, Ipv4Addr};

/// Where a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer<'a> {
    /// Its host as `USER()` shows it: an address, or `localhost` for one of this machine.
    pub host: &'a str,
    /// The address of one of this machine; `None` for a UNIX socket.
    pub loopback: Option<IpAddr>,
}

/// A client of which nothing but its host is known.
impl<'a> From<&'a str> for Peer<'a> {
    fn from(host: &'a str) -> Peer<'a> {
        Peer { host, loopback: None }
    }
}

impl Peer<'_> {
    fn address(&self) -> Option<IpAddr> {
        let address = self.host.parse::<IpAddr>().ok().or(self.loopback);
        address.map(|address| address.to_canonical())
    }

    fn is_local(&self) -> bool {
        self.host.eq_ignore_ascii_case("localhost")
            || self.address().is_some_and(|address| address.is_loopback())
    }
}

/// Whether a pattern is for a client.
pub fn is_for(pattern: &str, peer: &Peer<'_>) -> bool {
    if pattern.is_empty() || pattern == "%" {
        return true;
    }
    if pattern.eq_ignore_ascii_case("localhost") {
        return peer.is_local();
    }
    let address = peer.address();
    if let Some((network, mask)) = network(pattern) {
        return match address {
            Some(IpAddr::V4(address)) => u32::from(address) & mask == u32::from(network),
            _ => false,
        };
    }
    if let (Some(address), Ok(own)) = (address, pattern.parse::<IpAddr>()) {
        return address == own.to_canonical();
    }
    // By its canonical text: an address of IPv4 in one of IPv6 is the former.
    let by_address = address.map(|address| address.to_string());
    let by_name = peer.host.parse::<IpAddr>().is_err().then(|| peer.host.to_lowercase());
    let pattern = pattern.to_lowercase();
    by_address.into_iter().chain(by_name).any(|shown| is_like(&pattern, &shown))
}

/// What patterns are sorted by: the most specific is the least.
pub fn rank(pattern: &str) -> (u8, Reverse<usize>) {
    if pattern.is_empty() {
        return (4, Reverse(0));
    }
    if pattern == "%" {
        return (3, Reverse(0));
    }
    if let Some((_, mask)) = network(pattern) {
        return (1, Reverse(mask.count_ones() as usize));
    }
    match pattern.find(['%', '_']) {
        None => (0, Reverse(usize::from(pattern.parse::<IpAddr>().is_ok()))),
        Some(at) => (2, Reverse(at)),
    }
}

/// A network and its mask; `None` where a pattern is none.
fn network(pattern: &str) -> Option<(Ipv4Addr, u32)> {
    let (network, mask) = pattern.split_once('/')?;
    let network: Ipv4Addr = network.parse().ok()?;
    let mask = match mask.parse::<u32>() {
        Ok(bits @ 1..=32) => u32::MAX << (32 - bits),
        // One of no bits at all is none for mysqld 9.7 either: nobody comes in by it.
        Ok(_) => return None,
        Err(_) => u32::from(mask.parse::<Ipv4Addr>().ok()?),
    };
    Some((network, mask))
}

/// Whether a text is like a pattern with `%`, `_` and `\`.
pub fn is_like(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    // Where the last `%` was, and up to where the text belongs to it.
    let (mut at, mut read, mut any) = (0, 0, None);
    while read < text.len() {
        let escaped = pattern.get(at) == Some(&'\\') && at + 1 < pattern.len();
        let (wanted, step) = match escaped {
            true => (pattern.get(at + 1), 2),
            false => (pattern.get(at), 1),
        };
        match wanted {
            Some('%') if !escaped => {
                any = Some((at + 1, read));
                at += 1;
            }
            Some(&c) if (c == '_' && !escaped) || c == text[read] => {
                at += step;
                read += 1;
            }
            _ => match any {
                Some((behind, from)) => {
                    any = Some((behind, from + 1));
                    (at, read) = (behind, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_for_its_hosts_alone() {
        for (pattern, host, wanted) in [
            ("%", "10.1.2.3", true),
            ("", "10.1.2.3", true),
            ("localhost", "localhost", true),
            ("LOCALHOST", "127.0.0.1", true),
            ("localhost", "::1", true),
            ("localhost", "::ffff:127.0.0.1", true),
            ("localhost", "10.1.2.3", false),
            ("127.0.0.1", "localhost", false),
            ("10.1.%", "10.1.2.3", true),
            ("10.1.%", "10.10.2.3", false),
            ("10.1._.3", "10.1.2.3", true),
            ("10.1.0.0/255.255.0.0", "10.1.2.3", true),
            ("10.1.0.0/255.255.0.0", "10.2.2.3", false),
            ("10.1.0.0/16", "10.1.200.3", true),
            ("0.0.0.0/0", "10.1.2.3", false),
            ("128.0.0.0/1", "200.1.2.3", true),
            ("10.1.2.0/24", "10.1.3.3", false),
            // The network's own bits behind the mask must be zero, as in MySQL.
            ("10.1.2.3/24", "10.1.2.3", false),
            ("10.1.2.3/33", "10.1.2.3", false),
            ("10.1.2.3", "::ffff:10.1.2.3", true),
            ("10.1.%", "::ffff:10.1.2.3", true),
            ("2001:db8::1", "2001:db8:0::1", true),
            ("%.example.org", "db.example.org", true),
            ("%.example.org", "DB.Example.Org", true),
            ("%.example.org", "db.example.com", false),
        ] {
            assert_eq!(is_for(pattern, &Peer::from(host)), wanted, "{pattern} {host}");
        }
    }

    #[test]
    fn a_client_by_a_loopback_address_was_localhost_alone() {
        let address = |text: &str| Peer { host: "localhost", loopback: text.parse().ok() };
        for (pattern, client, wanted) in [
            ("localhost", address("127.0.0.1"), true),
            ("127.0.0.1", address("127.0.0.1"), true),
            ("127.0.0.2", address("127.0.0.1"), false),
            ("127.%", address("127.0.0.1"), true),
            ("127.0.0.0/8", address("127.0.0.9"), true),
            ("127.0.0.0/255.0.0.0", address("127.0.0.9"), true),
            ("10.0.0.0/8", address("127.0.0.9"), false),
            ("::1", address("::1"), true),
            ("127.0.0.1", address("::1"), false),
            ("local%", address("127.0.0.1"), true),
            ("127.%", Peer::from("localhost"), false),
            ("127.0.0.0/8", Peer::from("localhost"), false),
        ] {
            assert_eq!(is_for(pattern, &client), wanted, "{pattern} {client:?}");
        }
        assert!(rank("127.0.0.1") < rank("localhost") && rank("localhost") < rank("127.0.0.0/8"));
    }

    #[test]
    fn the_most_specific_pattern_comes_first() {
        let mut patterns = ["", "%", "10.%", "10.1.%", "10.0.0.0/8", "10.1.0.0/16", "10.1.2.3"];
        patterns.sort_by_key(|pattern| rank(pattern));
        assert_eq!(patterns, ["10.1.2.3", "10.1.0.0/16", "10.0.0.0/8", "10.1.%", "10.%", "%", ""]);
    }

    #[test]
    fn a_text_is_like_a_pattern() {
        for (pattern, text, wanted) in [
            ("t%", "tester", true),
            ("tes%", "tester", true),
            ("tes%", "te", false),
            (r"a\_b", "a_b", true),
            (r"a\_b", "axb", false),
            ("a_b", "axb", true),
            ("%x%y", "axbxcy", true),
            ("%x%y", "axbxc", false),
            ("%", "", true),
            ("", "a", false),
        ] {
            assert_eq!(is_like(pattern, text), wanted, "{pattern} {text}");
        }
    }
}
