//! Foreign keys as definitions: columns of a table whose values another table's rows must have.
//!
//! The table that has the foreign key is the child, the one that it refers to the parent. The
//! child's definition says all; what refers to a parent follows from the definitions of all tables
//! (`Catalog`).
//!
//! Invariants
//! 1. The columns of a foreign key are the first ones of an index of the child, so that the rows
//!    that refer to a key are found.
//! 2. The columns that it refers to are all those of a unique index of the parent, in this order,
//!    where there is a parent: with foreign_key_checks off a child may come before its parent.
//!
//! Not here: what they do to rows (`transaction::parents`, `transaction::children`), how they are
//! made and looked at (`ddl::relations`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use values::types::ColumnType;

use crate::schema::{Column, TableDefinition};

/// Whether a statement minds foreign keys: foreign_key_checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignKeyChecks {
    /// As always.
    On,
    /// Not: tables and rows come in any order, and whoever says so answers for them.
    Off,
}

/// What becomes of the rows that refer to one which goes, or gets another key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReferentialAction {
    /// The change is refused while there are such rows.
    #[default]
    NoAction,
    /// The same, as it was written.
    Restrict,
    /// They go as well, or get the same key.
    Cascade,
    /// They refer to nothing from then on.
    SetNull,
    /// The change is refused, as in InnoDB.
    SetDefault,
}

impl ReferentialAction {
    /// In SQL's words.
    pub fn words(self) -> &'static str {
        match self {
            ReferentialAction::NoAction => "NO ACTION",
            ReferentialAction::Restrict => "RESTRICT",
            ReferentialAction::Cascade => "CASCADE",
            ReferentialAction::SetNull => "SET NULL",
            ReferentialAction::SetDefault => "SET DEFAULT",
        }
    }

    /// Whether the change is refused.
    pub fn refuses(self) -> bool {
        !matches!(self, ReferentialAction::Cascade | ReferentialAction::SetNull)
    }
}

/// A foreign key of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKey {
    /// Its name, which no other foreign key of the database has.
    pub name: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// The parent's database.
    pub parent_database: String,
    /// The parent's name.
    pub parent_table: String,
    /// Names of the columns that it refers to.
    pub parent_columns: Vec<String>,
    /// What becomes of the child's rows when the parent's row goes.
    #[serde(default)]
    pub on_delete: ReferentialAction,
    /// What becomes of them when the parent's row gets another key.
    #[serde(default)]
    pub on_update: ReferentialAction,
}

impl ForeignKey {
    /// Whether it refers to this table.
    pub fn refers_to(&self, database: &str, table: &str) -> bool {
        self.parent_database == database && self.parent_table == table
    }

    /// Lets the columns of the parent have other names.
    pub(crate) fn rename_parent_column(&mut self, from: &str, to: &str) {
        rename(&mut self.parent_columns, from, to);
    }

    /// Lets a column of the child have another name.
    pub(crate) fn rename_column(&mut self, from: &str, to: &str) {
        rename(&mut self.columns, from, to);
    }
}

fn rename(names: &mut [String], from: &str, to: &str) {
    for name in names.iter_mut().filter(|name| name.eq_ignore_ascii_case(from)) {
        to.clone_into(name);
    }
}

/// That a table's foreign key refers to another table, as this one knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The child's database.
    pub database: String,
    /// The child's name.
    pub table: String,
    /// Its foreign key.
    pub key: ForeignKey,
}

/// A foreign key of one version of a child, by positions.
#[derive(Clone, Debug)]
pub(crate) struct ForeignColumns {
    /// Positions of its columns.
    pub columns: Vec<usize>,
    /// The index that begins with them.
    pub index: usize,
}

impl TableDefinition {
    /// Position of a foreign key by name, without regard to case.
    pub fn foreign_key(&self, name: &str) -> Option<usize> {
        self.foreign_keys.iter().position(|key| key.name.eq_ignore_ascii_case(name))
    }

    /// Positions of columns by their names; `None` if one is not there.
    pub(crate) fn positions(&self, names: &[String]) -> Option<Vec<usize>> {
        names.iter().map(|name| self.column(name)).collect()
    }

    /// The first index whose first columns are these, whole.
    pub fn index_beginning_with(&self, columns: &[usize]) -> Option<usize> {
        self.indexes.iter().position(|index| {
            let parts = index.parts.iter().map(|part| (part.column, part.prefix));
            index.parts.len() >= columns.len()
                && parts.zip(columns).all(|(part, column)| part == (*column, None))
        })
    }

    /// The first unique index that has these columns, whole, and no others.
    pub fn unique_index_of(&self, names: &[String]) -> Option<usize> {
        let columns = self.positions(names)?;
        self.indexes.iter().position(|index| {
            let parts = index.parts.iter().map(|part| (part.column, part.prefix));
            index.unique
                && index.parts.len() == columns.len()
                && parts.zip(&columns).all(|(part, column)| part == (*column, None))
        })
    }

    /// Its foreign keys by positions; `None` where one lacks a column or an index.
    pub(crate) fn foreign_columns(&self) -> Option<Vec<ForeignColumns>> {
        let of = |key: &ForeignKey| {
            let columns = self.positions(&key.columns)?;
            let index = self.index_beginning_with(&columns)?;
            Some(ForeignColumns { columns, index })
        };
        self.foreign_keys.iter().map(of).collect()
    }

    /// The names that follow the table's have its new one: `table_ibfk_1`.
    pub(crate) fn rename_foreign_keys(&mut self, from: &str, to: &str) {
        for key in &mut self.foreign_keys {
            if let Some(number) = generated_number(from, &key.name) {
                key.name = generated_name(to, number);
            }
        }
    }

    /// The name of one more foreign key without one.
    pub(crate) fn free_foreign_key_name(&self, table: &str) -> String {
        let numbers = self.foreign_keys.iter().filter_map(|key| generated_number(table, &key.name));
        generated_name(table, numbers.max().unwrap_or(0) + 1)
    }
}

fn generated_name(table: &str, number: u64) -> String {
    format!("{table}_ibfk_{number}")
}

/// The number in a name that was made up for a foreign key of a table.
fn generated_number(table: &str, name: &str) -> Option<u64> {
    let number = name.strip_prefix(table)?.strip_prefix("_ibfk_")?;
    number.parse().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether values of two columns can be compared as keys: whole numbers of one size and sign, texts
/// of one collation, of all others the same type.
pub(crate) fn are_comparable(child: &Column, parent: &Column) -> bool {
    use ColumnType::{Binary, Blob, Char, Enum, Int, Text, VarBinary, VarChar};
    let collation = |ty: &ColumnType| match ty {
        Char { collation, .. } | VarChar { collation, .. } | Text { collation, .. } => {
            Some(*collation)
        }
        _ => None,
    };
    match (&child.ty, &parent.ty) {
        (Int { width, unsigned, .. }, Int { width: of, unsigned: sign, .. }) => {
            width == of && unsigned == sign
        }
        (VarBinary { .. } | Blob { .. }, VarBinary { .. } | Blob { .. }) => true,
        (Binary { bytes }, Binary { bytes: of }) => bytes == of,
        (Enum { .. }, Enum { .. }) => child.ty == parent.ty,
        (of_child, of_parent) => match (collation(of_child), collation(of_parent)) {
            (Some(one), Some(other)) => one == other,
            _ => of_child == of_parent && child.unsigned == parent.unsigned,
        },
    }
}

/// All that refer to a table.
pub type References = Arc<[Reference]>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_made_up_is_known_by_its_number() {
        assert_eq!(generated_number("t", "t_ibfk_12"), Some(12));
        for other in ["t_ibfk_", "t_ibfk_+1", "t_ibfk_1x", "u_ibfk_1", "t_ibfk"] {
            assert_eq!(generated_number("t", other), None, "{other}");
        }
    }
}
