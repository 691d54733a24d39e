//! Connections that begin in another protocol than their door's: HTTP, or TLS.
//!
//! A web page can have its reader's browser send a request to any port of the reader's machine, and
//! chooses what its body says. At a door of lines the headers are unknown commands, and the lines
//! of the body would be carried out; so would be those that a page smuggles into the handshake of
//! TLS. No command begins like either, so a door that meets such a line closes the connection.
//!
//! Not here: HTTP where it is spoken (`tyrant::http`).

/// Content type of TLS's handshake, and the major version of the record that it is in.
const TLS_HANDSHAKE: &[u8] = &[0x16, 0x03];

/// Whether a line is none of a door's but the beginning of HTTP, any version of it, or of TLS.
pub fn begins(line: &[u8]) -> bool {
    let is_method = line.first().is_some_and(u8::is_ascii_uppercase);
    line.starts_with(TLS_HANDSHAKE) || is_method && http_version(line).is_some()
}

/// The version that a request line of HTTP ends with: `1.1`, or `2.0` in the preface of HTTP/2.
pub fn http_version(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii_end();
    let last = &line[line.iter().rposition(|byte| *byte == b' ')? + 1..];
    let version = last.strip_prefix(b"HTTP/")?;
    let is_version = matches!(version, [major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit())
        || matches!(version, [major] if major.is_ascii_digit());
    is_version.then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_line_of_http_is_told_from_commands_that_look_like_it() {
        for line in [
            "GET / HTTP/1.1\r",
            "POST /a?b=c HTTP/1.0",
            "OPTIONS * HTTP/1.1",
            "PRI * HTTP/2.0\r",
            "CONNECT localhost:1 HTTP/1.1",
            "M-SEARCH * HTTP/1.1",
            "GET /a b c HTTP/3",
            "\u{16}\u{3}\u{1}\u{2}",
        ] {
            assert!(begins(line.as_bytes()), "{line:?}");
        }
        for line in [
            "",
            "get a HTTP/1.1",
            "gets HTTP/1.1",
            "set HTTP/1.1 0 0 1",
            "GET /",
            "GET /HTTP/1.1",
            "P\t1\tdb\tt\tPRIMARY\tHTTP/1.1",
            "1\t=\t1\tGET / HTTP/1.1",
            "GET / HTTP/1.1x",
            "GET / HTTP/",
            "\u{16}",
        ] {
            assert!(!begins(line.as_bytes()), "{line:?}");
        }
    }
}
