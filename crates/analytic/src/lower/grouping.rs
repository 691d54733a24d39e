//! GROUP BY: its keys, the aggregates above it, and of all else any of the group's values.
//!
//! Text under a collation is grouped by its collation key, and shown as any of the group's texts.
//!
//! Invariants
//! 1. Above the grouping a row has the keys, then the aggregates, then the others, each a column
//!    of its own.
//!
//! Not here: what an aggregate computes (`aggregate`), different values in two steps (`distinct`).

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::functions_aggregate::count::count;
use datafusion::functions_aggregate::first_last::first_value_udaf;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Case, Expr, ExprSchemable, GroupingSet, LogicalPlan, LogicalPlanBuilder,
    Operator, Union, lit,
};
use expression::{BIGINT, write_json_key};
use plan::tree::Grouping;
use results::Result;
use values::datum::{Datum, Value};
use values::types::{ColumnType, LobSize};

use super::super::columns::{Class, class_of, collation_of};
use super::super::failure::no_plan;
use super::super::kernels::{self, CollationKey, NumberDomain, Operation, RowFunction};
use super::convert::native_cast;
use super::distinct::{NamedExpr, is_repeatable, wants_values};
use super::query::is_collated;
use super::row::{LoweredColumn, Row, RowColumns};
use super::{Lowering, built, call, column, projected};

/// What values are compared, grouped and sorted by: texts by their collation, 0 as -0.
pub(super) fn key_of(expr: Expr, ty: &ColumnType) -> Expr {
    if *ty == ColumnType::Json {
        return call(json_key(), vec![expr]);
    }
    if is_collated(ty) {
        return call(CollationKey::new(collation_of(ty)), vec![expr]);
    }
    if matches!(ty, ColumnType::Double(_)) {
        let sum = kernels::Arithmetic::new(Operation::Add, NumberDomain::Double);
        return call(sum, vec![expr, lit(0.0f64)]);
    }
    expr
}

/// The bytes by which JSON is grouped and sorted.
fn json_key() -> RowFunction {
    RowFunction::new(
        "json_key",
        "",
        vec![ColumnType::Json],
        Some(ColumnType::Blob { size: LobSize::Long }),
        false,
        Arc::new(|args| {
            let Datum::Bytes(document) = args[0] else { return Ok(Value::Null) };
            let mut key = Vec::new();
            write_json_key(document, &mut key);
            Ok(Value::Bytes(key))
        }),
    )
}

/// Any value of the group.
pub(super) fn any_value(expr: Expr) -> Expr {
    Expr::AggregateFunction(AggregateFunction::new_udf(
        first_value_udaf(),
        vec![expr],
        false,
        None,
        Vec::new(),
        None,
    ))
}

/// The aggregates of one plan node, under names.
pub(super) struct CollectedAggregates {
    named: Vec<(Expr, String)>,
}

impl CollectedAggregates {
    /// An aggregate's column; equal ones are computed once.
    pub(super) fn add(&mut self, lowering: &Lowering<'_>, aggregate: Expr) -> Expr {
        if let Some((_, name)) = self.named.iter().find(|(known, _)| *known == aggregate) {
            return column(name);
        }
        let name = lowering.name("a");
        let expr = column(&name);
        self.named.push((aggregate, name));
        expr
    }
}

impl Lowering<'_> {
    /// The groups' rows. `unordered`: nothing else sorts them, and a rollup's sums are to come
    /// behind their groups.
    pub(super) fn grouped<'r>(
        &self,
        plan: LogicalPlan,
        row: &Row<'_>,
        grouping: &Grouping,
        unordered: bool,
        enclosing: Option<&'r Row<'r>>,
    ) -> Result<(LogicalPlan, Row<'r>)> {
        let mut collected = CollectedAggregates { named: Vec::new() };
        let mut keys: Vec<(Expr, String)> = Vec::new();
        let mut outputs: Vec<(Expr, ColumnType, bool)> = Vec::new();
        for node in &grouping.keys {
            let value = self.value(row, node)?;
            let key = key_of(value.clone(), &node.ty);
            let name = self.name("g");
            let shown = if class_of(&node.ty) == Class::Text && key != value {
                let any = collected.add(self, any_value(value));
                // Of a sum over the key there is none.
                match grouping.rollup {
                    true => {
                        let known = vec![(Box::new(column(&name).is_not_null()), Box::new(any))];
                        Expr::Case(Case::new(None, known, None))
                    }
                    false => any,
                }
            } else {
                column(&name)
            };
            outputs.push((shown, node.ty.clone(), node.nullable || grouping.rollup));
            keys.push((key, name));
        }
        for aggregate in &grouping.aggregates {
            let value = self.aggregate(row, aggregate, &mut |expr| collected.add(self, expr))?;
            outputs.push((value, aggregate.kept_type(), true));
        }
        for node in &grouping.others {
            let value = any_value(self.value(row, node)?);
            outputs.push((collected.add(self, value), node.ty.clone(), true));
        }
        if keys.is_empty() && collected.named.is_empty() {
            // HAVING or a constant list over one group: something must be computed.
            collected.add(self, count(lit(1i64)));
        }
        let apart = match grouping.rollup || enclosing.is_some() {
            false => self.grouped_apart(&plan, &keys, &collected.named)?,
            true => None,
        };
        let plan = match (apart, grouping.rollup) {
            (Some(grouped), _) => grouped,
            (None, false) => self.grouped_at_once(plan, &keys, &collected.named)?,
            (None, true) if wants_values(&collected.named) && is_repeatable(&plan) => {
                let sums = self.summed_apart(plan, &keys, collected.named)?;
                in_order(sums, &keys, unordered)?
            }
            (None, true) => {
                let aggregates = collected.named.into_iter().map(|(expr, name)| expr.alias(name));
                rolled_up(plan, keys, aggregates.collect(), unordered)?
            }
        };
        let (mut exprs, mut columns) = (Vec::new(), Vec::new());
        for (expr, ty, nullable) in outputs {
            let seen = LoweredColumn::named(self.name("p"), ty, nullable);
            exprs.push(expr.alias(seen.column.name.clone()));
            columns.push(seen);
        }
        Ok((projected(plan, exprs)?, Row { columns: RowColumns::Flat(columns), enclosing }))
    }

    /// Groups with the aggregates over all of their rows, or over the different values of one
    /// expression.
    pub(super) fn grouped_at_once(
        &self,
        plan: LogicalPlan,
        keys: &[NamedExpr],
        aggregates: &[NamedExpr],
    ) -> Result<LogicalPlan> {
        if let Some(in_two_steps) = self.grouped_by_values(&plan, keys, aggregates)? {
            return Ok(in_two_steps);
        }
        let named = |of: &[NamedExpr]| -> Vec<Expr> {
            of.iter().map(|(expr, name)| expr.clone().alias(name)).collect()
        };
        built(LogicalPlanBuilder::new(plan).aggregate(named(keys), named(aggregates)))
    }

    /// A rollup with a grouping of its own for each number of keys, so that sets of different
    /// values are groupings, too, and may go to files.
    fn summed_apart(
        &self,
        plan: LogicalPlan,
        keys: &[NamedExpr],
        mut aggregates: Vec<NamedExpr>,
    ) -> Result<LogicalPlan> {
        let rows = self.name("n");
        aggregates.push((count(lit(1i64)), rows.clone()));
        let mut sums = Vec::with_capacity(keys.len() + 1);
        for kept in (0..=keys.len()).rev() {
            let own = &keys[..kept];
            let grouped = match self.grouped_apart(&plan, own, &aggregates)? {
                Some(grouped) => grouped,
                None => self.grouped_at_once(plan.clone(), own, &aggregates)?,
            };
            let mut columns: Vec<Expr> = own.iter().map(|(_, name)| column(name)).collect();
            for (key, name) in &keys[kept..] {
                let ty = key.get_type(plan.schema()).map_err(no_plan)?;
                let null = ScalarValue::try_from(&ty).map_err(no_plan)?;
                columns.push(lit(null).alias(name));
            }
            columns.extend(aggregates.iter().map(|(_, name)| column(name)));
            // As DataFusion numbers the groupings of its own rollups. It must not know that it is
            // the same in all rows of one: it would sort by it within none, and merge by it all the
            // same.
            let summed_over = lit((1i64 << (keys.len() - kept)) - 1);
            let known = vec![(Box::new(column(&rows).gt_eq(lit(0i64))), Box::new(summed_over))];
            let summed_over = Expr::Case(Case::new(None, known, None));
            columns.push(summed_over.alias(Aggregate::INTERNAL_GROUPING_ID));
            sums.push(Arc::new(projected(grouped, columns)?));
        }
        Ok(LogicalPlan::Union(Union::try_new_with_loose_types(sums).map_err(no_plan)?))
    }
}

/// Groups and their sums. That over all is there without a row, too (MySQL 9.7; MariaDB 10.11 gives
/// none).
fn rolled_up(
    plan: LogicalPlan,
    keys: Vec<(Expr, String)>,
    aggregates: Vec<Expr>,
    unordered: bool,
) -> Result<LogicalPlan> {
    let names: Vec<String> = keys.iter().map(|(_, name)| name.clone()).collect();
    let builder = LogicalPlanBuilder::new(plan);
    let own = builder.schema().columns().into_iter().map(Expr::Column);
    let aliased = keys.iter().map(|(key, name)| key.clone().alias(name));
    let columns: Vec<Expr> = own.chain(aliased).collect();
    let rollup = GroupingSet::Rollup(names.iter().map(|name| column(name)).collect());
    let grouped = builder
        .project(columns)
        .and_then(|builder| builder.aggregate([Expr::GroupingSet(rollup)], aggregates))
        .map_err(no_plan)?;
    in_order(built(Ok(grouped))?, &keys, unordered)
}

/// A rollup's rows with each sum behind its groups, where that is asked for.
fn in_order(plan: LogicalPlan, keys: &[NamedExpr], unordered: bool) -> Result<LogicalPlan> {
    if !unordered {
        return Ok(plan);
    }
    let mut sorts = Vec::with_capacity(2 * keys.len());
    for (at, (_, name)) in keys.iter().enumerate() {
        // The bit of a key is set where it was summed over.
        let bit = lit(1i64 << (keys.len() - 1 - at));
        let set = native_cast(column(Aggregate::INTERNAL_GROUPING_ID), &BIGINT);
        let summed = BinaryExpr::new(Box::new(set), Operator::BitwiseAnd, Box::new(bit));
        sorts.push(Expr::BinaryExpr(summed).sort(true, true));
        sorts.push(column(name).sort(true, true));
    }
    built(LogicalPlanBuilder::new(plan).sort(sorts))
}
