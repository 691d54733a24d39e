//! Foreign keys of a definition by names and positions, and which columns they may compare.
//!
//! Not here: what a foreign key is (`foreign_key`), which ones a definition may have
//! (`ddl::relations`).

use std::borrow::Cow;

use values::convert::convert_from;
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::types::ColumnType;

use crate::foreign_key::{ForeignColumns, ForeignKey};
use crate::schema::{Column, IndexPart, TableDefinition};

impl TableDefinition {
    /// Position of a foreign key by name, without regard to case.
    pub fn foreign_key(&self, name: &str) -> Option<usize> {
        self.foreign_keys.iter().position(|key| key.name.eq_ignore_ascii_case(name))
    }

    /// Positions of columns by their names; `None` if one is not there.
    pub(crate) fn positions(&self, names: &[String]) -> Option<Vec<usize>> {
        names.iter().map(|name| self.column(name)).collect()
    }

    /// The first index whose first columns are these, whole and rising: no other serves a foreign
    /// key (MySQL 9.7: tests/oracle/sql/indexes-of-foreign-keys.sql).
    pub fn index_beginning_with(&self, columns: &[usize]) -> Option<usize> {
        self.index_of_parts(columns, |part| !part.descending)
    }

    /// The first index whose first columns are these, whole, and such parts.
    fn index_of_parts(
        &self,
        columns: &[usize],
        is_such: impl Fn(&IndexPart) -> bool,
    ) -> Option<usize> {
        self.indexes.iter().position(|index| {
            let mut parts = index.parts.iter().zip(columns);
            index.parts.len() >= columns.len()
                && parts.all(|(part, at)| part.whole() == Some(*at) && is_such(part))
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
            // Falling ones of before the rule serve on.
            let index = self
                .index_beginning_with(&columns)
                .or_else(|| self.index_of_parts(&columns, |_| true))?;
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

/// The values of a foreign key as those of the other table's columns.
pub(crate) enum ComparedKey {
    /// As they are.
    Same,
    /// Equal ones, of types with more or fewer digits or bytes.
    Equal(Vec<Value>),
    /// One of them has no equal there.
    Nowhere,
}

impl ComparedKey {
    /// The values, which are `own` where they stay as they are; `None` where there are none.
    pub(crate) fn into_values(self, own: &[Datum<'_>]) -> Option<Vec<Value>> {
        match self {
            ComparedKey::Same => Some(own.iter().map(Datum::to_value).collect()),
            ComparedKey::Equal(others) => Some(others),
            ComparedKey::Nowhere => None,
        }
    }

    /// The same, borrowed.
    pub(crate) fn datums<'k>(&'k self, own: &'k [Datum<'k>]) -> Option<Cow<'k, [Datum<'k>]>> {
        match self {
            ComparedKey::Same => Some(Cow::Borrowed(own)),
            ComparedKey::Equal(others) => Some(others.iter().map(Value::as_datum).collect()),
            ComparedKey::Nowhere => None,
        }
    }
}

/// What a key of these columns is among those of another table.
pub(crate) fn key_among(
    (from, columns): (&TableDefinition, &[String]),
    (to, others): (&TableDefinition, &[String]),
    values: &[Datum<'_>],
) -> ComparedKey {
    // Asked for every row of a child: nothing is made where nothing differs.
    let types = || {
        columns.iter().zip(others).map(|(column, other)| {
            let (column, other) = (from.column(column)?, to.column(other)?);
            let (from, to) = (&from.columns[column].ty, &to.columns[other].ty);
            is_kept_otherwise(from, to).then_some((from, to))
        })
    };
    if types().all(|differing| differing.is_none()) {
        return ComparedKey::Same;
    }
    let equal = values.iter().zip(types()).map(|(value, differing)| {
        let Some((from, to)) = differing else { return Some(value.to_value()) };
        let there = convert_from(to, *value, from, Zone::UTC).value;
        let back = convert_from(from, there.as_datum(), to, Zone::UTC).value;
        (back.as_datum() == *value).then_some(there)
    });
    equal.collect::<Option<_>>().map_or(ComparedKey::Nowhere, ComparedKey::Equal)
}

/// Whether columns that can be compared have other bytes for equal values.
fn is_kept_otherwise(from: &ColumnType, to: &ColumnType) -> bool {
    use ColumnType::{Binary, DateTime, Decimal, Time, Timestamp};
    from != to
        && [from, to].into_iter().any(|ty| {
            matches!(
                ty,
                Decimal { .. } | DateTime { .. } | Time { .. } | Timestamp { .. } | Binary { .. }
            )
        })
}

/// Whether values of two columns can be compared as keys: whole numbers of one size and sign, texts
/// of one collation, ENUMs as numbers, other numbers and times of one kind with however many
/// digits, bytes of any length, of all others the same type.
pub(crate) fn are_comparable(child: &Column, parent: &Column) -> bool {
    use ColumnType::{
        Binary, Bit, Blob, Char, DateTime, Decimal, Double, Enum, Float, Int, Set, Text, Time,
        Timestamp, VarBinary, VarChar,
    };
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
        (
            Binary { .. } | VarBinary { .. } | Blob { .. },
            Binary { .. } | VarBinary { .. } | Blob { .. },
        )
        | (Decimal { .. }, Decimal { .. })
        | (DateTime { .. }, DateTime { .. })
        | (Timestamp { .. }, Timestamp { .. })
        | (Time { .. }, Time { .. })
        | (Float(_), Float(_))
        | (Double(_), Double(_)) => true,
        // As numbers, each of which the child has a word for.
        (Enum { values, .. }, Enum { values: of, .. }) => values.len() >= of.len(),
        // As numbers, of as many bytes.
        (Set { collation: one, .. }, Set { collation: other, .. }) => {
            one == other && child.ty.bits_bytes() == parent.ty.bits_bytes()
        }
        (Bit { .. }, Bit { .. }) => child.ty.bits_bytes() == parent.ty.bits_bytes(),
        (of_child, of_parent) => match (collation(of_child), collation(of_parent)) {
            (Some(one), Some(other)) => one == other,
            // A number without a sign is the same number.
            _ => of_child == of_parent,
        },
    }
}

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
