//! The names of character sets, the numbers of their collations in the protocol (MySQL 9.7 and
//! MariaDB 10.11: information_schema.collations; the default collation first), and what converts
//! them.
//!
//! latin5 is read as Windows 1254, hebrew as ISO 8859-8, gb2312 as GBK and tis620 as Windows 874,
//! which have all of their characters and some more.

use std::ops::RangeInclusive;

use encoding_rs as known;

use super::wide::WideCharset;
use super::{CharacterSet, Form};

/// A character set with its names and numbers.
pub(super) struct CharsetNames {
    pub name: &'static str,
    /// Another name, or the same.
    pub alias: &'static str,
    /// Collations; the first range begins with the default one.
    pub numbers: &'static [RangeInclusive<u16>],
    pub bytes_max: u32,
    form: Form,
}

impl CharsetNames {
    pub fn set(&self) -> CharacterSet {
        CharacterSet { name: self.name, form: self.form }
    }
}

const fn named(
    name: &'static str,
    alias: &'static str,
    numbers: &'static [RangeInclusive<u16>],
    bytes_max: u32,
    form: Form,
) -> CharsetNames {
    CharsetNames { name, alias, numbers, bytes_max, form }
}

const fn known(
    name: &'static str,
    numbers: &'static [RangeInclusive<u16>],
    bytes_max: u32,
    encoding: &'static known::Encoding,
) -> CharsetNames {
    named(name, name, numbers, bytes_max, Form::Known(encoding))
}

/// All of them.
pub(super) static SETS: &[CharsetNames] = &[
    named(
        "utf8mb4",
        "utf8mb4",
        &[45..=46, 224..=247, 255..=323, 1046..=1047, 608..=632, 2048..=2303],
        4,
        Form::Utf8 { narrow: false },
    ),
    named(
        "utf8mb3",
        "utf8",
        &[33..=33, 83..=83, 76..=76, 192..=215, 223..=223, 1057..=1057, 1107..=1107, 576..=607],
        3,
        Form::Utf8 { narrow: true },
    ),
    named("binary", "binary", &[63..=63], 1, Form::Binary),
    named(
        "latin1",
        "cp1252",
        &[8..=8, 5..=5, 15..=15, 31..=31, 47..=49, 94..=94, 1032..=1032, 1071..=1071],
        1,
        Form::Latin1,
    ),
    named("ascii", "ascii", &[11..=11, 65..=65], 1, Form::Ascii),
    named(
        "ucs2",
        "ucs2",
        &[35..=35, 90..=90, 128..=151, 159..=159, 640..=671],
        2,
        Form::Wide(WideCharset::Ucs2),
    ),
    named("utf16", "utf16", &[54..=55, 101..=124, 672..=703], 4, Form::Wide(WideCharset::Utf16)),
    named("utf16le", "utf16le", &[56..=56, 62..=62], 4, Form::Wide(WideCharset::Utf16Le)),
    named("utf32", "utf32", &[60..=61, 160..=183, 736..=767], 4, Form::Wide(WideCharset::Utf32)),
    known("latin2", &[9..=9, 2..=2, 21..=21, 27..=27, 77..=77], 1, known::ISO_8859_2),
    known("latin5", &[30..=30, 78..=78], 1, known::WINDOWS_1254),
    known("latin7", &[41..=42, 20..=20, 79..=79], 1, known::ISO_8859_13),
    known("greek", &[25..=25, 70..=70], 1, known::ISO_8859_7),
    known("hebrew", &[16..=16, 71..=71], 1, known::ISO_8859_8),
    known("cp1250", &[26..=26, 34..=34, 44..=44, 66..=66, 99..=99], 1, known::WINDOWS_1250),
    known("cp1251", &[51..=52, 14..=14, 23..=23, 50..=50], 1, known::WINDOWS_1251),
    known("cp1256", &[57..=57, 67..=67], 1, known::WINDOWS_1256),
    known("cp1257", &[59..=59, 29..=29, 58..=58], 1, known::WINDOWS_1257),
    known("cp866", &[36..=36, 68..=68], 1, known::IBM866),
    known("koi8r", &[7..=7, 74..=74], 1, known::KOI8_R),
    known("koi8u", &[22..=22, 75..=75], 1, known::KOI8_U),
    known("macroman", &[39..=39, 53..=53], 1, known::MACINTOSH),
    known("tis620", &[18..=18, 89..=89], 1, known::WINDOWS_874),
    known("big5", &[1..=1, 84..=84], 2, known::BIG5),
    known("gbk", &[28..=28, 87..=87], 2, known::GBK),
    known("gb2312", &[24..=24, 86..=86], 2, known::GBK),
    known("gb18030", &[248..=250], 4, known::GB18030),
    known("sjis", &[13..=13, 88..=88], 2, known::SHIFT_JIS),
    known("cp932", &[95..=96], 2, known::SHIFT_JIS),
    known("ujis", &[12..=12, 91..=91], 3, known::EUC_JP),
    known("eucjpms", &[97..=98], 3, known::EUC_JP),
    known("euckr", &[19..=19, 85..=85], 2, known::EUC_KR),
];
