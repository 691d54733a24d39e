//! Lines to commands.
//!
//! Invariants
//! 1. Decoding never fails on missing tokens: they are empty, and numbers in them 0, as in the
//!    original.
//! 2. Memory taken is bounded, whatever the line's length and the numbers it names.
//!
//! Not here: whether names and numbers make sense (`execute`).

use std::borrow::Cow;

use memchr::memchr;

use crate::handlersocket::command::{
    FILTERS_MAX, Filter, HandlerSocketCommand, HandlerSocketRefusal, InList, IndexRequest,
    VALUES_MAX, Values,
};

/// The tokens of a line, then empty ones for ever.
struct HandlerSocketTokens<'a> {
    rest: Option<&'a [u8]>,
}

impl<'a> HandlerSocketTokens<'a> {
    #[inline]
    fn next(&mut self) -> &'a [u8] {
        let Some(rest) = self.rest else { return b"" };
        match memchr(b'\t', rest) {
            Some(tab) => {
                self.rest = Some(&rest[tab + 1..]);
                &rest[..tab]
            }
            None => {
                self.rest = None;
                rest
            }
        }
    }

    /// The next token without taking it.
    fn peek(&self) -> &'a [u8] {
        HandlerSocketTokens { rest: self.rest }.next()
    }

    fn number(&mut self) -> u32 {
        number(self.next())
    }
}

/// A number as the original reads it: other bytes are skipped, 32 bits wrap.
#[inline]
pub fn number(token: &[u8]) -> u32 {
    token
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .fold(0u32, |value, byte| value.wrapping_mul(10).wrapping_add(u32::from(byte - b'0')))
}

/// Decodes one line, without its LF and the CR before that.
///
/// # Errors
/// The refusals that do not depend on what was opened.
pub fn command<'a>(line: &'a [u8]) -> Result<HandlerSocketCommand<'a>, HandlerSocketRefusal> {
    let mut tokens = HandlerSocketTokens { rest: Some(line) };
    let first = tokens.next();
    match first {
        [b'0'..=b'9', ..] => {
            Ok(HandlerSocketCommand::Execute(request(number(first), &mut tokens)?))
        }
        b"P" => Ok(HandlerSocketCommand::Open {
            id: tokens.number(),
            database: tokens.next(),
            table: tokens.next(),
            index: tokens.next(),
            columns: tokens.next(),
            filter_columns: tokens.next(),
        }),
        b"A" => Ok(HandlerSocketCommand::Auth { kind: tokens.next(), key: tokens.next() }),
        _ => Err(HandlerSocketRefusal::COMMAND),
    }
}

/// The handle and the key tokens of a find by `=`, without a look at the rest of the line.
pub fn equal_key(line: &[u8]) -> Option<(u32, impl Iterator<Item = &[u8]>)> {
    let mut tokens = HandlerSocketTokens { rest: Some(line) };
    let first = tokens.next();
    if !first.first()?.is_ascii_digit() || tokens.next() != b"=" {
        return None;
    }
    let announced = tokens.number() as usize;
    Some((number(first), (0..announced).map(move |_| tokens.next())))
}

fn request<'a>(
    id: u32,
    tokens: &mut HandlerSocketTokens<'a>,
) -> Result<IndexRequest<'a>, HandlerSocketRefusal> {
    let mut request = IndexRequest {
        id,
        op: tokens.next(),
        announced: tokens.number() as usize,
        many: tokens.rest.unwrap_or_default(),
        values: Values::new(),
        limit: 1,
        offset: 0,
        list: None,
        filters: Vec::new(),
        modify: b"",
        modify_values: Values::new(),
    };
    if request.announced > VALUES_MAX {
        return Ok(request);
    }
    for _ in 0..request.announced {
        request.values.push(tokens.next());
    }
    if tokens.rest.is_none() {
        return Ok(request);
    }
    request.limit = tokens.number().max(1);
    request.offset = tokens.number();
    if tokens.peek().first() == Some(&b'@') {
        tokens.next();
        let part = tokens.number();
        let announced = tokens.number() as usize;
        let rest = tokens.rest.unwrap_or_default();
        let mut came = 0;
        while came < announced && tokens.rest.is_some() {
            tokens.next();
            came += 1;
        }
        request.list = Some(InList { part, announced, came, rest });
    }
    while let Some(b'F' | b'W') = tokens.peek().first() {
        let (kind, op) = (tokens.next(), tokens.next());
        let (column, value) = (tokens.number(), tokens.next());
        if request.filters.len() == FILTERS_MAX {
            return Err(HandlerSocketRefusal::FILTERS);
        }
        request.filters.push(Filter { kind, op, column, value });
    }
    request.modify = tokens.next();
    if !request.modify.is_empty() {
        while tokens.rest.is_some() && request.modify_values.as_slice().len() < VALUES_MAX {
            request.modify_values.push(tokens.next());
        }
    }
    Ok(request)
}

/// All tokens of a line's rest; none when it is empty.
pub fn tokens(rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut tokens = HandlerSocketTokens { rest: Some(rest) };
    std::iter::from_fn(move || tokens.rest.is_some().then(|| tokens.next()))
}

/// The value a token stands for; `None` is NULL.
///
/// # Errors
/// `ESCAPE` where the original cuts the value off silently.
#[inline]
pub fn unescape(token: &[u8]) -> Result<Option<Cow<'_, [u8]>>, HandlerSocketRefusal> {
    if token == [0] {
        return Ok(None);
    }
    let Some(mut at) = memchr(1, token) else {
        return Ok(Some(Cow::Borrowed(token)));
    };
    let mut out = Vec::with_capacity(token.len());
    let mut rest = token;
    loop {
        out.extend_from_slice(&rest[..at]);
        match rest.get(at + 1) {
            Some(byte) if *byte >= 0x40 => out.push(byte - 0x40),
            _ => return Err(HandlerSocketRefusal::ESCAPE),
        }
        rest = &rest[at + 2..];
        match memchr(1, rest) {
            Some(next) => at = next,
            None => {
                out.extend_from_slice(rest);
                return Ok(Some(Cow::Owned(out)));
            }
        }
    }
}
