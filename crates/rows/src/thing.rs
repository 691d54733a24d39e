//! What bears a name.
//!
//! Not here: which names are allowed (`ddl::rules`).

use std::fmt;

/// The kinds of named things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A database (schema).
    Database,
    /// A table.
    Table,
    /// A column.
    Column,
    /// An index.
    Index,
    /// An event: a job inside the server.
    Event,
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Thing::Database => "database",
            Thing::Table => "table",
            Thing::Column => "column",
            Thing::Index => "index",
            Thing::Event => "event",
        })
    }
}
