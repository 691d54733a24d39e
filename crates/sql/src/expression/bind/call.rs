//! Calls of functions, and what the grammar writes like one.
//!
//! Not here: which functions there are (`function`).

use sqlparser::ast::{
    Expr, Function as Call, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Interval,
};
use values::datum::Value;
use values::types::ColumnType;

use super::names::incoming_node;
use super::operator::arithmetic_node;
use super::{Bound, Names, bind, elsewhere, unit};
use crate::error::SqlError;
use crate::expression::digits::number_digits;
use crate::expression::function::Function;
use crate::expression::moment::Unit;
use crate::expression::node::{Arithmetic, BIGINT, Kind, Node, text_type};
use crate::parse::cursor::name_parts;

pub(super) fn shift(
    base: Node,
    interval: &Interval,
    minus: bool,
    names: &Names<'_>,
) -> Bound<Node> {
    let Some(field) = &interval.leading_field else {
        return Err(SqlError::syntax(&interval.to_string(), 1).into());
    };
    let unit = unit(&field.to_string())?;
    let amount = bind(&interval.value, names)?;
    Ok(shift_node(base, amount, unit, minus))
}

/// A time moved by an interval.
pub fn shift_node(base: Node, amount: Node, unit: Unit, minus: bool) -> Node {
    let fraction = |fsp: u8| match unit {
        _ if unit.has_fraction() => 6,
        Unit::Second => fsp.max(number_digits(&amount)),
        _ => fsp,
    };
    let ty = match &base.ty {
        ColumnType::Date if unit.is_of_days() => ColumnType::Date,
        ColumnType::Date => ColumnType::DateTime { fsp: fraction(0) },
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => {
            ColumnType::DateTime { fsp: fraction(*fsp) }
        }
        ColumnType::Time { fsp } => ColumnType::Time { fsp: fraction(*fsp) },
        _ => text_type(26),
    };
    Node::new(Kind::Shift(Box::new(base), Box::new(amount), unit, minus), ty, true)
}

/// A call by name of bound arguments.
pub fn call_node(name: &str, arguments: Vec<Node>) -> Bound<Node> {
    match Function::find(name, arguments.len()) {
        Some(Ok(function)) => {
            let arguments = match function.is_of_numbers() {
                true => arguments.into_iter().map(Node::with_number).collect(),
                false => arguments,
            };
            let (ty, nullable) = function.result(&arguments);
            Ok(Node::new(Kind::Call(function, arguments), ty, nullable))
        }
        Some(Err(error)) => Err(error.into()),
        None => elsewhere(format_args!("function {name}")),
    }
}

pub(super) fn function(call: &Call, names: &Names<'_>) -> Bound<Node> {
    let parts = name_parts(&call.name);
    let [name] = parts.as_slice() else { return elsewhere(&call.name) };
    if call.over.is_some() || call.filter.is_some() {
        return elsewhere("window functions");
    }
    let list: &[FunctionArg] = match &call.args {
        FunctionArguments::None => &[],
        FunctionArguments::List(list) if list.duplicate_treatment.is_none() => &list.args,
        _ => return elsewhere(&call.name),
    };
    let mut exprs = Vec::with_capacity(list.len());
    for argument in list {
        match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => exprs.push(expr),
            _ => return elsewhere(&call.name),
        }
    }
    let upper = name.value.to_ascii_uppercase();
    match (upper.as_str(), exprs.as_slice()) {
        ("VALUES", [Expr::Identifier(column)]) => values_call(&[column], names),
        ("VALUES", [Expr::CompoundIdentifier(parts)]) => {
            values_call(&parts.last().into_iter().collect::<Vec<_>>(), names)
        }
        ("DEFAULT", _) => elsewhere("DEFAULT(column)"),
        ("DATE_ADD" | "ADDDATE", [base, Expr::Interval(interval)]) => {
            shift(bind(base, names)?, interval, false, names)
        }
        ("DATE_SUB" | "SUBDATE", [base, Expr::Interval(interval)]) => {
            shift(bind(base, names)?, interval, true, names)
        }
        ("ADDDATE", [base, days]) => {
            Ok(shift_node(bind(base, names)?, bind(days, names)?, Unit::Day, false))
        }
        ("SUBDATE", [base, days]) => {
            Ok(shift_node(bind(base, names)?, bind(days, names)?, Unit::Day, true))
        }
        ("MOD", [a, b]) => {
            let (a, b) = (bind(a, names)?, bind(b, names)?);
            Ok(arithmetic_node(Arithmetic::Modulo, a, b, names))
        }
        ("TIMESTAMPADD", [Expr::Identifier(field), amount, base]) => {
            let unit = unit(&field.value)?;
            Ok(shift_node(bind(base, names)?, bind(amount, names)?, unit, false))
        }
        ("TIMESTAMPDIFF", [Expr::Identifier(field), from, to]) => {
            let unit = unit(&field.value)?;
            let (from, to) = (Box::new(bind(from, names)?), Box::new(bind(to, names)?));
            Ok(Node::new(Kind::Difference(unit, from, to), BIGINT, true))
        }
        ("CHAR", [.., _]) | (_, _) => {
            // A query knows all that there are, aggregates too.
            if names.resolver.is_some() && Function::find(&upper, exprs.len()).is_none() {
                return Err(SqlError::unknown_function(&name.value).into());
            }
            let arguments =
                exprs.iter().map(|expr| bind(expr, names)).collect::<Bound<Vec<_>>>()?;
            call_node(&upper, arguments)
        }
    }
}

fn values_call(parts: &[&Ident], names: &Names<'_>) -> Bound<Node> {
    let ([column], Some(table)) = (parts, names.table) else { return elsewhere("VALUES()") };
    let position = table
        .column(&column.value)
        .ok_or_else(|| SqlError::unknown_column(&column.value, names.clause))?;
    match names.incoming {
        Some(_) => Ok(incoming_node(table, position)),
        // Outside of INSERT it is NULL, as in MySQL.
        None => Ok(Node::constant(Value::Null)),
    }
}
