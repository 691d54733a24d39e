//! What expressions are: nodes, sub-queries, slots; what operands make; what is the same for all
//! rows.

pub(crate) mod common;
pub(crate) mod lists;
pub(crate) mod make;
pub(crate) mod node;
pub(crate) mod once;
pub(crate) mod slot;
pub(crate) mod subquery;
