//! Languages that order some letters in their own way, and have collations of their own.
//!
//! They are MySQL's by Unicode 4.0.0 and by 9.0.0. Persian is known by its number
//! (`numbered_collation`); refused by name is Japanese with its fourth level (`_as_cs_ks`).
//!
//! Invariants
//! 1. Names stand in catalogs; the order is that of the files of weights. Neither changes.
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
    /// `utf8mb4_croatian_ci`.
    Croatian,
    /// `utf8mb4_czech_ci`.
    Czech,
    /// `utf8mb4_danish_ci`.
    Danish,
    /// `utf8mb4_lithuanian_ci`.
    Lithuanian,
    /// `utf8mb4_slovak_ci`.
    Slovak,
    /// `utf8mb4_spanish2_ci`: traditional Spanish: ch and ll are letters.
    TraditionalSpanish,
}

impl Language {
    /// All of them, in the order of the file of weights.
    pub const ALL: [Language; 21] = [
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
        Language::Croatian,
        Language::Czech,
        Language::Danish,
        Language::Lithuanian,
        Language::Slovak,
        Language::TraditionalSpanish,
    ];
}

/// A language that has collations by Unicode 9.0.0, by MySQL's code for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language900 {
    /// `utf8mb4_bg_0900_as_cs`.
    Bulgarian,
    /// `utf8mb4_bs_0900_as_cs`.
    Bosnian,
    /// `utf8mb4_cs_0900_as_cs`.
    Czech,
    /// `utf8mb4_da_0900_as_cs`.
    Danish,
    /// `utf8mb4_de_pb_0900_as_cs`.
    GermanPhoneBook,
    /// `utf8mb4_eo_0900_as_cs`.
    Esperanto,
    /// `utf8mb4_es_0900_as_cs`.
    Spanish,
    /// `utf8mb4_es_trad_0900_as_cs`.
    TraditionalSpanish,
    /// `utf8mb4_et_0900_as_cs`.
    Estonian,
    /// `utf8mb4_gl_0900_as_cs`.
    Galician,
    /// `utf8mb4_hr_0900_as_cs`.
    Croatian,
    /// `utf8mb4_hu_0900_as_cs`.
    Hungarian,
    /// `utf8mb4_is_0900_as_cs`.
    Icelandic,
    /// `utf8mb4_ja_0900_as_cs`.
    Japanese,
    /// `utf8mb4_la_0900_as_cs`.
    Latin,
    /// `utf8mb4_lt_0900_as_cs`.
    Lithuanian,
    /// `utf8mb4_lv_0900_as_cs`.
    Latvian,
    /// `utf8mb4_mn_cyrl_0900_as_cs`.
    MongolianCyrillic,
    /// `utf8mb4_nb_0900_as_cs`.
    NorwegianBokmal,
    /// `utf8mb4_nn_0900_as_cs`.
    NorwegianNynorsk,
    /// `utf8mb4_pl_0900_as_cs`.
    Polish,
    /// `utf8mb4_ro_0900_as_cs`.
    Romanian,
    /// `utf8mb4_ru_0900_as_cs`.
    Russian,
    /// `utf8mb4_sk_0900_as_cs`.
    Slovak,
    /// `utf8mb4_sl_0900_as_cs`.
    Slovenian,
    /// `utf8mb4_sr_latn_0900_as_cs`.
    SerbianLatin,
    /// `utf8mb4_sv_0900_as_cs`.
    Swedish,
    /// `utf8mb4_tr_0900_as_cs`.
    Turkish,
    /// `utf8mb4_vi_0900_as_cs`.
    Vietnamese,
    /// `utf8mb4_zh_0900_as_cs`.
    Chinese,
}

impl Language900 {
    /// All of them, in the order of the file of weights.
    pub const ALL: [Language900; 30] = [
        Language900::Bulgarian,
        Language900::Bosnian,
        Language900::Czech,
        Language900::Danish,
        Language900::GermanPhoneBook,
        Language900::Esperanto,
        Language900::Spanish,
        Language900::TraditionalSpanish,
        Language900::Estonian,
        Language900::Galician,
        Language900::Croatian,
        Language900::Hungarian,
        Language900::Icelandic,
        Language900::Japanese,
        Language900::Latin,
        Language900::Lithuanian,
        Language900::Latvian,
        Language900::MongolianCyrillic,
        Language900::NorwegianBokmal,
        Language900::NorwegianNynorsk,
        Language900::Polish,
        Language900::Romanian,
        Language900::Russian,
        Language900::Slovak,
        Language900::Slovenian,
        Language900::SerbianLatin,
        Language900::Swedish,
        Language900::Turkish,
        Language900::Vietnamese,
        Language900::Chinese,
    ];
}

/// What counts under a collation of a language by Unicode 9.0.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sensitivity {
    /// Letters: `_ai_ci`.
    Letters,
    /// Letters, accents and case: `_as_cs`.
    LettersAccentsCase,
}
