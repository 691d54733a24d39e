//! Aggregates over all rows of a table that are known without reading them: of a columnar table
//! most, of any other their number.
//!
//! Not here: whether a SELECT has conditions (`order`), the answers
//! (`columnar::TableColumns::known`).

use std::sync::Arc;

use columnar::{Question, has_extremes};
use expression::{Kind, Node, parts_of};
use rows::table::Table;

use crate::tree::{Aggregate, AggregateFunction, Grouping, Select, Source};

/// The table and what is to be asked of it for each aggregate, if a SELECT without conditions has
/// one group of one table, with nothing but such aggregates.
pub fn known_of_table(select: &Select) -> Option<(&Arc<Table>, Vec<Question>)> {
    let [relation] = &select.relations[..] else { return None };
    let Source::Table(table) = &relation.source else { return None };
    let grouping = select.grouping.as_ref()?;
    if !table.columnar || !is_one_group(grouping) {
        return None;
    }
    let questions = grouping.aggregates.iter().map(|aggregate| question(table, aggregate));
    Some((table, questions.collect::<Option<_>>()?))
}

/// Whether a SELECT without conditions has one group of one table of rows, of which nothing but
/// their number is asked. What a columnar index counts is counted as quickly.
pub fn counts_all(select: &Select) -> bool {
    let (Some(grouping), [relation]) = (&select.grouping, &select.relations[..]) else {
        return false;
    };
    let Source::Table(table) = &relation.source else { return false };
    // Some partitions alone are counted by their ranges.
    relation.index_use.partitions().is_none()
        && !table.columnar
        && table.columnar_index.is_none()
        && only_counts(grouping)
}

/// Whether nothing is asked of rows but how many there are.
pub fn only_counts(grouping: &Grouping) -> bool {
    let counts = |one: &Aggregate| one.function == AggregateFunction::CountRows;
    is_one_group(grouping) && grouping.aggregates.iter().all(counts)
}

fn is_one_group(grouping: &Grouping) -> bool {
    grouping.keys.is_empty() && grouping.others.is_empty() && !grouping.aggregates.is_empty()
}

fn question(table: &Table, aggregate: &Aggregate) -> Option<Question> {
    use AggregateFunction as F;
    let column = |node: &Node| match node.kind {
        Kind::Column(slot) => Some(parts_of(slot).1).filter(|at| *at < table.columns.len()),
        _ => None,
    };
    if aggregate.function == F::CountRows {
        return Some(Question::Rows);
    }
    let [argument] = &aggregate.arguments[..] else { return None };
    let at = column(argument)?;
    let ty = &table.columns[at].ty;
    // Of different values the smallest is that of all; the words of an ENUM or SET order otherwise.
    let is_own = aggregate.ty == *ty && has_extremes(ty);
    match aggregate.function {
        F::Count if !aggregate.distinct => Some(Question::Values(at)),
        F::Minimum if is_own => Some(Question::Smallest(at)),
        F::Maximum if is_own => Some(Question::Largest(at)),
        _ => None,
    }
}
