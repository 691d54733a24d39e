//! The row at hand: rows joined so far and those around a sub-query, and the scope of an
//! evaluation.

pub(crate) mod frame;
pub(crate) mod scope;
