//! The flags of a meta request: which there are, what they take, and what their order means.
//!
//! Not here: what they make of a command (`request`).

use crate::memcached::command::{MemcachedRefusal, Moment};
use crate::memcached::meta::client;
use crate::memcached::text::{signed, unsigned};

/// Longest opaque token.
const OPAQUE_BYTES_MAX: usize = 31;

/// The flags of a request, read.
#[derive(Default)]
pub(super) struct Flags<'a> {
    /// As they came, in order.
    pub tokens: &'a [&'a [u8]],
    pub base64: bool,
    pub quiet: bool,
    pub value: bool,
    pub unseen: bool,
    pub invalidate: bool,
    pub blank: bool,
    pub compare: Option<u64>,
    pub new_cas: Option<u64>,
    pub vivify: Option<i64>,
    pub recache: Option<i64>,
    pub touch: Option<i64>,
    pub initial: Option<u64>,
    pub delta: Option<u64>,
    pub client_flags: u32,
    pub mode: Option<u8>,
}

impl<'a> Flags<'a> {
    /// Reads the flags of the command that `command` is the second letter of.
    ///
    /// # Errors
    /// A client error for a flag that is none, stands twice, or has an argument that it cannot
    /// have.
    #[inline]
    pub fn read(command: u8, tokens: &'a [&'a [u8]]) -> Result<Flags<'a>, MemcachedRefusal> {
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
    #[inline]
    pub fn echo(&self, token: &[u8], asked_key: &[u8], out: &mut Vec<u8>) {
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

    #[inline]
    pub fn has(&self, letter: u8) -> bool {
        self.tokens.iter().any(|token| token[0] == letter)
    }

    /// Whether a flag comes before another that comes, too.
    #[inline]
    pub fn in_order(&self, first: u8, second: u8) -> bool {
        let at = |letter| self.tokens.iter().position(|token| token[0] == letter);
        at(first).zip(at(second)).is_some_and(|(first, second)| first < second)
    }

    /// The expiry time that an item gets if it is made: that of the later one of two flags.
    #[inline]
    pub fn vivify(&self) -> Option<i64> {
        let later = if self.in_order(b'N', b'T') { self.touch } else { None };
        self.vivify.map(|exptime| later.unwrap_or(exptime))
    }

    /// The expiry time of an item when a flag's turn has come, from that before it.
    #[inline]
    pub fn expires_after(&self, token: &[u8], made: bool, now: Moment, before: i64) -> i64 {
        match (token[0], self.touch, self.vivify) {
            (b'T', Some(exptime), _) => now.absolute(exptime),
            (b'N', _, Some(exptime)) if made => now.absolute(exptime),
            _ => before,
        }
    }
}
