//! Codes of bytes that more than one crate writes: hexadecimal digits, base 64, CRC-32.
//!
//! Invariants
//! 1. What is decoded is wholly understood, or nothing is.
//!
//! Not here: digests (crates of their own).

/// Bytes in hexadecimal digits.
pub fn write_hex(bytes: &[u8], upper: bool) -> Vec<u8> {
    let digits: &[u8; 16] = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    let mut out = Vec::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(digits[usize::from(byte >> 4)]);
        out.push(digits[usize::from(byte & 15)]);
    }
    out
}

/// What hexadecimal digits say; before an odd number of them a 0 is thought.
pub fn from_hex(text: &[u8]) -> Option<Vec<u8>> {
    let value = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut out = Vec::with_capacity(text.len() / 2 + 1);
    let (odd, rest) = text.split_at(text.len() % 2);
    for &byte in odd {
        out.push(value(byte)?);
    }
    for pair in rest.chunks(2) {
        out.push(value(pair[0])? << 4 | value(pair[1])?);
    }
    Some(out)
}

/// CRC-32 as Ethernet and zlib have it, of `bytes` behind what has the CRC `before`; 0: nothing.
pub fn crc32(before: u32, bytes: &[u8]) -> u32 {
    let mut crc = !before;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base 64, in lines of so many characters (a multiple of 4) or in one.
pub fn to_base64(bytes: &[u8], line: Option<usize>) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len().div_ceil(3) * 4 + bytes.len() / 57);
    let mut column = 0;
    for chunk in bytes.chunks(3) {
        if Some(column) == line {
            out.push(b'\n');
            column = 0;
        }
        let group = (0..3)
            .fold(0u32, |group, n| group << 8 | u32::from(chunk.get(n).copied().unwrap_or(0)));
        for n in 0..4 {
            let digit = BASE64[(group >> (18 - 6 * n)) as usize & 63];
            out.push(if n <= chunk.len() { digit } else { b'=' });
        }
        column += 4;
    }
    out
}

/// What `to_base64` has written, spaces and line ends left out.
pub fn from_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut group, mut digits, mut padding) = (0u32, 0, 0);
    for &byte in text.iter().filter(|b| !b.is_ascii_whitespace()) {
        let value = match byte {
            b'=' => {
                padding += 1;
                0
            }
            _ if padding > 0 => return None,
            _ => BASE64.iter().position(|&digit| digit == byte)? as u32,
        };
        group = group << 6 | value;
        digits += 1;
        if digits == 4 {
            let bytes = group.to_be_bytes();
            let kept = 3usize.checked_sub(padding)?;
            out.extend_from_slice(&bytes[1..1 + kept]);
            (group, digits) = (0, 0);
        }
    }
    (digits == 0).then_some(out)
}
