//! Times and bytes in words, as MySQL's `FORMAT_PICO_TIME` and `FORMAT_BYTES` write them.

use values::datum::Value;

use crate::show::text;

/// Units of time from the largest, and how many picoseconds each is.
const TIMES: [(&str, u64); 7] = [
    ("d", 86_400_000_000_000_000),
    ("h", 3_600_000_000_000_000),
    ("min", 60_000_000_000_000),
    ("s", 1_000_000_000_000),
    ("ms", 1_000_000_000),
    ("us", 1_000_000),
    ("ns", 1_000),
];
const BYTES: [(&str, u64); 6] = [
    ("EiB", 1 << 60),
    ("PiB", 1 << 50),
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
];

/// A time in microseconds.
pub(super) fn time(micros: u64) -> Value {
    let picoseconds = u128::from(micros) * 1_000_000;
    text(in_unit(picoseconds, &TIMES).unwrap_or_else(|| format!("{picoseconds:>3} ps")))
}

/// An amount of bytes.
pub(super) fn bytes(bytes: u64) -> Value {
    text(in_unit(u128::from(bytes), &BYTES).unwrap_or_else(|| format!("{bytes:>4} bytes")))
}

fn in_unit(amount: u128, units: &[(&str, u64)]) -> Option<String> {
    let (unit, size) = units.iter().find(|(_, size)| amount >= u128::from(*size))?;
    Some(format!("{:.2} {unit}", amount as f64 / *size as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_mysql_writes_them() {
        for (micros, expected) in
            [(0, "  0 ps"), (1, "1.00 us"), (1_234_567, "1.23 s"), (99_999_999_999, "1.16 d")]
        {
            assert_eq!(time(micros), text(expected));
        }
        for (amount, expected) in [(12, "  12 bytes"), (12_345_678, "11.77 MiB")] {
            assert_eq!(bytes(amount), text(expected));
        }
    }
}
