//! memcached's text protocol as Tokyo Tyrant speaks it: a subset, on records without flags, expiry
//! times and cas values.
//!
//! Invariants
//! 1. Nothing of an incomplete request is done.
//! 2. A line that is no request ends the connection, as in the original, behind an error line if
//!    its first word is known.
//!
//! Not here: what commands do (`execute`); memcached's own door, with all of its commands
//! (`memcached`).

use std::io::Write as _;

use values::text::write_u64;

use crate::memcached::text::{MemcachedTokens, block_length, signed};
use crate::tyrant::command::{PutMode, TyrantFailure, TyrantTrouble};
use crate::tyrant::decode::DecodedRequest;
use crate::tyrant::execute::TyrantRows;
use crate::tyrant::stat;

/// A request in text.
#[derive(Clone, Copy, Debug)]
pub enum TextCommand<'a> {
    /// `set` and its kin.
    Store {
        /// How.
        mode: PutMode,
        /// The key.
        key: &'a [u8],
        /// The value.
        value: &'a [u8],
        /// Whether it is answered.
        answered: bool,
    },
    /// `get` and `gets`: the keys, with spaces between.
    Get(&'a [u8]),
    /// `delete`.
    Delete {
        /// The key.
        key: &'a [u8],
        /// Whether it is answered.
        answered: bool,
    },
    /// `incr` and `decr`.
    Count {
        /// The key.
        key: &'a [u8],
        /// By how much.
        by: i64,
        /// Whether it is answered.
        answered: bool,
    },
    /// `stats`.
    Stats,
    /// `flush_all`.
    Flush {
        /// Whether it is answered.
        answered: bool,
    },
    /// `version`.
    Version,
    /// `quit`.
    Quit,
    /// A known command without what it needs.
    Malformed,
}

impl TextCommand<'_> {
    /// Whether the connection ends behind it.
    pub fn closes(&self) -> bool {
        matches!(self, TextCommand::Quit | TextCommand::Malformed)
    }

    /// Whether it changes records.
    pub fn is_update(&self) -> bool {
        matches!(
            self,
            TextCommand::Store { .. }
                | TextCommand::Delete { .. }
                | TextCommand::Count { .. }
                | TextCommand::Flush { .. }
        )
    }

    /// Whether it is answered at all.
    pub fn is_answered(&self) -> bool {
        match self {
            TextCommand::Store { answered, .. }
            | TextCommand::Delete { answered, .. }
            | TextCommand::Count { answered, .. }
            | TextCommand::Flush { answered } => *answered,
            _ => true,
        }
    }
}

/// The request whose line ends at `end` in `bytes`; requests may have so many bytes.
pub fn decode(bytes: &[u8], end: usize, bytes_max: usize) -> DecodedRequest<TextCommand<'_>> {
    let line = bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]);
    let tokens = MemcachedTokens::of(line);
    let all = tokens.all();
    let answered = |from: usize| !all.iter().skip(from).any(|token| *token == b"noreply");
    let request = |command| DecodedRequest::Request { command, consumed: end + 1 };
    let Some((name, arguments)) = all.split_first() else { return DecodedRequest::Senseless };
    let mode = match *name {
        b"set" => PutMode::Over,
        b"add" => PutMode::Keep,
        b"replace" => PutMode::Replace,
        b"append" => PutMode::Append,
        b"prepend" => PutMode::Prepend,
        _ => {
            return other(name, arguments, line, answered)
                .map_or(DecodedRequest::Senseless, request);
        }
    };
    let [key, _flags, _expires, length, ..] = arguments else {
        return request(TextCommand::Malformed);
    };
    // The original's `atoi` makes 0 of what is no length, and takes the data for commands.
    let Some(length) = block_length(length) else { return request(TextCommand::Malformed) };
    let start = end + 1;
    if length > bytes_max {
        return DecodedRequest::Senseless;
    }
    match bytes.get(start + length..start + length + 2) {
        None => DecodedRequest::More,
        Some(b"\r\n") => DecodedRequest::Request {
            command: TextCommand::Store {
                mode,
                key,
                value: &bytes[start..start + length],
                answered: answered(5),
            },
            consumed: start + length + 2,
        },
        Some(_) => DecodedRequest::Senseless,
    }
}

/// A request of one line; `None` for one that is not known.
fn other<'a>(
    name: &[u8],
    arguments: &[&'a [u8]],
    line: &'a [u8],
    answered: impl Fn(usize) -> bool,
) -> Option<TextCommand<'a>> {
    Some(match (name, arguments) {
        (b"get" | b"gets", [_, ..]) => TextCommand::Get(&line.trim_ascii_start()[name.len()..]),
        (b"delete", [key, ..]) => TextCommand::Delete { key, answered: answered(2) },
        (b"incr" | b"decr", [key, by, ..]) => {
            let by = signed(by).unwrap_or(0);
            let by = if name == b"decr" { by.saturating_neg() } else { by };
            TextCommand::Count { key, by, answered: answered(3) }
        }
        (b"get" | b"gets" | b"delete" | b"incr" | b"decr", _) => TextCommand::Malformed,
        (b"stats", _) => TextCommand::Stats,
        (b"flush_all", _) => TextCommand::Flush { answered: answered(1) },
        (b"version", _) => TextCommand::Version,
        (b"quit", _) => TextCommand::Quit,
        _ => return None,
    })
}

/// Runs a command and appends its answer.
///
/// # Errors
/// See `TyrantTrouble`; what was appended is then to be cut off.
pub fn execute(
    command: &TextCommand<'_>,
    rows: &mut TyrantRows<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), TyrantTrouble> {
    let counters = &rows.shared.counters;
    let reply: &[u8] = match *command {
        TextCommand::Store { mode, key, value, .. } => {
            let stored = rows.put(mode, key, value);
            if !matches!(stored, Err(TyrantTrouble::Wait | TyrantTrouble::Outdated)) {
                counters.put.add();
            }
            match stored {
                Err(TyrantTrouble::Failed(TyrantFailure::Missing | TyrantFailure::Exists)) => {
                    counters.put_miss.add();
                    b"NOT_STORED\r\n"
                }
                other => other.map(|()| &b"STORED\r\n"[..])?,
            }
        }
        TextCommand::Get(keys) => {
            get(keys, rows, out)?;
            b"END\r\n"
        }
        TextCommand::Delete { key, .. } => {
            let removed = rows.out(key);
            if !matches!(removed, Err(TyrantTrouble::Wait | TyrantTrouble::Outdated)) {
                counters.out.add();
            }
            match removed {
                Err(TyrantTrouble::Failed(TyrantFailure::Missing)) => {
                    counters.out_miss.add();
                    b"NOT_FOUND\r\n"
                }
                other => other.map(|()| &b"DELETED\r\n"[..])?,
            }
        }
        TextCommand::Count { key, by, .. } => match rows.add_decimal(key, by) {
            Ok(number) => {
                counters.addint.add();
                if command.is_answered() {
                    write_u64(number, out);
                }
                b"\r\n"
            }
            Err(TyrantTrouble::Failed(TyrantFailure::Missing)) => {
                counters.addint.add();
                b"NOT_FOUND\r\n"
            }
            Err(trouble) => return Err(trouble),
        },
        TextCommand::Stats => {
            for (name, figure) in stat::text_figures(rows)? {
                // Writing into a vector does not fail.
                let _ = write!(out, "STAT {name} {figure}\r\n");
            }
            counters.stat.add();
            b"END\r\n"
        }
        TextCommand::Flush { .. } => {
            rows.vanish()?;
            counters.vanish.add();
            b"OK\r\n"
        }
        TextCommand::Version => {
            let _ = write!(out, "VERSION {}\r\n", stat::VERSION);
            b""
        }
        TextCommand::Quit => b"",
        TextCommand::Malformed => b"CLIENT_ERROR error\r\n",
    };
    if command.is_answered() {
        out.extend_from_slice(reply);
    }
    Ok(())
}

fn get(keys: &[u8], rows: &mut TyrantRows<'_, '_>, out: &mut Vec<u8>) -> Result<(), TyrantTrouble> {
    let each = || <[u8]>::split(keys, |byte| *byte == b' ').filter(|key| !key.is_empty());
    let count = each().count();
    if count > rows.turn.limits().rows_given {
        rows.needs_time()?;
    }
    if count > 1 {
        rows.look_ahead(&mut each());
    }
    let (start, mut found) = (out.len(), 0);
    for key in each() {
        found += u64::from(rows.get(key, &mut |value| {
            out.extend_from_slice(b"VALUE ");
            out.extend_from_slice(key);
            out.extend_from_slice(b" 0 ");
            write_u64(value.len() as u64, out);
            out.extend_from_slice(b"\r\n");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
        })?);
        rows.check_reply(out.len() - start)?;
    }
    rows.shared.counters.get.add_many(count as u64);
    rows.shared.counters.get_miss.add_many(count as u64 - found);
    Ok(())
}

/// Appends the line that tells of a failure.
pub fn failed(failure: &TyrantFailure, out: &mut Vec<u8>) {
    let (_, words) = failure.words();
    // Writing into a vector does not fail.
    let _ = write!(out, "SERVER_ERROR {words}\r\n");
}
