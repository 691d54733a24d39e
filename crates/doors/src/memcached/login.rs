//! Logging in at the text protocol, as at the original with `-Y`: the first `set` that comes is no
//! value but a login, whatever its key: its data are `user password`.
//!
//! Invariants
//! 1. Nothing else is done for a client that has not logged in, and no part of a block of data that
//!    it sends is taken for a request.
//!
//! Not here: the binary protocol's login (`sasl`), who is let in (`logins`).

use memchr::memchr;

use crate::foreign;
use crate::logins::{DoorClient, LoginOutcome};
use crate::memcached::command::{MemcachedRefusal, MemcachedTrouble};
use crate::memcached::door::{CommitFailureReply, MemcachedStep};
use crate::memcached::shared::MemcachedShared;
use crate::memcached::text::{
    self, AnnouncedBlock, MemcachedTokens, announced_block, line_to_come,
};

/// Most bytes of name and password.
const LOGIN_BYTES_MAX: usize = 16 * 1024;

/// Serves the line in front of a client that has not logged in.
pub(super) fn serve(
    bytes: &[u8],
    client: &mut DoorClient,
    shared: &MemcachedShared,
    may_wait: bool,
    out: &mut Vec<u8>,
) -> Result<MemcachedStep, MemcachedTrouble> {
    let Some(end) = memchr(b'\n', bytes) else { return Ok(line_to_come(bytes)) };
    let line = bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]);
    let line_bytes = end + 1;
    let tokens = MemcachedTokens::of(line);
    let why = match client.beyond() {
        Some(reached) => MemcachedRefusal::Server(reached.to_string().into()),
        None => MemcachedRefusal::Client("unauthenticated".into()),
    };
    let mut unauthenticated = |swallow| {
        text::refusal(&why, out);
        let failing = CommitFailureReply::Line;
        Ok(MemcachedStep::Done { consumed: line_bytes, swallow, failing })
    };
    let length = match (tokens.all(), announced_block(tokens.all())) {
        ([b"quit", ..], _) => return Ok(MemcachedStep::Close),
        _ if foreign::begins(line) => return Ok(MemcachedStep::Close),
        (_, AnnouncedBlock::None) => return unauthenticated(0),
        (_, AnnouncedBlock::Unmeasured) => {
            text::refusal(&why, out);
            return Ok(MemcachedStep::Unmeasured { consumed: line_bytes });
        }
        ([b"set", ..], AnnouncedBlock::Bytes(length)) if length <= LOGIN_BYTES_MAX => length,
        (_, AnnouncedBlock::Bytes(length)) => return unauthenticated(length + 2),
    };
    let Some(block) = bytes.get(line_bytes..line_bytes + length + 2) else {
        return Ok(MemcachedStep::More);
    };
    let consumed = line_bytes + length + 2;
    let Some(login) = block.strip_suffix(b"\r\n") else {
        out.extend_from_slice(b"CLIENT_ERROR bad command line termination\r\n");
        return Ok(MemcachedStep::Close);
    };
    let Some(space) = memchr(b' ', login) else {
        out.extend_from_slice(b"CLIENT_ERROR bad authentication token format\r\n");
        let failing = CommitFailureReply::Line;
        return Ok(MemcachedStep::Done { consumed, swallow: 0, failing });
    };
    let user = String::from_utf8_lossy(&login[..space]);
    match client.log_in(&user, &login[space + 1..], may_wait) {
        LoginOutcome::Wait => Err(MemcachedTrouble::Wait),
        LoginOutcome::Accepted => {
            shared.counters.auth_cmds.add();
            out.extend_from_slice(b"STORED\r\n");
            let failing = CommitFailureReply::Line;
            Ok(MemcachedStep::Done { consumed, swallow: 0, failing })
        }
        LoginOutcome::Limited => {
            shared.counters.auth_cmds.add();
            let why = client.beyond().map(ToString::to_string).unwrap_or_default();
            text::refusal(&MemcachedRefusal::Server(why.into()), out);
            Ok(MemcachedStep::Close)
        }
        LoginOutcome::Denied(delay) => {
            shared.counters.auth_cmds.add();
            shared.counters.auth_errors.add();
            out.extend_from_slice(b"CLIENT_ERROR authentication failure\r\n");
            Ok(MemcachedStep::Denied { consumed, delay })
        }
    }
}
