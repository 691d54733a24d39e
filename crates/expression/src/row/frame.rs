//! The rows that an expression of a query sees: those joined so far, and the rows of enclosing
//! SELECTs.
//!
//! Both are lists on the stack, the newest first, so that joining a row to another copies nothing.
//!
//! Not here: who makes them (crate `sql`, `executor`).

use std::rc::Rc;

use values::datum::{Datum, Value};
use values::row::RowRef;

use crate::row::scope::{RowView, Scope};
use crate::statement::error::{Error, Result};
use crate::tree::slot::{KEY_COLUMN, parts_of};
use crate::tree::subquery::Subquery;

/// A relation's row within a joined one.
#[derive(Clone, Copy, Debug)]
pub enum JoinedRow<'a> {
    /// The missing side of an outer join: NULLs.
    Absent,
    /// A stored row with its key.
    Stored(RowRef<'a>, &'a [u8]),
    /// Values in column order.
    Values(&'a [Value]),
    /// The same, and the row of this relation before, which was taken, had the same ones.
    Repeated(&'a [Value]),
}

/// Rows joined so far: one relation's, and those before it.
#[derive(Clone, Copy, Debug)]
pub struct JoinedRows<'a> {
    /// The relation's number within its SELECT.
    pub relation: usize,
    /// Its row.
    pub row: &'a JoinedRow<'a>,
    /// The others.
    pub before: Option<&'a JoinedRows<'a>>,
}

impl<'a> JoinedRows<'a> {
    /// The key of a relation's stored row.
    #[inline]
    pub fn key(&self, relation: usize) -> Option<&'a [u8]> {
        let mut link = self;
        while link.relation != relation {
            link = link.before?;
        }
        match link.row {
            JoinedRow::Stored(_, key) => Some(key),
            _ => None,
        }
    }

    /// A relation's place among the rows joined.
    ///
    /// # Errors
    /// When it is not joined.
    #[inline]
    pub fn of_relation(&self, relation: usize) -> Result<&JoinedRows<'a>> {
        let mut link = self;
        while link.relation != relation {
            match link.before {
                Some(before) => link = before,
                None => return Err(Error::other("a column of a relation that is not joined")),
            }
        }
        Ok(link)
    }

    /// Whether it is the same in all columns as the one joined before it.
    #[inline]
    pub fn is_repeated(&self) -> bool {
        self.before.is_none() && matches!(self.row, JoinedRow::Repeated(_))
    }

    /// The value of a slot.
    ///
    /// # Errors
    /// When there is no such relation, which is a defect of ours, or its row does not decode.
    #[inline]
    pub fn column(&self, slot: usize) -> Result<Datum<'a>> {
        let (relation, column) = parts_of(slot);
        match self.of_relation(relation)?.row {
            JoinedRow::Absent => Ok(Datum::Null),
            JoinedRow::Stored(_, key) if column == KEY_COLUMN => Ok(Datum::Bytes(key)),
            JoinedRow::Stored(row, _) => Ok(row.column(column)?),
            JoinedRow::Values(values) | JoinedRow::Repeated(values) => {
                Ok(values[column].as_datum())
            }
        }
    }
}

/// The row of the SELECT around a sub-query, and of those around that.
#[derive(Clone, Copy)]
pub struct Enclosing<'a> {
    /// The row.
    pub row: RowView<'a>,
    /// Further out.
    pub next: Option<&'a Enclosing<'a>>,
}

impl<'a> Enclosing<'a> {
    /// The value of a slot, `level` SELECTs out: 1 is the nearest.
    ///
    /// # Errors
    /// When there is no such enclosing SELECT, which is a defect of ours, and as
    /// `JoinedRows::column`.
    pub fn column(&self, level: u16, slot: usize) -> Result<Datum<'a>> {
        let mut frame = *self;
        for _ in 1..level {
            let next = frame.next.ok_or_else(|| Error::other("no such enclosing SELECT"))?;
            frame = *next;
        }
        frame.row.column(slot)
    }
}

/// Runs sub-queries for expressions.
pub trait Subqueries {
    /// The value of a sub-query where `scope`'s row is the enclosing one.
    ///
    /// # Errors
    /// Those of the query; 1242 for a second row where there may be one.
    fn value(&self, subquery: &Subquery, scope: &Scope<'_>) -> Result<Value>;

    /// The keys of the rows that a full-text search finds, the most relevant first.
    ///
    /// # Errors
    /// Those of the search.
    fn found_rows(&self, subquery: &Subquery, scope: &Scope<'_>) -> Result<Rc<Vec<Vec<u8>>>>;
}
