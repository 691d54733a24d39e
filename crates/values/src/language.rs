//! Languages that order some letters in their own way, and have collations of their own.
//!
//! They are MySQL's by Unicode 4.0.0 without contractions. Those that have some are refused by name
//! (Croatian, Czech, Danish, Lithuanian, Slovak, traditional Spanish), and so is Persian, some of
//! whose marks weigh less than what ends a key.
//!
//! Invariants
//! 1. Names stand in catalogs; the order is that of the file of weights. Neither changes.
//!
//! Not here: their weights (`collation::unicode`), the names of their collations
//! (`collation::names`).

use serde::{Deserialize, Serialize};

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

impl Language {
    /// All of them, in the order of the file of weights.
    pub const ALL: [Language; 15] = [
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
}
