//! The query of a view as it is kept: tables are named with their databases, columns with their
//! relations, `*` stands for the columns of the moment, every item of the list has a name, and
//! USING and NATURAL say what they compare.
//!
//! Invariants
//! 1. The query means what was written, but for tables and columns that come later: a name that
//!    means several things, or nothing here, stays as it is and is told by binding it.
//!
//! Not here: the text that is made of it (`syntax::view_text`), what is refused in a view
//! (`session::views`).

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    self, BinaryOperator, Expr, Ident, JoinConstraint, JoinOperator, ObjectName, SelectItem,
    SetExpr, TableFactor, TableWithJoins, VisitMut, VisitorMut,
};
use syntax::names::name_parts;

use super::recursion::is_recursive;
use super::scope::{NamedRelation, QueryScope, ScopeColumn};
use super::title::item_name;
use super::{BindSource, Binder};
use crate::bind::scalar::{BindFailure, Bound};
use crate::context::SqlContext;

/// The longest name of a column.
const NAME_CHARS_MAX: usize = 64;

/// A query as a view keeps it.
///
/// # Errors
/// Those of binding its FROM.
pub fn qualified_query(source: &BindSource<'_>, facts: &SqlContext) -> Bound<ast::Query> {
    let binder = Binder::of(source, facts);
    let mut query = source.query.clone();
    binder.qualify(&mut query, None, Items::Named(source.texts))?;
    Ok(query)
}

/// The items of a SELECT list, as to their names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Items<'t> {
    /// They have names, by their texts where these are known.
    Named(&'t [String]),
    /// Nobody asks for their names: it is a sub-query of an expression.
    Unnamed,
}

impl<'t> Items<'t> {
    fn text(self, at: usize) -> Option<&'t String> {
        match self {
            Items::Named(texts) => texts.get(at),
            Items::Unnamed => None,
        }
    }

    /// Those of another side of a set operation than the first.
    fn of_later_side(self) -> Items<'t> {
        match self {
            Items::Named(_) => Items::Named(&[]),
            Items::Unnamed => Items::Unnamed,
        }
    }
}

impl Binder<'_> {
    /// Qualifies a query.
    fn qualify(
        &self,
        query: &mut ast::Query,
        parent: Option<&QueryScope<'_>>,
        items: Items<'_>,
    ) -> Bound<()> {
        let before = self.ctes.borrow().len();
        let done = self.nested(|| self.qualify_nested(query, parent, items));
        self.ctes.borrow_mut().truncate(before);
        done
    }

    fn qualify_nested(
        &self,
        query: &mut ast::Query,
        parent: Option<&QueryScope<'_>>,
        items: Items<'_>,
    ) -> Bound<()> {
        // Rows are locked by whoever reads the view.
        query.locks.clear();
        if let Some(with) = &mut query.with {
            for table in &mut with.cte_tables {
                // Within its own recursion its name means it as well.
                let is_recursive = with.recursive && is_recursive(table);
                let scope = parent.map(|_| QueryScope::new(parent, Vec::new()));
                if !is_recursive {
                    self.qualify(&mut table.query, scope.as_ref(), Items::Named(&[]))?;
                }
                let common = self.common_table(table, is_recursive, parent)?;
                self.ctes.borrow_mut().push(common);
                if is_recursive {
                    self.qualify(&mut table.query, scope.as_ref(), Items::Named(&[]))?;
                }
            }
        }
        match &mut *query.body {
            SetExpr::Select(select) => {
                let order = query.order_by.as_mut().map(|order| &mut order.kind);
                let keys = match order {
                    Some(ast::OrderByKind::Expressions(keys)) => keys.as_mut_slice(),
                    _ => &mut [],
                };
                self.qualify_select(select, keys, parent, items)
            }
            body => self.qualify_body(body, parent, items),
        }
    }

    fn qualify_body(
        &self,
        body: &mut SetExpr,
        parent: Option<&QueryScope<'_>>,
        items: Items<'_>,
    ) -> Bound<()> {
        match body {
            SetExpr::Select(select) => self.qualify_select(select, &mut [], parent, items),
            SetExpr::Query(query) => self.qualify(query, parent, items),
            SetExpr::SetOperation { left, right, .. } => {
                self.qualify_body(left, parent, items)?;
                self.qualify_body(right, parent, items.of_later_side())
            }
            _ => Ok(()),
        }
    }

    fn qualify_select(
        &self,
        select: &mut ast::Select,
        order: &mut [ast::OrderByExpr],
        parent: Option<&QueryScope<'_>>,
        items: Items<'_>,
    ) -> Bound<()> {
        let from = self.from(&select.from, parent)?;
        let scope = QueryScope { shown: from.shown, ..QueryScope::new(parent, from.named) };
        self.name_items(select, &scope, items)?;
        let aliases: Vec<String> = select.projection.iter().filter_map(alias_of).collect();
        let mut at = 0;
        for item in &mut select.from {
            self.qualify_joins(item, &scope, &mut at)?;
        }
        let names = |clause| Qualifier::new(self, &scope, clause, &aliases);
        names(Clause::Rows).qualify(&mut select.projection)?;
        names(Clause::Rows).qualify(&mut select.selection)?;
        names(Clause::Rows).qualify(&mut select.named_window)?;
        names(Clause::Groups).qualify(&mut select.group_by)?;
        names(Clause::Having).qualify(&mut select.having)?;
        order.iter_mut().try_for_each(|key| names(Clause::Order).qualify(key))
    }

    /// Gives every item of a list a name of its own, and `*` its columns.
    fn name_items(
        &self,
        select: &mut ast::Select,
        scope: &QueryScope<'_>,
        items: Items<'_>,
    ) -> Bound<()> {
        let (list, mut taken) = (std::mem::take(&mut select.projection), HashSet::new());
        for (at, item) in list.into_iter().enumerate() {
            let table = match item {
                SelectItem::UnnamedExpr(expr) => {
                    let text = items.text(at).map(|text| text.trim().to_owned());
                    let mut name = item_name(&expr, text.as_ref());
                    let is_column =
                        matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
                    let is_bad = name.is_empty()
                        || name.chars().count() > NAME_CHARS_MAX
                        || taken.contains(&name.to_lowercase());
                    if items == Items::Unnamed {
                        select.projection.push(SelectItem::UnnamedExpr(expr));
                        continue;
                    }
                    if !is_column && is_bad {
                        name = format!("Name_exp_{}", at + 1);
                    }
                    taken.insert(name.to_lowercase());
                    select.projection.push(named(expr, name));
                    continue;
                }
                SelectItem::Wildcard(_) => None,
                SelectItem::QualifiedWildcard(
                    ast::SelectItemQualifiedWildcardKind::ObjectName(table),
                    _,
                ) => Some(name_parts(&table).into_iter().map(|part| part.value.clone()).collect()),
                other => {
                    taken.extend(alias_of(&other).map(|alias| alias.to_lowercase()));
                    select.projection.push(other);
                    continue;
                }
            };
            let table: Option<Vec<String>> = table;
            for column in scope.expand(table.as_deref())? {
                taken.insert(column.name.to_lowercase());
                let owner = scope.owner_of(column.slot);
                let expr = owner.map_or_else(
                    || Expr::Identifier(Ident::new(column.name.clone())),
                    |owner| full_name(owner, column),
                );
                select.projection.push(match items {
                    Items::Unnamed => SelectItem::UnnamedExpr(expr),
                    Items::Named(_) => named(expr, column.name.clone()),
                });
            }
        }
        Ok(())
    }

    /// Qualifies a part of FROM; `at` is the number of its first relation among the names.
    fn qualify_joins(
        &self,
        item: &mut TableWithJoins,
        scope: &QueryScope<'_>,
        at: &mut usize,
    ) -> Bound<()> {
        let first = *at;
        self.qualify_factor(&mut item.relation, scope, at)?;
        for join in &mut item.joins {
            let middle = *at;
            self.qualify_factor(&mut join.relation, scope, at)?;
            let Some(constraint) = constraint_of(&mut join.join_operator) else { continue };
            let (left, right) = (&scope.relations[first..middle], &scope.relations[middle..*at]);
            let names = match constraint {
                JoinConstraint::Using(names) => names.iter().map(last_part).collect(),
                JoinConstraint::Natural => common_names(left, right),
                JoinConstraint::On(condition) => {
                    Qualifier::new(self, scope, Clause::Rows, &[]).qualify(condition)?;
                    continue;
                }
                JoinConstraint::None => continue,
            };
            *constraint = match equal_columns(&names, left, right) {
                Some(condition) => JoinConstraint::On(condition),
                None => JoinConstraint::None,
            };
        }
        Ok(())
    }

    fn qualify_factor(
        &self,
        factor: &mut TableFactor,
        scope: &QueryScope<'_>,
        at: &mut usize,
    ) -> Bound<()> {
        match factor {
            TableFactor::Table { name, .. } => {
                let parts = name_parts(name);
                let is_own = parts.len() == 1;
                if is_own && parts[0].value.eq_ignore_ascii_case("dual") {
                    return Ok(());
                }
                *at += 1;
                let is_common =
                    is_own && self.ctes.borrow().iter().any(|table| table.name == parts[0].value);
                if let (true, false, Some(database)) = (is_own, is_common, &self.facts.database) {
                    let table = parts[0].clone();
                    *name = ObjectName::from(vec![Ident::new(database.clone()), table]);
                }
                Ok(())
            }
            TableFactor::Derived { subquery, lateral, .. } => {
                *at += 1;
                self.qualify(subquery, Some(scope).filter(|_| *lateral), Items::Named(&[]))
            }
            TableFactor::NestedJoin { table_with_joins, .. } => {
                self.qualify_joins(table_with_joins, scope, at)
            }
            TableFactor::JsonTable { json_expr, .. } => {
                *at += 1;
                Qualifier::new(self, scope, Clause::Rows, &[]).qualify(json_expr)
            }
            _ => {
                *at += 1;
                Ok(())
            }
        }
    }
}

fn constraint_of(operator: &mut JoinOperator) -> Option<&mut JoinConstraint> {
    use JoinOperator as J;
    match operator {
        J::Join(c)
        | J::Inner(c)
        | J::CrossJoin(c)
        | J::StraightJoin(c)
        | J::Left(c)
        | J::LeftOuter(c)
        | J::Right(c)
        | J::RightOuter(c) => Some(c),
        _ => None,
    }
}

fn last_part(name: &ObjectName) -> String {
    name_parts(name).last().map_or_else(String::new, |part| part.value.clone())
}

fn columns(relations: &[NamedRelation]) -> impl Iterator<Item = (&NamedRelation, &ScopeColumn)> {
    let all = relations.iter().flat_map(|own| own.columns.iter().map(move |column| (own, column)));
    all.filter(|(_, column)| !column.hidden)
}

/// The names that both sides of a NATURAL join have.
fn common_names(left: &[NamedRelation], right: &[NamedRelation]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let of_side = |side| columns(side).filter(|(_, column)| !column.invisible);
    for (_, column) in of_side(left) {
        let is_same = |name: &str| name.eq_ignore_ascii_case(&column.name);
        if of_side(right).any(|(_, other)| is_same(&other.name))
            && !names.iter().any(|name| is_same(name))
        {
            names.push(column.name.clone());
        }
    }
    names
}

/// That columns of both sides are equal: the ones that stand for the others of their side.
fn equal_columns(
    names: &[String],
    left: &[NamedRelation],
    right: &[NamedRelation],
) -> Option<Expr> {
    let find = |side, name: &str| {
        let named = || columns(side).filter(|(_, column)| column.name.eq_ignore_ascii_case(name));
        let shown = named().find(|(_, column)| !column.shadowed).or_else(|| named().next());
        shown.map(|(owner, column)| full_name(owner, column))
    };
    let both =
        |name: &String| Some(binary(find(left, name)?, BinaryOperator::Eq, find(right, name)?));
    let terms: Vec<Expr> = names.iter().filter_map(both).collect();
    terms.into_iter().reduce(|all, term| binary(all, BinaryOperator::And, term))
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

fn named(expr: Expr, name: String) -> SelectItem {
    SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('`', name) }
}

fn alias_of(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        _ => None,
    }
}

fn full_name(owner: &NamedRelation, column: &ScopeColumn) -> Expr {
    let quoted = |name: &String| Ident::with_quote('`', name.clone());
    let mut parts: Vec<Ident> = owner.database.iter().map(quoted).collect();
    if !owner.name.is_empty() {
        parts.push(quoted(&owner.name));
    }
    parts.push(quoted(&column.name));
    Expr::CompoundIdentifier(parts)
}

/// Where names stand, as to what they may mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clause {
    /// Columns.
    Rows,
    /// Columns before aliases.
    Groups,
    /// Aliases before columns.
    Having,
    /// Aliases before columns.
    Order,
}

/// Writes out the names of a clause.
struct Qualifier<'a> {
    binder: &'a Binder<'a>,
    scope: &'a QueryScope<'a>,
    clause: Clause,
    aliases: &'a [String],
    /// How many queries are around what is visited; these are qualified by themselves.
    within: usize,
}

impl<'a> Qualifier<'a> {
    fn new(
        binder: &'a Binder<'a>,
        scope: &'a QueryScope<'a>,
        clause: Clause,
        aliases: &'a [String],
    ) -> Qualifier<'a> {
        Qualifier { binder, scope, clause, aliases, within: 0 }
    }

    fn qualify(mut self, part: &mut impl VisitMut) -> Bound<()> {
        match part.visit(&mut self) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(failure) => Err(failure),
        }
    }

    fn is_alias(&self, name: &str) -> bool {
        matches!(self.clause, Clause::Having | Clause::Order)
            && self.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
    }
}

impl VisitorMut for Qualifier<'_> {
    type Break = BindFailure;

    fn pre_visit_query(&mut self, query: &mut ast::Query) -> ControlFlow<BindFailure> {
        self.within += 1;
        match self.within {
            1 => match self.binder.qualify(query, Some(self.scope), Items::Unnamed) {
                Ok(()) => ControlFlow::Continue(()),
                Err(failure) => ControlFlow::Break(failure),
            },
            _ => ControlFlow::Continue(()),
        }
    }

    fn post_visit_query(&mut self, _query: &mut ast::Query) -> ControlFlow<BindFailure> {
        self.within -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<BindFailure> {
        if self.within > 0 {
            return ControlFlow::Continue(());
        }
        if let Expr::MatchAgainst { columns, .. } = expr {
            for column in columns {
                let parts = name_parts(column);
                let parts: Vec<&str> = parts.iter().map(|part| &*part.value).collect();
                if let Some((owner, found)) = self.scope.owner(&parts)
                    && let Expr::CompoundIdentifier(names) = full_name(owner, found)
                {
                    *column = ObjectName::from(names);
                }
            }
            return ControlFlow::Continue(());
        }
        let parts: Vec<&str> = match expr {
            Expr::Identifier(name) if self.is_alias(&name.value) => {
                return ControlFlow::Continue(());
            }
            Expr::Identifier(name) => vec![&name.value],
            Expr::CompoundIdentifier(names) => names.iter().map(|name| &*name.value).collect(),
            _ => return ControlFlow::Continue(()),
        };
        if let Some((owner, column)) = self.scope.owner(&parts) {
            *expr = full_name(owner, column);
        }
        ControlFlow::Continue(())
    }
}
