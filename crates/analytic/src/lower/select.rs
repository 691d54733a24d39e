//! One SELECT:
//!
//! ```text
//! join > filter > aggregate > filter > window > project > distinct
//! ```
//!
//! Not here: ORDER BY and LIMIT (`query`), FROM (`relation`).

use datafusion::logical_expr::utils::split_conjunction_owned;
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, Operator, lit};
use plan::tree::{Query, Select};
use results::{Result, SqlError};

use super::query::distinct;
use super::row::{LoweredColumn, LoweredQuery, Row};
use super::{Lowering, column, filtered, projected};

impl Lowering<'_> {
    /// Lowers a SELECT: its columns, then what its query is sorted by besides them.
    pub(super) fn select(
        &self,
        select: &Select,
        query: &Query,
        enclosing: Option<&Row<'_>>,
    ) -> Result<LoweredQuery> {
        if select.counts_found {
            return Err(SqlError::not_lowerable("SQL_CALC_FOUND_ROWS in a plan"));
        }
        let (mut plan, mut row) = self.from(select, enclosing)?;
        if let Some(condition) = self.all_hold(&row, &select.conditions)? {
            plan = match enclosing {
                Some(_) => self.correlated_filter(plan, condition)?,
                None => filtered(plan, condition)?,
            };
        }
        if let Some(grouping) = &select.grouping {
            (plan, row) = self.grouped(plan, &row, grouping, query.order.is_empty(), enclosing)?;
        }
        if let Some(having) = &select.having {
            let condition = self.demanded(&row, having)?;
            plan = filtered(plan, condition)?;
        }
        if let Some(windowing) = &select.windowing {
            (plan, row) = self.windowed(plan, &row, windowing, enclosing)?;
        }
        let mut columns = Vec::with_capacity(select.outputs.len());
        let mut exprs = Vec::with_capacity(select.outputs.len());
        for (at, node) in select.outputs.iter().enumerate() {
            let value = self.value(&row, node)?;
            let (value, ty, nullable) = match query.columns.get(at) {
                Some(column) => {
                    let value = self.converted(value, &node.ty, &column.ty);
                    (value, column.ty.clone(), column.nullable)
                }
                None => (value, node.ty.clone(), node.nullable),
            };
            // Names of their own: decorrelation carries columns of tables up through a
            // sub-query's projection.
            let seen = LoweredColumn::named(self.name("c"), ty, nullable);
            exprs.push(value.alias(seen.column.name.clone()));
            columns.push(seen);
        }
        let lowered = LoweredQuery { plan: projected(plan, exprs)?, columns };
        if select.distinct { distinct(lowered, select.visible) } else { Ok(lowered) }
    }

    /// A filter that may compare with the enclosing row. Decorrelation wants a bare column on the
    /// inner side of an equation: what is computed there becomes a column first.
    fn correlated_filter(&self, mut plan: LogicalPlan, condition: Expr) -> Result<LogicalPlan> {
        let mut computed: Vec<Expr> = Vec::new();
        let mut side = |inner: Expr, outer: &Expr| {
            let wanted = !matches!(inner, Expr::Column(_) | Expr::Literal(..))
                && !inner.contains_outer()
                && inner.any_column_refs()
                && outer.contains_outer()
                && !outer.any_column_refs();
            if !wanted {
                return inner;
            }
            let name = self.name("k");
            computed.push(inner.alias(name.clone()));
            column(&name)
        };
        let terms = split_conjunction_owned(condition).into_iter().map(|term| match term {
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => {
                let left = side(*left, &right);
                let right = side(*right, &left);
                left.eq(right)
            }
            other => other,
        });
        let condition = terms.reduce(Expr::and).unwrap_or_else(|| lit(true));
        if !computed.is_empty() {
            let own = plan.schema().columns().into_iter().map(Expr::Column);
            plan = projected(plan, own.chain(computed).collect())?;
        }
        filtered(plan, condition)
    }
}
