//! Bytes and times in words: FORMAT_BYTES and FORMAT_PICO_TIME, and `sys.format_time`, which writes
//! them otherwise.
//!
//! Not here: the other functions of the schema `sys` (`sys`).

/// Units from the largest, and how much each is.
type Units = [(&'static str, f64)];

const BYTES: &Units = &[
    ("EiB", (1_u64 << 60) as f64),
    ("PiB", (1_u64 << 50) as f64),
    ("TiB", (1_u64 << 40) as f64),
    ("GiB", (1_u64 << 30) as f64),
    ("MiB", (1_u64 << 20) as f64),
    ("KiB", (1_u64 << 10) as f64),
];
const TIMES: &Units = &[
    ("d", 86_400e12),
    ("h", 3_600e12),
    ("min", 60e12),
    ("s", 1e12),
    ("ms", 1e9),
    ("us", 1e6),
    ("ns", 1e3),
];
/// Those of `sys.format_time`.
const SYS_TIMES: &Units = &[
    ("w", 604_800e12),
    ("d", 86_400e12),
    ("h", 3_600e12),
    ("m", 60e12),
    ("s", 1e12),
    ("ms", 1e9),
    ("us", 1e6),
    ("ns", 1e3),
];
/// From so many of a unit on a power of ten is written.
const PLAIN_MAX: f64 = 100_000.0;

/// FORMAT_BYTES.
pub fn bytes_in_words(bytes: f64) -> String {
    in_unit(bytes, BYTES).unwrap_or_else(|| format!("{:>4} bytes", bytes as i64))
}

/// FORMAT_PICO_TIME.
pub fn picoseconds_in_words(time: f64) -> String {
    in_unit(time, TIMES).unwrap_or_else(|| format!("{:>3} ps", time as i64))
}

fn in_unit(amount: f64, units: &Units) -> Option<String> {
    let (unit, size) = units.iter().find(|(_, size)| amount.abs() >= *size)?;
    let count = amount / size;
    if count.abs() < PLAIN_MAX {
        return Some(format!("{count:.2} {unit}"));
    }
    let written = format!("{count:.2e}");
    let (digits, power) = written.split_once('e').unwrap_or((&written, "0"));
    Some(format!("{digits}e+{power:0>2} {unit}"))
}

/// `sys.format_time`, to hundredths of a unit; `None` where the time is less than a nanosecond.
pub(crate) fn sys_time(time: f64) -> Option<String> {
    let (unit, size) = SYS_TIMES.iter().find(|(_, size)| time >= *size)?;
    let count = (time / size * 100.0).round() / 100.0;
    Some(format!("{count} {unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_mysql_writes_them() {
        for (bytes, expected) in [
            (12.0, "  12 bytes"),
            (1023.0, "1023 bytes"),
            (-2048.0, "-2.00 KiB"),
            (12_345_678.0, "11.77 MiB"),
            (1e30, "8.67e+11 EiB"),
        ] {
            assert_eq!(bytes_in_words(bytes), expected);
        }
        for (time, expected) in [
            (0.0, "  0 ps"),
            (-5.0, " -5 ps"),
            (3501.0, "3.50 ns"),
            (188_732_396_662_000.0, "3.15 min"),
            (1e20, "1157.41 d"),
        ] {
            assert_eq!(picoseconds_in_words(time), expected);
        }
        assert_eq!(sys_time(700e15).as_deref(), Some("1.16 w"));
        assert_eq!(sys_time(3501.0).as_deref(), Some("3.5 ns"));
        assert_eq!(sys_time(999.0), None);
    }
}
