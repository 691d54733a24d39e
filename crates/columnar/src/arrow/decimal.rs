//! The numbers inside DECIMAL.
//!
//! Not here: text forms, arithmetic (`values::decimal`).

use arrow_buffer::i256;
use ethnum::I256;
use values::decimal::Decimal;

/// A decimal's digits as an integer at the given scale, if they fit 128 bits.
pub fn unscaled_128(value: Decimal, scale: u8) -> Option<i128> {
    i128::try_from(value.rescale(scale)?.unscaled()).ok()
}

/// A decimal's digits as an integer at the given scale, if a decimal has room for them.
pub fn unscaled_256(value: Decimal, scale: u8) -> Option<i256> {
    let (high, low) = value.rescale(scale)?.unscaled().into_words();
    Some(i256::from_parts(low as u128, high))
}

/// The decimal of an integer at a scale.
pub fn decimal_from_128(unscaled: i128, scale: u8) -> Decimal {
    Decimal::from_i128(unscaled, scale)
}

/// What Arrow holds beyond 74 digits no MySQL value has; it reads as the largest number.
pub fn decimal_from_256(unscaled: i256, scale: u8) -> Decimal {
    let (low, high) = unscaled.to_parts();
    let digits = I256::from_words(high, low as i128);
    Decimal::new(digits, scale).unwrap_or_else(|| {
        let largest = Decimal::largest(Decimal::PRECISION_MAX, scale);
        if unscaled.is_negative() { largest.negate() } else { largest }
    })
}
