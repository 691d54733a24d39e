//! What an expression is evaluated over: a row, and what is the same for all rows of a statement.
//!
//! Invariants
//! 1. A scope is small and copied for each row; the environment behind it is made once a statement.
//! 2. A warning of a strict write is a refusal: `distrust` decides, not who evaluates.
//!
//! Not here: the evaluation (`evaluate`), rows that are joined (`frame`).

use std::cell::RefCell;
use std::ops::Deref;

use values::ErrorCode;
use values::SqlMode;
use values::datum::{Datum, Value};
use values::row::RowRef;
use values::temporal::{DateTime, Time, Zone, read_time};

use crate::row::frame::{Enclosing, JoinedRows, Subqueries};
use crate::row::memo::ExecutionMemo;
use crate::statement::context::StatementContext;
use crate::statement::error::{Error, Result};
use crate::statement::limits::{Limits, Room, TOO_LONG, too_long};
use crate::statement::time_names::TimeNames;
use crate::statement::warning::{Level, Warnings};
use crate::tree::function::Function;
use crate::tree::node::Node;
use crate::value::cell::Cell;
use crate::value::compare::{bound, moment, span};
use crate::value::number::{Number, is_blank};

/// The row that columns are read from.
#[derive(Clone, Copy)]
pub enum RowView<'a> {
    /// There is none.
    None,
    /// A stored row.
    Stored(&'a RowRef<'a>),
    /// Values in column order.
    Values(&'a [Value]),
    /// Datums in column order.
    Datums(&'a [Datum<'a>]),
    /// Rows joined: columns are slots.
    Joined(&'a JoinedRows<'a>),
}

impl<'a> RowView<'a> {
    /// Whether it is the same in all columns as the row before it.
    #[inline]
    pub fn is_repeated(&self) -> bool {
        matches!(self, RowView::Joined(joined) if joined.is_repeated())
    }

    /// A column's value.
    ///
    /// # Errors
    /// When there is no row, a defect of ours; when a stored one does not decode.
    #[inline]
    pub fn column(&self, position: usize) -> Result<Datum<'a>> {
        match self {
            RowView::None => Err(Error::other("a column where there is no row")),
            RowView::Stored(row) => Ok(row.column(position)?),
            RowView::Values(values) => Ok(values[position].as_datum()),
            RowView::Datums(values) => Ok(values[position]),
            RowView::Joined(joined) => joined.column(position),
        }
    }
}

/// What an expression is evaluated over: a row within an environment. Small, as one is made for
/// each row.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The row.
    pub row: RowView<'a>,
    /// What is joined before the relation whose row is at hand.
    pub joined: Option<&'a JoinedRows<'a>>,
    /// What is the same for all rows.
    pub environment: &'a Environment<'a>,
}

/// What expressions see besides the row.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// The row that INSERT would add.
    pub incoming: RowView<'a>,
    /// Literals and `?`.
    pub parameters: &'a [Datum<'a>],
    /// The session, for the functions that ask it.
    pub context: Option<&'a StatementContext>,
    /// The session's zone.
    pub zone: Zone,
    /// sql_mode.
    pub mode: SqlMode,
    /// Where warnings go.
    pub warnings: Option<&'a RefCell<Warnings>>,
    /// What the statement may use.
    pub limits: &'a Limits,
    /// Whether a division by zero is an error rather than a warning (strict writes).
    pub strict: bool,
    /// Rows of enclosing SELECTs.
    pub enclosing: Option<&'a Enclosing<'a>>,
    /// What runs sub-queries.
    pub subqueries: Option<&'a dyn Subqueries>,
    /// What is the same for all rows, where there may be many with the same parameters.
    pub known: Option<&'a ExecutionMemo>,
}

impl<'a> Environment<'a> {
    /// Only parameters: for look-ups, which warn of nothing.
    pub fn bare(parameters: &'a [Datum<'a>], zone: Zone) -> Environment<'a> {
        Environment {
            incoming: RowView::None,
            parameters,
            context: None,
            zone,
            mode: SqlMode::default(),
            warnings: None,
            limits: Limits::of_the_server(),
            strict: false,
            enclosing: None,
            subqueries: None,
            known: None,
        }
    }

    /// A session's.
    pub fn of(context: &'a StatementContext, parameters: &'a [Datum<'a>]) -> Environment<'a> {
        Environment {
            context: Some(context),
            mode: context.mode,
            limits: &context.limits,
            ..Environment::bare(parameters, context.zone)
        }
    }

    /// Where there is no row.
    #[inline]
    pub fn scope(&'a self) -> Scope<'a> {
        Scope { row: RowView::None, joined: None, environment: self }
    }
}

impl<'a> Deref for Scope<'a> {
    type Target = Environment<'a>;

    #[inline]
    fn deref(&self) -> &Environment<'a> {
        self.environment
    }
}

impl<'a> Scope<'a> {
    /// The same with another row.
    #[inline]
    pub fn with_row(&self, row: RowView<'a>) -> Scope<'a> {
        Scope { row, ..*self }
    }

    /// The names of months and days that the session shows.
    pub fn time_names(&self) -> &'static TimeNames {
        self.context.map_or_else(TimeNames::english, |context| context.time_names)
    }

    /// The session's context.
    ///
    /// # Errors
    /// When there is no session, as in a rule of a table.
    #[inline]
    pub fn context(&self) -> Result<&'a StatementContext> {
        self.context.ok_or_else(|| Error::other("a session function without a session"))
    }

    /// Adds a warning.
    pub fn warn(&self, code: ErrorCode, message: impl FnOnce() -> String) {
        self.warn_with(|warnings| warnings.push_with(Level::Warning, || (code, message())));
    }

    /// Whether it is evaluated for a write in strict mode.
    #[inline]
    pub fn is_strict(&self) -> bool {
        self.strict || self.limits.is_strict()
    }

    /// Adds a warning of a value that makes no sense where it stands, which a strict write refuses
    /// instead of writing what is made of it (MySQL 8.0 manual, 7.1.11;
    /// tests/oracle/sql/strict.sql).
    pub fn distrust(&self, code: ErrorCode, message: impl FnOnce() -> String) {
        match self.is_strict() {
            true => self.limits.refuse(Error::new(code, message())),
            false => self.warn(code, message),
        }
    }

    /// Memory for a text of so many bytes that a function is about to make; `None` when it is
    /// longer than may be: then it is NULL, and a warning says so.
    ///
    /// # Errors
    /// 1301 instead of the warning in a strict write; 1041 without memory.
    pub fn room(&self, function: &str, bytes: usize) -> Result<Option<Room>> {
        if bytes <= self.limits.value_bytes_max() {
            return self.limits.take(bytes).map(Some);
        }
        let message = too_long(function, self.limits.value_bytes_max());
        if self.is_strict() {
            return Err(Error::new(TOO_LONG, message));
        }
        match self.warnings {
            Some(_) => self.warn(TOO_LONG, || message),
            None => self.limits.warn(TOO_LONG, message),
        }
        Ok(None)
    }

    /// What a division by zero leads to in this mode, besides NULL.
    ///
    /// # Errors
    /// 1365 in a strict write.
    pub(crate) fn division_by_zero(&self) -> Result<()> {
        if !self.mode.error_for_division_by_zero() {
            return Ok(());
        }
        if self.is_strict() {
            return Err(Error::new(ErrorCode::DivisionByZero, "Division by 0"));
        }
        self.warn(ErrorCode::DivisionByZero, || "Division by 0".to_string());
        Ok(())
    }

    /// What a logarithm of no number above 0 leads to, besides NULL.
    ///
    /// # Errors
    /// 3020 in a strict write.
    pub(crate) fn no_logarithm(&self) -> Result<()> {
        const MESSAGE: &str = "Invalid argument for logarithm";
        if self.is_strict() {
            return Err(Error::new(ErrorCode::InvalidArgumentForLogarithm, MESSAGE));
        }
        self.warn(ErrorCode::InvalidArgumentForLogarithm, || MESSAGE.to_owned());
        Ok(())
    }

    /// A point in time as the session's clock shows it; a time of day is one of today.
    pub fn moment(&self, datum: Datum<'_>) -> Option<DateTime> {
        self.moment_or(datum, "Incorrect datetime")
    }

    /// The same with other words for a text that says none.
    fn moment_or(&self, datum: Datum<'_>, said: &str) -> Option<DateTime> {
        let Datum::Time(time) = datum else {
            let found = match self.mode.allows_invalid_dates() {
                true => bound(datum, self.zone),
                false => moment(datum, self.zone),
            };
            // A text that says no day, where the mode wants one (MySQL 9.7 answers so).
            let is_refused = |moment: &DateTime| {
                moment.is_zero() && self.mode.no_zero_date() && matches!(datum, Datum::Bytes(_))
            };
            let found = found.filter(|moment| !is_refused(moment));
            if let (None, Datum::Bytes(text)) = (found, datum) {
                self.distrust_text(said, text);
            }
            return found;
        };
        DateTime::today_at(time, self.context?.now, self.zone)
    }

    /// The same where only its day counts: a number's fraction is cut off then, not rounded (MySQL
    /// 9.7: tests/oracle/sql/times.sql).
    pub fn day(&self, datum: Datum<'_>) -> Option<DateTime> {
        match datum {
            Datum::Decimal(number) => self.moment(Datum::Decimal(number.truncate(0)?)),
            datum => self.moment_or(datum, "Truncated incorrect date"),
        }
    }

    /// A length of time, with a warning for a text that is none.
    pub fn span(&self, datum: Datum<'_>) -> Option<Time> {
        self.span_or(datum, "Truncated incorrect time")
    }

    /// The same where a moment would do as well.
    pub(crate) fn span_or_moment(&self, datum: Datum<'_>) -> Option<Time> {
        self.span_or(datum, "Incorrect datetime")
    }

    fn span_or(&self, datum: Datum<'_>, said: &str) -> Option<Time> {
        let found = span(datum, self.zone);
        if let Datum::Bytes(text) = datum {
            match read_time(text) {
                None => self.distrust_text(said, text),
                Some(read) if read.out_of_range || read.garbage => {
                    self.distrust_text("Truncated incorrect time", text);
                }
                Some(_) => {}
            }
        }
        found
    }

    pub(crate) fn distrust_time(&self, text: &[u8]) {
        self.distrust_text("Incorrect time", text);
    }

    fn distrust_text(&self, said: &str, text: &[u8]) {
        self.distrust(ErrorCode::TruncatedWrongValue, || wrong_value(said, text));
    }

    /// A length of time beyond TIME, of which the longest one is taken.
    pub(crate) fn distrust_length(&self, shown: &str) {
        self.distrust_text("Truncated incorrect time", shown.as_bytes());
    }

    /// An argument that is none of what a function reads, which gives NULL then.
    pub(crate) fn distrust_argument(&self, kind: &str, shown: &str, function: Function) {
        self.distrust(ErrorCode::WrongValueForType, || {
            let function = function.name().to_lowercase();
            format!("Incorrect {kind} value: '{shown}' for function {function}")
        });
    }

    /// What a function makes of a day or a time is beyond its kind; DATETIME by an interval has an
    /// error of its own (MySQL 9.7: tests/oracle/sql/refused-writes.sql).
    pub(crate) fn distrust_beyond(&self, kind: &str, function: &str) {
        self.distrust(ErrorCode::TemporalOutOfRange, || {
            format!("{kind} value is out of range in '{function}()'")
        });
    }

    pub(crate) fn distrust_decimal(&self, text: &[u8]) {
        self.distrust_text("Truncated incorrect DECIMAL", text);
    }

    /// A value where a whole number is wanted (`Number::of_whole`), with a warning for a text that
    /// is none.
    pub fn integer(&self, cell: &Cell<'_>) -> Option<Number> {
        let (number, strange) = Number::of_whole(cell.datum(), self.zone)?;
        if let (true, Some(text)) = (strange, cell.short_text()) {
            self.distrust_integer(text);
        }
        Some(number)
    }

    /// The value of a node where bits are wanted, with a warning for a text that is no number.
    pub fn bits(&self, node: &Node, cell: &Cell<'_>) -> Option<Number> {
        let (number, strange) = Number::of_bits(cell.datum(), node.is_stored(), self.zone)?;
        if let (true, Some(text)) = (strange, cell.short_text()) {
            self.distrust_integer(text);
        }
        Some(number)
    }

    pub(crate) fn distrust_integer(&self, text: &[u8]) {
        self.distrust_text("Truncated incorrect INTEGER", text);
    }

    /// Warns, for all rows together, of a text that is no number beside one. Nothing is 0.
    pub(crate) fn warn_of_text(&self, text: &[u8]) {
        if is_blank(text) {
            return;
        }
        self.warn_with(|warnings| {
            warnings.push_once(ErrorCode::TruncatedWrongValue, wrong_value(NO_DOUBLE, text));
        });
    }

    /// Warns of a row's text that is no number beside one.
    pub(crate) fn warn_of_row_text(&self, datum: Datum<'_>) {
        if let Some((_, true)) = Number::of(datum, self.zone)
            && let Datum::Bytes(text) = datum
        {
            self.warn(ErrorCode::TruncatedWrongValue, || wrong_value(NO_DOUBLE, text));
        }
    }

    /// Warns where rows are read without a statement's warnings, too.
    fn warn_with(&self, warn: impl FnOnce(&mut Warnings)) {
        match self.warnings {
            Some(warnings) => warn(&mut warnings.borrow_mut()),
            None if std::ptr::eq(self.limits, Limits::of_the_server()) => {}
            None => self.limits.with_warnings(warn),
        }
    }

    /// A value as a number, with a warning for a text that is none.
    pub fn number(&self, cell: &Cell<'_>) -> Option<Number> {
        let (number, strange) = Number::of(cell.datum(), self.zone)?;
        if let (true, Some(text)) = (strange, cell.short_text()) {
            self.distrust_text(NO_DOUBLE, text);
        }
        Some(number)
    }
}

/// What is said of a text that is no number.
const NO_DOUBLE: &str = "Truncated incorrect DOUBLE";

fn wrong_value(said: &str, text: &[u8]) -> String {
    format!("{said} value: '{}'", String::from_utf8_lossy(text))
}
