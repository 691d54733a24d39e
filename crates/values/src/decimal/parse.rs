//! Reading a decimal number from text, as MySQL does: spaces, a sign, digits, a point, digits, an
//! exponent, and whatever follows is the caller's affair.

use ethnum::U256;

use super::number::{Decimal, pow10};

/// A number at the beginning of a text.
#[derive(Clone, Copy, Debug)]
pub struct ReadDecimal {
    /// The number; 74 nines if there was an overflow.
    pub value: Decimal,
    /// Bytes that belong to it, leading spaces included.
    pub used: usize,
    /// Whether it was larger than a `Decimal` holds.
    pub overflow: bool,
    /// Whether digits behind the point were lost already here.
    pub cut: bool,
}

/// Digits collected so far.
#[derive(Default)]
struct Digits {
    value: U256,
    /// Significant digits in `value`.
    count: u32,
    /// Digits behind the point in `value`.
    scale: i64,
    overflow: bool,
    cut: bool,
    any: bool,
}

impl Digits {
    fn push(&mut self, digit: u8, behind_point: bool) {
        self.any = true;
        if self.count == u32::from(Decimal::DIGITS_MAX) {
            self.overflow |= !behind_point;
            self.cut |= behind_point && digit != 0;
            return;
        }
        if self.count > 0 || digit != 0 {
            self.value = self.value * 10 + U256::from(digit);
            self.count += 1;
        }
        self.scale += i64::from(behind_point);
    }
}

/// Bytes of spaces that MySQL skips before a number.
pub(crate) fn skip_spaces(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_space(**byte)).count()
}

/// What the C library calls a space.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

impl Decimal {
    /// The number that `text` is, without anything before or behind it.
    pub fn parse(text: &[u8]) -> Option<Decimal> {
        let read = Self::read(text)?;
        let whole = read.used == text.len() && !text.first().is_some_and(|b| is_space(*b));
        (whole && !read.overflow && !read.cut).then_some(read.value)
    }

    /// The number at the beginning of `text`; `None` if there is no digit.
    pub fn read(text: &[u8]) -> Option<ReadDecimal> {
        let mut at = skip_spaces(text);
        let negative = text.get(at) == Some(&b'-');
        at += usize::from(matches!(text.get(at), Some(b'-' | b'+')));
        let mut digits = Digits::default();
        while let Some(byte @ b'0'..=b'9') = text.get(at) {
            digits.push(byte - b'0', false);
            at += 1;
        }
        if text.get(at) == Some(&b'.') {
            at += 1;
            while let Some(byte @ b'0'..=b'9') = text.get(at) {
                digits.push(byte - b'0', true);
                at += 1;
            }
        }
        if !digits.any {
            return None;
        }
        let exponent = read_exponent(&text[at..]).map_or(0, |(exponent, used)| {
            at += used;
            exponent
        });
        let mut read = scaled(digits, exponent);
        read.used = at;
        if negative {
            read.value = read.value.negate();
        }
        Some(read)
    }
}

/// Reads `e12`, `E+3`, `e-4`: the exponent, kept within a million, and the bytes it takes.
pub(crate) fn read_exponent(text: &[u8]) -> Option<(i64, usize)> {
    let [b'e' | b'E', rest @ ..] = text else {
        return None;
    };
    let negative = rest.first() == Some(&b'-');
    let sign = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
    let digits = rest[sign..].iter().take_while(|byte| byte.is_ascii_digit());
    let mut count = 0;
    let mut value = 0i64;
    for byte in digits {
        value = (value * 10 + i64::from(byte - b'0')).min(1_000_000);
        count += 1;
    }
    (count > 0).then_some((if negative { -value } else { value }, 1 + sign + count))
}

/// The digits with the point moved by the exponent.
fn scaled(digits: Digits, exponent: i64) -> ReadDecimal {
    let limit = i64::from(Decimal::DIGITS_MAX);
    let overflowed = ReadDecimal {
        value: Decimal::largest(Decimal::DIGITS_MAX, 0),
        used: 0,
        overflow: true,
        cut: false,
    };
    let scale = digits.scale - exponent;
    let done = |value: U256, scale: i64, cut: bool| ReadDecimal {
        value: Decimal::pack(value.as_i256(), scale as u8),
        used: 0,
        overflow: false,
        cut,
    };
    if digits.count == 0 {
        return done(U256::ZERO, scale.clamp(0, limit), digits.cut);
    }
    if digits.overflow {
        return overflowed;
    }
    if scale < 0 {
        if i64::from(digits.count) - scale > limit {
            return overflowed;
        }
        return done(digits.value * pow10(-scale as u8), 0, digits.cut);
    }
    if scale > limit {
        let shift = scale - limit;
        if shift > limit {
            return done(U256::ZERO, limit, true);
        }
        return done(digits.value / pow10(shift as u8), limit, true);
    }
    done(digits.value, scale, digits.cut)
}
