//! Source columns: those of the query's tables that ON DUPLICATE KEY UPDATE of an INSERT ... SELECT
//! names:
//!
//! ```sql
//! INSERT INTO totals (id, n) SELECT s.id, s.n FROM sales s ON DUPLICATE KEY UPDATE n = totals.n + s.n
//! ```
//!
//! The query gives such columns behind those of the row. Only a plain SELECT can: behind GROUP BY
//! or UNION there is nothing left of its tables (MySQL 8.0 manual, 15.2.7.2). Behind DISTINCT they
//! are those of one of the rows that are alike.
//!
//! Not here: what the names mean then (`plan::bind::scalar::names`), updating (`insert`).

use std::ops::ControlFlow;

use rows::table::Table;
use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, Ident, Query, SelectItem, SetExpr, Visit, Visitor,
    visit_expressions,
};
use syntax::change::Insert;
use syntax::plain_call;

use plan::bind::scalar::Names;
use plan::bind::{RowBinder, is_beyond_scalars};
use plan::tree::AggregateFunction;

/// The names that are those of the query's tables; `over_row` knows those in sub-queries.
pub fn names_beside(
    insert: &Insert,
    table: &Table,
    names: &Names<'_>,
    over_row: &RowBinder<'_>,
) -> Vec<Vec<Ident>> {
    let alias = insert.alias.as_ref();
    let is_own = |name: &Ident| {
        name.value == table.name || alias.is_some_and(|(alias, _)| *alias == name.value)
    };
    let is_column = |name: &Ident| {
        name.value.starts_with('@')
            || table.column(&name.value).is_some()
            || alias.is_some_and(|(_, names)| {
                names.iter().any(|renamed| renamed.eq_ignore_ascii_case(&name.value))
            })
    };
    let mut found: Vec<Vec<Ident>> = Vec::new();
    for value in insert.on_duplicate.iter().filter_map(|assignment| assignment.value.as_ref()) {
        if is_beyond_scalars(value) {
            for parts in over_row.missing_names(value, names) {
                let parts = parts.iter().map(|part| Ident::with_quote('`', part)).collect();
                if !found.contains(&parts) {
                    found.push(parts);
                }
            }
            continue;
        }
        let _ = visit_expressions(value, |expr| {
            let parts = match expr {
                Expr::Identifier(name) if !is_column(name) => vec![name.clone()],
                Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                    [name, _] if !is_own(name) && !name.value.starts_with('@') => parts.clone(),
                    _ => return ControlFlow::<()>::Continue(()),
                },
                _ => return ControlFlow::Continue(()),
            };
            if !found.contains(&parts) {
                found.push(parts);
            }
            ControlFlow::Continue(())
        });
    }
    found
}

/// The columns of the table itself that ON DUPLICATE KEY UPDATE names without their table, outside
/// of VALUES() and DEFAULT(): those that the query's tables must not have.
pub fn bare_own_names(insert: &Insert, table: &Table) -> Vec<Ident> {
    struct BareNames<'a> {
        table: &'a Table,
        /// Calls around the name at hand that mean a column of the table alone.
        calls: usize,
        found: Vec<Ident>,
    }
    impl Visitor for BareNames<'_> {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            self.calls += usize::from(names_own_column(expr));
            if let Expr::Identifier(name) = expr
                && self.calls == 0
                && self.table.column(&name.value).is_some()
                && !self.found.contains(name)
            {
                self.found.push(name.clone());
            }
            ControlFlow::Continue(())
        }

        fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            self.calls -= usize::from(names_own_column(expr));
            ControlFlow::Continue(())
        }
    }
    let mut names = BareNames { table, calls: 0, found: Vec::new() };
    for value in insert.on_duplicate.iter().filter_map(|assignment| assignment.value.as_ref()) {
        if !is_beyond_scalars(value) {
            let _ = value.visit(&mut names);
        }
    }
    names.found
}

/// Whether an expression is VALUES() or DEFAULT() of a column.
fn names_own_column(expr: &Expr) -> bool {
    let Expr::Function(call) = expr else { return false };
    let name = call.name.to_string();
    ["VALUES", "VALUE", "DEFAULT"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Makes a query give these columns behind its own; `false` for one that cannot.
pub fn ask_beside(query: &mut Query, names: &[Vec<Ident>]) -> bool {
    if names.is_empty() {
        return true;
    }
    let is_ordered = query.order_by.is_some();
    let SetExpr::Select(select) = query.body.as_mut() else { return false };
    let groups = match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(by, _) => !by.is_empty(),
    };
    if groups {
        return false;
    }
    let one_of_a_group = match &select.distinct {
        None => false,
        // An order is one of what is selected alone.
        Some(Distinct::Distinct) if !is_ordered => {
            let Some(keys) = distinct_keys(&select.projection) else { return false };
            select.group_by = GroupByExpr::Expressions(keys, Vec::new());
            select.distinct = None;
            true
        }
        Some(_) => return false,
    };
    select.projection.extend(names.iter().map(|parts| {
        let column = match parts.as_slice() {
            [name] => Expr::Identifier(name.clone()),
            parts => Expr::CompoundIdentifier(parts.to_vec()),
        };
        SelectItem::UnnamedExpr(match one_of_a_group {
            true => Expr::Function(plain_call("ANY_VALUE", vec![column])),
            false => column,
        })
    }));
    true
}

/// What makes the rows of a SELECT DISTINCT different, as keys of groups; `None` where it cannot be
/// said so: of `*`, aggregates, windows, and constants alone.
fn distinct_keys(items: &[SelectItem]) -> Option<Vec<Expr>> {
    let mut keys = Vec::with_capacity(items.len());
    for item in items {
        let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else {
            return None;
        };
        let is_of_rows = visit_expressions(expr, |part| match part {
            Expr::Function(call) => {
                let name = call.name.to_string().to_ascii_uppercase();
                match call.over.is_some() || AggregateFunction::find(&name).is_some() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            }
            _ => ControlFlow::Continue(()),
        });
        if is_of_rows.is_break() {
            return None;
        }
        // A number would be a position.
        if !matches!(expr, Expr::Value(_)) {
            keys.push(expr.clone());
        }
    }
    (!keys.is_empty()).then_some(keys)
}
