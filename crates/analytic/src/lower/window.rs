//! Window functions: `f(...) OVER (...)`.
//!
//! Invariants
//! 1. What functions are over, and what is kept of the row beneath, is computed first; above them a
//!    row has the functions' values, then what was kept.
//!
//! Frames that move with the row at hand are ours (`analytic::frames`), but for those of a few
//! rows.
//!
//! Not here: running them within the memory (`analytic::window`), what they may be over
//! (`plan::tree`).

use std::sync::Arc;

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
    WindowFunctionDefinition, WindowUDF, cast,
};
use expression::{BIGINT, BIGINT_UNSIGNED, Cell, Node, fit};
use plan::tree::AggregateFunction as Aggregation;
use plan::tree::{Frame, FrameBound, Window, WindowCall, WindowFunction, Windowing};
use results::{Result, SqlError};
use values::datum::Value;
use values::types::ColumnType;

use super::super::failure::no_plan;
use super::super::frames::{FrameEdge, FramedCall, FramedFunction, Totalling};
use super::grouping::key_of;
use super::query::sort_by;
use super::row::{LoweredColumn, Row, RowColumns};
use super::{Lowering, column, projected};

/// Frames of so many rows before and behind the row at hand are DataFusion's.
const NEAR_ROWS: i64 = 4096;

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
            let moving = self.moving_frame(&over, function, &params)?;
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
            let framed = (function, moving.as_ref());
            outputs.push(self.window_call(&over, framed, &mut by_offset, &mut add)?);
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

    /// The frame as DataFusion has it; any where it moves in a way that is ours.
    fn frame(&self, frame: &Frame, order: &[(Node, bool)]) -> Result<WindowFrame> {
        let moved =
            |bound: &FrameBound| matches!(bound, FrameBound::Before(_) | FrameBound::Behind(_));
        let units = match frame.counts_rows {
            true => WindowFrameUnits::Rows,
            // Rows with equal keys are in it together, whatever type the key has.
            false => WindowFrameUnits::Groups,
        };
        if !frame.counts_rows && (order.is_empty() || moved(&frame.start) || moved(&frame.end)) {
            return Ok(WindowFrame::new(None));
        }
        let start = self.bound(&frame.start, true)?;
        let end = self.bound(&frame.end, false)?;
        Ok(WindowFrame::new_bounds(units, start, end))
    }

    fn bound(&self, bound: &FrameBound, is_start: bool) -> Result<WindowFrameBound> {
        let unbounded = ScalarValue::UInt64(None);
        let far = |node: &Node| Ok::<_, SqlError>(ScalarValue::UInt64(Some(self.distance(node)?)));
        Ok(match bound {
            FrameBound::Unbounded if is_start => WindowFrameBound::Preceding(unbounded),
            FrameBound::Unbounded => WindowFrameBound::Following(unbounded),
            FrameBound::Current => WindowFrameBound::CurrentRow,
            FrameBound::Before(node) => WindowFrameBound::Preceding(far(node)?),
            FrameBound::Behind(node) => WindowFrameBound::Following(far(node)?),
        })
    }

    /// How many rows away.
    fn distance(&self, node: &Node) -> Result<u64> {
        let value = self.known_value(node).ok_or_else(|| {
            SqlError::not_lowerable("a window's distance that is no constant in a plan")
        })?;
        match fit(&BIGINT_UNSIGNED, Cell::of(value), &node.ty, &self.environment().scope()) {
            Value::UInt(rows) => Ok(rows),
            Value::Int(rows) => Ok(u64::try_from(rows).unwrap_or(0)),
            _ => Err(SqlError::not_lowerable("such a distance of a window in a plan")),
        }
    }

    /// A function's frame, if it is one that moves in a way that is ours.
    fn moving_frame(
        &self,
        row: &Row<'_>,
        function: &WindowFunction,
        params: &WindowFunctionParams,
    ) -> Result<Option<MovingFrame>> {
        let Window { frame, order, .. } = &function.window;
        let is_framed = match &function.call {
            WindowCall::First(_) | WindowCall::Last(_) | WindowCall::Nth(..) => true,
            WindowCall::Aggregate(aggregate) => aggregate.is_in_analytic_frames(),
            _ => false,
        };
        // The rows of one key have their values at once: of texts that may be more than there is
        // memory for.
        let is_text = match &function.call {
            WindowCall::Aggregate(aggregate) => is_view(&aggregate.kept_type()),
            _ => false,
        };
        let only_grows = matches!(frame.start, FrameBound::Unbounded)
            && match frame.end {
                FrameBound::Unbounded => true,
                FrameBound::Current => frame.counts_rows || !is_text,
                _ => false,
            };
        if !is_framed || only_grows || !frame.counts_rows && order.is_empty() {
            return Ok(None);
        }
        let edge = |bound: &FrameBound| {
            Ok::<_, SqlError>(match bound {
                FrameBound::Unbounded => FrameEdge::Unbounded,
                FrameBound::Before(node) if frame.counts_rows => {
                    FrameEdge::Rows(-i64::try_from(self.distance(node)?).unwrap_or(i64::MAX))
                }
                FrameBound::Behind(node) if frame.counts_rows => {
                    FrameEdge::Rows(i64::try_from(self.distance(node)?).unwrap_or(i64::MAX))
                }
                FrameBound::Current if frame.counts_rows => FrameEdge::Rows(0),
                FrameBound::Current => FrameEdge::Peers,
                FrameBound::Before(_) | FrameBound::Behind(_) => FrameEdge::Key,
            })
        };
        let edges = (edge(&frame.start)?, edge(&frame.end)?);
        let is_near = match edges {
            (FrameEdge::Unbounded, FrameEdge::Rows(end)) => end <= NEAR_ROWS,
            (FrameEdge::Rows(start), FrameEdge::Rows(end)) => {
                start.abs() <= NEAR_ROWS && end.abs() <= NEAR_ROWS
            }
            _ => false,
        };
        let takes_back = match &function.call {
            WindowCall::Aggregate(aggregate) => aggregate.function.takes_back(),
            _ => true,
        };
        // DataFusion has a text of its own for each row.
        if is_near && takes_back && !is_text {
            return Ok(None);
        }
        let mut keys: Vec<Expr> = params.order_by.iter().map(|key| key.expr.clone()).collect();
        for bound in [&frame.start, &frame.end] {
            if let FrameBound::Before(node) | FrameBound::Behind(node) = bound
                && !frame.counts_rows
            {
                keys.push(key_of(self.value(row, node)?, &node.ty));
            }
        }
        let descending = order.iter().map(|(_, descending)| *descending).collect();
        Ok(Some(MovingFrame { edges, descending, keys }))
    }

    fn window_call(
        &self,
        row: &Row<'_>,
        (function, moving): (&WindowFunction, Option<&MovingFrame>),
        by_offset: &mut ByOffset,
        add: &mut dyn FnMut(WindowFunctionDefinition, Vec<Expr>) -> Expr,
    ) -> Result<Expr> {
        let own = WindowFunctionDefinition::WindowUDF;
        let as_own = |expr: Expr, node: &Node| {
            self.converted(as_view(expr, &node.ty), &node.ty, &function.ty)
        };
        let mut moved = |expr: Expr, ty: &ColumnType| by_offset.column(expr, ty, || self.name("o"));
        if let Some(moving) = moving
            && let Some((node, call)) = self.chosen_row(&function.call)?
        {
            let value = moved(self.value(row, node)?, &node.ty);
            let (function, args) = moving.over(call, value);
            return Ok(as_own(add(function, args), node));
        }
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
                if !aggregate.is_in_analytic_frames() || aggregate.distinct {
                    return Err(SqlError::not_lowerable(
                        "such an aggregate over a window in a plan",
                    ));
                }
                let compares =
                    matches!(aggregate.function, Aggregation::Minimum | Aggregation::Maximum);
                let texts = Some(aggregate.kept_type()).filter(|ty| compares && is_view(ty));
                self.aggregate(row, aggregate, &mut |call| {
                    let Expr::AggregateFunction(AggregateFunction { func, params }) = call else {
                        return call;
                    };
                    let mut args = params.args;
                    if let Some(ty) = &texts {
                        args = args.into_iter().map(|arg| moved(arg, ty)).collect();
                    }
                    let totalling = Totalling::named(func.name()).filter(|_| args.len() == 1);
                    let found = match (moving, totalling, args.pop()) {
                        (Some(moving), Some(totalling), Some(value)) => {
                            let (function, args) = moving.over(FramedCall::Total(totalling), value);
                            add(function, args)
                        }
                        (_, _, last) => {
                            args.extend(last);
                            add(WindowFunctionDefinition::AggregateUDF(func), args)
                        }
                    };
                    texts.as_ref().map_or(found.clone(), |ty| as_view(found, ty))
                })?
            }
        })
    }

    /// What FIRST_VALUE and its like are of, and which row of a frame they are about.
    fn chosen_row<'n>(&self, call: &'n WindowCall) -> Result<Option<(&'n Node, FramedCall)>> {
        Ok(match call {
            WindowCall::First(node) => Some((node, FramedCall::First)),
            WindowCall::Last(node) => Some((node, FramedCall::Last)),
            WindowCall::Nth(node, number) => match self.distance(number)? {
                0 => return Err(SqlError::not_lowerable("the row before the first in a plan")),
                number => Some((node, FramedCall::Nth(number))),
            },
            _ => None,
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

/// A frame that moves in a way that is ours.
struct MovingFrame {
    edges: (FrameEdge, FrameEdge),
    /// Of each key that rows are sorted by.
    descending: Vec<bool>,
    /// Those keys, and the ones where frames begin and end.
    keys: Vec<Expr>,
}

impl MovingFrame {
    /// A function of a value over it, and its arguments.
    fn over(&self, call: FramedCall, value: Expr) -> (WindowFunctionDefinition, Vec<Expr>) {
        let function = FramedFunction::new(call, self.edges, self.descending.clone());
        let mut args = vec![value];
        if function.wants_keys() {
            args.extend(self.keys.iter().cloned());
        }
        let function = Arc::new(WindowUDF::new_from_impl(function));
        (WindowFunctionDefinition::WindowUDF(function), args)
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
