//! Languages that order some letters in their own way: MySQL's collations by Unicode 4.0.0 of them.
//!
//! A language has the weights of `utf8mb4_unicode_ci` but for some characters (ñ is a letter of
//! Spanish), which `languages.weights` lists as `scripts/collation-weights` printed them of MySQL
//! 9.7; its table is unpacked when the first text is compared by it.
//!
//! Invariants
//! 1. Keys on disk are made of these weights, so they never change; nor does the order of `ALL`,
//!    which is that of the file.
//! 2. None of these languages has contractions. Those that do are refused by name: Croatian, Czech,
//!    Danish, Lithuanian, Slovak, traditional Spanish. So is Persian, some of whose marks weigh
//!    less than what ends a key.
//!
//! Not here: levels and padding (`leveled`), what a table holds (`unicode`).

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::unicode::WeightTable;

/// A language, by MySQL's name of its collation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    /// `utf8mb4_icelandic_ci`.
    Icelandic,
    /// `utf8mb4_latvian_ci`.
    Latvian,
    /// `utf8mb4_romanian_ci`.
    Romanian,
    /// `utf8mb4_slovenian_ci`.
    Slovenian,
    /// `utf8mb4_polish_ci`.
    Polish,
    /// `utf8mb4_estonian_ci`.
    Estonian,
    /// `utf8mb4_spanish_ci`: modern Spanish: ñ is a letter.
    Spanish,
    /// `utf8mb4_swedish_ci`.
    Swedish,
    /// `utf8mb4_turkish_ci`.
    Turkish,
    /// `utf8mb4_roman_ci`: Latin: I and J are one letter, and U and V.
    Roman,
    /// `utf8mb4_esperanto_ci`.
    Esperanto,
    /// `utf8mb4_hungarian_ci`.
    Hungarian,
    /// `utf8mb4_sinhala_ci`.
    Sinhala,
    /// `utf8mb4_german2_ci`: German phone books: ä is ae.
    German2,
    /// `utf8mb4_vietnamese_ci`.
    Vietnamese,
}

const COUNT: usize = 15;

impl Language {
    /// All of them, in the order of the file of weights.
    pub const ALL: [Language; COUNT] = [
        Language::Icelandic,
        Language::Latvian,
        Language::Romanian,
        Language::Slovenian,
        Language::Polish,
        Language::Estonian,
        Language::Spanish,
        Language::Swedish,
        Language::Turkish,
        Language::Roman,
        Language::Esperanto,
        Language::Hungarian,
        Language::Sinhala,
        Language::German2,
        Language::Vietnamese,
    ];

    /// The name of its collation, and the number by which MySQL's protocol knows it.
    pub(super) fn collation(self) -> (&'static str, u16) {
        match self {
            Language::Icelandic => ("utf8mb4_icelandic_ci", 225),
            Language::Latvian => ("utf8mb4_latvian_ci", 226),
            Language::Romanian => ("utf8mb4_romanian_ci", 227),
            Language::Slovenian => ("utf8mb4_slovenian_ci", 228),
            Language::Polish => ("utf8mb4_polish_ci", 229),
            Language::Estonian => ("utf8mb4_estonian_ci", 230),
            Language::Spanish => ("utf8mb4_spanish_ci", 231),
            Language::Swedish => ("utf8mb4_swedish_ci", 232),
            Language::Turkish => ("utf8mb4_turkish_ci", 233),
            Language::Roman => ("utf8mb4_roman_ci", 239),
            Language::Esperanto => ("utf8mb4_esperanto_ci", 241),
            Language::Hungarian => ("utf8mb4_hungarian_ci", 242),
            Language::Sinhala => ("utf8mb4_sinhala_ci", 243),
            Language::German2 => ("utf8mb4_german2_ci", 244),
            Language::Vietnamese => ("utf8mb4_vietnamese_ci", 247),
        }
    }

    /// Its weights.
    pub(super) fn table(self) -> &'static WeightTable {
        static TABLES: [OnceLock<WeightTable>; COUNT] = [const { OnceLock::new() }; COUNT];
        let at = self as usize;
        TABLES[at].get_or_init(|| WeightTable::of_language(at))
    }
}
