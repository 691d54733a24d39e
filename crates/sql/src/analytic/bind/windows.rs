//! Window functions: `f(...) OVER (...)`.
//!
//! Invariants
//! 1. Each window function becomes a column, computed above the grouping and below the select
//!    list; DataFusion names it by what it computes.
//!
//! Not here: aggregates without OVER (`aggregates`).

use datafusion::common::{Column, ScalarValue};
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::functions_window::cume_dist::cume_dist_udwf;
use datafusion::functions_window::lead_lag::{lag_udwf, lead_udwf};
use datafusion::functions_window::nth_value::{first_value_udwf, last_value_udwf, nth_value_udwf};
use datafusion::functions_window::ntile::ntile_udwf;
use datafusion::functions_window::rank::{dense_rank_udwf, percent_rank_udwf, rank_udwf};
use datafusion::functions_window::row_number::row_number_udwf;
use datafusion::logical_expr::expr::{NullTreatment, Sort, WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::{
    Expr, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowFunctionDefinition, lit,
};
use rows::datum::Value;
use rows::types::ColumnType;
use sqlparser::ast;

use super::super::columns::{class_of, scalar_of};
use super::super::kernels::Operation;
use super::Binder;
use super::arithmetic::{Number, arithmetic, as_number, decimal_type, number_of};
use super::cast::{cast, native_cast, value_form};
use super::functions::{FunctionCall, argument_expr};
use super::grouping::key_of;
use super::query::sort_by;
use super::scope::Scope;
use super::typed::{BIGINT, BIGINT_UNSIGNED, Typed};
use super::unify::unify;
use crate::bind::{named_spec, whole_spec};
use crate::error::{Result, SqlError};

/// What OVER says, bound.
struct Over {
    partition: Vec<Expr>,
    order: Vec<Sort>,
    frame: WindowFrame,
}

impl Binder<'_> {
    /// Binds a window function.
    pub(super) fn window(
        &self,
        scope: &Scope<'_>,
        call: &FunctionCall<'_>,
        over: &ast::WindowType,
        depth: usize,
    ) -> Result<Typed> {
        if scope.windows.borrow().is_none() {
            return Err(SqlError::new(
                3593,
                format!("You cannot use the window function '{}' in this context.'", call.name),
            ));
        }
        let spec = match over {
            ast::WindowType::WindowSpec(spec) => whole_spec(&scope.named_windows, spec)?,
            ast::WindowType::NamedWindow(name) => named_spec(&scope.named_windows, name)?,
        };
        let over = self.over(scope, &spec, depth)?;
        let arguments = if call.is_star() {
            Vec::new()
        } else {
            call.arguments()
                .map(|argument| {
                    let typed = self.nested(scope, argument_expr(&call.name, argument)?, depth)?;
                    Ok(value_form(&typed))
                })
                .collect::<Result<Vec<Typed>>>()?
        };
        self.window_function(scope, call, &arguments, &over)
    }

    fn over(&self, scope: &Scope<'_>, spec: &ast::WindowSpec, depth: usize) -> Result<Over> {
        let partition = spec
            .partition_by
            .iter()
            .map(|ast| Ok(key_of(&value_form(&self.nested(scope, ast, depth)?))))
            .collect::<Result<Vec<Expr>>>()?;
        let keys = spec
            .order_by
            .iter()
            .map(|item| Ok(value_form(&self.nested(scope, &item.expr, depth)?)))
            .collect::<Result<Vec<Typed>>>()?;
        let order: Vec<Sort> =
            keys.iter().zip(&spec.order_by).map(|(key, item)| sort_by(key_of(key), item)).collect();
        let mut frame = match &spec.window_frame {
            None => WindowFrame::new(if order.is_empty() { None } else { Some(false) }),
            Some(frame) => self.frame(scope, frame, &keys)?,
        };
        // A range without distances is a range of peers, which GROUPS has for every type of key.
        if frame.units == WindowFrameUnits::Range && !order.is_empty() && is_of_peers(&frame) {
            frame = WindowFrame::new_bounds(
                WindowFrameUnits::Groups,
                frame.start_bound,
                frame.end_bound,
            );
        }
        Ok(Over { partition, order, frame })
    }

    fn frame(
        &self,
        scope: &Scope<'_>,
        frame: &ast::WindowFrame,
        keys: &[Typed],
    ) -> Result<WindowFrame> {
        let units = match frame.units {
            ast::WindowFrameUnits::Rows => WindowFrameUnits::Rows,
            ast::WindowFrameUnits::Range => WindowFrameUnits::Range,
            ast::WindowFrameUnits::Groups => WindowFrameUnits::Groups,
        };
        // Distances of a range are in the key's own type, others count rows.
        let distance = match (units, keys) {
            (WindowFrameUnits::Range, [key]) if class_of(&key.ty()).is_number() => key.ty(),
            (WindowFrameUnits::Range, _) => ColumnType::Date,
            _ => BIGINT_UNSIGNED,
        };
        let start = self.frame_bound(scope, &frame.start_bound, &distance)?;
        let end = match &frame.end_bound {
            Some(bound) => self.frame_bound(scope, bound, &distance)?,
            None => WindowFrameBound::CurrentRow,
        };
        Ok(WindowFrame::new_bounds(units, start, end))
    }

    fn frame_bound(
        &self,
        scope: &Scope<'_>,
        bound: &ast::WindowFrameBound,
        distance: &ColumnType,
    ) -> Result<WindowFrameBound> {
        let count = |ast: &Option<Box<ast::Expr>>| -> Result<ScalarValue> {
            let Some(ast) = ast else { return Ok(ScalarValue::UInt64(None)) };
            if matches!(**ast, ast::Expr::Interval(_)) || *distance == ColumnType::Date {
                return Err(SqlError::unsupported("RANGE with a distance in time"));
            }
            let typed = self.expr(scope, ast)?;
            let negative = |value: &Value| match value {
                Value::Int(value) => *value < 0,
                Value::UInt(_) => false,
                Value::Double(value) => *value < 0.0,
                Value::Decimal(value) => value.is_negative(),
                _ => true,
            };
            if typed.constant.as_ref().is_none_or(negative) {
                return Err(SqlError::new(
                    3586,
                    "Window frame bound must be a non-negative numeric constant",
                ));
            }
            let value = cast(&typed, distance, self.zone()).constant.unwrap_or(Value::Null);
            Ok(scalar_of(distance, &value))
        };
        Ok(match bound {
            ast::WindowFrameBound::CurrentRow => WindowFrameBound::CurrentRow,
            ast::WindowFrameBound::Preceding(at) => WindowFrameBound::Preceding(count(at)?),
            ast::WindowFrameBound::Following(at) => WindowFrameBound::Following(count(at)?),
        })
    }

    fn window_function(
        &self,
        scope: &Scope<'_>,
        call: &FunctionCall<'_>,
        arguments: &[Typed],
        over: &Over,
    ) -> Result<Typed> {
        let window = |function: WindowFunctionDefinition, args: Vec<Expr>| {
            add_window(scope, function, args, over, call)
        };
        let ranked = |function| Typed::value(window(function, Vec::new()), BIGINT_UNSIGNED, false);
        Ok(match call.name.as_str() {
            "ROW_NUMBER" => ranked(WindowFunctionDefinition::WindowUDF(row_number_udwf())),
            "RANK" => ranked(WindowFunctionDefinition::WindowUDF(rank_udwf())),
            "DENSE_RANK" => ranked(WindowFunctionDefinition::WindowUDF(dense_rank_udwf())),
            "PERCENT_RANK" | "CUME_DIST" => {
                let function =
                    if call.name == "CUME_DIST" { cume_dist_udwf() } else { percent_rank_udwf() };
                let expr = window(WindowFunctionDefinition::WindowUDF(function), Vec::new());
                Typed::value(expr, ColumnType::Double, false)
            }
            "NTILE" => {
                let buckets = cast(one(call, arguments)?, &BIGINT_UNSIGNED, self.zone());
                let function = WindowFunctionDefinition::WindowUDF(ntile_udwf());
                Typed::value(window(function, vec![buckets.expr]), BIGINT_UNSIGNED, true)
            }
            "LAG" | "LEAD" => self.shifted(call, arguments, &window)?,
            "FIRST_VALUE" | "LAST_VALUE" => {
                let argument = one(call, arguments)?;
                let function =
                    if call.name == "FIRST_VALUE" { first_value_udwf() } else { last_value_udwf() };
                let function = WindowFunctionDefinition::WindowUDF(function);
                like_argument(argument, window(function, vec![argument.expr.clone()]))
            }
            "NTH_VALUE" => {
                let [argument, at] = arguments else {
                    return Err(SqlError::parameter_count(&call.name));
                };
                let at = cast(at, &BIGINT, self.zone());
                let function = WindowFunctionDefinition::WindowUDF(nth_value_udwf());
                like_argument(argument, window(function, vec![argument.expr.clone(), at.expr]))
            }
            "COUNT" => {
                let counted = match arguments {
                    [] => lit(1i64),
                    [argument, ..] => argument.expr.clone(),
                };
                let function = WindowFunctionDefinition::AggregateUDF(count_udaf());
                Typed::value(window(function, vec![counted]), BIGINT, false)
            }
            "SUM" => self.window_sum(one(call, arguments)?, &window).0,
            "AVG" => {
                let argument = one(call, arguments)?;
                let (sum, number) = self.window_sum(argument, &window);
                let function = WindowFunctionDefinition::AggregateUDF(count_udaf());
                let count =
                    Typed::value(window(function, vec![argument.expr.clone()]), BIGINT, false);
                let quotient = arithmetic(Operation::Divide, &sum, &count, self.zone())?;
                match number {
                    Number::Double => quotient,
                    Number::Decimal { precision, scale } => {
                        let ty = decimal_type(u32::from(precision) + 4, u32::from(scale) + 4);
                        cast(&quotient, &ty, self.zone())
                    }
                    Number::Int { digits, .. } => {
                        cast(&quotient, &decimal_type(u32::from(digits) + 4, 4), self.zone())
                    }
                }
            }
            "MIN" | "MAX" => {
                let add =
                    |function, args| window(WindowFunctionDefinition::AggregateUDF(function), args);
                self.extreme_by(one(call, arguments)?, call.name == "MIN", &add)
            }
            name => return Err(SqlError::unsupported(format!("{name} over a window"))),
        })
    }

    fn shifted(
        &self,
        call: &FunctionCall<'_>,
        arguments: &[Typed],
        window: &dyn Fn(WindowFunctionDefinition, Vec<Expr>) -> Expr,
    ) -> Result<Typed> {
        let (argument, rest) =
            arguments.split_first().ok_or_else(|| SqlError::parameter_count(&call.name))?;
        let function = if call.name == "LAG" { lag_udwf() } else { lead_udwf() };
        let (kind, firmness) = unify([argument].into_iter().chain(rest.get(1)));
        let ty = kind.column_type();
        let mut args = vec![cast(argument, &ty, self.zone()).expr];
        if let Some(distance) = rest.first() {
            args.push(cast(distance, &BIGINT, self.zone()).expr);
        }
        if let Some(otherwise) = rest.get(1) {
            args.push(cast(otherwise, &ty, self.zone()).expr);
        }
        let expr = window(WindowFunctionDefinition::WindowUDF(function), args);
        Ok(Typed::value(expr, ty, true).firm(firmness))
    }

    fn window_sum(
        &self,
        argument: &Typed,
        window: &dyn Fn(WindowFunctionDefinition, Vec<Expr>) -> Expr,
    ) -> (Typed, Number) {
        let number = number_of(argument);
        let argument = as_number(argument, self.zone());
        let sum = WindowFunctionDefinition::AggregateUDF(sum_udaf());
        let (precision, scale) = match number {
            Number::Double => {
                let double = cast(&argument, &ColumnType::Double, self.zone());
                let expr = window(sum, vec![double.expr]);
                return (Typed::value(expr, ColumnType::Double, true), number);
            }
            Number::Decimal { precision, scale } => (precision, scale),
            Number::Int { digits, .. } => (digits, 0),
        };
        let wide = ColumnType::Decimal { precision: if precision <= 28 { 38 } else { 65 }, scale };
        let summed = window(sum, vec![native_cast(argument.expr, &wide)]);
        let ty = decimal_type(u32::from(precision) + 22, u32::from(scale));
        (Typed::value(native_cast(summed, &ty), ty, true), number)
    }
}

fn is_of_peers(frame: &WindowFrame) -> bool {
    let plain = |bound: &WindowFrameBound| match bound {
        WindowFrameBound::CurrentRow => true,
        WindowFrameBound::Preceding(at) | WindowFrameBound::Following(at) => at.is_null(),
    };
    plain(&frame.start_bound) && plain(&frame.end_bound)
}

fn one<'t>(call: &FunctionCall<'_>, arguments: &'t [Typed]) -> Result<&'t Typed> {
    match arguments {
        [one] => Ok(one),
        _ => Err(SqlError::parameter_count(&call.name)),
    }
}

fn like_argument(argument: &Typed, expr: Expr) -> Typed {
    Typed { expr, nullable: true, constant: None, origin: None, ..argument.clone() }
}

fn add_window(
    scope: &Scope<'_>,
    function: WindowFunctionDefinition,
    args: Vec<Expr>,
    over: &Over,
    call: &FunctionCall<'_>,
) -> Expr {
    let params = WindowFunctionParams {
        args,
        partition_by: over.partition.clone(),
        order_by: over.order.clone(),
        window_frame: over.frame.clone(),
        filter: None,
        null_treatment: call.ignores_nulls().then_some(NullTreatment::IgnoreNulls),
        distinct: false,
    };
    let expr = Expr::WindowFunction(Box::new(WindowFunction { fun: function, params }));
    let name = expr.schema_name().to_string();
    let mut windows = scope.windows.borrow_mut();
    let known = windows.get_or_insert_with(Vec::new);
    if !known.contains(&expr) {
        known.push(expr);
    }
    Expr::Column(Column::new_unqualified(name))
}
