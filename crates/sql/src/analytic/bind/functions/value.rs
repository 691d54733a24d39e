//! Functions over bound operands: evaluated at once where everything is known, otherwise a
//! function of DataFusion's that `crate::expression` computes for each row.
//!
//! Invariants
//! 1. What is computed is of the type that was foretold, whatever it was made of.
//!
//! Not here: which operands there are (`form`).

use std::sync::Arc;

use datafusion::arrow::datatypes::Field;
use datafusion::common::config::ConfigOptions;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, Volatility,
};
use rows::datum::{Datum, Value};
use rows::types::ColumnType;
use sqlparser::ast;

use super::super::super::columns::{is_string, value_of};
use super::super::super::failure::translate;
use super::super::super::kernels::{COPIED_BYTES_MAX, LongText, RowFunction};
use super::super::Binder;
use super::super::aggregates::function_name;
use super::super::cast::{call, convert_value};
use super::super::literals;
use super::super::typed::{Kind, Typed, firmness};
use crate::context::Facts;
use crate::error::{Result, SqlError};
use crate::expression::{self, Names, Node, RowView};

impl Binder<'_> {
    /// Binds what is around the operands, and makes a function of it.
    pub(super) fn over_operands(&self, outer: &ast::Expr, operands: Vec<Typed>) -> Result<Typed> {
        let types: Vec<(ColumnType, bool)> =
            operands.iter().map(|typed| (typed.ty(), typed.nullable)).collect();
        let names = Names { operands: &types, ..Names::none("field list", self.facts.mode) };
        let node = expression::bind(outer, &names).map_err(|failure| match failure {
            expression::BindFailure::Wrong(error) => error,
            expression::BindFailure::Elsewhere(what) => match what.strip_prefix("function ") {
                Some(name) => SqlError::unknown_function(name),
                None => SqlError::unsupported(what),
            },
        })?;
        let firmness = operands.iter().map(|typed| typed.firmness).min();
        let firmness = match (&node.kind, firmness) {
            (expression::Kind::Collated(_), _) => firmness::EXPLICIT,
            (expression::Kind::Call(..), Some(firmness)) if is_string(&node.ty) => {
                firmness.min(firmness::LITERAL)
            }
            _ if is_string(&node.ty) => firmness::LITERAL,
            _ => firmness::NUMBER,
        };
        let fixed = node.is_constant() || operands.iter().all(|typed| typed.constant.is_some());
        if fixed && is_repeatable(&node) && operands.iter().all(|typed| typed.constant.is_some()) {
            return self.evaluated(&node, &operands).map(|typed| typed.firm(firmness));
        }
        Ok(self.row_function(outer, node, operands).firm(firmness))
    }

    /// The value over known operands.
    fn evaluated(&self, node: &Node, operands: &[Typed]) -> Result<Typed> {
        let datums: Vec<Datum<'_>> = operands
            .iter()
            .map(|typed| typed.constant.as_ref().map_or(Datum::Null, Value::as_datum))
            .collect();
        let value = evaluate(node, &datums, self.facts)?;
        if let Value::Bytes(text) = &value
            && text.len() > COPIED_BYTES_MAX
        {
            let room = self.facts.limits.take(text.len())?;
            let expr = call(LongText::counted(text, room).map_err(translate)?, Vec::new());
            return Ok(Typed::value(expr, node.ty.clone(), false));
        }
        if value.is_null() {
            return Ok(Typed { kind: Kind::Of(node.ty.clone()), ..cast_null(&node.ty) });
        }
        // A user variable is of whatever type its value has.
        if matches!(node.kind, expression::Kind::UserVariable(_)) {
            return Ok(literals::value(value));
        }
        let value = in_domain(value, &node.ty, self.facts.zone);
        Ok(Typed::literal(node.ty.clone(), value))
    }

    fn row_function(&self, outer: &ast::Expr, node: Node, operands: Vec<Typed>) -> Typed {
        let name = match outer {
            ast::Expr::Function(function) => function_name(function).to_lowercase(),
            ast::Expr::BinaryOp { op, .. } => op.to_string(),
            ast::Expr::Cast { data_type, .. } => format!("cast as {data_type} of "),
            _ => "expression".to_owned(),
        };
        let volatile = !is_repeatable(&node);
        let (ty, nullable) = (node.ty.clone(), node.nullable);
        let facts = Arc::clone(self.facts);
        let result = ty.clone();
        let function = RowFunction::new(
            &name,
            &format!("{outer} {:?}", facts.zone),
            operands.iter().map(Typed::ty).collect(),
            Some(ty.clone()),
            volatile,
            Arc::new(move |args| {
                let value = evaluate(&node, args, &facts)?;
                Ok(in_domain(value, &result, facts.zone))
            }),
        )
        .within(&self.facts.limits);
        let args = operands.into_iter().map(|typed| typed.expr).collect();
        Typed::value(call(function, args), ty, nullable)
    }

    /// A call of our own functions on literals, computed at once.
    pub(in crate::analytic::bind) fn settled(&self, typed: Typed) -> Result<Typed> {
        let Expr::ScalarFunction(ScalarFunction { func, args }) = &typed.expr else {
            return Ok(typed);
        };
        let Kind::Of(ty) = &typed.kind else { return Ok(typed) };
        let scalars: Option<Vec<_>> = args
            .iter()
            .map(|arg| match arg {
                Expr::Literal(scalar, _) => Some(scalar.clone()),
                _ => None,
            })
            .collect();
        let Some(scalars) = scalars else { return Ok(typed) };
        if func.signature().volatility != Volatility::Immutable {
            return Ok(typed);
        }
        let arg_fields: Vec<_> = scalars
            .iter()
            .map(|scalar| Arc::new(Field::new("operand", scalar.data_type(), true)))
            .collect();
        let known: Vec<_> = scalars.iter().map(Some).collect();
        let return_field = func
            .return_field_from_args(ReturnFieldArgs {
                arg_fields: &arg_fields,
                scalar_arguments: &known,
            })
            .map_err(translate)?;
        let value = func
            .invoke_with_args(ScalarFunctionArgs {
                args: scalars.into_iter().map(ColumnarValue::Scalar).collect(),
                arg_fields,
                number_rows: 1,
                return_field,
                config_options: Arc::new(ConfigOptions::default()),
            })
            .map_err(translate)?;
        let ColumnarValue::Scalar(scalar) = value else { return Ok(typed) };
        match value_of(ty, &scalar) {
            Some(value) => Ok(Typed::literal(ty.clone(), value).firm(typed.firmness)),
            None => Ok(typed),
        }
    }
}

fn cast_null(ty: &ColumnType) -> Typed {
    Typed::literal(ty.clone(), Value::Null)
}

fn evaluate(node: &Node, operands: &[Datum<'_>], facts: &Facts) -> Result<Value> {
    let scope = expression::Scope {
        row: RowView::Datums(operands),
        facts: Some(facts),
        mode: facts.mode.lenient(),
        limits: &facts.limits,
        ..expression::Scope::bare(&[], facts.zone)
    };
    Ok(node.evaluate(&scope)?.into_value())
}

/// A value as one of the type: evaluation looks at what it is given, the type was foretold.
fn in_domain(value: Value, ty: &ColumnType, zone: rows::Zone) -> Value {
    let fits = match (&value, ty) {
        (Value::Null, _) => true,
        (Value::Int(_), ColumnType::Int { unsigned, .. }) => !unsigned,
        (Value::UInt(_), ColumnType::Int { unsigned, .. }) => *unsigned,
        (Value::Double(_), ColumnType::Double) => true,
        (Value::Decimal(value), ColumnType::Decimal { precision, scale }) => {
            value.scale() == *scale && value.whole_digits() <= precision - scale
        }
        (Value::Bytes(_), ty) => is_string(ty),
        (Value::Date(_), ColumnType::Date) => true,
        (Value::Time(_), ColumnType::Time { .. }) => true,
        (Value::DateTime(_), ColumnType::DateTime { .. }) => true,
        (Value::Timestamp(_), ColumnType::Timestamp { .. }) => true,
        (Value::Year(_), ColumnType::Year) => true,
        _ => false,
    };
    if fits {
        return value;
    }
    let from = match &value {
        Value::Enum(_) => ColumnType::Year,
        _ => ty.clone(),
    };
    convert_value(&from, value.as_datum(), ty, zone)
}

/// Whether equal operands give equal values, and nothing is left behind.
fn is_repeatable(node: &Node) -> bool {
    let mut repeatable = true;
    node.visit(&mut |node| {
        repeatable &= match &node.kind {
            expression::Kind::Assign(..) => false,
            expression::Kind::Call(function, _) => !function.is_volatile(),
            _ => true,
        };
    });
    repeatable
}
