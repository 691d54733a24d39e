//! HTTP Basic (RFC 7617): name and password out of a header.
//!
//! Not here: who is let in (`doors::accounts`), late answers to failures (`doors::failed_logins`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Name and password; `None` for a header of another kind.
pub fn basic(header: &str) -> Option<(String, Vec<u8>)> {
    let (scheme, coded) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let plain = STANDARD.decode(coded.trim()).ok()?;
    let colon = plain.iter().position(|byte| *byte == b':')?;
    let user = String::from_utf8(plain[..colon].to_vec()).ok()?;
    Some((user, plain[colon + 1..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_may_hold_colons_and_a_name_none() {
        let found = basic("basic cm9vdDphOmI=").unwrap();
        assert_eq!(found, ("root".to_owned(), b"a:b".to_vec()));
        for other in ["Bearer cm9vdDphOmI=", "Basic", "Basic cm9vdA==", "Basic ???", "Basic /zo="] {
            assert_eq!(basic(other), None, "{other}");
        }
    }
}
