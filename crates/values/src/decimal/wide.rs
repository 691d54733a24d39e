//! Whole numbers of 512 bits: the products and dividends that 256 bits do not hold.
//!
//! Not here: signs and scales (`arithmetic`).

use std::cmp::Ordering;

use ethnum::U256;

/// An unsigned number of 512 bits, lowest word first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Uint512([u64; 8]);

fn words(value: U256) -> [u64; 4] {
    let (high, low) = value.into_words();
    [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64]
}

impl Uint512 {
    /// `a * b`.
    pub(super) fn product(a: U256, b: U256) -> Uint512 {
        let (a, b) = (words(a), words(b));
        let mut out = [0u64; 8];
        for (i, &x) in a.iter().enumerate() {
            let mut carry = 0u128;
            for (j, &y) in b.iter().enumerate() {
                let sum = u128::from(x) * u128::from(y) + u128::from(out[i + j]) + carry;
                out[i + j] = sum as u64;
                carry = sum >> 64;
            }
            out[i + 4] = carry as u64;
        }
        Uint512(out)
    }

    /// The number, if 256 bits hold it.
    pub(super) fn narrow(self) -> Option<U256> {
        let [a, b, c, d, rest @ ..] = self.0;
        (rest == [0; 4]).then(|| {
            let low = u128::from(a) | u128::from(b) << 64;
            U256::from_words(u128::from(c) | u128::from(d) << 64, low)
        })
    }

    /// Quotient and remainder; the divisor is below 2^255 and not 0.
    pub(super) fn div_rem(self, divisor: U256) -> (Uint512, U256) {
        if let Some(small) = self.narrow() {
            let quotient = words(small / divisor);
            let mut out = [0; 8];
            out[..4].copy_from_slice(&quotient);
            return (Uint512(out), small % divisor);
        }
        let mut quotient = [0u64; 8];
        let mut rest = U256::ZERO;
        for bit in (0..512).rev() {
            let next = self.0[bit / 64] >> (bit % 64) & 1;
            rest = rest << 1u32 | U256::from(next);
            if rest >= divisor {
                rest -= divisor;
                quotient[bit / 64] |= 1 << (bit % 64);
            }
        }
        (Uint512(quotient), rest)
    }
}

impl PartialOrd for Uint512 {
    fn partial_cmp(&self, other: &Uint512) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Uint512 {
    fn cmp(&self, other: &Uint512) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}
