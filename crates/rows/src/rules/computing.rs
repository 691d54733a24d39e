//! How strictly the columns are computed that a row makes. In strict mode, and at doors without
//! sessions, a value that its column cannot hold is refused, as a division by zero is; outside of
//! it, and with IGNORE, the nearest value takes its place, and the session is told.
//!
//! Not here: what is computed (`rules`), conversions (`values::convert`).

use std::cell::{Cell, RefCell};

use expression::{Environment, Level, Warnings};
use values::convert::Issue;
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::types::ColumnType;
use values::{ErrorCode, SqlMode};

use super::environment;
use crate::schema::Column;

/// The most values of which it is said what was wrong with them.
pub(crate) const TOLD_MAX: usize = 1024;

/// A value that did not fit its column.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversionWarning {
    /// The column's name.
    pub column: String,
    /// What was wrong with it.
    pub issue: Issue,
    /// Only something was lost of which a note is enough.
    pub is_note: bool,
    /// The value.
    pub value: Value,
    /// The value's type.
    pub ty: ColumnType,
    /// The row, in the order of the keys, counted from 1.
    pub row: u64,
}

/// How strictly it is computed.
#[derive(Clone, Copy, Debug)]
pub enum Computing<'a> {
    /// What a column cannot hold is refused.
    Strict,
    /// The nearest value takes its place.
    Lenient(&'a Lenience),
}

/// What a session that is not strict is told of computed columns.
#[derive(Debug)]
pub struct Lenience {
    mode: SqlMode,
    /// How many rows were computed.
    rows: Cell<u64>,
    warnings: RefCell<Warnings>,
    told: RefCell<Vec<ConversionWarning>>,
}

impl Lenience {
    /// Of a session in this mode, that was told of nothing yet.
    fn new(mode: SqlMode) -> Lenience {
        let (warnings, told) = (RefCell::default(), RefCell::default());
        Lenience { mode, rows: Cell::new(0), warnings, told }
    }

    /// The same, if it is not strict.
    pub fn unless(strict: bool, mode: SqlMode) -> Option<Lenience> {
        (!strict).then(|| Lenience::new(mode))
    }

    /// What expressions warned of, and the values that columns could not hold.
    pub fn into_told(self) -> (Warnings, Vec<ConversionWarning>) {
        (self.warnings.into_inner(), self.told.into_inner())
    }

    /// Notes that the value of a type is not quite what a column has of it.
    pub(super) fn tell(&self, column: &Column, issue: Issue, value: Datum<'_>, ty: &ColumnType) {
        let mut told = self.told.borrow_mut();
        if told.len() < TOLD_MAX {
            told.push(ConversionWarning {
                column: column.name.clone(),
                issue: issue.as_warning(&column.ty),
                is_note: issue.is_only_noted(&column.ty),
                value: value.to_value(),
                ty: ty.clone(),
                row: self.rows.get(),
            });
        }
    }
}

impl<'a> Computing<'a> {
    /// Leniently, if there is who is told.
    pub fn of(lenience: Option<&'a Lenience>) -> Computing<'a> {
        lenience.map_or(Computing::Strict, Computing::Lenient)
    }

    /// One more row is to be computed.
    pub(super) fn begin_row(&self) {
        if let Computing::Lenient(lenience) = self {
            lenience.rows.set(lenience.rows.get() + 1);
        }
    }

    /// What the expressions of a row are computed in.
    pub(super) fn environment(&self) -> Environment<'_> {
        match self {
            Computing::Strict => environment(),
            Computing::Lenient(lenience) => Environment {
                mode: lenience.mode,
                warnings: Some(&lenience.warnings),
                ..Environment::bare(&[], Zone::UTC)
            },
        }
    }

    /// Tells why a condition could not be asked, if there is who is told.
    pub(super) fn tell_failure(&self, code: ErrorCode, message: String) {
        if let Computing::Lenient(lenience) = self {
            lenience.warnings.borrow_mut().push(Level::Warning, code, message);
        }
    }
}
