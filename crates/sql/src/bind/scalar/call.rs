//! Calls of functions, and what the grammar writes like one.
//!
//! Not here: which functions there are (`expression::Function`).

use expression::{Arithmetic, BIGINT, Function, Kind, Node, Unit, arithmetic_node, shift_node};
use sqlparser::ast::{
    Expr, Function as Call, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Interval,
};
use syntax::cursor::name_parts;
use values::datum::Value;

use super::names::incoming_node;
use super::{Bound, Names, bind, elsewhere, unit};
use crate::error::SqlError;

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

/// A call by name of bound arguments.
pub fn call_node(name: &str, arguments: Vec<Node>) -> Bound<Node> {
    match expression::call_node(name, arguments) {
        Some(node) => Ok(node?),
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
        ("VALUES" | "VALUE", [Expr::Identifier(column)]) => values_call(&[column], names),
        ("VALUES" | "VALUE", [Expr::CompoundIdentifier(parts)]) => {
            values_call(&parts.last().into_iter().collect::<Vec<_>>(), names)
        }
        ("DEFAULT", [Expr::Identifier(column)]) => names.default(&[column]),
        ("DEFAULT", [Expr::CompoundIdentifier(parts)]) => {
            names.default(&parts.iter().collect::<Vec<_>>())
        }
        ("DEFAULT", _) => Err(SqlError::syntax(&call.args.to_string(), 1).into()),
        ("ADD_MONTHS", [base, months]) => {
            Ok(shift_node(bind(base, names)?, bind(months, names)?, Unit::Month, false))
        }
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
        ("ADD_MONTHS", _) => Err(expression::Error::parameter_count(&name.value).into()),
        ("MOD", [a, b]) => {
            let (a, b) = (bind(a, names)?, bind(b, names)?);
            Ok(arithmetic_node(Arithmetic::Modulo, a, b, names.mode))
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
                return Err(expression::Error::unknown_function(&name.value).into());
            }
            let arguments =
                exprs.iter().map(|expr| bind(expr, names)).collect::<Bound<Vec<_>>>()?;
            call_node(&upper, arguments)
        }
    }
}

fn values_call(parts: &[&Ident], names: &Names<'_>) -> Bound<Node> {
    if let (Some(resolver), None) = (names.resolver, names.table) {
        if let Some(incoming) = parts.last().and_then(|column| resolver.incoming(column)) {
            return Ok(incoming);
        }
        resolver.column(parts, names.clause)?;
        return Ok(Node::constant(Value::Null));
    }
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
