//! Whose page asks by HTTP: the name by which a client calls this server, and the origin that a
//! browser names.
//!
//! Not here: what is answered to whom (`tyrant::http`, and the server's metrics door).

use std::net::IpAddr;

/// Whether an `Origin` is that of a page of the server that a `Host` names; `null` is that of none.
pub fn is_origin_of(origin: &[u8], host: &[u8]) -> bool {
    let [origin, host] = [origin, host].map(<[u8]>::to_ascii_lowercase);
    let (own, port): (&[u8], &[u8]) =
        match (origin.strip_prefix(b"http://"), origin.strip_prefix(b"https://")) {
            (Some(own), _) => (own, b":80"),
            (_, Some(own)) => (own, b":443"),
            _ => return false,
        };
    // A port that is the scheme's own is left out by some.
    own.strip_suffix(port).unwrap_or(own) == host.strip_suffix(port).unwrap_or(&host)
}

/// Whether a `Host` names this server: an address, `localhost`, or a name that a setting has. A
/// page of another site can have its own name lead to this machine, but its browser says that name.
pub fn is_ours(host: &[u8], names: &[String]) -> bool {
    let Ok(host) = std::str::from_utf8(host) else { return false };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(address, _)| address),
        None => match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
            _ => host,
        },
    };
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    name.parse::<IpAddr>().is_ok()
        || name == "localhost"
        || name.ends_with(".localhost")
        || names.iter().any(|ours| ours.eq_ignore_ascii_case(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_called_by_its_address_or_as_localhost() {
        let names = ["Proxy".to_owned()];
        for ours in [
            "127.0.0.1",
            "127.0.0.1:1978",
            "[::1]:1978",
            "localhost",
            "LOCALHOST:80",
            "a.localhost.:1",
            "proxy:1978",
        ] {
            assert!(is_ours(ours.as_bytes(), &names), "{ours}");
        }
        for other in [
            "",
            "example.org",
            "example.org:1978",
            "localhost.example.org",
            "[x]:1",
            "127.0.0.1.example.org",
            "notlocalhost",
        ] {
            assert!(!is_ours(other.as_bytes(), &names), "{other}");
        }
    }

    #[test]
    fn an_origin_is_its_own_servers_only() {
        for (origin, host) in [
            ("http://localhost:1978", "localhost:1978"),
            ("HTTP://LocalHost:1978", "localhost:1978"),
            ("http://proxy", "proxy:80"),
            ("https://proxy:443", "proxy"),
            ("http://[::1]:1978", "[::1]:1978"),
        ] {
            assert!(is_origin_of(origin.as_bytes(), host.as_bytes()), "{origin} {host}");
        }
        for (origin, host) in [
            ("null", "localhost:1978"),
            ("", ""),
            ("http://localhost:3000", "localhost:1978"),
            ("http://localhost", "localhost:1978"),
            ("https://localhost:80", "localhost"),
            ("http://127.0.0.1:1978", "localhost:1978"),
            ("http://localhost:1978.evil.com", "localhost:1978"),
            ("ftp://localhost:1978", "localhost:1978"),
            ("file://", ""),
        ] {
            assert!(!is_origin_of(origin.as_bytes(), host.as_bytes()), "{origin} {host}");
        }
    }
}
