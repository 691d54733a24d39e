//! DISTINCT that changes nothing: where a row of the result tells which row of each table it was
//! made of, no two rows of the result are equal.
//!
//! A table's row is told by the columns of a unique index without NULLs, each of which is given,
//! equals something that is told, or is a column of the result: as where an application joins what
//! it filters by and asks for each of its objects once.
//!
//! ```text
//! SELECT DISTINCT u.* FROM u JOIN m ON m.user = u.id WHERE m.grp = 5      UNIQUE (user, grp)
//! u.id is in the result: u is told; m.user equals it, m.grp is given: m is told
//! ```
//!
//! Invariants
//! 1. Columns are told up to equality under their own collation, which is what DISTINCT goes by,
//!    too.
//! 2. What an outer join's ON says counts once all of its left side is told: then it says which row
//!    of the right side there is, or that there is none.
//!
//! Not here: how rows are told apart where they must be (`executor::distinct`).

use std::collections::HashSet;

use expression::{Comparison, Kind, Node, slot};
use values::types::Collation;

use super::rewrite::is_unique_key_of;
use crate::terms::{has_subquery, is_volatile, references};
use crate::tree::{Class, Join, Relation, Select, Source, class_of};

/// Forgets DISTINCT where all rows are distinct by themselves.
pub fn forget_needless(select: &mut Select) {
    let is_joined = select.grouping.is_none() && select.windowing.is_none();
    if select.distinct
        && is_joined
        && ResultEquations::of(select).is_some_and(ResultEquations::tells_all)
    {
        select.distinct = false;
    }
}

/// An equation that holds for every row, once some relations are told.
struct RowEquation {
    needs: u64,
    column: usize,
    /// The column that it equals; `None`: a value that is the same for all rows.
    other: Option<usize>,
}

/// What the columns of a result tell.
struct ResultEquations<'q> {
    relations: &'q [Relation],
    columns: HashSet<usize>,
    /// Relations whose rows are told.
    rows: u64,
    equations: Vec<RowEquation>,
}

impl<'q> ResultEquations<'q> {
    /// `None` without a table.
    fn of(select: &'q Select) -> Option<ResultEquations<'q>> {
        let columns = select.outputs[..select.visible].iter().filter_map(column_of).collect();
        let relations = &select.relations;
        let mut told = ResultEquations { relations, columns, rows: 0, equations: Vec::new() };
        told.add_terms(&select.conditions, 0);
        told.add_join(select.join.as_ref()?, 0);
        Some(told)
    }

    fn add_join(&mut self, join: &Join, needs: u64) {
        match join {
            Join::Relation(_) => {}
            Join::Inner(members, terms) => {
                members.iter().for_each(|member| self.add_join(member, needs));
                self.add_terms(terms, needs);
            }
            Join::Straight(left, right, terms) => {
                self.add_join(left, needs);
                self.add_join(right, needs);
                self.add_terms(terms, needs);
            }
            Join::Left(left, right, terms) => {
                self.add_join(left, needs);
                let needs = needs | left.relations();
                self.add_join(right, needs);
                self.add_terms(terms, needs);
            }
        }
    }

    fn add_terms(&mut self, terms: &[Node], needs: u64) {
        for term in terms {
            let Kind::Compare(Comparison::Equal, a, b, rule) = &term.kind else { continue };
            if !tells(a, b, *rule) {
                continue;
            }
            for (node, other) in [(a, b), (b, a)] {
                let Some(column) = column_of(node) else { continue };
                match column_of(other) {
                    Some(other) => {
                        self.equations.push(RowEquation { needs, column, other: Some(other) });
                    }
                    None if is_given(other) => {
                        self.equations.push(RowEquation { needs, column, other: None });
                    }
                    None => {}
                }
            }
        }
    }

    /// Whether the rows of all relations are told.
    fn tells_all(mut self) -> bool {
        let all = (1u64 << self.relations.len()) - 1;
        while self.rows != all {
            if !self.go_on() {
                return false;
            }
        }
        true
    }

    /// Concludes what it can from what is told; `false` if that is nothing.
    fn go_on(&mut self) -> bool {
        let before = (self.columns.len(), self.rows);
        for RowEquation { needs, column, other } in &self.equations {
            if needs & !self.rows == 0 && other.is_none_or(|other| self.columns.contains(&other)) {
                self.columns.insert(*column);
            }
        }
        for (number, relation) in self.relations.iter().enumerate() {
            let Source::Table(table) = &relation.source else { continue };
            let is_told = |column: usize| {
                !table.columns[column].nullable && self.columns.contains(&slot(number, column))
            };
            let tells = |index| is_unique_key_of(index, is_told);
            if self.rows >> number & 1 == 0 && table.indexes.iter().any(tells) {
                self.rows |= 1 << number;
                self.columns.extend((0..table.columns.len()).map(|column| slot(number, column)));
            }
        }
        (self.columns.len(), self.rows) != before
    }
}

fn column_of(node: &Node) -> Option<usize> {
    match node.kind {
        Kind::Column(slot) => Some(slot),
        _ => None,
    }
}

/// Whether a value is the same for all rows of a run.
fn is_given(node: &Node) -> bool {
    references(node) == 0 && !is_volatile(node) && !has_subquery(node)
}

/// Whether of two that are equal one tells the other: numbers of one kind do, and texts under the
/// collation of both. A text and a number do not: '1' and '01' are both 1.
fn tells(a: &Node, b: &Node, rule: Collation) -> bool {
    let class = class_of(&a.ty);
    let is_own = |node: &Node| column_of(node).is_none() || node.ty.collation() == Some(rule);
    class != Class::Other
        && class == class_of(&b.ty)
        && (class != Class::Text || is_own(a) && is_own(b))
}
