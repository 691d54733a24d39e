//! sql_mode: the flags that change what statements accept; with them goes what else a session may
//! say of an expression's type: the digits that a quotient gains, and the collation of literals.
//!
//! Not here: the variable's place in the session (crate `sql`, `variables`).

use crate::datum::Value;
use crate::temporal::Date;
use crate::types::Collation;

/// The modes that a session is in. Names as MySQL's. The highest bits are how
/// div_precision_increment and collation_connection differ from their defaults: they go wherever
/// the modes do, and plans are kept by all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SqlMode(u64);

/// div_precision_increment, unless a session says otherwise.
const DIVISION_DIGITS: u64 = 4;
/// Where its bits begin.
const DIVISION_SHIFT: u32 = 59;
/// Where the bits of collation_connection begin: its number in the protocol, 0 for the default.
const COLLATION_SHIFT: u32 = 48;
/// All of them.
const COLLATION_BITS: u64 = 0x1ff << COLLATION_SHIFT;
/// The collation of literals, unless a session says otherwise.
const CONNECTION: Collation = Collation::Utf8Mb4GeneralCi;

/// Names by bit; a mode that names others has a bit of its own beside theirs, which shows it.
const NAMES: [&str; 20] = [
    "REAL_AS_FLOAT",
    "PIPES_AS_CONCAT",
    "ANSI_QUOTES",
    "IGNORE_SPACE",
    "ONLY_FULL_GROUP_BY",
    "NO_UNSIGNED_SUBTRACTION",
    "NO_BACKSLASH_ESCAPES",
    "STRICT_TRANS_TABLES",
    "STRICT_ALL_TABLES",
    "NO_ZERO_IN_DATE",
    "NO_ZERO_DATE",
    "ERROR_FOR_DIVISION_BY_ZERO",
    "NO_AUTO_VALUE_ON_ZERO",
    "NO_ENGINE_SUBSTITUTION",
    "HIGH_NOT_PRECEDENCE",
    "TIME_TRUNCATE_FRACTIONAL",
    "ALLOW_INVALID_DATES",
    "ANSI",
    "TRADITIONAL",
    "NO_DIR_IN_CREATE",
];

/// The bits in the order in which MySQL shows them.
const SHOWN: [usize; NAMES.len()] =
    [0, 1, 2, 3, 4, 5, 19, 17, 12, 6, 7, 8, 9, 10, 16, 11, 18, 14, 13, 15];

/// Modes of MySQL that would change what is shown, and are not there.
const NOT_HERE: [&str; 1] = ["PAD_CHAR_TO_FULL_LENGTH"];

/// Modes by the bits of the number that MySQL takes for sql_mode; bits without a name are of modes
/// that are gone.
const BY_NUMBER: [(u8, &str); 20] = [
    (0, "REAL_AS_FLOAT"),
    (1, "PIPES_AS_CONCAT"),
    (2, "ANSI_QUOTES"),
    (3, "IGNORE_SPACE"),
    (5, "ONLY_FULL_GROUP_BY"),
    (6, "NO_UNSIGNED_SUBTRACTION"),
    (7, "NO_DIR_IN_CREATE"),
    (18, "ANSI"),
    (19, "NO_AUTO_VALUE_ON_ZERO"),
    (20, "NO_BACKSLASH_ESCAPES"),
    (21, "STRICT_TRANS_TABLES"),
    (22, "STRICT_ALL_TABLES"),
    (23, "NO_ZERO_IN_DATE"),
    (24, "NO_ZERO_DATE"),
    (25, "ALLOW_INVALID_DATES"),
    (26, "ERROR_FOR_DIVISION_BY_ZERO"),
    (27, "TRADITIONAL"),
    (29, "HIGH_NOT_PRECEDENCE"),
    (30, "NO_ENGINE_SUBSTITUTION"),
    (31, "PAD_CHAR_TO_FULL_LENGTH"),
];

/// Why a list is none of modes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModeFault {
    /// The first word that is no mode.
    Unknown(String),
    /// The first mode that is not there.
    NotHere(&'static str),
}

impl Default for SqlMode {
    /// MySQL 8's default.
    fn default() -> SqlMode {
        SqlMode(1 << 4 | 1 << 7 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13)
    }
}

impl SqlMode {
    /// Modes from a comma-separated list.
    ///
    /// # Errors
    /// Of the first word that is no mode, or one that is not there.
    pub fn parse(text: &str) -> Result<SqlMode, ModeFault> {
        let mut bits = 0;
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let upper = word.to_ascii_uppercase();
            bits |= match upper.as_str() {
                "TRADITIONAL" => 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 18,
                "ANSI" => 1 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 17,
                // In dumps of MySQL 5.7; without effect, as there.
                "NO_AUTO_CREATE_USER" => 0,
                name => match NAMES.iter().position(|known| *known == name) {
                    Some(bit) => 1 << bit,
                    None => {
                        let known = NOT_HERE.iter().find(|known| **known == name);
                        return Err(known.map_or_else(
                            || ModeFault::Unknown(word.to_string()),
                            |known| ModeFault::NotHere(known),
                        ));
                    }
                },
            };
        }
        Ok(SqlMode(bits))
    }

    /// The list that a number stands for; `None` where one of its bits is of no mode.
    pub fn list_of_number(number: u64) -> Option<String> {
        let named = |(bit, _): &&(u8, &str)| number >> bit & 1 == 1;
        let names: Vec<&str> = BY_NUMBER.iter().filter(named).map(|(_, name)| *name).collect();
        (names.len() == number.count_ones() as usize).then(|| names.join(","))
    }

    /// Digits that `/` adds behind the point (div_precision_increment).
    pub fn division_digits(self) -> u8 {
        (self.0 >> DIVISION_SHIFT ^ DIVISION_DIGITS) as u8
    }

    /// These modes with so many digits, of which there are 30 at most.
    #[must_use]
    pub fn with_division_digits(self, digits: u8) -> SqlMode {
        let digits = u64::from(digits.min(30)) ^ DIVISION_DIGITS;
        SqlMode(self.0 & ((1 << DIVISION_SHIFT) - 1) | digits << DIVISION_SHIFT)
    }

    /// The collation of texts that have none of their own (collation_connection).
    pub fn connection_collation(self) -> Collation {
        match (self.0 & COLLATION_BITS) >> COLLATION_SHIFT {
            0 => CONNECTION,
            number => Collation::of_number(number as u16).unwrap_or(CONNECTION),
        }
    }

    /// These modes with that collation.
    #[must_use]
    pub fn with_connection_collation(self, collation: Collation) -> SqlMode {
        let number = if collation == CONNECTION { 0 } else { u64::from(collation.number()) };
        SqlMode(self.0 & !COLLATION_BITS | number << COLLATION_SHIFT)
    }

    /// The modes of `named`, with what else this session says.
    #[must_use]
    pub fn with_flags_of(self, named: SqlMode) -> SqlMode {
        const FLAGS: u64 = (1 << NAMES.len()) - 1;
        SqlMode(self.0 & !FLAGS | named.0 & FLAGS)
    }

    /// Whether bad values are errors rather than warnings.
    pub fn strict(self) -> bool {
        self.0 & (1 << 7 | 1 << 8) != 0
    }

    /// The same modes without strictness, as IGNORE makes them.
    pub fn lenient(self) -> SqlMode {
        SqlMode(self.0 & !(1 << 7 | 1 << 8))
    }

    /// What is given of a group must be the same in all of its rows.
    pub fn only_full_group_by(self) -> bool {
        self.0 & (1 << 4) != 0
    }

    /// These modes without that.
    #[must_use]
    pub fn without_full_groups(self) -> SqlMode {
        SqlMode(self.0 & !(1 << 4))
    }

    /// `"` quotes names.
    pub fn ansi_quotes(self) -> bool {
        self.0 & (1 << 2) != 0
    }

    /// Spaces may stand between a function's name and its bracket.
    pub fn ignore_space(self) -> bool {
        self.0 & (1 << 3) != 0
    }

    /// `||` joins strings.
    pub fn pipes_as_concat(self) -> bool {
        self.0 & (1 << 1) != 0
    }

    /// `\` is an ordinary character.
    pub fn no_backslash_escapes(self) -> bool {
        self.0 & (1 << 6) != 0
    }

    /// '0000-00-00' is refused.
    pub fn no_zero_date(self) -> bool {
        self.0 & (1 << 10) != 0
    }

    /// Dates with a zero month or day are refused.
    pub fn no_zero_in_date(self) -> bool {
        self.0 & (1 << 9) != 0
    }

    /// Whether a day is refused; `is_zero`: with a time of day, if there is one.
    pub fn refuses_day(self, day: Date, is_zero: bool) -> bool {
        match is_zero {
            true => self.no_zero_date(),
            false => day.has_zero_part() && self.no_zero_in_date(),
        }
    }

    /// Whether a value has a day that is refused.
    pub fn refuses_value(self, value: &Value) -> bool {
        match value {
            Value::Date(day) => self.refuses_day(*day, day.is_zero()),
            Value::DateTime(time) => self.refuses_day(time.date(), time.is_zero()),
            Value::Timestamp(time) => time.is_zero() && self.no_zero_date(),
            _ => false,
        }
    }

    /// Division by zero is an error in strict statements that write.
    pub fn error_for_division_by_zero(self) -> bool {
        self.0 & (1 << 11) != 0
    }

    /// A table is not made with another engine than the one that it was to have.
    pub fn no_engine_substitution(self) -> bool {
        self.0 & (1 << 13) != 0
    }

    /// 0 in an AUTO_INCREMENT column is stored, not replaced.
    pub fn no_auto_value_on_zero(self) -> bool {
        self.0 & (1 << 12) != 0
    }

    /// Digits of a second that have no room are cut off, not rounded.
    pub fn truncates_fractions(self) -> bool {
        self.0 & (1 << 15) != 0
    }

    /// Every month has 31 days.
    pub fn allows_invalid_dates(self) -> bool {
        self.0 & (1 << 16) != 0
    }

    /// NOT binds as `!` does.
    pub fn high_not_precedence(self) -> bool {
        self.0 & (1 << 14) != 0
    }

    /// Unsigned subtraction gives signed results.
    pub fn no_unsigned_subtraction(self) -> bool {
        self.0 & (1 << 5) != 0
    }
}

impl std::fmt::Display for SqlMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut first = true;
        for (bit, name) in SHOWN.map(|bit| (bit, NAMES[bit])) {
            if self.0 & (1 << bit) != 0 {
                if !first {
                    f.write_str(",")?;
                }
                first = false;
                f.write_str(name)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collation::collations;

    #[test]
    fn every_collation_and_all_digits_go_with_the_modes() {
        let mode = SqlMode::default();
        assert_eq!((mode.connection_collation(), mode.division_digits()), (CONNECTION, 4));
        for collation in collations() {
            let other = mode.with_connection_collation(collation).with_division_digits(30);
            assert_eq!((other.connection_collation(), other.division_digits()), (collation, 30));
            assert_eq!(other.to_string(), mode.to_string());
            let plain = other.with_connection_collation(CONNECTION).with_division_digits(4);
            assert_eq!(plain, mode);
            let named = other.with_flags_of(SqlMode::parse("ANSI_QUOTES").unwrap());
            assert_eq!(named.connection_collation(), collation);
            assert_eq!(named.to_string(), "ANSI_QUOTES");
        }
    }

    #[test]
    fn a_mode_that_names_others_is_shown_behind_them_in_the_order_of_mysql() {
        let shown = |text: &str| SqlMode::parse(text).map(|mode| mode.to_string());
        let ansi = "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ONLY_FULL_GROUP_BY,ANSI";
        assert_eq!(shown("ansi").as_deref(), Ok(ansi));
        let both = shown("no_backslash_escapes,no_dir_in_create,time_truncate_fractional");
        let expected = "NO_DIR_IN_CREATE,NO_BACKSLASH_ESCAPES,TIME_TRUNCATE_FRACTIONAL";
        assert_eq!(both.as_deref(), Ok(expected));
        assert_eq!(shown("mysql40"), Err(ModeFault::Unknown("mysql40".to_owned())));
    }
}
