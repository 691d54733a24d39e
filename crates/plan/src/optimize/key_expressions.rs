//! Expressions that an index has: where a condition, ORDER BY or GROUP BY holds one, the column
//! that has its values stands in its place, so that what follows knows the index.
//!
//! Such a column is that of a key part which is an expression, or a computed one that an index has
//! (MySQL 9.7 manual, 10.3.11). Literals within an expression were taken out of the statement; for
//! the plan to be right they must be these again, so they are pinned. So is the literal that a
//! relevance must exceed: `MATCH (..) AGAINST (..) > 0` is what the search finds.
//!
//! Invariants
//! 1. A column stands only for what it has in every row: never for an expression over a row that an
//!    outer join made of NULLs, or one that a session's time zone or digits decide.
//!
//! Not here: which index is used (`point`), kept plans and their literals (crate `sql`,
//! `plan_cache`).

use std::mem::discriminant;
use std::sync::Arc;

use crate::terms::has_literal;
use expression::{
    Arithmetic, BIGINT, Comparison, ElementSearch, Function, Kind, Node, array_parts, search_node,
    slot,
};
use rows::table::Table;
use values::datum::{Datum, Value};
use values::types::ColumnType;

use crate::tree::{
    AskedQuery, Body, Join, PinnedLiterals, Query, Select, SortKey, Source, class_of, pin_all,
};

/// Puts columns of indexes in the places of their expressions, in a query over these tables and all
/// queries within; gives the literals that this depends on. `None` where it depends on the kinds of
/// literals, which are not known.
pub fn use_key_expressions(
    query: &mut Query,
    tables: &[Arc<Table>],
    literals: &[Datum<'_>],
    has_kinds: bool,
) -> Option<PinnedLiterals> {
    let has_searches = tables.iter().any(|table| !table.full_texts.is_empty());
    let kinds = if has_kinds { LiteralKinds::Known } else { LiteralKinds::Unknown };
    let mut finder = Finder { literals, kinds, pinned: Vec::new(), has_searches };
    if has_searches || tables.iter().any(|table| has_key_expressions(table)) {
        finder.query(query);
    }
    (finder.kinds != LiteralKinds::Wanted).then_some(finder.pinned)
}

/// The same in expressions over the rows of one table, whose literals have no kinds: what depends
/// on one depends on the literal.
pub fn use_key_expressions_of<'n>(
    table: &Table,
    nodes: impl Iterator<Item = &'n mut Node>,
    literals: &[Datum<'_>],
) -> PinnedLiterals {
    let has_searches = !table.full_texts.is_empty();
    let kinds = LiteralKinds::OfValues;
    let mut finder = Finder { literals, kinds, pinned: Vec::new(), has_searches };
    if has_searches || has_key_expressions(table) {
        let known = key_expressions(table, 0);
        nodes.for_each(|node| finder.node(node, &known));
    }
    finder.pinned
}

/// An expression that an index has.
struct KeyExpression {
    /// As it is compared.
    bare: Node,
    /// Its type, which is that of the column but for an array.
    ty: ColumnType,
    /// The column of its values, as a slot.
    column: Node,
    /// Of a multi-valued index: the type of the elements of the array that the column has.
    element: Option<ColumnType>,
}

fn has_key_expressions(table: &Table) -> bool {
    matches!(table.rules(), Ok(Some(rules)) if !rules.computed.is_empty())
}

/// The expressions of a relation's indexes.
fn key_expressions(table: &Table, relation: usize) -> Vec<KeyExpression> {
    let Ok(Some(rules)) = table.rules() else { return Vec::new() };
    let in_index = |at: usize| {
        let visible = table.multi_valued.iter().filter(|of| !of.index.invisible);
        let visible = visible.flat_map(|of| &of.index.parts);
        let mut parts = table.indexes.iter().flat_map(|index| &index.parts).chain(visible);
        parts.any(|part| part.column == at && part.prefix.is_none())
    };
    let computed = rules.computed.iter().filter(|(at, node)| in_index(*at) && is_settled(node));
    computed
        .filter(|(_, node)| !matches!(node.kind, Kind::Column(_) | Kind::Constant(_)))
        .map(|(at, node)| {
            let column = &table.columns[*at];
            let kind = Kind::Column(slot(relation, *at));
            let (node, element) = match array_parts(node) {
                Some((document, element)) => (document, Some(element.clone())),
                None => (node, None),
            };
            KeyExpression {
                bare: bare(node, relation),
                ty: if element.is_some() { node.ty.clone() } else { column.ty.clone() },
                column: Node::new(kind, column.ty.clone(), column.nullable),
                element,
            }
        })
        .collect()
}

/// Whether an expression is the same in every session: of a moment it depends on the time zone, of
/// a quotient on the digits that are asked for.
fn is_settled(node: &Node) -> bool {
    let mut settled = true;
    node.visit(&mut |node| {
        settled &= !matches!(node.ty, ColumnType::Timestamp { .. });
        settled &= !matches!(node.kind, Kind::Arithmetic(Arithmetic::Divide, ..));
    });
    settled
}

/// An expression of a table's rules without what does not tell it from another one: types, which
/// follow from the rest.
fn bare(node: &Node, relation: usize) -> Node {
    let mut node = node.clone();
    make_bare(&mut node, &|kind| {
        if let Kind::Column(at) = kind {
            *at = slot(relation, *at);
        }
    });
    node
}

/// The same of an expression of a query, whose literals are the values that they have.
fn bare_of_query(node: &Node, literals: &[Datum<'_>]) -> Node {
    let mut node = node.clone();
    make_bare(&mut node, &|kind| {
        if let Kind::Parameter(number) = kind {
            let value = literals.get(usize::from(*number)).map_or(Value::Null, Datum::to_value);
            *kind = Kind::Constant(value);
        }
    });
    node
}

fn make_bare(node: &mut Node, change: &dyn Fn(&mut Kind)) {
    change(&mut node.kind);
    (node.ty, node.nullable) = (BIGINT, false);
    node.each_child_mut(&mut |child| make_bare(child, change));
}

/// The same with all literals alike.
fn without_literals(bare: &Node) -> Node {
    let mut node = bare.clone();
    make_bare(&mut node, &|kind| {
        if let Kind::Constant(value) = kind {
            *value = Value::Null;
        }
    });
    node
}

/// Whether values of a type are looked for among elements of another one, as MySQL 9.7 has it: of a
/// document whatever it is, of a value that is none only what the elements are.
fn is_sought_in(sought: &Node, element: &ColumnType, is_document: bool) -> bool {
    use ColumnType as T;
    let is_json = sought.ty == T::Json;
    if is_document {
        return is_json || sought.is_text();
    }
    let is_moment = |ty: &T| matches!(ty, T::Date | T::Time { .. } | T::DateTime { .. });
    match element {
        T::Int { .. } => matches!(sought.ty, T::Int { .. }),
        T::Decimal { .. } => matches!(sought.ty, T::Decimal { .. }),
        T::VarChar { .. } | T::VarBinary { .. } => is_json || sought.is_text(),
        _ => is_moment(&sought.ty) || sought.is_text() && !is_json,
    }
}

/// Which kinds literals are of, as far as their types do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LiteralKinds {
    /// Their types do.
    Known,
    /// The statement is bound for literals of any kind.
    Unknown,
    /// As `Unknown`, and something depends on one.
    Wanted,
    /// Those of their values, which are pinned then.
    OfValues,
}

struct Finder<'l> {
    literals: &'l [Datum<'l>],
    kinds: LiteralKinds,
    pinned: PinnedLiterals,
    /// Whether a table has full-text indexes.
    has_searches: bool,
}

impl Finder<'_> {
    fn query(&mut self, query: &mut Query) {
        match &mut query.body {
            Body::Select(select) => self.select(select, &query.order),
            Body::Set(set) => set.sides.iter_mut().for_each(|side| self.query(side)),
            Body::Recursion(recursion) => {
                self.query(&mut recursion.first);
                self.query(&mut recursion.next);
            }
            Body::Values(_) | Body::JsonTable(_) | Body::FullText(_) => {}
        }
    }

    fn select(&mut self, select: &mut Select, order: &[SortKey]) {
        let mut known: Vec<Vec<KeyExpression>> = Vec::with_capacity(select.relations.len());
        for (number, relation) in select.relations.iter_mut().enumerate() {
            known.push(match &mut relation.source {
                Source::Table(table) => key_expressions(table, number),
                Source::Query(query) => {
                    self.query(query);
                    Vec::new()
                }
                _ => Vec::new(),
            });
        }
        let Some(join) = &mut select.join else { return };
        let all = join.nullable();
        let of = |null: u64| {
            let seen = known.iter().enumerate().filter(move |(at, _)| null >> at & 1 == 0);
            seen.flat_map(|(_, known)| known)
        };
        self.join(join, &of);
        select.conditions.iter_mut().for_each(|node| self.node_of(node, of(all), true));
        match &mut select.grouping {
            Some(grouping) => {
                grouping.keys.iter_mut().for_each(|node| self.sorted_by(node, of(all)));
            }
            None if select.windowing.is_none() && !select.distinct => {
                for key in order {
                    self.sorted_by(&mut select.outputs[key.position], of(all));
                }
            }
            None => {}
        }
    }

    fn join<'k, I: Iterator<Item = &'k KeyExpression>>(
        &mut self,
        join: &mut Join,
        of: &dyn Fn(u64) -> I,
    ) {
        // As in MySQL 9.7, what an outer join joins by is no search.
        let is_condition = !matches!(join, Join::Left(..));
        let (null, terms) = match join {
            Join::Relation(_) => return,
            Join::Inner(members, terms) => {
                members.iter_mut().for_each(|member| self.join(member, of));
                (members.iter().fold(0, |all, one| all | one.nullable()), terms)
            }
            Join::Straight(left, right, terms) | Join::Left(left, right, terms) => {
                self.join(left, of);
                self.join(right, of);
                (left.nullable() | right.nullable(), terms)
            }
        };
        terms.iter_mut().for_each(|node| self.node_of(node, of(null), is_condition));
    }

    fn node_of<'k>(
        &mut self,
        node: &mut Node,
        known: impl Iterator<Item = &'k KeyExpression>,
        is_condition: bool,
    ) {
        let known: Vec<&KeyExpression> = known.collect();
        self.within(node, &known, is_condition);
    }

    fn node(&mut self, node: &mut Node, known: &[KeyExpression]) {
        self.within(node, &known.iter().collect::<Vec<_>>(), true);
    }

    /// Whole, where it is what rows are sorted or grouped by, and shown besides.
    fn sorted_by<'k>(&mut self, node: &mut Node, known: impl Iterator<Item = &'k KeyExpression>) {
        for expression in known {
            if expression.element.is_none()
                && node.ty == expression.column.ty
                && self.is(node, expression)
            {
                *node = expression.column.clone();
                return;
            }
        }
    }

    /// In an expression, wherever it stands. `is_condition`: it is one, or a part of one as whose
    /// AND, OR or comparison it stands; elsewhere MySQL 9.7 does not search for elements.
    fn within(&mut self, node: &mut Node, known: &[&KeyExpression], is_condition: bool) {
        if let Kind::Subquery(subquery) = &mut node.kind {
            self.query(subquery.query_mut());
        }
        if self.has_searches {
            self.pin_bound_of_relevance(node);
        } else if known.is_empty() {
            return;
        }
        for expression in known {
            if expression.element.is_none() && self.is(node, expression) {
                *node = expression.column.clone();
                return;
            }
        }
        if is_condition && let Some(search) = self.searched(node, known) {
            *node = search;
            return;
        }
        let is_condition =
            is_condition && matches!(node.kind, Kind::And(_) | Kind::Or(_) | Kind::Compare(..));
        node.each_child_mut(&mut |child| self.within(child, known, is_condition));
    }

    /// MEMBER OF, JSON_CONTAINS or JSON_OVERLAPS of a constant and an array that a multi-valued
    /// index has, as a search for elements in that array: values are those of its type then, for
    /// whoever reads all rows as well (MySQL 9.7: tests/oracle/sql/multi-valued.sql).
    fn searched(&mut self, node: &Node, known: &[&KeyExpression]) -> Option<Node> {
        let Kind::Call(function, arguments) = &node.kind else { return None };
        let [first, second] = &arguments[..] else { return None };
        let (ways, search): (&[(&Node, &Node)], _) = match function {
            Function::JsonMemberOf => (&[(second, first)], ElementSearch::Any),
            Function::JsonOverlaps => (&[(first, second), (second, first)], ElementSearch::Any),
            Function::JsonContains => (&[(first, second)], ElementSearch::All),
            _ => return None,
        };
        let is_document = *function != Function::JsonMemberOf;
        for (array, sought) in ways {
            if !sought.is_constant() {
                continue;
            }
            for expression in known {
                let Some(element) = &expression.element else { continue };
                if !self.is(array, expression) {
                    continue;
                }
                let sought = self.of_kind((*sought).clone())?;
                if is_sought_in(&sought, element, is_document) {
                    let (column, sought) = (expression.column.clone(), (sought, is_document));
                    return Some(search_node(column, element, sought, search));
                }
            }
        }
        None
    }

    /// A constant of the type that its literals give it; `None` where they are of any kind.
    fn of_kind(&mut self, sought: Node) -> Option<Node> {
        match self.kinds {
            LiteralKinds::Known => Some(sought),
            _ if !has_literal(&sought) => Some(sought),
            LiteralKinds::Unknown | LiteralKinds::Wanted => {
                self.kinds = LiteralKinds::Wanted;
                None
            }
            LiteralKinds::OfValues => match sought.kind {
                Kind::Parameter(number) => {
                    let literal = self.literals.get(usize::from(number))?;
                    self.pinned.push((number, literal.to_value()));
                    Some(Node::constant(literal.to_value()))
                }
                // What is made of several has the type of what makes it.
                _ => Some(sought),
            },
        }
    }

    /// Puts the literal that a relevance must exceed back into its place.
    fn pin_bound_of_relevance(&mut self, node: &mut Node) {
        let (search, bound) = match &mut node.kind {
            Kind::Compare(Comparison::Greater, one, other, _) => (one, other),
            Kind::Compare(Comparison::Less, one, other, _) => (other, one),
            _ => return,
        };
        if matches!(search.kind, Kind::Call(Function::MatchAgainst, _))
            && let Kind::Parameter(number) = bound.kind
            && let Some(literal) = self.literals.get(usize::from(number))
        {
            self.pinned.push((number, literal.to_value()));
            bound.kind = Kind::Constant(literal.to_value());
        }
    }

    /// Whether an expression is one that an index has; then, or if it would be with other literals,
    /// the plan depends on these.
    fn is(&mut self, node: &Node, expression: &KeyExpression) -> bool {
        let ty = &expression.ty;
        let is_alike = discriminant(&node.kind) == discriminant(&expression.bare.kind)
            && class_of(&node.ty) == class_of(ty)
            && node.ty.collation() == ty.collation();
        if !is_alike {
            return false;
        }
        let own = bare_of_query(node, self.literals);
        let is_same = own == expression.bare;
        if is_same || without_literals(&own) == without_literals(&expression.bare) {
            pin_all(&mut self.pinned, node, self.literals);
        }
        is_same
    }
}
