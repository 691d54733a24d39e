//! GROUP BY: its keys, the aggregates above it, and how other columns are seen through it.
//!
//! Text under a collation is grouped by its collation key, and shown as any of the group's texts.
//! A column that is no key is any of the group's values too, as MySQL without ONLY_FULL_GROUP_BY.
//!
//! Invariants
//! 1. Every expression above the grouping refers to its columns only: `#g0` keys, `#a0`
//!    aggregates. Names with `#` cannot collide with a table's, which are qualified.
//!
//! Not here: which functions are aggregates (`aggregates`).

use datafusion::common::Column;
use datafusion::functions_aggregate::count::count;
use datafusion::functions_aggregate::first_last::first_value_udaf;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Case, Expr, GroupingSet, LogicalPlan, LogicalPlanBuilder, Operator, lit,
};

use super::super::columns::collation_of;
use super::super::kernels::CollationKey;
use super::cast::{call, native_cast};
use super::typed::{BIGINT, Typed};

/// One GROUP BY with what is computed over its groups.
#[derive(Debug, Default)]
pub(in crate::analytic) struct Grouping {
    keys: Vec<Key>,
    aggregates: Vec<Expr>,
    /// WITH ROLLUP: sums of the groups as well, whose further keys are NULL.
    rollup: bool,
}

#[derive(Debug)]
struct Key {
    /// As it was written.
    plain: Typed,
    /// What is grouped by.
    by: Expr,
    name: String,
}

/// What texts are compared, grouped and sorted by; other values by themselves.
pub(in crate::analytic) fn key_of(typed: &Typed) -> Expr {
    if typed.has_collation() {
        let function = CollationKey::new(collation_of(&typed.ty()));
        return call(function, vec![typed.expr.clone()]);
    }
    typed.expr.clone()
}

/// Any value of the group.
pub(in crate::analytic) fn any_value(expr: Expr) -> Expr {
    Expr::AggregateFunction(AggregateFunction::new_udf(
        first_value_udaf(),
        vec![expr],
        false,
        None,
        Vec::new(),
        None,
    ))
}

impl Grouping {
    /// A grouping by some expressions, each bound to the rows below.
    pub(in crate::analytic) fn new(keys: Vec<Typed>, rollup: bool) -> Grouping {
        let mut grouping = Grouping { rollup, ..Grouping::default() };
        for plain in keys {
            let by = key_of(&plain);
            if grouping.keys.iter().any(|key| key.by == by) {
                continue;
            }
            let name = format!("#g{}", grouping.keys.len());
            grouping.keys.push(Key { plain, by, name });
        }
        grouping
    }

    /// Whether some key is more than a column, so that expressions must be compared with keys.
    pub(in crate::analytic) fn has_computed_keys(&self) -> bool {
        self.keys.iter().any(|key| !matches!(key.plain.expr, Expr::Column(_)))
    }

    /// The key that an expression over the rows below is, seen from above.
    pub(in crate::analytic) fn key(&mut self, plain: &Typed) -> Option<Typed> {
        let key = self.keys.iter().find(|key| key.plain.expr == plain.expr)?;
        let direct = key.by == key.plain.expr;
        let column = Expr::Column(Column::new_unqualified(key.name.clone()));
        let plain = key.plain.clone();
        let typed = Typed { nullable: plain.nullable || self.rollup, ..plain };
        if direct {
            return Some(Typed { expr: column, ..typed });
        }
        let mut expr = self.aggregate(any_value(typed.expr.clone()));
        if self.rollup {
            let shown = vec![(Box::new(column.is_not_null()), Box::new(expr))];
            expr = Expr::Case(Case::new(None, shown, None));
        }
        Some(Typed { expr, ..typed })
    }

    /// A column of the rows below, seen from above.
    pub(in crate::analytic) fn seen(&mut self, plain: Typed) -> Typed {
        if let Some(key) = self.key(&plain) {
            return key;
        }
        let nullable = plain.nullable || self.keys.is_empty();
        let expr = self.aggregate(any_value(plain.expr.clone()));
        Typed { expr, nullable, ..plain }
    }

    /// An aggregate over the groups; equal ones are computed once.
    pub(in crate::analytic) fn aggregate(&mut self, aggregate: Expr) -> Expr {
        let at = match self.aggregates.iter().position(|known| *known == aggregate) {
            Some(at) => at,
            None => {
                self.aggregates.push(aggregate);
                self.aggregates.len() - 1
            }
        };
        Expr::Column(Column::new_unqualified(format!("#a{at}")))
    }

    /// Whether there is no GROUP BY: one group of all rows, also when there are none.
    pub(in crate::analytic) fn is_whole(&self) -> bool {
        self.keys.is_empty()
    }

    /// The plan with the grouping on top; `sorted` when ORDER BY says nothing else and a rollup
    /// is to show each sum behind its groups.
    pub(in crate::analytic) fn over(
        mut self,
        plan: LogicalPlan,
        sorted: bool,
    ) -> datafusion::common::Result<LogicalPlan> {
        if self.is_whole() && self.aggregates.is_empty() {
            // HAVING or a constant list over one group: something must be computed.
            self.aggregates.push(count(lit(1i64)));
        }
        let names: Vec<String> = self.keys.iter().map(|key| key.name.clone()).collect();
        let keys = self.keys.into_iter().map(|key| key.by.alias(key.name));
        let named = |(at, expr): (usize, Expr)| expr.alias(format!("#a{at}"));
        let aggregates: Vec<Expr> = self.aggregates.into_iter().enumerate().map(named).collect();
        let builder = LogicalPlanBuilder::new(plan);
        if !self.rollup {
            return builder.aggregate(keys.collect::<Vec<_>>(), aggregates)?.build();
        }
        let mut columns: Vec<Expr> =
            builder.schema().columns().into_iter().map(Expr::Column).collect();
        columns.extend(keys);
        let column = |name: &String| Expr::Column(Column::new_unqualified(name.clone()));
        let rollup = GroupingSet::Rollup(names.iter().map(column).collect());
        let builder =
            builder.project(columns)?.aggregate([Expr::GroupingSet(rollup)], aggregates)?;
        if !sorted {
            return builder.build();
        }
        let mut sorts = Vec::with_capacity(2 * names.len());
        for (at, name) in names.iter().enumerate() {
            // The bit of a key is set where it was summed over.
            let bit = lit(1i64 << (names.len() - 1 - at));
            let set = Expr::Column(Column::new_unqualified(Aggregate::INTERNAL_GROUPING_ID));
            let set = native_cast(set, &BIGINT);
            let summed = BinaryExpr::new(Box::new(set), Operator::BitwiseAnd, Box::new(bit));
            sorts.push(Expr::BinaryExpr(summed).sort(true, true));
            sorts.push(column(name).sort(true, true));
        }
        builder.sort(sorts)?.build()
    }
}

/// The keys under which DISTINCT and UNION compare rows: `None` when they are the values.
pub(in crate::analytic) fn distinct_keys(columns: &[Typed]) -> Option<Vec<Expr>> {
    let collated = columns.iter().any(Typed::has_collation);
    collated.then(|| columns.iter().map(key_of).collect())
}
