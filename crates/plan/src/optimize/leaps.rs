//! SELECTs that want of each value of an index's leading parts no more than an end: DISTINCT,
//! groups without aggregates, MIN and MAX by group, or both of them of all rows.
//!
//! They look at as many entries as there are values, not at as many as there are rows.
//!
//! Not here: how entries are leapt over (`rows::leaps`).

use std::sync::Arc;

use expression::{Kind, Node, parts_of};
use rows::leaps::Leaps;
use rows::store::Direction;
use rows::table::{Covering, Table};

use super::access::{SEEK_ROWS, covering, guess};
use super::needs::Columns;
use super::statistics::Sizes;
use crate::point::{Access, ReaderKind, ways};
use crate::terms::{can_be_local, has_subquery, is_volatile, localized, references};
use crate::tree::{
    Aggregate, AggregateFunction, Grouping, JoinStep, Member, Relation, Scan, Select, Source,
};
use results::Result;

/// A way to leap, and what it comes to.
pub struct Leaping {
    /// The only step.
    pub step: JoinStep,
    /// Terms that no relation is needed for.
    pub once: Vec<Node>,
    /// Rows that it gives, about.
    pub rows: f64,
    /// In rows looked at.
    pub cost: f64,
}

/// What is wanted of the rows of one relation.
struct Shape {
    /// By which columns groups are told apart; all that are covered, if these are not to be known.
    keys: Option<Vec<usize>>,
    extremes: Option<Extremes>,
}

/// Smallest and largest values of a column.
#[derive(Clone, Copy)]
struct Extremes {
    column: usize,
    smallest: bool,
    largest: bool,
}

/// The best way to leap through the entries of an index for a SELECT from one relation under these
/// terms; `needs`: the columns that it uses.
///
/// # Errors
/// As `way_to`.
pub fn leaping(
    select: &Select,
    terms: &[Node],
    needs: &Columns,
    sizes: &Sizes<'_>,
) -> Result<Option<Leaping>> {
    let [relation] = &select.relations[..] else { return Ok(None) };
    let Source::Table(table) = &relation.source else { return Ok(None) };
    let Some(shape) = shape_of(select).filter(|_| !table.columnar) else { return Ok(None) };
    let (own, once): (Vec<&Node>, Vec<&Node>) =
        terms.iter().partition(|term| references(term) != 0);
    if !own.iter().all(|term| can_be_local(term)) {
        return Ok(None);
    }
    let local: Vec<Node> = own.into_iter().map(|term| localized(term, 0)).collect();
    let size = sizes.rows(table)?;
    let mut best: Option<Leaping> = None;
    for access in ways(table, &relation.index_use, &local, None, ReaderKind::ByRange) {
        let all = (&select.relations[..], sizes);
        let Some(found) = through(access, &shape, table, needs, size, all)? else { continue };
        if best.as_ref().is_none_or(|best| found.cost < best.cost) {
            best = Some(found);
        }
    }
    Ok(best.map(|best| Leaping { once: once.into_iter().cloned().collect(), ..best }))
}

/// By one index.
fn through(
    mut access: Access,
    shape: &Shape,
    table: &Arc<Table>,
    needs: &Columns,
    size: f64,
    (relations, sizes): (&[Relation], &Sizes<'_>),
) -> Result<Option<Leaping>> {
    if !access.takes_all(false) {
        return Ok(None);
    }
    let Some(covering) = covering(table, &access, needs) else { return Ok(None) };
    let Some((leaps, direction)) = shape.leaps(table, &covering) else { return Ok(None) };
    let (examined, _) = guess(&access, size, table, (relations, sizes))?;
    let each = sizes.per_key(table, access.index, leaps.parts, size)?;
    let rows = (examined / each).max(1.0);
    let ends = if leaps.both { 2.0 } else { 1.0 };
    let cost = (rows * ends + 1.0) * SEEK_ROWS;
    access.direction = direction;
    let scan = Scan {
        relation: 0,
        access: Some(access),
        terms: Vec::new(),
        hash: None,
        covering: Some(covering),
        leaps: Some(leaps),
        same: true,
        examined: rows,
    };
    let member = Member::Scan(Box::new(scan));
    let step = JoinStep { member, outer: false, filters: Vec::new(), after: Vec::new(), rows };
    Ok(Some(Leaping { step, once: Vec::new(), rows, cost }))
}

fn shape_of(select: &Select) -> Option<Shape> {
    let is_told = |node: &Node| !is_volatile(node) && !has_subquery(node);
    if select.windowing.is_some() {
        return None;
    }
    let Some(grouping) = &select.grouping else {
        let is_distinct = select.distinct && select.having.is_none();
        let told = is_distinct && select.outputs.iter().all(is_told);
        return told.then_some(Shape { keys: None, extremes: None });
    };
    let Grouping { keys, rollup, aggregates, others } = grouping;
    let is_one = keys.is_empty() && aggregates.is_empty();
    if is_one || *rollup || !others.is_empty() || !keys.iter().all(is_told) {
        return None;
    }
    let mut columns = Vec::new();
    for key in keys {
        key.visit(&mut |node| {
            if let Kind::Column(slot) = node.kind {
                columns.push(parts_of(slot).1);
            }
        });
    }
    let extremes = match aggregates.is_empty() {
        true => None,
        false => Some(extremes_of(aggregates)?),
    };
    Some(Shape { keys: Some(columns), extremes })
}

/// If all aggregates are the smallest or the largest value of one column.
fn extremes_of(aggregates: &[Aggregate]) -> Option<Extremes> {
    let mut found: Option<Extremes> = None;
    for aggregate in aggregates {
        let [argument] = &aggregate.arguments[..] else { return None };
        let Kind::Column(slot) = argument.kind else { return None };
        // Its words have another order than its numbers, by which an index has them.
        if argument.ty.is_listed() {
            return None;
        }
        let column = parts_of(slot).1;
        let none = Extremes { column, smallest: false, largest: false };
        let extremes = found.get_or_insert(none);
        match aggregate.function {
            // NULLs come first, and are no smallest value.
            AggregateFunction::Minimum if !argument.nullable => extremes.smallest = true,
            AggregateFunction::Maximum => extremes.largest = true,
            _ => return None,
        }
        if extremes.column != column {
            return None;
        }
    }
    found
}

impl Shape {
    /// How entries of an index are leapt over, if they are as the shape needs them, and where the
    /// first end is.
    fn leaps(&self, table: &Table, covering: &Covering) -> Option<(Leaps, Direction)> {
        let columns = covering.columns(table)?;
        let (parts, direction, both) = match self.extremes {
            None => (columns.len(), Direction::Forward, false),
            Some(Extremes { column, smallest, largest }) => {
                let (last, before) = columns.split_last()?;
                let is_behind = *last == Some(column) && !before.contains(last);
                let keys = self.keys.as_ref()?;
                if !is_behind || !keys.iter().all(|key| before.contains(&Some(*key))) {
                    return None;
                }
                let part = &table.codecs[covering.index()].parts[before.len()];
                let direction = match smallest != part.descending {
                    true => Direction::Forward,
                    false => Direction::Backward,
                };
                (before.len(), direction, smallest && largest)
            }
        };
        // Partitions have values that others have as well, unless one end of all is wanted.
        let is_divided = table.partition_column().is_some();
        if is_divided && !self.keys.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        // Without leading parts there is one end, or two.
        (parts > 0 || self.extremes.is_some()).then_some((Leaps { parts, both }, direction))
    }
}
