//! Expressions that only a query gives a meaning to: aggregates, sub-queries, and rows, which are
//! compared column by column.
//!
//! `(a, b) = (c, d)` is `a = c AND b = d`; `(a, b) < (c, d)` is `a < c OR a = c AND b < d`;
//! `x NOT IN (query)` is `x <> ALL (query)` (MySQL 8.0 manual, 15.2.15). A sub-query that is a
//! literal and no more is that literal, so that `id = (SELECT 0x41)` compares numbers, as in MySQL.
//!
//! Not here: computing any of them (`executor`).

use expression::{
    Comparison, Kind, Node, Quantifier, Subquery, SubqueryForm, boolean, compared, seen_beside,
    slot, time_as_text, time_beside,
};
use sqlparser::ast::{
    self, BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, Value as Literal,
};
use syntax::MATCH;
use syntax::names::name_parts;
use values::ErrorCode;

use super::Binder;
use super::grouping::AGGREGATES;
use super::query::{first_select, position};
use super::scope::QueryScope;
use crate::bind::scalar::{
    Bound, Names, bind, call_node, needs_literals, rule_of_comparison, unsupported,
};
use crate::terms::has;
use crate::tree::{Aggregate, AggregateFunction, AskedQuery, Body, OutputColumn, Query, averaged};
use results::SqlError;

impl Binder<'_> {
    /// Binds such an expression; `None` for all others.
    pub(super) fn form(
        &self,
        scope: &QueryScope<'_>,
        expr: &Expr,
        names: &Names<'_>,
    ) -> Option<Bound<Node>> {
        Some(match expr {
            Expr::Function(call) => {
                let parts = name_parts(&call.name);
                let [name] = parts.as_slice() else { return None };
                let name = name.value.to_ascii_uppercase();
                match &call.over {
                    None if name == MATCH => self.match_call(scope, call, names),
                    Some(over) => self.window(scope, &name, call, over, names),
                    None => {
                        let function = AggregateFunction::find(&name)?;
                        self.aggregate(scope, function, call, names)
                    }
                }
            }
            Expr::Subquery(query) => match literal_of(query) {
                Some(literal) => bind(literal, names),
                None => self.subquery(scope, query, |_| Ok(SubqueryForm::Scalar), 1, false),
            },
            Expr::MatchAgainst { columns, match_value, opt_search_modifier } => {
                let modifier = opt_search_modifier.as_ref();
                self.match_against(scope, (columns, match_value), modifier, names)
            }
            // Whoever compares rows takes them apart.
            Expr::Tuple(_) => Err(SqlError::operand_columns(1).into()),
            Expr::Exists { subquery, negated } => {
                let form = SubqueryForm::Exists { negated: *negated };
                self.subquery(scope, subquery, |_| Ok(form), 0, true)
            }
            Expr::InSubquery { expr, subquery, negated } => {
                let (comparison, quantifier) = match negated {
                    false => (Comparison::Equal, Quantifier::Any),
                    true => (Comparison::NotEqual, Quantifier::All),
                };
                self.compared(scope, expr, comparison, quantifier, subquery, names)
            }
            Expr::AnyOp { left, compare_op, right, .. } => {
                self.quantified(scope, left, compare_op, Quantifier::Any, right, names)
            }
            Expr::AllOp { left, compare_op, right } => {
                self.quantified(scope, left, compare_op, Quantifier::All, right, names)
            }
            Expr::BinaryOp { left, op, right } => {
                let operator = comparison(op)?;
                match (plain(left), plain(right)) {
                    (Expr::Tuple(a), Expr::Tuple(b)) => rows_compared(a, operator, b, names),
                    (Expr::Tuple(_), Expr::Subquery(query)) => {
                        self.compared(scope, left, operator, Quantifier::Only, query, names)
                    }
                    (Expr::Subquery(query), Expr::Tuple(_)) => {
                        let mirrored = operator.mirrored();
                        self.compared(scope, right, mirrored, Quantifier::Only, query, names)
                    }
                    (Expr::Subquery(row), Expr::Subquery(query)) if gives_rows(row) => {
                        self.compared(scope, left, operator, Quantifier::Only, query, names)
                    }
                    (Expr::Tuple(row), _) => Err(SqlError::operand_columns(row.len()).into()),
                    (_, Expr::Tuple(_)) => Err(SqlError::operand_columns(1).into()),
                    _ => return None,
                }
            }
            Expr::InList { expr, list, negated } => match plain(expr) {
                Expr::Tuple(row) => row_in_list(row, list, *negated, names),
                Expr::Subquery(row) if gives_rows(row) => {
                    self.query_in_list(scope, expr, list, *negated, names)
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    fn aggregate(
        &self,
        scope: &QueryScope<'_>,
        function: AggregateFunction,
        call: &ast::Function,
        names: &Names<'_>,
    ) -> Bound<Node> {
        self.want_literals("an aggregate")?;
        let misplaced =
            || SqlError::new(ErrorCode::InvalidGroupFuncUse, "Invalid use of group function");
        let FunctionArguments::List(list) = &call.args else { return unsupported(&call.name) };
        if call.filter.is_some() || call.null_treatment.is_some() || !call.within_group.is_empty() {
            return unsupported(&call.name);
        }
        let may_stand_here =
            matches!(names.clause, "field list" | "having clause" | "order clause");
        if let (AggregateFunction::AnyValue, [FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))]) =
            (function, list.args.as_slice())
        {
            // MySQL has it as a function: where there are no groups, or of what is computed of
            // groups already, it is what it is of.
            let node = bind(expr, names)?;
            let is_of_groups = has(&node, |kind| matches!(kind, Kind::Aggregate(_)));
            if !may_stand_here || scope.inside_aggregate.get() || is_of_groups {
                return Ok(node);
            }
        }
        if scope.inside_aggregate.get() {
            return Err(misplaced().into());
        }
        scope.inside_aggregate.set(true);
        let bound = self.aggregate_of(function, list, names);
        scope.inside_aggregate.set(false);
        let mut aggregate = bound?;
        // One of outer columns alone is of the SELECT that these are of, if it may stand there.
        let mut level = aggregate.level();
        let outer = scope.around(level);
        if outer.is_some_and(|outer| outer.inside_aggregate.get()) {
            return Err(misplaced().into());
        }
        let outer = outer.filter(|outer| level > 0 && outer.may_aggregate.get());
        if outer.is_none() {
            level = 0;
            if !may_stand_here {
                return Err(misplaced().into());
            }
        }
        let nullable = aggregate.function.result(&aggregate.arguments).1;
        let ty = aggregate.ty.clone();
        aggregate.move_outwards(level);
        let mut aggregates = outer.unwrap_or(scope).aggregates.borrow_mut();
        let number = aggregates.iter().position(|known| *known == aggregate).unwrap_or_else(|| {
            aggregates.push(aggregate);
            aggregates.len() - 1
        });
        let kind = match level {
            0 => Kind::Aggregate(number),
            level => Kind::Outer(level, slot(AGGREGATES, number)),
        };
        Ok(Node::new(kind, ty, nullable))
    }

    /// The aggregate of a function's arguments.
    pub(super) fn aggregate_of(
        &self,
        mut function: AggregateFunction,
        list: &ast::FunctionArgumentList,
        names: &Names<'_>,
    ) -> Bound<Aggregate> {
        use AggregateFunction as F;
        let distinct = list.duplicate_treatment == Some(ast::DuplicateTreatment::Distinct);
        let mut arguments = Vec::with_capacity(list.args.len());
        for argument in &list.args {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => {
                    arguments.push(bind(expr, names)?);
                }
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) if function == F::Count => {
                    function = F::CountRows;
                }
                other => return unsupported(other),
            }
        }
        let (mut order, mut separator, mut limit) = (Vec::new(), b",".to_vec(), None);
        for clause in &list.clauses {
            match clause {
                FunctionArgumentClause::OrderBy(items)
                    if matches!(function, F::GroupConcat | F::JsonArray) =>
                {
                    for item in items {
                        let descending = item.options.asc == Some(false);
                        let key = match position(&item.expr, arguments.len(), "order clause")? {
                            Some(at) => arguments[at].clone(),
                            None => bind(&item.expr, names)?,
                        };
                        order.push((key, descending));
                    }
                }
                FunctionArgumentClause::Limit(Expr::Tuple(pair))
                    if matches!(function, F::GroupConcat | F::JsonArray) && pair.len() == 2 =>
                {
                    limit = Some(Box::new([bind(&pair[0], names)?, bind(&pair[1], names)?]));
                }
                FunctionArgumentClause::Separator(_) if function != F::GroupConcat => {
                    return Err(SqlError::syntax(&clause.to_string(), 1).into());
                }
                FunctionArgumentClause::Separator(literal) => match &literal.value {
                    Literal::SingleQuotedString(text) | Literal::DoubleQuotedString(text) => {
                        separator = text.as_bytes().to_vec();
                    }
                    other => return needs_literals(other),
                },
                other => return unsupported(other),
            }
        }
        if matches!(function, F::Sum | F::Average | F::BitAnd | F::BitOr | F::BitXor)
            || matches!(
                function,
                F::DeviationOfAll | F::DeviationOfSample | F::VarianceOfAll | F::VarianceOfSample
            )
        {
            arguments = arguments.into_iter().map(Node::as_summand).collect();
        }
        match function {
            F::CountRows if arguments.is_empty() && !distinct => {}
            F::Count if arguments.len() == 1 && !distinct && is_never_null(&arguments[0]) => {
                function = F::CountRows;
                arguments.clear();
            }
            F::Count if arguments.len() == 1 || distinct && !arguments.is_empty() => {}
            F::JsonObject if distinct => return Err(SqlError::syntax(&list.to_string(), 1).into()),
            F::JsonObject if arguments.len() == 2 => {}
            F::JsonObject => return Err(SqlError::syntax(&list.to_string(), 1).into()),
            F::Grouping if !arguments.is_empty() && !distinct => {}
            F::GroupConcat if arguments.len() == 1 && arguments[0].zerofill == 0 => {}
            F::GroupConcat if !arguments.is_empty() => {
                arguments = vec![call_node("CONCAT", arguments)?];
            }
            _ if arguments.len() == 1 => {}
            _ => return Err(SqlError::syntax(&list.to_string(), 1).into()),
        }
        if function.wants_numbers() {
            arguments = arguments.into_iter().map(Node::with_number).collect();
        }
        let (ty, _) = function.result(&arguments);
        let ty = match function {
            AggregateFunction::Average => averaged(&ty, self.facts.mode),
            _ => ty,
        };
        Ok(Aggregate {
            function,
            arguments,
            distinct,
            order,
            separator,
            limit,
            ty,
            keeps_digits: false,
        })
    }

    /// Binds a sub-query that must have so many columns; 0: any number. `asks_for_any`: nothing
    /// counts but whether it has a row, or one that compares so.
    fn subquery(
        &self,
        scope: &QueryScope<'_>,
        query: &ast::Query,
        form: impl FnOnce(&[Node]) -> Bound<SubqueryForm>,
        width: usize,
        asks_for_any: bool,
    ) -> Bound<Node> {
        self.want_literals("a sub-query")?;
        let before = scope.asks_for_any.replace(asks_for_any);
        let query = self.query(query, Some(scope))?;
        scope.asks_for_any.set(before);
        if width > 0 && query.columns.len() != width {
            return Err(SqlError::operand_columns(width).into());
        }
        let columns: Vec<Node> = query.columns.iter().map(given).collect();
        let form = form(&columns)?;
        let whole = Kind::Subquery(Box::new(Subquery::asking(query, form)));
        Ok(match &whole {
            Kind::Subquery(subquery) if matches!(subquery.form, SubqueryForm::Scalar) => {
                let ty = subquery.query().columns[0].ty.clone();
                let is_listed = ty.is_listed();
                let value = Node::new(whole, ty, true);
                // An ENUM or SET is the text of its words there, as COALESCE has it (MySQL 9.7:
                // tests/oracle/sql/in-of-other-types.sql).
                if is_listed { call_node("COALESCE", vec![value])? } else { value }
            }
            Kind::Subquery(subquery) => {
                let nullable = !matches!(subquery.form, SubqueryForm::Exists { .. });
                boolean(whole, nullable)
            }
            _ => return unsupported("a sub-query"),
        })
    }

    fn quantified(
        &self,
        scope: &QueryScope<'_>,
        left: &Expr,
        operator: &BinaryOperator,
        quantifier: Quantifier,
        right: &Expr,
        names: &Names<'_>,
    ) -> Bound<Node> {
        let (Some(operator), Expr::Subquery(query)) = (comparison(operator), plain(right)) else {
            return unsupported("ANY and ALL of something else than a query");
        };
        self.compared(scope, left, operator, quantifier, query, names)
    }

    /// The values of a row, or of what is no row.
    fn row(&self, scope: &QueryScope<'_>, expr: &Expr, names: &Names<'_>) -> Bound<Vec<Node>> {
        match plain(expr) {
            Expr::Tuple(row) => row.iter().map(|expr| bind(expr, names)).collect(),
            Expr::Subquery(query) if gives_rows(query) => self.row_of_query(scope, query),
            one => Ok(vec![bind(one, names)?]),
        }
    }

    /// The columns of a query that gives one row: each is asked for by itself.
    fn row_of_query(&self, scope: &QueryScope<'_>, query: &ast::Query) -> Bound<Vec<Node>> {
        self.want_literals("a sub-query")?;
        let width = self.query(query, Some(scope))?.columns.len();
        let column = |at: usize| {
            let query = column_of(self.query(query, Some(scope))?, at)?;
            let ty = query.columns[0].ty.clone();
            let asked = Subquery::asking(query, SubqueryForm::Scalar);
            Ok(Node::new(Kind::Subquery(Box::new(asked)), ty, true))
        };
        (0..width).map(column).collect()
    }

    /// A query of one row as an operand of IN (list).
    fn query_in_list(
        &self,
        scope: &QueryScope<'_>,
        row: &Expr,
        list: &[Expr],
        negated: bool,
        names: &Names<'_>,
    ) -> Bound<Node> {
        let operands = self.row(scope, row, names)?;
        let mut ways = Vec::with_capacity(list.len());
        for item in list {
            let items = self.row(scope, item, names)?;
            if items.len() != operands.len() {
                return Err(SqlError::operand_columns(operands.len()).into());
            }
            ways.push(nodes_compared(&operands, Comparison::Equal, &items)?);
        }
        Ok(one_of(ways, negated))
    }

    /// Operands compared with the rows of a sub-query.
    fn compared(
        &self,
        scope: &QueryScope<'_>,
        left: &Expr,
        comparison: Comparison,
        quantifier: Quantifier,
        query: &ast::Query,
        names: &Names<'_>,
    ) -> Bound<Node> {
        // IN and NOT IN; MySQL compares `> ALL (SELECT 0x40)` with bytes.
        let is_in = matches!(
            (comparison, quantifier),
            (Comparison::Equal, Quantifier::Any) | (Comparison::NotEqual, Quantifier::All)
        );
        let operands = self.row(scope, left, names)?;
        if operands.len() > 1 && !is_in && quantifier != Quantifier::Only {
            return Err(SqlError::operand_columns(1).into());
        }
        if let (true, [operand], Some(literal)) = (is_in, &operands[..], literal_of(query)) {
            return compare(operand, comparison, &bind(literal, names)?);
        }
        let width = operands.len();
        let form = |columns: &[Node]| {
            let operands = operands.into_iter().zip(columns);
            let operands = operands.map(|(operand, column)| seen_beside(operand, column));
            Ok(SubqueryForm::Compare { operands: operands.collect(), comparison, quantifier })
        };
        let mut compared =
            self.subquery(scope, query, form, width, quantifier != Quantifier::Only)?;
        if let Kind::Subquery(subquery) = &mut compared.kind {
            compare_times(subquery, is_in);
        }
        Ok(compared)
    }
}

/// Has days, moments and times of day be seen beside the other side, on either side: what is
/// compared, and what the sub-query gives (MySQL 9.7: tests/oracle/sql/in-of-other-types.sql).
fn compare_times(subquery: &mut Subquery, is_in: bool) {
    let operands = subquery.operands().to_vec();
    let columns: Vec<Node> = subquery.query().columns.iter().map(given).collect();
    if let SubqueryForm::Compare { operands, .. } = &mut subquery.form {
        for (operand, column) in operands.iter_mut().zip(&columns) {
            *operand = beside(operand.clone(), column, is_in);
        }
    }
    give_beside(subquery.query_mut(), &operands, is_in);
}

/// A column of a sub-query as a value.
fn given(column: &OutputColumn) -> Node {
    Node::new(Kind::Column(0), column.ty.clone(), true)
}

/// A time as it is seen beside another value; IN makes a text of a time of day beside one.
fn beside(node: Node, other: &Node, is_in: bool) -> Node {
    let node = time_beside(node, other);
    if is_in { time_as_text(node, other) } else { node }
}

fn give_beside(query: &mut Query, operands: &[Node], is_in: bool) {
    let mut types = Vec::new();
    match &mut query.body {
        Body::Select(select) => {
            for (output, operand) in select.outputs.iter_mut().zip(operands) {
                *output = beside(output.clone(), operand, is_in);
                types.push(output.ty.clone());
            }
        }
        Body::Set(operation) => {
            operation.sides.iter_mut().for_each(|side| give_beside(side, operands, is_in));
            let columns = query.columns.iter().zip(operands);
            types.extend(columns.map(|(column, operand)| beside(given(column), operand, is_in).ty));
        }
        // Tables of their own, from which a SELECT reads.
        Body::Values(_) | Body::Recursion(_) | Body::JsonTable(_) | Body::FullText(_) => {}
    }
    for (column, ty) in query.columns.iter_mut().zip(types) {
        column.ty = ty;
    }
}

/// Whether a node certainly has a value; functions may give NULL where their types say otherwise.
fn is_never_null(node: &Node) -> bool {
    matches!(node.kind, Kind::Column(_) | Kind::Constant(_)) && !node.nullable
}

/// The literal that a query gives, if it is `SELECT literal` and no more.
fn literal_of(query: &ast::Query) -> Option<&Expr> {
    let ast::SetExpr::Select(select) = query.body.as_ref() else { return None };
    let item = match select.projection.as_slice() {
        [
            ast::SelectItem::UnnamedExpr(item) | ast::SelectItem::ExprWithAlias { expr: item, .. },
        ] => plain(item),
        _ => return None,
    };
    let bare = query.with.is_none()
        && query.limit_clause.is_none()
        && select.from.is_empty()
        && select.selection.is_none()
        && select.having.is_none();
    let grouped = match &select.group_by {
        ast::GroupByExpr::All(_) => true,
        ast::GroupByExpr::Expressions(by, _) => !by.is_empty(),
    };
    (bare && !grouped && matches!(item, Expr::Value(_))).then_some(item)
}

fn plain(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => plain(inner),
        other => other,
    }
}

fn comparison(operator: &BinaryOperator) -> Option<Comparison> {
    Some(match operator {
        BinaryOperator::Eq => Comparison::Equal,
        BinaryOperator::NotEq => Comparison::NotEqual,
        BinaryOperator::Lt => Comparison::Less,
        BinaryOperator::LtEq => Comparison::LessEqual,
        BinaryOperator::Gt => Comparison::Greater,
        BinaryOperator::GtEq => Comparison::GreaterEqual,
        BinaryOperator::Spaceship => Comparison::NullSafeEqual,
        _ => return None,
    })
}

fn compare(a: &Node, operator: Comparison, b: &Node) -> Bound<Node> {
    let (a, b) = compared(a.clone(), b.clone());
    let rule = rule_of_comparison(&a, operator, &b)?;
    let nullable = operator != Comparison::NullSafeEqual && (a.nullable || b.nullable);
    Ok(boolean(Kind::Compare(operator, Box::new(a), Box::new(b), rule), nullable))
}

fn all_of(mut nodes: Vec<Node>) -> Node {
    if nodes.len() == 1 {
        return nodes.remove(0);
    }
    let nullable = nodes.iter().any(|node| node.nullable);
    boolean(Kind::And(nodes), nullable)
}

fn any_of(mut nodes: Vec<Node>) -> Node {
    if nodes.len() == 1 {
        return nodes.remove(0);
    }
    let nullable = nodes.iter().any(|node| node.nullable);
    boolean(Kind::Or(nodes), nullable)
}

fn rows_compared(
    left: &[Expr],
    operator: Comparison,
    right: &[Expr],
    names: &Names<'_>,
) -> Bound<Node> {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    push_pairs(left, right, names, &mut a, &mut b)?;
    nodes_compared(&a, operator, &b)
}

/// The values of two rows, those of rows within them in their places.
fn push_pairs(
    left: &[Expr],
    right: &[Expr],
    names: &Names<'_>,
    a: &mut Vec<Node>,
    b: &mut Vec<Node>,
) -> Bound<()> {
    if left.len() != right.len() {
        return Err(SqlError::operand_columns(left.len()).into());
    }
    for (left, right) in left.iter().zip(right) {
        match (plain(left), plain(right)) {
            (Expr::Tuple(left), Expr::Tuple(right)) => push_pairs(left, right, names, a, b)?,
            (Expr::Tuple(left), _) => return Err(SqlError::operand_columns(left.len()).into()),
            (left, right) => {
                a.push(bind(left, names)?);
                b.push(bind(right, names)?);
            }
        }
    }
    Ok(())
}

fn nodes_compared(a: &[Node], operator: Comparison, b: &[Node]) -> Bound<Node> {
    let each = |operator: Comparison| a.iter().zip(b).map(move |(a, b)| compare(a, operator, b));
    let strict = match operator {
        Comparison::Equal | Comparison::NullSafeEqual => {
            return Ok(all_of(each(operator).collect::<Bound<_>>()?));
        }
        Comparison::NotEqual => return Ok(any_of(each(operator).collect::<Bound<_>>()?)),
        Comparison::Less | Comparison::LessEqual => Comparison::Less,
        Comparison::Greater | Comparison::GreaterEqual => Comparison::Greater,
    };
    let last = a.len() - 1;
    let mut ways = Vec::with_capacity(a.len());
    for at in 0..a.len() {
        let here = if at == last { operator } else { strict };
        let before = (0..at).map(|n| compare(&a[n], Comparison::Equal, &b[n]));
        let mut terms = before.collect::<Bound<Vec<Node>>>()?;
        terms.push(compare(&a[at], here, &b[at])?);
        ways.push(all_of(terms));
    }
    Ok(any_of(ways))
}

fn row_in_list(row: &[Expr], list: &[Expr], negated: bool, names: &Names<'_>) -> Bound<Node> {
    let mut ways = Vec::with_capacity(list.len());
    for item in list {
        let Expr::Tuple(items) = plain(item) else {
            return Err(SqlError::operand_columns(row.len()).into());
        };
        ways.push(rows_compared(row, Comparison::Equal, items, names)?);
    }
    Ok(one_of(ways, negated))
}

fn one_of(ways: Vec<Node>, negated: bool) -> Node {
    let found = any_of(ways);
    let nullable = found.nullable;
    match negated {
        false => found,
        true => boolean(Kind::Not(Box::new(found)), nullable),
    }
}

/// Whether a query has several columns, as its text says.
fn gives_rows(query: &ast::Query) -> bool {
    if let ast::SetExpr::Values(values) = query.body.as_ref() {
        return values.rows.first().is_some_and(|row| row.content.len() > 1);
    }
    let Some(select) = first_select(&query.body) else { return false };
    let is_one = |item: &ast::SelectItem| {
        matches!(item, ast::SelectItem::UnnamedExpr(_) | ast::SelectItem::ExprWithAlias { .. })
    };
    select.projection.len() != 1 || !select.projection.iter().all(is_one)
}

/// A query of which one column is left.
fn column_of(mut query: Query, at: usize) -> Bound<Query> {
    let Body::Select(select) = &mut query.body else {
        return unsupported("a set operation as a row");
    };
    if select.distinct {
        return unsupported("DISTINCT in a row");
    }
    select.outputs.swap(0, at);
    select.visible = 1;
    for key in &mut query.order {
        if key.position == 0 {
            key.position = at;
        } else if key.position == at {
            key.position = 0;
        }
    }
    query.columns = vec![query.columns.swap_remove(at)];
    Ok(query)
}
