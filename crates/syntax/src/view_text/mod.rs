//! Queries in MySQL's canonical form, as a view keeps its own: names in backticks, every operation
//! in brackets, strings in single quotes, so that the text means the same whatever the reader's
//! sql_mode (`SHOW CREATE VIEW`, `information_schema.views`).
//!
//! Invariants
//! 1. What is printed is what was read: read again it prints the same, or it is refused.
//!
//! Not here: which columns the names of a query mean (crate `sql`, `bind::qualify`), expressions
//! (`expression`).

mod expression;

use sqlparser::ast::{
    Cte, GroupByExpr, GroupByWithModifier, Ident, Join, JoinConstraint, JoinOperator,
    JsonTableColumn, JsonTableColumnErrorHandling, LimitClause, ObjectName, OrderByExpr,
    OrderByKind, Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier, TableAlias,
    TableFactor, TableWithJoins,
};
use sqlparser::tokenizer::Token;
use values::SqlMode;

use crate::cursor::Cursor;
use crate::error::{Error, Result};
use crate::names::name_parts;
use crate::rule::rule;

/// The canonical text of a query. Tables of the database `left_out` are named without it.
///
/// # Errors
/// 1235 when its text would not be the same query.
pub fn view_text(query: &Query, left_out: Option<&str>) -> Result<String> {
    let print = |query: &Query, left_out| {
        let mut printer = QueryPrinter { out: String::new(), left_out, introduces: false };
        printer.query(query);
        printer.out
    };
    let text = print(query, None);
    match view_query(&text).map(|again| print(&again, None)) {
        Ok(again) if again == text => Ok(print(query, left_out)),
        _ => Err(Error::unsupported("such a query in a view")),
    }
}

/// The query of a text that `view_text` has made.
///
/// # Errors
/// 1064 for what is none.
pub fn view_query(text: &str) -> Result<Box<Query>> {
    let mut cursor = Cursor::new(text, SqlMode::default())?;
    let query = cursor.query()?;
    match cursor.peek() {
        Token::EOF => Ok(query),
        _ => Err(cursor.syntax()),
    }
}

/// The canonical text of an expression that a table's definition keeps (`rule`). Its strings say
/// which character set they are of, as MySQL's do.
pub fn definition_text(text: &str) -> String {
    let print = |text: &str| {
        let expression = rule(text).ok()?;
        let mut printer = QueryPrinter { out: String::new(), left_out: None, introduces: true };
        printer.expression(&expression);
        Some(printer.out)
    };
    // What would be another expression when it is read again stands as it was kept.
    let again = |canonical: &String| print(canonical).as_ref() == Some(canonical);
    print(text).filter(again).unwrap_or_else(|| text.to_owned())
}

/// Writes a query.
struct QueryPrinter<'a> {
    out: String,
    left_out: Option<&'a str>,
    /// Whether strings stand behind the name of their character set.
    introduces: bool,
}

impl QueryPrinter<'_> {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, name: &str) {
        self.out.push('`');
        self.out.push_str(&name.replace('`', "``"));
        self.out.push('`');
    }

    /// A name of several parts; a database that is left out is not among them.
    fn names(&mut self, parts: &[&Ident], parts_max: usize) {
        let is_left_out = parts.len() == parts_max
            && self.left_out.is_some_and(|database| parts[0].value == database);
        let shown = if is_left_out { &parts[1..] } else { parts };
        for (at, part) in shown.iter().enumerate() {
            if at > 0 {
                self.out.push('.');
            }
            self.name(&part.value);
        }
    }

    fn table_name(&mut self, name: &ObjectName) {
        self.names(&name_parts(name), 2);
    }

    fn list<T>(&mut self, items: &[T], between: &str, mut each: impl FnMut(&mut Self, &T)) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.push(between);
            }
            each(self, item);
        }
    }

    fn query(&mut self, query: &Query) {
        if let Some(with) = &query.with {
            self.push(if with.recursive { "with recursive " } else { "with " });
            self.list(&with.cte_tables, ",", Self::common_table);
            self.push(" ");
        }
        self.set_expression(&query.body);
        if let Some(order) = &query.order_by
            && let OrderByKind::Expressions(keys) = &order.kind
        {
            self.push(" order by ");
            self.list(keys, ",", Self::sort_key);
        }
        match &query.limit_clause {
            None => {}
            Some(LimitClause::LimitOffset { limit, offset, .. }) => {
                self.limit(limit.as_ref(), offset.as_ref().map(|offset| &offset.value));
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                self.limit(Some(limit), Some(offset));
            }
        }
        // What is rare stands as sqlparser writes it.
        let others = query.fetch.iter().map(ToString::to_string);
        for text in others.chain(query.locks.iter().map(|lock| lock.to_string().to_lowercase())) {
            self.push(" ");
            self.push(&text);
        }
    }

    fn limit(
        &mut self,
        limit: Option<&sqlparser::ast::Expr>,
        offset: Option<&sqlparser::ast::Expr>,
    ) {
        let Some(limit) = limit else { return };
        self.push(" limit ");
        if let Some(offset) = offset {
            self.expression(offset);
            self.push(",");
        }
        self.expression(limit);
    }

    fn common_table(&mut self, table: &Cte) {
        self.name(&table.alias.name.value);
        self.alias_columns(&table.alias);
        self.push(" as (");
        self.query(&table.query);
        self.push(")");
    }

    fn alias_columns(&mut self, alias: &TableAlias) {
        if alias.columns.is_empty() {
            return;
        }
        self.push(" (");
        self.list(&alias.columns, ",", |printer, column| printer.name(&column.name.value));
        self.push(")");
    }

    fn set_expression(&mut self, body: &SetExpr) {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => {
                self.push("(");
                self.query(query);
                self.push(")");
            }
            SetExpr::SetOperation { op, set_quantifier, left, right } => {
                self.set_operand(left, *op);
                self.push(match op {
                    SetOperator::Union => " union ",
                    SetOperator::Intersect => " intersect ",
                    SetOperator::Except | SetOperator::Minus => " except ",
                });
                if *set_quantifier == SetQuantifier::All {
                    self.push("all ");
                }
                self.set_operand(right, *op);
            }
            SetExpr::Values(values) => {
                self.push("values ");
                self.list(&values.rows, ",", |printer, row| {
                    printer.push("row(");
                    printer.list(&row.content, ",", Self::expression);
                    printer.push(")");
                });
            }
            other => self.push(&other.to_string()),
        }
    }

    /// A side of a set operation; one of another kind stands in brackets.
    fn set_operand(&mut self, side: &SetExpr, around: SetOperator) {
        let is_other = matches!(side, SetExpr::SetOperation { op, .. } if *op != around);
        if is_other {
            self.push("(");
        }
        self.set_expression(side);
        if is_other {
            self.push(")");
        }
    }

    fn select(&mut self, select: &Select) {
        self.push("select ");
        if select.distinct.is_some() {
            self.push("distinct ");
        }
        if select.select_modifiers.as_ref().is_some_and(|modifiers| modifiers.straight_join) {
            self.push("straight_join ");
        }
        self.list(&select.projection, ",", Self::item);
        if !select.from.is_empty() {
            self.push(" from ");
            self.from(&select.from);
        }
        if let Some(condition) = &select.selection {
            self.push(" where ");
            self.expression(condition);
        }
        if let GroupByExpr::Expressions(keys, modifiers) = &select.group_by
            && !keys.is_empty()
        {
            self.push(" group by ");
            self.list(keys, ",", Self::expression);
            if modifiers.contains(&GroupByWithModifier::Rollup) {
                self.push(" with rollup");
            }
        }
        if let Some(condition) = &select.having {
            self.push(" having ");
            self.expression(condition);
        }
        if !select.named_window.is_empty() {
            self.push(" window ");
            self.list(&select.named_window, ",", |printer, window| {
                printer.name(&window.0.value);
                printer.push(" AS ");
                printer.named_window(&window.1);
            });
        }
    }

    fn item(&mut self, item: &SelectItem) {
        match item {
            SelectItem::ExprWithAlias { expr, alias } => {
                self.expression(expr);
                self.push(" AS ");
                self.name(&alias.value);
            }
            SelectItem::UnnamedExpr(expr) => self.expression(expr),
            other => self.push(&other.to_string()),
        }
    }

    fn sort_key(&mut self, key: &OrderByExpr) {
        self.expression(&key.expr);
        if key.options.asc == Some(false) {
            self.push(" desc");
        }
    }

    /// Tables that are only listed are joined, too.
    fn from(&mut self, from: &[TableWithJoins]) {
        (1..from.len()).for_each(|_| self.push("("));
        for (at, item) in from.iter().enumerate() {
            if at > 0 {
                self.push(" join ");
            }
            self.table_with_joins(item);
            if at > 0 {
                self.push(")");
            }
        }
    }

    fn table_with_joins(&mut self, item: &TableWithJoins) {
        item.joins.iter().for_each(|_| self.push("("));
        self.factor(&item.relation);
        for join in &item.joins {
            self.join(join);
            self.push(")");
        }
    }

    fn join(&mut self, join: &Join) {
        use JoinOperator as J;
        let (words, constraint) = match &join.join_operator {
            J::Join(c) | J::Inner(c) | J::CrossJoin(c) => ("join", Some(c)),
            J::StraightJoin(c) => ("straight_join", Some(c)),
            J::Left(c) | J::LeftOuter(c) => ("left join", Some(c)),
            J::Right(c) | J::RightOuter(c) => ("right join", Some(c)),
            _ => ("full join", None),
        };
        self.push(if constraint == Some(&JoinConstraint::Natural) { " natural " } else { " " });
        self.push(words);
        self.push(" ");
        self.factor(&join.relation);
        match constraint {
            Some(JoinConstraint::On(condition)) => {
                self.push(" on(");
                self.expression(condition);
                self.push(")");
            }
            Some(JoinConstraint::Using(names)) => {
                self.push(" using (");
                self.list(names, ",", |printer, name| printer.names(&name_parts(name), 2));
                self.push(")");
            }
            Some(JoinConstraint::Natural | JoinConstraint::None) | None => {}
        }
    }

    fn factor(&mut self, factor: &TableFactor) {
        match factor {
            TableFactor::Table { name, alias, args: None, index_hints, partitions, .. } => {
                self.table_name(name);
                if !partitions.is_empty() {
                    self.push(" PARTITION (");
                    self.list(partitions, ",", |printer, name| printer.name(&name.value));
                    self.push(")");
                }
                self.alias(alias.as_ref());
                for hint in index_hints {
                    self.push(" ");
                    self.push(&hint.to_string());
                }
            }
            TableFactor::Derived { lateral, subquery, alias, .. } => {
                self.push(if *lateral { "lateral (" } else { "(" });
                self.query(subquery);
                self.push(")");
                self.alias(alias.as_ref());
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                self.table_with_joins(table_with_joins);
            }
            TableFactor::JsonTable { json_expr, json_path, columns, alias } => {
                self.push("json_table(");
                self.expression(json_expr);
                self.push(&format!(", {json_path} columns ("));
                self.list(columns, ", ", Self::json_column);
                self.push("))");
                self.alias(alias.as_ref());
            }
            other => self.push(&other.to_string()),
        }
    }

    fn json_column(&mut self, column: &JsonTableColumn) {
        match column {
            JsonTableColumn::ForOrdinality(name) => {
                self.name(&name.value);
                self.push(" for ordinality");
            }
            JsonTableColumn::Nested(nested) => {
                self.push(&format!("nested path {} columns (", nested.path));
                self.list(&nested.columns, ", ", Self::json_column);
                self.push(")");
            }
            JsonTableColumn::Named(column) => {
                self.name(&column.name.value);
                let exists = if column.exists { " exists" } else { "" };
                let ty = column.r#type.to_string().to_ascii_lowercase();
                self.push(&format!(" {ty}{exists} path {}", column.path));
                let clauses = [(&column.on_empty, "empty"), (&column.on_error, "error")];
                for (clause, which) in clauses {
                    match clause {
                        None => {}
                        Some(JsonTableColumnErrorHandling::Null) => {
                            self.push(&format!(" null on {which}"));
                        }
                        Some(JsonTableColumnErrorHandling::Error) => {
                            self.push(&format!(" error on {which}"));
                        }
                        Some(JsonTableColumnErrorHandling::Default(value)) => {
                            self.push(&format!(" default {value} on {which}"));
                        }
                    }
                }
            }
        }
    }

    fn alias(&mut self, alias: Option<&TableAlias>) {
        if let Some(alias) = alias {
            self.push(" ");
            self.name(&alias.name.value);
            self.alias_columns(alias);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        let query = Cursor::new(text, SqlMode::default()).unwrap().query().unwrap();
        view_text(&query, Some("d")).unwrap()
    }

    #[test]
    fn a_query_stands_as_mysql_writes_it() {
        for (text, wanted) in [
            (
                "select d.t.a+1 as x from d.t where t.a>5 and b like 'x%' order by t.a limit 3",
                "select (`t`.`a` + 1) AS `x` from `t` where ((`t`.`a` > 5) and (`b` like 'x%')) \
                 order by `t`.`a` limit 3",
            ),
            (
                "select t.a AS a from e.t left join u x on t.a = x.a, z",
                "select `t`.`a` AS `a` from ((`e`.`t` left join `u` `x` on((`t`.`a` = `x`.`a`))) \
                 join `z`)",
            ),
            (
                "select 1 AS `1` union all (select a AS a from u limit 2) limit 1, 4",
                "select 1 AS `1` union all (select `a` AS `a` from `u` limit 2) limit 1,4",
            ),
            (
                "with q (n) as (select distinct a AS a from t) select q.n AS n from q, (select 1 \
                 AS x) z where exists (select 1 AS y from q) group by n having count(*) > 1",
                "with `q` (`n`) as (select distinct `a` AS `a` from `t`) select `q`.`n` AS `n` \
                 from (`q` join (select 1 AS `x`) `z`) where exists(select 1 AS `y` from `q`) \
                 group by `n` having (count(0) > 1)",
            ),
        ] {
            assert_eq!(canonical(text), wanted);
        }
    }
}
