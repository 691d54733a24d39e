//! Queries: set operations, VALUES, ORDER BY and LIMIT.
//!
//! Invariants
//! 1. The columns of a lowered query are the first of its body's, under names of their own.
//!
//! Not here: a single SELECT (`select`), recursions (`recursion`).

use std::sync::Arc;

use datafusion::common::{Column, ScalarValue};
use datafusion::functions_window::rank::rank_udwf;
use datafusion::functions_window::row_number::row_number_udwf;
use datafusion::logical_expr::expr::{Sort, WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Union, WindowFrame,
    WindowFunctionDefinition, lit,
};
use expression::{BIGINT, Node};
use plan::tree::row_count;
use plan::tree::{Body, Query, SetOperation, SetOperator};
use results::{Result, SqlError};
use values::datum::Value;
use values::types::{Collation, ColumnType};

use super::super::columns::{collation_of, is_string};
use super::super::failure::no_plan;
use super::super::kernels::RowFunction;
use super::convert::native_cast;
use super::grouping::{any_value, key_of};
use super::row::{LoweredColumn, LoweredQuery, Row, RowColumns};
use super::{Lowering, built, call, column, filtered, projected};

impl Lowering<'_> {
    /// Lowers a query; `enclosing` is the row of the SELECT that it stands in.
    pub(super) fn query(&self, query: &Query, enclosing: Option<&Row<'_>>) -> Result<LoweredQuery> {
        self.facts.limits.check()?;
        let body = match &query.body {
            Body::Select(select) => self.select(select, query, enclosing)?,
            Body::Set(set) => self.set(set, query, enclosing)?,
            Body::Values(rows) => self.values(rows, query)?,
            Body::Recursion(_) => return self.recursion(query),
            Body::FullText(_) => return Err(SqlError::not_lowerable("MATCH")),
            Body::JsonTable(_) => return Err(SqlError::not_lowerable("JSON_TABLE")),
        };
        self.ordered(body, query)
    }

    /// ORDER BY and LIMIT over a body's rows, of which the query's columns remain.
    fn ordered(&self, body: LoweredQuery, query: &Query) -> Result<LoweredQuery> {
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
            let shown: Vec<Expr> = columns.iter().map(LoweredColumn::expr).collect();
            builder = builder.project(shown).map_err(no_plan)?;
        }
        Ok(LoweredQuery { plan: built(Ok(builder))?, columns })
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
    ) -> Result<LoweredQuery> {
        let columns: Vec<LoweredColumn> = query
            .columns
            .iter()
            .map(|column| LoweredColumn::named(self.name("u"), column.ty.clone(), column.nullable))
            .collect();
        let sides = set
            .sides
            .iter()
            .map(|side| self.aligned(self.query(side, enclosing)?, &columns))
            .collect::<Result<Vec<LogicalPlan>>>()?;
        if set.operator == SetOperator::Union {
            let inputs = sides.into_iter().map(Arc::new).collect();
            let union = Union::try_new_with_loose_types(inputs).map_err(no_plan)?;
            let all = LoweredQuery { plan: LogicalPlan::Union(union), columns };
            return if set.all { Ok(all) } else { distinct(all, query.columns.len()) };
        }
        let mut sides = sides.into_iter();
        let (Some(left), Some(right)) = (sides.next(), sides.next()) else {
            return Err(SqlError::other("a set operation with one side"));
        };
        // DataFusion compares bytes, and takes equal rows for one.
        let as_bytes = |seen: &LoweredColumn| {
            !is_collated(&seen.ty) && !matches!(seen.ty, ColumnType::Double(_))
        };
        if set.all || !columns.iter().all(as_bytes) {
            return self.sorted_together(set, left, right, columns);
        }
        let plan = match set.operator {
            SetOperator::Intersect => LogicalPlanBuilder::intersect(left, right, false),
            _ => LogicalPlanBuilder::except(left, right, false),
        };
        Ok(LoweredQuery { plan: plan.map_err(no_plan)?, columns })
    }

    /// INTERSECT or EXCEPT of two sides whose columns have the same names: the rows of both, sorted
    /// by what they are compared by, where those of the right come first. A row's number and its
    /// rank tell how many equal ones there are on the right, and which of the left it is.
    ///
    /// ```text
    /// key  side   number  rank
    /// a    right  1       1
    /// a    left   2       2      rank - 1 rows on the right; number - rank + 1: the first of the left
    /// a    left   3       2
    /// ```
    fn sorted_together(
        &self,
        set: &SetOperation,
        left: LogicalPlan,
        right: LogicalPlan,
        columns: Vec<LoweredColumn>,
    ) -> Result<LoweredQuery> {
        let key = |seen: &LoweredColumn| (key_of(seen.expr(), &seen.ty), self.name("k"));
        let named: Vec<(Expr, String)> = columns.iter().map(key).collect();
        let (side, number, rank) = (self.name("s"), self.name("w"), self.name("w"));
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for seen in &columns {
            let ty = seen.expr().get_type(left.schema()).map_err(no_plan)?;
            let null = ScalarValue::try_from(&ty).map_err(no_plan)?;
            own.push(seen.expr());
            others.push(lit(null).alias(&seen.column.name));
        }
        let compared = || named.iter().map(|(key, name)| key.clone().alias(name));
        let marked = |number| columns.first().map(|seen| side_of(seen, number).alias(&side));
        let of_left = own.into_iter().chain(compared()).chain(marked(0));
        let of_right = others.into_iter().chain(compared()).chain(marked(1));
        let sides = vec![
            Arc::new(projected(left, of_left.collect())?),
            Arc::new(projected(right, of_right.collect())?),
        ];
        let all = LogicalPlan::Union(Union::try_new_with_loose_types(sides).map_err(no_plan)?);
        let by = named.iter().map(|(_, name)| column(name)).collect();
        let order = sort_by(column(&side), true);
        let counted = numbered(all, (by, order), [&number, &rank])?;
        let (number, rank) =
            (native_cast(column(&number), &BIGINT), native_cast(column(&rank), &BIGINT));
        let on_the_right = rank.clone() - lit(1i64);
        let of_the_left = number - rank + lit(1i64);
        let stays = match (set.all, set.operator) {
            (true, SetOperator::Intersect) => of_the_left.lt_eq(on_the_right),
            (true, _) => of_the_left.gt(on_the_right),
            (false, SetOperator::Intersect) => {
                of_the_left.eq(lit(1i64)).and(on_the_right.gt(lit(0i64)))
            }
            (false, _) => of_the_left.eq(lit(1i64)).and(on_the_right.eq(lit(0i64))),
        };
        let plan = filtered(counted, column(&side).eq(lit(0i64)).and(stays))?;
        let plan = projected(plan, columns.iter().map(LoweredColumn::expr).collect())?;
        Ok(LoweredQuery { plan, columns })
    }

    /// A side of a set operation with its columns converted and named alike.
    fn aligned(&self, side: LoweredQuery, to: &[LoweredColumn]) -> Result<LogicalPlan> {
        let columns = side.columns.iter().zip(to).map(|(own, to)| {
            self.converted(own.expr(), &own.ty, &to.ty).alias(to.column.name.clone())
        });
        projected(side.plan, columns.collect())
    }

    fn values(&self, rows: &[Vec<Node>], query: &Query) -> Result<LoweredQuery> {
        let none = Row { columns: RowColumns::Flat(Vec::new()), enclosing: None };
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
            let seen = LoweredColumn::named(self.name("v"), column.ty.clone(), column.nullable);
            named.push(Expr::Column(given).alias(seen.column.name.clone()));
            columns.push(seen);
        }
        Ok(LoweredQuery { plan: projected(plan, named)?, columns })
    }
}

/// The number of a side, as if it depended on a column: where DataFusion knows that it is the same
/// in all rows of one side, it sorts that by less than it merges by.
fn side_of(seen: &LoweredColumn, number: i64) -> Expr {
    let function = RowFunction::new(
        "side",
        &number.to_string(),
        vec![seen.ty.clone()],
        Some(BIGINT),
        false,
        Arc::new(move |_| Ok(Value::Int(number))),
    );
    call(function, vec![seen.expr()])
}

/// Rows with their number and their rank among those that have the same keys.
fn numbered(
    plan: LogicalPlan,
    (keys, order): (Vec<Expr>, Sort),
    names: [&str; 2],
) -> Result<LogicalPlan> {
    let params = WindowFunctionParams {
        args: Vec::new(),
        partition_by: keys,
        order_by: vec![order],
        window_frame: WindowFrame::new(Some(false)),
        filter: None,
        null_treatment: None,
        distinct: false,
    };
    let calls = [row_number_udwf(), rank_udwf()].map(|function| {
        let fun = WindowFunctionDefinition::WindowUDF(function);
        Expr::WindowFunction(Box::new(WindowFunction { fun, params: params.clone() }))
    });
    let before: Vec<Column> = plan.schema().columns();
    let called: Vec<Expr> = calls
        .iter()
        .zip(names)
        .map(|(call, name)| column(&call.schema_name().to_string()).alias(name))
        .collect();
    let plan = LogicalPlanBuilder::window_plan(plan, calls).map_err(no_plan)?;
    projected(plan, before.into_iter().map(Expr::Column).chain(called).collect())
}

/// Whether texts of the type are equal that differ in their bytes.
pub(super) fn is_collated(ty: &ColumnType) -> bool {
    is_string(ty) && collation_of(ty) != Collation::Binary
}

/// One key of ORDER BY; NULL sorts lowest, as in MySQL.
pub(super) fn sort_by(key: Expr, descending: bool) -> Sort {
    Sort { expr: key, asc: !descending, nulls_first: !descending }
}

/// Without rows that are equal in their first columns; of the others any of the equal rows' values.
pub(super) fn distinct(rows: LoweredQuery, compared: usize) -> Result<LoweredQuery> {
    let builder = LogicalPlanBuilder::new(rows.plan);
    let (shown, carried) = rows.columns.split_at(compared);
    if carried.is_empty() && !shown.iter().any(|seen| is_collated(&seen.ty)) {
        return Ok(LoweredQuery { plan: built(builder.distinct())?, columns: rows.columns });
    }
    let keys = shown.iter().enumerate();
    let keys: Vec<Expr> =
        keys.map(|(at, seen)| key_of(seen.expr(), &seen.ty).alias(format!("#g{at}"))).collect();
    let values = rows.columns.iter();
    let values: Vec<Expr> =
        values.map(|seen| any_value(seen.expr()).alias(seen.column.name.clone())).collect();
    let back: Vec<Expr> = rows.columns.iter().map(LoweredColumn::expr).collect();
    let plan = builder.aggregate(keys, values).and_then(|builder| builder.project(back));
    Ok(LoweredQuery { plan: built(plan)?, columns: rows.columns })
}
