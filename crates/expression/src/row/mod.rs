//! The row at hand: rows joined so far and those around a sub-query, the scope of an evaluation,
//! and what rows have found out for those that follow.

pub(crate) mod frame;
pub(crate) mod lists;
pub(crate) mod memo;
pub(crate) mod scope;
