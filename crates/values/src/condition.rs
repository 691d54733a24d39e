//! A condition that SIGNAL raises, and the items that GET DIAGNOSTICS reads of any.
//!
//! Invariants
//! 1. A state that is raised has five capitals or digits, and is none of success (class `00`).
//!
//! Not here: the statements (`syntax::diagnostics`), the conditions that the server itself raises
//! (`error_code`).

/// What a condition has besides its words and numbers, by SQL's names (SQL:2016, 23.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionItem {
    /// What defined the class.
    ClassOrigin,
    /// What defined the rest of the state.
    SubclassOrigin,
    /// The constraint that is broken.
    ConstraintCatalog,
    /// Its schema.
    ConstraintSchema,
    /// Its name.
    ConstraintName,
    /// What the condition is about.
    CatalogName,
    /// Its schema.
    SchemaName,
    /// Its table.
    TableName,
    /// Its column.
    ColumnName,
    /// Its cursor.
    CursorName,
    /// The words.
    MessageText,
    /// MySQL's number.
    MysqlErrno,
    /// The state, which is read and not set.
    ReturnedSqlstate,
}

use ConditionItem as I;

/// All of them by name.
const NAMES: [(ConditionItem, &str); 13] = [
    (I::ClassOrigin, "CLASS_ORIGIN"),
    (I::SubclassOrigin, "SUBCLASS_ORIGIN"),
    (I::ConstraintCatalog, "CONSTRAINT_CATALOG"),
    (I::ConstraintSchema, "CONSTRAINT_SCHEMA"),
    (I::ConstraintName, "CONSTRAINT_NAME"),
    (I::CatalogName, "CATALOG_NAME"),
    (I::SchemaName, "SCHEMA_NAME"),
    (I::TableName, "TABLE_NAME"),
    (I::ColumnName, "COLUMN_NAME"),
    (I::CursorName, "CURSOR_NAME"),
    (I::MessageText, "MESSAGE_TEXT"),
    (I::MysqlErrno, "MYSQL_ERRNO"),
    (I::ReturnedSqlstate, "RETURNED_SQLSTATE"),
];

impl ConditionItem {
    /// Their names, in no order that means anything.
    pub fn names() -> impl Iterator<Item = (ConditionItem, &'static str)> {
        NAMES.into_iter()
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(item, _)| *item == self).map_or("", |(_, name)| name)
    }
}

/// What SIGNAL raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignaledCondition {
    /// MYSQL_ERRNO.
    pub number: u16,
    /// SQLSTATE.
    pub sqlstate: [u8; 5],
    /// The other items that it was given, each once.
    pub items: Vec<(ConditionItem, String)>,
}

/// A state as it is written; `None` if it is none that can be raised.
#[must_use]
pub fn raised_sqlstate(text: &str) -> Option<[u8; 5]> {
    let state: [u8; 5] = text.as_bytes().try_into().ok()?;
    let is_known = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    (state.iter().all(is_known) && !state.starts_with(b"00")).then_some(state)
}

/// The origins of the class of a state and of the rest of it: classes that begin with 0 to 4 or A
/// to H are the standard's, and so are their rests here (MySQL 9.7:
/// tests/oracle/sql/diagnostics.sql).
#[must_use]
pub fn origins_of(sqlstate: &[u8; 5]) -> (&'static str, &'static str) {
    const STANDARD: &str = "ISO 9075";
    const OWN: &str = "MySQL";
    match sqlstate[0] {
        b'0'..=b'4' | b'A'..=b'H' => (STANDARD, STANDARD),
        _ => (OWN, OWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_of_success_or_of_other_letters_is_not_raised() {
        assert_eq!(raised_sqlstate("45000"), Some(*b"45000"));
        for text in ["00000", "4500", "450000", "45abc", ""] {
            assert_eq!(raised_sqlstate(text), None, "{text}");
        }
    }

    #[test]
    fn states_of_the_standard_are_told_from_mysqls() {
        assert_eq!(origins_of(b"23000"), ("ISO 9075", "ISO 9075"));
        assert_eq!(origins_of(b"42S02"), ("ISO 9075", "ISO 9075"));
        assert_eq!(origins_of(b"XAE04"), ("MySQL", "MySQL"));
    }
}
