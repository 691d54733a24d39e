//! The query of a full-text search: one row, of how rare its words are.
//!
//! Not here: its run (`executor`), the rows that it finds (`point::access`).

use std::sync::Arc;

use expression::Node;
use rows::table::Table;

/// How the text of AGAINST is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FullTextMode {
    /// IN NATURAL LANGUAGE MODE, or nothing.
    Natural,
    /// WITH QUERY EXPANSION.
    Expanded,
    /// IN BOOLEAN MODE.
    Boolean,
}

/// What is searched for, and where.
#[derive(Clone, Debug)]
pub struct FullTextQuery {
    /// The table.
    pub table: Arc<Table>,
    /// Which of its full-text indexes.
    pub index: usize,
    /// The text of AGAINST.
    pub against: Node,
    /// How it is read.
    pub mode: FullTextMode,
}
