//! Expressions whose values are had as ordinals (`values::ordinal`): columns of integers, dates and
//! times, and YEAR, MONTH and DAY of such columns. They are what most rows are filtered, grouped
//! and sorted by.
//!
//! Invariants
//! 1. An expression gives an ordinal where `Node::evaluate` gives a value of its type, and equal
//!    ones for equal values.
//!
//! Not here: everything else (`evaluate`), which these are a short way around.

use values::SqlMode;
use values::datum::Datum;
use values::ordinal::{has_ordinals, of_signed, ordinal_of, ordinal_within};
use values::temporal::{Date, DateTime, Time};
use values::types::ColumnType;

use crate::row::frame::JoinedRow;
use crate::row::scope::{RowView, Scope};
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::tree::node::{Kind, Node};
use crate::tree::slot::{KEY_COLUMN, parts_of};
use crate::value::compare::is_day_of_mode;
use crate::value::moment::{Unit, extract};
use crate::value::moments_read::read_kept;
use crate::value::number::leading_exact;

/// How the ordinals of an expression are read from a row, for rows whose columns are those of
/// stored tables or are in their types' domains.
#[derive(Clone, Copy, Debug)]
pub struct Ordinals<'n> {
    column: usize,
    /// The column's type.
    ty: &'n ColumnType,
    /// What is taken of it, if not all.
    part: Option<Unit>,
}

impl<'n> Ordinals<'n> {
    /// Those of an expression, if it has them.
    #[inline]
    pub fn of(node: &'n Node) -> Option<Ordinals<'n>> {
        match &node.kind {
            Kind::Column(column) if has_ordinals(&node.ty) => {
                Some(Ordinals { column: *column, ty: &node.ty, part: None })
            }
            Kind::Call(function, arguments) => Ordinals::of_part(*function, arguments),
            _ => None,
        }
    }

    fn of_part(function: Function, arguments: &'n [Node]) -> Option<Ordinals<'n>> {
        let part = Some(match function {
            Function::Year => Unit::Year,
            Function::Month => Unit::Month,
            Function::Day => Unit::Day,
            _ => return None,
        });
        let [Node { kind: Kind::Column(column), ty, .. }] = arguments else { return None };
        let has_days = matches!(ty, ColumnType::Date | ColumnType::DateTime { .. });
        has_days.then_some(Ordinals { column: *column, ty, part })
    }

    /// The ordinal over a row; `None` for NULL.
    ///
    /// # Errors
    /// Those of damaged rows.
    #[inline]
    pub fn get(&self, scope: &Scope<'_>) -> Result<Option<u64>> {
        let Some(whole) = ordinal_in(&scope.row, self.column, self.ty)? else {
            return Err(Error::other("a value that is not of its column's type"));
        };
        match self.part {
            None => Ok(whole),
            Some(unit) => whole.map(|whole| self.part_of(unit, whole)).transpose(),
        }
    }

    fn part_of(&self, unit: Unit, whole: u64) -> Result<u64> {
        // The time of day has nothing to do with it.
        let day = match self.ty {
            ColumnType::Date => u32::try_from(whole).ok().and_then(Date::from_packed),
            _ => DateTime::date_of_packed(whole),
        };
        let day = day.ok_or_else(|| Error::other("a column that is no value"))?;
        Ok(of_signed(match unit {
            Unit::Year => i64::from(day.year()),
            Unit::Month => i64::from(day.month()),
            _ => extract(unit, DateTime::from_date(day)),
        }))
    }
}

/// A column of the row at hand beside values that are known before the row: they compare as
/// ordinals.
pub(crate) struct Column<'s> {
    pub ty: &'s ColumnType,
    /// Its ordinal in the row at hand; `None` for NULL.
    pub ordinal: Option<u64>,
}

impl<'s> Column<'s> {
    /// That of an expression, if it is one and the row has an ordinal there.
    ///
    /// # Errors
    /// Those of damaged rows.
    #[inline]
    pub fn of(node: &'s Node, scope: &Scope<'_>) -> Result<Option<Column<'s>>> {
        let Kind::Column(column) = node.kind else { return Ok(None) };
        if !has_ordinals(&node.ty) {
            return Ok(None);
        }
        let ordinal = ordinal_in(&scope.row, column, &node.ty)?;
        Ok(ordinal.map(|ordinal| Column { ty: &node.ty, ordinal }))
    }

    /// The ordinal of what it is compared with, if that is known and has one in the column's type.
    #[inline]
    pub fn known(&self, other: &Node, scope: &Scope<'_>) -> Option<u64> {
        let value = other.known(scope)?;
        match value {
            // A strict write looks at it (`condition`).
            Datum::Bytes(text) if scope.is_strict() && !self.is_sound(text, scope.mode) => None,
            value => self.beside(value),
        }
    }

    /// Whether a text beside a day is one that the calendar has and the mode allows.
    fn is_sound(&self, text: &[u8], mode: SqlMode) -> bool {
        if !matches!(self.ty, ColumnType::Date | ColumnType::DateTime { .. }) {
            return true;
        }
        is_day_of_mode(text, mode).is_some()
    }

    /// The same of a value.
    #[inline]
    pub fn beside(&self, value: Datum<'_>) -> Option<u64> {
        match value {
            Datum::Bytes(text) => self.of_text(text),
            value => ordinal_beside(self.ty, &value),
        }
    }

    /// The ordinal of a text, the same for all rows, that says a whole number, or a day or a moment
    /// in no zone of its own, and nothing else.
    fn of_text(&self, text: &[u8]) -> Option<u64> {
        if matches!(self.ty, ColumnType::Int { .. }) {
            let (number, whole) = leading_exact(text);
            return ordinal_beside(self.ty, &number.datum()).filter(|_| whole);
        }
        if !matches!(self.ty, ColumnType::Date | ColumnType::DateTime { .. }) {
            return None;
        }
        let read = read_kept(text).filter(|read| !read.garbage && read.offset.is_none())?;
        match self.ty {
            ColumnType::DateTime { .. } => ordinal_of(&Datum::DateTime(read.value)),
            _ if read.value.time() == Time::ZERO => ordinal_of(&Datum::Date(read.value.date())),
            _ => None,
        }
    }

    /// Whether it is IN a list, as far as the list's values are known that have to be asked.
    pub fn is_among(&self, list: &[Node], scope: &Scope<'_>) -> Option<Option<bool>> {
        let Some(ordinal) = self.ordinal else { return Some(None) };
        for node in list {
            if self.known(node, scope)? == ordinal {
                return Some(Some(true));
            }
        }
        Some(Some(false))
    }
}

/// The ordinal that a column of a type has in a row, `Some(None)` for NULL; `None` where the value
/// is of another type, as those of derived tables may be.
///
/// # Errors
/// Those of damaged rows.
#[inline]
fn ordinal_in(row: &RowView<'_>, column: usize, ty: &ColumnType) -> Result<Option<Option<u64>>> {
    let of_datum = |datum: Datum<'_>| match datum {
        Datum::Null => Some(None),
        datum => ordinal_within(ty, &datum).map(Some),
    };
    Ok(match row {
        RowView::Stored(row) => Some(row.ordinal(column)?),
        RowView::Values(values) => of_datum(values[column].as_datum()),
        RowView::Datums(values) => of_datum(values[column]),
        RowView::Joined(joined) => {
            let (relation, column) = parts_of(column);
            match joined.of_relation(relation)?.row {
                JoinedRow::Stored(row, _) if column != KEY_COLUMN => Some(row.ordinal(column)?),
                JoinedRow::Values(values) | JoinedRow::Repeated(values) => {
                    of_datum(values[column].as_datum())
                }
                JoinedRow::Absent => Some(None),
                // A row's key.
                JoinedRow::Stored(..) => None,
            }
        }
        RowView::None => return Err(Error::other("a column where there is no row")),
    })
}

/// The ordinal by which a value compares with those of a type; `None` if it equals none of them, or
/// compares in another way.
pub fn ordinal_beside(ty: &ColumnType, datum: &Datum<'_>) -> Option<u64> {
    match (ty, datum) {
        (ColumnType::Int { unsigned: true, .. }, Datum::Int(v)) => u64::try_from(*v).ok(),
        (ColumnType::Int { unsigned: false, .. }, Datum::UInt(v)) => {
            i64::try_from(*v).ok().map(of_signed)
        }
        (ty, datum) => ordinal_within(ty, datum),
    }
}
