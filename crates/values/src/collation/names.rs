//! Names of collations: those that clients send, and the one that is answered.

use crate::language::Language;
use crate::types::Collation;

/// All of them, as SHOW COLLATION lists them.
pub const COLLATIONS: [Collation; 24] = [
    Collation::Binary,
    Collation::Utf8Mb40900AiCi,
    Collation::Utf8Mb40900AsCi,
    Collation::Utf8Mb40900AsCs,
    Collation::Utf8Mb40900Bin,
    Collation::Utf8Mb4Bin,
    Collation::Utf8Mb4OfLanguage(Language::Esperanto),
    Collation::Utf8Mb4OfLanguage(Language::Estonian),
    Collation::Utf8Mb4GeneralCi,
    Collation::Utf8Mb4OfLanguage(Language::German2),
    Collation::Utf8Mb4OfLanguage(Language::Hungarian),
    Collation::Utf8Mb4OfLanguage(Language::Icelandic),
    Collation::Utf8Mb4OfLanguage(Language::Latvian),
    Collation::Utf8Mb4OfLanguage(Language::Polish),
    Collation::Utf8Mb4OfLanguage(Language::Roman),
    Collation::Utf8Mb4OfLanguage(Language::Romanian),
    Collation::Utf8Mb4OfLanguage(Language::Sinhala),
    Collation::Utf8Mb4OfLanguage(Language::Slovenian),
    Collation::Utf8Mb4OfLanguage(Language::Spanish),
    Collation::Utf8Mb4OfLanguage(Language::Swedish),
    Collation::Utf8Mb4OfLanguage(Language::Turkish),
    Collation::Utf8Mb4Unicode520Ci,
    Collation::Utf8Mb4UnicodeCi,
    Collation::Utf8Mb4OfLanguage(Language::Vietnamese),
];

impl Collation {
    /// The collation behind a name, in any case. Collations of character sets that are kept as
    /// utf8mb4 stand for that set's own; MariaDB's `uca1400_ai_ci`, which its newer versions have
    /// for a default, for the newest one here that pads as it does.
    pub fn from_name(name: &str) -> Option<Collation> {
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "binary" => Some(Collation::Binary),
            "utf8mb4_bin" | "utf8_bin" | "utf8mb3_bin" | "latin1_bin" | "ascii_bin" => {
                Some(Collation::Utf8Mb4Bin)
            }
            "utf8mb4_general_ci" | "utf8_general_ci" | "utf8mb3_general_ci"
            | "latin1_swedish_ci" | "latin1_general_ci" | "ascii_general_ci" => {
                Some(Collation::Utf8Mb4GeneralCi)
            }
            "utf8mb4_unicode_ci" | "utf8_unicode_ci" | "utf8mb3_unicode_ci" => {
                Some(Collation::Utf8Mb4UnicodeCi)
            }
            "utf8mb4_unicode_520_ci"
            | "utf8_unicode_520_ci"
            | "utf8mb3_unicode_520_ci"
            | "utf8mb4_uca1400_ai_ci" => Some(Collation::Utf8Mb4Unicode520Ci),
            "utf8mb4_0900_ai_ci" => Some(Collation::Utf8Mb40900AiCi),
            "utf8mb4_0900_as_ci" => Some(Collation::Utf8Mb40900AsCi),
            "utf8mb4_0900_as_cs" => Some(Collation::Utf8Mb40900AsCs),
            "utf8mb4_0900_bin" => Some(Collation::Utf8Mb40900Bin),
            _ => {
                let of_utf8 = name.strip_prefix("utf8_").or_else(|| name.strip_prefix("utf8mb3_"));
                let name = of_utf8.map_or(name.clone(), |rest| format!("utf8mb4_{rest}"));
                let is = |language: &&Language| of_language(**language).0 == name;
                Language::ALL.iter().find(is).map(|found| Collation::Utf8Mb4OfLanguage(*found))
            }
        }
    }

    /// Its own name.
    pub fn name(self) -> &'static str {
        match self {
            Collation::Binary => "binary",
            Collation::Utf8Mb4Bin => "utf8mb4_bin",
            Collation::Utf8Mb4GeneralCi => "utf8mb4_general_ci",
            Collation::Utf8Mb4UnicodeCi => "utf8mb4_unicode_ci",
            Collation::Utf8Mb4Unicode520Ci => "utf8mb4_unicode_520_ci",
            Collation::Utf8Mb40900AiCi => "utf8mb4_0900_ai_ci",
            Collation::Utf8Mb40900AsCi => "utf8mb4_0900_as_ci",
            Collation::Utf8Mb40900AsCs => "utf8mb4_0900_as_cs",
            Collation::Utf8Mb40900Bin => "utf8mb4_0900_bin",
            Collation::Utf8Mb4OfLanguage(language) => of_language(language).0,
        }
    }

    /// The number by which MySQL's protocol knows it.
    pub fn number(self) -> u16 {
        match self {
            Collation::Binary => 63,
            Collation::Utf8Mb4Bin => 46,
            Collation::Utf8Mb4GeneralCi => 45,
            Collation::Utf8Mb4UnicodeCi => 224,
            Collation::Utf8Mb4Unicode520Ci => 246,
            Collation::Utf8Mb40900AiCi => 255,
            Collation::Utf8Mb40900AsCi => 305,
            Collation::Utf8Mb40900AsCs => 278,
            Collation::Utf8Mb40900Bin => 309,
            Collation::Utf8Mb4OfLanguage(language) => of_language(language).1,
        }
    }

    /// Whether texts compare as their bytes do, and no byte is left out.
    pub fn is_by_bytes(self) -> bool {
        matches!(self, Collation::Binary | Collation::Utf8Mb40900Bin)
    }

    /// Whether only the same characters are equal.
    pub fn is_by_code_points(self) -> bool {
        matches!(self, Collation::Utf8Mb4Bin | Collation::Utf8Mb40900Bin)
    }

    /// Whether spaces at the end do not count.
    pub fn pads(self) -> bool {
        match self {
            Collation::Utf8Mb4Bin
            | Collation::Utf8Mb4GeneralCi
            | Collation::Utf8Mb4UnicodeCi
            | Collation::Utf8Mb4Unicode520Ci
            | Collation::Utf8Mb4OfLanguage(_) => true,
            Collation::Binary
            | Collation::Utf8Mb40900AiCi
            | Collation::Utf8Mb40900AsCi
            | Collation::Utf8Mb40900AsCs
            | Collation::Utf8Mb40900Bin => false,
        }
    }

    /// Whether a letter's case does not count, as its name ends in `_ci`.
    pub fn is_case_insensitive(self) -> bool {
        self.name().ends_with("_ci")
    }

    /// MySQL's `Sortlen`: 8 for weights that it pads, 0 for those of 9.0.
    pub fn sort_length(self) -> u16 {
        match self {
            Collation::Utf8Mb4UnicodeCi
            | Collation::Utf8Mb4Unicode520Ci
            | Collation::Utf8Mb4OfLanguage(_) => 8,
            Collation::Utf8Mb40900AiCi
            | Collation::Utf8Mb40900AsCi
            | Collation::Utf8Mb40900AsCs => 0,
            _ => 1,
        }
    }
}

/// The name of a language's collation, and its number.
fn of_language(language: Language) -> (&'static str, u16) {
    match language {
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
