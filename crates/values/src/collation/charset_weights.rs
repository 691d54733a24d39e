//! Weights of collations of other character sets than utf8mb4: the bytes of characters in their
//! sets, but for what `charsets.weights` lists of MySQL 9.7 (`scripts/collation-weights charsets`).
//!
//! A weight of MySQL's is one byte or several, which order as bytes do. One byte `b` is 0100 + b
//! here, in the upper half of a set of several bytes b << 8; two bytes are one number, and each
//! further byte is 0100 + b again. Where code points weigh (`general_mysql500_ci`), what is above
//! FF is 0200 + its high byte, then 0100 + its low one.
//!
//! Invariants
//! 1. No weight is below 0100, and one never begins as another: keys of leveled collations order
//!    as MySQL's bytes do.
//!
//! Not here: which sets have which characters (`charset`), how weights are found and compared
//! (`unicode`, `leveled`).

use std::sync::LazyLock;

use super::numbered::set;
use super::unicode::{PACKED_400, WeightTable};
use crate::charset::CharacterSet;
use crate::numbered_collation::NumberedCollation;
use crate::numbers::{Numbers, inflated};

const PACKED_CHARSETS: &[u8] = include_bytes!("charsets.weights");
/// Added to a byte.
const BYTE: u16 = 0x100;
/// Added to the high byte of a code point.
const HIGH_BYTE: u16 = 0x200;

/// What the weights of characters that no table lists follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// The rules of the Unicode Collation Algorithm.
    Unicode,
    /// Their code points.
    CodePoints,
    /// Their bytes in gb18030.
    Gb18030Bytes,
    /// The same, those of four bytes behind all others in the order of their bytes.
    Gb18030Order,
}

/// How WEIGHT_STRING shows weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WeightDisplay {
    /// Two bytes each.
    InPairs,
    /// Two bytes each; those from 0100 to 01FF stand for the numbers below 0100.
    InPairsFromZero,
    /// The bytes of which they are made, of a set of single bytes or of several.
    Bytes {
        /// Whether one byte may be in the upper half although others are of two.
        high: bool,
    },
    /// The code points of which they are made.
    CodePoints,
}

impl WeightDisplay {
    /// Appends one.
    pub(super) fn write(self, weight: u16, out: &mut Vec<u8>) {
        let [high, low] = weight.to_be_bytes();
        match self {
            WeightDisplay::InPairs => out.extend_from_slice(&[high, low]),
            WeightDisplay::InPairsFromZero if weight >> 8 == 1 => out.extend_from_slice(&[0, low]),
            WeightDisplay::InPairsFromZero => out.extend_from_slice(&[high, low]),
            WeightDisplay::Bytes { .. } if weight >> 8 == 1 => out.push(low),
            WeightDisplay::Bytes { high: true } if low == 0 => out.push(high),
            WeightDisplay::Bytes { .. } => out.extend_from_slice(&[high, low]),
            WeightDisplay::CodePoints if weight >= HIGH_BYTE => {
                out.push((weight - HIGH_BYTE) as u8)
            }
            // The low byte, alone or behind a high one.
            WeightDisplay::CodePoints => {
                let is_alone = out.len().is_multiple_of(2);
                out.extend_from_slice(if is_alone { &[0] } else { &[] });
                out.push(low);
            }
        }
    }
}

impl Follows {
    /// The weights of a character that is not listed, 0 behind them; `None`: by Unicode's rules.
    pub(super) fn weights(self, character: u32) -> Option<[u16; 3]> {
        match self {
            Follows::Unicode => None,
            Follows::CodePoints => Some(match u16::try_from(character).unwrap_or(u16::MAX) {
                code @ ..0x100 => [BYTE + code, 0, 0],
                code => [HIGH_BYTE + (code >> 8), BYTE + (code & 0xFF), 0],
            }),
            Follows::Gb18030Bytes | Follows::Gb18030Order => {
                let mut utf8 = [0; 4];
                let text = char::from_u32(character).unwrap_or('?').encode_utf8(&mut utf8);
                let bytes = GB18030.encode(text.as_bytes());
                Some(match (self, &*bytes) {
                    (Follows::Gb18030Order, [a, b, c, d]) => {
                        let [a, b, c, d] = [a - 0x81, b - 0x30, c - 0x81, d - 0x30].map(u32::from);
                        let order = 0xFF00_0000 + ((a * 10 + b) * 126 + c) * 10 + d;
                        units(&order.to_be_bytes(), true)
                    }
                    (_, bytes) => units(bytes, true),
                })
            }
        }
    }
}

static GB18030: LazyLock<CharacterSet> =
    LazyLock::new(|| CharacterSet::parse("gb18030").unwrap_or(CharacterSet::UTF8MB4));

/// The weights that bytes stand for, 0 behind them.
fn units(bytes: &[u8], of_several: bool) -> [u16; 3] {
    match *bytes {
        [byte] if of_several && byte >= 0x80 => [u16::from(byte) << 8, 0, 0],
        [byte] => [BYTE + u16::from(byte), 0, 0],
        [a, b] => [u16::from_be_bytes([a, b]), 0, 0],
        [a, b, c] => [u16::from_be_bytes([a, b]), BYTE + u16::from(c), 0],
        [a, b, c, d] => [u16::from_be_bytes([a, b]), BYTE + u16::from(c), BYTE + u16::from(d)],
        _ => [0; 3],
    }
}

impl WeightTable {
    /// The table of a collation that is known by its number.
    pub(super) fn of_numbered(collation: NumberedCollation) -> WeightTable {
        let set = set(collation);
        let is_bin = collation.listed().name.ends_with("_bin");
        let mut table = match set.name() {
            "utf8mb4" => WeightTable::unpack(PACKED_400).shown_as(WeightDisplay::InPairsFromZero),
            "gb18030" => {
                let follows = if is_bin { Follows::Gb18030Bytes } else { Follows::Gb18030Order };
                WeightTable::following(follows, WeightDisplay::Bytes { high: false })
            }
            _ if set.is_unicode() => {
                WeightTable::following(Follows::CodePoints, WeightDisplay::CodePoints)
            }
            _ => WeightTable::of_bytes(set),
        };
        let bytes = inflated(PACKED_CHARSETS);
        let mut numbers = Numbers::new(&bytes);
        while let Some(number) = numbers.next() {
            if number == u32::from(collation.number()) {
                table.list_all(&mut numbers);
                break;
            }
            for _ in 0..numbers.number() {
                numbers.pass(1);
                let weights = numbers.number();
                numbers.pass(weights);
            }
        }
        table.finish();
        table
    }

    /// One that lists ASCII alone, for the quick way.
    fn following(follows: Follows, shown: WeightDisplay) -> WeightTable {
        let mut table = WeightTable::empty(1, follows, shown);
        for byte in 0..0x80u8 {
            table.list_weights(char::from(byte), &[BYTE + u16::from(byte)]);
        }
        table
    }

    /// Characters as their bytes in a set order them.
    fn of_bytes(set: CharacterSet) -> WeightTable {
        let of_several = set.bytes_max() > 1;
        let high = matches!(set.name(), "sjis" | "cp932");
        let mut table = WeightTable::empty(1, Follows::Unicode, WeightDisplay::Bytes { high });
        set.each_character(|character, bytes| {
            let units = units(bytes, of_several);
            let count = units.iter().take_while(|unit| **unit != 0).count();
            table.list_weights(character, &units[..count]);
        });
        table
    }
}
