//! How ALTER TABLE converts the values of rows that exist: the zone and the modes of the session
//! that asks for it, and what it says of values that do not fit.
//!
//! In strict mode the first such value ends the statement; otherwise the nearest value takes its
//! place, and the session is told. Rows that other sessions change meanwhile are converted by the
//! same rules, in silence.
//!
//! Not here: the conversion itself (`values::convert`).

use parking_lot::Mutex;
use values::SqlMode;
use values::convert::{Issue, of_today, read_in_mode};
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::text::{fill_with_zeros, write_text};
use values::types::ColumnType;

use super::plan::implicit_default;
use crate::error::Result;
use crate::foreign_key::ForeignKeyChecks;
use crate::rules::{ConversionWarning, TOLD_MAX, refused_value};
use crate::schema::Column;

/// The session's part in a conversion.
#[derive(Clone, Copy, Debug)]
pub struct ConversionRules {
    /// The clock that shows a TIMESTAMP.
    pub zone: Zone,
    /// Whether it is strict, and which days it refuses.
    pub mode: SqlMode,
    /// Microseconds since the epoch: on which day a time of day is.
    pub now: i64,
    /// Whether new foreign keys are looked at in rows that exist.
    pub foreign_key_checks: ForeignKeyChecks,
}

/// What was said of rows so far; rows are numbered as `Making::sort` numbers them.
#[derive(Debug, Default)]
pub(super) struct ConversionWarnings {
    list: Mutex<Vec<ConversionWarning>>,
}

impl ConversionWarnings {
    /// All of them by rows, which `row_of` counts through.
    pub fn take(&self, row_of: impl Fn(u64) -> u64) -> Vec<ConversionWarning> {
        let mut list = std::mem::take(&mut *self.list.lock());
        list.sort_by_key(|warning| warning.row);
        list.iter_mut().for_each(|warning| warning.row = row_of(warning.row));
        list
    }

    pub fn add(&self, warning: impl FnOnce() -> ConversionWarning) {
        let mut list = self.list.lock();
        if list.len() < TOLD_MAX {
            list.push(warning());
        }
    }
}

impl ConversionRules {
    /// Those of a door without sessions.
    pub(super) fn without_session(now: i64) -> ConversionRules {
        ConversionRules {
            zone: Zone::UTC,
            mode: SqlMode::default(),
            now,
            foreign_key_checks: ForeignKeyChecks::On,
        }
    }

    /// The value of an old column as one of a new column. `number` is the row's, if warnings are to
    /// be kept.
    ///
    /// # Errors
    /// `Value` and `NullValue` in strict mode; `Value` for what is no JSON in every mode.
    pub(super) fn convert(
        &self,
        (from, to): (&Column, &Column),
        datum: Datum<'_>,
        number: Option<u64>,
        warnings: &ConversionWarnings,
    ) -> Result<Value> {
        let tell = |issue: Issue, is_note: bool| {
            let Some(row) = number else { return };
            warnings.add(|| ConversionWarning {
                column: to.name.clone(),
                issue,
                is_note,
                value: datum.to_value(),
                ty: from.ty.clone(),
                row,
            });
        };
        let is_filled = to.nullable || to.auto_increment || to.computed.is_some();
        if datum.is_null() && !is_filled && !self.mode.strict() {
            tell(Issue::Truncated, false);
            return Ok(match to.ty {
                ColumnType::Enum { .. } => Value::Enum(0),
                _ => to.from_text(&implicit_default(&to.ty), Zone::UTC).value,
            });
        }
        if datum.is_null() || from.ty == to.ty && (from.unsigned || !to.unsigned) {
            return Ok(datum.to_value());
        }
        let mut digits = Vec::new();
        let datum = match from.zerofill.filter(|_| to.ty.collation().is_some()) {
            Some(width) => {
                write_text(&from.ty, datum, self.zone, &mut digits);
                fill_with_zeros(&mut digits, 0, width);
                Datum::Bytes(&digits)
            }
            None => of_today(&to.ty, datum, self.now, self.zone),
        };
        let read = read_in_mode(self.mode, &to.ty, datum, self.zone);
        let datum = read.as_ref().map_or(datum, Value::as_datum);
        let converted = to.convert_from(datum, &from.ty, self.zone);
        let refused = || self.mode.refuses_value(&converted.value).then_some(Issue::OutOfRange);
        match converted.issue.or_else(refused) {
            Some(issue) if self.mode.strict() || issue.is_always_refused() => {
                let issue = issue.as_error(&to.ty);
                return Err(refused_value(to, issue, datum, &from.ty, self.zone));
            }
            Some(issue) => tell(issue.as_warning(&to.ty), issue.is_only_noted(&to.ty)),
            None if converted.note => tell(Issue::of_note(&to.ty, self.mode.strict()), true),
            None => {}
        }
        Ok(converted.value)
    }
}
