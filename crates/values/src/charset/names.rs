//! The names of character sets, the numbers of their collations in the protocol (MySQL 9.7 and
//! MariaDB 10.11: information_schema.collations; the default collation first), and what converts
//! them.
//!
//! gb2312 is read as GBK, sjis as Windows 932, which have all of their characters and some more.

use std::ops::RangeInclusive;

use encoding_rs as known;

use super::multiple::MultipleByteSet;
use super::single::SingleByteSet;
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
    named(name, name, numbers, bytes_max, Form::Known(encoding, MultipleByteSet::named(name)))
}

const fn single(name: &'static str, numbers: &'static [RangeInclusive<u16>]) -> CharsetNames {
    single_as(name, name, numbers)
}

const fn single_as(
    name: &'static str,
    alias: &'static str,
    numbers: &'static [RangeInclusive<u16>],
) -> CharsetNames {
    named(name, alias, numbers, 1, Form::Single(SingleByteSet::named(name)))
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
    single_as(
        "latin1",
        "cp1252",
        &[8..=8, 5..=5, 15..=15, 31..=31, 47..=49, 94..=94, 1032..=1032, 1071..=1071],
    ),
    single("ascii", &[11..=11, 65..=65]),
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
    single("latin2", &[9..=9, 2..=2, 21..=21, 27..=27, 77..=77]),
    single("latin5", &[30..=30, 78..=78]),
    single("latin7", &[41..=42, 20..=20, 79..=79]),
    single("greek", &[25..=25, 70..=70]),
    single("hebrew", &[16..=16, 71..=71]),
    single("cp1250", &[26..=26, 34..=34, 44..=44, 66..=66, 99..=99]),
    single("cp1251", &[51..=52, 14..=14, 23..=23, 50..=50]),
    single("cp1256", &[57..=57, 67..=67]),
    single("cp1257", &[59..=59, 29..=29, 58..=58]),
    single("cp866", &[36..=36, 68..=68]),
    single("koi8r", &[7..=7, 74..=74]),
    single("koi8u", &[22..=22, 75..=75]),
    single("macroman", &[39..=39, 53..=53]),
    single("tis620", &[18..=18, 89..=89]),
    single("armscii8", &[32..=32, 64..=64]),
    single("cp850", &[4..=4, 80..=80]),
    single("cp852", &[40..=40, 81..=81]),
    single("dec8", &[3..=3, 69..=69]),
    single("geostd8", &[92..=93]),
    single("hp8", &[6..=6, 72..=72]),
    single("keybcs2", &[37..=37, 73..=73]),
    single("macce", &[38..=38, 43..=43]),
    single("swe7", &[10..=10, 82..=82]),
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

/// What MySQL says of each set, in the order of their names (SHOW CHARACTER SET).
pub(super) static DESCRIPTIONS: [(&str, &str); 41] = [
    ("armscii8", "ARMSCII-8 Armenian"),
    ("ascii", "US ASCII"),
    ("big5", "Big5 Traditional Chinese"),
    ("binary", "Binary pseudo charset"),
    ("cp1250", "Windows Central European"),
    ("cp1251", "Windows Cyrillic"),
    ("cp1256", "Windows Arabic"),
    ("cp1257", "Windows Baltic"),
    ("cp850", "DOS West European"),
    ("cp852", "DOS Central European"),
    ("cp866", "DOS Russian"),
    ("cp932", "SJIS for Windows Japanese"),
    ("dec8", "DEC West European"),
    ("eucjpms", "UJIS for Windows Japanese"),
    ("euckr", "EUC-KR Korean"),
    ("gb18030", "China National Standard GB18030"),
    ("gb2312", "GB2312 Simplified Chinese"),
    ("gbk", "GBK Simplified Chinese"),
    ("geostd8", "GEOSTD8 Georgian"),
    ("greek", "ISO 8859-7 Greek"),
    ("hebrew", "ISO 8859-8 Hebrew"),
    ("hp8", "HP West European"),
    ("keybcs2", "DOS Kamenicky Czech-Slovak"),
    ("koi8r", "KOI8-R Relcom Russian"),
    ("koi8u", "KOI8-U Ukrainian"),
    ("latin1", "cp1252 West European"),
    ("latin2", "ISO 8859-2 Central European"),
    ("latin5", "ISO 8859-9 Turkish"),
    ("latin7", "ISO 8859-13 Baltic"),
    ("macce", "Mac Central European"),
    ("macroman", "Mac West European"),
    ("sjis", "Shift-JIS Japanese"),
    ("swe7", "7bit Swedish"),
    ("tis620", "TIS620 Thai"),
    ("ucs2", "UCS-2 Unicode"),
    ("ujis", "EUC-JP Japanese"),
    ("utf16", "UTF-16 Unicode"),
    ("utf16le", "UTF-16LE Unicode"),
    ("utf32", "UTF-32 Unicode"),
    ("utf8mb3", "UTF-8 Unicode"),
    ("utf8mb4", "UTF-8 Unicode"),
];
