//! MySQL's latin1: Windows 1252, whose five holes are the C1 controls of the same number.
//!
//! Not here: other sets of single bytes, which `encoding_rs` has.

/// What stands at 0x80 to 0x9F.
const HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

/// The character of a byte.
pub(super) fn cp1252(byte: u8) -> char {
    match byte {
        0x80..=0x9F => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// The byte of a character, if it has one.
pub(super) fn encode_cp1252(character: char) -> Option<u8> {
    match u32::from(character) {
        code @ (0..=0x7F | 0xA0..=0xFF) => Some(code as u8),
        _ => HIGH.iter().position(|known| *known == character).map(|at| at as u8 + 0x80),
    }
}
