//! `Decimal`: its bits, its order, its text, and its relation to Rust's numbers.
//!
//! ```text
//! bit  255                                     8 7        0
//!      | unscaled value, two's complement        | scale    |     value = unscaled / 10^scale
//! ```
//! One number in 32 bytes keeps `Datum` at 40; the 248 bits hold 74 digits, MySQL's columns 65.
//!
//! Invariants
//! 1. |unscaled| < 10^74 and scale <= 74.
//! 2. Equality and order are those of the numbers: 1.0 equals 1.00. There is no negative zero.
//!
//! Not here: sums and products (`arithmetic`), reading text (`parse`), stored forms (`key`,
//! `row`).

use std::cmp::Ordering;
use std::fmt;

use ethnum::{I256, U256};

use super::wide::Uint512;
use crate::digits::write_u64;

/// An exact decimal number.
#[derive(Clone, Copy)]
pub struct Decimal {
    words: [u64; 4],
}

/// What happened to a number that was made to fit a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It is the same number.
    Exact,
    /// Digits behind the point were rounded away.
    Rounded,
    /// It was too large; the column's largest or smallest number was taken.
    OutOfRange,
}

const POWERS: usize = 77;

static POW10: [U256; POWERS] = {
    let mut table = [U256::ONE; POWERS];
    let (mut high, mut low) = (0u128, 1u128);
    let mut i = 1;
    while i < POWERS {
        // x * 10 by halves of 64 bits, as `U256` cannot multiply in a constant.
        let a = (low as u64 as u128) * 10;
        let b = (low >> 64) * 10 + (a >> 64);
        low = (b << 64) | (a as u64 as u128);
        high = high * 10 + (b >> 64);
        table[i] = U256::from_words(high, low);
        i += 1;
    }
    table
};

/// 10^`exponent`, for exponents to 76.
pub fn pow10(exponent: u8) -> U256 {
    POW10[usize::from(exponent)]
}

impl Decimal {
    /// Digits that a column may have.
    pub const PRECISION_MAX: u8 = 65;
    /// Digits behind the point that a column may have.
    pub const SCALE_MAX: u8 = 30;
    /// Digits that a `Decimal` may have.
    pub const DIGITS_MAX: u8 = 74;
    /// 0.
    pub const ZERO: Decimal = Decimal { words: [0; 4] };

    /// `unscaled / 10^scale`, or `None` beyond 74 digits or a scale above 74.
    pub fn new(unscaled: I256, scale: u8) -> Option<Decimal> {
        let fits = scale <= Self::DIGITS_MAX && unscaled.unsigned_abs() < pow10(Self::DIGITS_MAX);
        fits.then(|| Self::pack(unscaled, scale))
    }

    /// As `new`, for what is known to fit.
    pub(crate) fn pack(unscaled: I256, scale: u8) -> Decimal {
        debug_assert!(unscaled.unsigned_abs() < pow10(Self::DIGITS_MAX));
        let bits = (unscaled << 8u32).as_u256() | U256::from(scale);
        let (high, low) = bits.into_words();
        Decimal { words: [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64] }
    }

    /// `unscaled / 10^scale` for a number of up to 38 digits; scale at most 74.
    pub fn from_i128(unscaled: i128, scale: u8) -> Decimal {
        debug_assert!(scale <= Self::DIGITS_MAX);
        Self::pack(I256::from(unscaled), scale)
    }

    /// The largest number of a column: all nines.
    pub fn largest(precision: u8, scale: u8) -> Decimal {
        let precision = precision.min(Self::DIGITS_MAX);
        Self::pack((pow10(precision) - U256::ONE).as_i256(), scale)
    }

    fn bits(self) -> (u128, u128) {
        let [a, b, c, d] = self.words;
        (u128::from(c) | u128::from(d) << 64, u128::from(a) | u128::from(b) << 64)
    }

    /// The digits as a whole number.
    pub fn unscaled(self) -> I256 {
        let (high, low) = self.bits();
        I256::from_words((high as i128) >> 8, (low >> 8 | high << 120) as i128)
    }

    /// The digits as a whole number, when it is within 64 bits.
    pub(crate) fn unscaled_i64(self) -> Option<i64> {
        let unscaled = self.unscaled();
        let (high, low) = unscaled.into_words();
        let small = low as i64;
        (i128::from(small) == low && high == i128::from(small) >> 127).then_some(small)
    }

    /// Digits behind the point.
    pub fn scale(self) -> u8 {
        self.words[0] as u8
    }

    /// Whether it is 0.
    pub fn is_zero(self) -> bool {
        let [a, b, c, d] = self.words;
        a < 256 && b | c | d == 0
    }

    /// Whether it is below 0.
    pub fn is_negative(self) -> bool {
        (self.words[3] as i64) < 0
    }

    /// The number with the other sign.
    pub fn negate(self) -> Decimal {
        Self::pack(-self.unscaled(), self.scale())
    }

    /// The number without its sign.
    pub fn abs(self) -> Decimal {
        if self.is_negative() { self.negate() } else { self }
    }

    /// Digits before the point (0 for numbers below 1).
    pub fn whole_digits(self) -> u8 {
        let whole = self.unscaled().unsigned_abs() / pow10(self.scale());
        POW10.partition_point(|power| *power <= whole) as u8
    }

    /// The same number with `scale` digits behind the point, rounded half away from zero. `None`
    /// when it would have more than 74 digits.
    pub fn rescale(self, scale: u8) -> Option<Decimal> {
        self.rescale_by(scale, true)
    }

    /// As `rescale`, leaving digits out instead of rounding.
    pub fn truncate(self, scale: u8) -> Option<Decimal> {
        self.rescale_by(scale, false)
    }

    fn rescale_by(self, scale: u8, round: bool) -> Option<Decimal> {
        let own = self.scale();
        match scale.cmp(&own) {
            Ordering::Equal => Some(self),
            Ordering::Greater => {
                if scale > Self::DIGITS_MAX {
                    return None;
                }
                let factor = pow10(scale - own).as_i256();
                Self::new(self.unscaled().checked_mul(factor)?, scale)
            }
            Ordering::Less => {
                let magnitude = self.unscaled().unsigned_abs();
                let divisor = pow10(own - scale);
                let mut quotient = magnitude / divisor;
                if round && magnitude % divisor >= divisor / 2 {
                    quotient += 1;
                }
                let signed = quotient.as_i256();
                Some(Self::pack(if self.is_negative() { -signed } else { signed }, scale))
            }
        }
    }

    /// Makes the number one of DECIMAL(precision, scale).
    pub fn fit(self, precision: u8, scale: u8) -> (Decimal, Fit) {
        let largest = Self::largest(precision, scale);
        let rescaled = self.rescale(scale);
        match rescaled {
            Some(value) if value.abs().unscaled() <= largest.unscaled() => {
                let exact = value.scale() >= self.scale() || value == self;
                (value, if exact { Fit::Exact } else { Fit::Rounded })
            }
            _ if self.is_negative() => (largest.negate(), Fit::OutOfRange),
            _ => (largest, Fit::OutOfRange),
        }
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        if let Some(unscaled) = self.unscaled_i64() {
            // Both exact in a double, so the quotient is rounded once.
            if unscaled.unsigned_abs() < 1 << 53 && self.scale() <= 22 {
                return unscaled as f64 / 10f64.powi(i32::from(self.scale()));
            }
        }
        let mut text = Vec::with_capacity(80);
        self.write(&mut text);
        let text = std::str::from_utf8(&text).expect("digits, a sign and a point");
        text.parse().expect("a decimal number is a number for Rust")
    }

    /// The number that a double's shortest text says. `None` for what has more than 74 digits,
    /// infinity and NaN.
    pub fn from_f64(value: f64) -> Option<Decimal> {
        if value.fract() == 0.0 && value.abs() < 1e15 {
            return Some(Self::from(value as i64));
        }
        let read = Self::read(format!("{value:e}").as_bytes())?;
        (!read.overflow).then_some(read.value)
    }

    /// The nearest whole number, half away from zero; `None` if beyond 128 bits.
    pub fn to_i128(self) -> Option<i128> {
        let whole = self.rescale(0)?.unscaled();
        i128::try_from(whole).ok()
    }

    /// The nearest whole number, if an `i64`.
    pub fn to_i64(self) -> Option<i64> {
        self.to_i128()?.try_into().ok()
    }

    /// The nearest whole number, if a `u64`.
    pub fn to_u64(self) -> Option<u64> {
        self.to_i128()?.try_into().ok()
    }

    /// Appends its text: all digits of the scale, a zero before the point if there is no other.
    pub fn write(self, out: &mut Vec<u8>) {
        let scale = usize::from(self.scale());
        if self.is_negative() {
            out.push(b'-');
        }
        let start = out.len();
        match self.unscaled_i64() {
            Some(unscaled) => write_u64(unscaled.unsigned_abs(), out),
            None => write_u256(self.unscaled().unsigned_abs(), out),
        }
        if scale == 0 {
            return;
        }
        let digits = out.len() - start;
        if digits <= scale {
            let missing = scale + 1 - digits;
            out.resize(out.len() + missing, b'0');
            out.copy_within(start..start + digits, start + missing);
            out[start..start + missing].fill(b'0');
        }
        let point = out.len() - scale;
        out.insert(point, b'.');
    }
}

/// Appends a large number's digits, 19 at a time.
fn write_u256(value: U256, out: &mut Vec<u8>) {
    const GROUP: u64 = 10_000_000_000_000_000_000;
    if let Ok(small) = u64::try_from(value) {
        return write_u64(small, out);
    }
    let group = U256::from(GROUP);
    write_u256(value / group, out);
    let mut rest = (value % group).as_u64();
    let end = out.len() + 19;
    out.resize(end, b'0');
    for digit in out[end - 19..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Decimal {
        Self::from_i128(i128::from(value), 0)
    }
}

impl From<u64> for Decimal {
    fn from(value: u64) -> Decimal {
        Self::from_i128(i128::from(value), 0)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(80);
        self.write(&mut text);
        f.write_str(std::str::from_utf8(&text).expect("digits, a sign and a point"))
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let (a, b) = (self.unscaled(), other.unscaled());
        let (left, right) = (self.scale(), other.scale());
        if left == right {
            return a.cmp(&b);
        }
        match (self.is_negative(), other.is_negative()) {
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            _ => {}
        }
        let common = left.max(right);
        let left = Uint512::product(a.unsigned_abs(), pow10(common - left));
        let right = Uint512::product(b.unsigned_abs(), pow10(common - right));
        if self.is_negative() { right.cmp(&left) } else { left.cmp(&right) }
    }
}
