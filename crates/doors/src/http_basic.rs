//! HTTP's scheme Basic (RFC 7617): name and password out of the header `Authorization`.
//!
//! Not here: who is let in (`accounts`), late answers to failures (`failed_logins`).

use values::codes::from_base64;

/// The scheme, and the space behind it.
const SCHEME: &[u8] = b"basic ";

/// Name and password; `None` for a header of another kind.
pub fn basic_login(header: &[u8]) -> Option<(String, Vec<u8>)> {
    let (scheme, coded) = header.split_at_checked(SCHEME.len())?;
    let plain = from_base64(coded.trim_ascii()).filter(|_| scheme.eq_ignore_ascii_case(SCHEME))?;
    let colon = memchr::memchr(b':', &plain)?;
    let user = String::from_utf8(plain[..colon].to_vec()).ok()?;
    Some((user, plain[colon + 1..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_may_hold_colons_and_a_name_none() {
        let of = |header: &str| basic_login(header.as_bytes());
        assert_eq!(of("basic cm9vdDphOmI="), Some(("root".into(), b"a:b".to_vec())));
        assert_eq!(of("Basic YXBwOmE6Yg=="), Some(("app".into(), b"a:b".to_vec())));
        assert_eq!(of("basic  YXBwOg=="), Some(("app".into(), Vec::new())));
        for other in [
            "",
            "Bearer cm9vdDphOmI=",
            "Bearer YXBwOmE6Yg==",
            "Basic",
            "Basic !",
            "Basic cm9vdA==",
            "Basic YXBw",
            "Basic ???",
            "Basic /zo=",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
