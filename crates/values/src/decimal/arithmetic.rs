//! Sums, products and quotients of `Decimal`.
//!
//! Every operation is exact or rounds once, half away from zero where its name says nothing else,
//! and says `None` when the result has more than 74 digits. MySQL's rules for a result's scale and
//! its limit of 65 digits are the caller's.
//!
//! Not here: rescaling (`number`).

use ethnum::{I256, U256};

use super::number::{Decimal, pow10};
use super::wide::Uint512;

fn signed(magnitude: U256, negative: bool, scale: u8) -> Option<Decimal> {
    let unscaled = I256::try_from(magnitude).ok()?;
    Decimal::new(if negative { -unscaled } else { unscaled }, scale)
}

impl Decimal {
    /// The sum, with the larger of both scales.
    pub fn checked_add(self, other: Decimal) -> Option<Decimal> {
        let scale = self.scale().max(other.scale());
        let (a, b) = (self.rescale(scale)?, other.rescale(scale)?);
        Decimal::new(a.unscaled() + b.unscaled(), scale)
    }

    /// The difference, with the larger of both scales.
    pub fn checked_sub(self, other: Decimal) -> Option<Decimal> {
        self.checked_add(other.negate())
    }

    /// The product, with the sum of both scales, or rounded to MySQL's 30 if that is more.
    pub fn checked_mul(self, other: Decimal) -> Option<Decimal> {
        let negative = self.is_negative() != other.is_negative();
        let product =
            Uint512::product(self.unscaled().unsigned_abs(), other.unscaled().unsigned_abs());
        let scale = self.scale() + other.scale();
        let kept = scale.min(Self::SCALE_MAX.max(self.scale()).max(other.scale()));
        let mut left = scale - kept;
        let mut value = product;
        // Powers of ten above 76 are taken in two steps; only the last one rounds.
        if left > 38 {
            value = value.div_rem(pow10(left - 38)).0;
            left = 38;
        }
        let (quotient, rest) = value.div_rem(pow10(left));
        let up = left > 0 && rest >= pow10(left) / 2;
        signed(quotient.narrow()?.checked_add(U256::from(up))?, negative, kept)
    }

    /// The quotient with `scale` digits behind the point. `None` also for a divisor of 0.
    pub fn checked_div(self, other: Decimal, scale: u8) -> Option<Decimal> {
        self.quotient(other, scale, true)
    }

    /// As `checked_div`, further digits left out instead of rounded.
    pub fn checked_div_down(self, other: Decimal, scale: u8) -> Option<Decimal> {
        self.quotient(other, scale, false)
    }

    fn quotient(self, other: Decimal, scale: u8, round: bool) -> Option<Decimal> {
        if other.is_zero() || scale > Self::DIGITS_MAX {
            return None;
        }
        let negative = self.is_negative() != other.is_negative();
        let a = self.unscaled().unsigned_abs();
        let b = other.unscaled().unsigned_abs();
        let shift = i32::from(scale) + i32::from(other.scale()) - i32::from(self.scale());
        let (up, down) = (shift.max(0), (-shift).max(0));
        if up > 74 {
            // The quotient of two numbers with scales to 74 cannot need this and fit.
            return None;
        }
        let dividend = Uint512::product(a, pow10(up as u8));
        let divisor = b.checked_mul(pow10(down as u8)).filter(|d| d.leading_zeros() > 1)?;
        let (quotient, rest) = dividend.div_rem(divisor);
        let quotient = quotient.narrow()?;
        signed(quotient + U256::from(round && rest >= divisor - rest), negative, scale)
    }

    /// What the whole-numbered quotient leaves, with the dividend's sign. `None` for a divisor
    /// of 0.
    pub fn checked_rem(self, other: Decimal) -> Option<Decimal> {
        if other.is_zero() {
            return None;
        }
        let scale = self.scale().max(other.scale());
        let (a, b) = (self.rescale(scale)?, other.rescale(scale)?);
        Decimal::new(a.unscaled() % b.unscaled(), scale)
    }
}
