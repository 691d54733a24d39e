//! The point access path: conditions on one table answered by look-ups and ranges of one index,
//! without a query executor.
//!
//! `access` chooses the index and what is looked up in it, `key` makes keys of values,
//! `gather` reads rows, `select` is the SELECT around it, `sort` orders what no index orders.
//!
//! Not here: everything else that SELECT can do (`analytic`).

mod access;
mod gather;
mod key;
mod select;
mod sort;

pub use access::{Access, AccessKind, Between, Lookup, Ordering, Ranges, plan_access, ways};
pub use gather::{Filter, Gathered, Gatherer, Piece};
pub use select::{
    From, Locking, Output, SelectPlan, Surroundings, bind_select, item_name, item_texts,
    push_terms, result_type, simple_ordering, sort_keys, table_column,
};
pub use sort::{SortKey, sort_rows};
