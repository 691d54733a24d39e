//! Classic text commands: lines to commands, answers to lines.
//!
//! Invariants
//! 1. Nothing of an incomplete request is done.
//! 2. `noreply` hides success and errors alike, as far as the line can be parsed.
//! 3. A block of data belongs to the line that announces it, also when the line is refused: keys
//!    often come from a client's own users, who could otherwise send commands in their values.
//!
//! Not here: meta commands (`meta`), what commands do (`execute`).

use memchr::memchr;
use rows::cache::PREFETCH_MAX;
use values::text::write_u64;

use crate::foreign;
use crate::memcached::command::{
    Count, Delete, Fetch, Item, KEY_BYTES_MAX, MemcachedRefusal, MemcachedTrouble, Store,
    StoreMode, WriteOutcome,
};
use crate::memcached::door::{CommitFailureReply, MemcachedStep};
use crate::memcached::execute::MemcachedRows;
use crate::memcached::listing::{self, ListRequest};
use crate::memcached::{meta, stats};

/// Fewest bytes of a line that can be a request.
const LINE_BYTES_MIN: usize = 2;
/// Most bytes that a value can be announced with: with the line's end behind it they are what the
/// original counts in 32 bits with a sign.
const VALUE_BYTES_MAX: u64 = i32::MAX as u64 - 2;
/// Most bytes without a line's end, but for reads of many keys.
const LINE_BYTES_MAX: usize = 2048;
/// Most tokens of a line, but for reads of many keys.
const TOKENS_MAX: usize = 24;
/// What an item takes besides key and value in the original, which counts it against the limit.
const ITEM_OVERHEAD: usize = 59;

/// The reply to a line that makes no sense.
pub const BAD_LINE: &[u8] = b"CLIENT_ERROR bad command line format\r\n";
/// The reply to a block of data that does not end where it should.
pub const BAD_CHUNK: &[u8] = b"CLIENT_ERROR bad data chunk\r\n";

/// The tokens of a line.
pub struct MemcachedTokens<'a> {
    tokens: [&'a [u8]; TOKENS_MAX],
    count: usize,
    /// Whether there were more than fit.
    pub overflow: bool,
}

impl<'a> MemcachedTokens<'a> {
    pub(crate) fn of(line: &'a [u8]) -> MemcachedTokens<'a> {
        let mut tokens = MemcachedTokens { tokens: [&[]; TOKENS_MAX], count: 0, overflow: false };
        for token in line.split(|byte| *byte == b' ').filter(|token| !token.is_empty()) {
            if tokens.count == TOKENS_MAX {
                tokens.overflow = true;
                break;
            }
            tokens.tokens[tokens.count] = token;
            tokens.count += 1;
        }
        tokens
    }

    /// All of them, the command in front.
    pub fn all(&self) -> &[&'a [u8]] {
        &self.tokens[..self.count]
    }
}

/// A number without sign that fits 64 bits.
pub fn unsigned(token: &[u8]) -> Option<u64> {
    if token.is_empty() || token.len() > 20 {
        return None;
    }
    token.iter().try_fold(0u64, |value, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// A number that may have a sign.
pub fn signed(token: &[u8]) -> Option<i64> {
    match token.strip_prefix(b"-") {
        Some(digits) => i64::try_from(unsigned(digits)?).ok().map(|value| -value),
        None => i64::try_from(unsigned(token.strip_prefix(b"+").unwrap_or(token))?).ok(),
    }
}

/// How many bytes the block of data has that a token announces; `None` where it is no length that a
/// block can have.
pub fn block_length(token: &[u8]) -> Option<usize> {
    let length = unsigned(token).filter(|length| *length <= VALUE_BYTES_MAX)?;
    usize::try_from(length).ok()
}

/// Whether a value of so many bytes is above the limit.
pub fn too_large(rows: &MemcachedRows<'_, '_>, key: &[u8], bytes: usize) -> bool {
    bytes.saturating_add(key.len() + ITEM_OVERHEAD) > rows.shared.options.item_bytes_max
}

/// Appends an error reply.
pub fn refusal(refusal: &MemcachedRefusal, out: &mut Vec<u8>) {
    let (word, sentence): (&[u8], &str) = match refusal {
        MemcachedRefusal::TooLarge => (b"SERVER_ERROR ", "object too large for cache"),
        MemcachedRefusal::NotNumeric => {
            (b"CLIENT_ERROR ", "cannot increment or decrement non-numeric value")
        }
        MemcachedRefusal::Denied => (b"CLIENT_ERROR ", "access denied"),
        MemcachedRefusal::Client(sentence) => (b"CLIENT_ERROR ", sentence),
        MemcachedRefusal::Server(sentence) => (b"SERVER_ERROR ", sentence),
    };
    out.extend_from_slice(word);
    out.extend_from_slice(sentence.as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Refuses the request in front; its block of data is thrown away as it comes.
pub(super) fn refuse_front(
    bytes: &[u8],
    why: &MemcachedRefusal,
    out: &mut Vec<u8>,
) -> MemcachedStep {
    let Some(end) = memchr(b'\n', bytes) else { return line_to_come(bytes) };
    let tokens = MemcachedTokens::of(bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]));
    let consumed = end + 1;
    if tokens.all().last() != Some(&&b"noreply"[..]) {
        refusal(why, out);
    }
    let swallow = match announced_block(tokens.all()) {
        AnnouncedBlock::None => 0,
        AnnouncedBlock::Bytes(length) => length + 2,
        AnnouncedBlock::Unmeasured => return MemcachedStep::Unmeasured { consumed },
    };
    MemcachedStep::Done { consumed, swallow, failing: CommitFailureReply::Line }
}

/// Whether the request in front changes items, as far as its first word says.
pub(super) fn is_update(bytes: &[u8]) -> bool {
    let word = bytes.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    matches!(
        word,
        b"set"
            | b"add"
            | b"replace"
            | b"append"
            | b"prepend"
            | b"cas"
            | b"incr"
            | b"decr"
            | b"delete"
            | b"touch"
            | b"gat"
            | b"gats"
            | b"flush_all"
            | b"ms"
            | b"md"
            | b"ma"
    )
}

/// Serves the line in front.
pub(super) fn serve(
    bytes: &[u8],
    rows: &mut MemcachedRows<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<MemcachedStep, MemcachedTrouble> {
    let Some(end) = memchr(b'\n', bytes) else {
        let many = bytes.starts_with(b"get ") || bytes.starts_with(b"gets ");
        return Ok(if many { MemcachedStep::More } else { line_to_come(bytes) });
    };
    let line = bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]);
    let body = &bytes[end + 1..];
    let line_bytes = end + 1;
    let done = Ok(MemcachedStep::Done {
        consumed: line_bytes,
        swallow: 0,
        failing: CommitFailureReply::Line,
    });
    if let Some(keys) = line.strip_prefix(b"get ") {
        get(keys, None, false, rows, out)?;
        return done;
    }
    if let Some(keys) = line.strip_prefix(b"gets ") {
        get(keys, None, true, rows, out)?;
        return done;
    }
    let tokens = MemcachedTokens::of(line);
    let all = tokens.all();
    if line.len() < LINE_BYTES_MIN {
        out.extend_from_slice(BAD_LINE);
        return done;
    }
    let Some(command) = all.first() else {
        out.extend_from_slice(b"ERROR\r\n");
        return done;
    };
    if let Some(asked) = listing::asked(all) {
        match asked {
            ListRequest::Line(reply) => out.extend_from_slice(reply),
            ListRequest::List(..) if !rows.may_list() => {
                refusal(&MemcachedRefusal::Denied, out);
            }
            // What was written in this turn is not visible yet.
            ListRequest::List(..) if *rows.wrote => return Err(MemcachedTrouble::Wait),
            ListRequest::List(form, limit) => {
                return Ok(MemcachedStep::List { consumed: line_bytes, form, limit });
            }
        }
        return done;
    }
    match *command {
        b"gat" | b"gats" => {
            let rest = line.trim_ascii_start()[command.len()..].trim_ascii_start();
            let (exptime, keys) = match memchr(b' ', rest) {
                Some(at) => (&rest[..at], &rest[at + 1..]),
                None => (rest, &b""[..]),
            };
            match signed(exptime) {
                _ if keys.trim_ascii().is_empty() => out.extend_from_slice(BAD_LINE),
                None => out.extend_from_slice(b"CLIENT_ERROR invalid exptime argument\r\n"),
                touch => get(keys, touch, *command == b"gats", rows, out)?,
            }
            done
        }
        b"mg" | b"ms" | b"md" | b"ma" | b"mn" | b"me" => {
            meta::serve(&tokens, line_bytes, body, rows, out)
        }
        b"set" => store(all, StoreMode::Set, line_bytes, body, rows, out),
        b"add" => store(all, StoreMode::Add, line_bytes, body, rows, out),
        b"replace" => store(all, StoreMode::Replace, line_bytes, body, rows, out),
        b"append" => store(all, StoreMode::Append, line_bytes, body, rows, out),
        b"prepend" => store(all, StoreMode::Prepend, line_bytes, body, rows, out),
        b"cas" => store(all, StoreMode::Set, line_bytes, body, rows, out),
        b"quit" => Ok(MemcachedStep::Close),
        _ if foreign::begins(line) => Ok(MemcachedStep::Close),
        _ => {
            let mark = out.len();
            simple(all, rows, out)?;
            let mut failing = CommitFailureReply::Line;
            let can_hide = !matches!(*command, b"stats" | b"version");
            if can_hide && all.last() == Some(&&b"noreply"[..]) && all.len() > 1 {
                out.truncate(mark);
                failing = CommitFailureReply::Silent;
            }
            Ok(MemcachedStep::Done { consumed: line_bytes, swallow: 0, failing })
        }
    }
}

/// What is made of bytes in which no line ends.
pub(super) fn line_to_come(bytes: &[u8]) -> MemcachedStep {
    if bytes.len() > LINE_BYTES_MAX { MemcachedStep::Close } else { MemcachedStep::More }
}

/// Serves the line in front where it may be part of a block of data whose length could not be read:
/// a line that announces such a block as well is refused as before, and any other one ends the
/// connection.
pub(super) fn serve_unmeasured(bytes: &[u8], out: &mut Vec<u8>) -> MemcachedStep {
    let Some(end) = memchr(b'\n', bytes) else { return line_to_come(bytes) };
    let tokens = MemcachedTokens::of(bytes[..end].trim_ascii_end());
    match announced_block(tokens.all()) {
        AnnouncedBlock::Unmeasured => {
            out.extend_from_slice(BAD_LINE);
            MemcachedStep::Unmeasured { consumed: end + 1 }
        }
        AnnouncedBlock::None | AnnouncedBlock::Bytes(_) => MemcachedStep::Close,
    }
}

/// The block of data that a line announces.
pub(super) enum AnnouncedBlock {
    /// None.
    None,
    /// One of so many bytes, and the line's end.
    Bytes(usize),
    /// One whose length cannot be read.
    Unmeasured,
}

/// The block that belongs to a line with these tokens.
pub(super) fn announced_block(tokens: &[&[u8]]) -> AnnouncedBlock {
    let length = match tokens {
        [b"set" | b"add" | b"replace" | b"append" | b"prepend" | b"cas", rest @ ..] => rest.get(3),
        [b"ms", rest @ ..] => rest.get(1),
        _ => return AnnouncedBlock::None,
    };
    length
        .and_then(|length| block_length(length))
        .map_or(AnnouncedBlock::Unmeasured, AnnouncedBlock::Bytes)
}

fn valid_key(key: &[u8]) -> bool {
    !key.is_empty() && key.len() <= KEY_BYTES_MAX
}

/// Has the rows fetched that the `get`s in front of the input ask for; gives the number of
/// requests after which it is worth looking again.
pub(super) fn look_ahead(mut bytes: &[u8], rows: &mut MemcachedRows<'_, '_>) -> usize {
    let mut keys = [&[][..]; PREFETCH_MAX];
    let mut count = 0;
    while count < PREFETCH_MAX
        && let Some(rest) = bytes.strip_prefix(b"get ").or_else(|| bytes.strip_prefix(b"mg "))
        && let Some(end) = memchr(b'\n', rest)
    {
        let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        keys[count] = &line[..memchr(b' ', line).unwrap_or(line.len())];
        count += 1;
        bytes = &rest[end + 1..];
    }
    if count > 1 {
        rows.look_ahead(&keys[..count]);
    }
    count.max(1)
}

/// Puts what comes into the front of `into`; gives how many.
fn fill<'k>(into: &mut [&'k [u8]], from: impl Iterator<Item = &'k [u8]>) -> usize {
    into.iter_mut().zip(from).map(|(place, key)| *place = key).count()
}

fn get(
    keys: &[u8],
    touch: Option<i64>,
    with_cas: bool,
    rows: &mut MemcachedRows<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), MemcachedTrouble> {
    if keys.len() > rows.turn.limits().bytes {
        return Err(MemcachedTrouble::Wait);
    }
    let mark = out.len();
    let reply_max = rows.turn.engine().budget().reply_bytes_max();
    let mut asked = 0;
    let each = |keys| <[u8]>::split(keys, |byte| *byte == b' ').filter(|key| !key.is_empty());
    let mut ahead = each(keys);
    for key in each(keys) {
        if asked % PREFETCH_MAX == 0 {
            let mut batch = [&[][..]; PREFETCH_MAX];
            let count = fill(&mut batch, ahead.by_ref().take(PREFETCH_MAX));
            if count > 1 {
                rows.look_ahead(&batch[..count]);
            }
        }
        asked += 1;
        if !valid_key(key) {
            out.truncate(mark);
            out.extend_from_slice(BAD_LINE);
            return Ok(());
        }
        if out.len() - mark > reply_max {
            out.truncate(mark);
            out.extend_from_slice(b"SERVER_ERROR out of memory writing get response\r\n");
            return Ok(());
        }
        let fetch = Fetch { key, touch, ..Fetch::default() };
        let fetched = rows.fetch(&fetch, &mut |item| value(key, item, with_cas, out));
        match fetched {
            Ok(_) => {}
            Err(MemcachedTrouble::Refused(why)) => {
                out.truncate(mark);
                refusal(&why, out);
                return Ok(());
            }
            Err(other) => return Err(other),
        }
    }
    rows.shared.counters.cmd_get.add_many(asked as u64);
    out.extend_from_slice(if asked == 0 { BAD_LINE } else { b"END\r\n" });
    Ok(())
}

fn value(key: &[u8], item: &Item<'_>, with_cas: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(b"VALUE ");
    out.extend_from_slice(key);
    out.push(b' ');
    write_u64(u64::from(item.flags), out);
    out.push(b' ');
    write_u64(item.value.len() as u64, out);
    if with_cas {
        out.push(b' ');
        write_u64(item.cas, out);
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(item.value);
    out.extend_from_slice(b"\r\n");
}

fn store(
    tokens: &[&[u8]],
    mode: StoreMode,
    line_bytes: usize,
    body: &[u8],
    rows: &mut MemcachedRows<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<MemcachedStep, MemcachedTrouble> {
    let is_cas = tokens[0] == b"cas";
    let wanted = if is_cas { 6 } else { 5 };
    let Some(length) = tokens.get(4).and_then(|length| block_length(length)) else {
        out.extend_from_slice(BAD_LINE);
        return Ok(MemcachedStep::Unmeasured { consumed: line_bytes });
    };
    let silent = tokens.len() > 5 && tokens.last() == Some(&&b"noreply"[..]);
    let failing = if silent { CommitFailureReply::Silent } else { CommitFailureReply::Line };
    let key = tokens[1];
    let compare = match tokens.get(5) {
        Some(cas) if is_cas => unsigned(cas).map(Some),
        None if is_cas => None,
        _ => Some(None),
    };
    let (Some(flags), Some(exptime), Some(compare), true) =
        (unsigned(tokens[2]), signed(tokens[3]), compare, valid_key(key))
    else {
        // With words too many it is not known which of them is the length.
        if tokens.len() - usize::from(silent) > wanted {
            out.extend_from_slice(BAD_LINE);
            return Ok(MemcachedStep::Unmeasured { consumed: line_bytes });
        }
        if !silent {
            out.extend_from_slice(BAD_LINE);
        }
        return Ok(MemcachedStep::Done { consumed: line_bytes, swallow: length + 2, failing });
    };
    let mut answer = |reply: &[u8], consumed, swallow| {
        if !silent {
            out.extend_from_slice(reply);
        }
        Ok(MemcachedStep::Done { consumed, swallow, failing })
    };
    if too_large(rows, key, length) {
        if mode == StoreMode::Set {
            refusing(rows.discard_for(key))?;
        }
        return answer(b"SERVER_ERROR object too large for cache\r\n", line_bytes, length + 2);
    }
    if body.len() < length + 2 {
        return Ok(MemcachedStep::More);
    }
    let consumed = line_bytes + length + 2;
    if &body[length..length + 2] != b"\r\n" {
        // The block is longer than announced, or shorter: nobody knows where the next request
        // begins.
        answer(BAD_CHUNK, consumed, 0)?;
        return Ok(MemcachedStep::Close);
    }
    // Flags of more than 32 bits wrap, as in the original.
    let flags = flags as u32;
    let value = &body[..length];
    let store = Store { key, mode, flags, exptime, value, compare, ..Store::default() };
    match rows.store(&store, false) {
        Ok(stored) => answer(
            match stored.outcome {
                WriteOutcome::Done(_) => b"STORED\r\n",
                WriteOutcome::NotStored => b"NOT_STORED\r\n",
                WriteOutcome::Exists => b"EXISTS\r\n",
                WriteOutcome::Missing => b"NOT_FOUND\r\n",
            },
            consumed,
            0,
        ),
        Err(MemcachedTrouble::Refused(why)) => {
            let mut words = Vec::new();
            refusal(&why, &mut words);
            answer(&words, consumed, 0)
        }
        Err(other) => Err(other),
    }
}

/// Lets waiting through and drops refusals, for what is done on the side.
///
/// # Errors
/// All but `Refused`.
pub fn refusing<T>(result: Result<T, MemcachedTrouble>) -> Result<(), MemcachedTrouble> {
    match result {
        Ok(_) | Err(MemcachedTrouble::Refused(_)) => Ok(()),
        Err(other) => Err(other),
    }
}

/// Commands of one line.
fn simple(
    tokens: &[&[u8]],
    rows: &mut MemcachedRows<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), MemcachedTrouble> {
    let arguments = match tokens {
        [_, middle @ .., b"noreply"] => middle,
        [_, rest @ ..] => rest,
        [] => &[],
    };
    let result = match (tokens[0], arguments) {
        (b"delete", [key]) | (b"delete", [key, _]) if valid_key(key) => {
            let delete = Delete { key, ..Delete::default() };
            match arguments.get(1) {
                Some(time) if *time != b"0" => {
                    out.extend_from_slice(
                        b"CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]\r\n",
                    );
                    Ok(())
                }
                _ => rows.delete(&delete, false).map(|outcome| {
                    out.extend_from_slice(match outcome {
                        WriteOutcome::Done(_) => b"DELETED\r\n",
                        _ => b"NOT_FOUND\r\n",
                    });
                }),
            }
        }
        (b"touch", [key, exptime]) if valid_key(key) => match signed(exptime) {
            None => {
                out.extend_from_slice(b"CLIENT_ERROR invalid exptime argument\r\n");
                Ok(())
            }
            Some(exptime) => rows.touch(key, exptime, &mut |_| {}).map(|touched| {
                out.extend_from_slice(if touched { b"TOUCHED\r\n" } else { b"NOT_FOUND\r\n" });
            }),
        },
        (b"incr" | b"decr", [key, delta] | [key, delta, _]) if valid_key(key) => {
            match unsigned(delta) {
                None => {
                    out.extend_from_slice(b"CLIENT_ERROR invalid numeric delta argument\r\n");
                    Ok(())
                }
                Some(delta) => {
                    let down = tokens[0] == b"decr";
                    let count = Count { key, down, delta, ..Count::default() };
                    rows.count(&count, false).map(|counted| match counted {
                        Ok(counted) => {
                            write_u64(counted.number, out);
                            out.extend_from_slice(b"\r\n");
                        }
                        Err(_) => out.extend_from_slice(b"NOT_FOUND\r\n"),
                    })
                }
            }
        }
        (b"incr" | b"decr" | b"touch", [] | [_]) | (b"delete" | b"get" | b"gets", []) => {
            out.extend_from_slice(BAD_LINE);
            Ok(())
        }
        (b"delete" | b"touch" | b"incr" | b"decr", [key, ..]) if !valid_key(key) => {
            out.extend_from_slice(BAD_LINE);
            Ok(())
        }
        (b"flush_all", []) => rows.flush(0).map(|()| out.extend_from_slice(b"OK\r\n")),
        (b"flush_all", [delay, ..]) => match signed(delay) {
            None => {
                out.extend_from_slice(b"CLIENT_ERROR invalid exptime argument\r\n");
                Ok(())
            }
            Some(delay) => rows.flush(delay).map(|()| out.extend_from_slice(b"OK\r\n")),
        },
        (b"version", _) => {
            out.extend_from_slice(b"VERSION ");
            out.extend_from_slice(rows.shared.options.version.as_bytes());
            out.extend_from_slice(b"\r\n");
            Ok(())
        }
        (b"verbosity", [level, ..]) => {
            out.extend_from_slice(if unsigned(level).is_some() { b"OK\r\n" } else { BAD_LINE });
            Ok(())
        }
        (b"cache_memlimit", [megabytes]) if unsigned(megabytes).is_some() => {
            out.extend_from_slice(b"OK\r\n");
            Ok(())
        }
        (b"shutdown", _) => {
            out.extend_from_slice(b"SERVER_ERROR: shutdown not enabled\r\n");
            Ok(())
        }
        (b"stats", _) => {
            stats::text(&tokens[1..], rows, out);
            Ok(())
        }
        (b"lru_crawler" | b"lru" | b"slabs" | b"watch" | b"extstore", _) => {
            out.extend_from_slice(b"CLIENT_ERROR not supported: rows are not kept in slabs\r\n");
            Ok(())
        }
        _ => {
            out.extend_from_slice(b"ERROR\r\n");
            Ok(())
        }
    };
    match result {
        Err(MemcachedTrouble::Refused(why)) => {
            refusal(&why, out);
            Ok(())
        }
        other => other,
    }
}
