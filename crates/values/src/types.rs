//! Column types: MySQL's, with what is needed to store, order and print their values.
//!
//! Invariants
//! 1. A type is plain data: serialised in the catalog, never changed once stored under a name.
//! 2. Lengths of character types count characters, those of binary types count bytes.
//!
//! Not here: values (`datum`), conversion between them (`convert`), byte layouts (`key`, `row`).

use serde::{Deserialize, Serialize};

use crate::language::{Language, Language900, Sensitivity};
use crate::numbered_collation::NumberedCollation;

/// What text is of which nothing is said: what a table, or a database for its tables, gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextDefaults {
    /// COLLATE, or the character set's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<Collation>,
    /// Most bytes of a character of the set that was named to an earlier version, which kept all
    /// sets as utf8mb4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub char_bytes: Option<u32>,
}

/// How text compares, and so how it is ordered in keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Collation {
    /// `binary`: bytes as they are, no padding.
    Binary,
    /// `utf8mb4_bin`: code points in order; trailing spaces do not count.
    Utf8Mb4Bin,
    /// `utf8mb4_general_ci`: case and accents do not count, nor do trailing spaces. The default.
    Utf8Mb4GeneralCi,
    /// `utf8mb4_unicode_ci`: letters by Unicode 4.0.0; trailing spaces do not count.
    Utf8Mb4UnicodeCi,
    /// `utf8mb4_unicode_520_ci`: letters by Unicode 5.2.0; trailing spaces do not count.
    Utf8Mb4Unicode520Ci,
    /// `utf8mb4_0900_ai_ci`: letters by Unicode 9.0.0; all characters count.
    Utf8Mb40900AiCi,
    /// `utf8mb4_0900_as_ci`: letters and accents by Unicode 9.0.0.
    Utf8Mb40900AsCi,
    /// `utf8mb4_0900_as_cs`: letters, accents and case by Unicode 9.0.0.
    Utf8Mb40900AsCs,
    /// `utf8mb4_0900_bin`: code points in order; all characters count.
    Utf8Mb40900Bin,
    /// Letters by Unicode 4.0.0 in the order of a language; trailing spaces do not count.
    Utf8Mb4OfLanguage(Language),
    /// By Unicode 9.0.0 in the order of a language; all characters count.
    Utf8Mb40900OfLanguage(Language900, Sensitivity),
    /// One of another character set, or a rare one, by MySQL's number.
    Numbered(NumberedCollation),
}

/// Bytes an integer column takes, which decides its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum IntWidth {
    /// TINYINT, 1 byte.
    Tiny,
    /// SMALLINT, 2 bytes.
    Small,
    /// MEDIUMINT, 3 bytes.
    Medium,
    /// INT, 4 bytes.
    Int,
    /// BIGINT, 8 bytes.
    Big,
}

/// The four sizes of the TEXT and BLOB families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LobSize {
    /// TINYTEXT, TINYBLOB: up to 2^8-1 bytes.
    Tiny,
    /// TEXT, BLOB: up to 2^16-1 bytes.
    Normal,
    /// MEDIUMTEXT, MEDIUMBLOB: up to 2^24-1 bytes.
    Medium,
    /// LONGTEXT, LONGBLOB: up to 2^32-1 bytes (and to the server's packet limit).
    Long,
}

/// The digits of a FLOAT or DOUBLE that has as many behind the point in every row: FLOAT(M,D), and
/// what is computed of such (decision 0097).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FixedPoint {
    /// Digits in all, 1-255.
    pub precision: u8,
    /// Digits behind the point, 0-30, and no more than in all.
    pub scale: u8,
}

impl FixedPoint {
    /// The most digits behind the point; what would have more has as many as each value needs.
    pub const SCALE_MAX: u8 = 30;

    /// So many digits, those behind the point among them; `None` if these are too many.
    pub fn new(precision: u8, scale: u8) -> Option<FixedPoint> {
        let precision = precision.max(scale);
        (scale <= FixedPoint::SCALE_MAX).then_some(FixedPoint { precision, scale })
    }
}

/// The type of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnType {
    /// TINYINT to BIGINT. `boolean` remembers BOOL, which is TINYINT(1).
    Int {
        /// Which of the five integer types.
        width: IntWidth,
        /// UNSIGNED.
        unsigned: bool,
        /// Declared as BOOL or TINYINT(1).
        boolean: bool,
    },
    /// FLOAT, 4 bytes; FLOAT(M,D) with its digits.
    Float(Option<FixedPoint>),
    /// DOUBLE, 8 bytes; DOUBLE(M,D) with its digits.
    Double(Option<FixedPoint>),
    /// DECIMAL(precision, scale): precision 1-65, scale 0-30, scale <= precision.
    Decimal {
        /// Digits in all.
        precision: u8,
        /// Digits behind the point.
        scale: u8,
    },
    /// CHAR(chars): trailing spaces are removed when stored; 0-255 characters.
    Char {
        /// Length in characters.
        chars: u32,
        /// How it compares.
        collation: Collation,
    },
    /// VARCHAR(chars).
    VarChar {
        /// Length in characters.
        chars: u32,
        /// How it compares.
        collation: Collation,
    },
    /// TINYTEXT to LONGTEXT.
    Text {
        /// Which of the four sizes.
        size: LobSize,
        /// How it compares.
        collation: Collation,
    },
    /// BINARY(bytes): padded with zero bytes to its length.
    Binary {
        /// Length in bytes.
        bytes: u32,
    },
    /// VARBINARY(bytes).
    VarBinary {
        /// Length in bytes.
        bytes: u32,
    },
    /// TINYBLOB to LONGBLOB.
    Blob {
        /// Which of the four sizes.
        size: LobSize,
    },
    /// DATE.
    Date,
    /// TIME(fsp): -838:59:59 to 838:59:59.
    Time {
        /// Digits of a second's fraction, 0-6.
        fsp: u8,
    },
    /// DATETIME(fsp): wall-clock time without a zone.
    DateTime {
        /// Digits of a second's fraction, 0-6.
        fsp: u8,
    },
    /// TIMESTAMP(fsp): an instant, stored in UTC, shown in the session's zone.
    Timestamp {
        /// Digits of a second's fraction, 0-6.
        fsp: u8,
    },
    /// YEAR: 1901-2155 and 0000.
    Year,
    /// ENUM('a', 'b', ...): stored as the 1-based position; 0 is the invalid value ''.
    Enum {
        /// The words, in order.
        values: Vec<String>,
        /// How they compare with text.
        collation: Collation,
    },
    /// SET('a', 'b', ...): stored as a number with a bit for each member, the first the lowest.
    Set {
        /// The members, in order: 1 to 64.
        values: Vec<String>,
        /// How they compare with text.
        collation: Collation,
    },
    /// BIT(n): a number of so many bits, which is shown as its bytes.
    Bit {
        /// Bits, 1 to 64.
        bits: u8,
    },
    /// JSON: stored as MySQL prints it.
    Json,
}

impl IntWidth {
    /// Bytes that a value takes.
    pub fn bytes(self) -> usize {
        match self {
            IntWidth::Tiny => 1,
            IntWidth::Small => 2,
            IntWidth::Medium => 3,
            IntWidth::Int => 4,
            IntWidth::Big => 8,
        }
    }

    /// The smallest signed value.
    pub fn min(self) -> i64 {
        i64::MIN >> (64 - 8 * self.bytes())
    }

    /// The largest signed value.
    pub fn max(self) -> i64 {
        i64::MAX >> (64 - 8 * self.bytes())
    }

    /// The largest unsigned value.
    pub fn unsigned_max(self) -> u64 {
        u64::MAX >> (64 - 8 * self.bytes())
    }

    fn name(self) -> &'static str {
        match self {
            IntWidth::Tiny => "tinyint",
            IntWidth::Small => "smallint",
            IntWidth::Medium => "mediumint",
            IntWidth::Int => "int",
            IntWidth::Big => "bigint",
        }
    }
}

impl LobSize {
    /// The most bytes of a value.
    pub fn bytes_max(self) -> u64 {
        match self {
            LobSize::Tiny => 0xFF,
            LobSize::Normal => 0xFFFF,
            LobSize::Medium => 0xFF_FFFF,
            LobSize::Long => 0xFFFF_FFFF,
        }
    }

    /// The smallest size whose values may have so many bytes; LONG for more than any has.
    pub fn of_bytes(bytes: u64) -> LobSize {
        match bytes {
            0..=0xFF => LobSize::Tiny,
            0x100..=0xFFFF => LobSize::Normal,
            0x1_0000..=0xFF_FFFF => LobSize::Medium,
            _ => LobSize::Long,
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            LobSize::Tiny => "tiny",
            LobSize::Normal => "",
            LobSize::Medium => "medium",
            LobSize::Long => "long",
        }
    }
}

/// Bytes of a DECIMAL's unscaled value in two's complement, by its precision: 1 to 28.
pub(crate) fn decimal_bytes(precision: u8) -> usize {
    // log2(10) is 3.3219..; one more bit is the sign's.
    let bits = (usize::from(precision) * 33_220).div_ceil(10_000) + 1;
    bits.div_ceil(8)
}

impl ColumnType {
    /// The most members of a SET.
    pub const SET_MEMBERS_MAX: usize = 64;

    /// Whether its numbers are within what values and their bytes can have. Types made from SQL
    /// are; bytes from the disk may say anything.
    pub fn is_possible(&self) -> bool {
        match self {
            ColumnType::Decimal { precision, scale } => {
                (1..=65).contains(precision) && scale <= precision && *scale <= 30
            }
            ColumnType::Float(Some(digits)) | ColumnType::Double(Some(digits)) => {
                digits.scale <= digits.precision && digits.scale <= FixedPoint::SCALE_MAX
            }
            ColumnType::Time { fsp }
            | ColumnType::DateTime { fsp }
            | ColumnType::Timestamp { fsp } => *fsp <= 6,
            ColumnType::Binary { bytes } => *bytes <= 255,
            ColumnType::Enum { values, .. } => values.len() <= usize::from(u16::MAX),
            ColumnType::Set { values, .. } => values.len() <= ColumnType::SET_MEMBERS_MAX,
            ColumnType::Bit { bits } => (1..=64).contains(bits),
            _ => true,
        }
    }

    /// Whether values are UTF-8 text in `Datum::Bytes`: CHAR, VARCHAR, TEXT, JSON.
    pub fn is_text(&self) -> bool {
        use ColumnType::*;
        matches!(self, Char { .. } | VarChar { .. } | Text { .. } | Json)
    }

    /// Whether values are bytes without a character set: BINARY, VARBINARY, BLOB.
    pub fn is_binary_string(&self) -> bool {
        use ColumnType::*;
        matches!(self, Binary { .. } | VarBinary { .. } | Blob { .. })
    }

    /// Whether it is one of the integer types (YEAR is none).
    pub fn is_integer(&self) -> bool {
        matches!(self, ColumnType::Int { .. })
    }

    /// Whether it is DATE, TIME, DATETIME or TIMESTAMP.
    pub fn is_temporal(&self) -> bool {
        use ColumnType::*;
        matches!(self, Date | Time { .. } | DateTime { .. } | Timestamp { .. })
    }

    /// Whether values are numbers that stand for words: ENUM, SET.
    pub fn is_listed(&self) -> bool {
        matches!(self, ColumnType::Enum { .. } | ColumnType::Set { .. })
    }

    /// How its strings compare; `None` for what is no string. ENUM and SET have the collation of
    /// their words although keys order them by number.
    pub fn collation(&self) -> Option<Collation> {
        match self {
            ColumnType::Char { collation, .. }
            | ColumnType::VarChar { collation, .. }
            | ColumnType::Text { collation, .. }
            | ColumnType::Enum { collation, .. }
            | ColumnType::Set { collation, .. } => Some(*collation),
            ColumnType::Json => Some(Collation::Utf8Mb4Bin),
            _ if self.is_binary_string() => Some(Collation::Binary),
            _ => None,
        }
    }

    /// Digits of a second's fraction; 0 for types without.
    pub fn fsp(&self) -> u8 {
        match self {
            ColumnType::Time { fsp }
            | ColumnType::DateTime { fsp }
            | ColumnType::Timestamp { fsp } => *fsp,
            _ => 0,
        }
    }

    /// Digits behind the point that each of its values is shown with; `None` where they have as
    /// many as they need, as in a text.
    pub fn decimals(&self) -> Option<u8> {
        match self {
            ColumnType::Int { .. } | ColumnType::Year => Some(0),
            ColumnType::Decimal { scale, .. } => Some(*scale),
            ColumnType::Float(digits) | ColumnType::Double(digits) => {
                digits.map(|digits| digits.scale)
            }
            _ if self.is_temporal() => Some(self.fsp()),
            _ => None,
        }
    }

    /// The word of an ENUM's position; empty for 0 and what is no position.
    pub fn enum_word(&self, position: u16) -> &str {
        match self {
            ColumnType::Enum { values, .. } => usize::from(position)
                .checked_sub(1)
                .and_then(|at| values.get(at))
                .map_or("", String::as_str),
            _ => "",
        }
    }

    /// Appends the members that a SET's value has, in the type's order, with commas between them.
    pub fn write_members(&self, members: u64, out: &mut Vec<u8>) {
        let ColumnType::Set { values, .. } = self else { return };
        let start = out.len();
        for (at, word) in values.iter().enumerate() {
            if members >> at & 1 == 1 {
                if out.len() > start {
                    out.push(b',');
                }
                out.extend_from_slice(word.as_bytes());
            }
        }
    }

    /// Characters of an ENUM's longest word, or of a SET's text with all members; 0 for others.
    pub fn listed_chars(&self) -> usize {
        let chars = |word: &String| word.chars().count();
        match self {
            ColumnType::Enum { values, .. } => values.iter().map(chars).max().unwrap_or(0),
            ColumnType::Set { values, .. } => {
                values.iter().map(chars).sum::<usize>() + values.len().saturating_sub(1)
            }
            _ => 0,
        }
    }

    /// The largest number that a SET or BIT holds, all of whose bits are set; 0 for others.
    pub fn bits_max(&self) -> u64 {
        let bits = match self {
            ColumnType::Set { values, .. } => values.len(),
            ColumnType::Bit { bits } => usize::from(*bits),
            _ => 0,
        };
        match bits {
            0 => 0,
            bits => u64::MAX >> 64usize.saturating_sub(bits),
        }
    }

    /// Bytes that hold a bit for each member of a SET, or those of a BIT; 0 for others.
    pub fn bits_bytes(&self) -> usize {
        match self {
            ColumnType::Set { values, .. } => values.len().div_ceil(8).max(1),
            ColumnType::Bit { bits } => usize::from(*bits).div_ceil(8),
            _ => 0,
        }
    }

    /// Bytes in a row's fixed part; `None` for types that are in its variable part.
    pub fn fixed_bytes(&self) -> Option<usize> {
        Some(match self {
            ColumnType::Int { width, .. } => width.bytes(),
            ColumnType::Float(_) => 4,
            ColumnType::Double(_) => 8,
            ColumnType::Decimal { precision, .. } => decimal_bytes(*precision),
            ColumnType::Binary { bytes } => *bytes as usize,
            ColumnType::Date | ColumnType::Time { fsp: 0 } => 3,
            ColumnType::Time { .. } => 6,
            ColumnType::DateTime { fsp: 0 } | ColumnType::Timestamp { fsp: 0 } => 5,
            ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => 8,
            ColumnType::Year | ColumnType::Enum { .. } => 2,
            ColumnType::Set { .. } | ColumnType::Bit { .. } => self.bits_bytes(),
            ColumnType::Char { .. }
            | ColumnType::VarChar { .. }
            | ColumnType::Text { .. }
            | ColumnType::VarBinary { .. }
            | ColumnType::Blob { .. }
            | ColumnType::Json => return None,
        })
    }

    /// The type as SHOW COLUMNS of MySQL 8 prints it: `int unsigned`, `enum('a','b')`. Widths of
    /// integers are left out, except for TINYINT(1), which clients take for a boolean.
    pub fn mysql_type_name(&self) -> String {
        let with_fsp = |name: &str, fsp: u8| match fsp {
            0 => name.to_string(),
            _ => format!("{name}({fsp})"),
        };
        let with_digits = |name: &str, digits: Option<FixedPoint>| match digits {
            Some(FixedPoint { precision, scale }) => format!("{name}({precision},{scale})"),
            None => name.to_string(),
        };
        match self {
            ColumnType::Int { width: IntWidth::Tiny, boolean: true, unsigned: false } => {
                "tinyint(1)".to_string()
            }
            ColumnType::Int { width, unsigned, .. } => {
                format!("{}{}", width.name(), if *unsigned { " unsigned" } else { "" })
            }
            ColumnType::Float(digits) => with_digits("float", *digits),
            ColumnType::Double(digits) => with_digits("double", *digits),
            ColumnType::Decimal { precision, scale } => format!("decimal({precision},{scale})"),
            ColumnType::Char { chars, .. } => format!("char({chars})"),
            ColumnType::VarChar { chars, .. } => format!("varchar({chars})"),
            ColumnType::Text { size, .. } => format!("{}text", size.prefix()),
            ColumnType::Binary { bytes } => format!("binary({bytes})"),
            ColumnType::VarBinary { bytes } => format!("varbinary({bytes})"),
            ColumnType::Blob { size } => format!("{}blob", size.prefix()),
            ColumnType::Date => "date".to_string(),
            ColumnType::Time { fsp } => with_fsp("time", *fsp),
            ColumnType::DateTime { fsp } => with_fsp("datetime", *fsp),
            ColumnType::Timestamp { fsp } => with_fsp("timestamp", *fsp),
            ColumnType::Year => "year".to_string(),
            ColumnType::Enum { values, .. } => format!("enum({})", literals(values)),
            ColumnType::Set { values, .. } => format!("set({})", literals(values)),
            ColumnType::Bit { bits } => format!("bit({bits})"),
            ColumnType::Json => "json".to_string(),
        }
    }
}

fn literals(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| string_literal(word)).collect();
    words.join(",")
}

/// A text in quotes, as statements of every SQL mode but NO_BACKSLASH_ESCAPES read it.
pub fn string_literal(text: &str) -> String {
    let mut literal = String::from("'");
    for character in text.chars() {
        match character {
            '\'' => literal.push_str("''"),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\0' => literal.push_str("\\0"),
            other => literal.push(other),
        }
    }
    literal.push('\'');
    literal
}
