//! Names of collations: those that clients send, and the one that is answered.

use crate::types::Collation;

impl Collation {
    /// The collation behind a name, in any case. Case-insensitive collations of MySQL that are not
    /// here in their own right stand for the one that is: `utf8mb4_0900_ai_ci` orders some
    /// letters otherwise, but clients name it because it is MySQL's default.
    pub fn from_name(name: &str) -> Option<Collation> {
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "binary" => Some(Collation::Binary),
            "utf8mb4_bin" | "utf8_bin" | "utf8mb3_bin" | "utf8mb4_0900_bin" | "latin1_bin"
            | "ascii_bin" => Some(Collation::Utf8Mb4Bin),
            "utf8mb4_general_ci"
            | "utf8mb4_0900_ai_ci"
            | "utf8mb4_unicode_ci"
            | "utf8mb4_unicode_520_ci"
            | "utf8_general_ci"
            | "utf8mb3_general_ci"
            | "utf8_unicode_ci"
            | "utf8mb3_unicode_ci"
            | "utf8mb4_uca1400_ai_ci"
            | "latin1_swedish_ci"
            | "latin1_general_ci"
            | "ascii_general_ci" => Some(Collation::Utf8Mb4GeneralCi),
            _ => None,
        }
    }

    /// Its own name.
    pub fn name(self) -> &'static str {
        match self {
            Collation::Binary => "binary",
            Collation::Utf8Mb4Bin => "utf8mb4_bin",
            Collation::Utf8Mb4GeneralCi => "utf8mb4_general_ci",
        }
    }

    /// The number by which MySQL's protocol knows it.
    pub fn number(self) -> u16 {
        match self {
            Collation::Binary => 63,
            Collation::Utf8Mb4Bin => 46,
            Collation::Utf8Mb4GeneralCi => 45,
        }
    }
}
