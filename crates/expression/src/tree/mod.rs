//! What expressions are: nodes, lists, sub-queries, slots; what is the same for all rows; which
//! functions there are.

pub(crate) mod function;
pub(crate) mod function_table;
pub(crate) mod list;
pub(crate) mod node;
pub(crate) mod once;
pub(crate) mod slot;
pub(crate) mod subquery;
