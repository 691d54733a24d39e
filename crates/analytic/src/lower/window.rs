//! Window functions: `f(...) OVER (...)`.
//!
//! Invariants
//! 1. What functions are over, and what is kept of the row beneath, is computed first; above them a
//!    row has the functions' values, then what was kept.
//!
//! Not here: running them within the memory (`analytic::window`), what they may be over
//! (`plan::tree`).

use columnar::arrow::arrow_type;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::functions_window::cume_dist::cume_dist_udwf;
use datafusion::functions_window::lead_lag::{lag_udwf, lead_udwf};
use datafusion::functions_window::nth_value::{first_value_udwf, last_value_udwf, nth_value_udwf};
use datafusion::functions_window::ntile::ntile_udwf;
use datafusion::functions_window::rank::{dense_rank_udwf, percent_rank_udwf, rank_udwf};
use datafusion::functions_window::row_number::row_number_udwf;
use datafusion::logical_expr::expr::{self, AggregateFunction, WindowFunctionParams};
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, WindowFrame, WindowFrameBound, WindowFrameUnits,
    WindowFunctionDefinition, cast,
};
use expression::{BIGINT, BIGINT_UNSIGNED, Cell, Node, fit};
use plan::tree::AggregateFunction as Aggregation;
use plan::tree::{Frame, FrameBound, Window, WindowCall, WindowFunction, Windowing};
use results::{Result, SqlError};
use values::types::ColumnType;

use super::super::columns::{class_of, scalar_of};
use super::super::failure::no_plan;
use super::grouping::key_of;
use super::query::sort_by;
use super::row::{LoweredColumn, Row, RowColumns};
use super::{Lowering, column, projected};

impl Lowering<'_> {
    /// The rows with their window functions.
    pub(super) fn windowed<'r>(
        &self,
        plan: LogicalPlan,
        row: &Row<'_>,
        windowing: &Windowing,
        enclosing: Option<&'r Row<'r>>,
    ) -> Result<(LogicalPlan, Row<'r>)> {
        let (mut kept, mut seen) = (Vec::new(), Vec::new());
        for function in &windowing.functions {
            // Of the functions' own values none is asked for by a function.
            seen.push(LoweredColumn::named(self.name("w"), function.ty.clone(), function.nullable));
        }
        for node in &windowing.inputs {
            let input = LoweredColumn::named(self.name("i"), node.ty.clone(), node.nullable);
            kept.push(self.value(row, node)?.alias(input.column.name.clone()));
            seen.push(input);
        }
        // A plan gives at least one column.
        if kept.is_empty() {
            kept.push(datafusion::logical_expr::lit(1i64).alias(self.name("i")));
        }
        let plan = projected(plan, kept)?;
        let over = Row { columns: RowColumns::Flat(seen), enclosing };
        let mut calls: Vec<Expr> = Vec::new();
        let mut by_offset = ByOffset::default();
        let mut outputs = Vec::with_capacity(windowing.functions.len());
        for function in &windowing.functions {
            let params = self.window_params(&over, function, &mut by_offset)?;
            let mut add = |definition, args| {
                let params = WindowFunctionParams { args, ..params.clone() };
                let call = Expr::WindowFunction(Box::new(expr::WindowFunction {
                    fun: definition,
                    params,
                }));
                let name = call.schema_name().to_string();
                if !calls.contains(&call) {
                    calls.push(call);
                }
                column(&name)
            };
            outputs.push(self.window_call(&over, function, &mut by_offset, &mut add)?);
        }
        let plan = by_offset.beside(plan)?;
        let plan = LogicalPlanBuilder::window_plan(plan, calls).map_err(no_plan)?;
        let RowColumns::Flat(seen) = &over.columns else {
            return Err(SqlError::other("a row of window functions without columns"));
        };
        let inputs = seen[windowing.functions.len()..].iter().map(LoweredColumn::expr);
        let named = outputs.into_iter().chain(inputs).zip(seen);
        let named = named.map(|(expr, seen)| expr.alias(seen.column.name.clone())).collect();
        Ok((projected(plan, named)?, over))
    }

    fn window_params(
        &self,
        row: &Row<'_>,
        function: &WindowFunction,
        by_offset: &mut ByOffset,
    ) -> Result<WindowFunctionParams> {
        let Window { partition, order, frame } = &function.window;
        let mut key = |node: &Node| {
            let key = key_of(self.value(row, node)?, &node.ty);
            Ok(by_offset.column(key, &node.ty, || self.name("o")))
        };
        let partition_by = partition.iter().map(&mut key).collect::<Result<Vec<Expr>>>()?;
        let order_by = order
            .iter()
            .map(|(node, descending)| Ok(sort_by(key(node)?, *descending)))
            .collect::<Result<Vec<_>>>()?;
        Ok(WindowFunctionParams {
            args: Vec::new(),
            partition_by,
            window_frame: self.frame(frame, order)?,
            order_by,
            filter: None,
            null_treatment: None,
            distinct: false,
        })
    }

    fn frame(&self, frame: &Frame, order: &[(Node, bool)]) -> Result<WindowFrame> {
        let moved =
            |bound: &FrameBound| matches!(bound, FrameBound::Before(_) | FrameBound::Behind(_));
        // Distances of a range are in the key's own type, others count rows.
        let (units, distance) = match (frame.counts_rows, order) {
            (true, _) => (WindowFrameUnits::Rows, BIGINT_UNSIGNED),
            (false, [(key, _)]) if moved(&frame.start) || moved(&frame.end) => {
                if !class_of(&key.ty).is_number() {
                    return Err(SqlError::not_lowerable("RANGE with a distance in time in a plan"));
                }
                (WindowFrameUnits::Range, key.ty.clone())
            }
            // Rows with equal keys are in it together, whatever type the key has.
            (false, []) => (WindowFrameUnits::Range, BIGINT_UNSIGNED),
            (false, _) => (WindowFrameUnits::Groups, BIGINT_UNSIGNED),
        };
        if order.is_empty() && units == WindowFrameUnits::Range {
            return Ok(WindowFrame::new(None));
        }
        let start = self.bound(&frame.start, true, &distance)?;
        let end = self.bound(&frame.end, false, &distance)?;
        Ok(WindowFrame::new_bounds(units, start, end))
    }

    fn bound(
        &self,
        bound: &FrameBound,
        is_start: bool,
        distance: &ColumnType,
    ) -> Result<WindowFrameBound> {
        let unbounded = ScalarValue::UInt64(None);
        let far = |node: &Node| -> Result<ScalarValue> {
            let value = self.known_value(node).ok_or_else(|| {
                SqlError::not_lowerable("a window's distance that is no constant in a plan")
            })?;
            let value = fit(distance, Cell::of(value), &node.ty, &self.environment().scope());
            Ok(scalar_of(distance, &value))
        };
        Ok(match bound {
            FrameBound::Unbounded if is_start => WindowFrameBound::Preceding(unbounded),
            FrameBound::Unbounded => WindowFrameBound::Following(unbounded),
            FrameBound::Current => WindowFrameBound::CurrentRow,
            FrameBound::Before(node) => WindowFrameBound::Preceding(far(node)?),
            FrameBound::Behind(node) => WindowFrameBound::Following(far(node)?),
        })
    }

    fn window_call(
        &self,
        row: &Row<'_>,
        function: &WindowFunction,
        by_offset: &mut ByOffset,
        add: &mut dyn FnMut(WindowFunctionDefinition, Vec<Expr>) -> Expr,
    ) -> Result<Expr> {
        let own = WindowFunctionDefinition::WindowUDF;
        let as_own = |expr: Expr, node: &Node| {
            self.converted(as_view(expr, &node.ty), &node.ty, &function.ty)
        };
        let mut moved = |expr: Expr, ty: &ColumnType| by_offset.column(expr, ty, || self.name("o"));
        Ok(match &function.call {
            WindowCall::RowNumber => add(own(row_number_udwf()), Vec::new()),
            WindowCall::Rank => add(own(rank_udwf()), Vec::new()),
            WindowCall::DenseRank => add(own(dense_rank_udwf()), Vec::new()),
            WindowCall::PercentRank => add(own(percent_rank_udwf()), Vec::new()),
            WindowCall::CumulativeDistribution => add(own(cume_dist_udwf()), Vec::new()),
            WindowCall::Tile(parts) => {
                let parts = self.as_type(row, parts, &BIGINT_UNSIGNED)?;
                add(own(ntile_udwf()), vec![parts])
            }
            WindowCall::Neighbour { value, distance, otherwise, ahead } => {
                let mut args = vec![moved(self.as_type(row, value, &function.ty)?, &function.ty)];
                if distance.is_some() || otherwise.is_some() {
                    args.push(match distance {
                        Some(distance) => self.as_type(row, distance, &BIGINT)?,
                        None => datafusion::logical_expr::lit(1i64),
                    });
                }
                if let Some(otherwise) = otherwise {
                    args.push(as_offsets(
                        self.as_type(row, otherwise, &function.ty)?,
                        &function.ty,
                    ));
                }
                let neighbour = add(own(if *ahead { lead_udwf() } else { lag_udwf() }), args);
                as_view(neighbour, &function.ty)
            }
            WindowCall::First(node) => {
                let value = moved(self.value(row, node)?, &node.ty);
                as_own(add(own(first_value_udwf()), vec![value]), node)
            }
            WindowCall::Last(node) => {
                let value = moved(self.value(row, node)?, &node.ty);
                as_own(add(own(last_value_udwf()), vec![value]), node)
            }
            WindowCall::Nth(node, number) => {
                let value = moved(self.value(row, node)?, &node.ty);
                let args = vec![value, self.as_type(row, number, &BIGINT)?];
                as_own(add(own(nth_value_udwf()), args), node)
            }
            WindowCall::Aggregate(aggregate) => {
                if !aggregate.function.is_in_analytic_frames() || aggregate.distinct {
                    return Err(SqlError::not_lowerable(
                        "such an aggregate over a window in a plan",
                    ));
                }
                let compares =
                    matches!(aggregate.function, Aggregation::Minimum | Aggregation::Maximum);
                let texts = Some(aggregate.kept_type()).filter(|ty| compares && is_view(ty));
                self.aggregate(row, aggregate, &mut |call| match (call, &texts) {
                    (Expr::AggregateFunction(AggregateFunction { func, params }), Some(ty)) => {
                        let args = params.args.into_iter().map(|arg| moved(arg, ty)).collect();
                        as_view(add(WindowFunctionDefinition::AggregateUDF(func), args), ty)
                    }
                    (Expr::AggregateFunction(AggregateFunction { func, params }), None) => {
                        add(WindowFunctionDefinition::AggregateUDF(func), params.args)
                    }
                    (other, _) => other,
                })?
            }
        })
    }

    /// An expression as a value of a type.
    fn as_type(&self, row: &Row<'_>, node: &Node, ty: &ColumnType) -> Result<Expr> {
        match self.known_value(node) {
            Some(value) => {
                let value = fit(ty, Cell::of(value), &node.ty, &self.environment().scope());
                Ok(super::convert::known(ty, &value))
            }
            None => Ok(self.converted(self.value(row, node)?, &node.ty, ty)),
        }
    }
}

/// Texts that functions only compare or move, by offsets: of views DataFusion's operator would keep
/// all that have passed it (`analytic::carried`).
#[derive(Default)]
struct ByOffset(Vec<(Expr, String)>);

impl ByOffset {
    /// An expression of a type as functions have it: a column of its own if it is a text.
    fn column(&mut self, expr: Expr, ty: &ColumnType, name: impl FnOnce() -> String) -> Expr {
        if !is_view(ty) {
            return expr;
        }
        if let Some((_, name)) = self.0.iter().find(|(known, _)| *known == expr) {
            return column(name);
        }
        let name = name();
        self.0.push((expr, name.clone()));
        column(&name)
    }

    /// The plan with those columns.
    fn beside(self, plan: LogicalPlan) -> Result<LogicalPlan> {
        if self.0.is_empty() {
            return Ok(plan);
        }
        let fields = plan.schema().fields().iter();
        let own = fields.map(|field| column(field.name())).collect::<Vec<_>>();
        let added =
            self.0.into_iter().map(|(expr, name)| cast(expr, DataType::LargeBinary).alias(name));
        projected(plan, own.into_iter().chain(added).collect())
    }
}

fn is_view(ty: &ColumnType) -> bool {
    arrow_type(ty) == DataType::BinaryView
}

fn as_offsets(expr: Expr, ty: &ColumnType) -> Expr {
    if is_view(ty) { cast(expr, DataType::LargeBinary) } else { expr }
}

fn as_view(expr: Expr, ty: &ColumnType) -> Expr {
    if is_view(ty) { cast(expr, DataType::BinaryView) } else { expr }
}
