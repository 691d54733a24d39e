//! Queries: set operations, VALUES, ORDER BY and LIMIT.
//!
//! Invariants
//! 1. The columns of a lowered query are the first of its body's, under names of their own.
//!
//! Not here: a single SELECT (`select`), recursions, which the row executor alone has.

use std::sync::Arc;

use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Union};
use expression::Node;
use sql::tree::{Body, Query, SetOperation, SetOperator};
use sql::{Result, SqlError, row_count};
use values::types::Collation;

use super::super::columns::{collation_of, is_string};
use super::super::failure::no_plan;
use super::grouping::{any_value, key_of};
use super::row::{Columns, Lowered, Row, Seen};
use super::{Lowering, built, projected};

impl Lowering<'_> {
    /// Lowers a query; `enclosing` is the row of the SELECT that it stands in.
    pub(super) fn query(&self, query: &Query, enclosing: Option<&Row<'_>>) -> Result<Lowered> {
        self.facts.limits.check()?;
        let body = match &query.body {
            Body::Select(select) => self.select(select, query, enclosing)?,
            Body::Set(set) => self.set(set, query, enclosing)?,
            Body::Values(rows) => self.values(rows, query)?,
            Body::Recursion(_) => return Err(SqlError::unsupported("a recursion in a plan")),
        };
        self.ordered(body, query)
    }

    /// ORDER BY and LIMIT over a body's rows, of which the query's columns remain.
    fn ordered(&self, body: Lowered, query: &Query) -> Result<Lowered> {
        let mut builder = LogicalPlanBuilder::new(body.plan);
        if !query.order.is_empty() {
            let keys: Vec<Sort> = query
                .order
                .iter()
                .map(|key| {
                    let seen = &body.columns[key.position];
                    sort_by(key_of(seen.expr(), &seen.ty), key.descending)
                })
                .collect();
            builder = builder.sort(keys).map_err(no_plan)?;
        }
        let limit = self.count(query.limit.as_ref())?;
        let offset = self.count(query.offset.as_ref())?;
        if limit.is_some() || offset.is_some() {
            builder = builder.limit(offset.unwrap_or(0), limit).map_err(no_plan)?;
        }
        let mut columns = body.columns;
        if columns.len() > query.columns.len() {
            columns.truncate(query.columns.len());
            let shown: Vec<Expr> = columns.iter().map(Seen::expr).collect();
            builder = builder.project(shown).map_err(no_plan)?;
        }
        Ok(Lowered { plan: built(Ok(builder))?, columns })
    }

    fn count(&self, node: Option<&Node>) -> Result<Option<usize>> {
        // DataFusion counts in 64 signed bits; nothing has more rows.
        const ROWS_MAX: u64 = i64::MAX as u64;
        node.into_iter().for_each(|node| self.note_known(node));
        let count = row_count(node, &self.environment().scope())?;
        Ok(count.map(|count| count.min(ROWS_MAX) as usize))
    }

    fn set(
        &self,
        set: &SetOperation,
        query: &Query,
        enclosing: Option<&Row<'_>>,
    ) -> Result<Lowered> {
        let columns: Vec<Seen> = query
            .columns
            .iter()
            .map(|column| Seen::named(self.name("u"), column.ty.clone(), column.nullable))
            .collect();
        let sides = set
            .sides
            .iter()
            .map(|side| self.aligned(self.query(side, enclosing)?, &columns))
            .collect::<Result<Vec<LogicalPlan>>>()?;
        if set.operator == SetOperator::Union {
            let inputs = sides.into_iter().map(Arc::new).collect();
            let union = Union::try_new_with_loose_types(inputs).map_err(no_plan)?;
            let all = Lowered { plan: LogicalPlan::Union(union), columns };
            return if set.all { Ok(all) } else { distinct(all, query.columns.len()) };
        }
        // DataFusion compares bytes, and takes equal rows for one.
        let collated = |seen: &Seen| is_collated(&seen.ty);
        if set.all || columns.iter().any(collated) {
            return Err(SqlError::unsupported("such an INTERSECT or EXCEPT in a plan"));
        }
        let mut sides = sides.into_iter();
        let (Some(left), Some(right)) = (sides.next(), sides.next()) else {
            return Err(SqlError::other("a set operation with one side"));
        };
        let plan = match set.operator {
            SetOperator::Intersect => LogicalPlanBuilder::intersect(left, right, false),
            _ => LogicalPlanBuilder::except(left, right, false),
        };
        Ok(Lowered { plan: plan.map_err(no_plan)?, columns })
    }

    /// A side of a set operation with its columns converted and named alike.
    fn aligned(&self, side: Lowered, to: &[Seen]) -> Result<LogicalPlan> {
        let columns = side.columns.iter().zip(to).map(|(own, to)| {
            self.converted(own.expr(), &own.ty, &to.ty).alias(to.column.name.clone())
        });
        projected(side.plan, columns.collect())
    }

    fn values(&self, rows: &[Vec<Node>], query: &Query) -> Result<Lowered> {
        let none = Row { columns: Columns::Flat(Vec::new()), enclosing: None };
        let mut lists = Vec::with_capacity(rows.len());
        for row in rows {
            let values = row.iter().zip(&query.columns).map(|(node, column)| {
                Ok(self.converted(self.value(&none, node)?, &node.ty, &column.ty))
            });
            lists.push(values.collect::<Result<Vec<Expr>>>()?);
        }
        let plan = built(LogicalPlanBuilder::values(lists))?;
        let (mut columns, mut named) = (Vec::new(), Vec::new());
        for (column, given) in query.columns.iter().zip(plan.schema().columns()) {
            let seen = Seen::named(self.name("v"), column.ty.clone(), column.nullable);
            named.push(Expr::Column(given).alias(seen.column.name.clone()));
            columns.push(seen);
        }
        Ok(Lowered { plan: projected(plan, named)?, columns })
    }
}

/// Whether texts of the type are equal that differ in their bytes.
pub(super) fn is_collated(ty: &values::types::ColumnType) -> bool {
    is_string(ty) && collation_of(ty) != Collation::Binary
}

/// One key of ORDER BY; NULL sorts lowest, as in MySQL.
pub(super) fn sort_by(key: Expr, descending: bool) -> Sort {
    Sort { expr: key, asc: !descending, nulls_first: !descending }
}

/// Without rows that are equal in their first columns; of the others any of the equal rows' values.
pub(super) fn distinct(rows: Lowered, compared: usize) -> Result<Lowered> {
    let builder = LogicalPlanBuilder::new(rows.plan);
    let (shown, carried) = rows.columns.split_at(compared);
    if carried.is_empty() && !shown.iter().any(|seen| is_collated(&seen.ty)) {
        return Ok(Lowered { plan: built(builder.distinct())?, columns: rows.columns });
    }
    let keys = shown.iter().enumerate();
    let keys: Vec<Expr> =
        keys.map(|(at, seen)| key_of(seen.expr(), &seen.ty).alias(format!("#g{at}"))).collect();
    let values = rows.columns.iter();
    let values: Vec<Expr> =
        values.map(|seen| any_value(seen.expr()).alias(seen.column.name.clone())).collect();
    let back: Vec<Expr> = rows.columns.iter().map(Seen::expr).collect();
    let plan = builder.aggregate(keys, values).and_then(|builder| builder.project(back));
    Ok(Lowered { plan: built(plan)?, columns: rows.columns })
}
