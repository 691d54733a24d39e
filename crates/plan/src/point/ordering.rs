//! The order that rows are asked for in.
//!
//! Not here: which index gives it (`access`), sorting (`sort`).

use expression::{Kind, Node};

/// An order asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordering {
    /// Columns in order, and whether each is to descend.
    pub columns: Vec<(usize, bool)>,
}

/// One expression of ORDER BY.
#[derive(Clone, Debug)]
pub struct PointSortKey {
    /// What is ordered by.
    pub node: Node,
    /// DESC.
    pub descending: bool,
}

/// The order that sort keys ask for, if it is one of columns.
pub fn simple_ordering(sort: &[PointSortKey]) -> Option<Ordering> {
    let column = |key: &PointSortKey| match key.node.kind {
        Kind::Column(position) => Some((position, key.descending)),
        _ => None,
    };
    let columns = sort.iter().map(column).collect::<Option<Vec<_>>>()?;
    (!columns.is_empty()).then_some(Ordering { columns })
}
