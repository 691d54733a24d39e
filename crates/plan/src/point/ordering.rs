//! The order that rows are asked for in.
//!
//! Not here: which index gives it (`access`), sorting (`sort`).

use expression::{Kind, Node};

/// An order asked for: columns, and whether descending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordering {
    /// Columns in order.
    pub columns: Vec<usize>,
    /// Descending, all of them.
    pub descending: bool,
}

/// One expression of ORDER BY.
#[derive(Clone, Debug)]
pub struct PointSortKey {
    /// What is ordered by.
    pub node: Node,
    /// DESC.
    pub descending: bool,
}

/// The order that sort keys ask for, if it is one of columns in one direction.
pub fn simple_ordering(sort: &[PointSortKey]) -> Option<Ordering> {
    let descending = sort.first()?.descending;
    let columns = sort
        .iter()
        .map(|key| match key.node.kind {
            Kind::Column(position) if key.descending == descending => Some(position),
            _ => None,
        })
        .collect::<Option<Vec<usize>>>()?;
    Some(Ordering { columns, descending })
}
