//! Evaluating a bound expression over a row.
//!
//! Invariants
//! 1. NULL and unknown are the same: conditions have three values.
//! 2. A column is decoded only if the expression asks for it.
//!
//! Not here: functions (`text_call`, `time_call`, `session_call`, `json`), CAST (`cast`).

use std::cell::RefCell;
use std::cmp::Ordering;

use rows::collation;
use rows::datum::{Datum, Value};
use rows::row::RowRef;
use rows::temporal::Zone;
use rows::types::{Collation, ColumnType};

use super::arithmetic;
use super::cast::cast;
use super::compare::{compare, moment, span};
use super::moment::{Interval, Unit, compound, difference, extract, shift, simple};
use super::node::{Arithmetic, Comparison, Kind, Node};
use super::number::Number;
use super::value::{Cell, NULL, text_of};
use crate::context::Facts;
use crate::error::{Result, SqlError};
use crate::mode::SqlMode;
use crate::warning::{Level, Warnings};

/// The row that columns are read from.
#[derive(Clone, Copy)]
pub enum RowView<'a> {
    /// There is none.
    None,
    /// A stored row.
    Stored(RowRef<'a>),
    /// Values in column order.
    Values(&'a [Value]),
    /// Datums in column order.
    Datums(&'a [Datum<'a>]),
}

impl<'a> RowView<'a> {
    /// A column's value.
    #[inline]
    pub fn column(&self, position: usize) -> Result<Datum<'a>> {
        match self {
            RowView::None => Err(SqlError::other("a column where there is no row")),
            RowView::Stored(row) => Ok(row.column(position)?),
            RowView::Values(values) => Ok(values[position].as_datum()),
            RowView::Datums(values) => Ok(values[position]),
        }
    }
}

/// What an expression is evaluated over.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The row.
    pub row: RowView<'a>,
    /// The row that INSERT would add.
    pub incoming: RowView<'a>,
    /// Literals and `?`.
    pub parameters: &'a [Datum<'a>],
    /// The session, for the functions that ask it.
    pub facts: Option<&'a Facts>,
    /// The session's zone.
    pub zone: Zone,
    /// sql_mode.
    pub mode: SqlMode,
    /// Where warnings go.
    pub warnings: Option<&'a RefCell<Warnings>>,
    /// Whether a division by zero is an error rather than a warning (strict writes).
    pub strict: bool,
}

impl<'a> Scope<'a> {
    /// Only parameters: for look-ups, which warn of nothing.
    pub fn bare(parameters: &'a [Datum<'a>], zone: Zone) -> Scope<'a> {
        Scope {
            row: RowView::None,
            incoming: RowView::None,
            parameters,
            facts: None,
            zone,
            mode: SqlMode::default(),
            warnings: None,
            strict: false,
        }
    }

    /// The same with another row.
    pub fn with_row(&self, row: RowView<'a>) -> Scope<'a> {
        Scope { row, ..*self }
    }

    /// The session; an error where an expression needs it and there is none.
    pub fn facts(&self) -> Result<&'a Facts> {
        self.facts.ok_or_else(|| SqlError::other("a session function without a session"))
    }

    /// Adds a warning.
    pub fn warn(&self, number: u16, message: impl FnOnce() -> String) {
        if let Some(warnings) = self.warnings {
            warnings.borrow_mut().push_with(Level::Warning, || SqlError::new(number, message()));
        }
    }

    fn division_by_zero(&self) -> Result<()> {
        if !self.mode.error_for_division_by_zero() {
            return Ok(());
        }
        if self.strict {
            return Err(SqlError::new(1365, "Division by 0"));
        }
        self.warn(1365, || "Division by 0".to_string());
        Ok(())
    }

    /// A value as a number, with a warning for a text that is none.
    pub fn number(&self, datum: Datum<'_>) -> Option<Number> {
        let (number, strange) = Number::of(datum, self.zone)?;
        if strange && let Datum::Bytes(text) = datum {
            self.warn(1292, || {
                format!("Truncated incorrect DOUBLE value: '{}'", String::from_utf8_lossy(text))
            });
        }
        Some(number)
    }
}

impl Node {
    /// The value over a scope.
    pub fn evaluate<'a>(&'a self, scope: &Scope<'a>) -> Result<Cell<'a>> {
        Ok(match &self.kind {
            Kind::Constant(value) => Cell::Plain(value.as_datum()),
            Kind::Parameter(number) => Cell::Plain(parameter(scope, *number)),
            Kind::Column(position) => Cell::Plain(scope.row.column(*position)?),
            Kind::Incoming(position) => Cell::Plain(scope.incoming.column(*position)?),
            Kind::Compare(op, a, b, rule) => Cell::maybe(compare_nodes(*op, a, b, *rule, scope)?),
            Kind::And(_) | Kind::Or(_) | Kind::Xor(..) | Kind::Not(_) => {
                Cell::maybe(self.truth(scope)?)
            }
            Kind::IsNull(a, negated) => Cell::truth(a.evaluate(scope)?.is_null() != *negated),
            Kind::IsTruth(a, wanted, negated) => {
                Cell::truth((a.truth(scope)? == Some(*wanted)) != *negated)
            }
            Kind::InList(a, list, negated, rule) => {
                Cell::maybe(in_list(a, list, *rule, scope)?.map(|found| found != *negated))
            }
            Kind::Between(nodes, negated, rule) => {
                Cell::maybe(between(nodes, *rule, scope)?.map(|within| within != *negated))
            }
            Kind::Like(a, pattern, escape, negated, rule) => {
                Cell::maybe(like(a, pattern, *escape, *rule, scope)?.map(|found| found != *negated))
            }
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
                return case(operand.as_deref(), branches, otherwise.as_deref(), *rule, scope);
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
                let from = moment(a.datum(), scope.zone);
                let to = moment(b.datum(), scope.zone);
                match from.zip(to).and_then(|(from, to)| difference(*unit, from, to)) {
                    Some(count) => Cell::Plain(Datum::Int(count)),
                    None => NULL,
                }
            }
            Kind::UserVariable(name) => user_variable(scope.facts()?, name),
            Kind::Assign(name, a) => {
                let value = a.evaluate(scope)?;
                let facts = scope.facts()?;
                let kept = (name.clone(), value.clone().into_value());
                facts.aftermath.lock().user_variables.push(kept);
                value
            }
            Kind::SystemVariable(name, global) => system_variable(scope.facts()?, name, *global)?,
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
            _ => {
                let cell = self.evaluate(scope)?;
                Ok(scope.number(cell.datum()).map(Number::is_true))
            }
        }
    }

    /// Whether a row passes the condition.
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
    let (left, right) = (a.evaluate(scope)?, b.evaluate(scope)?);
    if op == Comparison::NullSafeEqual && (left.is_null() || right.is_null()) {
        return Ok(Some(left.is_null() && right.is_null()));
    }
    let order = compare((left.datum(), &a.ty), (right.datum(), &b.ty), rule, scope.zone);
    Ok(order.map(|order| match op {
        Comparison::Equal | Comparison::NullSafeEqual => order == Ordering::Equal,
        Comparison::NotEqual => order != Ordering::Equal,
        Comparison::Less => order == Ordering::Less,
        Comparison::LessEqual => order != Ordering::Greater,
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterEqual => order != Ordering::Less,
    }))
}

fn in_list(a: &Node, list: &[Node], rule: Collation, scope: &Scope<'_>) -> Result<Option<bool>> {
    let value = a.evaluate(scope)?;
    let mut unknown = value.is_null();
    for node in list {
        let item = node.evaluate(scope)?;
        match compare((value.datum(), &a.ty), (item.datum(), &node.ty), rule, scope.zone) {
            Some(Ordering::Equal) => return Ok(Some(true)),
            Some(_) => {}
            None => unknown = true,
        }
    }
    Ok((!unknown).then_some(false))
}

fn between(nodes: &[Node; 3], rule: Collation, scope: &Scope<'_>) -> Result<Option<bool>> {
    let [a, low, high] = nodes;
    let value = a.evaluate(scope)?;
    let (bottom, top) = (low.evaluate(scope)?, high.evaluate(scope)?);
    let above = compare((value.datum(), &a.ty), (bottom.datum(), &low.ty), rule, scope.zone)
        .map(Ordering::is_ge);
    let below = compare((value.datum(), &a.ty), (top.datum(), &high.ty), rule, scope.zone)
        .map(Ordering::is_le);
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
    let (text, pattern_cell) = (a.evaluate(scope)?, pattern.evaluate(scope)?);
    if text.is_null() || pattern_cell.is_null() {
        return Ok(None);
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let text = bytes_of(&a.ty, text.datum(), scope.zone, &mut left);
    let pattern = bytes_of(&pattern.ty, pattern_cell.datum(), scope.zone, &mut right);
    Ok(Some(collation::like(rule, text, pattern, escape)))
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
            return then.evaluate(scope);
        }
    }
    otherwise.map_or(Ok(NULL), |node| node.evaluate(scope))
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
        let moved = time.micros().checked_add(length.micros);
        let time = moved.and_then(rows::temporal::Time::from_micros);
        return Ok(time.map_or(NULL, |time| Cell::Plain(Datum::Time(time))));
    }
    let Some(from) = moment(base.datum(), scope.zone) else { return Ok(NULL) };
    let Some(moved) = shift(from, length) else {
        scope.warn(1441, || "Datetime function: datetime field overflow".to_string());
        return Ok(NULL);
    };
    let day_in = match base.datum() {
        Datum::Date(_) => true,
        Datum::Bytes(text) => {
            rows::temporal::read_datetime(text).is_some_and(|read| read.date_only)
        }
        _ => false,
    };
    let text_in = matches!(base.datum(), Datum::Bytes(_));
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
    let part = match cell.datum() {
        Datum::Null => None,
        Datum::Time(time) => {
            let sign = if time.is_negative() { -1 } else { 1 };
            let value = match unit {
                Unit::Hour => i64::from(time.hours()),
                Unit::Minute => i64::from(time.minute()),
                Unit::Second => i64::from(time.second()),
                Unit::Microsecond => i64::from(time.fraction()),
                _ => return Ok(NULL),
            };
            Some(sign * value)
        }
        other => match moment(other, scope.zone) {
            Some(moment) => Some(extract(unit, moment)),
            None => span(other, scope.zone).and_then(|time| match unit {
                Unit::Hour => Some(i64::from(time.hours())),
                Unit::Minute => Some(i64::from(time.minute())),
                Unit::Second => Some(i64::from(time.second())),
                Unit::Microsecond => Some(i64::from(time.fraction())),
                _ => None,
            }),
        },
    };
    Ok(part.map_or(NULL, |value| Cell::Plain(Datum::Int(value))))
}

fn user_variable<'a>(facts: &'a Facts, name: &str) -> Cell<'a> {
    let aftermath = facts.aftermath.lock();
    if let Some((_, value)) = aftermath.user_variables.iter().rev().find(|(set, _)| set == name) {
        return Cell::of(value.clone());
    }
    facts.user_variables.get(name).map_or(NULL, |value| Cell::Plain(value.as_datum()))
}

fn system_variable<'a>(facts: &'a Facts, name: &str, global: bool) -> Result<Cell<'a>> {
    let definition =
        crate::variables::definition(name).ok_or_else(|| crate::variables::unknown(name))?;
    let value = match definition.name {
        _ if global => facts.sql.globals().value(definition),
        "last_insert_id" | "identity" => Value::UInt(facts.last_insert_id),
        "pseudo_thread_id" => Value::UInt(u64::from(facts.connection_id)),
        "timestamp" => Value::Double(facts.now as f64 / 1e6),
        "warning_count" => Value::UInt(facts.warning_count),
        "error_count" => Value::UInt(facts.error_count),
        name => facts.variables.value(name).unwrap_or(Value::Null),
    };
    match value {
        Value::Bytes(text) if text == b"NULL" => Ok(NULL),
        value => Ok(Cell::of(value)),
    }
}
