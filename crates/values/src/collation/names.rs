//! Names of collations: those that clients send, and the one that is answered.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::numbered;
use crate::charset::CharacterSet;
use crate::language::{Language, Language900, Sensitivity};
use crate::numbered_collation::NumberedCollation;
use crate::types::Collation;

/// Those that are no language's.
const OF_ALL_LANGUAGES: [Collation; 9] = [
    Collation::Binary,
    Collation::Utf8Mb40900AiCi,
    Collation::Utf8Mb40900AsCi,
    Collation::Utf8Mb40900AsCs,
    Collation::Utf8Mb40900Bin,
    Collation::Utf8Mb4Bin,
    Collation::Utf8Mb4GeneralCi,
    Collation::Utf8Mb4Unicode520Ci,
    Collation::Utf8Mb4UnicodeCi,
];

/// All of them, in the order of their names, as SHOW COLLATION lists them.
pub fn collations() -> Vec<Collation> {
    let mut all = OF_ALL_LANGUAGES.to_vec();
    all.extend(Language::ALL.map(Collation::Utf8Mb4OfLanguage));
    all.extend(of_languages_900());
    all.extend(NumberedCollation::all().map(Collation::Numbered));
    all.sort_unstable_by_key(|collation| collation.name());
    all
}

/// Those of languages by Unicode 9.0.0.
fn of_languages_900() -> impl Iterator<Item = Collation> {
    Language900::ALL.into_iter().flat_map(|language| {
        let of = |sensitivity| Collation::Utf8Mb40900OfLanguage(language, sensitivity);
        let letters = names_900(language).letters.map(|_| of(Sensitivity::Letters));
        letters.into_iter().chain([of(Sensitivity::LettersAccentsCase)])
    })
}

/// Numbers in the protocol lie below.
const NUMBERS: usize = 1 << 9;

/// Collations by their numbers.
static BY_NUMBER: LazyLock<[Option<Collation>; NUMBERS]> = LazyLock::new(|| {
    let mut by_number = [None; NUMBERS];
    for collation in collations() {
        by_number[usize::from(collation.number())] = Some(collation);
    }
    by_number
});

/// Collations by their names.
static BY_NAME: LazyLock<HashMap<&'static str, Collation>> =
    LazyLock::new(|| collations().into_iter().map(|one| (one.name(), one)).collect());

/// That of utf8mb4 whose name ends so, if it has a variant of its own.
pub(super) fn named_of_utf8mb4(rest: &str) -> Option<Collation> {
    let of_languages = Language::ALL.into_iter().map(Collation::Utf8Mb4OfLanguage);
    let own_name = |collation: &Collation| collation.name().strip_prefix("utf8mb4_");
    let mut all = OF_ALL_LANGUAGES.into_iter().chain(of_languages);
    all.find(|collation| own_name(collation) == Some(rest))
}

impl Collation {
    /// The collation of a number in the protocol.
    pub fn of_number(number: u16) -> Option<Collation> {
        BY_NUMBER.get(usize::from(number)).copied().flatten()
    }

    /// The collation behind a name, in any case. The old name of utf8mb3 stands for it; MariaDB's
    /// `uca1400_ai_ci`, which its newer versions have for a default, for the newest one here that
    /// pads as it does.
    pub fn from_name(name: &str) -> Option<Collation> {
        let name = name.to_ascii_lowercase();
        match (name.as_str(), name.strip_prefix("utf8_")) {
            ("utf8mb4_uca1400_ai_ci", _) => Some(Collation::Utf8Mb4Unicode520Ci),
            (_, Some(rest)) => BY_NAME.get(format!("utf8mb3_{rest}").as_str()).copied(),
            (name, None) => BY_NAME.get(name).copied(),
        }
    }

    /// The default collation of a character set.
    pub fn default_of(set: CharacterSet) -> Collation {
        let own = Collation::of_number(set.collation_number());
        own.unwrap_or(Collation::Utf8Mb4GeneralCi)
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
            Collation::Utf8Mb40900OfLanguage(language, sensitivity) => {
                names_900(language).of(sensitivity).0
            }
            Collation::Numbered(numbered) => numbered.listed().name,
        }
    }

    /// Its character set.
    pub fn set(self) -> CharacterSet {
        match self {
            Collation::Binary => CharacterSet::BINARY,
            Collation::Numbered(numbered) => numbered::set(numbered),
            _ => CharacterSet::UTF8MB4,
        }
    }

    /// The name of its character set.
    pub fn set_name(self) -> &'static str {
        self.set().name()
    }

    /// Whether it is the one that its character set has where none is named.
    pub fn is_default(self) -> bool {
        self.set().collation_number() == self.number()
    }

    /// Whether texts have the same order by both, and the same keys.
    pub fn orders_as(self, other: Collation) -> bool {
        self.comparing() == other.comparing()
    }

    /// Whether it orders by the bytes of its character set.
    pub fn is_bin(self) -> bool {
        self == Collation::Binary || self.name().ends_with("_bin")
    }

    /// The collation of its character set that orders by bytes.
    pub fn bin_of_set(self) -> Collation {
        let bin = Collation::from_name(&format!("{}_bin", self.set_name()));
        bin.unwrap_or(Collation::Binary)
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
            Collation::Utf8Mb40900OfLanguage(language, sensitivity) => {
                names_900(language).of(sensitivity).1
            }
            Collation::Numbered(numbered) => numbered.number(),
        }
    }

    /// Whether texts compare as their bytes do, and no byte is left out.
    pub fn is_by_bytes(self) -> bool {
        matches!(self, Collation::Binary | Collation::Utf8Mb40900Bin)
    }

    /// Whether only the same characters are equal.
    pub fn is_by_code_points(self) -> bool {
        matches!(self.comparing(), Collation::Utf8Mb4Bin | Collation::Utf8Mb40900Bin)
    }

    /// Whether spaces at the end do not count.
    pub fn pads(self) -> bool {
        match self {
            Collation::Utf8Mb4Bin
            | Collation::Utf8Mb4GeneralCi
            | Collation::Utf8Mb4UnicodeCi
            | Collation::Utf8Mb4Unicode520Ci
            | Collation::Utf8Mb4OfLanguage(_)
            | Collation::Numbered(_) => true,
            Collation::Binary
            | Collation::Utf8Mb40900AiCi
            | Collation::Utf8Mb40900AsCi
            | Collation::Utf8Mb40900AsCs
            | Collation::Utf8Mb40900Bin
            | Collation::Utf8Mb40900OfLanguage(..) => false,
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
            | Collation::Utf8Mb40900AsCs
            | Collation::Utf8Mb40900OfLanguage(..) => 0,
            Collation::Numbered(numbered) => numbered.listed().sort_length,
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
        Language::Croatian => ("utf8mb4_croatian_ci", 245),
        Language::Czech => ("utf8mb4_czech_ci", 234),
        Language::Danish => ("utf8mb4_danish_ci", 235),
        Language::Lithuanian => ("utf8mb4_lithuanian_ci", 236),
        Language::Slovak => ("utf8mb4_slovak_ci", 237),
        Language::TraditionalSpanish => ("utf8mb4_spanish2_ci", 238),
    }
}

/// The collations of a language by Unicode 9.0.0, each with its number.
struct Names900 {
    /// That of letters alone, if there is one.
    letters: Option<(&'static str, u16)>,
    letters_accents_case: (&'static str, u16),
}

impl Names900 {
    fn of(self, sensitivity: Sensitivity) -> (&'static str, u16) {
        match sensitivity {
            Sensitivity::Letters => self.letters.unwrap_or(self.letters_accents_case),
            Sensitivity::LettersAccentsCase => self.letters_accents_case,
        }
    }
}

/// The names of a code: `_ai_ci` where it has a number, `_as_cs`.
macro_rules! names {
    ($code:literal, $strict:literal) => {
        Names900 {
            letters: None,
            letters_accents_case: (concat!("utf8mb4_", $code, "_0900_as_cs"), $strict),
        }
    };
    ($code:literal, $letters:literal, $strict:literal) => {
        Names900 {
            letters: Some((concat!("utf8mb4_", $code, "_0900_ai_ci"), $letters)),
            ..names!($code, $strict)
        }
    };
}

/// The names and numbers of a language's collations (MySQL 9.7, information_schema.COLLATIONS).
fn names_900(language: Language900) -> Names900 {
    match language {
        Language900::Bulgarian => names!("bg", 318, 319),
        Language900::Bosnian => names!("bs", 316, 317),
        Language900::Czech => names!("cs", 266, 289),
        Language900::Danish => names!("da", 267, 290),
        Language900::GermanPhoneBook => names!("de_pb", 256, 279),
        Language900::Esperanto => names!("eo", 273, 296),
        Language900::Spanish => names!("es", 263, 286),
        Language900::TraditionalSpanish => names!("es_trad", 270, 293),
        Language900::Estonian => names!("et", 262, 285),
        Language900::Galician => names!("gl", 320, 321),
        Language900::Croatian => names!("hr", 275, 298),
        Language900::Hungarian => names!("hu", 274, 297),
        Language900::Icelandic => names!("is", 257, 280),
        Language900::Japanese => names!("ja", 303),
        Language900::Latin => names!("la", 271, 294),
        Language900::Lithuanian => names!("lt", 268, 291),
        Language900::Latvian => names!("lv", 258, 281),
        Language900::MongolianCyrillic => names!("mn_cyrl", 322, 323),
        Language900::NorwegianBokmal => names!("nb", 310, 311),
        Language900::NorwegianNynorsk => names!("nn", 312, 313),
        Language900::Polish => names!("pl", 261, 284),
        Language900::Romanian => names!("ro", 259, 282),
        Language900::Russian => names!("ru", 306, 307),
        Language900::Slovak => names!("sk", 269, 292),
        Language900::Slovenian => names!("sl", 260, 283),
        Language900::SerbianLatin => names!("sr_latn", 314, 315),
        Language900::Swedish => names!("sv", 264, 287),
        Language900::Turkish => names!("tr", 265, 288),
        Language900::Vietnamese => names!("vi", 277, 300),
        Language900::Chinese => names!("zh", 308),
    }
}
