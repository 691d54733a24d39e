//! Codes of bytes that more than one crate writes: hexadecimal digits, base 64, CRC-32.
//!
//! Invariants
//! 1. What is decoded is wholly understood, or nothing is.
//!
//! Not here: digests (crates of their own).

use base64::alphabet;
use base64::engine::{Engine, GeneralPurpose, GeneralPurposeConfig};

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

/// The first bytes of a value as MySQL's messages show them: `\xNN` where they are not printable
/// ASCII, six at most.
pub fn shown_bytes(bytes: &[u8]) -> String {
    const BYTES_MAX: usize = 6;
    let shown = bytes.iter().take(BYTES_MAX).map(|byte| match byte {
        0x20..=0x7E => char::from(*byte).to_string(),
        _ => format!("\\x{byte:02X}"),
    });
    let rest = if bytes.len() > BYTES_MAX { "..." } else { "" };
    shown.collect::<String>() + rest
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
    let mut hasher = crc32fast::Hasher::new_with_initial(before);
    hasher.update(bytes);
    hasher.finalize()
}

/// The usual alphabet, with padding; bits that are left over may be anything, as MySQL and
/// memcached have it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Base 64, in lines of so many characters or in one.
pub fn to_base64(bytes: &[u8], line: Option<usize>) -> Vec<u8> {
    let digits = BASE64.encode(bytes).into_bytes();
    match line {
        Some(line) if digits.len() > line => digits.chunks(line).collect::<Vec<_>>().join(&b'\n'),
        _ => digits,
    }
}

/// What base 64 says, in one line.
pub fn from_base64(text: &[u8]) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// What base 64 says, spaces and line ends left out.
pub fn from_base64_lines(text: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    from_base64(&digits)
}
