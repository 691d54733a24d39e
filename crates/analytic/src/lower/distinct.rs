//! Aggregates over different values. Those of one expression are two groupings: the inner one also
//! by that expression, so that each value comes once, the outer one over what that leaves.
//!
//! `COUNT(DISTINCT x), SUM(y) ... GROUP BY k` becomes `COUNT(x), SUM(s)` by `k` over `SUM(y) AS s`
//! by `k, x`. Both steps are divided among the cores, and a scan by column may do the first half of
//! the inner one, and write to files what finds no memory. An aggregate with sets of values of its
//! own does neither.
//!
//! Where several expressions want different values, or others cannot be made of parts, there is a
//! grouping for each, and they are joined by their keys: rows are read once for each of them.
//!
//! Not here: other aggregates (`grouping`).

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, JoinType, NullEquality};
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::functions_aggregate::min_max::min_udaf;
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, lit};
use results::Result;

use super::super::failure::no_plan;
use super::super::kernels::CollationKey;
use super::aggregate::plain;
use super::{Lowering, built, column, projected};

/// Aggregates whose results over parts give that over all, if they are aggregated the same way.
const SAME_OF_PARTS: [&str; 7] =
    ["sum", "min", "max", "first_value", "bit_and", "bit_or", "bit_xor"];

/// An expression with a name.
pub(super) type NamedExpr = (Expr, String);

/// The expression whose different values all distinct aggregates are over, if that is one and the
/// others can be made of parts.
fn distinct_of(aggregates: &[NamedExpr]) -> Option<Expr> {
    let mut found: Option<&Expr> = None;
    for (aggregate, _) in aggregates {
        let Expr::AggregateFunction(AggregateFunction { func, params }) = aggregate else {
            return None;
        };
        let name = func.name();
        match (&params.args[..], params.distinct) {
            ([of], true) if matches!(name, "count" | "sum") => match found {
                Some(known) if known != of => return None,
                _ => found = Some(of),
            },
            (_, false) if name == "count" || SAME_OF_PARTS.contains(&name) => {}
            _ => return None,
        }
    }
    found.cloned()
}

/// The aggregates by what they want different values of, those of none last.
fn by_values(aggregates: &[NamedExpr]) -> Vec<(Option<Expr>, Vec<NamedExpr>)> {
    let mut found: Vec<(Option<Expr>, Vec<NamedExpr>)> = Vec::new();
    let mut others = Vec::new();
    for named in aggregates {
        let of = match &named.0 {
            Expr::AggregateFunction(AggregateFunction { func, params })
                if params.distinct && matches!(func.name(), "count" | "sum") =>
            {
                params.args.first()
            }
            _ => None,
        };
        match of {
            None => others.push(named.clone()),
            Some(of) => match found.iter_mut().find(|(known, _)| known.as_ref() == Some(of)) {
                Some((_, own)) => own.push(named.clone()),
                None => found.push((Some(of.clone()), vec![named.clone()])),
            },
        }
    }
    if !others.is_empty() {
        found.push((None, others));
    }
    found
}

/// Whether some of the aggregates are over different values.
pub(super) fn wants_values(aggregates: &[NamedExpr]) -> bool {
    by_values(aggregates).iter().any(|(of, _)| of.is_some())
}

/// Whether a plan gives the same rows however often it is run.
pub(super) fn is_repeatable(plan: &LogicalPlan) -> bool {
    let mut repeatable = true;
    let looked = plan.apply_with_subqueries(|part| {
        let volatile = part.expressions().iter().any(Expr::is_volatile);
        repeatable &= !volatile && !matches!(part, LogicalPlan::Limit(_));
        Ok(match repeatable {
            true => TreeNodeRecursion::Continue,
            false => TreeNodeRecursion::Stop,
        })
    });
    repeatable && looked.is_ok()
}

fn is_plain_count(aggregate: &Expr) -> bool {
    let Expr::AggregateFunction(AggregateFunction { func, params }) = aggregate else {
        return false;
    };
    func.name() == "count" && !params.distinct
}

/// The text that is shown of a key, where an aggregate is that.
fn shown_key(keys: &[NamedExpr], aggregate: &Expr) -> Option<Expr> {
    let Expr::AggregateFunction(AggregateFunction { func, params }) = aggregate else {
        return None;
    };
    let [text] = &params.args[..] else { return None };
    let is_key_of = |(key, _): &NamedExpr| match key {
        Expr::ScalarFunction(call) => {
            call.func.inner().downcast_ref::<CollationKey>().is_some() && call.args == params.args
        }
        _ => false,
    };
    (func.name() == "first_value" && keys.iter().any(is_key_of)).then(|| text.clone())
}

impl Lowering<'_> {
    /// The groups, with each expression whose different values are wanted in a grouping of its own;
    /// `None` where there is none such, or one grouping does for all.
    pub(super) fn grouped_apart(
        &self,
        plan: &LogicalPlan,
        keys: &[NamedExpr],
        aggregates: &[NamedExpr],
    ) -> Result<Option<LogicalPlan>> {
        let parts = by_values(aggregates);
        let in_one = distinct_of(aggregates).is_some();
        if !wants_values(aggregates) || in_one || parts.len() < 2 || !is_repeatable(plan) {
            return Ok(None);
        }
        let mut whole: Option<LogicalPlanBuilder> = None;
        for (_, own) in parts {
            let Some(left) = whole.take() else {
                let first = self.grouped_at_once(plan.clone(), keys, &own)?;
                whole = Some(LogicalPlanBuilder::new(first));
                continue;
            };
            let rename = |(key, _): &NamedExpr| (key.clone(), self.name("g"));
            let renamed: Vec<NamedExpr> = keys.iter().map(rename).collect();
            let right = self.grouped_at_once(plan.clone(), &renamed, &own)?;
            let columns = |of: &[NamedExpr]| -> Vec<Column> {
                of.iter().map(|(_, name)| Column::new_unqualified(name)).collect()
            };
            let joined = match keys.is_empty() {
                true => left.cross_join(right),
                false => left.join_detailed(
                    right,
                    JoinType::Inner,
                    (columns(keys), columns(&renamed)),
                    None,
                    NullEquality::NullEqualsNull,
                ),
            };
            whole = Some(joined.map_err(no_plan)?);
        }
        let Some(whole) = whole else { return Ok(None) };
        let names = keys.iter().chain(aggregates).map(|(_, name)| column(name)).collect();
        Ok(Some(projected(whole.build().map_err(no_plan)?, names)?))
    }

    /// The groups in two steps; `None` where one is as good, or two would not do.
    pub(super) fn grouped_by_values(
        &self,
        plan: &LogicalPlan,
        keys: &[NamedExpr],
        aggregates: &[NamedExpr],
    ) -> Result<Option<LogicalPlan>> {
        let Some(of) = distinct_of(aggregates) else { return Ok(None) };
        let value = self.name("d");
        let (mut inner, mut outer) = (Vec::new(), Vec::new());
        for (aggregate, name) in aggregates {
            let Expr::AggregateFunction(AggregateFunction { func, params }) = aggregate else {
                return Ok(None);
            };
            if params.distinct {
                let over = plain(func.clone(), vec![column(&value)], false);
                outer.push(over.alias(name));
                continue;
            }
            let part = self.name("a");
            let whole = if func.name() == "count" { sum_udaf() } else { func.clone() };
            outer.push(plain(whole, vec![column(&part)], false).alias(name));
            // Of texts that are equal any will do, and DataFusion has fast accumulators for this
            // one.
            let inner_part = match shown_key(keys, aggregate) {
                Some(text) => plain(min_udaf(), vec![text], false),
                None => aggregate.clone(),
            };
            inner.push(inner_part.alias(part));
        }
        let by: Vec<Expr> = keys.iter().map(|(key, name)| key.clone().alias(name)).collect();
        let values = by.iter().cloned().chain([of.alias(&value)]);
        let inner = built(LogicalPlanBuilder::new(plan.clone()).aggregate(values, inner))?;
        let names = keys.iter().map(|(_, name)| column(name));
        let grouped = built(LogicalPlanBuilder::new(inner).aggregate(names, outer))?;
        let grouped = match keys.is_empty() {
            // Over no rows at all there is one group, of whose counts there is no sum.
            true => {
                let counts = aggregates.iter().map(|(aggregate, name)| {
                    let sum = column(name);
                    match is_plain_count(aggregate) {
                        true => coalesce(vec![sum, lit(0i64)]).alias(name),
                        false => sum,
                    }
                });
                projected(grouped, counts.collect())?
            }
            false => grouped,
        };
        // A sum of sums may have more digits than a sum.
        for (aggregate, name) in aggregates {
            let ty = aggregate.get_type(plan.schema()).map_err(no_plan)?;
            let found = column(name).get_type(grouped.schema()).map_err(no_plan)?;
            if ty != found {
                return Ok(None);
            }
        }
        Ok(Some(grouped))
    }
}
