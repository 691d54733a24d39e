//! FLOAT and DOUBLE as text.
//!
//! A DOUBLE has the fewest digits that read back as the same number, a FLOAT its first six
//! significant ones. Both are written out (`0.00012`, `1500`) unless the number is below 1e-15 or
//! has more than 15 digits before the point of which the last ones are only filled up with zeros:
//! then `1.5e20`, without `+` or leading zeros in the exponent. Where their column has a number of
//! digits behind the point, DOUBLE(8,2), both have these, however large they are.
//!
//! Not here: numbers that are infinite or not a number; MySQL stores none, and they print as 0.

use std::fmt::{self, Write};

use crate::digits::write_i64;

/// Digits before the point up to which trailing zeros are written out.
const POINT_MAX: i32 = 15;
/// Significant digits that a DOUBLE may need.
const DIGITS_MAX: usize = 17;
/// Zeros behind the point that are written out before the first digit.
const POINT_MIN: i32 = -14;

/// Text of Rust's exponent form, on the stack.
struct Scratch {
    bytes: [u8; 32],
    length: usize,
}

impl Write for Scratch {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let end = self.length + part.len();
        let room = self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?;
        room.copy_from_slice(part.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// Appends a DOUBLE.
pub fn write_f64(value: f64, out: &mut Vec<u8>) {
    if value.abs() < 1e15 && value.fract() == 0.0 {
        return write_whole(value, out);
    }
    if !value.is_finite() {
        return out.push(b'0');
    }
    write_form(format_args!("{value:e}"), out);
}

/// Appends a DOUBLE with as many of its digits as so many characters have room for, written out or
/// with an exponent; with all of them where there is no room for any.
pub fn write_f64_within(value: f64, room: usize, out: &mut Vec<u8>) {
    let start = out.len();
    let fits = |out: &mut Vec<u8>, write: &dyn Fn(&mut Vec<u8>)| {
        out.truncate(start);
        write(out);
        out.len() - start <= room
    };
    if fits(out, &|out| write_f64(value, out)) || !value.is_finite() {
        return;
    }
    for digits in (0..DIGITS_MAX).rev() {
        let written_out = |out: &mut Vec<u8>| write_form(format_args!("{value:.digits$e}"), out);
        let with_exponent =
            |out: &mut Vec<u8>| out.extend_from_slice(format!("{value:.digits$e}").as_bytes());
        if fits(out, &written_out) || fits(out, &with_exponent) {
            return;
        }
    }
    let as_whole = |out: &mut Vec<u8>| out.extend_from_slice(format!("{value:.0}").as_bytes());
    if value.abs() >= 1.0 || !fits(out, &as_whole) {
        fits(out, &|out| write_f64(value, out));
    }
}

/// Appends a FLOAT.
pub fn write_f32(value: f32, out: &mut Vec<u8>) {
    if value.abs() < 1e6 && value.fract() == 0.0 {
        return write_whole(f64::from(value), out);
    }
    if !value.is_finite() {
        return out.push(b'0');
    }
    write_form(format_args!("{:.5e}", f64::from(value)), out);
}

/// Appends a DOUBLE as a part of a text, with an exponent where it would be longer than 22
/// characters, and with a digit less where it still would (MySQL 9.7:
/// tests/oracle/sql/inexact-in-texts.sql).
pub fn write_f64_in_text(value: f64, out: &mut Vec<u8>) {
    const ROOM: usize = 22;
    let start = out.len();
    write_f64(value, out);
    let mut shortest = (out.len() - start > ROOM).then(|| Shortest::of(value));
    while let Some(digits) = shortest {
        out.truncate(start);
        digits.write_with_exponent(out);
        let fewer = digits.count.saturating_sub(2);
        let is_long = out.len() - start > ROOM;
        shortest = is_long.then(|| Shortest::of_form(format_args!("{value:.fewer$e}")));
    }
}

/// The same of a FLOAT, which may have 12 characters.
pub fn write_f32_in_text(value: f32, out: &mut Vec<u8>) {
    let start = out.len();
    write_f32(value, out);
    if out.len() - start > 12 {
        out.truncate(start);
        Shortest::of_form(format_args!("{:.5e}", f64::from(value))).write_with_exponent(out);
    }
}

/// Appends a FLOAT or DOUBLE with so many digits behind the point. Behind the fewest that read back
/// as the same number stand zeros, in front of the point too.
pub fn write_fixed(value: f64, decimals: u8, out: &mut Vec<u8>) {
    let value = if value.is_finite() { value } else { 0.0 };
    let decimals = usize::from(decimals);
    let shortest = Shortest::of(value);
    let behind = shortest.count as i32 - shortest.point;
    if behind > decimals as i32 {
        // A number with digits behind the point is below 2^53, which Rust lays out exactly.
        let _ = write!(Bytes(out), "{value:.decimals$}");
        return;
    }
    if shortest.negative {
        out.push(b'-');
    }
    let digits = shortest.digits();
    let whole = shortest.point.max(0) as usize;
    out.extend_from_slice(&digits[..whole.min(digits.len())]);
    out.resize(out.len() + whole.saturating_sub(digits.len()), b'0');
    if whole == 0 {
        out.push(b'0');
    }
    if decimals == 0 {
        return;
    }
    out.push(b'.');
    let end = out.len() + decimals;
    out.resize(
        out.len() + shortest.point.min(0).unsigned_abs().min(decimals as u32) as usize,
        b'0',
    );
    out.extend_from_slice(&digits[whole.min(digits.len())..]);
    out.resize(end, b'0');
}

/// Bytes that formatted text is appended to.
struct Bytes<'a>(&'a mut Vec<u8>);

impl Write for Bytes<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0.extend_from_slice(part.as_bytes());
        Ok(())
    }
}

/// Appends a number without a fraction; a negative zero prints without its sign.
fn write_whole(value: f64, out: &mut Vec<u8>) {
    // A zero below zero shows that it is (MySQL 9.7).
    if value == 0.0 && value.is_sign_negative() {
        out.push(b'-');
    }
    write_i64(value as i64, out);
}

/// Appends a number given in Rust's exponent form, `-1.25e-7`.
fn write_form(form: fmt::Arguments<'_>, out: &mut Vec<u8>) {
    let shortest = Shortest::of_form(form);
    if shortest.negative {
        out.push(b'-');
    }
    lay_out(shortest.digits(), shortest.point, out);
}

/// The digits of a number without zeros at their end: `0.DIGITS * 10^point`.
struct Shortest {
    negative: bool,
    digits: [u8; 20],
    count: usize,
    point: i32,
}

impl Shortest {
    /// Appends `-1.25e-7`.
    fn write_with_exponent(&self, out: &mut Vec<u8>) {
        if self.negative {
            out.push(b'-');
        }
        let (first, behind) = self.digits().split_at(1);
        out.extend_from_slice(first);
        if !behind.is_empty() {
            out.push(b'.');
            out.extend_from_slice(behind);
        }
        out.push(b'e');
        write_i64(i64::from(self.point - 1), out);
    }

    /// The fewest digits that read back as the same number.
    fn of(value: f64) -> Shortest {
        Shortest::of_form(format_args!("{value:e}"))
    }

    /// Those of Rust's exponent form, `-1.25e-7`.
    fn of_form(form: fmt::Arguments<'_>) -> Shortest {
        let mut scratch = Scratch { bytes: [0; 32], length: 0 };
        // A sign, 17 digits, a point and an exponent of 3 digits fit.
        scratch.write_fmt(form).expect("32 bytes hold a double");
        let text = &scratch.bytes[..scratch.length];
        let (negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let mark = text.iter().position(|byte| *byte == b'e').unwrap_or(text.len());
        let exponent = read_exponent(&text[mark + 1..]);
        let mut digits = [0u8; 20];
        let mut count = 0;
        for byte in text[..mark].iter().filter(|byte| **byte != b'.') {
            digits[count] = *byte;
            count += 1;
        }
        while count > 1 && digits[count - 1] == b'0' {
            count -= 1;
        }
        Shortest { negative, digits, count, point: exponent + 1 }
    }

    fn digits(&self) -> &[u8] {
        &self.digits[..self.count]
    }
}

fn read_exponent(text: &[u8]) -> i32 {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let value = digits.iter().fold(0, |value, byte| value * 10 + i32::from(byte - b'0'));
    if negative { -value } else { value }
}

/// Appends `0.DIGITS * 10^point` in the form MySQL chooses.
fn lay_out(digits: &[u8], point: i32, out: &mut Vec<u8>) {
    let count = digits.len() as i32;
    if point < POINT_MIN || point > POINT_MAX && count <= point {
        out.push(digits[0]);
        if count > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        out.push(b'e');
        return write_i64(i64::from(point - 1), out);
    }
    if point <= 0 {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + point.unsigned_abs() as usize, b'0');
        out.extend_from_slice(digits);
    } else if point < count {
        out.extend_from_slice(&digits[..point as usize]);
        out.push(b'.');
        out.extend_from_slice(&digits[point as usize..]);
    } else {
        out.extend_from_slice(digits);
        out.resize(out.len() + (point - count) as usize, b'0');
    }
}
