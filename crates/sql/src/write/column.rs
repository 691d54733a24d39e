//! A value on its way into a column: conversion, NULL, defaults, and what strict mode says.
//!
//! Not here: which values are of a column's domain (`values::convert`).

use std::borrow::Cow;
use std::cell::RefCell;

use expression::{
    BIGINT, BIGINT_UNSIGNED, Cell, Level, RowView, Warnings, json_scalar_for, text_of,
};
use rows::rules::{ConversionWarning, Lenience};
use rows::schema::Column;
use rows::table::Table;
use values::ErrorCode;
use values::codes::shown_bytes;
use values::convert::{Issue, first_unstorable, of_today, read_in_mode};
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::types::ColumnType;

use super::WriteContext;
use plan::column_default::{Store, implied_default, now_value, zero_value};
use results::{Result, SqlError, value_error};

/// Whether a value is there already in the form the column keeps: the usual case.
pub(super) fn is_stored_as_it_is(column: &Column, datum: Datum<'_>, from: &ColumnType) -> bool {
    match (datum, &column.ty) {
        (Datum::Int(v), ColumnType::Int { width, unsigned: false, .. }) => {
            (width.min()..=width.max()).contains(&v)
        }
        (Datum::UInt(v), ColumnType::Int { width, unsigned: true, .. }) => {
            v <= width.unsigned_max()
        }
        (Datum::Double(_), ColumnType::Double(None)) => !column.unsigned,
        // Which of those with zeros are allowed the mode says.
        (Datum::Date(v), ColumnType::Date) => !v.has_zero_part(),
        (Datum::DateTime(v), ColumnType::DateTime { fsp: 6 }) => !v.date().has_zero_part(),
        (Datum::Bytes(text), ColumnType::VarChar { .. } | ColumnType::Text { .. }) => {
            let is_text = !from.is_binary_string()
                || column.ty.collation().is_none_or(|rule| rule.set().is_utf8());
            is_text && column.plain_of_text(text).is_some()
        }
        _ => false,
    }
}

/// The statement that stores a value, as far as NULL is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredBy {
    /// INSERT of one row: NULL for a NOT NULL column is an error in every mode.
    InsertOfOne,
    /// Any other that adds rows.
    Insert,
    /// One that changes rows: NULL asks for no number.
    Update,
    /// ON DUPLICATE KEY UPDATE: NULL is 0 in a column that numbers itself, in every mode (MySQL
    /// 9.7: tests/oracle/sql/refused-writes.sql), and elsewhere an error, in every mode too.
    UpdateOfDuplicate,
    /// The same of several rows of VALUES, which let NULL pass as those that they add do.
    UpdateOfDuplicates,
}

impl StoredBy {
    /// INSERT of so many rows.
    pub fn insert_of(rows: u64) -> StoredBy {
        if rows == 1 { StoredBy::InsertOfOne } else { StoredBy::Insert }
    }
}

impl WriteContext<'_> {
    /// The value of a column that the statement leaves to its default; `row` is the rest of its
    /// row.
    ///
    /// # Errors
    /// 1364 when the column has none, and those of evaluating it.
    pub fn default_value(&self, column: &Column, store: &Store, row: RowView<'_>) -> Result<Value> {
        match store {
            Store::Expression(node) => {
                let environment = self.environment();
                let cell = node.evaluate(&environment.scope().with_row(row))?;
                self.store(column, cell.datum(), &node.ty, 1, StoredBy::Insert)
            }
            Store::Value(value) => {
                // A day that the mode refuses is an error, or stays with a warning.
                if self.facts.mode.refuses_value(value) {
                    self.issue(column, value.as_datum(), &column.ty, Issue::OutOfRange, 1)?;
                }
                Ok(value.clone())
            }
            Store::Now => Ok(now_value(&column.ty, self.facts.now, self.facts.zone)),
            Store::Missing => self.missing_value(column, Warnings::push_each),
        }
    }

    /// The same of a column that the statement does not name, of whose default it is warned once
    /// (MySQL 9.7: tests/oracle/sql/omitted-columns.sql).
    ///
    /// # Errors
    /// As `default_value`.
    pub fn omitted_value(&self, column: &Column, store: &Store, row: RowView<'_>) -> Result<Value> {
        match store {
            Store::Missing => self.missing_value(column, Warnings::push_once),
            store => self.default_value(column, store, row),
        }
    }

    /// What a column has that has no default.
    fn missing_value(
        &self,
        column: &Column,
        warn: fn(&mut Warnings, ErrorCode, String),
    ) -> Result<Value> {
        // An ENUM's default is its first word, or nothing where that may stand.
        if matches!(column.ty, ColumnType::Enum { .. }) {
            return Ok(if column.nullable { Value::Null } else { Value::Enum(1) });
        }
        let message = format!("Field '{}' doesn't have a default value", column.name);
        if self.strict && !self.ignore {
            return Err(SqlError::new(ErrorCode::NoDefaultForField, message));
        }
        warn(&mut self.warnings.borrow_mut(), ErrorCode::NoDefaultForField, message);
        Ok(if column.nullable { Value::Null } else { implied_default(&column.ty) })
    }

    /// The same where an UPDATE says DEFAULT: a column that numbers itself has 0 (MySQL 9.7:
    /// tests/oracle/sql/refused-writes.sql).
    ///
    /// # Errors
    /// As `default_value`.
    pub fn default_of_update(
        &self,
        column: &Column,
        store: &Store,
        row: RowView<'_>,
    ) -> Result<Value> {
        match column.auto_increment {
            true => Ok(zero_value(&column.ty)),
            false => self.default_value(column, store, row),
        }
    }

    /// Gives the columns of a row that the statement leaves to their defaults these; those that
    /// look at the rest of the row come last.
    ///
    /// # Errors
    /// As `default_value`.
    pub fn fill_defaults(
        &self,
        table: &Table,
        defaults: &[Store],
        is_said: &[bool],
        row: &mut [Value],
    ) -> Result<()> {
        for is_late in [false, true] {
            for (position, default) in defaults.iter().enumerate() {
                if !is_said[position] && matches!(default, Store::Expression(_)) == is_late {
                    let column = &table.columns[position];
                    row[position] = self.omitted_value(column, default, RowView::Values(row))?;
                }
            }
        }
        Ok(())
    }

    /// A value for a column. `from` is the type of the expression it comes from; `row` counts
    /// from 1.
    ///
    /// # Errors
    /// 1048 for NULL where it is an error, and those of a conversion that is refused in the
    /// session's mode.
    pub fn store(
        &self,
        column: &Column,
        datum: Datum<'_>,
        from: &ColumnType,
        row: u64,
        by: StoredBy,
    ) -> Result<Value> {
        let zone = self.facts.zone;
        if datum.is_null() {
            return self.store_null(column, by);
        }
        if is_stored_as_it_is(column, datum, from) {
            return Ok(datum.to_value());
        }
        // Text in UTF-8 is, as bytes, what the connection's character set makes of it.
        let charset = self.facts.charset;
        let is_bytes = !charset.is_utf8()
            && column.ty.is_binary_string()
            && from.collation().is_some_and(|rule| rule.set().is_utf8());
        let bytes: Cow<'_, [u8]>;
        let datum = match datum {
            Datum::Bytes(text) if is_bytes => {
                bytes = charset.encode(text);
                Datum::Bytes(&bytes)
            }
            datum => datum,
        };
        let scalar = json_scalar_for(&column.ty, from, datum);
        let datum = scalar.as_ref().map_or(datum, Cell::datum);
        let datum = of_today(&column.ty, datum, self.facts.now, zone);
        let read = read_in_mode(self.facts.mode, &column.ty, datum, zone);
        let datum = read.as_ref().map_or(datum, Value::as_datum);
        let converted = column.assign_from(datum, from, zone);
        if let Some(issue) = converted.issue {
            self.issue(column, datum, from, issue, row)?;
        } else if converted.note {
            let issue = Issue::of_note(&column.ty, self.strict && !self.ignore);
            self.warnings.borrow_mut().push_with(Level::Note, || {
                let text = self.text_shown(datum, from, issue, &column.ty);
                value_error(&column.name, issue, &text, row).into_warning()
            });
        }
        match converted.issue {
            // It is zero already, which was said.
            Some(Issue::Incorrect { .. } | Issue::OutOfRange) => Ok(converted.value),
            _ => self.allowed_day(column, converted.value, (datum, from), row),
        }
    }

    /// What a number is that was given a literal of more digits than any number has: the largest of
    /// its kind (MySQL 9.7: tests/oracle/sql/writes-read-again.sql).
    ///
    /// # Errors
    /// 1264 in strict mode.
    pub fn store_beyond(&self, column: &Column, row: u64) -> Result<Value> {
        let is_unsigned =
            column.unsigned || matches!(column.ty, ColumnType::Int { unsigned: true, .. });
        let (datum, from) = match is_unsigned {
            true => (Datum::UInt(u64::MAX), &BIGINT_UNSIGNED),
            false => (Datum::Int(i64::MAX), &BIGINT),
        };
        self.issue(column, datum, from, Issue::OutOfRange, row)?;
        Ok(column.assign_from(datum, from, self.facts.zone).value)
    }

    /// What becomes of a value that a statement gives a computed column. DEFAULT alone is let pass
    /// in strict mode; outside of it any value is, and means nothing: dumps that MariaDB's tools
    /// make have some.
    ///
    /// # Errors
    /// 3105 in strict mode.
    pub fn give_computed(&self, column: &Column, table: &str) -> Result<Value> {
        let name = &column.name;
        if self.facts.mode.strict() {
            let message = format!(
                "The value specified for generated column '{name}' in table '{table}' is not \
                 allowed."
            );
            return Err(SqlError::new(ErrorCode::NonDefaultValueForGeneratedColumn, message));
        }
        self.warnings.borrow_mut().push(
            Level::Warning,
            ErrorCode::ValueForGeneratedColumn,
            format!(
                "The value specified for generated column '{name}' in table '{table}' has been \
                 ignored"
            ),
        );
        Ok(Value::Null)
    }

    fn store_null(&self, column: &Column, by: StoredBy) -> Result<Value> {
        match by {
            _ if column.nullable => return Ok(Value::Null),
            StoredBy::UpdateOfDuplicate | StoredBy::UpdateOfDuplicates if column.auto_increment => {
                return Ok(zero_value(&column.ty));
            }
            // A new row gets a number.
            StoredBy::InsertOfOne | StoredBy::Insert if column.auto_increment => {
                return Ok(Value::Null);
            }
            _ => {}
        }
        let error =
            SqlError::new(ErrorCode::BadNull, format!("Column '{}' cannot be null", column.name));
        let is_refused = matches!(by, StoredBy::InsertOfOne | StoredBy::UpdateOfDuplicate);
        if (self.strict || is_refused) && !self.ignore {
            return Err(error);
        }
        self.warnings.borrow_mut().push(Level::Warning, ErrorCode::BadNull, error.into_message());
        Ok(zero_value(&column.ty))
    }

    fn issue(
        &self,
        column: &Column,
        datum: Datum<'_>,
        from: &ColumnType,
        issue: Issue,
        row: u64,
    ) -> Result<()> {
        let is_refused = self.strict && !self.ignore || issue.is_always_refused();
        let issue =
            if is_refused { issue.as_error(&column.ty) } else { issue.as_warning(&column.ty) };
        let error = || {
            let text = self.text_shown(datum, from, issue, &column.ty);
            value_error(&column.name, issue, &text, row)
        };
        // What is no JSON is refused in every mode.
        if is_refused {
            return Err(error());
        }
        self.warnings.borrow_mut().push_with(level_of(issue, &column.ty), || match issue {
            Issue::LeftOut => {
                let message =
                    format!("Invalid TIMESTAMP value in column '{}' at row {row}", column.name);
                SqlError::new(ErrorCode::WarnInvalidTimestamp, message).into_warning()
            }
            _ => error().into_warning(),
        });
        Ok(())
    }

    /// A value as a message shows it.
    fn text_shown(
        &self,
        datum: Datum<'_>,
        from: &ColumnType,
        issue: Issue,
        ty: &ColumnType,
    ) -> String {
        let mut text = Vec::new();
        text_of(from, datum, self.facts.zone, &mut text);
        shown(&text, issue, ty)
    }

    /// The value, as NO_ZERO_DATE and NO_ZERO_IN_DATE let it be: without strict mode a day that
    /// they refuse is '0000-00-00' with a warning.
    fn allowed_day(
        &self,
        column: &Column,
        value: Value,
        (datum, from): (Datum<'_>, &ColumnType),
        row: u64,
    ) -> Result<Value> {
        if !self.facts.mode.refuses_value(&value) {
            return Ok(value);
        }
        self.issue(column, datum, from, Issue::OutOfRange, row)?;
        Ok(implied_default(&column.ty))
    }
}

/// How loudly a value is told of that was changed on its way into a column.
pub(crate) fn level_of(issue: Issue, ty: &ColumnType) -> Level {
    if issue.is_only_noted(ty) { Level::Note } else { Level::Warning }
}

/// Warns of values that their columns could not hold.
pub(crate) fn warn_converted(
    warnings: &RefCell<Warnings>,
    converted: &[ConversionWarning],
    zone: Zone,
) {
    for ConversionWarning { column, issue, is_note, value, ty, row } in converted {
        let level = if *is_note { Level::Note } else { Level::Warning };
        warnings.borrow_mut().push_with(level, || {
            let mut text = Vec::new();
            text_of(ty, value.as_datum(), zone, &mut text);
            value_error(column, *issue, &beginning(&text), *row).into_warning()
        });
    }
}

/// Warns of what computed columns could not hold, and of what their expressions warned of; the
/// first row was one of this number.
pub(crate) fn tell_of_computed(
    warnings: &RefCell<Warnings>,
    lenience: Lenience,
    first: u64,
    zone: Zone,
) {
    warnings.borrow_mut().append(warnings_of_computed(lenience, first, zone).0);
}

/// The same warnings, and the row of each that is kept.
pub(crate) fn warnings_of_computed(
    lenience: Lenience,
    first: u64,
    zone: Zone,
) -> (Warnings, Vec<u64>) {
    let (of_expressions, mut converted) = lenience.into_told();
    converted.iter_mut().for_each(|warning| warning.row += first - 1);
    let mut rows = vec![first; of_expressions.list().len()];
    rows.extend(converted.iter().map(|warning| warning.row));
    let warnings = RefCell::new(of_expressions);
    warn_converted(&warnings, &converted, zone);
    (warnings.into_inner(), rows)
}

/// A bad value as a message shows it: strange bytes as `\xNN`, six bytes of a text from where it is
/// bad.
fn shown(text: &[u8], issue: Issue, ty: &ColumnType) -> String {
    if issue == Issue::InvalidUtf8 || std::str::from_utf8(text).is_err() {
        let bad = match issue {
            Issue::InvalidUtf8 => first_unstorable(ty, text),
            _ => std::str::from_utf8(text).err().map(|error| error.valid_up_to()),
        };
        return shown_bytes(&text[bad.unwrap_or(0)..]);
    }
    beginning(text)
}

/// So much of a text as messages show.
pub(crate) fn beginning(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().take(128).collect()
}
