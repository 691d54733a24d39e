//! The names of columns of derived tables and of tables of WITH that were given none: as they were
//! written (MySQL 9.7: tests/oracle/sql/headings.sql).
//!
//! A query around names such a column by them, ``x.`a+1` ``, so they stand in the tree as if they
//! had been given. Only those stay unnamed that are named by themselves, columns and literals, and
//! those whose text holds the place of a literal that was taken out.
//!
//! Not here: the items of the list that a client sees (`select_list`), what is named by itself
//! (crate `plan`, `bind::title`).

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Ident, Query, Select, SelectItem, SetExpr, TableFactor, UnaryOperator, VisitMut,
    VisitorMut,
};

use super::location::offset_of;
use super::select_list::item_texts;

/// Characters of a longer name are not those that were written, in MySQL either.
const NAME_CHARS_MAX: usize = 64;

/// Gives the columns of a query's derived tables and tables of WITH the names that they have by
/// their texts. `text`: what the query was read from.
pub(super) fn name_columns(query: &mut Query, text: &str) {
    let _whole = query.visit(&mut Namer { text });
}

struct Namer<'t> {
    text: &'t str,
}

impl VisitorMut for Namer<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        for table in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
            if table.alias.columns.is_empty() {
                self.name_columns_of(&mut table.query);
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Derived { subquery, .. } = factor {
            self.name_columns_of(subquery);
        }
        ControlFlow::Continue(())
    }
}

impl Namer<'_> {
    fn name_columns_of(&self, query: &mut Query) {
        let Some(select) = first_select(&mut query.body) else { return };
        let start = select.select_token.0.span.start;
        if start.line == 0 {
            return;
        }
        let own = &self.text[offset_of(self.text, start.line, start.column)..];
        let is_it = own.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"));
        let texts = if is_it { item_texts(own) } else { Vec::new() };
        if texts.len() != select.projection.len() {
            return;
        }
        for (item, text) in select.projection.iter_mut().zip(texts) {
            let SelectItem::UnnamedExpr(expr) = item else { continue };
            let is_whole = !text.contains('?') && text.chars().count() <= NAME_CHARS_MAX;
            if is_whole && !is_named_by_itself(expr) {
                let alias = Ident::with_quote('`', text);
                let expr = std::mem::replace(expr, Expr::Identifier(Ident::new("")));
                *item = SelectItem::ExprWithAlias { expr, alias };
            }
        }
    }
}

fn first_select(body: &mut SetExpr) -> Option<&mut Select> {
    match body {
        SetExpr::Select(select) => Some(select),
        SetExpr::SetOperation { left, .. } => first_select(left),
        SetExpr::Query(query) => first_select(&mut query.body),
        _ => None,
    }
}

fn is_named_by_itself(expr: &Expr) -> bool {
    match expr {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => true,
        Expr::Value(_) | Expr::Prefixed { .. } => true,
        Expr::Nested(inner) | Expr::UnaryOp { op: UnaryOperator::Plus, expr: inner } => {
            is_named_by_itself(inner)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use values::SqlMode;

    use crate::Cursor;

    fn read(text: &str) -> String {
        let mut cursor = Cursor::new(text, SqlMode::default()).expect("tokens");
        cursor.query().expect("a query").to_string()
    }

    #[test]
    fn columns_of_derived_tables_are_named_as_they_are_written() {
        for (text, expected) in [
            (
                "SELECT x.`a+1` FROM (SELECT a+1, b FROM t) x",
                "SELECT x.`a+1` FROM (SELECT a + 1 AS `a+1`, b FROM t) x",
            ),
            (
                "WITH c AS (\nSELECT COUNT( * ), (a), 'b' FROM t UNION SELECT 1+1, 2, 3) SELECT * FROM c",
                "WITH c AS (SELECT COUNT(*) AS `COUNT( * )`, (a), 'b' FROM t UNION SELECT 1 + 1, 2, 3) \
                 SELECT * FROM c",
            ),
            (
                "SELECT a+1 FROM (SELECT *, a  +  1 FROM t) x WHERE a IN (SELECT a+1 FROM t)",
                "SELECT a + 1 FROM (SELECT *, a + 1 AS `a  +  1` FROM t) x \
                 WHERE a IN (SELECT a + 1 FROM t)",
            ),
        ] {
            assert_eq!(read(text), expected);
        }
    }
}
