//! Numbers, strings and quoted names: where they end, and what they are.
//!
//! Not here: which of them are taken out (`scan`).

use memchr::{memchr, memchr2};
use values::decimal::Decimal;

use super::{BYTES_MARK, DIGITS_MARK, Literal, Part, Scanner, is_word, leading_word, unescape};
use crate::error::Result;

/// Hexadecimal digits of the longest literal that can be meant as a number.
const NUMBER_DIGITS_MAX: usize = 16;

impl Scanner<'_, '_> {
    pub(super) fn number(&mut self) {
        let start = self.at;
        let text = self.text;
        if text[start] == b'0' && matches!(text.get(start + 1), Some(b'x')) {
            let digits = text[start + 2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
            if digits > 0 {
                self.at = start + 2 + digits;
                return self.hexadecimal(start, &text[start + 2..start + 2 + digits]);
            }
        }
        if text[start] == b'0' && text.get(start + 1) == Some(&b'b') {
            let bits = text[start + 2..].iter().take_while(|b| matches!(b, b'0' | b'1')).count();
            let end = start + 2 + bits;
            if (1..=64).contains(&bits) && !text.get(end).is_some_and(|&b| is_word(b)) {
                self.at = end;
                return self.bits(&text[start + 2..end]);
            }
        }
        let digits = |from: usize| text[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut at = start + digits(start);
        let mut plain = true;
        let mut exponent = false;
        if text.get(at) == Some(&b'.') {
            plain = false;
            at += 1;
            at += digits(at);
        }
        if matches!(text.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
            let count = digits((at + 1 + sign).min(text.len()));
            if count > 0 {
                exponent = true;
                at += 1 + sign + count;
            }
        }
        // A name may begin with digits.
        if plain && !exponent && text.get(at).is_some_and(|&b| is_word(b)) {
            let word = leading_word(&text[start..]);
            self.at = start + word.len();
            return self.keep(start);
        }
        self.at = at;
        let is_whole = plain && !exponent;
        if self.part == Part::Keep || !is_whole && self.follows_limit() {
            return self.keep(start);
        }
        let token = std::str::from_utf8(&text[start..at]).unwrap_or("0");
        // One beyond all of them stays, and is refused where it is bound.
        let double = || token.parse().ok().filter(|number: &f64| number.is_finite());
        let literal = if exponent {
            double().map(Literal::Double)
        } else if plain && let Ok(v) = token.parse() {
            Some(Literal::UInt(v))
        } else {
            let place = Literal::Decimal(start as u32, at as u32);
            Decimal::parse(token.as_bytes()).map(|_| place)
        };
        match literal {
            Some(literal) => self.take(literal),
            None => match double() {
                Some(number) => self.take(Literal::Double(number)),
                None => self.keep(start),
            },
        }
    }

    /// Whether a literal of so many hexadecimal digits stays in the shape. One that can be meant as
    /// a number does, as apart from its text it would be bytes; but in rows of VALUES, where it is
    /// marked.
    fn keeps_digits(&self, digits: usize) -> bool {
        match self.part {
            Part::Keep => true,
            Part::Take => digits <= NUMBER_DIGITS_MAX,
            Part::Values => false,
        }
    }

    /// Takes bytes out, whose place is marked: they are no text of the client's character set.
    fn take_digits(&mut self, bytes: impl Iterator<Item = u8>, digits: usize) {
        let from = self.out.arena.len() as u32;
        self.out.arena.extend(bytes);
        self.take(Literal::Arena(from, self.out.arena.len() as u32));
        self.out.shape.extend_from_slice(match digits <= NUMBER_DIGITS_MAX {
            true => DIGITS_MARK,
            false => BYTES_MARK,
        });
    }

    /// A literal of hexadecimal digits, which begins at `start`.
    fn hexadecimal(&mut self, start: usize, digits: &[u8]) {
        if self.keeps_digits(digits.len()) {
            return self.keep(start);
        }
        let value = |b: u8| (b as char).to_digit(16).unwrap_or(0) as u8;
        let (first, rest) = digits.split_at(digits.len() % 2);
        let pairs = rest.chunks(2).map(|pair| value(pair[0]) << 4 | value(pair[1]));
        self.take_digits(first.iter().map(|&b| value(b)).chain(pairs), digits.len());
    }

    pub(super) fn hex_string(&mut self) -> Result<()> {
        let start = self.at;
        let text = self.text;
        let body = start + 2;
        let digits = text[body..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        if text.get(body + digits) != Some(&b'\'') || digits % 2 != 0 {
            return Err(self.syntax(start));
        }
        self.at = body + digits + 1;
        self.hexadecimal(start, &text[body..body + digits]);
        Ok(())
    }

    pub(super) fn bit_string(&mut self) -> Result<()> {
        let start = self.at;
        let body = start + 2;
        let count = self.text[body..].iter().take_while(|b| matches!(b, b'0' | b'1')).count();
        if self.text.get(body + count) != Some(&b'\'') {
            return Err(self.syntax(start));
        }
        self.at = body + count + 1;
        let bits = &self.text[body..body + count];
        match count {
            0..=64 => self.bits(bits),
            _ => self.many_bits(bits),
        }
        Ok(())
    }

    /// A literal of more bits than a number has: bytes, as their hexadecimal digits would be.
    fn many_bits(&mut self, bits: &[u8]) {
        let (first, rest) = bits.split_at(bits.len() % 8);
        let first = [first].into_iter().filter(|bits| !bits.is_empty());
        let byte = |bits: &[u8]| bits.iter().fold(0u8, |byte, &bit| byte << 1 | (bit - b'0'));
        let bytes: Vec<u8> = first.chain(rest.chunks(8)).map(byte).collect();
        if self.keeps_digits(2 * bytes.len()) {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            self.out.shape.extend([b"x'", digits.as_bytes(), b"'"].concat());
            self.last_word = None;
            return;
        }
        self.take_digits(bytes.into_iter(), NUMBER_DIGITS_MAX + 1);
    }

    /// A literal of bits, which is bytes or a number as one of hexadecimal digits is.
    fn bits(&mut self, bits: &[u8]) {
        let bytes = bits.len().div_ceil(8);
        if self.keeps_digits(2 * bytes) {
            self.out.shape.extend([b"b'", bits, b"'"].concat());
            self.last_word = None;
            return;
        }
        let value = bits.iter().fold(0u64, |value, &b| value << 1 | u64::from(b - b'0'));
        self.take_digits(value.to_be_bytes().into_iter().skip(8 - bytes), 2 * bytes);
    }

    pub(super) fn string(&mut self, quote: u8) -> Result<()> {
        let start = self.at;
        let text = self.text;
        let body = start + 1;
        let backslash = !self.mode.no_backslash_escapes();
        // The usual string has neither escapes nor doubled quotes.
        let mut at = body;
        let mut plain = true;
        loop {
            let rest = text.get(at..).unwrap_or_default();
            let Some(n) = memchr2(quote, b'\\', rest) else {
                return Err(self.syntax(start));
            };
            at += n;
            if text[at] == b'\\' {
                if backslash {
                    plain = false;
                    at += 2;
                } else {
                    at += 1;
                }
            } else if text.get(at + 1) == Some(&quote) {
                plain = false;
                at += 2;
            } else {
                break;
            }
        }
        self.at = at + 1;
        let keep = self.part == Part::Keep
            || self.last_is_word(b"ESCAPE")
            || self.follows_type()
            || self.follows_limit();
        if keep && backslash {
            self.keep(start);
            return Ok(());
        }
        if keep {
            // The parser reads backslashes as escapes in every mode.
            for byte in &text[start..self.at] {
                let times = if *byte == b'\\' { 2 } else { 1 };
                self.out.shape.extend(std::iter::repeat_n(*byte, times));
            }
            self.last_word = None;
            return Ok(());
        }
        if plain {
            self.take(Literal::Text(body as u32, at as u32));
        } else {
            let from = self.out.arena.len() as u32;
            unescape(&text[body..at], quote, backslash, &mut self.out.arena);
            let to = self.out.arena.len() as u32;
            self.take(Literal::Arena(from, to));
        }
        Ok(())
    }

    /// Whether a number of rows stands next. What is no whole number is a mistake there; as a
    /// parameter it would not be one.
    fn follows_limit(&self) -> bool {
        self.last_is_word(b"LIMIT") || self.last_is_word(b"OFFSET")
    }

    fn last_is_word(&self, word: &[u8]) -> bool {
        let shape = &self.out.shape;
        let shape = shape.strip_suffix(b" ").unwrap_or(shape);
        shape.len() >= word.len() && shape[shape.len() - word.len()..].eq_ignore_ascii_case(word)
    }

    pub(super) fn quoted_name(&mut self, quote: u8) -> Result<()> {
        let start = self.at;
        let mut at = start + 1;
        loop {
            match memchr(quote, &self.text[at..]) {
                None => return Err(self.syntax(start)),
                Some(n) if self.text.get(at + n + 1) == Some(&quote) => at += n + 2,
                Some(n) => {
                    self.at = at + n + 1;
                    self.keep(start);
                    return Ok(());
                }
            }
        }
    }
}
