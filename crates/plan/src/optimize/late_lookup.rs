//! Whether the rows of a sort with a limit can be looked up when it is known which are given: the
//! entries of an index then tell all that is filtered and sorted by.
//!
//! ```text
//! SELECT * FROM posts WHERE kind = 'post' AND state IN (...) ORDER BY made DESC LIMIT 80, 20
//! ```
//! reads the entries of (kind, state, made) and twenty rows, not all rows of that kind.
//!
//! Rows that are read as a whole are looked up again as well where they are very many beside the
//! wanted ones (`order`): a row that is kept for a while is copied.
//!
//! Invariants
//! 1. Nobody notices that outputs of other rows are not evaluated.
//!
//! Not here: what it costs (`order`), doing it (`executor`).

use expression::{Kind, Node, slot};

use super::RowDemand;
use super::needs::Needs;
use crate::terms::is_volatile;
use crate::tree::{JoinStep, LateRows, Member, Select, Source};

/// A SELECT whose rows can be looked up late.
pub struct LateNeeds {
    /// What is needed until then.
    pub needs: Needs,
    /// What is kept until then.
    pub rows: LateRows,
}

impl LateNeeds {
    /// Of a SELECT whose joins and conditions are as they were written.
    pub fn of(select: &Select, wanted: &RowDemand<'_>) -> Option<LateNeeds> {
        let [relation] = select.relations.as_slice() else { return None };
        let Source::Table(table) = &relation.source else { return None };
        let is_plain = select.grouping.is_none()
            && select.windowing.is_none()
            && select.having.is_none()
            && !select.distinct
            && !table.columnar
            // A hidden row id is no column: nothing could be kept of a row.
            && !table.has_hidden_key();
        let is_cut = wanted.rows.is_some() && !wanted.order.is_empty();
        if !is_plain || !is_cut || select.outputs.iter().any(is_volatile) {
            return None;
        }
        let sorted = wanted.order.iter().map(|key| &select.outputs[key.position]);
        let mut needs = Needs::with_outputs(select, sorted);
        let mut key = Vec::new();
        for part in &table.codecs[0].parts {
            let column = &table.columns[part.column];
            let kind = Kind::Column(slot(0, part.column));
            let node = Node::new(kind, column.ty.clone(), column.nullable);
            needs.add_output(&node);
            key.push(node);
        }
        Some(LateNeeds { needs, rows: LateRows { relation: 0, key, rows_max: f64::INFINITY } })
    }
}

/// Whether rows are read from the entries of an index alone.
pub fn is_covered(steps: &[JoinStep]) -> bool {
    steps.iter().all(|step| match &step.member {
        Member::Scan(scan) => scan.covering.is_some(),
        Member::Group(..) => false,
    })
}
