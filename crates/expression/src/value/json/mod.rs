//! JSON documents: as trees, their order, and beside values of SQL.

pub(crate) mod conversion;
pub(crate) mod document;
pub(crate) mod fault;
pub(crate) mod order;
