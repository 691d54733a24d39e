//! Queries: WITH, set operations, VALUES, ORDER BY and LIMIT of the whole.
//!
//! Not here: a single SELECT (`select`).

use std::cmp::Ordering;
use std::collections::HashSet;

use expression::{Node, common_collation, common_type};
use sqlparser::ast;
use syntax::too_deep;
use syntax::types::with_collation;
use values::ErrorCode;
use values::types::{Collation, ColumnType};

use super::limit::limit_of;
use super::recursion::is_recursive;
use super::scope::{QueryScope, scopes_of};
use super::side_charset::{give_in_charset, text_of_both};
use super::{Binder, CommonRows, CommonTable};
use crate::bind::scalar::{Bound, unsupported};
use crate::tree::{Body, IMPLICIT, OutputColumn, Query, SetOperation, SetOperator, SortKey};
use results::SqlError;

/// How many set operations may nest in a chain, which those of one kind of UNION do not.
const NESTED_MAX: usize = 400;

/// The SELECT that names the columns of the whole.
pub(super) fn first_select(body: &ast::SetExpr) -> Option<&ast::Select> {
    match body {
        ast::SetExpr::Select(select) => Some(select),
        ast::SetExpr::Query(query) => first_select(&query.body),
        ast::SetExpr::SetOperation { left, .. } => first_select(left),
        _ => None,
    }
}

/// A body without brackets that say nothing.
pub(super) fn unwrapped(body: &ast::SetExpr) -> &ast::SetExpr {
    match body {
        ast::SetExpr::Query(query)
            if query.with.is_none()
                && query.order_by.is_none()
                && query.limit_clause.is_none()
                && query.fetch.is_none()
                && query.locks.is_empty() =>
        {
            unwrapped(&query.body)
        }
        body => body,
    }
}

/// The number in ORDER BY or GROUP BY that may be a position: brackets and a plus are none of it.
pub(super) fn bare_number(expr: &ast::Expr) -> &ast::Expr {
    match expr {
        ast::Expr::Nested(inner)
        | ast::Expr::UnaryOp { op: ast::UnaryOperator::Plus, expr: inner } => bare_number(inner),
        other => other,
    }
}

/// The position that a number in ORDER BY or GROUP BY means; 1054 when there is no such column.
pub fn position(expr: &ast::Expr, columns: usize, clause: &str) -> Bound<Option<usize>> {
    let ast::Expr::Value(value) = bare_number(expr) else { return Ok(None) };
    let ast::Value::Number(text, _) = &value.value else { return Ok(None) };
    let Ok(at) = text.parse::<usize>() else { return Ok(None) };
    if at == 0 || at > columns {
        return Err(SqlError::unknown_column(text, clause).into());
    }
    Ok(Some(at - 1))
}

impl Binder<'_> {
    /// Binds a query; `parent` is the SELECT around it.
    pub(super) fn query(
        &self,
        query: &ast::Query,
        parent: Option<&QueryScope<'_>>,
    ) -> Bound<Query> {
        let before = self.ctes.borrow().len();
        let bound = self.nested(|| self.query_with(query, parent));
        self.ctes.borrow_mut().truncate(before);
        bound
    }

    fn query_with(&self, query: &ast::Query, parent: Option<&QueryScope<'_>>) -> Bound<Query> {
        if query.for_clause.is_some() || !query.pipe_operators.is_empty() {
            return unsupported("FOR XML");
        }
        if let Some(with) = &query.with {
            for cte in &with.cte_tables {
                let is_recursive = with.recursive && is_recursive(cte);
                let common = self.common_table(cte, is_recursive, parent)?;
                self.ctes.borrow_mut().push(common);
            }
        }
        let order: &[ast::OrderByExpr] = match query.order_by.as_ref().map(|order| &order.kind) {
            None => &[],
            Some(ast::OrderByKind::Expressions(items)) => items,
            Some(ast::OrderByKind::All(_)) => return unsupported("ORDER BY ALL"),
        };
        if order.iter().any(|item| item.options.nulls_first.is_some() || item.with_fill.is_some()) {
            return unsupported("NULLS FIRST");
        }
        let mut bound = match unwrapped(&query.body) {
            ast::SetExpr::Select(select) => self.select(select, order, parent)?,
            body => {
                let mut bound = self.set_expression(body, parent)?;
                if !order.is_empty() && !bound.order.is_empty() || bound.limit.is_some() {
                    bound = self.wrapped(bound);
                }
                match self.order_of_columns(&bound, order)? {
                    Some(keys) => {
                        if !keys.is_empty() {
                            bound.order = keys;
                        }
                        bound
                    }
                    None => self.all_of(self.one_query(bound)?, order)?,
                }
            }
        };
        self.limits(&mut bound, query)?;
        self.lock_rows(&mut bound, &query.locks)?;
        Ok(bound)
    }

    /// A table of WITH, in which those before it are seen, and the SELECTs around the one that it
    /// is for.
    pub(super) fn common_table(
        &self,
        cte: &ast::Cte,
        is_recursive: bool,
        parent: Option<&QueryScope<'_>>,
    ) -> Bound<CommonTable> {
        let before = self.relations.get();
        // As a derived table would, it stands in a SELECT of which it sees nothing.
        let scope = parent.map(|_| QueryScope::new(parent, Vec::new()));
        let query = match is_recursive {
            true => self.recursion(cte, scope.as_ref())?,
            false => {
                let mut query = self.query(&cte.query, scope.as_ref())?;
                rename(&mut query.columns, &cte.alias)?;
                query
            }
        };
        let (name, relations) = (cte.alias.name.value.clone(), self.relations.get() - before);
        let rows = CommonRows::Query(Box::new(query));
        Ok(CommonTable { name, rows, relations, around: scopes_of(parent) })
    }

    /// A query whose own ORDER BY and LIMIT come first: the only side of a union.
    fn wrapped(&self, inner: Query) -> Query {
        let columns = inner.columns.clone();
        let set = SetOperation { operator: SetOperator::Union, all: true, sides: vec![inner] };
        self.query_of(Body::Set(Box::new(set)), columns)
    }

    /// A query of a body, without order and limit.
    pub(super) fn query_of(&self, body: Body, columns: Vec<OutputColumn>) -> Query {
        Query::new(self.id(), body, columns)
    }

    pub(super) fn set_expression(
        &self,
        body: &ast::SetExpr,
        parent: Option<&QueryScope<'_>>,
    ) -> Bound<Query> {
        match body {
            ast::SetExpr::Select(select) => self.select(select, &[], parent),
            ast::SetExpr::Query(query) => self.query(query, parent),
            ast::SetExpr::SetOperation { .. } => self.set_operation(body, parent),
            ast::SetExpr::Values(values) => self.values(values, parent),
            ast::SetExpr::Table(table) => {
                let mut name = Vec::new();
                name.extend(table.schema_name.as_deref().map(ast::Ident::new));
                name.extend(table.table_name.as_deref().map(ast::Ident::new));
                self.all_of(self.one_table(&ast::ObjectName::from(name))?, &[])
            }
            other => unsupported(other),
        }
    }

    /// A chain of set operations, which nests to the left.
    fn set_operation(&self, body: &ast::SetExpr, parent: Option<&QueryScope<'_>>) -> Bound<Query> {
        let mut steps = Vec::new();
        let mut first = body;
        while let ast::SetExpr::SetOperation { op, set_quantifier, left, right } = first {
            let all = match set_quantifier {
                ast::SetQuantifier::All => true,
                ast::SetQuantifier::Distinct | ast::SetQuantifier::None => false,
                other => return unsupported(other),
            };
            let operator = match op {
                ast::SetOperator::Union => SetOperator::Union,
                ast::SetOperator::Intersect => SetOperator::Intersect,
                ast::SetOperator::Except | ast::SetOperator::Minus => SetOperator::Except,
            };
            steps.push((operator, all, &**right));
            first = left;
        }
        let nests = |pair: &[(SetOperator, bool, &ast::SetExpr)]| match pair {
            [(first, first_all, _), (next, next_all, _)] => {
                *first != SetOperator::Union || (first, first_all) != (next, next_all)
            }
            _ => false,
        };
        if steps.windows(2).filter(|pair| nests(pair)).count() >= NESTED_MAX {
            return Err(too_deep().into());
        }
        let mut bound = self.set_expression(first, parent)?;
        let mut common = bound.columns.clone();
        let mut sides = Vec::with_capacity(steps.len());
        for (operator, all, right) in steps.into_iter().rev() {
            let right = self.set_expression(right, parent)?;
            common = common_columns(&common, &right.columns)?;
            sides.push((operator, all, right));
        }
        for (operator, all, right) in sides {
            bound = self.combined(operator, all, bound, right)?;
            // What is the same is so by the types of the whole chain, later sides included.
            for (column, of_chain) in bound.columns.iter_mut().zip(&common) {
                column.ty = of_chain.ty.clone();
                column.coercibility = of_chain.coercibility;
            }
        }
        give_in_charset(&mut bound, &common);
        Ok(bound)
    }

    /// Two sides of a set operation.
    pub(super) fn combined(
        &self,
        operator: SetOperator,
        all: bool,
        left: Query,
        right: Query,
    ) -> Bound<Query> {
        let columns = common_columns(&left.columns, &right.columns)?;
        let plain = |query: &Query| {
            query.order.is_empty() && query.limit.is_none() && query.offset.is_none()
        };
        // UNION of a UNION of the same kind is one of them.
        let plain_left = plain(&left);
        match left {
            Query { body: Body::Set(mut set), .. }
                if plain_left
                    && operator == SetOperator::Union
                    && set.operator == operator
                    && (set.all == all || !all) =>
            {
                set.all &= all;
                set.sides.push(right);
                Ok(self.query_of(Body::Set(set), columns))
            }
            left => {
                let set = SetOperation { operator, all, sides: vec![left, right] };
                Ok(self.query_of(Body::Set(Box::new(set)), columns))
            }
        }
    }

    fn values(&self, values: &ast::Values, parent: Option<&QueryScope<'_>>) -> Bound<Query> {
        let scope = QueryScope::new(parent, Vec::new());
        let mut rows: Vec<Vec<Node>> = Vec::with_capacity(values.rows.len());
        for row in &values.rows {
            let is_default = |expr: &ast::Expr| {
                matches!(expr, ast::Expr::Identifier(name)
                    if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("default"))
            };
            if row.content.iter().any(is_default) {
                let message = "A VALUES clause cannot use DEFAULT values, unless used as a source \
                               in an INSERT statement.";
                return Err(SqlError::new(ErrorCode::ValuesClauseDefault, message).into());
            }
            let bind = |expr| self.expression(&scope, expr, "field list");
            rows.push(row.content.iter().map(bind).collect::<Bound<_>>()?);
        }
        let width = rows.first().map_or(0, Vec::len);
        if let Some(other) = rows.iter().position(|row| row.len() != width) {
            let row = other + 1;
            let message = format!("Column count doesn't match value count at row {row}");
            return Err(SqlError::new(ErrorCode::WrongValueCountOnRow, message).into());
        }
        if width == 0 {
            let message = "Each row of a VALUES clause must have at least one column, unless when \
                           used as source in an INSERT statement.";
            return Err(SqlError::new(ErrorCode::ValuesClauseEmptyRow, message).into());
        }
        let columns = (0..width)
            .map(|at| {
                let all: Vec<Node> = rows.iter().map(|row| row[at].clone()).collect();
                OutputColumn {
                    name: format!("column_{at}"),
                    ty: common_type(&all),
                    nullable: all.iter().any(|node| node.nullable),
                    origin: None,
                    keeps_digits: false,
                    coercibility: all
                        .iter()
                        .map(|node| node.collation().1)
                        .min()
                        .unwrap_or(IMPLICIT),
                }
            })
            .collect();
        Ok(self.query_of(Body::Values(rows), columns))
    }

    /// ORDER BY over the columns of a set operation; `None` if it is over more than columns.
    fn order_of_columns(
        &self,
        bound: &Query,
        order: &[ast::OrderByExpr],
    ) -> Bound<Option<Vec<SortKey>>> {
        let mut keys = Vec::with_capacity(order.len());
        for item in order {
            let descending = item.options.asc == Some(false);
            let found =
                match (position(&item.expr, bound.columns.len(), "order clause")?, &item.expr) {
                    (Some(position), _) => position,
                    (None, ast::Expr::Identifier(name)) => bound
                        .columns
                        .iter()
                        .position(|column| column.name.eq_ignore_ascii_case(&name.value))
                        .ok_or_else(|| SqlError::unknown_column(&name.value, "order clause"))?,
                    _ => return Ok(None),
                };
            keys.push(SortKey { position: found, descending });
        }
        Ok(Some(keys))
    }

    /// LIMIT and OFFSET, or FETCH FIRST.
    pub(super) fn limits(&self, bound: &mut Query, query: &ast::Query) -> Bound<()> {
        let (limit, offset) = limit_of(query)?;
        let scope = QueryScope::new(None, Vec::new());
        let bind = |expr: &ast::Expr| self.expression(&scope, expr, "limit clause");
        bound.limit = limit.as_ref().map(bind).transpose()?;
        bound.offset = offset.as_ref().map(bind).transpose()?;
        Ok(())
    }
}

/// The columns of a set operation: names of the first side, types that hold both sides' values.
fn common_columns(left: &[OutputColumn], right: &[OutputColumn]) -> Bound<Vec<OutputColumn>> {
    if left.len() != right.len() {
        return Err(SqlError::new(
            ErrorCode::WrongNumberOfColumns,
            "The used SELECT statements have a different number of columns",
        )
        .into());
    }
    let column = |(a, b): (&OutputColumn, &OutputColumn)| OutputColumn {
        name: a.name.clone(),
        ty: common_of(a, b),
        nullable: a.nullable || b.nullable,
        origin: None,
        keeps_digits: false,
        coercibility: a.coercibility.min(b.coercibility),
    };
    Ok(left.iter().zip(right).map(column).collect())
}

/// The type that holds values of both; a column of NULLs has none of its own.
fn common_of(left: &OutputColumn, right: &OutputColumn) -> ColumnType {
    const NOTHING: ColumnType = ColumnType::VarBinary { bytes: 0 };
    let (a, b) = (&left.ty, &right.ty);
    match (a, b) {
        (one, other) if *other == NOTHING => one.clone(),
        (one, other) if *one == NOTHING => other.clone(),
        _ => {
            // Long texts stay long.
            let long = |ty: &ColumnType| {
                matches!(ty, ColumnType::Text { .. } | ColumnType::Blob { .. } | ColumnType::Json)
            };
            let of = |ty: &ColumnType| Node::new(expression::Kind::Column(0), ty.clone(), true);
            let common = match (a.collation(), b.collation()) {
                (Some(x), Some(y))
                    if x != y && x != Collation::Binary && y != Collation::Binary =>
                {
                    let rule = match left.coercibility.cmp(&right.coercibility) {
                        _ if x.set() != y.set() => {
                            common_collation((x, left.coercibility), (y, right.coercibility)).0
                        }
                        Ordering::Less => x,
                        Ordering::Greater => y,
                        Ordering::Equal => Collation::Utf8Mb4Bin,
                    };
                    with_collation(&common_type(&[of(a), of(b)]), rule)
                }
                _ => match text_of_both(left, right) {
                    Some(text) => text,
                    None => common_type(&[of(a), of(b)]),
                },
            };
            match (&common, long(a) || long(b)) {
                (ColumnType::VarChar { collation, .. }, true) => {
                    ColumnType::Text { size: values::types::LobSize::Long, collation: *collation }
                }
                (ColumnType::VarBinary { .. }, true) => {
                    ColumnType::Blob { size: values::types::LobSize::Long }
                }
                _ => common,
            }
        }
    }
}

/// Renames the columns of a derived table or CTE: `t (a, b)`. All have names of their own.
///
/// # Errors
/// 1353 for another number of names, 1060 for two alike.
pub(super) fn rename(columns: &mut [OutputColumn], alias: &ast::TableAlias) -> Bound<()> {
    if !alias.columns.is_empty() && alias.columns.len() != columns.len() {
        return Err(SqlError::new(
            ErrorCode::ViewWrongList,
            "In definition of view, derived table or common table expression, SELECT list and \
             column names list have different column counts",
        )
        .into());
    }
    for (column, alias) in columns.iter_mut().zip(&alias.columns) {
        column.name = alias.name.value.clone();
    }
    let mut seen = HashSet::new();
    match columns.iter().find(|column| !seen.insert(column.name.to_lowercase())) {
        None => Ok(()),
        Some(column) => {
            let message = format!("Duplicate column name '{}'", column.name);
            Err(SqlError::new(ErrorCode::DupFieldname, message).into())
        }
    }
}
