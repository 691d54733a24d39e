//! Meta commands: `mg ms md ma mn me`, flags in, return codes and flags out.
//!
//! - `flags`: the flags of a request, read
//! - `request`: each command carried out and answered
//!
//! Invariants
//! 1. Return flags come in the order of the request's flags.
//! 2. Quiet mode hides the nominal reply only; errors are always sent.
//!
//! Not here: classic commands (`text`), what commands do (`execute`).

mod flags;
mod request;

use crate::memcached::command::{KEY_BYTES_MAX, MemcachedRefusal, MemcachedTrouble};
use crate::memcached::door::{CommitFailureReply, MemcachedStep};
use crate::memcached::execute::MemcachedRows;
use crate::memcached::meta::flags::Flags;
use crate::memcached::meta::request::MetaRequest;
use crate::memcached::text::{
    BAD_CHUNK, BAD_LINE, MemcachedTokens, block_length, refusal, refusing, too_large,
};

/// The most flags of one request.
const FLAGS_MAX: usize = 20;

fn client(sentence: &'static str) -> MemcachedRefusal {
    MemcachedRefusal::Client(sentence.into())
}

/// Serves a meta command; its line is in tokens.
pub(super) fn serve(
    tokens: &MemcachedTokens<'_>,
    line_bytes: usize,
    body: &[u8],
    rows: &mut MemcachedRows<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<MemcachedStep, MemcachedTrouble> {
    let all = tokens.all();
    let command = all[0][1];
    let served = |consumed, swallow| {
        Ok(MemcachedStep::Done { consumed, swallow, failing: CommitFailureReply::Line })
    };
    if command == b'n' {
        out.extend_from_slice(b"MN\r\n");
        return served(line_bytes, 0);
    }
    rows.shared.counters.cmd_meta.add();
    let mark = out.len();
    let refused = |why: &MemcachedRefusal, out: &mut Vec<u8>| {
        out.truncate(mark);
        refusal(why, out);
    };
    // The block of data belongs to `ms` even when the rest makes no sense.
    let block = match (command, all.get(2)) {
        (b's', None) => {
            // It announces none.
            out.extend_from_slice(BAD_LINE);
            return served(line_bytes, 0);
        }
        (b's', Some(length)) => {
            let Some(length) = block_length(length) else {
                out.extend_from_slice(BAD_LINE);
                return Ok(MemcachedStep::Unmeasured { consumed: line_bytes });
            };
            Some(length)
        }
        _ => None,
    };
    let block_bytes = block.map_or(0, |length| length + 2);
    let Some(asked) = all.get(1).filter(|key| key.len() <= KEY_BYTES_MAX) else {
        out.extend_from_slice(BAD_LINE);
        return served(line_bytes, block_bytes);
    };
    let flag_tokens = &all[if block.is_some() { 3 } else { 2 }..];
    let flags = match tokens.overflow || flag_tokens.len() > FLAGS_MAX {
        true => Err(client("options flags are too long")),
        false => read_flags(command, flag_tokens),
    };
    let flags = match flags {
        Ok(flags) => flags,
        Err(why) => {
            refused(&why, out);
            return served(line_bytes, block_bytes);
        }
    };
    let is_base64 = flags.base64 || (command == b'e' && flag_tokens.contains(&&b"b"[..]));
    let decoded = if is_base64 { key_of_base64(asked) } else { None };
    let Some(key) = (if is_base64 { decoded.as_deref() } else { Some(*asked) }) else {
        refused(&client("error decoding key"), out);
        return served(line_bytes, block_bytes);
    };
    let request = MetaRequest { flags, asked, key };
    let result = match command {
        b'g' => request.get(rows, out),
        b's' => {
            let length = block.unwrap_or(0);
            if too_large(rows, key, length) {
                refusing(rows.discard_for(key))?;
                refused(&MemcachedRefusal::TooLarge, out);
                return served(line_bytes, block_bytes);
            }
            if body.len() < block_bytes {
                return Ok(MemcachedStep::More);
            }
            if &body[length..block_bytes] != b"\r\n" {
                out.extend_from_slice(BAD_CHUNK);
                return Ok(MemcachedStep::Close);
            }
            request.set(&body[..length], rows, out)
        }
        b'd' => request.delete(rows, out),
        b'a' => request.count(rows, out),
        _ => request.debug(is_base64, rows, out),
    };
    match result {
        Ok(()) => {}
        Err(MemcachedTrouble::Refused(why)) => refused(&why, out),
        Err(other) => return Err(other),
    }
    served(line_bytes + block_bytes, 0)
}

/// The flags, or a refusal in the words that each command has for it.
fn read_flags<'a>(command: u8, tokens: &'a [&'a [u8]]) -> Result<Flags<'a>, MemcachedRefusal> {
    match Flags::read(command, if command == b'e' { &[] } else { tokens }) {
        Err(MemcachedRefusal::Client(why)) if command == b'd' && why != "duplicate flag" => {
            Err(MemcachedRefusal::Client(why))
        }
        Err(_) if matches!(command, b'a' | b'd') => Err(client("invalid or duplicate flag")),
        other => other,
    }
}

/// The key that base64 stands for; `None` when there is none.
fn key_of_base64(asked: &[u8]) -> Option<Vec<u8>> {
    values::codes::from_base64(asked).filter(|key| !key.is_empty() && key.len() <= KEY_BYTES_MAX)
}
