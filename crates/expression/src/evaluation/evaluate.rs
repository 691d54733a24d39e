//! Evaluating a bound expression over a row.
//!
//! Invariants
//! 1. NULL and unknown are the same: conditions have three values.
//! 2. A column is decoded only if the expression asks for it.
//!
//! Not here: what the row is part of (`scope`), comparisons (`condition`), intervals (`shifting`),
//! functions (`functions`), CAST (`cast`).

use std::cmp::Ordering;

use values::ErrorCode;
use values::datum::{Datum, Value};
use values::decimal::Decimal;
use values::types::{Collation, ColumnType};

use crate::evaluation::cast::cast;
use crate::evaluation::common::settle;
use crate::evaluation::condition::{between, compare_nodes, in_list, like, order_told};
use crate::evaluation::shifting::{extract_node, shift_node};
use crate::row::scope::Scope;
use crate::statement::context::{StatementContext, UserVariable};
use crate::statement::error::{Error, Result};
use crate::statement::limits::LARGE_BYTES;
use crate::tree::node::{Comparison, Kind, Node};
use crate::value::arithmetic;
use crate::value::arithmetic::Arithmetic;
use crate::value::cell::{Cell, NULL};
use crate::value::json::conversion::json_is_true;
use crate::value::moment::difference;
use crate::value::number::{Number, leading_exact};

impl Node {
    /// The value over a scope.
    ///
    /// # Errors
    /// Those of strict mode and of functions; 1041 when it needs more memory than there is.
    #[inline]
    pub fn evaluate<'a>(&'a self, scope: &Scope<'a>) -> Result<Cell<'a>> {
        // Most are one of these, which need none of the room that the others do.
        match &self.kind {
            Kind::Column(position) => Ok(self.stored(scope.row.column(*position)?)),
            Kind::Constant(value) => Ok(Cell::Plain(value.as_datum())),
            Kind::Parameter(number) => Ok(Cell::Plain(parameter(scope, *number))),
            Kind::Once(once) => once.evaluate(scope),
            _ => self.evaluate_other(scope),
        }
    }

    /// The value of a column.
    #[inline]
    fn stored<'a>(&self, datum: Datum<'a>) -> Cell<'a> {
        match datum {
            Datum::Bytes(text) if self.is_long() => Cell::Long(text),
            datum => Cell::Plain(datum),
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
            Kind::Constant(_) | Kind::Parameter(_) | Kind::Once(_) | Kind::Column(_) => {
                return self.evaluate(scope);
            }
            Kind::Incoming(position) => self.stored(scope.incoming.column(*position)?),
            Kind::Outer(0, slot) => match scope.joined {
                Some(joined) => self.stored(joined.column(*slot)?),
                None => return Err(Error::other("a column of a row that is not joined")),
            },
            Kind::Outer(level, slot) => match scope.enclosing {
                Some(enclosing) => self.stored(enclosing.column(*level, *slot)?),
                None => return Err(Error::other("a column of a row that does not enclose")),
            },
            Kind::Aggregate(_) | Kind::Window(_) => {
                return Err(Error::new(
                    ErrorCode::InvalidGroupFuncUse,
                    "Invalid use of group function",
                ));
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
            Kind::Arithmetic(op, a, b) => arithmetic_nodes(&self.ty, *op, a, b, scope)?,
            Kind::Negate(a) => match scope.number(&a.evaluate(scope)?) {
                Some(number) => {
                    let is_whole = matches!(self.ty, ColumnType::Int { .. });
                    Cell::Plain(arithmetic::negate(number, is_whole)?.datum())
                }
                None => NULL,
            },
            Kind::BitNot(a) => match scope.bits(a, &a.evaluate(scope)?) {
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
                let given = UserVariable::of(&a.ty, value.datum(), scope.zone);
                let value = match UserVariable::keeps_text(&a.ty) {
                    true => Cell::of(given.value.clone()),
                    false => value,
                };
                context.side_effects.lock().user_variables.push((name.clone(), given));
                value
            }
            Kind::SystemVariable(name, global) => system_variable(scope.context()?, name, *global)?,
        })
    }

    /// The value as a condition; `None` is unknown.
    ///
    /// # Errors
    /// Those of evaluating it: what comes behind an operand that decides is not evaluated.
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
                if let Datum::Bytes(document) = cell.datum()
                    && self.ty == ColumnType::Json
                {
                    return Ok(Some(json_is_true(document)));
                }
                let truth = scope.number(&cell).map(Number::is_true);
                scope.limits.check_refused()?;
                Ok(truth)
            }
        }
    }

    /// Whether a row passes the condition.
    ///
    /// # Errors
    /// As `truth`.
    #[inline]
    pub fn holds(&self, scope: &Scope<'_>) -> Result<bool> {
        Ok(self.truth(scope)? == Some(true))
    }
}

fn parameter<'a>(scope: &Scope<'a>, number: u16) -> Datum<'a> {
    scope.parameters.get(usize::from(number)).copied().unwrap_or(Datum::Null)
}

fn arithmetic_nodes<'a>(
    ty: &ColumnType,
    op: Arithmetic,
    a: &'a Node,
    b: &'a Node,
    scope: &Scope<'a>,
) -> Result<Cell<'a>> {
    let (left, right) = (a.evaluate(scope)?, b.evaluate(scope)?);
    let number = |node: &Node, cell: &Cell<'_>| match op.is_of_bits() {
        true => scope.bits(node, cell),
        // DIV reads a text to its last digit (MySQL 9.7: tests/oracle/sql/types.sql).
        false => match (cell.datum(), scope.number(cell)) {
            (Datum::Bytes(text), Some(_)) if op == Arithmetic::IntegerDivide => {
                // It has no sign of its own.
                Some(match leading_exact(text).0 {
                    Number::UInt(value) => Number::Decimal(Decimal::from(value)),
                    other => other,
                })
            }
            (_, number) => number,
        },
    };
    let (Some(x), Some(y)) = (number(a, &left), number(b, &right)) else {
        return Ok(NULL);
    };
    match arithmetic::compute(op, x, y, scope.mode)? {
        Some(Number::Decimal(quotient)) if op == Arithmetic::Divide => {
            let own = x.to_decimal().map_or(0, Decimal::scale);
            let scale = match ty {
                ColumnType::Decimal { scale, .. } => *scale,
                _ => (own + scope.mode.division_digits()).min(Decimal::SCALE_MAX),
            };
            let shown = quotient.rescale(scale).unwrap_or(quotient);
            Ok(Cell::Plain(Datum::Decimal(shown)))
        }
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
    // A column is compared where it lies, unless it is a text beside others; anything else has one
    // value for all branches.
    let is_column = |operand: &&Node| {
        let are_texts = || branches.iter().all(|(when, _)| when.is_text());
        matches!(operand.kind, Kind::Column(_)) && (!operand.is_text() || are_texts())
    };
    let mut is_told = false;
    let value = operand.filter(|operand| !is_column(operand));
    let value = value.map(|operand| operand.evaluate(scope)).transpose()?;
    for (when, then) in branches {
        let matched = match (operand, &value) {
            (Some(operand), Some(value)) => {
                let beside = when.evaluate(scope)?;
                let (value, beside) = ((operand, value.datum()), (when, beside.datum()));
                let order = order_told(value, beside, rule, scope, &mut is_told)?;
                order == Some(Ordering::Equal)
            }
            (Some(operand), None) => {
                compare_nodes(Comparison::Equal, operand, when, rule, scope)? == Some(true)
            }
            (None, _) => when.holds(scope)?,
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

fn user_variable<'a>(context: &'a StatementContext, name: &str) -> Cell<'a> {
    let side_effects = context.side_effects.lock();
    let mut assigned = side_effects.user_variables.iter().rev();
    if let Some((_, variable)) = assigned.find(|(set, _)| set == name) {
        return Cell::of(variable.value.clone());
    }
    let kept = context.user_variables.get(name);
    kept.map_or(NULL, |variable| Cell::Plain(variable.value.as_datum()))
}

fn system_variable<'a>(
    context: &'a StatementContext,
    name: &str,
    global: bool,
) -> Result<Cell<'a>> {
    let unknown = || {
        Error::new(ErrorCode::UnknownSystemVariable, format!("Unknown system variable '{name}'"))
    };
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
