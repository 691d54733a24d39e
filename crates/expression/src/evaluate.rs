//! Evaluating a bound expression over a row.
//!
//! Invariants
//! 1. NULL and unknown are the same: conditions have three values.
//! 2. A column is decoded only if the expression asks for it.
//!
//! Not here: functions (`text_call`, `time_call`, `session_call`, `json`), CAST (`cast`).

use std::cell::RefCell;
use std::cmp::Ordering;
use std::ops::Deref;

use values::SqlMode;
use values::collation;
use values::datum::{Datum, Value};
use values::row::RowRef;
use values::temporal::{DateTime, Time, Zone};
use values::types::{Collation, ColumnType};

use crate::arithmetic;
use crate::cast::cast;
use crate::common::settle;
use crate::compare::{compare, is_plain_number, moment, span};
use crate::context::StatementContext;
use crate::error::{Error, Result};
use crate::frame::{Enclosing, Joined, Subqueries};
use crate::limits::{LARGE_BYTES, Limits, Room, TOO_LONG, too_long};
use crate::moment::{
    Interval, Unit, compound, difference, extract, extract_of_time, shift, simple,
};
use crate::node::{Arithmetic, Comparison, Kind, Node, number_of_digits};
use crate::number::Number;
use crate::ordinals::Column;
use crate::texts::Place;
use crate::value::{Cell, NULL, text_of};
use crate::warning::{Level, Warnings};

/// Most steps of a search that looks for no end of the statement.
const UNCHECKED_STEPS_MAX: usize = 1 << 16;

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
    Joined(&'a Joined<'a>),
}

impl<'a> RowView<'a> {
    /// Whether it is the same in all columns as the row before it.
    #[inline]
    pub fn is_repeated(&self) -> bool {
        matches!(self, RowView::Joined(joined) if joined.is_repeated())
    }

    /// A column's value.
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

/// What an expression is evaluated over: a row within an environment. Small, as one is made for each
/// row.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The row.
    pub row: RowView<'a>,
    /// What is joined before the relation whose row is at hand.
    pub joined: Option<&'a Joined<'a>>,
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
    /// Who runs sub-queries.
    pub subqueries: Option<&'a dyn Subqueries>,
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

    /// The session; an error where an expression needs it and there is none.
    #[inline]
    pub fn context(&self) -> Result<&'a StatementContext> {
        self.context.ok_or_else(|| Error::other("a session function without a session"))
    }

    /// Adds a warning.
    pub fn warn(&self, number: u16, message: impl FnOnce() -> String) {
        if let Some(warnings) = self.warnings {
            warnings.borrow_mut().push_with(Level::Warning, || (number, message()));
        }
    }

    /// Adds a warning of a value that makes no sense where it stands, which a strict write refuses instead of
    /// writing what is made of it (MySQL 8.0 manual, 7.1.11; tests/oracle/sql/strict.sql).
    pub fn distrust(&self, number: u16, message: impl FnOnce() -> String) {
        match self.strict || self.limits.is_strict() {
            true => self.limits.refuse(Error::new(number, message())),
            false => self.warn(number, message),
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
        if self.strict || self.limits.is_strict() {
            return Err(Error::new(TOO_LONG, message));
        }
        match self.warnings {
            Some(_) => self.warn(TOO_LONG, || message),
            None => self.limits.warn(TOO_LONG, message),
        }
        Ok(None)
    }

    fn division_by_zero(&self) -> Result<()> {
        if !self.mode.error_for_division_by_zero() {
            return Ok(());
        }
        if self.strict || self.limits.is_strict() {
            return Err(Error::new(1365, "Division by 0"));
        }
        self.warn(1365, || "Division by 0".to_string());
        Ok(())
    }

    /// A point in time as the session's clock shows it; a time of day is one of today.
    pub fn moment(&self, datum: Datum<'_>) -> Option<DateTime> {
        let Datum::Time(time) = datum else {
            let found = moment(datum, self.zone);
            if let (None, Datum::Bytes(text)) = (found, datum) {
                self.distrust(1292, || {
                    format!("Incorrect datetime value: '{}'", String::from_utf8_lossy(text))
                });
            }
            return found;
        };
        let today = self.zone.datetime_at(self.context?.now)?.date();
        let midnight = DateTime::from_date(today).to_micros()?;
        DateTime::from_micros(midnight.checked_add(time.micros())?)
    }

    /// A length of time, with a warning for a text that is none.
    pub fn span(&self, datum: Datum<'_>) -> Option<Time> {
        let found = span(datum, self.zone);
        if let (None, Datum::Bytes(text)) = (found, datum) {
            self.distrust(1292, || {
                format!("Incorrect time value: '{}'", String::from_utf8_lossy(text))
            });
        }
        found
    }

    /// A value as a number, with a warning for a text that is none.
    pub fn number(&self, datum: Datum<'_>) -> Option<Number> {
        let (number, strange) = Number::of(datum, self.zone)?;
        if strange && let Datum::Bytes(text) = datum {
            self.distrust(1292, || {
                format!("Truncated incorrect DOUBLE value: '{}'", String::from_utf8_lossy(text))
            });
        }
        Some(number)
    }
}

impl Node {
    /// The value over a scope.
    ///
    /// # Errors
    /// Those of strict mode and of functions; 1041 when it needs more memory than there is.
    #[inline]
    pub fn evaluate<'a>(&'a self, scope: &Scope<'a>) -> Result<Cell<'a>> {
        // Most are one of these, which need none of the room that the others do.
        match &self.kind {
            Kind::Column(position) => Ok(Cell::Plain(scope.row.column(*position)?)),
            Kind::Constant(value) => Ok(Cell::Plain(value.as_datum())),
            Kind::Parameter(number) => Ok(Cell::Plain(parameter(scope, *number))),
            _ => self.evaluate_other(scope),
        }
    }

    fn evaluate_other<'a>(&'a self, scope: &Scope<'a>) -> Result<Cell<'a>> {
        let cell = self.compute(scope)?;
        scope.limits.check_refused()?;
        match cell {
            Cell::Owned(text) if text.len() >= LARGE_BYTES => {
                Ok(match scope.room(self.function_name(), text.len())? {
                    Some(room) => Cell::Counted(text, room),
                    None => NULL,
                })
            }
            cell => Ok(cell),
        }
    }

    /// How messages call what makes the value.
    fn function_name(&self) -> &'static str {
        match &self.kind {
            Kind::Call(function, _) => function.name(),
            Kind::Cast(_) => "cast",
            _ => "expression",
        }
    }

    fn compute<'a>(&'a self, scope: &Scope<'a>) -> Result<Cell<'a>> {
        Ok(match &self.kind {
            Kind::Constant(value) => Cell::Plain(value.as_datum()),
            Kind::Parameter(number) => Cell::Plain(parameter(scope, *number)),
            Kind::Column(position) => Cell::Plain(scope.row.column(*position)?),
            Kind::Incoming(position) => Cell::Plain(scope.incoming.column(*position)?),
            Kind::Outer(0, slot) => match scope.joined {
                Some(joined) => Cell::Plain(joined.column(*slot)?),
                None => return Err(Error::other("a column of a row that is not joined")),
            },
            Kind::Outer(level, slot) => match scope.enclosing {
                Some(enclosing) => Cell::Plain(enclosing.column(*level, *slot)?),
                None => return Err(Error::other("a column of a row that does not enclose")),
            },
            Kind::Aggregate(_) | Kind::Window(_) => {
                return Err(Error::new(1111, "Invalid use of group function"));
            }
            Kind::Subquery(subquery) => match scope.subqueries {
                Some(subqueries) => Cell::of(subqueries.value(subquery, scope)?),
                None => return Err(Error::other("a sub-query that nobody runs")),
            },
            Kind::Compare(..)
            | Kind::And(_)
            | Kind::Or(_)
            | Kind::Xor(..)
            | Kind::Not(_)
            | Kind::IsNull(..)
            | Kind::IsTruth(..)
            | Kind::InList(..)
            | Kind::Between(..)
            | Kind::Like(..) => Cell::maybe(self.truth(scope)?),
            Kind::Arithmetic(op, a, b) => arithmetic_nodes(*op, a, b, scope)?,
            Kind::Negate(a) => match scope.number(a.evaluate(scope)?.datum()) {
                Some(number) => Cell::Plain(arithmetic::negate(number)?.datum()),
                None => NULL,
            },
            Kind::BitNot(a) => match scope.number(a.evaluate(scope)?.datum()) {
                Some(number) => Cell::Plain(Datum::UInt(!number.to_bits())),
                None => NULL,
            },
            Kind::Case(operand, branches, otherwise, rule) => {
                let otherwise = otherwise.as_deref();
                return case(self, operand.as_deref(), branches, otherwise, *rule, scope);
            }
            Kind::Call(function, arguments) => return function.call(self, arguments, scope),
            Kind::Cast(a) => return cast(&self.ty, a, scope),
            Kind::Collated(a) => return a.evaluate(scope),
            Kind::Shift(a, amount, unit, minus) => {
                return shift_node(self, a, amount, *unit, *minus, scope);
            }
            Kind::Extract(unit, a) => extract_node(*unit, a, scope)?,
            Kind::Difference(unit, a, b) => {
                let (a, b) = (a.evaluate(scope)?, b.evaluate(scope)?);
                let (from, to) = (scope.moment(a.datum()), scope.moment(b.datum()));
                match from.zip(to).and_then(|(from, to)| difference(*unit, from, to)) {
                    Some(count) => Cell::Plain(Datum::Int(count)),
                    None => NULL,
                }
            }
            Kind::UserVariable(name) => user_variable(scope.context()?, name),
            Kind::Assign(name, a) => {
                let value = a.evaluate(scope)?;
                let context = scope.context()?;
                let kept = (name.clone(), value.datum().to_value());
                context.side_effects.lock().user_variables.push(kept);
                value
            }
            Kind::SystemVariable(name, global) => system_variable(scope.context()?, name, *global)?,
        })
    }

    /// The value as a condition; `None` is unknown.
    pub fn truth(&self, scope: &Scope<'_>) -> Result<Option<bool>> {
        match &self.kind {
            Kind::And(nodes) => {
                let mut result = Some(true);
                for node in nodes {
                    match node.truth(scope)? {
                        Some(false) => return Ok(Some(false)),
                        Some(true) => {}
                        None => result = None,
                    }
                }
                Ok(result)
            }
            Kind::Or(nodes) => {
                let mut result = Some(false);
                for node in nodes {
                    match node.truth(scope)? {
                        Some(true) => return Ok(Some(true)),
                        Some(false) => {}
                        None => result = None,
                    }
                }
                Ok(result)
            }
            Kind::Xor(a, b) => Ok(a.truth(scope)?.zip(b.truth(scope)?).map(|(a, b)| a != b)),
            Kind::Not(a) => Ok(a.truth(scope)?.map(|value| !value)),
            Kind::Compare(op, a, b, rule) => compare_nodes(*op, a, b, *rule, scope),
            Kind::IsNull(a, negated) => Ok(Some(a.evaluate(scope)?.is_null() != *negated)),
            Kind::IsTruth(a, wanted, negated) => {
                Ok(Some((a.truth(scope)? == Some(*wanted)) != *negated))
            }
            Kind::InList(a, list, negated, rule) => {
                Ok(in_list(a, list, *rule, scope)?.map(|found| found != *negated))
            }
            Kind::Between(nodes, negated, rule) => {
                Ok(between(nodes, *rule, scope)?.map(|within| within != *negated))
            }
            Kind::Like(a, pattern, escape, negated, rule) => {
                Ok(like(a, pattern, *escape, *rule, scope)?.map(|found| found != *negated))
            }
            Kind::Constant(_) | Kind::Parameter(_) if self.is_digits_literal() => {
                Ok(match self.evaluate(scope)?.datum() {
                    Datum::Bytes(bytes) => Some(bytes.iter().any(|byte| *byte != 0)),
                    _ => None,
                })
            }
            _ => {
                let cell = self.evaluate(scope)?;
                let truth = scope.number(cell.datum()).map(Number::is_true);
                scope.limits.check_refused()?;
                Ok(truth)
            }
        }
    }

    /// Whether a row passes the condition.
    #[inline]
    pub fn holds(&self, scope: &Scope<'_>) -> Result<bool> {
        Ok(self.truth(scope)? == Some(true))
    }
}

fn parameter<'a>(scope: &Scope<'a>, number: u16) -> Datum<'a> {
    scope.parameters.get(usize::from(number)).copied().unwrap_or(Datum::Null)
}

fn compare_nodes(
    op: Comparison,
    a: &Node,
    b: &Node,
    rule: Collation,
    scope: &Scope<'_>,
) -> Result<Option<bool>> {
    if let Some(column) = Column::of(a, scope)?
        && let Some(known) = column.known(b, scope)
    {
        return Ok(match column.ordinal {
            Some(ordinal) => Some(op.holds(ordinal.cmp(&known))),
            None => (op == Comparison::NullSafeEqual).then_some(false),
        });
    }
    let alike = (a.ty == ColumnType::Json) == (b.ty == ColumnType::Json);
    if alike
        && a.is_text()
        && b.is_text()
        && let (Place::Text(left), Place::Text(right)) = (a.place(scope)?, b.place(scope)?)
    {
        return Ok(Some(op.holds(collation::compare(rule, left, right))));
    }
    let (left, right) = (a.evaluate(scope)?, b.evaluate(scope)?);
    if op == Comparison::NullSafeEqual && (left.is_null() || right.is_null()) {
        return Ok(Some(left.is_null() && right.is_null()));
    }
    let (left, right) = (left.datum(), right.datum());
    let (left, right) = (digits_beside(a, left, right), digits_beside(b, right, left));
    check_texts_beside_numbers([(left, &a.ty), (right, &b.ty)].into_iter(), scope)?;
    let order = compare((left, &a.ty), (right, &b.ty), rule, scope.zone);
    Ok(order.map(|order| op.holds(order)))
}

/// A literal of digits is a number beside one, also where its kind was not known when both were bound.
fn digits_beside<'d>(node: &Node, datum: Datum<'d>, other: Datum<'_>) -> Datum<'d> {
    match datum {
        Datum::Bytes(bytes) if is_plain_number(other) && node.is_digits_literal() => {
            Datum::UInt(number_of_digits(bytes))
        }
        _ => datum,
    }
}

/// In a strict write a text that is compared with a number has to be one: without that `s = 0` would be true of
/// every word, and an UPDATE change all of those rows.
///
/// # Errors
/// 1292.
fn check_texts_beside_numbers<'t>(
    sides: impl Iterator<Item = (Datum<'t>, &'t ColumnType)> + Clone,
    scope: &Scope<'_>,
) -> Result<()> {
    let is_strict = scope.strict || scope.limits.is_strict();
    if !is_strict || !sides.clone().any(|(datum, _)| is_plain_number(datum)) {
        return Ok(());
    }
    for (datum, ty) in sides {
        if matches!(datum, Datum::Bytes(_)) && *ty != ColumnType::Json {
            scope.number(datum);
        }
    }
    scope.limits.check_refused()
}

fn in_list(a: &Node, list: &[Node], rule: Collation, scope: &Scope<'_>) -> Result<Option<bool>> {
    if let Some(column) = Column::of(a, scope)?
        && let Some(found) = column.is_among(list, scope)
    {
        return Ok(found);
    }
    let value = a.evaluate(scope)?;
    let mut unknown = value.is_null();
    for node in list {
        let item = node.evaluate(scope)?;
        let (left, right) = (value.datum(), item.datum());
        let (left, right) = (digits_beside(a, left, right), digits_beside(node, right, left));
        check_texts_beside_numbers([(left, &a.ty), (right, &node.ty)].into_iter(), scope)?;
        match compare((left, &a.ty), (right, &node.ty), rule, scope.zone) {
            Some(Ordering::Equal) => return Ok(Some(true)),
            Some(_) => {}
            None => unknown = true,
        }
    }
    Ok((!unknown).then_some(false))
}

fn between(nodes: &[Node; 3], rule: Collation, scope: &Scope<'_>) -> Result<Option<bool>> {
    let [a, low, high] = nodes;
    if let Some(column) = Column::of(a, scope)?
        && let Some(bounds) = column.known(low, scope).zip(column.known(high, scope))
    {
        return Ok(column.ordinal.map(|ordinal| (bounds.0..=bounds.1).contains(&ordinal)));
    }
    let value = a.evaluate(scope)?;
    let (bottom, top) = (low.evaluate(scope)?, high.evaluate(scope)?);
    // All three are compared as one kind: with a number among texts, as numbers.
    let kinds = [value.datum(), bottom.datum(), top.datum()];
    let number = kinds.into_iter().find(|kind| is_plain_number(*kind)).unwrap_or(Datum::Null);
    let kinds = [
        digits_beside(a, kinds[0], number),
        digits_beside(low, kinds[1], number),
        digits_beside(high, kinds[2], number),
    ];
    let types = [&a.ty, &low.ty, &high.ty];
    check_texts_beside_numbers(kinds.into_iter().zip(types), scope)?;
    let text = |datum: Datum<'_>| matches!(datum, Datum::Bytes(_) | Datum::Null);
    let numeric = kinds.iter().any(|kind| is_plain_number(*kind))
        && kinds.iter().all(|kind| is_plain_number(*kind) || text(*kind));
    let seen = |datum: Datum<'_>| -> Datum<'static> {
        let seen = Number::of(datum, scope.zone);
        seen.map_or(Datum::Null, |(number, _)| number.datum())
    };
    let order = |bound: Datum<'_>, ty: &ColumnType| match numeric {
        true => compare((seen(kinds[0]), &a.ty), (seen(bound), ty), rule, scope.zone),
        false => compare((kinds[0], &a.ty), (bound, ty), rule, scope.zone),
    };
    let above = order(kinds[1], &low.ty).map(Ordering::is_ge);
    let below = order(kinds[2], &high.ty).map(Ordering::is_le);
    Ok(match (above, below) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    })
}

fn like(
    a: &Node,
    pattern: &Node,
    escape: Option<char>,
    rule: Collation,
    scope: &Scope<'_>,
) -> Result<Option<bool>> {
    match (a.place(scope)?, pattern.place(scope)?) {
        (Place::Text(text), Place::Text(pattern)) => {
            return like_text(text, pattern, escape, rule, scope).map(Some);
        }
        (Place::Null, Place::Text(_)) => return Ok(None),
        _ => {}
    }
    let (text, pattern_cell) = (a.evaluate(scope)?, pattern.evaluate(scope)?);
    if text.is_null() || pattern_cell.is_null() {
        return Ok(None);
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let text = bytes_of(&a.ty, text.datum(), scope.zone, &mut left);
    let pattern = bytes_of(&pattern.ty, pattern_cell.datum(), scope.zone, &mut right);
    like_text(text, pattern, escape, rule, scope).map(Some)
}

fn like_text(
    text: &[u8],
    pattern: &[u8],
    escape: Option<char>,
    rule: Collation,
    scope: &Scope<'_>,
) -> Result<bool> {
    let steps = text.len().saturating_mul(pattern.len());
    scope.limits.search(steps)?;
    let found = collation::like(rule, text, pattern, escape);
    if steps > UNCHECKED_STEPS_MAX {
        // It gives up in the middle when the statement is to end.
        scope.limits.check()?;
    }
    Ok(found)
}

/// The text of a value, borrowed if it is one.
pub fn bytes_of<'b>(
    ty: &ColumnType,
    datum: Datum<'b>,
    zone: Zone,
    buffer: &'b mut Vec<u8>,
) -> &'b [u8] {
    match datum {
        Datum::Bytes(bytes) => bytes,
        other => {
            text_of(ty, other, zone, buffer);
            buffer
        }
    }
}

fn arithmetic_nodes<'a>(
    op: Arithmetic,
    a: &'a Node,
    b: &'a Node,
    scope: &Scope<'a>,
) -> Result<Cell<'a>> {
    let (left, right) = (a.evaluate(scope)?, b.evaluate(scope)?);
    let (Some(x), Some(y)) = (scope.number(left.datum()), scope.number(right.datum())) else {
        return Ok(NULL);
    };
    match arithmetic::compute(op, x, y, scope.mode.no_unsigned_subtraction())? {
        Some(number) => Ok(Cell::Plain(number.datum())),
        None => {
            scope.division_by_zero()?;
            Ok(NULL)
        }
    }
}

fn case<'a>(
    node: &'a Node,
    operand: Option<&'a Node>,
    branches: &'a [(Node, Node)],
    otherwise: Option<&'a Node>,
    rule: Collation,
    scope: &Scope<'a>,
) -> Result<Cell<'a>> {
    for (when, then) in branches {
        let matched = match operand {
            Some(operand) => {
                compare_nodes(Comparison::Equal, operand, when, rule, scope)? == Some(true)
            }
            None => when.holds(scope)?,
        };
        if matched {
            let cell = then.evaluate(scope)?;
            return Ok(settle(node, then, std::slice::from_ref(then), cell, scope));
        }
    }
    let Some(otherwise) = otherwise else { return Ok(NULL) };
    let cell = otherwise.evaluate(scope)?;
    Ok(settle(node, otherwise, std::slice::from_ref(otherwise), cell, scope))
}

/// The interval that `INTERVAL amount unit` is.
fn interval(amount: &Node, unit: Unit, scope: &Scope<'_>) -> Result<Option<Interval>> {
    let cell = amount.evaluate(scope)?;
    if cell.is_null() {
        return Ok(None);
    }
    if let Unit::Compound(large, small) = unit {
        let mut text = Vec::new();
        text_of(&amount.ty, cell.datum(), scope.zone, &mut text);
        return Ok(compound(large, small, &String::from_utf8_lossy(&text)));
    }
    let Some(number) = scope.number(cell.datum()) else { return Ok(None) };
    let (mut whole, mut fraction) = (number.to_i128(), 0i128);
    if unit == Unit::Second {
        let micros = match number {
            Number::Int(_) | Number::UInt(_) => whole.saturating_mul(1_000_000),
            other => (other.to_f64() * 1e6).round() as i128,
        };
        (whole, fraction) = (micros / 1_000_000, micros % 1_000_000);
    }
    let whole = i64::try_from(whole).ok();
    Ok(whole.and_then(|whole| simple(unit, whole, fraction as i64)))
}

fn shift_node<'a>(
    node: &'a Node,
    a: &'a Node,
    amount: &'a Node,
    unit: Unit,
    minus: bool,
    scope: &Scope<'a>,
) -> Result<Cell<'a>> {
    let base = a.evaluate(scope)?;
    let Some(mut length) = interval(amount, unit, scope)? else { return Ok(NULL) };
    if minus {
        length = length.negate();
    }
    if let Datum::Time(time) = base.datum() {
        // A length of time has no months.
        if length.months != 0 {
            return Ok(NULL);
        }
        let moved = time.micros().checked_add(length.micros);
        let time = moved.and_then(Time::from_micros);
        return Ok(time.map_or(NULL, |time| Cell::Plain(Datum::Time(time))));
    }
    let Some(from) = scope.moment(base.datum()) else { return Ok(NULL) };
    let Some(moved) = shift(from, length) else {
        scope.distrust(1441, || "Datetime function: datetime field overflow".to_string());
        return Ok(NULL);
    };
    let day_in = match base.datum() {
        Datum::Date(_) => true,
        Datum::Bytes(text) => {
            values::temporal::read_datetime(text).is_some_and(|read| read.date_only)
        }
        Datum::Int(number) => {
            values::temporal::number_to_datetime(number, 0).is_some_and(|(_, date_only)| date_only)
        }
        _ => false,
    };
    let text_in = !matches!(
        base.datum(),
        Datum::Date(_) | Datum::DateTime(_) | Datum::Timestamp(_) | Datum::Time(_)
    );
    if day_in && unit.is_of_days() {
        if text_in && !matches!(node.ty, ColumnType::Date) {
            let mut text = Vec::new();
            moved.date().write(&mut text);
            return Ok(Cell::Owned(text));
        }
        return Ok(Cell::Plain(Datum::Date(moved.date())));
    }
    if text_in && !matches!(node.ty, ColumnType::DateTime { .. }) {
        let mut text = Vec::new();
        moved.write(if moved.micros() == 0 { 0 } else { 6 }, &mut text);
        return Ok(Cell::Owned(text));
    }
    Ok(Cell::Plain(Datum::DateTime(moved)))
}

fn extract_node<'a>(unit: Unit, a: &'a Node, scope: &Scope<'a>) -> Result<Cell<'a>> {
    let cell = a.evaluate(scope)?;
    let clock = match cell.datum() {
        Datum::Time(time) => Some(time),
        // '10:11:12' is no date here.
        Datum::Bytes(_) if unit.is_of_clock() => span(cell.datum(), scope.zone),
        _ => None,
    };
    let part = match clock {
        Some(time) => extract_of_time(unit, time),
        None => scope.moment(cell.datum()).map(|moment| extract(unit, moment)),
    };
    Ok(part.map_or(NULL, |value| Cell::Plain(Datum::Int(value))))
}

fn user_variable<'a>(context: &'a StatementContext, name: &str) -> Cell<'a> {
    let side_effects = context.side_effects.lock();
    if let Some((_, value)) = side_effects.user_variables.iter().rev().find(|(set, _)| set == name)
    {
        return Cell::of(value.clone());
    }
    context.user_variables.get(name).map_or(NULL, |value| Cell::Plain(value.as_datum()))
}

fn system_variable<'a>(
    context: &'a StatementContext,
    name: &str,
    global: bool,
) -> Result<Cell<'a>> {
    let unknown = || Error::new(1193, format!("Unknown system variable '{name}'"));
    let value = match name {
        _ if global => context.server.global_variable(name).ok_or_else(unknown)?,
        "last_insert_id" | "identity" => Value::UInt(context.last_insert_id),
        "pseudo_thread_id" => Value::UInt(u64::from(context.connection_id)),
        "timestamp" => Value::Double(context.now as f64 / 1e6),
        "warning_count" => Value::UInt(context.warning_count),
        "error_count" => Value::UInt(context.error_count),
        _ => context.variables.value(name).ok_or_else(unknown)?,
    };
    match value {
        Value::Bytes(text) if text == b"NULL" => Ok(NULL),
        value => Ok(Cell::of(value)),
    }
}
