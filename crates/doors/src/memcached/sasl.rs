//! Logging in at the binary protocol: SASL with its one mechanism PLAIN (RFC 4616).
//!
//! ```text
//! 20 list mechanisms                      ->  0 "PLAIN"
//! 21 auth, key PLAIN, value               ->  0 "Authenticated", or 20
//!    whom | 0 | user | 0 | password
//! 21 auth, key PLAIN, no value            ->  21: go on
//! 22 step, key PLAIN, value               ->  as above
//! ```
//!
//! Invariants
//! 1. A client that has not logged in is served these, `version`, `noop` and `quit`; what else it
//!    asks for ends the connection, as in the original.
//! 2. A client may log in again; one that fails may do nothing any more.
//!
//! Not here: the text protocol's login (`login`), who is let in (`logins`).

use crate::logins::{DoorClient, LoginOutcome};
use crate::memcached::binary::{
    AUTH_CONTINUE, AUTH_ERROR, HEADER_BYTES, Header, PacketHead, REQUEST, fail, packet,
};
use crate::memcached::command::MemcachedTrouble;
use crate::memcached::door::{CommitFailureReply, MemcachedStep};
use crate::memcached::shared::MemcachedShared;

const LIST_MECHANISMS: u8 = 0x20;
const AUTH: u8 = 0x21;
const STEP: u8 = 0x22;
/// `quit`, `noop`, `version`, and `quit` without an answer.
const FREE: [u8; 4] = [0x07, 0x0a, 0x0b, 0x17];
const MECHANISM: &[u8] = b"PLAIN";
/// Most bytes of a packet of SASL behind its header.
const BODY_BYTES_MAX: usize = 16 * 1024;

/// Whether a packet begins that has to do with logging in.
#[inline]
pub(super) fn begins(bytes: &[u8]) -> bool {
    matches!(bytes, [REQUEST, LIST_MECHANISMS..=STEP, ..])
}

/// A login of several steps.
#[derive(Debug, Default)]
pub(super) struct SaslExchange {
    /// Whether the client was told to go on.
    goes_on: bool,
}

impl SaslExchange {
    /// Serves the packet in front; `None` where it is one that needs no login and is served as
    /// any other.
    ///
    /// # Errors
    /// `Wait` where a password takes its time.
    pub fn serve(
        &mut self,
        bytes: &[u8],
        client: &mut DoorClient,
        shared: &MemcachedShared,
        may_wait: bool,
        out: &mut Vec<u8>,
    ) -> Result<Option<MemcachedStep>, MemcachedTrouble> {
        if bytes[0] != REQUEST {
            return Ok(Some(MemcachedStep::Close));
        }
        let Some(head) = PacketHead::of(bytes) else { return Ok(Some(MemcachedStep::More)) };
        let header = head.header;
        if FREE.contains(&header.opcode) {
            return Ok(None);
        }
        let is_sasl = begins(bytes)
            && head.body_bytes <= BODY_BYTES_MAX
            && head.key_bytes + head.extras_bytes <= head.body_bytes;
        if !is_sasl {
            fail(header, AUTH_ERROR, out);
            return Ok(Some(MemcachedStep::Close));
        }
        let consumed = HEADER_BYTES + head.body_bytes;
        let Some(body) = bytes.get(HEADER_BYTES..consumed) else {
            return Ok(Some(MemcachedStep::More));
        };
        let (key, value) = body[head.extras_bytes..].split_at(head.key_bytes);
        let done = |header: Header| {
            let failing =
                CommitFailureReply::Packet { opcode: header.opcode, opaque: header.opaque };
            Ok(Some(MemcachedStep::Done { consumed, swallow: 0, failing }))
        };
        if header.opcode == LIST_MECHANISMS {
            packet(header, 0, 0, b"", b"", MECHANISM, out);
            return done(header);
        }
        let goes_on = std::mem::take(&mut self.goes_on);
        if key == MECHANISM && header.opcode == AUTH && value.is_empty() {
            self.goes_on = true;
            packet(header, AUTH_CONTINUE, 0, b"", b"", b"", out);
            return done(header);
        }
        let in_order = key == MECHANISM && (header.opcode == AUTH || goes_on);
        let outcome = match plain(value).filter(|_| in_order) {
            Some((user, password)) => client.log_in(&user, password, may_wait),
            None => LoginOutcome::Denied(client.deny("")),
        };
        match outcome {
            LoginOutcome::Wait => {
                self.goes_on = goes_on;
                Err(MemcachedTrouble::Wait)
            }
            LoginOutcome::Accepted => {
                shared.counters.auth_cmds.add();
                packet(header, 0, 0, b"", b"", b"Authenticated", out);
                done(header)
            }
            LoginOutcome::Limited => {
                shared.counters.auth_cmds.add();
                let why = client.beyond().map(ToString::to_string).unwrap_or_default();
                packet(header, AUTH_ERROR, 0, b"", b"", why.as_bytes(), out);
                Ok(Some(MemcachedStep::Close))
            }
            LoginOutcome::Denied(delay) => {
                shared.counters.auth_cmds.add();
                shared.counters.auth_errors.add();
                fail(header, AUTH_ERROR, out);
                Ok(Some(MemcachedStep::Denied { consumed, delay }))
            }
        }
    }
}

/// User and password of a message of PLAIN. Nobody acts as another here: the name in front is
/// empty, or the user's.
fn plain(message: &[u8]) -> Option<(String, &[u8])> {
    let mut parts = message.splitn(3, |byte| *byte == 0);
    let (whom, user, password) = (parts.next()?, parts.next()?, parts.next()?);
    let is_own = whom.is_empty() || whom == user;
    (is_own && !password.contains(&0))
        .then(|| (String::from_utf8_lossy(user).into_owned(), password))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_three_parts_and_names_nobody_else() {
        let of = |message: &'static [u8]| plain(message);
        assert_eq!(of(b"\0app\0pass"), Some(("app".into(), &b"pass"[..])));
        assert_eq!(of(b"app\0app\0"), Some(("app".into(), &b""[..])));
        for wrong in [&b"root\0app\0pass"[..], b"\0app", b"app", b"", b"\0app\0pa\0ss"] {
            assert_eq!(of(wrong), None, "{}", wrong.escape_ascii());
        }
    }
}
