//! The queries that are look-ups: a SELECT from one table of which an index says which rows are
//! read, and in their order, and a SELECT without a table. They are lowered to a plan that needs no
//! tree.
//!
//! Invariants
//! 1. Nothing is read for it, so that it can be planned in an event loop: where the best way
//!    depends on what the table holds, the query is none.
//! 2. The plan is right for all literals that its query is right for.
//!
//! Not here: what the plan holds (`point`), running it (`session::select`).

use std::sync::Arc;

use expression::{Kind, Node};
use rows::table::Table;

use super::merge::derived_tables;
use super::single_table::certain;
use crate::index_use::ColumnarUse;
use crate::point::{AccessKind, PointSortKey, ReaderKind, simple_ordering, ways};
use crate::terms::{columns_of, has};
use crate::tree::{
    Body, BoundQuery, Join, PointSelect, Relation, ResultOutput, RowOrigin, Select, Source,
};

/// The plan of a query that is a look-up.
pub fn look_up(bound: &BoundQuery) -> Option<PointSelect> {
    let query = &bound.query;
    let Body::Select(select) = &query.body else { return None };
    let is_derived = |relation: &Relation| matches!(relation.source, Source::Query(_));
    let merged = select.relations.iter().any(is_derived).then(|| {
        let mut merged = select.clone();
        derived_tables(&mut merged);
        merged
    });
    let select = merged.as_ref().unwrap_or(select);
    if !select.is_plain() || select.distinct {
        return None;
    }
    let (visible, _) = select.outputs.split_at(select.visible);
    if visible.iter().any(has_unknown_type) || takes_turns(select, visible) {
        return None;
    }
    let (from, conditions) = match (&select.join, &select.relations[..]) {
        (None, []) => (None, select.conditions.clone()),
        (Some(Join::Relation(0)), [relation]) => {
            let Source::Table(table) = &relation.source else { return None };
            let sort = query.order.iter().map(|key| PointSortKey {
                node: select.outputs[key.position].clone(),
                descending: key.descending,
            });
            (Some(from(table, relation, select, sort.collect())?), Vec::new())
        }
        _ => return None,
    };
    let columns = from.as_ref().map_or(0, |from| from.table.columns.len());
    let mut traits = LookUpTraits { is_own: true, columns, ..LookUpTraits::default() };
    let mut look = |node: &Node| node.visit(&mut |part| traits.add(part));
    select.outputs.iter().chain(&conditions).for_each(&mut look);
    query.limit.iter().chain(&query.offset).for_each(&mut look);
    if let Some(from) = &from {
        from.access.terms.iter().for_each(&mut look);
    }
    let LookUpTraits { is_own: true, needs_facts, waits, leaves_something, .. } = traits else {
        return None;
    };
    let output = |node: &Node| match node.kind {
        Kind::Column(position) => ResultOutput::Column(position),
        _ => ResultOutput::Node(node.clone()),
    };
    let covered = from.as_ref().is_some_and(|from| is_covered(from, visible));
    Some(PointSelect {
        from,
        views: bound.views.clone(),
        covered,
        conditions,
        outputs: visible.iter().map(output).collect(),
        columns: Arc::clone(&bound.columns),
        limit: query.limit.clone(),
        offset: query.offset.clone(),
        needs_facts,
        waits,
        leaves_something,
        pinned: bound.pinned.clone(),
        compared_texts: bound.compared_texts.clone(),
        variables: bound.variables.clone(),
    })
}

/// Whether the list sees what the condition has made of a variable for this very row, or the other
/// way round. A look-up finds many rows before it gives the first.
fn takes_turns(select: &Select, visible: &[Node]) -> bool {
    let assigns = |node: &Node| has(node, |kind| matches!(kind, Kind::Assign(..)));
    let asks =
        |node: &Node| has(node, |kind| matches!(kind, Kind::Assign(..) | Kind::UserVariable(_)));
    let conditions = &select.conditions;
    conditions.iter().any(assigns) && visible.iter().any(asks)
        || conditions.iter().any(asks) && visible.iter().any(assigns)
}

/// Whether what a result is of is not known before the statement runs.
fn has_unknown_type(node: &Node) -> bool {
    let mut unknown = false;
    node.visit(&mut |part| unknown |= part.is_untyped());
    unknown
}

/// The way to the rows of a table, if it is known without a look at them, and gives their order.
fn from(
    table: &Arc<Table>,
    relation: &Relation,
    select: &Select,
    sort: Vec<PointSortKey>,
) -> Option<RowOrigin> {
    let (index_use, locking) = (relation.index_use.clone(), relation.locking);
    if locking.is_none() && index_use.columnar() == ColumnarUse::Forced {
        return None;
    }
    let ordering = simple_ordering(&sort);
    let all = ways(table, &index_use, &select.conditions, ordering.as_ref(), ReaderKind::ByRange);
    let mut access = certain(&all)?.clone();
    let sorted = sort.is_empty() || ordering.is_some() && access.ordered;
    if !sorted && (locking.is_none() || !access.is_narrow()) {
        return None;
    }
    access.ask_entries(table);
    access.evaluate_once();
    let (table, shown) = (Arc::clone(table), relation.name.clone());
    Some(RowOrigin { table, shown, access, index_use, sort, sorted, locking })
}

/// Whether the entries of the index tell all that is asked of the rows.
fn is_covered(RowOrigin { table, access, locking, .. }: &RowOrigin, outputs: &[Node]) -> bool {
    if access.index == 0 || access.kind == AccessKind::Const || locking.is_some() {
        return false;
    }
    let wanted: Vec<usize> = access.residual.iter().chain(outputs).flat_map(columns_of).collect();
    access.others.is_empty() && table.covering(access.index, &wanted, &[]).is_some()
}

/// What is to be known of the expressions of a look-up.
#[derive(Default)]
struct LookUpTraits {
    /// Whether they are of a row of the table alone.
    is_own: bool,
    /// How many columns that has.
    columns: usize,
    needs_facts: bool,
    waits: bool,
    leaves_something: bool,
}

impl LookUpTraits {
    fn add(&mut self, node: &Node) {
        match &node.kind {
            Kind::Column(position) => self.is_own &= *position < self.columns,
            Kind::Outer(..) | Kind::Subquery(_) | Kind::Aggregate(_) | Kind::Window(_) => {
                self.is_own = false;
            }
            Kind::Call(function, arguments) => {
                self.needs_facts = true;
                self.waits |= function.waits();
                self.leaves_something |= function.sets_insert_id(arguments);
            }
            Kind::Assign(..) => {
                self.needs_facts = true;
                self.leaves_something = true;
            }
            Kind::UserVariable(_) | Kind::SystemVariable(..) => self.needs_facts = true,
            // Which day a time is of, and what sql_mode says.
            Kind::Cast(_)
            | Kind::Extract(..)
            | Kind::Difference(..)
            | Kind::Shift(..)
            | Kind::Arithmetic(..) => self.needs_facts = true,
            _ => {}
        }
    }
}
