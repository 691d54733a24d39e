//! Collations by name and number as a connection names them, those of character sets that are not
//! UTF-8 among them: shown as they are named, and compared by the nearest one that there is.
//!
//! Not here: which collations there are (`crate::collation`), character sets (`names`).

use super::CharacterSet;
use crate::types::Collation;

/// A collation as a connection names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCollation {
    /// Its name, as MySQL writes it.
    pub name: String,
    /// Its character set.
    pub set: CharacterSet,
    /// By which texts compare.
    pub collation: Collation,
}

impl NamedCollation {
    /// The collation of a name, without regard to case.
    pub fn parse(name: &str) -> Option<NamedCollation> {
        let name = name.to_ascii_lowercase();
        let set = CharacterSet::of_collation_name(&name)?;
        let is_listed = || LISTED.iter().any(|(_, listed)| *listed == name);
        let collation = match Collation::from_name(&name) {
            Some(collation) => collation,
            // Those that tell case apart: by the letters themselves.
            None if is_listed() && !name.ends_with("_ci") => Collation::Utf8Mb4Bin,
            None if is_listed() => Collation::Utf8Mb4GeneralCi,
            None => return None,
        };
        // The old name of utf8mb3.
        let name = match name.strip_prefix("utf8_") {
            Some(rest) => format!("utf8mb3_{rest}"),
            None => name,
        };
        Some(NamedCollation { name, set, collation })
    }

    /// The collation of a number in the protocol; `None` for one that is not known.
    pub fn of_number(number: u16) -> Option<NamedCollation> {
        if let Some(own) = Collation::of_number(number) {
            return NamedCollation::parse(own.name());
        }
        if let Some((_, name)) = LISTED.iter().find(|(listed, _)| *listed == number) {
            return NamedCollation::parse(name);
        }
        let of_utf8mb4 = match number {
            33 => Collation::Utf8Mb4GeneralCi,
            83 => Collation::Utf8Mb4Bin,
            // Those of Unicode 4.0.0 and 5.2.0 are numbered alike in both.
            192..=215 => Collation::of_number(number + 32)?,
            _ => return None,
        };
        NamedCollation::parse(&of_utf8mb4.name().replacen("utf8mb4", "utf8mb3", 1))
    }

    /// The default collation of a character set.
    pub fn default_of(set: CharacterSet) -> NamedCollation {
        NamedCollation::of_number(set.collation_number()).unwrap_or_else(|| NamedCollation {
            name: format!("{}_general_ci", set.name()),
            set,
            collation: Collation::Utf8Mb4GeneralCi,
        })
    }
}

/// Collations of character sets that are not Unicode's, by number (MySQL 9.7:
/// information_schema.collations).
static LISTED: &[(u16, &str)] = &[
    (1, "big5_chinese_ci"),
    (2, "latin2_czech_cs"),
    (5, "latin1_german1_ci"),
    (7, "koi8r_general_ci"),
    (8, "latin1_swedish_ci"),
    (9, "latin2_general_ci"),
    (11, "ascii_general_ci"),
    (12, "ujis_japanese_ci"),
    (13, "sjis_japanese_ci"),
    (14, "cp1251_bulgarian_ci"),
    (15, "latin1_danish_ci"),
    (16, "hebrew_general_ci"),
    (18, "tis620_thai_ci"),
    (19, "euckr_korean_ci"),
    (20, "latin7_estonian_cs"),
    (21, "latin2_hungarian_ci"),
    (22, "koi8u_general_ci"),
    (23, "cp1251_ukrainian_ci"),
    (24, "gb2312_chinese_ci"),
    (25, "greek_general_ci"),
    (26, "cp1250_general_ci"),
    (27, "latin2_croatian_ci"),
    (28, "gbk_chinese_ci"),
    (29, "cp1257_lithuanian_ci"),
    (30, "latin5_turkish_ci"),
    (31, "latin1_german2_ci"),
    (34, "cp1250_czech_cs"),
    (36, "cp866_general_ci"),
    (39, "macroman_general_ci"),
    (41, "latin7_general_ci"),
    (42, "latin7_general_cs"),
    (44, "cp1250_croatian_ci"),
    (47, "latin1_bin"),
    (48, "latin1_general_ci"),
    (49, "latin1_general_cs"),
    (50, "cp1251_bin"),
    (51, "cp1251_general_ci"),
    (52, "cp1251_general_cs"),
    (53, "macroman_bin"),
    (57, "cp1256_general_ci"),
    (58, "cp1257_bin"),
    (59, "cp1257_general_ci"),
    (65, "ascii_bin"),
    (66, "cp1250_bin"),
    (67, "cp1256_bin"),
    (68, "cp866_bin"),
    (70, "greek_bin"),
    (71, "hebrew_bin"),
    (74, "koi8r_bin"),
    (75, "koi8u_bin"),
    (77, "latin2_bin"),
    (78, "latin5_bin"),
    (79, "latin7_bin"),
    (84, "big5_bin"),
    (85, "euckr_bin"),
    (86, "gb2312_bin"),
    (87, "gbk_bin"),
    (88, "sjis_bin"),
    (89, "tis620_bin"),
    (91, "ujis_bin"),
    (94, "latin1_spanish_ci"),
    (95, "cp932_japanese_ci"),
    (96, "cp932_bin"),
    (97, "eucjpms_japanese_ci"),
    (98, "eucjpms_bin"),
    (99, "cp1250_polish_ci"),
    (248, "gb18030_chinese_ci"),
    (249, "gb18030_bin"),
    (250, "gb18030_unicode_520_ci"),
];
