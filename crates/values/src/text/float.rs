//! FLOAT and DOUBLE as text.
//!
//! A DOUBLE has the fewest digits that read back as the same number, a FLOAT its first six
//! significant ones. Both are written out (`0.00012`, `1500`) unless the number is below 1e-15 or
//! has more than 15 digits before the point of which the last ones are only filled up with zeros:
//! then `1.5e20`, without `+` or leading zeros in the exponent.
//!
//! Not here: numbers that are infinite or not a number; MySQL stores none, and they print as 0.

use std::fmt::{self, Write};

use super::integer::write_i64;

/// Digits before the point up to which trailing zeros are written out.
const POINT_MAX: i32 = 15;
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

/// Appends a number without a fraction; a negative zero prints without its sign.
fn write_whole(value: f64, out: &mut Vec<u8>) {
    write_i64(value as i64, out);
}

/// Appends a number given in Rust's exponent form, `-1.25e-7`.
fn write_form(form: fmt::Arguments<'_>, out: &mut Vec<u8>) {
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
    if negative {
        out.push(b'-');
    }
    lay_out(&digits[..count], exponent + 1, out);
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
