//! Meta commands: `mg ms md ma mn me`, flags in, return codes and flags out.
//!
//! Invariants
//! 1. Return flags come in the order of the request's flags.
//! 2. Quiet mode hides the nominal reply only; errors are always sent.
//!
//! Not here: classic commands (`text`), what commands do (`execute`).

use rows::text::write_u64;

use crate::memcached::command::{
    Count, Delete, Fetch, Item, KEY_BYTES_MAX, Moment, Outcome, Refusal, Store, StoreMode, Trouble,
};
use crate::memcached::door::{Failing, Served};
use crate::memcached::execute::Rows;
use crate::memcached::text::{
    BAD_CHUNK, BAD_LINE, Tokens, refusal, refusing, signed, too_large, unsigned,
};

/// Longest opaque token.
const OPAQUE_BYTES_MAX: usize = 31;

/// The flags of a request, read.
#[derive(Default)]
struct Flags<'a> {
    /// As they came, in order.
    tokens: &'a [&'a [u8]],
    base64: bool,
    quiet: bool,
    value: bool,
    unseen: bool,
    invalidate: bool,
    blank: bool,
    compare: Option<u64>,
    new_cas: Option<u64>,
    vivify: Option<i64>,
    recache: Option<i64>,
    touch: Option<i64>,
    initial: Option<u64>,
    delta: Option<u64>,
    client_flags: u32,
    mode: Option<u8>,
}

fn client(sentence: &'static str) -> Refusal {
    Refusal::Client(sentence.into())
}

impl<'a> Flags<'a> {
    /// Reads the flags of the command that `command` is the second letter of.
    fn read(command: u8, tokens: &'a [&'a [u8]]) -> Result<Flags<'a>, Refusal> {
        let mut flags = Flags { tokens, ..Flags::default() };
        let mut seen = 0u128;
        let bad = || client("bad token in command line format");
        for token in tokens {
            let (letter, argument) = (token[0], &token[1..]);
            if !letter.is_ascii_alphanumeric() {
                return Err(client("invalid flag"));
            }
            let bit = 1u128 << letter;
            if seen & bit != 0 {
                return Err(client("duplicate flag"));
            }
            seen |= bit;
            let number = || unsigned(argument).ok_or_else(bad);
            let time =
                || signed(argument).filter(|time| i32::try_from(*time).is_ok()).ok_or_else(bad);
            match (letter, command) {
                (b'P' | b'L', _) => {}
                (b'b', _) => flags.base64 = true,
                (b'k', _) => {}
                (b'q', _) => flags.quiet = true,
                (b'O', _) if argument.len() > OPAQUE_BYTES_MAX => {
                    return Err(client("opaque token too long"));
                }
                (b'O', _) => {}
                (b'C', _) => flags.compare = Some(number()?),
                (b'E', _) => flags.new_cas = Some(number()?),
                (b'c' | b't' | b's' | b'f' | b'h' | b'l', _) => {}
                (b'v', _) => flags.value = true,
                (b'u', _) => flags.unseen = true,
                (b'N', _) => flags.vivify = Some(time()?),
                (b'R', _) => flags.recache = Some(time()?),
                (b'T', _) => flags.touch = Some(time()?),
                (b'F', _) => flags.client_flags = number()? as u32,
                (b'I', _) => flags.invalidate = true,
                (b'x', b'd') => flags.blank = true,
                (b'M', b's' | b'a') => match argument.first() {
                    Some(mode) => flags.mode = Some(*mode),
                    None => return Err(client("incorrect length for M token")),
                },
                (b'J', b'a') => {
                    let initial = unsigned(argument);
                    flags.initial = Some(initial.ok_or(client("invalid numeric initial value"))?);
                }
                (b'D', b'a') => {
                    let delta = unsigned(argument);
                    flags.delta = Some(delta.ok_or(client("invalid numeric delta value"))?);
                }
                (_, b'a') => return Err(client("invalid or duplicate flag")),
                _ => return Err(client("invalid flag")),
            }
        }
        Ok(flags)
    }

    /// Appends the flags that do not depend on an item: opaque, and the key as it was asked for.
    fn echo(&self, token: &[u8], asked_key: &[u8], out: &mut Vec<u8>) {
        match token[0] {
            b'O' => {
                out.push(b' ');
                out.extend_from_slice(token);
            }
            b'k' => {
                out.extend_from_slice(b" k");
                out.extend_from_slice(asked_key);
                if self.base64 {
                    out.extend_from_slice(b" b");
                }
            }
            _ => {}
        }
    }

    fn has(&self, letter: u8) -> bool {
        self.tokens.iter().any(|token| token[0] == letter)
    }

    /// Whether a flag comes before another that comes, too.
    fn in_order(&self, first: u8, second: u8) -> bool {
        let at = |letter| self.tokens.iter().position(|token| token[0] == letter);
        at(first).zip(at(second)).is_some_and(|(first, second)| first < second)
    }

    /// The expiry time that an item gets if it is made: that of the later one of two flags.
    fn vivify(&self) -> Option<i64> {
        let later = if self.in_order(b'N', b'T') { self.touch } else { None };
        self.vivify.map(|exptime| later.unwrap_or(exptime))
    }

    /// The expiry time of an item when a flag's turn has come, from that before it.
    fn expires_after(&self, token: &[u8], made: bool, now: Moment, before: i64) -> i64 {
        match (token[0], self.touch, self.vivify) {
            (b'T', Some(exptime), _) => now.absolute(exptime),
            (b'N', _, Some(exptime)) if made => now.absolute(exptime),
            _ => before,
        }
    }
}

/// Serves a meta command; its line is in tokens.
pub(super) fn serve(
    tokens: &Tokens<'_>,
    line_bytes: usize,
    body: &[u8],
    rows: &mut Rows<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<Served, Trouble> {
    let all = tokens.all();
    let command = all[0][1];
    let served = |consumed, swallow| Ok(Served::Done { consumed, swallow, failing: Failing::Line });
    if command == b'n' {
        out.extend_from_slice(b"MN\r\n");
        return served(line_bytes, 0);
    }
    rows.shared.counters.cmd_meta.add();
    let mark = out.len();
    let refused = |why: &Refusal, out: &mut Vec<u8>| {
        out.truncate(mark);
        refusal(why, out);
    };
    // The block of data belongs to `ms` even when the rest makes no sense.
    let block = match (command, all.get(2)) {
        (b's', Some(length)) => match unsigned(length).filter(|n| *n < i32::MAX as u64 - 2) {
            Some(length) => Some(length as usize),
            None => {
                out.extend_from_slice(if length.first() == Some(&b'-') {
                    BAD_CHUNK
                } else {
                    BAD_LINE
                });
                return served(line_bytes, 0);
            }
        },
        (b's', None) => {
            out.extend_from_slice(BAD_LINE);
            return served(line_bytes, 0);
        }
        _ => None,
    };
    let block_bytes = block.map_or(0, |length| length + 2);
    let Some(asked) = all.get(1).filter(|key| key.len() <= KEY_BYTES_MAX) else {
        out.extend_from_slice(BAD_LINE);
        return served(line_bytes, block_bytes);
    };
    let flag_tokens = &all[if block.is_some() { 3 } else { 2 }..];
    let flags = match Flags::read(command, if command == b'e' { &[] } else { flag_tokens }) {
        _ if tokens.overflow || flag_tokens.len() > 20 => Err(client("options flags are too long")),
        Err(Refusal::Client(why)) if command == b'd' && why != "duplicate flag" => {
            Err(Refusal::Client(why))
        }
        Err(_) if matches!(command, b'a' | b'd') => Err(client("invalid or duplicate flag")),
        other => other,
    };
    let flags = match flags {
        Ok(flags) => flags,
        Err(why) => {
            refused(&why, out);
            return served(line_bytes, block_bytes);
        }
    };
    let is_base64 = flags.base64 || (command == b'e' && flag_tokens.contains(&&b"b"[..]));
    let decoded;
    let key: &[u8] = if is_base64 {
        match from_base64(asked) {
            Some(key) if !key.is_empty() && key.len() <= KEY_BYTES_MAX => {
                decoded = key;
                &decoded
            }
            _ => {
                refused(&client("error decoding key"), out);
                return served(line_bytes, block_bytes);
            }
        }
    } else {
        asked
    };
    let request = Request { flags, asked, key };
    let result = match command {
        b'g' => request.get(rows, out),
        b's' => {
            let length = block.unwrap_or(0);
            if too_large(rows, key, length) {
                refusing(rows.discard_for(key))?;
                refused(&Refusal::TooLarge, out);
                return served(line_bytes, block_bytes);
            }
            if body.len() < block_bytes {
                return Ok(Served::More);
            }
            if &body[length..block_bytes] != b"\r\n" {
                out.extend_from_slice(BAD_CHUNK);
                return served(line_bytes + block_bytes, 0);
            }
            request.set(&body[..length], rows, out)
        }
        b'd' => request.delete(rows, out),
        b'a' => request.count(rows, out),
        _ => request.debug(is_base64, rows, out),
    };
    match result {
        Ok(()) => {}
        Err(Trouble::Refused(why)) => refused(&why, out),
        Err(other) => return Err(other),
    }
    served(line_bytes + block_bytes, 0)
}

/// A request whose line made sense.
struct Request<'a> {
    flags: Flags<'a>,
    /// The key as it was written.
    asked: &'a [u8],
    /// The key itself.
    key: &'a [u8],
}

impl Request<'_> {
    fn get(&self, rows: &mut Rows<'_, '_>, out: &mut Vec<u8>) -> Result<(), Trouble> {
        let flags = &self.flags;
        let fetch = Fetch {
            key: self.key,
            touch: flags.touch,
            vivify: flags.vivify(),
            recache: flags.recache,
            recache_first: flags.in_order(b'R', b'T'),
            wins: true,
            unseen: flags.unseen,
            expired_too: false,
            new_cas: flags.new_cas,
        };
        let now = rows.now;
        rows.shared.counters.cmd_get.add();
        if rows.fetch(&fetch, &mut |item| self.show(item, now, out))? {
            return Ok(());
        }
        if !flags.quiet {
            self.code(b"EN", None, out);
        }
        Ok(())
    }

    fn show(&self, item: &Item<'_>, now: Moment, out: &mut Vec<u8>) {
        let mut expires = item.expires_before;
        let same = self.flags.compare == Some(item.cas);
        let with_value = self.flags.value && !same;
        if with_value {
            out.extend_from_slice(b"VA ");
            write_u64(item.value.len() as u64, out);
        } else {
            out.extend_from_slice(b"HD");
        }
        for token in self.flags.tokens {
            expires = self.flags.expires_after(token, item.made, now, expires);
            let mut number = |letter: u8, number: u64| {
                out.extend_from_slice(&[b' ', letter]);
                write_u64(number, out);
            };
            match token[0] {
                b'f' => number(b'f', u64::from(item.flags)),
                b's' => number(b's', item.value.len() as u64),
                b'c' => number(b'c', item.cas),
                b'h' => number(b'h', u64::from(item.hit_before)),
                b'l' => number(b'l', item.idle as u64),
                b't' => ttl(expires, now, out),
                _ => self.flags.echo(token, self.asked, out),
            }
        }
        let marks = [(item.taken, b" Z"), (item.stale, b" X"), (item.won, b" W")];
        for (_, mark) in marks.iter().filter(|(holds, _)| *holds) {
            out.extend_from_slice(*mark);
        }
        out.extend_from_slice(b"\r\n");
        if with_value {
            out.extend_from_slice(item.value);
            out.extend_from_slice(b"\r\n");
        }
    }

    /// A return code with the flags that every reply has.
    fn code(&self, code: &[u8], cas: Option<(u64, usize)>, out: &mut Vec<u8>) {
        out.extend_from_slice(code);
        for token in self.flags.tokens {
            match (token[0], cas) {
                (b'c', Some((cas, _))) => {
                    out.extend_from_slice(b" c");
                    write_u64(cas, out);
                }
                (b's', Some((_, bytes))) => {
                    out.extend_from_slice(b" s");
                    write_u64(bytes as u64, out);
                }
                _ => self.flags.echo(token, self.asked, out),
            }
        }
        out.extend_from_slice(b"\r\n");
    }

    fn set(&self, value: &[u8], rows: &mut Rows<'_, '_>, out: &mut Vec<u8>) -> Result<(), Trouble> {
        let flags = &self.flags;
        let mode = match flags.mode.map(|mode| mode.to_ascii_uppercase()) {
            None | Some(b'S') => StoreMode::Set,
            Some(b'E') => StoreMode::Add,
            Some(b'A') => StoreMode::Append,
            Some(b'P') => StoreMode::Prepend,
            Some(b'R') => StoreMode::Replace,
            Some(_) => return Err(client("invalid mode for ms M token").into()),
        };
        let store = Store {
            key: self.key,
            mode,
            flags: flags.client_flags,
            exptime: flags.touch.unwrap_or(0),
            value,
            compare: flags.compare,
            invalidate: flags.invalidate,
            vivify: flags.vivify,
            new_cas: flags.new_cas,
        };
        match rows.store(&store, flags.has(b'c'))? {
            Outcome::Done(_) if flags.quiet => {}
            Outcome::Done(cas) => self.code(b"HD", Some((cas, value.len())), out),
            Outcome::NotStored => self.code(b"NS", None, out),
            Outcome::Exists => self.code(b"EX", None, out),
            Outcome::Missing => self.code(b"NF", None, out),
        }
        Ok(())
    }

    fn delete(&self, rows: &mut Rows<'_, '_>, out: &mut Vec<u8>) -> Result<(), Trouble> {
        let flags = &self.flags;
        let delete = Delete {
            key: self.key,
            compare: flags.compare,
            invalidate: flags.invalidate,
            blank: flags.blank,
            touch: flags.touch,
            new_cas: flags.new_cas,
        };
        match rows.delete(&delete, false)? {
            Outcome::Done(_) if flags.quiet => {}
            Outcome::Done(_) => self.code(b"HD", None, out),
            Outcome::Missing => self.code(b"NF", None, out),
            Outcome::Exists => self.code(b"EX", None, out),
            Outcome::NotStored => self.code(b"NS", None, out),
        }
        Ok(())
    }

    fn count(&self, rows: &mut Rows<'_, '_>, out: &mut Vec<u8>) -> Result<(), Trouble> {
        let flags = &self.flags;
        let down = match flags.mode {
            None | Some(b'I' | b'i' | b'+') => false,
            Some(b'D' | b'd' | b'-') => true,
            Some(_) => return Err(client("invalid mode for ma M token").into()),
        };
        let count = Count {
            key: self.key,
            down,
            delta: flags.delta.unwrap_or(1),
            initial: flags.vivify().map(|exptime| (flags.initial.unwrap_or(0), exptime)),
            touch: flags.touch,
            compare: flags.compare,
            new_cas: flags.new_cas,
        };
        let counted = match rows.count(&count, flags.has(b'c'))? {
            Ok(counted) => counted,
            Err(outcome) => {
                let code: &[u8] = match outcome {
                    Outcome::Exists => b"EX",
                    Outcome::NotStored => b"NS",
                    Outcome::Missing | Outcome::Done(_) => b"NF",
                };
                self.code(code, None, out);
                return Ok(());
            }
        };
        // That it was made is told in any case.
        if flags.quiet && !counted.made {
            return Ok(());
        }
        let mut expires = counted.expires_before;
        let digits = counted.number.to_string();
        if flags.value {
            out.extend_from_slice(b"VA ");
            write_u64(digits.len() as u64, out);
        } else {
            out.extend_from_slice(b"HD");
        }
        for token in flags.tokens {
            expires = flags.expires_after(token, counted.made, rows.now, expires);
            match token[0] {
                b'c' => {
                    out.extend_from_slice(b" c");
                    write_u64(counted.cas, out);
                }
                b't' => ttl(expires, rows.now, out),
                _ => flags.echo(token, self.asked, out),
            }
        }
        out.extend_from_slice(b"\r\n");
        if flags.value {
            out.extend_from_slice(digits.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        Ok(())
    }

    fn debug(
        &self,
        base64: bool,
        rows: &mut Rows<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Trouble> {
        let now = rows.now.0;
        let fetch = Fetch { key: self.key, wins: true, unseen: true, ..Fetch::default() };
        let found = rows.fetch(&fetch, &mut |item| {
            out.extend_from_slice(b"ME ");
            out.extend_from_slice(self.asked);
            let expires = if item.expires == 0 { -1 } else { item.expires.saturating_sub(now) };
            let fetched = if item.hit_before { "yes" } else { "no" };
            let size = item.value.len() + self.key.len();
            let text = format!(
                " exp={expires} la={} cas={} fetch={fetched} cls=1 size={size}{}\r\n",
                item.idle,
                item.cas,
                if base64 { " b" } else { "" },
            );
            out.extend_from_slice(text.as_bytes());
        })?;
        if !found {
            out.extend_from_slice(b"EN\r\n");
        }
        Ok(())
    }
}

fn ttl(expires: i64, now: Moment, out: &mut Vec<u8>) {
    match expires {
        0 => out.extend_from_slice(b" t-1"),
        _ => {
            out.extend_from_slice(b" t");
            write_u64(expires.saturating_sub(now.0).max(0) as u64, out);
        }
    }
}

/// Decodes base64 with padding; `None` when it is none.
fn from_base64(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.strip_suffix(b"==").or(text.strip_suffix(b"=")).unwrap_or(text);
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}
