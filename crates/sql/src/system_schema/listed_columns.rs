//! What tables of the server's own are like, told as lists of MySQL's names: a table, then its
//! columns, each with a sign for its type.
//!
//! ```text
//! threads: THREAD_ID# NAME TYPE PROCESSLIST_ID#? PROCESSLIST_USER? PROCESSLIST_INFO~?
//! ```
//! `#` a whole number, `%` a fraction, `@` a moment, `~` a long text, else a text; `?` may be NULL.
//!
//! Invariants
//! 1. A row has a value for each column of its table. Where nothing is known of one it is NULL if
//!    it may be, else 0 or empty, never a guess.
//!
//! Not here: the rows (`performance_schema`, `sys`, `information_schema`).

use std::collections::BTreeMap;

use expression::{BIGINT_UNSIGNED, text_type};
use results::ResultColumn;
use values::datum::Value;
use values::temporal::Timestamp;
use values::types::{Collation, ColumnType, LobSize};

use crate::show::Listing;

/// The tables of one of the server's databases.
pub struct ListedTables(BTreeMap<&'static str, Vec<ListedColumn>>);

/// A column.
#[derive(Clone, Debug)]
struct ListedColumn {
    name: &'static str,
    kind: ListedKind,
    is_nullable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListedKind {
    Text,
    LongText,
    Number,
    Fraction,
    Moment,
}

impl ListedColumn {
    fn of(word: &'static str) -> ListedColumn {
        let (word, is_nullable) = match word.strip_suffix('?') {
            Some(word) => (word, true),
            None => (word, false),
        };
        let (name, kind) = match word.as_bytes().last() {
            Some(b'#') => (&word[..word.len() - 1], ListedKind::Number),
            Some(b'%') => (&word[..word.len() - 1], ListedKind::Fraction),
            Some(b'@') => (&word[..word.len() - 1], ListedKind::Moment),
            Some(b'~') => (&word[..word.len() - 1], ListedKind::LongText),
            _ => (word, ListedKind::Text),
        };
        ListedColumn { name, kind, is_nullable }
    }

    fn described(&self) -> ResultColumn {
        let ty = match self.kind {
            ListedKind::Text => text_type(1024),
            ListedKind::LongText => {
                ColumnType::Text { size: LobSize::Long, collation: Collation::Utf8Mb4GeneralCi }
            }
            ListedKind::Number => BIGINT_UNSIGNED,
            ListedKind::Fraction => ColumnType::Double(None),
            ListedKind::Moment => ColumnType::Timestamp { fsp: 6 },
        };
        ResultColumn::computed(self.name, ty, self.is_nullable)
    }

    /// What stands where nothing is known.
    fn nothing(&self) -> Value {
        match self.kind {
            _ if self.is_nullable => Value::Null,
            ListedKind::Text | ListedKind::LongText => Value::Bytes(Vec::new()),
            ListedKind::Number => Value::UInt(0),
            ListedKind::Fraction => Value::Double(0.0),
            ListedKind::Moment => Value::Timestamp(Timestamp::from_micros(0)),
        }
    }
}

impl ListedTables {
    /// Reads a text of the program's own; lines without a name go on with the table before.
    pub fn parse(text: &'static str) -> ListedTables {
        let mut tables: BTreeMap<&'static str, Vec<ListedColumn>> = BTreeMap::new();
        let mut current = "";
        for line in text.lines().filter(|line| !line.starts_with("--")) {
            let columns = match line.split_once(':') {
                Some((name, columns)) => {
                    current = name;
                    columns
                }
                None => line,
            };
            let columns = columns.split_whitespace().map(ListedColumn::of);
            tables.entry(current).or_default().extend(columns);
        }
        ListedTables(tables)
    }

    /// Their names, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    /// A table without rows yet, by its name as the text has it.
    pub fn table(&self, name: &str) -> Option<TableFiller<'_>> {
        let columns = self.0.get(name)?;
        let described = columns.iter().map(ListedColumn::described).collect();
        let listing = Listing { columns: described, ..Listing::default() };
        Some(TableFiller { columns, listing })
    }
}

/// A table whose rows are being made.
pub struct TableFiller<'t> {
    columns: &'t [ListedColumn],
    listing: Listing,
}

impl TableFiller<'_> {
    /// Adds a row of values by the names of their columns; `None`: nothing is known.
    pub fn push(&mut self, value: impl Fn(&str) -> Option<Value>) {
        let or_nothing =
            |column: &ListedColumn| value(column.name).unwrap_or_else(|| column.nothing());
        self.listing.push(self.columns.iter().map(or_nothing).collect());
    }

    /// Adds the rows of a listing that has columns of the same names.
    pub fn push_all(&mut self, listing: &Listing) {
        for row in &listing.rows {
            self.push(|name| {
                let at = listing.columns.iter().position(|column| column.name == name)?;
                Some(row[at].clone())
            });
        }
    }

    /// The table with its rows.
    pub fn listing(self) -> Listing {
        self.listing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_null_or_nothing() {
        let tables = ListedTables::parse("-- x\nt: A# B? C@\n    D~? E%\nu: F\n");
        assert_eq!(tables.names().collect::<Vec<_>>(), ["t", "u"]);
        let mut table = tables.table("t").unwrap();
        table.push(|name| (name == "A").then_some(Value::UInt(7)));
        let listing = table.listing();
        let names: Vec<_> = listing.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["A", "B", "C", "D", "E"]);
        let nothing = Value::Timestamp(Timestamp::from_micros(0));
        let expected =
            [Value::UInt(7), Value::Null, nothing, Value::Null, Value::Double(0.0)].to_vec();
        assert_eq!(listing.rows, [expected]);
        assert!(tables.table("v").is_none());
    }
}
