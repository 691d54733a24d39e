//! Times and bytes: in words, as MySQL's `FORMAT_PICO_TIME` and `FORMAT_BYTES` write them, or as
//! numbers, in views whose names begin with `x$`.

use expression::amounts::{bytes_in_words, picoseconds_in_words};
use values::datum::Value;

use crate::show::{number, text};

/// How a view writes times and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amounts {
    /// With their units.
    Words,
    /// Picoseconds, and bytes.
    Numbers,
}

impl Amounts {
    /// A time in microseconds.
    pub(super) fn time(self, micros: u64) -> Value {
        let picoseconds = u128::from(micros) * 1_000_000;
        match self {
            Amounts::Numbers => number(u64::try_from(picoseconds).unwrap_or(u64::MAX)),
            Amounts::Words => text(picoseconds_in_words(picoseconds as f64)),
        }
    }

    /// An amount of bytes.
    pub(super) fn bytes(self, bytes: u64) -> Value {
        match self {
            Amounts::Numbers => number(bytes),
            Amounts::Words => text(bytes_in_words(bytes as f64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_mysql_writes_them() {
        for (micros, expected) in
            [(0, "  0 ps"), (1, "1.00 us"), (1_234_567, "1.23 s"), (99_999_999_999, "1.16 d")]
        {
            assert_eq!(Amounts::Words.time(micros), text(expected));
        }
        for (amount, expected) in [(12, "  12 bytes"), (12_345_678, "11.77 MiB")] {
            assert_eq!(Amounts::Words.bytes(amount), text(expected));
        }
        assert_eq!(Amounts::Numbers.time(2), number(2_000_000));
        assert_eq!(Amounts::Numbers.bytes(2), number(2));
    }
}
