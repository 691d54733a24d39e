//! JSON documents: their order, and beside values of SQL.

pub(crate) mod conversion;
pub(crate) mod order;
